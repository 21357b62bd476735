"""Percentiles of replicates: bounds of the violation ratio of larger samples.

They go beside Student's bound, which is too low if the ratio equals the threshold.
"""

import math

from sigarray._backend.aliases import Array
from sigarray._backend.library import Library
from sigarray._order.pairs import Stacks, count_pairs

# The least scores of each sample, the least replicates beyond a percentile, and the
# most replicates of all pairs that are held.
_MIN_SIZE, _MIN_BEYOND, _MAX_KEPT = 20, 20, 2**16


def has_percentiles(n: int, m: int, n_pairs: int, n_resamples: int) -> bool:
    """Tell whether a pair of these sizes has percentiles, given the number of pairs.

    The number of batch entries does not matter, because results do not depend on it.
    """
    return min(n, m) >= _MIN_SIZE and n_pairs * n_resamples <= _MAX_KEPT


def has_any_percentiles(stacks: Stacks, n_resamples: int) -> bool:
    """Tell whether any pair has percentiles."""
    sizes = sorted(stack.shape[-1] for stack in stacks for _ in range(stack.shape[-2]))
    return has_percentiles(sizes[-2], sizes[-1], count_pairs(stacks), n_resamples)


def count_beyond(level: float, n_resamples: int) -> int:
    """Count the replicates from the percentile on: a share of `level` of them.

    The least number is `_MIN_BEYOND`, so that chance does not decide.
    """
    count = math.floor(level * (n_resamples + 1) + 1e-9)
    return min(max(count, _MIN_BEYOND), n_resamples)


def find_tails(xp: Library, replicates: Array, level: float) -> tuple[Array, Array]:
    """Return the replicates beyond which there is a share of `level`, on each side."""
    count = replicates.shape[-1]
    n_beyond = count_beyond(level, count)
    return (
        xp.nth_smallest(replicates, n_beyond)[..., 0],
        xp.nth_smallest(replicates, count + 1 - n_beyond)[..., 0],
    )
