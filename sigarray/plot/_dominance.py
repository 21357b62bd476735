"""Almost stochastic order in one look: where one model is above the other."""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from sigarray._backend.callers import Array, RandomSource
from sigarray._backend.checks import choice, flag, half
from sigarray._host import choose_names
from sigarray._order.stacks import Method
from sigarray._order.two_models import aso
from sigarray._plain_text import show_number
from sigarray.plot._inputs import (
    copy_scores,
    find_room,
    list_results,
    thin,
    wrap_below,
)
from sigarray.plot._style import (
    HATCH,
    INK,
    PALE,
    PLAIN,
    THICK,
    check_axes,
    draws,
    explain,
    lift,
    look_of,
    make_figure,
    show_beside,
    show_names,
    tidy,
    write,
)
from sigarray.results import AsoResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes


Panel: TypeAlias = Literal["both", "distribution", "quantile"]

# Scores beyond the quartiles by so many times their distance are not in view, and so
# many of them are named.
_FAR, _MOST_HIDDEN = 5.0, 3
# Those of numbers beside the axes.
_LETTERS = 6


@draws
def dominance(
    a: Array,
    b: Array,
    /,
    *,
    names: tuple[Hashable, Hashable] = ("A", "B"),
    threshold: float = 0.2,
    confidence_level: float = 0.95,
    n_comparisons: int = 1,
    n_resamples: int = 1000,
    method: Method = "auto",
    higher_is_better: bool = True,
    rng: RandomSource = None,
    result: AsoResult | None = None,
    panel: Panel = "both",
    ax: Any = None,
) -> "tuple[Axes, ...]":
    """Draw why A is better than B, or is not, as `aso` sees it.

    Above are the distribution functions of both models, the share of runs at or below a
    score; below their quantile functions, the same lines with the axes exchanged.
    Hatched is where B is ahead, which speaks against "A is better"; pale is where A is
    ahead. The violation ratio eps is the share of the hatched part in both, with the
    heights of the lower picture squared.

    Scores that are far from all others, by more than five interquartile ranges, are
    not in view; a line says which they are. They count in the ratio.

    Parameters
    ----------
    a, b : array, shape (n,) and (m,), real
        Scores of the two models, of any library and device. They are copied to the
        host, which waits for the device. More than 2048 are drawn by as many quantiles.
    names : pair of hashables, default: ("A", "B")
        Names of the two models.
    threshold : float, default: 0.2
        A model is better where its bound eps_min is below this; above 0, at most 0.5.
    confidence_level : float, default: 0.95
        Confidence of the bound, in (0, 1): 0.95 for 95 %.
    n_comparisons : int, default: 1
        Divide 1 - `confidence_level` by this number of comparisons (Bonferroni).
    n_resamples : int, default: 1000
        Number of bootstrap replicates: with more, the result depends less on the seed.
    method : {"auto", "bootstrap", "exact", "asymptotic"}, default: "auto"
        How to find the standard error: from random resamples ("bootstrap"), all
        distinct ones ("exact"), or the normal limit of many scores ("asymptotic").
        "auto" is "exact" if there are few distinct ones, as for five scores a side,
        else "bootstrap".
    higher_is_better : bool, default: True
        False if lower scores are better, as for losses.
    rng : int, generator or key, optional
        A seed, an int in [0, 2^64), which gives the same random numbers with every
        array library and device; a generator of that library or of NumPy; or for JAX,
        which takes no generator, a key. By default each call draws others.
    result : AsoResult, optional
        The result with the bound and the ratio to write, such as those of a pair of
        `multi_aso`, whose claims are two-sided. By default the one-sided result of
        `aso`.
    panel : {"both", "distribution", "quantile"}, default: "both"
        Which functions to draw.
    ax : pair of matplotlib.axes.Axes, optional
        Where to draw, or one of them for one panel; by default on a new figure, one
        column of a paper wide.

    Returns
    -------
    tuple of matplotlib.axes.Axes
        Distribution functions, and quantile functions, or one of them;
        `axes[0].figure.savefig(...)` writes the picture.

    Raises
    ------
    ImportError
        No matplotlib.
    TypeError
        Scores that are not real numbers, or traced.
    ValueError
        Scores of several batch entries, or not finite; options outside their range;
        names or axes that are not a pair.

    See Also
    --------
    sigarray.aso : the numbers in it.

    Examples
    --------
    >>> from sigarray import plot
    >>> lstm = [0.897, 0.892, 0.894, 0.901, 0.898]
    >>> cnn = [0.896, 0.884, 0.889, 0.893, 0.891]
    >>> _, lower = plot.dominance(lstm, cnn, names=("lstm", "cnn"))
    >>> lower.texts[-1].get_text().splitlines()[-1]
    'lstm is better'
    """
    shape = (1 + (choice(*get_args(Panel))("panel", panel) == "both"),)
    given = check_axes(ax, shape)
    limit = half("threshold", threshold)
    is_higher_better = flag("higher_is_better", higher_is_better)
    labels = show_names(choose_names(names, 2), 28)
    samples = [copy_scores(x, name) for x, name in zip((a, b), labels, strict=True)]
    if result is not None:
        (result,) = list_results(result, AsoResult, "aso").values()
    else:
        result = aso(
            a,
            b,
            confidence_level=confidence_level,
            n_comparisons=n_comparisons,
            n_resamples=n_resamples,
            method=method,
            higher_is_better=higher_is_better,
            rng=rng,
        )
    if given is None:
        given = make_figure(4.2 if panel == "both" else 2.9).subplots(*shape)
    axes = tuple(np.ravel(given))
    curves = [thin(np.sort(sample)) for sample in samples]
    shapes = _find_shapes(curves, is_higher_better)
    view = _choose_view(samples)
    directions = [panel == "quantile", True] if len(axes) > 1 else [panel == "quantile"]
    for one, is_quantile in zip(axes, directions, strict=True):
        keys = _draw_panel(one, curves, shapes, view, is_quantile=is_quantile)
        _name_sides(one, is_higher_better, is_quantile=is_quantile)
    first, second = labels
    said = _say(first, float(result.violation_ratio), float(result.eps_min), limit)
    last = axes[-1]
    write(last, 0.0, 1.03, said, transform=last.transAxes, va="bottom")
    hidden = _list_hidden(samples, labels, view)
    room = find_room(last, _LETTERS, is_own=ax is None)
    below = [last.get_xlabel(), *(wrap_below(x, room) for x in hidden)]
    last.set_xlabel("\n".join(below), **PLAIN)
    sides = [first, f"{second} ahead", second, f"{first} ahead"]
    # What is ahead nowhere has no patch.
    is_there = [True, _has_area(shapes[0]), True, _has_area(shapes[1])]
    explain(
        axes[0],
        [key for key, is_drawn in zip(keys, is_there, strict=True) if is_drawn],
        [side for side, is_drawn in zip(sides, is_there, strict=True) if is_drawn],
        n_columns=2,
        # Above the lines of text, if they are of the same panel.
        bbox_transform=lift(axes[0], 0.0 if panel == "both" else 34.0),
    )
    return axes


def _has_area(shape: tuple[np.ndarray, np.ndarray, np.ndarray]) -> bool:
    _, base, best = shape
    return bool(np.any(base != best))


def _draw_panel(
    ax: "Axes",
    curves: list[np.ndarray],
    shapes: list[tuple[np.ndarray, np.ndarray, np.ndarray]],
    view: tuple[float, float],
    *,
    is_quantile: bool,
) -> list[Any]:
    against: dict[str, Any] = {"hatch": HATCH, "facecolor": "white", "edgecolor": INK}
    for_it: dict[str, Any] = {"facecolor": PALE, "edgecolor": PALE}
    fill = ax.fill_between if is_quantile else ax.fill_betweenx
    patches = [
        fill(t, base, best, linewidth=0.0, zorder=0.5, **look)
        for (t, base, best), look in zip(shapes, (against, for_it), strict=True)
    ]
    lines = [
        _draw_steps(ax, x, k, is_quantile=is_quantile) for k, x in enumerate(curves)
    ]
    low, high = view
    margin = 0.05 * (high - low) or 0.05 * abs(high) or 1.0
    limits = (low - margin, high + margin), (-0.02, 1.02)
    xlim, ylim = limits[::-1] if is_quantile else limits
    ax.set(xlim=xlim, ylim=ylim)
    ax.locator_params(nbins=5)
    return [lines[0], patches[0], lines[1], patches[1]]


def _name_sides(ax: "Axes", is_higher_better: bool, *, is_quantile: bool) -> None:
    direction = "higher" if is_higher_better else "lower"
    score, share = f"score ({direction} is better)", "share of runs"
    if is_quantile:
        tidy(ax, x=share, y="score at this quantile")
    else:
        tidy(ax, x=score, y=f"{share} at or below")


def _draw_steps(ax: "Axes", ordered: np.ndarray, k: int, *, is_quantile: bool) -> Any:
    n, look = len(ordered), look_of(k)
    shares = np.arange(n + 1) / n
    points = np.r_[ordered[0], ordered], shares
    if is_quantile:
        points = shares, np.r_[ordered, ordered[-1]]
    (line,) = ax.plot(
        *points,
        drawstyle="steps-post",
        color=look.color,
        linestyle=look.dashes,
        linewidth=THICK,
    )
    return line


def _find_shapes(
    curves: list[np.ndarray], is_higher_better: bool
) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Return the corners of the shapes where B is ahead, and where A is.

    Between breakpoints both quantile functions are constant, and the shape has a corner
    at each end of these steps.
    """
    n, m = map(len, curves)
    # In units of 1 / (n m), so that equal breakpoints of both become one.
    ends = np.union1d(np.arange(n + 1) * m, np.arange(m + 1) * n)
    t = np.repeat(ends, 2)[1:-1] / (n * m)
    ranks = (ends[:-1] // m, ends[:-1] // n)
    a, b = (np.repeat(x[k], 2) for x, k in zip(curves, ranks, strict=True))
    # The better model is on top, both for A and for B.
    best = np.maximum(a, b) if is_higher_better else np.minimum(a, b)
    return [(t, a, best), (t, b, best)]


def _choose_view(samples: list[np.ndarray]) -> tuple[float, float]:
    """Return the least and the largest score that are in view: all but outliers."""
    scores = np.concatenate(samples)
    low, high = np.quantile(scores, (0.25, 0.75))
    room = _FAR * (high - low)
    if not room > 0.0:
        return float(scores.min()), float(scores.max())
    seen = scores[(scores >= low - room) & (scores <= high + room)]
    return float(seen.min()), float(seen.max())


def _list_hidden(
    samples: list[np.ndarray], labels: list[str], view: tuple[float, float]
) -> list[str]:
    said = []
    for name, x in zip(labels, samples, strict=True):
        hidden = np.sort(x[(x < view[0]) | (x > view[1])])
        if hidden.size:
            n = hidden.size
            shown = ", ".join(show_number(score) for score in hidden[:_MOST_HIDDEN])
            more = f" and {n - _MOST_HIDDEN} more" if n > _MOST_HIDDEN else ""
            runs, scores = ("a run", "score") if n == 1 else (f"{n} runs", "scores")
            said.append(f"not in view: {runs} of {name} with {scores} {shown}{more}")
    return said


def _say(name: str, ratio: float, bound: float, limit: float) -> str:
    number = show_beside(bound, limit)
    is_better = bound < limit
    return "\n".join(
        (
            f"violation ratio eps = {ratio:.2g}",
            f"bound eps_min = {number}, {'' if is_better else 'not '}below {limit:g}",
            f"{name} is better" if is_better else f"no verdict for {name}",
        )
    )
