"""`sigarray compare` where p-values have a floor: exact ones, more draws, and tasks."""

import itertools
import json
import math
import re

import numpy as np
import pytest
import scipy.stats

from sigarray import benjamini_hochberg, compare_models, permutation_test
from sigarray._verdicts.floors import (
    choose_correction,
    p_value_of_ranks,
    plan_draws,
    smallest_p_value,
)


def compare(run, path, *options):
    code, out, err = run("compare", path, "--format", "json", *options)
    assert code == 0, err
    return json.loads(out), err


def long_table(write, unit, scores):
    rows = [
        f"{m},{t},{k},{x:.6g}"
        for (m, t), found in scores.items()
        for k, x in enumerate(found)
    ]
    return write("\n".join([f"model,task,{unit},score", *rows, ""]))


@pytest.mark.long
def test_a_panel_of_items_is_decided(write, run):
    """57 tasks of 60 items: 0.92 right against 0.30, of five models."""
    rng = np.random.default_rng(0)
    shares = {"a": 0.92, "b": 0.30, "c": 0.6, "d": 0.62, "e": 0.9}
    scores = {
        (m, f"t{t:02}"): (rng.random(60) < p).astype(float)
        for t in range(57)
        for m, p in shares.items()
    }
    document, _ = compare(run, long_table(write, "item", scores))
    assert "exact over all exchanges" in document["method"]
    assert document["correction"] == "holm"
    wins = {(x["model_a"], x["model_b"]): x["a_wins"] for x in document["wins"]}
    assert wins["a", "b"] == 57
    for pair in document["pairs"][::40]:
        a, b = (scores[pair[key], pair["task"]] for key in ("model_a", "model_b"))
        n_ahead, n_apart = int(np.sum(a > b)), int(np.sum(a != b))
        expected = scipy.stats.binomtest(n_ahead, n_apart).pvalue
        assert pair["pvalue"] == pytest.approx(expected, rel=1e-12)


def test_many_models_of_runs_are_decided(write, run):
    rng = np.random.default_rng(0)
    scores = rng.normal(np.arange(26) * 0.3, 1.0, (20, 26)).round(4)
    header = ",".join(f"m{k}" for k in range(26))
    rows = "\n".join(",".join(map(str, x)) for x in scores)
    document, _ = compare(run, write(f"{header}\n{rows}\n"), "--test", "permutation")
    assert "51999 of them" in document["method"]
    p_values = [x["pvalue"] for x in document["pairs"]]
    assert len(p_values) == 325
    assert min(p_values) * 325 <= 0.05 / 2
    assert document["pairs"][24]["better"] == "m25"
    # Those of more draws are of one function, and the others too.
    for pair in document["pairs"][::60]:
        a, b = (scores[:, int(pair[key][1:])] for key in ("model_a", "model_b"))
        if pair["model_a"] > pair["model_b"]:
            a, b = b, a
        p = float(permutation_test(a, b, n_resamples=9999, rng=0).pvalue)
        if p <= 20 / 10_000:
            p = float(permutation_test(a, b, n_resamples=51_999, rng=0).pvalue)
        assert pair["pvalue"] == p


@pytest.mark.long
def test_smooth_items_are_approximated_where_draws_are_too_few(write, run):
    rng = np.random.default_rng(0)
    scores = {
        (m, f"t{t}"): rng.normal(0.3 * k, 1.0, 200)
        for k, m in enumerate("abcd")
        for t in range(50)
    }
    path = long_table(write, "item", scores)
    document, _ = compare(run, path)
    p = {(x["task"], x["model_a"], x["model_b"]): x for x in document["pairs"]}
    pair = p["t0", "d", "a"]
    assert pair["pvalue"] < 1e-9
    assert pair["better"] == "d"
    few, _ = compare(run, path, "--n-resamples", "9999")
    assert min(x["pvalue"] for x in few["pairs"]) == 2e-4


def test_draws_are_enough_for_the_level():
    assert plan_draws(9999, 0.05, 250) is None
    more = plan_draws(9999, 0.05, 251)
    assert 2.0 / (more.number + 1) == pytest.approx(0.05 / 251 / 4, rel=1e-4)


@pytest.mark.parametrize("n", [3, 5, 9])
def test_floors_are_those_of_samples_apart(n):
    a, b = np.arange(n) + 100.0, np.arange(n) * 1.01
    for is_paired in (True, False):
        p = permutation_test(a, b, paired=is_paired, n_resamples=10**6).pvalue
        floor = smallest_p_value("permutation", n, n, is_paired=is_paired)
        assert floor == pytest.approx(float(p))
    for test in ("mann-whitney", "brunner-munzel"):
        floor = smallest_p_value(test, n, n, is_paired=False)
        assert floor == pytest.approx(p_value_of_ranks(a, b))
    assert smallest_p_value("t", n, n, is_paired=False) == 0.0
    # Of numbers of permutations that no float holds.
    assert smallest_p_value("permutation", 900, 999, is_paired=False) == 0.0
    assert 0.0 < smallest_p_value("permutation", 999, 999, is_paired=True) < 1e-300


@pytest.mark.parametrize("n_decided", [4, 5, 26])
def test_many_tasks_of_few_runs(write, run, n_decided):
    """5 runs on 26 games: five games at the least p-value suffice."""
    rng = np.random.default_rng(0)
    scores = {
        (m, f"g{g:02}"): rng.normal(0.0, 1.0, 5).round(3)
        + (9.0 if m == "b" and g < n_decided else 0.0)
        for m, g in itertools.product("ab", range(26))
    }
    for g in range(n_decided, 26):  # the others are far from it
        scores["b", f"g{g:02}"] = scores["a", f"g{g:02}"][::-1] + 0.001
    document, err = compare(
        run, long_table(write, "seed", scores), "--test", "permutation"
    )
    assert document["correction"] == "benjamini_hochberg"
    said = "could give no verdict here, because p is never below 0.0079, and there are"
    assert said in document["method"]
    assert "false discovery rate over tasks" in document["method"]
    assert "be told apart" not in err
    n_better = sum(x["better"] == "b" for x in document["pairs"])
    assert n_better == (n_decided if n_decided >= 5 else 0)


def test_when_holm_is_left():
    floor = 2.0 / math.comb(10, 5)
    assert choose_correction([floor] * 6, 0.05) == "holm"
    assert choose_correction([floor] * 7, 0.05) == "benjamini_hochberg"
    # One task of more runs may be significant; and three runs never are.
    assert choose_correction([floor] * 7 + [1e-4], 0.05) == "holm"
    assert choose_correction([0.1] * 7, 0.05) == "holm"
    # At the level a p-value is significant.
    assert choose_correction([0.025] * 2, 0.05) == "holm"
    assert choose_correction([0.05] * 2, 0.05) == "benjamini_hochberg"
    p = np.array([floor] * 5 + [0.9] * 21)
    assert choose_correction([floor] * 26, 0.05) == "benjamini_hochberg"
    assert benjamini_hochberg(p)[:5] == pytest.approx(26 * floor / 5)
    assert choose_correction([0.0] * 26, 0.05) == "holm"


def test_a_signature_repeats_the_correction(write, run):
    rng = np.random.default_rng(0)
    scores = {
        (m, f"g{g}"): rng.normal(2.0 * (m == "b"), 1.0, 5)
        for m, g in itertools.product("ab", range(9))
    }
    path = long_table(write, "seed", scores)
    document, _ = compare(run, path, "--test", "permutation")
    assert "correction:benjamini_hochberg" in document["signature"]
    assert run("compare", path, "--verify", document["signature"])[0] == 0


@pytest.mark.long
def test_intervals_of_proportions(write, run, tmp_path):
    """Those of 0 and 1 are Newcombe's, and those of other scores Student's."""
    rng = np.random.default_rng(0)
    right = {(m, "right"): np.ones(50) for m in "ab"}
    both = right | {(m, "other"): rng.random(50) for m in "ab"}
    for scores, said in (
        (right | {(m, "t"): np.ones(50) for m in "ab"}, ": Newcombe's intervals"),
        (both, "both together; or "),
    ):
        page = tmp_path / "page.html"
        path = long_table(write, "item", scores)
        assert run("compare", path, "--report", str(page))[0] == 0
        assert said in page.read_text().replace("&#x27;", "'")


class TestTooFewOnEachTask:
    """The least number of runs is that of the rule that would then be used."""

    def write(self, write, n_tasks, n):
        rng = np.random.default_rng(1)
        scores = {
            (m, f"t{t:02}"): rng.normal(lead, 1.0, n)
            for t in range(n_tasks)
            for m, lead in (("a", 50.0), ("b", 90.0))
        }
        return long_table(write, "seed", scores)

    @pytest.mark.parametrize("n_tasks", [2, 10, 57])
    def test_with_as_many_runs_as_are_named_something_is_decided(
        self, write, run, n_tasks
    ):
        document, err = compare(run, self.write(write, n_tasks, 3))
        assert f"too few for any verdict on any of {n_tasks} tasks" in err
        assert err.count("too few") == 1
        assert "Run each model 4 times or more" in err
        assert not any(x["better"] for x in document["pairs"])
        document, err = compare(run, self.write(write, n_tasks, 4))
        assert "too few" not in err
        assert all(x["better"] == "b" for x in document["pairs"])

    def test_with_a_baseline(self, write, run):
        options = ("--baseline", "a")
        _, err = compare(run, self.write(write, 10, 3), *options)
        (needed,) = re.findall(r"Run each model (\d+) times or more", err)
        enough = self.write(write, 10, int(needed))
        document, err = compare(run, enough, *options)
        assert "too few" not in err
        assert any(x["better"] == "b" for x in document["pairs"])
        _, err = compare(run, self.write(write, 10, int(needed) - 1), *options)
        assert "too few" in err

    @pytest.mark.parametrize("test", ["permutation", "mann-whitney", "brunner-munzel"])
    def test_other_tests_have_a_floor_too(self, write, run, test):
        path = write("a,b\n1.5,4.1\n1.2,5.3\n1.9,4.6\n")
        _, err = compare(run, path, "--test", test)
        assert "of 3 scores gives p below 0.1: no two models can be told apart" in err
        rows = [
            f"{m},{k}.5" for m, n in (("a", 2), ("b", 5), ("c", 5)) for k in range(n)
        ]
        two = write("\n".join(["model,score", *rows, ""]), "two.csv")
        _, err = compare(run, two, "--test", test, "--no-correction")
        assert "gives p below 0.095: some models cannot be told apart" in err
        _, err = compare(
            run, write("a,b\n1.5,5\n1.2,6\n1.9,7\n1.1,9\n"), "--test", test
        )
        assert "gives p below" not in err

    def test_with_as_many_pairs_as_are_named_something_is_decided(self, write, run):
        def compare_pairs(n):
            rows = [f"{k}.1{k},{k + 4}.3,{k + 9}.2{k}" for k in range(n)]
            path = write("\n".join(["a,b,c", *rows, ""]))
            return compare(run, path, "--paired")

        _, err = compare_pairs(4)
        assert "It takes 7 runs or more of each model; --test t," in err
        assert "gives p below" in compare_pairs(6)[1]
        document, err = compare_pairs(7)
        assert "gives p below" not in err
        assert any(x["better"] for x in document["pairs"])

    def test_means_may_decide_few_pairs(self, write, run):
        """Without pairs, far fewer differences are found, or more runs are needed."""
        path = write("a,b\n1.5,5\n1.2,6\n1.9,7\n1.1,9\n")
        _, err = compare(run, path, "--paired")
        assert (
            "whatever their scores. It takes 6 runs or more of each model; --test t, "
            "of the means of normal differences, can decide with these." in err
        )
        document, err = compare(run, path, "--paired", "--test", "t")
        assert "warning" not in err
        assert document["pairs"][0]["better"] == "b"


@pytest.mark.parametrize("test", ["aso", "mann-whitney", "brunner-munzel"])
def test_pairs_of_one_item_are_not_independent(write, run, test):
    rows = [f"q{k},{k % 3 > 0:d},{k % 5 > 0:d}" for k in range(40)]
    path = write("\n".join(["id,a,b", *rows]))
    _, err = compare(run, path, "--item", "id", "--test", test)
    assert "those of one item in all models are not: use --test permutation" in err
    _, err = compare(run, path, "--item", "id")
    assert "independent" not in err


APART = {
    m: np.random.default_rng(k).normal(3.0 * k, 1.0, 20).tolist()
    for k, m in enumerate("abc")
}


class TestLeastOfDraws:
    @pytest.mark.parametrize(("test", "least"), [("permutation", 2), ("bootstrap", 1)])
    @pytest.mark.parametrize("n", [999, 1999])
    def test_p_is_marked_and_the_option_lowers_it(self, test, least, n):
        result = compare_models(APART, test=test, n_resamples=n, corrected=False)
        shown = [x[3] for x in result.tables[0].rows]
        assert shown == [f"<={least / (n + 1):.4f}"] * 3
        assert f"p <= {least / (n + 1):.4f} <= 0.05" in result.sentences[0]
        (line,) = [x for x in result.content.remarks if "marked <=" in x]
        assert line.endswith("the least that this number of resamples allows.")
        assert result.content.advice[0].startswith("More resamples, by n_resamples, l")

    def test_others_are_not(self):
        near = {"a": APART["a"], "b": [x + 0.7 for x in APART["a"]][::-1]}
        for test in ("permutation", "bootstrap", "t"):
            result = compare_models(near, test=test)
            assert "<=" not in result.tables[0].rows[0][3]
            assert not any("marked" in x for x in result.content.remarks)

    def test_of_exact_p_values_none_is(self):
        pairs = {m: x[:8] for m, x in APART.items()}
        result = compare_models(pairs, test="permutation", paired=True)
        assert "marked" not in str(result)

    def test_on_tasks_and_over_these(self):
        tasks = dict.fromkeys("pq", APART)
        result = compare_models(
            tasks, test="permutation", statistic="iqm", n_resamples=999
        )
        assert result.tables[0].rows[0][3] == "<=0.0030"
        lines = [x for x in result.content.remarks if "marked <=" in x]
        assert [x.partition("<=")[2].partition(" are")[0] for x in lines] == [
            " over these 2 tasks",
            " on single tasks",
        ]


@pytest.mark.parametrize("options", [(), ("--baseline", "m0"), ("--quiet",)])
def test_too_few_runs_are_said_once_and_first(write, run, options):
    rows = [f"m{k:02},{seed},{k + seed / 10}" for k in range(12) for seed in range(3)]
    path = write("\n".join(["model,seed,acc", *rows]).replace("m00", "m0"))
    said = "12 models are too few for any verdict at level 0.05"
    helps = "--test t, of the means of normal scores, can decide with these."
    for style in ("text", "sentences", "markdown"):
        _, out, err = run("compare", path, *options, "--format", style)
        out = " ".join(out.split())
        assert out.count(said) == out.count(helps) == 1, style
        assert "too few" not in err
        assert "the row is better" not in out
        assert out.count("nconclusive") <= ("--baseline" in options)
    _, out, _ = run("compare", path, *options)
    assert out.count("too few runs\n") == (11 if "--baseline" in options else 0)
    assert said in " ".join(out.splitlines()[1:3])
    _, _, err = run("compare", path, *options, "--format", "json")
    assert err.count(said) == err.count(helps) == 1
    _, out, _ = run("compare", path, *options, "--test", "t")
    assert (
        "m11 is better than m0" in out or "Better than m0: m11" in out or " > " in out
    )
