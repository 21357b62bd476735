"""Rows of means and the like among those of scores."""

import numpy as np

from sigarray._plain_text import squeeze
from sigarray.read._bytes import TableError
from sigarray.read._records import Records
from sigarray.read._score_table import Choice
from sigarray.read._summaries import (
    MAYBE_COMPUTED,
    find_computed,
    find_summaries,
    may_be_scores,
    say_if_scores,
)


def refuse_summaries(records: Records, choice: Choice) -> None:
    """Refuse rows of means beside the averaged rows."""
    options = {"model": "--columns", "task": "--tasks"}
    for role in ("model", "run", "item", "task"):
        if {"model": choice.models, "task": choice.tasks}.get(role) is not None:
            continue
        names = records.list_known(role)
        summaries = find_summaries(names)
        if role == "model":
            summaries |= find_computed(names)
            maybe = {x for x in summaries if squeeze(x) in MAYBE_COMPUTED}
            if maybe:
                scores = _list_scores(records)
                summaries -= {x for x in maybe if may_be_scores(x, scores)}
        if summaries and len(names) > 1:
            first = records[int(np.argmax(records.factors[role].find(summaries)))]
            name = getattr(first, role)
            a = "an item" if role == "item" else f"a {role}"
            advice = (
                "remove its rows if they are of a mean or the like; to keep them, "
                f"rename it, such as '{role}-{name}'"
            )
            if role in options:
                advice = (
                    f"choose {role}s with {options[role]}, which keeps those that it "
                    "names"
                )
            said = say_if_scores([name] if role == "model" else ())
            msg = (
                f"{first.place}: expected {a}; got {name!r}, which seems "
                f"to summarize others: {advice}.{said}"
            )
            raise TableError(msg)


def _list_scores(records: Records) -> dict[str, np.ndarray]:
    """Return the scores of each model, in the order of tasks, items and runs."""
    order = np.lexsort((records.steps, records.group("task", "item", "run")[0]))
    models = records.factors["model"]
    return {
        model: records.scores[order[models.find([model])[order]]]
        for model in records.list_known("model")
    }
