"""Differences on several tasks: a panel for each, with one meaning of marks."""

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from sigarray.plot._differences import (
    BY_A_TEST,
    MOST_IN_PAGE,
    MOST_LETTERS,
    Interval,
    differ_from_intervals,
    draw_differences,
    draw_key,
    list_marks,
)
from sigarray.plot._sides import wrap_below
from sigarray.plot._style import (
    COLUMN,
    INK,
    LARGE,
    PAGE,
    PLAIN,
    choose_fonts,
    explain,
    make_figure,
    measure,
    show_name,
    show_names,
    warn_of_undrawable,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Inches: a row, and what is around the rows of a panel.
_ROW, _AROUND, _FRAME = 0.17, 0.5, 0.75
# Inches of a letter, and the least width of a panel beside its names.
_LETTER, _LEAST = 0.065, 1.25
# Panels beside each other.
_MOST_COLUMNS = 4


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
) -> "Figure":
    """Draw the differences on each task in a panel with a scale of its own.

    Rows have names at the left alone where they are the same in all panels. At `limits`
    a difference is that of a margin. What is drawn is `said` below them.
    """
    labels = [list(rows.results) for rows in tasks.values()]
    is_shared = all(x == labels[0] for x in labels)
    most = MOST_IN_PAGE if is_shared else MOST_LETTERS
    letters = max(measure(x) for by in labels for x in show_names(by, most))
    width = PAGE if len(tasks) > 1 else COLUMN
    beside = _LETTER * letters
    n_columns = int((width - beside) / _LEAST)
    if not is_shared:
        n_columns = int(width / (beside + _LEAST))
    n_columns = max(1, min(n_columns, len(tasks), _MOST_COLUMNS))
    n_lines = -(-len(tasks) // n_columns)
    height = _AROUND + _ROW * max(map(len, labels))
    figure = make_figure(_FRAME + n_lines * height, width)
    grid = figure.subplots(n_lines, n_columns, squeeze=False)
    with warn_of_undrawable():
        for k, (ax, (task, rows)) in enumerate(
            zip(grid.flat, tasks.items(), strict=False)
        ):
            draw_differences(
                rows.results,
                verdicts=rows.verdicts,
                names=names,
                higher_is_better=higher_is_better,
                legend=False,
                ax=ax,
                letters=most,
                limits=limits,
            )
            ax.set_xlabel("")
            ax.set_title(show_name(task), fontsize=LARGE, color=INK, **PLAIN)
            ax.locator_params(axis="x", nbins=3)
            if is_shared and k % n_columns:
                ax.set_yticklabels([])
        for ax in list(grid.flat)[len(tasks) :]:
            ax.remove()
        more = "; dotted: the margin" if limits else ""
        _explain(figure, tasks, names, said, more, higher_is_better=higher_is_better)
        choose_fonts(figure)
    return figure


def _explain(
    figure: "Figure",
    tasks: Mapping[str, Rows],
    names: tuple[Hashable, Hashable],
    what: str,
    more: str,
    *,
    higher_is_better: bool,
) -> None:
    found = [x for rows in tasks.values() for x in rows.verdicts]
    models = show_names(names)
    shown = list_marks(found, models, higher_is_better=higher_is_better)
    look: dict[str, Any] = {"fontsize": LARGE, "color": INK, **PLAIN}
    right = models[0 if higher_is_better else 1]
    said = f"{what}; right of 0, {right} is ahead{more}"
    if any(
        differ_from_intervals(
            [(x.statistic, *x.confidence_interval) for x in rows.results.values()],
            rows.verdicts,
        )
        for rows in tasks.values()
    ):
        said += f"; {BY_A_TEST}"
    width = float(figure.get_size_inches()[0])
    figure.supxlabel(wrap_below(said, width), **look)
    explain(
        figure,
        list(map(draw_key, shown)),
        list(shown.values()),
        loc="outside upper right",
        ncols=len(shown),
    )
