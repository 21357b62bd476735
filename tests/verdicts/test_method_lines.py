"""The line that says how models were compared."""

import json
import re
import warnings

import numpy as np
import pytest

from sigarray import compare_models


def test_the_method_says_how_equality_was_tested(write, run):
    def describe(*arguments):
        _, out, _ = run("compare", *arguments, "--format", "json")
        return json.loads(out)["method"]

    closed, by_pair = "by a closed test of ranks", "by Mann and Whitney's U, two-sided"
    assert f"{closed}, two-sided" in describe()
    assert f"{closed}, all models with forest, two-sided" in describe(
        "--baseline", "forest"
    )
    assert by_pair in describe("--no-correction")
    assert by_pair in describe("--baseline", "forest", "--no-correction")
    assert by_pair in describe("--columns", "forest,linear")
    # A rate is said of designs that were measured, where there can be a verdict.
    rate = "In simulations of"
    several = "normal models of 3 to 50 runs, one exactly at the threshold (violation"
    assert f". {rate} {several} ratio 0.2 to each other one; spreads" in describe()
    two = f"{rate} two normal models of 3 to 50 runs, one exactly at the threshold"
    assert f". {two} (violation ratio 0.2; spreads" in describe(
        "--columns", "forest,linear"
    )
    assert two in describe("--no-correction")
    assert f"{rate} a baseline and other normal models of 4 to 50 runs" in describe(
        "--baseline", "forest"
    )
    rows = [f"{m},{t},{k},{k}.5" for m in "ab" for t in "xy" for k in range(9)]
    tasks = write("\n".join(["model,task,run,score", *rows, ""]), "tasks.csv")
    assert f"{rate} one task with two normal models" in describe(tasks)
    many = "\n".join(",".join(f"{k + j}.5" for j in range(11)) for k in range(20))
    header = ",".join(f"m{k}" for k in range(11))
    path = write(f"{header}\n{many}\n", "many.csv")
    assert "% of cases, and better than any other one more often. " in describe(
        path, "--unit=run"
    )
    assert rate not in describe("--method", "asymptotic")
    assert rate not in describe("--dt", "0.3")
    assert rate not in describe("--threshold", "0.3")
    assert rate not in describe(write("a,b,c\n1,2,3\n3,1,4\n2,5,3\n"))


RNG = np.random.default_rng(0)
FEW, SOME, MANY = (RNG.normal(size=(3, n)) for n in (4, 8, 30))
TWO_TASKS = {f"t{k}": dict(zip("ab", FEW, strict=False)) for k in range(4)}


@pytest.mark.parametrize(
    ("scores", "options"),
    [
        (SOME, {"test": "aso"}),
        (SOME, {"test": "aso", "baseline": "a"}),
        (SOME, {"test": "aso", "dt": 0.1}),
        ([FEW[0], SOME[0], MANY[0]], {"test": "aso"}),
        (TWO_TASKS, {"test": "aso"}),
        (TWO_TASKS, {"test": "mann-whitney"}),
        (SOME, {"test": "t", "higher_is_better": False}),
        (SOME, {"test": "permutation"}),
        ([FEW[0], SOME[0], MANY[0], MANY[1]], {"test": "permutation"}),
        (MANY, {"test": "bootstrap", "method": "saddlepoint"}),
        ([FEW[0], SOME[0], MANY[0]], {"test": "brunner-munzel"}),
    ],
)
def test_a_method_is_told_in_sentences(scores, options):
    """Each begins in capitals, and ends with one full stop where it is printed."""
    if not isinstance(scores, dict):
        scores = dict(zip("abcd", scores, strict=False))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        result = compare_models(scores, unit="run", **options)
    first, *others = result.method.split(". ")
    assert others
    assert all(x[0].isupper() for x in others)
    assert "; " not in re.sub(r"\(.*?\)", "", result.method)
    assert not result.method.endswith(".")
    assert f"Method: {first}. {others[0]}." in str(result)
