"""The roles of columns, by their names and values: models, runs, scores and so on."""

import re

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


@pytest.mark.parametrize("header", ["model,item,rating", "model,item,x"])
@pytest.mark.parametrize("mark", ["/", " / ", " out of "])
def test_shares(write, header, mark):
    name = header.split(",")[2]
    path, said = fail(write, header, [f"3{mark}5", f"4{mark}5", f"2.5{mark}5"])
    assert f"expected numbers in column {name!r}; got '3{mark}5', which is 3 " in said
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(path)
    line = re.findall(r"in pandas (frame.*\))[;]", said)[0]
    numbers = eval(line, {"frame": frame})
    assert numbers.tolist() == 2 * [3.0, 4.0, 2.5]


def test_words(write):
    path, said = fail(write, "model,item,rating", ["fair", "poor", "good"])
    assert f"{path}: expected numbers in column 'rating'; got 'fair'. Write" in said
    assert "frame['rating'].map({'fair': ..., 'poor': ..., 'good': ...})" in said


@pytest.mark.parametrize(
    ("name", "cells"),
    [("remark", ["a", "b", "c"]), ("score_of", ["yes", "no", "no"])],
)
def test_other_texts_are_no_scores(write, name, cells):
    assert "expected a column of scores" in fail(write, f"model,item,{name}", cells)[1]
