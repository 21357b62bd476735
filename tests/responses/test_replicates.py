"""Replicates of responses: the numbers inside the tests, from any place on."""

import numpy as np
import pytest

from sigarray import responses


def test_leads_give_the_p_value_of_the_test():
    test_set = responses.simulate(40, 3, perturbation_b=0.2, rng=1)
    for metric in ("mae", "wins_mae"):
        options = {"metric": metric, "responses": "bootstrap", "rng": 2}
        drawn = responses.response_replicates(*test_set, start=0, count=50, **options)
        result = responses.response_test(
            *test_set, n_resamples=50, alternative="greater", **options
        )
        pairs = drawn.null_statistic[:, None] >= drawn.statistic - 1e-9
        assert result.pvalue == pytest.approx((pairs.sum() + 50) / (50 * 51))


def test_new_test_sets_give_the_true_p_value():
    options = {"n_items": 30, "perturbation_b": 0.3, "metric": "mae", "rng": 4}
    drawn = responses.true_replicates(start=0, count=60, **options)
    result = responses.true_p_value(n_sets=60, alternative="greater", **options)
    pairs = drawn.null_statistic[:, None] >= drawn.statistic - 1e-9
    assert result.pvalue == pytest.approx((pairs.sum() + 1) / (60**2 + 1))
    assert result.statistic == pytest.approx(drawn.statistic.mean())
    later = responses.true_replicates(start=25, count=35, **options)
    for whole, part in zip(drawn, later, strict=True):
        np.testing.assert_array_equal(whole[25:], part)


def test_test_sets_from_a_later_one_on():
    options = {"n_items": 7, "n_responses": 2, "rng": 4}
    sets = responses.simulate(n_sets=9, **options)
    later = responses.simulate(n_sets=4, start=5, **options)
    last = responses.simulate(start=8, **options)
    for whole, part, one in zip(sets, later, last, strict=True):
        np.testing.assert_array_equal(whole[5:], part)
        np.testing.assert_array_equal(whole[8], one)
    drawn = responses.resample(*sets, n_resamples=9, rng=0)
    later = responses.resample(*sets, n_resamples=4, start=5, rng=0)
    for whole, part in zip(drawn, later, strict=True):
        np.testing.assert_array_equal(whole[:, 5:], part)
    with pytest.raises(ValueError, match=r"start in \[0, 2\*\*31 - n_resamples\]"):
        responses.resample(*sets, start=-1, rng=0)
