"""Items and runs that some models lack, left out of their pairs alone."""

import json
import math
import random
from pathlib import Path

import pytest
import scipy.stats

from tests.read.asking import refuse

DRAW = random.Random(0)


class TestUnmatched:
    def rows(self):
        scores = {m: {k: DRAW.random() for k in range(20)} for m in "abc"}
        scores["c"] = {k: x for k, x in scores["c"].items() if k < 12}
        del scores["b"][0]
        return scores

    def write(self, write, scores, name="item"):
        rows = [f"{m},{k},{x!r}" for m, by in scores.items() for k, x in by.items()]
        return write("\n".join([f"model,{name},f1", *rows]))

    def test_what_one_lacks_is_left_out_of_its_pairs_alone(self, write, run):
        scores = self.rows()
        path = self.write(write, scores)
        refuse(run("compare", path), "--drop-unmatched")
        options = ("--drop-unmatched", "--format", "json")
        code, out, err = run("compare", path, *options)
        assert code == 0, err
        assert "'a' and 'b' on 19, 'a' and 'c' on 12, 'b' and 'c' on 11" in err
        assert "items that both have" in json.loads(out)["method"]
        found = json.loads(out)["pairs"]
        for record in found:
            a, b = record["model_a"], record["model_b"]
            two = self.write(write, {a: scores[a], b: scores[b]})
            (alone,) = json.loads(run("compare", two, *options)[1])["pairs"]
            assert record["pvalue"] == alone["pvalue"]
            # Of three models, the first of a pair is the better one on all items.
            sizes = [abs(x["mean_difference"]) for x in (record, alone)]
            assert sizes[0] == pytest.approx(sizes[1])
            assert record["statistic"] == pytest.approx(record["mean_difference"])
            n_both = len(scores[a].keys() & scores[b].keys())
            assert (record["n_a"], record["n_b"]) == (n_both, n_both)

    def test_beside_a_baseline_other_pairs_do_not_count(self, write, run):
        path = self.write(write, self.rows())
        options = ("--drop-unmatched", "--baseline", "a")
        _, out, _ = run("compare", path, *options)
        text = " ".join(out.split())
        assert "A pair is compared on the 12 to 19 items that both have" in text
        assert "intervals and p are of the 12 to 19 that both models of a" in text
        assert (
            "9 of 20 items, in which 9 scores were missing, were left out of m" in text
        )

    def test_numbers_say_which_items_they_are_of(self, write, run):
        """A mean less another one is not the difference of a pair."""
        path = self.write(write, self.rows())
        told = (
            "eans are of the 11 items that all models have, but differences, intervals "
            "and p are of the 11 to 19 that both models of a pair have."
        )
        for style in ("text", "markdown", "latex", "sentences"):
            _, out, _ = run("compare", path, "--drop-unmatched", "--format", style)
            assert f"M{told}" in " ".join(out.split()), style
        _, out, _ = run("compare", path, "--drop-unmatched", "--format", "sentences")
        for n in (11, 12, 19):
            assert f", {n} items)" in out
        _, out, _ = run("compare", path, "--drop-unmatched", "--format", "json")
        verdicts = json.loads(out)["verdicts"]
        for n in (11, 12, 19):
            said = f"the means on the {n} items of both differ by"
            assert [said in x for x in verdicts].count(True) == 1
        _, out, _ = run("compare", path, "--drop-unmatched", "--format", "markdown")
        rows = [x.split("|") for x in out.splitlines() if x.startswith("|")]
        assert rows[0][3].strip() == "n"
        assert {x[3].strip() for x in rows[2:5]} == {"11", "12", "19"}
        rows = [x.split(",") for x in Path(path).read_text().split()[1:]]
        draw = random.Random(0)
        lines = [f"t,{m},{k},{x}" for m, k, x in rows]
        lines += [f"u,{m},{k},{draw.random()}" for m, k, _ in rows]
        both = write("\n".join(["task,model,item,f1", *lines]), "tasks.csv")
        _, out, _ = run("compare", both, "--drop-unmatched")
        of_one = told.removeprefix("eans").replace("intervals and p", "{} of this task")
        of_one = of_one.format("intervals and p")
        told = [f"On {x}, means, and so all verdicts over tasks,{of_one}" for x in "tu"]
        assert " ".join(told) in " ".join(out.split())

    @pytest.mark.parametrize("test", ["t", "permutation"])
    def test_paired_runs_are_left_out_by_pair_too(self, write, run, test):
        scores = self.rows()
        path = self.write(write, scores, "seed")
        options = ("--paired", "--test", test, "--format", "json")
        refuse(run("compare", path, *options), "--drop-unmatched")
        options += ("--drop-unmatched",)
        code, out, err = run("compare", path, *options)
        assert code == 0, err
        assert "means are of the 11 runs that all models have" in err
        assert "'a' and 'b' on 19, 'a' and 'c' on 12, 'b' and 'c' on 11" in err
        assert "on the 11 to 19 runs that both have" in json.loads(out)["method"]
        for record in json.loads(out)["pairs"]:
            a, b = record["model_a"], record["model_b"]
            both = sorted(scores[a].keys() & scores[b].keys())
            x, y = ([scores[name][k] for k in both] for name in (a, b))
            if test == "t":
                expected = scipy.stats.ttest_rel(x, y).pvalue
                assert record["pvalue"] == pytest.approx(expected)
            difference = math.fsum(x) / len(x) - math.fsum(y) / len(y)
            assert record["mean_difference"] == pytest.approx(difference)
        # Runs that are not paired are all there.
        _, out, _ = run("compare", path, "--test", "t", "--format", "json")
        sizes = [x["n"] for x in json.loads(out)["models"].values()]
        assert sizes == [20, 19, 12]

    def test_items_that_all_have_are_as_they_were(self, write, run):
        scores = {m: {k: DRAW.random() for k in range(20)} for m in "abc"}
        path = self.write(write, scores)
        done = run("compare", path, "--drop-unmatched")
        assert done == run("compare", path)
