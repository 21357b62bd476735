"""What `sigarray power` found on each task, and what was asked, in tables.

A lift by a quarter takes an accuracy of 0.9 above 1. So shares and percentages that it
would take beyond their end are lifted by half of the distance to it.
"""

import math
import warnings
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from sigarray._cli.power_sizes import SizedPair, round_size
from sigarray._plain_text import quote
from sigarray._verdicts.comparison import Comparison
from sigarray._verdicts.intervals import are_binary
from sigarray._verdicts.margins import list_claims
from sigarray._verdicts.ranking import MAX_SHOWN
from sigarray.read._wide import Scores
from sigarray.report._layout import Table
from sigarray.report._numbers import number_format, show_difference


def say_pilot(numbers: Collection[int], unit: str, n_tasks: int = 1) -> str:
    """Say how far the number of scores may be off, as an estimate from so few.

    It is proportional to the variance over the square of the difference. Only the error
    of the variance is counted: for n normal scores, (n - 1) times the variance over the
    true one has the chi-square distribution.
    """
    n = min(numbers)
    df = n_tasks * (n - 1)
    low, high = (df / find_chi_square(p, df) for p in (0.95, 0.05))
    most = f"{high:.2f}" if high < 2.0 else f"{high:.2g}"
    most = most if high < 10.0 else "more than 10"
    few = f"{n}" if len(numbers) == 1 else f"as few as {n}"
    few += f" on each of {n_tasks} tasks" if n_tasks > 1 else ""
    return (
        f"The numbers of {unit}s are estimates from {few}: {low:.2f} to {most} times "
        "as many may be needed, for the variance is an estimate (90 % confidence, "
        "normal scores), and many more if the true difference is smaller than the one "
        "seen."
    )


def find_chi_square(share: float, df: int) -> float:
    """Return the quantile of the chi-square distribution at a share."""
    low, high = 0.0, df + 10.0 * math.sqrt(df) + 20.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        if _chi_square_below(middle, df) < share:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


def _chi_square_below(x: float, df: int) -> float:
    """Return P(chi-square < x), by the series of the incomplete gamma function."""
    a, half = 0.5 * df, 0.5 * x
    total = term = 1.0
    place = a
    while term > 1e-16 * total:
        place += 1.0
        term *= half / place
        total += term
    return total * math.exp(a * math.log(half) - half - math.lgamma(a + 1.0))


DEFAULT_LIFT = 1.25


class Lift(NamedTuple):
    """A factor above 1, by which losses are divided, and what readers are told."""

    factor: float
    said: str


def choose_lift(
    scores: Scores,
    factor: float | None,
    *,
    higher_is_better: bool,
    margin: float | None = None,
) -> Lift:
    """Return the lift that is asked for, or else the default of these scores.

    With a margin there is none by default: a model with equal scores is not worse.
    Warns of a lift that takes scores, or means of 0 and 1, beyond 1 or 100.
    """
    if margin is not None and factor is None:
        worse = f"worse by {margin:.10g} or more"
        return Lift(1.0, f"that a model with the same scores is not {worse}")
    if not higher_is_better:
        factor = factor or DEFAULT_LIFT
        return Lift(factor, f"a drop by a factor of {factor:g}")
    ends = [float(x.mean() if are_binary(x) else x.max()) for x in scores.values()]
    largest = max(ends)
    # The end of the scale of shares, or of percentages.
    end = 1.0 if largest <= 1.0 else 100.0
    is_beyond = largest <= end < (factor or DEFAULT_LIFT) * largest
    if factor is None and is_beyond:
        # The best score goes half of the way, or, if it is the end itself, the mean.
        level = largest
        if level == end:
            level = max(float(np.mean(x)) for x in scores.values())
        if level < end:
            factor = 0.5 * (1.0 + end / level)
            which = "best score" if level == largest else "best mean"
            said = (
                f"a lift by a factor of {factor:.4g}, which takes the {which} half of "
                f"the way to {end:g}"
            )
            return Lift(factor, said)
    factor = factor or DEFAULT_LIFT
    if is_beyond:
        warnings.warn(
            f"A lift by a factor of {factor:g} takes scores above {end:g}, and none is "
            f"above {end:g} now. Is it too much to ask for? Choose it with --lift.",
            UserWarning,
            stacklevel=2,
        )
    return Lift(factor, f"a lift by a factor of {factor:g}")


@dataclass(frozen=True)
class Goal:
    """How often a difference of scores is to be seen.

    With a margin it is to be seen that the first model of a pair is not worse by it;
    of several tasks, over all of them, with as many scores on each.
    Below a number of runs, the test asks Welch's, too, if it is not None.
    """

    power: float
    unit: str
    asks_welch_below: int | None = None
    margin: float | None = None
    n_tasks: int = 1

    @property
    def units(self) -> str:
        """What models have more or fewer of."""
        return f"{self.unit}s"

    @property
    def each(self) -> str:
        """Says of runs that every model has so many: items are those of all models."""
        each = " of each model" if self.unit == "run" else ""
        return f"{each}{self.where}"

    @property
    def where(self) -> str:
        """Where so many scores are."""
        return f" on each of {self.n_tasks} tasks" if self.n_tasks > 1 else ""

    @property
    def difference(self) -> str:
        """What is to be seen of a pair, A and B, in a title."""
        if self.margin is None:
            return "the difference"
        return f"that A is not worse than B by {self.margin:.10g} or more"

    def say(self, a: str, b: str) -> str:
        """Say what is to be seen of two models."""
        if self.margin is None:
            return f"that {quote(a)} is better than {quote(b)}"
        worse = f"worse than {quote(b)} by {self.margin:.10g} or more"
        return f"that {quote(a)} is not {worse}"


@dataclass(frozen=True)
class Answer:
    """The results of a task, in samples of up to the largest size.

    There are powers to see a lift of the scores of each model if there is a lift.
    """

    task: str
    comparison: Comparison
    powers: dict[str, float]
    pairs: list[SizedPair]
    largest: int
    lift: Lift | None


def say_lift(answers: list[Answer]) -> str:
    """Name the lift that is to be seen, which may be another one on each task."""
    said = {x.lift.said for x in answers if x.lift is not None}
    return said.pop() if len(said) == 1 else "the lift of each task"


def say_jump(answers: list[Answer], goal: Goal) -> list[str]:
    """Say where power may jump, if sizes that were tried are on both sides of it."""
    limit = goal.asks_welch_below
    tried = [size for x in answers for pair in x.pairs for size in pair.shares]
    if limit is None or not tried or not min(tried) < limit <= max(tried):
        return []
    return [
        f"Power may jump at {limit} runs: with fewer, a difference also has to pass "
        "Welch's test."
    ]


def list_tables(answers: list[Answer], goal: Goal) -> list[Table]:
    """Return the tables that readers can take in: first those that answer."""
    n_models = len({name for x in answers for name in x.comparison.scores})
    n_pairs = sum(len(x.pairs) for x in answers)
    if n_models > MAX_SHOWN:
        return []
    tables = []
    if n_pairs and len(answers) > 1:
        tables.append(_table_over_tasks(answers, goal))
    if n_pairs and is_short(answers):
        tables.append(_table_of_pairs(answers, goal))
    if any(x.powers for x in answers) and is_short(answers):
        tables.append(_table_of_lifts(answers))
    return tables


def is_short(answers: list[Answer]) -> bool:
    """Whether readers can take in a line for each pair, or model, on each task."""
    return sum(len(x.comparison.scores) for x in answers) <= MAX_SHOWN


def show_size(size: float, largest: int) -> str:
    """Show a number of scores with two digits, or that it is larger than all tried."""
    return f"> {largest}" if math.isinf(size) else str(round_size(size))


def show_present(pair: SizedPair) -> str:
    """Show how many scores the better and the worse model have, once if it is one."""
    return " and ".join(map(str, dict.fromkeys(pair.present)))


def _table_over_tasks(answers: list[Answer], goal: Goal) -> Table:
    """Show for each pair on how many tasks its difference is seen, with how many."""
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
        shown = [show_size(sizes[k], largest) for k in ((n - 1) // 2, n - 1)]
        rows.append([*names, f"{n_ahead} of {n}", f"{n_now} of {n}", *shown])
    title = (
        f"About how many {goal.units}{goal.each} show {goal.difference}"
        f"{' of a pair' * (goal.margin is None)}, with power {goal.power:g}, on half "
        "of its tasks and on all"
    )
    holds = "A is ahead on" if goal.margin is None else "seems so on"
    header = ["A", "B", holds, "shown now on", "on half", "on all"]
    return Table(title, header, rows, name_columns=2)


def _table_of_pairs(answers: list[Answer], goal: Goal) -> Table:
    rows = []
    for x in answers:
        for pair in x.pairs:
            names = [pair.better, pair.worse]
            difference = show_difference(*x.comparison.summarize_pair(*names))
            now = [show_present(pair), f"{pair.share_now:.2f}"]
            rows.append([*names, difference, *now, show_size(pair.size, x.largest)])
    title = (
        f"About how many {goal.units}{goal.each} show {goal.difference} with power "
        f"{goal.power:g}"
    )
    units = goal.units
    header = ["A", "B", "A - B", f"{units} now", "power now"]
    table = Table(title, [*header, f"{units} needed"], rows, name_columns=2)
    return _with_tasks(table, [x.task for x in answers for _ in x.pairs])


def _table_of_lifts(answers: list[Answer]) -> Table:
    rows = []
    has_lifts = len({x.lift for x in answers}) > 1
    for x in answers:
        summaries = {name: x.comparison.summaries[name] for name in x.powers}
        show = number_format(list(summaries.values()))
        for name, summary in summaries.items():
            n = str(len(x.comparison.scores[name]))
            shown = [show(summary["mean"]), show(summary["sd"])]
            factor = [f"{x.lift.factor:.4g}"] if has_lifts and x.lift else []
            rows.append([name, n, *shown, *factor, f"{x.powers[name]:.3f}"])
    title = f"Power to see {say_lift(answers)}"
    header = ["model", "n", "mean", "sd", *["lift"] * has_lifts, "power"]
    table = Table(title, header, rows)
    return _with_tasks(table, [x.task for x in answers for _ in x.powers])


def _with_tasks(table: Table, tasks: list[str]) -> Table:
    if len(set(tasks)) < 2:
        return table
    return replace(
        table,
        header=["task", *table.header],
        rows=[[task, *row] for task, row in zip(tasks, table.rows, strict=True)],
        name_columns=table.name_columns + 1,
    )
