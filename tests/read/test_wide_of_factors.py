"""Columns of raters and the like beside those of models are no models."""

import numpy as np
import pytest

from sigarray import read
from sigarray.read import TableError
from sigarray.read._wide import WideTable, refuse_factors
from tests.read.asking import refuse


def draw_ratings(seed, n_items=30, n_rows=3, high=6):
    draw = np.random.default_rng(seed)
    items = np.repeat(np.arange(n_items), n_rows)
    return {"item": items} | {
        x: draw.integers(0, high, len(items)) for x in ("ours", "base", "tiny")
    }


def as_table(columns):
    lines = [
        ",".join(columns),
        *(",".join(map(str, x)) for x in zip(*columns.values(), strict=True)),
    ]
    return "\n".join(lines)


def add_first(name, values, columns):
    """Add a column behind that of items, as it mostly is."""
    return {"item": columns["item"], name: values, **columns}


OPTIONS = ("--item", "item", "--unit", "item")


@pytest.mark.parametrize(
    "name", ["rater", "annotator", "judge", "user", "turn", "rep", "difficulty", "zeta"]
)
def test_they_are_asked_about(write, run, name):
    columns = draw_ratings(0)
    path = write(as_table(add_first(name, np.arange(90) % 3 + 1, columns)))
    for options in (OPTIONS, OPTIONS[:2]):
        done = run("compare", path, *options)
        refuse(done, f"got {name!r}, whose numbers tell all rows of an item apart")
        refuse(done, f"Pass --run {name}, with --unit item, which averages")
    code, out, _ = run("compare", path, *OPTIONS, "--run", name)
    assert code == 0
    alone = run("compare", write(as_table(columns), "models.csv"), *OPTIONS)[1]
    assert out.partition(".csv")[2] == alone.partition(".csv")[2]
    for more in (("--ignore", name), ("--columns", "ours,base,tiny")):
        assert run("compare", path, *OPTIONS, *more)[0] == 0
    with pytest.raises(TableError, match=f"Pass run='{name}', with unit='item'"):
        read.scores(path, item="item", unit="item")


def test_two_of_them_are_named(write, run):
    columns = draw_ratings(1, n_rows=4)
    columns = add_first("criterion", np.arange(120) % 2, columns)
    path = write(as_table(add_first("rater", np.arange(120) // 2 % 2, columns)))
    refuse(run("compare", path, *OPTIONS), "got 'rater', 'criterion',")
    refuse(run("compare", path, *OPTIONS, "--run", "rater"), "--run rater,criterion,")
    assert run("compare", path, *OPTIONS, "--run", "rater,criterion")[0] == 0


def test_raters_of_other_items_are_known_by_their_names(write, run):
    columns = draw_ratings(2, n_rows=1)
    path = write(as_table(add_first("rater", np.arange(30) % 4, columns)))
    refuse(run("compare", path, *OPTIONS[:2]), "got 'rater', hardly the name of")


def test_models_that_rate_are_models(write, run):
    columns = {**draw_ratings(3, n_rows=1)}
    columns["judge-x"], columns["judge-y"] = columns.pop("ours"), columns.pop("base")
    assert run("compare", write(as_table(columns)), *OPTIONS)[0] == 0


@pytest.mark.parametrize("n_items", [5, 20, 60])
@pytest.mark.parametrize("n_rows", [2, 3, 4])
@pytest.mark.parametrize("high", [2, 6, 11, 101])
def test_scores_are_not_asked_about(n_items, n_rows, high):
    for seed in range(30):
        columns = draw_ratings(seed, n_items, n_rows, high)
        names = dict(enumerate(columns))
        cells = {k: list(map(str, columns[x])) for k, x in names.items()}
        refuse_factors(WideTable("x", names, cells, str), {"item": "item"}, (), None)


class TestForms:
    """A row for each item and rater, whose ids are no models."""

    def grow(self):
        draw = np.random.default_rng(0)
        rows = [
            f"i{k},r{rater},{','.join(str(draw.integers(1, 6)) for _ in 'ab')}"
            for k in range(30)
            for rater in range(3)
        ]
        return "\n".join(["item_id,annotator_id,ours,base", *rows])

    def test_the_first_way_averages_the_rows_of_an_item(self, write, run):
        path = write(self.grow())
        way = "--item item_id --run annotator_id --unit item"
        refuse(run("compare", path), f"Pass {way}, which averages", "or leave it out")
        code, _, err = run("compare", path, *way.split())
        assert code == 0, err
        assert "warning" not in err

    def test_rows_of_items_that_are_left_out_are_not_independent(self, write, run):
        """Of equal models, 12 % were told apart, as 90 items in place of 30."""
        path = write(self.grow())
        options = ("--ignore", "item_id,annotator_id", "--unit", "item")
        code, _, err = run("compare", path, *options)
        assert code == 0, err
        assert "warning: " in err
        assert "'item_id' was left out, whose values are those of several" in err
        assert "Pass --item item_id --unit item, which" in err
