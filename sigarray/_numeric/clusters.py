"""Clusters of items that were sampled together: their sums, and errors of means.

An item of a cluster says less than one of its own, for items of a document, or of a
speaker, are alike. The sums of clusters are all that is needed.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from sigarray._backend.aliases import Array
from sigarray._backend.library import Library
from sigarray._numeric.statistic import (
    coarse_mean,
    difference_of,
    largest_or_one,
    scale_scores,
)
from sigarray._numeric.student import list_samples


class Clusters(NamedTuple):
    """Integer codes (n,) of items, from 0 to `number` - 1."""

    codes: Array
    number: int


def sum_clusters(xp: Library, x: Array, clusters: Clusters) -> tuple[Array, Array]:
    """Return the sums (..., C) of x (..., n) and the sizes (C,) of clusters.

    Sorted by code, a cluster is an interval: the difference of two cumulative sums,
    without a scatter, whose order a GPU does not promise. They are of x less a coarse
    mean, so that the level costs no digits, and counts stay exact.
    """
    order, first, last = find_intervals(xp, clusters)
    level = coarse_mean(xp, x)
    sums = xp.cumulative_sum(
        xp.take_last(x - level, order), axis=-1, include_initial=True
    )
    sizes = xp.astype(last - first, x.dtype)
    sums = xp.take_last(sums, last) - xp.take_last(sums, first)
    return sums + level * sizes, sizes


def find_intervals(xp: Library, clusters: Clusters) -> tuple[Array, Array, Array]:
    """Return the items (n,) by cluster, and where each (C,) begins and ends in them."""
    order = xp.argsort(clusters.codes, stable=True)
    ordered = xp.contiguous(xp.take(clusters.codes, order, axis=0))
    # A batch of codes, under torch.func.vmap, makes one of the numbers.
    numbers = xp.arange(clusters.number, dtype=ordered.dtype) + (ordered - ordered)[:1]
    first, last = (
        xp.searchsorted(ordered, numbers, side=side) for side in ("left", "right")
    )
    return order, first, last


def keep_inside(xp: Library, clusters: Clusters) -> tuple[Array, Array]:
    """Return codes with 0 for those that no cluster has, and which have one, (n,)."""
    codes = clusters.codes
    is_known = (codes >= 0) & (codes < clusters.number)
    return xp.where(is_known, codes, xp.zeros_like(codes)), is_known


def sort_items(
    xp: Library, samples: Sequence[Array], clusters: Sequence[Clusters]
) -> tuple[list[Array], list[Array]]:
    """Return samples (..., n) in rising order, and the codes (..., n) in that order."""
    ordered, codes = [], []
    for x, of in zip(samples, clusters, strict=True):
        order = xp.argsort(x, axis=-1, stable=False)
        ordered.append(xp.take_along_axis(x, order, axis=-1))
        codes.append(xp.take_last(of.codes, order))
    return ordered, codes


def find_errors_of_clusters(
    xp: Library, scores: list[Array], clusters: Sequence[Clusters], paired: bool
) -> tuple[Array, list[Array], list[Array], Array]:
    """Return a mean, or the difference of two, squared errors, their df and the unit.

    Of each sample, with the sum s and the size n of each cluster, N items, their mean
    m, and the shares p = n / N, the squared error is sum (s - m n)^2 / (1 - p) / N^2,
    "CR2" of Bell and McCaffrey [1]_, and with q = p^2 / (1 - p) the degrees of freedom
    are 1 / (sum p^2 + (sum q)^2 - sum q^2), Satterthwaite's of the moments of CR2 for
    independent items [2]_. Of clusters of one item these are s^2 / n and n - 1, those
    of Student's t. The errors are in the unit, as those of `find_errors`.

    References
    ----------
    .. [1] R. M. Bell, D. F. McCaffrey (2002). Bias reduction in standard errors for
       linear regression with multi-stage samples. Survey Methodology 28, 169-181.
       https://www150.statcan.gc.ca/n1/pub/12-001-x/2002002/article/9058-eng.pdf
    .. [2] J. E. Pustejovsky, E. Tipton (2018). Small-sample methods for cluster-robust
       variance estimation and hypothesis testing in fixed effects models. Journal of
       Business & Economic Statistics 36, 672-683.
       :doi:`10.1080/07350015.2016.1247004`
    """
    scaled, unit_of_all = scale_scores(xp, *scores)
    numbers = list_samples(xp, scaled, paired)
    # Relative to the smallest score, so that the level costs no digits.
    levels = [xp.min(x, axis=-1) for x in numbers]
    numbers = [x - y[..., None] for x, y in zip(numbers, levels, strict=True)]
    means = [xp.mean(x, axis=-1) for x in numbers]
    deviations = [x - m[..., None] for x, m in zip(numbers, means, strict=True)]
    unit = largest_or_one(xp, *deviations)
    squares, dfs = [], []
    for k, of in enumerate(clusters):
        sums, sizes = sum_clusters(xp, deviations[k] / unit[..., None], of)
        total = float(numbers[k].shape[-1])
        share = sizes / total
        rest = 1.0 - share  # 0 for a single cluster, whose error is unknown: NaN
        q = share * share / rest
        sum_of_q = xp.sum(q)
        squares.append(xp.sum(sums * sums / rest, axis=-1) / (total * total))
        df = 1.0 / (xp.sum(share * share - q * q) + sum_of_q * sum_of_q)
        dfs.append(df + xp.zeros_like(means[k]))
        # Items whose code is no cluster's are in no sum: a fault, which shows as NaN.
        means[k] = xp.where(xp.sum(sizes) == total, means[k] / unit, math.nan)
    difference = difference_of(levels) / unit + difference_of(means)
    return difference, squares, dfs, unit * unit_of_all
