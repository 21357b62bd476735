"""Checks, and names of methods, for tests and intervals by resampling."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal, get_args

from sigarray._backend.aliases import (
    Array,
    StatisticName,
    TestedStatistic,
)
from sigarray._backend.checks import choice, choice_or_statistic, show
from sigarray._backend.columns import standardize_columns
from sigarray._backend.dispatch import standardize
from sigarray._backend.library import Library
from sigarray._numeric.statistic import check_pairs, check_sizes
from sigarray._numeric.sums import SumStatistic

ResamplingMethod = Literal["resampling", "saddlepoint"]

METHOD_RULE = choice(*get_args(ResamplingMethod))
# Statistics of tests, beside a function of the caller.
STATISTIC_RULE = choice_or_statistic(*get_args(StatisticName), "t", arrays="x")


def mean_or_sums(name: str, value: Any) -> Any:
    """Return "mean" or a statistic of sums; raise for anything else."""
    if isinstance(value, SumStatistic):
        return value
    if callable(value):
        msg = (
            f"Expected {name} to be 'mean' or of_sums(f), whose error is known from "
            f"the sums; got {show(value)}. Pass of_sums of it if it is a function of "
            "sums, or use bootstrap_ci or bootstrap_test."
        )
        raise TypeError(msg)
    return choice("mean")(name, value)


def standardize_samples(
    statistic: TestedStatistic, *samples: Any, axis: int, paired: bool
) -> tuple[Library, list[Array], Any]:
    """Return samples (..., n), or (..., d, n) for sums, and the dtype of results."""
    if isinstance(statistic, SumStatistic):
        return standardize_columns(*samples, axis=axis, paired=paired)
    xp, arrays = standardize(*samples, axis=axis, paired=paired)
    return xp, arrays, arrays[0].dtype


def in_dtype(xp: Library, dtype: Any, results: Iterable[Array]) -> list[Array]:
    """Return results in the float dtype of the scores, as sums may be wider."""
    return [xp.astype(x, dtype, copy=False) for x in results]


def draws_resamples(method: str, statistic: TestedStatistic) -> bool:
    """Tell whether to draw resamples; without them, only the mean can be tested."""
    if method != "resampling" and statistic != "mean":
        msg = (
            f"Expected statistic='mean' with method={method!r}; got "
            f"{show(statistic)}. Use method='resampling'."
        )
        raise ValueError(msg)
    return method == "resampling"


def check_samples(samples: Sequence[Array], paired: bool) -> None:
    """Raise unless there are one or two samples to resample."""
    check_one_or_pairs(samples, paired)
    check_sizes(*samples, purpose="to resample")


def check_one_or_pairs(samples: Sequence[Array], paired: bool) -> None:
    """Raise unless pairs are of two samples of one size."""
    if paired and len(samples) == 1:
        msg = "Expected two samples with paired=True; got one. Pass b, or paired=False."
        raise ValueError(msg)
    if paired:
        check_pairs(*samples)


def clip_p_value(xp: Library, pvalue: Array) -> Array:
    """Clip to at most 1, and above 0: the observed sample is one of the resamples."""
    return xp.clip(pvalue, xp.finfo(pvalue.dtype).smallest_normal, 1.0)
