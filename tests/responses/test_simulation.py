"""The simulator: distributions of items and responses, backends, models that fit."""

import math

import numpy as np
import pytest
import scipy.stats

from sigarray import responses
from sigarray.responses import LikertModel, NormalModel
from tests.backends import everywhere, require
from tests.oracles import FALSE_ALARM

MANY = {"n_items": 20_000, "n_responses": 6}


def assert_moments(x, mean, sd):
    """Mean of independent numbers, within their standard error."""
    z = scipy.stats.norm.isf(FALSE_ALARM / 2)
    assert np.mean(x) == pytest.approx(mean, abs=z * sd / np.sqrt(x.size))


class TestNormal:
    def test_items_are_uniform_and_responses_normal(self):
        def tell_items(mean, sd, uniform):
            return mean + 10.0 * np.floor(1e6 * sd) + 0.0 * uniform

        gold = responses.simulate(**MANY, response=tell_items, rng=1).gold[:, 0]
        sd, mean = np.divmod(gold, 10.0)
        for x, high in ((mean, 1.0), (sd / 1e6, 0.3)):
            p = scipy.stats.kstest(x, scipy.stats.uniform(0, high).cdf).pvalue
            assert p > FALSE_ALARM
        model = NormalModel(mean_low=2.0, mean_high=2.0, sd_low=0.5, sd_high=0.5)
        drawn = responses.simulate(5000, 4, model=model, perturbation_b=0.0, rng=2)
        for x in drawn:
            p = scipy.stats.kstest(x.ravel(), scipy.stats.norm(2.0, 0.5).cdf).pvalue
            assert p > FALSE_ALARM
        together = np.concatenate(drawn, axis=-1)
        correlation = np.corrcoef(together.T) - np.eye(12)
        assert np.max(np.abs(correlation)) < 5.5 / np.sqrt(5000)

    def test_only_b_is_perturbed_and_its_mean_clamped(self):
        def show_mean(mean, sd, uniform):
            return mean + 0.0 * uniform

        gold, a, b = responses.simulate(
            **MANY, perturbation_b=0.3, response=show_mean, rng=3
        )
        np.testing.assert_array_equal(gold, a)
        assert np.all((b >= 0.0) & (b <= 1.0))
        shift = (b - gold)[(gold > 0.3) & (gold < 0.7)]
        p = scipy.stats.kstest(shift[::6], scipy.stats.uniform(-0.3, 0.6).cdf).pvalue
        assert p > FALSE_ALARM
        # E of what is cut off at 0 for a mean m < 0.3: (0.3 - m)^2 / 1.2.
        assert np.mean(b[gold < 0.3] - gold[gold < 0.3]) > 0.01
        wide = responses.simulate(
            100,
            1,
            perturbation_b=50.0,
            model=NormalModel(1.0, 5.0),
            response=show_mean,
            rng=3,
        )
        assert {wide.b.min(), wide.b.max()} == {1.0, 5.0}

    def test_both_systems_may_be_perturbed(self):
        def show_mean(mean, sd, uniform):
            return mean + 0.0 * uniform

        gold, a, b = (
            x[:, 0]
            for x in responses.simulate(
                **MANY,
                perturbation_a=0.2,
                perturbation_b=0.2,
                response=show_mean,
                rng=9,
            )
        )
        is_inside = (gold > 0.2) & (gold < 0.8)
        shifts = np.array([a - gold, b - gold])[:, is_inside]
        for shift in shifts:
            p = scipy.stats.kstest(shift, scipy.stats.uniform(-0.2, 0.4).cdf).pvalue
            assert p > FALSE_ALARM
        assert abs(np.corrcoef(shifts)[0, 1]) < 5.5 / np.sqrt(shifts.shape[1])

    def test_mean_and_deviation_of_an_item_are_independent(self):
        def tell_items(mean, sd, uniform):
            return mean + 10.0 * np.floor(1e6 * sd) + 0.0 * uniform

        for model in ("normal", "likert"):
            gold = responses.simulate(
                **MANY, model=model, response=tell_items, rng=8
            ).gold[:, 0]
            sd, mean = np.divmod(gold, 10.0)
            assert abs(np.corrcoef(sd, mean)[0, 1]) < 5.5 / np.sqrt(len(gold))

    def test_null_mixes_the_systems(self):
        model = NormalModel(mean_low=0.5, mean_high=0.5)

        def show_mean(mean, sd, uniform):
            return mean + 0.0 * uniform

        gold, a, b = responses.simulate(
            **MANY,
            perturbation_b=10.0,
            model=model._replace(mean_low=0.0, mean_high=1.0),
            response=show_mean,
            hypothesis="null",
            rng=4,
        )
        is_inside = (gold[:, 0] > 0.1) & (gold[:, 0] < 0.9)
        for x in (a, b):
            is_of_a = (x == gold)[is_inside]
            assert_moments(is_of_a, 0.5, 0.5)
        both = ((a == gold) & (b == gold))[is_inside]
        assert_moments(both, 0.25, np.sqrt(3) / 4)

    def test_hypotheses_share_the_items(self):
        sets = [
            responses.simulate(50, 2, hypothesis=x, rng=5)
            for x in ("alternative", "null")
        ]
        np.testing.assert_array_equal(sets[0].gold, sets[1].gold)
        assert np.any(sets[0].b != sets[1].b)


class TestLikert:
    def test_responses_are_levels(self):
        gold, _, b = responses.simulate(**MANY, model="likert", rng=1)
        for x in (gold, b):
            np.testing.assert_array_equal(np.unique(x), np.arange(5) / 5)

    def test_items(self):
        def tell_items(mean, sd, uniform):
            return mean + 10.0 * np.floor(1e6 * sd) + 0.0 * uniform

        gold = responses.simulate(
            **MANY, model="likert", response=tell_items, rng=2
        ).gold[:, 0]
        sd, mean = np.divmod(gold, 10.0)
        assert mean.max() == pytest.approx(0.8)
        p = scipy.stats.kstest(mean[mean < 0.8], scipy.stats.halfnorm(0, 0.28).cdf)
        truncated = scipy.stats.truncnorm(0, 0.8 / 0.28, 0, 0.28)
        p = scipy.stats.kstest(mean[mean < 0.8], truncated.cdf).pvalue
        assert p > FALSE_ALARM
        assert_moments(mean >= 0.8, 2 * scipy.stats.norm.sf(0.8 / 0.28), 0.1)
        triangle = scipy.stats.triang(0.26 / 0.5, -0.05, 0.5)
        sd = sd / 1e6
        assert_moments(sd == 0.0, triangle.cdf(0.0), 0.2)
        above = sd[sd > 0.001]
        cdf = lambda x: (triangle.cdf(x) - triangle.cdf(0.001)) / triangle.sf(0.001)  # noqa: E731
        assert scipy.stats.kstest(above, cdf).pvalue > FALSE_ALARM


class TestSimulate:
    def test_sets_are_the_first_of_more(self):
        few = responses.simulate(10, 2, n_sets=3, rng=0)
        many = responses.simulate(10, 2, n_sets=400, rng=0)
        for x, y in zip(few, many, strict=True):
            assert x.shape == (3, 10, 2)
            np.testing.assert_array_equal(x, y[:3])
        assert len(np.unique(many.gold[:, 0, 0])) == 400
        one = responses.simulate(10, 2, rng=0)
        np.testing.assert_array_equal(one.b, few.b[0])

    def test_parameters_take_the_dtype(self):
        drawn = responses.simulate(
            5,
            2,
            perturbation_b=np.float64(0.1),
            model=responses.fit(responses.simulate(9, 2, rng=0).gold),
            dtype=np.float32,
            rng=0,
        )
        assert {x.dtype for x in drawn} == {np.dtype(np.float32)}

    def test_parameters_are_of_one_library(self):
        torch = require("torch")
        model = responses.fit(torch.rand(9, 3))
        with pytest.raises(TypeError, match="numbers or arrays of numpy; got torch"):
            responses.simulate(5, model=model, rng=0)
        drawn = responses.simulate(5, model=model, xp=torch, rng=0)
        assert drawn.gold.shape == (5, 5)

    @everywhere
    @pytest.mark.parametrize("model", ["normal", "likert"])
    @pytest.mark.parametrize("hypothesis", ["alternative", "null"])
    def test_backends_agree(self, backend, model, hypothesis):
        options = {"n_sets": 2, "model": model, "hypothesis": hypothesis, "rng": 7}
        expected = responses.simulate(20, 3, **options)
        for dtype in ("float32", backend.float_name):
            kind = getattr(backend.xp, dtype)
            with backend.no_transfers():
                drawn = responses.simulate(
                    20, 3, xp=backend.xp, device=backend.device, dtype=kind, **options
                )
            for x, y in zip(drawn, expected, strict=True):
                assert x.dtype == kind
                # A response on the edge of two levels may be in either.
                close = np.isclose(backend.to_numpy(x), y, atol=1e-5)
                assert np.mean(close) > 0.98

    @everywhere
    def test_the_default_dtype_is_that_of_the_device(self, backend):
        if backend.name.startswith("array_api_strict:no"):
            pytest.skip("its default is float64, which the device lacks")
        drawn = responses.simulate(3, 2, xp=backend.xp, device=backend.device, rng=0)
        assert drawn.gold.dtype == backend.xp.zeros(1, device=backend.device).dtype

    def test_torch_itself_is_a_namespace(self):
        torch = require("torch")
        drawn = responses.simulate(3, 2, xp=torch, rng=0)
        assert drawn.gold.dtype == torch.float32

    def test_perturbations_and_models_may_be_traced(self):
        jax = require("jax")
        traces = []

        @jax.jit
        def simulate(key, perturbation, model):
            traces.append(key)
            return responses.simulate(
                8, 2, perturbation_b=perturbation, model=model, xp=jax.numpy, rng=key
            )

        key = jax.random.key(0)
        for perturbation in (0.0, 0.4):
            drawn = simulate(key, perturbation, NormalModel(sd_high=0.1))
        assert len(traces) == 1
        expected = responses.simulate(
            8,
            2,
            perturbation_b=0.4,
            model=NormalModel(sd_high=0.1),
            xp=jax.numpy,
            rng=key,
        )
        np.testing.assert_allclose(drawn.b, expected.b, atol=1e-6)

    @pytest.mark.parametrize(
        ("options", "error", "message"),
        [
            ({"n_items": 0}, ValueError, "n_items"),
            ({"n_responses": 0}, ValueError, "n_responses"),
            ({"n_sets": 0}, ValueError, "n_sets"),
            ({"perturbation_b": -0.1}, ValueError, "perturbation"),
            ({"hypothesis": "none"}, ValueError, "'alternative', 'null'"),
            ({"model": "uniform"}, ValueError, "'normal', 'likert'"),
            ({"model": 3}, TypeError, "NormalModel or a LikertModel"),
            ({"model": NormalModel(sd_low=0.4)}, ValueError, "sd_low <= sd_high"),
            ({"model": NormalModel(np.float32(1), 0)}, ValueError, "mean_low"),
            ({"model": NormalModel(math.nan)}, ValueError, "mean_low to be a finite"),
            ({"model": NormalModel("0", 1)}, TypeError, "array of shape ()"),
            ({"model": LikertModel(n_levels=2.5)}, ValueError, "an integer"),
            ({"model": LikertModel(mean_high=3)}, ValueError, "mean_high"),
            ({"perturbation_b": np.linspace(0, 1, 4)}, TypeError, r"shape \(4,\)"),
            ({"perturbation_b": "0.1"}, TypeError, "a number"),
            ({"dtype": "float32"}, TypeError, "float32 or float64"),
            ({"model": LikertModel(n_levels=0)}, ValueError, "n_levels"),
            ({"response": lambda mean, sd, u: u[..., 0]}, ValueError, "of shape"),
            ({"dtype": np.int64}, TypeError, "float32 or float64"),
            ({"xp": "numpy"}, TypeError, "a namespace"),
        ],
    )
    def test_errors(self, options, error, message):
        with pytest.raises(error, match=message):
            responses.simulate(**({"n_items": 4, "rng": 0} | options))


class TestFit:
    @pytest.mark.parametrize(
        "model",
        [NormalModel(), NormalModel(1.0, 5.0, 0.5, 0.7), NormalModel(sd_high=0.0)],
    )
    @pytest.mark.parametrize("is_ragged", [False, True])
    def test_normal_is_found_again(self, model, is_ragged):
        """Errors of estimates from 20,000 items, with the range as a scale."""
        gold = responses.simulate(**MANY, model=model, rng=1).gold
        if is_ragged:
            n_there = np.random.default_rng(0).integers(1, 7, (len(gold), 1))
            gold = np.where(np.arange(6) < n_there, gold, np.nan)
        found = responses.fit(gold)
        for x, expected in zip(found, model, strict=True):
            scale = (model.mean_high - model.mean_low) + model.sd_high
            assert float(x) == pytest.approx(expected, abs=0.05 * scale)

    def test_likert_makes_items_alike(self):
        """A set that is simulated from what is found has the same moments."""
        gold = responses.simulate(**MANY, model="likert", rng=1).gold
        found = responses.fit(gold, model="likert")
        again = responses.simulate(**MANY, model=found, rng=2).gold
        for moment in (
            lambda x: x.mean(),
            lambda x: x.mean(axis=1).std(),
            lambda x: x.std(axis=1).mean(),
            lambda x: x.std(axis=1).std(),
        ):
            assert moment(again) == pytest.approx(moment(gold), rel=0.05)

    def test_what_is_found_can_be_simulated_under_jit(self):
        jax = require("jax")
        gold = jax.numpy.asarray(responses.simulate(200, 3, rng=0).gold)

        @jax.jit
        def power(gold):
            model = responses.fit(gold)
            return responses.simulate(9, 2, model=model, xp=jax.numpy, rng=0).gold

        assert power(gold).shape == (9, 2)

    @pytest.mark.parametrize("k", [2, 3])
    def test_few_responses_are_enough(self, k):
        """Standard deviations of so few are far below those of the item on average."""
        model = NormalModel(0.0, 1.0, 0.2, 0.2)
        gold = responses.simulate(200_000, k, model=model, rng=1).gold
        found = responses.fit(gold)
        assert float(found.sd_low + found.sd_high) / 2 == pytest.approx(0.2, rel=5e-3)
        # Items of two responses beside those of more.
        gold = np.pad(gold, ((0, 0), (0, 4 - k)), constant_values=np.nan)
        wide = responses.simulate(
            200_000, 4, model=model._replace(sd_low=0.6, sd_high=0.6), rng=2
        )
        both = responses.fit(np.concatenate([gold, wide.gold]))
        assert float(both.sd_low + both.sd_high) / 2 == pytest.approx(0.4, rel=5e-3)

    def test_a_level_does_not_matter(self):
        gold = responses.simulate(5000, 5, rng=2).gold
        expected = responses.fit(gold)
        found = responses.fit((gold + 1e4).astype(np.float32))
        assert float(found.mean_low) - 1e4 == pytest.approx(expected.mean_low, abs=0.01)
        assert float(found.sd_high) == pytest.approx(expected.sd_high, abs=0.01)

    def test_likert_finds_the_model_with_missing_responses(self):
        gold = responses.simulate(**MANY, model="likert", rng=1).gold
        n_there = np.random.default_rng(0).integers(2, 7, (len(gold), 1))
        gold = np.where(np.arange(6) < n_there, gold, np.nan)
        found = responses.fit(gold, model="likert")
        for x, expected in zip(found, LikertModel(), strict=True):
            assert float(x) == pytest.approx(expected, abs=0.02)
        assert np.all(np.isnan(responses.fit(gold + 1.0, model="likert")))

    def test_single_responses_are_not_enough(self):
        assert np.all(np.isnan(responses.fit([1.0, 2.0, 3.0])))
