"""Columns of models and raters whose names may have any text."""

import itertools

import pytest

from sigarray import read
from sigarray.read._column_names import match_grid
from tests.read.asking import DRAW

OPTIONS = ("--columns", "{model}_{rater}", "--unit", "item", "--run", "rater")


@pytest.fixture
def rate(write):
    def write_columns(names):
        rows = [",".join(["item", *names])]
        for item in range(30):
            ratings = (str(DRAW.randint(1, 5)) for _ in names)
            rows.append(",".join([f"q{item}", *ratings]))
        return write("\n".join(rows))

    return write_columns


def pair(models, raters, mark="_"):
    return [f"{x}{mark}{y}" for x, y in itertools.product(models, raters)]


@pytest.mark.parametrize(
    ("models", "raters"),
    [
        (("ours", "base"), ("ann", "bob", "gpt-4o")),
        (("Ours-7B", "GPT"), ("R1", "mary ann", "gpt-4.o")),
        (("ours", "base"), ("ann", "gpt_4o")),
        (("our_model", "base"), ("ann", "bob")),
        (("ours", "base"), ("1", "2", "gpt-4o")),
    ],
)
def test_all_of_a_whole_grid_are_read(rate, models, raters):
    path = rate(["n_tokens", *pair(models, raters)])
    table = read.scores(path, columns="{model}_{rater}", unit="item", run="rater")
    assert table.models == models
    assert table.averaged[""].least == table.averaged[""].most == len(raters)
    assert any("left out: 'n_tokens'" in x for x in table.notes)


def test_what_does_not_fit_is_named(run, rate):
    names = [*pair(("ours", "base"), ("ann", "bob")), "ours_gpt-4o", "length", "ours"]
    code, _, err = run("compare", rate(names), *OPTIONS)
    assert code == 0
    (warning,) = [x for x in err.splitlines() if "warning" in x]
    assert "2 columns do not fit --columns '{model}_{rater}', and were " in warning
    assert warning.endswith("left out: 'ours_gpt-4o', 'ours'.")
    assert "note: " in next(x for x in err.splitlines() if "'length'." in x)


def test_means_are_no_raters(run, rate):
    names = pair(("ours", "base"), ("1", "2", "mean"))
    code, _, err = run("compare", rate(names), *OPTIONS)
    assert code == 0
    assert "'ours_1' was read as model 'ours', rater '1'" in err
    assert "120 scores were averaged" in err
    assert "warning" not in err


def test_runs_that_are_numbers_are_so(rate):
    path = rate(pair(("ours", "base"), ("1", "2", "other")))
    table = read.scores(path, columns="{model}_{run}")
    assert tuple(table.runs[""]["ours"].runs) == ("1", "2")


def test_names_of_no_grid():
    for template in ("{model}", "{a}{b}", "{a}_{b}_{c}", "{a}_*_{b}", "x{a}_{b}"):
        assert match_grid(["ours_1", "ours_2", "base_1"], template) == [None] * 3
