"""The line that says how models were compared."""

import json
import re
import warnings

import numpy as np
import pytest

from sigarray import compare_models, permutation_test, t_test


@pytest.mark.long
def test_the_method_says_how_equality_was_tested(run):
    def describe(*arguments):
        _, out, _ = run("compare", *arguments, "--format", "json")
        return json.loads(out)["method"]

    closed, by_pair = "by a closed test of ranks", "by Mann and Whitney's U, two-sided"
    assert f"{closed}, two-sided" in describe()
    assert f"{closed}, all models with forest, two-sided" in describe(
        "--baseline", "forest"
    )
    assert by_pair in describe("--no-correction")
    assert by_pair in describe("--baseline", "forest", "--no-correction")
    assert by_pair in describe("--columns", "forest,linear")
    # Rates at the threshold were read as rates of false alarms.
    assert "simulations" not in describe()


RNG = np.random.default_rng(0)
FEW, SOME, MANY = (RNG.normal(size=(3, n)) for n in (4, 8, 30))
TWO_TASKS = {f"t{k}": dict(zip("ab", FEW, strict=False)) for k in range(4)}


@pytest.mark.parametrize(
    ("scores", "options"),
    [
        (SOME, {"test": "aso"}),
        (SOME, {"test": "aso", "baseline": "a"}),
        (SOME, {"test": "aso", "dt": 0.1}),
        ([FEW[0], SOME[0], MANY[0]], {"test": "aso"}),
        (TWO_TASKS, {"test": "aso"}),
        (TWO_TASKS, {"test": "mann-whitney"}),
        (SOME, {"test": "t", "higher_is_better": False}),
        (SOME, {"test": "permutation"}),
        ([FEW[0], SOME[0], MANY[0], MANY[1]], {"test": "permutation"}),
        (MANY, {"test": "bootstrap", "method": "saddlepoint"}),
        ([FEW[0], SOME[0], MANY[0]], {"test": "brunner-munzel"}),
    ],
)
def test_a_method_is_told_in_sentences(scores, options):
    """Each begins in capitals, and ends with one full stop where it is printed."""
    if not isinstance(scores, dict):
        scores = dict(zip("abcd", scores, strict=False))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        result = compare_models(scores, unit="run", **options)
    first, *others = result.method.split(". ")
    assert others
    assert all(x[0].isupper() for x in others)
    assert "; " not in re.sub(r"\(.*?\)", "", result.method)
    assert not result.method.endswith(".")
    assert f"Method: {first}. {others[0]}." in str(result)


@pytest.mark.parametrize(
    ("test", "said"),
    [
        (None, "almost stochastic order of unpaired independent samples, with eps"),
        ("permutation", "Welch's t of unpaired independent samples, two-sided"),
        ("bootstrap", "Welch's t of unpaired independent samples, two-sided"),
        ("t", "Welch's t-test of unpaired independent samples, two-sided"),
        ("mann-whitney", "Mann-Whitney's U of unpaired independent samples, two"),
        ("brunner-munzel", "Munzel's test of unpaired independent samples, two"),
    ],
)
def test_whether_runs_are_pairs_is_said(test, said):
    scores = dict(zip("ab", MANY, strict=False))
    result = compare_models(scores, unit="run", test=test)
    assert said in result.method
    assert not result.notes
    if test in ("permutation", "bootstrap", "t"):
        paired = compare_models(scores, unit="run", test=test, paired=True)
        assert "unpaired" not in paired.method
        assert not paired.notes


def test_another_test_of_pairs_of_runs_is_said():
    result = compare_models(dict(zip("ab", SOME, strict=False)), paired=True)
    assert result.test.name == "permutation"
    (note,) = result.notes
    assert note.startswith("pairs of runs are compared by test='permutation': almost")


class TestPermutations:
    def describe(self, *sizes, paired=False, **options):
        scores = {x: RNG.normal(size=n) for x, n in zip("abc", sizes, strict=False)}
        result = compare_models(
            scores, unit="run", test="permutation", paired=paired, **options
        )
        return next(x for x in result.method.split(". ") if x.startswith("P-values"))

    def test_all_are_counted(self):
        assert self.describe(5, 5, 5) == "P-values are of all 252 permutations"
        assert self.describe(5, 6, 6) == "P-values are of all 462 to 924 permutations"
        few = self.describe(5, 5, n_resamples=252)
        assert few == "P-values are of all 252 permutations"

    def test_random_ones_have_a_seed(self):
        more = ", and of more where p is near a level"
        drawn = "P-values are of 9999 random permutations (seed 0)"
        assert self.describe(9, 9) == f"{drawn}{more}"
        few = self.describe(5, 5, n_resamples=251)
        assert few == "P-values are of 251 random permutations (seed 0)"

    def test_pairs_may_differ(self):
        assert self.describe(5, 9, 9) == (
            "P-values are of all permutations, or of 9999 random ones where there are "
            "more (seed 0), and of more where p is near a level"
        )

    def test_pairs_of_scores_are_exchanged(self):
        scores = {x: RNG.normal(size=10) for x in "ab"}
        options = {"unit": "run", "test": "permutation", "method": "resampling"}
        line = compare_models(scores, paired=True, **options).method
        assert "P-values are of all 1024 exchanges" in line


def test_records_say_whose_p_is_welchs():
    """Of few runs, the larger of both p-values counts."""
    scores = {
        "a": np.asarray([93.47, 92.46, 93.11, 92.90, 92.92]),
        "b": np.asarray([93.56, 93.11, 93.55, 93.39, 94.44]),
        "c": np.asarray([93.94, 94.12, 93.97, 94.21, 93.98]),
    }
    result = compare_models(scores, unit="run", test="permutation")
    alone = {
        (x["model_a"], x["model_b"]): permutation_test(
            scores[x["model_a"]], scores[x["model_b"]], statistic="t", rng=0
        ).pvalue
        for x in result.records
    }
    for x in result.records:
        pair = x["model_a"], x["model_b"]
        welch = t_test(scores[pair[0]], scores[pair[1]]).pvalue
        assert x["is_by_welch"] == (welch > alone[pair])
        assert x["pvalue"] == pytest.approx(max(welch, alone[pair]))
    assert "Welch's own p counts where it is larger" in result.method
    assert {x["is_by_welch"] for x in result.records} == {True, False}
    of_t = compare_models(scores, unit="run", test="t").records[0]
    assert of_t["is_by_welch"] is None
