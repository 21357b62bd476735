"""Percentiles of replicates: bounds of the violation ratio of larger samples.

Beside Student's bound, which is too low where the ratio itself is the threshold.
"""

import math

from sigarray._backend.aliases import Array
from sigarray._backend.library import Library
from sigarray._order.pairs import Stacks, count_pairs

# Scores of each sample from which on, replicates beyond a percentile at the least, and
# replicates of all pairs that are held at the most.
_MIN_SIZE, _MIN_BEYOND, _MAX_KEPT = 20, 20, 2**16


def has_percentiles(n: int, m: int, n_pairs: int, n_resamples: int) -> bool:
    """Tell whether a pair of such sizes has percentiles, of so many pairs in all.

    That does not depend on the number of batch entries, for results do not either.
    """
    return min(n, m) >= _MIN_SIZE and n_pairs * n_resamples <= _MAX_KEPT


def has_any_percentiles(stacks: Stacks, n_resamples: int) -> bool:
    """Tell whether any pair has percentiles."""
    sizes = sorted(stack.shape[-1] for stack in stacks for _ in range(stack.shape[-2]))
    return has_percentiles(sizes[-2], sizes[-1], count_pairs(stacks), n_resamples)


def count_beyond(level: float, n_resamples: int) -> int:
    """Count the replicates from the percentile on: a share of `level` of them.

    Or more, so many that it is no matter of chance.
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
