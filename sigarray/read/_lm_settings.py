"""Filters and conditions of lm-evaluation-harness, by which scores differ."""

import glob
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sigarray._plain_text import quote, suggest
from sigarray.read._frame import Frame, Names, list_names, shorten
from sigarray.read._lm_eval import AVERAGES, ITEMS, list_results
from sigarray.read._messages import Caution
from sigarray.read._records import Records
from sigarray.read._score_table import Choice
from sigarray.read._text import TableError

_MAX_SHOWN = 4
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}T[\d.\-:]*\d")
# A condition -> what it is called.
_WORDS = {
    "shots": "few-shot examples",
    "limit": "limits of documents",
    "version": "versions",
    "filter": "filters of answers",
}


def name_filters(frames: Sequence[Frame | None]) -> list[Frame | None]:
    """Name metrics by their filter in all files of a task if some have several filters.

    So "exact_match" of a file with one filter is not taken for another metric.
    """
    several = {
        _name_task(x)
        for x in frames
        if x is not None and len({*x.filters.values()}) > 1
    }
    return [
        x if x is None or _name_task(x) not in several else _name_by_filter(x)
        for x in frames
    ]


def _name_by_filter(frame: Frame) -> Frame:
    if len({*frame.filters.values()}) != 1:
        return frame
    names = {x: f"{x},{rule}" for x, rule in frame.filters.items()}
    return replace(
        frame,
        columns={names.get(x, x): y for x, y in frame.columns.items()},
        metrics=tuple(names.values()),
        filters={names[x]: rule for x, rule in frame.filters.items()},
    )


def has_filters(frames: Sequence[Frame]) -> bool:
    """Tell whether these are samples, beside which averages may be."""
    kinds = {x.kind for x in frames}
    return ITEMS in kinds and kinds <= {ITEMS, AVERAGES}


def keep_filters(frames: Sequence[Frame], rules: Names) -> list[Frame]:
    """Return the scores of some filters, without those of others.

    The first file that is left has a note on those that are not.
    """
    known = list(dict.fromkeys(x for frame in frames for x in frame.filters.values()))
    for rule in rules:
        if rule not in known:
            msg = (
                f"{frames[0].source}: expected a filter of the samples for --where; "
                f"got {rule!r}.{suggest(rule, known)} Those in them: "
                f"{list_names(known)}."
            )
            raise TableError(msg)
    kept = [_keep(x, rules) for x in frames]
    lost = [x for x, y in zip(frames, kept, strict=True) if x.filters and not y.filters]
    if lost:
        others = dict.fromkeys(
            [*rules, *(next(iter(x.filters.values())) for x in lost)]
        )
        note = Caution(
            f"files without scores of filter {list_names(rules)} were left out: "
            f"{shorten([x.source for x in lost], _MAX_SHOWN)}. To take these as well: "
            f"--where filter={','.join(others)}"
        )
        first = next(k for k, x in enumerate(kept) if x.filters)
        kept[first] = replace(kept[first], notes=(*kept[first].notes, note))
    return kept


def _keep(frame: Frame, rules: Names) -> Frame:
    left = {x: rule for x, rule in frame.filters.items() if rule in rules}
    lost = {*frame.filters} - {*left}
    return replace(
        frame,
        columns={x: y for x, y in frame.columns.items() if x not in lost},
        lines=frame.lines if left else [],
        metrics=tuple(left),
        filters=left,
    )


def _name_task(frame: Frame) -> str:
    return frame.constants.get("task", frame.source)


def say_conditions(paths: Names, parts: Sequence[Records], choice: Choice) -> list[str]:
    """Warn of tasks that models answered with other examples, limits and so on."""
    found: dict[tuple[str, str], dict[str, dict[str, None]]] = {}
    for path, records in zip(paths, parts, strict=True):
        for model, task, conditions in _list_conditions(path, records):
            if (choice.models is not None and model not in choice.models) or (
                choice.tasks is not None and task not in choice.tasks
            ):
                continue
            name = records.frames[0].constants.get("subtask", task)
            for condition, value in conditions.items():
                by = found.setdefault((condition, name), {})
                by.setdefault(model, {})[value] = None
    same: dict[tuple[str, str], list[str]] = {}
    for (condition, task), by in found.items():
        if len({frozenset(x) for x in by.values()}) > 1:
            said = [f"{quote(x)} {' and '.join(y)}" for x, y in by.items()]
            key = (condition, shorten(said, _MAX_SHOWN))
            same.setdefault(key, []).append(repr(task))
    return [
        Caution(
            f"models answered {'task' if len(names) == 1 else 'tasks'} "
            f"{shorten(names, _MAX_SHOWN)} with other {_WORDS[condition]}: {said}. A "
            "difference may be due to these"
        )
        for (condition, said), names in same.items()
    ]


def _list_conditions(
    path: str, records: Records
) -> Iterable[tuple[str, str, dict[str, str]]]:
    """Yield each model and task of a file, with the conditions that are known."""
    frame = records.frames[0]
    if frame.kind not in (ITEMS, AVERAGES):
        return
    documents = _find_results(Path(path), is_one=frame.kind == AVERAGES)
    for model in records.list_known("model"):
        for task in records.list_known("task"):
            if task is None:
                continue
            name = str(frame.constants.get("subtask", task))
            document = next((x for x in documents if _is_of(x, name)), {})
            conditions = _read_conditions(document, name)
            if records.metrics[0] in frame.filters:
                conditions["filter"] = frame.filters[records.metrics[0]]
            yield str(model), str(task), conditions


def _find_results(path: Path, *, is_one: bool) -> list[dict[str, Any]]:
    """Return the results in a file, or those beside samples, of their date if any."""
    if is_one:
        return list_results(path.parent, glob.escape(path.name))
    date = _DATE.search(path.name)
    of_date = [] if date is None else list_results(path.parent, f"results_*{date[0]}*")
    return of_date or list_results(path.parent)


def _is_of(document: Mapping[str, Any], task: str) -> bool:
    return any(
        task in (document.get(x) or {}) for x in ("n-shot", "configs", "versions")
    )


def _read_conditions(document: Mapping[str, Any], task: str) -> dict[str, str]:
    """Return the conditions of a task that results state."""
    of_task = (document.get("configs") or {}).get(task)
    of_task = of_task if isinstance(of_task, dict) else {}
    config = document.get("config")
    stated = {
        "shots": (document.get("n-shot") or {}).get(task, of_task.get("num_fewshot")),
        "version": (document.get("versions") or {}).get(task),
    }
    known = {x: _write(y) for x, y in stated.items() if y is not None}
    if isinstance(config, dict) and "limit" in config:
        known["limit"] = "none" if config["limit"] is None else _write(config["limit"])
    return known


def _write(value: object) -> str:
    """Write a number in one way: version 1 is 1.0."""
    return str(value).removesuffix(".0")
