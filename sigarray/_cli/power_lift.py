"""By how much the scores of a model are lifted: as asked, or by what its scale allows.

A lift by a quarter takes an accuracy of 0.9 above 1. So shares and percentages that it
would take beyond their end are lifted by half of the distance to it.
"""

import warnings
from typing import NamedTuple

import numpy as np

from sigarray._verdicts.intervals import are_binary
from sigarray.read._wide import Scores

DEFAULT_LIFT = 1.25


class Lift(NamedTuple):
    """A factor above 1, by which losses are divided, and what readers are told."""

    factor: float
    said: str


def choose_lift(
    scores: Scores,
    factor: float | None,
    *,
    higher_is_better: bool,
    margin: float | None = None,
) -> Lift:
    """Return the lift that is asked for, or else the default of these scores.

    With a margin there is none by default: a model with equal scores is not worse.
    Warns of a lift that takes scores, or means of 0 and 1, beyond 1 or 100.
    """
    if margin is not None and factor is None:
        worse = f"worse by {margin:.10g} or more"
        return Lift(1.0, f"that a model with the same scores is not {worse}")
    if not higher_is_better:
        factor = factor or DEFAULT_LIFT
        return Lift(factor, f"a drop by a factor of {factor:g}")
    ends = [float(x.mean() if are_binary(x) else x.max()) for x in scores.values()]
    largest = max(ends)
    # The end of the scale of shares, or of percentages.
    end = 1.0 if largest <= 1.0 else 100.0
    is_beyond = largest <= end < (factor or DEFAULT_LIFT) * largest
    if factor is None and is_beyond:
        # The best score goes half of the way, or, if it is the end itself, the mean.
        level = largest
        if level == end:
            level = max(float(np.mean(x)) for x in scores.values())
        if level < end:
            factor = 0.5 * (1.0 + end / level)
            which = "best score" if level == largest else "best mean"
            said = (
                f"a lift by a factor of {factor:.4g}, which takes the {which} half of "
                f"the way to {end:g}"
            )
            return Lift(factor, said)
    factor = factor or DEFAULT_LIFT
    if is_beyond:
        warnings.warn(
            f"A lift by a factor of {factor:g} takes scores above {end:g}, and none is "
            f"above {end:g} now. Is it too much to ask for? Choose it with --lift.",
            UserWarning,
            stacklevel=2,
        )
    return Lift(factor, f"a lift by a factor of {factor:g}")
