"""Scores that are no numbers, such as 3/5 and fair."""

import re

import pytest

from sigarray import read
from sigarray.read import TableError


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
