"""Warnings of what values show, for NumPy's arrays alone: no other is waited for."""

from collections.abc import Sequence
from typing import Any

from sigarray._backend.aliases import Array
from sigarray._backend.library import Library
from sigarray._backend.warn import warn_caller
from sigarray._difference.lattice import MAX_UNITS
from sigarray._numeric.sums import SumStatistic

_ROUNDING = 100.0
# Advice of an interval of means.
ZEROS_AND_ONES = " For scores of 0 and 1 take proportion_ci."


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
    """Warn of a median or an interquartile mean of scores such as 0 and 1."""
    if not xp.is_host or statistic not in ("iqm", "median"):
        return
    pool = [x for x in samples if x.size]
    low = min((float(xp.min(x)) for x in pool), default=0.0)
    high = max((float(xp.max(x)) for x in pool), default=0.0)
    if low < high and all(xp.all((x == low) | (x == high)) for x in pool):
        warn_caller(
            f"All scores are {low:g} or {high:g}, of which statistic={statistic!r} "
            "says little: where 77 % are the larger one, the median and the "
            "interquartile mean are that. Use statistic='mean'."
        )


def doubt_counts(
    xp: Library, statistic: SumStatistic, samples: Sequence[Array]
) -> None:
    """Warn of counts below 0, of which metrics may be numbers all the same."""
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
    """Warn of items with more matches than there are, as of columns out of order."""
    if not xp.is_host:
        return
    for x in samples:
        for part, whole in statistic.list_bounds(int(x.shape[-2])):
            parts, wholes = x[..., part, :], x[..., whole, :]
            more = parts > wholes
            if xp.any(more):
                warn_caller(
                    f"In {int(more.sum())} items number {part} of "
                    f"{statistic.measure.__name__}, of n-grams that match, is above "
                    f"number {whole}, of all n-grams (from 0), such as "
                    f"{float(parts[more][0]):g} of {float(wholes[more][0]):g}: are "
                    "the numbers in the order that its documentation has?"
                )
                return


def doubt_proportions(
    xp: Library, result: Array, samples: Sequence[Array], advice: str
) -> None:
    """Warn of a NaN that is of scores which are neither 0 nor 1."""
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


def doubt_exact(
    xp: Library, difference: Array, pvalue: Array, of: str = "differences"
) -> None:
    """Warn of a NaN that is of differences without a unit."""
    if xp.is_host and xp.any(xp.isnan(pvalue) & xp.isfinite(difference)):
        warn_caller(
            f"The {of} of A and B are not multiples of one unit, at most {MAX_UNITS} "
            "of it, as those of accuracies and ratings are: with method='exact' their "
            "p-value is NaN. Use method='resampling', which takes all exchanges where "
            "these are few."
        )
