"""What would tell more models apart, and what to ask where nothing differs."""

from collections.abc import Sequence

from sigarray._plain_text import list_in_words, quote
from sigarray._verdicts.comparison import Comparison
from sigarray._verdicts.decisions import Decision
from sigarray._verdicts.pair_numbers import advise_least

# The most pairs without a difference that are named.
_MOST_NAMED = 3


def advise(
    comparison: Comparison, decisions: Sequence[Decision], *, has_fewer: bool
) -> list[str]:
    """Say what would tell more pairs apart, if any may be.

    `has_fewer` if comparisons with one model alone would decide more.
    """
    is_open = ("inconclusive", "unequal")
    undecided = [
        x for x in decisions if x.verdict in is_open and _varies(comparison, x)
    ]
    equal = [x for x in undecided if comparison.find_difference(x.a, x.b) == 0.0]
    told = advise_least(any(x.is_least for x in decisions))
    told += _say_equal(equal) if equal and comparison.margin is None else []
    if len(equal) == len(undecided):
        return told
    said = comparison.advise_more()
    if has_fewer:
        said += (
            ". So would fewer comparisons, with one model alone, which has to be "
            "chosen before the scores are seen: --baseline MODEL"
        )
    return [*told, f"{said}."]


def _say_equal(pairs: Sequence[Decision]) -> list[str]:
    """Say that no difference was seen, and which tests are of models as good."""
    if len(pairs) > _MOST_NAMED:
        which = f"{len(pairs)} pairs of models"
    else:
        names = [f"{quote(x.a)} and {quote(x.b)}" for x in pairs]
        which = list_in_words(names, "or between")
    return [
        f"No difference was seen between {which}. Whether a model is no worse than "
        "another one, or as good, is what --margin asks."
    ]


def _varies(comparison: Comparison, x: Decision) -> bool:
    """Tell whether the scores of one of two models vary."""
    return any(not y["sd"] <= 0.0 for y in comparison.summarize_pair(x.a, x.b))
