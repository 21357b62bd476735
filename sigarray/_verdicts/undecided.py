"""Which other models a model is not shown to beat, for programs that depend on it."""

from collections.abc import Mapping, Sequence

from sigarray._plain_text import quote, suggest
from sigarray._verdicts.aggregates import NAMES, Aggregates
from sigarray._verdicts.decisions import Decision
from sigarray.read._frame import list_names
from sigarray.read._score_table import ScoreTable


def list_undecided(
    model: str,
    table: ScoreTable,
    decisions: Mapping[str, Sequence[Decision]],
    baseline: str | None,
    aggregates: Aggregates | None = None,
) -> list[str]:
    """Say which other models a model does not beat, and on which tasks.

    With a verdict over these tasks that one decides, and not each task.

    Raises
    ------
    ValueError
        No such model, or one that is compared with the baseline alone.
    """
    if model not in table.models:
        msg = (
            f"Expected a model of {table.source} for --fail-unless-better; got "
            f"{model!r}.{suggest(model, table.models)} Those in it: "
            f"{list_names(table.models)}."
        )
        raise ValueError(msg)
    if baseline not in (None, model) and len(table.models) > 2:
        msg = (
            f"Expected --fail-unless-better {model} without --baseline {baseline}, "
            f"with which alone {model} is compared; got both. Choose the two models "
            f"with --columns {model},{baseline}, or leave out --baseline."
        )
        raise ValueError(msg)
    lost = [
        f"{quote(model)} has no scores on {quote(task)}"
        for task in (*table.tasks, *table.left_out)
        if model not in table.tasks.get(task, ())
    ]
    if aggregates is not None:
        by = f" by {NAMES[aggregates.statistic][1]}"
        if len(aggregates.tasks) > 1:
            by += f" over these {len(aggregates.tasks)} tasks"
        return lost + [
            f"{quote(model)} is not better than {quote(x.b if x.a == model else x.a)}"
            f"{by}"
            for x in aggregates.pairs
            if model in (x.a, x.b) and x.better != model
        ]
    return lost + [
        f"{quote(model)} is not better than {quote(x.b if x.a == model else x.a)}"
        f"{f' on {quote(task)}' if task else ''}"
        for task, by in decisions.items()
        for x in by
        if model in (x.a, x.b) and x.better != model
    ]
