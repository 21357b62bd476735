"""Warnings of what NumPy's arrays show: points, and results that are NaN by design."""

import warnings

import numpy as np
import pytest

from sigarray import (
    bootstrap_ci,
    bootstrap_test,
    corpus,
    equivalence_test,
    of_sums,
    permutation_test,
    probability_of_improvement,
    proportion_ci,
    proportion_test,
)
from tests.backends import require

ONES, RNG = np.ones(12), np.random.default_rng(0)
X, Y = RNG.normal(size=(2, 12))
RIGHT = RNG.integers(0, 2, (2, 12)).astype(float)
CLUSTERS = np.arange(12) // 3
DRAWN = {"n_resamples": 99, "rng": 0}
COUNTS = np.stack([ONES, ONES, ONES])
BY_TASK = {"axis": 0, "strata": 1, **DRAWN}
TWO = "All scores are 0 or 1"
POINT, NO_SHARE, NO_UNIT = "is a point", "neither 0 nor 1", "not multiples of one unit"
ADVICE = "take proportion_ci"
DOUBTED = {
    "mean": (POINT, bootstrap_ci, (ONES,), DRAWN),
    "studentized": (POINT, bootstrap_ci, (ONES,), {"method": "studentized", **DRAWN}),
    "an entry": (POINT, bootstrap_ci, (np.stack([ONES, X]),), DRAWN),
    "clusters": (POINT, bootstrap_ci, (ONES,), {"clusters": CLUSTERS, **DRAWN}),
    "strata": (POINT, bootstrap_ci, (ONES,), {"strata": CLUSTERS, **DRAWN}),
    "sums": (
        POINT,
        bootstrap_ci,
        (COUNTS,),
        {"statistic": of_sums(corpus.f1), **DRAWN},
    ),
    "apart": (
        POINT,
        probability_of_improvement,
        (X.reshape(4, 3) + 9.0, Y.reshape(4, 3)),
        BY_TASK,
    ),
    "two values": (
        TWO,
        bootstrap_ci,
        (RIGHT[0],),
        {"statistic": "iqm", "method": "percentile", **DRAWN},
    ),
    "two values of both": (
        TWO,
        bootstrap_test,
        tuple(RIGHT),
        {"statistic": "median", **DRAWN},
    ),
    "two values at a high level": (
        "All scores are 1000001 or 1000002",
        bootstrap_ci,
        (RIGHT[0] + 1000001.0,),
        {"statistic": "median", "method": "percentile", **DRAWN},
    ),
    "percent": (NO_SHARE, proportion_ci, (100.0 * RIGHT[0],), {}),
    "halves": (NO_SHARE, proportion_ci, tuple(RIGHT / 2.0), {"paired": True}),
    "score": (NO_SHARE, proportion_test, (RIGHT[0], 100.0 * RIGHT[1]), {}),
    "limits": (
        NO_SHARE,
        equivalence_test,
        (X, Y),
        {"low": -0.1, "high": 0.1, "method": "score"},
    ),
    "exact": (NO_UNIT, permutation_test, (X, Y), {"paired": True, "method": "exact"}),
    "exact of clusters": (
        NO_UNIT,
        permutation_test,
        (X, Y),
        {"paired": True, "method": "exact", "clusters": CLUSTERS},
    ),
}
of_each = pytest.mark.parametrize("name", DOUBTED)


@of_each
def test_the_caller_is_warned(name):
    said, function, arrays, options = DOUBTED[name]
    with pytest.warns(UserWarning, match=said) as seen:
        function(*arrays, **options)
    (one,) = seen
    assert one.filename == __file__
    assert (ADVICE in str(one.message)) == (name in ("mean", "studentized", "an entry"))


@of_each
def test_another_library_is_not_waited_for(name):
    torch = require("torch")
    _, function, arrays, options = DOUBTED[name]
    arrays = [torch.asarray(x) if hasattr(x, "ndim") else x for x in arrays]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        function(*arrays, **options)


@pytest.mark.parametrize(
    ("function", "arrays", "options"),
    [
        (bootstrap_ci, (X,), DRAWN),
        (bootstrap_ci, (np.repeat([1.0, 2.0, 3.0], [1, 18, 1]),), DRAWN),
        # Resamples of it differ, though few do.
        (
            bootstrap_ci,
            (np.repeat([1.0, 2.0, 3.0], [3, 13, 3]),),
            {"statistic": "median", "method": "percentile", "rng": 0},
        ),
        (bootstrap_ci, (np.where(X[0] < X, np.nan, X),), DRAWN),
        (bootstrap_ci, (COUNTS[None][:0],), {"statistic": of_sums(corpus.f1), **DRAWN}),
        (proportion_ci, (ONES,), {}),
        (proportion_ci, (np.where(X > 0.0, np.nan, 1.0),), {}),
        (proportion_test, (ONES, ONES), {"paired": True}),
        (permutation_test, tuple(RIGHT), {"paired": True, "method": "exact"}),
        (permutation_test, (X, X * np.inf), {"paired": True, "method": "exact"}),
        (permutation_test, (X, Y), {"paired": True, "method": "saddlepoint"}),
    ],
)
def test_others_have_no_warning(function, arrays, options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        function(*arrays, **options)
