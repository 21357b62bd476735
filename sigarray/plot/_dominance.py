"""Almost stochastic order in one look: where one model is above the other."""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np

from sigarray._backend.aliases import Array, RandomSource
from sigarray._backend.checks import flag, half
from sigarray._host import choose_names
from sigarray._order.plans import Method
from sigarray._order.two_models import aso
from sigarray.plot._inputs import copy_scores, list_results
from sigarray.plot._style import (
    HATCH,
    INK,
    PALE,
    THICK,
    check_axes,
    explain,
    look_of,
    make_figure,
    show_beside,
    show_name,
    tidy,
    write,
)
from sigarray.results import AsoResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# More scores than this are drawn by this many quantiles.
_MAX_STEPS = 2048


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
    ax: Any = None,
) -> "tuple[Axes, Axes]":
    """Draw why A is better than B, or is not, as `aso` sees it.

    Above are the distribution functions of both models, the share of runs at or below a
    score; below their quantile functions, the same lines with the axes exchanged.
    Hatched is where B is ahead, which speaks against "A is better"; pale is where A is
    ahead. The violation ratio eps is the share of the hatched part in both, with the
    heights of the lower picture squared.

    Parameters
    ----------
    a, b : array, shape (n,) and (m,), real
        Scores of the two models, of any library and device. They are copied to the
        host, which waits for the device. More than 2048 are drawn by as many quantiles.
    names : pair of hashables, default: ("A", "B")
        Names of the two models.
    threshold : float, default: 0.2
        One model is better than another where its bound eps_min is below this; above 0
        and at most 0.5.
    confidence_level : float, default: 0.95
        Confidence of the bound, in (0, 1): 0.95 for 95 %.
    n_comparisons : int, default: 1
        Divide 1 - `confidence_level` by this number of comparisons (Bonferroni).
    n_resamples : int, default: 1000
        Number of bootstrap replicates. The more there are, the less the result depends
        on the seed.
    method : {"auto", "bootstrap", "exact", "asymptotic"}, default: "auto"
        How to find the standard error: from random resamples ("bootstrap"), from all
        distinct ones ("exact"), or by the normal limit of many scores ("asymptotic").
        "auto" is "exact" where there are few distinct ones, as of five scores a side,
        else "bootstrap".
    higher_is_better : bool, default: True
        False for losses and error rates: lower scores are better.
    rng : int, generator or key, optional
        Source of the random numbers: a seed, which is an int in [0, 2^64) and gives the
        same numbers on every backend and device; a generator of NumPy or of the arrays'
        library; or a key of JAX. By default fresh entropy, so that each call draws
        others; JAX needs a seed or a key.
    result : AsoResult, optional
        The result with the bound and the ratio to write, such as those of a pair of
        `multi_aso`, whose claims are two-sided. By default the one-sided result of
        `aso`.
    ax : pair of matplotlib.axes.Axes, optional
        Where to draw; by default on a new figure, one column of a paper wide.

    Returns
    -------
    pair of matplotlib.axes.Axes
        Distribution functions, and quantile functions; `axes[0].figure.savefig(...)`
        writes the picture.

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
    axes = check_axes(ax, (2,))
    limit = half("threshold", threshold)
    is_higher_better = flag("higher_is_better", higher_is_better)
    labels = [show_name(name) for name in choose_names(names, 2)]
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
    upper, lower = make_figure(4.2).subplots(2) if axes is None else axes
    curves = [_thin(np.sort(sample)) for sample in samples]
    direction = "higher" if is_higher_better else "lower"
    tidy(upper, x=f"score ({direction} is better)", y="share of runs at or below")
    tidy(lower, x="share of runs", y="score at this quantile")
    patches = _shade(upper, lower, curves, is_higher_better)
    for k, ordered in enumerate(curves):
        _draw_steps(upper, lower, ordered, k)
    _set_limits(upper, lower, curves)
    handles = [upper.lines[-2], patches[0], upper.lines[-1], patches[1]]
    first, second = labels
    explain(
        upper,
        handles,
        [first, f"{second} ahead", second, f"{first} ahead"],
        n_columns=2,
    )
    write(
        lower,
        0.0,
        1.03,
        _say(first, float(result.violation_ratio), float(result.eps_min), limit),
        transform=lower.transAxes,
        va="bottom",
    )
    return upper, lower


def _thin(ordered: np.ndarray) -> np.ndarray:
    n = len(ordered)
    if n <= _MAX_STEPS:
        return ordered
    return ordered[(2 * np.arange(_MAX_STEPS) + 1) * n // (2 * _MAX_STEPS)]


def _draw_steps(upper: "Axes", lower: "Axes", ordered: np.ndarray, k: int) -> None:
    """Draw both functions of a sample: one steps where the other is flat."""
    n, look = len(ordered), look_of(k)
    shares = np.arange(n + 1) / n
    line: dict[str, Any] = {
        "drawstyle": "steps-post",
        "color": look.color,
        "linestyle": look.dashes,
        "linewidth": THICK,
    }
    upper.plot(np.r_[ordered[0], ordered], shares, **line)
    lower.plot(shares, np.r_[ordered, ordered[-1]], **line)


def _shade(
    upper: "Axes", lower: "Axes", curves: list[np.ndarray], is_higher_better: bool
) -> list[Any]:
    """Shade where B is ahead, then A, in both pictures; return the lower shapes.

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
    against: dict[str, Any] = {"hatch": HATCH, "facecolor": "white", "edgecolor": INK}
    for_it: dict[str, Any] = {"facecolor": PALE, "edgecolor": PALE}
    shown = []
    for base, look in (
        (a, against),
        (b, for_it),
    ):
        look |= {"linewidth": 0.0, "zorder": 0.5}
        upper.fill_betweenx(t, base, best, **look)
        shown.append(lower.fill_between(t, base, best, **look))
    return shown


def _set_limits(upper: "Axes", lower: "Axes", curves: list[np.ndarray]) -> None:
    low = min(x[0] for x in curves)
    high = max(x[-1] for x in curves)
    margin = 0.05 * (high - low) or 0.05 * abs(high) or 1.0
    for ax, set_scores, set_shares in (
        (upper, upper.set_xlim, upper.set_ylim),
        (lower, lower.set_ylim, lower.set_xlim),
    ):
        set_scores(low - margin, high + margin)
        set_shares(-0.02, 1.02)
        ax.locator_params(nbins=5)


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
