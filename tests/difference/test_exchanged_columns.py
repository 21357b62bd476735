"""Axes and numbers in another order than was meant: refused, or doubted."""

import functools
import warnings

import numpy as np
import pytest

from sigarray import (
    aso,
    bootstrap_ci,
    corpus,
    multi_aso,
    of_sums,
    t_ci,
    variance_components,
)
from tests.backends import everywhere

DRAW = np.random.default_rng(3)
A, B = DRAW.normal(size=(2, 40, 4))


@pytest.mark.parametrize(
    "call",
    [
        t_ci,
        variance_components,
        functools.partial(aso, rng=0, n_resamples=20),
        lambda a, b, axis: multi_aso([a, b], axis=axis, rng=0, n_resamples=20),
    ],
)
def test_many_seeds_of_few_items(call):
    with pytest.warns(UserWarning, match="40 seeds and 4 items: are the two"):
        call(A, B, axis=(0, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        call(A, B, axis=(1, 0))


@everywhere
def test_of_every_library(backend):
    """Shapes are there without a wait."""
    a, b = map(backend.asarray, (A, B))
    with pytest.warns(UserWarning, match="40 seeds and 4 items: are the two"):
        t_ci(a, b, axis=(0, 1))


def test_names_of_axes():
    pandas = pytest.importorskip("pandas")
    a, b = (
        pandas.DataFrame(x, pandas.RangeIndex(40, name="item")).rename_axis(
            columns="seed"
        )
        for x in (A, B)
    )
    with pytest.raises(ValueError, match=r"0 is 'item' and 1 is 'seed'. Pass axis="):
        t_ci(a, b, axis=(0, 1))
    assert t_ci(a, b, axis=(1, 0)) == t_ci(A, B, axis=(1, 0))


def test_a_frame_that_lacks_an_item():
    pandas = pytest.importorskip("pandas")
    a = pandas.DataFrame(A.T, columns=[f"q{k}" for k in range(40)])
    b = a.drop(columns="q7")
    for pair, which in (((a, b), "second"), ((b, a), "first")):
        with pytest.raises(ValueError, match=f"the {which} lacks 'q7'"):
            t_ci(*pair, axis=(0, 1))


@pytest.mark.parametrize("metric", [corpus.bleu, corpus.chrf])
def test_more_matches_than_there_are(metric):
    match = DRAW.integers(1, 5, (4, 30))
    total = match + DRAW.integers(1, 4, (4, 30))
    if metric is corpus.bleu:
        good, bad = (
            [total[0], total[0], *x, *y] for x, y in ((match, total), (total, match))
        )
    else:
        orders = list(zip(total, total + 1, match, strict=True))
        good = [x for order in orders for x in order]
        bad = [x for own, other, both in orders for x in (both, other, own)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        t_ci(np.stack(good), statistic=of_sums(metric))
    with pytest.warns(UserWarning, match="In 30 items number"):
        t_ci(np.stack(bad), statistic=of_sums(metric))


def test_studentized_clusters():
    labels = np.arange(40) // 4
    with pytest.raises(ValueError, match=r"with clusters; got both\. Use t_ci"):
        bootstrap_ci(A[:, 0], clusters=labels, method="studentized", rng=0)


def test_labels_of_another_library():
    torch = pytest.importorskip("torch")
    labels = torch.arange(40) // 4
    for option in ("clusters", "strata"):
        found = t_ci(A[:, 0], **{option: labels})
        assert found == t_ci(A[:, 0], **{option: labels.numpy()})


@pytest.mark.parametrize("first", [(1, 0, *range(2, 10)), (*range(2, 10), 0, 1)])
def test_lengths_of_bleu_in_other_places(first):
    """Words of a hypothesis are as many as its n-grams of one word."""
    total = DRAW.integers(9, 30, 30) - np.arange(4)[:, None]
    match = DRAW.binomial(total, 0.3)
    columns = np.stack([total[0], total[0] + 1, *match, *total])
    statistic = of_sums(corpus.bleu)
    with pytest.warns(UserWarning, match="are the numbers in the order"):
        t_ci(columns[list(first)], statistic=statistic)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        t_ci(columns, statistic=statistic)
