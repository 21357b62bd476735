"""Models with one run beside others with several, such as a number from a paper."""

import shlex
import warnings
from collections.abc import Mapping

from sigarray._plain_text import list_in_words
from sigarray._verdicts.comparison import Comparison

_SHOWN = 3
# With fewer scores, no test decides anything on a pair.
_ENOUGH = 3


def advise_single(name: str) -> str:
    """Say what to do with a model of which there is one score."""
    leave = f"leave it out with --ignore {shlex.quote(name)}"
    return (
        f"Run it with more seeds, or {leave}. If it is a published number, whose seeds "
        "are not known, compare the interval of another model's mean, t_ci(scores), "
        "with it, as docs/which_test.md says under A published number."
    )


def doubt_single_runs(compared: Mapping[str, Comparison]) -> None:
    """Warn that a model of one run makes verdicts on other pairs weaker.

    Its own pairs cannot be decided, but are among those that are corrected for; a test
    that is closed over sets of models has to reject the sets with it, too.
    """
    first = next(iter(compared.values()))
    if first.baseline is not None or not first.is_corrected or first.is_paired:
        return
    names = dict.fromkeys(
        name
        for x in compared.values()
        if sum(len(y) >= _ENOUGH for y in x.list_units().values()) > 1
        for name, scores in x.list_units().items()
        if len(scores) == 1
    )
    if not names:
        return
    quoted = [repr(name) for name in names]
    if len(quoted) > _SHOWN:
        quoted = [*quoted[:_SHOWN], f"{len(quoted) - _SHOWN} more"]
    is_one = len(names) == 1
    said = f"{'has' if is_one else 'have'} one {first.unit}"
    it = "it" if is_one else "them"
    warnings.warn(
        f"{list_in_words(quoted)} {said}, which can hardly decide anything, and the "
        f"correction for pairs with {it} makes verdicts on other pairs weaker. Leave "
        f"{it} out with --ignore, or run {it} more often.",
        UserWarning,
        stacklevel=3,
    )
