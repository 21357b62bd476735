"""Scores far outside a scale of few whole numbers."""

import numpy as np
import pytest

from sigarray import read
from sigarray.read._off_scale import find_off_scale

RATINGS = [1 + k % 5 for k in range(40)]


def put(*odd):
    return np.asarray([*odd, *RATINGS], float)


@pytest.mark.parametrize("odd", [99, -9, 9, 1000])
def test_one_is_found(odd):
    rows, low, high = find_off_scale(put(np.nan, odd))
    assert (rows.tolist(), low, high) == ([1], 1, 5)


def test_two_codes_and_two_marks():
    assert find_off_scale(put(98, 99))[0].tolist() == [0, 1]
    marks = np.asarray([k % 2 for k in range(60)] + [9.0])
    assert find_off_scale(marks)[0].tolist() == [60]


@pytest.mark.parametrize(
    "scores",
    [
        put(),
        put(7),  # as far as a rating may be by itself
        put(99, 99, 99),  # more than one in 20
        put(99)[:19],
        put(99.5),
        put(99) + 0.25,
        np.r_[np.arange(12.0).repeat(4), 99.0],  # no scale of few numbers
        np.r_[np.ones(40), 99.0],
    ],
)
def test_others_are_not(scores):
    assert find_off_scale(scores) is None


def test_the_row_is_named(write, run):
    rows = [f"{m},{k},{RATINGS[k]}" for m in "ab" for k in range(30)]
    rows[37] = "b,7,99"
    path = write("\n".join(["model,item,rating", *rows, ""]))
    said = "line 39: score 99 is far outside the scale of all others, 1 to 5. If"
    assert any(said in x for x in read.scores(path, unit="item").doubts)
    _, _, err = run("compare", path, "--unit", "item", "--quiet")
    assert f"warning: {path}, {said}" in err


def test_in_a_column_for_each_model(write):
    rows = [f"{k},{RATINGS[k]},{RATINGS[-k]}" for k in range(30)]
    rows[7], rows[8] = "7,3,99", "8,3,99"
    path = write("\n".join(["item,a,b", *rows, ""]))
    (doubt,) = read.scores(path, item="item").doubts
    said = "line 9, column 'b': score 99 is far outside the scale of all others, "
    assert doubt.startswith(f"{path}, {said}1 to 5, and so is 1 more score. If")
