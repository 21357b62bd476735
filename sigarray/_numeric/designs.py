"""How samples were drawn, and the errors of their means.

With seeds and items, a score is a mean plus an effect of its seed, one of its item, and
a rest of both; the error of the mean is that for other seeds and other items, of which
each is drawn on its own: the crossed analysis of variance.
"""

import functools
import math
import operator
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, Self

from sigarray._backend.callers import Array
from sigarray._backend.library import Library
from sigarray._numeric.clusters import (
    Clusters,
    find_errors_of_clusters,
    find_errors_of_nested,
    find_errors_of_sums,
)
from sigarray._numeric.faults import find_flat, list_rows, ranges_of
from sigarray._numeric.statistic import difference_of
from sigarray._numeric.student import (
    NO_STRATA,
    Intervals,
    MeanErrors,
    Strata,
    average_df,
    divisor_of_error,
    find_errors,
    find_errors_of_strata,
    relate_to_smallest,
    split_axis,
    squared_error,
)
from sigarray._numeric.sums import SumStatistic, list_numbers


class Parts(NamedTuple):
    """A mean, or the difference of two, and the parts of its squared error.

    `items` is the part of items, and there is one of `seeds` for each table; either has
    what is left of the variance beside both, `rests`, which so counts twice. All are in
    `unit`, as is how far from 0 the mean may be by `rounding`. The degrees of freedom
    are those of items.
    """

    mean: Array
    items: Array
    seeds: list[Array]
    rests: list[Array]
    unit: Array
    df_of_items: float | Array
    rounding: Array | None = None


def find_parts(
    xp: Library,
    scores: Sequence[Array],
    n_items: int,
    paired: bool,
    clusters: Sequence[Clusters] = (),
) -> Parts:
    """Return the parts of the error of tables in rows (..., S * n).

    Pairs have the same seeds and items, and are one table of their differences. Two
    tables have the same items, and seeds of their own. If items are in clusters, the
    parts of items and of rests are those of sums of clusters.
    """
    relative = relate_to_smallest(xp, scores, paired)
    rows, gap, unit, scaled, unit_of_scaled, rounding = relative
    tables = [split_axis(xp, x, x.shape[-1] // n_items) for x in rows]
    of_seeds = [xp.mean(x, axis=-1) for x in tables]
    of_items = [xp.mean(x, axis=-2) for x in tables]
    means = [xp.mean(x, axis=-1) for x in of_seeds]
    every = [
        table - seeds[..., None] - (items - mean[..., None])[..., None, :]
        for table, seeds, items, mean in zip(
            tables, of_seeds, of_items, means, strict=True
        )
    ]
    df: float | Array = n_items - 1.0
    gaps = difference_of(of_items)
    # Means of many items may differ by less than a score was rounded: only if all do,
    # it is by rounding alone.
    is_flat = functools.reduce(
        operator.and_,
        [*_are_flat(xp, scaled, [gaps], unit), *_are_flat(xp, scaled, of_seeds, unit)],
    )
    mean = gap + difference_of(means)
    if clusters:
        deviations = gaps - xp.mean(gaps, axis=-1, keepdims=True)
        (items, *of_rows), df, is_whole = find_errors_of_sums(
            xp, [deviations, *every], clusters[0]
        )
        rests = [xp.sum(x, axis=-1) / divisor_of_error(x) for x in of_rows]
        mean = xp.where(is_whole, mean, math.nan)
    else:
        items = squared_error(xp, gaps)
        rests = [_mean_square(xp, x) for x in every]
    items, *seeds = (
        xp.where(is_flat, 0.0, x)
        for x in (items, *(squared_error(xp, x) for x in of_seeds))
    )
    return Parts(mean, items, seeds, rests, unit * unit_of_scaled, df, rounding)


def _mean_square(xp: Library, rest: Array) -> Array:
    """Return the squared error of the mean of a table (..., S, n) from its rest."""
    n_seeds, n_items = rest.shape[-2:]
    squares = xp.sum(xp.sum(rest * rest, axis=-1), axis=-1)
    return squares / ((n_seeds - 1.0) * (n_items - 1.0) * n_seeds * n_items)


def _are_flat(
    xp: Library, scores: Sequence[Array], means: Sequence[Array], unit: Array
) -> list[Array]:
    """Tell which means differ by no more than scores were rounded."""
    sizes = ranges_of(xp, [x[None, ...] for x in scores]).size(xp)
    low, high = ranges_of(xp, [(x * unit[..., None])[None, ...] for x in means])
    return list_rows(find_flat(xp, sizes, high - low)[0])


def find_crossed_errors(
    xp: Library,
    scores: Sequence[Array],
    n_items: int,
    paired: bool,
    clusters: Sequence[Clusters],
) -> MeanErrors:
    """Return the error of tables of seeds and items: see `t_test`.

    MS_seed + MS_item - MS_rest may come out too small (Owen, 2007), and each part is a
    bound. If items are in clusters, MS_item, MS_rest and their df are those of
    `find_errors_of_clusters`.
    """
    parts = find_parts(xp, scores, n_items, paired, clusters)
    dfs = [x.shape[-1] // n_items - 1.0 for x in scores[: len(parts.seeds)]]
    fewer = min(dfs) if len({*dfs}) > 1 else None
    total, df, _ = add_parts(xp, parts, dfs, fewer)
    return MeanErrors(parts.mean, [total], [df], parts.unit, parts.rounding)


def add_parts(
    xp: Library,
    parts: Parts,
    dfs_of_seeds: Sequence[float | Array],
    fewer: float | None = None,
) -> tuple[Array, Array, Array]:
    """Return the squared error of a mean, and its degrees of freedom, from its parts.

    Without any variance these are those of the seeds. They are at least 1: terms that
    are subtracted may make them less. The last df are those if the seeds of two models
    had one variance with `fewer` df, if these are asked for. With unlike numbers of
    seeds, the first are the harmonic mean of Satterthwaite's and these, for variances
    are estimated: with 2 and 10 seeds, p <= 0.05 in 3.0 % of equal models, for 9.4.
    """
    of_seeds = sum(parts.seeds[1:], parts.seeds[0])
    of_rests = sum(parts.rests[1:], parts.rests[0])
    total = xp.maximum(
        parts.items + of_seeds - of_rests, xp.maximum(parts.items, of_seeds)
    )
    varies = total > 0.0
    divisor = xp.where(varies, total, 1.0)
    spread = of_items = (parts.items / divisor) ** 2 / parts.df_of_items
    for seeds, rest, df in zip(parts.seeds, parts.rests, dfs_of_seeds, strict=True):
        spread = spread + _spread_seeds(seeds / divisor, rest / divisor, df, parts)
    least = sum(dfs_of_seeds[1:], dfs_of_seeds[0])
    df = xp.clip(1.0 / xp.where(varies, spread, 1.0), 1.0, None)
    df = xp.where(varies, df, least)
    if fewer is None:
        return total, df, df
    spread = of_items + _spread_seeds(
        of_seeds / divisor, of_rests / divisor, fewer, parts
    )
    pooled = xp.clip(1.0 / xp.where(varies, spread, 1.0), 1.0, None)
    pooled = xp.where(varies, pooled, fewer)
    if len({*dfs_of_seeds}) > 1:
        df = average_df(df, pooled)
    return total, df, pooled


def _spread_seeds(seeds: Array, rest: Array, df: Any, parts: Parts) -> Array:
    """Return the term of seeds, and of the rest beside them, in one over the df."""
    return (seeds**2 + rest**2 / parts.df_of_items) / df


# The arrays of a design, which may be traced: intervals of strata, codes of clusters,
# the rounding of scores whose sums are the samples, and numbers of clusters.
DesignArrays = tuple[
    Sequence[Intervals], Sequence[Array], Sequence[Array], Sequence[Array]
]


class Design(NamedTuple):
    """Strata of scores, tables of seeds and items, or clusters; or scores one by one.

    With clusters, strata are of these, whose codes are in their order.

    `n_items`, if any, is the number of items of samples that are tables, whose n are
    the cells of one seed after another. `codes` (n,) or (..., n) are those of clusters
    of each sample, or of the items of tables once, below `n_clusters`. Of sums of
    scores, which do not show it, `rounding` has one array (...): how far apart equal
    means may be, for scores are decimals that are no floats. Of labels on a device,
    `n_there` has how many clusters of each sample have items; these come first.
    Such labels are not read: there may be fewer than `n_clusters`.
    """

    strata: Strata = NO_STRATA
    n_items: int | None = None
    n_clusters: tuple[int, ...] = ()
    codes: Sequence[Array] = ()
    rounding: Sequence[Array] = ()
    n_there: Sequence[Array] = ()
    may_be_fewer: bool = False

    @property
    def is_simple(self) -> bool:
        return not (self.n_items or self.n_clusters or self.strata.are_there)

    @property
    def clusters(self) -> list[Clusters]:
        """The clusters of each sample, or of pairs once; none if there are none."""
        return list(map(Clusters, self.codes, self.n_clusters))

    @property
    def arrays(self) -> DesignArrays:
        return self.strata.intervals, self.codes, self.rounding, self.n_there

    @property
    def static(self) -> Self:
        """The design without arrays, as kernels take it."""
        fixed = Strata(self.strata.number)  # other deals are no other program
        return type(self)(fixed, self.n_items, self.n_clusters)

    def with_arrays(self, arrays: DesignArrays) -> Self:
        intervals, codes, rounding, n_there = arrays
        return self._replace(
            strata=self.strata._replace(intervals=intervals),
            codes=codes,
            rounding=rounding,
            n_there=n_there,
        )

    @property
    def of_all_deals(self) -> Self:
        """As `static`, with the sizes of which there are few deals."""
        strata = self.strata._replace(intervals=())
        return self.static._replace(strata=strata)


ONE_BY_ONE = Design()


def find_errors_by_design(
    xp: Library,
    statistic: Literal["mean"] | SumStatistic,
    samples: Sequence[Array],
    design: Design,
    paired: bool,
) -> MeanErrors:
    errors = _find_errors(xp, statistic, samples, design, paired)
    if not isinstance(statistic, SumStatistic):
        return errors
    return errors._replace(dfs=_limit_dfs(xp, samples, errors.squares, errors.dfs))


def _limit_dfs(
    xp: Library,
    samples: Sequence[Array],
    squares: Sequence[Array],
    dfs: Sequence[float | Array],
) -> list[Array]:
    """Return df below the number of items (..., d, n) with numbers other than 0.

    Others change no function of sums: a precision of three predictions among 1,000
    items has the error of three. If it is 1, all its influences are 0, which is no
    error of 0: then the df of the other sample are no more. NaN is for one such item.
    """
    limits = []
    for x in samples:
        count = xp.sum(xp.astype(xp.any(x != 0.0, axis=-2), x.dtype), axis=-1)
        count = xp.where(count > 1.0, count, math.nan)
        limits.append(xp.where(count == x.shape[-1], math.inf, count - 1.0))
    # Of both samples the lower one is that of pairs, and of a sample beside a flat one.
    least = functools.reduce(xp.minimum, limits)
    limits = [least] if len(dfs) < len(limits) else limits
    found = []
    for df, limit, other in zip(dfs, limits, squares[::-1], strict=True):
        most = xp.where(other > 0.0, limit, least)
        found.append(xp.where(most >= df, df, most))
    return found


def _find_errors(
    xp: Library,
    statistic: Literal["mean"] | SumStatistic,
    samples: Sequence[Array],
    design: Design,
    paired: bool,
) -> MeanErrors:
    # Of scores one by one, `find_errors` sees the faults in their ranges.
    scores = list_numbers(
        xp, statistic, *samples, paired=paired, are_checked=design.is_simple
    )
    clusters = design.clusters
    if design.strata.are_there and clusters:
        return find_errors_of_nested(xp, scores, clusters, design.strata, paired)
    if design.strata.are_there:
        return find_errors_of_strata(xp, scores, design.strata, paired)
    if design.n_items is not None:
        return find_crossed_errors(xp, scores, design.n_items, paired, clusters)
    if clusters:
        return find_errors_of_clusters(xp, scores, clusters, paired)
    return find_errors(xp, scores, paired)
