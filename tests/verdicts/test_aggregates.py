"""Verdicts over these tasks: the calls on arrays, with tasks as strata, are the oracle.

Tables of runs and tasks are built beside each other, and in long form with labels.
"""

import itertools
import json
import re

import numpy as np
import pytest
import scipy.stats

from sigarray import bootstrap_ci, bootstrap_test, compare_models, holm, t_ci, t_test
from tests.pairs import in_order

# Few resamples are enough here.
pytestmark = pytest.mark.filterwarnings("ignore:.*another seed may decide otherwise")

N_RUNS, N_TASKS = 5, 6
NAMES = ("ours", "dqn", "rainbow")


def draw(sizes=(N_RUNS,) * N_TASKS, seed=0, leads=(0.15, 0.0, -0.05)):
    """Return scores by task and model, whose levels are in one scale."""
    rng = np.random.default_rng(seed)
    return {
        f"t{k}": {
            name: np.round(0.5 + 0.1 * k + lead + 0.1 * rng.normal(size=n), 4)
            for name, lead in zip(NAMES, leads, strict=True)
        }
        for k, n in enumerate(sizes)
    }


@pytest.mark.parametrize("statistic", ["iqm", "mean"])
def test_the_method_says_how_many_runs_a_resample_has(statistic):
    more = {"n_resamples": 99} if statistic == "iqm" else {}
    result = compare(draw([5] * N_TASKS), statistic, **more)
    said = "A resample has one run fewer than there are on each task (Rao and Wu, 1988)"
    assert (said in result.method) == (statistic == "iqm")


def compare(scores, statistic, **options):
    return compare_models(scores, test="t", unit="run", statistic=statistic, **options)


def as_tables(scores):
    """Return the scores (runs, tasks) of each model."""
    return {name: np.stack([by[name] for by in scores.values()], 1) for name in NAMES}


def numbers_of(result):
    """Return difference, interval and p-value by pair, in the order of the names."""
    found = {}
    for x in result.over_these_tasks.pairs:
        y = x if x.a < x.b else x.turn()
        found[y.a, y.b] = y.difference, *y.interval, y.pvalue
    return found


@pytest.mark.parametrize("paired", [False, True])
def test_the_mean_is_tested_by_t_with_tasks_as_strata(paired):
    scores = draw()
    result = compare(scores, "mean", paired=paired)
    tables, found = as_tables(scores), numbers_of(result)
    for pair in itertools.combinations(sorted(NAMES), 2):
        a, b = (tables[name] for name in pair)
        by = {"axis": 0, "strata": 1, "paired": paired}
        interval = t_ci(a, b, confidence_level=1.0 - 0.05 / 3, **by)
        expected = (
            interval.statistic,
            *interval.confidence_interval,
            t_test(a, b, **by).pvalue,
        )
        assert found[pair] == pytest.approx([float(x) for x in expected], rel=1e-9)
    values = result.over_these_tasks.values
    assert values == pytest.approx({name: x.mean() for name, x in tables.items()})


@pytest.mark.parametrize("statistic", ["iqm", "median"])
@pytest.mark.parametrize("paired", [False, True])
def test_other_statistics_are_tested_by_the_bootstrap(statistic, paired):
    scores = draw()
    result = compare(scores, statistic, paired=paired, n_resamples=299, rng=3)
    found = numbers_of(result)
    labels = np.repeat(np.arange(N_TASKS), N_RUNS)
    for pair in itertools.combinations(sorted(NAMES), 2):
        a, b = (
            np.concatenate([y if paired else np.sort(y) for y in ys])
            for name in pair
            for ys in [[by[name] for by in scores.values()]]
        )
        strata = labels if paired else (labels, labels)
        by = {"statistic": statistic, "n_resamples": 299, "rng": 3, "paired": paired}
        by["strata"] = strata
        interval = bootstrap_ci(
            a, b, method="percentile", confidence_level=1.0 - 0.05 / 3, **by
        )
        expected = (
            interval.statistic,
            *interval.confidence_interval,
            bootstrap_test(a, b, **by).pvalue,
        )
        assert found[pair] == pytest.approx([float(x) for x in expected], rel=1e-12)
    values = result.over_these_tasks.values
    for name in NAMES:
        x = np.concatenate([by[name] for by in scores.values()])
        # A quarter of 30 is 7 and a half.
        middle = (
            np.median(x) if statistic == "median" else scipy.stats.trim_mean(x, 7 / 30)
        )
        assert values[name] == pytest.approx(middle)


def test_each_task_counts_the_same_for_the_mean():
    """With unlike numbers of runs: the mean of means, and the error of that."""
    scores = draw(sizes=(2, 4, 9, 3))
    found = numbers_of(compare(scores, "mean", corrected=False))
    for a, b in itertools.combinations(sorted(NAMES), 2):
        means = [by[a].mean() - by[b].mean() for by in scores.values()]
        parts = [
            (np.var(by[x], ddof=1) / len(by[x]) / len(scores) ** 2, len(by[x]) - 1)
            for by in scores.values()
            for x in (a, b)
        ]
        variance = sum(v for v, _ in parts)
        df = variance**2 / sum(v * v / n for v, n in parts)
        p = 2 * scipy.stats.t.sf(abs(np.mean(means)) / variance**0.5, df)
        difference, low, _, found_p = found[a, b]
        assert difference == pytest.approx(np.mean(means))
        assert found_p == pytest.approx(p, rel=1e-9)
        half = scipy.stats.t.isf(0.025, df) * variance**0.5
        assert low == pytest.approx(difference - half, rel=1e-9)


def test_pairs_are_corrected_by_holm_and_decided():
    result = compare(draw(), "mean")
    over = result.over_these_tasks
    assert [x.adjusted_pvalue for x in over.pairs] == pytest.approx(
        holm([x.pvalue for x in over.pairs])
    )
    for x in over.pairs:
        ahead = x.a if x.difference > 0 else x.b
        assert x.better == (ahead if x.adjusted_pvalue <= 0.05 else None)
    assert {x.better for x in over.pairs} >= {"ours"}
    alone = compare(draw(), "mean", baseline="dqn").over_these_tasks
    assert all("dqn" in (x.a, x.b) for x in alone.pairs)
    assert alone.order.names[-1] == "dqn"


def test_better_asks_for_the_verdict_by_the_statistic():
    """Four tasks are too few for a verdict over tasks like these."""
    scores = draw((N_RUNS,) * 4, leads=(0.2, 0.0, -0.05))
    result, plain = compare(scores, "mean"), compare(scores, None)
    assert result.better("ours", "rainbow")
    assert not result.better("rainbow", "ours")
    assert plain.better("ours", "rainbow")
    assert plain.signature == result.signature
    by_task = {x.task: x.better for x in result.verdicts if x[1:3] == ("ours", "dqn")}
    for task, better in by_task.items():
        assert result.better("ours", "dqn", task=task) is (better == "ours")
    assert set(by_task.values()) == {"ours", None}
    with pytest.raises(KeyError, match="Those compared: "):
        result.better("ours", "nobody")


def test_better_of_one_task_asks_for_its_median():
    """A few low scores, which do not move it, hide the difference of means."""
    x = np.random.default_rng(0).normal(size=30)
    low = np.where(np.arange(30) < 4, -60.0, 0.0)
    scores = {"a": x + 3.0 + low, "b": x}
    result = compare(scores, "median", n_resamples=199)
    assert result.better("a", "b")
    assert not result.better("a", "b", task="")
    assert not compare(scores, None).better("a", "b")


def test_lower_scores_may_be_better():
    scores = {t: {m: -x for m, x in by.items()} for t, by in draw().items()}
    turned = compare(scores, "mean", higher_is_better=False).over_these_tasks
    expected = compare(draw(), "mean").over_these_tasks
    assert turned.order.names == expected.order.names
    assert [x.better for x in turned.pairs] == [x.better for x in expected.pairs]


def test_the_order_of_models_and_tasks_changes_no_number():
    scores = draw()
    turned = {t: dict(reversed(by.items())) for t, by in scores.items()}
    options = {"n_resamples": 199, "rng": 1}
    assert numbers_of(compare(scores, "iqm", **options)) == numbers_of(
        compare(turned, "iqm", **options)
    )


@pytest.mark.parametrize("statistic", ["iqm", "median"])
def test_the_order_of_tasks_and_runs_changes_no_number(statistic):
    scores = draw()
    turned = {t: {m: x[::-1] for m, x in scores[t].items()} for t in [*scores][::-1]}
    options = {"n_resamples": 199, "rng": 1}
    expected = numbers_of(compare(scores, statistic, **options))
    assert numbers_of(compare(turned, statistic, **options)) == expected
    # The order of pairs is one of their scores.
    tasks = {t: scores[t] for t in [*scores][::-1]}
    one, other = (
        numbers_of(compare(x, statistic, paired=True, **options))
        for x in (scores, tasks)
    )
    assert one == other != expected


@pytest.mark.filterwarnings("ignore:The adjusted p")
@pytest.mark.parametrize("margin", [None, 0.1])
def test_the_order_of_runs_changes_no_number_of_the_bootstrap(margin):
    scores = draw()["t0"]
    turned = {m: x[::-1] for m, x in scores.items()}
    options = {"unit": "run", "test": "bootstrap", "n_resamples": 199}
    one, other = (
        compare_models(x, margin=margin, **options).records for x in (scores, turned)
    )
    for x, y in zip(one, other, strict=True):
        for name in (key for key in x if "pvalue" in key or key == "statistic"):
            assert x[name] == y[name]
    first, second = (
        in_order(one, NAMES)[0]["pvalue"],
        bootstrap_test(
            *(np.sort(scores[m]) for m in sorted(("ours", "dqn"))),
            statistic="t",
            n_resamples=199,
            rng=0,
        ),
    )
    assert first == float(second.pvalue)


def test_other_verdicts_stay_as_they_are():
    scores = draw()
    plain = compare_models(scores, test="t", unit="run")
    result = compare(scores, "iqm", n_resamples=199)
    assert result.verdicts == plain.verdicts
    assert plain.over_these_tasks is None
    assert [x.pvalue for x in result.over_tasks.pairs] == [
        x.pvalue for x in plain.over_tasks.pairs
    ]
    n = len(plain.records)
    for x, y in zip(result.records[:n], plain.records, strict=True):
        assert {key: x[key] for key in y} == y
    assert {x["task"] for x in result.records[n:]} == {"these tasks"}
    document = json.loads(result.to_json())
    own = in_order(document["over_these_tasks"]["pairs"], NAMES)
    records = in_order(result.records[n:], NAMES)
    for x, y in zip(own, records, strict=True):
        assert x["difference"] == y["mean_difference"]
        assert x["adjusted_pvalue"] == y["adjusted_pvalue"]
    for style in ("to_markdown", "to_latex", "__str__"):
        text = " ".join(getattr(result, style)().split())
        assert "over these 6 tasks" in text


@pytest.mark.parametrize("statistic", ["mean", "iqm", "median"])
def test_each_model_has_an_interval_of_its_own(statistic):
    scores = draw()
    options = {} if statistic == "mean" else {"n_resamples": 199}
    result = compare(scores, statistic, **options)
    strata = np.repeat(np.arange(N_TASKS), N_RUNS)
    by = {"strata": strata, "confidence_level": 0.95}
    if statistic != "mean":
        by |= {"statistic": statistic, "method": "percentile", "rng": 0, **options}
    ci = t_ci if statistic == "mean" else bootstrap_ci
    document = json.loads(result.to_json())["over_these_tasks"]["models"]
    (record,) = [
        x
        for x in result.records
        if {x["model_a"], x["model_b"]} == {"ours", "dqn"}
        and x["task"] == "these tasks"
    ]
    for name, table in as_tables(scores).items():
        # Runs that are no pairs are drawn in the order of their scores.
        sample = table if statistic == "mean" else np.sort(table, axis=0)
        expected = ci(sample.T.reshape(-1), **by)
        low, high = expected.confidence_interval
        found = document[name]
        np.testing.assert_allclose(
            [found[x] for x in ("value", "low", "high")],
            [expected.statistic, low, high],
            rtol=1e-12,
        )
        for which in "ab":
            if record[f"model_{which}"] == name:
                assert record[f"aggregate_{which}"] == found["value"]
                assert record[f"aggregate_low_{which}"] == found["low"]
                assert record[f"aggregate_high_{which}"] == found["high"]
    (table,) = [x for x in result.tables if " of models over these" in x.title]
    assert " over these 6 tasks, 95 % confidence for each; ranks, 95" in table.title
    (shown,) = [x[-1] for x in table.rows if x[0] == "ours"]
    numbers = [float(x) for x in re.findall(r"[-\d.]+", shown)]
    ours = document["ours"]
    np.testing.assert_allclose(
        numbers, [ours["value"], ours["low"], ours["high"]], atol=0.005
    )
    assert "Intervals of single models are" in result.method
    rows = [x for x in result.records if x["task"] != "these tasks"]
    assert all(x["aggregate_a"] is None for x in rows)


@pytest.mark.long
def test_a_picture_shows_them_first():
    result = compare(draw(), "mean")
    picture = result.list_pictures()[0]
    assert picture.caption.startswith(
        "Differences of means over these 6 tasks, first minus second model, 95 % "
        "confidence for all 3 together. Below: differences of the means, first minus "
    )
    assert "ours minus dqn" in picture.description.replace('"', "")
    assert picture.figure.get_supxlabel() == "difference in score"
    said = "means over these 6 tasks, 95 % confidence for all 3 together"
    assert picture.figure.axes[0].get_title() == said


def test_of_one_task_there_is_a_test_of_the_median():
    (scores,) = draw(sizes=(30,)).values()
    result = compare(scores, "median", n_resamples=199, rng=2)
    for pair, (*_, p) in numbers_of(result).items():
        a, b = (np.sort(scores[name]) for name in pair)
        by = {"statistic": "median", "n_resamples": 199, "rng": 2}
        assert p == float(bootstrap_test(a, b, **by).pvalue)
    assert any(" by medians: " in x for x in result.sentences)
    assert "Medians: bootstrap test, two-sided, of 199" in result.method
