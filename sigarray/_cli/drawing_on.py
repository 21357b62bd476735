"""Draw on where a bound is so near the threshold that the seed would decide."""

import functools
import math
import warnings
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np

from sigarray._backend.seeds import name_streams, seed_words
from sigarray._numeric.quantile import even_grid
from sigarray._numeric.special import student_quantile
from sigarray._order.percentiles import count_beyond, has_percentiles
from sigarray._order.plans import Method, plan_error
from sigarray._order.ratio import bootstrap_ratios
from sigarray.results import PairwiseAsoResult

# A bound is clear of the threshold where it is so many of its Monte-Carlo errors away,
# by the bounds of so many parts of the resamples, each of so many at the least; they
# are doubled up to this number.
_CLEAR, _PARTS, _LEAST, _MOST = 4.0, 16, 20, 2**18


class Options(Protocol):
    """What is asked of `OrderOptions`."""

    @property
    def threshold(self) -> float: ...
    @property
    def n_resamples(self) -> int: ...
    @property
    def seed(self) -> int: ...
    @property
    def dt(self) -> float | None: ...
    @property
    def method(self) -> Method: ...


def draw_on(
    scores: Mapping[str, Any],
    result: PairwiseAsoResult,
    options: Options,
    *,
    level: float,
    sign: float,
) -> PairwiseAsoResult:
    """Give the result with bounds that are clear of the threshold, or above it.

    Only of pairs whose equality is rejected: no bound of the others can be below 0.5.
    Where 2^18 resamples do not tell on which side it is, no model is called better.
    """
    names = list(scores)
    bounds = np.array(result.eps_min, dtype=float)
    errors = np.array(result.standard_error, dtype=float)
    n_pairs = math.comb(len(names), 2)
    undecided = []
    for i, j in np.argwhere(bounds < 0.5):
        pair = [names[i], names[j]]
        samples = [sign * np.asarray(scores[name], dtype=float) for name in pair]
        sizes = len(samples[0]), len(samples[1])
        plan = plan_error(options.method, *sizes, even_grid(options.dt), n_pairs)
        if plan.method != "bootstrap":
            continue
        find_bound = functools.partial(
            _find_bound,
            ratio=float(result.violation_ratio[i, j]),
            smallest=min(sizes),
            level=level,
            has_percentile=has_percentiles(*sizes, n_pairs, options.n_resamples),
        )
        draw = functools.partial(
            bootstrap_ratios,
            np,
            [x[None, :] for x in samples],
            seed_words(np, "cpu", options.seed),
            streams=tuple((x,) for x in name_streams(pair)),
            grid=plan.grid,
            batch=None,
        )
        drawn = _draw_until_clear(draw, find_bound, options)
        if drawn.n_resamples > options.n_resamples:
            bounds[i, j] = drawn.bound
            errors[i, j] = errors[j, i] = drawn.error
        if not drawn.is_clear:
            undecided.append(f"{names[i]} over {names[j]}")
            bounds[i, j] = max(drawn.bound, options.threshold)
    if undecided:
        warnings.warn(
            f"eps_min of {', '.join(undecided)} is {options.threshold:g} up to the "
            f"error of {_MOST:,} resamples: it is a toss-up, and neither is called "
            "better.",
            UserWarning,
            stacklevel=2,
        )
    return result._replace(eps_min=bounds, standard_error=errors)


class Drawn(NamedTuple):
    """A bound, its standard error, of how many replicates, and if it is clear."""

    bound: float
    error: float
    n_resamples: int
    is_clear: bool


def _draw_until_clear(
    draw: Callable[..., np.ndarray],
    find_bound: Callable[..., tuple[float, float]],
    options: Options,
) -> Drawn:
    """Double the replicates until their bound is clear of the threshold."""
    found = np.zeros(0)
    count = max(options.n_resamples, _PARTS * _LEAST)
    while True:
        more = draw(len(found), count=count - len(found))[0]
        found = np.concatenate([found, more])
        bound, error = find_bound(found)
        parts = [
            find_bound(part, n_in_all=count)[0]
            for part in np.array_split(found, _PARTS)
        ]
        doubt = float(np.std(parts, ddof=1)) / math.sqrt(_PARTS)
        is_clear = abs(bound - options.threshold) >= _CLEAR * doubt
        if is_clear or count >= _MOST:
            return Drawn(bound, error, count, is_clear)
        count *= 2


def _find_bound(
    replicates: np.ndarray,
    n_in_all: int = 0,
    *,
    ratio: float,
    smallest: int,
    level: float,
    has_percentile: bool,
) -> tuple[float, float]:
    """Give the bound and the standard error, as `multi_aso` finds them.

    Of a part of the replicates, the percentile is that of all of them.
    """
    error = float(np.std(replicates)) * math.sqrt(smallest / (smallest - 1))
    bound = ratio - student_quantile(level, smallest - 1) * error
    if has_percentile:
        count = len(replicates)
        share = count_beyond(level, n_in_all or count) / (n_in_all or count)
        place = count - max(1, round(share * count))
        bound = max(bound, float(np.partition(replicates, place)[place]))
    return min(max(bound, 0.0), 1.0), error
