"""The scores themselves, model by model."""

import math
from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from sigarray._backend.checks import confidence, flag, text
from sigarray._difference.location import t_ci
from sigarray._numeric.special import student_quantile
from sigarray.plot._inputs import copy_models, thin
from sigarray.plot._style import (
    BLUE,
    GREY,
    INK,
    MOST_MODELS,
    PALE,
    THIN,
    check_axes,
    draws,
    explain,
    make_figure,
    name_rows,
    say_left_out,
    show_name,
    show_names,
    show_share,
    thin_ticks,
    tidy,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Inches.
_ROW, _FRAME = 0.36, 1.0
# Heights in a row, with its middle at 0, down: the cloud is above, points are below.
_GROUND, _CLOUD, _POINTS, _SPREAD = 0.12, 0.5, 0.31, 0.16
# A density of fewer scores than this shows the smoothing more than the scores.
_LEAST_OF_CLOUD = 20
# Of so many scores for each value that there is, values have bars.
_LEAST_PER_VALUE = 3
_GRID = 200
# The golden ratio: consecutive points are far apart, and none coincide.
_GOLDEN = 0.5 * (math.sqrt(5.0) - 1.0)
# More points than this are pixels in a PDF, too.
_MAX_VECTORS = 2000


@draws
def scores(
    samples: Any,
    /,
    *,
    names: Iterable[Hashable] | None = None,
    confidence_level: float = 0.95,
    higher_is_better: bool = True,
    unit: str = "run",
    clusters: Any = None,
    ax: Any = None,
) -> "Axes":
    r"""Draw all scores of each model, their density, and the mean in its interval.

    It is a raincloud [1]_: the density is above, the scores below, and the mean between
    both. Of fewer than 20 scores there is no density, which would show the smoothing
    more than the scores. Where few values occur many times each, such as 0 and 1, a bar
    shows the share of each in place of density and points.

    The interval of the mean is Student's: exact for normal scores, however few. Those
    of the bootstrap are too short for fewer than 20 (see `bootstrap_ci`). Each interval
    is of one model alone: whether two models differ, `differences`, `aso` and the tests
    say.

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
        False if lower scores are better, as for losses.
    unit : str, default: "run"
        What a score stands for.
    clusters : array_like, optional
        A label for each item, the same for all models, if whole clusters of items were
        sampled: intervals are then those of `t_ci` with these.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default on a new figure, one column of a paper wide and as
        high as there are models.

    Returns
    -------
    matplotlib.axes.Axes
        With the models from top to bottom, those with the best means first;
        `ax.figure.savefig(...)` writes the picture. A model with one score has no
        interval. Of more than 40 models the best 40 are drawn, and a line counts the
        others.

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

    Notes
    -----
    The density is Gaussian, with Silverman's bandwidth 0.9 min(s, IQR / 1.34) n^(-1/5)
    ([2]_, eq. 3.31), from the least to the largest score; its
    highest point, as the longest bar of values, is as high for each model.

    References
    ----------
    .. [1] M. Allen et al. (2021). Raincloud plots: a multi-platform tool for robust
       data visualization. Wellcome Open Research 4, 63.
       :doi:`10.12688/wellcomeopenres.15191.2`
    .. [2] B. W. Silverman (1986). Density estimation for statistics and data analysis.
       Chapman and Hall. :doi:`10.1201/9781315140919`

    Examples
    --------
    >>> from sigarray import plot
    >>> ax = plot.scores({"lstm": [0.897, 0.892, 0.894], "cnn": [0.896, 0.884, 0.889]})
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['lstm\nn = 3', 'cnn\nn = 3']
    """
    given = check_axes(ax)
    level = confidence("confidence_level", confidence_level)
    is_higher_better = flag("higher_is_better", higher_is_better)
    text("unit", unit)
    every = copy_models(samples, names)
    models = _choose_best(every, is_higher_better)
    axes: Axes = given or make_figure(_FRAME + _ROW * len(models)).subplots()
    direction = "higher" if is_higher_better else "lower"
    tidy(axes, x=f"score ({direction} is better)")
    thin_ticks(axes)
    word = f"{'an' if unit[:1] in 'aeiou' else 'a'} {show_name(unit)}"
    keys: dict[str, Any] = {}
    for row, values in enumerate(models.values()):
        shares = _count_values(values)
        if shares is not None:
            keys["share of each score"] = _draw_shares(axes, row, *shares)
        else:
            keys[word] = _draw_points(axes, row, values)
            if len(values) >= _LEAST_OF_CLOUD and np.ptp(values) > 0.0:
                keys["density"] = _draw_density(axes, row, values)
        said = f"mean, {show_share(level)} interval (Student's t)"
        keys[said] = _draw_mean(axes, row, values, level, clusters)
    sizes = [f"n = {len(x)}" for x in models.values()]
    labels = list(map("\n".join, zip(show_names(models), sizes, strict=True)))
    name_rows(axes, labels, range(len(models)))
    axes.set_ylim(len(models) - 0.45, -0.55)
    explain(axes, list(keys.values()), list(keys), n_columns=2, has_names=True)
    say_left_out(axes, len(every) - len(models))
    return axes


def _choose_best(
    models: dict[Hashable, np.ndarray], is_higher_better: bool
) -> dict[Hashable, np.ndarray]:
    sign = -1.0 if is_higher_better else 1.0
    order = sorted(models, key=lambda name: sign * float(np.mean(models[name])))
    return {name: models[name] for name in order[:MOST_MODELS]}


def _count_values(values: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    distinct, counts = np.unique(values, return_counts=True)
    n = len(values)
    if n < _LEAST_OF_CLOUD or n < _LEAST_PER_VALUE * len(distinct):
        return None
    return distinct, counts / n


def _draw_shares(ax: "Axes", row: int, values: np.ndarray, shares: np.ndarray) -> Any:
    """Draw a bar for each value, as high as its share of the most frequent one's."""
    ground = row + _GROUND
    tops = ground - _CLOUD * shares / shares.max()
    return ax.vlines(values, tops, ground, color=BLUE, linewidth=2.0)


def _draw_density(ax: "Axes", row: int, values: np.ndarray) -> Any:
    scores = thin(np.sort(values))
    low, high = np.quantile(values, (0.25, 0.75))
    sd = float(np.std(values, ddof=1))
    spread = min(sd, float(high - low) / 1.34) or sd
    width = 0.9 * spread * len(values) ** -0.2
    places = np.linspace(scores[0], scores[-1], _GRID)
    gaps = (places[:, None] - scores) / width
    density = np.exp(-0.5 * gaps**2).sum(axis=1)
    ground = row + _GROUND
    return ax.fill_between(
        places,
        ground,
        ground - _CLOUD * density / density.max(),
        facecolor=PALE,
        edgecolor=GREY,
        linewidth=THIN,
        zorder=0.6,
    )


def _draw_points(ax: "Axes", row: int, values: np.ndarray) -> Any:
    n = len(values)
    offsets = (np.arange(1, n + 1) * _GOLDEN % 1.0 - 0.5) * _SPREAD
    (points,) = ax.plot(
        values,
        row + _POINTS + offsets,
        linestyle="none",
        marker="o",
        markersize=2.5 if n <= 200 else 1.2,
        markerfacecolor="none",
        markeredgecolor=BLUE,
        markeredgewidth=THIN,
        rasterized=n > _MAX_VECTORS,
    )
    return points


def _draw_mean(
    ax: "Axes", row: int, values: np.ndarray, level: float, clusters: Any
) -> Any:
    n, mean = len(values), float(np.mean(values))
    margin = math.nan
    if clusters is not None:
        result = t_ci(values, clusters=clusters, confidence_level=level)
        margin = float(result.confidence_interval.high) - mean
    elif n > 1:
        t = student_quantile(0.5 + 0.5 * level, n - 1)
        margin = t * float(np.std(values, ddof=1)) / math.sqrt(n)
    return ax.errorbar(
        mean,
        row + _GROUND,
        xerr=margin,
        color=INK,
        linestyle="none",
        marker="D",
        markersize=3.0,
        elinewidth=0.9,
        capsize=2.0,
        capthick=0.9,
    )
