"""Details of Hugging Face's lighteval: samples of a task, in Parquet."""

from dataclasses import replace
from typing import Any

from sigarray.read._frame import Frame


def convert_details(frame: Frame, _: str) -> Frame | None:
    """Return the scores of a task by the id of documents, or None for other tables.

    The path of the file names the model, the file does not.
    """
    if not {"doc", "metric", "model_response"} <= set(frame.columns):
        return None
    documents: list[Any] = list(frame.columns["doc"])
    rows: list[Any] = list(frame.columns["metric"])
    metrics = list(dict.fromkeys(name for scores in rows for name in scores))
    columns = {
        part: [document.get(part) for document in documents]
        for part in ("id", "query", "task_name")
    }
    return replace(
        frame,
        kind="details of lighteval",
        columns=columns | {x: [scores.get(x) for scores in rows] for x in metrics},
        roles={"item": "id", "content": "query", "task": "task_name"},
        metrics=tuple(metrics),
    )
