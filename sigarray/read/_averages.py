"""Averages of lm-evaluation-harness, where there are samples, or newer averages."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sigarray.read._files import NAME_RUNS, SourceFile, lack_samples
from sigarray.read._frame import Frame, Names, list_names, shorten
from sigarray.read._lm_eval import AVERAGES, ITEMS
from sigarray.read._messages import Caution

_MAX_SHOWN = 3


def leave_out_averages(
    files: Sequence[tuple[SourceFile, str, Any]], tables: Sequence[Frame | None]
) -> tuple[list[tuple[SourceFile, str, Any]], list[Frame | None], list[str]]:
    """Return files without averages beside samples, or newer ones, and notes."""
    places = _find_averages(tables, [file.path for file, *_ in files])
    names = shorten([files[k][1] for k in places], _MAX_SHOWN)
    note = f"averages of lm-evaluation-harness beside its samples left out: {names}"
    kept = [k for k in range(len(files)) if k not in places]
    are_said = [file.is_named or file.said is not None for file, *_ in files]
    found, older = _take_newest(
        [tables[k] for k in kept],
        [None if are_said[k] else files[k][0].path for k in kept],
    )
    both = [
        (files[k], x)
        for k, x in zip(kept, found, strict=True)
        if x is not None or tables[k] is None
    ]
    notes = [*[note] * bool(places), *older]
    return [x for x, _ in both], [x for _, x in both], notes


def _find_averages(frames: Sequence[Frame | None], paths: Names) -> list[int]:
    """Return the places of averages, if there are samples, too, which have more."""
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

    Those are of other evaluations of the same trained model, and no runs of their own.
    `paths` are None of files that are said to be. What lacks all rows then is None.
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
    if not older:
        return kept, []
    return kept, [
        Caution(
            "older results of the same model and task were left out: "
            f"{list_names(older, _MAX_SHOWN)}. If they are of runs of their own, such "
            f"as other seeds in training, {NAME_RUNS}"
        )
    ]
