"""Models in order, as in a critical difference diagram."""

from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sigarray._host import choose_names, copy_array
from sigarray._ranking import ranking as rank_models
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
    tidy,
)
from sigarray.results import PairwiseAsoResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Inches.
_ROW, _FRAME = 0.19, 0.95
# The places of bars, in units of the ratio, beyond its end at 1.
_FIRST_BAR, _STEP = 1.06, 0.06


def ranking(
    result: PairwiseAsoResult,
    /,
    names: Iterable[Hashable] | None = None,
    *,
    threshold: float = 0.2,
    ax: Any = None,
) -> "Axes":
    """Draw models from best to worst; bars join those that nothing tells apart.

    The order and the groups are those of `sigarray.ranking`. Each model is at its mean
    violation ratio over the others: 0 if it dominates them all, 1 if all dominate it;
    0.5 is as good as the others. The ratio comes from `multi_aso`, which knows whether
    higher scores are better: the best are on top and to the left, with losses too.

    Parameters
    ----------
    result : PairwiseAsoResult
        The result of `multi_aso` for K models, with arrays of shape (K, K) of any
        library. They are copied to the host, which waits for the device.
    names : iterable of K hashables, optional
        Names of the models, such as the mapping that was passed to `multi_aso`; by
        default their places, 0 to K - 1.
    threshold : float, default: 0.2
        One model is better than another where its bound eps_min is below this; above 0
        and at most 0.5.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default on a new figure, one column of a paper wide and as
        high as there are models.

    Returns
    -------
    matplotlib.axes.Axes
        `ax.figure.savefig(...)` writes the picture.

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

    Examples
    --------
    >>> from sigarray import multi_aso, plot
    >>> scores = {
    ...     "linear": [0.81, 0.80, 0.83, 0.82, 0.81],
    ...     "forest": [0.88, 0.91, 0.89, 0.90, 0.89],
    ...     "boosted": [0.89, 0.90, 0.88, 0.91, 0.90],
    ... }
    >>> ax = plot.ranking(multi_aso(scores), scores)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['boosted', 'forest', 'linear']
    >>> [line.get_ydata().tolist() for line in ax.lines if line.get_label() == "bar"]
    [[0, 1]]
    """
    given = check_axes(ax)
    ranked = rank_models(result, threshold, names=names)
    n = len(ranked.order)
    places = {name: k for k, name in enumerate(choose_names(names, n))}
    ratios = copy_array(result.violation_ratio)
    # Without the diagonal, which is 0.5.
    means = (ratios.sum(axis=1) - 0.5) / max(n - 1, 1)
    axes: Axes = given or make_figure(_FRAME + _ROW * n).subplots()
    tidy(axes, x="mean violation ratio")
    name_rows(axes, [show_name(name) for name in ranked.order], range(n))
    look = look_of(0)
    (points,) = axes.plot(
        [means[places[name]] for name in ranked.order],
        range(n),
        linestyle="none",
        marker=look.marker,
        color=look.color,
        markersize=4.0,
        clip_on=False,
        zorder=3.0,
    )
    rows = {name: k for k, name in enumerate(ranked.order)}
    groups = [[rows[name] for name in group] for group in ranked.groups]
    bars = _draw_bars(axes, [group for group in groups if len(group) > 1])
    right = _FIRST_BAR + _STEP * max((bar for *_, bar in bars), default=-1)
    axes.hlines(range(n), 0.0, max(1.0, right), color=PALE, linewidth=THIN, zorder=0.5)
    axes.axvline(0.5, color=GREY, linewidth=THIN, linestyle=":", zorder=0.6)
    axes.set(xlim=(0.0, max(1.0, right + 0.02)), ylim=(n - 0.5, -0.5))
    axes.set_xticks(np.linspace(0.0, 1.0, 5))
    axes.spines["bottom"].set_bounds(0.0, 1.0)
    joined = [line for line in axes.lines if line.get_label() == "bar"]
    explain(
        axes,
        [points, *joined[:1]],
        [
            "0: ahead of all others, 1: behind all",
            *[f"no eps_min among them below {threshold:g}"][: len(joined)],
        ],
        has_names=True,
    )
    return axes


def _draw_bars(ax: "Axes", groups: Sequence[list[int]]) -> list[tuple[int, int]]:
    """Draw bars with a square in each row of a group; return their ends and places.

    Bars that would overlap are side by side.
    """
    bars: list[tuple[int, int]] = []
    for group in groups:
        taken = {bar for end, bar in bars if end >= group[0]}
        place = next(k for k in range(len(groups)) if k not in taken)
        bars.append((group[-1], place))
        ax.plot(
            [_FIRST_BAR + _STEP * place] * len(group),
            group,
            color=INK,
            linewidth=1.0,
            linestyle="-",
            marker="s",
            markersize=3.0,
            clip_on=False,
            label="bar",
        )
    return bars
