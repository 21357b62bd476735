"""Rows that say of what their scores are, and what is left over."""

import json

import pytest

import sigarray
from sigarray import read
from sigarray.read import TableError
from tests.read.asking import refuse
from tests.read.long_tables import as_csv, as_lists
from tests.read.tool_files import FILES


def test_what_is_not_used_is_said(write):
    rows = [("a", "en", 1), ("a", "de", 2), ("b", "en", 3), ("b", "de", 4)]
    table = read.scores(write(as_csv(rows, "model,language,acc")))
    assert table.unit == "item"
    assert any("'language' was taken for the items" in x for x in table.notes)
    table = read.scores(write(as_csv(rows * 2, "model,language,acc")))
    assert any("not used: 'language'; name what tells" in x for x in table.notes)
    (doubt,) = table.doubts
    assert doubt.endswith("as runs. Where these are tasks, pass --task language")
    assert read.scores(
        write(as_csv(rows, "model,language,acc")), task="language"
    ).tasks.keys() == {"en", "de"}


def test_what_tells_no_scores_apart_is_not_said(write):
    """Constant columns, numbers of rows and free text are in most files."""
    answer = "answers that are as long as answers are"
    rows = [
        (k, m, s, "v2", f"{answer} {k}", "xy"[s % 2], k / 9)
        for k, (m, s) in enumerate((m, s) for m in "ab" for s in range(5))
    ]
    table = read.scores(write(as_csv(rows, ",model,seed,code,answer,group,acc")))
    (said,) = (x for x in table.notes if "not used" in x)
    assert "not used: 'group'; name what tells scores apart" in said
    rows = [(*x[:5], *x[6:]) for x in rows]
    table = read.scores(write(as_csv(rows, ",model,seed,code,answer,acc")))
    assert not any("not used" in x for x in table.notes)


def test_a_group_is_no_cluster(write):
    rows = [(m, g, k, k) for m in "ab" for k, g in enumerate("xxyy")]
    table = read.scores(write(as_csv(rows, "model,Group,seed,acc")))
    assert (table.unit, len(table.scores["a"])) == ("run", 4)
    table = read.scores(write(as_csv(rows, "model,Group,seed,acc")), cluster="Group")
    assert (table.unit, len(table.scores["a"])) == ("cluster", 2)


def test_columns_that_may_group_items_are_named(write):
    lines = ["model,item,document,topic,score"]
    lines += [
        f"{model},q{k},d{k // 3},t{(k + len(model)) % 4},0.{(7 * k + len(model)) % 10}"
        for model in ("a", "bb")
        for k in range(12)
    ]
    table = read.scores(write("\n".join(lines)))
    (said,) = [x for x in table.notes if "may group the items" in x]
    # A topic is not the same for both models.
    assert "'document' may group" in said
    assert "pass --cluster document. If they are fixed" in said


def test_each_column_that_may_group_items_is_named(write):
    """The first may be of fixed groups, and the second of those that were sampled."""
    rows = [(m, k, f"s{k // 6}", f"p{k // 2}", k) for m in "ab" for k in range(12)]
    table = read.scores(write(as_csv(rows, "model,item,subject,passage,acc")))
    (said,) = [x for x in table.notes if "may group the items" in x]
    assert "sampled, as documents are" in said
    assert "pass --cluster subject or --cluster passage." in said
    assert said.endswith("pass --task subject or --task passage, with --statistic mean")


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
    with pytest.raises(TableError, match=r"column 2 \(state\): expected scores"):
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


RUNS = [(model, seed) for model in "ab" for seed in range(4)]


def make_runs(seed="seed", twice=(), cells=None, **columns):
    """A table of runs of W&B, with some (model, seed) once more."""
    rows = [*RUNS, *twice]
    lines = [",".join(["Name", "State", "model", seed, *columns, "acc"])]
    for k, (model, run) in enumerate(rows):
        cell = (cells or {}).get((model, run), run)
        more = [x[k % len(x)] for x in columns.values()]
        row = [f"wise-bird-{k}", "finished", model, cell, *more, f".{k + 11}"]
        lines.append(",".join(map(str, row)))
    return "\n".join(lines)


@pytest.mark.parametrize(
    "seed",
    [
        *("seed", "Seed", "random_seed", "config.seed", "config/seed", "params.seed"),
        *("rng_seed", "random_state", "trainer.seed", "hparams/seed"),
    ],
)
class TestRunsOfATracker:
    def test_a_seed_names_a_run(self, write, seed):
        table = read.scores(write(make_runs(seed)), metric="acc")
        assert table.ids[""]["a"] == ("0", "1", "2", "3")
        assert any(
            f"of its columns, run is {seed!r}, state is 'State', model is 'model', s"
            in x
            for x in table.notes
        )
        path = write(make_runs(seed, [("b", 2)]))
        said = r"line 10: expected one score of 'b' for run '2'; .* line 8"
        with pytest.raises(TableError, match=said):
            read.scores(path, metric="acc")

    def test_other_names_do_not_hide_it(self, write, seed):
        path = write(make_runs(seed, [("b", 2), ("b", 2), ("a", 0)]))
        (doubt,) = read.scores(path, metric="acc", run="Name").doubts
        assert (
            f"column {seed!r} has one seed in several runs of a model: 2 of 'b', lines "
            "8 and 10; 2 of 'b', lines 8 and 11; 0 of 'a', lines 2 and 12. Each counts"
        ) in doubt
        whole = read.scores(write(make_runs(seed)), metric="acc", run="Name")
        assert whole.doubts == ()

    def test_a_blank_cell_is_asked_about(self, write, run, seed):
        path = write(make_runs(seed, cells={("a", 3): ""}))
        said = ("line 5, column", "got a blank cell", "pass --run Name, which names")
        refuse(run("compare", path, "--metric", "acc"), *said)
        code, _, err = run("compare", path, "--metric", "acc", "--run", "Name")
        assert (code, "warning" in err) == (0, False)
        path = write(make_runs(seed, [("b", 1)], {("a", 3): ""}))
        _, _, err = run("compare", path, "--metric", "acc", "--run", "Name")
        assert "1 of 'b', lines 7 and 10" in " ".join(err.split())

    def test_leaving_it_out_takes_the_names_of_the_tracker(self, write, run, seed):
        path = write(make_runs(seed, [("b", 2)]))
        arguments = ("--metric", "acc", "--ignore", seed, "--format", "json")
        code, out, err = run("compare", path, *arguments)
        assert (code, "warning" in err) == (0, False)
        assert {x: y["n"] for x, y in json.loads(out)["models"].items()} == {
            "a": 4,
            "b": 5,
        }
        assert "run is 'Name'" in err


def test_a_seed_of_every_run_or_of_none(write):
    """Without any seed the tracker names runs; a seed of the data may be the same."""
    blank = write(make_runs(cells=dict.fromkeys(RUNS, "")))
    table = read.scores(blank, metric="acc")
    assert table.ids[""]["a"][0] == "wise-bird-0"
    same = write(make_runs("x", **{"data.seed": [7]}))
    table = read.scores(same, metric="acc")
    assert (table.ids[""]["a"][0], table.doubts) == ("wise-bird-0", ())
    both = write(make_runs(data_seed=[7, 8]))
    assert read.scores(both, metric="acc").ids[""]["a"] == ("0", "1", "2", "3")
    with pytest.raises(TableError, match=r"expected one score of 'a' for run '0'"):
        read.scores(write(make_runs(cells=dict.fromkeys(RUNS, 0))), metric="acc")


def test_the_same_seed_with_other_settings_is_pooled_where_the_user_says_so(write):
    twice = [("a", k) for k in range(4)]
    path = write(make_runs(twice=twice, lr=[0.1] * 8 + [0.2] * 4))
    with pytest.raises(TableError, match=r"differ in 'lr'.* task='lr'\.$"):
        read.scores(path, metric="acc")  # 'b' has one lr: pooled, they do not compare
    table = read.scores(path, metric="acc", run="seed,lr")
    assert (len(table.scores["a"]), len(table.doubts)) == (8, 1)


def test_a_data_frame_of_the_api(write):
    pandas = pytest.importorskip("pandas")
    rows = [
        {
            "name": f"n{k}",
            "summary": {"acc": k / 16},
            "config": {"model": model, "seed": seed},
        }
        for k, (model, seed) in enumerate([*RUNS, ("b", 2)])
    ]
    with pytest.raises(TableError, match=r"one score of 'b' for run '2'; got another"):
        read.scores(pandas.DataFrame(rows))
    table = read.scores(pandas.DataFrame(rows[:-1]))
    assert table.ids[""]["b"] == ("0", "1", "2", "3")
    assert any("run is 'config.seed'" in x for x in table.notes)
    (doubt,) = read.scores(pandas.DataFrame(rows), run="name").doubts
    assert "column 'config.seed' has one seed in several runs" in doubt


def test_seeds_of_mlflow():
    for name in ("mlruns", "filestore_experiments.csv"):
        table = read.scores(FILES / "mlflow" / name, metric="test_acc")
        assert set(table.ids["toy, v1"].values()) == {("0", "1", "2")}


class TestOtherTables:
    def test_a_row_for_each_score(self, write):
        lines = ["task,model,run_id,seed,acc"]
        lines += [f"{t},{m},{m}{s},{s},.{s + 5}" for t in "tu" for m, s in RUNS]
        assert read.scores(write("\n".join(lines))).doubts == ()
        path = write("\n".join([*lines, "u,b,b9,2,.9"]))
        (doubt,) = read.scores(path).doubts
        assert ": 2 of 'b' on 'u', lines 16 and 18. Each" in doubt

    def test_items_and_steps_repeat_their_seed(self, write):
        rows = [
            f"{m},{m}{s},{s},{k},{(k + s) % 3 / 2}" for m, s in RUNS for k in range(6)
        ]
        for name, options in (("item", {"unit": "run"}), ("step", {})):
            text = "\n".join([f"model,run_id,seed,{name},acc", *rows])
            assert read.scores(write(text), **options).doubts == ()
