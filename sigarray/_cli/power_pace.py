"""How long `sigarray power` takes: a few samples are compared, and timed."""

import time
from collections.abc import Mapping, Sequence
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
    if trials.number < _FEW:
        return 0.0
    seconds = 0.0
    with heard_by(None):
        for task, x in comparisons.items():
            tried = _guess_sizes(x, duels[task], power)
            tried += [len(x.scores[name]) for name in lifted.get(task, ())]
            if tried:
                tried.sort()
                sizes = sorted({tried[k * (len(tried) - 1) // 3] for k in (1, 2, 3)})
                costs = [_time_size(x, duels[task], trials, n, power) for n in sizes]
                seconds += float(np.sum(np.interp(tried, sizes, costs)))
    return seconds


def _time_size(
    x: Comparison, duels: Duels, trials: Trials, size: int, power: float
) -> float:
    """Guess the time of all samples of a size from that of few of them."""
    some = trials.number // _SHARE + 2
    counts = (1, 2, some)  # the first one may import modules
    _, few, more = (
        _time(x, duels, replace(trials, number=n), size, power) for n in counts
    )
    if more < _QUICK:
        return _time(x, duels, trials, size, power)
    return more + max(more - few, 0.0) / (some - 2) * (trials.number - some)


def _time(
    x: Comparison, duels: Duels, trials: Trials, size: int, power: float
) -> float:
    start = time.perf_counter()
    trials.share_better(dict(x.scores), size, duels, above=power, matched=x.matched)
    return time.perf_counter() - start


def _guess_sizes(comparison: Comparison, duels: Duels, power: float) -> list[int]:
    """Guess which sizes are tried."""
    if not duels:
        return []
    needed = [_guess_size(comparison, pair, power) for pair in duels]
    sizes = list_sizes(max(map(len, comparison.scores.values())))
    n_below = sum(n < max(needed) for n in sizes)
    refined = [round(n) for n in needed if DEFAULT_SIZES[4] < n < sizes[-1]]
    return [*sizes[: n_below + 1], *set(duels.values()), *_REFINED * refined]


def _guess_size(comparison: Comparison, pair: tuple[str, str], power: float) -> float:
    """Guess how many scores a pair needs, as if they were normal."""
    x, y = comparison.list_scores(*pair)
    variance = np.var(x - y) if comparison.is_paired else np.var(x) + np.var(y)
    error = comparison.error_of_intervals / (2.0 if comparison.margin is None else 1.0)
    if comparison.is_corrected:
        error /= comparison.n_comparisons
    distance = normal_quantile(power) - normal_quantile(error)
    return distance**2 * float(variance) / comparison.find_lead(*pair) ** 2
