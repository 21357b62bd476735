"""Rank models by how many others they beat, where there are too many pairs to show."""

import string
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sigarray._ranking import list_groups
from sigarray._verdicts.comparison import Comparison
from sigarray._verdicts.decisions import Decision
from sigarray.report._numbers import number_format
from sigarray.report._rendering import Table

# With more models than this, readers see a ranking, not every pair.
MAX_SHOWN = 12
# With more pairs than this, readers see a matrix, and no row for each.
MOST_ROWS = 15

_LETTERS = string.ascii_letters

Wins = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Order:
    """Models, the best first, and the letters of their groups.

    Of models that share a letter neither is shown to be better. There are no letters
    for two models, nor with a baseline, which is the first one.
    """

    names: list[str]
    groups: list[list[str]]
    letters: dict[str, str]


def list_wins(decisions: Iterable[Decision]) -> Wins:
    """Return the pairs (better, worse)."""
    return [
        (x.better, x.b if x.better == x.a else x.a)
        for x in decisions
        if x.better is not None
    ]


def order_models(comparison: Comparison, wins: Wins) -> Order:
    """Sort models by how many they beat, how many beat them, and their mean."""
    sign = -1.0 if comparison.higher_is_better else 1.0
    merits = {name: sign * x["mean"] for name, x in comparison.summaries.items()}
    return order_by(merits, wins, comparison.baseline)


def order_by(ranks: Mapping[str, float], wins: Wins, baseline: str | None) -> Order:
    """Sort models by how many they beat, how many beat them, and a rank of each."""
    beaten = Counter(better for better, _ in wins)
    beaten_by = Counter(worse for _, worse in wins)

    def rank(name: str) -> tuple[bool, int, int, float]:
        return name != baseline, -beaten[name], beaten_by[name], ranks[name]

    names = sorted(ranks, key=rank)
    if len(names) == 2 or len(names) > MAX_SHOWN or baseline is not None:
        return Order(names, [], {})
    place = {name: k for k, name in enumerate(names)}
    is_decided = np.zeros((len(names), len(names)), dtype=bool)
    for better, worse in wins:
        is_decided[place[better], place[worse]] = True
    groups = [[names[k] for k in x] for x in list_groups(is_decided | is_decided.T)]
    if len(groups) > len(_LETTERS):
        return Order(names, [], {})
    letters = {
        name: "".join(
            c for c, group in zip(_LETTERS, groups, strict=False) if name in group
        )
        for name in names
    }
    return Order(names, groups, letters)


def sort_pairs(
    order: Order, decisions: Iterable[Decision]
) -> list[tuple[str, str, Decision]]:
    """Return the decision on each pair and its models, the best models first."""
    place = {name: k for k, name in enumerate(order.names)}
    pairs = [
        (x.a, x.b, x) if place[x.a] < place[x.b] else (x.b, x.a, x) for x in decisions
    ]
    return sorted(pairs, key=lambda pair: (place[pair[0]], place[pair[1]]))


def say_order_of_models(
    order: Order, baseline: str | None, wins: Wins, where: str = ""
) -> list[str]:
    """Say in a line which models are better than which; nothing without groups.

    `where` is nothing, or such as " over 8 tasks".
    """
    if baseline is not None:
        better = [name for name in order.names if (name, baseline) in wins]
        worse = [name for name in order.names if (baseline, name) in wins]
        lists = [", ".join(names) or "none" for names in (better, worse)]
        return [f"Better than {baseline}{where}: {lists[0]}. Worse: {lists[1]}."]
    if not order.letters:
        return []
    if len(order.groups) == 1:
        return [f"No model is shown to be better than another one{where}."]
    if sum(map(len, order.groups)) == len(order.names):
        ranks = " > ".join(", ".join(group) for group in order.groups)
        return [f"Ranking{where}: {ranks}"]
    said = ", ".join(f"{name} ({order.letters[name]})" for name in order.names)
    return [
        f"Ranking{where}: {said}. Of models that share a letter, neither is better."
    ]


def rank_models(comparison: Comparison, order: Order, wins: Wins) -> Table:
    """Show the models in order, and how many each of them beats."""
    beaten = Counter(better for better, _ in wins)
    beaten_by = Counter(worse for _, worse in wins)
    summaries = comparison.summaries
    show = number_format(list(summaries.values()))
    rows = [
        [
            name,
            str(len(comparison.scores[name])),
            show(summaries[name]["mean"]),
            show(summaries[name]["sd"]),
            str(beaten[name]),
            str(beaten_by[name]),
        ]
        for name in order.names
    ]
    header = ["model", "n", "mean", "sd", "better than", "worse than"]
    return Table(comparison.title, header, rows)


def say_ranking(
    n_models: int, wins: Wins, basis: str, n_pairs: int, n_tasks: int = 1
) -> list[str]:
    """Say how many pairs were decided, and where all of them are listed."""
    tasks = f" on {n_tasks} tasks" if n_tasks > 1 else ""
    return [
        f"Of {n_pairs} pairs of {n_models} models{tasks}, {len(wins)} have a better "
        f"one: {basis}.",
        "Take --format csv or json for all pairs, or --columns for some models.",
    ]
