"""Pairs of models that are inconclusive because of the sets with a third model.

In a closed test a pair is told apart only if every set of models with both is rejected.
So one model, of which a run failed, may keep all other pairs from a verdict.
"""

import warnings
from collections import defaultdict

import numpy as np

from sigarray._order.blocking import find_told_without
from sigarray._order.families import family_of
from sigarray._plain_text import quote
from sigarray._verdicts.comparison import Comparison
from sigarray._verdicts.notes import heard_by
from sigarray._verdicts.orders import CLOSED, OrderOptions, run_orders
from sigarray._verdicts.ranking import MAX_SHOWN
from sigarray.report._numbers import show_bound
from sigarray.results import PairwiseAsoResult

# Pairs in a sentence.
_MOST_NAMED = 3
# Models of which one more is shown to block the same pair.
_MOST_BLOCKING = 2


def say_blocked(
    comparison: Comparison, result: PairwiseAsoResult, options: OrderOptions
) -> tuple[list[str], list[str]]:
    """Say which model keeps pairs from a verdict, a line for each such model or two.

    And what to do about it. Nothing for more than 12 models.
    """
    scores = comparison.scores
    names = comparison.names
    is_closed = comparison.is_corrected and comparison.correction == CLOSED
    is_whole = comparison.baseline is None and 2 < len(names) <= MAX_SHOWN
    in_memory = all(isinstance(x, np.ndarray) for x in scores.values())
    p_values = np.asarray(result.pvalue)
    level = 1.0 - comparison.confidence_level
    if not (is_closed and is_whole and in_memory) or not np.any(p_values > level):
        return [], []
    family = family_of(len(names), level)
    sign = 1.0 if comparison.higher_is_better else -1.0
    told = find_told_without([sign * x for x in scores.values()], family)
    # (blocking models) -> the pairs that they block, with their bounds.
    blocked: dict[tuple[str, ...], list[str]] = defaultdict(list)
    bounds: dict[int, np.ndarray] = {}
    for a, b in comparison.pairs:
        i, j = names.index(a), names.index(b)
        places = [k for k in range(len(names)) if told[k, i, j]]
        if p_values[i, j] <= level or not 0 < len(places) <= _MOST_BLOCKING:
            continue
        k = places[0]
        if k not in bounds:
            bounds[k] = _find_bounds(comparison, names[k], options)
        lead, trail = (j, i) if bounds[k][j, i] < bounds[k][i, j] else (i, j)
        bound = float(bounds[k][lead, trail])
        if bound < comparison.threshold:
            shown = show_bound(bound, comparison.threshold)
            pair = f"{quote(names[lead])} vs. {quote(names[trail])}"
            said = f"{pair} (eps_min would be {shown})"
            blocked[tuple(quote(names[place]) for place in places)].append(said)
    advice = [
        f"See whether a run of {' or '.join(models)} failed; to leave a model out for "
        "its scores would make false alarms more frequent than stated."
        for models in blocked
    ]
    return [_say(models, pairs) for models, pairs in blocked.items()], advice


def _find_bounds(
    comparison: Comparison, model: str, options: OrderOptions
) -> np.ndarray:
    """Return eps_min where the sets of a model do not count, at the same levels."""
    scores = dict(comparison.scores)
    scores[model] = np.full(len(scores[model]), np.nan)
    with warnings.catch_warnings(), heard_by(None):
        warnings.simplefilter("ignore", UserWarning)
        results = run_orders(
            {"": scores},
            options,
            is_corrected=True,
            higher_is_better=comparison.higher_is_better,
        )
    return np.asarray(results[""].eps_min)


def _say(models: tuple[str, ...], pairs: list[str]) -> str:
    named = ", ".join(pairs[:_MOST_NAMED])
    if len(pairs) > _MOST_NAMED:
        named += f" and {len(pairs) - _MOST_NAMED} more"
    blocking = " or ".join(models)
    return (
        f"Inconclusive because of {blocking}: {named}. A pair gets a verdict only if "
        "the tests of all sets of models with both reject that they are equal, and one "
        f"of a set with {blocking} does not."
    )
