"""Student's t, against SciPy and its definition."""

import math

import numpy as np
import pytest
import scipy.special
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from sigarray import t_ci, t_test
from tests.backends import everywhere

ALTERNATIVES = ["greater", "less", "two-sided"]


def tolerance(backend):
    return 1e-10 if backend.float_name == "float64" else 2e-5


class TestWelch:
    @pytest.mark.parametrize("alternative", ALTERNATIVES)
    @pytest.mark.parametrize(("n", "m"), [(2, 2), (5, 5), (5, 40), (300, 7)])
    def test_it_is_scipys(self, backend, alternative, n, m):
        rng = np.random.default_rng(m)
        for scale, offset in ((1.0, 0.0), (1e-3, 0.25), (1e-12, 0.0)):
            a = (rng.normal(0.5, 1.0, (3, n)) * scale + offset).astype(np.float32)
            b = (rng.normal(0.0, 3.0, (3, m)) * scale + offset).astype(np.float32)
            a, b = a.astype(float), b.astype(float)
            expected = scipy.stats.ttest_ind(
                a, b, axis=-1, equal_var=False, alternative=alternative
            )
            result = t_test(
                backend.asarray(a), backend.asarray(b), alternative=alternative
            )
            rtol = tolerance(backend) * (1.0 if offset == 0.0 else 20.0)
            for ours, theirs in zip(
                result, (expected.statistic, expected.pvalue, expected.df), strict=True
            ):
                np.testing.assert_allclose(backend.to_numpy(ours), theirs, rtol=rtol)

    @pytest.mark.parametrize("alternative", ALTERNATIVES)
    @pytest.mark.parametrize("n", [2, 6, 100])
    def test_pairs_are_scipys(self, backend, alternative, n):
        rng = np.random.default_rng(n)
        a = rng.normal(0.3, 1.0, (3, n)).astype(np.float32).astype(float)
        b = (a + rng.normal(0.1, 0.2, (3, n))).astype(np.float32).astype(float)
        expected = scipy.stats.ttest_rel(a, b, axis=-1, alternative=alternative)
        result = t_test(
            backend.asarray(a),
            backend.asarray(b),
            paired=True,
            alternative=alternative,
        )
        for ours, theirs in zip(
            result, (expected.statistic, expected.pvalue, expected.df), strict=True
        ):
            np.testing.assert_allclose(
                backend.to_numpy(ours), theirs, rtol=20 * tolerance(backend)
            )

    @everywhere
    @pytest.mark.parametrize("paired", [True, False])
    @pytest.mark.parametrize("value", [0.1, 1 / 3, 1e6, 0.0, -1e-300])
    def test_constant_samples(self, backend, paired, value):
        n = 7
        same = backend.asarray([value] * n)
        other = same if paired else backend.asarray([value] * 10)
        result = t_test(same, other, paired=paired)
        assert float(result.statistic) == 0.0
        assert float(result.pvalue) == pytest.approx(1.0)
        assert float(result.df) == (n - 1 if paired else n + 8)
        if abs(value) > 1e-30:
            result = t_test(same, 0.5 * other, paired=paired)
            assert float(result.statistic) == math.copysign(math.inf, value)
            assert math.isnan(float(result.pvalue))
            for alternative in ("greater", "less"):
                options = {"paired": paired, "alternative": alternative}
                assert math.isnan(float(t_test(same, 0.5 * other, **options).pvalue))

    @given(
        x=st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=9),
        exponent=st.integers(-900, 900),
    )
    def test_it_does_not_depend_on_the_unit(self, x, exponent):
        x = np.array(x)
        x[np.abs(x) < 1e-3] = 0.0
        y, unit = x[::-1] + np.arange(len(x)), 2.0**exponent
        by_unit, plain = t_test(x * unit, y * unit), t_test(x, y)
        assert by_unit.pvalue == pytest.approx(plain.pvalue, rel=1e-9)

    @pytest.mark.parametrize("alternative", ALTERNATIVES)
    @pytest.mark.parametrize(("folds", "repetitions"), [(10, 1), (5, 2), (2, 5)])
    def test_overlapping_folds(self, backend, alternative, folds, repetitions):
        """The variance of Nadeau and Bengio: 1 / n + test / training for 1 / n."""
        n, share = folds * repetitions, 1.0 / folds
        rng = np.random.default_rng(n)
        a = rng.normal(0.8, 0.1, (3, n)).astype(np.float32).astype(float)
        b = rng.normal(0.7, 0.1, (3, n)).astype(np.float32).astype(float)
        result = t_test(
            *map(backend.asarray, (a, b)),
            paired=True,
            alternative=alternative,
            test_share=share,
        )
        d = a - b
        variance = d.var(axis=-1, ddof=1) * (1.0 / n + share / (1.0 - share))
        t = d.mean(axis=-1) / np.sqrt(variance)
        tails = {"greater": scipy.stats.t.sf(t, n - 1)}
        tails["less"] = scipy.stats.t.cdf(t, n - 1)
        tails["two-sided"] = 2.0 * scipy.stats.t.sf(np.abs(t), n - 1)
        rtol = 20 * tolerance(backend)
        np.testing.assert_allclose(backend.to_numpy(result.statistic), t, rtol=rtol)
        np.testing.assert_allclose(
            backend.to_numpy(result.pvalue), tails[alternative], rtol=rtol
        )
        assert (backend.to_numpy(result.df) == n - 1).all()
        if alternative == "two-sided":
            given = map(backend.asarray, (a, b))
            interval = t_ci(*given, paired=True, test_share=share)
            half = scipy.stats.t.isf(0.025, n - 1) * np.sqrt(variance)
            limits = [d.mean(axis=-1) + k * half for k in (-1.0, 1.0)]
            found = map(backend.to_numpy, interval.confidence_interval)
            np.testing.assert_allclose([*found], limits, rtol=rtol, atol=rtol)

    def test_a_share_is_of_pairs(self):
        with pytest.raises(ValueError, match="paired=True with test_share"):
            t_test([1.0, 2.0], [1.0, 3.0], test_share=0.2)
        with pytest.raises(ValueError, match="paired=True with test_share"):
            t_ci([1.0, 2.0], [1.0, 3.0], test_share=0.2)
        with pytest.raises(ValueError, match="test_share, or clusters"):
            t_ci(*np.eye(2), paired=True, test_share=0.2, clusters=[0, 1])
        for share in (0.0, 1.0, -0.5):
            with pytest.raises(ValueError, match="test_share to be in"):
                t_test([1.0, 2.0], [1.0, 3.0], paired=True, test_share=share)

    def test_one_score_is_refused(self):
        with pytest.raises(ValueError, match="two scores or more in a sample"):
            t_test([1.0], [1.0, 2.0])
        with pytest.raises(ValueError, match="they are pairs; got 3 and 2"):
            t_test([1.0, 2.0, 3.0], [1.0, 2.0], paired=True)
