"""What stands around the axes of differences: the sides of 0, and what is drawn."""

import textwrap
from typing import TYPE_CHECKING, Any

from sigarray.plot._style import measure, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Letters in an inch: small ones beside the axes, and those below.
_SMALL, _LARGE = 19.0, 17.0
# Inches around axes and the names of their rows.
_MARGINS = 0.25
# Points of a line.
LINE = 11.0


def find_room(ax: "Axes", longest: int, *, is_own: bool) -> float:
    """Return how wide axes are, in inches, beside names of so many letters.

    `is_own` if the figure has nothing else.
    """
    width = float(ax.figure.bbox.width / ax.figure.dpi)
    if is_own:
        return width - longest / _SMALL - _MARGINS
    return float(ax.get_position().width * width)


def wrap_below(said: str, room: float) -> str:
    """Break what is drawn into lines of so many inches, but for "95 %"."""
    whole = said.replace(" %", "\u00a0%")
    lines = textwrap.wrap(whole, max(24, int(_LARGE * room)), break_on_hyphens=False)
    return "\n".join(lines).replace("\u00a0%", " %")


def add_lines(ax: "Axes", n: int) -> None:
    figure: Any = ax.figure  # of its own
    width, height = figure.get_size_inches()
    figure.set_size_inches(width, height + n * LINE / 72.0)


def name_directions(ax: "Axes", left: str, right: str, room: float) -> int:
    """Say above the axes which model is better on which side, in one line or two.

    Names that have no room beside each other are one above the other.
    """
    texts = f"\u2190 better: {left}", f"better: {right} \u2192"
    is_apart = bool(sum(map(measure, texts)) + 2 > _SMALL * room)
    breaks = "\n" * is_apart
    above = {"transform": ax.transAxes, "va": "bottom"}
    write(ax, 0.0, 1.01, f"{texts[0]}{breaks}", ha="left", **above)
    write(ax, 1.0, 1.01, texts[1], ha="right", **above)
    return 1 + is_apart
