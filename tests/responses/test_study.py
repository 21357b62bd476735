"""P-values from one test set beside the true ones, and the power of such tests."""

import functools

import numpy as np
import pytest
import scipy.stats

from sigarray import responses
from sigarray.responses import metrics
from tests.backends import make_backend
from tests.oracles import FALSE_ALARM

# One-sided, as in the paper.
response_test = functools.partial(responses.response_test, alternative="greater")
true_p_value = functools.partial(responses.true_p_value, alternative="greater")
run_study = functools.partial(responses.study, alternative="greater")
find_power = functools.partial(responses.power, alternative="greater")

AXES = {
    "metrics": ["mae", metrics.wins("mae")],
    "items": ("all", "bootstrap"),
    "responses": ("all", "one"),
    "perturbations": (0.0, 0.3),
}


@pytest.fixture(scope="module")
def study():
    return run_study(
        **AXES, n_items=40, n_responses=3, n_sets=60, n_resamples=50, rng=8
    )


class TestStudy:
    def test_shapes_and_tables(self, study):
        assert study.estimated_pvalue.shape == study.true_pvalue.shape == (2, 2, 2, 2)
        records = responses.study_records(study, **AXES)
        assert len(records) == 16
        estimated = study.estimated_pvalue[0, 1, 0, 1]
        true = study.true_pvalue[0, 1, 0, 1]
        assert records[5] == {
            "perturbation": 0.0,
            "metric": "wins_mae",
            "items": "all",
            "responses": "one",
            "estimated_pvalue": estimated,
            "true_pvalue": true,
            "difference": estimated - true,
        }

    def test_records_of_other_axes(self, study):
        message = r"of shape \(3, 2, 2, 2\).*got \(2, 2, 2, 2\). Pass what `study`"
        with pytest.raises(ValueError, match=message):
            responses.study_records(study, **AXES | {"perturbations": (0, 0.1, 0.3)})

    def test_true_p_values_are_those_of_true_p_value(self, study):
        for i, perturbation in enumerate((0.0, 0.3)):
            for j, metric in enumerate(("mae", "wins_mae")):
                for k, answers in enumerate(("all", "one")):
                    expected = true_p_value(
                        metric=metric,
                        responses=answers,
                        perturbation_b=perturbation,
                        n_items=40,
                        n_responses=3,
                        n_sets=60,
                        rng=8,
                    )
                    assert study.true_pvalue[i, j, 0, k] == expected.pvalue
                    assert study.true_pvalue[i, j, 1, k] == expected.pvalue

    def test_first_responses_are_beside_the_p_value_of_one(self):
        study = run_study(
            metrics="mae",
            items="all",
            responses=("first", "without_replacement"),
            perturbations=iter([0.2]),
            n_items=30,
            n_sets=40,
            n_resamples=10,
            rng=1,
        )
        options = {"metric": "mae", "perturbation_b": 0.2, "n_items": 30, "n_sets": 40}
        for place, answers in enumerate(("first", "all")):
            expected = true_p_value(responses=answers, rng=1, **options)
            assert study.true_pvalue[0, 0, 0, place] == expected.pvalue

    @pytest.mark.parametrize(
        ("options", "error", "message"),
        [
            ({"perturbations": "0.1"}, TypeError, "a finite number"),
            ({"perturbations": ()}, ValueError, "one or more perturbations"),
            ({"perturbations": -0.1}, ValueError, "0 or more"),
            ({"items": None}, TypeError, "'all', 'bootstrap'"),
            ({"responses": ["all", "two"]}, ValueError, "'first'"),
        ],
    )
    def test_bad_options(self, options, error, message):
        with pytest.raises(error, match=message):
            run_study(n_items=3, n_sets=2, n_resamples=2, rng=0, **options)

    @pytest.mark.long
    @pytest.mark.parametrize("name", ["array_api_strict", "torch", "jax.numpy"])
    def test_it_runs_everywhere(self, name):
        backend = make_backend(name)
        options = {
            "metrics": "mae",
            "items": "bootstrap",
            "responses": ("bootstrap",),
            "perturbations": (0.2,),
            "n_items": 10,
            "n_responses": 2,
            "n_sets": 20,
            "n_resamples": 20,
            "rng": 1,
        }
        kind = getattr(backend.xp, backend.float_name)
        study = run_study(xp=backend.xp, device=backend.device, dtype=kind, **options)
        expected = run_study(**options)
        np.testing.assert_allclose(
            backend.to_numpy(study.estimated_pvalue),
            expected.estimated_pvalue,
            atol=5e-3,
        )

    def test_errors(self):
        with pytest.raises(ValueError, match="one or more metrics; got none"):
            run_study(metrics=[], rng=0)


class TestPower:
    def test_it_is_the_share_of_small_p_values(self):
        options = {"perturbation_b": 0.2, "n_sets": 80, "rng": 2}
        power = find_power(60, 3, n_resamples=60, **options)
        sets = responses.simulate(60, 3, **options)
        p_values = response_test(*sets, n_resamples=60, rng=5).pvalue
        assert power.shape == (1, 1)
        # Of the same sets, so that only few near 0.05 may be on another side.
        assert float(power[0, 0]) == pytest.approx(np.mean(p_values < 0.05), abs=0.08)

    @pytest.mark.long
    def test_more_items_and_responses_show_more(self):
        power = find_power((30, 300), (1, 5), n_sets=60, n_resamples=60, rng=0)
        assert power.shape == (2, 2)
        assert power[0, 0] < power[1, 0] < power[1, 1]
        assert power[0, 0] < power[0, 1]

    @pytest.mark.long
    @pytest.mark.parametrize("items", ["all", "bootstrap"])
    @pytest.mark.parametrize("answers", ["all", "bootstrap", "one", "first"])
    def test_level_under_the_null_hypothesis(self, items, answers):
        """No more than 5 % of p-values are below 0.05, by binomial tests."""
        share = find_power(
            100,
            4,
            items=items,
            responses=answers,
            metric="mae",
            perturbation_b=0.0,
            n_sets=300,
            n_resamples=50,
            rng=3,
        )
        count = round(300 * float(share[0, 0]))
        test = scipy.stats.binomtest(count, 300, 0.05, alternative="greater")
        assert test.pvalue > FALSE_ALARM

    @pytest.mark.long
    @pytest.mark.parametrize("name", ["array_api_strict", "torch", "jax.numpy"])
    def test_backends_agree(self, name):
        backend = make_backend(name)
        options = {"n_sets": 20, "n_resamples": 20, "rng": 0}
        expected = find_power([10, 20], 2, **options)
        result = find_power(
            [10, 20], 2, xp=backend.xp, device=backend.device, **options
        )
        np.testing.assert_allclose(backend.to_numpy(result), expected, atol=0.051)
