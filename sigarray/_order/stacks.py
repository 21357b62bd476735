"""Scores of several models as one array for each size, and plans for their errors."""

import functools
import itertools
import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from sigarray._backend.callers import Array, warn_caller
from sigarray._backend.checks import represent
from sigarray._backend.dispatch import is_traced
from sigarray._backend.given import looks_like_index
from sigarray._backend.library import Library, broadcast_shapes
from sigarray._numeric.quantile import Grid
from sigarray._numeric.subsets import count_resamples
from sigarray._order.families import Family, can_decide, needed_size
from sigarray._order.pairs import Stacks, count_pairs, join, list_blocks


def list_models(scores: Any) -> list[Any]:
    if not isinstance(scores, list):
        return [scores]
    if len(scores) < 2:
        msg = f"Expected scores of two or more models; got {len(scores)}."
        raise ValueError(msg)
    return scores


def stack_by_size(
    xp: Library, samples: list[Array], *, is_one: bool
) -> tuple[Stacks, tuple[int, ...]]:
    """Return stacks of samples (..., n), or of (..., K, n), and places of models."""
    if is_one:
        (stack,) = samples
        if stack.ndim < 2 or stack.shape[-2] < 2:
            msg = (
                f"Expected scores of two or more models, shape (..., K, n); got shape "
                f"{tuple(stack.shape)} with the scores on the last axis."
            )
            raise ValueError(msg)
        return [stack], tuple(range(stack.shape[-2]))
    leading = broadcast_shapes(*(sample.shape[:-1] for sample in samples))
    samples = [xp.broadcast_to(x, (*leading, x.shape[-1])) for x in samples]
    sizes = [sample.shape[-1] for sample in samples]
    # Models are grouped by size, and sizes in the order of their first model.
    models = sorted(range(len(sizes)), key=lambda k: sizes.index(sizes[k]))
    stacks = [
        xp.stack([samples[k] for k in group], axis=-2)
        for _, group in itertools.groupby(models, key=lambda k: sizes[k])
    ]
    return stacks, tuple(models.index(k) for k in range(len(models)))


def check_place_of_models(
    scores: Any, axes: tuple[int, int], write: Callable[[tuple[int, ...]], str]
) -> None:
    """Refuse axes of tables that leave the last axis of one array to the models.

    They are counted as in a mapping or a list, whose arrays have no axis of models: the
    items or the tasks would be ranked. `write` says how axes are passed.
    """
    shape = tuple(scores.shape if hasattr(scores, "shape") else np.shape(scores))
    n_axes = len(shape)
    places = tuple(axis % n_axes for axis in axes if -n_axes <= axis < n_axes)
    if len(places) < len(axes) or n_axes - 1 in places:
        return
    from_the_end = tuple(place + 1 - n_axes for place in places)
    msg = (
        "Expected the models of one array on an axis before those of their scores; got "
        f"{write(axes)} for shape {shape}, which leaves the last axis, "
        f"{shape[-1]} long, to the models. If the models are in front, pass "
        f"{write(from_the_end)}, as for a mapping or list of arrays; if they are last, "
        "move that axis to the front."
    )
    raise ValueError(msg)


def name_models(scores: Any) -> tuple[list[Hashable] | None, Any]:
    if isinstance(scores, Mapping):
        if any(is_traced(x) for x in scores.values()):
            msg = (
                "Expected a list of scores where they are traced; got a mapping, which "
                "jax.jit may have sorted by its keys. Pass list(scores.values()), made "
                "before the jitted function is called."
            )
            raise TypeError(msg)
        return list(scores), list(scores.values())
    if hasattr(scores, "columns"):
        names = list(scores.columns)
        if len(set(names)) < len(names):
            msg = f"Expected another column name for each model; got {names}."
            raise ValueError(msg)
        columns = [scores[name] for name in names]
        _check_columns(names, columns)
        return names, columns
    if hasattr(scores, "ndim") or hasattr(scores, "__array__"):
        return None, scores
    return None, list(scores) if isinstance(scores, Iterable) else scores


def _check_columns(names: list[Any], columns: list[Any]) -> None:
    levels = next((x for x in names if isinstance(x, tuple) and len(x) > 1), None)
    if levels is not None:
        msg = (
            "Expected one column for each model; got columns with several names each, "
            f"such as {represent(levels)}. Choose the scores of one metric or task, "
            "such as frame['acc'], or pass a row for each score to compare_models."
        )
        raise ValueError(msg)
    for name, column in zip(names, columns, strict=True):
        kind = np.asarray(column).dtype
        if kind.kind not in "biuf":
            msg = (
                "Expected a column of numbers for each model; got "
                f"{represent(name)} of dtype {kind}. Leave it out, or make it numbers "
                "with .astype(float), or pass a row for each score to compare_models."
            )
            raise TypeError(msg)
        if looks_like_index(str(name), np.asarray(column).tolist()):
            msg = (
                "Expected a column of scores for each model; got "
                f"{represent(name)}, which looks like an index. Leave it out, or pass "
                "a mapping of the columns that are meant."
            )
            raise ValueError(msg)


def sort_stacks(xp: Library, stacks: Stacks) -> list[Array]:
    """Sort samples along the last axis, in units in which squares keep their bits.

    The unit is that of `find_scales`. A sample with a score that is not finite, and so
    at an end, becomes NaN.
    """
    # NumPy adds up in another order where memory has another.
    stacks = [xp.contiguous(xp.sort(x, axis=-1, stable=False)) for x in stacks]
    sizes = [xp.maximum(x[..., -1], -x[..., 0]) for x in stacks]
    stacks, scales = find_scales(xp, stacks, sizes)
    return [xp.rescale(x, scale) for x, scale in zip(stacks, scales, strict=True)]


def find_scales(
    xp: Library, stacks: Stacks, sizes: Sequence[Array]
) -> tuple[Stacks, list[Array]]:
    """Return stacks and the scale (..., K, 1) of each, from the sizes of its models.

    It is a power of two, one for all models that are compared, and changes no ratio; it
    is NaN for a sample with a score that is not finite. On the host, batch entries have
    scales of their own if one would hide scores of others.
    """
    if xp.is_host:
        stacks, sizes = _part_far_entries(xp, stacks, sizes)
    faults = [size - size for size in sizes]  # 0 or NaN
    scale = find_scale(xp, _largest_of_models(xp, sizes, stacks))[..., None]
    return stacks, [(scale + fault)[..., None] for fault in faults]


def _part_far_entries(
    xp: Library, stacks: Stacks, sizes: Sequence[Array]
) -> tuple[Stacks, Sequence[Array]]:
    """Repeat what batch entries share, if scores are far apart, and bring these nearer.

    Squares of others are lost beside a huge one, so that any huge value does. Warn of
    models that are beside several ones.
    """
    known = xp.concat([x.ravel() for x in sizes])
    share = 1.0 / math.sqrt(xp.finfo(known.dtype).max)
    if not known.size or known.min() >= share * known.max():
        return stacks, sizes
    known = known[(known > 0.0) & (known < xp.inf)]
    if not known.size or known.min() >= share * known.max():
        return stacks, sizes
    leading = broadcast_shapes(*(x.shape[:-1] for x in sizes))
    stacks = [xp.broadcast_to(x, (*leading, *x.shape[-2:])) for x in stacks]
    sizes = [xp.broadcast_to(x, (*leading, x.shape[-1])) for x in sizes]
    every = join(xp, sizes)
    every = xp.where(every < xp.inf, every, 0.0)
    are_small = (every > 0.0) & (every < share * xp.max(every, axis=-1, keepdims=True))
    has_pairs = xp.sum(are_small, axis=-1, keepdims=True) > 1
    near = (
        xp.max(xp.where(are_small, every, 0.0), axis=-1, keepdims=True) / share / 16.0
    )
    scores = xp.abs(join(xp, [xp.reshape(x, (*leading, -1)) for x in stacks]))
    is_huge = (scores > near) & (scores < xp.inf)
    largest = xp.max(xp.where(is_huge, scores, 0.0), axis=-1, keepdims=True)
    is_one = xp.all((scores == largest) | ~is_huge, axis=-1, keepdims=True)
    limit = xp.where(has_pairs & is_one, near, xp.inf)
    are_lost = (every > 0.0) & (every < share * xp.minimum(largest, limit))
    if xp.any(xp.sum(are_lost, axis=-1) > 1):
        warn_caller(
            f"Scores as far from 0 as {xp.max(largest):.3g} are beside others so small "
            "that differences between these may be lost. If they stand for failed "
            "runs, leave them out."
        )
    sizes = [xp.where(x < xp.inf, xp.minimum(x, limit), x) for x in sizes]
    limit = limit[..., None]
    return [xp.contiguous(xp.clip(x, -limit, limit)) for x in stacks], sizes


def _largest_of_models(xp: Library, sizes: Sequence[Array], stacks: Stacks) -> Array:
    """Return the largest absolute score of models that are compared and finite.

    Batch entries of a stack share it on axes where another stack broadcasts.
    """
    leading = broadcast_shapes(*(x.shape[:-1] for x in sizes))
    every = join(xp, [xp.broadcast_to(x, (*leading, x.shape[-1])) for x in sizes])
    largest = xp.max(xp.where(every < math.inf, every, 0.0), axis=-1)
    for axis in range(-1, -1 - largest.ndim, -1):
        is_shared = any(z.ndim < 2 - axis or z.shape[axis - 2] == 1 for z in stacks)
        if is_shared and largest.shape[axis] > 1:
            largest = xp.max(largest, axis=axis, keepdims=True)
    return largest


def find_scale(xp: Library, size: Array) -> Array:
    """Return the power of two that brings a size near 2^(3e/8), if 2^e is the largest.

    There sums of squares do not overflow, and squares of differences down to 2^-87
    times the size keep all of their bits (e = 128, float32; float64: 2^-842).
    """
    e = math.frexp(float(xp.finfo(size.dtype).max))[1]
    target = 3 * e // 8
    # The scale is below 2^e.
    size = xp.clip(size, 2.0 ** (target - e + 1), None)
    return xp.power_to_reach(target, size)


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
    if n_resamples < 2 and any(plan.method == "bootstrap" for plan in plans):
        msg = (
            f"Expected n_resamples of 2 or more, for the standard deviation of "
            f"their ratios; got {n_resamples}. Leave it out for 1000."
        )
        raise ValueError(msg)


def level_of(confidence_level: float, n_comparisons: int) -> float:
    return (1.0 - confidence_level) / n_comparisons


@functools.lru_cache(maxsize=64)
def list_doubts(
    sizes: tuple[int, ...], method: Method, family: Family
) -> Sequence[str]:
    """Say why the sizes of the samples make the bound doubtful."""
    doubts = [] if can_decide(sizes, family) else [say_too_few(sizes, family)]
    smallest = min(sizes)
    if method == "asymptotic" and smallest < _MIN_ASYMPTOTIC_SIZE:
        doubts.append(
            f"The normal limit of method='asymptotic' is for {_MIN_ASYMPTOTIC_SIZE} "
            f"scores a side or more, and not to be trusted for {smallest}. Use "
            f"method='auto'."
        )
    return doubts


def say_too_few(sizes: Sequence[int], family: Family) -> str:
    smallest, largest = min(sizes), max(sizes)
    few = f"{smallest}" if smallest == largest else f"{smallest} to {largest}"
    few += " score" if largest == 1 else " scores"
    are = "is" if largest == 1 else "are"
    among = f" of each of {len(sizes)} models" if len(sizes) > 2 else " a side"
    needed = needed_size(family)
    advice = f"Run each model {needed} times or more" if needed else "Run them again"
    if family.kind == "closed":
        alone = replace(family, kind="baseline", baseline=0)
        if can_decide(sizes, alone):
            advice += ", or compare the others with one baseline alone"
    return (
        f"{few}{among} {are} too few for any verdict at level {family.level:.3g}: "
        f"eps_min is 0.5 or more whatever they are. {advice}."
    )


def _log10_resamples(n: int) -> float:
    """Return log10 of C(2n-1, n), which has 600,000 digits for a million scores."""
    return (math.lgamma(2 * n) - math.lgamma(n + 1) - math.lgamma(n)) / math.log(10.0)
