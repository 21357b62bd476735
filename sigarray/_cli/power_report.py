"""The report of `sigarray power`: whether each model and pair has enough scores."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sigarray._cli.power_lift import Lift
from sigarray._plain_text import quote
from sigarray._verdicts.comparison import Comparison, start_document
from sigarray._verdicts.ranking import MAX_SHOWN
from sigarray._verdicts.samples import Trials
from sigarray.report._layout import Report, Table
from sigarray.report._numbers import number_format, show_difference


@dataclass(frozen=True)
class SizedPair:
    """How many scores of each model show the difference, and in what share of samples.

    The size is infinite if no size that was tried is enough. `shares` has those of all
    sizes that were tried, if they are to be drawn.
    """

    better: str
    worse: str
    size: float
    share: float
    shares: Mapping[int, float] = field(default_factory=dict)

    @property
    def is_enough(self) -> bool:
        """Whether a size that was tried is enough."""
        return not math.isinf(self.size)


@dataclass(frozen=True)
class Goal:
    """How often a difference of scores is to be seen."""

    power: float
    unit: str


@dataclass(frozen=True)
class Answer:
    """The results of a task, in samples of up to the largest size."""

    task: str
    comparison: Comparison
    powers: dict[str, float]
    pairs: list[SizedPair]
    largest: int
    lift: Lift


def report_power(answers: list[Answer], trials: Trials, goal: Goal) -> Report:
    """Say for every model and every pair whether there are enough scores."""
    first, first_lift = answers[0].comparison, answers[0].lift
    is_one_lift = _say_lift(answers) == first_lift.said
    method = (
        f"the verdict of sigarray compare, {trials.test.say_rule(first)}. Power is the "
        f"share of {trials.number} samples of each size, drawn from these "
        f"{goal.unit}s of all models (seed {trials.seed}), in which it finds the "
        "better one"
    )
    if trials.n_tasks > 1:
        method += ", on each task, where the others show no difference"
    of_each = {x.task: _document_of(x) for x in answers}
    document = start_document(first, first.correction) | {
        "seed": trials.seed,
        "n_samples": trials.number,
        "method": method,
        "lift": first_lift.factor if is_one_lift else None,
        "power": goal.power,
    }
    is_one = len(answers) == 1
    if is_one:
        document |= of_each[answers[0].task]
    else:
        del document["models"]  # of one task
        document["tasks"] = of_each
    records = [record for x in answers for record in _records_of(x, goal)]
    if is_one:
        for record in records:
            del record["task"]
    tables = [_model_table(answers)]
    if sum(len(x.powers) for x in answers) > MAX_SHOWN:
        return Report(tables, _say_counts(answers, goal), method, records, document)
    if any(x.pairs for x in answers):
        tables.append(_pair_table(answers, goal))
    sentences = []
    for x in answers:
        on = "" if is_one else f"On {quote(x.task)}: "
        said = [_say_power(x, m, p, goal) for m, p in x.powers.items()]
        said += [_say_size(pair, x.largest, goal) for pair in x.pairs]
        sentences += [f"{on}{y[0].lower()}{y[1:]}" for y in said] if on else said
    sizes = [len(x.comparison.scores[name]) for x in answers for name in x.powers]
    if any(x.pairs for x in answers):
        sentences.append(_say_pilot(min(sizes), goal.unit))
    return Report(tables, sentences, method, records, document)


def _say_lift(answers: list[Answer]) -> str:
    """Name the lift that is to be seen, which may be another one on each task."""
    said = {x.lift.said for x in answers}
    return said.pop() if len(said) == 1 else "the lift of each task"


def _document_of(x: Answer) -> dict[str, Any]:
    return {
        "lift": x.lift.factor,
        "largest_size_tried": x.largest,
        "models": x.powers,
        "pairs": [
            {
                "better": pair.better,
                "worse": pair.worse,
                "required_sample_size": int(pair.size) if pair.is_enough else None,
                "power": pair.share if pair.is_enough else None,
            }
            for pair in x.pairs
        ],
    }


def _records_of(x: Answer, goal: Goal) -> list[dict[str, Any]]:
    rows: list[tuple[Any, ...]] = [
        (name, "", power, "") for name, power in x.powers.items()
    ]
    for pair in x.pairs:
        numbers = (pair.share, int(pair.size)) if pair.is_enough else ("", "")
        rows.append((pair.better, pair.worse, *numbers))
    return [
        {
            "task": x.task,
            "model_a": a,
            "model_b": b,
            "power": power,
            "required_power": goal.power,
            "required_sample_size": size,
        }
        for a, b, power, size in rows
    ]


def _model_table(answers: list[Answer]) -> Table:
    rows = []
    has_lifts = len({x.lift for x in answers}) > 1
    for x in answers:
        summaries = {name: x.comparison.summaries[name] for name in x.powers}
        show = number_format(list(summaries.values()))
        for name, summary in summaries.items():
            n = str(len(x.comparison.scores[name]))
            shown = [show(summary["mean"]), show(summary["sd"])]
            factor = [f"{x.lift.factor:.4g}"] * has_lifts
            rows.append([name, n, *shown, *factor, f"{x.powers[name]:.3f}"])
    title = f"{answers[0].comparison.source}: power to see {_say_lift(answers)}"
    header = ["model", "n", "mean", "sd", *["lift"] * has_lifts, "power"]
    table = Table(title, header, rows)
    return _with_tasks(table, [x.task for x in answers for _ in x.powers])


def _pair_table(answers: list[Answer], goal: Goal) -> Table:
    rows = []
    for x in answers:
        for pair in x.pairs:
            names = [pair.better, pair.worse]
            summaries = [x.comparison.summaries[name] for name in names]
            shown = f"{pair.size:.0f}" if pair.is_enough else f"> {x.largest}"
            rows.append([*names, show_difference(*summaries), shown])
    of = "" if goal.unit != "run" else " of each"
    header = ["better", "than", "mean difference", f"{goal.unit}s{of}"]
    title = f"{goal.unit.title()}s that show the difference with power {goal.power:g}"
    table = Table(title, header, rows, name_columns=2)
    return _with_tasks(table, [x.task for x in answers for _ in x.pairs])


def _with_tasks(table: Table, tasks: list[str]) -> Table:
    """Add the task of each row, if there are several."""
    if len(set(tasks)) < 2:
        return table
    return replace(
        table,
        header=["task", *table.header],
        rows=[[task, *row] for task, row in zip(tasks, table.rows, strict=True)],
        name_columns=table.name_columns + 1,
    )


def _say_power(x: Answer, name: str, power: float, goal: Goal) -> str:
    n = len(x.comparison.scores[name])
    verdict = "enough" if power >= goal.power else "too few"
    return (
        f"{n} {goal.unit}s of {quote(name)} are {verdict} to see {x.lift.said}: power "
        f"{power:.3f}, where {goal.power:g} is asked for."
    )


def _say_size(x: SizedPair, largest: int, goal: Goal) -> str:
    each = " each" if goal.unit == "run" else ""
    if not x.is_enough:
        return (
            f"More than {largest} {goal.unit}s{each} would be needed to see that "
            f"{quote(x.better)} is better than {quote(x.worse)} with power "
            f"{goal.power:g}."
        )
    return (
        f"About {x.size:.0f} {goal.unit}s{each} show, with power {x.share:.2f}, that "
        f"{quote(x.better)} is better than {quote(x.worse)}, if the difference is as "
        "large as it seems."
    )


def _say_pilot(n: int, unit: str) -> str:
    """Say how far the number of scores may be off, as an estimate from few scores.

    It is proportional to the variance over the square of the difference. Only the error
    of the variance is counted: for n normal scores, (n - 1) times the variance over the
    true one has the chi-square distribution.
    """
    low, high = ((n - 1) / find_chi_square(p, n - 1) for p in (0.95, 0.05))
    most = f"{high:.2g}" if high < 10.0 else "more than 10"
    return (
        f"Of {n} {unit}s a variance is an estimate: the numbers may have to be "
        f"{low:.2g} to {most} times as large (90 % confidence, normal scores), "
        "and more where the difference only seems as large as it is."
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


def _say_counts(answers: list[Answer], goal: Goal) -> list[str]:
    """Say how many models and pairs have enough scores, if there are many."""
    powers = [power for x in answers for power in x.powers.values()]
    pairs = [pair for x in answers for pair in x.pairs]
    n_enough = sum(power >= goal.power for power in powers)
    n_seen = sum(pair.is_enough for pair in pairs)
    largest = max(x.largest for x in answers)
    on = "" if len(answers) == 1 else f", over {len(answers)} tasks,"
    return [
        f"{n_enough} of {len(powers)} models{on} have enough {goal.unit}s to see "
        f"{_say_lift(answers)}, with power {goal.power:g}.",
        f"{n_seen} of {len(pairs)} pairs{on} would show their difference with at most "
        f"{largest} {goal.unit}s.",
        "Take --format csv or json for all pairs, or --columns for some models.",
    ]
