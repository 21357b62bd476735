"""Clusters of items within fixed tasks: `--task`, `--cluster` and `--statistic mean`.

The mean of means of tasks, its error and its degrees of freedom are computed from the
formulas, in exact fractions.
"""

import csv
import io
import json
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
import scipy.stats

from sigarray import compare_models, holm, t_ci, t_test
from sigarray._verdicts.aggregates import compare_aggregates

SIZES = {
    "law": (3, 5, 2, 4),
    "art": (4, 4, 6),
    "sea": (2, 7, 3, 3, 5),
    "sky": (6, 2),
}
MODELS = ("ours", "theirs", "base")
N_ITEMS, N_CLUSTERS = sum(map(sum, SIZES.values())), sum(map(len, SIZES.values()))


def draw(sizes=SIZES, models=MODELS, seed=0, lead=0.25):
    """Return the passage of each item, and ratings by models, by task."""
    rng = np.random.default_rng(seed)
    passages, scores = {}, {}
    for k, (task, by) in enumerate(sizes.items()):
        passage = np.repeat(np.arange(len(by)), by)
        passages[task] = passage
        scores[task] = {
            name: np.floor(
                5.0 * (rng.random(len(by))[passage] + rng.random(len(passage)))
                + k
                + 5.0 * lead * (name == "ours")
            ).astype(int)
            for name in models
        }
    return passages, scores


def list_rows(passages, scores, name="{task}-{passage}"):
    """Return rows of a file, in which the items of all tasks are numbered."""
    return [
        f"{model},{task},{name.format(task=task, passage=passages[task][i])},q{i},{x}"
        for task, by in scores.items()
        for model, every in by.items()
        for i, x in enumerate(every)
    ]


HEADER = "model,subject,passage,question,score"
OPTIONS = ("--task", "subject", "--cluster", "passage")


@pytest.fixture
def subjects(write):
    """Write a file of the items of all models."""

    def subjects(name="{task}-{passage}", header=HEADER, **options):
        return write("\n".join([header, *list_rows(*draw(**options), name), ""]))

    return subjects


def compare(run, *arguments):
    code, out, err = run("compare", *arguments, "--format", "json")
    assert code == 0, err
    return json.loads(out)


def find_exactly(passages, differences):
    """Return the mean of means of tasks, its squared error and the df."""
    share = Fraction(1, len(differences))
    mean, square, rest = Fraction(0), Fraction(0), Fraction(0)
    for task, x in differences.items():
        by = [[int(y) for y in x[passages[task] == c]] for c in set(passages[task])]
        n = sum(map(len, by))
        of_task = Fraction(sum(map(sum, by)), n)
        p = [Fraction(len(y), n) for y in by]
        total = sum(q * q for q in p)
        factors = [1 / (1 - 2 * q + total) for q in p]
        sums = [(sum(y) - of_task * len(y)) / n for y in by]
        own = sum(a * s * s for a, s in zip(factors, sums, strict=True)) * share**2
        # Satterthwaite's df of a stratum, if means of clusters have one variance.
        form = [
            [
                sum(
                    factors[k] * p[k] ** 2 * ((k == i) - p[i]) * ((k == j) - p[j])
                    for k in range(len(p))
                )
                for j in range(len(p))
            ]
            for i in range(len(p))
        ]
        trace = sum(form[i][i] for i in range(len(p)))
        assert trace == total
        df = trace**2 / sum(x * x for row in form for x in row)
        mean, square = mean + share * of_task, square + own
        rest += own**2 / df
    return float(mean), float(square), float(square**2 / rest)


def test_numbers_are_those_of_exact_fractions(subjects, run):
    passages, scores = draw()
    document = compare(run, subjects(), *OPTIONS, "--statistic", "mean")
    over = document["over_these_tasks"]
    assert over["n_clusters"] == N_CLUSTERS
    assert len(over["pairs"]) == 3
    p_values = []
    for pair in over["pairs"]:
        a, b = (pair[f"model_{x}"] for x in "ab")
        mean, square, df = find_exactly(
            passages, {task: by[a] - by[b] for task, by in scores.items()}
        )
        assert pair["difference"] == pytest.approx(mean, rel=1e-9)
        p = 2.0 * scipy.stats.t.sf(abs(mean) / square**0.5, df)
        assert pair["pvalue"] == pytest.approx(p, rel=1e-9)
        half = scipy.stats.t.isf(0.025 / 3, df) * square**0.5
        limits = [pair[f"difference_{x}"] for x in ("low", "high")]
        assert limits == pytest.approx([mean - half, mean + half], rel=1e-9)
        p_values.append(p)
    adjusted = [x["adjusted_pvalue"] for x in over["pairs"]]
    assert adjusted == pytest.approx(holm(p_values), rel=1e-9)
    for name, own in over["models"].items():
        mean, square, df = find_exactly(
            passages, {task: by[name] for task, by in scores.items()}
        )
        half = scipy.stats.t.isf(0.025, df) * square**0.5
        found = [own[x] for x in ("value", "low", "high")]
        assert found == pytest.approx([mean, mean - half, mean + half], rel=1e-9)


@pytest.mark.parametrize("margin", [None, 0.3])
def test_the_call_on_arrays_weighs_items_of_tasks(subjects, run, margin):
    passages, scores = draw()
    more = () if margin is None else ("--margin", f"{margin}")
    document = compare(run, subjects(), *OPTIONS, "--statistic", "mean", *more)
    subject = np.repeat([*SIZES], [sum(x) for x in SIZES.values()])
    size = np.repeat(*[[sum(x) for x in SIZES.values()]] * 2)
    w = N_ITEMS / (len(SIZES) * size)
    passage = [f"{t}-{x}" for t, by in passages.items() for x in by]
    by = {"paired": True, "clusters": passage, "strata": subject}
    for pair in document["over_these_tasks"]["pairs"]:
        a, b = (
            w * np.concatenate([x[pair[f"model_{y}"]] for x in scores.values()])
            for y in "ab"
        )
        limits = t_ci(a, b, confidence_level=1.0 - 0.05 / 3, **by).confidence_interval
        found = [pair[f"difference_{x}"] for x in ("low", "high")]
        assert found == pytest.approx([float(x) for x in limits], rel=1e-9)
        for which, x, y in (("a", a, b), ("b", b, a)) if margin else ():
            side = {"alternative": "greater", "margin": margin}
            p = float(t_test(x, y, **by, **side).pvalue)
            assert pair[f"margin_pvalue_{which}"] == pytest.approx(p, rel=1e-9)


def test_python_says_the_same_of_labels_and_of_a_column(subjects, run):
    pd = pytest.importorskip("pandas")
    passages, scores = draw()
    path = subjects()
    expected = compare(run, path, *OPTIONS, "--statistic", "mean")["over_these_tasks"]
    frame = pd.read_csv(path).rename(columns={"subject": "task"})
    for result in (
        compare_models(scores, clusters=passages, statistic="mean"),
        compare_models(frame, clusters="passage", statistic="mean"),
    ):
        found = json.loads(result.to_json())["over_these_tasks"]
        assert found["models"].keys() == expected["models"].keys()
        for x, y in zip(found["pairs"], expected["pairs"], strict=True):
            assert x == {key: pytest.approx(value) for key, value in y.items()}
    assert result.better("ours", "base") is (
        {x.better for x in result.over_these_tasks.pairs if x.b == "base"} == {"ours"}
    )


def test_other_verdicts_stay_as_they_are(subjects, run):
    path = subjects()
    plain = compare(run, path, *OPTIONS)
    document = compare(run, path, *OPTIONS, "--statistic", "mean")
    n = len(plain["pairs"])
    for x, y in zip(document["pairs"][:n], plain["pairs"], strict=True):
        assert {key: x[key] for key in y} == y
    assert document["over_tasks"] == plain["over_tasks"]


def test_items_without_clusters_are_by_themselves(subjects, run):
    _, scores = draw()
    options = ("--ignore", "passage", "--task", "subject", "--item", "question")
    document = compare(run, subjects(), *options, "--statistic", "mean")
    over = document["over_these_tasks"]
    assert "n_clusters" not in over
    for pair in over["pairs"]:
        x, y = (pair[f"model_{z}"] for z in "ab")
        differences = {task: by[x] - by[y] for task, by in scores.items()}
        mean = np.mean([np.mean(z) for z in differences.values()])
        square = sum(np.var(z, ddof=1) / len(z) for z in differences.values())
        square /= len(SIZES) ** 2
        assert pair["difference"] == pytest.approx(mean)
        parts = [
            (np.var(z, ddof=1) / len(z) / len(SIZES) ** 2, len(z) - 1)
            for z in differences.values()
        ]
        df = square**2 / sum(v * v / k for v, k in parts)
        p = 2.0 * scipy.stats.t.sf(abs(mean) / square**0.5, df)
        assert pair["pvalue"] == pytest.approx(p, rel=1e-9)


def test_a_task_without_clusters_has_items_by_themselves():
    passages, scores = draw(models=("ours", "theirs"))
    table = compare_models(scores, clusters=passages).table
    clusters = {task: x for task, x in table.clusters.items() if task != "law"}
    found = compare_aggregates(
        table._replace(clusters=clusters),
        *("mean",),
        level=0.05,
        is_corrected=True,
        higher_is_better=True,
        baseline=None,
        n_resamples=9,
        seed=0,
    )
    assert found.n_clusters == N_CLUSTERS - len(SIZES["law"]) + sum(SIZES["law"])
    passages["law"] = np.arange(sum(SIZES["law"]))
    mean, square, df = find_exactly(
        passages, {task: by["ours"] - by["theirs"] for task, by in scores.items()}
    )
    p = 2.0 * scipy.stats.t.sf(abs(mean) / square**0.5, df)
    assert found.pairs[0].pvalue == pytest.approx(p, rel=1e-9)


class TestWords:
    def test_the_design_is_named_everywhere(self, subjects, run):
        path = subjects(models=("ours", "theirs"))
        design = f"{N_ITEMS} items in {N_CLUSTERS} clusters"
        options = (*OPTIONS, "--statistic", "mean")
        for style in ("text", "markdown", "latex"):
            code, out, err = run("compare", path, *options, "--format", style)
            assert code == 0, err
            text = " ".join(out.split())
            assert f"The design is 2 models, {design} of 4 tasks, paired." in text
            assert text.count("The design is") == 1
            assert "by the mean of its means on tasks, each of which counts" in text
            assert "by a t-test with the errors of whole clusters" in text
            assert "This is about other clusters of items on the same tasks" in text
            said = "with tasks as strata and the errors of whole clusters, two-sided"
            assert f"{said}, each task counting the same" in text

    def test_the_first_line_counts_all_items(self, subjects, run):
        path = subjects(models=("ours", "theirs"), lead=0.6)
        _, out, _ = run("compare", path, *OPTIONS, "--statistic", "mean")
        design = f"4 tasks; {N_ITEMS} items in {N_CLUSTERS} clusters"
        answer = "ours is better than theirs by means over these 4 tasks."
        assert f", {design} {answer}" in " ".join(out.split())

    def test_rows_of_csv_count_clusters(self, subjects, run):
        options = (*OPTIONS, "--statistic", "mean", "--format", "csv")
        _, out, _ = run("compare", subjects(), *options)
        rows = list(csv.DictReader(io.StringIO(out)))
        counts = {x["task"]: x["n_clusters"] for x in rows}
        assert counts["these tasks"] == str(N_CLUSTERS)
        assert counts["sky"] == "2"

    def test_names_that_are_on_several_tasks_are_noted(self, subjects, run):
        options = (*OPTIONS, "--statistic", "mean", "--columns", "ours,base")
        alone = run("compare", subjects(), *options)
        again = run("compare", subjects("p{passage}"), *options)
        said = "5 names of clusters, such as 'p0', are on several tasks"
        # The fifth is on one task alone.
        assert said.replace("5", "4") in " ".join(again[2].split())
        assert "on several tasks" not in alone[2]
        names = [x.splitlines()[1:12] for _, x, _ in (alone, again)]
        assert names[0] == names[1]

    def test_undecided_tasks_lead_to_the_mean_alone(self, subjects, run):
        path = subjects(sizes={f"t{k}": (3, 3, 3) for k in range(6)}, lead=0.0)
        _, out, _ = run("compare", path, *OPTIONS)
        said = "on these 6 tasks alone, with other clusters of items, pass "
        assert f"{said}--statistic mean." in " ".join(out.split())


def test_a_signature_repeats_it(subjects, run):
    path = subjects()
    signature = compare(run, path, *OPTIONS, "--statistic", "mean")["signature"]
    design = f"paired:yes|clusters:{N_CLUSTERS}|models:3|tasks:4|"
    assert design in signature
    code, out, err = run("compare", path, *OPTIONS, "--verify", signature)
    assert code == 0, out + err
    options = ("--ignore", "passage", "--task", "subject", "--item", "question")
    assert run("compare", path, *options, "--verify", signature)[0] == 1


def test_a_gate_asks_for_the_verdict_over_these_tasks(subjects, run):
    gate = (subjects(models=("ours", "theirs"), lead=0.6), *OPTIONS, "--test", "t")
    gate = (*gate, "--fail-unless-better")
    assert run("compare", *gate, "ours")[0] == 1
    assert run("compare", *gate, "ours", "--statistic", "mean")[0] == 0
    assert run("compare", *gate, "theirs", "--statistic", "mean")[0] == 1


class TestRefused:
    @pytest.mark.parametrize("statistic", ["iqm", "median"])
    def test_other_statistics(self, subjects, run, statistic):
        code, _, err = run("compare", subjects(), *OPTIONS, "--statistic", statistic)
        assert code == 2
        said = f"with --statistic {statistic}; got items in clusters. --statistic mean "
        assert f"{said}takes them: its t-test" in " ".join(err.split())

    @pytest.mark.parametrize("test", ["aso", "mann-whitney", "brunner-munzel"])
    def test_tests_that_take_scores_as_independent(self, subjects, run, test):
        options = (*OPTIONS, "--statistic", "mean", "--test", test)
        code, _, err = run("compare", subjects(), *options)
        assert code == 2
        assert "Expected --test bootstrap, --test permutation or --test t" in err

    def test_a_task_of_one_cluster(self, subjects, run):
        path = subjects(sizes={**SIZES, "one": (9,)})
        code, _, err = run("compare", path, *OPTIONS, "--statistic", "mean")
        assert code == 2
        said = "two clusters or more on one; got all 9 in 'one-0'. Leave out such tasks"
        assert f"{said} with --tasks, or clusters" in " ".join(err.split())
        chosen = (*OPTIONS, "--tasks", ",".join(SIZES), "--statistic", "mean")
        assert run("compare", path, *chosen)[0] == 0

    def test_one_task(self, subjects, run):
        path = subjects(sizes={"law": (3, 4, 5)})
        code, _, err = run("compare", path, *OPTIONS, "--statistic", "mean")
        assert code == 2
        assert "Expected several tasks with --statistic mean; got one" in err


@pytest.mark.parametrize("test", ["t", "permutation", "bootstrap"])
@pytest.mark.filterwarnings("ignore:.*(permutation test of|too small|adjusted p)")
def test_single_tasks_may_take_other_tests(test):
    """Over these tasks, t decides beside each of them."""
    passages, scores = draw(models=("ours", "theirs"))
    results = [
        compare_models(scores, clusters=passages, statistic="mean", test=x, **options)
        for x, options in (
            ("t", {}),
            (test, {} if test == "t" else {"n_resamples": 99}),
        )
    ]
    expected, found = ([x.pvalue for x in y.over_these_tasks.pairs] for y in results)
    assert found == expected


def test_the_order_of_models_and_tasks_changes_no_number():
    passages, scores = draw()
    turned = {t: dict(reversed(by.items())) for t, by in reversed(scores.items())}
    one, other = (
        compare_models(x, clusters=passages, statistic="mean").over_these_tasks
        for x in (scores, turned)
    )
    for pair in combinations(sorted(MODELS), 2):
        a, b = (
            next(z for y in x.pairs for z in (y, y.turn()) if (z.a, z.b) == pair)
            for x in (one, other)
        )
        assert a.pvalue == pytest.approx(b.pvalue, rel=1e-12)
        assert a.better == b.better
