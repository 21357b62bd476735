"""Raters of items, and whatever else tells scores of an item apart."""

import json
import random
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest

from sigarray import compare_models, read
from sigarray.read import TableError
from tests.read.asking import refuse
from tests.read.long_tables import as_csv

README = Path(__file__).parents[2] / "README.md"
DRAW = random.Random(0)
BOTH = {"a": ("ann", "bob", "cid"), "b": ("ann", "bob", "cid")}
APART = {"a": ("ann", "bob"), "b": ("cid", "dan")}


def rate(raters, *, column="rater", n_items=12):
    rows = [
        (m, f"q{k}", rater, DRAW.randint(1, 5))
        for m, by in raters.items()
        for k in range(n_items)
        for rater in by
    ]
    return as_csv(rows, f"model,item,{column},score")


def warn(done):
    return [x for x in done[2].splitlines() if "sigarray: warning" in x]


class TestAdvice:
    @pytest.mark.parametrize("column", ["rater", "annotator_id", "judge", "workerID"])
    def test_ratings_are_to_be_averaged(self, write, run, column):
        path = write(rate(BOTH, column=column))
        advice = f"--run {column}, with --unit item, to average the ratings of an"
        for options in ((), ("--unit", "run"), ("--unit", "item")):
            done = run("compare", path, *options)
            refuse(done, advice)
            assert "compare on each" not in done[2].partition(advice)[0]
            assert f"item,{column}" not in done[2]
            assert f"{column},item" not in done[2]
        for option in ("--run", "--ignore"):
            _, out, err = run("compare", path, "--unit", "item", option, column)
            assert (
                "72 scores were averaged within items: each model has 12 items" in err
            )
            assert "warning" not in err
            said = (
                f"The score of an item is the mean of 3 ratings (by {column}). Raters"
            )
            said += " are averaged: results are about other items, not other raters."
            assert said in " ".join(out.split())
            assert "shares of scores" not in out
            assert "ratings were left out" not in out

    def test_a_pool_of_raters_is_averaged(self, write, run):
        """Three of five rate an item, for all models: nothing else can be meant."""
        rows = [
            (m, f"q{k}", "abcde"[(k + r) % 5], DRAW.randint(1, 5))
            for m in ("x", "y")
            for k in range(20)
            for r in range(3)
        ]
        path = write(as_csv(rows, "model,item,rater,score"))
        code, out, err = run("compare", path)
        assert (code, "several scores of an item were averaged" in err) == (0, True)
        assert "the mean of 3 ratings (by rater). Raters" in " ".join(out.split())
        table = read.scores(path)
        assert table.scores["x"][1] == sum(x[3] for x in rows[3:6]) / 3
        wide = write(as_csv(rows, "model,item,question,score"), "others.csv")
        refuse(run("compare", wide), "one for each value of")

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            (("--run", "rater"), "--unit run averages over the items. Where"),
            (
                ("--run", "rater", "--unit", "run"),
                "for a run; but 20 of 20 items",
            ),
            (("--cluster", "rater"), "to have one cluster; got 'b', and 'a' at"),
            (("--cluster", "rater"), "anew in each, pass --item rater,"),
        ],
    )
    def test_raters_as_runs_or_clusters(self, write, run, options, said):
        """The same number of ratings of each item, by raters that vary."""
        rows = [
            (m, f"q{k}", "abcde"[(k + n + r) % 5], DRAW.randint(1, 5))
            for n, m in enumerate(("x", "y"))
            for k in range(20)
            for r in range(3)
        ]
        path = write(as_csv(rows, "model,item,rater,score"))
        advice = "Where 'rater' names raters, pass --run rater, with --unit item, to"
        refuse(run("compare", path, *options), said, advice)
        frame = pytest.importorskip("pandas").read_csv(path)
        arguments = {x[2:]: y for x, y in zip(options[::2], options[1::2], strict=True)}
        with pytest.raises(
            TableError, match=r"raters, pass run='rater', with unit='item', to av"
        ):
            read.scores(frame, **arguments)
        assert run("compare", path, "--run", "rater", "--unit", "item")[0] == 0
        refuse(run("compare", path), "'rater': pass --run rater, with --unit item, to")

    def test_runs_without_raters_are_drawn_as_items_are(self, write, run):
        code, out, err = run("compare", write(rate(BOTH, column="seed")))
        assert code == 0
        assert "runs x 12 items" in out
        assert "names raters" not in err

    def test_raters_may_be_taken_for_runs(self, write, run):
        path = write(rate(BOTH))
        code, _, err = run("compare", path, "--run", "rater", "--unit", "run,item")
        assert code == 0
        assert "for an independent run of a model, as --unit run,item says. To" in err

    def test_the_command_of_the_readme(self, write, run):
        command = "sigarray compare ratings.csv --unit item --run rater"
        assert f"`{command}`" in README.read_text(encoding="utf-8")
        path = write(rate(BOTH), "ratings.csv")
        code, out, _ = run("compare", path, *command.split()[3:], "--format", "json")
        assert code == 0
        assert json.loads(out)["models"]["a"]["n"] == 12

    def test_items_of_other_raters_are_no_others(self, write, run):
        path = write(rate(BOTH))
        done = run("compare", path, "--item", "item,rater")
        (line,) = warn(done)
        assert "scores of one item by 'rater' are taken for items of their own" in line
        assert "--item item --run rater --unit item." in line
        options = ("--item", "item", "--run", "rater", "--unit", "item")
        assert not warn(run("compare", path, *options))
        of_clusters = run("compare", path, "--item", "item,rater", "--cluster", "item")
        assert not warn(of_clusters)

    @pytest.mark.parametrize("column", ["seed", "trial", "run_id"])
    def test_items_of_other_runs_are_no_others(self, write, run, column):
        path = write(rate(dict.fromkeys("ab", ("1", "2", "3")), column=column))
        (line,) = warn(run("compare", path, "--item", f"item,{column}"))
        assert (
            f"scores of one item by '{column}' are taken for items of their o" in line
        )
        advice = f"--item item --run {column} --unit item"
        assert f"{advice}." in line
        done = run("compare", path, *advice.split())
        assert not warn(done)
        assert (
            "72 scores were averaged within items: each model has 12 items" in done[2]
        )

    def test_items_of_raters_in_several_runs(self, write, run):
        rows = rate(dict.fromkeys("ab", ("ann", "bob"))).splitlines()
        text = [f"{rows[0]},seed", *(f"{x},{k}" for x in rows[1:] for k in (1, 2))]
        path = write("\n".join(text))
        (line,) = warn(run("compare", path, "--item", "item,rater,seed"))
        advice = "--item item --run rater,seed --unit item"
        assert f"{advice}." in line
        done = run("compare", path, *advice.split())
        assert (done[0], warn(done)) == (0, [])

    def test_items_of_runs_alone_are_items(self, write, run):
        path = write(rate(dict.fromkeys("ab", ("1", "2")), column="seed"))
        text = Path(path).read_text().replace("item", "trial")
        done = run("compare", write(text), "--item", "trial,seed")
        assert (done[0], warn(done)) == (0, [])

    def test_other_columns_may_name_items(self, write, run):
        path = write(rate(dict.fromkeys("ab", ("law", "history")), column="subject"))
        done = run("compare", path)
        refuse(done, "--ignore subject, with --unit item, to average", "--task subject")
        refuse(done, "--item subject,item, but only if names are used again for other")
        assert not warn(run("compare", path, "--item", "subject,item"))

    def test_pooled_settings(self, write, run):
        rows = [
            f"{m},{k},{lr},{DRAW.random()}"
            for m in "ab"
            for k in range(5)
            for lr in (0.1, 0.2)
        ]
        path = write("\n".join(["model,seed,lr,acc", *rows]))
        err = run("compare", path, "--metric", "acc")[2]
        said = "or pool them with --run seed,lr, for runs in which 'lr' v"
        assert said in err
        assert err.index("--where lr=0.2") < err.index("--model model,lr")
        assert err.index("--model model,lr") < err.index("--run seed,lr")
        err = run("compare", path, "--run", "seed,lr")[2]
        assert "runs of all values of 'lr' were taken together: a verdict is on" in err

    @pytest.mark.parametrize("column", ["config", "lr", "prompt_style"])
    def test_settings_of_any_name_that_are_pooled(self, write, run, column):
        rows = [
            (m, k, setting, f"{DRAW.random():.3f}")
            for m in "ab"
            for k in range(5)
            for setting in ("x", "y")
        ]
        path = write(as_csv(rows, f"model,seed,{column},acc"))
        said = f"runs of all values of '{column}' were taken together"
        assert said in run("compare", path, "--run", f"seed,{column}")[2]
        wide = [f"{k},{x},{DRAW.random()},{DRAW.random()}" for _, k, x, _ in rows[:10]]
        path = write("\n".join([f"seed,{column},a,b", *wide]))
        assert said in run("compare", path, "--run", f"seed,{column}")[2]

    @pytest.mark.parametrize("column", ["fold", "repeat", "rep", "config"])
    def test_parts_of_runs_are_no_settings(self, write, run, column):
        rows = [
            (m, k, m if column == "config" else part, f"{DRAW.random():.3f}")
            for m in "ab"
            for k in range(5)
            for part in ((0,) if column == "config" else (0, 1))
        ]
        path = write(as_csv(rows, f"model,seed,{column},acc"))
        options = ("--run", f"seed,{column}", "--unit", "run", "--metric", "acc")
        code, _, err = run("compare", path, *options)
        assert code == 0, err
        assert "taken together" not in err


class TestColumnsOfModels:
    def test_rows_of_an_item_are_averaged_where_that_is_said(self, write, run):
        rows = [f"q{k % 4},r{k // 4},{k + 0.5},{k * k}" for k in range(12)]
        path = write("\n".join(["item,rater,a,b", *rows]))
        options = ("--item", "item", "--ignore", "rater")
        refuse(run("compare", path, *options), "--unit item, which averages them")
        table = read.scores(path, item="item", unit="item", models=["a", "b"])
        assert table.ids[""]["a"] == ("q0", "q1", "q2", "q3")
        assert table.scores["a"].tolist() == [4.5, 5.5, 6.5, 7.5]
        assert table.scores["b"].tolist() == [80 / 3, 107 / 3, 140 / 3, 179 / 3]
        _, _, err = run("compare", path, *options, "--unit", "item")
        assert "12 rows were averaged within items: each model has 4 items" in err
        assert warn(run("compare", path, "--item", "item,rater"))

    def test_a_row_that_is_there_twice_is_no_rating(self, write):
        rows = [f"q{k},{k},{k * k}" for k in (0, 1, 2, 3, 3)]
        with pytest.raises(TableError, match=r"each item once; got 'q3' again"):
            read.scores(write("\n".join(["item,a,b", *rows])), unit="item", item="item")


class TestOtherRatersOfEachModel:
    SAID = (
        "scores of models are not by the same 'rater': of 4, 'a' lacks 2 ('cid', 'dan')"
        "; 'b' lacks 2 ('ann', 'bob'). A difference between models may be one between "
        "these."
    )

    @pytest.mark.parametrize("options", [("--ignore", "rater"), ("--run", "rater"), ()])
    def test_they_are_doubted(self, write, run, options):
        done = run("compare", write(rate(APART)), "--unit", "item", *options)
        (line,) = warn(done)
        assert self.SAID in line

    def test_of_one_rating_each(self, write, run):
        path = write(rate({"a": ("ann",), "b": ("bob",)}))
        (line,) = warn(run("compare", path))
        assert "of 2, 'a' lacks 1 ('bob'); 'b' lacks 1 ('ann')" in line

    def test_by_words_that_tell_scores_apart(self, write, run):
        path = write(rate(APART, column="site"))
        (line,) = warn(run("compare", path, "--unit", "item", "--ignore", "site"))
        assert "not by the same 'site'" in line

    @pytest.mark.parametrize("column", ["seed", "sample", "run_name"])
    def test_runs_and_samples_may_differ(self, write, run, column):
        raters = {"a": ("seed1", "seed2"), "b": ("seed3", "seed4")}
        path = write(rate(raters, column=column))
        done = run("compare", path, "--unit", "item", "--run", column)
        assert done[0] == 0
        assert not warn(done)

    @pytest.mark.parametrize("column", ["rating", "vote", "Rating (1-5)"])
    def test_ratings_are_no_raters(self, write, run, column):
        rows = [
            (m, f"q{k}", 1 + (k + (m == "b")) % (5 - (m == "a")))
            for m in "ab"
            for k in range(12)
        ]
        path = write(as_csv(rows, f"model,item,{column}"))
        for options in ((), ("--metric", column)):
            done = run("compare", path, *options)
            assert (done[0], warn(done)) == (0, [])

    def test_other_ratings_are_no_raters(self, write, run):
        rows = [
            (m, f"q{k}", (k + (m == "b")) % 3 + 1, k % 4 + (m == "b"))
            for m in "ab"
            for k in range(12)
        ]
        path = write(as_csv(rows, "model,item,fluency_rating,adequacy_rating"))
        done = run("compare", path, "--metric", "fluency_rating")
        assert (done[0], warn(done)) == (0, [])
        words = [
            (m, f"q{k}", f"{m}{k % 2}", k % 3 + 1) for m in "ab" for k in range(12)
        ]
        path = write(as_csv(words, "model,item,vote,score"))
        assert "not by the same 'vote'" in warn(run("compare", path))[0]

    def test_of_other_models_nothing_is_said(self, write, run):
        path = write(rate(APART | {"c": ("ann", "bob", "cid")}))
        (left,) = warn(run("compare", path, "--unit", "item", "--columns", "a,c"))
        assert "12 of 60 scores were left out" in left
        options = ("--unit", "item", "--ignore", "b", "--run", "rater")
        assert warn(run("compare", path, *options)) == [left]


class TestUnequalShares:
    """Nobody rates both answers to a question."""

    def rate(self, n_of_ann, n_tasks=1):
        """Ann, who is kind, has rated so many answers of a, and b where Bob has a."""
        rows = [
            (
                m,
                f"t{task}",
                f"q{task}_{k}",
                rater,
                9 * by + (k + 2 * (m == "ab"[task % 2])) % 5,
            )
            for task in range(n_tasks)
            for k in range(20)
            for m in "ab"
            for by in ((k < n_of_ann) == (m == "a"),)
            for rater in (("bob", "ann")[by],)
        ]
        return as_csv(rows, "model,task,item,rater,acc")

    def test_a_warning_and_the_method_line_say_so(self, write, run):
        path = write(self.rate(17))
        done = run("compare", path, "--unit", "item", "--ignore", "rater")
        (line,) = warn(done)
        assert (
            "each 'rater' has scores of all models of task 't0', but in unequal "
            "shares, by which alone 'b' is 6.8 lower than 'a', more than by chance. A "
            "difference between models may be one between these."
        ) in line
        said = "Models have unequal shares of scores by the same rater, which may"
        assert said in " ".join(done[1].split())

    def test_a_sentence_for_each_column(self, write, run):
        header, *rows = self.rate(17).split()
        judges = [f"{row},{'xy'[row.startswith('b')]}" for row in rows]
        path = write("\n".join([f"{header},judge", *judges]) + "\n")
        options = ("--unit", "item", "--ignore", "rater", "--format", "sentences")
        done = run("compare", path, *options)
        assert done[1].count("Scores of models are not by the same judge, which m") == 2
        assert done[1].count("unequal shares of scores by the same rater, which m") == 2

    def test_of_several_tasks_the_first_is_named(self, write):
        table = read.scores(write(self.rate(17, n_tasks=3)), unit="item")
        (doubt,) = table.doubts
        assert "of task 't0'" in doubt
        assert doubt.endswith("between these. So it is on 2 more tasks")
        with pytest.warns(UserWarning, match="unequal shares"):
            result = compare_models(table)
        said = "Models have unequal shares of scores by the same rater on 3 of 3 ta"
        assert said in result.method

    def test_shares_of_a_random_assignment(self, write, run):
        """Each item is rated by three of twelve raters for each model, or by one."""
        said = 0
        for seed in range(20):
            draw = np.random.default_rng(seed)
            rows = [
                (m, f"q{k}", f"r{rater}", draw.integers(5))
                for k in range(60)
                for m in "ab"
                for rater in draw.choice(12, 1 + 2 * (seed % 2), replace=False)
            ]
            path = write(as_csv(rows, "model,item,rater,acc"))
            options = ("--unit", "item", "--ignore", "rater")
            said += "unequal shares" in run("compare", path, *options)[2]
        assert said == 0

    def test_equal_shares(self, write, run):
        for text in (rate(BOTH), self.rate(10)):
            done = run("compare", write(text), "--unit", "item", "--ignore", "rater")
            assert (done[0], warn(done)) == (0, [])
            assert "unequal shares" not in done[2]
            assert "The shares of" not in done[1]


class TestItemsAsRuns:
    ROWS = tuple(f"q{k},{DRAW.random():.3f},{DRAW.random():.3f}" for k in range(12))

    def test_a_warning_says_so(self, write, run):
        path = write(rate({"a": ("ann",), "b": ("ann",)}))
        (line,) = warn(run("compare", path, "--unit", "run"))
        assert (
            "each score of an item is taken for an independent run, as --unit run says"
            in line
        )
        assert read.scores(path).doubts == ()
        seeds = dict.fromkeys("ab", ("1", "2", "3", "4"))
        with_runs = write(rate(seeds, column="seed"))
        assert read.scores(with_runs, unit="run").doubts == ()

    def test_and_where_the_items_are_left_out(self, write, run):
        wide = write("\n".join(["question,a,b", *self.ROWS]))
        rows = [
            f"{m},{item},{scores[k]}"
            for k, m in enumerate("ab")
            for item, *scores in (row.split(",") for row in self.ROWS)
        ]
        long = write("\n".join(["model,question,acc", *rows]), "long.csv")
        said = "column 'question' was left out, and each of its rows is taken for an in"
        for path in (wide, long):
            (line,) = warn(run("compare", path, "--ignore", "question"))
            assert said in line
            assert not warn(run("compare", path, "--item", "question"))
        assert not warn(run("compare", wide, "--columns", "a,b"))
        options = ("--ignore", "question", "--paired", "--test", "t")
        assert not warn(run("compare", wide, *options))


class TestRatersAsRuns:
    def rate(self, n_items_of_each):
        return as_csv(
            [
                (model, f"q{k}", f"r{(k + j) % 4}", 1 + (k + j + i) % 5)
                for i, model in enumerate("ab")
                for k in range(12)
                for j in range(n_items_of_each)
            ],
            "model,item,rater,rating",
        )

    def test_an_error_says_what_was_understood(self, write, run):
        path = write(self.rate(2))
        done = run("compare", path, "--unit", "run", "--run", "rater")
        assert done[0] == 2
        assert "because --unit run compares the means of each 'rater', tak" in done[2]
        assert "Where 'rater' names raters, pass --run rater, with --unit" in done[2]
        assert run("compare", path, "--unit", "item", "--run", "rater")[0] == 0

    def test_a_warning_where_all_rate_all_items(self, write, run):
        path = write(self.rate(4))
        done = run("compare", path, "--unit", "run", "--run", "rater", "--quiet")
        assert done[0] == 0
        (line,) = [x for x in warn(done) if "is taken for an independent run" in x]
        assert line.endswith("pass --unit item --run rater.")
        assert warn(run("compare", path, "--unit", "item", "--run", "rater")) == []


HEADER = "item,rater,system,rating"


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


def rate_at_random(models, seed, share=0.93):
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


class TestMatching:
    def test_severity_of_a_rater_is_no_difference(self, write, run):
        path = write(as_csv(rate_strictly(), HEADER))
        options = ("--unit", "item", "--run", "rater")
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
        """So the data have what matching takes off; also if raters are ignored."""
        rows = [(item, system, x) for item, _, system, x in rate_strictly()]
        path = write(as_csv(rows, "item,system,rating"))
        _, out, _ = run("compare", path, "--unit", "item", "--format", "json")
        (pair,) = json.loads(out)["pairs"]
        assert pair["better"] == "ours"
        path = write(as_csv(rate_strictly(), HEADER))
        options = ("--unit", "item", "--ignore", "rater", "--format", "json")
        _, out, err = run("compare", path, *options)
        assert json.loads(out)["pairs"] == [pair]
        assert "each 'rater' has scores of all models, but in unequal shares" in err

    def test_in_python(self, write, run):
        pandas = pytest.importorskip("pandas")
        path = write(as_csv(rate_strictly(), HEADER))
        frame = pandas.read_csv(path)
        with pytest.raises(TableError, match=r"pass run='rater', with unit='item', to"):
            read.scores(frame)
        table = read.scores(frame, run="rater", unit="item")
        assert table.raters[""][:3] == ("rater", 32, 208)
        assert table.doubts == ()
        with pytest.warns(UserWarning, match="32 of 208 scores were left out, because"):
            result = compare_models(table)
        found = json.loads(result.to_json())
        assert found["pairs"][0]["better"] is None
        options = ("--unit", "item", "--run", "rater", "--format", "json")
        by_command = json.loads(run("compare", path, *options)[1])
        assert found["warnings"] == by_command["warnings"] == [*result.warnings]
        assert not any("left out" in x for x in result.notes)

    def test_of_several_tasks_the_command_warns_of_what_is_left_out(self, write, run):
        rows = [(f"t{k}", f"{k}{x}", *y) for k in range(2) for x, *y in rate_strictly()]
        path = write(as_csv(rows, f"task,{HEADER}"))
        err = run("compare", path, "--unit", "item", "--run", "rater")[2]
        said = "warning: 32 of 208 scores of each of tasks 't0', 't1' were left out"
        assert said in err

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

    @pytest.mark.parametrize("models", ["ab", "abc"])
    def test_raters_who_are_drawn_are_so_beside_a_lost_item(self, write, run, models):
        draw = random.Random(0)
        rows = [
            (f"q{k}", rater, model, draw.randint(1, 5))
            for k in range(30)
            for model in models
            for rater in draw.sample("mnopqrstuv", 3)
            if (k, model) != (0, "a")
        ]
        path = write(as_csv(rows, HEADER))
        options = ("--unit", "item", "--drop-unmatched", "--format", "json")
        done = run("compare", path, "--run", "rater", *options)
        expected = run("compare", path, "--ignore", "rater", *options)
        found = json.loads(done[1])
        assert found["pairs"] == json.loads(expected[1])["pairs"]
        assert found["models"]["a"]["n"] == 29
        assert "raters are taken to be assigned at random" in found["method"]
        assert "because not all models have one" not in done[2]

    def test_pairs_are_matched_where_means_are(self, write):
        """Though by two models alone more than a quarter of ratings are left out."""
        of_all = [(f"q{k}", x, m) for k in range(9) for m in "abc" for x in (m, "u")]
        of_two = [(f"r{k}", m, m) for k in range(4) for m in "ab"]
        rows = [(*x, (3 * k) % 5) for k, x in enumerate(of_all + of_two)]
        path = write(as_csv(rows, HEADER))
        table = read.scores(path, run="rater", unit="item", drop_unmatched=True)
        assert table.raters[""].n == 27
        assert [len(x) for x, _ in table.pairs[""].values()] == [9, 9, 9]

    def test_items_without_a_rater_of_all_models(self, write, run):
        rows = [x for x in rate_strictly() if x[:3] != ("q9", "ann", "ours")]
        rows = [x for x in rows if x[:3] != ("q9", "bob", "base")]
        path = write(as_csv(rows, HEADER))
        options = ("--unit", "item", "--run", "rater")
        said = "by the same 'rater' for all models; got none of 1 of 40 items ('q9')."
        refuse(
            run("compare", path, *options),
            f"{said} To average all scores of the item, pass "
            "--ignore rater and no --run; or leave out 34 of 206 scores with --drop-un",
        )
        code, _, err = run("compare", path, "--unit", "item", "--ignore", "rater")
        assert (code, "206 scores were averaged" in err) == (0, True)
        with pytest.raises(TableError, match="206 scores with drop_unmatched=True"):
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
        assert "A difference between models may be one between these." in line
        said = (
            "Scores of models are not by the same rater, which may explain a "
            "difference between them."
        )
        assert " ".join(done[1].split()).count(said) == 2  # the method line is one
        options = ("--unit", "item", "--run", "rater", "--format", "sentences")
        said_by = run("compare", path, *options)[1].strip().split("\n\n")
        _, verdicts, method, doubt = said_by
        assert doubt.startswith("Warning: ")
        assert said in verdicts
        assert said in method
        table = read.scores(path, run="rater", unit="item")
        assert "rater" in table.doubts[0]
        assert table.raters[""].others == ("rater",)
        assert len(table.scores["a"]) == 20
