"""Power against the number of runs."""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sigarray._backend.checks import ascending, count, fraction
from sigarray._host import choose_names, copy_array
from sigarray.plot._inputs import check_alone, list_results
from sigarray.plot._style import (
    GREY,
    INK,
    THIN,
    check_axes,
    draw_line,
    draws,
    explain,
    look_of,
    make_figure,
    show_name,
    tidy,
)
from sigarray.results import SampleSizeResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class _Curve(NamedTuple):
    name: Hashable
    powers: np.ndarray
    size: float

    @property
    def is_known(self) -> bool:
        return not np.isnan(self.powers).any()


@draws
def power(
    sizes: Sequence[int],
    result: SampleSizeResult | Mapping[Hashable, SampleSizeResult],
    /,
    *,
    labels: Iterable[Hashable] | None = None,
    wanted: float = 0.8,
    unit: str = "run",
    ax: Any = None,
) -> "Axes":
    """Draw the power of a test against the number of runs of each model.

    Parameters
    ----------
    sizes : sequence of int
        The S numbers of runs that were passed to `required_sample_size`.
    result : SampleSizeResult, or mapping of labels to such results
        Its result, with power of shape (S,), or (C, S) for C curves; or a result of one
        curve for each label. Arrays of any library and device are copied to the host,
        which waits for the device.
    labels : iterable of C hashables, optional
        Names of the curves of one result; by default their places.
    wanted : float, default: 0.8
        The `power` that was passed to `required_sample_size`, to which `sample_size` of
        the result belongs. It is marked, and so is that size.
    unit : str, default: "run"
        What a score stands for.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default on a new figure, one column of a paper wide.

    Returns
    -------
    matplotlib.axes.Axes
        `ax.figure.savefig(...)` writes the picture. A curve with NaN is not drawn, and
        its label says so.

    Raises
    ------
    ImportError
        No matplotlib.
    TypeError
        Anything but a result of `required_sample_size`, or a traced one.
    ValueError
        Sizes that are not ascending, or a different number of them; several leading
        axes; a different number of labels, or labels beside a mapping; a wanted power
        that is not that of the result.

    See Also
    --------
    sigarray.required_sample_size : the numbers in it.

    Examples
    --------
    >>> from sigarray import plot, required_sample_size
    >>> a = [0.91, 0.94, 0.90, 0.95, 0.93]
    >>> b = [0.90, 0.92, 0.89, 0.93, 0.92]
    >>> sizes = [5, 10, 20, 40]
    >>> result = required_sample_size(a, b, sizes=sizes, rng=0)
    >>> ax = plot.power(sizes, result)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['40 runs', 'wanted: power 0.8']
    """
    given = check_axes(ax)
    goal = fraction("wanted", wanted)
    runs = ascending(count())("sizes", sizes)
    curves = _list_curves(result, labels, runs, goal)
    axes: Axes = given or make_figure(2.5).subplots()
    units = f"{show_name(unit)}s"
    tidy(axes, x=f"{units} of each model", y="power")
    handles = [_draw_curve(axes, k, runs, curve) for k, curve in enumerate(curves)]
    line = axes.axhline(
        goal, color=GREY, linestyle=(0, (1, 1)), linewidth=1.0, zorder=0.5
    )
    texts = [_say(curve, runs[-1], units) for curve in curves]
    explain(axes, [*handles, line], [*texts, f"wanted: power {goal:g}"])
    axes.set_ylim(-0.02, 1.02)
    _scale_sizes(axes, runs)
    return axes


def _list_curves(
    result: Any, labels: Any, runs: tuple[int, ...], goal: float
) -> list[_Curve]:
    by_label = list_results(result, SampleSizeResult, "required_sample_size")
    is_one = isinstance(result, SampleSizeResult)
    check_alone(result, labels, "labels")
    curves = []
    for name, one in by_label.items():
        powers, sizes = copy_array(one.power), copy_array(one.sample_size)
        if powers.ndim not in (1, 1 + is_one) or powers.shape[-1] != len(runs):
            msg = (
                f"Expected the power at {len(runs)} sizes, of shape (S,), or (C, S) in "
                f"one result; got shape {powers.shape}. Pass the sizes that "
                "required_sample_size was given, and at most one axis of curves."
            )
            raise ValueError(msg)
        names: list[Hashable] = [name]
        if is_one and (powers.ndim == 2 or labels is not None):
            names = choose_names(labels, len(np.atleast_2d(powers)))
        rows = zip(names, np.atleast_2d(powers), np.atleast_1d(sizes), strict=True)
        curves += [_Curve(name, row, float(size)) for name, row, size in rows]
    for curve in curves:
        _check_goal(curve, runs, goal)
    return curves


def _check_goal(curve: _Curve, runs: tuple[int, ...], goal: float) -> None:
    has_it = [n for n, x in zip(runs, curve.powers, strict=True) if x >= goal]
    smallest = float(min(has_it, default=math.inf))
    if curve.is_known and smallest != curve.size:
        msg = (
            "Expected wanted to be the power that required_sample_size was given; got "
            f"{goal:g}, which {smallest:g} runs have, and a result that says "
            f"{curve.size:g}. Pass that power as wanted."
        )
        raise ValueError(msg)


def _draw_curve(ax: "Axes", k: int, runs: tuple[int, ...], curve: _Curve) -> Any:
    look, line = look_of(k), draw_line(ax, k, runs, curve.powers)
    if curve.is_known and math.isfinite(curve.size):
        height = curve.powers[runs.index(int(curve.size))]
        ax.plot(
            (curve.size, curve.size),
            (0.0, height),
            color=look.color,
            linewidth=THIN,
            linestyle=look.dashes,
            label="found",
        )
        ax.plot(
            curve.size,
            height,
            marker="o",
            markersize=7.5,
            markerfacecolor="none",
            markeredgecolor=INK,
            markeredgewidth=0.9,
            linestyle="none",
            label="ring",
        )
    return line


def _say(curve: _Curve, largest: int, units: str) -> str:
    if not curve.is_known:
        text = "no verdict, NaN"
    elif math.isfinite(curve.size):
        text = f"{curve.size:.0f} {units}"
    else:
        text = f"more than {largest} {units}"
    return text if curve.name is None else f"{show_name(curve.name, 28)}: {text}"


def _scale_sizes(ax: "Axes", runs: tuple[int, ...]) -> None:
    """Use a logarithmic axis if the largest size is much larger than the smallest."""
    from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator

    if runs[-1] < 5 * runs[0]:
        return
    ax.set_xscale("log")
    ticks = [runs[0]]
    for n in runs[1:]:
        if n >= 1.45 * ticks[-1]:
            ticks.append(n)
    ax.xaxis.set_major_locator(FixedLocator(ticks))
    ax.xaxis.set_major_formatter(FixedFormatter([str(n) for n in ticks]))
    ax.xaxis.set_minor_locator(NullLocator())
