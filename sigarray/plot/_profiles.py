"""Performance profiles: the share of scores above each threshold."""

from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from sigarray._backend.checks import describe, flag
from sigarray._host import choose_names, copy_array
from sigarray.plot._curves import MOST_CURVES, draw_curve, make_band_key
from sigarray.plot._fonts import draws
from sigarray.plot._style import (
    check_axes,
    explain,
    make_figure,
    say_left_out,
    show_names,
    thin_ticks,
    tidy,
)
from sigarray.results import ProportionResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HEIGHT = 2.6


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
    Bands that overlap are no test: compare the models.

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
        False for losses and error rates: lower scores are better.

        The shares are then of scores below each threshold, as of
        ``performance_profile(-scores, -thresholds)``.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default on a new figure, one column of a paper wide.

    Returns
    -------
    matplotlib.axes.Axes
        `ax.figure.savefig(...)` writes the picture. Of more than 7 models the 7 with
        the largest mean share are drawn, and a line counts the others.

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
    order = np.argsort(at, kind="stable")
    every = sorted(models, key=lambda name: -models[name][0].mean())
    drawn = every[:MOST_CURVES]
    axes: Axes = given or make_figure(_HEIGHT).subplots()
    side = "above" if is_higher_better else "below"
    tidy(axes, x="threshold", y=f"share of scores {side} it")
    keys: dict[str, Any] = {}
    for k, (name, shown) in enumerate(zip(drawn, show_names(drawn), strict=True)):
        curve = [x[order] for x in models[name]]
        keys[shown] = draw_curve(axes, k, at[order], curve[0], curve[1:])
    keys["band: all thresholds"] = make_band_key()
    axes.set_ylim(-0.02, 1.02)
    thin_ticks(axes)
    explain(axes, list(keys.values()), list(keys), n_columns=2)
    say_left_out(axes, len(every) - len(drawn), which=" with smaller shares")
    return axes


def _read_thresholds(thresholds: Any) -> np.ndarray:
    """Return the thresholds on the host."""
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
        if names is not None:
            msg = "Expected names in the mapping alone; got names too. Leave them out."
            raise ValueError(msg)
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
    """Return a share and the limits of its band on the host."""
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
