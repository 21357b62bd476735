"""Almost stochastic order of scores that are larger than memory."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from sigarray._backend.aliases import (
    Array,
    ExecutionOptions,
    RandomSource,
    Seed,
    SharingOptions,
)
from sigarray._backend.checks import (
    fraction,
    host_worker_source,
    optional,
)
from sigarray._backend.of_numpy import HOST
from sigarray._backend.public import checked
from sigarray._backend.seeds import name_streams, seed_words
from sigarray._backend.workers import current_execution, executed_by
from sigarray._numeric.quantile import (
    Grid,
    KnownScores,
    even_grid,
    grid_ranks,
    resampled_ranks,
)
from sigarray._numeric.selection import Sample
from sigarray._order.bounds import pairwise_result, result_of_pair
from sigarray._order.equality import Equality
from sigarray._order.estimates import Estimates, estimate_pairs, estimate_sorted
from sigarray._order.families import Family, family_of
from sigarray._order.known_scores import equality_of_known
from sigarray._order.pairs import Stacks, join, list_blocks
from sigarray._order.plans import check_resamples, level_of, plan_errors
from sigarray._order.ratio import (
    SortedResamples,
    Streams,
    draw_uniforms,
    find_scale,
    merge_pairs,
    ratios_of_blocks,
    seed_stacks,
)
from sigarray._order.two_models import STREAMS
from sigarray.results import AsoResult, PairwiseAsoResult


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
        Scores of the two models: a NumPy array of one axis, such as a `numpy.memmap`; a
        file .npy, .parquet or .arrow, by its path; a column of one, which has to be
        named if there are several; or a function without parameters that returns an
        iterable of arrays, the same ones whenever it is called. Integers count as
        float64, and float16 as float32.
    dt : float
        Compare quantile functions at dt, 2 dt, ... < 1, as for `aso`.
    confidence_level, n_comparisons, n_resamples, higher_is_better, batch
        As for `aso`.
    rng : int, generator or key, optional
        An int, a `numpy.random.Generator` or None for fresh entropy.
    workers : int, callable, ProcessGroup or str, optional
        Who reads the parts of 2^26 scores, or the row groups of a table: a number of
        threads, or a function that is called as `map(function, tasks)`, such as that of
        a pool of processes, to which only the path of a file is sent. Process groups
        and names of mesh axes are refused.
    progress : callable or tqdm, optional
        Called as ``progress(n_read, n)`` for every part: the number of scores that a
        pass through one sample has read, and of all, which is None in the first pass.

    Returns
    -------
    AsoResult
        As of `aso`, of the float dtype of the scores. NaN if a score is not finite.

    Raises
    ------
    TypeError, ValueError
        As for `aso`; a source of another kind; a file of several columns without a
        named one, or with missing scores; a function that returns other scores in the
        second pass.
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
    estimates, equality = _estimate(
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
        Scores of the two models, as for `aso_from_chunks`.
    dt, workers, progress
        As for `aso_from_chunks`.

    Returns
    -------
    float, in [0, 1]
        The ratio, of the float dtype of the scores; NaN if a score is not finite.

    Raises
    ------
    TypeError, ValueError, ImportError
        As for `aso_from_chunks`.

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
    with HOST.modes_off(), _told_of_parts():
        _count(samples)
        known = _know(samples, [np.zeros(0, dtype=np.int64)] * 2, grid)
        steps = merge_pairs(HOST, known, list_blocks(known), grid)
        return join(HOST, ratios_of_blocks(HOST, known, steps, grid))[0]


@checked(workers=optional(host_worker_source))
def order_statistics(scores: Any, ranks: Any, /, **_: Unpack[SharingOptions]) -> Array:
    """Return the scores at some ranks of a sorted sample that does not fit into memory.

    Parameters
    ----------
    scores : array, path, (path, column) or callable
        Scores, as for `aso_from_chunks`.
    ranks : array of integers
        Ranks from 0, the smallest score, to n - 1; in any order and shape.
    workers, progress
        As for `aso_from_chunks`.

    Returns
    -------
    array
        The scores at these ranks, of the shape of `ranks` and the float dtype of the
        scores; NaN throughout if one of them is NaN.

    Raises
    ------
    TypeError
        Ranks that are not integers; scores as for `aso_from_chunks`.
    ValueError
        Ranks outside of [0, n).

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
    with _told_of_parts():
        n = sample.count()
        if places.size and not 0 <= places.min() <= places.max() < n:
            msg = f"Expected ranks in [0, {n}); got {places.min()} to {places.max()}."
            raise ValueError(msg)
        unique, inverse = np.unique(places, return_inverse=True)
        return sample.find(unique.astype(np.int64))[inverse.reshape(places.shape)]


def multi_aso_of_samples(
    samples: Sequence[Sample],
    names: Sequence[str],
    *,
    confidence_level: float,
    is_corrected: bool,
    n_comparisons: int,
    baseline: str | None,
    n_resamples: int,
    dt: float,
    rng: RandomSource,
) -> PairwiseAsoResult:
    """Return the result of `multi_aso` for models by name, without holding scores."""
    n = len(samples)
    place = None if baseline is None else list(names).index(baseline)
    level = level_of(confidence_level, n_comparisons)
    family = family_of(n, level, place, is_corrected=is_corrected)
    estimates, equality = _estimate(
        samples,
        tuple((stream,) for stream in name_streams(names)),
        family=family,
        n_resamples=n_resamples,
        dt=dt,
        rng=rng,
    )
    return pairwise_result(
        HOST, estimates, equality, sizes=(1,) * n, order=tuple(range(n)), family=family
    )


def _estimate(
    samples: Sequence[Sample],
    streams: Streams,
    *,
    n_resamples: int,
    dt: float,
    rng: RandomSource,
    family: Family,
) -> tuple[Estimates, Equality]:
    """Return the estimates and tests of all pairs of samples."""
    with HOST.modes_off(), _told_of_parts():
        if sum(_count(samples)) <= samples[0].room.read:
            return estimate_pairs(
                HOST,
                [sample.read()[None, :] for sample in samples],
                streams,
                method="auto",
                n_resamples=n_resamples,
                dt=dt,
                higher_is_better=True,
                rng=rng,
                family=family,
                depth=1,
            )
        grid, seed = even_grid(dt), seed_words(HOST, rng)
        nothing = np.zeros(0)
        stacks = [KnownScores(sample.size, nothing, nothing) for sample in samples]
        plans = plan_errors(stacks, "auto", grid)
        check_resamples(plans, n_resamples)
        ranks = _list_ranks(stacks, seed, streams, n_resamples, grid)
        known = _know(samples, ranks, grid)
        estimates = estimate_sorted(
            HOST,
            known,
            seed,
            family.level_of_bound,
            plans=plans,
            streams=streams,
            n_resamples=n_resamples,
            grid=grid,
        )
        return estimates, equality_of_known(known, family)


def _count(samples: Sequence[Sample]) -> list[int]:
    """Count the scores of samples, and give these one dtype."""
    dtype = np.result_type(*(sample.dtype for sample in samples))
    for sample in samples:
        sample.read_as(dtype)
    return [sample.count() for sample in samples]


def _told_of_parts() -> AbstractContextManager[None]:
    """Report progress in reading only, not in replicates."""
    return executed_by(replace(current_execution(), progress=None))


def _list_ranks(
    stacks: Stacks, seed: Seed, streams: Streams, n_resamples: int, grid: Grid | None
) -> list[np.ndarray]:
    """List the ranks in all resamples of each sample."""
    seeds = seed_stacks(HOST, seed, streams)
    size = SortedResamples.of(HOST, stacks, seeds, grid).batch

    every = [np.zeros(0, dtype=np.int64) for _ in stacks]
    for start in range(0, n_resamples, size):
        count = min(size, n_resamples - start)
        uniforms = draw_uniforms(HOST, stacks, seeds, start, count, grid)
        for k, (stack, uniform) in enumerate(zip(stacks, uniforms, strict=True)):
            ranks = resampled_ranks(HOST, stack.shape[-1], uniform, grid)
            every[k] = _sort_distinct(every[k], ranks)
    return every


def _sort_distinct(*ranks: np.ndarray) -> np.ndarray:
    """Sort distinct ranks, faster than by the hashes of `numpy.unique`."""
    every = np.sort(np.concatenate([x.reshape(-1) for x in ranks]))
    is_first = np.ones(len(every), dtype=bool)
    is_first[1:] = every[1:] > every[:-1]
    return every[is_first]


def _know(
    samples: Sequence[Sample], ranks: Sequence[np.ndarray], grid: Grid | None
) -> Stacks:
    """Find the scores at these ranks, at the grid and at both ends.

    They are in one unit, as in `sort_stacks`.
    """
    parts = []
    for sample, wanted in zip(samples, ranks, strict=True):
        n = sample.size
        nodes = wanted[:0] if grid is None else grid_ranks(HOST, n, grid)
        is_held = n <= sample.room.held
        ends = np.asarray([0, n - 1])
        every = np.arange(n) if is_held else _sort_distinct(wanted, nodes, ends)
        values = sample.find(every)
        is_sound = bool(np.isfinite(values[[0, -1]]).all())
        parts.append((every, values if is_sound else np.full_like(values, np.nan)))
    ends = np.abs(np.asarray([values[[0, -1]] for _, values in parts]))
    largest = np.max(np.where(ends >= 0.0, ends, ends.dtype.type(0.0)))
    scale = find_scale(HOST, largest)
    return [
        KnownScores(sample.size, every, scale * values)
        if sample.size > sample.room.held
        else (scale * values)[None, :]
        for sample, (every, values) in zip(samples, parts, strict=True)
    ]
