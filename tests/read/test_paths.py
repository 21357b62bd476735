"""The meaning of the parts of paths: taken from their names, or asked of the user."""

import json
import random
import re

import pytest

from tests.read.asking import parse, refuse
from tests.read.conftest import MODELS, TASKS

DRAW = random.Random(0)


@pytest.mark.parametrize(
    "template",
    [
        "{model}/fold{run}/metrics.json",
        "{model}_fold{run}.json",
        "{model}-v{run}.json",
        "{model}.seed.{run}.json",
        "run{run}/{model}/metrics.json",
        "{run}.{model}.json",
        "{task}/{model}/{run}/m.json",
        "{task}/x/{model}-rep-{run}/m.json",
        "{task}-{model}/split_{run}.json",
        "2024-01-01/12-00-00/{job}_{model}/m.json",
        "{job}/{task}-{model}/m.json",
        "{model}/{task}.json",
    ],
)
def test_advice_is_of_all_files(grow, run, template):
    """Templates were suggested that no path was like."""
    tasks = TASKS if "{task}" in template else ("",)
    folder = grow(template, tasks=tasks, n=1 + 4 * ("{task}.json" not in template))
    code, _, err = run("compare", folder)
    assert code == 2, err
    ways = re.findall(r"--path '([^']+)'", err)
    assert ways, err
    for path in ways:
        _, _, err = run("compare", folder, "--path", path)
        assert "Expected files such as" not in err
        assert "left out, not as" not in err


class TestWhatElseIsInAPath:
    @pytest.mark.parametrize(
        ("template", "values", "way"),
        [
            (
                "{model}/lr{more}/seed{run}.json",
                ("0.01", "0.1"),
                "{model}/lr0.01/seed{run}.json",
            ),
            (
                "{model}/seed{run}/{more}.json",
                ("train", "test"),
                "{model}/seed{run}/test.json",
            ),
            ("{model}/{more}.json", ("dev", "test"), "{model}/test.json"),
        ],
    )
    def test_one_value_is_chosen(self, run, tmp_path, template, values, way):
        for model in MODELS:
            for k in range(4):
                for value in values:
                    path = tmp_path / template.format(model=model, run=k, more=value)
                    path.parent.mkdir(parents=True, exist_ok=True)
                    rows = [{"seed": k, "acc": DRAW.random()} for k in range(4)]
                    is_of_run = "{run}" in template
                    path.write_text(json.dumps(rows[:1] if is_of_run else rows))
        done = run("compare", str(tmp_path))
        refuse(done, f"such as --path '{way}'; or name")
        done = run("compare", str(tmp_path), "--path", way, "--format", "json")
        assert {x["n"] for x in parse(done)["models"].values()} == {4}

    def test_one_value_of_each_run_says_nothing(self, grow, run, tmp_path):
        folder = grow("{model}/seed{run}/checkpoint-10/m.json", tasks=("",))
        for model in MODELS:
            path = tmp_path / "out" / model / "seed1"
            (path / "checkpoint-10").rename(path / "checkpoint-20")
        way = "{model}/seed{run}/*/m.json"
        refuse(run("compare", folder), f"--path '{way}'")
        by = parse(run("compare", folder, "--path", way, "--format", "json"))["models"]
        assert {x["n"] for x in by.values()} == {5}


class TestAsked:
    @pytest.mark.parametrize(
        ("template", "path"),
        [
            ("{task}/{model}/seed{run}.json", "{task}/{model}/seed{run}.json"),
            ("{model}/{task}/seed{run}.json", "{model}/{task}/seed{run}.json"),
            ("{model}/{task}/{run}/m.json", "{model}/{task}/{run}/m.json"),
            ("{task}/{model}_seed{run}.json", "{task}/{model}_seed{run}.json"),
            ("seed{run}/{task}/{model}.json", "seed{run}/{task}/{model}.json"),
        ],
    )
    def test_tasks_models_and_runs(self, grow, run, template, path):
        folder = grow(template)
        refuse(run("compare", folder), f"--path '{path}'")
        code, out, err = run("compare", folder, "--path", path)
        assert code == 0, err
        assert "was read as" in err
        for name in (*MODELS, *TASKS):
            assert name in out
        assert "seed0" not in out

    @pytest.mark.parametrize(
        ("template", "path"),
        [
            ("seed{run}/{model}.json", "seed{run}/{model}.json"),
            ("{run}/{model}/metrics.json", "{run}/{model}/metrics.json"),
            ("{run}_{model}.json", "{run}_{model}.json"),
            ("seed{run}-{model}.json", "seed{run}-{model}.json"),
            ("{job}-{model}/metrics.json", "{run}-{model}/metrics.json"),
        ],
    )
    def test_runs_before_models(self, grow, run, template, path):
        folder = grow(template, tasks=("",))
        refuse(run("compare", folder), f"--path '{path}'")
        done = run("compare", folder, "--path", path, "--format", "json")
        by = parse(done)["models"]
        assert {name: x["n"] for name, x in by.items()} == dict.fromkeys(MODELS, 5)

    def test_models_of_one_run_each(self, grow, run):
        folder = grow("{model}-{run}.json", tasks=("",))
        refuse(run("compare", folder), "one score each", "--path '{model}-{run}.json'")
        assert run("compare", folder, "--path", "{model}-{run}.json")[0] == 0

    @pytest.mark.parametrize("name", ["{}/seed{}.csv", "{}_seed{}.csv"])
    def test_several_scores_of_a_run(self, write, run, tmp_path, name):
        for model in MODELS:
            (tmp_path / model).mkdir()
            for k in range(3):
                rows = [str(DRAW.random()) for _ in range(10)]
                write("\n".join(["acc", *rows]), name.format(model, k))
        refuse(run("compare", str(tmp_path)), "--item", "10")

    def test_neither_part_looks_like_a_run(self, grow, run):
        folder = grow("{model}/{task}.json", n=1)
        refuse(run("compare", folder), "'{task}/{model}.json'", "'{model}/{run}.json'")

    def test_paths_of_several_depths(self, grow, run, tmp_path):
        folder = grow("{model}/seed{run}.json", tasks=("",))
        other = tmp_path / "out" / "last" / "deep" / "seed1.json"
        other.parent.mkdir(parents=True)
        other.write_text('{"acc": 1.0}')
        refuse(run("compare", folder), "--path '{model}/seed{run}.json'")
        (tmp_path / "out" / "bert" / "notes.json").write_text('{"acc": 1.0}')
        refuse(run("compare", folder), "--path", "name the models: NAME=FOLDER")

    @pytest.mark.parametrize(
        "template", ["{model}/fold{run}/m.json", "{model}/cv_{run}.json"]
    )
    def test_folds_are_no_runs(self, grow, run, template):
        folder = grow(template, tasks=("",))
        words = f"--path '{template}'; or name", "; and pass --test t", "overlap"
        refuse(run("compare", folder), "no independent runs", *words)
        _, _, err = run("compare", folder, "--path", template)
        assert "if {run} is a fold, pass --test t and the share" in err


class TestNamesOfTwo:
    """Names that are models and tasks were models, and were pooled as runs."""

    @pytest.mark.parametrize(
        "template",
        [
            "{task}-{model}-{run}.json",
            "{model}_{task}_seed{run}.json",
            "{model}_{task}/seed{run}.json",
            "x_{model}-{task}_v2/{run}/metrics.json",
        ],
    )
    def test_all_combinations_are_asked_about(self, grow, run, template):
        folder = grow(template)
        done = run("compare", folder)
        refuse(done, "'bert', 'gpt'", "'mnli', 'squad'", "which may be models and")
        ways = re.findall(r"--path '([^']+)'", done[2])
        assert template in ways
        for way in ways:
            _, out, err = run("compare", folder, "--path", way, "--format", "json")
            assert "left out" not in err
            document = json.loads(out)
            if "{task}" in way:
                assert set(document["tasks"]) in (set(TASKS), set(MODELS))
            else:
                assert len(document["models"]) == 4
        _, out, _ = run("compare", folder, "--path", template, "--format", "json")
        assert set(json.loads(out)["tasks"]) == set(TASKS)

    def test_of_files_too(self, grow, run, tmp_path):
        folder = grow("{model}_{task}_seed{run}.json")
        files = sorted(map(str, (tmp_path / "out").iterdir()))
        done = run("compare", *files)
        refuse(done, "which may be models and tasks", "NAME=FILE")
        way = f"{folder}/{{model}}_{{task}}_seed{{run}}.json"
        assert f"--path '{way}'" in done[2]
        _, out, _ = run("compare", *files, "--path", way, "--format", "json")
        assert set(json.loads(out)["tasks"]) == set(TASKS)

    def test_some_combinations_are_models(self, grow, run, tmp_path):
        folder = grow("{model}_{task}_seed{run}.json")
        for path in (tmp_path / "out").glob("gpt_squad*"):
            path.unlink()
        assert run("compare", folder)[0] == 0

    def test_a_model_of_several_words(self, run, tmp_path):
        for name in ("mnli-bert", "mnli-bert-base", "sst2-bert", "sst2-bert-base"):
            for k in range(4):
                text = json.dumps({"acc": DRAW.random()})
                (tmp_path / f"{name}-{k}.json").write_text(text)
        way = "mnli-{model}-{run}.json"
        refuse(run("compare", str(tmp_path)), "may be models and", f"--path '{way}'")
        options = ("--path", "{task}-{model}-{run}.json")
        done = run("compare", str(tmp_path), *options)
        refuse(done, "in one way", "task 'mnli', model 'bert-base'", f"--path '{way}'")
        by = parse(run("compare", str(tmp_path), "--path", way, "--format", "json"))
        assert set(by["models"]) == {"bert", "bert-base"}
