"""`sigarray responses` and `study`: what they print and refuse."""

import csv
import functools
import io
import json

import numpy as np
import pytest

from sigarray import responses
from sigarray.read._responses import read_responses
from sigarray.report._rendering import STYLES
from sigarray.responses import metrics
from tests.read.test_responses import TABLE


@pytest.fixture
def write(write):
    return functools.partial(write, name="ratings.csv")


def test_the_numbers_are_those_of_the_library(write, run):
    path = write(TABLE)
    code, out, _ = run(
        *("responses", path, "--metric", "mae", "--items", "all"),
        *("--responses", "one", "--alternative", "greater"),
        *("--n-resamples", "70", "--seed", "3", "--format", "json"),
    )
    assert code == 0
    document = json.loads(out)
    result = responses.response_test(
        *read_responses(path, ("gold", "a", "b"))[0],
        metric="mae",
        items="all",
        responses="one",
        alternative="greater",
        n_resamples=70,
        rng=3,
    )
    assert document["pvalue"] == float(result.pvalue)
    assert document["metric_a"] == float(result.metric_a)
    assert document["difference"] == float(result.metric_a - result.metric_b)
    assert document["n_responses"] == {"gold": 4, "a": 3, "b": 4}
    assert document["n_items"] == 3


@pytest.mark.parametrize("style", STYLES)
def test_the_example_in_every_style(run, style):
    code, out, err = run("responses", "--metric", "mae", "--format", style)
    assert code == 0
    assert "no FILE given" in err
    if style == "csv":
        (row,) = csv.DictReader(io.StringIO(out))
        assert row["better"] == "a"
        assert float(row["metric_a"]) < float(row["metric_b"])
    elif style != "json":
        assert "a is nearer to gold than b" in " ".join(out.split())


def test_names_say_who_is_better(write, run):
    rng = np.random.default_rng(0)
    rows = ["item,system,response"]
    for item in range(40):
        level = rng.uniform()
        for system, noise in (("people", 0.05), ("new", 0.05), ("old", 0.5)):
            rows += [
                f"{item},{system},{level + noise * rng.normal():.3f}" for _ in range(3)
            ]
    path = write("\n".join(rows))
    options = ("responses", path, "--gold", "people", "--metric", "mae")
    for a, b in (("new", "old"), ("old", "new")):
        code, out, _ = run(*options, "--a", a, "--b", b)
        assert code == 0
        assert "new is nearer to people than old" in " ".join(out.split())
    code, out, _ = run(*options, "--a", "old", "--b", "new", "--alternative", "greater")
    assert "old vs. new: inconclusive (p = " in " ".join(out.split())
    assert any(line.endswith("  inconclusive") for line in out.splitlines())
    code, out, _ = run(*options, "--a", "old", "--b", "new", "--alternative", "less")
    assert "new is nearer to people than old" in " ".join(out.split())


def test_few_items_are_doubted(write, run):
    rows = "".join(f"{k},{s},{k + len(s)}\n" for k in range(9) for s in ("gold", "a"))
    rows += "".join(f"{k},b,{k}\n" for k in range(9))
    path = write(f"item,system,response\n{rows}")
    code, _, err = run("responses", path)
    assert code == 0
    assert "warning: 9 items cannot show how items vary: the p-value may be far" in err
    assert (
        "the p-value is of these alone" in run("responses", path, "--items", "all")[2]
    )
    path = write(f"item,system,response\n{rows}9,gold,1\n9,a,1\n9,b,2\n")
    assert run("responses", path)[2] == ""


def test_one_item_cannot_be_bootstrapped(write, run):
    path = write("item,system,response\nx,gold,1\nx,a,1\nx,b,3\n")
    code, out, err = run("responses", path, "--metric", "mae")
    assert (code, out) == (2, "")
    assert "expected two items or more, to bootstrap them; got 1." in err
    code, _, err = run("responses", path, "--metric", "mae", "--items", "all")
    assert code == 0
    assert "One item cannot show" in err


def test_a_p_value_of_the_level_is_significant(run):
    arguments = ("responses", "--metric", "mae")
    p = json.loads(run(*arguments, "--format", "json")[1])["pvalue"]
    _, out, _ = run(*arguments, "--alpha", repr(p))
    assert "a is nearer to gold than b: p = 0.0235 <= 0.02" in " ".join(out.split())


def test_json_has_fields_for_how_it_was_computed(run):
    document = json.loads(run("responses", "--seed", "3", "--format", "json")[1])
    expected = {
        "test": "response_test",
        "seed": 3,
        "n_resamples": 1000,
        "gold": "gold",
        "a": "a",
        "b": "b",
        "items": "bootstrap",
        "responses": "all",
        "alternative": "two-sided",
    }
    assert expected.items() <= document.items()
    arguments = ("--n-sets", "5", "--n-items", "5", "--n-resamples", "7")
    document = json.loads(run("study", *arguments, "--format", "json")[1])
    assert (document["test"], document["seed"], document["n_sets"]) == ("study", 0, 5)
    assert (document["n_resamples"], document["model"]) == (7, "normal")


def test_metrics_that_are_not_defined_are_refused(write, run):
    code, _, err = run("responses", write(TABLE), "--metric", "roc_auc")
    assert code == 2
    assert "roc_auc is not defined for these responses" in err
    assert "see --threshold" in err
    code, _, err = run("responses", write(TABLE), "--metric", "wins_mae_all")
    assert code == 2
    assert "compares responses one by one" in err
    code, _, err = run("responses", write(TABLE), "--metric", "kl_divergence")
    assert code == 2
    assert "expected responses from 0 to 1" in err
    assert "got 0 to 5. Choose it with --range" in err
    for threshold in ("0", "6"):
        code, _, err = run(
            "responses", write(TABLE), "--metric", "f1", "--threshold", threshold
        )
        assert code == 2
        assert f"on both sides of the threshold {threshold}" in err
    code, _, err = run("responses", write(TABLE), "--threshold", "2")
    assert code == 2
    assert "Expected --threshold with --metric accuracy" in err
    code, _, err = run("responses", write(TABLE), "--a", "gold")
    assert code == 2
    assert "three names" in err


def test_thresholds_and_ranges(write, run):
    options = ("responses", write(TABLE), "--format", "json", "--metric")
    (gold, a, _), _ = read_responses(options[1], ("gold", "a", "b"))
    _, out, _ = run(*options, "accuracy", "--threshold", "2")
    expected = metrics.binary("accuracy", gold_threshold=2, system_threshold=2)(gold, a)
    assert json.loads(out)["metric_a"] == float(expected)
    _, out, _ = run(*options, "kl_divergence", "--range", "-1", "6")
    expected = metrics.histogram_kl(low=-1, high=6)(gold, a)
    assert json.loads(out)["metric_a"] == float(expected)


def test_study_of_metrics_that_are_not_defined(run):
    options = (
        *("study", "--metric", "spearman", "mae", "--n-items", "1"),
        *("--perturbation", "0.1", "--n-sets", "20", "--n-resamples", "20"),
    )
    code, out, _ = run(*options)
    assert code == 0
    assert "Not defined for every resample: spearman" in " ".join(out.split())
    code, out, _ = run(*options, "--format", "json")
    assert json.loads(out)["pvalues"][0]["true_pvalue"] is None


def test_study_names_the_nearest_way(run):
    options = (
        *("study", "--metric", "mae", "--perturbation", "0.1", "--n-items", "50"),
        *("--n-sets", "50", "--n-resamples", "50"),
    )
    _, out, _ = run(*options, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    best = min(rows, key=lambda row: abs(float(row["difference"])))
    _, out, _ = run(*options)
    distance = abs(float(best["difference"]))
    assert f"{distance:.4f} away on average" in " ".join(out.split())


@pytest.mark.parametrize("style", STYLES)
def test_study(run, style):
    options = (
        *("study", "--metric", "mae", "wins_mae", "--perturbation", "0", "0.3"),
        *("--items", "all", "--responses", "one", "--n-items", "20"),
        *("--n-responses", "2", "--n-sets", "30", "--n-resamples", "30"),
    )
    code, out, _ = run(*options, "--format", style)
    assert code == 0
    expected = responses.study(
        alternative="greater",
        metrics=["mae", "wins_mae"],
        perturbations=(0.0, 0.3),
        items=["all"],
        responses=["one"],
        n_items=20,
        n_responses=2,
        n_sets=30,
        n_resamples=30,
        rng=0,
    )
    if style == "csv":
        rows = list(csv.DictReader(io.StringIO(out)))
        assert [
            float(row["true_pvalue"]) for row in rows
        ] == expected.true_pvalue.ravel().tolist()
    elif style == "json":
        document = json.loads(out)
        found = [row["estimated_pvalue"] for row in document["pvalues"]]
        assert found == expected.estimated_pvalue.ravel().tolist()
    else:
        assert "all items with one response" in " ".join(out.split())


def test_study_refuses_bad_perturbations(run):
    code, _, err = run("study", "--perturbation", "-1", "--n-sets", "2")
    assert code == 2
    assert "0 or more" in err


def test_runs_of_a_system_are_refused(write, run):
    """They vary for all items together, which the test would take for evidence."""
    header = "item,system,seed,response"
    rows = [
        f"i{k},{system},{seed},{k % 3 + seed / 9}"
        for k in range(12)
        for system in ("gold", "a", "b")
        for seed in range(3)
    ]
    code, out, err = run("responses", write("\n".join([header, *rows, ""])))
    assert (code, out) == (2, "")
    assert "got 3 runs of 'a' by column 'seed'" in err
    assert "Keep one run of each, or compare a score of each run" in err
    # Of gold they may be sessions; and one run of each system is a sample of it.
    kept = [x for x in rows if ",gold," in x or x.split(",")[2] == "0"]
    assert run("responses", write("\n".join([header, *kept, ""])))[0] == 0
