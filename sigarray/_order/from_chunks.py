"""Almost stochastic order of scores that are larger than memory."""

from typing import Any, Unpack

import numpy as np

from sigarray._backend.callers import (
    Array,
    ExecutionOptions,
    RandomSource,
    SharingOptions,
)
from sigarray._backend.checks import fraction, host_worker_source, optional
from sigarray._backend.of_numpy import HOST
from sigarray._backend.public import checked
from sigarray._backend.workers import current_execution
from sigarray._numeric.quantile import even_grid
from sigarray._numeric.selection import Sample
from sigarray._order.estimates import STREAMS
from sigarray._order.families import Family
from sigarray._order.in_parts import (
    count_scores,
    estimate_samples,
    find_known,
    told_of_parts,
)
from sigarray._order.many_models import result_of_pair
from sigarray._order.pairs import join, list_blocks
from sigarray._order.ratio import merge_pairs, ratios_of_blocks
from sigarray._order.stacks import level_of
from sigarray.results import AsoResult


@checked(
    dt=fraction,
    workers=optional(host_worker_source),
)
def aso_from_chunks(
    a: Any,
    b: Any,
    /,
    *,
    dt: float,
    confidence_level: float = 0.95,
    n_comparisons: int = 1,
    n_resamples: int = 1000,
    higher_is_better: bool = True,
    rng: RandomSource = None,
    **_: Unpack[ExecutionOptions],
) -> AsoResult:
    """Almost stochastic order of scores that do not fit into memory.

    The result is that of `aso` for the same scores and `dt`, bit for bit, except for
    the test of equality. This knows only the order statistics that resamples need, and
    takes the fewest wins that they allow: `pvalue` is that of `aso` or more, and
    `probability_of_improvement` the middle of its limits, within about 3 `dt`.

    Parameters
    ----------
    a, b : array, path, (path, column) or callable
        Scores of the two models, each as a NumPy array of one axis, such as a
        `numpy.memmap`; the path of a file .npy, .parquet or .arrow, or (path, column)
        where a table has several columns; or a function without parameters, which
        returns the same iterable of arrays at each call.

        Integers count as float64, and float16 as float32.
    dt : float
        Compare quantiles on the grid dt, 2 dt, ... < 1, such as 0.005, the one of the
        papers.
    confidence_level : float, default: 0.95
        Confidence of the bound, in (0, 1): 0.95 for 95 %.
    n_comparisons : int, default: 1
        Divide 1 - `confidence_level` by this number of comparisons (Bonferroni).
    n_resamples : int, default: 1000
        Number of bootstrap replicates: with more, the result depends less on the seed.
    higher_is_better : bool, default: True
        False if lower scores are better, as for losses.
    rng : int, generator or key, optional
        Source of the random numbers: a seed, which is an int in [0, 2^64), or a
        `numpy.random.Generator`. By default fresh entropy, so that each call draws
        others.
    batch : int, optional
        Replicates at a time; by default what suits the device. Memory grows with it;
        the result is the same.
    workers : int, callable, ProcessGroup or str, optional
        Who reads the parts of 2^26 scores, or the row groups of a table: a number of
        threads (-1: all cores), or a function called as ``map(function, tasks)``, as an
        executor has. By default this thread. Process groups and mesh axes are refused.

        To a pool of processes only the path of a file is sent.
    progress : callable or tqdm, optional
        Called as ``progress(n_read, n)`` for every part, with the number of scores that
        a pass through one sample has read, and of all, which is None in the first pass;
        or a bar of tqdm, ``progress=tqdm()``.

    Returns
    -------
    AsoResult
        `eps_min`, `violation_ratio`, `standard_error`, `probability_of_improvement` and
        `pvalue`, of the float dtype of the scores. NaN if a score is not finite.

    Raises
    ------
    TypeError
        A source of another kind, or scores that are not real numbers.
    ValueError
        A sample without scores; a file of several columns without a named one, or with
        missing scores; a function that returns other scores in the second pass; options
        outside their range.
    ImportError
        A table on disk without pyarrow.

    See Also
    --------
    aso : the formulas and references.
    order_statistics : any of them.

    Notes
    -----
    Resamples at a grid are order statistics of the sample, whose ranks are known
    without the scores. So one pass counts scores by the first 20 bits of their order,
    and a second one reads only those that begin like the needed ones. For float64, or
    ranks that are spread, there may be a third. Memory holds 8 MiB of counts for each
    part that is read at a time, up to 128 MiB of scores, and 8 bytes for each of the at
    most `n_resamples` / `dt` ranks.

    Examples
    --------
    >>> import numpy as np
    >>> from sigarray import aso_from_chunks
    >>> def chunks():
    ...     rng = np.random.default_rng(0)
    ...     for _ in range(5):
    ...         yield rng.normal(size=1000)
    >>> b = np.random.default_rng(1).normal(size=4000) - 1.0
    >>> bool(aso_from_chunks(chunks, b, dt=0.005, rng=0).eps_min < 0.2)
    True
    """
    sign = 1 if higher_is_better else -1
    told = current_execution().progress
    samples = [Sample(x, sign=sign, progress=told) for x in (a, b)]
    level = level_of(confidence_level, n_comparisons)
    estimates, equality = estimate_samples(
        samples,
        STREAMS,
        family=Family("one-sided", level),
        n_resamples=n_resamples,
        dt=dt,
        rng=rng,
    )
    return result_of_pair(HOST, estimates, equality)


@checked(
    dt=fraction,
    workers=optional(host_worker_source),
)
def violation_ratio_from_chunks(
    a: Any, b: Any, /, *, dt: float, **_: Unpack[SharingOptions]
) -> Array:
    """Violation ratio of scores that do not fit into memory.

    The result is that of `violation_ratio` for the same scores and `dt`, bit for bit.

    Parameters
    ----------
    a, b : array, path, (path, column) or callable
        Scores of the two models, each as a NumPy array of one axis, such as a
        `numpy.memmap`; the path of a file .npy, .parquet or .arrow, or (path, column)
        where a table has several columns; or a function without parameters, which
        returns the same iterable of arrays at each call.
    dt : float
        Compare quantiles on the grid dt, 2 dt, ... < 1, such as 0.005, the one of the
        papers.
    workers : int, callable, ProcessGroup or str, optional
        Who reads the parts of 2^26 scores, or the row groups of a table: a number of
        threads (-1: all cores), or a function called as ``map(function, tasks)``, as an
        executor has. By default this thread. Process groups and mesh axes are refused.
    progress : callable or tqdm, optional
        Called as ``progress(n_read, n)`` for every part, with the number of scores that
        a pass through one sample has read, and of all, which is None in the first pass;
        or a bar of tqdm, ``progress=tqdm()``.

    Returns
    -------
    float, in [0, 1]
        The ratio, of the float dtype of the scores; NaN if a score is not finite.

    Raises
    ------
    TypeError
        A source of another kind, or scores that are not real numbers.
    ValueError
        A sample without scores; a file of several columns without a named one, or with
        missing scores; a function that returns other scores in the second pass; options
        outside their range.
    ImportError
        A table on disk without pyarrow.

    Examples
    --------
    >>> import numpy as np
    >>> from sigarray import violation_ratio_from_chunks
    >>> a, b = np.linspace(0.7, 0.9, 1000), np.linspace(0.6, 0.8, 900)
    >>> float(violation_ratio_from_chunks(a, b, dt=0.01))
    0.0
    """
    told, grid = current_execution().progress, even_grid(dt)
    samples = [Sample(x, progress=told) for x in (a, b)]
    with HOST.modes_off(), told_of_parts():
        count_scores(samples)
        known = find_known(samples, [np.zeros(0, dtype=np.int64)] * 2, grid)
        steps = merge_pairs(HOST, known, list_blocks(known), grid)
        return join(HOST, ratios_of_blocks(HOST, known, steps, grid))[0]


@checked(workers=optional(host_worker_source))
def order_statistics(scores: Any, ranks: Any, /, **_: Unpack[SharingOptions]) -> Array:
    """Return the scores at some ranks of a sorted sample that does not fit into memory.

    Parameters
    ----------
    scores : array, path, (path, column) or callable
        Scores: a NumPy array of one axis, such as a `numpy.memmap`; the path of a file
        .npy, .parquet or .arrow, or (path, column) where a table has several columns;
        or a function without parameters, which returns the same iterable of arrays at
        each call.
    ranks : array of integers
        Ranks from 0, the smallest score, to n - 1; in any order and shape.
    workers : int, callable, ProcessGroup or str, optional
        Who reads the parts of 2^26 scores, or the row groups of a table: a number of
        threads (-1: all cores), or a function called as ``map(function, tasks)``, as an
        executor has. By default this thread. Process groups and mesh axes are refused.
    progress : callable or tqdm, optional
        Called as ``progress(n_read, n)`` for every part, with the number of scores that
        a pass through one sample has read, and of all, which is None in the first pass;
        or a bar of tqdm, ``progress=tqdm()``.

    Returns
    -------
    array
        The scores at these ranks, of the shape of `ranks` and the float dtype of the
        scores; NaN throughout if one of them is NaN.

    Raises
    ------
    TypeError
        Ranks that are not integers; a source of another kind, or scores that are not
        real numbers.
    ValueError
        Ranks outside of [0, n); a file of several columns without a named one, or with
        missing scores; a function that returns other scores in the second pass.
    ImportError
        A table on disk without pyarrow.

    Examples
    --------
    The median of the absolute errors in a file, and their largest:

    >>> import numpy as np
    >>> from sigarray import order_statistics
    >>> errors = np.asarray([0.5, 0.25, 2.0, 1.0, 0.75])
    >>> order_statistics(errors, [2, 4])
    array([0.75, 2.  ])
    """
    places = np.asarray(ranks)
    if not places.size:
        places = places.astype(np.int64)
    if places.dtype.kind not in "iu":
        msg = f"Expected ranks that are integers; got dtype {places.dtype}."
        raise TypeError(msg)
    sample = Sample(scores, progress=current_execution().progress)
    with told_of_parts():
        n = sample.count()
        if places.size and not 0 <= places.min() <= places.max() < n:
            ends = f"{places.min()} to {places.max()}"
            msg = f"Expected ranks from 0 to {n - 1}; got {ends}."
            raise ValueError(msg)
        unique, inverse = np.unique(places, return_inverse=True)
        return sample.find(unique.astype(np.int64))[inverse.reshape(places.shape)]
