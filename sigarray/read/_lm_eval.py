"""Files of EleutherAI's lm-evaluation-harness: samples of a task, and results."""

import functools
import json
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import log
from pathlib import Path
from typing import Any

from sigarray.read._frame import Frame, Names, list_names, shorten
from sigarray.read._json import list_plain, tabulate_records
from sigarray.read._text import refuse

AVERAGES = "results of lm-evaluation-harness"
ITEMS = "samples of lm-evaluation-harness"
# What to pass in place of these.
SAMPLES = "samples_*.jsonl, which lm_eval writes with --log_samples, or their folder"
# samples_<task>_<date>.jsonl
_SAMPLES = re.compile(r"samples_(.+?)(_\d{4}-\d{2}-\d{2}T[\d.\-:]+)?\.jsonl(\.gz)?")
_MAX_SHOWN = 4
NO_METRICS = {
    "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter",
    "metrics", "doc_hash", "prompt_hash", "target_hash",
}  # fmt: skip
# Metrics of which a sample has its log-likelihood, and the name of that.
RENAMED = {"perplexity": "log-likelihood"}
# What becomes of a pair of a log-likelihood and a size: the names of both numbers, what
# divides the first, and the statistic of their sums.
_PAIRS = {
    "word_perplexity": ("nll", "words", 1.0, "perplexity"),
    "byte_perplexity": ("nll", "bytes", 1.0, "perplexity"),
    "bits_per_byte": ("bits", "bytes", log(2), "ratio --lower-is-better"),
}


def split_name(path: Path) -> tuple[str, str]:
    match = _SAMPLES.fullmatch(path.name)
    return ("", "") if match is None else (match[1], match[2] or "")


def read_samples(
    name: str, lines: list[int], records: list[dict[str, Any]]
) -> Frame | None:
    """Return the scores of a task, by doc_id, or None for other files.

    Names of metrics include one of several filters, as in the harness:
    "exact_match,strict-match"; "acc" of one may be called "acc,none", too. What a
    document says is in columns, "doc.passage". Metrics of which samples have the
    log-likelihood are called so; their direction is not that of the metric.
    """
    if not are_samples(records):
        return None
    filters = list(dict.fromkeys(str(record.get("filter")) for record in records))
    rows: dict[tuple[Any, int], dict[str, Any]] = {}
    places: list[int] = []
    seen: dict[tuple[Any, str], int] = {}
    metrics: dict[str, str] = {}
    pairs: dict[str, None] = {}
    renamed = {x: y for x, y in RENAMED.items() if are_log_likelihoods(records, x)}
    for line, record in zip(lines, records, strict=True):
        doc, rule = record["doc_id"], str(record.get("filter"))
        turn = seen[doc, rule] = seen.get((doc, rule), -1) + 1
        if (doc, turn) not in rows:
            rows[doc, turn] = {"doc_id": doc} | list_plain(record.get("doc"), "doc")
            if "doc_hash" in record:
                rows[doc, turn]["doc_hash"] = record["doc_hash"]
            places.append(line)
        for metric, value in record.items():
            if metric in NO_METRICS:
                continue
            if isinstance(value, (bool, int, float)):
                of_values = renamed.get(metric, metric)
                column = of_values if len(filters) == 1 else f"{of_values},{rule}"
                rows[doc, turn][column] = value
                metrics[column] = rule
            elif (numbers := split_pair(metric, value)) is not None:
                rows[doc, turn] |= numbers
                pairs[metric] = None
    task, date = split_name(Path(name))
    beside = list_results(Path(name).parent) if task else []
    if date and not beside:  # those of its date, by any name
        beside = list_results(Path(name).parent, f"*{date}.json")
    roles = {"item": "doc_id"}
    if any("doc_hash" in row for row in rows.values()):  # early versions wrote none
        roles["content"] = "doc_hash"
    return tabulate_records(
        ITEMS,
        name,
        list(rows.values()),
        "line",
        places,
        roles=roles,
        constants={"task": task} if task else {},
        metrics=tuple(metrics),
        filters=metrics,
        better=_read_directions(beside, task) | dict.fromkeys(renamed.values(), True),
        groups=_read_groups(beside, task),
        renamed=renamed,
        no_scores={x: explain(x) for x in pairs},
    )


def say_named(filters: Names, by: str) -> str:
    return (
        "samples without a key 'filter' were taken for those of "
        f"{list_names(filters)}, as {by} have them, in this order"
    )


def are_samples(records: Sequence[Mapping[str, Any]]) -> bool:
    return all("doc_id" in x and "filtered_resps" in x for x in records)


def _read_directions(results: Sequence[Any], task: str) -> dict[str, bool]:
    for document in results:
        directions = document.get("higher_is_better", {}).get(task)
        if isinstance(directions, dict):
            return {str(x): y for x, y in directions.items() if isinstance(y, bool)}
    return {}


def _read_groups(results: Sequence[Any], task: str) -> dict[str, int]:
    for document in results:
        members = document.get("group_subtasks") or {}
        tasks = {group: _list_tasks(group, members) for group in members}
        if groups := {x: len(y) for x, y in tasks.items() if task in y and x != task}:
            return groups
    return {}


def _list_tasks(group: str, members: Mapping[str, Names]) -> set[str]:
    known, names = {group}, [group]
    for name in names:
        inner = [x for x in members.get(name) or () if x not in known]
        known.update(inner)
        names += inner
    return {x for x in known if not members.get(x)}


def list_results(folder: Path, pattern: str = "results_*.json") -> list[dict[str, Any]]:
    documents = []
    for path in sorted(folder.glob(pattern)):
        try:
            state = path.stat()
            document = _load(path, state.st_mtime_ns, state.st_size)
        except (ValueError, OSError):
            continue
        if isinstance(document, dict):
            documents.append(document)
    return documents


@functools.lru_cache(maxsize=8)  # There are samples of many tasks beside one file.
def _load(path: Path, _time: int, _size: int) -> Any:
    return json.loads(path.read_text("utf-8"))


def take_groups(frames: Sequence[Frame], tasks: Names | None) -> list[Frame]:
    """Return the files of chosen groups of tasks as those of one task each.

    Items of a group are all items of its tasks: its mean is that of these, weighed by
    their sizes.
    """
    # Some models may have been run on the tasks of a group without it.
    known: dict[str, dict[str, int]] = {}
    for frame in frames:
        if frame.kind == ITEMS:
            known.setdefault(frame.constants.get("task", ""), {}).update(frame.groups)
    grouped = [
        replace(x, groups=known[x.constants.get("task", "")]) if x.kind == ITEMS else x
        for x in frames
    ]
    for k, frame in enumerate(grouped):
        if frame.kind == AVERAGES:
            _refuse_groups(frame, tasks)
            continue
        task = frame.constants.get("task", "")
        chosen = [x for x in (task, *frame.groups) if x in (tasks or ())]
        if len(chosen) > 1:
            refuse(
                f"Expected --tasks that have no items in common; got {chosen[0]!r} and "
                f"{chosen[1]!r}, of which both have the items of {task!r}."
            )
        if chosen and chosen[0] != task:
            item = frame.roles["item"]
            items = [f"{task}/{x}" for x in frame.columns[item]]
            grouped[k] = replace(
                frame,
                columns={**frame.columns, item: items},
                constants={**frame.constants, "task": chosen[0], "subtask": task},
            )
    return grouped


def _refuse_groups(frame: Frame, tasks: Names | None) -> None:
    for group in tasks or ():
        if group in frame.groups:
            refuse(
                f"{frame.source}: expected tasks of the file for --tasks; got "
                f"{group!r}, a group of tasks, whose average does not show how its "
                f"items vary. Pass {SAMPLES}: --tasks {group} then takes all items of "
                "the group for those of one task. Or choose some of its tasks."
            )


def say_groups(
    frames: Sequence[Frame], tasks: Names | None, *, is_of_items: bool
) -> tuple[Names, Names]:
    """Return notes on groups of tasks that may be one task, and doubts.

    Tasks of a group, beside others, are hardly independent: of models that are equal
    but for what the 18 tasks of a group share, one was called better over these and 3
    others in 18 of 50 folders. So it is where averages are taken for items.
    """
    if is_of_items:
        averages = [x.groups for x in frames if x.kind == AVERAGES]
        found = {x: n for by in averages for x, n in by.items() if n > 1}
        named = [f"{x!r} ({n} tasks)" for x, n in found.items()]
        return [], [
            f"items are tasks of groups: {shorten(named, _MAX_SHOWN)}. Tasks of one "
            "group are hardly independent, so that verdicts over items would find too "
            f"many differences. Pass {SAMPLES}: these may be taken by group"
        ] * bool(named)
    sizes = {group: n for group, (n, _) in _count_groups(frames).items() if n > 1}
    if tasks is not None or not sizes:
        return [], []
    named = [f"{x!r} ({n} tasks)" for x, n in sizes.items()]
    said = f"tasks are of groups: {shorten(named, _MAX_SHOWN)}"
    # Of groups in others, the largest; and tasks that are in none.
    outermost = {
        max(
            (x for x in frame.groups if x in sizes), key=sizes.__getitem__, default=task
        )
        for frame in frames
        if (task := frame.constants.get("task", ""))
    }
    chosen = shlex.quote(",".join(sorted(outermost)))
    if len(outermost) == 1:
        return [
            f"{said}; --tasks {chosen} takes those of one for one task, of all their "
            "items"
        ], []
    return [], [
        f"{said}. Tasks of one group are hardly independent, so that verdicts over "
        f"tasks like these would find too many differences. Pass --tasks {chosen}, to "
        "take each group for one task, of all its items. Verdicts on these tasks "
        "alone, by --statistic mean, are not affected"
    ]


def count_pooled(
    frames: Sequence[Frame], ids: Mapping[str, Mapping[str, Names]]
) -> dict[str, tuple[int, int]]:
    """Return the groups taken for a task -> how many of their tasks have items."""
    known = {x.constants.get("subtask") for x in frames}
    pooled = {}
    for group, (n, n_all) in _count_groups(frames).items():
        if group in ids:
            items = next(iter(ids[group].values()))
            tasks = known & {x.rpartition("/")[0] for x in items}
            pooled[group] = (len(tasks) or n, n_all)
    return pooled


def say_pooled(pooled: Mapping[str, tuple[int, int]]) -> Names:
    return [
        f"{group!r} was taken for one task, of the items of {n} of its {n_all} tasks: "
        "its mean is that of items, as in the harness, unless the group has "
        "weight_by_size: false"
        for group, (n, n_all) in pooled.items()
    ]


def _count_groups(frames: Iterable[Frame]) -> dict[str, tuple[int, int]]:
    found: dict[str, dict[str, int]] = {}
    for frame in frames:
        if frame.kind != AVERAGES:
            task = frame.constants.get("subtask", frame.constants.get("task", ""))
            for group, size in frame.groups.items():
                found.setdefault(group, {})[task] = size
    return {group: (len(of), max(of.values())) for group, of in found.items()}


def read_results(name: str, document: Mapping[str, Any]) -> Frame | None:
    keys = {*document}
    # Not every version states itself.
    is_known = "lm_eval_version" in keys or {"configs", "n-shot"} <= keys
    if not is_known or not isinstance(document.get("results"), dict):
        return None
    groups = set(document.get("groups") or ())
    records = [
        {"task": task, "metric": metric, "value": value}
        for task, results_of_task in document["results"].items()
        if task not in groups
        for metric, value in results_of_task.items()
        if "," in metric
        and "_stderr," not in metric
        and isinstance(value, (int, float))
    ]
    model = document.get("model_name")
    members = document.get("group_subtasks") or {}
    return tabulate_records(
        AVERAGES,
        name,
        records,
        "result",
        roles={"task": "task", "metric": "metric", "score": "value"},
        constants={"model": str(model)} if model else {},
        metrics=("value",),
        groups={x: len(_list_tasks(x, members)) for x in groups},
    )


def are_log_likelihoods(records: Sequence[Mapping[str, Any]], metric: str) -> bool:
    values = [x[metric] for x in records if metric in x]
    numbers = [x for x in values if isinstance(x, (int, float))]
    return bool(numbers) and len(numbers) == len(values) and max(numbers) <= 0


def split_pair(metric: str, value: Any) -> dict[str, float] | None:
    if metric not in _PAIRS or not isinstance(value, list) or len(value) != 2:
        return None
    if not all(isinstance(x, (int, float)) for x in value):
        return None
    first, second, divisor, _ = _PAIRS[metric]
    return {f"{metric}.{first}": -value[0] / divisor, f"{metric}.{second}": value[1]}


def explain(metric: str) -> str:
    first, second, _, statistic = _PAIRS[metric]
    return (
        f"expected a metric with a score of each document; got {metric!r}, of which "
        f"samples have the log-likelihood and the number of {second}. It is of their "
        f"sums over all documents: pass --statistic {statistic} --score "
        f"{metric}.{first},{metric}.{second}, and the samples of this task alone."
    )
