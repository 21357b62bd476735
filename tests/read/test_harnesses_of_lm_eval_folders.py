"""Samples of early lm-evaluation-harness: several of a document, of other filters."""

import json
from pathlib import Path

import numpy as np
import pytest

from sigarray import read
from sigarray.read import TableError
from tests.read.asking import refuse

STRICT, FLEXIBLE = "exact_match,strict-match", "exact_match,flexible-extract"
SHARES = {"a": (0.4, 0.8), "b": (0.7, 0.5)}
METRIC = "exact_match"


@pytest.fixture
def write_early(tmp_path):
    """Write samples of two models, one better by each filter, and their results."""

    def write_folder(results=None, *, n=40, task="samples_gsm8k", of_turns=None):
        rng = np.random.default_rng(5)
        for model, shares in SHARES.items():
            folder = tmp_path / model
            folder.mkdir(exist_ok=True)
            values = [(rng.random(n) < p).astype(float).tolist() for p in shares]
            lines = [
                {"doc_id": k, "filtered_resps": [], "resps": [[]], METRIC: x}
                | (of_turns(turn, k) if of_turns else {})
                for turn, of in enumerate(values)
                for k, x in enumerate(of)
            ]
            text = "\n".join(map(json.dumps, lines))
            (folder / f"{task}.jsonl").write_text(text)
            for name, scale in (results or {}).items():
                means = [scale * sum(x) / n for x in values]
                of = {"alias": "x", STRICT: means[0], FLEXIBLE: means[1]}
                of |= {f"{METRIC}_stderr,strict-match": "N/A"}
                document = {"results": {"arc": {"acc,none": 1}, "gsm8k": of}}
                (folder / name).write_text(json.dumps(document))
        return str(tmp_path)

    return write_folder


@pytest.mark.parametrize("options", [[], ["--metric", METRIC]])
def test_filters_without_names_are_asked_about(write_early, run, options):
    """One model was better by one filter, the other by the other: inconclusive."""
    folder = write_early()
    done = run("compare", folder, *options)
    refuse(done, "such as --metric exact_match,filter1. The samples do not name their")
    code, out, _ = run("compare", folder, "--metric", "exact_match,filter1")
    assert (code, "b is better than a" in out) == (0, True)
    code, out, _ = run("compare", folder, "--where", "filter=filter2")
    assert (code, "a is better than b" in out) == (0, True)


@pytest.mark.parametrize("key", ["repeat", "name"])
def test_a_key_of_repeats_is_what_the_question_says(write_early, run, key):
    def name(turn, k):
        return {key: turn + 1 if key == "repeat" else "xy"[turn ^ k % 2]}

    code, _, err = run("compare", write_early(of_turns=name))
    assert (code, "160 scores of task 'gsm8k' were averaged" in err) == (0, True)


@pytest.mark.parametrize("task", ["samples_gsm8k", "pretrained=a_gsm8k"])
@pytest.mark.parametrize("name", ["results_1.json", "results.json"])
def test_results_name_them(write_early, run, task, name):
    folder = write_early({name: 1}, task=task)
    files = [f"{x}={folder}/{x}/{task}.jsonl" for x in SHARES]
    refuse(run("compare", *files), f"Choose one, such as --metric {STRICT}.\n")
    table = read.scores(*files, metric=FLEXIBLE)
    assert table.scores["a"].mean() > table.scores["b"].mean()
    assert table.metric == FLEXIBLE
    assert not table.notes


def test_of_one_filter_they_are_repeats(write_early):
    """A third of them was proposed, as those of one filter."""
    folder = write_early()
    document = {"results": {"gsm8k": {"exact_match,none": 0.5}}}
    for model in SHARES:
        path = Path(folder, model, "results_x.json")
        path.write_text(json.dumps(document))
    table = read.scores(folder)
    assert (table.metric, len(table.tasks["gsm8k"]["a"])) == (METRIC, 40)
    assert any("were averaged within items" in x for x in table.notes)


def test_results_with_other_means_name_them_with_a_note(write_early):
    table = read.scores(write_early({"results_1.json": 0.9}), metric=STRICT)
    said = "were taken for those of 'strict-match', 'flexible-extract', as results"
    assert said in table.notes[-1]
    folder = write_early({"results_1.json": 0.9}, task="x")
    with pytest.raises(TableError, match="filter1"):
        read.scores(*(f"{x}={folder}/{x}/x.jsonl" for x in SHARES), metric=STRICT)


def test_other_numbers_of_samples_and_filters_with_names_are_none(write_early):
    """Samples of one row, as of pass@k, are none either."""
    kept = write_early(of_turns=lambda turn, _: {"filter": "none"})
    assert "averaged" in read.scores(kept, metric=METRIC).notes[-1]
    folder = write_early(of_turns=lambda turn, k: {"doc_id": k + 40 * turn})
    assert not read.scores(folder, metric=METRIC).notes
    folder = write_early(of_turns=lambda turn, k: {"doc_id": k + 40 * turn * (k > 3)})
    with pytest.raises(TableError, match="expected one score of 'a' for item '0'"):
        read.scores(folder, metric=METRIC)


def write_filter(folder, task, rules, n=40):
    """Write samples of one model, with names of filters, or as early ones."""
    rng = np.random.default_rng(len(str(folder)))
    folder.mkdir(exist_ok=True)
    rows = [
        {"doc_id": k, "filtered_resps": [], "resps": [[]], METRIC: float(x)}
        | ({} if rule is None else {"filter": rule, "doc_hash": f"h{k}"})
        for rule in rules
        for k, x in enumerate(rng.random(n) < 0.6)
    ]
    (folder / f"samples_{task}.jsonl").write_text("\n".join(map(json.dumps, rows)))


@pytest.mark.parametrize("early", ["a", "b"])
def test_early_samples_beside_new_ones(tmp_path, run, early):
    """Filters of others name theirs, in their order; a text is of those with a hash."""
    for model in "ab":
        rules = [None] * 2 if model == early else ["strict-match", "flexible-extract"]
        write_filter(tmp_path / model, "gsm8k", rules)
        write_filter(tmp_path / model, "triviaqa", [rules[0] and "trim"])
    refuse(run("compare", str(tmp_path)), f"--metric {STRICT}")
    code, out, err = run("compare", str(tmp_path), "--metric", f"{FLEXIBLE},{METRIC}")
    assert code == 0, err
    assert "2 tasks" in out
    assert "those of 'strict-match', 'flexible-extract', as other samples" in err
    assert "different filters" not in err
    scores = read.scores(tmp_path, metric=FLEXIBLE, tasks=["gsm8k"]).scores
    assert [len(x) for x in scores.values()] == [40, 40]
    rows = (tmp_path / early / "samples_gsm8k.jsonl").read_text().splitlines()[40:]
    assert scores[early].tolist() == [json.loads(x)[METRIC] for x in rows]


def test_a_filter_of_one_task_and_a_metric_of_others(tmp_path, run):
    """The list that messages lead to is read, though a task has several so called."""
    for model in "ab":
        write_filter(tmp_path / model, "gsm8k", ["strict-match", "flexible-extract"])
        write_filter(tmp_path / model, "triviaqa", ["remove_whitespace"])
    refuse(run("compare", str(tmp_path), "--metric", METRIC), f"--metric {STRICT}")
    code, out, err = run("compare", str(tmp_path), "--metric", STRICT)
    assert code == 0
    assert f"With --metric {STRICT},{METRIC}, each task" in err
    code, out, err = run("compare", str(tmp_path), "--metric", f"{STRICT},{METRIC}")
    assert (code, "2 tasks" in out) == (0, True), err
    done = run("compare", str(tmp_path), "--metric", f"{METRIC},{STRICT}")
    refuse(done, f"--metric {STRICT}")
