"""Rows of a file as named columns, and how these are listed in messages."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from sigarray._plain_text import suggest
from sigarray.read._cells import is_blank, looks_like_score
from sigarray.read._codes import take
from sigarray.read._text import TableError

# The most cells that are examined to tell whether a column holds numbers.
MAX_LOOKED_AT = 1000
Names = Sequence[str]
# Role -> the name of its column.
Roles = Mapping[str, str]


class UnknownMetricError(TableError):
    """A file, of a task or not, that lacks the chosen metric."""

    def __init__(
        self, message: str, frame: "Frame", known: Sequence[str] | None = None
    ) -> None:
        super().__init__(message)
        self.task = frame.constants.get("subtask", frame.constants.get("task"))
        self.known = tuple(known or frame.metrics or ())
        self.what = frame.source if self.task is None else f"task {self.task!r}"


class SeveralMetricsError(TableError):
    """A name that several metrics of a file begin, or end, with."""

    def __init__(self, source: str, metric: str, matches: Sequence[str]) -> None:
        self.matches = matches
        self.what = (
            f"{source}: expected one metric for --metric {metric}; got "
            f"{list_names(matches)}. Name one of them, such as"
        )
        super().__init__(f"{self.what} --metric {matches[0]}.")


@dataclass(frozen=True)
class Frame:
    """Rows of a file.

    Attributes
    ----------
    kind : str
        What the file was taken for, such as "a long table".
    source : str
        The name of the file.
    columns : mapping of sequences
        Name -> cells, as they are in the file: an array of numbers if there is a column
        for each model.
    lines : sequence of int
        The place of each row, in units of `line_word`.
    roles : mapping
        Role -> the name of its column, if the kind of file defines it.
    constants : mapping
        Role -> its value in all rows.
    metrics : tuple of str, optional
        Columns that may be the score; by default those of numbers.
    notes : tuple of str
        What the reader of the file left out.
    doubts : tuple of str
        What may make its scores wrong.
    unit : {"run", "item", "cluster"}, optional
        What scores of items in several runs stand for, if the kind of file defines it.
    twice : tuple of str
        Names of several columns each; `columns` holds one of these.
    better : mapping
        Metric -> whether higher is better, if the tool states it.
    overrides : tuple of str
        Columns of the configuration of a job of Hydra.
    index : tuple of str
        Columns from the index of a data frame, which are not models.
    groups : mapping of str to int
        Groups that the task of the file belongs to -> how many tasks are in each.
    levels : mapping
        Columns of the keys of nested mappings -> whether they are places in a list.
    filters : mapping
        Metric -> the filter of lm-evaluation-harness that its scores are of.
    metric : str, optional
        The metric of all scores, if their column does not name it.
    other_metrics : tuple of str
        Others, whose scores were left out.
    run_name : str, optional
        The column in which a tracker names each run, which may not be its seed.
    parts : mapping of str to str
        Columns of a file with one for each run -> the run, as in column `run_name`; ""
        for those that were not read.
    left_out : mapping of sequences
        Columns that get no role, as `columns`.
    together : tuple of str
        Those of the columns that stand for several of the file, "repeat,fold".
    renamed : mapping of str to str
        Metrics by the names that the tool gives them -> those of what their values are.
    no_scores : mapping of str to str
        Metrics that have no score of each item -> what to do instead.
    unfinished : mapping of sequences
        Columns of the runs that were left out, because they have not ended.
    n_unfinished : int
        How many these are.
    """

    kind: str
    source: str
    columns: Mapping[str, Sequence[Any]]
    lines: Sequence[int]
    line_word: str = "line"
    roles: Mapping[str, str] = field(default_factory=dict)
    constants: Mapping[str, str] = field(default_factory=dict)
    metrics: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    unit: str | None = None
    twice: tuple[str, ...] = ()
    better: Mapping[str, bool] = field(default_factory=dict)
    overrides: tuple[str, ...] = ()
    index: tuple[str, ...] = ()
    groups: Mapping[str, int] = field(default_factory=dict)
    levels: Mapping[str, bool] = field(default_factory=dict)
    filters: Mapping[str, str] = field(default_factory=dict)
    metric: str | None = None
    other_metrics: tuple[str, ...] = ()
    run_name: str | None = None
    parts: Mapping[str, str] = field(default_factory=dict)
    left_out: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    together: tuple[str, ...] = ()
    renamed: Mapping[str, str] = field(default_factory=dict)
    no_scores: Mapping[str, str] = field(default_factory=dict)
    unfinished: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    n_unfinished: int = 0

    @property
    def names_in_file(self) -> list[str]:
        """The names of columns as the file has them, single ones."""
        names = [x.split(",") if x in self.together else [x] for x in self.columns]
        return list(dict.fromkeys(x.strip() for several in names for x in several))

    def find(self, column: str) -> Sequence[Any] | None:
        """Return a column, though it may be left out, or None for another one."""
        return self.columns.get(column, self.left_out.get(column))

    def take(self, rows: np.ndarray) -> "Frame":
        return replace(
            self,
            columns={x: take(y, rows) for x, y in self.columns.items()},
            left_out={x: take(y, rows) for x, y in self.left_out.items()},
            lines=take(self.lines, rows.tolist()),
        )

    def stack(
        self,
        names: Names,
        factors: Mapping[str, Names],
        kept: Mapping[str, Sequence[Any]],
    ) -> "Frame":
        """Return a row for each score, which columns with these names have.

        `factors` are column -> its cell for each of the names; columns to be `kept`
        repeat their cells.
        """
        n_rows = len(self.lines)
        rows = [k for k in range(n_rows) for _ in names]
        columns = {x: take(y, rows) for x, y in kept.items()}
        columns |= {x: list(y) * n_rows for x, y in factors.items()}
        columns["score"] = [self.columns[x][k] for k in range(n_rows) for x in names]
        return replace(self, columns=columns, lines=take(self.lines, rows))

    def place(self, column: str, row: int) -> str:
        return f"{self.source}, {self.line_word} {self.lines[row]}, column {column!r}"


def list_names(names: Sequence[str] | Mapping[str, Any], limit: int = 20) -> str:
    """List names in quotes, if there are many the first."""
    return shorten([repr(str(name)) for name in names], limit) or "none"


def lacks_column(
    source: str, name: str, columns: Iterable[str], option: str | None = None
) -> TableError:
    """Return the error for a column that is not there, but named by an option.

    Of several with a comma, as in "repeat,fold", that is the first that is not there.
    """
    known = list(columns)
    several = [x.strip() for x in name.split(",")]
    if any(x in known for x in several):
        name = next((x for x in several if x not in known), name)
    by = "" if option is None else f" (--{option})"
    return TableError(
        f"{source} has no column {name!r}{by}.{suggest(name, known)} Its columns are "
        f"{list_names(known)}."
    )


def refuse_twice(source: str, names: Names) -> None:
    """Refuse names of several columns each, if there are any."""
    if names:
        msg = (
            f"{source}: expected each column once; got {list_names(names)} twice. "
            "Rename one, or remove it."
        )
        raise TableError(msg)


def shorten(texts: Sequence[str], limit: int, by: str = ", ") -> str:
    """Join texts, if there are many the first."""
    more = [f"and {len(texts) - limit} more"] * (len(texts) > limit)
    return by.join([*texts[:limit], *more])


def is_numeric(cells: Sequence[Any]) -> bool:
    """Tell whether a column may be of scores, by its first cells."""
    return any(looks_like_score(x) for x in cells[:MAX_LOOKED_AT] if not is_blank(x))
