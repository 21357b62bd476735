"""Files of EleutherAI's lm-evaluation-harness: samples of a task, and results."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sigarray.read._frame import Frame
from sigarray.read._json import list_plain, tabulate_records

AVERAGES = "results of lm-evaluation-harness"
# samples_<task>_<date>.jsonl
_SAMPLES = re.compile(r"samples_(.+?)(_\d{4}-\d{2}-\d{2}T[\d.\-:]+)?\.jsonl(\.gz)?")
_NO_METRICS = {
    "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter",
    "metrics", "doc_hash", "prompt_hash", "target_hash",
}  # fmt: skip


def read_samples(
    name: str, lines: list[int], records: list[dict[str, Any]]
) -> Frame | None:
    """Return the scores of a task, by doc_id, or None for other files.

    If there are several filters, the name of a metric includes one, as in the harness:
    "exact_match,strict-match". What a document says is in columns, "doc.passage".
    """
    if not all("doc_id" in x and "filtered_resps" in x for x in records):
        return None
    filters = list(dict.fromkeys(str(record.get("filter")) for record in records))
    rows: dict[tuple[Any, int], dict[str, Any]] = {}
    places: list[int] = []
    seen: dict[tuple[Any, str], int] = {}
    metrics: dict[str, None] = {}
    for line, record in zip(lines, records, strict=True):
        doc, rule = record["doc_id"], str(record.get("filter"))
        turn = seen[doc, rule] = seen.get((doc, rule), -1) + 1
        if (doc, turn) not in rows:
            rows[doc, turn] = {"doc_id": doc} | list_plain(record.get("doc"), "doc")
            if "doc_hash" in record:
                rows[doc, turn]["doc_hash"] = record["doc_hash"]
            places.append(line)
        for metric, value in record.items():
            if metric not in _NO_METRICS and isinstance(value, (bool, int, float)):
                column = metric if len(filters) == 1 else f"{metric},{rule}"
                rows[doc, turn][column] = value
                metrics[column] = None
    match = _SAMPLES.fullmatch(Path(name).name)
    better = {} if match is None else _read_directions(Path(name), match[1])
    roles = {"item": "doc_id"}
    if any("doc_hash" in row for row in rows.values()):  # early versions wrote none
        roles["content"] = "doc_hash"
    return tabulate_records(
        "samples of lm-evaluation-harness",
        name,
        list(rows.values()),
        places,
        "line",
        roles=roles,
        constants={"task": match[1]} if match else {},
        metrics=tuple(metrics),
        better=better,
    )


def _read_directions(path: Path, task: str) -> dict[str, bool]:
    """Return metric -> whether higher is better, from the results beside samples."""
    for results in sorted(path.parent.glob("results_*.json")):
        try:
            document = json.loads(results.read_text("utf-8"))
            directions = document["higher_is_better"][task]
        except (ValueError, KeyError, TypeError, OSError):
            continue
        return {str(key): x for key, x in directions.items() if isinstance(x, bool)}
    return {}


def read_results(name: str, document: Mapping[str, Any]) -> Frame | None:
    """Return the averages of all tasks, or None for other files."""
    if "results" not in document or "lm_eval_version" not in document:
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
    return tabulate_records(
        AVERAGES,
        name,
        records,
        list(range(1, len(records) + 1)),
        "result",
        roles={"task": "task", "metric": "metric", "score": "value"},
        constants={"model": str(model)} if model else {},
        metrics=("value",),
    )
