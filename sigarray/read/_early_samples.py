"""Samples of early lm-evaluation-harness, which do not name their filters."""

from collections.abc import Mapping, Sequence
from math import inf, isclose
from pathlib import Path
from statistics import fmean
from typing import Any

from sigarray.read._frame import UNNAMED, Names, list_names
from sigarray.read._lm_eval import NO_METRICS, are_samples, list_results, name_task


def add_filters(
    name: str, records: list[dict[str, Any]]
) -> tuple[list[dict[str, Any]], Names]:
    """Return samples with a key "filter", as later ones have, and notes.

    Early ones of a filter are before those of the next. Repeats that a key tells apart
    are no filters; that key, which is no metric, is left out.
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
    for several in docs.values():
        for record, rule in zip(several, names, strict=True):
            record["filter"] = rule
    return records, notes


def _find_names(
    path: Path, means: Sequence[Mapping[str, float]]
) -> tuple[Names, Names]:
    """Return the names that results beside have for filters of these means, and notes.

    Results of the task with other means have the same names, in the same order.
    """
    task = name_task(path)
    named: list[str] = []
    for document in list_results(path.parent, "results*.json"):
        for name, results in dict(document.get("results") or {}).items():
            of = {x: y for x, y in results.items() if "," in x and _are_numbers([y])}
            names = list(dict.fromkeys(x.split(",", 1)[1] for x in of))
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
    said = f"{list_names(named)}, as results beside have them, in this order"
    return named, [f"samples without a key 'filter' were taken for those of {said}"]


def _are_numbers(values: Sequence[Any]) -> bool:
    return all(isinstance(x, (int, float)) for x in values)
