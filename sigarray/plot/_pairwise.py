"""Pairs of models by almost stochastic order: a matrix of bounds, and the order."""

from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sigarray._backend.checks import describe, half
from sigarray._comparison import list_groups, order_models, read_pairs
from sigarray._host import check_matrix, choose_names, copy_array, copy_bounds
from sigarray.plot._critical_differences import draw_on_axis
from sigarray.plot._style import (
    COLUMN,
    GREY,
    INK,
    MOST_MODELS,
    PALE,
    THIN,
    check_axes,
    draws,
    explain,
    make_figure,
    measure,
    name_cells,
    say_left_out,
    show_beside,
    show_names,
    tidy,
    write,
)
from sigarray.results import PairwiseAsoResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes
# With more models than this, cells have no room for numbers.
_MAX_NUMBERS = 10
# Inches: the least sizes of a cell, and the width of a letter of a name.
_CELL, _SMALL_CELL, _LETTER = 0.27, 0.125, 0.065
_CROSS = "\N{MULTIPLICATION SIGN}"
_BETTER = (0.0, 0.28, 0.45)
# The greys of bounds at the threshold, and at 1.
_DARKEST, _LIGHTEST = 0.75, 1.0
_LOOSE: dict[str, Any] = {"linestyle": "none"}


@draws
def ranking(
    result: PairwiseAsoResult,
    /,
    names: Iterable[Hashable] | None = None,
    *,
    threshold: float = 0.2,
    ax: Any = None,
) -> "Axes":
    """Draw models from best to worst; bars join those that nothing tells apart.

    The groups are those of `sigarray.ranking`. Each model is at its mean violation
    ratio over the others: 0 if it dominates them all, 1 if all dominate it; 0.5 is as
    good as the others. The ratio comes from `multi_aso`, which knows whether higher
    scores are better: the best are on the left, with losses too. A bar has a square at
    each model of its group, and at no other one that it passes.

    Parameters
    ----------
    result : PairwiseAsoResult
        The result of `multi_aso` for K models, with arrays of shape (K, K) of any
        library. They are copied to the host, which waits for the device.
    names : iterable of K hashables, optional
        Names of the models, such as the mapping that was passed to `multi_aso`; by
        default their places, 0 to K - 1.
    threshold : float, default: 0.2
        A model is better where its bound eps_min is below this; above 0, at most 0.5.
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
        Anything but a result of `multi_aso`, or a traced one.
    ValueError
        A result of several batch entries, or with NaN; a different number of names, or
        a name twice; a threshold outside (0, 0.5].

    See Also
    --------
    pairwise : the bounds behind it.
    critical_differences : for other tests.

    Examples
    --------
    >>> from sigarray import multi_aso, plot
    >>> scores = {
    ...     "linear": [0.81, 0.80, 0.83, 0.82, 0.81],
    ...     "forest": [0.88, 0.91, 0.89, 0.90, 0.89],
    ...     "boosted": [0.89, 0.90, 0.88, 0.91, 0.90],
    ... }
    >>> ax = plot.ranking(multi_aso(scores), scores)
    >>> [text.get_text() for text in ax.texts if text.get_label() == "model"]
    ['boosted', 'forest', 'linear']
    >>> sum(line.get_label() == "bar" for line in ax.lines)
    1
    """
    given = check_axes(ax)
    labels, beats, ratios = read_pairs(result, threshold, names)
    # Without the diagonal, which is 0.5.
    means = (ratios.sum(axis=1) - 0.5) / max(len(labels) - 1, 1)
    shown = np.argsort(means, kind="stable")[:MOST_MODELS]
    groups = list_groups((beats | beats.T)[np.ix_(shown, shown)])
    return draw_on_axis(
        dict(zip(labels, means.tolist(), strict=True)),
        [[labels[shown[k]] for k in group] for group in groups],
        limits=(0.0, 1.0),
        label="mean violation ratio (best on the left)",
        says=f"no eps_min among them below {threshold:g}",
        ax=given,
    )


@draws
def pairwise(
    result: PairwiseAsoResult,
    /,
    names: Iterable[Hashable] | None = None,
    *,
    threshold: float = 0.2,
    ax: Any = None,
) -> "Axes":
    """Draw the bounds eps_min of all pairs: where is the row better than the column?

    Cells below the threshold are dark and marked: by bold numbers in a frame for up to
    10 models, by a dot for more, where numbers have no room. Other cells are paler the
    larger the bound is.

    Parameters
    ----------
    result : PairwiseAsoResult
        The result of `multi_aso` for K models, with arrays of shape (K, K) of any
        library. They are copied to the host, which waits for the device.
    names : iterable of K hashables, optional
        Names of the models, such as the mapping that was passed to `multi_aso`; by
        default their places, 0 to K - 1.
    threshold : float, default: 0.2
        A model is better where its bound eps_min is below this; above 0, at most 0.5.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default on a new figure, one column of a paper wide.

        A new figure is wider for more than about eight models.

    Returns
    -------
    matplotlib.axes.Axes
        With a cell for each pair, the models in the order of `sigarray.ranking`, the
        best first; pairs without a bound (NaN) are crossed out, and those that were not
        compared, because neither is the baseline, are blank.
        `ax.figure.savefig(...)` writes the picture. Of more than 40 models the first 40
        are drawn, and a line counts the others.

    Raises
    ------
    ImportError
        No matplotlib.
    TypeError
        Anything but a result of `multi_aso`, or a traced one.
    ValueError
        A result of several batch entries; a different number of names; a threshold
        outside (0, 0.5].

    See Also
    --------
    ranking : the models in their order.

    Examples
    --------
    >>> from sigarray import multi_aso, plot
    >>> scores = {
    ...     "linear": [0.81, 0.80, 0.83, 0.82, 0.81],
    ...     "forest": [0.88, 0.91, 0.89, 0.90, 0.89],
    ...     "network": [0.95, 0.96, 0.94, 0.97],
    ... }
    >>> ax = plot.pairwise(multi_aso(scores), scores)
    >>> bold = [x for x in ax.texts if x.get_fontweight() == "bold"]
    >>> [(x.get_text(), x.get_position()) for x in bold]  # (column, row)
    [('0.00', (1, 0)), ('0.00', (2, 0)), ('0.00', (2, 1))]
    """
    given = check_axes(ax)
    limit = half("threshold", threshold)
    if not isinstance(result, PairwiseAsoResult):
        msg = f"Expected the result of multi_aso; got {describe(result)}."
        raise TypeError(msg)
    bounds, is_left = copy_bounds(result)
    check_matrix(bounds)
    every = choose_names(names, len(bounds))
    order = order_models(bounds < limit, copy_array(result.violation_ratio))
    order = order[:MOST_MODELS]
    bounds, n = bounds[np.ix_(order, order)], len(order)
    labels = show_names(every[k] for k in order)
    has_numbers = n <= _MAX_NUMBERS
    margin = 0.3 + _LETTER * max(map(measure, labels))
    width = max(COLUMN, margin + n * (_CELL if has_numbers else _SMALL_CELL))
    # About as high as wide, because cells are square.
    axes: Axes = given or make_figure(width + 0.2, width).subplots()
    _draw_cells(axes, bounds, limit)
    _name_sides(axes, labels)
    is_left = is_left[np.ix_(order, order)]
    pairs = [(i, j) for i in range(n) for j in range(n) if i != j and not is_left[i, j]]
    if has_numbers:
        _write_numbers(axes, bounds, limit, pairs)
    else:
        _mark_cells(axes, bounds, limit, pairs)
    say_left_out(axes, len(every) - n)
    return axes


def _draw_cells(ax: "Axes", bounds: np.ndarray, limit: float) -> None:
    n = len(bounds)
    is_better = bounds < limit
    greys = _grey_of(np.where(np.isnan(bounds), 1.0, bounds), limit)
    greys[np.diag_indices(n)] = 1.0
    colors = np.where(is_better[..., None], _BETTER, greys[..., None])
    ends = np.arange(n + 1) - 0.5
    ax.pcolormesh(ends, ends, colors, edgecolors=PALE, linewidth=THIN)
    ax.set(xlim=(-0.5, n - 0.5), ylim=(n - 0.5, -0.5), aspect="equal")


def _grey_of(bound: Any, limit: float) -> Any:
    return _DARKEST + (_LIGHTEST - _DARKEST) * (bound - limit) / (1.0 - limit)


def _name_sides(ax: "Axes", labels: Sequence[str]) -> None:
    tidy(ax, x="... than this one?", y="is this model better ...")
    n = len(labels)
    is_flat = max(map(measure, labels)) <= 3 and n <= _MAX_NUMBERS
    name_cells(ax, range(n), labels, labels, is_flat=is_flat)


def _write_numbers(
    ax: "Axes", bounds: np.ndarray, limit: float, pairs: list[tuple[int, int]]
) -> None:
    from matplotlib.patches import Rectangle

    for i, j in pairs:
        bound = bounds[i, j]
        is_better = bound < limit
        text = _CROSS if np.isnan(bound) else show_beside(bound, limit)
        write(
            ax,
            j,
            i,
            text,
            ha="center",
            va="center",
            color="white" if is_better else INK,
            fontweight="bold" if is_better else "normal",
        )
    frame: dict[str, Any] = {"linewidth": 1.2, "edgecolor": INK}
    for i, j in pairs:
        if bounds[i, j] < limit:
            corner = (j - 0.44, i - 0.44)
            ax.add_patch(Rectangle(corner, 0.88, 0.88, fill=False, **frame))
    handles: list[Any] = []
    labels = []
    if any(bounds[pair] < limit for pair in pairs):
        handles.append(Rectangle((0, 0), 1, 1, facecolor=_BETTER, **frame))
        labels.append(f"eps_min below {limit:g}: yes")
    if any(np.isnan(bounds[pair]) for pair in pairs):
        handles.append(_cross())
        labels.append("no verdict: NaN")
    explain(ax, handles, labels, n_columns=2)


def _mark_cells(
    ax: "Axes", bounds: np.ndarray, limit: float, pairs: list[tuple[int, int]]
) -> None:
    from matplotlib.lines import Line2D

    def square(color: Any) -> Any:
        return Line2D([], [], **_LOOSE, marker="s", markersize=7.0, color=color)

    better = [(i, j) for i, j in pairs if bounds[i, j] < limit]
    dot: dict[str, Any] = {"marker": "o", "markersize": 2.0, "color": "white"}
    handles: list[Any] = []
    labels = []
    if better:
        ax.plot([j for _, j in better], [i for i, _ in better], **_LOOSE, **dot)
        handles.append((square(_BETTER), Line2D([], [], **_LOOSE, **dot)))
        labels.append(f"eps_min below {limit:g}: yes")
    if any(bounds[pair] >= limit for pair in pairs):
        for bound in (limit, 0.5 * (limit + 1.0)):
            handles.append(square(str(_grey_of(bound, limit))))
            labels.append(f"eps_min {bound:g}")
    faulty = [(i, j) for i, j in pairs if np.isnan(bounds[i, j])]
    if faulty:
        cross = _cross()
        cross.set_data([j for _, j in faulty], [i for i, _ in faulty])
        ax.add_line(cross)
        handles.append(_cross())
        labels.append("no verdict: NaN")
    explain(ax, handles, labels, n_columns=4)


def _cross() -> Any:
    from matplotlib.lines import Line2D

    return Line2D([], [], **_LOOSE, marker="x", markersize=3.5, color=GREY)
