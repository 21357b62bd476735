"""Critical differences: models on an axis, and bars that join those not told apart."""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sigarray._backend.checks import describe, represent
from sigarray._host import choose_names, copy_array
from sigarray.plot._inputs import check_alone
from sigarray.plot._style import (
    COLUMN,
    INK,
    LARGE,
    MOST_MODELS,
    PAGE,
    PAPER,
    THIN,
    check_axes,
    draws,
    explain,
    make_figure,
    measure,
    say_left_out,
    show_names,
    write,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Inches: between names, between bars, and above the axis.
_ROW, _BAR, _TOP = 0.17, 0.09, 0.36
# Up to so many models and letters of a name, the figure is one column wide.
_FEW, _SHORT = 10, 14
_LETTER = 0.062
# Inches: a digit of a number on the axis, and between two numbers.
_DIGIT, _GAP = 0.055, 0.05
# Up to this rank, every one has a number.
_MOST_RANKS = 10
# More bars than this cannot be followed.
_MOST_BARS = 60


@draws
def critical_differences(
    ranks: Any,
    groups: Iterable[Iterable[Hashable]] = (),
    /,
    *,
    names: Iterable[Hashable] | None = None,
    ax: Any = None,
) -> "Axes":
    """Draw models on an axis of mean ranks; bars join those that are not told apart.

    It is the diagram of critical differences of Demsar [1]_, for any test: the groups
    say which models it does not tell apart. The best models are on the left. A bar has
    a square at each model of its group, and at no other one that it passes.

    Parameters
    ----------
    ranks : mapping of names to numbers, or array, shape (K,), real
        The mean rank of each model over tasks, 1 for the best. An array of any library
        is copied to the host, which waits for the device.
    groups : iterable of iterables of hashables, default: ()
        Sets of names of models of which a test shows none to be better, such as
        `groups` of `sigarray.ranking`. Sets of one model have no bar.
    names : iterable of K hashables, optional
        Names of the models of an array; by default their places.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default on a new figure, one column of a paper wide.

        A new figure is two columns wide for more than 10 models.

    Returns
    -------
    matplotlib.axes.Axes
        `ax.figure.savefig(...)` writes the picture. Of more than 40 models the best 40
        are drawn, and a line counts the others.

    Raises
    ------
    ImportError
        No matplotlib.
    TypeError
        Ranks that are no numbers, or traced.
    ValueError
        Ranks that are not finite, a different number of names, names beside a mapping,
        or a group with another name.

    See Also
    --------
    ranking : models by almost stochastic order.
    leaderboard : the scores behind mean ranks.

    References
    ----------
    .. [1] J. Demsar (2006). Statistical comparisons of classifiers over multiple data
       sets. Journal of Machine Learning Research 7, 1-30.
       https://jmlr.org/papers/v7/demsar06a.html

    Examples
    --------
    >>> from sigarray import plot
    >>> ranks = {"linear": 2.9, "forest": 1.4, "boosted": 1.7}
    >>> ax = plot.critical_differences(ranks, [("forest", "boosted")])
    >>> [text.get_text() for text in ax.texts if text.get_label() == "model"]
    ['forest', 'boosted', 'linear']
    >>> [line.get_xdata().tolist() for line in ax.lines if line.get_label() == "bar"]
    [[1.4, 1.7]]
    """
    given = check_axes(ax)
    by_name = _read_ranks(ranks, names)
    chosen = [list(group) for group in groups]
    for name in (x for group in chosen for x in group):
        if name not in by_name:
            msg = f"Expected names of the models in groups; got {represent(name)}."
            raise ValueError(msg)
    return draw_on_axis(
        by_name,
        chosen,
        limits=(1.0, max(float(len(by_name)), *by_name.values())),
        label="mean rank (best on the left)",
        says="not told apart",
        ax=given,
    )


def _read_ranks(ranks: Any, names: Any) -> dict[Hashable, float]:
    is_mapping = isinstance(ranks, Mapping)
    check_alone(ranks, names)
    try:
        values = copy_array(list(ranks.values()) if is_mapping else ranks)
    except (TypeError, ValueError) as error:
        msg = f"Expected a mean rank of each model; got {describe(ranks)}."
        raise TypeError(msg) from error
    if values.ndim != 1 or not values.size or not np.isfinite(values).all():
        msg = (
            "Expected a finite mean rank of one or more models, of shape (K,); got "
            f"{values}."
        )
        raise ValueError(msg)
    chosen = choose_names(names, len(values), ranks if is_mapping else None)
    return dict(zip(chosen, values.tolist(), strict=True))


def draw_on_axis(
    places: Mapping[Any, float],
    groups: Sequence[Sequence[Hashable]],
    *,
    limits: tuple[float, float],
    label: str,
    says: str,
    letters: int = _SHORT,
    ax: Any = None,
) -> "Axes":
    """Draw models at their places, the best on the left, and bars that join groups.

    `limits` are those of the axis, from left to right; `says` what a bar means. Names
    of a narrow figure have so many `letters`.
    """
    first, last = limits
    sign = 1.0 if first <= last else -1.0
    every = sorted(places, key=lambda name: sign * places[name])
    order = every[:MOST_MODELS]
    if len(every) > len(order):
        last = places[order[-1]]
    at = {name: places[name] for name in order}
    drawn = [[x for x in order if x in {*group}] for group in groups]
    levels = _stack([group for group in drawn if len(group) > 1], at, sign)
    n_levels = max((level for _, level in levels), default=-1) + 1
    has_bars = n_levels <= _MOST_BARS
    bottom = 0.1 + _BAR * (n_levels if has_bars else 0)
    height = bottom + _ROW * (0.5 + math.ceil(len(order) / 2))
    is_narrow = len(order) <= _FEW
    short = show_names(order, letters if is_narrow else max(letters, 24))
    shown = dict(zip(order, short, strict=True))
    n_letters = max(map(measure, short))
    # Names that stay long widen the figure.
    width = max(COLUMN if is_narrow else PAGE, 3.6 * (_LETTER * n_letters + 0.12))
    axes: Axes = ax or make_figure(height + _TOP + 0.25, width).subplots()
    _set_scale(axes, first, last, n_letters, height)
    _draw_scale(axes, first, last, label)
    _name_models(axes, order, shown, at, bottom)
    if has_bars:
        _draw_bars(axes, levels, at)
    if levels:
        (key,) = axes.plot([], [], **_LOOK_OF_BARS)
        below: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, 0.0)}
        n = len(levels)
        told = says if has_bars else f"{says}: {n} groups, too many to draw"
        explain(axes, [key], [told], **below)
    say_left_out(axes, len(every) - len(order))
    if levels and len(every) > len(order):
        axes.xaxis.labelpad = 14.0
    return axes


_LOOK_OF_BARS: dict[str, Any] = {
    "color": INK,
    "linewidth": 1.8,
    "linestyle": "-",
    "marker": "s",
    "markersize": 3.0,
    "solid_capstyle": "butt",
}


def _stack(
    groups: Sequence[list[Hashable]], at: Mapping[Hashable, float], sign: float
) -> list[tuple[list[Hashable], int]]:
    """Return each group and its level, so that bars of a level do not touch."""
    levels: list[tuple[list[Hashable], int]] = []
    ends: list[float] = []
    ordered = sorted(groups, key=lambda group: sign * at[group[0]])
    for group in ordered:
        start, end = sign * at[group[0]], sign * at[group[-1]]
        level = next((k for k, x in enumerate(ends) if x < start), len(ends))
        ends[level : level + 1] = [end]
        levels.append((group, level))
    return levels


def _set_scale(
    ax: "Axes", first: float, last: float, n_letters: int, height: float
) -> None:
    """Leave room for names at both sides; heights are inches, from the axis down."""
    ax.set_facecolor(PAPER)
    ax.spines[:].set_visible(False)
    ax.grid(visible=False)
    ax.set_xticks([])
    ax.set_yticks([])
    ax.xaxis.label.set(fontsize=LARGE, color=INK)
    width = ax.get_window_extent().width / ax.figure.dpi
    room = min(_LETTER * n_letters + 0.12, 0.4 * width)
    beside = (last - first or 1.0) * room / (width - 2.0 * room)
    ax.set(xlim=(first - beside, last + beside or 1.0), ylim=(height, -_TOP))


def _draw_scale(ax: "Axes", first: float, last: float, label: str) -> None:
    low, high = sorted((first, last))
    left, right = ax.get_xlim()
    inches = ax.get_window_extent().width / ax.figure.dpi / abs(right - left)
    ticks = _choose_ticks(ax, low, high, inches)
    ax.hlines(0.0, low, high, color=INK, linewidth=0.9)
    ax.vlines(list(ticks), -0.04, 0.0, color=INK, linewidth=THIN)
    for tick, text in ticks.items():
        write(ax, tick, -0.06, text, ha="center", va="bottom", label="tick")
    middle, look = 0.5 * (low + high), {"fontsize": LARGE, "va": "bottom"}
    write(ax, middle, -0.2, label, ha="center", **look)


def _choose_ticks(
    ax: "Axes", low: float, high: float, inches: float
) -> dict[float, str]:
    """Return as many places and their numbers as do not overlap, up to seven.

    A unit of the axis is so many inches long.
    """
    from matplotlib.ticker import MaxNLocator, ScalarFormatter

    form = ScalarFormatter(useOffset=False)
    form.set_scientific(False)
    form.set_axis(ax.xaxis)
    steps = [1, 2, 5, 10]
    locators: list[Any] = [
        MaxNLocator(n, steps=steps).tick_values(low, high) for n in range(6, 0, -1)
    ]
    if low == 1.0 and high.is_integer() and high < _MOST_RANKS:
        locators.insert(0, np.arange(low, high + 1.0))
    locators.append(np.asarray([low]))
    for every in locators:
        ticks = [float(x) for x in every if low <= x <= high]
        texts = form.format_ticks(ticks)
        room = inches * min(np.diff(ticks), default=math.inf)
        if ticks and room > _DIGIT * max(map(measure, texts)) + _GAP:
            break
    return dict(zip(ticks, texts, strict=True))


def _name_models(
    ax: "Axes",
    order: Sequence[Hashable],
    shown: Mapping[Hashable, str],
    at: Mapping[Hashable, float],
    bottom: float,
) -> None:
    """Lead a line from each place to the name, the better half to the left."""
    left, right = ax.get_xlim()
    gap = 0.04 * (right - left) / (ax.get_window_extent().width / ax.figure.dpi)
    width = max(map(measure, shown.values())) * _LETTER / 0.04
    half = math.ceil(len(order) / 2)
    for k, name in enumerate(order):
        is_left = k < half
        row = bottom + _ROW * (0.5 + (k if is_left else len(order) - 1 - k))
        room = (width + 1.0) * gap
        end = left + room if is_left else right - room
        ax.plot(
            (at[name], at[name], end),
            (0.0, row, row),
            color=INK,
            linewidth=THIN,
            linestyle="-",
            label="stem",
        )
        side = {"ha": "right" if is_left else "left", "va": "center_baseline"}
        x = end - gap if is_left else end + gap
        write(ax, x, row, shown[name], label="model", **side)


def _draw_bars(
    ax: "Axes",
    levels: Sequence[tuple[list[Hashable], int]],
    at: Mapping[Hashable, float],
) -> None:
    for group, level in levels:
        height = 0.1 + _BAR * level
        xs = [at[name] for name in group]
        ax.plot(xs, [height] * len(xs), label="bar", **_LOOK_OF_BARS)
