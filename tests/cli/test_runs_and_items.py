"""`sigarray compare` of items in several runs of each model, both of which were drawn.

The tests of arrays are the oracle, as is a table of one run for each error.
"""

import base64
import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest

from sigarray import (
    compare_models,
    multi_aso,
    read,
    t_ci,
    t_test,
)

ROOT = Path(__file__).parents[2]
N_ITEMS = 12
RUNS = {"m0": 3, "m1": 5, "m2": 3, "m3": 2}


def draw(seed=0, runs=RUNS):
    """Return tables of runs and items by model; each model has its own runs."""
    rng = np.random.default_rng(seed)
    hardness = rng.normal(0.0, 1.0, N_ITEMS)
    tables = {}
    for k, (name, n_runs) in enumerate(runs.items()):
        luck = rng.normal(0.0, 0.1, (n_runs, 1))
        taste = rng.normal(0.0, 0.3, N_ITEMS)
        noise = rng.normal(0.0, 0.3, (n_runs, N_ITEMS))
        tables[name] = np.round(0.3 * k + hardness + luck + taste + noise, 5)
    return tables


def as_rows(tables, task=""):
    """Return rows of a table in an order of their own, with names of runs and items."""
    rows = [
        f"{task}{model},s{k},q{i},{x[k, i]}"
        for model, x in tables.items()
        for k, i in np.ndindex(x.shape)
    ]
    return [rows[k] for k in np.random.default_rng(1).permutation(len(rows))]


@pytest.fixture
def path(write):
    return write("\n".join(["model,seed,item,score", *as_rows(draw()), ""]))


def compare(run, *options):
    code, out, err = run("compare", *options, "--format", "json")
    assert code == 0, err
    return json.loads(out)


@pytest.mark.parametrize("unit", [(), ("--unit", "item, run"), ("--test", "t")])
def test_the_numbers_are_those_of_arrays(path, run, unit):
    tables = draw()
    document = compare(run, path, "--no-correction", *unit)
    assert document["test"] == "t"
    assert len(document["pairs"]) == 6
    for pair in document["pairs"]:
        a, b = (tables[pair[f"model_{x}"]] for x in "ab")
        expected = t_test(a, b, axis=(0, 1))
        assert pair["pvalue"] == pytest.approx(float(expected.pvalue), rel=1e-9)
        assert pair["statistic"] == pytest.approx(float(expected.statistic), rel=1e-9)
        assert pair["mean_difference"] == pytest.approx(a.mean() - b.mean())
        limits = t_ci(a, b, axis=(0, 1)).confidence_interval
        found = [pair["difference_low"], pair["difference_high"]]
        assert found == pytest.approx([float(x) for x in limits], rel=1e-9)
        assert (pair["n_a"], pair["n_b"]) == (N_ITEMS, N_ITEMS)
        assert (pair["n_runs_a"], pair["n_runs_b"]) == (len(a), len(b))
    for name, x in tables.items():
        found = document["models"][name]
        assert (found["n"], found["n_runs"]) == (N_ITEMS, len(x))
        assert found["mean"] == pytest.approx(x.mean())
        assert (found["min"], found["max"]) == (x.min(), x.max())


def test_corrections_and_intervals_are_of_all_pairs(path, run):
    tables = draw()
    document = compare(run, path)
    assert document["correction"] == "holm"
    p = [x["pvalue"] for x in document["pairs"]]
    least = min(document["pairs"], key=lambda x: x["pvalue"])
    assert least["adjusted_pvalue"] == pytest.approx(min(1.0, 6 * min(p)))
    for pair in document["pairs"]:
        a, b = (tables[pair[f"model_{x}"]] for x in "ab")
        limits = t_ci(a, b, axis=(0, 1), confidence_level=1 - 0.05 / 6)
        found = [pair["difference_low"], pair["difference_high"]]
        assert found == pytest.approx([float(x) for x in limits.confidence_interval])


def test_a_baseline_is_compared_with_each(path, run):
    tables = draw()
    pairs = compare(run, path, "--baseline", "m1")["pairs"]
    assert len(pairs) == 3
    for pair in pairs:
        assert "m1" in (pair["model_a"], pair["model_b"])
        a, b = (tables[pair[f"model_{x}"]] for x in "ab")
        expected = float(t_test(a, b, axis=(0, 1)).pvalue)
        assert pair["pvalue"] == pytest.approx(expected, rel=1e-9)


def test_each_task_is_compared_by_itself(write, run):
    tasks = {"x": draw(1, {"a": 2, "b": 3}), "y": draw(2, {"a": 4, "b": 2})}
    rows = [row for task, by in tasks.items() for row in as_rows(by, f"{task},")]
    path = write("\n".join(["task,model,seed,item,score", *rows, ""]))
    pairs = compare(run, path, "--no-correction")["pairs"]
    for task, tables in tasks.items():
        (pair,) = (x for x in pairs if x["task"] == task)
        a, b = (tables[pair[f"model_{x}"]] for x in "ab")
        expected = float(t_test(a, b, axis=(0, 1)).pvalue)
        assert pair["pvalue"] == pytest.approx(expected, rel=1e-9)
        assert (pair["n_runs_a"], pair["n_runs_b"]) == (len(a), len(b))
    _, out, _ = run("compare", path)
    assert f"standard errors of 2 to 4 runs x {N_ITEMS} items on each task" in out


def test_standard_errors_are_those_of_one_model(path, run):
    _, out, _ = run("compare", path)
    for name, x in draw().items():
        (row,) = re.findall(rf"{name} .* {len(x)} x {N_ITEMS} +(\S+) +(\S+)", out)
        error = float(t_ci(x, axis=(0, 1)).standard_error)
        assert [float(y) for y in row] == pytest.approx([x.mean(), error], abs=6e-3)


@pytest.mark.long
def test_the_design_is_named_everywhere(path, run, tmp_path):
    design = f"2 to 5 runs x {N_ITEMS} items"
    page = tmp_path / "page.html"
    for style in ("text", "markdown", "latex", "sentences"):
        code, out, err = run(
            "compare", path, "--format", style, "--report", str(page), "--seed", "0"
        )
        assert code == 0, err
        assert f"The design is 4 models, {design}: each model has its own runs" in out
        assert out.count(design) > 1
        assert "the errors of runs and items" in out
    html = page.read_text("utf-8")
    assert html.count(design) > 1
    (data,) = re.findall(r"base64,([\w+/=]+)", html)
    saved = base64.b64decode(data).decode().splitlines()
    assert saved[0] == "model,run,item,score"
    assert len(saved) == 1 + sum(RUNS.values()) * N_ITEMS
    assert sorted(saved[1:]) == sorted(as_rows(draw()))
    _, out, _ = run("compare", path, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert {x["n_runs_a"] for x in rows} <= {"2", "3", "5"}
    _, out, _ = run("compare", path, "--unit", "item", "--format", "csv")
    assert "n_runs" not in out


def test_a_signature_names_the_runs(path, run, write):
    document = compare(run, path)
    line = document["signature"]
    assert "unit:run,item|runs:13|" in line
    assert "paired" not in line
    code, out, _ = run("compare", path, "--verify", line)
    assert (code, "repeats it" in join(out)) == (0, True)
    tables = draw()
    renamed = {**tables, "m0": tables["m0"][::-1]}
    assert compare(run, _save(write, renamed))["signature"] == line
    # The means of items are the same, but one run is not.
    moved = tables["m1"].copy()
    moved[:2, 0] += (0.25, -0.25)
    code, out, _ = run(
        "compare", _save(write, {**tables, "m1": moved}), "--verify", line
    )
    assert (code, "does not repeat it" in join(out)) == (1, True)
    other = {**tables, "m3": np.vstack([tables["m3"], tables["m3"]])}
    _, out, _ = run("compare", _save(write, other), "--verify", line)
    assert "runs was 13, is 15" in join(out)


def join(text):
    """Join the lines of a text, which break where the name of a file is long."""
    return " ".join(text.split())


def _save(write, tables):
    return write("\n".join(["model,seed,item,score", *as_rows(tables), ""]), "o.csv")


def test_a_run_without_an_item_is_named(write, run):
    rows = [x for x in as_rows(draw()) if not x.startswith("m1,s4,q7,")]
    path = write("\n".join(["model,seed,item,score", *rows, ""]))
    code, _, err = run("compare", path)
    assert code == 2
    said = " ".join(err.split())
    assert "'m1' in run 's4' lacks 1 ('q7')" in said
    assert "--drop-unmatched" in said
    assert "--unit item" in said
    pair = compare(run, path, "--drop-unmatched", "--no-correction")["pairs"][0]
    kept = [i for i in range(N_ITEMS) if i != 7]
    a, b = (draw()[pair[f"model_{x}"]][:, kept] for x in "ab")
    assert pair["pvalue"] == pytest.approx(float(t_test(a, b, axis=(0, 1)).pvalue))


def test_a_missing_score_leaves_out_its_item(write, run):
    rows = [re.sub(r"^(m1,s4,q7,).*", r"\1nan", x) for x in as_rows(draw())]
    path = write("\n".join(["model,seed,item,score", *rows, ""]))
    document = compare(run, path, "--missing", "drop", "--no-correction")
    kept = [i for i in range(N_ITEMS) if i != 7]
    pair = document["pairs"][0]
    a, b = (draw()[pair[f"model_{x}"]][:, kept] for x in "ab")
    assert pair["pvalue"] == pytest.approx(float(t_test(a, b, axis=(0, 1)).pvalue))
    assert "1 of 12 items, in which 1 score was missing" in document["method"]


def test_one_run_of_a_model_is_an_error(write, run):
    path = _save(write, draw(0, {"a": 1, "b": 3}))
    code, _, err = run("compare", path)
    said = " ".join(err.split())
    assert code == 2
    assert "expected two runs or more of each model" in said
    assert "got one of 'a'" in said
    assert "--unit item" in said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--test", "permutation"), "Expected --test t or --test aso of items in seve"),
        (("--test", "bootstrap"), "Pass --unit item for a verdict on these trained m"),
        (
            ("--test", "aso", "--method", "exact"),
            "Expected --method bootstrap of items",
        ),
        (("--paired",), "without --paired"),
        (("--test", "t", "--test-share", "0.2"), "without --test-share"),
        (("--test", "aso", "--cluster", "other"), "Expected --test t of items in"),
        (
            ("--statistic", "ratio", "--score", "score,other"),
            "expected items in one run of each model for --statistic ratio",
        ),
    ],
)
def test_what_takes_no_runs_and_items_is_an_error(write, run, options, said):
    rows = [f"{x},1" for x in as_rows(draw())]
    path = write("\n".join(["model,seed,item,score,other", *rows, ""]))
    columns = () if "--statistic" in options else ("--score", "score")
    code, _, err = run("compare", path, *columns, *options)
    assert code == 2
    assert said in " ".join(err.split())


def test_models_that_do_not_vary_are_not_told_apart(write, run):
    flat = {name: np.full((3, N_ITEMS), x) for name, x in (("a", 0.5), ("b", 0.75))}
    code, out, err = run("compare", _save(write, flat), "--format", "json")
    assert code == 0
    assert json.loads(out)["pairs"][0]["better"] is None
    assert "do not vary" in err
    # Runs that vary say how much, though items do not.
    flat["a"] = flat["a"] + [[0.0], [0.01], [0.03]]
    code, out, err = run("compare", _save(write, flat), "--format", "json")
    assert "do not vary" not in err
    expected = t_test(flat["a"], flat["b"], axis=(0, 1))
    found = json.loads(out)["pairs"][0]["pvalue"]
    assert found == pytest.approx(float(expected.pvalue))


def test_the_page_says_what_items_alone_would_show(run):
    path = str(ROOT / "docs" / "examples" / "seeds.csv")
    (pair,) = compare(run, path, "--unit", "item", "--test", "t")["pairs"]
    page = (ROOT / "docs" / "seeds_and_items.md").read_text("utf-8")
    assert pair["better"] == "ours"
    assert f"would be better: p is {pair['pvalue']:.0e}." in " ".join(page.split())


def sort_tables(tables):
    """Sort items by their names, and runs by their scores."""
    order = sorted(range(N_ITEMS), key="q{}".format)
    return {
        name: x[np.lexsort(x[:, order].T[::-1])][:, order] for name, x in tables.items()
    }


class TestStochasticOrder:
    @pytest.mark.parametrize("more", [(), ("--baseline", "m1"), ("--no-correction",)])
    def test_the_numbers_are_those_of_arrays(self, path, run, more):
        tables = sort_tables(draw())
        options = ("--test", "aso", "--n-resamples", "99", "--seed", "3")
        document = compare(run, path, *options, *more)
        drawn = {
            "rng": 3,
            "baseline": "m1" if "m1" in more else None,
            "correction": None if "--no-correction" in more else "bonferroni",
        }
        # Bounds below 1/2 have 320 resamples, and twice as many if near the threshold.
        expected, *others = (
            multi_aso(tables, axis=(0, 1), n_resamples=n, **drawn)
            for n in (99, *(320 * 2**k for k in range(7)))
        )
        names = list(tables)
        is_corrected = "--no-correction" not in more
        assert document["correction"] == ("bonferroni" if is_corrected else None)
        assert len(document["pairs"]) == (3 if "m1" in more else 6)
        n_below = 0
        for pair in document["pairs"]:
            i, j = (names.index(pair[f"model_{x}"]) for x in "ab")
            for key, place in (("a_over_b", (i, j)), ("b_over_a", (j, i))):
                bound, first = pair[f"eps_min_{key}"], expected.eps_min[place]
                every = [x.eps_min[place] for x in others] if first < 0.5 else [first]
                n_below += first < 0.5
                assert min(abs(x - bound) for x in every) < 1e-9
            p = float(expected.pvalue[i, j])
            assert pair["equality_pvalue"] == pytest.approx(p, rel=1e-9)
            bounds = pair["eps_min_a_over_b"], pair["eps_min_b_over_a"]
            assert (pair["better"] is not None) == (min(bounds) < 0.2)
            assert (pair["n_a"], pair["n_runs_a"]) == (N_ITEMS, len(tables[names[i]]))
        assert n_below or is_corrected

    def test_each_task_is_at_its_share_of_the_level(self, write, run):
        tasks = {x: draw(k, {"a": 4, "b": 3}) for k, x in enumerate("xy")}
        rows = [row for task, by in tasks.items() for row in as_rows(by, f"{task},")]
        path = write("\n".join(["task,model,seed,item,score", *rows, ""]))
        options = ("--test", "aso", "--n-resamples", "99")
        pairs = compare(run, path, *options)["pairs"]
        for task, tables in tasks.items():
            (pair,) = (x for x in pairs if x["task"] == task)
            found = [pair[f"eps_min_{x}"] for x in ("a_over_b", "b_over_a")]
            expected = multi_aso(
                tables, axis=(0, 1), n_resamples=99, n_comparisons=2, rng=0
            ).eps_min
            assert sorted(found) == pytest.approx(
                sorted([expected[0, 1], expected[1, 0]])
            )

    def test_it_says_how_and_repeats_it(self, path, run, write, tmp_path):
        options = ("--test", "aso", "--n-resamples", "99", "--no-correction")
        page = tmp_path / "page.html"
        code, out, err = run("compare", path, *options, "--report", str(page))
        assert code == 0, err
        said = " ".join(out.split())
        assert "order of the means of runs over items, with eps_min" in said
        assert "Equality of means is tested by t, with the errors of runs" in said
        # m3 has two runs.
        assert "2 seeds of a model are too few" in " ".join(err.split())
        assert "are independent" not in err
        line = compare(run, path, *options)["signature"]
        code, out, _ = run("compare", path, "--verify", line)
        assert (code, "repeats it" in join(out)) == (0, True)
        renamed = _save(write, draw() | {"m0": draw()["m0"][::-1]})
        assert compare(run, renamed, *options)["signature"] == line

    def test_what_does_not_vary_is_not_told_apart(self, write, run):
        flat = {x: np.full((3, N_ITEMS), y) for x, y in (("a", 0.5), ("b", 0.75))}
        path = _save(write, flat)
        code, out, err = run("compare", path, "--test", "aso", "--format", "json")
        assert code == 0
        assert json.loads(out)["pairs"][0]["better"] is None
        assert "do not vary" in err


class TestClusters:
    """Whole clusters of items were drawn, and runs."""

    CLUSTERS = np.array([0, 0, 0, 0, 0, 1, 1, 2, 2, 2, 3, 4])

    @pytest.fixture
    def path(self, write):
        rows = (x.split(",") for x in as_rows(draw()))
        table = [[*x, f"d{self.CLUSTERS[int(x[2][1:])]}"] for x in rows]
        header = "model,seed,item,score,document"
        return write("\n".join([header, *map(",".join, table), ""]))

    @pytest.mark.parametrize("margin", [None, 0.1])
    def test_the_numbers_are_those_of_arrays(self, path, run, margin):
        said = () if margin is None else ("--margin", str(margin))
        document = compare(run, path, "--cluster", "document", "--no-correction", *said)
        scores, by = draw(), {"axis": (0, 1), "clusters": self.CLUSTERS}
        for pair in document["pairs"]:
            a, b = (scores[pair[x]] for x in ("model_a", "model_b"))
            assert pair["pvalue"] == pytest.approx(t_test(a, b, **by).pvalue)
            limits = t_ci(a, b, **by).confidence_interval
            found = [pair[f"difference_{x}"] for x in ("low", "high")]
            assert found == pytest.approx(limits)
            counts = pair["n_clusters"], pair["n_runs_a"], pair["n_runs_b"]
            assert counts == (5, len(a), len(b))
            if margin is not None:
                p = t_test(a, b, alternative="greater", margin=margin, **by).pvalue
                assert pair["margin_pvalue_a"] == pytest.approx(p)
        assert "with the errors of runs and of whole clusters" in document["method"]
        assert "runs x 12 items in 5 clusters: each model" in document["method"]

    def test_means_of_clusters_of_one_item_are_those_of_items(self, path, run):
        found = compare(run, path, "--cluster", "item", "--item", "item")
        expected = compare(run, path, "--ignore", "document")
        for x, y in zip(found["pairs"], expected["pairs"], strict=True):
            assert x["pvalue"] == pytest.approx(y["pvalue"])

    def test_metrics_of_sums_take_one_run(self, path, run, write):
        lines = Path(path).read_text("utf-8").splitlines()
        lines = [f"{x},{'n' if k == 0 else 1}" for k, x in enumerate(lines)]
        options = ("--cluster", "document", "--statistic", "ratio", "--score")
        code, _, err = run("compare", write("\n".join(lines)), *options, "score,n")
        said = "expected items in one run of each model for --statistic ratio"
        assert (code, said in " ".join(err.split())) == (2, True)

    def test_power_of_runs_and_items_takes_none(self, path, run):
        code, _, err = run("power", path, "--cluster", "document")
        assert (code, "got items in clusters. For power of these" in err) == (2, True)


class TestInPython:
    def test_a_frame_is_compared_as_its_file(self, path, run):
        pandas = pytest.importorskip("pandas")
        frame = pandas.read_csv(path)
        result = compare_models(frame)
        document = compare(run, path)
        found = [x["pvalue"] for x in result.to_frame().to_dict("records")]
        assert found == [x["pvalue"] for x in document["pairs"]]
        assert f"runs x {N_ITEMS} items" in result.method
        with pytest.raises(ValueError, match=r"test='t' or test='aso' of items in"):
            compare_models(frame, test="bootstrap")
        labels = pandas.Series(1, index=[*dict.fromkeys(frame["item"])])
        with pytest.raises(ValueError, match="in two clusters or more; got all"):
            compare_models(frame, clusters=labels, unit="run,item")
        with pytest.raises(ValueError, match="Expected unit with labels for clusters"):
            compare_models(frame, clusters=labels)

    def test_a_table_has_both(self, path):
        table = read.scores(path)
        for name, x in draw().items():
            found = table.runs[""][name]
            assert found.runs == tuple(f"s{k}" for k in range(len(x)))
            places = [int(y[1:]) for y in table.ids[""][name]]
            np.testing.assert_array_equal(found.scores, x[:, places])
            np.testing.assert_allclose(table.scores[name], x.mean(axis=0)[places])
        assert compare_models(table).verdicts == compare_models(path).verdicts


@pytest.mark.parametrize(
    ("of_runs", "of_items", "said"),
    [(1.0, 0.1, "runs"), (0.01, 2.0, "items"), (0.2, 0.4, "runs and items")],
)
def test_what_would_decide_more_is_what_errors_are_of(
    write, run, of_runs, of_items, said
):
    rng = np.random.default_rng(0)
    tables = {
        name: rng.normal(0.0, of_runs, (4, 1))
        + rng.normal(0.0, of_items, 30)
        + rng.normal(0.0, 0.01, (4, 30))
        for name in "ab"
    }
    path = write("\n".join(["model,seed,item,score", *as_rows(tables), ""]))
    assert f"\nMore {said} would decide more." in run("compare", path)[1]
