"""Standard deviations of violation ratios over replicates."""

from collections.abc import Callable
from typing import Any

from sigarray._backend.aliases import Array
from sigarray._backend.chunks import AddUp, add_chunks
from sigarray._backend.library import Library


def moments(xp: Library, deviations: Array, weights: Array | float) -> Array:
    """Return w d and w d^2, stacked on a new first axis."""
    weighted = weights * deviations
    return xp.stack([weighted, weighted * deviations])


def standard_deviation(
    xp: Library,
    add_moments: Callable[[Any, int, AddUp], Array],
    count: int,
    observed: Array,
    elements: int,
    batch: int | None = None,
) -> Array:
    """Return the standard deviation (ddof 0) from moments about the observed ratio."""
    # 0, or NaN where the ratio is NaN; with its shape and, in shard_map, its mesh axes.
    zero = observed - observed
    sums = add_chunks(
        xp,
        add_moments,
        count,
        initial=xp.stack([zero, zero]),
        elements=elements,
        batch=batch,
    )
    return xp.sqrt(xp.clip(sums[1, ...] - sums[0, ...] ** 2, 0.0, None))


def deviation_of(xp: Library, replicates: Array, ratio: Array) -> Array:
    """Return the standard deviation (ddof 0) of replicates about the observed ratio."""
    deviations = replicates - ratio[..., None]
    mean = xp.mean(deviations, axis=-1)
    variance = xp.mean(deviations * deviations, axis=-1) - mean**2
    return xp.sqrt(xp.clip(variance, 0.0, None))
