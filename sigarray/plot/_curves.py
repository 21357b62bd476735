"""Curves with bands, which several models may have in one picture."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sigarray.plot._style import look_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# More bands than this cover one another.
MOST_CURVES = 7
# Curves of fewer points than this have a mark at each.
_FEW_POINTS = 12
_PALE = 0.2


def draw_curve(
    ax: "Axes",
    k: int,
    x: np.ndarray,
    y: np.ndarray,
    limits: Sequence[np.ndarray] | None,
) -> Any:
    """Draw the k-th curve, and its band between limits (low, high), if it has one."""
    look = look_of(k)
    if limits is not None:
        low, high = limits
        ax.fill_between(x, low, high, facecolor=look.color, alpha=_PALE, linewidth=0.0)
    (line,) = ax.plot(
        x,
        y,
        color=look.color,
        linestyle=look.dashes,
        linewidth=1.3,
        marker=look.marker,
        markersize=3.0,
        markevery=max(1, len(x) // _FEW_POINTS),
    )
    return line


def make_band_key() -> Any:
    """Make what stands for all bands in a legend."""
    from matplotlib.patches import Patch

    return Patch(facecolor="0.8")
