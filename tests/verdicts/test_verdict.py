"""Sentences on pairs, beside the table of the same numbers."""

import json
import re

import numpy as np
import pytest

from sigarray import compare_models

RNG = np.random.default_rng(5)
SCORES = {"zeta": RNG.random(8).round(3), "alpha": RNG.random(8).round(3)}


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("baseline", [None, "alpha", "zeta"])
@pytest.mark.parametrize("names", [("zeta", "alpha"), ("alpha", "zeta")])
@pytest.mark.parametrize("test", ["permutation", "t", "mann-whitney", "aso"])
def test_an_inconclusive_pair_has_the_sign_of_the_table(
    write, run, test, names, baseline, lower
):
    rows = zip(*(SCORES[name] for name in names), strict=True)
    path = write("\n".join(map(",".join, [names, *(map(str, row) for row in rows)])))
    options = ["--test", test, *(["--lower-is-better"] if lower else [])]
    options += [] if baseline is None else ["--baseline", baseline]
    document = json.loads(run("compare", path, *options, "--format", "json")[1])
    (record,), (sentence,) = document["pairs"], document["verdicts"]
    a, b = record["model_a"], record["model_b"]
    assert record["verdict"] == "inconclusive"
    assert sentence.startswith(f"{a} vs. {b}: inconclusive (")
    difference = SCORES[a].mean() - SCORES[b].mean()
    assert record["mean_difference"] == pytest.approx(difference)
    shown = sentence.split("the means differ by ")[1].removesuffix(".")
    assert shown.startswith(f"{difference:+.2f} [")
    (row,) = [
        x
        for x in run("compare", path, *options)[1].splitlines()
        if x.split()[:2] == [a, b]
    ]
    assert shown in row
    assert baseline in (None, b)


@pytest.mark.parametrize("higher_is_better", [True, False])
def test_twelve_models_have_differences_from_the_best(higher_is_better):
    """There is a matrix of bounds, and no row for each pair, which has an interval."""
    rng = np.random.default_rng(0)
    scores = {f"m{k}": rng.normal(0.5 * k, 1.0, 9) for k in range(12)}
    result = compare_models(scores, higher_is_better=higher_is_better)
    (table,) = (x for x in result.tables if x.title.startswith("Scores"))
    level = "95 % confidence for all 66 together"
    assert table.title == f"Scores and differences from the best, {level}"
    best = table.rows[0][0]
    assert table.header[-1] == "best - model, interval"
    assert table.rows[0][-1] == ""
    for name, *_, shown in table.rows[1:]:
        (record,) = (
            x for x in result.records if {x["model_a"], x["model_b"]} == {best, name}
        )
        sign = 1.0 if record["model_a"] == best else -1.0
        limits = sorted(sign * record[f"difference_{x}"] for x in ("low", "high"))
        numbers = [float(x) for x in re.findall(r"[-+][\d.]+", shown)]
        expected = [sign * record["mean_difference"], *limits]
        np.testing.assert_allclose(numbers, expected, atol=0.051)
