"""The methods for standard errors, and whether sizes allow a verdict."""

import functools
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple, get_args

from sigarray._numeric.quantile import Grid
from sigarray._numeric.subsets import count_resamples
from sigarray._order.families import Family, can_decide, needed_size
from sigarray._order.pairs import Stacks, count_pairs, list_blocks

Method = Literal["auto", "bootstrap", "exact", "asymptotic"]

METHODS = get_args(Method)
# The most pairs of distinct resamples that "auto" enumerates, for one pair of models
# and for all together, and that "exact" accepts.
_MAX_AUTO_COMBINATIONS = 2**16
_MAX_AUTO_COMBINATIONS_IN_ALL = 2**24
_MAX_EXACT_COMBINATIONS = 2**24
# Resamples of more scores take more than 100 MiB to list.
_MAX_EXACT_SIZE = 11
# With more scores than this, "auto" compares 4000 quantiles or more.
_MAX_AUTO_SIZE = 2**15
_MIN_ASYMPTOTIC_SIZE = 200


class Plan(NamedTuple):
    """A method for standard errors, and the grid of quantiles to compare."""

    method: Method
    grid: Grid | None


def plan_errors(stacks: Stacks, method: Method, grid: Grid | None) -> tuple[Plan, ...]:
    """Plan the standard errors of each block of pairs, by its sizes."""
    n_pairs = count_pairs(stacks)
    return tuple(
        plan_error(method, stacks[g].shape[-1], stacks[h].shape[-1], grid, n_pairs)
        for g, h in list_blocks(stacks)
    )


@functools.lru_cache(maxsize=256)
def plan_error(
    method: Method, n: int, m: int, grid: Grid | None = None, n_pairs: int = 1
) -> Plan:
    """Resolve "auto", given the number of pairs; refuse too long an enumeration."""
    magnitude = _log10_resamples(n) + _log10_resamples(m)
    largest = max(n, m)
    if method == "auto":
        is_short = magnitude <= math.log10(_MAX_AUTO_COMBINATIONS)
        in_all = magnitude + math.log10(n_pairs)
        if is_short and in_all <= math.log10(_MAX_AUTO_COMBINATIONS_IN_ALL):
            return Plan("exact", grid)
        if grid is None and largest > _MAX_AUTO_SIZE:
            grid = Grid(n_scores=largest, n_others=0 if n == m else min(n, m))
        return Plan("bootstrap", grid)
    if method == "exact" and (
        largest > _MAX_EXACT_SIZE or magnitude > math.log10(_MAX_EXACT_COMBINATIONS)
    ):
        number = f"about 10^{magnitude:.0f}"
        if magnitude < 12:
            number = f"{count_resamples(n) * count_resamples(m):,}"
        msg = (
            f"Expected at most {_MAX_EXACT_COMBINATIONS:,} pairs of distinct resamples "
            f"for method='exact', of at most {_MAX_EXACT_SIZE} scores a side; got "
            f"{number} for {n} and {m} scores. Use method='bootstrap'."
        )
        raise ValueError(msg)
    return Plan(method, grid)


def check_resamples(plans: Sequence[Plan], n_resamples: int) -> None:
    """Refuse a single resample, which has no deviation, if a plan needs resamples."""
    if n_resamples < 2 and any(plan.method == "bootstrap" for plan in plans):
        msg = (
            f"Expected n_resamples of 2 or more, for the standard deviation of "
            f"their ratios; got {n_resamples}. Leave it out for 1000."
        )
        raise ValueError(msg)


def level_of(confidence_level: float, n_comparisons: int) -> float:
    """Return the level of each comparison, by Bonferroni."""
    return (1.0 - confidence_level) / n_comparisons


def list_doubts(stacks: Stacks, method: Method, family: Family) -> Iterator[str]:
    """Say why the sizes of the samples make the bound doubtful."""
    sizes = [stack.shape[-1] for stack in stacks for _ in range(stack.shape[-2])]
    if not can_decide(sizes, family):
        yield say_too_few(sizes, family)
    smallest = min(sizes)
    if method == "asymptotic" and smallest < _MIN_ASYMPTOTIC_SIZE:
        yield (
            f"The normal limit of method='asymptotic' is for {_MIN_ASYMPTOTIC_SIZE} "
            f"scores a side or more, and not to be trusted for {smallest}. Use "
            f"method='auto'."
        )


def say_too_few(sizes: Sequence[int], family: Family) -> str:
    """Say that these sizes can decide nothing, and how many scores would."""
    smallest, largest = min(sizes), max(sizes)
    few = f"{smallest}" if smallest == largest else f"{smallest} to {largest}"
    among = f" of each of {len(sizes)} models" if len(sizes) > 2 else " a side"
    needed = needed_size(family)
    advice = f"Run each model {needed} times or more" if needed else "Run them again"
    if family.kind == "closed":
        alone = replace(family, kind="baseline", baseline=0)
        if can_decide(sizes, alone):
            advice += ", or compare the others with one baseline alone"
    return (
        f"{few} scores{among} are too few for any verdict at level {family.level:.3g}: "
        f"eps_min is 0.5 or more whatever they are. {advice}."
    )


def _log10_resamples(n: int) -> float:
    """Return log10 of C(2n-1, n), which has 600,000 digits for a million scores."""
    return (math.lgamma(2 * n) - math.lgamma(n + 1) - math.lgamma(n)) / math.log(10.0)
