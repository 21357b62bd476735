"""What is said of folders of lm-evaluation-harness: groups, reruns, metrics."""

import json

import pytest

from sigarray import read
from tests.read.asking import refuse

NEWER = "2026-03-02T10-00-00.0"


@pytest.fixture
def write_samples(tmp_path):
    """Write the samples of a model on a task, and the group of that."""

    def write(model, task, n=40, date="2026-01-02T10-00-00.0", metrics=("acc",)):
        folder = tmp_path / model
        folder.mkdir(exist_ok=True)
        groups = {"group_subtasks": {"group": ["t1", "t2", "t3"]}}
        (folder / f"results_{date}.json").write_text(json.dumps(groups))
        rows = [
            {"doc_id": k, "filtered_resps": [], "filter": "none"}
            | {x: (k * len(model) + len(task)) % 3 for x in metrics}
            for k in range(n)
        ]
        path = folder / f"samples_{task}_{date}.jsonl"
        path.write_text("\n".join(map(json.dumps, rows)))
        return str(tmp_path)

    return write


def test_a_group_counts_the_tasks_that_were_compared(write_samples, run):
    for task in ("t1", "t2", "t3"):
        write_samples("org__a", task)
    for task in ("t1", "t2"):
        folder = write_samples("org__bb", task)
    of_group = (folder, "--tasks", "group", "--drop-unmatched")
    assert "'group' pools" not in run("compare", *of_group)[1]
    assert "group pools the items of 2 of its 3 tasks" in run("compare", *of_group)[1]
    write_samples("org__bb", "t3")
    assert "group pools the items of its 3 tasks" in run("compare", *of_group)[1]


def test_unmatched_items_of_a_newer_and_shorter_run_say_so(write_samples, run):
    write_samples("org__a", "t1")
    folder = write_samples("org__bb", "t1")
    write_samples("org__bb", "t1", n=15, date=NEWER)
    done = run("compare", folder)
    refuse(done, "Pass --drop-unmatched", "Older samples of the same model and task")
    refuse(done, "If the newer ones are shorter (--limit), name the files to read")


def test_several_metrics_say_what_to_type(write_samples, run):
    for model in ("org__a", "org__bb"):
        folder = write_samples(model, "t1", metrics=("acc", "acc_norm"))
    said = "got 'acc', 'acc_norm'. Choose one, such as --metric acc.\n"
    refuse(run("compare", folder), said)


def test_captions_say_which_task_has_which_metric(write_samples, run):
    for model in ("org__a", "org__bb"):
        for task, metric in (("t1", "acc"), ("t2", "f1"), ("t3", "acc")):
            folder = write_samples(model, task, metrics=(metric,))
    options = ("compare", folder, "--metric", "acc,f1", "--format")
    captions = [x for x in run(*options, "latex")[1].split("\n") if "\\caption" in x]
    assert len(captions) > 2
    assert all("Metric: acc on t1 and t3, f1 on t2; higher" in x for x in captions)
    said = "The metric is acc on t1 and t3, f1 on t2."
    assert all(said in run(*options, x)[1] for x in ("markdown", "sentences", "text"))
    alone = run(*options, "latex", "--tasks", "t1,t3")[1]
    assert "etric: acc; higher" in alone
    assert "The metric is" not in alone


def test_averages_of_a_group_are_no_independent_items(tmp_path, run):
    """They are doubted as tasks of samples are; a filter "none" is not named."""
    for k, model in enumerate(("a", "b")):
        scores = {x: {"acc,none": (i + k) / 9} for i, x in enumerate(("t1", "t2", "u"))}
        document = {
            "lm_eval_version": "0.4.9",
            "results": {"g": {"acc,none": 0.5}, **scores},
            "groups": {"g": {}},
            "group_subtasks": {"g": ["t1", "t2"], "u": []},
            "model_name": model,
        }
        (tmp_path / f"{model}.json").write_text(json.dumps(document))
    _, out, err = run("compare", str(tmp_path), "--item", "task")
    err = " ".join(err.split())
    assert (
        "items are tasks of groups: 'g' (2 tasks). Tasks of one group are hardly in"
        in err
    )
    assert "higher acc is better" in " ".join(out.split())


def test_a_model_without_the_group_lacks_items_of_it(write_samples, run, tmp_path):
    """It lacked the group, and the advice named a task and its group, an error."""
    for model in ("org__a", "org__bb"):
        for task in ("t1", "t2", "t3")[: 3 - (model == "org__bb")]:
            folder = write_samples(model, task)
    for path in (tmp_path / "org__bb").glob("results*"):
        path.write_text("{}")
    _, _, err = run("compare", folder)
    assert "--tasks group" in err
    refuse(run("compare", folder, "--tasks", "group"), "'org__bb' lacks 40 ('t3/0'")


def test_a_filter_that_leaves_out_a_metric_says_so(tmp_path, run):
    for model in ("a", "b"):
        folder = tmp_path / f"org__{model}"
        folder.mkdir()
        for task, rule, metric in (("t1", "none", "acc"), ("t2", "strict", "em")):
            rows = [
                {"doc_id": k, "filtered_resps": [], "filter": rule, metric: k % 2}
                for k in range(20)
            ]
            path = folder / f"samples_{task}_{NEWER}.jsonl"
            path.write_text("\n".join(map(json.dumps, rows)))
    chosen = ("compare", str(tmp_path), "--metric", "acc,em")
    done = run(*chosen, "--where", "filter=strict")
    refuse(done, "were left out: keep both with --where filter=strict,none")
    assert run(*chosen, "--where", "filter=strict,none")[0] == 0


def test_models_in_one_folder_are_named_by_results_of_their_date(tmp_path):
    """As lm_eval writes them by --output_path out/base.json."""
    for k, model in enumerate(("base", "tuned")):
        date = f"2026-01-0{1 + k}T10-00-00.0"
        groups = {"group_subtasks": {"group": ["t1", "t2"]}}
        (tmp_path / f"{model}_{date}.json").write_text(json.dumps(groups))
        for task in ("t1", "t2"):
            rows = [
                {
                    "doc_id": j,
                    "filtered_resps": [],
                    "filter": "none",
                    "acc": (j + k) % 3,
                }
                for j in range(20)
            ]
            path = tmp_path / f"samples_{task}_{date}.jsonl"
            path.write_text("\n".join(map(json.dumps, rows)))
    table = read.scores(tmp_path, metric="acc", tasks=["group"])
    assert table.models == ("base", "tuned")
    assert len(table.scores["base"]) == 40
