"""Ranks of several models, with intervals that follow from the verdicts on pairs.

`rank_ci` inverts comparisons of its own, which may decide other pairs than the verdicts
that are printed beside them, and needs models that are independent of each other.
"""

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from sigarray._verdicts.ranking import Wins


class Rank(NamedTuple):
    """The rank of a model, 1 for the best, and the limits of its interval."""

    rank: int
    low: int
    high: int


def find_ranks(
    values: Mapping[str, float],
    roundings: Mapping[str, float],
    wins: Wins,
    *,
    higher_is_better: bool,
) -> dict[str, Rank]:
    """Rank models by their values, behind those that are better and before those worse.

    Where no verdict on any pair is wrong, every interval holds (Mogstad, Romano, Shaikh
    and Wilhelm 2024): so all hold at once at the level of all verdicts together. Models
    whose values differ by their `roundings` alone have the first of their ranks.
    """
    sign = 1.0 if higher_is_better else -1.0
    worse, better = Counter(x for x, _ in wins), Counter(x for _, x in wins)
    return {
        name: Rank(
            1
            + sum(
                sign * (y - value) > roundings[name] + roundings[other]
                for other, y in values.items()
            ),
            1 + better[name],
            len(values) - worse[name],
        )
        for name, value in values.items()
    }
