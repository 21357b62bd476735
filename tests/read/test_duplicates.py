"""Several scores of one model for one item or run, where one is expected."""

import json
import random
from pathlib import Path

import numpy as np
import pytest

from sigarray import read
from sigarray.read import TableError
from tests.read.asking import refuse
from tests.read.long_tables import as_csv

DRAW = np.random.default_rng(0)


class TestSeedsThatAreThereTwice:
    """Of a sweep, each seed has a score for each learning rate."""

    ROWS = tuple(
        f"{m},{seed},{lr},{DRAW.random()}"
        for m in "ab"
        for seed in range(4)
        for lr in (0.1, 0.01)
    )

    def test_the_column_that_tells_them_apart_is_named(self, write, run):
        path = write("\n".join(["model,seed,lr,acc", *self.ROWS]))
        options = ("--metric", "acc", "--format", "json")
        done = run("compare", path, *options)
        refuse(done, "differ in 'lr'", "--where lr=0.1", "--task lr", "--run seed,lr")
        for answer in (("--where", "lr=0.1"), ("--task", "lr"), ("--run", "seed,lr")):
            assert run("compare", path, *options, *answer)[0] == 0
        _, out, _ = run("compare", path, *options, "--where", "lr=0.1")
        assert json.loads(out)["models"]["a"]["n"] == 4

    def test_a_row_that_is_there_twice_is_to_be_removed(self, write, run):
        rows = [f"{m},{seed},{DRAW.random()}" for m in "ab" for seed in (1, 2, 2)]
        done = run("compare", write("\n".join(["model,seed,acc", *rows])))
        refuse(done, "line 4", "Remove one")


class TestCrashedAndRunAgain:
    """A run has crashed, and another one of its seed has finished."""

    ROWS = tuple(
        f"{m}{seed},finished,{m},{seed},{0.5 + DRAW.random() / 9}"
        for m in "ab"
        for seed in range(4)
    )
    TEXT = "\n".join(["Name,State,model,seed,acc", "x,crashed,b,2,0.1", *ROWS, ""])

    def test_the_finished_one_is_advised(self, write, run):
        path = write(self.TEXT)
        for missing in ("worst", "keep"):
            done = run("compare", path, "--missing", missing)
            refuse(done, "--where State=finished, or leave", "--missing drop.")
            assert "=crashed" not in done[2]
        for answer in (("--where", "State=finished"), ("--missing", "drop")):
            code, out, _ = run("compare", path, *answer, "--format", "json")
            assert (code, json.loads(out)["models"]["b"]["n"]) == (0, 4)

    def test_a_note_says_which_was_left_out(self, write):
        (note,) = (
            x
            for x in read.scores(write(self.TEXT), missing="drop").notes
            if "left out" in x
        )
        assert "'b', run '2', beside one that has finished" in note


def test_duplicates_name_both_places(write):
    rows = [("a", "q1", 1), ("b", "q1", 2), ("a", "q1", 3)]
    path = write(as_csv(rows, "model,item,score"))
    match = r"line 4: expected one score of 'a' for item 'q1'; got another.*line 2"
    with pytest.raises(TableError, match=match):
        read.scores(path)
    rows = [("a", 1, 1), ("b", 1, 2), ("a", 1, 3)]
    with pytest.raises(TableError, match=r"line 4: .*'a' for run '1'"):
        read.scores(write(as_csv(rows, "model,seed,score")))


RATINGS = random.Random(0)


def rate(column, names, n_items=12):
    return [
        (m, f"q{k}", x, RATINGS.randint(1, 5))
        for m in "ab"
        for k in range(n_items)
        for x in names
    ]


class TestRepeatedRatings:
    @pytest.mark.parametrize("column", ["rater", "annotator_id", "sample", "seed"])
    @pytest.mark.parametrize("is_changed", [False, True])
    def test_an_ignored_column_finds_them(self, write, run, column, is_changed):
        rows = rate(column, ("1", "2", "3"))
        again = (*rows[7][:3], rows[7][3] % 5 + is_changed)
        path = write(as_csv([*rows, again], f"model,item,{column},score"))
        options = ("--unit", "item", "--ignore", column)
        said = f"line 74: expected one score of 'a' for item 'q2', {column} '2'; got"
        refuse(run("compare", path, *options), said, "at ", "line 9. Remove one, or")
        path = write(as_csv(rows, f"model,item,{column},score"))
        assert run("compare", path, *options)[0] == 0

    def test_so_does_a_column_that_the_user_names(self, write, run):
        rows = rate("rater", ("ann", "bob"))
        path = write(as_csv([*rows, rows[0]], "model,item,rater,score"))
        done = run("compare", path, "--unit", "item", "--run", "rater")
        refuse(done, "line 50: expected one score of 'a' for item 'q0', run 'ann'; got")
        options = ("--item", "rater", "--run", "rater", "--unit", "item")
        two = run("compare", path, *options)
        refuse(two, "for item 'ann', run 'ann'; got another one at ")
        assert "pandas" not in two[2]

    @pytest.mark.parametrize("is_long", [True, False])
    def test_of_raters_who_are_the_items(self, write, run, is_long):
        header = "model,item,rater,score" if is_long else "item,rater,a,b"
        rows = rate("rater", ("ann", "bob", "cyd"))
        if not is_long:
            rows = [(*x[1:], k % 5) for k, x in enumerate(rows) if x[0] == "a"]
        k = header.split(",").index("rater")
        options = ("--unit", "item", "--item", "rater", "--ignore", "item")
        path = write(as_csv([*rows, (*rows[7][:-1], 9)], header))
        said = f" for rater {rows[7][k]!r}, item 'q2'; got another one at "
        said = said if is_long else f" of rater {rows[7][k]!r}, item 'q2'; got another"
        refuse(run("compare", path, *options), said, "line 9. Remove one, or")
        assert run("compare", write(as_csv(rows, header)), *options)[0] == 0
        # Each is rated twice, or of each criterion.
        for more in (("1", "2"), ("fluent", "true")):
            again = [(*x, y) for x in rows for y in more]
            path = write(as_csv(again, f"{header},aspect"))
            ignored = (*options[:-1], "item,aspect")
            assert run("compare", path, *ignored)[0] == 0
        paths = [write(as_csv(rows + rows, header))]
        assert run("compare", *paths, *options)[0] == 0

    @pytest.mark.parametrize("columns", ["rater,session", "rater"])
    def test_columns_that_tell_them_apart(self, write, run, columns):
        """Each rater has rated in two sessions, or given every answer two ratings."""
        n = columns.count(",")
        rows = [
            (*x[:3], *(k * n), x[3])
            for x in rate("rater", ("ann", "bob"))
            for k in ("1", "2")
        ]
        path = write(as_csv(rows, f"model,item,{columns},score"))
        options = ("--unit", "item", "--ignore", columns)
        _, out, _ = run("compare", path, *options)
        assert "The score of an item is the mean of 4 " in " ".join(out.split())

    def test_samples_without_a_name_may_be_alike(self, write):
        rows = [
            (m, f"q{k}", 1) for m in "ab" for k in range(9) for _ in range(3 - k % 2)
        ]
        path = write(as_csv(rows, "model,item,score"))
        assert read.scores(path, unit="item").averaged[""][2:4] == (2, 3)

    def test_in_several_files(self, write):
        for m in "ab":
            rows = [x[1:] for x in rate("rater", ("ann", "bob")) if x[0] == m]
            again = rows[:1] * (m == "b")
            path = write(as_csv(rows + again, "item,rater,score"), f"{m}.csv")
        folder = Path(path).parent
        paths = [str(folder / f"{m}.csv") for m in "ab"]
        with pytest.raises(TableError, match=r"b\.csv, line 26: expected one score of"):
            read.scores(*paths, unit="item", run="rater")


class TestRepeatedRows:
    def rows(self):
        return [
            (f"q{k}", rater, RATINGS.randint(1, 5), RATINGS.randint(1, 5))
            for k in range(9)
            for rater in ("ann", "bob")
        ]

    @pytest.mark.parametrize("option", ["--ignore", "--run"])
    def test_of_columns_of_models(self, write, run, option):
        rows = self.rows()
        path = write(as_csv([*rows, rows[3]], "item,rater,a,b"))
        options = ("--item", "item", "--unit", "item", option, "rater")
        said = "line 20: expected one row of item 'q1', rater 'bob'; got another one at"
        refuse(run("compare", path, *options), said, "line 5. Remove one, or")
        path = write(as_csv(rows, "item,rater,a,b"))
        assert run("compare", path, *options)[0] == 0

    def test_few_items_with_several_ratings(self, write):
        """An error asked for the option that was given."""
        rows = [x for k, x in enumerate(self.rows()) if k % 2 or k < 4]
        path = write(as_csv(rows, "item,rater,a,b"))
        table = read.scores(path, unit="item", item="item", models=["a", "b"])
        assert len(table.scores["a"]) == 9
        path = write(as_csv([(x[0], *x[2:]) for x in rows], "item,a,b"))
        with pytest.raises(TableError, match=r"each item once; got 'q0' again"):
            read.scores(path, unit="item", item="item")


def test_subjects_of_several_runs_are_items(write, run):
    """Pooled with the runs, equal models differ in most data."""
    rows = [
        (m, k, f"S{s}", 0.7 + k / 100 + s / 50)
        for m in "ab"
        for k in range(3)
        for s in range(2)
    ]
    path = write(as_csv(rows, "model,seed,subject,acc"))
    refuse(run("compare", path), "They differ in 'subject': pass --item subject, where")
    (by,) = read.scores(path, item="subject").runs.values()
    assert by["a"].scores.shape == (3, 2)
    again = write(as_csv(rows, "model,seed,repetition,acc"))
    refuse(run("compare", again, "--run", "seed"), "--run seed,repetition, for")


class TestSteps:
    """Of runs on what a column names whose meaning is not known."""

    ROWS = tuple(
        (model, seed, level, 1_000_000 * k, round(DRAW.random() + k, 3))
        for model in "ab"
        for seed in range(4)
        for level in ("hills", "caves", "ruins")
        for k in range(1, 5)
    )

    @pytest.mark.parametrize("step", ["frame", "Step (M)", "Frames (millions)"])
    @pytest.mark.parametrize("task", ["level", "game world"])
    def test_what_may_be_the_task_is_named(self, write, run, step, task):
        header = f"model,seed,{task},{step},return"
        rows = [",".join(map(str, x)) for x in self.ROWS]
        path = write("\n".join([header, *rows]))
        option = f"--task '{task}'" if " " in task else f"--task {task}"
        options = ("--metric", "return")
        done = run("compare", path, *options)
        refuse(done, f"differ in {step!r}, which counts", f"Pass {option}, so")
        code, _, err = run("compare", path, *options, "--task", task)
        assert code == 0, err
        assert "the last of each" in err

    @pytest.mark.parametrize("more", [(), ("--item", "level")])
    def test_they_are_no_tasks(self, write, run, more):
        """At all steps runs are the same: 83 % of equal models were told apart."""
        rows = [",".join(map(str, x)) for x in self.ROWS]
        path = write("\n".join(["model,seed,level,frame,return", *rows]))
        done = run("compare", path, "--task", "frame", *more)
        refuse(done, "'frame': expected tasks; got the steps of runs", "=4000000.")

    @pytest.mark.parametrize("step", ["frame", "step"])
    @pytest.mark.parametrize("is_sorted", [False, True])
    def test_a_run_that_is_there_twice_is_named(self, write, run, step, is_sorted):
        """And not what is to be tried for others, in vain."""
        again = [x for x in self.ROWS if x[:3] == ("b", 2, "caves")]
        rows = [*self.ROWS, *again]
        if is_sorted:
            rows.sort(key=lambda x: x[3])
        lines = [",".join(map(str, x)) for x in rows]
        header = f"model,seed,level,{step},return"
        path = write("\n".join([header, *lines]))
        options = ("--metric", "return", "--task", "level")
        refuse(
            run("compare", path, *options),
            "one score of 'b' for run '2', task 'caves', step 4000000; got another",
            "Remove all rows of one",
        )
        path = write("\n".join([header, *dict.fromkeys(lines)]))
        assert run("compare", path, *options)[0] == 0

    def test_episodes_are_averaged(self, write, run):
        rows = [
            f"{model},{seed},{k},{DRAW.random():.4f}"
            for model in "ab"
            for seed in range(5)
            for k in range(10)
        ]
        path = write("\n".join(["model,seed,episode,return", *rows]))
        done = run("compare", path, "--metric", "return")
        refuse(done, "average those of each run with --item episode --unit run")
        options = ("--item=episode", "--unit=run", "--metric=return", "--format=json")
        code, out, err = run("compare", path, *options)
        assert code == 0, err
        assert json.loads(out)["models"]["a"]["n"] == 5


def test_advice_is_quoted(write, run):
    rows = [
        f"{model},{seed},{lr},{DRAW.random():.4f}"
        for model in "ab"
        for seed in range(4)
        for lr in (0.1, 0.01)
    ]
    path = write("\n".join(["model,seed,lr (adam),acc", *rows]))
    done = run("compare", path, "--metric", "acc")
    refuse(done, "--where 'lr (adam)=0.1'", "--model 'model,lr (adam)'")


def test_episodes_are_repetitions_within_a_run(write, run):
    rows = [
        f"{g},{m},{s},{f},{k},{DRAW.random():.4f}"
        for g in "xy"
        for m in "ab"
        for s in range(4)
        for f in (1000, 2000)
        for k in range(3)
    ]
    path = write("\n".join(["env_id,algorithm,seed,frame,episode,hns", *rows]))
    answer = ("--item", "episode", "--unit", "run")
    done = run("compare", path)
    refuse(done, "'episode', as repetitions within", f"run with {' '.join(answer)}.")
    assert "where" not in done[2]
    code, _, err = run("compare", path, *answer)
    assert code == 0
    said = "12 scores of each of tasks 'x', 'y' were averaged within runs"
    assert err.count("averaged") == 1
    assert said.replace("12", "24") in err
    _, _, err = run("compare", write("\n".join(x for x in _drop_frame(path))), *answer)
    assert "differ" not in err


def _drop_frame(path):
    for row in Path(path).read_text().splitlines():
        cells = row.split(",")
        if cells[3] != "1000":
            yield ",".join([*cells[:3], *cells[4:]])


def test_a_name_tells_runs_of_one_seed_apart(write, run):
    rows = [
        f"{m}{k},{m},{seed},{DRAW.random():.4f}"
        for m in "ab"
        for k, seed in enumerate((0, 1, 2, 2))
    ]
    path = write("\n".join(["Name,model,seed,acc", *rows]))
    refuse(run("compare", path), "which 'Name' tells apart, pass --run Name.")
    assert run("compare", path, "--run", "Name")[0] == 0
