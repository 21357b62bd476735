"""Columns of integer codes, against dictionaries of what is in each row."""

import math
import random

import numpy as np
import pytest

from sigarray import read
from sigarray.read import _codes
from sigarray.read._cells import encode_texts
from sigarray.read._codes import Coded, encode, group_rows, join_columns, split_rows
from tests.read.long_tables import as_csv


@pytest.fixture(params=[0, 4], ids=["sorted", "counted"])
def _ways(request, monkeypatch):
    monkeypatch.setattr(_codes, "_SPARSEST", request.param)


def draw_columns(seed):
    draw = random.Random(seed)
    n = draw.choice([1, 2, 30, 300])
    return [
        [draw.choice([None, *"abcdefgh"[: draw.randint(1, 8)]]) for _ in range(n)]
        for _ in range(draw.randint(1, 4))
    ]


@pytest.mark.usefixtures("_ways")
@pytest.mark.parametrize("seed", range(20))
def test_rows_of_the_same(seed):
    columns = draw_columns(seed)
    coded = [encode(x) for x in columns]
    assert [list(x) for x in coded] == columns
    rows = list(zip(*columns, strict=True))
    groups, n_groups = group_rows(coded)
    assert n_groups == len(set(rows)) == len(set(groups.tolist()))
    assert len(set(zip(groups.tolist(), rows, strict=True))) == n_groups
    known = {row: [] for row in rows}
    for k, row in enumerate(rows):
        known[row].append(k)
    assert [x.tolist() for x in split_rows(coded)] == list(known.values())


@pytest.mark.parametrize("seed", range(20))
def test_what_is_known(seed):
    column = draw_columns(seed)[0]
    coded = encode(column)[np.arange(len(column) - 1, -1, -1)]
    column = column[::-1]
    known = list(dict.fromkeys(column))
    assert coded.list_known() == known
    compact = coded.compact()
    assert list(compact) == column
    assert compact.values == [x for x in known if x is not None]
    assert coded.find(["a", None]).tolist() == [x in ("a", None) for x in column]
    both = join_columns([coded, encode(["h", "new"])])
    assert list(both) == [*column, "h", "new"]


@pytest.mark.usefixtures("_ways")
def test_many_columns_of_many_values_have_no_number_too_large():
    draw = random.Random(0)
    values = [f"v{k}" for k in range(10**5)]
    codes = np.asarray([draw.randrange(10**5) for _ in range(50)])
    columns = [Coded(codes[np.arange(50) // k], values) for k in range(1, 8)]
    assert group_rows(columns)[1] == len({*zip(*map(list, columns), strict=True)})


@pytest.mark.usefixtures("_ways")
@pytest.mark.parametrize(
    "cells",
    [
        [" a", "a", "", "b  c", "b c"],
        [1, 1.0, "1", None, 2],
        np.asarray([3, -1, 3, 2**62]),
        np.asarray([3.0, 0.5, -0.0, 3.0, 0.0]),
        Coded(np.asarray([0, -1, 1, 2]), [1.0, "1", " "]),
        Coded(np.asarray([1, -1, 0]), np.asarray([2**60, 2**60 + 1])),
    ],
)
def test_texts_of_cells(cells):
    expected = []
    for x in cells:
        text = "" if x is None else " ".join(str(x).split())
        expected.append(text.removesuffix(".0").replace("-0", "0") or None)
    coded = encode_texts(cells)
    assert list(coded) == expected
    assert len({*coded.values}) == len(coded.values)


@pytest.mark.parametrize("n_runs", [1, 2, 7])
def test_means_are_rounded_once(write, monkeypatch, n_runs):
    monkeypatch.setattr(_codes, "_CHUNK", 3)
    draw = random.Random(n_runs)
    rows = [
        (m, i, s, draw.uniform(-1, 1) * 10 ** draw.randint(-9, 9))
        for m in "ab"
        for i in range(10)
        for s in range(n_runs)
    ]
    draw.shuffle(rows)
    table = read.scores(write(as_csv(rows, "model,item,seed,acc")), unit="item")
    for model, scores in table.scores.items():
        for item, score in enumerate(scores.tolist()):
            own = [x for m, i, _, x in rows if (m, i) == (model, item)]
            assert score == math.fsum(own) / len(own)
