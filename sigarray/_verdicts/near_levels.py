"""P-values of random resamples so near a level that the seed could decide."""

import math
import warnings
from collections.abc import Mapping, Sequence

from sigarray._verdicts.decisions import Decision, PairTest
from sigarray.read._frame import shorten

# A p-value is clear of a level so many of its Monte-Carlo errors away, and draws are
# taken on until it is; nearer than so many is worth a warning.
_CLEAR, _DOUBTFUL = 4.0, 2.0
_SHOWN = 3


def is_near(p: float, level: float, n_drawn: int, n_errors: float = _CLEAR) -> bool:
    """Tell a two-sided p-value of so many draws that others could move across a level.

    It is twice that of a tail.
    """
    error = math.sqrt(p * max(0.0, 2.0 - p) / n_drawn)
    return abs(p - level) < n_errors * error


def is_near_any_level(
    p: float, n_drawn: int, *, alpha: float, n_comparisons: int
) -> bool:
    """Tell whether p is near a level of Holm's correction.

    These are alpha over 1, 2, ... comparisons, of which the two around p are looked at.
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
    found, numbers = [], []
    for task, by in tests.items():
        on = f" on {task}" if len(tests) > 1 else ""
        for test, decision in zip(by, decisions[task], strict=True):
            adjusted = decision.record["adjusted_pvalue"]
            if not test.n_drawn or not adjusted > 0.0:
                continue
            # What p would be where the adjusted p-value is alpha.
            level = alpha * test.p_value / adjusted
            if is_near(test.p_value, level, test.n_drawn, _DOUBTFUL):
                found.append(f"{decision.a} and {decision.b}{on}")
                numbers.append(test.n_drawn)
    if found:
        warnings.warn(
            f"The adjusted p of {shorten(found, _SHOWN)} is {alpha:g} up to the error "
            f"of {max(numbers):,} random resamples, so that another seed may decide "
            "otherwise. Take more with --n-resamples.",
            UserWarning,
            stacklevel=2,
        )
