"""Files with scores of the same items of a model, which are those of its runs."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sigarray.read._codes import encode, find_first
from sigarray.read._files import name_paths, split_run
from sigarray.read._messages import Caution
from sigarray.read._naming import ReadFile, name_part
from sigarray.read._records import Records


def name_runs(records: Records, read: Sequence[ReadFile]) -> tuple[Records, list[str]]:
    """Take files with other scores for the same items of a model for its runs.

    If all scores are the same, too, files may be copies, or repeat an evaluation. With
    several scores for an item in a file, all are averaged, and a note warns of that.
    """
    if len(read) < 2 or not records.has("item") or records.has("run"):
        return records, []
    items, n_items = records.group("task", "model", "item")
    first = find_first(items, n_items)[items]
    others = np.flatnonzero(records.files != records.files[first])
    again = others[records.scores[others] != records.scores[first[others]]].tolist()
    if not again:
        return records, []
    runs = _name_files(read)
    a, b = (runs[records.files[k]] for k in (first[again[0]], again[0]))
    which = f"{a!r} and {b!r} of {records[again[0]].model!r}"
    codes = encode(runs)[records.files]
    named = replace(records, factors={**records.factors, "run": codes})
    if named.group("task", "model", "item", "run")[1] < len(named):
        return records, [
            Caution(
                f"files with the same items of a model, such as {which}, were "
                "averaged, for each has several scores of an item: a verdict is on "
                "these runs alone. If others may differ, average the scores of each "
                "item in a file, so that files are taken for runs"
            )
        ]
    said = "files with the same items of a model were taken for its runs, such as"
    return named, [f"{said} {which}"]


def _name_files(read: Sequence[ReadFile]) -> list[str]:
    """Name the files of each model and task by the parts of paths that differ.

    Or by numbers, if these parts are the same but for a date.
    """
    groups: dict[Any, list[int]] = {}
    for k, x in enumerate(read):
        is_of_model = x.file.is_named or x.file.said is not None
        groups.setdefault(name_part(x)[not is_of_model :], []).append(k)
    runs = [""] * len(read)
    for places in groups.values():
        names = name_paths([read[k].file.path for k in places])
        numbers = [split_run(x)[1] for x in names]
        ways = [x for x in (numbers, names) if None not in x and len({*x}) == len(x)]
        for k, place in enumerate(places):
            runs[place] = str(ways[0][k] if ways else k + 1)
    return runs
