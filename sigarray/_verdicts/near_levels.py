"""P-values of random resamples so near a level that the seed could decide."""

import math
import warnings
from collections.abc import Mapping, Sequence

from sigarray._verdicts.decisions import Decision, PairTest
from sigarray.read._frame import shorten

# More is drawn until a p-value is the first number of its Monte-Carlo errors away from
# a level; nearer than the second number is worth a warning.
_CLEAR, _DOUBTFUL = 4.0, 2.0
_SHOWN = 3


def is_near(p: float, level: float, n_drawn: int, n_errors: float = _CLEAR) -> bool:
    """Tell whether other draws could move a two-sided p-value across a level.

    It is twice the p-value of a tail.
    """
    error = math.sqrt(p * max(0.0, 2.0 - p) / n_drawn)
    return abs(p - level) < n_errors * error


def is_near_any_level(
    p: float, n_drawn: int, *, alpha: float, n_comparisons: int
) -> bool:
    """Tell whether p is near a level of Holm's correction.

    These are alpha over 1, 2, ... comparisons; only the two around p are examined.
    """
    if not p > 0.0:
        return False
    count = math.floor(alpha / p)
    return any(
        is_near(p, alpha / min(max(k, 1), n_comparisons), n_drawn)
        for k in (count, count + 1)
    )


def doubt_near_alpha(
    tests: Mapping[str, Sequence[PairTest]],
    decisions: Mapping[str, Sequence[Decision]],
    alpha: float,
) -> None:
    """Warn once of verdicts that hang on the seed."""
    near, numbers = [], []
    for task, by in tests.items():
        on = f" on {task!r}" if len(tests) > 1 else ""
        for test, decision in zip(by, decisions[task], strict=True):
            adjusted = decision.record["adjusted_pvalue"]
            pair = f"{decision.a!r} and {decision.b!r}{on}"
            every = [(pair, test.p_value, adjusted, test.n_drawn)] + [
                (f"the margin of {pair}", x.p_value, x.adjusted, x.n_drawn)
                for x in decision.margins
            ]
            for what, p, q, n_drawn in every:
                # The p at which the adjusted p-value would be alpha.
                if (
                    n_drawn
                    and q > 0.0
                    and is_near(p, alpha * p / q, n_drawn, _DOUBTFUL)
                ):
                    near.append(what)
                    numbers.append(n_drawn)
    if near:
        warnings.warn(
            f"The adjusted p of {shorten(near, _SHOWN)} is {alpha:g} up to the error "
            f"of {max(numbers):,} random resamples, so that another seed may decide "
            "otherwise. Take more with --n-resamples.",
            UserWarning,
            stacklevel=2,
        )
