"""Almost stochastic order of every two models of a table of scores, on the host."""

import itertools
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sigarray import multi_aso
from sigarray._cli.progress import announce
from sigarray._numeric.quantile import even_grid
from sigarray._order.from_chunks import multi_aso_of_samples
from sigarray._order.plans import Method, Plan, plan_error
from sigarray.read._stored import StoredScores
from sigarray.results import PairwiseAsoResult

# Arrays, or what is on the disk.
Samples = Mapping[str, Any]

# Of 6000 pairs of normal samples of one distribution: the docstring of `aso`.
_MANY_RUNS = 10
_FEW_RUNS = (
    "; of two models that are the same, one is declared better, one way or the other, "
    "in 13, 8 and 5 % of cases with 3, 5 and 20 runs of each (eps_min < 0.2 at "
    "confidence 0.95)"
)
# Bounds of 1000 resamples vary by a quarter of themselves where the ratio is near 0.
_NEAR, _MANY_RESAMPLES = 0.75, 10_000
# For a guess at the time: for each score of each resample of a pair.
_SECONDS_PER_SCORE = 3e-8


@dataclass(frozen=True)
class OrderOptions:
    """How to find the bounds eps_min, and below which of them a model is better."""

    threshold: float = 0.2
    confidence_level: float = 0.95
    method: Method = "auto"
    n_resamples: int = 1000
    seed: int = 0
    dt: float | None = None


def run_orders(
    scores: Samples,
    options: OrderOptions,
    *,
    is_corrected: bool,
    higher_is_better: bool,
    share: float = 1.0,
) -> PairwiseAsoResult:
    """Compare every two models, at a share of 1 - confidence level."""
    _announce(scores, options)
    level = options.confidence_level
    if share < 1.0:
        level = 1.0 - (1.0 - level) * share
    shared: dict[str, Any] = {
        "confidence_level": level,
        "n_resamples": options.n_resamples,
        "dt": options.dt,
        "rng": options.seed,
    }
    stored = [x.sample for x in scores.values() if isinstance(x, StoredScores)]
    if stored:
        return multi_aso_of_samples(
            stored, list(scores), is_corrected=is_corrected, **shared
        )
    result = multi_aso(
        scores,
        correction="bonferroni" if is_corrected else None,
        method=options.method,
        higher_is_better=higher_is_better,
        **shared,
    )
    _doubt(scores, options, result)
    return result


def _doubt(scores: Samples, options: OrderOptions, result: PairwiseAsoResult) -> None:
    """Warn of bounds that are so near to the threshold that a seed may decide."""
    is_drawn = any(plan.method == "bootstrap" for plan in _plan(scores, options))
    ratio = np.asarray(result.eps_min) / options.threshold
    n_near = int(np.count_nonzero((ratio > _NEAR) & (ratio < 1.0 / _NEAR)))
    if is_drawn and n_near and options.n_resamples < _MANY_RESAMPLES:
        some = "bound eps_min is" if n_near == 1 else "bounds eps_min are"
        warnings.warn(
            f"{n_near} {some} near {options.threshold:g}, where another seed may "
            f"decide otherwise: take --n-resamples {_MANY_RESAMPLES}.",
            UserWarning,
            stacklevel=2,
        )


def describe_orders(scores: Samples, options: OrderOptions) -> str:
    """Say how almost stochastic order was decided; pairs may differ in their sizes."""
    drawn = f"{options.n_resamples} resamples, seed {options.seed}"
    said = []
    for method, grid in _plan(scores, options):
        if method == "exact":
            said.append("enumeration of all resamples")
        elif method == "asymptotic":
            said.append("asymptotic standard error")
        elif grid is None:
            said.append(f"bootstrap with {drawn}")
        else:
            said.append(f"bootstrap of {grid.size:,} quantiles with {drawn}")
    which = "by the sizes of the two samples " if len(said) > 1 else ""
    few = _FEW_RUNS if min(map(len, scores.values())) < _MANY_RUNS else ""
    return f"almost stochastic order, {which}{' or '.join(said)}{few}"


def _plan(scores: Samples, options: OrderOptions) -> list[Plan]:
    """Give the plans of all pairs, each of them once."""
    sizes = sorted(len(column) for column in scores.values())
    pairs = list(itertools.combinations(sizes, 2))
    plans = (
        plan_error(options.method, n, m, even_grid(options.dt), len(pairs))
        for n, m in dict.fromkeys(pairs)
    )
    return list(dict.fromkeys(plans))


def _announce(scores: Samples, options: OrderOptions) -> None:
    n_scores = (len(scores) - 1) * sum(map(len, scores.values()))
    plans = _plan(scores, options)
    is_drawn = any(plan.method == "bootstrap" for plan in plans)
    n_resamples = options.n_resamples if is_drawn else 1
    if all(plan.grid is not None for plan in plans):
        n_scores = sum(plan.grid.size for plan in plans if plan.grid) * len(scores) ** 2
    announce(
        f"almost stochastic order of {len(scores)} models",
        _SECONDS_PER_SCORE * n_scores * n_resamples,
        "Faster: --test t, --method asymptotic, fewer --n-resamples, fewer models "
        "with --columns.",
    )
