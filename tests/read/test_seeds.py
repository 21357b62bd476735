"""A run that is there twice, by its seed."""

import json

import pytest

from sigarray import read
from sigarray.read import TableError
from tests.read.asking import refuse
from tests.read.tool_files import FILES

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
    with pytest.raises(TableError, match=r"differ in 'lr'.* run='seed,lr'"):
        read.scores(path, metric="acc")
    table = read.scores(path, metric="acc", run="seed,lr")
    assert (len(table.scores["a"]), table.doubts) == (8, ())


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
