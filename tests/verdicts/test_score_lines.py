"""Sentences of the method line on which scores were compared, and what was done."""

import json
import warnings

import numpy as np
import pytest

from sigarray import compare_models, read

RUNS = [
    *(f"a,{k},{lr}0,finished,0.7{k}" for k, lr in enumerate("121212")),
    *(f"b,{k},{lr}0,finished,0.8{k}" for k, lr in enumerate("121212")),
]
HEADER = "model,seed,lr,state,score\n"
CRASHED = HEADER + "\n".join([*RUNS[:-2], "b,4,10,crashed,nan", RUNS[-1], ""])


@pytest.fixture
def describe(write, run):
    """Return the method line of the command for the text of a file."""

    def call(text, *options):
        code, out, err = run("compare", write(text), *options, "--format", "json")
        assert code == 0, err
        return json.loads(out)["method"]

    return call


def rate(n_raters, header="model,item,annotator,score"):
    rows = [
        f"{m},q{k},r{rater},{1 + (k * i + rater) % 5}"
        for i, m in enumerate("ab", 1)
        for k in range(8)
        for rater in range(n_raters(k))
    ]
    return "\n".join([header, *rows, ""])


class TestLeftOut:
    def test_a_task_of_one_model_is_named(self, describe):
        rows = [
            f"{m},{t},{k},0.{k}{i}"
            for i, m in enumerate("ab", 1)
            for t in "xyz"
            for k in range(6)
        ]
        text = "\n".join(
            ["model,task,seed,acc", *(x for x in rows if x[:3] != "b,z"), ""]
        )
        line = describe(text, "--unit", "run")
        assert ". Task z was left out, without scores of two models." in line

    def test_a_run_of_a_pair_is_left_out_for_all_models(self, describe):
        line = describe(CRASHED, "--missing", "drop", "--paired")
        said = "1 of 6 runs, in which 1 score was missing, was left out for all models"
        assert f". {said}." in line
        assert "1 missing score" not in line
        assert ". 1 crashed run (b) was left out." in describe(
            CRASHED, "--missing", "drop"
        )

    def test_so_are_items_that_a_model_lacks(self, describe):
        rows = [f"{m},q{k},0.{k}{i}" for i, m in enumerate("ab") for k in range(9)]
        text = "\n".join(["model,item,acc", *rows[:7], *rows[8:-1], ""])
        said = "2 of 9 items, in which 2 scores were missing, were left out for all mod"
        assert said in describe(text, "--drop-unmatched")

    @pytest.mark.parametrize("option", ["--drop-unmatched", "--missing=drop"])
    def test_and_rows_of_columns_of_models(self, describe, option):
        rows = [f"{k}.1,{k}.3" for k in range(8)]
        text = "\n".join(["a,b", *rows[:3], ",0.5", *rows[3:], ""])
        said = "1 of 9 runs, in which 1 score was missing, was left out for all models"
        assert said in describe(text, "--paired", *option.split("="))

    def test_of_more_models_means_have_fewer(self, describe):
        rows = [f"{m},q{k},0.{k}{i}" for i, m in enumerate("abc") for k in range(9)]
        text = "\n".join(["model,item,acc", *rows[:-1], ""])
        said = "1 of 9 items, in which 1 score was missing, was left out of means"
        assert said in describe(text, "--drop-unmatched")

    def test_numbers_of_several_tasks_are_sums(self, write):
        rows = [
            f"{m},{t},q{k},0.{k}{i}"
            for i, m in enumerate("ab")
            for t in "xyz"
            for k in range(9)
        ]
        text = "\n".join(["model,task,item,acc", *rows[:8], *rows[9:-2], ""])
        result = compare_models(read.scores(write(text), drop_unmatched=True))
        said = (
            "3 of 18 items on 2 of 3 tasks, in which 3 scores were missing, were left"
        )
        assert result.method.count(said) == 1
        table = result.table
        assert {x: y[:3] for x, y in table.n_dropped.items()} == {
            "x": ("item", 1, 9),
            "z": ("item", 2, 9),
        }


class TestMeans:
    def test_ratings_are_called_so(self, describe):
        said = "The score of an item is the mean of 3 ratings (by annotator)"
        options = ("--unit", "item", "--ignore", "annotator")
        assert f". {said}." in describe(rate(lambda _: 3), *options)
        line = describe(rate(lambda k: 2 + k % 2), *options)
        assert ". The score of an item is the mean of 2 to 3 ratings (by ann" in line

    def test_others_are_scores(self, describe):
        text = rate(lambda _: 3, "model,item,sample,score")
        assert ". The score of an item is the mean of 3 scores." in describe(text)
        rows = [f"q{k},{k % 5},{k % 3}" for k in range(9) for _ in range(2)]
        line = describe(
            "\n".join(["item,a,b", *rows, ""]), "--unit", "item", "--item", "item"
        )
        assert ". The score of an item is the mean of 2 scores." in line

    @pytest.mark.parametrize(
        ("unit", "said"),
        [
            ("item", "The score of an item is the mean over 4 runs."),
            ("run", "The score of a run is the mean over 6 items."),
        ],
    )
    def test_items_of_runs(self, describe, unit, said):
        rows = [
            f"{m},{r},q{k},0.{(3 * k + r * i) % 7}"
            for i, m in enumerate("ab", 1)
            for r in range(4)
            for k in range(6)
        ]
        text = "\n".join(["model,seed,item,acc", *rows, ""])
        assert said in describe(text, "--unit", unit)

    def test_single_scores_are_no_means(self, describe):
        line = describe(HEADER + "\n".join(RUNS))
        assert not any(x in line for x in ("The score of", "left out", "Rows with"))


class TestSettings:
    def test_runs_that_differ_pool_them(self, describe):
        assert ". Runs of a model pool 2 values of lr." in describe(
            HEADER + "\n".join(RUNS)
        )

    def test_only_of_models_that_are_compared(self, describe):
        rows = [x.replace(",20,", ",10,") if x[0] == "a" else x for x in RUNS]
        others = [x.replace("b,", "c,").replace(",20,", ",10,") for x in RUNS[6:]]
        text = HEADER + "\n".join([*rows, *others])
        assert "pool 2 values of lr" in describe(text)
        assert "pool" not in describe(text, "--columns", "a,c")

    def test_only_of_runs_that_are_kept(self, describe):
        rows = [x.replace(",20,", ",10,") for x in RUNS]
        text = HEADER + "\n".join([*rows[:-1], "b,5,20,crashed,nan"])
        assert "pool" not in describe(text, "--missing", "drop")
        assert "pool" not in describe(text, "--missing", "drop", "--paired")
        assert "pool 2 values of lr" in describe(text, "--missing", "worst")


class TestRows:
    def test_filters_are_named(self, describe, write):
        line = describe(CRASHED, "--where", "state=finished", "--where", "lr=10,20")
        assert ". Rows with state=finished and lr=10 or 20." in line
        wide = "split,a,b\n" + "".join(f"{'xy'[k % 2]},{k}.1,{k}.3\n" for k in range(9))
        assert ". Rows with split=x." in describe(wide, "--where", "split=x")
        table = read.scores(write(CRASHED), where={"state": ["finished"]})
        assert ". Rows with state=finished." in compare_models(table).method

    def test_last_steps_are_named(self, describe):
        rows = [
            f"{m},{r},{step},0.{step}{(r + i) % 7}"
            for i, m in enumerate("ab")
            for r in range(5)
            for step in (1, 5)
        ]
        line = describe("\n".join(["model,seed,epoch,acc", *rows, ""]))
        assert ". The score of a run is that of its last epoch, 5." in line


class TestCrashed:
    """A run that crashed, beside a score or not, is not called one without a score."""

    RUNS = tuple(
        f"{m}{k},finished,{m},{k},0.{n}{k}" for m, n in ("a7", "b8") for k in range(6)
    )
    LOST = "a4,finished,a,4,"
    LOGGED = "\n".join(
        [
            "Name,State,model,seed,acc",
            *RUNS[:4],
            LOST,
            RUNS[5],
            "b0,crashed,b,0,0.3",
            *RUNS[7:],
            "",
        ]
    )

    def test_it_is_counted_by_itself(self, describe):
        line = describe(self.LOGGED, "--missing", "drop")
        said = "1 crashed run (b) and 1 run without a score (a) were left out"
        assert f". {said}." in line
        assert "missing score" not in line

    def test_as_the_worst_it_is_said_as_what(self, describe):
        said = (
            "1 crashed run (b) and 1 run without a score (a) count as 0.3, the worst "
            "of all runs"
        )
        assert f". {said}." in describe(self.LOGGED, "--missing", "worst")

    def test_if_it_has_logged_no_score(self, describe):
        for cell in ("", "nan"):
            text = self.LOGGED.replace("crashed,b,0,0.3", f"failed,b,0,{cell}")
            text = text.replace(self.LOST, self.RUNS[4])
            line = describe(text, "--missing", "drop")
            assert ". 1 crashed run (b) was left out." in line

    def test_alone_and_on_tasks(self, describe):
        text = self.LOGGED.replace(self.LOST, self.RUNS[4])
        line = describe(text, "--missing", "drop")
        assert ". 1 crashed run (b) was left out." in line
        rows = text.splitlines()
        both = [f"{x},{task}" for task in "xy" for x in rows[1:]]
        line = describe("\n".join([f"{rows[0]},task", *both, ""]), "--missing", "worst")
        assert "counts as 0.3, the worst of all runs on the task." in line


class TestWorst:
    """Scores that are missing count as the worst: they are none of runs."""

    def compare(self, scores, missing="worst"):
        options = {"missing": missing, "test": "mann-whitney"}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            return compare_models(scores, unit="run", **options)

    def test_it_is_said_where_runs_are_counted(self):
        scores = {"a": [0.9, 0.8, 0.7, 0.85], "b": [0.6, np.nan, 0.5, np.nan]}
        result = self.compare(scores)
        said = "with 2 missing scores counted as the worst"
        paragraph = result.content.paragraphs[0]
        assert f"(4 runs each, {said}; higher is better)" in paragraph
        assert "; 4 (2 missing))." in paragraph
        (row,) = [x for x in str(result).splitlines() if x.startswith("b ")]
        assert row.split()[1:4] == ["4", "(2", "missing)"]
        assert f"4 runs each, {said}." in result.to_latex()
        assert "counted as" not in str(self.compare(scores, "drop"))

    def test_of_several_tasks_and_of_many_models(self):
        task = {"a": [0.9, 0.8, 0.7, 0.85], "b": [0.6, np.nan, 0.5, 0.4]}
        text = " ".join(str(self.compare({"x": task, "y": task})).split())
        assert "of 4 runs on each task, with 2 missing scores counted as" in text
        many = {f"m{k}": [0.9, 0.8, 0.7, np.nan if k else 0.1] for k in range(14)}
        text = str(self.compare(many))
        assert text.count(" 4 (1 missing) ") == 13


def test_the_signature_is_the_same(write, run):
    path = write(CRASHED)
    _, out, _ = run("compare", path, "--where", "state=finished", "--format", "json")
    signature = json.loads(out)["signature"]
    others = write(HEADER + "\n".join([*RUNS[:-2], RUNS[-1], ""]), "others.csv")
    assert run("compare", others, "--verify", signature)[0] == 0


def test_tasks_that_were_chosen_are_said_of_how_many(write):
    """By a column, in columns of models, files of a harness, and arrays."""
    values = [0.3, 0.5, 0.45, 0.6, 0.55]
    scores = {
        task: {
            name: [values[(i + shift) % 5] + k for i in range(5)]
            for k, name in enumerate("ab")
        }
        for shift, task in enumerate(("piqa", "arc easy", "boolq"))
    }
    long = write(
        "model,task,seed,score\n"
        + "".join(
            f"{name},{task},{seed},{x}\n"
            for task, by in scores.items()
            for name, runs in by.items()
            for seed, x in enumerate(runs)
        )
    )
    wide = write(
        "task,seed,a,b\n"
        + "".join(
            f"{t},{t}-{k},{x},{x + 1}\n" for t in scores for k, x in enumerate(values)
        ),
        "wide.csv",
    )
    for source, options in ((long, {}), (wide, {"task": "task"}), (scores, {})):
        for tasks, said in (
            (["piqa"], "1 of 3 tasks was chosen: piqa"),
            (["arc easy", "boolq"], '2 of 3 tasks were chosen: "arc easy" and boolq'),
            (list(scores), None),
            (None, None),
        ):
            table = read.scores(source, tasks=tasks, **options)
            method = compare_models(table, unit="run").method
            assert ("chosen" in method) == (said is not None)
            assert said is None or f". {said}. " in method


def test_so_are_those_of_files(tmp_path):
    for n, name in enumerate("ab"):
        (tmp_path / name).mkdir()
        for task in ("piqa", "boolq"):
            path = tmp_path / name / f"samples_{task}_2026-01-01T10-00-00.000000.jsonl"
            lines = (
                json.dumps({"doc_id": k, "filtered_resps": [], "acc": k % (3 + n) > 0})
                for k in range(40)
            )
            path.write_text("\n".join(lines))
    table = read.scores(tmp_path / "a", tmp_path / "b", tasks=["boolq"])
    assert ". 1 of 2 tasks was chosen: boolq. " in compare_models(table).method


def test_a_crashed_run_that_was_run_again_is_said_to_be(describe, write):
    rows = [f"{m},{k},finished,0.{70 + k}" for m in "ab" for k in range(5)]
    text = "\n".join(["model,seed,state,acc", *rows, "b,3,crashed,0.1"])
    said = ". 1 crashed run (b) was left out; it was run again."
    assert said in describe(text, "--missing", "drop")
    said = ". 2 crashed runs (b) were left out; 1 of these was run again."
    assert said in describe(f"{text}\nb,7,crashed,0.1", "--missing", "drop")
    notes = read.scores(write(text), missing="drop", paired=True).notes
    (note,) = [x for x in notes if "left out" in x]
    assert note.count("beside") == 1
