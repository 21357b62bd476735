"""Checks, and names of methods, for tests and intervals by resampling."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple, get_args

from sigarray._backend.aliases import (
    Array,
    StatisticName,
    TestedStatistic,
)
from sigarray._backend.checks import choice, choice_or_statistic, show
from sigarray._backend.codes import code_clusters
from sigarray._backend.columns import standardize_columns
from sigarray._backend.dispatch import standardize
from sigarray._backend.kernels import array_kernel
from sigarray._backend.library import Library
from sigarray._numeric.clusters import Clusters, sum_clusters
from sigarray._numeric.faults import spread_faults
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


class Prepared(NamedTuple):
    """Samples (..., n), or (..., d, n) with a statistic of sums, and what to return."""

    xp: Library
    statistic: TestedStatistic
    samples: list[Array]
    dtype: Any


def prepare_samples(
    statistic: TestedStatistic,
    *given: Any,
    axis: int,
    paired: bool,
    clusters: Any = None,
) -> Prepared:
    """Return samples of one library and dtype, as sums of clusters if there are any.

    The dtype is that of results.
    """
    if isinstance(statistic, SumStatistic):
        xp, samples, dtype = standardize_columns(*given, axis=axis, paired=paired)
    else:
        xp, samples = standardize(*given, axis=axis, paired=paired)
        dtype = samples[0].dtype
    if clusters is not None:
        check_one_or_pairs(samples, paired)
        statistic, samples = sum_units(
            xp, statistic, samples, clusters, given, paired=paired
        )
    return Prepared(xp, statistic, samples, dtype)


def sum_units(
    xp: Library,
    statistic: TestedStatistic,
    samples: Sequence[Array],
    clusters: Any,
    given: Sequence[Any],
    *,
    paired: bool,
) -> tuple[TestedStatistic, list[Array]]:
    """Return a statistic of sums and the sums of whole clusters, (..., d, C).

    Without clusters, what was given. The mean is that of items, a ratio of sums.

    Raises
    ------
    TypeError
        Labels on a device, of which it is not known whether every code is there.
    ValueError
        Labels that `code_clusters` refuses, or another statistic than the mean and
        `of_sums`.
    """
    coded = code_clusters(xp, clusters, given, samples, paired=paired)
    if not coded:
        return statistic, list(samples)
    if statistic != "mean" and not isinstance(statistic, SumStatistic):
        msg = (
            f"Expected statistic='mean' or of_sums(f) with clusters, for resamples of "
            f"clusters are of other sizes; got {show(statistic)}. Average the items of "
            "each cluster, and leave out clusters."
        )
        raise ValueError(msg)
    if not all(x.is_exact for x in coded):
        msg = (
            "Expected clusters on the host, such as a list of names or a NumPy array, "
            "from which whole ones are drawn; got labels on a device. t_test and t_ci "
            "take these."
        )
        raise TypeError(msg)
    coded = coded * len(samples) if paired else coded
    parts = [Clusters(x.codes, x.number) for x in coded]
    if isinstance(statistic, SumStatistic):
        return statistic, _sum_samples(xp, samples, parts)
    return _MEAN_OF_ITEMS, _sum_samples(xp, [_with_ones(xp, x) for x in samples], parts)


def _sum_samples(
    xp: Library, samples: Sequence[Array], parts: Sequence[Clusters]
) -> list[Array]:
    numbers = tuple(x.number for x in parts)
    return _sum_codes(xp, list(samples), [x.codes for x in parts], numbers=numbers)


@array_kernel
def _sum_codes(
    xp: Library,
    samples: Sequence[Array],
    codes: Sequence[Array],
    *,
    numbers: tuple[int, ...],
) -> list[Array]:
    return [
        sum_clusters(xp, spread_faults(xp, x), Clusters(y, n))[0]
        for x, y, n in zip(samples, codes, numbers, strict=True)
    ]


def _with_ones(xp: Library, x: Array) -> Array:
    wide = xp.astype(x, xp.widest_float, copy=False)
    return xp.stack([wide, xp.ones_like(wide)], axis=-2)


def _divide(x: Array, y: Array) -> Array:
    return x / y


_MEAN_OF_ITEMS = SumStatistic(_divide)


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
