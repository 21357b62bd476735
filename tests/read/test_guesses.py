"""Templates of paths that are advised: they are of the files, and say runs."""

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
