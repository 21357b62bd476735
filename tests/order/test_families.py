"""Families of pairs: levels of sets, the sizes they need, and curves of p-values."""

import math

import numpy as np
import pytest

from sigarray import multi_aso
from sigarray._backend.of_numpy import HOST
from sigarray._numeric.ranks import range_tail, win_tail
from sigarray._order.families import (
    Family,
    adjust_for_set,
    can_decide,
    curve_of_sets,
    curve_of_wins,
    family_of,
    level_of_set,
    list_critical_ranges,
    needed_size,
)
from tests.oracles import enumerate_wins


def test_curves_go_through_every_value_of_few_scores():
    curve = curve_of_wins(5, 5, Family("one-sided", 0.05))
    for d, tail in enumerate_wins(5, 5).items():
        if d > 0:
            assert float(curve(HOST, np.float64(d))) == pytest.approx(float(tail))


@pytest.mark.parametrize(("n", "m"), [(8, 7), (9, 9), (20, 12), (5, 50), (50, 50)])
def test_curves_are_near_to_every_value_of_many_scores(n, m):
    """As docs/mathematics says of p-values that are fitted."""
    curve = curve_of_wins(n, m, Family("one-sided", 0.05))
    for d in range(2 - n * m % 2, n * m + 1, 2):
        tail = float(win_tail(n, m, d))
        if tail < 1e-8:
            break
        near = 0.02 if tail >= 0.01 else 0.04
        assert float(curve(HOST, np.float64(d))) == pytest.approx(tail, rel=near)


def test_few_runs_of_many_models_need_more_runs_or_a_baseline():
    assert can_decide([5] * 12, family_of(12, 0.05))
    assert not can_decide([5] * 13, family_of(13, 0.05))
    assert needed_size(family_of(13, 0.05)) == 6
    with pytest.warns(UserWarning, match=r"13 models .* 6 times .* one baseline alone"):
        multi_aso(np.random.default_rng(0).normal(size=(13, 5)))


def test_levels_of_sets_add_up_to_that_of_the_family():
    for sizes in ((2, 2, 6), (5, 5), (3, 3, 4), (9,), (2, 8), (10,)):
        kept = math.prod(1 - level_of_set(k, 10, 0.05) for k in sizes)
        assert 1 - kept <= 0.05 + 1e-12
    assert adjust_for_set(level_of_set(4, 10, 0.05), 4, 10) == pytest.approx(0.05)


@pytest.mark.parametrize(("k", "n"), [(3, 3), (4, 5), (5, 3), (10, 5), (6, 20)])
def test_p_values_of_sets_are_near_those_of_the_largest_gaps(k, n):
    """As the docstring says; they are taken where a step ends."""
    family = family_of(k, 0.05)
    limits = list(enumerate(list_critical_ranges(family, n), start=3))
    curve = curve_of_sets(family, (n,) * k)
    ratios = np.linspace(0.3, 2.0, 1500)
    tails = np.asarray(
        [
            max(adjust_for_set(range_tail(j, n, r * x), j, k) for j, x in limits)
            for r in ratios
        ]
    )
    is_end = np.append(tails[1:] < tails[:-1], True) & (tails > 1e-3) & (tails < 0.49)
    quotients = curve(HOST, ratios[is_end]) / tails[is_end]
    assert quotients.min() > 0.87
    assert quotients.max() < 1.35
    assert np.median(quotients) < 1.15
