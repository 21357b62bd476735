"""`sigarray power --margin`: how many scores show that a model is no worse."""

import csv
import io

import numpy as np
import pytest

from sigarray import required_items, variance_components
from tests.cli.conftest import SCORES
from tests.cli.test_runs_and_items import as_rows, draw

FEW = ("--n-samples", "8")


def name(x):
    return x["not_worse"], x["than"]


def test_both_models_of_a_pair_may_be_no_worse(table, power):
    document = power(table, "--margin", "1.0", *FEW)
    assert (document["margin"], document["test"]) == (1.0, "t")
    means = dict(zip("abc", SCORES.mean(axis=0), strict=True))
    assert {name(x) for x in document["pairs"]} == {
        (x, y) for x in "abc" for y in "abc" if x != y and means[x] > means[y] - 1.0
    }
    by_pair = {name(x): x for x in document["pairs"]}
    sizes = [by_pair[x]["required_sample_size"] for x in (("c", "a"), ("b", "a"))]
    assert sizes[0] < sizes[1]
    assert "in which it finds a model not worse" in document["method"]


def test_lower_scores_may_be_better(table, power):
    options = ("--lower-is-better", "--baseline", "a", "--columns", "a,c")
    assert power(table, "--margin", "0.5", *options, *FEW)["pairs"] == []
    (pair,) = power(table, "--margin", "5", *options, *FEW)["pairs"]
    assert name(pair) == ("c", "a")


def test_a_model_alone_is_compared_with_one_of_the_same_scores(table, power, run):
    options = (table, "--columns", "a", "--margin", "2", *FEW)
    document = power(*options)
    assert document["pairs"] == []
    assert (document["lift"], document["power_to_see_lift"]["a"] > 0.8) == (1.0, True)
    out = " ".join(run("power", *options)[1].split())
    assert "to see that a model with the same scores is not worse by 2 or more" in out


def test_rows_of_tasks_are_of_each_model(write, run):
    rng = np.random.default_rng(0)
    rows = [
        f"{m},{t},{k},{rng.normal(m == 'b'):.3f}"
        for m in "ab"
        for t in "xy"
        for k in range(8)
    ]
    path = write("\n".join(["model,task,run,score", *rows, ""]))
    _, out, _ = run("power", path, "--margin", "3", *FEW)
    assert "A B seems so on shown now on on half on all" in " ".join(out.split())
    _, out, _ = run("power", path, "--margin", "3", *FEW, "--format", "csv")
    found = [(x["task"], *name(x)) for x in csv.DictReader(io.StringIO(out))]
    assert found == [(t, *pair) for t in "xy" for pair in ("ba", "ab")]


def test_clusters_have_the_tests_of_compare(write, run):
    rows = [
        f"{m},d{k // 4},q{k},{(k * 7 + i) % 5}"
        for i, m in enumerate("ab")
        for k in range(96)
    ]
    path = write("\n".join(["model,document,question,score", *rows, ""]))
    options = (path, "--item", "question", "--cluster", "document", "--margin", "2")
    _, out, err = run("power", *options, *FEW)
    assert "models are compared by --test t: permutations of clusters take" in err
    assert "one-sided tests of a margin of 2: t-tests" in out
    title = "clusters show that A is not worse than B by 2 or more with power 0.8"
    assert title in " ".join(out.split())
    code, _, err = run("power", *options, "--test", "permutation")
    assert code == 2
    assert "for which scores would be shifted one by one" in err


def test_runs_and_items_have_numbers_of_items(write, power, run):
    path = write("\n".join(["model,seed,item,score", *as_rows(draw()), ""]))
    document = power(path, "--margin", "0.4", "--baseline", "m0")
    assert len(document["pairs"]) == 3
    tables = draw()
    for x in document["pairs"]:
        a, b = (tables[x[f"model_{k}"]] for k in "ab")
        size = float(a.mean() - b.mean()) + 0.4
        expected = [np.inf] * len(document["n_runs"])
        if size > 0.0:
            found = variance_components(a, b)
            expected = required_items(
                found, document["n_runs"], size, alpha=0.05 / 3, alternative="greater"
            )
        assert [x or np.inf for x in x["required_items"]] == list(expected)
    code, _, err = run("power", path, "--margin", "0.4", "--difference", "1")
    assert code == 2
    assert "Expected --difference or --margin" in err


@pytest.mark.parametrize("test", ["aso", "mann-whitney"])
def test_other_tests_are_refused(table, run, test):
    code, _, err = run("power", table, "--margin", "1", "--test", test)
    assert code == 2
    assert "Expected --margin with" in err
