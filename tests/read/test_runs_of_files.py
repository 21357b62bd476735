"""Several files of a model with the same items are those of its runs."""

import json

import pytest

from sigarray import read
from tests.read.asking import refuse


def as_items(scores, start=0):
    return "id,acc\n" + "".join(f"q{start + k},{x}\n" for k, x in enumerate(scores))


SCORES = {
    ("base", 1): [1, 0, 1, 0], ("base", 2): [0, 0, 1, 1],
    ("new", 1): [1, 1, 1, 0], ("new", 2): [1, 0, 1, 1],
}  # fmt: skip


@pytest.fixture
def files(tmp_path):
    for (model, seed), scores in SCORES.items():
        (tmp_path / model).mkdir(exist_ok=True)
        (tmp_path / model / f"seed{seed}.csv").write_text(as_items(scores))
    return tmp_path


class TestNames:
    @pytest.mark.parametrize("how", ["files", "folders", "path"])
    def test_a_repeated_name_is_of_runs(self, files, how):
        """They were averaged: 18 % of false alarms by seeds that differ by 0.026."""
        by_how = {
            "files": [f"{x}={files / x / f'seed{k}.csv'}" for x, k in SCORES],
            "folders": [f"{x}={files / x}" for x in ("base", "new")],
            "path": [files],
        }
        path = "{model}/*.csv" if how == "path" else None
        table = read.scores(*by_how[how], path=path)
        assert table.unit == "run,item"
        assert table.runs[""]["base"].scores.tolist() == [[1, 0, 1, 0], [0, 0, 1, 1]]
        (note,) = [x for x in table.notes if "taken for its runs" in x]
        assert "'seed1' and 'seed2' of 'base'" in note

    def test_runs_of_one_item_each_may_be_averaged(self, files):
        table = read.scores(*(f"{x}={files / x}" for x in ("base", "new")), unit="item")
        assert table.scores["base"].tolist() == [0.5, 0, 1, 0.5]
        assert table.averaged[""].of == "run"

    def test_json_lines(self, tmp_path):
        for (model, seed), scores in SCORES.items():
            lines = [{"id": f"q{k}", "acc": x} for k, x in enumerate(scores)]
            path = tmp_path / f"{model}_{seed}.jsonl"
            path.write_text("".join(json.dumps(x) + "\n" for x in lines))
        names = [f"{x}={tmp_path / f'{x}_{k}.jsonl'}" for x, k in SCORES]
        assert read.scores(*names).unit == "run,item"

    def test_parts_of_the_items_are_no_runs(self, tmp_path):
        for (model, part), scores in SCORES.items():
            path = tmp_path / model / f"part{part}.csv"
            path.parent.mkdir(exist_ok=True)
            path.write_text(as_items(scores, 4 * part))
        table = read.scores(*(f"{x}={tmp_path / x}" for x in ("base", "new")))
        assert (table.unit, len(table.scores["base"])) == ("item", 8)

    def test_the_same_scores_are_averaged(self, files):
        for model in ("base", "new"):
            (files / model / "seed2.csv").write_bytes(
                (files / model / "seed1.csv").read_bytes()
            )
        table = read.scores(*(f"{x}={files / x}" for x in ("base", "new")))
        assert table.unit == "item"

    def test_samples_in_each_file_are_averaged_with_a_warning(self, files):
        for (model, seed), scores in SCORES.items():
            path = files / model / f"seed{seed}.csv"
            path.write_text(as_items(scores) + as_items(scores)[len("id,acc\n") :])
        table = read.scores(*(f"{x}={files / x}" for x in ("base", "new")))
        assert table.unit == "item"
        assert any("a verdict is on these runs alone" in x for x in table.notes)


class TestColumnsOfModels:
    def test_files_named_as_runs(self, tmp_path):
        """They were tasks, over which each model was compared."""
        for seed in (1, 2):
            rows = [
                f"{x},q{k},{y}\n"
                for (x, of), scores in SCORES.items()
                if of == seed
                for k, y in enumerate(scores)
            ]
            path = tmp_path / f"seed{seed}.csv"
            path.write_text("model,id,acc\n" + "".join(rows))
        table = read.scores(tmp_path)
        assert (table.unit, [*table.tasks]) == ("run,item", [""])
        assert any("'seed1' was taken for run" in x for x in table.notes)

    @pytest.mark.parametrize("are_models", [False, True])
    def test_files_named_as_folds_are_asked_about(self, tmp_path, run, are_models):
        for k in range(5):
            text = f"model,id,acc\na,1,0\na,2,1\nb,1,1\nb,2,{k % 2}\n"
            text = f"a,b\n0.8,0.{8 + k % 2}\n" if are_models else text
            (tmp_path / f"fold{k}.csv").write_text(text)
        columns = ["--columns", "{model}"] * are_models
        for files in ([tmp_path], sorted(tmp_path.glob("*.csv"))):
            done = run("compare", *map(str, files), *columns)
            refuse(done, "column 'fold'", "Pass --fold fold; or")
            done = run("compare", *map(str, files), *columns, "--fold", "fold")
            assert done[0] == 0, done[2]
            assert "each of 5 folds was tested on 0.2 of the data" in done[2]
        if are_models:
            done = run("compare", str(tmp_path), "--fold", "fold")
            refuse(done, "pass --columns '{model}', too")

    def test_a_path_of_single_files(self, tmp_path, run):
        """It may be of the last part alone; runs that are folds are warned of."""
        for k in range(5):
            text = f"model,acc\na,0.8{k}\nb,0.7{2 * k}\n"
            (tmp_path / f"fold{k}.csv").write_text(text)
        files = [*map(str, sorted(tmp_path.glob("*.csv")))]
        for path in ("fold{run}.csv", "{run}.csv"):
            code, _, err = run("compare", *files, "--path", path)
            assert code == 0, err
            assert "warning: if {run} is a fold, pass --test t" in err
            share = ("--test", "t", "--test-share", "0.2")
            code, _, err = run("compare", *files, "--path", path, *share)
            assert (code, "warning" in err) == (0, False)
