"""What `sigarray power` found on each task, and what was asked, in tables."""

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace

from sigarray._cli.power_alone import CONFIDENCE, Alone, find_spreads, tabulate_alone
from sigarray._cli.power_sizes import SizedPair, round_size
from sigarray._plain_text import quote
from sigarray._verdicts.aggregates import Aggregates
from sigarray._verdicts.comparison import Comparison
from sigarray._verdicts.margins import list_claims
from sigarray._verdicts.ranking import MAX_SHOWN
from sigarray.report._layout import Table, count_decimals, show_interval

OF_SPLITS = (
    "Splits of one data set share its items: with their number power rises to a "
    "limit, which only a larger data set raises."
)


def say_pilot(
    numbers: Collection[int], unit: str, n_tasks: int = 1, *, are_seen: bool = True
) -> str:
    """Say how far the number of scores may be off, as an estimate from so few.

    It is proportional to the variance over the square of the difference, which may be
    one that was seen. Numbers are those of the error of the variance alone.
    """
    n = min(numbers)
    low, high = (x * x for x in find_spreads(n_tasks * (n - 1)))
    most = f"{high:.2f}" if high < 2.0 else f"{high:.2g}"
    most = most if high < 10.0 else "more than 10"
    few = f"{n}" if len(numbers) == 1 else f"as few as {n}"
    few += f" on each of {n_tasks} tasks" if n_tasks > 1 else ""
    said = (
        f"The numbers of {unit}s hold for differences as large as those seen, which "
        "are as uncertain as their intervals: half the difference needs four times "
        "as many. "
    )
    return (
        f"{said * are_seen}The spread is an estimate from {few}: by that alone "
        f"{low:.2f} to {most} times as many may be needed {CONFIDENCE}."
    )


@dataclass(frozen=True)
class Goal:
    """How often a difference of scores is to be seen.

    With a margin it is to be seen that the first model of a pair is not worse by it;
    of several tasks, over all of them, with as many scores on each.
    Below a number of runs, the test asks Welch's, too, if it is not None. A difference
    is that of pairs, if it is not the one that they have, and a gain that of models
    alone, in words. `lead` is what `Answer.show_lead` shows.
    """

    power: float
    unit: str
    asks_welch_below: int | None = None
    margin: float | None = None
    n_tasks: int = 1
    difference: float | None = None
    gain: str = ""
    lead: str = "A - B"

    @property
    def has_limit(self) -> bool:
        """Whether scores are of splits of one data set, more of which add little."""
        return self.unit == "split"

    @property
    def units(self) -> str:
        return f"{self.unit}s"

    @property
    def each(self) -> str:
        """Says of runs that every model has so many: items are those of all models."""
        each = " of each model" if self.unit == "run" else ""
        return f"{each}{self.where}"

    @property
    def where(self) -> str:
        return f" on each of {self.n_tasks} tasks" if self.n_tasks > 1 else ""

    @property
    def what(self) -> str:
        if self.difference is not None:
            return f"a difference of {self.difference:.10g}"
        if self.margin is None:
            return "the difference"
        return f"that A is not worse than B by {self.margin:.10g} or more"

    def show_size(self, size: float, largest: int) -> str:
        none = "none" if self.has_limit else f"> {largest}"
        return none if math.isinf(size) else str(round_size(size))

    def say(self, a: str, b: str) -> str:
        if self.difference is not None:
            return f"{self.what} between {quote(a)} and {quote(b)}"
        if self.margin is None:
            return f"that {quote(a)} is better than {quote(b)}"
        worse = f"worse than {quote(b)} by {self.margin:.10g} or more"
        return f"that {quote(a)} is not {worse}"


@dataclass(frozen=True)
class Answer:
    """The results of a task, in samples of up to the largest size."""

    task: str
    comparison: Comparison
    alone: list[Alone]
    pairs: list[SizedPair]
    largest: int
    show_lead: Callable[[str, str], str]

    @property
    def drawn(self) -> list[SizedPair]:
        return self.pairs or [x.curve for x in self.alone if x.curve is not None]


def show_leads(
    found: Aggregates, leads: Mapping[tuple[str, str], float]
) -> Callable[[str, str], str]:
    start, sign, show = (0.0, "+", "{:+.3g}")
    if found.is_of_pairs:
        start, sign, show = (0.5, "", "{:.3f}")
    intervals = {(x.a, x.b): x.interval for x in found.pairs}
    intervals |= {names[::-1]: x.turn() for names, x in intervals.items()}
    decimals = count_decimals(intervals.values())

    def show_lead(a: str, b: str) -> str:
        lead, low, high = (start + y for y in (leads[a, b], *intervals[a, b]))
        return show_interval(lead, low, high, show.format, decimals, sign)

    return show_lead


def say_jump(answers: list[Answer], goal: Goal) -> list[str]:
    limit = goal.asks_welch_below
    tried = [size for x in answers for pair in x.pairs for size in pair.shares]
    if limit is None or not tried or not min(tried) < limit <= max(tried):
        return []
    return [
        f"Power may jump at {limit} runs: with fewer, a difference also has to pass "
        "Welch's test."
    ]


def list_tables(answers: list[Answer], goal: Goal) -> list[Table]:
    n_models = len({name for x in answers for name in x.comparison.scores})
    n_pairs = sum(len(x.pairs) for x in answers)
    if n_models > MAX_SHOWN:
        return []
    tables = []
    if n_pairs and len(answers) > 1:
        tables.append(_table_over_tasks(answers, goal))
    if n_pairs and is_short(answers):
        tables.append(_table_of_pairs(answers, goal))
    every = [(x.comparison.summaries[y.name], y) for x in answers for y in x.alone]
    if every and every[0][1].sd is None and is_short(answers):
        table = tabulate_alone(every, goal.gain, goal.power, goal.unit)
        tasks = [x.task for x in answers for y in x.alone for _ in y.list_rows()]
        tables.append(_with_tasks(table, tasks))
    return tables


def is_short(answers: list[Answer]) -> bool:
    return sum(len(x.comparison.scores) for x in answers) <= MAX_SHOWN


def show_present(pair: SizedPair) -> str:
    return " and ".join(map(str, dict.fromkeys(pair.present)))


def _table_over_tasks(answers: list[Answer], goal: Goal) -> Table:
    of_pairs: dict[tuple[str, str], list[SizedPair | None]] = {}
    for x in answers:
        found = {(pair.better, pair.worse): pair for pair in x.pairs}
        compared = x.comparison.pairs
        if goal.margin is None:
            found |= {names[::-1]: pair for names, pair in found.items()}
        else:  # each model of a pair has a row
            compared = list_claims(compared, x.comparison.baseline)
        for names in compared:
            of_pairs.setdefault(names, []).append(found.get(names))
    largest = max(x.largest for x in answers)
    rows = []
    for names, by_task in of_pairs.items():
        pairs = [x for x in by_task if x is not None]
        if not pairs:
            continue
        n_ahead = sum(x.better == names[0] for x in pairs)
        n = len(by_task)
        sizes = sorted([x.size for x in pairs] + [math.inf] * (n - len(pairs)))
        n_now = sum(x.share_now >= goal.power for x in pairs)
        shown = [goal.show_size(sizes[k], largest) for k in ((n - 1) // 2, n - 1)]
        rows.append([*names, f"{n_ahead} of {n}", f"{n_now} of {n}", *shown])
    of_pair = " of a pair" * (goal.margin is goal.difference is None)
    title = (
        f"About how many {goal.units}{goal.each} show {goal.what}"
        f"{of_pair}, with power {goal.power:g}, on half "
        "of its tasks and on all"
    )
    holds = "A is ahead on" if goal.margin is None else "seems so on"
    header = ["A", "B", holds, "shown now on", "on half", "on all"]
    return Table(title, header, rows, name_columns=2)


def _table_of_pairs(answers: list[Answer], goal: Goal) -> Table:
    rows = [
        [
            *(pair.better, pair.worse, x.show_lead(pair.better, pair.worse)),
            *(show_present(pair), f"{pair.share_now:.2f}"),
            goal.show_size(pair.size, x.largest),
        ]
        for x in answers
        for pair in x.pairs
    ]
    units = goal.units
    title = f"About how many {units}{goal.each} show {goal.what} with power "
    header = ["A", "B", goal.lead, f"{units} now", "power now", f"{units} needed"]
    table = Table(f"{title}{goal.power:g}", header, rows, name_columns=2)
    return _with_tasks(table, [x.task for x in answers for _ in x.pairs])


def _with_tasks(table: Table, tasks: list[str]) -> Table:
    if len(set(tasks)) < 2:
        return table
    return replace(
        table,
        header=["task", *table.header],
        rows=[[task, *row] for task, row in zip(tasks, table.rows, strict=True)],
        name_columns=table.name_columns + 1,
    )
