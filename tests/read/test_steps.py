"""The last step of each run, and scores that are missing there."""

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
        "'b', run '1', ends at step 4; 'b', run '3', ends at step 4, and others at 5: "
        "scores of other steps are compared. Leave out the rows or columns of what has "
        "not finished; or, where blank scores at step 5 are missing, pass --missing "
        "drop, or --missing worst"
    )
    assert as_lists(table)[""]["b"] == [5.0, 4.1, 5.2, 4.3]
    pandas = pytest.importorskip("pandas")
    for source in (path, pandas.read_csv(path)):
        table = read.scores(source, missing="drop")
        assert as_lists(table)[""] == {"a": [5.0, 5.1, 5.2, 5.3], "b": [5.0, 5.2]}
        assert (table.missing, table.n_missing) == ("drop", {"": {"b": 2}})
        assert not table.doubts
        assert any(
            "runs without a score were left out: 2 of 'b'" in x for x in table.notes
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
    assert "'b', run '1', ends at step 4, and others at 5" in table.doubts[0]
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
    assert doubt.startswith("task 'u': 'b', run '1', ends at step 7, and others at 8")


def test_many_early_runs_are_counted(write):
    early = [(m, k, 5) for m in "ab" for k in range(3)]
    path = write("\n".join(make_rows(n_runs=9, blank=early)))
    (doubt,) = read.scores(path).doubts
    assert "'a', run '2', ends at step 4; and 3 more, and others at 5" in doubt
