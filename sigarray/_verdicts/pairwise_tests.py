"""Two-sided tests of every two models of a table of scores, on the host."""

import functools
import itertools
import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sigarray._difference.proportions import proportion_test
from sigarray._resampling.draws import count_permutations
from sigarray._verdicts.asked import (
    COUNTED,
    EXACT_TEST,
    FUNCTIONS,
    PAIRED_TESTS,
    RESAMPLING_TESTS,
    SCORED,
    TESTS_OF_RANKS,
    PairOptions,
    choose_method,
    choose_statistic,
    is_bounded_by_welch,
    is_by_score,
)
from sigarray._verdicts.comparison import pairs_of
from sigarray._verdicts.decisions import PairTest
from sigarray._verdicts.floors import (
    compare_by_exchanges,
    find_p_values,
    has_exact_ranks,
    p_value_of_ranks,
    suits_saddlepoint,
)
from sigarray._verdicts.near_levels import Resampled, draw_on
from sigarray.read._messages import announce, track
from sigarray.read._wide import Scores

Pair = tuple[str, str]
# For a guess at the time: of each pair, and of each score (in each resample).
_SECONDS_PER_PAIR = 5e-4
_SECONDS_PER_SCORE = {"bootstrap": 1e-8, "permutation": 1e-8}
_SECONDS_PER_SORTED_SCORE = 2e-7
# The most scores in one call, and the most pairs that are permuted one by one.
_MOST_HELD, _FEW_PAIRS = 2**20, 4


def run_pairwise(
    scores: Scores, options: PairOptions, *, higher_is_better: bool
) -> list[PairTest]:
    """Test every two models, without a correction for their number.

    Each pair gets the same seed, and is tested in the order of its names, so that its
    p-value does not depend on the order of the columns or on other models.
    """
    pairs = pairs_of(scores, options.baseline)
    announce(
        f"{options.test} for {len(pairs)} {'pair' if len(pairs) == 1 else 'pairs'}",
        guess_seconds(scores, options),
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
    """Test pairs of models, without announcing it.

    Pairs with the same settings are tested in one call, for they share resamples: first
    the number that is asked for, then more where p is near the least possible. With a
    margin, the first model of a pair is that which may be worse by it.
    """
    chosen = {
        pair: _choose_settings(
            *_scores_of(scores, pair),
            options,
            # That of the model whose name is the first.
            is_greater=(pair[0] < pair[1]) == higher_is_better,
        )
        for pair in pairs
    }
    results = _test_together(scores, chosen, options)
    observed = {pair: x.statistic for pair, x in results.items()}
    more = {
        pair: _choose_more(*_scores_of(scores, pair), settings, options)
        for pair, settings in chosen.items()
        if _needs_more(results[pair], settings, options)
    }
    chosen |= more
    of_all = {}
    if options.test == "permutation" and options.margin is None:
        of_all = _permute_all(scores, more)
    results |= {pair: results[pair]._replace(pvalue=p) for pair, p in of_all.items()}
    more = {pair: settings for pair, settings in more.items() if pair not in of_all}
    results |= _test_together(scores, more, options)
    limits = _find_least_p_values(scores, chosen, options)
    tests = []
    for a, b in track(pairs, "Pair"):
        x, y = _scores_of(scores, (a, b))
        result, settings = results[a, b], chosen[a, b]
        n_drawn = _count_drawn(x, y, options, settings)
        least = limits.get((a, b), 0.0)
        if least > float(result.pvalue):
            n_drawn = 0  # more draws would not change p
        elif n_drawn and options.draws_on:
            found = result, float(result.pvalue), n_drawn
            draw = functools.partial(_draw_again, x, y, options, settings)
            result, _, n_drawn = draw_on(found, draw, options, len(x) + len(y))
        is_by_welch = least > float(result.pvalue)
        result = result._replace(statistic=observed[a, b])
        statistic, lead, p = _read_result(x, y, options, result, least, is_turned=a > b)
        is_first = (lead > 0.0) == higher_is_better
        leader = None if lead == 0.0 else a if is_first else b
        share = 0.5 + lead if options.test in TESTS_OF_RANKS else None
        tests.append(PairTest(statistic, p, leader, n_drawn, share, is_by_welch))
    return tests


def _find_least_p_values(
    scores: Scores, chosen: Mapping[Pair, dict[str, Any]], options: PairOptions
) -> dict[Pair, float]:
    """Return lower limits of p-values: Welch's, which is 1 if neither varies."""
    sides = {
        pair: {k: x for k, x in settings.items() if k in ("alternative", "margin")}
        for pair, settings in chosen.items()
        if is_bounded_by_welch(*_scores_of(scores, pair), options)
    }
    found = _test_together(scores, sides, replace(options, test="t"))
    return {
        pair: 1.0 if math.isnan(x.pvalue) else float(x.pvalue)
        for pair, x in found.items()
    }


def _choose_settings(
    x: np.ndarray, y: np.ndarray, options: PairOptions, *, is_greater: bool
) -> dict[str, Any]:
    settings: dict[str, Any] = {"alternative": "two-sided"}
    if options.test in PAIRED_TESTS:
        settings["paired"] = options.is_paired
    if options.margin is not None:
        settings["alternative"] = "greater" if is_greater else "less"
        settings["margin"] = options.margin
        if is_by_score(x, y, options):
            return settings | {"method": SCORED}
    if options.test == "t":
        settings["test_share"] = options.test_share
    if options.test in RESAMPLING_TESTS:
        settings |= {
            "n_resamples": options.n_resamples,
            "rng": options.seed,
            "method": choose_method(x, y, options),
            "statistic": choose_statistic(x, y, options),
        }
    return settings


def _scores_of(scores: Scores, pair: Pair) -> tuple[np.ndarray, np.ndarray]:
    first, second = sorted(pair)
    return scores[first], scores[second]


def _test_together(
    scores: Scores, chosen: Mapping[Pair, dict[str, Any]], options: PairOptions
) -> dict[Pair, Any]:
    groups: dict[Hashable, list[Pair]] = {}
    for pair, settings in chosen.items():
        x, y = _scores_of(scores, pair)
        key = len(x), len(y), x.dtype, y.dtype, tuple(settings.items())
        groups.setdefault(key, []).append(pair)
    results: dict[Pair, Any] = {}
    for group in groups.values():
        settings, function = chosen[group[0]], FUNCTIONS[options.test]
        if settings.get("method") == SCORED:
            function = proportion_test
            settings = {key: x for key, x in settings.items() if key != "method"}
        step = max(1, _MOST_HELD // sum(map(len, _scores_of(scores, group[0]))))
        for start in range(0, len(group), step):
            some = group[start : start + step]
            every = [_scores_of(scores, pair) for pair in some]
            if settings.get("method") == COUNTED:
                for pair, samples in zip(some, every, strict=True):
                    results[pair] = compare_by_exchanges(*samples)
                continue
            if len(some) == 1:
                results[some[0]] = function(*every[0], **settings)
                continue
            result = function(*map(np.stack, zip(*every, strict=True)), **settings)
            for k, pair in enumerate(some):
                results[pair] = type(result)(*(field[k] for field in result))
    return results


def _permute_all(
    scores: Scores, chosen: Mapping[Pair, dict[str, Any]]
) -> dict[Pair, float]:
    """Return p-values of pairs, if many have one size and are permuted in one way."""
    groups: dict[Hashable, list[Pair]] = {}
    for pair, settings in chosen.items():
        n, m = (len(x) for x in _scores_of(scores, pair))
        if settings["method"] == "resampling" and n == m:
            key = n, settings["n_resamples"], settings["rng"], settings["paired"]
            groups.setdefault(key, []).append(pair)
    by_pair: dict[Pair, float] = {}
    for pairs in groups.values():
        settings = chosen[pairs[0]]
        if len(pairs) > _FEW_PAIRS:
            ordered = {pair: (min(pair), max(pair)) for pair in pairs}
            p_values = find_p_values(
                scores,
                list(ordered.values()),
                paired=settings["paired"],
                n_resamples=settings["n_resamples"],
                seed=settings["rng"],
            )
            by_pair |= {x: p_values[y] for x, y in ordered.items() if y in p_values}
    return by_pair


def _needs_more(result: Any, settings: Mapping[str, Any], options: PairOptions) -> bool:
    more = options.more_draws
    is_drawn = settings.get("method") == "resampling"
    return more is not None and is_drawn and bool(result.pvalue <= more.limit)


def _choose_more(
    x: np.ndarray, y: np.ndarray, settings: dict[str, Any], options: PairOptions
) -> dict[str, Any]:
    # With equal sizes, t orders permutations as the mean does.
    is_of_mean = settings["statistic"] == "mean"
    if options.test == "permutation":
        # With a margin, samples of unequal sizes are compared by t.
        is_of_mean = len(x) == len(y) or (is_of_mean and options.margin is None)
    if is_of_mean and suits_saddlepoint(x, y, is_paired=options.is_paired):
        return settings | {"method": "saddlepoint", "statistic": "mean"}
    more = options.more_draws
    return settings if more is None else settings | {"n_resamples": more.number}


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

    The samples are in the order of their names; `is_turned` if A is the second of them.
    The p-value is at least `least`.
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
    x: np.ndarray, y: np.ndarray, options: PairOptions, settings: Mapping[str, Any]
) -> int:
    """Return the number of random resamples of a p-value, 0 if it needs none."""
    if settings.get("method") != "resampling":
        return 0
    count = int(settings["n_resamples"])
    if options.test != EXACT_TEST:
        return count
    ways = count_permutations(len(x), len(y), paired=options.is_paired)
    return 0 if ways <= count else count


def _draw_again(
    x: np.ndarray,
    y: np.ndarray,
    options: PairOptions,
    settings: dict[str, Any],
    count: int,
) -> Resampled:
    settings = settings | {"n_resamples": count}
    result = FUNCTIONS[options.test](x, y, **settings)
    return result, float(result.pvalue), count


def _advise(options: PairOptions) -> str:
    ways = ["fewer models with --columns"]
    if options.n_resamples is not None:
        ways = ["--method saddlepoint", "--test t", "fewer --n-resamples", *ways]
    return f"Faster: {', '.join(ways)}."


def guess_seconds(scores: Scores, options: PairOptions) -> float:
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
