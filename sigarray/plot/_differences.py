"""Differences and their intervals: a forest plot."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from sigarray._backend.checks import describe, flag, show
from sigarray._host import choose_names, copy_array
from sigarray.plot._inputs import (
    LINE,
    add_lines,
    check_alone,
    find_room,
    name_directions,
    say_below,
    shorten_sides,
    wrap_below,
)
from sigarray.plot._style import (
    BLUE,
    COLUMN,
    GREY,
    INK,
    PAGE,
    PALE,
    THIN,
    check_axes,
    draws,
    explain,
    lift,
    make_figure,
    measure,
    name_rows,
    show_names,
    thin_ticks,
    tidy,
    write,
)
from sigarray.results import BootstrapResult, ProportionResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Interval: TypeAlias = BootstrapResult | ProportionResult

# Inches.
_ROW, _FRAME = 0.2, 1.15
# The gap between the rows of tasks and the overall one.
_GAP = 1.5
# The letters of a label, which may be two models, on one column of a paper, and two.
MOST_LETTERS, MOST_IN_PAGE = 28, 52
_FAULT = "no verdict: NaN"
# The verdicts on a row: of models, A is named first.
_VERDICTS = (
    *("A", "B", "A not worse", "B not worse", "equivalent"),
    *("unequal", "inconclusive"),
)


def differences(
    results: Interval | Mapping[Hashable, Interval],
    /,
    *,
    labels: Iterable[Hashable] | None = None,
    verdicts: Iterable[str] | None = None,
    overall: Interval | None = None,
    names: tuple[Hashable, Hashable] = ("A", "B"),
    higher_is_better: bool = True,
    legend: bool = True,
    ax: Any = None,
) -> "Axes":
    """Draw differences of two models, A minus B, and their intervals: a forest plot.

    With verdicts, a full triangle points to the side of the better model, a half-full
    mark is of models that are unequal though neither is shown to be better, and an
    empty one is of an inconclusive comparison. An empty triangle points to the side of
    a model that is no worse than the other one by some margin, and a diamond is of two
    that are equivalent. A verdict comes from a test, and may
    differ from what the interval says of 0. Without verdicts a full mark has 0 outside
    its interval, and an empty one has 0 in it.

    The confidence level and the statistic are those of the given intervals:
    `bootstrap_ci(a, b)`. Several intervals of 95 % are not all right at once in 95 % of
    cases.

    Parameters
    ----------
    results : BootstrapResult, ProportionResult, or mapping of labels to such results
        The results of T tasks: arrays of shape (T,), or a result of shape () for each
        label. Arrays of any library and device are copied to the host, which waits for
        the device.
    labels : iterable of T hashables, optional
        Names of the tasks of one result; by default their places.
    verdicts : iterable of str, optional
        The verdict of a test on each row, and on `overall`, if there is one, at the
        end: "A" or "B" is better; neither, but "A not worse", "B not worse" or
        "equivalent"; "unequal"; or "inconclusive".
    overall : BootstrapResult or ProportionResult, optional
        The difference over all tasks, of shape (), which stands apart.
    names : pair of hashables, default: ("A", "B")
        Names of the two models.
    higher_is_better : bool, default: True
        False if lower scores are better, as for losses.

        A difference below 0 then speaks for A.
    legend : bool, default: True
        Whether to say above the axes what marks and sides mean.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default on a new figure, one column of a paper wide.

        A new figure is as high as there are tasks.

    Returns
    -------
    matplotlib.axes.Axes
        `ax.figure.savefig(...)` writes the picture. A row with NaN says so in words.

    Raises
    ------
    ImportError
        No matplotlib.
    TypeError
        Anything but results of `bootstrap_ci` or `proportion_ci`, or traced ones.
    ValueError
        Results of other shapes, a different number of labels or verdicts, labels beside
        a mapping, or another verdict than those.

    See Also
    --------
    sigarray.bootstrap_ci : the intervals.

    Examples
    --------
    >>> import numpy as np
    >>> from sigarray import bootstrap_ci, plot
    >>> a = np.random.default_rng(0).normal(size=(2, 30)) + [[2.0], [0.0]]
    >>> b = np.random.default_rng(1).normal(size=(2, 30))
    >>> result = bootstrap_ci(a, b, rng=0)
    >>> ax = plot.differences(result, labels=["easy", "hard"])
    >>> [x.get_markerfacecolor() for x in ax.lines if x.get_label() == "difference"]
    ['#0072B2', 'white']
    >>> ax = plot.differences(result, verdicts=["A", "inconclusive"])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['A is better', 'inconclusive']
    """
    return draw_differences(
        results,
        labels=labels,
        verdicts=verdicts,
        overall=overall,
        names=names,
        higher_is_better=higher_is_better,
        legend=legend,
        ax=ax,
    )


@draws
def draw_differences(
    results: Any,
    *,
    labels: Iterable[Hashable] | None = None,
    verdicts: Iterable[str] | None = None,
    overall: Interval | None = None,
    names: tuple[Hashable, Hashable] = ("A", "B"),
    higher_is_better: bool = True,
    legend: bool = True,
    ax: Any = None,
    letters: int = MOST_LETTERS,
    said: str = "difference and its interval",
    of_intervals: str = "",
    limits: Iterable[float] = (),
    of_overall: str = "overall",
    by: str = "a test",
) -> "Axes":
    """Draw what `differences` does, with so many letters of a label.

    What is drawn is `said` below the axis, and `of_intervals` at the foot of a new
    figure. At `limits` a difference is a margin. What stands apart is `of_overall` in
    the legend, and marks are `by` what is said where they differ from intervals.
    """
    given = check_axes(ax)
    is_higher_better = flag("higher_is_better", higher_is_better)
    sides = choose_names(names, 2)
    rows = _list_rows(results, labels)
    places = list(np.arange(len(rows), dtype=float))
    if overall is not None:
        rows.append(("overall", *_read(overall, "overall", ())))
        places.append(len(rows) - 2 + _GAP)
    given_verdicts = None if verdicts is None else list(verdicts)
    marks = _choose_marks(rows, given_verdicts, is_higher_better=is_higher_better)
    shown = show_names((name for name, *_ in rows), letters)
    is_narrow = max(map(measure, shown)) <= MOST_LETTERS
    width = COLUMN if is_narrow else PAGE
    axes: Axes = (
        given or make_figure(_FRAME + _ROW * (places[-1] + 1), width).subplots()
    )
    tidy(axes, x=said)  # in the look of such a text
    thin_ticks(axes)
    name_rows(axes, shown, places)
    axes.axvline(0.0, color=GREY, linewidth=THIN, linestyle="--", zorder=0.5)
    for place, mark, (_, *numbers) in zip(places, marks, rows, strict=True):
        is_overall = overall is not None and place == places[-1]
        _draw_row(axes, place, mark, *map(float, numbers), is_overall=is_overall)
    room = find_room(axes, max(map(measure, shown)), is_own=given is None)
    if overall is not None:
        edge = places[-1] - 0.5 * _GAP
        axes.axhline(edge, color=PALE, linewidth=THIN, linestyle="-", zorder=0.4)
    axes.set_ylim(places[-1] + 0.6, -0.6)
    # Leave room on both sides of 0, where a model would be better.
    low, high = axes.get_xlim()
    beside = 0.15 * (max(high, 0.0) - min(low, 0.0))
    axes.set_xlim(min(low, -beside), max(high, beside))
    more = list(filter(None, [of_intervals]))
    if marked := list(limits):
        more.append("dotted: the margin")
        draw_limits(axes, marked)
    n_lines = 1
    if flag("legend", legend):
        models = shorten_sides(sides, room)
        right, left = models if is_higher_better else reversed(models)
        n_lines = name_directions(axes, left, right, room)
        keys = {mark: said for mark, said in _OF_INTERVALS.items() if mark in marks}
        if given_verdicts is not None:
            keys = list_marks(given_verdicts, models, higher_is_better=is_higher_better)
            more += say_if_differing(rows, given_verdicts, by)
        drawn = list(map(draw_key, keys))
        if overall is not None:
            drawn.append(draw_key(marks[-1], is_overall=True))
        explain(
            axes,
            drawn,
            [*keys.values(), of_overall][: len(drawn)],
            n_columns=2,
            has_names=True,
            bbox_transform=lift(axes, LINE * n_lines),
        )
    if given is not None:
        axes.set_xlabel(wrap_below("; ".join([said, *more]), room))
        return axes
    add_lines(axes, n_lines - 1)
    say_below(axes, said, "; ".join(more), room)
    return axes


class Mark(NamedTuple):
    """The shape of a mark, and how much of it is full: all, half or nothing."""

    shape: str
    fill: str


_FULL, _EMPTY, _HALF = Mark("o", "full"), Mark("o", "none"), Mark("s", "bottom")
_TO_LEFT, _TO_RIGHT = Mark("<", "full"), Mark(">", "full")
_NOT_LEFT, _NOT_RIGHT = Mark("<", "none"), Mark(">", "none")
_EQUIVALENT = Mark("d", "full")
_OF_INTERVALS = {_FULL: "0 outside the interval", _EMPTY: "0 inside"}


def list_marks(
    verdicts: Iterable[str], names: Sequence[str], *, higher_is_better: bool
) -> dict[Mark, str]:
    """Return what the marks of verdicts mean, in the order of the sides they are on."""
    by_verdict = _mark_verdicts(higher_is_better=higher_is_better)
    found = {by_verdict[x] for x in verdicts}
    said = [f"{name} is better" for name in names]
    said += [f"{name} is not worse" for name in names]
    said += _VERDICTS[-3:]
    every = dict(zip(by_verdict.values(), said, strict=True))
    order = (_TO_LEFT, _TO_RIGHT, _NOT_LEFT, _NOT_RIGHT, _EQUIVALENT, _HALF, _EMPTY)
    return {mark: every[mark] for mark in order if mark in found}


def say_if_differing(
    rows: Iterable[tuple[Any, ...]], verdicts: Iterable[str], by: str
) -> list[str]:
    found = {
        verdict in ("A", "B")
        for (*_, low, high), verdict in zip(rows, verdicts, strict=True)
        if (verdict in ("A", "B")) == (low <= 0.0 <= high) and not np.isnan(low)
    }
    are_better = "some models are called better though 0 is in the interval"
    are_not = "some pairs are undecided though 0 is outside the interval"
    said = " and ".join([are_better] * (True in found) + [are_not] * (False in found))
    return [f"by {by}, {said}"] if said else []


def _mark_verdicts(*, higher_is_better: bool) -> dict[str, Mark]:
    sides, others = [_TO_RIGHT, _TO_LEFT], [_NOT_RIGHT, _NOT_LEFT]
    if not higher_is_better:
        sides, others = sides[::-1], others[::-1]
    marks = (*sides, *others, _EQUIVALENT, _HALF, _EMPTY)
    return dict(zip(_VERDICTS, marks, strict=True))


def draw_key(mark: Mark, *, is_overall: bool = False) -> Any:
    from matplotlib.lines import Line2D

    return Line2D([], [], **_look(mark, is_overall=is_overall))


def _look(mark: Mark, *, is_overall: bool) -> dict[str, Any]:
    is_round, color = mark.shape == "o", INK if is_overall else BLUE
    return {
        "color": color,
        "linewidth": 1.8 if is_overall else 1.0,
        "marker": "D" if is_round and is_overall else mark.shape,
        "fillstyle": "full" if mark.fill == "none" else mark.fill,
        "markersize": 5.5 if is_overall else 4.0 if is_round else 4.5,
        "markeredgecolor": color,
        "markerfacecolor": "white" if mark.fill == "none" else color,
        "markerfacecoloralt": "white",
        "markeredgewidth": 1.0,
    }


def _choose_marks(
    rows: list[tuple[Any, ...]], given: list[str] | None, *, is_higher_better: bool
) -> list[Mark]:
    if given is None:
        return [_FULL if low > 0.0 or high < 0.0 else _EMPTY for *_, low, high in rows]
    wrong = [x for x in given if x not in _VERDICTS]
    if wrong or len(given) != len(rows):
        got = show(wrong[0]) if wrong else f"{len(given)} verdicts"
        msg = (
            f"Expected a verdict on each of {len(rows)} rows, one of "
            f"{', '.join(_VERDICTS)}; got {got}."
        )
        raise ValueError(msg)
    by_verdict = _mark_verdicts(higher_is_better=is_higher_better)
    return [by_verdict[x] for x in given]


def _list_rows(results: Any, labels: Any) -> list[tuple[Any, ...]]:
    if isinstance(results, Mapping):
        check_alone(results, labels, "labels")
        if not results:
            msg = "Expected one or more results; got none."
            raise ValueError(msg)
        return [(name, *_read(x, name, ())) for name, x in results.items()]
    numbers = _read(results, "the tasks", (None,))
    return list(zip(choose_names(labels, len(numbers[0])), *numbers, strict=True))


def _read(result: Any, name: Hashable, shape: tuple[Any, ...]) -> list[np.ndarray]:
    if not isinstance(result, (BootstrapResult, ProportionResult)):
        msg = (
            f"Expected results of bootstrap_ci or proportion_ci for {name}; got "
            f"{describe(result)}."
        )
        raise TypeError(msg)
    arrays = [copy_array(x) for x in (result.statistic, *result.confidence_interval)]
    if arrays[0].ndim != len(shape):
        wanted = "(T,)" if shape else "()"
        msg = (
            f"Expected a result of shape {wanted} for {name}; got shape "
            f"{arrays[0].shape}. Pass one of shape (T,), or a mapping of labels to "
            "results of shape ()."
        )
        raise ValueError(msg)
    return arrays


def _draw_row(
    ax: "Axes",
    place: float,
    mark: Mark,
    middle: float,
    low: float,
    high: float,
    *,
    is_overall: bool,
) -> None:
    if np.isnan((middle, low, high)).any():
        write(ax, 0.0, place, f" {_FAULT}", va="center", color=GREY)
        return
    look = _look(mark, is_overall=is_overall)
    ax.plot(
        (low, high),
        (place, place),
        color=look["color"],
        linewidth=look["linewidth"],
        linestyle="-",
        solid_capstyle="butt",
        label="interval",
    )
    ax.plot(middle, place, label="difference", **(look | {"linestyle": "none"}))


def draw_limits(ax: "Axes", limits: Iterable[float]) -> None:
    for limit in limits:
        ax.axvline(limit, color=GREY, linewidth=THIN, linestyle=":", zorder=0.5)
        low, high = ax.get_xlim()
        room = 0.08 * (max(high, limit) - min(low, limit))
        ax.set_xlim(min(low, limit - room), max(high, limit + room))
