"""A column of items beside columns of models: the names of items, or asked."""

import random

import pytest

from sigarray import compare_models, read
from sigarray.read import TableError
from tests.read.asking import parse, refuse, wide_table
from tests.read.long_tables import as_lists

DRAW = random.Random(1)
N = 12
TEXTS = [f"q{k}" for k in range(N)]
ROWS = [(round(DRAW.random(), 3), round(DRAW.random(), 3)) for _ in range(N)]
MARKS = [(DRAW.randint(0, 1), DRAW.randint(0, 1)) for _ in range(N)]


def as_table(name, items, rows=ROWS):
    return wide_table(
        f"{name},a,b", [(x, *y) for x, y in zip(items, rows, strict=True)]
    )


@pytest.mark.parametrize("name", ["item", "Question", "example_id", "docId", "qid"])
@pytest.mark.parametrize("items", [TEXTS, range(N), DRAW.sample(range(900), N)])
def test_the_result_is_that_of_the_option(write, run, name, items):
    path = write(as_table(name, items))
    done = run("compare", path, "--format", "json")
    said = f"column {name!r} names the items, by which models are paired. If each row"
    assert said in done[2]
    assert f"is a run, pass --unit run --ignore {name}." in done[2]
    asked = run("compare", path, "--format", "json", "--item", name)
    assert parse(done) == parse(asked)
    chosen = run("compare", path, "--format", "json", "--columns", "a,b")
    assert parse(chosen) == parse(asked)
    assert "is taken for an independent run" not in chosen[2]
    assert read.scores(path).ids == read.scores(path, item=name).ids


def test_data_frames_and_mappings():
    a, b = (list(x) for x in zip(*ROWS, strict=True))
    scores = {"item": range(N), "a": a, "b": b}
    frame = pytest.importorskip("pandas").DataFrame(scores)
    for given in (scores, frame):
        result = compare_models(given)
        assert result.table.unit == "item"
        assert result.table.models == ("a", "b")
        assert any("if each row is a run" in x.lower() for x in result.notes)


def test_items_of_several_tasks(write):
    rows = [(t, k, *ROWS[k]) for t in ("law", "art") for k in range(N)]
    table = read.scores(write(wide_table("set,question,a,b", rows)), task="set")
    assert table.unit == "item"
    assert as_lists(table)["law"]["a"] == [x for x, _ in ROWS]
    assert table.ids["art"]["b"] == tuple(map(str, range(N)))


@pytest.mark.parametrize("name", ["id", "index", "sample_id", "prompt", "user_id"])
def test_names_that_may_be_of_runs_are_asked_about(write, run, name):
    path = write(as_table(name, TEXTS))
    refuse(run("compare", path), "expected scores", "--item")
    assert read.scores(path, item=name).unit == "item"


@pytest.mark.parametrize("name", ["id", "idx", "sample_id"])
def test_and_are_of_items_where_rows_are(write, name):
    path = write(as_table(name, range(N), MARKS))
    assert read.scores(path).ids == read.scores(path, item=name).ids
    path = write(as_table(name, range(N)))
    assert read.scores(path, unit="item").ids == read.scores(path, item=name).ids


@pytest.mark.parametrize(
    "items", [[x / 10 for x in range(N)], [0, 0, *range(2, N)], ["", *TEXTS[1:]]]
)
def test_values_that_name_no_items_are_asked_about(write, items):
    with pytest.raises(TableError, match="column 1"):
        read.scores(write(as_table("item", items)))


def test_rows_are_runs_where_the_user_says_so(write):
    path = write(as_table("item", TEXTS))
    table = read.scores(path, unit="run", models=["a", "b"])
    assert (table.unit, table.is_paired) == ("run", False)
    with pytest.raises(TableError, match="pass item='item'"):
        read.scores(path, unit="run")
