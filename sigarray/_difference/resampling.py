"""What tests and intervals by resampling share: resamples, and the methods' names."""

import math
from collections.abc import Sequence
from typing import Literal, get_args

from sigarray._backend.aliases import (
    Array,
    Seed,
    Statistic,
    StatisticName,
    TestedStatistic,
)
from sigarray._backend.checks import choice, choice_or_statistic, show
from sigarray._backend.chunks import map_replicates
from sigarray._backend.library import Library
from sigarray._backend.threefry import random_places
from sigarray._numeric.statistic import (
    apply_statistic,
    check_pairs,
    check_sizes,
    difference_of,
)

ResamplingMethod = Literal["resampling", "saddlepoint"]

METHOD_RULE = choice(*get_args(ResamplingMethod))
# What tests may compare, beside a function of the caller.
STATISTIC_RULE = choice_or_statistic(*get_args(StatisticName), "t", arrays="x")


def draws_resamples(method: str, statistic: TestedStatistic) -> bool:
    """Tell whether to draw resamples; without them, there is the mean alone."""
    if method != "resampling" and statistic != "mean":
        msg = (
            f"Expected statistic='mean' with method={method!r}; got "
            f"{show(statistic)}. Use method='resampling'."
        )
        raise ValueError(msg)
    return method == "resampling"


def check_samples(samples: Sequence[Array], paired: bool) -> None:
    """Raise unless one or two samples are there to resample."""
    check_one_or_pairs(samples, paired)
    check_sizes(*samples, purpose="to resample")


def check_one_or_pairs(samples: Sequence[Array], paired: bool) -> None:
    """Raise unless pairs are of two samples of one size."""
    if paired and len(samples) == 1:
        msg = "Expected two samples with paired=True; got one. Pass b, or paired=False."
        raise ValueError(msg)
    if paired:
        check_pairs(*samples)


def draw_replicates(
    xp: Library,
    samples: Sequence[Array],
    seed: Seed,
    start: int | Array,
    count: int,
    statistic: Statistic,
    paired: bool,
) -> Array:
    """Return `resample_statistic`, some replicates at a time: (..., count)."""

    def replicate(chunk_start: int | Array, size: int) -> Array:
        return resample_statistic(
            xp, samples, seed, start + chunk_start, size, statistic, paired
        )

    return map_replicates(
        xp, replicate, count, elements=count_elements(samples, paired)
    )


def resample_statistic(
    xp: Library,
    samples: Sequence[Array],
    seed: Seed,
    start: int | Array,
    size: int,
    statistic: Statistic,
    paired: bool,
) -> Array:
    """Return statistic of resamples, or the difference of two, shape (..., size)."""
    sizes = [x.shape[-1] for x in samples]
    places = random_places(xp, seed, start, size, sizes, sizes, paired)
    values = [
        apply_statistic(xp, statistic, xp.take_last(x, chosen))
        for x, chosen in zip(samples, places, strict=True)
    ]
    return difference_of(values)


def count_elements(samples: Sequence[Array], paired: bool) -> int:
    """Count what a replicate holds: its places, and the scores there."""
    sizes = [int(x.shape[-1]) for x in samples]
    n_places = sizes[0] if paired else sum(sizes)
    n_values: int = sum(math.prod(x.shape) for x in samples)
    return n_places + n_values


def clip_p_value(xp: Library, pvalue: Array) -> Array:
    """Give a number above 0, for what was seen is one of the resamples, and up to 1."""
    return xp.clip(pvalue, xp.finfo(pvalue.dtype).smallest_normal, 1.0)
