"""`sigarray compare --test`: the statistic and the method that it takes, and says."""

import itertools
import json
import re

import numpy as np
import pytest

from sigarray import bootstrap_test, permutation_test, t_test
from tests.cli.conftest import SCORES
from tests.pairs import in_order


class TestStatistic:
    def test_means_of_runs_are_compared_by_t(self, write, run):
        """Of a wide model with few runs, and a narrow one with many."""
        rng = np.random.default_rng(3)
        wide, narrow = rng.normal(1.0, 1.0, 5), rng.normal(0.0, 0.2, 12)
        cells = itertools.zip_longest(wide, narrow, fillvalue="")
        path = write("a,b\n" + "".join(f"{x},{y}\n" for x, y in cells))
        arguments = ["compare", path, "--format", "json", "--test"]
        by_t = json.loads(run(*arguments, "permutation")[1])
        welch = t_test(wide, narrow)
        drawn = permutation_test(wide, narrow, statistic="t", rng=0)
        plain = permutation_test(wide, narrow, rng=0)
        (pair,) = by_t["pairs"]
        assert pair["statistic"] == pytest.approx(float(welch.statistic))
        expected = max(float(welch.pvalue), float(drawn.pvalue))
        assert pair["pvalue"] == pytest.approx(expected)
        assert expected > 2.0 * float(plain.pvalue)
        assert "permutation test of the mean by Welch's t of unp" in by_t["method"]
        assert "Welch's own p counts where it is larger" in by_t["method"]
        document = json.loads(run(*arguments, "bootstrap")[1])
        # Sorted, so that the order of rows moves no number.
        p = bootstrap_test(np.sort(wide), np.sort(narrow), statistic="t", rng=0).pvalue
        assert document["pairs"][0]["pvalue"] == pytest.approx(float(p))
        assert "bootstrap test of the mean by Welch's t of unp" in document["method"]

    def test_of_equal_sizes_and_pairs_the_p_is_that_of_the_mean(self, table, run):
        """Or Welch's own, of fewer than 20 scores."""
        for options, paired in (([], False), (["--paired"], True)):
            arguments = ["compare", table, "--test", "permutation", *options]
            document = json.loads(run(*arguments, "--format", "json")[1])
            a, b = SCORES[:, 0], SCORES[:, 1]
            # Pairs of few decimals have an exact p-value, as of all 2^14 exchanges.
            count = 2 ** len(a) if paired else 9999
            p = permutation_test(a, b, paired=paired, n_resamples=count, rng=0).pvalue
            p = float(p) if paired else max(float(p), float(t_test(a, b).pvalue))
            assert in_order(document["pairs"], "abc")[0]["pvalue"] == p
            assert ("Welch's own" in document["method"]) != paired
            assert ("Welch's t" in document["method"]) != paired

    def test_a_null_hypothesis_is_named(self, table, run):
        for test, said in (
            ("mann-whitney", "that both distributions are the same"),
            ("brunner-munzel", "P(A > B) + P(A = B) / 2 = 1/2"),
        ):
            arguments = ["compare", table, "--test", test, "--format", "json"]
            assert said in json.loads(run(*arguments)[1])["method"]


class TestMethodOfManyScores:
    """Resamples of many scores are approximated, where no few of them matter."""

    @pytest.fixture
    def many(self, tmp_path):
        scores = np.random.default_rng(0).normal([0.03, 0.0], 1.0, (10_000, 2))
        path = tmp_path / "many.csv"
        np.savetxt(path, scores, "%.5f", delimiter=",", header="a,b", comments="")
        return str(path), scores

    @pytest.mark.parametrize("paired", [True, False])
    @pytest.mark.parametrize("test", ["bootstrap", "permutation"])
    def test_it_is_said_and_near_to_resampling(self, many, run, test, paired):
        path, _ = many
        options = ["compare", path, "--test", test, "--format", "json"]
        options += ["--paired"] if paired else ["--unit", "run"]
        quick = json.loads(run(*options)[1])
        assert "P-values are by saddlepoint approximation. " in quick["method"]
        slow = json.loads(run(*options, "--n-resamples", "2000")[1])
        assert re.search(r"2000 (resamples|random \w+) \(seed 0\)", slow["method"])
        p, drawn = (x["pairs"][0]["pvalue"] for x in (quick, slow))
        assert drawn == pytest.approx(p, abs=5.0 * (p * (1.0 - p) / 2000) ** 0.5 * 2)

    @pytest.mark.long
    def test_a_few_scores_that_make_the_variance_are_resampled(self, many, write, run):
        scores = many[1].copy()
        scores[:3] *= 1e6
        path = write("a,b\n" + "\n".join(f"{a:.3f},{b:.3f}" for a, b in scores))
        options = ["--test", "bootstrap", "--paired", "--format", "json"]
        method = json.loads(run("compare", path, *options)[1])["method"]
        assert (
            "of 9999 resamples (seed 0), and of more where p is near a level. "
            in method
        )

    @pytest.mark.long
    def test_draws_near_a_level_are_taken_on(self, write, run):
        """Until no seed decides: p is 0.045 over all ways to deal out the scores."""
        rng = np.random.default_rng(4)
        while True:
            scores = rng.normal([0.0, 0.8], 1.0, (12, 2)).round(4)
            p = permutation_test(*scores.T, n_resamples=10**5, rng=0).pvalue
            if 0.043 < p < 0.047:
                break
        path = write("a,b\n" + "\n".join(f"{a},{b}" for a, b in scores))
        options = ["compare", path, "--test", "permutation", "--format", "json"]
        found = [json.loads(run(*options, "--seed", str(k))[1]) for k in range(12)]
        assert {x["pairs"][0]["better"] for x in found} == {"b"}

    def test_verdicts_that_hang_on_the_seed_are_warned_of(self, write, run):
        """Of 4 models, the adjusted p of a and c, and of a and d, is near 0.05."""
        scores = np.random.default_rng(2).normal(size=(4, 40)).T
        scores[:, 0] += 0.55
        lines = [",".join(f"{x:.5f}" for x in row) for row in scores]
        path = write("a,b,c,d\n" + "\n".join(lines))
        options = ["compare", path, "--unit", "item", "--test", "permutation"]
        said = run(*options)[2]
        assert (
            "The adjusted p of 'a' and 'c', 'a' and 'd' is 0.05 up to the error of "
            "9,999 random resamples, so that another seed may decide otherwise" in said
        )
        assert not run(*options, "--method", "saddlepoint")[2]

    @pytest.mark.long
    def test_no_seed_is_doubted_where_p_is_that_of_welch(self, write, run):
        rng = np.random.default_rng(1)
        while True:
            a, b = rng.normal(0.9, 1.0, 12), rng.normal(0.0, 1.0, 12)
            welch = float(t_test(a, b).pvalue)
            drawn = float(permutation_test(a, b, n_resamples=9999, rng=0).pvalue)
            if drawn < welch and 0.0497 < welch < 0.0505:
                break
        path = write(
            "a,b\n"
            + "\n".join(
                f"{x!r},{y!r}" for x, y in zip(a.tolist(), b.tolist(), strict=True)
            )
        )
        arguments = ["compare", path, "--test", "permutation", "--format", "json"]
        _, out, err = run(*arguments)
        assert json.loads(out)["pairs"][0]["pvalue"] == pytest.approx(welch)
        assert "another seed" not in err

    def test_methods_by_option(self, table, run):
        for method in ("resampling", "saddlepoint"):
            options = ["--test", "permutation", "--method", method]
            code, out, _ = run("compare", table, *options)
            assert code == 0
            assert ("saddlepoint" in out) == (method == "saddlepoint")
