"""Columns of seeds, which show whether a run is there twice."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sigarray._plain_text import squeeze
from sigarray.read._cells import encode_texts
from sigarray.read._codes import find_first, group_rows
from sigarray.read._frame import shorten
from sigarray.read._records import Records, find_column

_SEEDS = ("seed", "randomseed", "rngseed", "randomstate", "dataseed")
# What trackers put before the names of settings.
_ROOT = re.compile(r"(config|params|tags|hparams|user_attrs)[./_]")
_MAX_SHOWN = 3


def find_seed(columns: Mapping[str, Sequence[Any]]) -> str | None:
    """Return the column of seeds, or None without one that has any.

    A seed of a part of the run, such as "data.seed", is one if it varies.
    """
    found: list[tuple[tuple[bool, int], int, str]] = []
    for name, cells in columns.items():
        rank = _rank(name)
        if rank is not None and _may_tell(rank, encode_texts(cells).list_known()):
            found.append((rank, len(found), name))
    return min(found)[-1] if found else None


def doubt_seeds(tasks: Sequence[Records]) -> list[str]:
    """Doubt that runs are independent if one of a file has the seed of another.

    Runs whose names are their seeds are refused instead.
    """
    said = [x for records in tasks for x in _say_repeated(records)]
    if not said:
        return []
    source, column, _ = said[0]
    shown = shorten([x for *_, x in said], _MAX_SHOWN, by="; ")
    return [
        f"{source}: column {column!r} has one seed in several runs of a model: "
        f"{shown}. Each counts as an independent run. Remove one that repeats another; "
        f"or pass --ignore {column} where they are independent"
    ]


def _say_repeated(records: Records) -> list[tuple[str, str, str]]:
    """Say which seeds of a task come again: the file, the column, and words."""
    run = find_column(records, "run")
    if records.has("item") or any(map(_rank, (run or "").split(","))):
        return []
    taken = {x for roles in records.roles for y in roles.values() for x in y.split(",")}
    said = []
    for k in np.unique(records.files):
        frame = records.frames[k]
        of_file = records.take(np.flatnonzero(records.files == k))
        for name in frame.columns:
            rank = _rank(name)
            if rank is None or name in taken:
                continue
            _, seeds = of_file.take_texts(name)
            if not _may_tell(rank, seeds.list_known()):
                continue
            groups, n_groups = group_rows([of_file.factors["model"], seeds])
            first = find_first(groups, n_groups)[groups]
            is_again = (first != np.arange(len(of_file))) & (seeds.codes >= 0)
            for again in np.flatnonzero(is_again).tolist():
                a, b = of_file[int(first[again])], of_file[again]
                of = f"{a.model!r}" if a.task is None else f"{a.model!r} on {a.task!r}"
                places = f"{frame.lines[a.row]} and {frame.lines[b.row]}"
                words = f"{seeds[again]} of {of}, {frame.line_word}s {places}"
                said.append((frame.source, name, words))
    return said


def _may_tell(rank: tuple[bool, int], values: Sequence[Any]) -> bool:
    """Tell whether seeds may tell runs apart: those of a part, if they vary."""
    return len({*values} - {None}) > rank[0]


def _rank(name: str) -> tuple[bool, int] | None:
    """Tell whether seeds are of a part of a run, and how usual the name is.

    None for columns that are not of seeds.
    """
    *above, last = re.split(r"[./]", _ROOT.sub("", name))
    word = squeeze(last)
    if word not in _SEEDS:
        return None
    return bool(above) or word == _SEEDS[-1], _SEEDS.index(word)
