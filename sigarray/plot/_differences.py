"""Differences and their intervals: a forest plot."""

from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from sigarray._backend.checks import describe, flag
from sigarray._host import choose_names, copy_array
from sigarray.plot._style import (
    GREY,
    INK,
    PALE,
    THIN,
    check_axes,
    explain,
    look_of,
    make_figure,
    name_rows,
    show_name,
    thin_ticks,
    tidy,
    write,
)
from sigarray.results import BootstrapResult, ProportionResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Interval: TypeAlias = BootstrapResult | ProportionResult

# Inches.
_ROW, _FRAME = 0.2, 1.15
# The gap between the rows of tasks and the overall one.
_GAP = 1.5
_FAULT = "no verdict: NaN"


def differences(
    results: Interval | Mapping[Hashable, Interval],
    /,
    *,
    labels: Iterable[Hashable] | None = None,
    overall: Interval | None = None,
    names: tuple[Hashable, Hashable] = ("A", "B"),
    higher_is_better: bool = True,
    ax: Any = None,
) -> "Axes":
    """Draw differences of two models, A minus B, and their intervals: a forest plot.

    A full mark has 0 outside its interval, which speaks for the model that is named on
    that side; the interval of an empty mark has 0 in it. The confidence level and the
    statistic are those of the given intervals: `bootstrap_ci(a, b)`. Several intervals
    of 95 % are not all right at once in 95 % of cases.

    Parameters
    ----------
    results : BootstrapResult, ProportionResult, or mapping of labels to such results
        The results of T tasks: arrays of shape (T,), or a result of shape () for each
        label. Arrays of any library and device are copied to the host, which waits for
        the device.
    labels : iterable of T hashables, optional
        Names of the tasks of one result; by default their places.
    overall : BootstrapResult or ProportionResult, optional
        The difference over all tasks, of shape (), which stands apart.
    names : pair of hashables, default: ("A", "B")
        Names of the two models.
    higher_is_better : bool, default: True
        False for losses and error rates: lower scores are better.

        A difference below 0 then speaks for A.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default on a new figure, one column of a paper wide.

        A new figure is as high as there are tasks.

    Returns
    -------
    matplotlib.axes.Axes
        `ax.figure.savefig(...)` writes the picture. A row with NaN says so in words.

    Raises
    ------
    ImportError
        No matplotlib.
    TypeError
        Anything but results of `bootstrap_ci` or `proportion_ci`, or traced ones.
    ValueError
        Results of other shapes, a different number of labels, or labels beside a
        mapping.

    See Also
    --------
    sigarray.bootstrap_ci : the intervals.

    Examples
    --------
    >>> import numpy as np
    >>> from sigarray import bootstrap_ci, plot
    >>> a = np.random.default_rng(0).normal(size=(2, 30)) + [[2.0], [0.0]]
    >>> b = np.random.default_rng(1).normal(size=(2, 30))
    >>> result = bootstrap_ci(a, b, rng=0)
    >>> ax = plot.differences(result, labels=["easy", "hard"])
    >>> [x.get_markerfacecolor() for x in ax.lines if x.get_label() == "difference"]
    ['#0072B2', 'white']
    """
    given = check_axes(ax)
    is_higher_better = flag("higher_is_better", higher_is_better)
    models = [show_name(name, 16) for name in choose_names(names, 2)]
    rows = _list_rows(results, labels)
    places = list(np.arange(len(rows), dtype=float))
    if overall is not None:
        rows.append(("overall", *_read(overall, "overall", ())))
        places.append(len(rows) - 2 + _GAP)
    axes: Axes = given or make_figure(_FRAME + _ROW * (places[-1] + 1)).subplots()
    tidy(axes, x="difference and its interval")
    thin_ticks(axes)
    name_rows(axes, [show_name(name) for name, *_ in rows], places)
    axes.axvline(0.0, color=GREY, linewidth=THIN, linestyle="--", zorder=0.5)
    for place, (_, *numbers) in zip(places, rows, strict=True):
        is_overall = overall is not None and place == places[-1]
        _draw_row(axes, place, *map(float, numbers), is_overall=is_overall)
    if overall is not None:
        edge = places[-1] - 0.5 * _GAP
        axes.axhline(edge, color=PALE, linewidth=THIN, linestyle="-", zorder=0.4)
    axes.set_ylim(places[-1] + 0.6, -0.6)
    _include_zero(axes)
    _name_directions(axes, models, is_higher_better)
    return axes


def _list_rows(results: Any, labels: Any) -> list[tuple[Any, ...]]:
    """Return (label, difference, low, high) of each task."""
    if isinstance(results, Mapping):
        if labels is not None:
            msg = (
                "Expected labels in the mapping alone; got labels too. Leave them out."
            )
            raise ValueError(msg)
        if not results:
            msg = "Expected one or more results; got none."
            raise ValueError(msg)
        return [(name, *_read(x, name, ())) for name, x in results.items()]
    numbers = _read(results, "the tasks", (None,))
    return list(zip(choose_names(labels, len(numbers[0])), *numbers, strict=True))


def _read(result: Any, name: Hashable, shape: tuple[Any, ...]) -> list[np.ndarray]:
    """Return a difference and the limits of its interval, on the host."""
    if not isinstance(result, (BootstrapResult, ProportionResult)):
        msg = (
            f"Expected results of bootstrap_ci or proportion_ci for {name}; got "
            f"{describe(result)}."
        )
        raise TypeError(msg)
    arrays = [copy_array(x) for x in (result.statistic, *result.confidence_interval)]
    if arrays[0].ndim != len(shape):
        wanted = "(T,)" if shape else "()"
        msg = (
            f"Expected a result of shape {wanted} for {name}; got shape "
            f"{arrays[0].shape}. Pass one of shape (T,), or a mapping of labels to "
            "results of shape ()."
        )
        raise ValueError(msg)
    return arrays


def _draw_row(
    ax: "Axes",
    place: float,
    middle: float,
    low: float,
    high: float,
    *,
    is_overall: bool,
) -> None:
    if np.isnan((middle, low, high)).any():
        write(ax, 0.0, place, f" {_FAULT}", va="center", color=GREY)
        return
    color = INK if is_overall else look_of(0).color
    is_apart = low > 0.0 or high < 0.0
    ax.plot(
        (low, high),
        (place, place),
        color=color,
        linewidth=1.8 if is_overall else 1.0,
        linestyle="-",
        solid_capstyle="butt",
        label="interval",
    )
    ax.plot(
        middle,
        place,
        linestyle="none",
        marker="D" if is_overall else "o",
        markersize=5.5 if is_overall else 4.0,
        markeredgecolor=color,
        markerfacecolor=color if is_apart else "white",
        markeredgewidth=1.0,
        label="difference",
    )


def _include_zero(ax: "Axes") -> None:
    """Leave room on both sides of 0, where a model would be better."""
    low, high = ax.get_xlim()
    room = 0.15 * (max(high, 0.0) - min(low, 0.0))
    ax.set_xlim(min(low, -room), max(high, room))


def _name_directions(ax: "Axes", models: list[str], is_higher_better: bool) -> None:
    """Say above the axes which model is better on which side, and what marks mean."""
    from matplotlib.lines import Line2D

    right, left = models if is_higher_better else reversed(models)
    above: dict[str, Any] = {"transform": ax.transAxes, "va": "bottom"}
    write(ax, 0.0, 1.01, f"← better: {left}", ha="left", **above)
    write(ax, 1.0, 1.01, f"better: {right} →", ha="right", **above)
    color = look_of(0).color
    mark: dict[str, Any] = {"marker": "o", "markersize": 4.0, "markeredgecolor": color}
    fills = {"0 outside the interval": color, "0 inside": "white"}
    explain(
        ax,
        [
            Line2D([], [], color=color, markerfacecolor=x, **mark)
            for x in fills.values()
        ],
        list(fills),
        n_columns=2,
        has_names=True,
        bbox_transform=_lift(ax, 11.0),
    )


def _lift(ax: "Axes", points: float) -> Any:
    """Return the coordinates of the axes, moved up."""
    from matplotlib.transforms import ScaledTranslation

    scale = ax.figure.dpi_scale_trans
    return ax.transAxes + ScaledTranslation(0.0, points / 72.0, scale)
