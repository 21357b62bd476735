"""Sentences on pairs, beside the table of the same numbers."""

import json

import numpy as np
import pytest

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
