"""The scores themselves, model by model."""

import math
from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from sigarray._backend.checks import flag, fraction, text
from sigarray._numeric.special import student_quantile
from sigarray.plot._inputs import copy_models
from sigarray.plot._style import (
    GREY,
    INK,
    PALE,
    THICK,
    THIN,
    check_axes,
    explain,
    look_of,
    make_figure,
    name_rows,
    show_name,
    show_share,
    thin_ticks,
    tidy,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Inches.
_ROW, _FRAME = 0.34, 1.0
# Heights in a row, with its middle at 0: points are above, the mean is below.
_POINTS, _SPREAD, _BOX, _MEAN = -0.27, 0.22, 0.05, 0.33
# The golden ratio: consecutive points are far apart, and none coincide.
_GOLDEN = 0.5 * (math.sqrt(5.0) - 1.0)
# More points than this are pixels in a PDF, too.
_MAX_VECTORS = 2000


def scores(
    samples: Any,
    /,
    *,
    names: Iterable[Hashable] | None = None,
    confidence_level: float = 0.95,
    higher_is_better: bool = True,
    unit: str = "run",
    ax: Any = None,
) -> "Axes":
    r"""Draw all scores of each model, with a box and the mean in its interval.

    The box shows the quartiles and the median. The interval of the mean is Student's:
    exact for normal scores, however few. Those of the bootstrap are too short for fewer
    than 20 (see `bootstrap_ci`). The intervals are of single models: whether two models
    differ, `aso` and the tests say.

    Parameters
    ----------
    samples : mapping, data frame, sequence of K arrays, or array of shape (K, n)
        Scores of K >= 1 models, by name or row by row; sizes may differ. Arrays are of
        any library and device, and are copied to the host, which waits for the device.
    names : iterable of K hashables, optional
        Names of the models; by default those of the mapping or the columns, or their
        places.
    confidence_level : float, default: 0.95
        Confidence of the interval, in (0, 1): 0.95 for 95 %.
    higher_is_better : bool, default: True
        False for losses and error rates: lower scores are better.
    unit : str, default: "run"
        What a score stands for.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default on a new figure, one column of a paper wide and as
        high as there are models.

    Returns
    -------
    matplotlib.axes.Axes
        With the models from top to bottom, as they were given; `ax.figure.savefig(...)`
        writes the picture. A model with one score has no interval.

    Raises
    ------
    ImportError
        No matplotlib.
    TypeError, ValueError
        Scores that are not real numbers, or not finite; no or several batch entries; a
        different number of names; a level outside (0, 1).

    See Also
    --------
    pairwise : which models are better.

    Examples
    --------
    >>> from sigarray import plot
    >>> ax = plot.scores({"lstm": [0.897, 0.892, 0.894], "cnn": [0.896, 0.884, 0.889]})
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['lstm\nn = 3', 'cnn\nn = 3']
    """
    given = check_axes(ax)
    level = fraction("confidence_level", confidence_level)
    is_higher_better = flag("higher_is_better", higher_is_better)
    text("unit", unit)
    models = copy_models(samples, names)
    axes: Axes = given or make_figure(_FRAME + _ROW * len(models)).subplots()
    direction = "higher" if is_higher_better else "lower"
    tidy(axes, x=f"score ({direction} is better)")
    thin_ticks(axes)
    handles: list[Any] = []
    for row, values in enumerate(models.values()):
        handles = [
            _draw_points(axes, row, values),
            _draw_box(axes, row, values),
            _draw_mean(axes, row, values, level),
        ]
    labels = [f"{show_name(name)}\nn = {len(x)}" for name, x in models.items()]
    name_rows(axes, labels, range(len(models)))
    axes.set_ylim(len(models) - 0.45, -0.55)
    explain(
        axes,
        handles,
        [
            f"{'an' if unit[:1] in 'aeiou' else 'a'} {show_name(unit)}",
            "quartiles and median",
            f"mean, {show_share(level)} interval (Student's t)",
        ],
        n_columns=2,
        has_names=True,
    )
    return axes


def _draw_points(ax: "Axes", row: int, values: np.ndarray) -> Any:
    """Draw each score, at a height that is the same in every picture."""
    n = len(values)
    offsets = (np.arange(1, n + 1) * _GOLDEN % 1.0 - 0.5) * _SPREAD
    (points,) = ax.plot(
        values,
        row + _POINTS + offsets,
        linestyle="none",
        marker="o",
        markersize=2.5 if n <= 200 else 1.2,
        markerfacecolor="none",
        markeredgecolor=look_of(0).color,
        markeredgewidth=THIN,
        rasterized=n > _MAX_VECTORS,
    )
    return points


def _draw_box(ax: "Axes", row: int, values: np.ndarray) -> Any:
    low, middle, high = np.quantile(values, (0.25, 0.5, 0.75))
    (box,) = ax.barh(
        row + _BOX,
        high - low,
        left=low,
        height=0.2,
        facecolor=PALE,
        edgecolor=GREY,
        linewidth=THIN,
    )
    ax.plot(
        (middle, middle),
        (row + _BOX - 0.1, row + _BOX + 0.1),
        color=INK,
        linewidth=THICK,
        linestyle="-",
        solid_capstyle="butt",
    )
    return box


def _draw_mean(ax: "Axes", row: int, values: np.ndarray, level: float) -> Any:
    """Draw the mean, with its interval of Student's t if there are two scores."""
    n, mean = len(values), float(np.mean(values))
    margin = math.nan
    if n > 1:
        t = student_quantile(0.5 + 0.5 * level, n - 1)
        margin = t * float(np.std(values, ddof=1)) / math.sqrt(n)
    return ax.errorbar(
        mean,
        row + _MEAN,
        xerr=margin,
        color=INK,
        linestyle="none",
        marker="D",
        markersize=3.0,
        elinewidth=0.9,
        capsize=2.0,
        capthick=0.9,
    )
