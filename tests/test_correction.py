"""Corrections against statsmodels, and counts against the definitions."""

import functools
import math

import numpy as np
import pytest
import scipy.stats
from statsmodels.stats.multitest import multipletests

from sigarray import (
    benjamini_hochberg,
    benjamini_yekutieli,
    bonferroni,
    count_significant,
    holm,
)
from sigarray._numeric.special import chi_square_sf
from tests.backends import in_every_width

CORRECTIONS = {
    bonferroni: "bonferroni",
    holm: "holm",
    benjamini_hochberg: "fdr_bh",
    benjamini_yekutieli: "fdr_by",
}


@functools.cache  # statsmodels collects garbage at each call
def adjust_by_statsmodels(name, n):
    """Return n p-values, half of them with ties and the ends of the range."""
    rng = np.random.default_rng(n)
    p_values = np.round(rng.uniform(size=n), 1) if n % 2 else rng.uniform(size=n) ** 4
    if n % 2:
        p_values[-2:] = [0.0, 1.0][-n:]
    return p_values, multipletests(p_values, method=name)[1]


@pytest.mark.parametrize(("function", "name"), CORRECTIONS.items())
@pytest.mark.parametrize("n", [1, 2, 5, 32, 33])
def test_statsmodels_agrees(backend, function, name, n):
    p_values, expected = adjust_by_statsmodels(name, n)
    adjusted = backend.to_numpy(function(backend.asarray(p_values)))
    np.testing.assert_allclose(adjusted, expected, atol=backend.atol)


@pytest.mark.parametrize("function", CORRECTIONS)
def test_nan_is_left_out(backend, function):
    p_values = np.array([0.03, np.nan, 0.01, 0.02, np.nan, 0.5])
    adjusted = backend.to_numpy(function(backend.asarray(p_values)))
    inside = ~np.isnan(p_values)
    expected = function(p_values[inside])
    assert np.isnan(adjusted[~inside]).all()
    np.testing.assert_allclose(adjusted[inside], expected, atol=backend.atol)
    nothing = backend.to_numpy(function(backend.asarray(np.full(3, np.nan))))
    assert np.isnan(nothing).all()


@pytest.mark.parametrize("function", CORRECTIONS)
def test_what_is_no_p_value_is_refused_on_the_host_and_nan_elsewhere(backend, function):
    p_values = np.array([0.01, -0.1, 1.1, np.inf])
    if backend.name == "numpy":
        with pytest.raises(ValueError, match=r"in \[0, 1\].*; got -0.1, the first"):
            function(p_values)
        with pytest.raises(ValueError, match="p-values with one axis or more"):
            function(0.01)
        with pytest.raises(TypeError, match="real numbers as p-values; got dtype <U"):
            function(["<0.001"])
        return
    adjusted = backend.to_numpy(function(backend.asarray(p_values)))
    assert np.isnan(adjusted).tolist() == [False, True, True, True]
    assert adjusted[0] == pytest.approx(0.01)


def test_holm_keeps_the_order_and_the_formula_of_partial_conjunction():
    """deep-significance 1.2.8 has [.06, .06, .04, .5] here, and names it Bonferroni."""
    p_values = [0.03, 0.01, 0.02, 0.5]
    np.testing.assert_allclose(holm(p_values), [0.06, 0.04, 0.06, 0.5])
    np.testing.assert_allclose(bonferroni(p_values), [0.12, 0.04, 0.08, 1.0])


@functools.cache
def count_slowly(alpha):
    """Draw rows of p-values, and count each by Holm's and by Fisher's bounds."""
    rng = np.random.default_rng(0)
    p_values = rng.uniform(size=(200, 8)) ** 3
    by_holm, by_fisher = [], []
    for row in np.sort(p_values, axis=-1):
        n = len(row)
        bounds = [(n - u) * row[u] for u in range(n)]
        combined = [scipy.stats.combine_pvalues(row[u:]).pvalue for u in range(n)]
        for counts, values in ((by_holm, bounds), (by_fisher, combined)):
            first = next((u for u, p in enumerate(values) if p > alpha), n)
            counts.append(first)
    return p_values, by_holm, by_fisher


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.3])
def test_counts_are_their_definitions(backend, alpha):
    """Largest u with partial conjunction p-values of at most alpha up to u."""
    p_values, by_holm, by_fisher = count_slowly(alpha)
    for method, expected in (("holm", by_holm), ("fisher", by_fisher)):
        counts = count_significant(
            backend.asarray(p_values), alpha=alpha, method=method
        )
        np.testing.assert_array_equal(backend.to_numpy(counts), expected)


def test_counts_by_other_corrections():
    p_values = np.array([0.03, 0.01, 0.02, 0.5])
    assert count_significant(p_values, method="bonferroni") == 1
    assert count_significant(p_values, method="benjamini_hochberg") == 3
    assert count_significant(np.zeros(3), method="fisher") == 3
    assert count_significant(np.ones(3), method="fisher") == 0


def test_impossible_counts():
    with pytest.raises(ValueError, match=r"method to be one of 'holm', .* got 'sidak'"):
        count_significant([0.1], method="sidak")
    with pytest.raises(ValueError, match=r"alpha to be in \(0, 1\); got 5"):
        count_significant([0.1], alpha=5)


@in_every_width
@pytest.mark.parametrize("x", [0.0, 1e-3, 0.7, 5.0, 40.0, 300.0, 1400.0])
def test_chi_square_tail(backend, x):
    half_df = np.arange(1.0, 50.0)
    values = backend.asarray(np.full_like(half_df, x))
    tail = chi_square_sf(backend.library, values, backend.asarray(half_df), 50)
    expected = scipy.stats.chi2.sf(x, 2 * half_df)
    rtol = 1e-11 if backend.float_name == "float64" else 1e-4
    np.testing.assert_allclose(
        backend.to_numpy(tail),
        expected,
        rtol=rtol,
        atol=1e-300 if rtol < 1e-9 else 1e-37,
    )
    assert math.isfinite(float(tail[0]))


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg, bonferroni])
def test_p_values_by_name_are_to_be_passed_as_a_list(adjust):
    with pytest.raises(TypeError, match=r"got dict\. Pass list\(pvalues\.values\(\)\)"):
        adjust({"a": 0.01})
    with pytest.raises(TypeError, match=r"an array of p-values; got None\.$"):
        adjust(None)
