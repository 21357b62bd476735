"""Exact p-values of flipped differences on a lattice, against all signs and sums."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.stats

from sigarray import permutation_test

ALTERNATIVES = ("greater", "less", "two-sided")


def p_value(a, b, alternative="two-sided"):
    return permutation_test(a, b, paired=True, method="exact", alternative=alternative)


def tails_of_all_signs(multiples):
    """Probabilities of sums at least, and at most, so large: by all 2^n signs."""
    observed, n = sum(multiples), len(multiples)
    sums = [
        sum(sign * k for sign, k in zip(signs, multiples, strict=True))
        for signs in itertools.product((1, -1), repeat=n)
    ]
    above, below = (sum(x >= observed for x in sums), sum(x <= observed for x in sums))
    return [Fraction(count, 2**n) for count in (above, below)]


def tails_by_convolution(multiples):
    """The same by counts of the sums of those that are positive, in integers."""
    end = sum(map(abs, multiples))
    counts = np.array([1] + [0] * end, dtype=object)
    for k in map(abs, multiples):
        counts[k:] = counts[k:] + counts[: len(counts) - k]
    place = sum(k for k in multiples if k > 0)
    total = 2 ** len(multiples)
    return [
        Fraction(int(sum(part)), total)
        for part in (counts[place:], counts[: place + 1])
    ]


def assert_exact(multiples, unit, tails, rtol, dtype=np.float64):
    b = np.arange(len(multiples)) % 4
    a = ((b + np.asarray(multiples)) * unit).astype(dtype)
    b = (b * unit).astype(dtype)
    expected = [*tails, min(Fraction(1), 2 * min(tails))]
    for alternative, p in zip(ALTERNATIVES, expected, strict=True):
        found = p_value(a, b, alternative).pvalue
        least = float(np.finfo(dtype).tiny)
        assert float(found) == pytest.approx(max(float(p), least), rel=rtol, abs=0.0)


@pytest.mark.parametrize("largest", [1, 2, 5, 20])
@pytest.mark.parametrize("unit", [1.0, 0.1, 1 / 3, 1e-7])
def test_few_pairs_are_all_signs(largest, unit):
    rng = np.random.default_rng(largest)
    for n in (1, 2, 3, 5, 8, 11):
        for _ in range(3):
            multiples = rng.integers(-largest, largest + 1, n).tolist()
            assert_exact(multiples, unit, tails_of_all_signs(multiples), 1e-13)


@pytest.mark.parametrize(("n", "rtol"), [(60, 1e-12), (1000, 2e-12)])
@pytest.mark.parametrize("kind", ["even", "ahead", "all ahead", "one odd", "sparse"])
def test_many_pairs_are_convolutions(kind, n, rtol):
    rng = np.random.default_rng(n)
    multiples = rng.integers(-5, 6, n)
    if kind == "ahead":
        multiples = np.where(rng.random(n) < 0.7, np.abs(multiples), multiples)
    if kind == "all ahead":
        multiples = np.abs(multiples)
    if kind == "one odd":
        multiples = np.append(2 * multiples[1:], 1)
    if kind == "sparse":
        multiples = np.where(rng.random(n) < 0.05, multiples, 0)
    multiples = multiples.tolist()
    tails = tails_by_convolution(multiples)
    assert_exact(multiples, 0.2, tails, rtol)
    assert_exact(multiples, 0.25, tails, 5e-4, np.float32)


@pytest.mark.parametrize("n", [50, 3000, 10**5])
def test_accuracies_are_mcnemars(n):
    rng = np.random.default_rng(n)
    for share in (0.5, 0.52, 0.7):
        a, b = rng.random(n) < share, rng.random(n) < 0.5
        wins, losses = int(np.sum(a & ~b)), int(np.sum(b & ~a))
        for alternative in ALTERNATIVES:
            expected = scipy.stats.binomtest(
                wins, wins + losses, alternative=alternative
            ).pvalue
            p = p_value(a, b, alternative).pvalue
            assert p == pytest.approx(max(expected, 2.3e-308), rel=1e-12)


def test_equal_scores_say_nothing():
    for alternative in ALTERNATIVES:
        assert p_value(np.ones(7), np.ones(7), alternative).pvalue == 1.0


@pytest.mark.parametrize(
    ("differences", "is_lattice"),
    [
        ([0.2, 0.3, -0.5], True),
        ([6.0, 10.0, 15.0], True),
        ([20.0, 1.0], True),
        ([21.0, 1.0], False),
        ([1.0, math.pi], False),
        ([1.0, 1.0 + 1e-9], False),
    ],
)
def test_a_lattice_is_recognized(differences, is_lattice):
    """By the greatest common divisor, whatever the order and the level."""
    for d in itertools.permutations(differences):
        for level in (0.0, 0.37):
            b = np.full(len(d), level)
            assert math.isnan(p_value(b + d, b).pvalue) is not is_lattice


def test_each_entry_has_its_own_unit():
    rng = np.random.default_rng(5)
    a = rng.integers(0, 3, (3, 40)) * np.array([[1.0], [0.05], [3.0]])
    a[1, 3] = 0.0123
    b = np.zeros(40)
    whole = p_value(a, b).pvalue
    assert np.isnan(whole).tolist() == [False, True, False]
    assert whole[2] == pytest.approx(p_value(a[2] / 3.0, b).pvalue, rel=1e-13)


def test_what_is_refused():
    with pytest.raises(ValueError, match="Expected paired=True with method='exact'"):
        permutation_test([1, 0], [0, 1], method="exact")
    with pytest.raises(ValueError, match="statistic='mean' with method='exact'"):
        permutation_test(
            [1, 0], [0, 1], paired=True, method="exact", statistic="median"
        )
