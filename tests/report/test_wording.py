"""Sentences for the paper, and signatures."""

import math

import numpy as np
import pytest

from sigarray import (
    aso,
    bootstrap_ci,
    bootstrap_test,
    brunner_munzel,
    equivalence_test,
    mann_whitney_u,
    multi_aso,
    permutation_test,
    probability_of_improvement,
    proportion_ci,
    proportion_test,
    ranking,
    report,
    responses,
    t_ci,
    t_test,
)
from sigarray.report import _wording
from tests.backends import require
from tests.oracles import p_of_means

A, B = np.asarray([0.92, 0.94, 0.93, 0.95]), np.asarray([0.90, 0.92, 0.91, 0.89])


def say(result, **options):
    text = report.describe(result, ["lstm", "cnn"], **options)
    assert text.endswith(").")
    assert text.count("\n") == 0
    assert "sigarray 0." in text
    return text


class TestSentences:
    def test_order(self):
        result = aso(A, B)
        text = say(result, sizes=[4, 4], correction="Bonferroni correction for 6 pairs")
        assert text.startswith(
            "lstm is almost stochastically dominant over cnn (eps_min"
        )
        assert "4 and 4 runs, one-sided, confidence level 0.95" in text
        assert "0.95, Bonferroni correction for 6" in text
        assert f"violation ratio {float(result.violation_ratio):.4g}" in text
        text = say(aso(B, A))
        assert text.startswith(
            "Almost stochastic dominance of lstm over cnn was not sho"
        )
        assert "not below 0.2" in text
        # Two scores are equal; of 70 ways to deal them out one is worse, but the means
        # say more.
        result = aso(B, A)
        share, p = result.probability_of_improvement, result.pvalue
        assert (float(share), float(p)) == (
            pytest.approx(1 / 32),
            pytest.approx(p_of_means(B, A, "greater")),
        )
        p_said = f"one-sided p of equality = {float(p):.4f}"
        assert f"P(lstm > cnn) = {1 / 32:.4g}, {p_said};" in text

    def test_names_are_quoted_as_elsewhere(self):
        text = report.describe(aso(A, B), ["big, lstm", "cnn"])
        assert text.startswith('"big, lstm" is almost stochastically dominant over cnn')

    def test_p_values(self):
        options = {"n_resamples": 999, "seed": 3, "sizes": [4], "unit": "item"}
        result = permutation_test(A, B, paired=True, rng=3)
        options |= {"statistic": "mean"}
        text = say(result, test="paired permutation test", **options)
        assert text.startswith(
            "The mean of lstm was not shown to be different from that"
        )
        assert "difference 0.03" in text
        assert "p = 0.1250 > 0.05" in text
        assert "two-sided paired permutation test, 999 resamples, seed 3" in text
        text = say(t_test(A, B), statistic="mean accuracy")
        assert text.startswith(
            "The mean accuracy of lstm is above that of cnn (t = 3.2"
        )
        text = say(t_test(B, A), statistic="mean")
        assert text.startswith("The mean of lstm is below that of cnn (t = -3.2")
        text = say(mann_whitney_u(A * 100, B))
        assert text.startswith(
            "The scores of lstm are above those of cnn (P(lstm > cnn)"
        )

    def test_t_is_no_difference(self):
        for test in (permutation_test, bootstrap_test):
            result = test(A * 5, B, statistic="t", rng=0)
            t = float(t_test(A * 5, B).statistic)
            text = say(result, statistic="t")
            assert text.startswith(
                f"The mean of lstm is above that of cnn (t = {t:.4g}"
            )
            assert "difference" not in text
        result = permutation_test(A, A[::-1] + 1e-3, statistic="t", rng=0)
        text = say(result, statistic="t")
        assert text.startswith("The mean of lstm was not shown to be different from ")
        assert "(t = -0.1" in text

    def test_ranks_are_of_scores(self):
        for test, name in (
            (brunner_munzel, "Brunner-Munzel test"),
            (mann_whitney_u, "Mann-Whitney U test"),
        ):
            text = say(test(A, A[::-1]))
            assert text.startswith(
                "The scores of lstm were not shown to be different from those of cnn "
                "(P(lstm > cnn) = 0.5, p = 1.0000 > 0.05; "
            )
            assert f"two-sided {name}" in text

    def test_one_sided(self):
        result = t_test(B, A, alternative="greater")
        text = say(result, alternative="greater", statistic="mean")
        assert "one-sided t-test" in text
        assert text.startswith("The mean of lstm was not shown to be above that of cnn")

    def test_intervals(self):
        result = bootstrap_ci(A, B, rng=0, n_resamples=99)
        text = say(result, statistic="mean")
        low, high = (f"{float(x):.4g}" for x in result.confidence_interval)
        assert text.startswith(
            "The mean of lstm minus that of cnn is 0.03 (95 % confid"
        )
        assert f"confidence interval {low} to {high};" in text

    def test_responses(self):
        gold, a, b = responses.simulate(200, 5, perturbation_b=0.5, rng=0)
        result = responses.response_test(gold, a, b, rng=0, n_resamples=99)
        assert say(result).startswith("lstm is better than cnn (difference ")

    def test_nan(self):
        for test in (aso, t_test, permutation_test):
            text = say(test([1.0, math.nan, 2.0], [1.0, 2.0, 3.0]))
            assert text.startswith("lstm vs. cnn: no verdict (a score is not finite")

    @pytest.mark.parametrize("library", ["torch", "jax.numpy"])
    def test_other_libraries(self, library):
        xp = require(library)
        a, b = (xp.asarray(x, dtype=xp.float32) for x in (A, B))
        assert say(aso(a, b)).startswith("lstm is almost stochastically dominant")

    def test_wrong_calls(self):
        with pytest.raises(TypeError, match=r"a sequence of 2 names; got str"):
            report.describe(aso(A, B), "ab")
        with pytest.raises(ValueError, match=r"one comparison; got shape \(2,\)"):
            report.describe(t_test(np.stack([A, B]), B))
        with pytest.raises(TypeError, match=r"the result of aso, of an interval"):
            report.describe(ranking(multi_aso([A, B])))

    def test_what_is_no_result_is_said_before_its_names(self):
        with pytest.raises(TypeError, match=r"of two models; got that of multi_aso"):
            report.describe(multi_aso([A, B, A]), names=["x", "y", "z"])
        with pytest.raises(ValueError, match=r"one comparison; got shape \(2,\)"):
            report.describe(aso(np.stack([A, B]), B), names=["x", "y", "z"])


class TestSignatures:
    SCORES = {"lstm": A, "cnn|2": B}  # noqa: RUF012

    def sign(self, scores=None, result=None, **options):
        scores = self.SCORES if scores is None else scores
        result = aso(A, B) if result is None else result
        return report.signature(scores, result, **options)

    def test_fields(self):
        line = self.sign(test="aso", seed=0, n_resamples=None, name="x|y:z")
        fields = _wording.read_signature(line)
        assert fields["test"] == "aso"
        assert fields["n"] == "4,4"
        assert fields["name"] == "x|y:z"
        assert "n_resamples" not in fields
        assert line.startswith("sigarray:0.")
        assert (
            _wording.write_signature(
                {key: x for key, x in fields.items() if key != "sigarray"}
            )
            == line
        )

    def test_order_is_no_part_of_it(self):
        turned = dict(reversed(self.SCORES.items()))
        shuffled = {name: x[::-1] for name, x in self.SCORES.items()}
        line = self.sign().split("|scores:")[1]
        assert self.sign(turned).split("|scores:")[1] == line
        assert self.sign(shuffled).split("|scores:")[1] == line
        paired = self.sign(paired=True).split("|scores:")[1]
        assert self.sign(shuffled, paired=True).split("|scores:")[1] != paired

    def test_what_changes_it(self):
        lines = {
            self.sign(),
            self.sign({"lstm": A, "gru": B}),
            self.sign({"lstm": A, "cnn|2": B + 1e-12}),
            self.sign({"lstm": B, "cnn|2": A}),
            self.sign(result=aso(B, A)),
        }
        assert len(lines) == 5
        nearly = aso(A, B)._replace(
            standard_error=aso(A, B).standard_error * (1 + 1e-12)
        )
        assert self.sign(result=nearly) == self.sign()

    def test_other_libraries(self):
        torch = require("torch")
        scores = {name: torch.asarray(x) for name, x in self.SCORES.items()}
        assert self.sign(scores) == self.sign()

    def test_wrong_calls(self):
        with pytest.raises(TypeError, match=r"a mapping of models to scores; got"):
            report.signature([A, B], aso(A, B))
        for line in ("", "x", "sigarray:1|scores:a", "sigarray:1|scores:a|scores:b"):
            with pytest.raises(ValueError, match=r"Expected a signature, such as"):
                _wording.read_signature(line)


def test_an_interval_of_proportions():
    right = np.arange(50) < 40
    said = report.describe(
        proportion_ci(right, ~right),
        ("new", "old"),
        statistic="accuracy",
        sizes=(50, 50),
        test="Newcombe's interval",
    )
    assert said.startswith("The accuracy of new minus that of old is 0.6 (")
    assert "95 % confidence interval 0.4156 to 0.7238" in said
    assert "Newcombe's interval" in said
    assert "bootstrap" not in said


class TestWhatIsNotPassedIsNotSaid:
    """A result does not know its statistic, its method or its margin."""

    MANY = np.linspace(0.6, 0.7, 40)

    def test_of_intervals(self):
        result = t_ci(A, B)
        text = say(result)
        assert text.startswith("The estimate for lstm against cnn is 0.03 (95 % conf")
        for word in ("mean", "minus", "bootstrap", "resample"):
            assert word not in text
        assert "; BCa bootstrap, " in say(result, test="BCa bootstrap")
        text = say(bootstrap_ci(A, B, statistic="iqm", rng=0), statistic="iqm")
        assert text.startswith("The iqm of lstm minus that of cnn is 0.03")

    def test_a_share_is_no_difference(self):
        result = probability_of_improvement(A, B, rng=0, n_resamples=99)
        assert "minus" not in say(result)
        text = say(result, statistic="probability of improvement")
        assert text.startswith(
            "The probability of improvement of lstm over cnn is 0.9688 (95 %"
        )

    def test_of_tests(self):
        text = say(t_test(A, B))
        assert text.startswith("lstm is above cnn (t = 3.286, df = ")
        text = say(permutation_test(A, B, statistic="t", rng=0))
        assert "difference" not in text.replace("different", "")
        assert "mean" not in text

    @pytest.mark.parametrize("test", [t_test, permutation_test, bootstrap_test])
    def test_margins(self, test):
        a, rng = self.MANY, {} if test is t_test else {"rng": 0}
        for alternative in ("greater", "less"):
            options = {"alternative": alternative, "margin": 0.02}
            noise = 0.001 * np.cos(np.arange(40.0))
            result = test(a + noise, a, paired=True, **options, **rng)
            text = say(result, statistic="mean", **options)
            assert text.startswith(
                "The mean of lstm is no worse than that of cnn, with a margin of 0.02 ("
            )
            options |= {"margin": 1e-5}
            shift = -0.01 if alternative == "greater" else 0.01
            text = say(
                test(a + noise + shift, a, paired=True, **options, **rng), **options
            )
            assert text.startswith(
                "lstm was not shown to be no worse than cnn, with a margin of 1e-05 ("
            )

    @pytest.mark.parametrize("test", [permutation_test, bootstrap_test])
    def test_a_margin_that_is_not_passed_shows(self, test):
        noise = 0.001 * np.cos(np.arange(40.0))
        noise -= noise.mean() + 1e-5
        options = {"paired": True, "rng": 0, "alternative": "greater", "margin": 0.02}
        result = test(self.MANY + noise, self.MANY, **options)
        with pytest.raises(
            ValueError, match=r"difference above 0 .* got -1e-05\. Pass"
        ):
            say(result, alternative="greater")

    @pytest.mark.parametrize("method", ["t", "bootstrap"])
    def test_equivalence(self, method):
        noise = 0.001 * np.cos(np.arange(40.0))
        options = {"low": -0.02, "high": 0.01}
        result = equivalence_test(
            self.MANY + noise,
            self.MANY,
            paired=True,
            method=method,
            **options,
            **({} if method == "t" else {"rng": 0}),
        )
        said = say(result, statistic="mean", sizes=[40], unit="item", **options)
        assert said.startswith(
            "The mean of lstm minus that of cnn is between -0.02 and 0.01 (difference "
        )
        kind = "t-test" if method == "t" else "resampling test"
        assert f"<= 0.05; 40 items, two one-sided {kind}s, sigarray" in said
        result = equivalence_test(A, B, low=-0.01, high=0.02)
        assert say(result, low=-0.01, high=0.02).startswith(
            "The difference of lstm minus cnn was not shown to be between -0.01 and 0"
        )
        for limits in ({}, {"low": 0.1}, {"low": 0.2, "high": 0.1}):
            with pytest.raises(ValueError, match="the limits that were passed to equi"):
                report.describe(result, **limits)
        faulty = equivalence_test(A * math.nan, B, low=-0.01, high=0.02)
        text = say(faulty, low=-0.01, high=0.02)
        assert text.startswith("lstm vs. cnn: no verdict (a score is not finite; two ")

    def test_proportions(self):
        right = np.arange(50) < 40
        text = say(proportion_test(right, ~right))
        assert text.startswith(
            "The proportion of lstm is above that of cnn (difference 0.6, z = 6, p < 0."
        )
        assert "two-sided score test, " in text
        options = {"alternative": "greater", "margin": 0.2}
        text = say(
            proportion_test(right, right[::-1], **options),
            statistic="accuracy",
            **options,
        )
        assert text.startswith("The accuracy of lstm is no worse than that of cnn, wi")

    def test_options_of_other_results_are_refused(self):
        with pytest.raises(
            ValueError, match=r"with margin=0\.1; got sigarray\.results"
        ):
            report.describe(aso(A, B), margin=0.1, alternative="greater")
        with pytest.raises(ValueError, match="'greater' or 'less' with margin="):
            report.describe(t_test(A, B), margin=0.1)
        with pytest.raises(ValueError, match="equivalence_test with low and high; got"):
            report.describe(t_test(A, B), low=0.1)


def test_clusters_are_counted():
    result = t_test([1.0, 2.0, 4.0], [0.0, 1.0, 1.0], paired=True)
    options = {"sizes": [60], "unit": "item"}
    assert "; 60 items in 12 clusters, " in say(result, n_clusters=[12], **options)
    with pytest.raises(ValueError, match=r"got \[60\] and \[5, 6\] clusters"):
        say(result, n_clusters=[5, 6], **options)
