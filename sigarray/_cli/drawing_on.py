"""Draw on where a bound is so near the threshold that the seed would decide."""

import math
import warnings
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from sigarray._backend.seeds import name_streams, seed_words
from sigarray._numeric.quantile import even_grid
from sigarray._numeric.special import student_quantile
from sigarray._order.errors import MIN_SIZE_OF_PERCENTILES
from sigarray._order.plans import Method, plan_error
from sigarray._order.ratio import bootstrap_ratios
from sigarray.results import PairwiseAsoResult

# A bound is clear of the threshold where it is so many of its Monte-Carlo errors away,
# by the bounds of so many parts of the resamples; they are doubled up to this number.
_CLEAR, _PARTS, _MOST = 4.0, 16, 2**18
# Resamples beyond a percentile, at the least.
_MIN_BEYOND = 20


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
    undecided = []
    for i, j in np.argwhere(bounds < 0.5):
        n, m = (len(scores[names[k]]) for k in (i, j))
        plan = plan_error(
            options.method, n, m, even_grid(options.dt), math.comb(len(names), 2)
        )
        if plan.method != "bootstrap":
            continue
        ratio = float(result.violation_ratio[i, j])
        samples = [sign * np.asarray(scores[names[k]], dtype=float) for k in (i, j)]
        count = options.n_resamples
        found = np.zeros(0)
        while True:
            more = bootstrap_ratios(
                np,
                [x[None, :] for x in samples],
                seed_words(np, "cpu", options.seed),
                len(found),
                streams=tuple((x,) for x in name_streams([names[i], names[j]])),
                count=count - len(found),
                grid=plan.grid,
                batch=None,
            )[0]
            found = np.concatenate([found, more])
            smallest = min(n, m)
            bound, error = _find_bound(found, ratio, smallest, level)
            parts = [
                _find_bound(x, ratio, smallest, level)[0]
                for x in np.array_split(found, _PARTS)
            ]
            doubt = float(np.std(parts, ddof=1)) / math.sqrt(_PARTS)
            is_clear = abs(bound - options.threshold) >= _CLEAR * doubt
            if is_clear or count >= _MOST:
                break
            count *= 2
        if count > options.n_resamples:
            bounds[i, j] = bound
            errors[i, j] = errors[j, i] = error
        if not is_clear:
            undecided.append(f"{names[i]} over {names[j]}")
            bounds[i, j] = max(bound, options.threshold)
    if undecided:
        warnings.warn(
            f"eps_min of {', '.join(undecided)} is {options.threshold:g} up to the "
            f"error of {_MOST:,} resamples: it is a toss-up, and neither is called "
            "better.",
            UserWarning,
            stacklevel=2,
        )
    return result._replace(eps_min=bounds, standard_error=errors)


def _find_bound(
    replicates: np.ndarray, ratio: float, smallest: int, level: float
) -> tuple[float, float]:
    """Give the bound and the standard error, as `aso` finds them."""
    error = float(np.std(replicates)) * math.sqrt(smallest / (smallest - 1))
    bound = ratio - student_quantile(level, smallest - 1) * error
    if smallest >= MIN_SIZE_OF_PERCENTILES:
        n_beyond = max(math.floor(level * (len(replicates) + 1)), _MIN_BEYOND)
        place = len(replicates) - min(n_beyond, len(replicates))
        bound = max(bound, float(np.partition(replicates, place)[place]))
    return min(max(bound, 0.0), 1.0), error
