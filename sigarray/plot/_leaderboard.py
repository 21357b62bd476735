"""Models on tasks: a heat map of mean scores, the best models first."""

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sigarray._backend.checks import describe, flag
from sigarray.plot._inputs import copy_models
from sigarray.plot._style import (
    COLUMN,
    INK,
    MOST_MODELS,
    PAPER,
    check_axes,
    draws,
    explain,
    make_figure,
    measure,
    name_cells,
    say_left_out,
    show_names,
    tidy,
    write,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# With more tasks than this, cells have no room for numbers.
_MOST_NUMBERS = 12
# More tasks than this are not drawn.
_MOST_TASKS = 60
# Inches: a row, the widths of cells, the width of a letter, and of mean ranks.
_ROW, _CELL, _SMALL_CELL, _LETTER, _RANK = 0.2, 0.44, 0.125, 0.065, 0.5
# Cells from worst to best; in grey, too, each is darker than the one before.
_WORST, _BEST = np.asarray((0.97, 0.97, 0.94)), np.asarray((0.0, 0.24, 0.42))
# From this place on, letters are white.
_DARK = 0.72
_CROSS = "\N{MULTIPLICATION SIGN}"


@draws
def leaderboard(
    scores: Mapping[Any, Mapping[Any, Any]],
    /,
    *,
    higher_is_better: bool = True,
    ax: Any = None,
) -> "Axes":
    """Draw the mean score of each model on each task as a heat map, best models first.

    Models are in order of their mean rank over tasks, which is written beside them: 1
    for the best model of a task; of equal means, the mean of their ranks; of a model
    that lacks tasks, over those that it has. The colour of a cell is its place between
    the worst and the best mean of that task, so that tasks of any scale are comparable;
    the best is in bold. Means are no verdicts: whether models differ, `compare_models`
    says.

    Parameters
    ----------
    scores : mapping of tasks to mappings of models to arrays of shape (n,)
        The scores of T tasks by model, such as `compare_models` takes; a model may lack
        a task. Arrays are of any library and device, and are copied to the host, which
        waits for the device.
    higher_is_better : bool, default: True
        False if lower scores are better, as for losses.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default on a new figure, one column of a paper wide.

        A new figure is wider for more than about three tasks.

    Returns
    -------
    matplotlib.axes.Axes
        With numbers in the cells of up to 12 tasks, and crosses where a model lacks a
        task; `ax.figure.savefig(...)` writes the picture. Of more than 40 models the
        best 40 are drawn, of more than 60 tasks the first 60, and a line counts the
        others.

    Raises
    ------
    ImportError
        No matplotlib.
    TypeError, ValueError
        Anything but such a mapping; scores that are not real numbers, or not finite.

    See Also
    --------
    critical_differences : which mean ranks are told apart.

    Examples
    --------
    >>> from sigarray import plot
    >>> scores = {
    ...     "reading": {"small": [0.61, 0.63], "large": [0.70, 0.72]},
    ...     "algebra": {"small": [21.0, 25.0], "large": [20.0, 29.0]},
    ... }
    >>> ax = plot.leaderboard(scores)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['large', 'small']
    >>> [text.get_text() for text in ax.texts]
    ['0.710', '24.5', '0.620', '23.0', '1.00', '2.00']
    """
    given = check_axes(ax)
    is_higher_better = flag("higher_is_better", higher_is_better)
    return draw_leaderboard(scores, is_higher_better=is_higher_better, ax=given)


@draws
def draw_leaderboard(
    scores: Any,
    names: Sequence[Hashable] | None = None,
    *,
    is_higher_better: bool,
    ax: "Axes | None" = None,
) -> "Axes":
    tasks, models, means = _find_means(scores)
    ranks = _rank(means if is_higher_better else -means)
    overall = np.nanmean(ranks, axis=0)
    by_rank = np.argsort(overall, kind="stable").tolist()
    order = by_rank if names is None else list(map(models.index, names))
    order = order[:MOST_MODELS]
    n_tasks = min(len(tasks), _MOST_TASKS)
    shown = means[:n_tasks]
    places = _find_places(shown if is_higher_better else -shown)[:, order]
    labels = show_names(tasks[:n_tasks])
    labels_of_models = show_names(models[k] for k in order)
    has_numbers = n_tasks <= _MOST_NUMBERS
    cell = _CELL if has_numbers else _SMALL_CELL
    beside = 0.2 + _LETTER * max(map(measure, labels_of_models))
    width = max(COLUMN, beside + cell * n_tasks + _RANK)
    cell = (width - beside - _RANK) / n_tasks
    above = 0.3 + _LETTER * max(map(measure, [*labels, "mean rank"]))
    height = above + _ROW * len(order) + 0.45
    axes: Axes = ax or make_figure(height, width).subplots()
    _draw_cells(axes, places, _RANK / cell)
    _name_sides(axes, labels, labels_of_models, _RANK / cell)
    if has_numbers:
        _write_means(axes, shown[:, order], places)
    else:
        _cross_out(axes, places)
    for row, k in enumerate(order):
        x = n_tasks - 0.5 + 0.5 * _RANK / cell
        write(axes, x, row, f"{overall[k]:.2f}", ha="center", va="center_baseline")
    _explain_colours(axes, places)
    say_left_out(axes, len(models) - len(order))
    say_left_out(axes, len(tasks) - n_tasks, "task", " after these")
    return axes


def _find_means(scores: Any) -> tuple[list[Hashable], list[Hashable], np.ndarray]:
    is_table = isinstance(scores, Mapping) and bool(scores)
    wrong = None if is_table else scores
    if is_table:
        wrong = next((x for x in scores.values() if not isinstance(x, Mapping)), None)
    if not is_table or wrong is not None:
        msg = (
            "Expected a mapping of tasks to mappings of models to scores; got "
            f"{describe(wrong)}. Of one task, plot.scores draws the scores."
        )
        raise TypeError(msg)
    by_task = {task: copy_models(by, None) for task, by in scores.items()}
    models = list(dict.fromkeys(name for by in by_task.values() for name in by))
    means = np.asarray(
        [
            [by[name].mean() if name in by else math.nan for name in models]
            for by in by_task.values()
        ]
    )
    return list(by_task), models, means


def _rank(values: np.ndarray) -> np.ndarray:
    ranks = np.full_like(values, math.nan)
    for row, out in zip(values, ranks, strict=True):
        known = row[~np.isnan(row)]
        ordered = np.sort(-known)
        first = np.searchsorted(ordered, -known, side="left")
        last = np.searchsorted(ordered, -known, side="right")
        out[~np.isnan(row)] = 0.5 * (first + last + 1.0)
    return ranks


def _find_places(values: np.ndarray) -> np.ndarray:
    """Return the place of values between the worst, 0, and the best, 1, of each row."""
    low = np.nanmin(values, axis=1, keepdims=True)
    high = np.nanmax(values, axis=1, keepdims=True)
    span = np.where(high > low, high - low, 1.0)
    return np.where(
        high > low, (values - low) / span, np.where(values == low, 1.0, values)
    )


def _draw_cells(ax: "Axes", places: np.ndarray, beside: float) -> None:
    n_tasks, n_models = places.shape
    share = np.nan_to_num(places.T, nan=0.0)[..., None]
    colors = _WORST + share * (_BEST - _WORST)
    colors[np.isnan(places.T)] = 1.0
    ends = np.arange(n_tasks + 1) - 0.5, np.arange(n_models + 1) - 0.5
    ax.pcolormesh(*ends, colors, edgecolors=PAPER, linewidth=1.0)
    ax.set(xlim=(-0.5, n_tasks - 0.5 + beside), ylim=(n_models - 0.5, -0.5))


def _name_sides(
    ax: "Axes", labels: Sequence[str], names: Sequence[str], beside: float
) -> None:
    tidy(ax)
    n = len(labels)
    is_flat = n <= _MOST_NUMBERS and max(map(measure, labels)) <= 6
    places = [*range(n), n - 0.5 + 0.5 * beside]
    ax.xaxis.tick_top()
    name_cells(ax, places, [*labels, "mean\nrank"], names, is_flat=is_flat)


def _write_means(ax: "Axes", means: np.ndarray, places: np.ndarray) -> None:
    shows = [_choose_format(row) for row in means]
    for row in range(means.shape[1]):
        for task, show in enumerate(shows):
            mean, place = means[task, row], places[task, row]
            is_best = place == 1.0
            write(
                ax,
                task,
                row,
                _CROSS if math.isnan(mean) else show(mean),
                ha="center",
                va="center_baseline",
                color=PAPER if place >= _DARK else INK,
                fontweight="bold" if is_best else "normal",
            )


def _choose_format(means: np.ndarray) -> Any:
    known = means[~np.isnan(means)]
    largest, span = float(np.abs(known).max()), float(np.ptp(known))
    if not 1e-3 <= largest < 1e5:
        return "{:.2g}".format
    # Three digits of the largest, and two of the span, where six letters have room.
    place = math.floor(math.log10(largest))
    decimals = max(0, 2 - place)
    if span > 0.0:
        decimals = max(decimals, 1 - math.floor(math.log10(span)))
    decimals = min(decimals, max(0, 5 - max(1, place + 1)))
    return f"{{:.{decimals}f}}".format


def _cross_out(ax: "Axes", places: np.ndarray) -> None:
    tasks, rows = np.nonzero(np.isnan(places))
    ax.plot(tasks, rows, linestyle="none", marker="x", markersize=3.5, color=INK)


def _explain_colours(ax: "Axes", places: np.ndarray) -> None:
    """Say what colours mean; no mean is the worst where all of a task are equal."""
    from matplotlib.lines import Line2D

    look: dict[str, Any] = {"linestyle": "none", "markersize": 7.0}
    shown = {"best of the task": _BEST}
    if np.any(places < 1.0):
        shown["worst"] = _WORST
    keys = [
        Line2D([], [], marker="s", color=tuple(color), markeredgecolor=INK, **look)
        for color in shown.values()
    ]
    said = list(shown)
    if np.isnan(places).any():
        look["markersize"] = 3.5
        keys.append(Line2D([], [], marker="x", color=INK, **look))
        said.append("no scores")
    explain(ax, keys, said, n_columns=3, loc="upper right", bbox_to_anchor=(1.0, 0.0))
