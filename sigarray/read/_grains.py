"""How near to each other scores may be: their decimals, and shares of few items."""

from collections.abc import Sequence

import numpy as np

# The most scores of a model whose digits are counted; the most items of test sets.
MAX_LOOKED_AT, _MAX_ITEMS = 100, 10_000


def find_sizes(scores: np.ndarray, unit: float) -> tuple[np.ndarray, float]:
    """Return of how many items scores may all be shares, and the score of all items.

    None for scores that are no shares. They were rounded to a unit.
    """
    values = np.unique(scores)
    low, high = float(values[0]), float(values[-1])
    scale = 1.0 if high <= 1.0 else 100.0
    if low < 0.0 or high > scale:
        return np.empty(0), scale
    rounding = max(0.5 * unit, 1e-12 * scale) / scale
    # With more items, any score would be as near to a share.
    sizes = np.arange(1.0, 1.0 + min(_MAX_ITEMS, int(0.25 / rounding)))
    for x in thin(values).tolist():
        sizes = keep_sizes(sizes, x / scale, rounding)
    return sizes, scale


def keep_sizes(sizes: np.ndarray, share: float, error: float) -> np.ndarray:
    """Keep the numbers of items with a whole number of which this is the share."""
    counts = sizes * share
    return sizes[np.abs(counts - np.round(counts)) <= 1.01 * error * sizes]


def thin(x: np.ndarray) -> np.ndarray:
    """Return some of many scores."""
    return x[:: -(-len(x) // MAX_LOOKED_AT)]


def list_decimals(x: np.ndarray) -> Sequence[int]:
    """Count the decimals of some scores."""
    return [count_decimals(y) for y in thin(x).tolist()]


def count_decimals(x: float) -> int:
    """Count the decimals with which a number is written."""
    digits, _, exponent = repr(x).partition("e")
    fraction = digits.partition(".")[2].rstrip("0")
    return max(0, len(fraction) - int(exponent or 0))
