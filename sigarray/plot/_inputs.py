"""Inputs of pictures, copied to the host and checked, and what stands around axes."""

import textwrap
from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from sigarray._backend.checks import describe
from sigarray._backend.dispatch import is_array, is_traced, standardize
from sigarray._host import choose_names, copy_array
from sigarray._order.stacks import name_models
from sigarray.plot._style import (
    INK,
    LARGE,
    PLAIN,
    SMALL,
    measure,
    show_name,
    show_names,
    write,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Letters in an inch: small ones beside the axes, and those below.
_SMALL, LETTERS_BELOW = 19.0, 17.0
# Inches around axes and the names of their rows.
_MARGINS = 0.25
# Points of a line.
LINE = 11.0
# More scores than this are drawn by this many quantiles.
_MOST_QUANTILES = 2048


def find_room(ax: "Axes", longest: int, *, is_own: bool) -> float:
    """Return how wide axes are, in inches; `is_own` if the figure has nothing else."""
    width = float(ax.figure.bbox.width / ax.figure.dpi)
    if is_own:
        return width - longest / _SMALL - _MARGINS
    return float(ax.get_position().width * width)


def wrap_below(said: str, room: float, letters: float = LETTERS_BELOW) -> str:
    """Break what is drawn into lines of so many inches, but for "95 %"."""
    whole = said.replace(" %", "\u00a0%")
    lines = textwrap.wrap(whole, max(24, int(letters * room)), break_on_hyphens=False)
    return "\n".join(lines).replace("\u00a0%", " %")


def add_lines(ax: "Axes", n: int) -> None:
    figure: Any = ax.figure  # of its own
    width, height = figure.get_size_inches()
    figure.set_size_inches(width, height + n * LINE / 72.0)


def cut_below(figure: Any, said: str) -> str:
    return show_name(said, int(LETTERS_BELOW * figure.get_size_inches()[0]) - 4)


def say_below(ax: "Axes", said: str, more: str, room: float) -> None:
    """Say below axes of a figure of their own what is drawn, and more at its foot.

    A line that is wider than they are ends at their right.
    """
    shown = cut_below(ax.figure, said)
    is_wide = measure(shown) > LETTERS_BELOW * room
    ax.set_xlabel(shown, loc="right" if is_wide else "center")
    add_foot(ax.figure, more)


def add_foot(figure: Any, said: str, label: str = "") -> None:
    """Say something in small letters at the foot of a figure, which becomes higher.

    A `label` of all axes is above it, where the figure has room for one.
    """
    if not said:
        return
    width, height = figure.get_size_inches()
    text = wrap_below(said, width - 0.05, _SMALL)
    own = (text.count("\n") + 1) * LINE / 72.0
    figure.set_size_inches(width, height + own)
    share, line = own / (height + own), LINE / 72.0 / (height + own)
    below = share + 1.4 * line * bool(label)
    figure.get_layout_engine().set(rect=(0.0, below, 1.0, 1.0 - below))
    look: dict[str, Any] = {"va": "bottom", "fontsize": SMALL, "color": INK, **PLAIN}
    figure.text(0.01, 0.3 * line, text, **look)
    if label:
        shown = cut_below(figure, label)
        figure.supxlabel(shown, y=share + 0.3 * line, **look | {"fontsize": LARGE})


def shorten_sides(names: Iterable[Hashable], room: float) -> list[str]:
    return show_names(names, max(24, min(28, int(_SMALL * room) - 10)))


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


def thin(ordered: np.ndarray) -> np.ndarray:
    n, most = len(ordered), _MOST_QUANTILES
    return (
        ordered if n <= most else ordered[(2 * np.arange(most) + 1) * n // (2 * most)]
    )


def copy_scores(x: Any, name: Hashable) -> np.ndarray:
    if is_traced(x):
        copy_array(x)
    _, (scores,) = standardize(x)
    values = copy_array(scores)
    if values.ndim != 1 or not values.size:
        msg = (
            f"Expected one or more scores of {name}, of shape (n,); got shape "
            f"{values.shape}. Pass one batch entry."
        )
        raise ValueError(msg)
    advice = "Leave them out, as x.dropna() of pandas does."
    check_finite(values, f"scores of {name}", advice)
    return values


def copy_models(samples: Any, names: Any) -> dict[Hashable, np.ndarray]:
    given, columns = name_models(samples)
    if not isinstance(columns, list) and not is_array(columns):
        msg = (
            "Expected scores by model, as a mapping, a sequence of arrays or an array "
            f"of shape (K, n); got {describe(samples)}."
        )
        raise TypeError(msg)
    if given is None and is_array(columns) and columns.ndim != 2:
        msg = (
            f"Expected scores of shape (K, n), a row for each model; got shape "
            f"{tuple(columns.shape)}. Pass x[None] for a single model."
        )
        raise ValueError(msg)
    if is_array(columns):
        columns = copy_array(standardize(columns)[1][0])
    if not len(columns):
        msg = "Expected scores of one model or more; got none."
        raise ValueError(msg)
    names = choose_names(names, len(columns), given)
    return {
        name: copy_scores(column, name)
        for name, column in zip(names, columns, strict=True)
    }


def check_alone(given: Any, names: Any, word: str = "names") -> None:
    if isinstance(given, Mapping) and names is not None:
        msg = f"Expected {word} in the mapping alone; got {word} too. Leave them out."
        raise ValueError(msg)


def check_finite(x: np.ndarray, what: str, advice: str) -> None:
    n_faulty = np.count_nonzero(~np.isfinite(x))
    if n_faulty:
        msg = (
            f"Expected finite {what}; got {n_faulty} of {x.size} that are NaN or "
            f"infinite. {advice}"
        )
        raise ValueError(msg)


def list_results(results: Any, kind: type, maker: str) -> dict[Hashable, Any]:
    by_label = dict(results) if isinstance(results, Mapping) else {None: results}
    wrong = [x for x in by_label.values() if not isinstance(x, kind)]
    if wrong or not by_label:
        got = describe(wrong[0]) if wrong else "an empty mapping"
        msg = (
            f"Expected the result of {maker}, or a mapping of labels to such results; "
            f"got {got}."
        )
        raise TypeError(msg)
    return by_label
