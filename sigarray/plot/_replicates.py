"""The replicates of a test, and the observed value among them."""

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

from sigarray._backend.callers import Alternative, Array
from sigarray._backend.checks import ALTERNATIVES, choice, describe, half
from sigarray._host import copy_array
from sigarray._plain_text import show_number
from sigarray.plot._inputs import check_finite
from sigarray.plot._style import (
    GREY,
    HATCH,
    INK,
    PALE,
    THICK,
    THIN,
    check_axes,
    draws,
    explain,
    look_of,
    make_figure,
    show_beside,
    thin_ticks,
    tidy,
)
from sigarray.results import AsoResult, BootstrapResult, ResamplingResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Test = Literal["permutation", "bootstrap"]

_MAX_BINS = 40
# Values within this share of the largest are ties, up to rounding.
_ROUNDING = 1e-6


class _Mark(NamedTuple):
    value: float
    label: str
    dashes: Any


class _Sight(NamedTuple):
    """The contents of a picture: replicates, lines, and which replicates count."""

    name: str
    drawn: np.ndarray
    marks: list[_Mark]
    # The start of one of the intervals.
    edge: float
    is_counted: np.ndarray | None = None
    counted_label: str = ""


@draws
def replicates(
    values: Array,
    result: AsoResult | BootstrapResult | ResamplingResult,
    /,
    *,
    test: Test = "permutation",
    alternative: Alternative = "two-sided",
    threshold: float = 0.2,
    ax: Any = None,
) -> "Axes":
    """Draw replicates, and how a test or an interval uses them.

    Parameters
    ----------
    values : array, shape (count,), real
        Replicates from `aso_replicates`, `bootstrap_replicates` or
        `permutation_replicates`, of any library and device. They are copied to the
        host, which waits for the device.
    result : AsoResult, BootstrapResult or ResamplingResult
        The result, with arrays of shape (). Of `aso`, the violation ratio and the bound
        are drawn; of `bootstrap_ci`, the interval; of `permutation_test` and
        `bootstrap_test`, the p-value, with a hatch for the replicates that count.
    test : {"permutation", "bootstrap"}, default: "permutation"
        The test of a ResamplingResult. The replicates of `bootstrap_test` lie around
        the observed difference, and are moved to lie around 0, as in the test.
    alternative : {"two-sided", "greater", "less"}, default: "two-sided"
        The alternative that was passed to the test.
    threshold : float, default: 0.2
        A model is better where its bound eps_min is below this; above 0, at most 0.5.

        Only for a result of `aso`.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default on a new figure, one column of a paper wide.

    Returns
    -------
    matplotlib.axes.Axes
        With the shares of the replicates that lie in each of up to 40 intervals, whose
        ends keep the tail of a p-value apart; `ax.figure.savefig(...)` writes the
        picture.

    Raises
    ------
    ImportError
        No matplotlib.
    TypeError
        A result of another kind, or a traced one.
    ValueError
        Replicates or results of several batch entries, or with NaN, which have no
        verdict; options outside their range.

    Notes
    -----
    A two-sided `permutation_test` returns twice the smaller of both tails, which is
    hatched; a two-sided `bootstrap_test` counts both tails. The bound of `aso` is the
    observed ratio plus a multiple of the replicates' deviation; with 20 scores a side
    or more, their percentile if that is larger; and 0.5 or more if equality is not
    rejected.

    Examples
    --------
    >>> from sigarray import permutation_replicates, permutation_test, plot
    >>> a = [0.91, 0.93, 0.92, 0.95, 0.94, 0.90]
    >>> b = [0.90, 0.92, 0.91, 0.89, 0.93, 0.88]
    >>> values = permutation_replicates(
    ...     a, b, start=0, count=64, paired=True, method="exact"
    ... )
    >>> ax = plot.replicates(values, permutation_test(a, b, paired=True))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['observed: 0.02', 'counted, p = 0.0312, twice its share']
    """
    given = check_axes(ax)
    of_test = choice(*get_args(Test))("test", test)
    side = choice(*ALTERNATIVES)("alternative", alternative)
    limit = half("threshold", threshold)
    drawn, numbers = _read_values(values), _read_result(result)
    if isinstance(result, AsoResult):
        sight = _see_order(drawn, numbers, limit)
    elif isinstance(result, BootstrapResult):
        sight = _see_interval(drawn, numbers)
    else:
        sight = _see_test(drawn, numbers, of_test, side)
    axes: Axes = given or make_figure(2.3).subplots()
    tidy(axes, x=f"{sight.name} of a replicate", y="share of replicates")
    patch = _draw_bars(axes, sight)
    _draw_marks(axes, sight, patch)
    return axes


def _see_order(drawn: np.ndarray, numbers: list[float], limit: float) -> _Sight:
    bound, ratio, *_ = numbers
    verdict = "below" if bound < limit else "not below"
    said = f"bound eps_min: {show_beside(bound, limit)}, {verdict} {limit:g}"
    marks = [
        _Mark(ratio, f"violation ratio: {ratio:.3g}", "-"),
        _Mark(bound, said, (0, (4, 1.5))),
        _Mark(limit, f"threshold: {limit:g}", (0, (1, 1))),
    ]
    return _Sight("violation ratio", drawn, marks, edge=0.0)


def _see_interval(drawn: np.ndarray, numbers: list[float]) -> _Sight:
    observed, low, high, _ = numbers
    limits = f"{show_number(low)} to {show_number(high)}"
    marks = [
        _Mark(observed, f"observed: {show_number(observed)}", "-"),
        _Mark(low, f"interval: {limits}", (0, (4, 1.5))),
        _Mark(high, "", (0, (4, 1.5))),
    ]
    return _Sight("statistic", drawn, marks, edge=observed)


def _see_test(drawn: np.ndarray, numbers: list[float], test: str, side: str) -> _Sight:
    observed, pvalue = numbers
    if test == "bootstrap":
        drawn = drawn - observed
    is_counted, edge = _find_tail(drawn, observed, test, side)
    said = f"counted, p = {pvalue:.3g}"
    if side == "two-sided" and test == "permutation" and pvalue < 1.0:
        said += ", twice its share"
    marks = [_Mark(observed, f"observed: {show_number(observed)}", "-")]
    return _Sight("difference", drawn, marks, edge, is_counted, said)


def _read_values(values: Any) -> np.ndarray:
    drawn = copy_array(values)
    if drawn.ndim != 1 or not drawn.size:
        msg = (
            f"Expected one or more replicates, of shape (count,); got shape "
            f"{drawn.shape}. Pass those of one batch entry."
        )
        raise ValueError(msg)
    check_finite(drawn, "replicates", "Look for NaN among the scores.")
    return drawn


def _read_result(result: Any) -> list[float]:
    if not isinstance(result, (AsoResult, BootstrapResult, ResamplingResult)):
        msg = (
            "Expected a result of aso, bootstrap_ci, bootstrap_test or permutation_test"
            f"; got {describe(result)}."
        )
        raise TypeError(msg)
    fields: list[Any] = []
    for field in result:
        fields += field if isinstance(field, tuple) else (field,)
    arrays = [copy_array(x) for x in fields]
    for x in arrays:
        if x.ndim:
            msg = (
                f"Expected a result of one batch entry, of shape (); got shape "
                f"{x.shape}. Pass one of them."
            )
            raise ValueError(msg)
    if np.isnan(arrays).any():
        msg = (
            "Expected a result with numbers; got NaN: there is no verdict. Look for "
            "NaN among the scores."
        )
        raise ValueError(msg)
    return [float(x) for x in arrays]


def _find_tail(
    drawn: np.ndarray, observed: float, test: str, side: str
) -> tuple[np.ndarray, float]:
    """Tell which replicates count for the p-value, and from which value on."""
    rounding = _ROUNDING * max(np.max(np.abs(drawn)), abs(observed))
    if test == "bootstrap" and side == "two-sided":
        edge = abs(observed) - rounding
        return np.abs(drawn) >= edge, edge
    tails = {
        "greater": (drawn >= observed - rounding, observed - rounding),
        "less": (drawn <= observed + rounding, observed + rounding),
    }
    if side == "two-sided":
        side = min(tails, key=lambda key: np.count_nonzero(tails[key][0]))
    return tails[side]


def _draw_bars(ax: "Axes", sight: _Sight) -> Any:
    from matplotlib.patches import Patch

    drawn, edge = sight.drawn, sight.edge
    is_counted = sight.is_counted
    if is_counted is None:
        is_counted = np.zeros(len(drawn), dtype=bool)
    low, high = float(np.min(drawn)), float(np.max(drawn))
    ends = np.histogram_bin_edges(drawn, "auto" if high > low else 1)
    width = max(float(ends[1] - ends[0]), (high - low) / _MAX_BINS)
    first = np.floor((low - edge) / width)
    last = max(np.ceil((high - edge) / width), first + 1.0)
    ends = edge + width * np.arange(first, last + 1.0)
    base, counted = (
        np.histogram(drawn[chosen], ends)[0] / len(drawn)
        for chosen in (~is_counted, is_counted)
    )
    bar: dict[str, Any] = {"width": width, "align": "edge", "linewidth": THIN}
    plain: dict[str, Any] = {"facecolor": PALE, "edgecolor": GREY}
    marked: dict[str, Any] = {"facecolor": "white", "edgecolor": INK, "hatch": HATCH}
    for heights, bottom, look in ((base, 0.0 * base, plain), (counted, base, marked)):
        is_there = heights > 0.0
        starts = ends[:-1][is_there]
        ax.bar(starts, heights[is_there], bottom=bottom[is_there], **bar, **look)
    return Patch(linewidth=THIN, **marked)


def _draw_marks(ax: "Axes", sight: _Sight, patch: Any) -> None:
    handles, labels = [], []
    values = [mark.value for mark in sight.marks]
    thin_ticks(ax)
    low, high = min(*ax.get_xlim(), *values), max(*ax.get_xlim(), *values)
    margin = 0.02 * (high - low)
    ax.set_xlim(low - margin, high + margin)
    for value, label, dashes in sight.marks:
        color = look_of(0).color if dashes == "-" else INK
        line = ax.axvline(value, color=color, linestyle=dashes, linewidth=THICK)
        handles += [line] if label else []
        labels += [label] if label else []
    if sight.is_counted is not None:
        handles.append(patch)
        labels.append(sight.counted_label)
    explain(ax, handles, labels)
