"""What is said of verdicts over these tasks: that other draws may decide otherwise."""

import warnings

import pytest

from tests.verdicts.test_aggregates import compare, draw

SAID = "so near .* that other draws may decide otherwise. Draw more with .* 9999"


def test_p_values_near_the_level_are_doubted():
    options = {"n_resamples": 999, "rng": 0}
    pairs = compare(draw(), "iqm", **options).over_these_tasks.pairs
    p = next(x.adjusted_pvalue for x in pairs if 0.01 < x.adjusted_pvalue < 0.4)
    with pytest.warns(UserWarning, match=SAID):
        compare(draw(), "iqm", alpha=1.02 * p, **options)
    # t draws nothing, and far from the level nothing hangs on the draws.
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*other draws")
        compare(draw(), "mean", alpha=1.02 * p)
        compare(draw(), "iqm", alpha=0.999, **options)
