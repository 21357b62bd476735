"""Curves with bands of several models: of learning, and of performance profiles."""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from sigarray._backend.checks import confidence, describe, flag
from sigarray._backend.dispatch import is_array
from sigarray._host import choose_names, copy_array
from sigarray._numeric.special import student_quantile
from sigarray.plot._inputs import check_alone, check_finite
from sigarray.plot._style import (
    check_axes,
    draw_line,
    draws,
    explain,
    look_of,
    make_figure,
    say_left_out,
    show_names,
    show_share,
    thin_ticks,
    tidy,
)
from sigarray.results import ProportionResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# More bands than this cover one another.
MOST_CURVES = 7
# As do so many of profiles, which are wide: of more models, so few have bands.
_MOST_BANDS, _SOME_BANDS = 4, 2
# Curves of fewer points than this have a mark at each.
_FEW_POINTS = 12
# Of fewer thresholds no profile is drawn between them.
_FEW_THRESHOLDS = 20
_PALE = 0.2
_HEIGHT = 2.6
# How far the bars of two models are from each other, as a share of all thresholds.
_BESIDE = 0.012
_BARS: Any = {"linestyle": "none", "markersize": 3.5, "elinewidth": 0.9, "capsize": 2}


def draw_curve(
    ax: "Axes",
    k: int,
    x: np.ndarray,
    y: np.ndarray,
    limits: Sequence[np.ndarray] | None,
    step: Literal["pre", "post"] | None = None,
) -> Any:
    """Draw the k-th curve, and its band between limits (low, high), if it has one.

    With a step, each value holds up to its x, or from it on.
    """
    if limits is not None:
        band: dict[str, Any] = {"alpha": _PALE, "linewidth": 0.0, "step": step}
        low, high = limits
        ax.fill_between(x, low, high, facecolor=look_of(k).color, **band)
    style = {"drawstyle": f"steps-{step}" if step else "default"}
    every = max(1, len(x) // _FEW_POINTS)
    return draw_line(ax, k, x, y, linewidth=1.3, markevery=every, **style)


def make_band_key(*, is_bar: bool = False) -> Any:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    if is_bar:
        return Line2D([], [], color="0.5", marker="|", markersize=9.0, linestyle="none")
    return Patch(facecolor="0.8")


@draws
def learning_curves(
    scores: Any,
    /,
    steps: Any = None,
    *,
    names: Iterable[Hashable] | None = None,
    confidence_level: float = 0.95,
    higher_is_better: bool = True,
    ax: Any = None,
) -> "Axes":
    """Draw the mean score of the runs of each model at each step, with its interval.

    A band is made of Student's intervals of the mean, one for each step, each of one
    model alone. It holds the mean at any one step with this confidence, not the whole
    curve, and bands that overlap are no test: compare scores at a step that was chosen
    before.

    Parameters
    ----------
    scores : mapping of names to arrays, shape (R, S), or array, shape (K, R, S), real
        The scores of R runs at S steps of each of K models; R and S may differ in a
        mapping. A model with one run has no band. Arrays of any library and device are
        copied to the host, which waits for the device.
    steps : array, shape (S,), or mapping of names to such arrays, optional
        The steps, in ascending order, such as environment steps or epochs; by default 1
        to S.
    names : iterable of K hashables, optional
        Names of the models of an array; by default their places.
    confidence_level : float, default: 0.95
        Confidence of the interval, in (0, 1): 0.95 for 95 %.
    higher_is_better : bool, default: True
        False if lower scores are better, as for losses.

        The legend names the model with the best last mean first.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default on a new figure, one column of a paper wide.

    Returns
    -------
    matplotlib.axes.Axes
        `ax.figure.savefig(...)` writes the picture. Of more than 7 models the 7 with
        the best last mean are drawn, and a line counts the others.

    Raises
    ------
    ImportError
        No matplotlib.
    TypeError
        Scores that are no numbers, or traced.
    ValueError
        Other shapes; scores or steps that are not finite; steps that do not ascend, or
        a different number of them; a different number of names, or names beside a
        mapping.

    See Also
    --------
    scores : the scores of one step.

    Examples
    --------
    >>> import numpy as np
    >>> from sigarray import plot
    >>> rng = np.random.default_rng(0)
    >>> curve = 1.0 - np.exp(-np.arange(20) / 5.0)
    >>> runs = {k: x * curve + rng.normal(0, 0.02, (5, 20)) for k, x in
    ...         {"small": 0.8, "large": 0.9}.items()}
    >>> ax = plot.learning_curves(runs, 1000 * np.arange(20))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['large: 5 runs', 'small: 5 runs', '95 % at each step']
    """
    given = check_axes(ax)
    level = confidence("confidence_level", confidence_level)
    is_higher_better = flag("higher_is_better", higher_is_better)
    models = _read_runs(scores, names)
    at = {name: _read_steps(steps, name, x.shape[1]) for name, x in models.items()}
    sign = -1.0 if is_higher_better else 1.0
    every = sorted(models, key=lambda name: sign * models[name][:, -1].mean())
    order = every[:MOST_CURVES]
    axes: Axes = given or make_figure(_HEIGHT).subplots()
    direction = "higher" if is_higher_better else "lower"
    tidy(axes, x="step", y=f"mean score ({direction} is better)")
    keys: dict[str, Any] = {}
    for k, (name, shown) in enumerate(zip(order, show_names(order), strict=True)):
        runs = models[name]
        said = f"{shown}: {len(runs)} run{'' if len(runs) == 1 else 's'}"
        means = runs.mean(axis=0)
        band = _find_band(runs, means, level)
        keys[said] = draw_curve(axes, k, at[name], means, band)
    if any(len(models[name]) > 1 for name in order):
        keys[f"{show_share(level)} at each step"] = make_band_key()
    thin_ticks(axes)
    explain(axes, list(keys.values()), list(keys), n_columns=2)
    say_left_out(axes, len(every) - len(order))
    return axes


def _read_runs(scores: Any, names: Any) -> dict[Hashable, np.ndarray]:
    is_mapping = isinstance(scores, Mapping)
    check_alone(scores, names)
    try:
        rows = scores.values() if is_mapping else scores
        arrays = list(map(copy_array, copy_array(rows) if is_array(rows) else rows))
    except (TypeError, ValueError) as error:
        msg = (
            "Expected scores of runs by model, as a mapping of arrays of shape (R, S) "
            f"or an array of shape (K, R, S); got {describe(scores)}. {error}"
        )
        raise TypeError(msg) from error
    chosen = choose_names(names, len(arrays), scores if is_mapping else None)
    models = dict(zip(chosen, arrays, strict=True))
    if not models:
        msg = "Expected the runs of one or more models; got none."
        raise ValueError(msg)
    for name, x in models.items():
        if x.ndim != 2 or not x.size:
            msg = (
                f"Expected scores of {name} of shape (R, S), runs and steps; got shape "
                f"{x.shape}. Pass x[None] for a single run."
            )
            raise ValueError(msg)
        advice = "Cut runs at the last step that all of them have."
        check_finite(x, f"scores of {name}", advice)
    return models


def _read_steps(steps: Any, name: Hashable, n: int) -> np.ndarray:
    if steps is None:
        return np.arange(1.0, n + 1.0)
    given = steps.get(name) if isinstance(steps, Mapping) else steps
    values = copy_array(() if given is None else given)
    if values.shape != (n,) or not np.all(np.diff(values) > 0.0):
        msg = f"Expected {n} ascending steps of {name}; got shape {values.shape}."
        if values.shape == (n,):
            msg = f"Expected ascending steps of {name}; got {values}. Sort them."
        raise ValueError(msg)
    return values


def _find_band(
    runs: np.ndarray, means: np.ndarray, level: float
) -> list[np.ndarray] | None:
    n = len(runs)
    if n == 1:
        return None
    t = student_quantile(0.5 + 0.5 * level, n - 1)
    margin = t * runs.std(axis=0, ddof=1) / math.sqrt(n)
    return [means - margin, means + margin]


@draws
def profiles(
    results: Any,
    /,
    thresholds: Any,
    *,
    names: Iterable[Hashable] | None = None,
    higher_is_better: bool = True,
    ax: Any = None,
) -> "Axes":
    """Draw the share of the scores of each model above each threshold, with its band.

    A band holds the whole of one profile, at all thresholds that it was computed for.
    Bands that overlap are no test: compare the models. Of fewer than 20 thresholds,
    which say little of scores between them, each has a mark and a bar for the band.

    Parameters
    ----------
    results : ProportionResult, or mapping of names to such results
        What `performance_profile` returns for K models at T thresholds: arrays of shape
        (K, T), or a result of shape (T,) for each name. Arrays of any library and
        device are copied to the host, which waits for the device.
    thresholds : array, shape (T,), real
        The thresholds of all of them.
    names : iterable of K hashables, optional
        Names of the models of one result; by default their places.
    higher_is_better : bool, default: True
        False if lower scores are better, as for losses.

        The shares are then of scores below each threshold, as of
        ``performance_profile(-scores, -thresholds)``.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default on a new figure, one column of a paper wide.

    Returns
    -------
    matplotlib.axes.Axes
        `ax.figure.savefig(...)` writes the picture. Of more than 7 models the 7 with
        the largest mean share are drawn, and a line counts the others; of more than 4,
        the first 2 have bands.

    Raises
    ------
    ImportError
        No matplotlib.
    TypeError
        Anything but results of `performance_profile`, or traced ones.
    ValueError
        Results of other shapes than thresholds and names, names beside a mapping, or
        thresholds that are not finite.

    See Also
    --------
    sigarray.performance_profile : the profile and its band.
    dominance : two models, quantile by quantile.

    Examples
    --------
    >>> import numpy as np
    >>> from sigarray import performance_profile, plot
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.normal([[[0.9]], [[0.5]]], 0.3, (2, 5, 26))  # 5 runs on 26 tasks
    >>> tau = np.linspace(0.0, 1.5, 31)
    >>> result = performance_profile(scores, tau, axis=1, strata=2, rng=0)
    >>> ax = plot.profiles(result, tau, names=["large", "small"])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['large', 'small', 'band: all thresholds']
    """
    given = check_axes(ax)
    is_higher_better = flag("higher_is_better", higher_is_better)
    at = _read_thresholds(thresholds)
    models = _read_profiles(results, names, len(at))
    few = len(at) < _FEW_THRESHOLDS
    options: Any = {"is_higher_better": is_higher_better, "are_marks": few}
    return draw_profiles(models, at, **options, ax=given)


@draws
def draw_profiles(
    models: Mapping[Hashable, tuple[np.ndarray, np.ndarray, np.ndarray]],
    at: np.ndarray,
    lines: tuple[np.ndarray, Mapping[Hashable, np.ndarray]] | None = None,
    *,
    is_higher_better: bool,
    are_marks: bool = True,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw (share, low, high) of models, and lines: shares at other thresholds.

    Bands are of marks, or else of steps, if thresholds are all at which shares change.
    """
    order = np.argsort(at, kind="stable")
    every = sorted(models, key=lambda name: -models[name][0].mean())
    drawn = every[:MOST_CURVES]
    axes: Axes = ax or make_figure(_HEIGHT).subplots()
    side = "above" if is_higher_better else "below"
    tidy(axes, x="threshold", y=f"share of scores {side} it")
    # A score itself is not above it, and not below it.
    step: Literal["pre", "post"] = "post" if is_higher_better else "pre"
    keys: dict[str, Any] = {}
    n_bands = len(drawn) if len(drawn) <= _MOST_BANDS else _SOME_BANDS
    span = float(np.ptp(at if lines is None else lines[0])) or 1.0
    gaps = np.diff(at[order])
    beside = min([_BESIDE * span, *(0.5 / len(drawn) * gaps[gaps > 0.0])])
    for k, (name, shown) in enumerate(zip(drawn, show_names(drawn), strict=True)):
        share, *limits = (x[order] for x in models[name])
        if not are_marks:
            some = limits if k < n_bands else None
            keys[shown] = draw_curve(axes, k, at[order], share, some, step)
            continue
        x = at[order] + beside * (k - 0.5 * (len(drawn) - 1))
        look = {**_BARS, "color": look_of(k).color, "marker": look_of(k).marker}
        errors = share - limits[0], limits[1] - share
        marks = keys[shown] = axes.errorbar(x, share, errors, **look)
        if lines is not None:
            style = {"drawstyle": f"steps-{step}", "marker": ""}
            keys[shown] = draw_line(axes, k, lines[0], lines[1][name], **style), marks
    where = "bar: band at these thresholds" if are_marks else "band: all thresholds"
    which = f", of the first {n_bands}" * (not are_marks and n_bands < len(drawn))
    keys[f"{where}{which}"] = make_band_key(is_bar=are_marks)
    axes.set_ylim(-0.02, 1.02)
    thin_ticks(axes)
    explain(axes, list(keys.values()), list(keys), n_columns=2)
    say_left_out(axes, len(every) - len(drawn), which=" with smaller shares")
    return axes


def _read_thresholds(thresholds: Any) -> np.ndarray:
    at = copy_array(thresholds)
    if at.ndim != 1 or not at.size or not np.all(np.isfinite(at)):
        msg = (
            "Expected thresholds of shape (T,), finite numbers; got "
            f"{describe(thresholds)}. Pass those of performance_profile."
        )
        raise ValueError(msg)
    return at


def _read_profiles(
    results: Any, names: Any, n: int
) -> dict[Hashable, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Return (share, low, high), each (T,), of each model by its name."""
    if isinstance(results, Mapping):
        check_alone(results, names)
        if not results:
            msg = "Expected the profiles of one or more models; got none."
            raise ValueError(msg)
        return {name: _read(x, f"of {name}", (n,)) for name, x in results.items()}
    share, low, high = _read(results, "of K models", (None, n))
    chosen = choose_names(names, len(share))
    rows = zip(share, low, high, strict=True)
    return dict(zip(chosen, rows, strict=True))


def _read(
    result: Any, what: str, shape: tuple[int | None, ...]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    if not isinstance(result, ProportionResult):
        msg = (
            f"Expected a result {what} of performance_profile; got {describe(result)}."
        )
        raise TypeError(msg)
    share, low, high = (
        copy_array(x) for x in (result.statistic, *result.confidence_interval)
    )
    expected = "(K, T)" if None in shape else "(T,)"
    is_right = share.ndim == len(shape) and share.shape[-1] == shape[-1]
    if not is_right or not len(share):
        msg = (
            f"Expected a profile {what} of shape {expected} at {shape[-1]} thresholds; "
            f"got shape {share.shape}."
        )
        raise ValueError(msg)
    return share, low, high
