"""Pairs of models on the items or runs of both, where some models lack some."""

from sigarray._plain_text import quote
from sigarray._verdicts.comparison import Comparison
from sigarray._verdicts.notes import note
from sigarray.read._frame import shorten
from sigarray.read._score_table import ScoreTable
from sigarray.read._wide import Scores

# The most pairs whose numbers of items are listed.
_MAX_SAID = 20


def say_matched(table: ScoreTable) -> None:
    """Say how many items, or runs, each pair has, where some models lack some."""
    for task, by in table.pairs.items():
        of = f" of task {task!r}" if task else ""
        said = [
            f"{quote(a)} and {quote(b)} on {len(x)}" for (a, b), (x, _) in by.items()
        ]
        note(
            f"means are of the {len(next(iter(table.tasks[task].values())))} "
            f"{table.unit}s{of} "
            "that all models have, and pairs are compared on those that both have: "
            f"{shorten(said, _MAX_SAID)}.",
        )


def explain_matched(comparison: Comparison) -> list[str]:
    """Say what means and differences are of, if pairs have items of their own."""
    if not comparison.matched:
        return []
    n_all = len(next(iter(comparison.scores.values())))
    sizes = sorted(len(comparison.list_scores(*x)[0]) for x in comparison.pairs)
    what, of_pairs = "Means", "differences, intervals and p"
    if comparison.task:
        what = f"On {comparison.task}, means, and so all verdicts over tasks,"
        of_pairs += " of this task"
    return [
        f"{what} are of the {n_all} {comparison.unit}s that all models have, but "
        f"{of_pairs} are of the {sizes[0]} to {sizes[-1]} that both models of a pair "
        "have."
    ]


def list_matched(comparison: Comparison) -> list[Scores]:
    """Return the scores of all models, or those of two on the items or runs of both."""
    if not comparison.matched:
        return [dict(comparison.scores)]
    return [
        {a: comparison.matched[a, b][0], b: comparison.matched[a, b][1]}
        for a, b in comparison.pairs
    ]
