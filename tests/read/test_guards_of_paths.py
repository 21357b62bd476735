"""Folders: which part of a path is the model is known, said, or asked about."""

import json
import random
import re

import pytest

from sigarray import read

DRAW = random.Random(0)
MODELS, TASKS = ("bert", "gpt"), ("mnli", "squad")


def refuse(done, *words):
    code, out, err = done
    assert (code, out) == (2, ""), err
    for word in words:
        assert word in err


@pytest.fixture
def grow(tmp_path):
    """Write a file for each model, task and run, and give their folder."""

    def grow(template, tasks=TASKS, n=5, **more):
        for task in tasks:
            for i, model in enumerate(MODELS):
                for k in range(n):
                    place = template.format(
                        task=task, model=model, run=k, job=n * i + k
                    )
                    path = tmp_path / "out" / place
                    path.parent.mkdir(parents=True, exist_ok=True)
                    score = i + round(DRAW.random(), 4)
                    path.write_text(json.dumps({"acc": score, **more}))
        return str(tmp_path / "out")

    return grow


def parse(done):
    code, out, err = done
    assert code == 0, err
    return json.loads(out)


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

    def test_only_the_path_is_of_other_files(self, grow, run, tmp_path):
        folder = grow("{model}/seed{run}.json", tasks=("",))
        (tmp_path / "out" / "notes.json").write_text("{}")
        code, _, err = run("compare", folder, "--path", "{model}/seed{run}.json")
        assert code == 0, err
        assert "1 other file was left out" in err
        refuse(run("compare", folder, "--path", "{model}.csv"), "--path '{model}.csv'")
        refuse(run("compare", folder, "--path", "{system}/x"), "{model}")
        refuse(run("compare", folder, "--path", "{run}/{run}"), "at most once")
        refuse(run("compare", folder, "--path", "bert/x.json"), "to name parts")

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
    def test_advice_is_of_all_files(self, grow, run, template):
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

    def test_paths_of_several_depths(self, grow, run, tmp_path):
        folder = grow("{model}/seed{run}.json", tasks=("",))
        other = tmp_path / "out" / "last" / "deep" / "seed1.json"
        other.parent.mkdir(parents=True)
        other.write_text('{"acc": 1.0}')
        refuse(run("compare", folder), "--path '{model}/seed{run}.json'")
        (tmp_path / "out" / "bert" / "notes.json").write_text('{"acc": 1.0}')
        refuse(run("compare", folder), "--path", "name the models: NAME=FOLDER")

    def test_braces_in_a_path_are_no_template(self, grow, run):
        folder = grow("{{x}}/{task}/{model}/seed{run}.json")
        refuse(run("compare", folder), "Say what its parts are with --path, or name")

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
        refuse(run("compare", folder), f"--path '{way}'")
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


class TestHydra:
    def sweep(self, tmp_path, **more):
        folder = tmp_path / "multirun" / "2024-01-01" / "12-00-00"
        for i, model in enumerate(MODELS):
            for k in range(5):
                job = folder / str(5 * i + k)
                (job / ".hydra").mkdir(parents=True)
                (job / "metrics.json").write_text(json.dumps({"acc": i + k / 10}))
                said = {"model": model, "seed": k}
                said |= {name: values[k % len(values)] for name, values in more.items()}
                lines = [f"- {name}={value}\n" for name, value in said.items()]
                (job / ".hydra" / "overrides.yaml").write_text("".join(lines))
        return str(tmp_path / "multirun")

    def test_overrides_say_what_a_job_is(self, tmp_path, run):
        done = run("compare", self.sweep(tmp_path), "--format", "json")
        by = parse(done)["models"]
        assert {name: x["n"] for name, x in by.items()} == dict.fromkeys(MODELS, 5)
        assert by["gpt"]["min"] == 1.0

    def test_what_else_was_varied_is_asked_about(self, tmp_path, run):
        folder = self.sweep(tmp_path, lr=[0.1, 0.01])
        refuse(run("compare", folder), "'lr'", "--where lr=0.1", "--task lr")
        done = run("compare", folder, "--where", "lr=0.1", "--format", "json")
        by = parse(done)["models"]
        assert {name: x["n"] for name, x in by.items()} == dict.fromkeys(MODELS, 3)

    def test_without_overrides(self, grow, run):
        folder = grow("2024-01-01/12-00-00/{job}/metrics.json", tasks=("",))
        refuse(run("compare", folder), "--path")
