"""What bootstrap and permutation tests have in common: levels, ties, options."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from sigarray import bootstrap_test, permutation_test
from tests.oracles import FALSE_ALARM

ALTERNATIVES = ["greater", "less", "two-sided"]


@pytest.mark.parametrize("test", [bootstrap_test, permutation_test])
@pytest.mark.parametrize("statistic", ["mean", "median"])
@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("alternative", ["greater", "two-sided"])
def test_float32_resolves_a_small_spread_at_a_high_level(
    backend, test, statistic, paired, alternative
):
    rng = np.random.default_rng(0)
    a = (1e4 + 0.15 + rng.normal(size=200)).astype(np.float32)
    b = (1e4 + rng.normal(size=200)).astype(np.float32)
    options = {"statistic": statistic, "paired": paired, "alternative": alternative}
    options |= {"n_resamples": 400, "rng": 1}
    expected = test(a.astype(float) - 1e4, b.astype(float) - 1e4, **options)
    result = test(
        backend.asarray(a, "float32"), backend.asarray(b, "float32"), **options
    )
    assert float(result.pvalue) == pytest.approx(float(expected.pvalue), abs=0.003)
    assert float(result.statistic) == pytest.approx(float(expected.statistic), abs=2e-3)


@given(
    x=st.lists(st.integers(-3, 3).map(float), min_size=2, max_size=8),
    shift=st.sampled_from([0.0, 1e3, 1 / 3]),
    alternative=st.sampled_from(ALTERNATIVES),
    paired=st.booleans(),
)
def test_identical_samples_are_never_significant(x, shift, alternative, paired):
    x = np.array(x) + shift
    for test in (bootstrap_test, permutation_test):
        result = test(
            x, x.copy(), paired=paired, alternative=alternative, n_resamples=99, rng=0
        )
        assert result.pvalue > 0.2


def test_p_values_are_never_zero(backend):
    a, b = backend.asarray(np.linspace(5.0, 6.0, 30)), backend.asarray(np.zeros(30))
    for test in (bootstrap_test, permutation_test):
        for paired in (True, False):
            result = test(
                a, b, paired=paired, alternative="greater", n_resamples=99, rng=0
            )
            assert float(result.pvalue) == pytest.approx(0.01)


@pytest.mark.parametrize("test", [bootstrap_test, permutation_test])
@pytest.mark.parametrize("paired", [True, False])
def test_level_is_kept_under_the_null(test, paired):
    """Of 2000 experiments without a difference, 5 % have p <= 0.05, or fewer."""
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 2000, 20))
    rate = (test(a, b, paired=paired, n_resamples=499, rng=0).pvalue <= 0.05).mean()
    # The bootstrap of 20 scores is a little liberal: it divides by n, not n - 1.
    nominal = 0.05 if test is permutation_test else 0.065
    bound = scipy.stats.binom.isf(FALSE_ALARM, 2000, nominal) / 2000
    assert 0.02 < rate <= bound


def test_callables_are_the_statistic(backend):
    rng = np.random.default_rng(0)
    a, b = backend.asarray(rng.normal(size=8)), backend.asarray(rng.normal(size=8))

    def mean(x, axis):
        return backend.xp.mean(x, axis=axis)

    for test in (bootstrap_test, permutation_test):
        for paired in (True, False):
            options = {"paired": paired, "n_resamples": 99, "rng": 0}
            by_name = test(a, b, **options)
            by_function = test(a, b, statistic=mean, **options)
            # Exchanged pairs and dealt scores are the same ones.
            assert float(by_function.statistic) == pytest.approx(
                float(by_name.statistic), abs=1e-6
            )
            assert float(by_function.pvalue) == pytest.approx(float(by_name.pvalue))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"alternative": "higher"}, ValueError, "alternative to be one of 'two-sided'"),
        (
            {"statistic": "mode"},
            ValueError,
            "statistic to be one of 'mean', 'median', 'iqm'",
        ),
        ({"n_resamples": 0}, ValueError, "n_resamples to be an integer from 1 to"),
        ({"batch": 0}, ValueError, "batch to be an integer from 1 to"),
        ({"paired": True}, ValueError, "they are pairs; got 3 and 2"),
        (
            {"statistic": lambda x, axis: x},
            ValueError,
            r"statistic\(x, axis=-1\) to give",
        ),
        ({"statistic": lambda x: x}, TypeError, r"called as statistic\(x, axis=-1\)"),
    ],
)
def test_impossible_options(options, error, message):
    for test in (bootstrap_test, permutation_test):
        with pytest.raises(error, match=message):
            test([1.0, 2.0, 3.0], [1.0, 2.0], **{"paired": False, "rng": 0} | options)
