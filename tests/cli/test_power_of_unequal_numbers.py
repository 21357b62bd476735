"""`sigarray power` of models with unequal numbers of runs: power of those there are."""

import csv
import io
import math

import numpy as np
import pytest
import scipy.stats

from tests.cli.test_power import assert_rate

NUMBERS = {"a": 5, "b": 14, "c": 5}
SCORES = {
    name: np.random.default_rng(k).normal(0.7 * k, 1.0, n).round(3)
    for k, (name, n) in enumerate(NUMBERS.items())
}


@pytest.fixture
def path(write):
    rows = [f"{name},{k},{x}" for name, by in SCORES.items() for k, x in enumerate(by)]
    return write("\n".join(["model,seed,score", *rows, ""]))


def draw(name, number):
    """Draw samples of as many runs as there are, which vary as much as runs do."""
    x, n = SCORES[name], NUMBERS[name]
    wide = x.mean() + math.sqrt(n / (n - 1)) * (x - x.mean())
    return np.random.default_rng(len(name) + n).choice(wide, (number, n))


@pytest.mark.filterwarnings("ignore:Precision loss")
def test_power_now_is_of_the_runs_of_each_model(path, power):
    options = ["--test", "t", "--no-correction", "--n-samples", "200"]
    document = power(path, *options)
    assert (
        "Power now is of samples of as many runs as each model has"
        in (document["method"])
    )
    pairs = {(x["better"], x["worse"]): x for x in document["pairs"]}
    pair = pairs["b", "a"]
    assert (pair["n"], pair["n_better"], pair["n_worse"]) == (5, 14, 5)
    test = scipy.stats.ttest_ind(
        draw("b", 2000), draw("a", 2000), axis=-1, equal_var=False
    )
    share = np.mean((test.pvalue <= 0.05) & (test.statistic > 0.0))
    assert 0.7 < share < 0.9  # 0.53 with 5 runs of both
    assert_rate(pair["power_at_n"], 200, share, 2000)
    # Those of each pair do not depend on runs of others, but for the correction.
    alone = power(path, *options, "--columns", "c,a")
    assert alone["pairs"] == [pairs["c", "a"]]
    assert "Power now" not in alone["method"]


def test_models_that_compare_tells_apart_have_power(write, run):
    """Of 5 and 4 runs: with 4 of each of four models, no verdict could be given."""
    rows = [
        f"{name},{k},{20 + 10 * j + k}"
        for j, name in enumerate("abcd")
        for k in range(4 if name == "b" else 5)
    ]
    path = write("\n".join(["model,seed,score", *rows, ""]))
    out = run("compare", path, "--format", "csv")[1]
    compared = list(csv.DictReader(io.StringIO(out)))
    assert [bool(x["better"]) for x in compared] == [True] * 6
    arguments = ["power", path, "--n-samples", "20"]
    out = run(*arguments, "--format", "csv")[1]
    rows = list(csv.DictReader(io.StringIO(out)))
    assert len(rows) == 6
    assert all(float(x["power_at_n"]) == 1.0 for x in rows)
    out = " ".join(run(*arguments)[1].split())
    assert "The present 4 to 5 runs of each model show 6 of 6" in out
    assert "5 and 4" in out
    assert "4 and 5" in out


def test_a_sentence_names_both_numbers(path, run):
    out = run("power", path, "--columns", "a,b", "--n-samples", "5")[1]
    said = " ".join(out.split())
    assert "; the present 14 and 5, unequal numbers, have power" in said
    assert " runs each, equal numbers, show, with power" in said
