"""Results for several models: verdicts, sentences, tables and figures."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

from sigarray._backend.checks import represent
from sigarray._plain_text import suggest
from sigarray._verdicts.aggregates import Aggregates, PairOfAggregates
from sigarray._verdicts.comparison import Comparison
from sigarray._verdicts.decisions import Decision
from sigarray._verdicts.over_tasks import OverTasks, PairOverTasks, order_over_tasks
from sigarray._verdicts.page import Origin, save_pictures, write_page
from sigarray._verdicts.picture_differences import draw_differences
from sigarray._verdicts.picture_over_tasks import draw_values
from sigarray._verdicts.pictures import (
    Picture,
    draw_contingency,
    draw_critical_differences,
    draw_curves,
    draw_means,
    draw_over_tasks,
    draw_scores,
)
from sigarray._verdicts.records import fill_numbers
from sigarray._verdicts.test import Decisions, Results, Test
from sigarray.read._frame import list_names
from sigarray.read._score_table import ScoreTable
from sigarray.report._layout import Report, Table, neutralise
from sigarray.report._rendering import draw_fragment, render, write_file
from sigarray.report._tables import make_frame

Pair = TypeVar("Pair", bound=Decision | PairOverTasks | PairOfAggregates)


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

    That includes the notes, at the end. Warnings were given by the call itself.

    Attributes
    ----------
    table : ScoreTable
        The scores that were compared.
    verdicts : tuple of Verdict
        For every two models of every task, or each with the baseline: `task`,
        `model_a`, `model_b`, and `better`, the name of one of them or None.
    records : list of dict
        The numbers of each pair, as columns of `to_frame`; the last ones are over "all
        tasks", where there are several.
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
    over_these_tasks : Aggregates or None
        With `statistic`, or by the mean where tasks are too few for a verdict on
        others, the comparison over these tasks: `values`, `intervals` and
        `ranks` (`rank`, `low`, `high`, which follow from the verdicts) by model, and
        `pairs`, with `a`, `b`, `difference`, `interval`, `pvalue`,
        `adjusted_pvalue` and `better`.
    signature : str
        A line with which `sigarray compare --verify` tells others whether they have the
        same scores and numbers.
    notes : tuple of str
        What was decided while reading, and what took long.
    warnings : tuple of str
        What makes the verdicts doubtful.
    """

    table: ScoreTable
    test: Test
    compared: Mapping[str, Comparison]
    results: Results
    decisions: Decisions
    over_tasks: OverTasks | None
    content: Report
    fields: Mapping[str, str] | None
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    over_these_tasks: Aggregates | None = None

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
        return [dict(record) for record in self.content.records]

    @property
    def sentences(self) -> list[str]:
        """The verdicts in words."""
        return list(self.content.sentences)

    @property
    def tables(self) -> list[Table]:
        """The tables for readers."""
        return list(self.content.tables)

    @property
    def method(self) -> str:
        """How the results were computed."""
        return self.content.method

    @property
    def signature(self) -> str | None:
        """The line with which others verify the results."""
        return self.content.signature

    def better(self, model: Any, other: Any, task: str | None = None) -> bool:
        """Tell whether one model is shown to be better than another one.

        Parameters
        ----------
        model, other : str
            Their names, as in `verdicts`.
        task : str, optional
            The task; if there are several, by default over all of them. With
            `statistic`, and of few tasks, the default is the verdict in
            `over_these_tasks`, or of one task by its median or interquartile mean.

        Raises
        ------
        KeyError
            Two models that were not compared, as two others than a baseline, which the
            message lists; no such task; or none where there are too few tasks for a
            verdict over all of them.
        """
        tasks = list(self.decisions)
        these, over = self.over_these_tasks, self.over_tasks
        if task is None and these is None and len(tasks) == 1:
            task = tasks[0]
        pairs: Sequence[Decision | PairOverTasks | PairOfAggregates]
        if task is None and these is not None:
            pairs = these.pairs
        elif task in self.decisions:
            pairs = self.decisions[task]
        elif task is None and over is not None and over.can_decide:
            pairs = over.pairs
        else:
            msg = self._say_unknown(task)
            if task is None and over is not None:
                msg += " A verdict over tasks like these takes "
                msg += f"{over.needed_tasks} of them."
            raise KeyError(msg)
        return self._find_pair(pairs, str(model), str(other)).better == str(model)

    def not_worse(self, model: Any, other: Any, task: str | None = None) -> bool:
        """Tell whether a model is shown to be no worse than another by the margin.

        Parameters
        ----------
        model, other : str
            Their names, as in `verdicts`.
        task : str, optional
            The task; if there are several, by default each of them. Where there is
            `over_these_tasks`, the default is the verdict in it, as in `better`.

        Raises
        ------
        ValueError
            A comparison without a margin.
        KeyError
            No such task, or two models for which this was not asked, as whether a
            baseline is no worse.
        """
        if next(iter(self.compared.values())).margin is None:
            msg = "Expected a comparison with a margin; got one without margin=."
            raise ValueError(msg)
        if task is not None and task not in self.decisions:
            raise KeyError(self._say_unknown(task))
        a, b = str(model), str(other)
        found: list[Decision | PairOfAggregates] = [
            self._find_pair(pairs, a, b)
            for name, pairs in self.decisions.items()
            if task in (None, name)
        ]
        if task is None and self.over_these_tasks is not None:
            found = [self._find_pair(self.over_these_tasks.pairs, a, b)]
        if any(a not in [y.model for y in x.margins] for x in found):
            msg = (
                f"Expected a model that may be no worse than the baseline; got {a!r} "
                f"and {b!r}. Compare without baseline=."
            )
            raise KeyError(msg)
        return all(a in x.not_worse for x in found)

    def _say_unknown(self, task: str | None) -> str:
        tasks = list(self.decisions)
        got = f"{represent(task)}.{suggest(str(task), tasks)}"
        return f"Expected task to be one of {list_names(tasks)}; got {got}"

    def _find_pair(self, pairs: Sequence[Pair], a: str, b: str) -> Pair:
        for x in pairs:
            if {x.a, x.b} == {a, b}:
                return x
        known = list(dict.fromkeys(name for x in pairs for name in (x.a, x.b)))
        meant = next((x for x in (suggest(a, known), suggest(b, known)) if x), "")
        baseline = next(iter(self.compared.values())).baseline
        by = "" if baseline is None else f", each with the baseline {baseline!r}"
        others = list_names([name for name in known if name != baseline])
        msg = (
            f"Expected two models that were compared; got {a!r} and {b!r}.{meant} "
            f"Those compared: {others}{by}."
        )
        raise KeyError(msg)

    def to_frame(self, *, backend: str = "pandas") -> Any:
        """Make a data frame: a row for each pair of a task, and over all of them.

        Parameters
        ----------
        backend : str, default: "pandas"
            The library of the frame, as narwhals calls it.

        Raises
        ------
        ImportError
            narwhals or that library is not installed.
        """
        return make_frame(list(map(fill_numbers, self.content.records)), backend)

    def to_markdown(self) -> str:
        """Write tables and sentences as Markdown."""
        return render(self._with_doubts(), "markdown")

    def to_latex(self) -> str:
        """Write tables and sentences as LaTeX, with booktabs."""
        return render(self._with_doubts(), "latex")

    def to_json(self) -> str:
        """Write everything as JSON."""
        return render(self._with_doubts(), "json")

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Draw what decides: the figure of `sigarray compare --plot`.

        Parameters
        ----------
        path : path, optional
            A file to write as well, as `--plot` does: .png, .svg, .eps, .jpg, or .pdf,
            which has the other figures too.

        Returns
        -------
        matplotlib.figure.Figure
            Which a notebook shows, and `savefig` writes to a file.

        Raises
        ------
        ImportError
            matplotlib is not installed.
        ValueError
            Another ending, or a file that cannot be written.
        """
        pictures = self.list_pictures()
        if path is not None:
            save_pictures(pictures, os.fspath(path))
        return pictures[0].figure

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write the page of `sigarray compare --report`: one file of HTML.

        It has the answer, tables, pictures, doubts, the method with its references, the
        scores to unfold, and how to repeat it. It needs no network and runs no script.

        Parameters
        ----------
        path : path
            The file to write, which ends in .html.

        Raises
        ------
        ImportError
            matplotlib is not installed.
        ValueError
            Another ending, or a file that cannot be written.
        """
        target = os.fspath(path)
        if not target.lower().endswith((".html", ".htm")):
            msg = f"Expected path to end in .html; got {target}."
            raise ValueError(msg)
        origin = Origin(None, self.notes, self.warnings)
        page = write_page(self.content, self.list_pictures(), self.table, origin)
        write_file(target, page.encode())

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
        from sigarray.plot._style import warn_of_undrawable

        with warn_of_undrawable():
            compared, decisions = self.compared, self.decisions
            drawn = draw_contingency(compared, decisions)
            these = self.over_these_tasks
            over = self.over_tasks if these is None else None
            drawn = drawn or draw_differences(compared, decisions, over, these)
            # Panels of differences on several tasks say who is not told apart, too.
            of_few = {} if drawn and len(compared) > 1 else compared
            order = order_over_tasks(compared, self.over_tasks)
            order = order if these is None else these.order.names
            return [
                *drawn,
                *draw_values(these),
                *draw_means(compared, order),
                *draw_over_tasks(self.over_tasks),
                *draw_critical_differences(of_few, decisions, self.test.find_lack),
                *self.test.draw(compared, self.results),
                *draw_scores(compared),
                *draw_curves(self.table, compared),
            ]

    def _with_doubts(self) -> Report:
        return replace(self.content, doubts=self.warnings)

    def _with_notes(self) -> Report:
        notes = [x for x in self.notes if x not in self.content.said]
        return replace(self._with_doubts(), notes=notes)

    def __str__(self) -> str:
        return render(self._with_notes(), "text").rstrip("\n")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return draw_fragment(neutralise(self._with_notes()))

    def _repr_markdown_(self) -> str:
        return render(self._with_notes(), "markdown")
