"""Checks and warnings of samples, for tests and intervals."""

import functools
import math
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple, get_args

from sigarray._backend.callers import Array, StatisticName, TestedStatistic, warn_caller
from sigarray._backend.checks import (
    anything,
    choice,
    choice_or_statistic,
    count,
    optional,
    several,
    show,
)
from sigarray._backend.library import Library
from sigarray._backend.tables import (
    Axis,
    axis_or_axes,
    one_axis,
    standardize_columns,
    standardize_samples,
)
from sigarray._difference.strata import arrange_strata, check_strata, is_axis
from sigarray._numeric.designs import ONE_BY_ONE, Design
from sigarray._numeric.faults import Range, limit_rounding
from sigarray._numeric.statistic import check_pairs
from sigarray._numeric.sums import SumStatistic, check_count

_ROUNDING = 100.0
# Advice of an interval of means.
ZEROS_AND_ONES = " For scores of 0 and 1 take proportion_ci."
ResamplingMethod = Literal["resampling", "saddlepoint"]
METHOD_RULE = choice(*get_args(ResamplingMethod))
# Statistics of tests, beside a function of the caller.
STATISTIC_RULE = choice_or_statistic(*get_args(StatisticName), "t", arrays="x")
# Names of the command, which in Python are functions of `corpus`.
_METRICS_OF_SUMS = ("accuracy", "bleu", "chrf", "f1", "macro_f1", "precision", "recall")
# In functions that exchange or deal out scores.
EXCHANGED_AXIS = one_axis(
    "no scores can be exchanged: use t_test(a, b, axis=(seeds, items)), or average the "
    "seeds, for a test of these on other items"
)
# Of the options that say how scores were sampled.
DESIGN_RULES = {
    "clusters": anything,
    "n_clusters": optional(several(count())),
    "strata": anything,
    "axis": axis_or_axes,
}
# Of designs beside axis=(seeds, items).
_ADVICE = {
    "strata": "Average the seeds, x.mean(axis=seeds), and pass axis=items; or keep the "
    "items, of fixed strata, as axis=seeds, strata=items.",
    "clusters": "Use t_test or t_ci, which take both.",
}


def doubt_point(
    xp: Library,
    low: Array,
    high: Array,
    error: Array | float,
    of: str = "value",
    advice: str = "",
) -> None:
    """Warn of an interval that is a point because no resample differs from others.

    Its error is rounding alone; those of a median may be a point of resamples that do.
    """
    if not xp.is_host:
        return
    rounding = _ROUNDING * xp.finfo(low.dtype).eps * xp.abs(low)
    if xp.any((low == high) & (error <= rounding)):
        warn_caller(
            f"An interval is a point, because all resamples have one {of}: they do not "
            f"show how much it could vary.{advice}"
        )


def doubt_two_values(xp: Library, statistic: Any, samples: Sequence[Array]) -> None:
    if not xp.is_host or statistic not in ("iqm", "median"):
        return
    pool = [x for x in samples if x.size]
    if not pool:
        return
    low = functools.reduce(xp.minimum, map(xp.min, pool))
    high = functools.reduce(xp.maximum, map(xp.max, pool))
    limit = limit_rounding(xp, Range(low, high).size(xp), paired=True)
    is_more = high - low > limit
    if is_more and all(xp.all((x == low) | (x == high)) for x in pool):
        values = f"{float(low):.10g} or {float(high):.10g}"
        warn_caller(
            f"All scores are {values}, of which statistic={statistic!r} "
            "says little: where 77 % are the larger one, the median and the "
            "interquartile mean are that. Use statistic='mean'."
        )


def doubt_counts(
    xp: Library, statistic: SumStatistic, samples: Sequence[Array]
) -> None:
    if not xp.is_host or not statistic.is_of_counts:
        return
    least = min((float(xp.min(x)) for x in samples if x.size), default=0.0)
    if least < 0.0:
        warn_caller(
            f"Counts below 0, such as {least:g}, are faults, and of such "
            f"{statistic.measure.__name__} means nothing, though it may be a number."
        )


def doubt_matches(
    xp: Library, statistic: SumStatistic, samples: Sequence[Array]
) -> None:
    """Warn of numbers above those that they are at most: columns out of order."""
    if not xp.is_host:
        return
    for x in samples:
        for part, whole in statistic.list_bounds(int(x.shape[-2])):
            parts, wholes = x[..., part, :], x[..., whole, :]
            more = parts > wholes
            if xp.any(more):
                warn_caller(
                    f"In {int(more.sum())} items number {part} (from 0) of "
                    f"{statistic.measure.__name__} is {float(parts[more][0]):g} or so, "
                    f"and number {whole}, which is at least that, is "
                    f"{float(wholes[more][0]):g}: are the numbers in the order that "
                    "its documentation has?"
                )
                return


def doubt_proportions(
    xp: Library, result: Array, samples: Sequence[Array], advice: str
) -> None:
    if not xp.is_host or not xp.any(xp.isnan(result)):
        return
    for x in samples:
        others = x[xp.isfinite(x) & (x != 0.0) & (x != 1.0)]
        if others.size:
            warn_caller(
                "Scores that are neither 0 nor 1 have no proportion, and the result is "
                f"NaN: one is {others[0]:g}. Pass scores of 0 and 1, such as x / 100 "
                f"of percentages; for others use {advice}."
            )
            return


def mean_or_sums(name: str, value: Any) -> Any:
    if isinstance(value, SumStatistic):
        return value
    if callable(value):
        msg = (
            f"Expected {name} to be 'mean' or of_sums(f), whose error is known from "
            f"the sums; got {show(value)}. Pass of_sums of it if it is a function of "
            "sums, or use bootstrap_ci or bootstrap_test."
        )
        raise TypeError(msg)
    if isinstance(value, str) and value in _METRICS_OF_SUMS:
        msg = (
            f"Expected {name} to be 'mean' or of_sums(f); got {value!r}. Pass "
            f"of_sums(corpus.{value}), and sums of each item as samples."
        )
        raise ValueError(msg)
    return choice("mean")(name, value)


class Prepared(NamedTuple):
    """Samples (..., n), or (..., d, n) with a statistic of sums, and what to return.

    `level`, if any, is to be added to a statistic of one sample. Samples with strata
    are sorted by them.
    """

    xp: Library
    statistic: TestedStatistic
    samples: list[Array]
    dtype: Any
    level: Array | None = None
    design: Design = ONE_BY_ONE


def prepare_samples(
    statistic: TestedStatistic,
    *given: Any,
    axis: Axis,
    paired: bool,
    clusters: Any = None,
    strata: Any = None,
    are_alike: bool = False,
    takes_both: bool = False,
) -> Prepared:
    """Return samples of one library and dtype; the dtype is that of results.

    With `are_alike` strata count alike, whatever their sizes. With `takes_both` there
    may be seeds as well as items in clusters.
    """
    named = {"strata": strata is not None}
    named["clusters"] = clusters is not None and not takes_both
    if clusters is not None and is_axis(strata):
        msg = (
            "Expected labels of strata with clusters, one for each item; got the axis "
            f"{show(strata)}."
        )
        raise ValueError(msg)
    other = next((name for name, is_there in named.items() if is_there), None)
    if other is not None and isinstance(axis, tuple):
        msg = f"Expected {other} or axis=(seeds, items); got both. {_ADVICE[other]}"
        raise ValueError(msg)
    if isinstance(statistic, SumStatistic):
        xp, samples, dtype, n_items = standardize_columns(
            *given, axis=axis, paired=paired, may_take=statistic.may_take
        )
        check_count(statistic, int(samples[0].shape[-2]))
        doubt_counts(xp, statistic, samples)
        doubt_matches(xp, statistic, samples)
    else:
        if not isinstance(axis, tuple):
            check_strata(strata, given, axis)
        xp, samples, n_items = standardize_samples(*given, axis=axis, paired=paired)
        dtype = samples[0].dtype
    check_one_or_pairs(samples, paired)
    design = Design(n_items=n_items)
    if strata is not None and clusters is None and not isinstance(axis, tuple):
        samples, found = arrange_strata(
            xp,
            strata,
            given,
            samples,
            axis=axis,
            paired=paired,
            is_of_sums=isinstance(statistic, SumStatistic),
            are_alike=are_alike,
        )
        design = Design(strata=found)
    return Prepared(xp, statistic, samples, dtype, design=design)


def in_dtype(xp: Library, dtype: Any, results: Iterable[Array]) -> list[Array]:
    """Return results in the float dtype of the scores, as sums may be wider."""
    return [x if x.dtype == dtype else xp.astype(x, dtype) for x in results]


def at_level(level: Array | None, x: Array) -> Array:
    """Add the level of one sample to statistics (..., *more), if there is one."""
    return x if level is None else level[(..., *(None,) * (x.ndim - level.ndim))] + x


def check_crossed(design: Design, name: str, value: Any, *known: str) -> None:
    if design.n_items is not None and isinstance(value, str) and value not in known:
        use = " or ".join(map(repr, known))
        msg = (
            f"Expected {name} to be {use} with axis=(seeds, items); got {value!r}. "
            "Intervals of few seeds hold more often with t_ci, and tests with t_test."
        )
        raise ValueError(msg)


def check_stratified(design: Design, statistic: TestedStatistic) -> None:
    is_of_scores = callable(statistic) and not isinstance(statistic, SumStatistic)
    has_weights = design.strata.number is None
    if statistic == "t" or (is_of_scores and has_weights):
        msg = (
            "Expected statistic='mean', 'median', 'iqm' or of_sums(f) with "
            f"{'labels of ' if is_of_scores else ''}strata; got {show(statistic)}."
        )
        if is_of_scores:
            msg += " For a function of scores, pass strata as an axis."
        raise ValueError(msg)


def draws_resamples(
    method: str,
    statistic: TestedStatistic,
    design: Design = ONE_BY_ONE,
    clusters: Any = None,
) -> bool:
    """Tell whether to draw resamples; without them, only the mean can be tested."""
    named = {"clusters": clusters is not None, "strata": design.strata.are_there}
    for name, is_there in named.items():
        if method != "resampling" and is_there:
            msg = (
                f"Expected method='resampling' with {name}; got {method!r}. Or use "
                "t_test, which needs no resamples."
            )
            raise ValueError(msg)
    if method != "resampling" and statistic != "mean":
        msg = (
            f"Expected statistic='mean' with method={method!r}; got "
            f"{show(statistic)}. Use method='resampling'."
        )
        raise ValueError(msg)
    return method == "resampling"


def check_one_or_pairs(samples: Sequence[Array], paired: bool) -> None:
    if paired and len(samples) == 1:
        msg = "Expected two samples with paired=True; got one. Pass b, or paired=False."
        raise ValueError(msg)
    if paired:
        check_pairs(*samples)


def clip_p_value(xp: Library, pvalue: Array) -> Array:
    """Clip to at most 1, and above 0: the observed sample is one of the resamples."""
    return xp.clip(pvalue, xp.finfo(pvalue.dtype).smallest_normal, 1.0)


def check_test_share(share: float | None, design: Design, *, paired: bool) -> None:
    if share is None:
        return
    if not paired:
        msg = (
            "Expected paired=True with test_share, for every split is of both models; "
            "got paired=False. Pass paired=True, or no test_share."
        )
        raise ValueError(msg)
    if not design.is_simple:
        msg = (
            "Expected test_share, or clusters, strata or axis=(seeds, items); got "
            "both. Average the items of each fold, and pass the axis of the folds."
        )
        raise ValueError(msg)


def widen_error(n: int, share: float) -> float:
    """Return by what factor the error of n scores is larger, for splits that overlap.

    It is that of equation 9 of Nadeau and Bengio (2003): 1 / n + test / training.
    """
    return math.sqrt(1.0 + n * share / (1.0 - share))
