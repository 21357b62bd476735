"""Differences beside more: a table of items of 0 and 1, or a panel for each task."""

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sigarray._backend.callers import Array
from sigarray._backend.checks import describe
from sigarray._backend.given import align_labels
from sigarray._difference.proportions import proportion_ci
from sigarray._host import choose_names
from sigarray.plot._differences import (
    MOST_IN_PAGE,
    MOST_LETTERS,
    Interval,
    draw_differences,
    draw_key,
    list_marks,
    say_if_differing,
)
from sigarray.plot._inputs import (
    LINE,
    add_foot,
    copy_scores,
    wrap_below,
)
from sigarray.plot._style import (
    BLUE,
    COLUMN,
    GREY,
    INK,
    LARGE,
    ORANGE,
    PAGE,
    PALE,
    PLAIN,
    SMALL,
    THIN,
    check_axes,
    choose_fonts,
    draws,
    explain,
    make_figure,
    measure,
    show_name,
    show_names,
    tidy,
    warn_of_undrawable,
    write,
)
from sigarray.results import BootstrapResult, ProportionResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_HEIGHT, _SHARE_OF_TABLE = 3.5, (2.6, 0.5)
# The side of the square of all items, in cells, and where in a cell its middle is.
_LARGEST, _MIDDLE = 0.58, -0.16
# Inches: a row, and what is around the rows of a panel.
_ROW, _AROUND, _FRAME = 0.17, 0.5, 0.75
# Inches of a letter, and the least width of a panel beside its names.
_LETTER, _LEAST = 0.065, 1.25
# Panels beside each other.
_MOST_COLUMNS = 4


@draws
def contingency(
    a: Array,
    b: Array,
    /,
    *,
    names: tuple[Hashable, Hashable] = ("A", "B"),
    confidence_level: float = 0.95,
    difference: BootstrapResult | ProportionResult | None = None,
    verdict: str | None = None,
    ax: Any = None,
) -> "tuple[Axes, Axes]":
    r"""Draw on how many items both models are right, one alone, or neither.

    Above is the two-by-two table of McNemar's test: rectangles have the area of the
    share of items. Only the two coloured ones, of one model alone, tell which is
    better. Below is the difference of the shares of right items, A minus B, which is
    that of these two, and its interval.

    Parameters
    ----------
    a, b : array, shape (n,), real
        Scores of 0 and 1 of the two models on the same items, in the same order, of any
        library and device. They are copied to the host, which waits for the device.
    names : pair of hashables, default: ("A", "B")
        Names of the two models.
    confidence_level : float, default: 0.95
        Confidence of the interval, in (0, 1): 0.95 for 95 %.
    difference : BootstrapResult or ProportionResult, optional
        The difference and its interval, of shape (), such as one of several that hold
        together. By default that of ``proportion_ci(a, b, paired=True)``.
    verdict : str, optional
        The verdict of a test, as those of `differences`: "A", "B" or "inconclusive". By
        default the mark says whether 0 is in the interval.
    ax : pair of matplotlib.axes.Axes, optional
        Where to draw; by default on a new figure, one column of a paper wide.

    Returns
    -------
    pair of matplotlib.axes.Axes
        The table, and the difference; `axes[0].figure.savefig(...)` writes the picture.

    Raises
    ------
    ImportError
        No matplotlib.
    TypeError
        Scores that are not real numbers, or traced; a difference that no interval of
        sigarray gave.
    ValueError
        Scores other than 0 and 1, or of several batch entries; different numbers of
        them; another verdict; names or axes that are not a pair.

    See Also
    --------
    sigarray.proportion_ci : the interval.
    sigarray.permutation_test : with ``paired=True``, the exact test of McNemar.

    Examples
    --------
    >>> from sigarray import plot
    >>> a = [1, 1, 1, 1, 1, 0, 1, 0]
    >>> b = [1, 1, 0, 0, 1, 1, 0, 0]
    >>> table, _ = plot.contingency(a, b)
    >>> [text.get_text().replace("\n", ": ") for text in table.texts]
    ['both: 3 (38 %)', 'A alone: 3 (38 %)', 'B alone: 1 (12 %)', 'neither: 1 (12 %)']
    """
    axes = check_axes(ax, (2,))
    labels = show_names(choose_names(names, 2), 16)
    pair = align_labels((a, b), axis=-1, n_axes=1, paired=True)
    samples = [copy_scores(x, name) for x, name in zip(pair, labels, strict=True)]
    _check_items(samples, labels)
    if difference is None:
        difference = proportion_ci(
            *samples, paired=True, confidence_level=confidence_level
        )
    if axes is None:
        grid = {"height_ratios": _SHARE_OF_TABLE}
        axes = make_figure(_HEIGHT).subplots(2, gridspec_kw=grid)
    upper, lower = axes
    _draw_table(upper, samples[0] == 1.0, samples[1] == 1.0, labels)
    given = None if verdict is None else [verdict]
    draw_differences(
        {"A - B": difference},
        verdicts=given,
        names=(labels[0], labels[1]),
        ax=lower,
        said="difference of shares, and its interval",
    )
    lower.set_yticks([])
    return upper, lower


def _check_items(samples: list[np.ndarray], labels: list[str]) -> None:
    for x, name in zip(samples, labels, strict=True):
        wrong = x[(x != 0.0) & (x != 1.0)]
        if wrong.size:
            msg = (
                f"Expected scores of 0 and 1 of {name}; got {describe(wrong[0])}: "
                f"{wrong[0]:g}. For other scores there is plot.differences."
            )
            raise ValueError(msg)
    sizes = [len(x) for x in samples]
    if sizes[0] != sizes[1]:
        msg = (
            f"Expected scores of both models on the same items; got {sizes[0]} and "
            f"{sizes[1]}. Leave out the items that one of them lacks."
        )
        raise ValueError(msg)


def _draw_table(ax: "Axes", a: np.ndarray, b: np.ndarray, labels: list[str]) -> None:
    """Draw a rectangle for each cell; rows are of A, columns of B, right ones first."""
    from matplotlib.patches import Rectangle

    first, second = labels
    cells = (
        (0, 0, "both", a & b, GREY),
        (0, 1, f"{first} alone", a & ~b, BLUE),
        (1, 0, f"{second} alone", ~a & b, ORANGE),
        (1, 1, "neither", ~a & ~b, GREY),
    )
    tidy(ax)
    for row, column, said, items, color in cells:
        count, share = int(items.sum()), float(items.mean())
        side = _LARGEST * share**0.5
        corner = (column - 0.5 * side, row + _MIDDLE - 0.5 * side)
        ax.add_patch(
            Rectangle(
                corner, side, side, facecolor=color, edgecolor=INK, linewidth=THIN
            )
        )
        text = f"{said}\n{count:,} ({_show(share)})"
        write(ax, column, row + 0.34, text, ha="center", va="center")
    for edge in (-0.5, 0.5, 1.5):
        line: dict[str, Any] = {"color": PALE, "linewidth": 1.0, "zorder": 0.5}
        ax.axhline(edge, **line)
        ax.axvline(edge, **line)
    shares = [_show(float(x.mean())) for x in (a, b)]
    ax.set(xlim=(-0.52, 1.52), ylim=(1.52, -0.52))
    ax.set_yticks(
        (0, 1), ("right", "wrong"), fontsize=SMALL, rotation=90.0, va="center"
    )
    ax.set_xticks((0, 1), ("right", "wrong"), fontsize=SMALL)
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    ax.set_ylabel(f"{first}: {shares[0]} right", fontsize=LARGE, color=INK, **PLAIN)
    ax.set_xlabel(f"{second}: {shares[1]} right", fontsize=LARGE, color=INK, **PLAIN)
    ax.tick_params(length=0.0)
    ax.spines[:].set_visible(False)


def _show(share: float) -> str:
    percent = 100.0 * share
    return f"{percent:.0f} %" if percent >= 10.0 or not percent else f"{percent:.2g} %"


class Rows(NamedTuple):
    """Differences by label, and the verdict on each, as for `plot.differences`."""

    results: Mapping[Hashable, Interval]
    verdicts: Sequence[str]


def count_letters(n_tasks: int) -> int:
    """Return the letters of labels at the left alone, beside the panels of a line."""
    if n_tasks < 2:
        return MOST_IN_PAGE
    beside = PAGE - min(n_tasks, _MOST_COLUMNS) * _LEAST
    return max(MOST_LETTERS, min(int(beside / _LETTER), MOST_IN_PAGE))


def draw_panels(
    tasks: Mapping[str, Rows],
    *,
    names: tuple[Hashable, Hashable],
    higher_is_better: bool = True,
    limits: Sequence[float] = (),
    said: str = "difference and its interval",
    of_intervals: str = "",
    answer: str = "",
    by: str = "a test",
    has_one_scale: bool = False,
    above: tuple[str, Rows, Sequence[float]] | None = None,
) -> "Figure":
    """Draw the differences on each task in a panel, with a scale of its own or one.

    Rows have names at the left alone where they are the same in all panels. At `limits`
    a difference is that of a margin. What is drawn is `said` below them, and
    `of_intervals` at the foot, with what marks are `by`; the `answer` over all tasks is
    above, and so is a panel of differences over them, with its title and limits.
    """
    labels = [list(rows.results) for rows in tasks.values()]
    is_shared = all(x == labels[0] for x in labels)
    most = MOST_IN_PAGE if is_shared else MOST_LETTERS
    every = labels if above is None else [*labels, above[1].results]
    letters = max(measure(x) for by in every for x in show_names(by, most))
    width = PAGE if len(tasks) > 1 or above is not None else COLUMN
    beside = _LETTER * letters
    n_columns = int((width - beside) / _LEAST)
    if not is_shared:
        n_columns = int(width / (beside + _LEAST))
    n_columns = max(1, min(n_columns, len(tasks), _MOST_COLUMNS))
    n_lines = -(-len(tasks) // n_columns)
    height = _AROUND + _ROW * max(map(len, labels))
    answer = wrap_below(answer, width)
    n_answer = answer.count("\n") + 1 if answer else 0
    heights = [height] * n_lines
    if above is not None:
        heights.insert(0, _AROUND + _ROW * len(above[1].results))
    figure = make_figure(_FRAME + n_answer * LINE / 72.0 + sum(heights), width)
    grid = figure.add_gridspec(len(heights), n_columns, height_ratios=heights)
    first = len(heights) - n_lines
    sides: dict[str, Any] = {"names": names, "higher_is_better": higher_is_better}
    drawn = []
    with warn_of_undrawable():
        if above is not None:
            title, top, of_top = above
            ax = figure.add_subplot(grid[0, :])
            _draw_panel(
                ax, show_name(title, 90), top, limits=of_top, letters=most, **sides
            )
        for k, (task, rows) in enumerate(tasks.items()):
            line, column = divmod(k, n_columns)
            ax = figure.add_subplot(grid[first + line, column])
            _draw_panel(ax, show_name(task), rows, limits=limits, letters=most, **sides)
            ax.locator_params(axis="x", nbins=3)
            drawn.append(ax)
            if is_shared and column:
                ax.set_yticklabels([])
        if has_one_scale:
            ends = np.asarray([ax.get_xlim() for ax in drawn])
            for ax in drawn:
                ax.set_xlim(ends[:, 0].min(), ends[:, 1].max())
        more = list(filter(None, [of_intervals, "dotted: the margin" * bool(limits)]))
        if answer:
            look: dict[str, Any] = {"fontsize": LARGE, "color": INK, **PLAIN}
            # The legend is in the line above it.
            figure.suptitle(f"\n{answer}", x=0.0, ha="left", **look)
        of_rows = [(rows, by) for rows in tasks.values()]
        if above is not None:
            of_rows.append((above[1], "the test over tasks"))
        _explain(figure, of_rows, (said, more), **sides)
        choose_fonts(figure)
    return figure


def _draw_panel(ax: "Axes", title: str, rows: Rows, **options: Any) -> None:
    draw_differences(
        rows.results, verdicts=rows.verdicts, legend=False, ax=ax, **options
    )
    ax.set_xlabel("")
    ax.set_title(title, fontsize=LARGE, color=INK, **PLAIN)


def _explain(
    figure: "Figure",
    tasks: Sequence[tuple[Rows, str]],
    words: tuple[str, list[str]],
    *,
    names: tuple[Hashable, Hashable],
    higher_is_better: bool,
) -> None:
    models = show_names(names)
    found = [x for rows, _ in tasks for x in rows.verdicts]
    shown = list_marks(found, models, higher_is_better=higher_is_better)
    right = models[0 if higher_is_better else 1]
    what, more = words
    foot = [f"right of 0, {right} is ahead", *more]
    for which in dict.fromkeys(by for _, by in tasks):
        of_test = [rows for rows, by in tasks if by == which]
        results = [x.confidence_interval for y in of_test for x in y.results.values()]
        verdicts = [x for y in of_test for x in y.verdicts]
        foot += say_if_differing(results, verdicts, which)
    add_foot(figure, "; ".join(foot), what)
    explain(
        figure,
        list(map(draw_key, shown)),
        list(shown.values()),
        loc="outside upper right",
        ncols=len(shown),
    )
