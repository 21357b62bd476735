"""Details of Hugging Face's lighteval: samples of a task, in Parquet."""

from dataclasses import replace
from typing import Any

from sigarray.read._frame import Frame


def convert_details(frame: Frame, _: str) -> Frame | None:
    """Return the scores of a task, by the id of its documents, or None for others.

    The model is not in the file, but in its path.
    """
    if not {"doc", "metric", "model_response"} <= set(frame.columns):
        return None
    documents: list[Any] = list(frame.columns["doc"])
    found: list[Any] = list(frame.columns["metric"])
    metrics = list(dict.fromkeys(name for scores in found for name in scores))
    columns = {
        part: [document.get(part) for document in documents]
        for part in ("id", "query", "task_name")
    }
    return replace(
        frame,
        kind="details of lighteval",
        columns=columns | {x: [scores.get(x) for scores in found] for x in metrics},
        roles={"item": "id", "content": "query", "task": "task_name"},
        metrics=tuple(metrics),
    )
