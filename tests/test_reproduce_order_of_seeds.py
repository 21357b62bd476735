"""Stochastic order of seeds: what is committed, and what the docstring says of it."""

import math
from pathlib import Path

from benchmarks.reproduce import order_of_seeds
from benchmarks.reproduce.experiment import read_csv
from sigarray import aso, multi_aso

RESULTS = Path(__file__).parents[1] / "benchmarks" / "results"
ROWS = read_csv(RESULTS / "order_of_seeds.csv")
_SAID = ("aso", "aso, either at half", "aso of means, either")
EQUAL = [x for x in ROWS if float(x["difference"]) == 0.0]


def around(name):
    shares = [100.0 * float(x[name]) for x in EQUAL]
    return f"{min(shares):.1f} to {max(shares):.1f} %"


def test_the_table_is_that_of_the_numbers():
    text = "\n\n".join([*order_of_seeds.tabulate(ROWS), ""])
    assert (RESULTS / "order_of_seeds.md").read_text("utf-8") == text


def test_committed_rates_are_those_of_the_docstring():
    said = " ".join(aso.__doc__.split())
    one, both, of_means = map(around, _SAID)
    assert f"Of {EQUAL[0]['n_sets']} pairs each of equal models" in said
    assert f"A was called better in {one}, either model by two calls" in said
    assert f"in {both}, and either by `aso` of means over items in {of_means}." in said
    assert all(float(x["aso"]) < 0.06 for x in EQUAL)


def test_verdicts_are_counted_as_then():
    names = ("own", "seeds", "items", "deviation")
    (row,) = (
        x for x in EQUAL if [float(x[y]) for y in names] == [0.3, 10.0, 200.0, 0.0]
    )
    found = order_of_seeds.count(0.0, 0.3, 10, 200, 0.0, 50, seed=1)
    for method in order_of_seeds.METHODS:
        share = float(row[method])
        error = math.sqrt(share * (1.0 - share) / 50)
        assert abs(found[method] - share) < 0.02 + 4.9 * error


MODELS = read_csv(RESULTS / "order_of_models.csv")


def test_the_table_of_several_models_is_that_of_the_numbers():
    text = "\n\n".join([*order_of_seeds.tabulate_models(MODELS), ""])
    assert (RESULTS / "order_of_models.md").read_text("utf-8") == text


def test_rates_of_several_models_are_those_of_the_docstring():
    said = " ".join(multi_aso.__doc__.split())
    few, more = (
        [100.0 * float(x["any"]) for x in MODELS if (x["seeds"] == "3") == is_few]
        for is_few in (True, False)
    )
    assert f"Of {MODELS[0]['n_sets']} sets each of four equal models" in said
    assert (
        f"in {min(more):.1f} to {max(more):.1f} % with 5 and 10 seeds, and in "
        f"{min(few):.1f} to {max(few):.1f} % with 3"
    ) in said
    highest = max(MODELS, key=lambda x: float(x["any"]))
    assert (highest["seeds"], highest["deviation"]) == ("3", "0.1")


def test_several_models_are_counted_as_then():
    (row,) = (
        x
        for x in MODELS
        if [x[y] for y in ("own", "seeds", "items", "deviation")]
        == ["0.3", "3", "200", "0.1"]
    )
    found = order_of_seeds.count_any(0.3, 3, 200, 0.1, 100, seed=1)
    share = float(row["any"])
    assert abs(found["any"] - share) < 4.9 * math.sqrt(share * (1.0 - share) / 100)
