"""Ties of decimals, which are no floats, are ties at every level and in every dtype."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from sigarray import bootstrap_ci, bootstrap_test, permutation_test

CODES = np.arange(18) % 6


def draw(seed):
    """Return tenths of two samples of 18."""
    return np.random.default_rng(seed).integers(0, 9, (2, 18))


def at_level(tenths, level):
    """Return decimals as they are read."""
    return [np.array([float(f"{level + k / 10:.1f}") for k in x]) for x in tenths]


def find_exactly(tenths):
    """Return the share of exchanges of whole clusters as far from 0, of fractions."""
    gaps = [Fraction(int(x)) for x in tenths[0] - tenths[1]]
    sums = [
        sum(x for x, k in zip(gaps, CODES, strict=True) if k == c) for c in range(6)
    ]
    flips = [
        abs(sum(s * x for s, x in zip(signs, sums, strict=True)))
        for signs in itertools.product((1, -1), repeat=6)
    ]
    return sum(x >= abs(sum(sums)) for x in flips) / len(flips)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("level", [0, 70, 1000, 10**5])
def test_of_clusters_against_fractions(backend, seed, level):
    if backend.float_name == "float32":
        level = min(level, 100)  # above, floats are too far apart for tenths
    tenths = draw(seed)
    a, b = map(backend.asarray, at_level(tenths, level))
    p = permutation_test(a, b, paired=True, clusters=CODES).pvalue
    np.testing.assert_allclose(float(p), find_exactly(tenths), rtol=1e-6)


RESULTS = {
    "exchanged": lambda a, b, **by: permutation_test(a, b, paired=True, **by).pvalue,
    "dealt": lambda a, b, **by: permutation_test(a, b, **by).pvalue,
    "resampled": lambda a, b, **by: bootstrap_test(a, b, **by).pvalue,
    "pairs": lambda a, b, **by: bootstrap_test(a, b, paired=True, **by).pvalue,
    "limit": lambda a, b, **by: bootstrap_ci(a, b, **by).confidence_interval.low,
}


@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.parametrize("design", ["items", "clusters"])
def test_a_level_moves_nothing(name, design):
    for seed in range(3):
        tenths, by = draw(seed), {"rng": seed, "n_resamples": 500}
        if design == "clusters":
            is_paired = name in ("exchanged", "pairs")
            by["clusters"] = CODES if is_paired else (CODES, CODES)
        expected = RESULTS[name](*at_level(tenths, 0), **by)
        for level in (70, 1000, 10**5):
            found = RESULTS[name](*at_level(tenths, level), **by)
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
        narrow = [x.astype("float32") for x in at_level(tenths, 70)]
        np.testing.assert_allclose(RESULTS[name](*narrow, **by), expected, atol=1e-4)
