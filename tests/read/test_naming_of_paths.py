"""The meaning of the parts of paths: taken from their names, or asked of the user."""

import json
import random

import pytest

from tests.read.asking import parse, refuse
from tests.read.conftest import MODELS, TASKS

DRAW = random.Random(0)


SAYS = (
    "Say what its parts are with --path, as in --path '{task}/{model}/seed{run}.json'"
)


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
        refuse(run("compare", folder), SAYS)
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
        refuse(run("compare", folder), SAYS)
        done = run("compare", folder, "--path", path, "--format", "json")
        by = parse(done)["models"]
        assert {name: x["n"] for name, x in by.items()} == dict.fromkeys(MODELS, 5)

    def test_models_of_one_run_each(self, grow, run):
        folder = grow("{model}-{run}.json", tasks=("",))
        refuse(run("compare", folder), "one score each", SAYS)
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
        refuse(run("compare", folder), "neither looks like a run", SAYS)

    def test_paths_of_several_depths(self, grow, run, tmp_path):
        folder = grow("{model}/seed{run}.json", tasks=("",))
        other = tmp_path / "out" / "last" / "deep" / "seed1.json"
        other.parent.mkdir(parents=True)
        other.write_text('{"acc": 1.0}')
        refuse(run("compare", folder), SAYS, "name the models: NAME=FOLDER")

    @pytest.mark.parametrize(
        "template", ["{model}/fold{run}/m.json", "{model}/cv_{run}.json"]
    )
    def test_folds_are_no_runs(self, grow, run, template):
        folder = grow(template, tasks=("",))
        words = SAYS, "; and pass --test t", "overlap"
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
        refuse(done, SAYS)
        _, out, _ = run("compare", folder, "--path", template, "--format", "json")
        assert set(json.loads(out)["tasks"]) == set(TASKS)

    def test_of_files_too(self, grow, run, tmp_path):
        folder = grow("{model}_{task}_seed{run}.json")
        files = sorted(map(str, (tmp_path / "out").iterdir()))
        done = run("compare", *files)
        refuse(done, "which may be models and tasks", "NAME=FILE")
        way = f"{folder}/{{model}}_{{task}}_seed{{run}}.json"
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
        refuse(run("compare", str(tmp_path)), "may be models and", SAYS)
        options = ("--path", "{task}-{model}-{run}.json")
        done = run("compare", str(tmp_path), *options)
        refuse(done, "in one way", "task 'mnli', model 'bert-base'", f"--path '{way}'")
        by = parse(run("compare", str(tmp_path), "--path", way, "--format", "json"))
        assert set(by["models"]) == {"bert", "bert-base"}
