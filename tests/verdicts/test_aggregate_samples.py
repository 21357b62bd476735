"""Samples of the scores on tasks, which are compared as `compare_models` does."""

import warnings

import numpy as np
import pytest

from sigarray import compare_models
from sigarray._verdicts.samples import AggregateTrials

N_SAMPLES, N_RUNS = 4, 4


def make_tasks(n_runs):
    rng = np.random.default_rng(2)
    return {
        task: {m: rng.normal(0.7 * k + t, 0.5, n_runs) for k, m in enumerate("abc")}
        for t, task in enumerate(["x", "y", "z"])
    }


@pytest.mark.parametrize(
    ("statistic", "unit", "size", "options"),
    [
        ("mean", "run", N_RUNS, {}),
        ("mean", "item", N_RUNS, {"margin": 0.5}),
        ("mean", "run", N_RUNS, {"margin": 0.4, "baseline": "b"}),
        ("mean", "run", None, {"higher_is_better": False}),
        ("iqm", "run", N_RUNS, {"corrected": False}),
        ("improvement", "run", N_RUNS, {"higher_is_better": False}),
    ],
)
def test_shares_are_those_of_compare(statistic, unit, size, options):
    tasks = make_tasks(N_RUNS)
    if size is None:
        tasks["z"] = {m: x[:3] for m, x in tasks["z"].items()}
    # Another layout of strata draws other resamples.
    n_resamples = 199 if statistic == "mean" else 1999
    trials = AggregateTrials(
        tasks,
        statistic,
        level=0.05,
        is_corrected=options.get("corrected", True),
        higher_is_better=options.get("higher_is_better", True),
        baseline=options.get("baseline"),
        margin=options.get("margin"),
        is_paired=unit == "item",
        unit=unit,
        n_resamples=n_resamples,
        number=N_SAMPLES,
        seed=0,
    )
    samples, labels = trials._draw(size)
    expected = dict.fromkeys([(x, y) for x in "abc" for y in "abc" if x != y], 0)
    more = {} if statistic == "mean" else {"n_resamples": n_resamples}
    by = options | more | {"statistic": statistic, "unit": unit, "test": None}
    if "margin" in options:
        by["test"] = "t"
    for k in range(N_SAMPLES):
        drawn = {
            task: {m: list_scores(samples, labels, m, k, t) for m in "abc"}
            for t, task in enumerate(tasks)
        }
        if size is None:  # in units in which tasks count alike
            drawn = {
                task: {m: x / (11 / (3 * len(x))) for m, x in scores.items()}
                for task, scores in drawn.items()
            }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of few runs
            found = compare_models(drawn, **by).over_these_tasks
        for pair in found.pairs:
            names = {pair.a, pair.b}
            claimed = pair.not_worse if "margin" in options else (pair.better,)
            for model in filter(None, claimed):
                (other,) = names - {model}
                expected[model, other] += 1
    assert 0 < sum(expected.values()) < N_SAMPLES * len(expected)
    shares = trials.share_better(size)
    assert shares == {pair: n / N_SAMPLES for pair, n in expected.items() if n}


def list_scores(samples, labels, model, k, task):
    """Return the scores of a model in a sample, on a task."""
    x = samples[model][k]
    return x[task] if x.ndim > 1 else x[labels[model] == task]
