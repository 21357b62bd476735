"""Samples of lm-evaluation-harness by filters, which not all tasks or files have."""

import json

import pytest

from sigarray import read
from sigarray.read._bytes import TableError

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


def test_tasks_without_the_filter_are_named(of_two_tasks, run):
    code, out, err = run("compare", of_two_tasks, "--where", f"filter={STRICT}")
    assert code == 0
    said = "filter 'strict-match': left out: task 'arc' has scores of 'none' alone. To"
    assert " ".join(err.split()).count(said) == 1
    advised = f"filter={STRICT},none"
    assert f"--where {advised}" in err
    assert len(read.scores(of_two_tasks, where={"filter": [STRICT]}).tasks) == 1
    code, out, err = run("compare", of_two_tasks, "--where", advised)
    assert code == 0
    assert "2 tasks" in out
    assert "left out" not in err


@pytest.mark.parametrize(
    "options",
    [["--metric", "acc"], ["--metric", "acc,exact_match"], ["--tasks", "gsm8k,arc"]],
)
def test_an_error_says_which_tasks_have_other_filters(of_two_tasks, run, options):
    done = run("compare", of_two_tasks, "--where", f"filter={STRICT}", *options)
    assert done[0] == 2
    name = "arc" if "--tasks" in options else "acc"
    assert f"got '{name}', but task 'arc' has scores of 'none' alone" in done[2]
    assert f"--where filter={STRICT},none" in done[2]


def test_no_note_on_tasks_that_were_not_chosen(of_two_tasks, run):
    options = ("--where", f"filter={STRICT}", "--tasks", "gsm8k")
    code, _, err = run("compare", of_two_tasks, *options)
    assert (code, "arc" in err) == (0, False)


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
    with pytest.raises(TableError, match=f"got '{STRICT}'. Pass where.*{STRICT}"):
        read.scores(tmp_path, where={"filter": [FLEXIBLE]})
