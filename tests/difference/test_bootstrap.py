"""Bootstrap tests, against their definition."""

import itertools
import math

import numpy as np
import pytest
import scipy.stats

from sigarray import bootstrap_test
from tests.oracles import FALSE_ALARM

ALTERNATIVES = ["greater", "less", "two-sided"]


@pytest.mark.parametrize("paired", [True, False])
def test_one_score_cannot_be_resampled(paired):
    with pytest.raises(ValueError, match="two scores or more in a sample, to resample"):
        bootstrap_test([1.0], [0.5], paired=paired, rng=0)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("paired", [True, False])
def test_bootstrap_counts_are_its_definition(alternative, paired):
    """All n^n resamples of a few scores, in place of random ones."""
    a, b = np.array([0.9, 0.7, 0.8, 0.3]), np.array([0.6, 0.5, 0.7, 0.4])
    observed = a.mean() - b.mean()
    places = np.array(list(itertools.product(range(4), repeat=4)))
    if paired:
        shifts = (a - b)[places].mean(axis=-1) - observed
    else:
        means = a[places].mean(axis=-1)[:, None] - b[places].mean(axis=-1)
        shifts = means.ravel() - observed
    is_extreme = {
        "greater": shifts >= observed - 1e-12,
        "less": shifts <= observed + 1e-12,
        "two-sided": np.abs(shifts) >= abs(observed) - 1e-12,
    }[alternative]
    expected, count = is_extreme.mean(), 40_000
    result = bootstrap_test(
        a, b, paired=paired, alternative=alternative, n_resamples=count, rng=0
    )
    z = scipy.stats.norm.isf(FALSE_ALARM / 2)
    error = math.sqrt(expected * (1.0 - expected) / count)
    assert result.pvalue == pytest.approx(expected, abs=z * error + 1.0 / count)
    assert result.statistic == pytest.approx(observed)
