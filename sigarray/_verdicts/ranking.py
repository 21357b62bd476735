"""Rank models by how many others they beat, where there are too many pairs to show."""

from collections import Counter
from collections.abc import Sequence

from sigarray.report._numbers import Summary, number_format
from sigarray.report._rendering import Table

# With more models than this, readers see a ranking, not every pair.
MAX_SHOWN = 12

Wins = Sequence[tuple[str, str]]


def rank_models(
    title: str,
    summaries: dict[str, Summary],
    sizes: dict[str, int],
    wins: Wins,
    *,
    higher_is_better: bool,
) -> Table:
    """Sort models by how many they beat, how many beat them, and their mean.

    `wins` are pairs (better, worse).
    """
    beaten = Counter(better for better, _ in wins)
    beaten_by = Counter(worse for _, worse in wins)
    sign = -1.0 if higher_is_better else 1.0

    def rank(name: str) -> tuple[int, int, float]:
        return -beaten[name], beaten_by[name], sign * summaries[name]["mean"]

    show = number_format(list(summaries.values()))
    rows = [
        [
            name,
            str(sizes[name]),
            show(summaries[name]["mean"]),
            show(summaries[name]["sd"]),
            str(beaten[name]),
            str(beaten_by[name]),
        ]
        for name in sorted(summaries, key=rank)
    ]
    header = ["model", "n", "mean", "sd", "better than", "worse than"]
    return Table(title, header, rows)


def rank_on_tasks(title: str, models: Sequence[str], wins: Wins) -> Table:
    """Sort models by how often they beat another one on some task."""
    beaten = Counter(better for better, _ in wins)
    beaten_by = Counter(worse for _, worse in wins)
    order = sorted(models, key=lambda name: (-beaten[name], beaten_by[name]))
    rows = [[name, str(beaten[name]), str(beaten_by[name])] for name in order]
    title = f"{title}: decided pairs, over all tasks"
    return Table(title, ["model", "won", "lost"], rows)


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
