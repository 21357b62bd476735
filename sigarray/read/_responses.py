"""Tables of responses, which are checked as scores of items are, and of p-values."""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from sigarray._plain_text import show_number
from sigarray._response_results import ResponseSet
from sigarray.read._cells import as_text, encode_texts, is_blank
from sigarray.read._codes import repeat, take
from sigarray.read._files import SourceFile
from sigarray.read._frame import Frame, Names, list_names
from sigarray.read._groups import are_alike, groups_items
from sigarray.read._messages import warn
from sigarray.read._raters import are_of_one_item, tells_apart
from sigarray.read._records import FACTORS, Records, find_crashed, find_state
from sigarray.read._roles import find_roles
from sigarray.read._scales import doubt_scale_of_records
from sigarray.read._sources import open_source, tabulate
from sigarray.read._text import NUMBER, read_number, read_text, refuse, split_rows
from sigarray.read._words import as_words, list_words, names_clusters

_COLUMNS = ("item", "system", "response")
_WITHOUT_GOLD = (
    " If there are no gold responses, as of ratings of each model's answers, take "
    "sigarray compare --unit item, with --run for the column of raters."
)
# Words in other names of a column of responses.
_LIKE_RESPONSES = as_words("""
    responses rating ratings score scores vote votes answer answers judgment judgement
    label value grade
""")

# System -> item -> its responses.
Answers = Mapping[str, Mapping[str, list[float]]]


def read_responses(
    path: str | Path, systems: Names, columns: Names = ()
) -> tuple[ResponseSet, str]:
    """Read the responses of gold and two systems; "-" is standard input.

    The file has columns item, system and response, or others that a note names, and a
    row for each response. Gold may be a column, with one response to an item. Rows with
    a blank response are left out, and systems other than these three, with a warning.
    Arrays are (n_items, k), NaN where an item has fewer.
    """
    if columns and len(columns) != len(_COLUMNS):
        refuse(f"Expected --columns ITEM,SYSTEM,RESPONSE; got {','.join(columns)}.")
    if len(set(systems)) < len(systems):
        refuse(f"Expected three names of systems; got {', '.join(systems)}.")
    name, content = open_source(SourceFile(str(path), ""))
    frame = None if isinstance(content, dict) else tabulate(content, name, str(path))
    if frame is None or not frame.lines:
        got = "no rows below the header" if frame and frame.columns else "nothing"
        refuse(f"{name}: expected columns {', '.join(_COLUMNS)} and rows; got {got}.")
    found = _find_columns(frame, dict(zip(_COLUMNS, columns, strict=False)))
    cells_of = [frame.columns[x] for x in found.values()]
    _refuse_runs(frame, cells_of[1], systems[1:])
    lines: dict[str, int] = {}
    answers: dict[str, dict[str, list[float]]] = {system: {} for system in systems}
    known: dict[str, None] = {}
    taken: dict[int, float] = {}
    for row, (line, *cells) in enumerate(zip(frame.lines, *cells_of, strict=True)):
        item, system, response = ("" if is_blank(x) else as_text(x) for x in cells)
        place = frame.place_row(row)
        if not item or not system:
            what = "an item" if not item else "a system"
            refuse(f"{place}: expected {what} in every row; got a blank cell.")
        known[system] = None
        if system in answers and response:
            lines.setdefault(item, line)
            number = read_number(response, f"{place}: expected a number as response")
            answers[system].setdefault(item, []).append(number)
            taken[row] = number
    gold = systems[0]
    if not answers[gold] and gold in frame.columns:
        answers[gold] = _read_gold(frame, gold, cells_of[0], lines)
        found["gold"] = gold
    for system in (*systems[1:], gold):
        if not answers[system]:
            advice = _WITHOUT_GOLD if system == gold else ""
            refuse(
                f"{name}: expected responses of {system!r}; got none. Systems in it: "
                f"{', '.join(map(repr, known))}. Choose them with --gold (or a "
                f"column), --a and --b.{advice}"
            )
    doubts = check_responses(frame, found, taken, answers, systems)
    _check_items(answers, lines, name)
    if others := [system for system in known if system not in answers]:
        doubts.append(
            f"{name} has other systems too, which are left out: "
            f"{', '.join(map(repr, others))}. Choose two systems with --a and --b"
        )
    for doubt in doubts:
        warn(f"{doubt}.")
    filled = (_fill(by_item, list(lines)) for by_item in answers.values())
    renamed = [f"{x!r} as {role}" for role, x in found.items() if x != role]
    return ResponseSet(*filled), f"read {', '.join(renamed)}" if renamed else ""


def _read_gold(
    frame: Frame, column: str, items: Sequence[Any], known: Collection[str]
) -> dict[str, list[float]]:
    gold: dict[str, list[float]] = {}
    for k, (item, cell) in enumerate(zip(items, frame.columns[column], strict=True)):
        if as_text(item) not in known or is_blank(cell):
            continue
        place = frame.place_row(k)
        number = read_number(as_text(cell), f"{place}: expected a number as response")
        first = gold.setdefault(as_text(item), [number])
        if first != [number]:
            refuse(
                f"{place}: expected one response of {column!r} to an item; got "
                f"{first[0]:g} and {number:g}. Write a row for each, with the system "
                f"{column!r}."
            )
    return gold


def _find_columns(frame: Frame, said: Mapping[str, str]) -> dict[str, str]:
    names = {name.lower(): name for name in frame.columns}
    twice = {x.lower() for x in frame.twice}
    found, lacks = {}, []
    for column in _COLUMNS:
        name = said.get(column, names.get(column))
        like = _list_like(column, frame) if name is None else [name]
        if (name or column).lower() in twice:
            lacks.append(f"{name or column!r} twice")
        elif column in said and name not in frame.columns:
            lacks.append(f"no {name!r}")
        elif len(like) != 1:
            either = " and ".join(map(repr, like)) or "nothing"
            lacks.append(f"{either} for {column!r}")
        else:
            (found[column],) = like
    if lacks:
        every = ", ".join(map(repr, [*frame.columns, *frame.twice]))
        refuse(
            f"{frame.source}: expected one column each for item, system and response; "
            f"got {', and '.join(lacks)}, of the columns {every}. Name them with "
            f"--columns ITEM,SYSTEM,RESPONSE.{_WITHOUT_GOLD}"
        )
    return found


def _list_like(column: str, frame: Frame) -> list[str]:
    taken = {*_COLUMNS, *(x.lower() for x in frame.twice)}
    if column == "response":
        like = [x for x in frame.columns if list_words(x) & _LIKE_RESPONSES]
    else:
        role = {"item": "item", "system": "model"}[column]
        like = [x for y, x in find_roles(frame, {}).items() if y == role]
    return [x for x in like if x.lower() not in taken]


def _refuse_runs(frame: Frame, cells: Sequence[Any], systems: Names) -> None:
    """Refuse responses of several runs of a system, whose effects are on all items."""
    column = find_roles(frame, {}).get("run")
    if column is None:
        return
    for system in systems:
        named = zip(cells, frame.columns[column], strict=True)
        runs = {as_text(run) for cell, run in named if as_text(cell) == system}
        if len(runs) > 1:
            refuse(
                f"{frame.source}: expected responses of raters, or of one run of each "
                f"system; got {len(runs)} runs of {system!r} by column {column!r}. "
                "The runs of a system vary for all items together, and the responses "
                "of an item are taken as independent of those of others. Keep one run "
                "of each, or compare a score of each run with sigarray compare. If "
                f"{column!r} says something else, rename it."
            )


def _check_items(answers: Answers, lines: Mapping[str, int], name: str) -> None:
    for item, line in lines.items():
        for system, by_item in answers.items():
            if item not in by_item:
                n_without = sum(x not in by_item for x in lines)
                which = f"{n_without} of {len(lines)} items lack one"
                refuse(
                    f"{name}, line {line}: expected a response of {system!r} to item "
                    f"{item!r} too; got none ({which}). Remove these items, or add the "
                    "responses."
                )


def _fill(by_item: dict[str, list[float]], items: list[str]) -> np.ndarray:
    width = max(map(len, by_item.values()))
    filled = np.full((len(items), width), math.nan)
    for row, item in zip(filled, items, strict=True):
        row[: len(by_item[item])] = by_item[item]
    return filled


def read_p_values(path: str | Path) -> tuple[list[str], list[float]]:
    """Read p-values, with labels or without; "-" is standard input.

    The file has numbers, or rows of a label and a p-value, and maybe a header. Numbers
    without labels are counted.
    """
    name, text = read_text(path)
    rows = [
        (line, cells if len(cells) > 1 else tuple(cells[0].split()))
        for line, cells in split_rows(text, name)
    ]
    if rows and not re.search(r"[0-9<]", rows[0][1][-1]) and rows[0][1][-1]:
        rows = rows[1:]  # a header
    if not rows:
        refuse(f"{name} has no p-values. Expected numbers in [0, 1], or label,p rows.")
    if len(rows) == 1 and all(map(NUMBER.fullmatch, rows[0][1])):
        rows = [(rows[0][0], (cell,)) for cell in rows[0][1]]
    labels, p_values = [], []
    for number, (line, cells) in enumerate(rows, 1):
        if len(cells) > 2 or len(cells) != len(rows[0][1]):
            refuse(
                f"{name}, line {line}: expected a p-value, or a label and a p-value, "
                f"in every row; got {', '.join(map(repr, cells))}."
            )
        is_label = len(cells) == 2 and not re.fullmatch(r"\d*\.\d+", cells[0])
        if len(cells) == 2 and not is_label:
            refuse(
                f"{name}, line {line}: expected one p-value in each row, or a label "
                f"and a p-value; got {cells[0]!r} and {cells[1]!r}."
            )
        labels.append(cells[0] if is_label else str(number))
        p_values.append(_read_p_value(cells[-1], name, line))
    return labels, p_values


def _read_p_value(cell: str, name: str, line: int) -> float:
    p_value = float(cell) if NUMBER.fullmatch(cell) else math.nan
    if not 0.0 <= p_value <= 1.0:
        msg = f"{name}, line {line}: expected a p-value in [0, 1]; got {cell!r}."
        if math.isnan(p_value):
            msg += " For '<0.001', write 0.001: it is a bound." if "<" in cell else ""
        refuse(msg)
    return p_value


# Responses of systems that differ in size by such a factor are hardly of one scale.
_UNLIKE = 10.0
# Of fewer items, all may have the same responses twice by chance.
_LEAST_ITEMS = 3
_MAX_SHOWN = 4


def check_responses(
    frame: Frame,
    columns: Mapping[str, str],
    rows: Mapping[int, float],
    answers: Answers,
    systems: Names,
) -> list[str]:
    """Return doubts about the responses in some rows, or refuse what they mix."""
    records = _make_records(frame, columns, rows)
    others = [x for x in frame.columns if x not in {*columns.values()}]
    state = find_state({x: frame.columns[x] for x in others})
    n = 0 if state is None else int(find_crashed(records.take_texts(state)[1]).sum())
    if n:
        refuse(
            f"{frame.source}: expected responses that were given; got {n} of "
            f"{len(records)} that have failed, by column {state!r}. Remove their rows."
        )
    apart = [x for x in others if not are_of_one_item(x) and tells_apart(records, x)[1]]
    if apart:
        named = (frame.columns[x] for x in (apart[0], columns["item"]))
        anew = "-".join(str(x[records.rows[0]]) for x in named)
        refuse(
            f"{frame.source}: expected responses to one item under one name; got "
            f"several of each item, some for each value of {apart[0]!r}. Keep the rows "
            "of one value; or, where it tells items apart, write it into their names, "
            f"such as {anew!r}."
        )
    advice = "Remove its row if it stands for no answer"
    return [
        *(doubt_scale_of_records([records], advice) or _doubt_sizes(records)),
        *_doubt_copies(records, others),
        *_doubt_groups(frame, columns, others, _find_errors(records, answers, systems)),
    ]


def _make_records(
    frame: Frame, columns: Mapping[str, str], numbers: Mapping[int, float]
) -> Records:
    rows = np.asarray([*numbers], int)
    names = {"item": columns["item"], "model": columns["system"]}
    texts = {x: encode_texts(take(frame.columns[y], rows)) for x, y in names.items()}
    n = len(rows)
    return Records(
        (replace(frame, roles=names),),
        (columns["response"],),
        (names,),
        np.zeros(n, int),
        rows,
        np.asarray([*numbers.values()], float),
        np.full(n, np.nan),
        np.zeros(n, bool),
        {role: texts[role] if role in texts else repeat(None, n) for role in FACTORS},
    )


def _doubt_sizes(records: Records) -> list[str]:
    means = {
        x[0].model: float(np.mean(np.abs(x.scores))) for x in records.split("model")
    }
    low, high = (choose(means, key=means.__getitem__) for choose in (min, max))
    if means[high] <= 1.0 or means[high] < _UNLIKE * means[low]:
        return []
    return [
        f"{records[0].frame.source}: responses differ much in size, from "
        f"{show_number(means[low])} of {low!r} to {show_number(means[high])} of "
        f"{high!r} on average. Bring them to one scale"
    ]


def _doubt_copies(records: Records, others: Names) -> list[str]:
    doubts = []
    for one in records.split("model"):
        factors = [one.factors["item"], encode_texts(list(map(str, one.scores)))]
        factors += [one.take_texts(x)[1] for x in others]
        codes = np.stack([x.codes for x in factors])
        groups = np.unique(codes, axis=1, return_counts=True)[1]
        if groups.min() > 1 and len(one.list_known("item")) >= _LEAST_ITEMS:
            doubts.append(
                f"{one[0].frame.source}: all rows of {one[0].model!r} are there "
                f"{groups.min()} times. Remove copies, which count as responses"
            )
    return doubts


def _doubt_groups(
    frame: Frame, columns: Mapping[str, str], others: Names, errors: Any
) -> list[str]:
    """Doubt that items are independent, if the name of a column groups them.

    Or if errors of systems differ by its values more than by chance.
    """
    names = [x for x in others if groups_items(frame, {"item": columns["item"]}, x)]
    names = [x for x in names if names_clusters(x) or are_alike([errors], x)]
    if not names:
        return []
    verb = "group" if len(names) > 1 else "groups"
    return [
        f"{frame.source}: {list_names(names, _MAX_SHOWN)} {verb} the items. Where such "
        "groups were sampled, as documents are, items of one are not independent, and "
        "p-values are too small: keep one item of each; or write an error of each item "
        f"and system, and pass sigarray compare --cluster {names[0]}"
    ]


def _find_errors(records: Records, answers: Answers, systems: Names) -> Any:
    gold, *others = ({x: np.mean(y) for x, y in answers[z].items()} for z in systems)
    names = [x for x in gold if all(x in by for by in others)]
    errors = {
        system: np.asarray([abs(by[x] - gold[x]) for x in names])
        for system, by in zip(systems[1:], others, strict=True)
    }
    return SimpleNamespace(
        records=records, scores=errors, ids=dict.fromkeys(errors, names)
    )
