"""Signatures: they cover every number that a result prints, in no order of its own."""

import random

import numpy as np
import pytest

from sigarray import compare_models
from sigarray._verdicts import aggregate_tests, comparison, over_tasks
from sigarray._verdicts.intervals import Interval, find_intervals
from sigarray.report._wording import digest_scores

DRAW = random.Random(5)
NAMES = ("lstm", "cnn", "bert")
TASKS = {
    task: {m: [DRAW.gauss(10.0, 1.0) for _ in range(6)] for m in NAMES}
    for task in ("a", "b", "c")
}


def find_result(scores, **options):
    return compare_models(scores, **options).signature.rpartition("|result:")[2]


def turn(scores):
    """Put tasks, models and runs in another order."""
    if isinstance(scores, list):
        return scores[::-1]
    return {name: turn(scores[name]) for name in reversed(scores)}


@pytest.mark.filterwarnings("ignore:.*of 18 runs of a model in all")
@pytest.mark.parametrize(
    ("scores", "options"),
    [
        (TASKS["a"], {}),
        (TASKS["a"], {"test": "t", "margin": 0.1}),
        (TASKS["a"], {"test": "mann-whitney", "baseline": "cnn"}),
        (TASKS, {}),
        (TASKS, {"statistic": "mean", "test": "t"}),
        (TASKS, {"statistic": "iqm", "test": "t", "n_resamples": 99}),
    ],
)
def test_no_order_matters(scores, options):
    assert find_result(turn(scores), **options) == find_result(scores, **options)


def test_minus_zero_is_zero():
    """As in a file, whose scores may say -0.0."""
    first, second = ({"task": {"model": np.asarray([x, 1.0])}} for x in (0.0, -0.0))
    for paired in (True, False):
        digests = {digest_scores(x, paired=paired) for x in (first, second)}
        assert len(digests) == 1


def test_differences_that_are_rounding_errors():
    """Sums of the same numbers in another order differ in their last bits."""
    x = [0.1, 0.2, 0.3, 0.6, 0.7]
    y = [0.1, 0.7, 0.3, 0.6, 0.2]
    a, b = {"a": x, "b": y}, {"a": x, "b": x[::-1]}
    assert np.mean(x) - np.mean(y) != 0.0 == np.mean(x) - np.mean(x[::-1])
    assert find_result(a, test="t") == find_result(b, test="t")


def widen(*args, **options):
    return [Interval(x.low - 1e-4, x.high) for x in find_intervals(*args, **options)]


@pytest.mark.parametrize("module", [comparison, over_tasks])
def test_intervals_are_part_of_it(monkeypatch, module):
    before = find_result(TASKS)
    monkeypatch.setattr(module, "find_intervals", widen)
    assert find_result(TASKS) != before


def test_intervals_over_these_tasks_are_part_of_it(monkeypatch):
    options = {"statistic": "mean", "test": "t"}
    before = find_result(TASKS, **options)
    assert find_result(TASKS, **options) == before

    def shorten(*args, **others):
        return original(*args, **others | {"confidence_level": 0.9})

    original = aggregate_tests.t_ci
    monkeypatch.setattr(aggregate_tests, "t_ci", shorten)
    assert find_result(TASKS, **options) != before
