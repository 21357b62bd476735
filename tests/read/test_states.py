"""Runs that crashed or still run, in tables that no tracker wrote."""

import json

import pytest

import sigarray
from sigarray import read
from sigarray.read import TableError
from tests.read.asking import refuse
from tests.read.long_tables import as_lists

ROWS = [
    "a,0,{},.81",
    "a,1,{},.82",
    "a,2,{},.8",
    "a,3,{bad},.11",
    "b,0,{},.71",
    "b,1,{},.72",
    "b,2,{},.7",
    "b,3,{on},.3",
]
SCORES = {"": {"a": [0.81, 0.82, 0.8], "b": [0.71, 0.72, 0.7]}}


def table(name="state", good="finished", bad="crashed", on="running"):
    rows = [x.format(good, bad=bad, on=on) for x in ROWS]
    return "\n".join([f"model,seed,{name},acc", *rows, ""])


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("state", {}),
        ("State", {"good": ""}),
        ("status", {"bad": "FAILED", "good": "FINISHED", "on": "RUNNING"}),
        ("run_status", {"bad": "error", "good": "completed", "on": "preempted"}),
    ],
)
def test_they_are_known_by_words_of_trackers(write, name, words):
    path = write(table(name, **words))
    bad, on = (words.get(x, y) for x, y in (("bad", "crashed"), ("on", "running")))
    with pytest.raises(TableError, match=rf"1 of 7 \({bad.lower()}\): 'a', run '3'\."):
        read.scores(path)
    dropped = read.scores(path, missing="drop")
    assert as_lists(dropped) == SCORES
    assert (dropped.n_missing, dropped.n_unfinished) == ({"": {"a": 1}}, 1)
    said = f"1 run that has not finished ({on.lower()}) left out: 'b', run '3'"
    assert said in dropped.notes[0]
    assert min(read.scores(path, missing="keep").scores["a"]) == 0.11
    assert "'b', run '3'" in read.scores(path, missing="worst").notes[0]


def test_they_are_said_where_notes_are_not(write, run):
    path = write(table())
    refuse(run("compare", path, "--quiet"), "runs that have crashed", "--missing drop")
    code, _, err = run("compare", path, "--quiet", "--missing", "drop")
    assert code == 0
    assert "1 run that has not finished (running) left out" in err


def test_other_words_are_none(write):
    """A state may be a country's; the state of an item, of its answer."""
    for good, bad in (("Ohio", "Texas"), ("passed", "failed"), ("", "")):
        found = read.scores(write(table(good=good, bad=bad, on=good)))
        assert [len(x) for x in found.scores.values()] == [4, 4]
        assert found.n_unfinished == 0


def test_a_column_may_be_ignored_or_chosen(write, run):
    path = write(table())
    code, out, err = run("compare", path, "--ignore", "state")
    assert (code, "0.11" in out) == (0, True), err
    assert as_lists(read.scores(path, where={"state": ["finished"]})) == SCORES
    with pytest.raises(TableError, match="runs that have crashed"):
        read.scores(path, where={"state": ["finished", "crashed"]})
    chosen = read.scores(path, model="state", run="model,seed")
    assert chosen.models == ("finished", "crashed", "running")


def test_data_frames_and_blank_cells():
    pandas = pytest.importorskip("pandas")
    cells = [x.format("finished", bad="crashed", on="running").split(",") for x in ROWS]
    frame = pandas.DataFrame(cells, columns=["model", "seed", "Status", "acc"])
    frame["acc"] = frame["acc"].astype(float)
    frame.loc[0, "Status"] = None
    with pytest.raises(ValueError, match=r"1 of 7 \(crashed\)"):
        sigarray.compare_models(frame)
    assert as_lists(read.scores(frame, missing="drop")) == SCORES


def test_a_file_for_each_run(tmp_path):
    for line in table().splitlines()[1:]:
        model, seed, state, acc = line.split(",")
        document = {"model": model, "seed": seed, "state": state, "acc": float(acc)}
        (tmp_path / f"{model}{seed}.json").write_text(json.dumps(document))
    with pytest.raises(TableError, match=r"1 of 7 \(crashed\)"):
        read.scores(tmp_path)
    found = read.scores(tmp_path, missing="drop")
    assert as_lists(found) == SCORES
    assert any("1 run that has not finished (running)" in x for x in found.notes)
    assert found.n_unfinished == 1


def test_none_that_has_finished(write):
    path = write(table(good="running", bad="pending"))
    with pytest.raises(TableError, match="finished; got pending, running in column"):
        read.scores(path)


def test_a_column_for_each_model(write):
    """A row is of several models, and its state of which?"""
    path = write("seed,state,A,B\n0,finished,1.5,2\n1,crashed,.1,2\n2,finished,2,3\n")
    with pytest.raises(TableError, match=r"column 2 \(state\).* state=finished"):
        read.scores(path)
    found = read.scores(path, where={"state": ["finished"]})
    assert as_lists(found) == {"": {"A": [1.5, 2.0], "B": [2.0, 3.0]}}


def test_one_that_ends_early_has_crashed(write):
    rows = [f"{x.format('finished', bad='crashed', on='finished')},90" for x in ROWS]
    rows[3] = rows[3].replace(",90", ",12")
    rows.append("a,0,finished,.5,1")
    path = write("\n".join(["model,seed,state,acc,epoch", *rows]))
    found = read.scores(path, missing="drop")
    assert "runs that have crashed, or have no score, were left out: 'a', run '3'" in (
        " ".join(found.notes)
    )
    assert found.ended[""].crashed == {"a": 1}
    assert found.last_steps.n_early == 0
