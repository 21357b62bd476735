"""Replicates from any place on: the numbers inside the tests, however they are cut."""

import dataclasses
import inspect
import itertools
import math
import pickle
from typing import Any

import numpy as np
import pytest

import sigarray
from sigarray import (
    bootstrap_ci,
    bootstrap_replicates,
    bootstrap_test,
    permutation_replicates,
    permutation_test,
    responses,
)
from sigarray._backend.of_numpy import HOST
from sigarray._resampling.replicates import Beyond, Remade, count_beyond, keep
from tests.backends import EAGER, HAS_ALL, require
from tests.cases import CASES
from tests.chosen import ONE_EACH, over, over_libraries

REPLICATES = [case for case in CASES if "start" in case.options]
ALTERNATIVES = {
    "greater": lambda d, observed: d >= observed - 1e-9,
    "less": lambda d, observed: d <= observed + 1e-9,
    "two-sided": lambda d, observed: np.abs(d) >= np.abs(observed) - 1e-9,
}


def draw_scores(*sizes, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(0.3 * k, 1.0, (2, size)) for k, size in enumerate(sizes)]


@over_libraries(REPLICATES, EAGER)
def test_any_split_gives_the_same(backend, case):
    arrays = [backend.asarray(sample) for sample in case.samples(2)]
    parts = [1, 2, 3, 7, 17]
    wholes = case(*arrays)
    starts = itertools.accumulate(parts[:-1], initial=case.options["start"])
    pieces = [
        case(*arrays, start=start, count=count)
        for start, count in zip(starts, parts, strict=True)
    ]
    for whole, own in zip(wholes, zip(*pieces, strict=True), strict=True):
        assert whole.shape == (2, 30)
        joined = np.concatenate([backend.to_numpy(x) for x in own], axis=-1)
        np.testing.assert_allclose(
            backend.to_numpy(whole), joined, rtol=backend.rtol, atol=backend.atol
        )


@over([x for x in REPLICATES if HAS_ALL or x in ONE_EACH])
def test_the_start_may_be_traced(case):
    """One program for all shards."""
    jax = require("jax")
    arrays = [jax.numpy.asarray(x, dtype="float32") for x in case.samples()]
    traces = []

    @jax.jit
    def program(start, *arrays):
        traces.append(start)
        return case(*arrays, start=start)

    for start in (0, 5, 40):
        on_numpy = case(*case.samples(), start=start)
        for result, expected in zip(program(start, *arrays), on_numpy, strict=True):
            np.testing.assert_allclose(result, expected, atol=case.float32_error)
    assert len(traces) == 1


@over(REPLICATES)
def test_starts_that_are_refused(case):
    samples = case.samples()
    for start, error in ((-1, ValueError), (2**31 - 29, ValueError), (5.0, TypeError)):
        with pytest.raises(error, match="Expected start"):
            case(*samples, start=start)
    with pytest.raises(TypeError, match=r"start to be an integer; got numpy\.ndarray"):
        case(*samples, start=np.array(5.0))
    with pytest.raises(ValueError, match=r"start to be one integer; got shape \(2,\)"):
        case(*samples, start=np.array([5, 6]))
    with pytest.raises(ValueError, match="Expected start in"):
        case(*samples, start=np.array(2**32 + 5))
    for start in (5, np.array(5), np.uint8(5)):
        for result, expected in zip(
            case(*samples, start=start), case(*samples), strict=True
        ):
            np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("statistic", ["mean", "median", np.ptp])
@pytest.mark.parametrize("paired", [False, True])
class TestDifferences:
    def test_bootstrap_p_values_count_them(self, statistic, paired, alternative):
        a, b = draw_scores(12, 12)
        options = {"statistic": statistic, "paired": paired, "rng": 3}
        d = bootstrap_replicates(a, b, start=0, count=300, **options)
        result = bootstrap_test(
            a, b, n_resamples=300, alternative=alternative, **options
        )
        observed = result.statistic[:, None]
        count = ALTERNATIVES[alternative](d - observed, observed).sum(axis=-1)
        np.testing.assert_allclose(result.pvalue, (count + 1) / 301)

    def test_permutation_p_values_count_them(self, statistic, paired, alternative):
        a, b = draw_scores(12, 12)
        options = {"statistic": statistic, "paired": paired, "rng": 3}
        d = permutation_replicates(a, b, start=0, count=300, **options)
        result = permutation_test(
            a, b, n_resamples=300, alternative=alternative, **options
        )
        tails = {
            side: (ALTERNATIVES[side](d, result.statistic[:, None]).sum(-1) + 1) / 301
            for side in ("greater", "less")
        }
        tails["two-sided"] = np.minimum(1.0, 2.0 * np.minimum(*tails.values()))
        np.testing.assert_allclose(result.pvalue, tails[alternative])

    def test_exact_p_values_count_all(self, statistic, paired, alternative):
        a, b = draw_scores(5, 5)
        options = {"statistic": statistic, "paired": paired}
        count = 32 if paired else 252
        d = permutation_replicates(
            a, b, start=0, count=count, method="exact", **options
        )
        result = permutation_test(a, b, alternative=alternative, **options)
        tails = {
            side: ALTERNATIVES[side](d, result.statistic[:, None]).mean(axis=-1)
            for side in ("greater", "less")
        }
        tails["two-sided"] = np.minimum(1.0, 2.0 * np.minimum(*tails.values()))
        np.testing.assert_allclose(result.pvalue, tails[alternative])


@pytest.mark.parametrize("statistic", ["mean", "median", np.ptp])
@pytest.mark.parametrize("sizes", [(11,), (11, 8)])
def test_intervals_have_their_quantiles(statistic, sizes):
    samples = draw_scores(*sizes)
    options = {"statistic": statistic, "rng": 3}
    d = bootstrap_replicates(*samples, start=0, count=400, **options)
    result = bootstrap_ci(
        *samples, method="percentile", n_resamples=400, confidence_level=0.9, **options
    )
    limits = np.quantile(d, [0.05, 0.95], axis=-1)
    np.testing.assert_allclose(result.confidence_interval, limits, atol=1e-12)
    np.testing.assert_allclose(result.standard_error, d.std(axis=-1, ddof=1))


def test_they_keep_level_and_scale():
    a, b = draw_scores(9, 7)
    for replicates in (bootstrap_replicates, permutation_replicates):
        plain = replicates(a, b, start=0, count=50, rng=0)
        moved = replicates(1e6 + a, 1e6 + b, start=0, count=50, rng=0)
        np.testing.assert_allclose(moved, plain, atol=1e-8)
        huge = replicates(1e300 * a, 1e300 * b, start=0, count=50, rng=0)
        np.testing.assert_allclose(huge / 1e300, plain, atol=1e-12)
    one = bootstrap_replicates(1e6 + a, start=0, count=50, rng=0)
    assert np.abs(one - 1e6).max() < 5.0


def test_their_signatures_have_one_shape():
    functions = [
        getattr(package, name)
        for package in (sigarray, responses)
        for name in package.__all__
        if name.endswith("_replicates")
    ]
    assert len(functions) == 5
    for function in functions:
        parameters = inspect.signature(function).parameters.values()
        options = [x for x in parameters if x.kind is x.KEYWORD_ONLY]
        needed = [x.name for x in options if x.default is x.empty]
        assert needed == [x.name for x in options[:2]] == ["start", "count"]
        assert {"batch", "rng"} <= {x.name for x in options}


@dataclasses.dataclass(frozen=True)
class Squares:
    """Replicate r is r^2, less a number for each batch entry."""

    xp: Any
    levels: Any
    elements: int = 1

    def __call__(self, start, size):
        numbers = self.xp.arange(size) + start
        numbers = self.xp.astype(numbers * numbers, self.levels.dtype)
        return numbers - self.levels[:, None]


@pytest.mark.parametrize("batch", [None, 1, 7, 100])
def test_those_that_are_kept_are_from_a_place_on(backend, batch):
    squares = Squares(backend.library, backend.asarray([0.0, 3.0]))
    expected = np.arange(4.0, 24.0) ** 2 - np.array([[0.0], [3.0]])
    found = keep(backend.library, squares, 20, 4, batch=batch)
    np.testing.assert_array_equal(backend.to_numpy(found), expected)


@pytest.mark.parametrize("sides", [("greater",), ("less",), ("greater", "less")])
@pytest.mark.parametrize("is_two_sided", [False, True])
def test_those_beyond_are_counted_by_side(backend, sides, is_two_sided):
    levels = [50.0, 81.0]
    squares = Squares(backend.library, backend.asarray(levels))
    observed = backend.asarray([[1.0], [2.0]])
    limits = {side: backend.asarray([[15.0], [81.0]]) for side in sides}
    zero = backend.asarray([0.0, math.nan])
    extremes = Beyond(backend.library, squares, observed, limits, is_two_sided)
    found = count_beyond(backend.library, extremes, 13, len(sides), zero)
    shifts = np.arange(13.0) ** 2 - 51.0
    shifts = np.abs(shifts) if is_two_sided else shifts
    # The limit itself is beyond, and a fault stays one.
    expected = {"greater": shifts >= 15.0, "less": shifts <= 15.0}
    expected = [[expected[side].sum(), math.nan] for side in sides]
    np.testing.assert_array_equal(backend.to_numpy(found), expected)


class Counted:
    """Makes replicates, and counts how often."""

    n_made = 0

    def __call__(self):
        type(self).n_made += 1
        return Squares(HOST, np.zeros(1))


def test_what_makes_replicates_is_sent_in_their_place():
    remade = Remade.of(Counted())
    assert Counted.n_made == 1
    sent = pickle.loads(pickle.dumps(remade))
    assert Counted.n_made == 1
    for _ in range(2):
        np.testing.assert_array_equal(sent(2, 3), remade(2, 3))
        assert sent.elements == 1
    assert Counted.n_made == 2
