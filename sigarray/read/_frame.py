"""Rows of a file as named columns, and the roles of these."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from sigarray._backend.index_columns import looks_like_index
from sigarray._plain_text import squeeze, suggest
from sigarray.read._bytes import TableError
from sigarray.read._cells import is_blank, looks_like_score, looks_like_verdict
from sigarray.read._codes import distinct, take
from sigarray.read._document_names import take_documents
from sigarray.read._no_numbers import advise_numbers
from sigarray.read._several_columns import advise_all
from sigarray.read._step_names import find_step_column
from sigarray.read._words import HYPERPARAMETERS

# Names of columns without case, spaces and punctuation, the most specific first.
_USUAL = {
    "model": """model modelname modelid system systemname method methodname algorithm
        algo agent classifier approach architecture""",
    "item": """item itemid docid doc exampleid example sampleid instanceid questionid
        qid queryid promptid segmentid segid sentenceid sentid itemidx idx question
        prompt instance uid id""",
    "run": """run runid seed randomseed rngseed dataseed trial trialid repetition
        replicate repeat rep runname randomstate""",
    "task": "task taskname dataset datasetname benchmark game env environment corpus",
    "cluster": "cluster clusterid passageid documentid",
    "metric": "metric metricname measure",
    "score": "score scores value metricvalue",
    "step": "step globalstep trainingstep iteration epoch",
}
# The most cells that are examined to tell whether a column holds numbers.
_MAX_LOOKED_AT = 1000


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
        """Return some of the rows."""
        return replace(
            self,
            columns={x: take(y, rows) for x, y in self.columns.items()},
            left_out={x: take(y, rows) for x, y in self.left_out.items()},
            lines=take(self.lines, rows.tolist()),
        )

    def place(self, column: str, row: int) -> str:
        """Return words for the place of a cell."""
        return f"{self.source}, {self.line_word} {self.lines[row]}, column {column!r}"


def find_roles(frame: Frame, chosen: Mapping[str, str]) -> dict[str, str]:
    """Return role -> column: as chosen, by the kind of file, or by usual names."""
    # A column that is chosen for one role has no other by the kind of file.
    said = {*chosen.values()}
    roles = {role: x for role, x in frame.roles.items() if x not in said}
    for role, name in chosen.items():
        if name not in frame.columns:
            raise lacks_column(frame.source, name, frame.names_in_file, role)
        roles[role] = name
    taken = {*roles.values(), *(frame.metrics or ())}
    names = {name: squeeze(name) for name in frame.columns if name not in taken}
    has_ended = frame.kind.startswith("runs of ")  # at the step of their rows
    for role, usual in _USUAL.items():
        if role == "step" and has_ended:
            continue
        if role not in roles and role not in frame.constants:
            column = _find_usual(usual.split(), names)
            if column is not None:
                roles[role] = column
                del names[column]
    if not frame.roles:
        roles = take_documents(frame.columns, roles, names, chosen)
    if "step" not in {*roles, *frame.constants} and not has_ended:
        column = find_step_column(frame.columns, roles, names)
        roles |= {} if column is None else {"step": column}
    return roles


def is_long(frame: Frame, chosen: Mapping[str, str]) -> bool:
    """Tell whether a table has a row for each score, not a column for each model."""
    if "model" in chosen or "score" in chosen or frame.metrics is not None:
        return True
    column = find_roles(frame, {}).get("model")
    if column is None:
        return False
    cells = filter(_is_filled, frame.columns[column])
    return not looks_like_score(next(cells, "0"))


def find_score(frame: Frame, roles: Mapping[str, str], metric: str | None) -> str:
    """Return the column of scores: the only one, or the chosen one."""
    names = list_metrics(frame, roles)
    if metric is not None and frame.metric is not None:
        match_metric(frame, metric, [frame.metric])
        metric = None
    if metric is not None and "metric" not in roles:
        known = names or [roles[x] for x in ("score",) if x in roles]
        return match_metric(frame, metric, known, [*frame.columns])
    if "score" in roles:
        return roles["score"]
    names = names or _list_verdicts(frame, roles)
    if len(names) == 1:
        return names[0]
    if not names:
        of_words = advise_numbers(frame.columns, roles.values())
        advice = next(iter(frame.no_scores.values()), of_words)
        msg = (
            f"{frame.source}, read as {frame.kind}: expected a column of scores; got "
            f"{list_names(frame.columns)}. Name it with --score."
        )
        raise TableError(msg if advice is None else f"{frame.source}: {advice}")
    msg = (
        f"{frame.source}, read as {frame.kind}: expected one column of scores; got "
        f"{list_names(names)}. Choose one with --metric NAME"
    )
    # Several columns for items, or on tasks, are metrics of these.
    if not {"item", "task"} & {*roles, *frame.constants}:
        msg += advise_all(names)
    msg += "."
    raise TableError(msg)


def match_metric(
    frame: Frame, metric: str, names: Sequence[str], others: Sequence[str] = ()
) -> str:
    """Return the one of some names that stands for a metric.

    "acc" may be "eval/acc" or "acc,none"; other names have to be the same.
    """
    if metric in (*names, *others):
        return metric
    of_tool, comma, rule = metric.partition(",")
    if of_tool in frame.no_scores:
        msg = f"{frame.source}: {frame.no_scores[of_tool]}"
        raise TableError(msg)
    if of_tool in frame.renamed:
        return match_metric(frame, f"{frame.renamed[of_tool]}{comma}{rule}", names)
    # Samples of one filter, which results name.
    for name, rule in frame.filters.items():
        if metric == f"{name},{rule}":
            return name
    ends = {name: re.split(r"[,/.:]", name, maxsplit=1)[-1] for name in names}
    endings = [name for name, end in ends.items() if end == metric]
    starts = [name for name in names if name.split(",")[0] == metric]
    for matches in (endings, starts):
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise SeveralMetricsError(frame.source, metric, matches)
    msg = (
        f"{frame.source} has no metric {metric!r}.{suggest(metric, names)} Those in "
        f"it: {list_names(names)}."
    )
    raise UnknownMetricError(msg, frame, names)


def names_runs(name: str) -> bool:
    """Tell by its name whether a column has runs, as "seed" does."""
    return squeeze(name) in _USUAL["run"].split()


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


def shorten(texts: Sequence[str], limit: int, by: str = ", ") -> str:
    """Join texts, if there are many the first."""
    more = [f"and {len(texts) - limit} more"] * (len(texts) > limit)
    return by.join([*texts[:limit], *more])


def list_metrics(frame: Frame, roles: Mapping[str, str]) -> list[str]:
    """Return the columns that may be the score."""
    if frame.metrics is not None:
        return list(frame.metrics)
    return leave_out_settings(
        name
        for name, cells in frame.columns.items()
        if name not in ("", *frame.index, *roles.values())
        and not looks_like_index(name, ())
        and not name.startswith("_")
        and is_numeric(cells)
    )


def leave_out_settings(names: Iterable[str]) -> list[str]:
    """Leave out names of hyperparameters, such as "lr", unless there are no others."""
    every = list(names)
    ends = {x: squeeze(re.split(r"[./]", x)[-1]) for x in every}
    return [x for x in every if ends[x] not in HYPERPARAMETERS] or every


def _list_verdicts(frame: Frame, roles: Mapping[str, str]) -> list[str]:
    """Return the columns of pass and fail, correct and incorrect and the like."""
    return [
        name
        for name, cells in frame.columns.items()
        if name not in roles.values()
        and any(not is_blank(x) for x in cells[:_MAX_LOOKED_AT])
        and all(map(looks_like_verdict, filter(_is_filled, distinct(cells))))
    ]


def _is_filled(cell: object) -> bool:
    return not is_blank(cell)


def is_numeric(cells: Sequence[Any]) -> bool:
    """Tell whether a column may be of scores, by its first cells."""
    return any(looks_like_score(x) for x in cells[:_MAX_LOOKED_AT] if not is_blank(x))


def _find_usual(usual: list[str], names: Mapping[str, str]) -> str | None:
    for word in usual:
        matches = [x for x, squeezed in names.items() if squeezed == word]
        if len(matches) == 1:
            return matches[0]
    return None
