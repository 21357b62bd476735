"""Rank models: in order, in groups, and by how many others they beat."""

import heapq
import math
import string
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from sigarray._comparison import list_groups
from sigarray._plain_text import quote
from sigarray._verdicts.comparison import Comparison
from sigarray._verdicts.decisions import Decided, Decision, name_number
from sigarray.report._layout import (
    Summary,
    Table,
    count_decimals_of_scores,
    find_least_deviation,
    number_format,
    put_first,
    show_bound,
)

# What the column is called, and in words: the standard deviation of items, such as
# zeros and ones, would read as uncertainty.
SPREADS = {"sd": "standard deviation", "se": "standard error"}


def name_spread(comparison: Comparison) -> str:
    """Name the column: "sd" of runs; of items and clusters "se", of the mean."""
    return "sd" if comparison.unit == "run" else "se"


def summarize(comparison: Comparison) -> Mapping[str, Summary]:
    """Describe the scores of models, with what the column has in the place of "sd".

    Errors of sums of clusters move with the level of the scores, and are not shown.
    """
    if name_spread(comparison) == "sd":
        return comparison.summaries
    sampled = comparison.sampled
    scores = comparison.scores
    if sampled is None and comparison.unit == "cluster":
        return {name: x | {"sd": math.nan} for name, x in comparison.summaries.items()}
    return {
        name: x
        | {
            "sd": x["sd"] / math.sqrt(len(scores[name]))
            if sampled is None
            else sampled.find_error(name, scores)
        }
        for name, x in comparison.summaries.items()
    }


def show_means(comparison: Comparison) -> Callable[[float], str]:
    """Return a format of means: three digits of deviations, or two of errors.

    Means of runs have no more decimals than two digits of their least standard error,
    or one more than the scores were given with.
    """
    summaries = summarize(comparison)
    if name_spread(comparison) != "sd":
        return number_format(list(summaries.values()), digits=2)
    scores = comparison.scores
    samples = [scores[name] for name in summaries]
    if not all(isinstance(x, np.ndarray) for x in samples):  # on the disk
        return number_format(list(summaries.values()))
    least = find_least_deviation(
        [
            summaries[name] | {"sd": summaries[name]["sd"] / math.sqrt(len(x))}
            for name, x in zip(summaries, samples, strict=True)
        ]
    )
    of_error = 0 if math.isnan(least) else 1 - math.floor(math.log10(least))
    most = max(count_decimals_of_scores(samples) + 1, of_error)
    return number_format(list(summaries.values()), most=most)


def explain_marks(comparison: Comparison, where: str = "") -> str:
    spread, unit = name_spread(comparison), comparison.unit
    of = f"{unit}s" if spread == "sd" else f"the mean over {unit}s"
    of = of if comparison.is_of_means else f"{comparison.metric} of all {unit}s"
    of += f",{said}" if (said := comparison.say_spread()) else ""
    best = "highest" if comparison.higher_is_better else "lowest"
    return (
        f"The {SPREADS[spread]} ({spread}) is that of {of}; the {best} "
        f"{comparison.estimate}{where} is bold."
    )


# With more models than this, readers see a ranking, not every pair.
MAX_SHOWN = 12
# With more pairs than this, readers see a matrix, and no row for each; with a baseline,
# for which there is no matrix, with more than that.
MOST_ROWS, MOST_ROWS_OF_BASELINE = 15, 60

_LETTERS = string.ascii_letters
# Of more models, groups are not listed: they take long, and need too many letters.
_MOST_IN_GROUPS = 100

SHARED_LETTER = "Of models that share a letter, neither is shown to be better."
WHERE_PAIRS_ARE = (
    "Differences and verdicts of all pairs: --format csv or json. With --baseline "
    "MODEL or --columns A,B,... there are fewer comparisons: choose before the scores "
    "are seen."
)
WHERE_PAIRS_ARE_IN_PYTHON = (
    "Differences and verdicts of all pairs: to_frame(). With --baseline MODEL there "
    "are fewer comparisons: choose before the scores are seen."
)

Wins = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Order:
    """Models, the best first, and the letters of their groups.

    Of models that share a letter neither is shown to be better. There are no letters
    for two models, nor with a baseline, which is the last one, nor where there are
    more groups than letters.
    """

    names: list[str]
    groups: list[list[str]]
    letters: dict[str, str]
    baseline: str | None = None

    @property
    def listed(self) -> list[str]:
        """The rows of tables of scores."""
        return put_first(self.names, self.baseline)

    @property
    def has_groups(self) -> bool:
        """Whether letters tell some models from others."""
        return bool(self.letters) and len(self.groups) > 1


Pair = TypeVar("Pair", bound=Decided)


def list_wins(decisions: Iterable[Decided]) -> Wins:
    return [
        (x.better, x.b if x.better == x.a else x.a)
        for x in decisions
        if x.better is not None
    ]


def list_unequal(
    order: Order, baseline: str | None, decisions: Iterable[Decision]
) -> list[str]:
    of_pairs = {
        name for x in decisions if x.verdict == "unequal" for name in (x.a, x.b)
    }
    return [x for x in order.names if x in of_pairs and baseline not in (None, x)]


def order_models(comparison: Comparison, wins: Wins) -> Order:
    sign = -1.0 if comparison.higher_is_better else 1.0
    merits = {name: sign * x["mean"] for name, x in comparison.summaries.items()}
    return order_by(merits, wins, comparison.baseline)


def order_by(ranks: Mapping[str, float], wins: Wins, baseline: str | None) -> Order:
    """Sort models by their ranks, each of them behind those that are better.

    A baseline is the last, so that of a pair A is the model that is compared with it.
    """
    names = _sort_models(ranks, wins)
    names.sort(key=lambda name: name == baseline)
    if baseline is not None or not 2 < len(names) <= _MOST_IN_GROUPS:
        return Order(names, [], {}, baseline)
    groups = group_models(names, wins)
    if len(groups) > len(_LETTERS):
        return Order(names, [], {})
    letters = {
        name: "".join(
            c for c, group in zip(_LETTERS, groups, strict=False) if name in group
        )
        for name in names
    }
    return Order(names, groups, letters)


def group_models(names: Sequence[str], wins: Wins) -> list[list[str]]:
    """List the largest groups in which no model beats another one, in this order."""
    place = {name: k for k, name in enumerate(names)}
    is_decided = np.zeros((len(names), len(names)), dtype=bool)
    for better, worse in wins:
        if better in place and worse in place:
            is_decided[place[better], place[worse]] = True
    return [[names[k] for k in x] for x in list_groups(is_decided | is_decided.T)]


def _sort_models(ranks: Mapping[str, float], wins: Wins) -> list[str]:
    """Take one model after another that none of those left beats, by their ranks."""
    place = {name: k for k, name in enumerate(ranks)}
    n_better = Counter(worse for _, worse in wins)
    beaten = defaultdict(list)
    for better, worse in wins:
        beaten[better].append(worse)
    every = [(rank, place[name], name) for name, rank in ranks.items()]
    ready = [x for x in every if not n_better[x[2]]]
    heapq.heapify(ready)
    names: dict[str, None] = {}
    while len(names) < len(every):
        if not ready:  # wins may go in a circle
            ready = [min(x for x in every if x[2] not in names)]
        name = heapq.heappop(ready)[2]
        names[name] = None
        for worse in beaten[name]:
            n_better[worse] -= 1
            if n_better[worse] == 0 and worse not in names:
                heapq.heappush(ready, (ranks[worse], place[worse], worse))
    return list(names)


def sort_pairs(
    names: Sequence[str], decisions: Iterable[Pair]
) -> list[tuple[str, str, Pair]]:
    """Return the decision on each pair and its models, by their order in names."""
    place = {name: k for k, name in enumerate(names)}
    pairs = [
        (x.a, x.b, x) if place[x.a] < place[x.b] else (x.b, x.a, x) for x in decisions
    ]
    return sorted(pairs, key=lambda pair: (place[pair[0]], place[pair[1]]))


def say_order_of_models(
    order: Order,
    baseline: str | None,
    wins: Wins,
    where: str = "",
    unequal: Collection[str] = (),
) -> list[str]:
    """Say in a line which models are better than which; nothing without groups.

    `where` is nothing, or such as " over 8 tasks"; `unequal` are models that are not
    equal to the baseline, of which neither is shown to be better.
    """
    if baseline is not None:
        others = [name for name in order.names if name != baseline]
        better = [name for name in others if (name, baseline) in wins]
        worse = [name for name in others if (baseline, name) in wins]
        decided = {*better, *worse, *unequal}
        lists = {
            f"Better than {quote(baseline)}{where}": better,
            "Worse": worse,
            "Unequal": unequal,
            "Inconclusive": [name for name in others if name not in decided],
        }
        told = [
            f"{what}: {', '.join(map(quote, names)) or 'none'}."
            for what, names in lists.items()
            if names or what != "Unequal"
        ]
        return [" ".join(told)]
    if not order.letters:
        return []
    if len(order.groups) == 1:
        return [f"No model is shown to be better than another one{where}."]
    if sum(map(len, order.groups)) == len(order.names):
        groups = [", ".join(map(quote, group)) for group in order.groups]
        return [f"Ranking{where}: {' > '.join(groups)}"]
    said = ", ".join(f"{quote(name)} ({order.letters[name]})" for name in order.names)
    return [f"Ranking{where}: {said}. {SHARED_LETTER}"]


def explain_groups(order: Order, answers: Iterable[str]) -> list[str]:
    is_said = any(SHARED_LETTER in x for x in answers)
    return [SHARED_LETTER] if order.has_groups and not is_said else []


def say_which_are_better(
    order: Order, baseline: str | None, wins: Wins, where: str
) -> list[str]:
    said = say_order_of_models(order, baseline, wins, where)
    if said:
        return said
    if not wins:
        return [f"No model is shown to be better than the other one{where}."]
    better, worse = map(quote, *wins)
    return [f"{better} is better than {worse}{where}."]


def table_of_models(
    comparison: Comparison,
    order: Order,
    title: str,
    more: Mapping[str, Mapping[str, str]],
    *,
    decides: bool = False,
) -> Table:
    summaries, show = summarize(comparison), show_means(comparison)
    rows = [
        [
            name,
            *([order.letters[name]] if order.has_groups else []),
            comparison.count_scores(name),
            show(summaries[name]["mean"]),
            show(summaries[name]["sd"]),
            *(cells[name] for cells in more.values()),
        ]
        for name in order.listed
    ]
    group = ["group"] if order.has_groups else []
    header = ["model", *group, "n", comparison.estimate, name_spread(comparison), *more]
    place = 2 + len(group)
    marked = frozenset((order.listed.index(x), place) for x in list_best(comparison))
    note, n_names = explain_marks(comparison), 1 + len(group)
    return Table(title, header, rows, marked, n_names, note=note, decides=decides)


def rank_models(comparison: Comparison, order: Order, wins: Wins) -> Table:
    more = {
        what: {name: str(counts[name]) for name in order.names}
        for what, counts in (
            ("better than", Counter(better for better, _ in wins)),
            ("worse than", Counter(worse for _, worse in wins)),
        )
    }
    return table_of_models(comparison, order, "Ranking", more, decides=True)


def matrix_of_pairs(
    comparison: Comparison, decisions: Sequence[Decision], order: Order
) -> Table:
    numbers: dict[tuple[str, str], str] = {}
    limit = comparison.threshold
    for x in decisions:
        for a, b, key in ((x.a, x.b, "a_over_b"), (x.b, x.a, "b_over_a")):
            bound = x.record.get(f"eps_min_{key}")
            numbers[a, b] = x.shown if bound is None else show_bound(bound, limit)
    names, better = order.names, set(list_wins(decisions))
    rows = [[a, *(numbers.get((a, b), "") for b in names)] for a in names]
    marked = frozenset(
        (i, j + 1)
        for i, a in enumerate(names)
        for j, b in enumerate(names)
        if (a, b) in better
    )
    number = name_number(comparison)
    title = f"{number} of the models in rows and columns"
    if comparison.test == "aso":
        title = f"{number}: the row is better than the column where below {limit:g}"
    return Table(title, ["", *names], rows, marked, names=names, decides=True)


def list_best(comparison: Comparison) -> list[str]:
    means = {name: x["mean"] for name, x in comparison.summaries.items()}
    best = (max if comparison.higher_is_better else min)(means.values())
    return [name for name, mean in means.items() if mean == best]


def say_ranking(
    n_models: int, wins: Wins, basis: str, n_pairs: int, n_tasks: int = 1
) -> str:
    tasks = f" on {n_tasks} tasks" if n_tasks > 1 else ""
    return (
        f"In {len(wins)} of {n_pairs} pairs of {n_models} models{tasks}, one model is "
        f"better: {basis}."
    )
