"""Two-sided tests of every two models, of clusters or metrics of sums, on the host."""

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sigarray._resampling.draws import count_permutations
from sigarray._verdicts.comparison import pairs_of
from sigarray._verdicts.decisions import PairTest
from sigarray._verdicts.near_levels import is_near_any_level
from sigarray._verdicts.notes import announce
from sigarray._verdicts.pair_options import FUNCTIONS, PairOptions
from sigarray._verdicts.pairwise_tests import run_pairwise
from sigarray._verdicts.sampled import Sampled
from sigarray.read._wide import Scores

Pair = tuple[str, str]
# A statistic, its p-value, and the number of resamples of it.
Result = tuple[float, float, int]
# Scores in one call; near a level the most draws, and the most drawn units.
_MOST_HELD, _MOST_DRAWS, _MOST_DRAWN = 2**20, 2**19, 2**27
# For a guess at the time: of each score of a pair, and of each unit in each resample.
_SECONDS_PER_SCORE, _SECONDS_PER_DRAW = 1e-7, 2e-8


def run_sampled(
    scores: Scores, options: PairOptions, sampled: Sampled, *, higher_is_better: bool
) -> list[PairTest]:
    """Test every two models, without a correction for their number.

    Exchanges of whole clusters are those of their sums, for which there are exact
    methods. A metric of sums is tested by t of the scores, which are its influences.
    """
    if options.test == "permutation" and sampled.statistic is None:
        sums = sampled.sum_clusters(scores)
        tests = run_pairwise(sums, options, higher_is_better=higher_is_better)
        share = sampled.number / sampled.n_items
        return [replace(x, statistic=share * x.statistic) for x in tests]
    pairs = pairs_of(scores, options.baseline)
    n = len(pairs)
    announce(
        f"{options.test} for {n} {'pair' if n == 1 else 'pairs'}",
        n * _guess_seconds(options, sampled),
        "Faster: --test t, fewer models with --columns.",
    )
    # In the order of names, so that the order of columns changes no number.
    results = _find_results(scores, options, sampled, [sorted(x) for x in pairs])
    tests = []
    for (a, b), (statistic, p_value, n_drawn) in zip(pairs, results, strict=True):
        lead = statistic if a < b else 0.0 - statistic
        leader = None
        if lead != 0.0:
            leader = a if (lead > 0.0) == higher_is_better else b
        p = 1.0 if math.isnan(p_value) else p_value
        tests.append(PairTest(lead, p, leader, n_drawn))
    return tests


def _find_results(
    scores: Scores,
    options: PairOptions,
    sampled: Sampled,
    pairs: Sequence[Sequence[str]],
) -> list[Result]:
    """Test pairs, as many in a call as memory allows, which share resamples."""
    test: Callable[..., Any] = functools.partial(
        FUNCTIONS[options.test], paired=True, clusters=sampled.codes
    )
    if options.n_resamples is None:
        return _call(test, scores, pairs, 0)
    test = functools.partial(test, rng=options.seed)
    if sampled.statistic is not None:
        scores = dict(sampled.sums)
        test = functools.partial(test, statistic=sampled.statistic)
    results = _call(test, scores, pairs, options.n_resamples)
    if options.test == "permutation":
        n = sampled.number
        if count_permutations(n, n, paired=True) <= options.n_resamples:
            return [(x, p, 0) for x, p, _ in results]  # all exchanges
    more = options.more_draws
    if more is not None:
        near = [k for k, (_, p, _) in enumerate(results) if p <= more.limit]
        again = _call(test, scores, [pairs[k] for k in near], more.number)
        for k, result in zip(near, again, strict=True):
            results[k] = result
    if options.draws_on:
        return [
            _draw_until_clear(test, scores, pair, options, sampled, result)
            for pair, result in zip(pairs, results, strict=True)
        ]
    return results


def _call(
    test: Callable[..., Any],
    samples: Scores,
    pairs: Sequence[Sequence[str]],
    n_resamples: int,
) -> list[Result]:
    """Test pairs of samples; without a number of resamples, by a test that has none."""
    drawn = {"n_resamples": n_resamples} if n_resamples else {}
    held = 2 * next(iter(samples.values())).size
    step = max(1, _MOST_HELD // held)
    results: list[Result] = []
    for start in range(0, len(pairs), step):
        some = pairs[start : start + step]
        a, b = (np.stack([samples[pair[k]] for pair in some]) for k in (0, 1))
        result = test(a, b, **drawn)
        numbers = result.statistic.tolist(), result.pvalue.tolist()
        results += [(*x, n_resamples) for x in zip(*numbers, strict=True)]
    return results


def _draw_until_clear(
    test: Callable[..., Any],
    samples: Scores,
    pair: Sequence[str],
    options: PairOptions,
    sampled: Sampled,
    result: Result,
) -> Result:
    """Draw four times as many resamples as before, as long as the seed would decide."""
    is_near = functools.partial(
        is_near_any_level, alpha=options.alpha, n_comparisons=options.n_comparisons
    )
    while is_near(result[1], result[2]):
        count = 4 * (result[2] + 1) - 1
        if count > _MOST_DRAWS or 2 * count * sampled.number > _MOST_DRAWN:
            break
        (result,) = _call(test, samples, [pair], count)
    return result


def _guess_seconds(options: PairOptions, sampled: Sampled) -> float:
    """Guess how long the test of a pair takes."""
    drawn = (options.n_resamples or 0) * sampled.number * _SECONDS_PER_DRAW
    return sampled.n_items * _SECONDS_PER_SCORE + drawn
