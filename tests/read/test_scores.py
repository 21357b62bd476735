"""Scores of any table, whatever its order, and calls that are wrong."""

import random

import pytest

from sigarray import read
from tests.read.long_tables import as_csv


@pytest.mark.parametrize("seed", range(5))
def test_order_of_rows_and_columns_moves_nothing(write, seed):
    draw = random.Random(seed)
    items = [f"q{k}" for k in range(12)]
    rows = [(m, x, i) for i, m in enumerate("ab") for x in range(12)]
    rows = [(m, items[x], round(draw.random(), 3)) for m, x, _ in rows]
    expected = {
        m: [score for _, _, score in sorted(r for r in rows if r[0] == m)] for m in "ab"
    }
    draw.shuffle(rows)
    header = ["model", "item", "acc"]
    order = draw.sample(range(3), 3)
    text = as_csv(
        [[r[k] for k in order] for r in rows], ",".join(header[k] for k in order)
    )
    table = read.scores(write(text))
    assert {m: table.scores[m].tolist() for m in "ab"} == expected
    assert table.is_paired
    assert table.unit == "item"
    assert table.ids[""]["a"] == tuple(sorted(items))


def test_numbers_are_sorted_as_numbers(write):
    rows = [(m, k, k) for m in "ab" for k in (10, 9, 2)]
    assert read.scores(write(as_csv(rows, "model,item,score"))).ids[""]["a"] == (
        *("2", "9", "10"),
    )


def test_wrong_calls():
    with pytest.raises(TypeError, match=r"one path, folder or data frame, or more"):
        read.scores()
    with pytest.raises(TypeError, match=r"a path, a data frame.*got int"):
        read.scores(3)
    with pytest.raises(ValueError, match=r"unit to be one of 'run', 'item', 'cluster'"):
        read.scores("x.csv", unit="doc")
    with pytest.raises(TypeError, match=r"models to be several names; got 'ab'"):
        read.scores("x.csv", models="ab")


def test_several_columns_are_named_with_commas():
    with pytest.raises(TypeError, match=r"with commas; got .*Pass 'document,question'"):
        read.scores("scores.csv", item=["document", "question"])
