"""Rows of a file as named columns: which are models, and how messages list them."""

import csv
import io
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from shlex import quote
from typing import Any

import numpy as np

from sigarray._plain_text import suggest
from sigarray.read._cells import is_blank, looks_like_score, looks_like_verdict
from sigarray.read._codes import take
from sigarray.read._text import MISSING, TableError, refuse, say_means
from sigarray.read._words import PEOPLE, TASKS, list_words, names_clusters, rank_metric

MAX_LOOKED_AT = 1000
Names = Sequence[str]
# With a number, a filter of lm-evaluation-harness that samples do not name.
UNNAMED = "filter"
# Role -> the name of its column.
Roles = Mapping[str, str]


class UnknownMetricError(TableError):
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
        super().__init__(f"{self.what} --metric {matches[0]}{_say_unnamed(matches)}.")


@dataclass(frozen=True)
class Frame:
    # What the file was taken for, such as "a long table".
    kind: str
    source: str
    # Name -> cells, as they are in the file: an array of numbers if there is a column
    # for each model.
    columns: Mapping[str, Sequence[Any]]
    # The place of each row, in units of `line_word`.
    lines: Sequence[int]
    line_word: str = "line"
    # Role -> the name of its column, if the kind of file defines it.
    roles: Mapping[str, str] = field(default_factory=dict)
    # Role -> its value in all rows.
    constants: Mapping[str, str] = field(default_factory=dict)
    # Columns that may be the score; by default those of numbers.
    metrics: tuple[str, ...] | None = None
    # What the reader of the file left out.
    notes: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    # What scores of items in several runs stand for, if the kind of file defines it.
    unit: str | None = None
    # Names of several columns each; `columns` holds one of these.
    twice: tuple[str, ...] = ()
    # Metric -> whether higher is better, if the tool states it.
    better: Mapping[str, bool] = field(default_factory=dict)
    # Columns of the configuration of a job of Hydra.
    overrides: tuple[str, ...] = ()
    # Columns from the index of a data frame, which are not models.
    index: tuple[str, ...] = ()
    # Groups that the task of the file belongs to -> how many tasks are in each.
    groups: Mapping[str, int] = field(default_factory=dict)
    # Columns of the keys of nested mappings -> whether they are places in a list.
    levels: Mapping[str, bool] = field(default_factory=dict)
    # Metric -> the filter of lm-evaluation-harness that its scores are of.
    filters: Mapping[str, str] = field(default_factory=dict)
    # The metric of all scores, if their column does not name it.
    metric: str | None = None
    # Others, whose scores were left out.
    other_metrics: tuple[str, ...] = ()
    # The column in which a tracker names each run, which may not be its seed.
    run_name: str | None = None
    # Columns of a file with one for each run -> the run, as in column `run_name`; ""
    # for those that were not read.
    parts: Mapping[str, str] = field(default_factory=dict)
    # Columns that get no role, as `columns`.
    left_out: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    # Those of the columns that stand for several of the file, "repeat,fold".
    together: tuple[str, ...] = ()
    # Metrics by the names that the tool gives them -> those of what their values are.
    renamed: Mapping[str, str] = field(default_factory=dict)
    # Metrics that have no score of each item -> what to do instead.
    no_scores: Mapping[str, str] = field(default_factory=dict)
    # Columns of the runs that were left out, because they have not ended.
    unfinished: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    n_unfinished: int = 0

    @property
    def names_in_file(self) -> list[str]:
        names = [x.split(",") if x in self.together else [x] for x in self.columns]
        return list(dict.fromkeys(x.strip() for several in names for x in several))

    def find(self, column: str) -> Sequence[Any] | None:
        """Return a column, left out or not, or None."""
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

        `factors` are column -> its cell for each name.
        """
        n_rows = len(self.lines)
        rows = [k for k in range(n_rows) for _ in names]
        columns = {x: take(y, rows) for x, y in kept.items()}
        columns |= {x: list(y) * n_rows for x, y in factors.items()}
        columns["score"] = [self.columns[x][k] for k in range(n_rows) for x in names]
        return replace(self, columns=columns, lines=take(self.lines, rows))

    def hide(self, names: Collection[str]) -> "Frame":
        """Put columns aside, so that they get no role."""
        hidden = {x: y for x, y in self.columns.items() if x in names}
        columns = {x: y for x, y in self.columns.items() if x not in names}
        return replace(self, columns=columns, left_out={**self.left_out, **hidden})

    def keep_known(self, chosen: Roles) -> dict[str, str]:
        return {role: x for role, x in chosen.items() if x in self.columns}

    def place_row(self, row: int) -> str:
        return f"{self.source}, {self.line_word} {self.lines[row]}"

    def place(self, column: str, row: int) -> str:
        return f"{self.place_row(row)}, column {column!r}"


def list_names(names: Sequence[str] | Mapping[str, Any], limit: int = 20) -> str:
    return shorten([repr(str(name)) for name in names], limit) or "none"


def lacks_column(
    source: str, name: str, columns: Iterable[str], option: str | None = None
) -> TableError:
    """Return the error for a column that is not there; of "repeat,fold", the first."""
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
    if names:
        refuse(
            f"{source}: expected each column once; got {list_names(names)} twice. "
            "Rename one, or remove it."
        )


def shorten(texts: Sequence[str], limit: int, by: str = ", ") -> str:
    more = [f"and {len(texts) - limit} more"] * (len(texts) > limit)
    return by.join([*texts[:limit], *more])


def is_numeric(cells: Sequence[Any]) -> bool:
    return any(looks_like_score(x) for x in cells[:MAX_LOOKED_AT] if not is_blank(x))


# With more numbers a column is hardly one of runs, and with fewer it may be of scores.
_MAX_RUNS, _MIN_NUMBERED = 50, 8


def choose(names: dict[int, str], columns: Names, name: str) -> dict[int, str]:
    _check_known(names, columns, name)
    if len(set(columns)) < len(columns):
        refuse(f"Expected each of --columns once; got {', '.join(columns)}.")
    return {position: model for position, model in names.items() if model in columns}


def leave_out(names: dict[int, str], ignored: Names, name: str) -> dict[int, str]:
    _check_known(names, [column for column in ignored if column], name)
    return {k: model for k, model in names.items() if model not in ignored}


def _check_known(names: dict[int, str], columns: Names, name: str) -> None:
    for model in columns:
        if model not in names.values():
            raise lacks_column(name, model, names.values())


def check_count(
    names: dict[int, str], min_models: int, max_models: int | None, place: str
) -> None:
    if len(names) < min_models:
        number = "two or more models" if min_models == 2 else "a model"
        refuse(
            f"{place}: expected columns for {number}; got "
            f"{list_names(list(names.values()))}. Columns are separated by commas, "
            "tabs or semicolons; where a file is of one model, pass one for each."
        )
    refuse_many(len(names), max_models, place)


def refuse_many(n_models: int, most: int | None, place: str) -> None:
    if most is not None and n_models > most:
        refuse(
            f"{place}: expected at most {most} models, every two of which are "
            f"compared; got {n_models}. Choose some with --columns."
        )


def list_numbered(scores: Mapping[str, np.ndarray]) -> list[str]:
    """List columns of distinct whole numbers beside scores that are not whole.

    Those of up to 50 may be scores, unless they are apart from all others.
    """
    numbered = [
        name
        for name, x in scores.items()
        if len(x) >= _MIN_NUMBERED and _is_whole(x) and len(np.unique(x)) == len(x)
    ]
    others = [x for name, x in scores.items() if name not in numbered]
    counts = (x for x in others if not np.isin(x, (0.0, 1.0)).all())
    if not others or any(map(_is_whole, counts)):
        return []
    low, high = min(x.min() for x in others), max(x.max() for x in others)
    return [
        name
        for name in numbered
        if len(scores[name]) > _MAX_RUNS
        or scores[name].min() > high
        or scores[name].max() < low
    ]


def _is_whole(x: np.ndarray) -> bool:
    return all(bool(np.all(part == np.round(part))) for part in (x[:100], x))


def refuse_indices(
    indices: dict[int, str],
    reason: str,
    line: int,
    name: str,
    *,
    may_be_items: bool = True,
) -> None:
    if not indices:
        return
    raters = [x for x in indices.values() if list_words(x) & PEOPLE]
    items = [x for x in indices.values() if x not in raters]
    leave = "Leave"
    if raters and items and may_be_items:
        leave = (
            f"Pass --item {quote(items[0])} --run {quote(raters[0])} --unit item, "
            "which averages the rows of an item, where these are its ratings; or leave"
        )
    places = ", ".join(str(position + 1) for position in indices)
    columns = "columns" if len(indices) > 1 else "column"
    first = next(iter(indices.values()))
    of_clusters = ""
    if names_clusters(first):
        of_clusters = f", or where several rows are of one, --cluster {quote(first)}"
    of_items = (
        "; or where it names the items of a test set, by which models are paired, pass "
        f"--item {quote(first)}{of_clusters}"
    )
    refuse(
        f"{name}, line {line}, {columns} {places} ({', '.join(indices.values())}): "
        f"expected scores of a model; got what looks like an index, {reason}. {leave} "
        f"it out with --ignore {quote_names(list(indices.values()))}, or choose the "
        f"models with --columns{of_items * may_be_items}."
    )


def say_choice(metrics: Names) -> str:
    first = f"Choose one, such as --metric {quote(min(metrics, key=rank_metric))}"
    return f"{first}{_say_unnamed(metrics)}"


def _say_unnamed(metrics: Names) -> str:
    if not any(x.endswith(f",{UNNAMED}1") for x in metrics):
        return ""
    return (
        ". The samples do not name their filters, as those of early lm_eval: "
        f"'{UNNAMED}1' has the first one of each document, '{UNNAMED}2' the second. If "
        'they are repeats, give them a key that tells them apart, "repeat": 1 and so '
        "on: these are averaged"
    )


def quote_names(names: Names) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(names)
    return quote(text.getvalue())


def ask_about_unnamed(place: str, first: object) -> TableError:
    is_number = looks_like_score(first)
    others = "numbers runs, --run ''" if is_number else "names the models, --model ''"
    return TableError(
        f"{place}: expected a name; got a blank cell, above {first!r}. Where it names "
        "the items of a test set, by which models are paired, pass --item ''; where it "
        f"{others}; to leave it out, --ignore ''; or choose the models with --columns."
    )


def refuse_texts(
    columns: Mapping[str, Sequence[Any]], place: Callable[[str], str]
) -> None:
    texts = [
        x
        for x, cells in columns.items()
        if not isinstance(cells, np.ndarray) and _is_text(cells)
    ]
    are_verdicts = len(texts) == len(columns) and all(
        looks_like_verdict(y) for x in texts for y in columns[x] if not is_blank(y)
    )
    if not texts or are_verdicts:
        return
    first = texts[0]
    got = f"{place(first)}: expected scores; got {columns[first][0]!r}"
    of_means = say_means(columns[first])
    if of_means:
        refuse(f"{got}.{of_means}")
    quoted = repr(first)
    if list_words(first) & TASKS:
        refuse(
            f"{got}. If the column names tasks, pass --task {quoted}; where it names "
            f"items, by which models are paired, --item {quoted}; or leave it out with "
            f"--ignore {quoted}."
        )
    clusters = f"where several rows are of one of them, --cluster {quoted}; "
    digits = " If that is a score, write it as a number alone."
    refuse(
        f"{got}.{digits * bool(re.search(r'[0-9]', str(columns[first][0])))} Where the "
        f"column names the models, pass --model {quoted}; where it names items, by "
        f"which models are paired, --item {quoted}; "
        f"{clusters if names_clusters(first) else ''}where it names tasks, "
        f"--task {quoted}; where it has answers, write whether each is right, as 1 or "
        f"0; or leave it out with --ignore {quoted}."
    )


def _is_text(cells: Sequence[Any]) -> bool:
    filled = [x for x in cells if not is_blank(x) and str(x).lower() not in MISSING]
    return len(filled) > 1 and not any(map(looks_like_score, filled))
