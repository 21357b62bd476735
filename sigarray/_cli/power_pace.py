"""How long `sigarray power` takes: a few samples are compared, and timed."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from sigarray._cli.power_sizes import Duels, list_sizes
from sigarray._numeric.special import normal_quantile
from sigarray._power_analysis import DEFAULT_SIZES
from sigarray._verdicts.comparison import Comparison
from sigarray._verdicts.notes import heard_by
from sigarray._verdicts.samples import Trials

# About so many sizes are tried for a pair between two of the sizes that are doubled.
_REFINED = 2
# Of so many samples some are timed. Fewer take no time that is worth a word.
_FEW, _SHARE = 20, 5
# Seconds in which these are compared so fast that all can be.
_QUICK = 0.02


def guess_seconds(
    comparisons: Mapping[str, Comparison],
    duels: Mapping[str, Duels],
    trials: Trials,
    power: float,
    lifted: Mapping[str, Sequence[str]],
) -> float:
    """Guess the time from that of some samples of a few sizes on each task.

    The models in `lifted` have their scores lifted, too.
    """
    seconds = 0.0
    for task, x in comparisons.items():
        found = duels[task]
        needed = [_guess_size(x, pair, power) for pair in found]
        most = max(map(len, x.scores.values()))
        tried = guess_sizes(needed, most, found.values())
        tried += [len(x.scores[name]) for name in lifted.get(task, ())]

        def compare(
            number: int, size: int, x: Comparison = x, duels: Duels = found
        ) -> object:
            some = replace(trials, number=number, tasks={})
            scores = dict(x.scores)
            return some.share_better(
                scores, size, duels, above=power, matched=x.matched
            )

        seconds += guess_time(tried, trials.number, compare)
    return seconds


def guess_time(
    tried: Sequence[int], number: int, compare: Callable[[int, int], object]
) -> float:
    """Guess the time of so many samples of each size that is tried.

    `compare` compares a number of samples of a size.
    """
    if number < _FEW or not tried:
        return 0.0
    tried = sorted(tried)
    sizes = sorted({tried[k * (len(tried) - 1) // 3] for k in (1, 2, 3)})
    with heard_by(None):
        costs = [_time_size(number, n, compare) for n in sizes]
    return float(np.sum(np.interp(tried, sizes, costs)))


def _time_size(number: int, size: int, compare: Callable[[int, int], object]) -> float:
    """Guess the time of all samples of a size from that of few of them."""
    some = number // _SHARE + 2
    counts = (1, 2, some)  # the first one may import modules
    _, few, more = (_time(n, size, compare) for n in counts)
    if more < _QUICK:
        return _time(number, size, compare)
    return more + max(more - few, 0.0) / (some - 2) * (number - some)


def _time(number: int, size: int, compare: Callable[[int, int], object]) -> float:
    start = time.perf_counter()
    compare(number, size)
    return time.perf_counter() - start


def guess_sizes(
    needed: Sequence[float], most: int, present: Iterable[int]
) -> list[int]:
    """Guess which sizes are tried, by those that pairs need.

    Models have as many scores as `most`, and pairs those that are `present`.
    """
    if not needed:
        return []
    sizes = list_sizes(most)
    n_below = sum(n < max(needed) for n in sizes)
    refined = [round(n) for n in needed if DEFAULT_SIZES[4] < n < sizes[-1]]
    return [*sizes[: n_below + 1], *set(present), *_REFINED * refined]


def _guess_size(comparison: Comparison, pair: tuple[str, str], power: float) -> float:
    """Guess how many scores a pair needs, as if they were normal."""
    x, y = comparison.list_scores(*pair)
    variance = np.var(x - y) if comparison.is_paired else np.var(x) + np.var(y)
    error = comparison.error_of_intervals / (2.0 if comparison.margin is None else 1.0)
    if comparison.is_corrected:
        error /= comparison.n_comparisons
    distance = normal_quantile(power) - normal_quantile(error)
    return distance**2 * float(variance) / comparison.find_lead(*pair) ** 2
