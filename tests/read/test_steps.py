"""The last step of each run, and scores that are missing there."""

import json
import random

import pytest

from sigarray import compare_models, read
from sigarray.read import TableError
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
        "Leave out the rows or columns of what has not finished; or, where blank "
        "scores at the last step are missing, pass --missing drop, or --missing worst"
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
    with pytest.warns(
        UserWarning, match=r"missing, pass missing='drop', or missing='w"
    ):
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
    *("global_step", "train/global_step", "updates", "Epochs"),
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
