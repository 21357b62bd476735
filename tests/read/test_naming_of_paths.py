"""The meaning of the parts of paths: taken from their names, or asked of the user."""

import itertools
import json
import random

import pytest

from sigarray import read
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


class TestFoldersOfRuns:
    """Of lm-evaluation-harness: an output folder for each run, or each model."""

    @pytest.fixture
    def folders(self, tmp_path):
        def write(template):
            for model, seed in itertools.product(("base", "new"), (1, 2)):
                rows = [
                    {
                        "doc_id": k,
                        "doc": {"q": k},
                        "filtered_resps": [],
                        "filter": "none",
                    }
                    | {
                        "metrics": ["acc"],
                        "acc": float((k * seed) % 3 == len(model) % 3),
                    }
                    for k in range(9)
                ]
                path = tmp_path / "out" / template.format(model=model, run=seed)
                path.mkdir(parents=True)
                name = f"samples_boolq_2026-11-2{seed}T10-00-00.000001.jsonl"
                (path / name).write_text("".join(json.dumps(x) + "\n" for x in rows))
            return str(tmp_path / "out")

        return write

    @pytest.mark.parametrize(
        ("template", "said"),
        [("run{run}/{model}", "{run}/{model}"), ("{model}/seed{run}", "{model}/{run}")],
    )
    def test_the_path_that_is_named_reads_them(self, folders, run, template, said):
        folder = folders(template)
        refuse(run("compare", folder), f"--path '{said}', where folders are of runs")
        for path in (
            said,
            template,
            f"{said}/*",
            f"{template}/samples_{{task}}_*.jsonl",
        ):
            table = read.scores(folder, path=path)
            assert (table.unit, table.models) == ("run,item", ("base", "new"))

    def test_folders_in_folders_of_models(self, folders, run):
        folder = folders("{model}/seed{run}")
        done = run("compare", f"{folder}/base", f"{folder}/new")
        refuse(done, "where folders are runs", f"base={folder}/base")
        names = [f"{x}={folder}/{x}" for x in ("base", "new")]
        assert read.scores(*names).unit == "run,item"

    def test_names_with_numbers_of_runs(self, folders):
        folder = folders("run{run}/{model}")
        paths = [f"{folder}/run{k}/{x}" for x in ("base", "new") for k in (1, 2)]
        (doubt,) = read.scores(*paths).doubts
        assert "pass NAME=PATH with one name for all of a model" in doubt
        table = read.scores(*(f"{x.rpartition('/')[2]}={x}" for x in paths))
        assert (table.unit, len(table.models)) == ("run,item", 2)
