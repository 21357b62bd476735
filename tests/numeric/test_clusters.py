"""Sums of clusters, against statsmodels' sandwich of clusters."""

import numpy as np
import pytest
from statsmodels.regression.linear_model import OLS

from sigarray import t_ci, t_test
from sigarray._numeric.clusters import (
    Clusters,
    find_errors_of_sums,
    sum_clusters,
    weigh_shares,
)

# Of unlike sizes, in no order; and of three items each.
UNLIKE = np.random.default_rng(0).permutation(np.repeat(range(6), (1, 2, 9, 4, 3, 5)))
EQUAL = np.random.default_rng(1).permutation(np.arange(24) // 3)


def draw(codes, seed=2):
    """Draw two columns of scores that are alike within clusters."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(2, 9))[:, codes] + rng.normal(3.0, 1.0, (2, len(codes)))


def fit(y, codes, is_corrected, *columns):
    """Regress y on these columns, with errors of clusters (CR1)."""
    design = np.column_stack([np.ones(len(y)), *columns])
    options = {"groups": codes, "use_correction": is_corrected}
    return OLS(y, design).fit(cov_type="cluster", cov_kwds=options, use_t=True)


@pytest.mark.parametrize("codes", [UNLIKE, EQUAL])
@pytest.mark.parametrize("is_corrected", [False, True])
def test_sums_make_the_ordinary_sandwich(backend, codes, is_corrected):
    y, _ = draw(codes)
    number, n = codes.max() + 1, len(codes)
    clusters = Clusters(backend.asarray(codes), int(number))
    with backend.library.modes_off():
        found = sum_clusters(backend.library, backend.asarray(y), clusters)
    sums, sizes = map(backend.to_numpy, found)
    np.testing.assert_array_equal(sizes, np.bincount(codes))
    square = np.sum((sums - sizes * sums.sum() / n) ** 2) / n**2
    expected = fit(y, codes, is_corrected)
    factor = number / (number - 1) if is_corrected else 1.0
    rtol = 1e-12 if backend.float_name == "float64" else 2e-5
    np.testing.assert_allclose(sums.sum() / n, expected.params, rtol=rtol)
    np.testing.assert_allclose(np.sqrt(factor * square), expected.bse.item(), rtol=rtol)


def test_cr2_without_its_weights_is_the_ordinary_sandwich(backend, monkeypatch):
    """Of the deviations of a mean, from which `t_test` sets out."""
    y, _ = draw(UNLIKE)
    library, clusters = backend.library, Clusters(backend.asarray(UNLIKE), 6)

    def weigh(xp, share):
        _, df = weigh_shares(xp, share)
        return xp.ones_like(share), df

    monkeypatch.setattr("sigarray._numeric.clusters.weigh_shares", weigh)
    with library.modes_off():
        deviations = [backend.asarray(y - y.mean())]
        (square,), _, is_whole = find_errors_of_sums(library, deviations, clusters)
    rtol = 1e-12 if backend.float_name == "float64" else 2e-5
    expected = fit(y, UNLIKE, False).bse.item()
    np.testing.assert_allclose(backend.to_numpy(square) ** 0.5, expected, rtol=rtol)
    assert backend.to_numpy(is_whole)


class TestOfEqualSizes:
    """CR2 is then the ordinary sandwich with its correction, with C - 1 for a df."""

    def test_of_a_mean(self):
        a, b = draw(EQUAL)
        expected = fit(a - b, EQUAL, True)
        found = t_test(a, b, paired=True, clusters=EQUAL)
        np.testing.assert_allclose(found.statistic, expected.tvalues.item(), rtol=1e-12)
        np.testing.assert_allclose(found.df, 7.0, rtol=1e-12)
        np.testing.assert_allclose(found.pvalue, expected.pvalues.item(), rtol=1e-12)
        interval = t_ci(a, b, paired=True, clusters=EQUAL)
        np.testing.assert_allclose(
            interval.standard_error, expected.bse.item(), rtol=1e-12
        )
        limits = expected.conf_int().ravel()
        np.testing.assert_allclose(interval.confidence_interval, limits, rtol=1e-12)

    def test_of_two_samples(self):
        """Without a correction errors add up: each has its own, by its clusters."""
        (a, _), (b, _) = draw(EQUAL), draw(EQUAL[:15] % 5, seed=3)
        of_b = np.arange(15) % 5
        scores, is_of_a = np.append(a, b), np.repeat([1.0, 0.0], (24, 15))
        together = fit(scores, np.append(EQUAL, of_b + 100), False, is_of_a)
        parts = [fit(x, of, False).bse.item() ** 2 for x, of in ((a, EQUAL), (b, of_b))]
        np.testing.assert_allclose(together.bse[1] ** 2, sum(parts), rtol=1e-12)
        found = t_ci(a, b, clusters=(EQUAL, of_b))
        expected = np.sqrt(parts[0] * 8 / 7 + parts[1] * 5 / 4)
        np.testing.assert_allclose(found.statistic, together.params[1], rtol=1e-12)
        np.testing.assert_allclose(found.standard_error, expected, rtol=1e-12)
