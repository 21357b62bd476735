"""What tests of equality are of: net wins of a pair, and Welch's t where it is needed.

Ranks of two samples of equal sizes tell more spread from better at about their level,
and those of unequal sizes do not: of equal means, 5 scores that are spread four times
as widely lie on one side of the middle of 20 others in 1 of 16 cases. So a pair is then
told apart by its means, too. See docs/mathematics.md.
"""

from typing import NamedTuple

from sigarray._backend.aliases import Alternative, Array
from sigarray._backend.library import Library
from sigarray._numeric.ranks import net_wins
from sigarray._numeric.special import student_t_sf
from sigarray._numeric.statistic import find_symmetric_p_value
from sigarray._numeric.student import find_t_of
from sigarray._order.pairs import Stacks, list_blocks, map_block

# From so many scores on, bounds alone hold of equal means.
_MIN_SIZE = 20


class Comparison(NamedTuple):
    """Of a block of pairs, (..., P): net wins, and t with its degrees of freedom."""

    wins: Array
    t: Array | None = None
    df: Array | None = None


def needs_means(n: int, m: int) -> bool:
    """Tell whether pairs of such sizes are told apart by their means, too."""
    return n != m and 1 < min(n, m) < _MIN_SIZE


def compare_pairs(xp: Library, stacks: Stacks) -> list[Comparison]:
    """Compare every pair, block by block; NaN where a sorted sample is."""

    def count(x: Array, y: Array) -> Array:
        fault = x[..., 0] - x[..., 0] + (y[..., 0] - y[..., 0])
        return net_wins(xp, x, y) + fault

    def compare_means(x: Array, y: Array) -> Array:
        return xp.stack(find_t_of(xp, x, y, paired=False))

    found = []
    for block in list_blocks(stacks):
        n, m = (stacks[place].shape[-1] for place in block)
        width = min(n * m, 8 * (n + m))
        wins = map_block(xp, stacks, block, count, width=width)
        means = None, None
        if needs_means(n, m):
            both = map_block(xp, stacks, block, compare_means, elements=4 * (n + m))
            means = both[0, ...], both[1, ...]
        found.append(Comparison(wins, *means))
    return found


def p_of_means(
    xp: Library, pair: Comparison, size: int, alternative: Alternative
) -> Array | None:
    """Return the p-value of Welch's t, or None where the sizes need none.

    The degrees of freedom are the harmonic mean of Welch's and of those that the
    smaller sample has alone: Welch's are estimated, and of 3 to 5 scores often too many
    for a level that is divided by the number of models.
    """
    if pair.t is None or pair.df is None:
        return None
    df = 2.0 / (1.0 / pair.df + 1.0 / (size - 1.0))
    return find_symmetric_p_value(
        xp, alternative, pair.t, lambda t: student_t_sf(xp, t, df)
    )


def has_means_apart(pair: Comparison, p_values: Array, level: float) -> Array:
    """Tell pairs whose means differ at a level, in the direction of the net wins."""
    is_significant = p_values <= level
    return (
        is_significant
        if pair.t is None
        else is_significant & (pair.t * pair.wins >= 0.0)
    )
