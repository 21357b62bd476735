"""`sigarray compare --test`: what it prints and refuses."""

import csv
import io
import itertools
import json
import math

import numpy as np
import pytest
import scipy.stats
from statsmodels.stats.multitest import multipletests

from sigarray.report._layout import show_p_value
from sigarray.report._rendering import STYLES
from tests.cli.conftest import SCORES
from tests.pairs import in_order

TESTS = ["bootstrap", "permutation", "mann-whitney", "brunner-munzel", "t"]


def p_values_of_scipy(test, paired):
    p_values = []
    for x, y in itertools.combinations(SCORES.T, 2):
        if test == "mann-whitney":
            result = scipy.stats.mannwhitneyu(x, y, method="exact")
        elif test == "brunner-munzel":
            by_ranks = scipy.stats.mannwhitneyu(x, y, method="exact")
            p_values.append(
                max(scipy.stats.brunnermunzel(x, y).pvalue, by_ranks.pvalue)
            )
            continue
        elif paired:
            result = scipy.stats.ttest_rel(x, y)
        else:
            result = scipy.stats.ttest_ind(x, y, equal_var=False)
        p_values.append(result.pvalue)
    return p_values


class TestCompare:
    @pytest.mark.parametrize(
        ("test", "options"),
        [
            ("t", []),
            ("t", ["--paired"]),
            ("mann-whitney", []),
            ("brunner-munzel", []),
        ],
    )
    def test_p_values_are_scipys_corrected_by_holm(self, table, run, test, options):
        _, out, _ = run("compare", table, "--test", test, "--format", "json", *options)
        document = json.loads(out)
        expected = p_values_of_scipy(test, paired=bool(options))
        adjusted = multipletests(expected, method="holm")[1]
        pairs = in_order(document["pairs"], "abc")
        assert [p["pvalue"] for p in pairs] == pytest.approx(expected, rel=1e-9)
        assert [p["adjusted_pvalue"] for p in pairs] == pytest.approx(adjusted)
        assert document["correction"] == "holm"
        for pair, q in zip(pairs, adjusted, strict=True):
            higher = pair["model_a" if pair["mean_difference"] > 0 else "model_b"]
            assert pair["better"] == (higher if q < 0.05 else None)

    @pytest.mark.parametrize("test", ["bootstrap", "permutation"])
    @pytest.mark.parametrize("options", [[], ["--paired"]])
    def test_resampling_is_near_the_t_test(self, table, run, test, options):
        arguments = ["compare", table, "--test", test, "--format", "json", *options]
        pairs = json.loads(run(*arguments)[1])["pairs"]
        expected = p_values_of_scipy("t", paired=bool(options))
        found = [p["pvalue"] for p in in_order(pairs, "abc")]
        assert found == pytest.approx(expected, abs=0.05)
        assert json.loads(run(*arguments)[1])["pairs"] == pairs
        again = json.loads(run(*arguments, "--seed", "1")[1])["pairs"]
        is_exact = bool(options) and test == "permutation"
        assert (again == pairs) == is_exact
        few = json.loads(run(*arguments, "--n-resamples", "99")[1])["pairs"]
        assert min(p["pvalue"] for p in few) >= 0.01

    def test_level_and_correction(self, table, run):
        arguments = ["compare", table, "--test", "t", "--format", "json"]
        plain = json.loads(run(*arguments, "--no-correction")[1])
        assert plain["correction"] is None
        assert all(p["pvalue"] == p["adjusted_pvalue"] for p in plain["pairs"])
        p_value = in_order(plain["pairs"], "abc")[0]["pvalue"]
        for shift, better in ((1e-9, "b"), (-1e-9, None)):
            alpha = repr(p_value + shift)
            _, out, _ = run(*arguments, "--no-correction", "--alpha", alpha)
            first = in_order(json.loads(out)["pairs"], "abc")[0]
            assert first["better"] == better

    @pytest.mark.parametrize("test", TESTS)
    def test_losses_turn_the_verdict_round(self, table, run, test):
        arguments = ["compare", table, "--test", test, "--format", "json"]
        scores = json.loads(run(*arguments)[1])["pairs"][1]
        losses = json.loads(run(*arguments, "--lower-is-better")[1])["pairs"][1]
        assert (scores["better"], losses["better"]) == ("c", "a")
        assert scores["pvalue"] == losses["pvalue"]

    def test_sentences(self, table, run):
        _, out, _ = run("compare", table, "--test", "t", "--format", "sentences")
        document = json.loads(
            run("compare", table, "--test", "t", "--format", "json")[1]
        )
        assert len(document["verdicts"]) == 3
        assert any(
            "c is better than a: adjusted p = " in x for x in document["verdicts"]
        )
        assert "c is better than " in out
        assert "Inconclusive: b vs. a (" in out
        rule = "p <= 0.05, after Holm's correction for 3 comparisons."
        assert out.count(f"A model is better than another if {rule}") == 1

    def test_adjusted_p_values_decide(self, write, run):
        """One p-value of 0.04 is significant, but not beside two others."""
        rng = np.random.default_rng(5)
        a, b, c = rng.normal(size=(3, 20))
        a, b, c = a - a.mean(), b - b.mean(), c - c.mean()
        lift = 2.1 * np.sqrt((a.var() + b.var()) / 19)
        columns = np.stack([a + lift, b, c + lift / 2], axis=-1)
        rows = "".join(f"{x},{y},{z}\n" for x, y, z in columns)
        arguments = ["compare", write(f"a,b,c\n{rows}"), "--test", "t"]
        document = json.loads(run(*arguments, "--format", "json")[1])
        first = in_order(document["pairs"], "abc")[0]
        assert first["pvalue"] < 0.05 < first["adjusted_pvalue"]
        assert first["better"] is None
        said = document["verdicts"][document["pairs"].index(first)]
        assert "a vs. b: inconclusive (adjusted p = " in said

    def test_identical_models(self, write, run):
        path = write("a,b\n0.1,0.1\n0.1,0.1\n0.1,0.1\n")
        for test in TESTS:
            _, out, _ = run("compare", path, "--test", test, "--format", "json")
            assert json.loads(out)["pairs"][0]["better"] is None

    @pytest.mark.parametrize("style", STYLES)
    @pytest.mark.parametrize("test", TESTS)
    def test_all_formats(self, table, run, style, test):
        code, out, err = run("compare", table, "--test", test, "--format", style)
        assert code == 0
        assert err == "" or test == "bootstrap"  # which warns of few scores
        assert "c" in out
        if style == "csv":
            records = list(csv.DictReader(io.StringIO(out)))
            assert [r["better"] for r in records][1] == "c"

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (["--test", "aso", "--paired"], "--paired with --test bootstrap, --test"),
            (["--test", "mann-whitney", "--paired"], "got --test mann-whitney"),
            (["--test", "t", "--threshold", "0.2"], "level of p-values is --alpha"),
            (
                ["--test", "t", "--method", "exact"],
                "--method exact with --test aso",
            ),
            (
                ["--test", "t", "--method", "saddlepoint"],
                "--method saddlepoint with --test bootstrap or --test permutation; got",
            ),
            (
                ["--test", "t", "--n-resamples", "9"],
                "--n-resamples with --test aso",
            ),
        ],
    )
    def test_options_that_do_not_fit(self, table, run, options, message):
        code, out, err = run("compare", table, *options)
        assert (code, out) == (2, "")
        assert message in err

    def test_pairs_need_every_cell(self, write, run):
        path = write("a,b,c\n1,2,\n2,,1\n3,4,2\n")
        code, _, err = run("compare", path, "--test", "t", "--paired")
        assert code == 2
        assert "line 2, column 3 (c): expected a score in every cell" in err
        arguments = ["--test", "t", "--paired", "--columns", "a,b"]
        assert "line 3, column 2 (b)" in run("compare", path, *arguments)[2]

    def test_one_score_has_no_variance(self, write, run):
        for test in ("t", "bootstrap"):
            code, _, err = run("compare", write("a,b\n1,2\n,3\n"), "--test", test)
            assert code == 2
            assert "scores.csv: expected two scores or more of 'a'; got 1." in err

    def test_a_p_value_of_the_level_is_significant(self, write, run):
        rows = "".join(f"0.9{k},0.5{9 - k}\n" for k in range(6))
        arguments = ["compare", write(f"a,b\n{rows}"), "--test", "bootstrap"]
        arguments += ["--n-resamples", "19"]
        _, out, err = run(*arguments, "--format", "json")
        pair = json.loads(out)["pairs"][0]
        assert (pair["pvalue"], pair["better"]) == (0.05, "a")
        assert "a is better than b: p <= 0.0500 <= 0.05" in run(*arguments)[1]
        # That another seed could give more; by t there is nothing else to warn of.
        assert err.count("warning") == err.count("another seed may decide") == 1

    def test_a_bootstrap_of_the_mean_of_few_scores_is_doubted(self, table, run):
        options = ["--test", "bootstrap", "--method", "saddlepoint"]
        _, _, err = run("compare", table, *options)
        assert "too small for few scores, here 14: use --test permutation" in err

    def test_few_placements_are_doubted(self, write, run):
        path = write("a,b\n.1,.2\n.3,.5\n.4,.7\n.5,.1\n.2,.9\n")
        _, _, err = run("compare", path, "--test", "brunner-munzel")
        assert "too small for fewer than 10 scores, here 5" in err
        apart = write("a,b\n.1,.6\n.2,.7\n.3,.8\n.4,.9\n.5,.95\n")
        arguments = ["compare", apart, "--test", "brunner-munzel", "--format", "json"]
        (pair,) = json.loads(run(*arguments)[1])["pairs"]
        assert pair["pvalue"] == pytest.approx(2.0 / 252.0)
        assert (pair["statistic"], pair["better"]) == (None, "b")

    def test_few_clusters_of_a_bootstrap_are_doubted(self, write, run):
        rows = (
            f"{m},d{k // 2},q{k},{(3 * k + len(m)) % 7}"
            for m in ("a", "bb")
            for k in range(60)
        )
        path = write("\n".join(["model,doc,item,score", *rows, ""]))
        options = ("--cluster", "doc", "--test", "bootstrap", "--n-resamples", "99")
        _, _, err = run("compare", path, *options)
        assert "too small for few clusters, here 30: use --test permutation" in err

    def test_unlike_numbers_of_runs_are_doubted_where_t_is_corrected(self, write, run):
        scores = np.random.default_rng(0).normal(size=(3, 10)).round(3)

        def compare(sizes, *options):
            rows = [
                f"{m},{k},{x}"
                for m, n, row in zip("abc", sizes, scores, strict=True)
                for k, x in enumerate(row[:n])
            ]
            path = write("\n".join(["model,seed,acc", *rows, ""]))
            return run("compare", path, *options)[2]

        said = "numbers of runs differ and the fewer are 3: of equal models"
        assert said in compare((10, 3, 10), "--test", "t")
        assert "numbers of runs" not in compare(
            (10, 3, 10), "--test", "t", "--no-correction"
        )
        assert "numbers of runs" not in compare((10, 6, 10), "--test", "t")
        assert "numbers of runs" not in compare((10, 3, 10))

    def test_intervals_are_not_said_to_be_wider_where_no_verdict_is_possible(
        self, write, run
    ):
        """Of 4 runs and 6 pairs, p is 0.17 or more, and intervals may exclude 0."""
        rows = [f"{m},{k},{10 * j + k}" for j, m in enumerate("abcd") for k in range(4)]
        path = write("\n".join(["model,seed,acc", *rows, ""]))
        _, out, _ = run("compare", path, "--test", "permutation")
        assert "wider than verdicts" not in out
        assert "are computed in different ways" in " ".join(out.split())

    def test_folds(self, table, run):
        arguments = ["compare", table, "--test", "t", "--test-share", "0.1"]
        document = json.loads(run(*arguments, "--format", "json")[1])
        d = SCORES[:, 0] - SCORES[:, 1]
        t = d.mean() / math.sqrt(d.var(ddof=1) * (1.0 / 14.0 + 1.0 / 9.0))
        expected = 2.0 * scipy.stats.t.sf(abs(t), 13)
        first = in_order(document["pairs"], "abc")[0]
        assert first["pvalue"] == pytest.approx(expected)
        assert "splits with a test share of 0.1, corrected as" in document["method"]
        assert "further splits of it little" in run(*arguments)[1]
        signature = document["signature"]
        assert "test_share:0.1" in signature
        assert run("compare", table, "--verify", signature)[0] == 0
        code, _, err = run("compare", table, "--test-share", "0.1")
        assert code == 2
        assert "Expected --test-share with --test t; got --test aso." in err
        with pytest.raises(SystemExit):
            run("compare", table, "--test", "t", "--test-share", "1")

    @pytest.mark.parametrize("test", TESTS)
    @pytest.mark.parametrize("options", [[], ["--lower-is-better"]])
    def test_a_pair_has_one_answer(self, table, run, test, options):
        """Whatever the order of the columns, and whichever other models there are."""
        arguments = ["compare", table, "--test", test, "--format", "json", *options]
        arguments += ["--no-correction"]
        pairs = {}
        for columns in ("a,b,c", "c,b,a", "b,c", "c,b"):
            document = json.loads(run(*arguments, "--columns", columns)[1])
            for pair in document["pairs"]:
                names = (pair["model_a"], pair["model_b"])
                pairs.setdefault(frozenset(names), []).append(pair)
                turned = pair["mean_difference"] * (-1 if names > names[::-1] else 1)
                pair["turned"] = turned
        for same in pairs.values():
            assert len(same) >= 2
            for key in ("pvalue", "better", "turned"):
                assert len({pair[key] for pair in same}) == 1
            assert len({(pair["model_a"], pair["model_b"]) for pair in same}) == 1
            statistics = [pair["statistic"] for pair in same]
            assert statistics == pytest.approx([statistics[0]] * len(same))

    @pytest.mark.parametrize("test", ["aso", *TESTS])
    def test_json_has_fields_for_test_seed_and_resamples(self, table, run, test):
        arguments = ["compare", table, "--test", test, "--seed", "4"]
        document = json.loads(run(*arguments, "--format", "json")[1])
        drawn = {"aso": 1000, "bootstrap": 9999, "permutation": 9999}
        assert document["test"] == test
        assert document["n_resamples"] == drawn.get(test)
        assert document["seed"] == (4 if test in drawn else None)
        assert list(document["models"]) == ["a", "b", "c"]

    def test_p_values_are_shown_on_their_side_of_the_level(self):
        for level in (0.05, 1e-5):
            for p in (level, level * (1 + 1e-9), level * (1 - 1e-9)):
                assert (float(show_p_value(p, level)) <= level) == (p <= level)
        assert show_p_value(0.05, 0.05) == "0.0500"
