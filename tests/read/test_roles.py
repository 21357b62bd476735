"""The roles of columns, by their names and values: models, runs, scores and so on."""

import pytest

from sigarray import read
from sigarray.read import TableError
from sigarray.read._frame import Frame
from sigarray.read._roles import find_roles


def _roles(names, rows, **chosen):
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    return find_roles(Frame("a long table", "x.csv", columns, range(len(rows))), chosen)


@pytest.mark.parametrize("name", ["doc_id", "doc", "docId"])
def test_documents_are_clusters_of_questions(name):
    rows = [("a", f"d{k // 3}", f"q{k}", "1") for k in range(9)]
    roles = _roles(("model", name, "question", "score"), rows)
    assert (roles["item"], roles["cluster"]) == ("question", name)
    said = _roles(("model", name, "q", "score"), rows, item="q")
    assert (said["item"], said["cluster"]) == ("q", name)


def test_a_document_with_one_question_is_the_item():
    rows = [("a", f"d{k}", f"text {k}", "1") for k in range(9)]
    roles = _roles(("model", "doc_id", "question", "score"), rows)
    assert roles["item"] == "doc_id"
    assert "cluster" not in roles


def test_prompts_that_all_documents_share_are_no_items():
    rows = [("a", f"d{k // 3}", f"prompt {k % 3}", "1") for k in range(9)]
    roles = _roles(("model", "doc_id", "prompt", "score"), rows)
    assert roles["item"] == "doc_id"
    assert "cluster" not in roles


def fail(write, header, cells):
    rows = [f"{m},{k},{x}" for m in "ab" for k, x in enumerate(cells)]
    path = write("\n".join([header, *rows, ""]))
    with pytest.raises(TableError) as caught:
        read.scores(path)
    return path, str(caught.value)


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("remark", ["a", "b", "c"]),
        ("score_of", ["yes", "no", "no"]),
        ("x", ["3/5", "4/5", "2/5"]),
        ("rating", ["fair", "poor", "good"]),
    ],
)
def test_other_texts_are_no_scores(write, name, cells):
    _, said = fail(write, f"model,item,{name}", cells)
    assert "expected a column of numbers for scores; got 'model', 'item'" in said


def test_an_id_of_each_run_is_no_item(write):
    rows = [
        f"r{3 * k:03x},run-{k},finished,{'ab'[k // 4]},{k % 4},{0.7 + 0.01 * (k % 5)}"
        for k in range(8)
    ]
    header = "ID,Name,State,arch,seed,acc"
    table = read.scores(write("\n".join([header, *rows])), model="arch", metric="acc")
    assert table.unit == "run"
    assert [len(x) for x in table.scores.values()] == [4, 4]


@pytest.mark.parametrize(
    "step", ["Mframes", "charts/global_step", "time/total_timesteps", "ksteps"]
)
def test_names_of_reinforcement_learning(write, step):
    """As CleanRL has them; where each experiment is one run, it is no model."""
    rows = [
        f"{m},{s},{t},{s + t + (m == 'ppo')}"
        for m in ("ppo", "dqn")
        for s in range(3)
        for t in (100, 200, 300)
    ]
    text = "\n".join([f"exp_name,seed,{step},charts/episodic_return", *rows])
    table = read.scores(write(text))
    assert table.scores["ppo"].tolist() == [301, 302, 303]
    assert table.last_steps.column == step
    single = [f"{m}_{s},{s},1" for m in ("ppo", "dqn") for s in range(3)]
    with pytest.raises(TableError):
        read.scores(write("\n".join(["exp_name,seed,return", *single])))
