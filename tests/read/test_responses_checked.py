"""Responses of which scores of items would be asked about, or doubted."""

import functools
import warnings

import numpy as np
import pytest

from sigarray.read import TableError
from sigarray.read._responses import read_responses

SYSTEMS = ("gold", "a", "b")


@pytest.fixture
def write(write):
    return functools.partial(write, name="ratings.csv")


def rate(seed=0, n_items=30, n_responses=(3, 2, 2), column="note", name=None):
    """Rows of item, system, response, and another column."""
    draw = np.random.default_rng(seed)
    rows = []
    for item in range(n_items):
        truth = draw.normal(3, 1)
        for system, n in zip(SYSTEMS, n_responses, strict=True):
            for k in range(n):
                response = int(np.clip(round(truth + draw.normal()), 1, 5))
                other = "" if name is None else name(draw, item, system, k)
                rows.append((item, system, response, other))
    return [f"item,system,response,{column}", *(",".join(map(str, x)) for x in rows)]


def read(path):
    """Return the warnings about a file."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read_responses(path, SYSTEMS)
    return [str(x.message) for x in caught]


@pytest.mark.parametrize("column", ["document", "story"])
def test_items_in_documents_are_doubted(write, run, column):
    lines = rate(column=column, name=lambda _, item, *__: item // 5)
    (doubt,) = read(write("\n".join(lines)))
    assert f"{column!r} groups the items. Where such groups were sampled" in doubt
    assert doubt.endswith(f"pass sigarray compare --cluster {column}.")
    _, out, err = run("responses", write("\n".join(lines)))
    assert "p-values are too small" in err
    assert "P is conservative if items are independent" in " ".join(out.split())


def test_so_are_groups_of_other_names_if_they_show(write):
    """Systems are good or bad on all items of a group."""
    draw = np.random.default_rng(3)
    lines = ["item,system,response,topic"]
    for item in range(80):
        if item % 8 == 0:
            biases = {"gold": 0, "a": draw.normal(0, 2), "b": draw.normal(0, 2)}
        for system, bias in biases.items():
            response = bias + draw.normal()
            lines.append(f"{item},{system},{response:.3f},topic {item // 8}")
    (doubt,) = read(write("\n".join(lines)))
    assert "'topic' groups the items" in doubt


@pytest.mark.parametrize("column", ["document", "criterion", "split", "language"])
def test_columns_that_tell_rows_apart_are_asked_about(write, column):
    every = rate(column=column, name=lambda *_: "x")
    every += [f"{x}y" for x in rate(1)[1:]]
    with pytest.raises(
        TableError, match=f"for each value of {column!r}. Keep the"
    ) as e:
        read(write("\n".join(every)))
    assert "such as 'x-0'." in str(e.value)
    anew = [",".join([f"{y[3]}-{y[0]}", *y[1:]]) for x in every for y in [x.split(",")]]
    kept = [every[0], *anew[1:]]
    assert all("for each value" not in x for x in read(write("\n".join(kept))))


def test_responses_that_failed_are_asked_about(write):
    lines = rate(column="state", name=lambda _, i, *__: ("finished", "failed")[i == 3])
    with pytest.raises(TableError, match="got 7 of 210 that have failed, by column"):
        read(write("\n".join(lines)))


def test_codes_and_other_scales_are_doubted(write):
    lines = rate()
    lines[5] = "0,a,99,"
    (doubt,) = read(write("\n".join(lines)))
    assert "line 6: score 99 is far outside the scale of all others, 1 to 5. R" in doubt
    lines = [x.replace("gold,", "gold,8") for x in rate()]
    (doubt,) = read(write("\n".join(lines)))
    assert "responses differ much in size" in doubt


def test_rows_that_are_there_twice_are_doubted(write):
    lines = rate()
    (doubt,) = read(write("\n".join([*lines, *(x for x in lines if ",a," in x)])))
    assert "all rows of 'a' are there 2 times. Remove copies" in doubt


KINDS = {
    "note": None,
    "rater": lambda draw, *_: f"r{draw.integers(6)}",
    "sample": lambda *x: x[-1],
    "tokens": lambda draw, *_: draw.integers(20, 90),
    "comment": lambda draw, *_: f"words {draw.integers(10**6)}",
    "difficulty": lambda _, item, *__: ("easy", "hard")[item % 2],
    "topic": lambda _, item, *__: f"t{item * 7 % 6}",
}


@pytest.mark.parametrize("column", KINDS)
@pytest.mark.parametrize("n_responses", [(3, 1, 1), (4, 2, 2), (1, 3, 3)])
def test_others_are_not(write, column, n_responses):
    n_asked = 0
    for seed in range(10):
        lines = rate(seed, 24, n_responses, column, KINDS[column])
        n_asked += bool(read(write("\n".join(lines))))
    assert n_asked <= 1
