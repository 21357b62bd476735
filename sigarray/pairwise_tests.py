"""Two-sided tests of every two models of a table of scores, on the host."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from sigarray.correction import holm
from sigarray.location import mann_whitney_u, welch_t_test
from sigarray.resampling import bootstrap_test, permutation_test
from sigarray.score_file import Scores
from sigarray.verdict import PairTest

# Which of them resample, and which know pairs.
RESAMPLING_TESTS = ("bootstrap", "permutation")
PAIRED_TESTS = ("bootstrap", "permutation", "welch")

_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "bootstrap": bootstrap_test,
    "permutation": permutation_test,
    "mann-whitney": mann_whitney_u,
    "welch": welch_t_test,
}
TESTS = tuple(_FUNCTIONS)


def run_pairwise(
    scores: Scores,
    test: str,
    *,
    is_paired: bool,
    is_corrected: bool,
    level: float,
    higher_is_better: bool,
    n_resamples: int,
    seed: int,
) -> list[PairTest]:
    """Test every two models, and correct for their number by Holm's step-down."""
    options: dict[str, Any] = {"alternative": "two-sided"}
    if test in PAIRED_TESTS:
        options["paired"] = is_paired
    if test in RESAMPLING_TESTS:
        options |= {"n_resamples": n_resamples, "rng": seed}
    pairs = list(itertools.combinations(scores, 2))
    results = [_FUNCTIONS[test](scores[a], scores[b], **options) for a, b in pairs]
    p_values = np.asarray([float(result.pvalue) for result in results])
    adjusted = np.asarray(holm(p_values)) if is_corrected else p_values
    tests = []
    for (a, b), result, p, q in zip(pairs, results, p_values, adjusted, strict=True):
        lead = float(result.statistic)
        if test == "mann-whitney":
            lead = float(result.probability_of_improvement) - 0.5
        if not higher_is_better:
            lead = -lead
        is_seen = bool(q <= level) and lead != 0.0
        better = (a if lead > 0.0 else b) if is_seen else None
        tests.append(PairTest(float(result.statistic), float(p), float(q), better))
    return tests
