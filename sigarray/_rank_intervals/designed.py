"""Ranks of models by sums, on the same items, of clusters, or with labels of strata.

The differences of models that share their items have errors of their own, by which all
of them are drawn together; other models have each a stream of their own.
"""

import functools
import math
from collections.abc import Mapping, Sequence
from typing import Any

from sigarray._backend.callers import Array, Seed, Statistic
from sigarray._backend.checks import represent
from sigarray._backend.chunks import map_entries
from sigarray._backend.codes import list_values, order_labels
from sigarray._backend.dispatch import standardize
from sigarray._backend.given import has_labels
from sigarray._backend.library import Library, broadcast_shapes
from sigarray._backend.public import array_kernel
from sigarray._backend.seeds import name_streams, number_streams, stream_seeds
from sigarray._backend.tables import standardize_columns
from sigarray._difference.influences import find_influences
from sigarray._difference.resampling import Prepared, in_dtype
from sigarray._difference.strata import arrange_strata, code_strata, is_axis
from sigarray._difference.units import prepare_items, prepare_units
from sigarray._numeric.designs import Design, DesignArrays, find_errors_by_design
from sigarray._numeric.faults import spread_faults
from sigarray._numeric.statistic import (
    apply_statistic,
    check_sizes,
    rounding_of,
    standard_deviation,
)
from sigarray._numeric.sums import SumStatistic, check_count, list_numbers, uses_sums
from sigarray._order.pairs import join
from sigarray._rank_intervals.comparisons import (
    Estimates,
    Levels,
    center_stack,
    rank_estimates,
    split_ranks,
)
from sigarray._resampling.replicates import arrange, keep, resample


def prepare_designed(
    statistic: Statistic,
    given: list[Any],
    names: Sequence[Any] | None,
    *,
    is_one: bool,
    axis: int,
    paired: bool,
    clusters: Any,
    n_clusters: Any,
    strata: Any,
) -> list[tuple[Prepared, Prepared]]:
    """Return models as units, which are drawn, and as items, of which errors are.

    There is one sample (..., K, n) of models that share their items, else one of each.
    """
    is_of_sums = isinstance(statistic, SumStatistic)
    if isinstance(statistic, SumStatistic):
        xp, samples, dtype, _ = standardize_columns(
            *given, axis=axis, paired=paired, may_take=statistic.may_take
        )
        check_count(statistic, int(samples[0].shape[-2]))
    else:
        xp, samples = standardize(*given, axis=axis, paired=paired)
        dtype = samples[0].dtype
    design = None
    if is_axis(strata):
        samples, found = arrange_strata(
            xp, strata, given, samples, axis=axis, paired=False, is_of_sums=is_of_sums
        )
        design, strata = Design(strata=found), None
    samples = _split_models(xp, samples, is_one=is_one, n_axes=1 + is_of_sums)
    count = len(samples)
    of_labels = {
        name: _list_labels(x, name, names, count, paired=paired)
        for name, x in (("clusters", clusters), ("strata", strata))
    }
    sources = given * count if is_one and not paired else given
    labels = [
        [
            list_values(y) if has_labels(y) else y
            for y in order_labels(x, sources, name, axis=axis, paired=paired)
        ]
        for name, x in of_labels.items()
    ]
    if paired:
        sizes = [x.shape[-1] for x in samples]
        if len(set(sizes)) > 1:
            known = [f" of {represent(x)}" for x in names] if names else [""] * count
            got = [f"{n}{x}" for n, x in zip(sizes, known, strict=True)]
            msg = (
                "Expected as many scores of each model with paired=True, of the same "
                f"items; got {', '.join(got)}."
            )
            raise ValueError(msg)
        samples = [xp.stack(samples, axis=-2 - is_of_sums)]
    elif strata is not None:
        for of, x in zip(labels[1][1:], samples[1:], strict=True):
            both, pair = (labels[1][0], of), [samples[0], x]
            code_strata(
                xp, both, pair, pair, axis=-1, paired=False, are_alike=is_of_sums
            )
    prepared = []
    numbers = [n_clusters] * len(samples)
    if n_clusters is not None and len(n_clusters) == len(samples):
        numbers = [(x,) for x in n_clusters]
    for x, of_clusters, of_strata, number in zip(
        samples, *labels, numbers, strict=True
    ):
        by: dict[str, Any] = {"axis": -1, "paired": False, "clusters": of_clusters}
        by |= {"n_clusters": number, "strata": of_strata}
        units = prepare_units(statistic, x, takes_middles=False, **by)
        items = units
        if of_clusters is not None:
            items = prepare_items(statistic, x, **by)
        if design is not None:
            units = items = units._replace(design=design)
        prepared.append((units._replace(dtype=dtype), items))
    return prepared


def _split_models(
    xp: Library, samples: list[Array], *, is_one: bool, n_axes: int
) -> list[Array]:
    if not is_one:
        leading = broadcast_shapes(*(x.shape[:-n_axes] for x in samples))
        return [xp.broadcast_to(x, (*leading, *x.shape[-n_axes:])) for x in samples]
    (every,) = samples
    if every.ndim < 1 + n_axes or every.shape[-1 - n_axes] < 2:
        shape = "(..., K, d, n)" if n_axes > 1 else "(..., K, n)"
        msg = (
            f"Expected scores of two or more models, shape {shape}; got shape "
            f"{tuple(every.shape)} with the scores on the last axis."
        )
        raise ValueError(msg)
    models = xp.move_axis(every, -1 - n_axes, 0)
    return [models[k, ...] for k in range(models.shape[0])]


def _list_labels(
    labels: Any, name: str, names: Sequence[Any] | None, count: int, *, paired: bool
) -> list[Any]:
    """Return the labels of each model, or those of the items that all models share."""
    if paired:
        return [labels]
    if isinstance(labels, Mapping):
        if names is None or {*names} != {*labels}:
            msg = f"Expected {name} with the names of the models; got {[*labels]}."
            raise ValueError(msg)
        return [labels[x] for x in names]
    if not isinstance(labels, (list, tuple)) or all(map(_is_label, labels)):
        return [labels] * count
    if len(labels) != count:
        msg = (
            f"Expected {name} of each model, {count} arrays, or one array for all; got "
            f"{len(labels)}."
        )
        raise ValueError(msg)
    return list(labels)


def rank_designed(
    prepared: Sequence[tuple[Prepared, Prepared]],
    seed: Seed,
    names: Sequence[Any] | None,
    *,
    paired: bool,
    **options: Any,
) -> list[Array]:
    every = [unit for unit, _ in prepared], [item for _, item in prepared]
    units, items = every
    check_sizes(*(x.samples[0] for x in units), purpose="to resample")
    xp, statistic, _, dtype, *_ = units[0]
    streams = number_streams(len(units)) if names is None else name_streams(names)
    results = _rank_designed(
        xp,
        *([x.samples[0] for x in of] for of in every),
        [x.level for x in units if x.level is not None],
        seed,
        *([x.design.arrays for x in of] for of in every),
        designs=tuple((x.design.static, y.design.static) for x, y in prepared),
        statistics=(statistic, items[0].statistic),
        streams=streams,
        paired=paired,
        **options,
    )
    return in_dtype(xp, dtype, results)


def _is_label(x: Any) -> bool:
    n_axes = getattr(x, "ndim", None)
    if n_axes is None:
        return isinstance(x, str) or not hasattr(x, "__len__")
    return bool(n_axes == 0)


@array_kernel
def _rank_designed(
    xp: Library,
    units: Sequence[Array],
    items: Sequence[Array],
    levels: Sequence[Array],
    seed: Seed,
    of_units: Sequence[DesignArrays],
    of_items: Sequence[DesignArrays],
    *,
    designs: tuple[tuple[Design, Design], ...],
    statistics: tuple[Statistic, Statistic],
    streams: tuple[int, ...],
    paired: bool,
    n_resamples: int,
    **options: Any,
) -> tuple[Array, ...]:
    statistic = statistics[0]
    n_axes = 2 if isinstance(statistic, SumStatistic) else 1
    leading = units[0].shape[: -n_axes - paired]
    low, high = seed if paired else stream_seeds(xp, seed, streams)
    parts = []
    for k, x in enumerate(units):
        design = designs[k][0].with_arrays(of_units[k])
        own = (low, high) if paired else (low[k, :], high[k, :])
        rows = spread_faults(xp, _flatten(xp, x, leading, n_axes))
        first = (..., 0, 0) if isinstance(statistic, SumStatistic) else (..., 0)
        level, unit = xp.zeros_like(rows[first]), xp.ones_like(rows[first])
        if isinstance(statistic, str):
            rows, (level, unit) = center_stack(xp, statistic, rows, 1)
        value = apply_statistic(xp, statistic, rows)
        rounding = rounding_of(xp, statistic, [rows], [value])
        rounding = sum([xp.reshape(y, value.shape) for y in design.rounding], rounding)
        design, drawn = arrange(xp, design, [rows])
        resampled = resample(xp, own, False, design, drawn, statistic)
        replicates = keep(xp, resampled, n_resamples)
        level = unit * level
        if levels:  # was taken off before
            level = xp.reshape(levels[k], value.shape)
        values = (unit * value, unit * rounding, level)
        parts.append((*values, unit[..., None] * replicates))
    value, rounding, level, replicates = (
        join(xp, x, axis=1) for x in zip(*parts, strict=True)
    )
    numbers = [
        _list_numbers(xp, statistics[1], _flatten(xp, x, leading, n_of_items))
        for x in items
        for n_of_items in [2 if isinstance(statistics[1], SumStatistic) else 1]
    ]
    find = _find_paired if paired else _find_single
    of_all = [x.with_arrays(y) for (_, x), y in zip(designs, of_items, strict=True)]
    error, df = find(
        xp, numbers, of_all, None if uses_sums(statistics[1]) else replicates
    )
    estimates = Estimates(value, rounding, error, df, error > 0.0)
    levels_of_models = Levels(level, xp.ones_like(level))
    found = rank_estimates(
        xp,
        replicates,
        estimates,
        levels_of_models,
        statistic=statistic,
        size=min(x.shape[-1] for x in units),
        **options,
    )
    return split_ranks(xp, found, leading)


def _flatten(xp: Library, x: Array, leading: tuple[int, ...], n_axes: int) -> Array:
    """Return samples (E, K, n) or (E, K, d, n) of models; K is 1 of a single one."""
    n_models = math.prod(x.shape[len(leading) : -n_axes])
    return xp.reshape(x, (math.prod(leading), n_models, *x.shape[-n_axes:]))


def _list_numbers(xp: Library, statistic: Statistic, x: Array) -> Array:
    """Return numbers (E, K, n) whose means have the errors of the statistics."""
    if statistic == "mean":  # whose faults `find_errors_by_design` spreads
        return x
    if isinstance(statistic, SumStatistic):
        return list_numbers(xp, statistic, x, paired=False, are_checked=False)[0]
    rows = spread_faults(xp, x)
    if isinstance(statistic, str):
        rows, _ = center_stack(xp, statistic, rows, 1)
    rows = xp.reshape(rows, (-1, x.shape[-1]))
    return xp.reshape(find_influences(xp, statistic, rows), x.shape)


def _find_single(
    xp: Library,
    numbers: Sequence[Array],
    designs: Sequence[Design],
    replicates: Array | None,
) -> tuple[Array, Array]:
    """Return the errors and their df of each model (E, K)."""
    errors, dfs = [], []
    for x, design in zip(numbers, designs, strict=True):
        found = find_errors_by_design(xp, "mean", [x], design, False)
        (square,), (df,) = found.squares, found.dfs
        errors.append(found.unit * xp.sqrt(square))
        dfs.append(df + xp.zeros_like(square))
    error = join(xp, errors, axis=1)
    if replicates is not None:
        error = standard_deviation(xp, replicates)
    return error, join(xp, dfs, axis=1)


def _find_paired(
    xp: Library,
    numbers: Sequence[Array],
    designs: Sequence[Design],
    replicates: Array | None,
) -> tuple[Array, Array]:
    """Return the errors and their df of the differences of models (E, K, K)."""
    (x,), (design,) = numbers, designs
    rows = [xp.move_axis(x, 1, 0)]
    if replicates is not None:
        rows.append(xp.move_axis(replicates, 1, 0))
    others = [x, *([] if replicates is None else [replicates])]
    find = functools.partial(_find_rows, xp, others, design)
    elements = 4 * sum(math.prod(y.shape) for y in others)
    found = map_entries(xp, find, rows, elements=elements)
    return tuple(xp.move_axis(found[k, ...], -1, 1) for k in range(2))


def _find_rows(
    xp: Library, others: Sequence[Array], design: Design, *rows: Array
) -> Array:
    """Return errors and df (2, E, K, k) of k models (k, E, n) and all others."""
    a, b = rows[0][:, :, None, :], others[0][None, ...]
    found = find_errors_by_design(xp, "mean", [a, b], design, True)
    (square,), (df,) = found.squares, found.dfs
    error = found.unit * xp.sqrt(square)
    if len(others) > 1:
        error = standard_deviation(xp, rows[1][:, :, None, :] - others[1][None, ...])
    both = xp.stack([error, df + xp.zeros_like(error)])
    return xp.move_axis(both, 1, -1)
