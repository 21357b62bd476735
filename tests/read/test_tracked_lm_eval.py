"""Filters and conditions of lm-evaluation-harness, by which scores differ."""

import json

import pytest

from sigarray import read
from sigarray.read._messages import Caution

STRICT, FLEXIBLE = "strict-match", "flexible-extract"


@pytest.fixture
def write_samples(tmp_path):
    """Write samples of a model and a task: the score is the item's number modulo k."""

    def write(model, task, rules, metric="exact_match", k=2):
        folder = tmp_path / model
        folder.mkdir(exist_ok=True)
        rows = [
            {"doc_id": i, "doc": {}, "target": "", "filtered_resps": ["x"]}
            | {"filter": rule, metric: float((i + j) % k == 0)}
            for j, rule in enumerate(rules)
            for i in range(20)
        ]
        path = folder / f"samples_{task}_2025-05-01T10-00-00.000000.jsonl"
        path.write_text("\n".join(map(json.dumps, rows)) + "\n")

    return write


@pytest.fixture
def of_two_tasks(write_samples, tmp_path):
    for k, model in enumerate("ab"):
        write_samples(model, "gsm8k", [STRICT, FLEXIBLE], k=k + 2)
        write_samples(model, "arc", ["none"], "acc", k=k + 2)
    return str(tmp_path)


def test_files_without_the_filter_are_named(of_two_tasks, run):
    code, out, err = run("compare", of_two_tasks, "--where", f"filter={STRICT}")
    assert code == 0
    said = "files without scores of filter 'strict-match' were left out: "
    assert " ".join(err.split()).count(said) == 1
    advised = f"filter={STRICT},none"
    assert f"--where {advised}" in err
    assert len(read.scores(of_two_tasks, where={"filter": [STRICT]}).tasks) == 1
    code, out, err = run("compare", of_two_tasks, "--where", advised)
    assert code == 0
    assert "2 tasks" in out
    assert "left out" not in err


@pytest.mark.parametrize("options", [["--metric", "acc"], ["--tasks", "gsm8k,arc"]])
def test_their_metrics_and_tasks_are_none(of_two_tasks, run, options):
    done = run("compare", of_two_tasks, "--where", f"filter={STRICT}", *options)
    assert done[0] == 2
    assert f"got '{'arc' if '--tasks' in options else 'acc'}'" in done[2]


def test_a_file_with_one_filter_of_two(write_samples, tmp_path, run):
    """Its metric has the name that it has in the other file."""
    write_samples("a", "gsm8k", [STRICT, FLEXIBLE])
    write_samples("b", "gsm8k", [STRICT], k=3)
    metric = f"exact_match,{STRICT}"
    by_rule = read.scores(tmp_path, where={"filter": [STRICT]})
    by_metric = read.scores(tmp_path, metric=metric)
    for table in (by_rule, by_metric):
        assert table.metric == metric
        assert {x: y.mean() for x, y in table.tasks["gsm8k"].items()} == {
            "a": 0.5,
            "b": 0.35,
        }
    done = run("compare", str(tmp_path), "--metric", "exact_match")
    assert f"--metric {metric}" in done[2]
    table = read.scores(tmp_path, where={"filter": [FLEXIBLE]})
    assert table.models == ("a",)
    assert any("were left out" in x for x in table.notes)


DATE = "2026-01-01T00-00-00.0"


@pytest.fixture
def grow(tmp_path):
    """Write the samples of two models, with what their results state; give folders."""

    def grow(*documents, rules=("none", "none"), tasks=("arc", "mc")):
        folders = []
        for k, (document, rule) in enumerate(zip(documents, rules, strict=True)):
            folder = tmp_path / f"model{k}"
            folder.mkdir()
            for task in tasks:
                lines = [
                    json.dumps(
                        {
                            "doc_id": i,
                            "doc": {},
                            "filtered_resps": [""],
                            "filter": rule,
                            "acc": float((i + k) % 3 == 0),
                        }
                    )
                    for i in range(8)
                ]
                path = folder / f"samples_{task}_{DATE}.jsonl"
                path.write_text("\n".join(lines))
            if document is not None:
                place = folder / f"results_{DATE}.json"
                place.write_text(json.dumps(document))
            folders.append(str(folder))
        return folders

    return grow


def find_conditions(table):
    return [x for x in table.notes if x.startswith("models answered")]


def state(shots, **more):
    return {"n-shot": {"arc": shots, "mc": 5}} | more


def test_other_numbers_of_examples_name_task_models_and_both_values(grow, run):
    folders = grow(state(5), state(25))
    (said,) = find_conditions(read.scores(*folders))
    assert isinstance(said, Caution)
    assert said.startswith(
        "models answered task 'arc' with different numbers of few-shot examples: "
        "model0 5, model1 25."
    )
    err = run("compare", "--quiet", *folders)[2]
    assert (
        "warning: models answered task 'arc' with different numbers of few-shot" in err
    )


@pytest.mark.parametrize(
    ("documents", "said"),
    [
        (
            [{"configs": {"arc": {"num_fewshot": n}}} for n in (0, 5)],
            "task 'arc' with different numbers of few-shot examples: "
            "model0 0, model1 5.",
        ),
        (
            [state(5, config={"limit": x}) for x in (None, 8)],
            "tasks 'arc', 'mc' with different limits of documents: "
            "model0 none, model1 8.",
        ),
        (
            [{"versions": {"arc": 1.0, "mc": x}} for x in ("2.0", 3)],
            "task 'mc' with different versions: model0 2, model1 3.",
        ),
    ],
)
def test_other_conditions_are_warned_of(grow, documents, said):
    (note,) = find_conditions(read.scores(*grow(*documents)))
    assert note.startswith(f"models answered {said}")


def test_other_filters_of_one_metric_are_warned_of(grow):
    folders = grow(None, None, rules=("strict", "flexible"), tasks=("arc",))
    (note,) = find_conditions(read.scores(*folders, metric="acc"))
    assert "different filters of answers: model0 strict, model1 flexible." in note


@pytest.mark.parametrize(
    "documents",
    [
        [state(5), state(5)],
        [state(5), None],
        [{"versions": {"arc": 1}}, {"versions": {"arc": "1.0"}}],
        [{"config": {"limit": None}, "n-shot": {"arc": 1}}, {"n-shot": {"arc": 1}}],
    ],
)
def test_equal_and_unknown_ones_are_not(grow, documents):
    assert not find_conditions(read.scores(*grow(*documents)))


def test_those_of_chosen_tasks_alone_count(grow, run):
    folders = grow(state(5), state(25))
    assert "few-shot" in run("compare", "--tasks", "arc", *folders)[2]
    assert "few-shot" not in run("compare", "--tasks", "mc", *folders)[2]


@pytest.mark.parametrize("tasks", ["arc,hella", "hella", "hellas,arc"])
def test_a_wrong_task_is_told_among_those_of_files_not_read(grow, run, tasks):
    folders = grow(None, None, tasks=("arc", "hellaswag"))
    code, _, err = run("compare", "--tasks", tasks, *folders)
    assert code == 2
    assert "Did you mean 'hellaswag'? Those in them: 'arc', 'hellaswag'." in err


def test_averages_are_of_the_file_alone(tmp_path):
    paths = []
    for k, shots in enumerate((0, 5)):
        document = {
            "lm_eval_version": "0.4.9",
            "model_name": f"m{k}",
            "results": {f"t{j}": {"acc,none": 0.1 * k + 0.01 * j} for j in range(6)},
            "n-shot": {f"t{j}": shots for j in range(6)},
        }
        paths.append(tmp_path / f"results_{k}.json")
        paths[-1].write_text(json.dumps(document))
    (note,) = find_conditions(read.scores(*paths))
    said = "with different numbers of few-shot examples: m0 0, m1 5."
    assert f"models answered tasks 't0', 't1', 't2', 't3', and 2 more {said}" in note
