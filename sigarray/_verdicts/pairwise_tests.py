"""Two-sided tests of every two models of a table of scores, on the host."""

import functools
import itertools
import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from sigarray import t_test
from sigarray._resampling.draws import count_permutations
from sigarray._verdicts.all_pairs import find_p_values
from sigarray._verdicts.comparison import pairs_of
from sigarray._verdicts.decisions import PairTest
from sigarray._verdicts.exact_exchanges import compare_by_exchanges
from sigarray._verdicts.exact_ranks import has_exact_ranks, p_value_of_ranks
from sigarray._verdicts.floors import suits_saddlepoint
from sigarray._verdicts.near_levels import is_near_any_level
from sigarray._verdicts.notes import announce, track
from sigarray._verdicts.pair_options import (
    COUNTED,
    EXACT_TEST,
    FUNCTIONS,
    PAIRED_TESTS,
    RESAMPLING_TESTS,
    TESTS_OF_RANKS,
    PairOptions,
    choose_method,
    choose_statistic,
    is_bounded_by_welch,
)
from sigarray.read._wide import Scores

Pair = tuple[str, str]
# Of a guess at the time: for each pair, and for each score (in each resample).
_SECONDS_PER_PAIR = 5e-4
_SECONDS_PER_SCORE = {"bootstrap": 1e-8, "permutation": 1e-8}
_SECONDS_PER_SORTED_SCORE = 2e-7
# Scores of pairs that are tested in one call, and pairs that are.
_MOST_HELD, _FEW_PAIRS = 2**20, 4
# Near a level draws are taken on up to this number, and up to so many scores.
_MOST_DRAWS, _MOST_DRAWN = 2**19, 2**27


def run_pairwise(
    scores: Scores,
    options: PairOptions,
    *,
    higher_is_better: bool,
) -> list[PairTest]:
    """Test every two models, without a correction for their number.

    Each pair gets the same seed, and is tested in the order of its names, so that its
    p-value depends neither on the order of the columns nor on other models.
    """
    pairs = pairs_of(scores, options.baseline)
    announce(
        f"{options.test} for {len(pairs)} {'pair' if len(pairs) == 1 else 'pairs'}",
        _guess_seconds(scores, options),
        _advise(options),
    )
    return find_tests(scores, options, higher_is_better=higher_is_better, pairs=pairs)


def find_tests(
    scores: Scores,
    options: PairOptions,
    *,
    higher_is_better: bool,
    pairs: Sequence[Pair],
) -> list[PairTest]:
    """Test pairs of models, in silence.

    Those that are tested in one way are one call, for they see the same resamples:
    first by as many as are asked for, and then by more where p is near the least that
    these give.
    """
    chosen = {
        pair: _choose_options(*_scores_of(scores, pair), options) for pair in pairs
    }
    found = _test_together(scores, chosen, options)
    observed = {pair: x.statistic for pair, x in found.items()}
    more = {
        pair: _choose_more(*_scores_of(scores, pair), own, options)
        for pair, own in chosen.items()
        if _needs_more(found[pair], own, options)
    }
    chosen |= more
    of_all = _permute_all(scores, more) if options.test == "permutation" else {}
    found |= {pair: found[pair]._replace(pvalue=p) for pair, p in of_all.items()}
    more = {pair: own for pair, own in more.items() if pair not in of_all}
    found |= _test_together(scores, more, options)
    tests = []
    for a, b in track(pairs, "Pair"):
        x, y = _scores_of(scores, (a, b))
        result, own = found[a, b], chosen[a, b]
        n_drawn = _count_drawn(x, y, options, own)
        least = _find_least_p(x, y, options)
        if least > float(result.pvalue):
            n_drawn = 0  # draws move nothing
        elif n_drawn and options.draws_on:
            result, n_drawn = _draw_until_clear(x, y, options, own, result)
        result = result._replace(statistic=observed[a, b])
        statistic, lead, p = _read_result(x, y, options, result, least, is_turned=a > b)
        is_first = (lead > 0.0) == higher_is_better
        leader = None if lead == 0.0 else a if is_first else b
        share = 0.5 + lead if options.test in TESTS_OF_RANKS else None
        tests.append(PairTest(statistic, p, leader, n_drawn, share))
    return tests


def _find_least_p(x: np.ndarray, y: np.ndarray, options: PairOptions) -> float:
    """Return what a p-value is at least: Welch's, which is 1 where neither varies."""
    if not is_bounded_by_welch(x, y, options):
        return 0.0
    welch = float(t_test(x, y).pvalue)
    return 1.0 if math.isnan(welch) else welch


def _choose_options(
    x: np.ndarray, y: np.ndarray, options: PairOptions
) -> dict[str, Any]:
    """Return the options of the test of a pair."""
    chosen: dict[str, Any] = {"alternative": "two-sided"}
    if options.test in PAIRED_TESTS:
        chosen["paired"] = options.is_paired
    if options.test == "t":
        chosen["test_share"] = options.test_share
    if options.test in RESAMPLING_TESTS:
        chosen |= {
            "n_resamples": options.n_resamples,
            "rng": options.seed,
            "method": choose_method(x, y, options),
            "statistic": choose_statistic(x, y, options),
        }
    return chosen


def _scores_of(scores: Scores, pair: Pair) -> tuple[np.ndarray, np.ndarray]:
    """Return the scores of two models in the order of their names."""
    first, second = sorted(pair)
    return scores[first], scores[second]


def _test_together(
    scores: Scores, chosen: Mapping[Pair, dict[str, Any]], options: PairOptions
) -> dict[Pair, Any]:
    """Test each pair by the options that are chosen for it."""
    function = FUNCTIONS[options.test]
    groups: dict[Hashable, list[Pair]] = {}
    for pair, own in chosen.items():
        x, y = _scores_of(scores, pair)
        key = len(x), len(y), x.dtype, y.dtype, tuple(own.items())
        groups.setdefault(key, []).append(pair)
    found: dict[Pair, Any] = {}
    for group in groups.values():
        own = chosen[group[0]]
        step = max(1, _MOST_HELD // sum(map(len, _scores_of(scores, group[0]))))
        for start in range(0, len(group), step):
            some = group[start : start + step]
            every = [_scores_of(scores, pair) for pair in some]
            if own.get("method") == COUNTED:
                for pair, samples in zip(some, every, strict=True):
                    found[pair] = compare_by_exchanges(*samples)
                continue
            if len(some) == 1:
                found[some[0]] = function(*every[0], **own)
                continue
            result = function(*map(np.stack, zip(*every, strict=True)), **own)
            for k, pair in enumerate(some):
                found[pair] = type(result)(*(field[k] for field in result))
    return found


def _permute_all(
    scores: Scores, chosen: Mapping[Pair, dict[str, Any]]
) -> dict[Pair, float]:
    """Return p-values of many pairs of one size that are permuted in one way."""
    groups: dict[Hashable, list[Pair]] = {}
    for pair, own in chosen.items():
        n, m = (len(x) for x in _scores_of(scores, pair))
        if own["method"] == "resampling" and n == m:
            key = n, own["n_resamples"], own["rng"], own["paired"]
            groups.setdefault(key, []).append(pair)
    found: dict[Pair, float] = {}
    for pairs in groups.values():
        own = chosen[pairs[0]]
        if len(pairs) > _FEW_PAIRS:
            ordered = {pair: (min(pair), max(pair)) for pair in pairs}
            p_values = find_p_values(
                scores,
                list(ordered.values()),
                paired=own["paired"],
                n_resamples=own["n_resamples"],
                seed=own["rng"],
            )
            found |= {x: p_values[y] for x, y in ordered.items() if y in p_values}
    return found


def _needs_more(result: Any, chosen: Mapping[str, Any], options: PairOptions) -> bool:
    """Tell a p-value that is near the least that so few resamples can give."""
    more = options.more_draws
    is_drawn = chosen.get("method") == "resampling"
    return more is not None and is_drawn and bool(result.pvalue <= more.limit)


def _choose_more(
    x: np.ndarray, y: np.ndarray, chosen: dict[str, Any], options: PairOptions
) -> dict[str, Any]:
    """Return options that give smaller p-values: an approximation, or more draws."""
    # Permutations of t to equal sizes are in the order of the mean.
    is_of_mean = chosen["statistic"] == "mean"
    is_of_mean |= options.test == "permutation" and len(x) == len(y)
    if is_of_mean and suits_saddlepoint(x, y, is_paired=options.is_paired):
        return chosen | {"method": "saddlepoint", "statistic": "mean"}
    more = options.more_draws
    return chosen if more is None else chosen | {"n_resamples": more.number}


def _read_result(
    x: np.ndarray,
    y: np.ndarray,
    options: PairOptions,
    result: Any,
    least: float,
    *,
    is_turned: bool,
) -> tuple[float, float, float]:
    """Return the statistic, how far A leads (0 for not at all), and the p-value.

    Of samples in the order of their names, which is another one where it is turned; the
    p-value is at least so large.
    """
    statistic, p_value = float(result.statistic), float(result.pvalue)
    if math.isnan(p_value):
        p_value = 1.0
    p_value = max(p_value, least)
    if options.test in TESTS_OF_RANKS and has_exact_ranks(len(x), len(y)):
        exact = p_value_of_ranks(x, y)
        p_value = exact if options.test == "mann-whitney" else max(p_value, exact)
    lead, turned = statistic, 0.0 - statistic
    if options.test in TESTS_OF_RANKS:
        lead = float(result.probability_of_improvement) - 0.5
    if options.test == "mann-whitney":
        turned = len(x) * len(y) - statistic
    return (turned, 0.0 - lead, p_value) if is_turned else (statistic, lead, p_value)


def _count_drawn(
    x: np.ndarray, y: np.ndarray, options: PairOptions, chosen: Mapping[str, Any]
) -> int:
    """Count the random resamples of a p-value, 0 where it needs none."""
    if chosen.get("method") != "resampling":
        return 0
    count = int(chosen["n_resamples"])
    if options.test != EXACT_TEST:
        return count
    ways = count_permutations(len(x), len(y), paired=options.is_paired)
    return 0 if ways <= count + 1 else count


def _draw_until_clear(
    x: np.ndarray,
    y: np.ndarray,
    options: PairOptions,
    chosen: dict[str, Any],
    result: Any,
) -> tuple[Any, int]:
    """Draw on, four times as often each time, where the seed would decide.

    Returns the result, and of how many resamples it is.
    """
    drawn = count = chosen["n_resamples"]
    is_near = functools.partial(
        is_near_any_level, alpha=options.alpha, n_comparisons=options.n_comparisons
    )
    while is_near(float(result.pvalue), drawn):
        count = 4 * (count + 1) - 1
        if count > _MOST_DRAWS or count * (len(x) + len(y)) > _MOST_DRAWN:
            break
        drawn = count
        result = FUNCTIONS[options.test](x, y, **chosen | {"n_resamples": drawn})
    return result, drawn


def _advise(options: PairOptions) -> str:
    ways = ["fewer models with --columns"]
    if options.n_resamples is not None:
        ways = ["--method saddlepoint", "--test t", "fewer --n-resamples", *ways]
    return f"Faster: {', '.join(ways)}."


def _guess_seconds(scores: Scores, options: PairOptions) -> float:
    """Guess how long the tests of all pairs take."""
    n_others = len(scores) - 1
    n_scores = n_others * sum(map(len, scores.values()))
    seconds = n_others * len(scores) / 2 * _SECONDS_PER_PAIR
    if options.n_resamples is None:
        return seconds + n_scores * _SECONDS_PER_SORTED_SCORE
    per_score = _SECONDS_PER_SCORE[options.test] * options.n_resamples
    drawn = sum(
        len(x) + len(y)
        for x, y in itertools.combinations(scores.values(), 2)
        if choose_method(x, y, options) == "resampling"
    )
    return seconds + (n_scores - drawn) * _SECONDS_PER_SORTED_SCORE + drawn * per_score
