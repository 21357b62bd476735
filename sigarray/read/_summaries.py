"""Means, deviations and extremes by their names, which are no runs or models."""

import re
import shlex
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import numpy as np

from sigarray._backend.given import looks_like_index
from sigarray.read._cells import is_blank, looks_like_score
from sigarray.read._codes import distinct
from sigarray.read._frame import Frame, Names, Roles, shorten
from sigarray.read._records import Records
from sigarray.read._roles import find_roles, is_long
from sigarray.read._score_table import Choice
from sigarray.read._text import TableError
from sigarray.read._words import (
    BESIDE_STATISTICS,
    METRICS,
    STATISTICS,
    as_words,
    is_summary,
    list_words,
)

# Names of rows in a wide table; in a long table, models or tasks may have them.
_OF_ALL_ROWS = as_words("""
    all macro micro weighted summary aggregate aggregated ci
""")
# Words in names of columns that are computed from those of models.
COMPUTED = (STATISTICS - {"sd"}) | {"diff", "difference", "delta", "gap", "improvement"}
_MAX_SHOWN, _MAX_LINES = 3, 10
# So many names that differ only in a number are ids.
_MANY = 10
# Most of many cells are numbers, which need no closer look.
_DIGITS = re.compile(r"\d+")
_MIN_LABELS = 3
_NAMING = ("model", "task", "metric")


def find_summaries(
    names: Iterable[object], is_one: Callable[[object], bool] = is_summary
) -> set[str]:
    """Return the names of means; those that differ only in digits are tested once.

    Names of one kind with numbers, sum-000 to sum-039, are ids if there are many of
    them, or if most names are of that kind: rows of means are few beside others.
    """
    kinds: dict[str, set[str]] = {}
    n_names = 0
    for x in names:
        if isinstance(x, str):
            same = kinds.setdefault(_DIGITS.sub("0", x), set())
            n_names += x not in same
            same.add(x)
    return {
        x
        for same in kinds.values()
        if not (len(same) > 1 and (len(same) >= _MANY or 2 * len(same) > n_names))
        and is_one(min(same))
        for x in same
    }


def is_computed(name: str, words: Mapping[str, Collection[str]]) -> bool:
    """Tell whether a name is another one and a statistic: "a_std", "a (mean)" of "a".

    `words` has the words of every name, from `list_words`.
    """
    rest = set(words[name]) - COMPUTED - {"sd"}
    return rest != set(words[name]) and any(
        rest == set(words[x]) for x in words if x != name
    )


def find_computed(names: Collection[str]) -> set[str]:
    """Return the names that consist of another one and a statistic."""
    words = {x: list_words(x) for x in names}
    return {x for x in names if is_computed(x, words)}


def refuse_summary_rows(
    frame: Frame, chosen: Roles, ignored: Names, models: Names | None
) -> None:
    """Refuse rows of means beside the averaged rows.

    Their label may be in a column that was left out. In a table with a row for each
    score, models, runs, items and tasks are checked when they are joined.
    """
    if frame.metrics is not None:
        return
    names: set[str] = set()
    is_of_scores = is_long(frame, chosen)
    if is_of_scores:
        roles = {**find_roles(frame, {}), **chosen}
        names = {roles[role] for role in _NAMING if role in roles}
        names |= {roles[x] for x in ("run", "item") if x in roles} - {*ignored}
    for column, cells in frame.columns.items():
        if column in names or isinstance(cells, np.ndarray):
            continue
        rows = _find_texts(cells, is_summary)
        if not is_of_scores and not rows:
            rows = _find_texts(cells, _is_of_all_rows)
        if 0 < len(rows) < len(cells):
            known = [str(x).strip() for x in distinct(cells) if not is_blank(x)]
            # Of checkpoints, the best one may be chosen; a mean may not.
            some = [x for x in known if x.lower() == "best" or not is_summary(x)]
            ways = [f"--where {shlex.quote(f'{column}={x}')}" for x in some]
            take = f"take some with {' or '.join(ways)}; or " * (
                len(ways) <= _MAX_SHOWN
            )
            msg = (
                f"{frame.place(column, rows[0])}: expected a row of scores; got "
                f"{str(cells[rows[0]]).strip()!r}, which seems to summarize others: "
                f"{take if ways else ''}remove {_list_lines(frame, rows)}; or, to keep "
                "them, rename it."
            )
            raise TableError(msg)
        if not is_of_scores and column not in (models or ()):
            _refuse_blank_label(frame, column, cells)


def _list_lines(frame: Frame, rows: Sequence[int]) -> str:
    """List the places of rows: "lines 7, 13"."""
    lines = [str(frame.lines[k]) for k in rows]
    return f"{frame.line_word}{'s' * (len(lines) > 1)} {shorten(lines, _MAX_LINES)}"


def _find_texts(cells: Sequence[object], is_one: Callable[[object], bool]) -> list[int]:
    """Return the places of texts of some kind; each different text is examined once."""
    texts = find_summaries(distinct(cells), is_one)
    if not texts:
        return []
    return [k for k, x in enumerate(cells) if isinstance(x, str) and x in texts]


def _is_of_all_rows(cell: object) -> bool:
    """Tell whether a label is like "all", "macro F1" or "mean acc", beside others."""
    if not isinstance(cell, str):
        return False
    words = set(re.findall(r"f1|[^\W\d_]+", cell.casefold()))
    known = STATISTICS | _OF_ALL_ROWS
    return not known.isdisjoint(words) and words <= known | BESIDE_STATISTICS | METRICS


def _refuse_blank_label(frame: Frame, column: str, cells: Sequence[object]) -> None:
    """Refuse last rows without a label, if all rows above have different labels."""
    filled = [x for x in cells if not is_blank(x)]
    n = len(filled)
    if n == len(cells) or n < _MIN_LABELS or any(map(is_blank, cells[:n])):
        return
    labels = [str(x).strip() for x in filled]
    are_whole = all(re.fullmatch(r"\d+(\.0)?", x) for x in labels)
    numbers = [float(x) for x in labels] if are_whole else []
    is_text = not any(map(looks_like_score, filled))
    is_label = is_text or not column or looks_like_index(column, numbers)
    if is_label and len(set(labels)) == n:
        msg = (
            f"{frame.place(column, n)}: expected to know of what the row is, as of "
            f"those above; got a blank cell below {labels[-1]!r}, so that it may be of "
            "means or deviations. Remove rows that are no runs; name those that are."
        )
        raise TableError(msg)


def refuse_summaries(records: Records, choice: Choice) -> None:
    """Refuse rows of means beside the averaged rows."""
    options = {"model": "--columns", "task": "--tasks"}
    for role in ("model", "run", "item", "task"):
        if {"model": choice.models, "task": choice.tasks}.get(role) is not None:
            continue
        names = records.list_known(role)
        summaries = find_summaries(names)
        if role == "model":
            summaries |= find_computed(names)
        if summaries and len(names) > 1:
            is_one = records.factors[role].find(summaries)
            first = records[int(np.argmax(is_one))]
            rows = records.rows[is_one & (records.files == records.files[is_one][0])]
            name = getattr(first, role)
            a = "an item" if role == "item" else f"a {role}"
            advice = (
                f"remove {_list_lines(first.frame, rows.tolist())} if they are of a "
                f"mean or the like; to keep them, rename it, such as '{role}-{name}'"
            )
            if role in options:
                advice = (
                    f"choose {role}s with {options[role]}, which keeps those that it "
                    "names"
                )
            msg = (
                f"{first.place}: expected {a}; got {name!r}, which seems "
                f"to summarize others: {advice}."
            )
            raise TableError(msg)
