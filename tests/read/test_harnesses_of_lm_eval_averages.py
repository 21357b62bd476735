"""Results of lm-evaluation-harness, several of one model: the newest are read."""

import json
from pathlib import Path

import pytest

from sigarray import read
from tests.read.asking import refuse

DATES = [f"2025-06-0{k}T10-00-00.111111" for k in range(1, 6)]


@pytest.fixture
def evaluate(tmp_path):
    """Write results of a model, as with --output_path out, without samples."""

    def write(model, date, scores, limit=None):
        path = tmp_path / "out" / f"lab__{model}" / f"results_{date}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        results = {
            task: {"alias": task, "acc,none": x, "acc_stderr,none": 0.01}
            for task, x in scores.items()
        }
        document = {
            "results": results,
            "group_subtasks": {},
            "configs": {task: {"task": task} for task in scores},
            "n-shot": dict.fromkeys(scores, 0),
            "config": {"model": "hf", "limit": limit},
            "model_name": f"lab/{model}",
        }
        path.write_text(json.dumps(document))
        return str(path)

    return write


def test_evaluations_of_one_model_are_no_runs(evaluate, run, tmp_path):
    """They would be told apart in 69 % of equal models, as runs that hardly vary."""
    for model, x in ("a", 0.5), ("b", 0.51):
        for k, date in enumerate(DATES):
            evaluate(model, date, {"arc": x + k / 1000, "piqa": x - k / 1000})
    code, _, err = run("compare", str(tmp_path / "out"))
    assert code == 2
    assert "warning: older results of the same model and task were left out: " in err
    assert "name each file by its model: MODEL=FILE MODEL=FILE" in err
    table = read.scores(tmp_path / "out", unit="run")
    assert any(x.startswith("older results") for x in table.notes)
    assert table.tasks["arc"]["lab/b"].tolist() == [0.51 + 4 / 1000]


def test_a_newer_file_of_other_tasks(evaluate, tmp_path):
    """Only what was evaluated again is left out, of a file that has more."""
    for model in "ab":
        evaluate(model, DATES[0], {"arc": 0.1, "piqa": 0.6}, limit=10)
        evaluate(model, DATES[1], {"arc": 0.5})
        evaluate(model, DATES[2], {"boolq": 0.7})
    table = read.scores(tmp_path / "out", unit="run")
    assert any(x.startswith("older results") for x in table.notes)
    assert {x: y["lab/a"].tolist() for x, y in table.tasks.items()} == {
        "arc": [0.5],
        "boolq": [0.7],
        "piqa": [0.6],
    }


def test_tasks_of_other_metrics_are_no_items(evaluate, run, tmp_path):
    for model in "ab":
        path = evaluate(model, DATES[0], {"arc": 0.1, "gsm8k": 0.6, "piqa": 0.4})
        text = (
            Path(path)
            .read_text()
            .replace(
                '"gsm8k": {"alias": "gsm8k", "acc',
                '"gsm8k": {"alias": "gsm8k", "exact_match',
            )
        )
        Path(path).write_text(text)
    done = run("compare", str(tmp_path / "out"), "--metric", "acc,exact_match")
    refuse(done, "expected several scores of each model on each task", "--log_samples")
    assert "--item" not in done[2]


def test_files_that_are_named_are_runs(evaluate, run, tmp_path):
    named = [
        f"{model}={evaluate(model, date, {'arc': 0.5 + 0.1 * j + k / 1000})}"
        for j, model in enumerate("ab")
        for k, date in enumerate(DATES)
    ]
    code, out, err = run("compare", *named)
    assert code == 0, err
    assert "older" not in err
    assert "b is better than a" in " ".join(out.split()) or "b > a" in out
    folder = str(tmp_path / "out")
    code, _, err = run("compare", folder, "--path", "{model}/results_{run}.json")
    assert code == 0, err
    assert "older" not in err
