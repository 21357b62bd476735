"""Describe scores by numbers, and show numbers with as many digits as they need."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

_MAX_DECIMALS = 8
_MAX_FIXED = 1e9
_SMALLEST_FIXED = 1e-4

Summary = dict[str, float]


def describe_scores(scores: Any) -> Summary:
    """Describe scores; the standard deviation has ddof 1, and is NaN for one score."""
    if hasattr(scores, "describe"):  # scores on the disk
        return dict(scores.describe())
    # Sorted, so that the mean does not depend on the order of scores.
    x = np.sort(scores)
    low, high = float(x[0]), float(x[-1])
    # Relative to the smallest, in units of the range, nothing is lost or overflows.
    span = (high - low) or 1.0
    shares = (x - low) / span
    share = float(np.mean(shares))
    return {
        "mean": min(low + span * share, high),
        "sd": float(span * np.std(shares, ddof=1)) if len(x) > 1 else math.nan,
        "median": float(np.median(x)),
        "min": low,
        "max": high,
    }


def number_format(
    summaries: Sequence[Summary], sign: str = ""
) -> Callable[[float], str]:
    """Return a format in which the smallest deviation has three digits."""
    deviations = [x["sd"] for x in summaries if x["sd"] > 0.0]
    decimals = max(0, 2 - math.floor(math.log10(min(deviations, default=1e-3))))
    ends = [abs(x[key]) for x in summaries for key in ("mean", "min", "max")]
    largest = max(x for x in ends if not math.isnan(x))
    is_fixed = decimals <= _MAX_DECIMALS and largest < _MAX_FIXED
    form = f"{sign}.{decimals}f" if is_fixed else f"{sign}.6g"
    return lambda x: "-" if math.isnan(x) else format(x, form)


def show_difference(a: Summary, b: Summary) -> str:
    """Show the difference of two means, with its sign."""
    return number_format([a, b], sign="+")(a["mean"] - b["mean"])


def show_interval(
    difference: float, low: float, high: float, show: Callable[[float], str]
) -> str:
    """Show a difference and its interval, with two digits of half its width.

    Or more digits, if a limit would else be on the other side of 0; the difference by
    itself, by `show`, if there is no interval.
    """
    half = 0.5 * (high - low)
    if not half > 0.0:
        return show(difference)
    first = 1 - math.floor(math.log10(half))
    largest = max(abs(low), abs(high))
    if first > _MAX_DECIMALS or largest >= _MAX_FIXED:
        return f"{show(difference)} [{low:+.3g}, {high:+.3g}]"
    for decimals in range(max(0, first), max(0, first) + 6):
        texts = [f"{x:+.{decimals}f}" for x in (low, high)]
        if all(
            _sign(float(x)) == _sign(y) for x, y in zip(texts, (low, high), strict=True)
        ):
            break
    return f"{difference:+.{decimals}f} [{texts[0]}, {texts[1]}]"


def _sign(x: float) -> int:
    return (x > 0.0) - (x < 0.0)


def show_p_value(p: float, level: float) -> str:
    """Show four decimals or two digits, or as many as keep p on its side of the level.

    A p-value at the level is significant, like those below it.
    """
    form = "e" if 0.0 < p < _SMALLEST_FIXED else "f"
    places = range(1 if form == "e" else 4, 18)
    texts = (f"{p:.{k}{form}}" for k in places)
    return _first(texts, lambda shown: (shown <= level) == (p <= level))


def show_bound(bound: float, threshold: float) -> str:
    """Show three decimals, or as many as keep the bound on its side of a threshold."""
    texts = (f"{bound:.{k}f}" for k in range(3, 18))
    return _first(texts, lambda shown: (shown < threshold) == (bound < threshold))


def _first(texts: Iterator[str], is_right: Callable[[float], bool]) -> str:
    """Return the first text whose number is right, or else the last."""
    for text in texts:
        if is_right(float(text)):
            break
    return text


def without_infinities(record: dict[str, Any]) -> dict[str, Any]:
    """Replace numbers that JSON cannot hold by None."""
    return {
        name: None if isinstance(x, float) and not math.isfinite(x) else x
        for name, x in record.items()
    }
