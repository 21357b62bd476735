"""Two-sided tests of every two models by what was sampled, on the host.

The sums of a model in a resample do not depend on the other models, so they are drawn
once for each model, and not once for each pair.
"""

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from sigarray._backend.callers import Alternative
from sigarray._backend.of_numpy import HOST
from sigarray._backend.seeds import seed_words
from sigarray._difference.location import t_test
from sigarray._numeric.clusters import weigh_shares
from sigarray._numeric.special import student_p_value
from sigarray._numeric.statistic import rounding_of
from sigarray._numeric.sums import SumStatistic
from sigarray._resampling.draws import Exchanges, Places, count_permutations
from sigarray._verdicts.asked import FUNCTIONS, PairOptions
from sigarray._verdicts.comparison import pairs_of
from sigarray._verdicts.decisions import PairTest
from sigarray._verdicts.near_levels import Resampled, draw_on
from sigarray._verdicts.pairwise_tests import run_pairwise
from sigarray._verdicts.sampled import Pairs, Sampled
from sigarray.read._messages import announce
from sigarray.read._wide import Scores

# This many resamples at a time, and so many sums.
_AT_A_TIME, _MOST_SUMS = 2**13, 2**22


def find_p_values(
    sums: Mapping[str, np.ndarray],
    statistic: SumStatistic,
    pairs: Sequence[Sequence[str]],
    *,
    test: str,
    n_resamples: int,
    seed: int,
) -> list[tuple[float, float]]:
    """Return the difference and the two-sided p-value of each pair.

    `sums` are numbers (d, n) of the units of each model. The numbers are those of
    `permutation_test` and `bootstrap_test` with the same seed.
    """
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    stack = np.stack([sums[name] for name in names])
    values = statistic.observe(HOST, stack)
    places = [tuple(names.index(name) for name in pair) for pair in pairs]
    gaps = np.asarray([values[i] - values[j] for i, j in places])
    ties = [
        float(rounding_of(HOST, statistic, [], [values[i], values[j]]))
        for i, j in places
    ]
    if test == "permutation":
        n = stack.shape[-1]
        n_all = count_permutations(n, n, paired=True)
        is_exact = n_all <= n_resamples
        count = int(n_all) if is_exact else n_resamples
        draws = Exchanges(None if is_exact else seed_words(HOST, seed), n)
        beyond = _count_exchanged(statistic, stack, draws, places, gaps, ties, count)
        more = 0.0 if is_exact else 1.0
        shares = (np.min(beyond, axis=-1) + more) / (count + more)
        p_values = np.minimum(1.0, 2.0 * shares)
    else:
        drawn = Places(seed_words(HOST, seed))  # of one sample: that of all models
        counts = _count_drawn(statistic, stack, drawn, places, gaps, ties, n_resamples)
        p_values = (counts + 1.0) / (n_resamples + 1.0)
    return list(zip(gaps.tolist(), p_values.tolist(), strict=True))


def _list_chunks(stack: np.ndarray, count: int) -> list[tuple[int, int]]:
    n_rows = math.prod(stack.shape[:-1])
    step = max(1, min(_AT_A_TIME, _MOST_SUMS // n_rows))
    return [(start, min(step, count - start)) for start in range(0, count, step)]


def _count_exchanged(
    statistic: SumStatistic,
    stack: np.ndarray,
    draws: Exchanges,
    places: Sequence[tuple[int, ...]],
    gaps: np.ndarray,
    ties: Sequence[float],
    count: int,
) -> np.ndarray:
    """Count the differences at, or beyond, that of each pair on both sides, (P, 2)."""
    counts = np.zeros((len(places), 2), dtype=np.int64)
    # Beside a model of zeros, its own sums are those of what stays, and what goes.
    pool = np.concatenate([stack, np.zeros_like(stack)], axis=-1)
    summands = draws.prepare_sums(HOST, [pool])
    for start, size in _list_chunks(stack, count):
        stays, goes = draws.find_sums(HOST, summands, start, size)
        for k, (i, j) in enumerate(places):
            a = statistic.evaluate(HOST, stays[i] + goes[j])
            b = statistic.evaluate(HOST, goes[i] + stays[j])
            shifts = a - b - gaps[k]
            counts[k, 0] += np.count_nonzero(shifts >= -ties[k])
            counts[k, 1] += np.count_nonzero(shifts <= ties[k])
    return counts


def _count_drawn(
    statistic: SumStatistic,
    stack: np.ndarray,
    draws: Places,
    places: Sequence[tuple[int, ...]],
    gaps: np.ndarray,
    ties: Sequence[float],
    count: int,
) -> np.ndarray:
    """Count the differences as far from that of each pair as this is from 0, (P,)."""
    counts = np.zeros(len(places), dtype=np.int64)
    summands = draws.prepare_sums(HOST, [stack.reshape(-1, stack.shape[-1])])
    for start, size in _list_chunks(stack, count):
        (drawn,) = draws.find_sums(HOST, summands, start, size)
        values = statistic.evaluate(HOST, drawn.reshape(*stack.shape[:-1], size))
        for k, (i, j) in enumerate(places):
            shifts = np.abs(values[i] - values[j] - gaps[k])
            counts[k] += np.count_nonzero(shifts >= abs(gaps[k]) - ties[k])
    return counts


# A test of some pairs by a number of resamples.
Call = Callable[[Pairs, int], list[Resampled]]
# The most pairs that are resampled one by one.
_FEW_PAIRS = 4
# Scores in one call.
_MOST_HELD = 2**20
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
        (n if n <= _FEW_PAIRS else len(scores)) * guess_seconds(options, sampled),
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
    scores: Scores, options: PairOptions, sampled: Sampled, pairs: Pairs
) -> list[Resampled]:
    if options.n_resamples is None:
        return _test_by_t(scores, sampled, pairs)
    test = _choose_call(scores, options, sampled, len(pairs))
    results = test(pairs, options.n_resamples)
    if more := options.more_draws:
        near = [k for k, x in enumerate(results) if x[2] and x[1] <= more.limit]
        again = test([pairs[k] for k in near], more.number) if near else []
        for k, result in zip(near, again, strict=True):
            results[k] = result
    if options.draws_on:
        n_scores = 2 * sampled.number
        draws = [functools.partial(_draw_again, test, pair) for pair in pairs]
        return [
            draw_on(result, draw, options, n_scores)
            for draw, result in zip(draws, results, strict=True)
        ]
    return results


def _draw_again(test: Call, pair: Sequence[str], count: int) -> Resampled:
    (result,) = test([pair], count)
    return result


def _test_by_t(scores: Scores, sampled: Sampled, pairs: Pairs) -> list[Resampled]:
    results: list[Resampled] = [(0.0, 1.0, 0)] * len(pairs)
    for places, a, b in sampled.list_batches(scores, pairs, _MOST_HELD):
        result = t_test(a, b, **sampled.options)
        numbers = result.statistic.tolist(), result.pvalue.tolist()
        for k, t, p in zip(places, *numbers, strict=True):
            results[k] = t, p, 0
    return results


def test_by_sizes(
    differences: np.ndarray, sizes: np.ndarray, margin: float | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the means and p-values (R, P) of pairs of clusters (R, P, C).

    It is `t_test` by the sizes (R, C) of clusters, of scores as `score_clusters` has
    them in place of items: with a margin, one-sided. Where t is unknown, p is 1.
    """
    means = differences.mean(axis=-1)
    rest, df = weigh_shares(HOST, sizes / np.sum(sizes, axis=-1, keepdims=True))
    deviations = differences - means[..., None]
    squares = np.sum(deviations**2 / rest[:, None, :], axis=-1)
    with np.errstate(all="ignore"):
        t = (means + (margin or 0.0)) * sizes.shape[-1] / np.sqrt(squares)
    side: Alternative = "two-sided" if margin is None else "greater"
    p_values = np.asarray(student_p_value(HOST, side, t, df[:, None] + 0.0 * means))
    return means, np.where(np.isfinite(t), p_values, 1.0)


def _choose_call(
    scores: Scores, options: PairOptions, sampled: Sampled, n_pairs: int
) -> Call:
    n = sampled.number
    n_all = math.inf
    if options.test == "permutation":
        n_all = count_permutations(n, n, paired=True)
    seed = options.seed or 0
    if n_pairs > _FEW_PAIRS:
        statistic, sums = sampled.add_up(scores)

        def find(pairs: Pairs, number: int) -> list[tuple[float, float]]:
            return find_p_values(
                sums, statistic, pairs, test=options.test, n_resamples=number, seed=seed
            )

    else:
        given = {x: tuple(y) for x, y in sampled.sums.items()} or scores
        function = FUNCTIONS[options.test]
        by = {} if sampled.statistic is None else {"statistic": sampled.statistic}

        def find(pairs: Pairs, number: int) -> list[tuple[float, float]]:
            drawn = {"n_resamples": number, "rng": seed, "clusters": sampled.codes}
            every = [
                function(*(given[x] for x in pair), paired=True, **drawn, **by)
                for pair in pairs
            ]
            return [(float(x.statistic), float(x.pvalue)) for x in every]

    def test(pairs: Pairs, number: int) -> list[Resampled]:
        drawn = 0 if n_all <= number else number
        return [(*x, drawn) for x in find(pairs, number)]

    return test


def guess_seconds(options: PairOptions, sampled: Sampled) -> float:
    drawn = (options.n_resamples or 0) * sampled.number * _SECONDS_PER_DRAW
    return sampled.n_items * _SECONDS_PER_SCORE + drawn
