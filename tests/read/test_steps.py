"""Scores at steps: the last of each run, those missing there, and early ends."""

import json
import random
import re

import numpy as np
import pytest

from sigarray import compare_models, read
from sigarray.read import TableError
from tests.read.asking import refuse
from tests.read.long_tables import as_lists

DRAW = random.Random(0)


def make_rows(*, n_runs=4, steps=range(1, 6), blank=(), cell=""):
    """Rows of two models; those of some (model, run, step) have another cell."""
    return ["model,seed,step,acc"] + [
        f"{m},{run},{step},{cell if (m, run, step) in blank else step + run / 10}"
        for m in "ab"
        for run in range(n_runs)
        for step in steps
    ]


def test_a_blank_score_at_the_last_step_is_doubted_or_treated(write):
    text = "\n".join(make_rows(blank=[("b", 1, 5), ("b", 3, 5), ("a", 0, 2)]))
    path = write(text)
    table = read.scores(path)
    (doubt,) = table.doubts
    assert doubt == (
        "2 runs end at another step than most: 'b', run '1', at step 4 (most at 5); "
        "'b', run '3', at step 4 (most at 5): scores of other steps are compared. "
        "Leave out the rows or columns of what has not finished; or compare all at one "
        "step with --where step=4; or, where blank scores at the last step are "
        "missing, pass --missing drop, which leaves such runs out, or --missing worst, "
        "which counts each as the worst score of any run"
    )
    assert as_lists(table)[""]["b"] == [5.0, 4.1, 5.2, 4.3]
    pandas = pytest.importorskip("pandas")
    for source in (path, pandas.read_csv(path)):
        table = read.scores(source, missing="drop")
        assert as_lists(table)[""] == {"a": [5.0, 5.1, 5.2, 5.3], "b": [5.0, 5.2]}
        assert (table.missing, table.n_missing) == ("drop", {"": {"b": 2}})
        assert not table.doubts
        assert any(
            "left out: 'b', run '1', step 5; 'b', run '3', step 5" in x
            for x in table.notes
        )
        table = read.scores(source, missing="worst")
        assert as_lists(table)[""]["b"] == [5.0, 5.0, 5.2, 5.0]
        assert table.curves[""]["b"].steps.tolist() == [1, 2, 3, 4]
    match = r"missing, pass missing='drop', which .*, or missing='worst', which"
    with pytest.warns(UserWarning, match=match):
        compare_models(pandas.read_csv(path))


def test_files_of_single_runs_have_them_too(tmp_path):
    for model in "ab":
        for run in range(3):
            lines = [f"{k},{k / 8 + run}" for k in range(1, 6)]
            if (model, run) == ("b", 1):
                lines[-1] = "5,"
            path = tmp_path / f"{model}_seed{run}.csv"
            path.write_text("\n".join(["step,acc", *lines]))
    table = read.scores(tmp_path)
    assert "'b', run '1', at step 4 (most at 5)" in table.doubts[0]
    table = read.scores(tmp_path, missing="drop")
    assert table.n_missing == {"": {"b": 1}}
    assert as_lists(table)[""]["b"] == [0.625, 2.625]


def test_blank_scores_that_no_run_has_are_not_missing(write):
    """A tracker logs another metric at other steps, and one run once more."""
    never = [(m, k, 5) for m in "ab" for k in range(4)]
    for blank in (never, never[:-1]):
        path = write("\n".join(make_rows(blank=blank)))
        for missing in ("drop", "worst"):
            table = read.scores(path, missing=missing)
            assert table.missing is None
            assert [len(x) for x in table.scores.values()] == [4, 4]
        assert len(table.doubts) == (blank != never)


def test_nan_at_the_last_step_is_missing_at_any(write):
    path = write("\n".join(make_rows(blank=[("b", 1, 5)], cell="nan")))
    with pytest.raises(TableError, match=r"got 'nan'\. Where a run failed"):
        read.scores(path)
    assert read.scores(path, missing="drop").n_missing == {"": {"b": 1}}
    early = [x for x in make_rows(blank=[("b", 1, 3)], cell="nan") if x[:3] != "b,1"]
    early += ["b,1,1,.5", "b,1,2,.6", "b,1,3,nan"]
    assert read.scores(write("\n".join(early)), missing="drop").n_missing


def test_tasks_may_have_other_numbers_of_steps(write):
    rows = make_rows(n_runs=2)
    text = "task," + "\n".join([rows[0], *(f"t,{x}" for x in rows[1:])])
    text += "".join(f"\nu,{x}" for x in make_rows(n_runs=2, steps=range(1, 9))[1:])
    assert read.scores(write(text)).doubts == ()
    (doubt,) = read.scores(write(text.replace("u,b,1,8,8.1", "u,b,1,8,"))).doubts
    assert "'b', task 'u', run '1', at step 7 (most at 8)" in doubt


def test_many_early_runs_are_counted(write):
    early = [(m, k, 5) for m in "ab" for k in range(3)]
    path = write("\n".join(make_rows(n_runs=9, blank=early)))
    (doubt,) = read.scores(path).doubts
    assert "6 runs end at another" in doubt
    assert "'a', run '2', at step 4 (most at 5); and 3 more:" in doubt


def make_tasks(blank=(), last=(5, 8)):
    """Rows of two tasks with other numbers of steps, of four runs of two models."""
    lines = ["task,model,seed,step,acc"]
    for task, end in zip("tu", last, strict=True):
        of_task = [x[1:] for x in blank if x[0] == task]
        rows = make_rows(steps=range(1, end + 1), blank=of_task)
        lines += [f"{task},{x}" for x in rows[1:]]
    return "\n".join(lines)


@pytest.mark.parametrize("last", [(5, 8), (8, 5)])
def test_each_task_has_a_last_step(write, last):
    blank = [("t", "a", 0, last[0]), ("t", "b", 2, last[0]), ("u", "b", 1, last[1])]
    path = write(make_tasks(blank, last))
    doubts = read.scores(path).doubts
    (doubt,) = doubts
    assert all(f"at step {x - 1} (most at {x})" in doubt for x in last)
    assert "where blank scores at the last step are missing, pass --miss" in doubt
    table = read.scores(path, missing="drop")
    assert table.doubts == ()
    assert table.n_missing == {"t": {"a": 1, "b": 1}, "u": {"b": 1}}
    assert {x: [*map(len, y.values())] for x, y in table.tasks.items()} == {
        "t": [3, 3],
        "u": [4, 3],
    }
    table = read.scores(path, missing="worst")
    assert table.tasks["t"]["b"].tolist() == [last[0] + x for x in (0, 0.1, 0, 0.3)]
    doubts = read.scores(write(make_tasks(blank[:2], last)), missing="drop").doubts
    assert doubts == ()


def test_only_missing_scores_have_the_advice(write):
    text = make_tasks().replace("u,b,1,8,8.1\n", "")
    (doubt,) = read.scores(write(text)).doubts
    assert "'b', task 'u', run '1', at step 7 (most at 8)" in doubt
    assert "missing" not in doubt


def test_what_is_kept_is_said_once(write):
    """Of all tasks, without advice that was answered."""
    kept = [
        x
        for x in make_tasks().splitlines()
        if not x.startswith(("t,b,3,", "u,b,3,")) or x.split(",")[3] == "1"
    ]
    (doubt,) = read.scores(write("\n".join(kept)), missing="keep").doubts
    assert doubt == (
        "2 runs end at another step than most: 'b', task 't', run '3', at step 1 (most "
        "at 5); 'b', task 'u', run '3', at step 1 (most at 8): scores of other steps "
        "are compared"
    )


def test_the_last_step_is_that_of_most_runs(write):
    """One run went on, and a blank score of another is at the end of the others."""
    rows = [*make_rows(blank=[("b", 2, 5)]), "a,0,6,5.5"]
    (doubt,) = read.scores(write("\n".join(rows))).doubts
    assert doubt.startswith(
        "2 runs end at another step than most: 'b', run '2', at step 4 (most at 5); "
        "'a', run '0', at step 6 (most at 5): "
    )
    table = read.scores(write("\n".join(rows)), missing="drop")
    assert table.n_missing == {"": {"b": 1}}


class TestRunsWithoutAnyScore:
    BLANK = tuple(("b", run, step) for run in (1, 3) for step in range(1, 6))

    def test_they_are_counted(self, write, run):
        rows = make_rows(blank=self.BLANK)
        short = [x for x in rows if not x.startswith(("b,3,4", "b,3,5"))]
        pandas = pytest.importorskip("pandas")
        for lines in (rows, short):
            path = write("\n".join(lines))
            for source in (path, pandas.read_csv(path)):
                table = read.scores(source)
                assert (table.missing, table.n_missing) == ("drop", {"": {"b": 2}})
                assert as_lists(table)[""]["b"] == [5.0, 5.2]
                assert table.doubts == ()
                n = len(rows) - len(lines)
                assert any(f"{10 - n} rows without a score" in x for x in table.notes)
                assert set(table.curves[""]) == {"a", "b"}
                again = read.scores(source, missing="drop")
                assert as_lists(again) == as_lists(table)
                assert again.n_missing == table.n_missing
                assert again.doubts == ()
                worst = as_lists(read.scores(source, missing="worst"))
                assert worst[""]["b"] == [5.0, 5.0, 5.2, 5.0]
            code, out, _ = run("compare", path, "--format", "json")
            document = json.loads(out)
            assert (code, document["n_missing"]) == (0, {"": {"b": 2}})
            assert ". 2 missing scores, left out." in document["method"]
            assert "|missing:drop|" in document["signature"]

    def test_beside_blank_scores_at_the_last_step(self, write, run):
        """These are not left out, so that --missing drop would give other scores."""
        path = write("\n".join(make_rows(n_runs=6, blank=[*self.BLANK, ("a", 2, 5)])))
        table = read.scores(path)
        assert (table.n_missing, table.is_untreated) == ({"": {"b": 2}}, True)
        document = json.loads(run("compare", path, "--format", "json")[1])
        assert "missing" not in document["signature"]
        assert run("compare", path, "--verify", document["signature"])[0] == 0
        arguments = ("--missing", "drop", "--format", "json")
        document = json.loads(run("compare", path, *arguments)[1])
        assert document["n_missing"] == {"": {"a": 1, "b": 2}}
        assert "|missing:drop|" in document["signature"]
        assert run("compare", path, "--verify", document["signature"])[0] == 0

    def test_of_files(self, tmp_path):
        for model in "ab":
            for k in range(3):
                is_blank = (model, k) == ("b", 1)
                lines = [f"{step},{'' if is_blank else k + step}" for step in range(4)]
                path = tmp_path / f"{model}_seed{k}.csv"
                path.write_text("\n".join(["step,acc", *lines]))
        assert read.scores(tmp_path, metric="acc").n_missing == {"": {"b": 1}}
        for path in tmp_path.iterdir():
            path.write_text("step,acc\n0,\n1,\n")
        with pytest.raises(TableError, match="expected rows of scores; got none in"):
            read.scores(tmp_path, metric="acc")

    def test_items_are_unmatched(self, write):
        lines = ["model,item,step,ok"]
        lines += [
            f"{m},{k},{s},{(k + s) % 2}" for m in "ab" for k in range(5) for s in (1, 2)
        ]
        lines[-1], lines[-2] = "b,4,2,", "b,4,1,"
        with pytest.raises(TableError, match=r"'b' lacks 1 \('4'\)"):
            read.scores(write("\n".join(lines)))


STEPS = [
    *("frames", "frame", "num_frames", "env_frames", "timesteps", "timestep"),
    *("env_step", "environment_steps", "total_timesteps", "iterations", "steps"),
    *(
        "global_step",
        "train/global_step",
        "updates",
        "Epochs",
        "eval_step",
        "eval_steps",
    ),
]


@pytest.mark.parametrize("name", STEPS)
def test_columns_that_count_steps_are_known_by_name(write, name):
    rows = [x.replace("step", name) for x in make_rows(steps=(50, 100, 200))]
    table = read.scores(write("\n".join(rows)))
    assert as_lists(table)[""]["a"] == [200.0, 200.1, 200.2, 200.3]
    (note,) = (x for x in table.notes if "the steps of a run" in x)
    assert note.startswith(f"{name!r} was taken")
    assert "8 of 24 rows" in note
    DRAW.shuffle(shuffled := rows[1:])
    table = read.scores(write("\n".join([rows[0], *shuffled])))
    assert sorted(as_lists(table)[""]["a"]) == [200.0, 200.1, 200.2, 200.3]


def test_steps_at_other_numbers_in_each_run_rise(write):
    rows = [
        f"{m},{run},{k * 1000 + 31 * run + len(m)},{k}"
        for m in ("a", "bb")
        for run in range(4)
        for k in range(1, 6)
    ]
    table = read.scores(write("\n".join(["model,seed,frames,score", *rows])))
    assert as_lists(table)[""]["a"] == [5.0] * 4
    cells = [x.split(",", 2)[2] for x in rows]
    files = [
        (f"{'ab'[k // 4]}_seed{k % 4}.csv", cells[5 * k : 5 * k + 5]) for k in range(8)
    ]
    table = read.scores(*(write("\n".join(["frames,return", *x]), y) for y, x in files))
    assert as_lists(table)[""] == {"a": [5.0] * 4, "b": [5.0] * 4}


def test_frames_that_are_no_steps(write):
    """One of each run is of its length; several may be a setting, or scores."""
    text = "model,seed,frames,score\n" + "\n".join(
        f"{m},{k},{(3, 1, 2, 2)[k]},{k / 8}" for m in "ab" for k in range(4)
    )
    assert len(as_lists(read.scores(write(text)))[""]["a"]) == 4
    assert read.scores(write(text), metric="frames").models == ("a", "b")
    with pytest.raises(TableError, match="what looks like an index, or a time"):
        read.scores(write("timesteps,a,b\n10,1.5,2.5\n20,1.75,2.25\n40,2.5,2.75"))


def test_unknown_steps_are_never_pooled(write, run):
    """Copied, the advice takes the last of them, and no checkpoint for a run."""
    rows = [x.replace("step", "checkpoint") for x in make_rows(steps=(50, 100, 200))]
    code, _, err = run("compare", write("\n".join(rows)), "--metric", "acc")
    assert code == 2
    assert "with --where checkpoint=200;" in err
    assert "rename it 'step', so that the last of each" in err
    assert "--run" not in err


END = 19


def make_chart(last=(), n_runs=4, models=("cnn", "lstm"), end=END):
    """A chart of W&B, in which some runs have another last step."""
    runs = [f"{model}-s{k}" for model in models for k in range(n_runs)]
    last = dict(last)
    header = ["Step", *(f"{x} - acc{y}" for x in runs for y in ("", "__MIN", "__MAX"))]
    rows = [
        [
            step,
            *(
                f"{step / 100 + k / 1000:.3f}" if step <= last.get(run, end) else ""
                for k, run in enumerate(runs)
                for _ in range(3)
            ),
        ]
        for step in range(max(end, *last.values()) + 1 if last else end + 1)
    ]
    return "\n".join(",".join(map(str, row)) for row in [header, *rows])


def make_long(last=(), blank=False, first=0):
    """The same with a row for each score; steps behind the last one are blank."""
    last = dict(last)
    lines = ["model,seed,step,acc"]
    for k, run in enumerate(f"{m}-s{k}" for m in ("cnn", "lstm") for k in range(4)):
        model, _, seed = run.partition("-s")
        for step in range(END + 1):
            is_over = step > last.get(run, END)
            if blank or not is_over:
                score = "" if is_over else f"{step / 100 + k / 1000:.3f}"
                lines.append(f"{model},{seed},{first + step},{score}")
    return "\n".join(lines)


CRASHED = {"lstm-s2": 5}


WHOLE = [0.194, 0.195, 0.197]


MAKERS = {
    "a chart": make_chart,
    "long": make_long,
    "blank cells": lambda last: make_long(last, blank=True),
    "later steps": lambda last: make_long(last, first=1000),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
class TestOneCrashedRun:
    def test_it_is_asked_about(self, write, run, make):
        first = 1000 if make is MAKERS["later steps"] else 0
        refuse(
            run("compare", write(make(CRASHED))),
            "got 1 of 8: 'lstm', run '2', at ",
            f" {first + 5} (most at {first + END})",
            *("--missing drop", "--missing worst", "--missing keep"),
        )

    def test_it_is_left_out(self, write, make):
        table = read.scores(write(make(CRASHED)), missing="drop")
        assert as_lists(table)[""]["lstm"] == WHOLE
        assert (table.missing, table.n_missing) == ("drop", {"": {"lstm": 1}})
        assert table.doubts == ()
        said = "have no score, were left out: 'lstm', run '2'"
        is_blank = make is MAKERS["blank cells"]
        assert any(said in x for x in table.notes), is_blank
        # The curve of its model is that of the others.
        curve = table.curves[""]["lstm"]
        assert curve.scores.shape == (3, END + 1)

    def test_it_is_the_worst(self, write, make):
        table = read.scores(write(make(CRASHED)), missing="worst")
        assert as_lists(table)[""]["lstm"] == [*WHOLE[:2], 0.056, WHOLE[2]]
        loss = read.scores(
            write(make(CRASHED)), missing="worst", higher_is_better=False
        )
        assert loss.scores["lstm"].max() == loss.scores["lstm"][2] == 0.197

    def test_it_is_kept(self, write, make):
        table = read.scores(write(make(CRASHED)), missing="keep")
        assert as_lists(table)[""]["lstm"][2] == 0.056
        assert (table.missing, table.n_missing, table.n_kept) == ("keep", {}, 1)
        (doubt,) = table.doubts
        assert "'lstm', run '2', at step" in doubt.lower()


def test_the_method_says_it_and_its_signature_repeats_it(write, run):
    path = write(make_chart(CRASHED))
    for missing, said in (
        (
            "drop",
            f"its last Step, {END}; 1 run that ends much earlier has no score. 1 run",
        ),
        ("worst", "that ended early (lstm) counts as 0.056, the worst of all runs"),
        ("keep", f"Step, 5 to {END}. 1 run that crashed or ended early has the score "),
    ):
        code, out, err = run("compare", path, "--missing", missing, "--format", "json")
        assert code == 0, err
        document = json.loads(out)
        assert said in document["method"]
        assert f"|missing:{missing}|" in document["signature"]
        assert document["missing"] == missing
        code, out, err = run("compare", path, "--verify", document["signature"])
        assert code == 0, err
    arguments = ("--missing", "drop", "--paired", "--test", "permutation")
    _, out, _ = run("compare", path, *arguments, "--format", "json")
    assert "1 of 4 runs, in which 1 score was missing" in json.loads(out)["method"]


@pytest.mark.parametrize(
    "last",
    [
        # Not much earlier: only a warning says so.
        {"lstm-s2": 10},
        # By early stopping, each at a step of its own.
        {f"{m}-s{k}": 3 + 2 * k + 3 * i for i, m in enumerate(("cnn", "lstm"))
         for k in range(4)},
        # A model with other steps than the rest.
        {f"lstm-s{k}": 6 for k in range(4)},
        # Some go on after the others.
        {"lstm-s2": 60, "cnn-s0": 80},
    ],
)  # fmt: skip
def test_what_is_not_asked_about(write, last):
    table = read.scores(write(make_chart(last)))
    assert [len(x) for x in table.scores.values()] == [4, 4]
    assert (table.missing, table.n_missing, len(table.doubts)) == (None, {}, 1)
    again = read.scores(write(make_chart(last)), missing="drop")
    assert as_lists(again) == as_lists(table)


def test_ends_that_are_nearly_the_same(write):
    """As those of episodes are."""
    last = {f"{m}-s{k}": 190 + k for m in ("cnn", "lstm") for k in range(4)}
    path = write(make_chart({**last, "cnn-s1": 60, "cnn-s2": 70, "lstm-s0": 3}))
    with pytest.raises(TableError, match=r"got 3 of 8: 'cnn', run '1', at Step 60 \("):
        read.scores(path)
    assert read.scores(path, missing="drop").n_missing == {"": {"cnn": 2, "lstm": 1}}


def test_each_task_has_its_own_end(write):
    rows = make_long(CRASHED).splitlines()
    text = "task," + rows[0]
    text += "".join(f"\nt,{x}" for x in rows[1:])
    text += "".join(f"\nu,{x}" for x in make_long().splitlines()[1:])
    with pytest.raises(TableError, match=r"'lstm', task 't', run '2', at step 5"):
        read.scores(write(text))
    table = read.scores(write(text), missing="drop")
    assert table.n_missing == {"t": {"lstm": 1}}
    assert len(table.tasks["u"]["lstm"]) == 4


def test_files_of_single_runs(tmp_path):
    for model in "ab":
        for k in range(3):
            n = 2 if (model, k) == ("b", 1) else 10
            lines = [f"{step},{step / 16 + k}" for step in range(n)]
            path = tmp_path / f"{model}_seed{k}.csv"
            path.write_text("\n".join(["epoch,acc", *lines]))
    with pytest.raises(TableError, match=r"got 1 of 6: 'b', run '1', at epoch 1"):
        read.scores(tmp_path)
    assert read.scores(tmp_path, missing="drop").n_missing == {"": {"b": 1}}
    where = {"epoch": ["9"]}
    with pytest.raises(TableError, match=r"1 of 6: 'b', run '1', at epoch 1\. "):
        read.scores(tmp_path, where=where)
    table = read.scores(tmp_path, where=where, missing="drop")
    assert table.n_missing == {"": {"b": 1}}


class TestLeavingOutColumnsOfAChart:
    @pytest.mark.parametrize("name", ["lstm-s2", "lstm-s2 - acc"])
    def test_a_run(self, write, run, name):
        path = write(make_chart(CRASHED))
        code, out, err = run("compare", path, "--ignore", name, "--format", "json")
        assert code == 0, err
        models = json.loads(out)["models"]
        assert {x: y["n"] for x, y in models.items()} == {"cnn": 4, "lstm": 3}
        ranges = ",".join([name, "lstm-s2 - acc__MIN", "cnn-s0 - acc__MAX"])
        same = run("compare", path, "--ignore", ranges, "--format", "json")[1]
        assert json.loads(same)["models"] == models

    def test_a_name_that_is_not_there(self, write, run):
        done = run("compare", write(make_chart(CRASHED)), "--ignore", "lstm-s22")
        refuse(done, "Did you mean 'lstm-s2'?", "The columns are 'cnn-s0 - acc',")

    def test_a_step_that_a_run_lacks(self, write, run):
        path = write(make_chart(CRASHED))
        done = run("compare", path, "--where", f"Step={END}")
        refuse(done, f"before Step {END} (--where); got 1 of 8: 'lstm', run '2', at")
        _, _, err = run("compare", path, "--where", "Step=3")
        assert "runs without a row" not in err


def test_one_step_short_is_no_early_end(write, run):
    """Of runs with a row each, there is no first step to count the way from."""
    draw = np.random.default_rng(0)

    def grow(*ends):
        rows = [
            f"{'ab'[k % 2]},{k // 2},{end},{0.9 + draw.normal(0, 0.004):.4f}"
            for k, end in enumerate(ends)
        ]
        return write("\n".join(["model,seed,epoch,acc", *rows]))

    code, _, err = run("compare", grow(*[50] * 11, 48))
    assert code == 0, err
    done = run("compare", grow(*[50] * 10, 28, 11))
    refuse(done, "three quarters of the others", "2 of 12")


NAMES = ("frame", "frames", "steps", "timestep", "total_timesteps", "env_steps")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("is_sorted", [False, True])
def test_curves_without_names_of_runs_are_not_pooled(write, name, is_sorted):
    """Whatever the steps are called, as those of 'step' are not."""
    rows = sorted(
        (k if is_sorted else 0, task, m, run, k)
        for task in "xy"
        for m in "ab"
        for run in range(4)
        for k in range(1, 6)
    )
    lines = [f"{task},{m},{k}000,{k + run / 10}" for _, task, m, run, k in rows]
    table = read.scores(write("\n".join([f"task,model,{name},score", *lines])))
    assert sorted(table.tasks["x"]["a"]) == [5.0, 5.1, 5.2, 5.3]
    assert any(x.startswith(f"{name!r} was taken") for x in table.notes)


def test_steps_at_which_runs_without_names_ended_are_no_curves(write):
    for k in range(50):
        rows = [f"{m},{DRAW.randint(1, 30)},{DRAW.random()}" for m in "ab" * 6]
        path = write("\n".join(["model,frames,score", *rows]), f"{k}.csv")
        assert len(as_lists(read.scores(path))[""]["a"]) == 6


def write_ends(write, ends, name="_step"):
    """Write a table of runs, with the step at which each ended."""
    rows = [
        f"{m},{k},{end},{DRAW.random():.4f}"
        for m, by in zip("ab", ends, strict=True)
        for k, end in enumerate(by)
    ]
    return write("\n".join([f"model,seed,{name},acc", *rows]))


@pytest.mark.parametrize("name", ["_step", "epoch", "step"])
@pytest.mark.parametrize("others", [[80], [86, 87, 88, 89, 90]])
def test_a_table_of_runs_warns_of_other_ends(write, run, name, others):
    ends = [99] * 6, [*others, *[99] * (6 - len(others))]
    path = write_ends(write, ends, name)
    (doubt,) = (x for x in read.scores(path).doubts if "at another step" in x)
    assert f"'b', run '0', at {name} {others[0]} (most at 99)" in doubt
    options = f"--where {name}=99 --missing drop"
    # It leaves one run of 'b' where the others end before.
    assert doubt.endswith(f"at one step with {options}") == (len(others) == 1)
    if len(others) == 1:
        code, _, err = run("compare", path, *options.split())
        assert code == 0, err
        assert "another step" not in err


def write_games(write, last, jitter=40_000):
    """Write curves by game, model and seed, logged at the ends of episodes."""
    rows = [
        f"{game},{model},{seed},{10**6 * k + DRAW.randint(-jitter, jitter)},"
        f"{k + DRAW.random():.4f}"
        for game in "uvw"
        for model in "ab"
        for seed in range(5)
        for k in range(1, 1 + last.get((game, model, seed), last.get(model, 10)))
    ]
    return write("\n".join(["game,algo,seed,global_step,return", *rows]))


def test_a_column_t_counts_steps_if_it_has_many(write):
    rows = [x.replace("step", "t") for x in make_rows(steps=range(0, 500, 50))]
    assert as_lists(read.scores(write("\n".join(rows))))[""]["a"][0] == 450.0
    few = [x.replace("step", "t") for x in make_rows(steps=(1, 2, 3))]
    with pytest.raises(TableError, match="expected one column of scores; got 't', 'a"):
        read.scores(write("\n".join(few)))


def test_scores_are_counted_without_missing_ones(write):
    table = read.scores(write(make_chart(CRASHED)), missing="drop")
    (note,) = (x for x in table.notes if "the steps of a run" in x)
    assert ": 7 of " in note


def test_ends_of_episodes_hide_no_crash(write):
    for _ in range(20):
        assert not read.scores(write_games(write, {})).doubts
    (doubt,) = read.scores(write_games(write, {("v", "b", 3): 6})).doubts
    assert "1 run ends at another step" in doubt
    assert re.search(r"'b', task 'v', run '3', at \w+ [56]\d{6} \(most at ab", doubt)
    assert "--where" not in doubt


def test_a_step_that_models_lack_is_not_advised(write):
    """Epochs of larger batches have fewer steps."""
    path = write_games(write, {"a": 10, "b": 6}, 0)
    (doubt,) = read.scores(path).doubts
    assert "--missing" not in doubt
    assert doubt.endswith("at one step with --where global_step=6000000")


def test_what_works_without_a_run_on_a_task(write, run):
    path = write_games(write, {("v", "b", 3): 6}, 0)
    options = ("--where", "global_step=10000000", "--missing", "drop", "--statistic")
    done = run("compare", path, *options, "iqm")
    ways = "--statistic mean or --statistic improvement, for which"
    refuse(done, ways, "or choose a step that all have with --where global_step=STEP.")
    for statistic in ("mean", "improvement"):
        assert run("compare", path, *options, statistic)[0] == 0
    again = ("--where", "global_step=6000000", "--statistic", "iqm")
    assert run("compare", path, *again)[0] == 0


def test_runs_that_end_at_steps_of_their_own_are_not_warned_of(write):
    for _ in range(50):
        ends = [[DRAW.randint(78, 99) for _ in range(6)] for _ in "ab"]
        assert not read.scores(write_ends(write, ends)).doubts


def test_a_run_without_a_score_is_named_with_its_step(write):
    rows = [
        f"{m},{k},{23 if (m, k) == ('a', 3) else 99},{'' if (m, k) == ('a', 3) else k}"
        for m in "ab"
        for k in range(5)
    ]
    path = write("\n".join(["model,seed,_step,acc", *rows]))
    notes = read.scores(path, missing="drop").notes
    assert "runs without a score were left out: 'a', run '3', step 23" in notes
