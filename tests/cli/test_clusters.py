"""`sigarray compare` of items in clusters."""

import base64
import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest

from sigarray import (
    bootstrap_ci,
    bootstrap_test,
    permutation_test,
    t_ci,
    t_test,
)

ROOT = Path(__file__).parents[2]
N_CLUSTERS = 30
TESTS = {"t": t_test, "bootstrap": bootstrap_test, "permutation": permutation_test}


def draw(n_clusters=N_CLUSTERS, n_models=3, seed=0):
    """Return the cluster of each item, and scores of models by name."""
    rng = np.random.default_rng(seed)
    cluster = np.repeat(np.arange(n_clusters), rng.integers(2, 12, n_clusters))
    shared = rng.normal(size=n_clusters)[cluster]
    own = rng.normal(0.0, 0.6, (n_models, n_clusters))[:, cluster]
    noise = rng.normal(size=(n_models, len(cluster)))
    lead = 0.3 * np.arange(n_models)[:, None]
    scores = np.round(shared + own + lead + noise, 5)
    return cluster, {f"m{k}": x for k, x in enumerate(scores)}


@pytest.fixture
def items(write):
    """Write items of a number of clusters, with names that sort as they stand."""

    def items(n_clusters=N_CLUSTERS, tasks=("",), **options):
        rows = []
        for k, task in enumerate(tasks):
            cluster, scores = draw(n_clusters, seed=k, **options)
            rows += [
                f"{model},{task},{i},d{cluster[i]},{x[i]}"
                for model, x in scores.items()
                for i in range(len(x))
            ]
        header = "model,task,item,document,score"
        if tasks == ("",):
            rows = [",".join((x[0], *x[2:])) for x in (y.split(",") for y in rows)]
            header = header.replace("task,", "")
        return write("\n".join([header, *rows, ""]))

    return items


@pytest.mark.parametrize("test", TESTS)
def test_the_numbers_are_those_of_arrays(items, run, test):
    cluster, scores = draw()
    options = {} if test == "t" else {"n_resamples": 2999, "rng": 5}
    more = () if test == "t" else ("--n-resamples", "2999", "--seed", "5")
    _, out, _ = run(
        *("compare", items(), "--cluster", "document", "--test", test),
        *("--no-correction", "--format", "json", *more),
    )
    document = json.loads(out)
    assert document["n_clusters"] == N_CLUSTERS
    for pair in document["pairs"]:
        a, b = (scores[pair[f"model_{x}"]] for x in "ab")
        design = {"paired": True, "clusters": cluster}
        expected = TESTS[test](a, b, **design, **options)
        assert pair["pvalue"] == pytest.approx(float(expected.pvalue), rel=1e-9)
        assert pair["statistic"] == pytest.approx(float(expected.statistic), rel=1e-9)
        assert pair["mean_difference"] == pytest.approx(a.mean() - b.mean())
        limits = t_ci(a, b, **design).confidence_interval
        found = [pair["difference_low"], pair["difference_high"]]
        assert found == pytest.approx([float(x) for x in limits], rel=1e-9)
        assert (pair["n_a"], pair["n_clusters"]) == (len(a), N_CLUSTERS)
    for name, x in scores.items():
        assert document["models"][name]["mean"] == pytest.approx(x.mean())


@pytest.mark.parametrize("statistic", ["iqm", "median"])
def test_a_statistic_of_items_is_of_draws_of_whole_clusters(items, run, statistic):
    cluster, scores = draw(n_models=2)
    options = ("--cluster", "document", "--n-resamples", "199", "--seed", "5")
    options = (*options, "--statistic", statistic)
    path = items(n_models=2)
    code, out, err = run("compare", path, *options, "--format", "json")
    assert code == 0, err
    assert f"--statistic {statistic} of {N_CLUSTERS} clusters" in " ".join(err.split())
    (pair,) = json.loads(out)["over_these_tasks"]["pairs"]
    drawn = {"statistic": statistic, "n_resamples": 199, "rng": 5, "clusters": cluster}
    a, b = (scores[pair[f"model_{x}"]] for x in "ab")
    found = bootstrap_ci(a, b, paired=True, method="percentile", **drawn)
    assert pair["difference"] == pytest.approx(float(found.statistic), rel=1e-9)
    limits = [pair["difference_low"], pair["difference_high"]]
    assert limits == pytest.approx([*map(float, found.confidence_interval)], rel=1e-9)
    p = bootstrap_test(a, b, paired=True, **drawn).pvalue
    assert pair["pvalue"] == pytest.approx(float(p), rel=1e-9)
    _, out, _ = run("compare", path, *options)
    assert "p <= 0.05 by a bootstrap with draws of whole clusters" in " ".join(
        out.split()
    )
    code, _, err = run("power", path, *options)
    assert code == 2
    assert "Expected runs, or items without clusters, with --statistic" in err


def test_exchanges_are_exact_where_sums_have_a_unit(write, run):
    """Zeros and ones: p is over all 2^30 exchanges, near that of many random ones."""
    cluster, scores = draw()
    right = {name: (x > 0.5).astype(int) for name, x in scores.items() if name != "m2"}
    rows = [
        f"{m},d{c},{x}"
        for m, y in right.items()
        for c, x in zip(cluster, y, strict=True)
    ]
    path = write("\n".join(["model,cluster,score", *rows, ""]))  # without names
    _, out, _ = run("compare", path, "--format", "json")
    document = json.loads(out)
    assert "P-values are exact over all exchanges" in document["method"]
    expected = permutation_test(
        *right.values(), paired=True, clusters=cluster, n_resamples=99_999, rng=0
    )
    error = 4 * np.sqrt(float(expected.pvalue) / 99_999 * 2)
    found = document["pairs"][0]["pvalue"]
    assert found == pytest.approx(float(expected.pvalue), abs=error)


def test_intervals_of_all_pairs_hold_together(items, run):
    cluster, scores = draw()
    _, out, _ = run("compare", items(), "--cluster", "document", "--format", "json")
    for pair in json.loads(out)["pairs"]:
        a, b = (scores[pair[f"model_{x}"]] for x in "ab")
        level = 1 - 0.05 / 3
        expected = t_ci(a, b, paired=True, clusters=cluster, confidence_level=level)
        found = [pair["difference_low"], pair["difference_high"]]
        assert found == pytest.approx([float(x) for x in expected.confidence_interval])


@pytest.mark.parametrize(("n_clusters", "test"), [(19, "t"), (20, "permutation")])
def test_few_clusters_are_compared_by_t(items, run, n_clusters, test):
    path = items(n_clusters)
    _, out, err = run("compare", path, "--cluster", "document", "--format", "json")
    assert json.loads(out)["test"] == test
    assert ("19 clusters are few" in err) == (test == "t")


@pytest.mark.long
def test_the_design_is_named_everywhere(items, run, tmp_path):
    path = items()
    n = len(draw()[0])
    design = f"{n} items in {N_CLUSTERS} clusters"
    page = tmp_path / "page.html"
    for style in ("text", "markdown", "latex"):
        code, out, err = run(
            *("compare", path, "--cluster", "document", "--format", style),
            *("--report", str(page)),
        )
        assert code == 0, err
        assert design in out
        assert f"The design is 3 models, {design}, paired" in out
    assert "errors of clusters" in out
    assert page.read_text("utf-8").count(design) > 1
    (data,) = re.findall(r"base64,([\w+/=]+)", page.read_text("utf-8"))
    saved = base64.b64decode(data).decode().splitlines()
    assert saved[0] == "model,cluster,item,score"
    assert saved[1].startswith("m0,d0,0,")
    assert len(saved) == 1 + 3 * n
    _, out, _ = run("compare", path, "--cluster", "document", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert {x["n_clusters"] for x in rows} == {str(N_CLUSTERS)}
    _, out, _ = run("compare", path, "--ignore", "document", "--format", "csv")
    assert "n_clusters" not in out


def test_a_note_counts_the_clusters_of_each_model_once(items, run):
    chosen = ("--cluster", "document", "--unit", "cluster")
    _, _, err = run("compare", items(), *chosen)
    n = 3 * len(draw()[0])
    said = f"{n} scores were averaged within clusters: each model has {N_CLUSTERS} "
    assert said in " ".join(err.split())


def test_a_signature_names_the_clusters(items, run):
    path = items()
    chosen = ("--cluster", "document")
    _, out, _ = run("compare", path, *chosen, "--format", "json")
    signature = json.loads(out)["signature"]
    assert f"|clusters:{N_CLUSTERS}|" in signature
    assert run("compare", path, *chosen, "--verify", signature)[0] == 0
    code, out, _ = run("compare", path, "--ignore", "document", "--verify", signature)
    assert code == 1
    assert f"clusters was {N_CLUSTERS}, is -" in " ".join(out.split())


def test_tasks_have_clusters_of_their_own(items, run):
    path = items(tasks=("x", "y", "z"))
    chosen = ("--cluster", "document", "--task", "task", "--baseline", "m0")
    code, out, err = run("compare", path, *chosen, "--format", "json", "--test", "t")
    assert code == 0, err
    document = json.loads(out)
    assert len(document["pairs"]) == 6
    for k, task in enumerate("xyz"):
        cluster, scores = draw(seed=k)
        for pair in (x for x in document["pairs"] if x["task"] == task):
            a, b = (scores[pair[f"model_{x}"]] for x in "ab")
            expected = t_test(a, b, paired=True, clusters=cluster).pvalue
            assert pair["pvalue"] == pytest.approx(float(expected), rel=1e-9)
    _, out, _ = run("compare", path, *chosen)
    assert f"in {N_CLUSTERS} clusters" in out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ("--test", "aso"),
            "In a table with a row for each score, or with labels in Python, --unit",
        ),
        (("--test", "mann-whitney"), "takes scores as independent"),
        (
            ("--test", "aso"),
            "Expected --test bootstrap, --test permutation or --test t of items in",
        ),
        (("--test", "t", "--test-share", "0.1"), "Expected --test-share of splits"),
        (
            ("--test", "bootstrap", "--method", "saddlepoint"),
            "Expected --method resampling with --test bootstrap of items in clusters",
        ),
        (("--where", "document=d0"), "two clusters or more; got all"),
    ],
)
def test_what_takes_items_for_independent_is_refused(items, run, options, said):
    code, _, err = run("compare", items(), "--cluster", "document", *options)
    assert code == 2
    assert said in " ".join(err.split())


@pytest.fixture
def anew(write):
    """Write questions that are numbered anew in each document, of a few sizes."""

    def anew(column="document", is_wide=False):
        cluster, scores = draw(n_models=2)
        number = np.arange(len(cluster)) - np.searchsorted(cluster, cluster)
        names = [f"d{c},q{k}" for c, k in zip(cluster, number, strict=True)]
        if is_wide:
            header = f"{column},question,m0,m1"
            pairs = zip(*scores.values(), strict=True)
            rows = [f"{x},{a},{b}" for x, (a, b) in zip(names, pairs, strict=True)]
        else:
            header = f"{column},question,model,score"
            rows = [
                f"{x},{model},{y}"
                for model, by in scores.items()
                for x, y in zip(names, by, strict=True)
            ]
        return write("\n".join([header, *rows, ""]))

    return anew


@pytest.mark.parametrize("is_wide", [False, True])
def test_questions_that_are_numbered_anew_in_each_document(anew, run, is_wide):
    path = anew(is_wide=is_wide)
    item = ("--item", "question") if is_wide else ()
    chosen = ("--cluster", "document", "--test", "t", "--format", "json")
    code, out, err = run("compare", path, *item, *chosen)
    assert code == 0, err
    said = "each is taken for an item of its own in each, as --item document,question"
    assert said in " ".join(err.split())
    cluster, scores = draw(n_models=2)
    (pair,) = json.loads(out)["pairs"]
    a, b = (scores[pair[f"model_{x}"]] for x in "ab")
    expected = t_test(a, b, paired=True, clusters=cluster).pvalue
    assert pair["pvalue"] == pytest.approx(float(expected), rel=1e-9)
    both = run("compare", path, "--item", "document,question", *chosen)
    assert json.loads(both[1])["signature"] == json.loads(out)["signature"]
    assert "item of its own" not in both[2]


@pytest.mark.parametrize("is_wide", [False, True])
def test_a_long_document_beside_short_ones(write, run, is_wide):
    """Most of its questions have numbers that no other document has."""
    sizes = (29, 3, 2, 1)
    names = [f"d{d},{k}" for d, n in enumerate(sizes) for k in range(1, n + 1)]
    rng = np.random.default_rng(0)
    scores = {model: rng.integers(0, 2, len(names)) for model in "ab"}
    rows = [f"{x},{m},{y}" for m in "ab" for x, y in zip(names, scores[m], strict=True)]
    header = "document,question,model,score"
    if is_wide:
        header = "document,question,a,b"
        pairs = zip(*scores.values(), strict=True)
        rows = [f"{x},{a},{b}" for x, (a, b) in zip(names, pairs, strict=True)]
    path = write("\n".join([header, *rows, ""]))
    item = ("--item", "question") if is_wide else ()
    chosen = ("--cluster", "document", "--format", "json")
    code, out, err = run("compare", path, *item, *chosen)
    assert code == 0, err
    assert "item of its own in each, as --item document,question" in err
    both = run("compare", path, "--item", "document,question", *chosen)
    assert json.loads(both[1])["signature"] == json.loads(out)["signature"]
    if is_wide:
        return
    for faulty, said in (
        (rows[:-1], "to have one cluster"),
        ([*rows[:-1], "d9,1,b,1"], "to have one cluster"),
        ([*rows, rows[0]], "Remove one"),
    ):
        code, _, err = run("compare", write("\n".join([header, *faulty, ""])), *chosen)
        assert code == 2
        assert said in err


def test_the_error_of_such_questions_offers_clusters_first(anew, run):
    code, _, err = run("compare", anew())
    assert code == 2
    said = " ".join(err.split())
    assert "pass --cluster document, where each" in said
    assert "--ignore" not in said.split("--cluster document")[0]


def test_clusters_by_their_usual_name_are_named_in_the_error(anew, run):
    code, _, err = run("compare", anew("document_id"))
    assert code == 2
    assert "pass --item document_id,question." in " ".join(err.split())


def test_an_item_in_two_clusters_is_a_fault_if_others_are_not(items, run):
    path = Path(items())
    path.write_text(path.read_text("utf-8").replace("m0,3,d0,", "m0,3,d1,"), "utf-8")
    code, _, err = run("compare", str(path), "--cluster", "document")
    assert code == 2
    assert "expected item '3' to have one cluster" in err


@pytest.mark.parametrize("is_wide", [False, True])
@pytest.mark.parametrize(
    ("options", "name", "meant"),
    [
        (("--cluster", "documnt", "--item", "document,question"), "documnt", "docume"),
        (("--cluster", "document", "--item", "document,qestion"), "qestion", "questi"),
        (("--cluster", "document", "--item", "documnt,question"), "documnt", "docume"),
    ],
)
def test_a_wrong_column_beside_two_that_are_one(
    anew, run, is_wide, options, name, meant
):
    code, _, err = run("compare", anew(is_wide=is_wide), *options)
    assert code == 2
    said = " ".join(err.split())
    assert f"has no column {name!r} (--" in said
    assert f"Did you mean '{meant}" in said
    assert "columns are 'document', 'question', " in said


def test_power_counts_clusters(items, run):
    path = items()
    code, out, err = run(
        *("power", path, "--cluster", "document", "--n-samples", "20"),
        *("--test", "t", "--columns", "m0,m2"),
    )
    assert code == 0, err
    assert "drawn from these clusters of all models" in " ".join(out.split())


def test_the_page_says_what_items_alone_would_show(run):
    path = str(ROOT / "docs" / "examples" / "documents.csv")
    _, out, _ = run("compare", path, "--ignore", "document", "--format", "json")
    (pair,) = json.loads(out)["pairs"]
    page = (ROOT / "docs" / "clusters.md").read_text("utf-8")
    assert pair["better"] == "ours"
    assert f"would be better: the p-value is {pair['pvalue']:.4f}." in page


def test_clusters_that_do_not_vary_are_said(write, run):
    """Every cluster has the same mean difference, so that its error is 0."""
    rows = [f"a,{k},c{k // 2},{k % 2 + 1}" for k in range(60)]
    rows += [f"b,{k},c{k // 2},{(k + 1) % 2}" for k in range(60)]
    path = write("\n".join(["model,item,cluster,score", *rows, ""]))
    _, out, err = run("compare", path, "--test", "t", "--format", "json")
    assert json.loads(out)["pairs"][0]["pvalue"] == 1.0
    assert "do not vary" in err
