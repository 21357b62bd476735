"""Models compared by ratings of an item by the same raters, where they share some."""

import json
import random
import shlex
from statistics import fmean

import pytest

from sigarray import compare_models, read
from sigarray.read import TableError
from tests.read.asking import refuse
from tests.read.long_tables import as_csv

HEADER = "item,rater,system,rating"
ROUTES = [("--run", "rater"), ("--ignore", "rater")]


def rate_strictly(n_items=40, n_strict=8):
    """Two equal systems; of one, a strict rater has rated a few items alone."""
    draw = random.Random(3)
    severities = {"ann": 0, "bob": 0, "strict": -2}
    return [
        (f"q{k}", rater, system, 4 + bias + draw.choice((0, 0, 1, -1)))
        for k in range(n_items)
        for system in ("base", "ours")
        for rater, bias in severities.items()
        if rater != "strict" or system == "base" or k < n_strict
    ]


def rate_at_random(models, seed, share=0.8):
    draw = random.Random(seed)
    return [
        (f"q{k}", rater, model, draw.randint(1, 5))
        for k in range(25)
        for rater in "uvw"
        for model in models
        if draw.random() < share
    ]


def match(rows, models):
    """Return the scores of items by slow code: means over raters of all models."""
    ratings = {row[:3]: row[3] for row in rows}
    items = list(dict.fromkeys(row[0] for row in rows))
    means = {model: {} for model in models}
    for item in items:
        same = [x for x in "uvw" if all((item, x, m) in ratings for m in models)]
        for model in models if same else ():
            means[model][item] = fmean(ratings[item, x, model] for x in same)
    return means


def warn(done):
    return [x for x in done[2].splitlines() if "sigarray: warning" in x]


class TestMatching:
    @pytest.mark.parametrize("route", ROUTES)
    def test_severity_of_a_rater_is_no_difference(self, write, run, route):
        path = write(as_csv(rate_strictly(), HEADER))
        options = ("--unit", "item", *route)
        done = run("compare", path, *options, "--format", "json")
        found = json.loads(done[1])
        assert found["pairs"][0]["better"] is None
        assert found["pairs"][0]["mean_difference"] == pytest.approx(-0.03, abs=0.15)
        said = (
            "The score of an item is the mean of 2 to 3 ratings (by rater). Raters "
            "are averaged: results are about other items, not other raters. 32 of 208 "
            "ratings were left out, because not all models have one of the item by the "
            "same rater."
        )
        assert said in found["method"]
        (left,) = warn(done)
        assert (
            "32 of 208 scores were left out, because not all models have one of the "
            "item by the same 'rater'"
        ) in left
        gate = ("--fail-unless-better", "ours", "--higher-is-better")
        assert run("compare", path, *options, *gate)[0] == 1
        quiet = run("compare", path, *options, "--quiet", "--format", "sentences")
        assert "ratings were left out, because not all models" in quiet[1]

    def test_without_raters_it_is_one(self, write, run):
        """So the data have what matching takes off."""
        rows = [(item, system, x) for item, _, system, x in rate_strictly()]
        path = write(as_csv(rows, "item,system,rating"))
        _, out, _ = run("compare", path, "--unit", "item", "--format", "json")
        (pair,) = json.loads(out)["pairs"]
        assert pair["better"] == "ours"

    def test_in_python(self, write):
        pandas = pytest.importorskip("pandas")
        path = write(as_csv(rate_strictly(), HEADER))
        frame = pandas.read_csv(path)
        with pytest.raises(TableError, match=r"pass run='rater', with unit='item', to"):
            read.scores(frame)
        table = read.scores(frame, run="rater", unit="item")
        assert table.raters[""][:3] == ("rater", 32, 208)
        assert table.doubts == ()
        (pair,) = json.loads(compare_models(table).to_json())["pairs"]
        assert pair["better"] is None

    @pytest.mark.parametrize("seed", range(4))
    @pytest.mark.parametrize("models", ["ab", "abc", "abcd"])
    def test_numbers_are_those_of_slow_code(self, write, models, seed):
        rows = rate_at_random(models, seed)
        path = write(as_csv(rows, HEADER))
        table = read.scores(path, run="rater", unit="item", drop_unmatched=True)
        for model, by_item in match(rows, models).items():
            found = dict(zip(table.ids[""][model], table.scores[model], strict=True))
            assert found == pytest.approx(by_item)
        pairs = table.pairs[""] if len(models) > 2 else {}
        assert len(pairs) == len(models) * (len(models) - 1) / 2 * (len(models) > 2)
        for (a, b), of_both in pairs.items():
            two = match(rows, (a, b))
            for model, scores in zip((a, b), of_both, strict=True):
                by_item = [two[model][x] for x in sorted(two[model])]
                assert scores.tolist() == pytest.approx(by_item)

    @pytest.mark.parametrize("models", ["ab", "abc"])
    def test_numbers_are_those_of_a_column_for_each_model(self, write, run, models):
        rows = rate_at_random(models, 0)
        ratings = {row[:3]: row[3] for row in rows}
        names = list(dict.fromkeys(row[:2] for row in rows))
        wide = [(*x, *(ratings.get((*x, m), "") for m in models)) for x in names]
        options = ("--unit", "item", "--drop-unmatched", "--format", "json")
        by_row = run(
            *("compare", write(as_csv(rows, HEADER)), "--run", "rater", *options)
        )
        path = write(as_csv(wide, ",".join(["item", "rater", *models])), "wide.csv")
        by_model = run(
            *("compare", path, "--item", "item", "--ignore", "rater", *options)
        )
        pairs = [json.loads(x[1])["pairs"] for x in (by_row, by_model)]
        for x, y in zip(*pairs, strict=True):
            assert x["mean_difference"] == pytest.approx(y["mean_difference"])
            assert x["n_a"] == y["n_a"]
            # Random exchanges are of items in the order of the file.
            assert x["pvalue"] == pytest.approx(y["pvalue"], abs=0.02)

    def test_scores_that_are_not_matched_in_all_models(self, write, run):
        """Of two models that share raters, a third with one of them takes nothing."""
        rows = [
            (f"q{k}", rater, m, 1 + (k * i + 2 * len(rater)) % 5)
            for k in range(20)
            for i, m in enumerate("abc", 1)
            for rater in (("ann", "carla") if m != "c" else ("ann",))
        ]
        path = write(as_csv(rows, HEADER))
        options = ("--unit", "item", "--run", "rater")
        _, out, err = run("compare", path, *options, "--format", "json")
        found = json.loads(out)
        assert "ratings were left out of means, because not all mod" in found["method"]
        assert "A pair is compared on all 20 items, by the scores" in found["method"]
        assert "means are of the scores that are matched in all models" in err
        text = " ".join(run("compare", path, *options)[1].split())
        assert "Means are of the scores that are matched in all models, but" in text
        two = [x for x in rows if x[2] != "c"]
        alone = run("compare", write(as_csv(two, HEADER)), *options, "--format", "json")
        (expected,) = json.loads(alone[1])["pairs"]
        (pair,) = (x for x in found["pairs"] if {x["model_a"], x["model_b"]} == {*"ab"})
        assert pair["pvalue"] == expected["pvalue"]

    def test_items_without_a_rater_of_all_models(self, write, run):
        rows = [x for x in rate_strictly() if x[:3] != ("q9", "ann", "ours")]
        rows = [x for x in rows if x[:3] != ("q9", "bob", "base")]
        path = write(as_csv(rows, HEADER))
        options = ("--unit", "item", "--run", "rater")
        said = "by the same 'rater' for all models; got none of 1 of 40 items ('q9')."
        refuse(run("compare", path, *options), said, "Pass --drop-unmatched to leave")
        with pytest.raises(TableError, match="drop_unmatched=True to leave them out"):
            read.scores(path, run="rater", unit="item")
        options += ("--drop-unmatched", "--format", "json")
        _, out, err = run("compare", path, *options)
        assert "34 of 206 ratings, with 1 of 40 items, were left out, bec" in out
        assert "34 of 206 scores, with 1 of 40 items, were left out, b" in err
        assert json.loads(out)["models"]["ours"]["n"] == 39
        assert "in which" not in json.loads(out)["method"]


class TestRatersThatAreNotMatched:
    """Of most items, models have no rater in common."""

    ROWS = tuple(
        (f"q{k}", rater, m, 1 + (k * i + len(rater)) % 5)
        for k in range(20)
        for i, m in enumerate("ab", 1)
        for rater in ("ann", ("bob", "carla")[m == "b" and k > 3], "dan")
        if rater == "bob" or k < 4 or (rater == "ann") == (m == "a")
    )

    def test_a_warning_names_the_command_that_does(self, write, run):
        path = write(as_csv(self.ROWS, HEADER))
        done = run("compare", path, "--unit", "item", "--run", "rater")
        (line,) = warn(done)
        assert "A difference between models may be one between these. To com" in line
        said = (
            "Scores of models are not by the same rater, which may explain a "
            "difference between them."
        )
        assert " ".join(done[1].split()).count(said) == 2  # the method line is one
        options = ("--unit", "item", "--run", "rater", "--format", "sentences")
        verdicts, method = run("compare", path, *options)[1].strip().split("\n\n")
        assert said in verdicts
        assert said in method
        options = shlex.split(line[line.index(", pass ") + 7 :].rstrip("."))
        code, out, err = run("compare", path, *options, "--format", "json")
        assert code == 0, err
        assert json.loads(out)["models"]["a"]["n"] == 4
        table = read.scores(path, run="rater", unit="item")
        assert "rater" in table.doubts[0]
        assert table.raters[""].others == ("rater",)
        assert len(table.scores["a"]) == 20
