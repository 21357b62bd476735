"""Two-sided tests of every two models by what was sampled, on the host."""

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from sigarray._difference.location import t_test
from sigarray._resampling.draws import count_permutations
from sigarray._verdicts.comparison import pairs_of
from sigarray._verdicts.decisions import PairTest
from sigarray._verdicts.near_levels import is_near_any_level
from sigarray._verdicts.notes import announce
from sigarray._verdicts.pair_options import FUNCTIONS, PairOptions
from sigarray._verdicts.pairwise_tests import run_pairwise
from sigarray._verdicts.sampled import Pairs, Sampled
from sigarray._verdicts.sampled_draws import find_p_values
from sigarray.read._wide import Scores

# A statistic, its p-value, and the number of resamples of it.
Result = tuple[float, float, int]
# A test of some pairs by a number of resamples.
Call = Callable[[Pairs, int], list[Result]]
# The most pairs that are resampled one by one.
_FEW_PAIRS = 4
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
    scores: Scores,
    options: PairOptions,
    sampled: Sampled,
    pairs: Pairs,
) -> list[Result]:
    """Test pairs, which share resamples: more where p is near the least possible."""
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
        return [
            _draw_until_clear(test, pair, options, sampled, result)
            for pair, result in zip(pairs, results, strict=True)
        ]
    return results


def _test_by_t(scores: Scores, sampled: Sampled, pairs: Pairs) -> list[Result]:
    """Test pairs by the errors of what was sampled, many in a call."""
    results: list[Result] = [(0.0, 1.0, 0)] * len(pairs)
    for places, a, b in sampled.list_batches(scores, pairs, _MOST_HELD):
        result = t_test(a, b, **sampled.options)
        numbers = result.statistic.tolist(), result.pvalue.tolist()
        for k, t, p in zip(places, *numbers, strict=True):
            results[k] = t, p, 0
    return results


def _choose_call(
    scores: Scores, options: PairOptions, sampled: Sampled, n_pairs: int
) -> Call:
    """Return a test of pairs by a number of resamples: of many pairs, all at once."""
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

    def test(pairs: Pairs, number: int) -> list[Result]:
        drawn = 0 if n_all <= number else number
        return [(*x, drawn) for x in find(pairs, number)]

    return test


def _draw_until_clear(
    test: Call,
    pair: Sequence[str],
    options: PairOptions,
    sampled: Sampled,
    result: Result,
) -> Result:
    """Draw four times as many resamples as before, as long as the seed would decide."""
    is_near = functools.partial(
        is_near_any_level, alpha=options.alpha, n_comparisons=options.n_comparisons
    )
    while result[2] and is_near(result[1], result[2]):
        count = 4 * (result[2] + 1) - 1
        if count > _MOST_DRAWS or 2 * count * sampled.number > _MOST_DRAWN:
            break
        (result,) = test([pair], count)
    return result


def guess_seconds(options: PairOptions, sampled: Sampled) -> float:
    """Guess how long the test of a pair takes."""
    drawn = (options.n_resamples or 0) * sampled.number * _SECONDS_PER_DRAW
    return sampled.n_items * _SECONDS_PER_SCORE + drawn
