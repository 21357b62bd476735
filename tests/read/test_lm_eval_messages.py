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
            | {
                x: (k * len(model) + len(task) + int(task[1]) * k * k % 7) % 3
                for x in metrics
            }
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
    code, _, err = run(*chosen, "--where", "filter=strict")
    assert (code, "no task has metric 'acc'" in err) == (0, True)
    assert "To take these as well: --where filter=strict,none" in err
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


def sample(item, metric, is_right):
    """Return what lm_eval writes of an item."""
    return {
        "doc_id": item,
        "target": "x",
        "filter": "none",
        "filtered_resps": [],
        "metrics": [metric],
        "doc_hash": f"h{item}",
        metric: float(is_right),
    }


class TestDatedSamples:
    """Of one model in its folder, as of several seeds of its answers."""

    @pytest.fixture
    def folder(self, tmp_path):
        for m in "ab":
            (tmp_path / m).mkdir()
            for r in (2, 3, 4):
                date = f"2025-06-0{r}T09-00-00.000001"
                path = tmp_path / m / f"samples_gsm8k_{date}.jsonl"
                rows = [
                    sample(i, "exact_match", (i * 7 + r + (m == "a")) % 3 > 0)
                    for i in range(40)
                ]
                path.write_text("\n".join(map(json.dumps, rows)))
        return tmp_path

    def test_a_template_says_that_they_are_runs(self, folder, run):
        way = "{model}/samples_{task}_{run}.jsonl"
        code, out, err = run("compare", str(folder), "--path", way)
        assert code == 0, err
        assert "left out" not in err
        assert "3 runs" in out

    def test_files_that_are_named_are_runs(self, folder, run):
        files = sorted(folder.glob("?/*.jsonl"))
        code, out, err = run("compare", *(f"{x.parent.name}={x}" for x in files))
        assert code == 0, err
        assert "left out" not in err
        assert "3 runs" in out

    def test_others_are_left_out(self, folder, run):
        _, _, err = run("compare", str(folder))
        assert "older samples of the same model and task were left out" in err
        assert "were left out: 4 files of 'a', 'b'. If" in err
        assert "If all are runs, name each file by its model: MODEL=FILE" in err


@pytest.mark.parametrize("name", ["chat_template", "system_instruction"])
def test_a_model_without_a_template_is_named(tmp_path, run, name):
    for m, stated in (("a", "{{x}}"), ("b", None)):
        folder = tmp_path / m
        folder.mkdir()
        date = "2025-06-02T09-00-00.000001"
        rows = [sample(i, "acc", (i + (m == "a")) % 3 > 0) for i in range(40)]
        (folder / f"samples_arc_{date}.jsonl").write_text(
            "\n".join(map(json.dumps, rows))
        )
        document = {"results": {"arc": {"acc,none": 0.5}}, "n-shot": {"arc": 0}}
        document |= {"configs": {"arc": {}}, name: stated}
        (folder / f"results_{date}.json").write_text(json.dumps(document))
    _, _, err = run("compare", str(tmp_path / "a"), str(tmp_path / "b"))
    what = name.replace("_", " ") + "s"
    assert f"models answered task 'arc' with different {what}: a yes, b none." in err
