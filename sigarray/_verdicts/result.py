"""Results for several models: verdicts, sentences, tables and figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sigarray._verdicts.comparison import Comparison
from sigarray._verdicts.decisions import Decision
from sigarray._verdicts.over_tasks import OverTasks, PairOverTasks
from sigarray._verdicts.picture_differences import draw_differences
from sigarray._verdicts.pictures import (
    Picture,
    draw_contingency,
    draw_critical_differences,
    draw_leaderboard,
    draw_over_tasks,
    draw_scores,
)
from sigarray._verdicts.test import Decisions, Results, Test
from sigarray.read._frame import list_names
from sigarray.read._score_table import ScoreTable
from sigarray.report._rendering import Report, Table, render
from sigarray.report._tables import make_frame


class Verdict(NamedTuple):
    """The better of two models on a task, or None if neither is shown to be better.

    The task is "" if tasks have no names.
    """

    task: str
    model_a: str
    model_b: str
    better: str | None


@dataclass(frozen=True, eq=False)
class ModelComparison:
    """Results for several models; printed, it shows what `sigarray compare` does.

    Attributes
    ----------
    table : ScoreTable
        The scores that were compared.
    verdicts : tuple of Verdict
        For every two models of every task, or each with the baseline: `task`,
        `model_a`, `model_b`, and `better`, the name of one of them or None.
    records : list of dict
        The numbers of each pair, as columns of `to_frame`.
    sentences : list of str
        The verdicts in words.
    tables : list of Table
        For readers: `title`, `header` and `rows` of text.
    method : str
        How the results were computed.
    over_tasks : OverTasks or None
        The comparison over all tasks, where there are several: `pairs`, with `a`, `b`,
        `wins`, `ties`, `losses`, `pvalue`, `adjusted_pvalue` and `better`;
        `mean_ranks` and `mean_of_means` by model.
    signature : str
        A line with which `sigarray compare --verify` tells others whether they have the
        same scores and numbers.
    notes : tuple of str
        What was decided while reading, and what took long.
    """

    table: ScoreTable
    test: Test
    compared: Mapping[str, Comparison]
    results: Results
    decisions: Decisions
    over_tasks: OverTasks | None
    report: Report
    fields: Mapping[str, str] | None
    notes: tuple[str, ...] = ()

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """Every two models, and the better one of them."""
        return tuple(
            Verdict(task, x.a, x.b, x.better)
            for task, by in self.decisions.items()
            for x in by
        )

    @property
    def records(self) -> list[dict[str, Any]]:
        """The numbers of each pair."""
        return [dict(record) for record in self.report.records]

    @property
    def sentences(self) -> list[str]:
        """The verdicts in words."""
        return list(self.report.sentences)

    @property
    def tables(self) -> list[Table]:
        """The tables for readers."""
        return list(self.report.tables)

    @property
    def method(self) -> str:
        """How the results were computed."""
        return self.report.method

    @property
    def signature(self) -> str | None:
        """The line with which others verify the results."""
        return self.report.signature

    def better(self, model: Any, other: Any, task: str | None = None) -> bool:
        """Tell whether one model is shown to be better than another one.

        Parameters
        ----------
        model, other : str
            Their names.
        task : str, optional
            The task; if there are several, by default over all of them.

        Raises
        ------
        KeyError
            Two models that were not compared, no such task, or none where there are too
            few tasks for a verdict over all of them.
        """
        tasks = list(self.decisions)
        if task is None and len(tasks) == 1:
            task = tasks[0]
        over = self.over_tasks
        pairs: Sequence[Decision | PairOverTasks]
        if task in self.decisions:
            pairs = self.decisions[task]
        elif task is None and over is not None and over.can_decide:
            pairs = over.pairs
        else:
            msg = f"Expected task to be one of {list_names(tasks)}; got {task!r}."
            if task is None and over is not None:
                msg += f" A verdict over all tasks takes {over.needed_tasks} of them."
            raise KeyError(msg)
        a, b = str(model), str(other)
        for x in pairs:
            if {x.a, x.b} == {a, b}:
                return x.better == a
        msg = f"Expected two models that were compared; got {a!r} and {b!r}."
        raise KeyError(msg)

    def to_frame(self, *, backend: str = "pandas") -> Any:
        """Make a data frame: a row for each pair, with its numbers.

        Parameters
        ----------
        backend : str, default: "pandas"
            The library of the frame, as narwhals calls it.

        Raises
        ------
        ImportError
            narwhals or that library is not installed.
        """
        return make_frame(self.report.records, backend)

    def to_markdown(self) -> str:
        """Write tables and sentences as Markdown."""
        return render(self.report, "markdown")

    def to_latex(self) -> str:
        """Write tables and sentences as LaTeX, with booktabs."""
        return render(self.report, "latex")

    def to_json(self) -> str:
        """Write everything as JSON."""
        return render(self.report, "json")

    def draw(self) -> list[Any]:
        """Draw the figures of `sigarray compare --plot`: first those that decide.

        Raises
        ------
        ImportError
            matplotlib is not installed.
        """
        return [picture.figure for picture in self.list_pictures()]

    def list_pictures(self) -> list[Picture]:
        """Return the figures with the names of what they show."""
        from sigarray.plot._fonts import warn_of_undrawable

        with warn_of_undrawable():
            return self._list_pictures()

    def _list_pictures(self) -> list[Picture]:
        compared, decisions = self.compared, self.decisions
        drawn = draw_contingency(compared, decisions)
        drawn = drawn or draw_differences(compared, decisions, self.over_tasks)
        # Panels of differences on several tasks say who is not told apart, too.
        has_panels = bool(drawn) and len(compared) > 1
        return [
            *drawn,
            *draw_leaderboard(compared),
            *draw_over_tasks(self.over_tasks),
            *([] if has_panels else draw_critical_differences(compared, decisions)),
            *self.test.draw(compared, self.results),
            *draw_scores(compared),
        ]

    def __str__(self) -> str:
        return render(self.report, "text").rstrip("\n")

    __repr__ = __str__

    def _repr_markdown_(self) -> str:
        return self.to_markdown()
