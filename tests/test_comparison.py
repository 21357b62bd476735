"""`compare` is what its parts are by themselves."""

import numpy as np
import pytest
import scipy.stats

from sigarray import aso, aso_replicates, compare, mann_whitney_u

A, B = np.random.default_rng(0).normal([[0.4], [0.0]], 1.0, (2, 30))


def test_summaries_are_numpys():
    result = compare(A, B[:11], rng=0)
    for summary, x in ((result.summary_a, A), (result.summary_b, B[:11])):
        expected = [x.mean(), x.std(ddof=1), np.median(x), x.min(), x.max()]
        np.testing.assert_allclose(summary, expected)


def test_one_score_has_no_deviation():
    with pytest.warns(UserWarning, match="1 to 2 scores a side are too few"):
        result = compare([0.5], [0.3, 0.4], rng=0)
    assert np.isnan(result.summary_a.std)
    assert result.summary_a.mean == 0.5


@pytest.mark.parametrize("higher_is_better", [True, False])
def test_parts_are_those_of_their_functions(higher_is_better):
    options = {"n_resamples": 200, "rng": 3, "confidence_level": 0.9}
    result = compare(
        A, B, higher_is_better=higher_is_better, alternative="greater", **options
    )
    options["higher_is_better"] = higher_is_better
    expected = aso(A, B, **options)
    for name in ("violation_ratio", "standard_error", "probability_of_improvement"):
        assert getattr(result.aso_a_over_b, name) == getattr(expected, name)
    assert result.aso_a_over_b.eps_min == max(expected.eps_min, 0.5)  # not told apart
    tail = min(expected.pvalue, aso(B, A, **options).pvalue)
    for ours in (result.aso_a_over_b, result.aso_b_over_a):
        assert ours.pvalue == pytest.approx(2.0 * tail, rel=5e-3)
    # The other direction has the same resamples, each of them turned round.
    turned = 1.0 - aso(A, B, **options).violation_ratio
    assert result.aso_b_over_a.violation_ratio == turned
    assert result.aso_b_over_a.standard_error == result.aso_a_over_b.standard_error
    quantile = scipy.stats.t.isf(0.1, min(len(A), len(B)) - 1)
    replicates = np.sort(
        aso_replicates(
            A, B, start=0, count=200, rng=3, higher_is_better=higher_is_better
        )
    )
    # Of 200 at level 0.1, as many are beyond it as are wanted at the least.
    percentile = 1.0 - replicates[20 - 1]
    student = turned + quantile * result.aso_a_over_b.standard_error
    assert result.aso_b_over_a.eps_min == pytest.approx(
        min(1.0, max(student, percentile))
    )
    better, worse = (A, B) if higher_is_better else (B, A)
    wins = (better[:, None] > worse).mean()
    assert result.mann_whitney.probability_of_improvement == pytest.approx(wins)
    expected = mann_whitney_u(better, worse, alternative="greater").pvalue
    assert result.mann_whitney.pvalue == pytest.approx(float(expected))


def test_a_fault_is_in_all_of_its_entry_and_in_no_other():
    a, b = np.stack([A, A]), np.stack([B, B])
    b[1, 3] = np.inf
    result = compare(a, b, n_resamples=50, rng=0)
    for part in result:
        for array in part:
            assert np.isfinite(array[0])
            assert np.isnan(array[1])
