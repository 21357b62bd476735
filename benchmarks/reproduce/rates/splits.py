"""How often t of splits of one data set tells learners apart that are as good."""

import functools
from typing import Any

import numpy as np

from benchmarks.reproduce.experiment import Settings
from benchmarks.reproduce.rates.tests import (
    EQUAL_MEANS,
    FULL,
    QUICK,
    Tested,
    by_t,
    describe_row,
    find_rates,
)


def describe_splits(settings: Settings) -> list[dict[str, Any]]:
    """Return the rates of t of splits of one data set, corrected and not.

    Two learners are least squares on other halves of six features that matter alike.
    """
    n_sets, n_items, half = settings.choose(QUICK, FULL), 100, 3
    rng = np.random.default_rng(5)
    x = rng.normal(size=(n_sets, n_items, 2 * half))
    y = np.sum(x, axis=-1) + rng.normal(size=(n_sets, n_items))
    rows = []
    for n_folds, n_repeats in ((10, 1), (5, 3), (10, 10)):
        scores = []
        for _ in range(n_repeats):
            order = rng.permutation(n_items)
            for k in range(n_folds):
                is_test = np.isin(np.arange(n_items), order[k::n_folds])
                scores.append(
                    [
                        score_split(x[..., part], y, is_test)
                        for part in (slice(half), slice(half, None))
                    ]
                )
        a, b = np.moveaxis(np.asarray(scores), 0, -1)
        for share in (1.0 / n_folds, None):
            test = Tested(
                "t_test",
                "" if share is None else "test_share",
                functools.partial(by_t, paired=True, test_share=share),
                EQUAL_MEANS,
                "splits",
                "" if share is None else "t --test-share",
            )
            n = n_folds * n_repeats
            scores_of = f"{n_repeats} x {n_folds} folds of {n_items} items"
            row = describe_row(test, (n, n), scores_of, 1.0, n_sets)
            rows.append(row | find_rates(settings, test, [a, b]))
    return rows


def score_split(
    x: np.ndarray, y: np.ndarray, is_test: np.ndarray, *, is_mean: bool = True
) -> np.ndarray:
    """Return minus the squared error on some items of least squares on the others."""
    known, asked = x[:, ~is_test], y[:, ~is_test]
    gram = np.swapaxes(known, -1, -2) @ known
    weights = np.linalg.solve(gram, np.swapaxes(known, -1, -2) @ asked[..., None])
    wrong = y[:, is_test] - (x[:, is_test] @ weights)[..., 0]
    scores = -wrong * wrong
    return np.mean(scores, axis=-1) if is_mean else scores
