"""Tasks that share runs or items: trainings, criteria of one answer, turns."""

import numpy as np
import pytest

from sigarray import compare_models, read
from tests.read.asking import refuse


def rate(seed, shared, n_items=40, tasks="fcr"):
    """Rate answers by criteria, of which a share of the quality is common."""
    draw, rows = np.random.default_rng(seed), ["item,model,criterion,rating"]
    for k in range(n_items):
        ease = draw.normal()
        for model in ("base", "dpo"):
            common = draw.normal()
            for task in tasks:
                own = shared**0.5 * common + (1.0 - shared) ** 0.5 * draw.normal()
                rows.append(f"p{k},{model},{task},{3.0 + ease + own:.3f}")
    return "\n".join(rows)


def test_criteria_of_one_answer_are_asked_about(write, run):
    path = write(rate(0, 0.8))
    options = ("--task", "criterion", "--unit", "item")
    refuse(run("compare", path, *options), "items of one name on which the same model")
    code, out, _ = run("compare", path, "--unit", "item", "--run", "criterion")
    assert code == 0
    assert "over these" not in out
    assert run("compare", path, *options, "--tasks", "f")[0] == 0


@pytest.mark.long
def test_items_of_their_own_are_hardly_ever_asked_about(write, run):
    options = ("--task", "criterion", "--unit", "item")
    codes = [run("compare", write(rate(k, 0.0)), *options)[0] for k in range(25)]
    assert codes.count(2) <= 2
    assert codes.count(0) >= 23


def test_many_items_are_asked_about_by_the_first_of_each_task(write, run):
    path = write(rate(0, 0.8, n_items=16000))
    options = ("--task", "criterion", "--unit", "item")
    refuse(run("compare", path, *options), "items of one name on which the same model")


def test_files_that_name_the_task_have_a_doubt(tmp_path):
    """Where no column does, as in folders, none is to be left out."""
    for task in "fcruvw":
        rows = [x.split(",") for x in rate(0, 0.8, tasks="fcruvw").splitlines()]
        kept = [f"{a},{b},{d}" for a, b, c, d in rows if c in (task, "criterion")]
        (tmp_path / f"{task}.csv").write_text("\n".join(kept))
    table = read.scores(tmp_path, path="{task}.csv", unit="item")
    (doubt,) = table.doubts
    assert doubt.endswith("Compare the mean over tasks of each item")
    with pytest.warns(UserWarning, match="mean over tasks of each"):
        result = compare_models(table)
    assert "over tasks like these" not in str(result)


def test_runs_that_were_tested_on_all_tasks(write, run):
    draw, rows = np.random.default_rng(0), ["model,seed,task,doc_id,acc"]
    for model in "ab":
        for seed in range(5):
            luck = 0.5 * draw.normal()
            rows += [
                f"{model},{seed},t{task},{item},{luck + draw.normal():.3f}"
                for task in range(8)
                for item in range(20)
            ]
    path = write("\n".join(rows))
    _, out, err = run("compare", path)
    assert "no verdict is over tasks like these" in err
    assert "over tasks like these" not in out
    code, out, err = run("compare", path, "--item", "task,doc_id")
    assert (code, "5 runs x 160 items" in out) == (0, True)
    _, out, err = run("compare", path, "--task", "task", "--run", "seed,task")
    assert "no verdict is over" not in err
    assert "over tasks like these 8" in out
