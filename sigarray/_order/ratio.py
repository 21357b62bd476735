"""Violation ratios of sorted samples, observed and resampled, for all pairs of models.

Stacks of samples and the shapes of results are those of `sigarray._order.pairs`.
"""

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, Self

from sigarray._backend.callers import Array, Seed
from sigarray._backend.chunks import chunk_size
from sigarray._backend.dispatch import standardize
from sigarray._backend.library import Library, broadcast_shapes
from sigarray._backend.public import array_kernel, checked
from sigarray._backend.seeds import stream_seeds
from sigarray._backend.threefry import random_uniforms
from sigarray._backend.workers import current_execution
from sigarray._numeric.quantile import (
    Grid,
    MergedSteps,
    Spacings,
    even_grid,
    grid_ranks,
    grid_widths,
    merge_steps,
    plan_spacings,
    resample_width,
    scores_at,
    sorted_resamples,
)
from sigarray._order.comparison import ALL_STEPS, ratio_of_samples
from sigarray._order.pairs import (
    Block,
    Stacks,
    join,
    list_blocks,
    list_pairs,
    map_block,
    slices_of,
)
from sigarray._order.stacks import sort_stacks
from sigarray._resampling.replicates import keep

# The streams of random numbers of the models of each stack.
Streams = tuple[tuple[int, ...], ...]
Steps = dict[Block, MergedSteps | None]
# Replicates at a time are at least these, or have at least this many scores of a model,
# so that loops over pairs of few scores are long enough.
_MIN_REPLICATES, _MIN_LENGTH = 256, 2**17


def merge_pairs(
    xp: Library, stacks: Stacks, blocks: Sequence[Block], grid: Grid | None
) -> Steps:
    return merge_sizes(xp, [stack.shape[-1] for stack in stacks], blocks, grid)


def merge_sizes(
    xp: Library, sizes: Sequence[int], blocks: Sequence[Block], grid: Grid | None
) -> Steps:
    """Merge the steps of samples of these sizes, for every block of two of them."""
    if grid is not None:
        widths = grid_widths(xp, grid)
        merged = None if widths is None else MergedSteps(None, None, widths)
        return dict.fromkeys(blocks, merged)
    return {(g, h): merge_steps(xp, sizes[g], sizes[h]) for g, h in blocks}


@array_kernel
def observed_ratios(xp: Library, stacks: Stacks, *, grid: Grid | None) -> Array:
    """Return the violation ratio of every pair, shape (..., P)."""
    stacks = sort_stacks(xp, stacks)
    steps = merge_pairs(xp, stacks, list_blocks(stacks), grid)
    return join(xp, ratios_of_blocks(xp, stacks, steps, grid))


@array_kernel
def bootstrap_ratios(
    xp: Library,
    stacks: Stacks,
    seed: Seed,
    start: int | Array,
    *,
    streams: Streams,
    count: int,
    grid: Grid | None,
) -> Array:
    """Return violation ratios of every pair in `count` replicates: (..., P, count)."""
    stacks = sort_stacks(xp, stacks)
    seeds = seed_stacks(xp, seed, streams)
    steps = merge_pairs(xp, stacks, list_blocks(stacks), grid)
    resamples = SortedResamples.of(xp, stacks, seeds, grid)
    return replicate_ratios(xp, resamples, steps, start, count=count)


class Resamples(Protocol):
    """Sorted resamples of every stack, with scores on an axis: see `SortedResamples`.

    A replicate holds `elements` numbers; `batch`, if any, are drawn at a time.
    """

    @property
    def elements(self) -> int: ...
    @property
    def axis(self) -> int: ...
    @property
    def batch(self) -> int | None: ...
    def draw(self, start: int | Array, count: int) -> list[Array]: ...


def replicate_ratios(
    xp: Library,
    resamples: Resamples,
    steps: Steps,
    start: int | Array,
    *,
    count: int,
) -> Array:
    """Return `bootstrap_ratios` of sorted samples, for the blocks that have steps."""
    ratios = _Ratios(xp, resamples, steps)
    return keep(xp, ratios, count, start, batch=resamples.batch)


@dataclass(frozen=True, eq=False)
class _Ratios:
    """Violation ratios of every pair in replicates, (..., P, size)."""

    xp: Library
    resamples: Resamples
    steps: Steps

    @property
    def elements(self) -> int:
        return self.resamples.elements

    def __call__(self, start: int | Array, size: int) -> Array:
        xp = self.xp
        drawn, axis = self.resamples.draw(start, size), self.resamples.axis
        blocks = map_ratios(
            xp, drawn, self.steps, lambda x: xp.move_axis(x, -1, 0), axis=axis
        )
        return xp.move_axis(join(xp, blocks), 0, -1)


def seed_stacks(xp: Library, seed: Seed, streams: Streams) -> list[Seed]:
    every = [stream for group in streams for stream in group]
    low, high = stream_seeds(xp, seed, every)
    return [(low[part, :], high[part, :]) for part in slices_of(map(len, streams))]


def ratios_of_blocks(
    xp: Library, stacks: Stacks, steps: Steps, grid: Grid | None
) -> list[Array]:
    if grid is not None:
        stacks = [
            scores_at(xp, stack, grid_ranks(xp, stack.shape[-1], grid))
            for stack in stacks
        ]
    return [
        map_block(xp, stacks, block, functools.partial(ratio_of_samples, xp, merged))
        for block, merged in steps.items()
    ]


@dataclass(frozen=True, eq=False)
class SortedResamples:
    """Resamples of every model of sorted stacks, each with a different seed.

    A replicate holds `elements` numbers, and `batch` replicates are drawn at a time: as
    many as suit the device, unless the caller chose. The scores of resamples are on
    axis -2 if a chunk has more replicates than scores, else on -1: the longer axis is
    the last one, along which everything is fast. The chunk that suits the device
    decides: sums along the two axes differ in their last bits, which must not depend on
    how many replicates are asked for.
    """

    xp: Library
    stacks: Stacks
    seeds: Sequence[Seed]
    grid: Grid | None
    spacings: Sequence[Spacings]
    elements: int
    batch: int
    axis: int

    @classmethod
    def of(
        cls, xp: Library, stacks: Stacks, seeds: Sequence[Seed], grid: Grid | None
    ) -> Self:
        elements, n_nodes = count_elements(stacks, grid), count_nodes(stacks, grid)
        least = max(1, min(_MIN_REPLICATES, _MIN_LENGTH // n_nodes))
        suitable = chunk_size(xp, elements, least=least)
        axis = -2 if suitable >= n_nodes else -1
        batch = current_execution().batch
        batch = suitable if batch is None else batch
        how = tuple(plan_spacings(xp, int(stack.shape[-1]), grid) for stack in stacks)
        return cls(xp, stacks, seeds, grid, how, elements, batch, axis)

    def draw(self, start: int | Array, count: int) -> list[Array]:
        """Resample every model once per replicate.

        The shape is (..., K, count, n) or (..., K, n, count) for every stack.
        """
        uniforms = draw_uniforms(
            self.xp, self.stacks, self.seeds, start, count, self.grid
        )
        return [
            sorted_resamples(self.xp, stack, drawn, how, is_last=self.axis == -1)
            for stack, drawn, how in zip(
                self.stacks, uniforms, self.spacings, strict=True
            )
        ]


def count_nodes(stacks: Stacks, grid: Grid | None) -> int:
    """Count the points at which quantile functions of the largest samples compare."""
    return grid.size if grid else max(int(stack.shape[-1]) for stack in stacks)


def map_ratios(
    xp: Library,
    resamples: Sequence[Array],
    steps: Steps,
    function: Callable[..., Array],
    *along: Mapping[Block, Array],
    axis: int,
) -> list[Array]:
    """Apply `function(ratios, *along)` to ratios (..., R) of pairs of each block.

    Resamples are those of `SortedResamples`, with the scores on an axis. The function
    returns (...), after any other axes.
    """

    def compare(merged: MergedSteps | None, x: Array, y: Array, *own: Array) -> Array:
        return function(ratio_of_samples(xp, merged, x, y, axis), *own)

    blocks = []
    for block, merged in steps.items():
        own = [values[block] for values in along]
        x, y = (resamples[place] for place in block)
        n_others = None if block[0] == block[1] else y.shape[-3]
        found = _map_by_kernel(xp, x, y, n_others, merged, function, own, axis)
        if found is None:
            found = map_block(
                xp, resamples, block, functools.partial(compare, merged), *own, n_axes=2
            )
        blocks.append(found)
    return blocks


def _map_by_kernel(
    xp: Library,
    x: Array,
    y: Array,
    n_others: int | None,
    merged: MergedSteps | None,
    function: Callable[..., Array],
    along: Sequence[Array],
    axis: int,
) -> Array | None:
    """Return `map_ratios` of a block by a kernel of all pairs, if there is one.

    The second sample of a pair is of as many others, or of the first's stack.
    """
    if not xp.is_host:
        return None
    parts = []
    at_once = chunk_size(xp, x.shape[-3 - axis])
    for part, pairs in list_pairs(x.shape[-3], n_others, at_once):
        ratios = xp.find_ratios(x, y, merged or ALL_STEPS, axis, pairs)
        if ratios is None:
            return None
        parts.append(function(ratios, *(values[..., part] for values in along)))
    return join(xp, parts)


def draw_uniforms(
    xp: Library,
    stacks: Stacks,
    seeds: Sequence[Seed],
    start: int | Array,
    count: int,
    grid: Grid | None,
) -> list[Array]:
    """Draw (count, K, width) for each stack, at once if widths are equal."""
    widths = [resample_width(stack.shape[-1], grid) for stack in stacks]
    if len(stacks) == 1 or len(set(widths)) > 1:
        return [
            random_uniforms(xp, seed, start, count, width)
            for seed, width in zip(seeds, widths, strict=True)
        ]
    every = (xp.concat([x for x, _ in seeds]), xp.concat([x for _, x in seeds]))
    uniforms = random_uniforms(xp, every, start, count, widths[0])
    parts = slices_of(stack.shape[-2] for stack in stacks)
    return [uniforms[:, part, :] for part in parts]


def count_elements(stacks: Stacks, grid: Grid | None) -> int:
    """Count the numbers of a replicate: uniforms, resamples twice, and one pair."""
    uniforms = sum(s.shape[-2] * resample_width(s.shape[-1], grid) for s in stacks)
    nodes = [grid.size if grid else stack.shape[-1] for stack in stacks]
    resamples = sum(
        math.prod(stack.shape[:-1]) * size
        for stack, size in zip(stacks, nodes, strict=True)
    )
    leading = broadcast_shapes(*(stack.shape[:-2] for stack in stacks))
    return int(uniforms + 2 * resamples + math.prod(leading) * max(nodes))


@checked()
def violation_ratio(
    a: Array, b: Array, /, *, axis: int = -1, dt: float | None = None
) -> Array:
    """How far sample A is from dominating sample B in stochastic order.

    The ratio is 0 if every quantile of A is at least that of B (A dominates), 1 if B
    dominates, and 0.5 if both have the same distribution. Below 0.5, A is ahead more
    than B is. It describes these samples: `aso` adds their sampling error.

    Parameters
    ----------
    a, b : array, shape (..., n) and (..., m), real
        Scores of the two models, one for each run or item. Leading axes are batches,
        which broadcast.
    axis : int, default: -1
        The axis of the scores; the others are batches.
    dt : float, optional
        Compare quantiles at dt, 2 dt, ... < 1, as the papers do with 0.005; by default
        all of them, exactly.

    Returns
    -------
    array, shape (...), in [0, 1]
        On the device and of the float dtype of the scores (float32 for float16 and
        bfloat16, the widest of the device for integers). NaN for a batch entry with a
        score that is not finite.

    Raises
    ------
    TypeError
        Scores that are not real, or of two libraries or devices.
    ValueError
        A sample without scores, leading axes that do not broadcast, or dt outside (0,
        1).

    See Also
    --------
    aso : the confidence bound of this ratio.

    Notes
    -----
    With the empirical quantile functions F^-1(t) = x_(ceil(n t)) and G^-1(t) =
    y_(ceil(m t)) of A and B, equation 4 of [1]_ is::

        eps = int over {t: F^-1(t) < G^-1(t)} of (F^-1(t) - G^-1(t))^2 dt
              / int_0^1 (F^-1(t) - G^-1(t))^2 dt,

    computed exactly as the sum over the breakpoints {i/n} and {j/m}.

    Lists of numbers, and objects on the host that support only `__array__` or
    `__dlpack__` (a pandas Series, a TensorFlow tensor), are copied to NumPy and
    computed there. All options are static under `jit`.

    References
    ----------
    .. [1] E. del Barrio, J. A. Cuesta-Albertos, C. Matran (2018). An optimal
       transportation approach for assessing almost stochastic order. In: The
       Mathematics of the Uncertain. :doi:`10.1007/978-3-319-73848-2_3`

    Examples
    --------
    >>> from sigarray import violation_ratio
    >>> float(violation_ratio([0.7, 0.8, 0.9], [0.6, 0.7, 0.8]))
    0.0
    >>> round(float(violation_ratio([3, 5, 7], [1, 2, 9])), 4)
    0.2353
    """
    xp, samples = standardize(a, b, axis=axis)
    stacks = [x[..., None, :] for x in samples]
    return observed_ratios(xp, stacks, grid=even_grid(dt))[..., 0]
