"""Samples and averages of lm-evaluation-harness that are in one folder."""

from collections.abc import Mapping, Sequence
from math import inf, isclose
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from sigarray.read._files import NAME_RUNS, Opened, lack_samples
from sigarray.read._frame import UNNAMED, Frame, Names, list_names, shorten
from sigarray.read._lm_eval import (
    AVERAGES,
    ITEMS,
    NO_METRICS,
    are_samples,
    list_results,
    say_named,
    split_name,
)
from sigarray.read._messages import Caution

_MAX_FILES = 3


def add_filters(
    name: str, records: list[dict[str, Any]]
) -> tuple[list[dict[str, Any]], Names]:
    """Return samples with a key "filter", as later ones have, and notes.

    Early ones of a filter are before those of the next. If another key tells them
    apart, they are repeats, and it is left out.
    """
    if not are_samples(records) or any("filter" in x for x in records):
        return records, ()
    docs: dict[Any, list[dict[str, Any]]] = {}
    for record in records:
        docs.setdefault(record["doc_id"], []).append(record)
    n = len(records) // len(docs)
    if n == 1 or any(len(x) != n for x in docs.values()):
        return records, ()
    keys = {*records[0]} - NO_METRICS
    for key in keys:
        values = {frozenset(repr(x.get(key)) for x in of) for of in docs.values()}
        is_score = any(isinstance(x.get(key), float) for x in records)
        if len(values) == 1 and len(next(iter(values))) == n and not is_score:
            return [{x: y for x, y in of.items() if x != key} for of in records], ()
    means: list[dict[str, float]] = []
    for of in zip(*docs.values(), strict=True):
        cells = {key: [x.get(key) for x in of] for key in keys}
        means.append({x: fmean(y) for x, y in cells.items() if _are_numbers(y)})
    names, notes = _find_names(Path(name), means)
    if not names:
        return records, ()
    for several in docs.values():
        for record, rule in zip(several, names, strict=True):
            record["filter"] = rule
    return records, notes


def _find_names(
    path: Path, means: Sequence[Mapping[str, float]]
) -> tuple[Names, Names]:
    """Return the names that results beside have for filters of these means, and notes.

    Results with other means have the same names, in the same order.
    """
    task, _ = split_name(path)
    named: list[str] = []
    for document in list_results(path.parent, "results*.json"):
        for name, results in dict(document.get("results") or {}).items():
            of = {x: y for x, y in results.items() if "," in x and _are_numbers([y])}
            names = list(dict.fromkeys(x.split(",", 1)[1] for x in of))
            if name == task and len(names) == 1:
                return (), ()  # of one filter, several rows are repeats
            if len(names) != len(means) or task not in ("", name):
                continue
            if all(
                any(isclose(y, of.get(f"{x},{rule}", inf)) for x, y in by.items())
                for by, rule in zip(means, names, strict=True)
            ):
                return names, ()
            named = names if task else named
    if not named:
        return [f"{UNNAMED}{k + 1}" for k in range(len(means))], ()
    return named, [say_named(named, "results beside")]


def _are_numbers(values: Sequence[Any]) -> bool:
    return all(isinstance(x, (int, float)) for x in values)


def leave_out_averages(
    files: Sequence[Opened], tables: Sequence[Frame | None]
) -> tuple[list[Opened], list[Frame | None], list[str]]:
    """Return files without averages beside samples, or newer ones, and notes."""
    beside = _find_averages(tables, [file.path for file, *_ in files])
    if beside:
        found = [None if k in beside else x for k, x in enumerate(tables)]
        names = shorten([files[k][1] for k in beside], _MAX_FILES)
        note = f"averages of lm-evaluation-harness beside its samples left out: {names}"
        notes = [note]
    else:
        paths = [
            None if x.is_named or x.said is not None else x.path for x, *_ in files
        ]
        found, notes = _take_newest(tables, paths)
    kept = [k for k, x in enumerate(found) if x is not None or tables[k] is None]
    return [files[k] for k in kept], [found[k] for k in kept], notes


def _find_averages(frames: Sequence[Frame | None], paths: Names) -> list[int]:
    kinds = [None if x is None else x.kind for x in frames]
    if ITEMS not in kinds:
        return []
    places = [k for k, x in enumerate(kinds) if x == AVERAGES]
    folders = [Path(x).parent for x in paths]
    having = {x for x, kind in zip(folders, kinds, strict=True) if kind == ITEMS}
    without = [k for k in places if folders[k] not in having]
    if without:
        raise lack_samples([folders[k].name or paths[k] for k in without])
    return places


def _take_newest(
    frames: Sequence[Frame | None], paths: Sequence[str | None]
) -> tuple[list[Frame | None], list[str]]:
    """Return averages without older ones of a model, task and metric in a folder.

    Those are of the same trained model, and no runs of their own. `paths` are None of
    files that are said to be.
    """
    keys: list[list[tuple[str, ...]]] = []
    newest: dict[tuple[str, ...], str] = {}
    for frame, path in zip(frames, paths, strict=True):
        keys.append([])
        if frame is not None and path is not None and frame.kind == AVERAGES:
            of = str(Path(path).parent), frame.constants.get("model", "")
            columns = [frame.columns[frame.roles[x]] for x in ("task", "metric")]
            keys[-1] = [(*of, *map(str, x)) for x in zip(*columns, strict=True)]
        for key in keys[-1]:
            newest[key] = max(newest.get(key, ""), str(path))
    kept = list(frames)
    older: list[str] = []
    for k, (path, rows) in enumerate(zip(paths, keys, strict=True)):
        places = [j for j, x in enumerate(rows) if newest[x] == path]
        if len(places) < len(rows):
            older.append(str(path))
            frame = frames[k] if places else None
            kept[k] = frame and frame.take(np.asarray(places))
    note = Caution(
        "older results of the same model and task were left out: "
        f"{list_names(older, _MAX_FILES)}. If they are of runs of their own, such as "
        f"other seeds in training, {NAME_RUNS}"
    )
    return kept, [note] * bool(older)
