"""What --path says the parts of paths are."""

import json
import random

import pytest

from sigarray import read
from tests.read.asking import parse, refuse
from tests.read.conftest import MODELS, TASKS

DRAW = random.Random(0)


def test_only_the_path_is_of_other_files(grow, run, tmp_path):
    folder = grow("{model}/seed{run}.json", tasks=("",))
    (tmp_path / "out" / "notes.json").write_text("{}")
    code, _, err = run("compare", folder, "--path", "{model}/seed{run}.json")
    assert code == 0, err
    assert "1 other file was left out" in err
    refuse(run("compare", folder, "--path", "{model}.csv"), "--path '{model}.csv'")
    refuse(run("compare", folder, "--path", "{system}/x"), "{model}")
    refuse(run("compare", folder, "--path", "{run}/{run}"), "at most once")
    refuse(run("compare", folder, "--path", "bert/x.json"), "to name parts")


def test_braces_in_a_path_are_no_template(grow, run):
    folder = grow("{{x}}/{task}/{model}/seed{run}.json")
    refuse(run("compare", folder), "Say what its parts are with --path")


class TestRunsAtTheEnd:
    def write(self, folder, names, n):
        for name in names:
            for k in range(n):
                text = json.dumps({"acc": DRAW.random()})
                (folder / f"{name}{k}.json").write_text(text)
        return str(folder)

    @pytest.mark.parametrize("n", [5, 12])
    @pytest.mark.parametrize(
        ("names", "way"),
        [
            (["bert", "bart", "gpt"], "{model}{run}.json"),
            (["bert-base-", "gpt-2-", "t5-"], "{model}-{run}.json"),
        ],
    )
    def test_the_last_number_is_the_run(self, run, tmp_path, names, way, n):
        folder = self.write(tmp_path, names, n)
        refuse(run("compare", folder), "Say what its parts are with --path")
        by = parse(run("compare", folder, "--path", way, "--format", "json"))["models"]
        expected = {name.rstrip("-"): n for name in names}
        assert {name: x["n"] for name, x in by.items()} == expected
        (tmp_path / f"{names[0]}{n - 1}.json").unlink()
        assert run("compare", folder, "--path", way)[0] == 0

    @pytest.mark.parametrize("run_of", ["2024-01-0{}", "2024-01-01_12-00-0{}", "{}"])
    def test_a_date_is_a_run(self, run, tmp_path, run_of):
        for name in ("bert-base", "gpt-2"):
            for k in range(4):
                text = json.dumps({"acc": DRAW.random()})
                (tmp_path / f"{name}-{run_of.format(k)}.json").write_text(text)
        options = ("--path", "{model}-{run}.json", "--format", "json")
        by = parse(run("compare", str(tmp_path), *options))["models"]
        assert {name: x["n"] for name, x in by.items()} == {"bert-base": 4, "gpt-2": 4}

    def test_where_the_name_may_end_in_a_number(self, run, tmp_path):
        folder = self.write(tmp_path, ["resnet18", "resnet50", "vit"], 4)
        done = run("compare", folder, "--path", "{model}{run}.json")
        refuse(done, "model 'resnet', run '180', or model 'resnet18', run '0'")
        assert "--path" not in run("compare", folder)[2].partition("such as")[2]

    def test_other_words_side_by_side(self, run, tmp_path):
        for name in ("a-b-x", "a-c-y"):
            (tmp_path / f"{name}.json").write_text('{"acc": 0.5}')
        done = run("compare", str(tmp_path), "--path", "{task}-{model}.json")
        refuse(done, "task 'a', model 'b-x', or task 'a-b', model 'x'")


class TestSaid:
    def test_the_same_of_many_files_once(self, grow, run):
        _, _, err = run("compare", grow("{model}/seed{run}.json", tasks=("",)))
        assert err.count("of its columns") == 1
        assert "and 8 more: of its columns, score is 'acc'" in err

    def test_in_python(self, grow, write):
        folder = grow("{task}/{model}/seed{run}.json")
        table = read.scores(folder, path="{task}/{model}/seed{run}.json")
        assert set(table.tasks) == set(TASKS)
        assert table.ids["mnli"]["gpt"] == tuple("01234")
        rows = [f"{m},{k},{x},{k}" for m in "ab" for k in (1, 2) for x in "xyz"]
        path = write("\n".join(["model,seed,part,acc", *rows]))
        found = read.scores(path, where={"part": ["x"], "seed": ["2"]}).scores
        assert {name: x.tolist() for name, x in found.items()} == {"a": [2], "b": [2]}
        with pytest.raises(TypeError, match="where of 'part' to be several names"):
            read.scores(path, where={"part": "x"})

    def test_models_and_runs(self, grow, run):
        code, _, err = run("compare", grow("{model}/seed{run}.json", tasks=("",)))
        assert code == 0
        assert "'bert' was taken for the model and 'seed0' for the run" in err

    def test_models(self, grow, run):
        code, _, err = run("compare", grow("{model}_seed{run}.json", tasks=("",)))
        assert code == 0
        assert "'bert_seed0' was taken for run 0 of 'bert'" in err

    def test_a_path_names_the_tasks_of_tables(self, write, run, tmp_path):
        for task in TASKS:
            (tmp_path / task).mkdir()
            rows = [f"{m},{k},{DRAW.random()}" for m in MODELS for k in range(5)]
            write("\n".join(["model,seed,acc", *rows]), f"{task}/all.csv")
        done = run("compare", str(tmp_path), "--path", "{task}/*.csv")
        assert done[0] == 0, done[2]
        assert all(task in done[1] for task in TASKS)

    def test_folders_with_names(self, grow, run):
        folder = grow("{model}/{task}/seed{run}.json")
        named = [f"{name}={folder}/{name}" for name in MODELS]
        done = run("compare", *named, "--path", "{task}/seed{run}.json")
        assert done[0] == 0, done[2]
        assert all(name in done[1] for name in (*MODELS, *TASKS))
