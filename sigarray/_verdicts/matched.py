"""Pairs of models on the items or runs of both, where some models lack some."""

from collections.abc import Collection, Iterable
from typing import Any

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
        said = [f"{a!r} and {b!r} on {len(x)}" for (a, b), (x, _) in by.items()]
        n_all = len(next(iter(table.tasks[task].values())))
        if have_all(by.values(), n_all):
            note(
                f"means{of} are of the scores that are matched in all models, and "
                f"pairs are compared on {say_own(by.values(), n_all, table.unit)}."
            )
            continue
        note(
            f"means are of the {n_all} {table.unit}s{of} "
            "that all models have, and pairs are compared on those that both have: "
            f"{shorten(said, _MAX_SAID)}.",
        )


def have_all(pairs: Iterable[tuple[Any, Any]], n_all: int) -> bool:
    """Tell whether all pairs have all units, and so other scores of some of these."""
    return all(len(x) == n_all for x, _ in pairs)


def say_own(pairs: Collection[tuple[Any, Any]], n_all: int, unit: str) -> str:
    """Say on what a pair is compared: its own units, or its own scores of these."""
    if have_all(pairs, n_all):
        return f"all {n_all} {unit}s, by the scores that are matched in both"
    return f"the {_show_sizes(pairs)} {unit}s that both have"


def _show_sizes(pairs: Iterable[tuple[Any, Any]]) -> str:
    """Return the least and the largest number of units of a pair."""
    sizes = [len(x) for x, _ in pairs]
    return " to ".join(dict.fromkeys((f"{min(sizes)}", f"{max(sizes)}")))


def explain_matched(comparison: Comparison) -> list[str]:
    """Say what means and differences are of, if pairs have items of their own."""
    if not comparison.matched:
        return []
    n_all = len(next(iter(comparison.scores.values())))
    pairs = [comparison.list_scores(*x) for x in comparison.pairs]
    what, of_pairs = "Means", "differences, intervals and p"
    if comparison.task:
        what = f"On {comparison.task}, means, and so all verdicts over tasks,"
        of_pairs += " of this task"
    if have_all(pairs, n_all):
        return [
            f"{what} are of the scores that are matched in all models, but {of_pairs} "
            "are of those that are matched in both models of a pair."
        ]
    return [
        f"{what} are of the {n_all} {comparison.unit}s that all models have, but "
        f"{of_pairs} are of the {_show_sizes(pairs)} that both models of a pair have."
    ]


def list_matched(comparison: Comparison) -> list[Scores]:
    """Return the scores of all models, or those of two on the items or runs of both."""
    if not comparison.matched:
        return [dict(comparison.scores)]
    return [
        {a: comparison.matched[a, b][0], b: comparison.matched[a, b][1]}
        for a, b in comparison.pairs
    ]
