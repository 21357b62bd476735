"""When the means over a few tasks are the answer, and how often they are wrong."""

import itertools
from pathlib import Path

import numpy as np
import pytest

from sigarray import compare_models
from sigarray._verdicts.aggregate_tests import find_p_values
from sigarray._verdicts.doubts import LEAST

PAGE = Path(__file__).parents[2] / "docs/aggregates.md"


def draw_few(n_runs, n_tasks=3, n_models=2):
    rng = np.random.default_rng(0)
    return {
        f"t{t}": {f"m{k}": rng.normal(size=n_runs) for k in range(n_models)}
        for t in range(n_tasks)
    }


@pytest.mark.parametrize(
    ("options", "least"),
    [
        ({"unit": "run"}, LEAST[False]),
        ({"unit": "run", "paired": True}, LEAST[True]),
        ({"unit": "item"}, LEAST[True]),
    ],
)
def test_means_of_few_tasks_decide_from_enough_scores(options, least):
    for n_runs in (least - 1, least):
        result = compare_models(draw_few(n_runs), test="t", **options)
        said = " ".join(str(result).split())
        assert (result.over_these_tasks is not None) == (n_runs == least)
        assert "3 tasks are too few to generalize to other tasks" in said
        if n_runs < least:  # what may still be asked for is said
            assert "pass --statistic mean" in said or "pass statistic='mean'" in said


def test_clusters_are_counted_and_not_their_items():
    scores = draw_few(40)
    for n_clusters in (LEAST[True] - 1, LEAST[True]):
        labels = dict.fromkeys(scores, np.arange(40) % n_clusters)
        result = compare_models(scores, test="t", clusters=labels)
        assert (result.over_these_tasks is not None) == (n_clusters == LEAST[True])


def draw_models(kind, rng, shape, tasks, n_models):
    found = [rng.normal(size=shape) for _ in range(n_models)]
    if kind == "exponential":
        return [rng.exponential(size=shape) for _ in found]
    if kind.startswith("failed"):
        only = range(n_models if kind == "failed" else 1)
        fails = [(rng.random(shape) < 0.1) * (k in only) for k in range(n_models)]
        means = [1.0 * (k in only) for k in range(n_models)]
        return [x - 10 * f + m for x, f, m in zip(found, fails, means, strict=True)]
    if kind.startswith("task"):
        return [x * np.where(tasks == 0, float(kind[5:]), 1.0) for x in found]
    return [
        x * (4.0 if kind == "model" and not k else 1.0) for k, x in enumerate(found)
    ]


def find_rate(kind, n_models, n_tasks, n_runs, *, is_paired=False):
    """Return in how many percent of 2000 sets any of equal models is called better."""
    rng = np.random.default_rng(0)
    tasks = np.repeat(np.arange(n_tasks), n_runs)
    models = draw_models(kind, rng, (2000, len(tasks)), tasks, n_models)
    by = {"paired": is_paired, "strata": tasks if is_paired else (tasks, tasks)}
    pairs = list(itertools.combinations(models, 2))
    p = np.stack([find_p_values(a, b, "mean", by) for a, b in pairs])
    return float(100.0 * np.mean(len(pairs) * p.min(axis=0) <= 0.05))


EQUAL = ("normal", "model", "task 4", "task 10", "exponential", "failed")


@pytest.mark.long
def test_means_of_equal_models_are_seldom_called_apart():
    def find_most(kinds, sizes, runs, **design):
        cells = itertools.product(kinds, sizes, (2, 3, 5), runs)
        return max(find_rate(*cell, **design) for cell in cells)

    most = find_most(EQUAL, (2, 4), (3, 5, 10))
    of_ten = find_most(EQUAL, (2, 4), (10,), is_paired=True)
    few = find_most(("task 10",), (2, 4), (3,), is_paired=True)
    of_one = find_most(("failed alone",), (2,), (3, 5, 10))
    assert max(most, of_ten) <= 7.0
    said = " ".join(PAGE.read_text().split())
    assert f"better than another in at most {max(most, of_ten):.0f} % of 2000" in said
    assert f"Of 3 pairs it was up to {few:.0f} % where one task varied 10" in said
    assert f"called better in up to {of_one:.0f} %" in said
