"""`sigarray power --statistic`: how many scores a verdict over these tasks needs."""

import argparse
import math
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from sigarray._cli.power_answers import Answer, Goal
from sigarray._cli.power_report import (
    describe_pair,
    describe_power,
    report_power,
    say_precision,
)
from sigarray._cli.power_sizes import count_samples, list_sizes, search_sizes
from sigarray._verdicts.aggregate_tables import count_tasks
from sigarray._verdicts.aggregates import NAMES, Aggregates, compare_aggregates
from sigarray._verdicts.asked import Request
from sigarray._verdicts.comparison import Comparison
from sigarray._verdicts.margins import list_claims
from sigarray._verdicts.notes import announce
from sigarray._verdicts.request import (
    check_baseline,
    choose_default_test,
    describe_comparison,
    make_test,
)
from sigarray._verdicts.sampled import take_clusters
from sigarray._verdicts.samples import AggregateTrials
from sigarray.read._score_table import ScoreTable
from sigarray.report._layout import Report
from sigarray.report._numbers import count_decimals, show_interval

# Resamples of each sample, unless the least p-value has to be smaller: for power, p
# needs to be known no better than samples tell.
_N_RESAMPLES, _TIMES_ABOVE_LEAST = 999, 10


def report_tasks(
    table: ScoreTable, request: Request, options: argparse.Namespace
) -> tuple[Report, Answer, Goal]:
    """Say how many scores on each of these tasks show the difference of each pair."""
    name = f"--statistic {request.statistic}"
    given = [x for x in ("lift", "difference") if getattr(options, x) is not None]
    if len(table.models) < 2 or given:
        got = f"--{given[0]}, of single tasks. Leave it out" if given else "one"
        msg = f"Expected two models or more with {name}; got {got}."
        raise ValueError(msg)
    if table.clusters and request.statistic != "mean":
        msg = (
            f"Expected runs, or items without clusters, with {name}; got items in "
            "clusters. Leave it out: sigarray power draws whole clusters for the means."
        )
        raise ValueError(msg)
    request = check_baseline(request, table)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the test on each task
        test = make_test(choose_default_test(request, table), table)
    x = describe_comparison(request, table, test, next(iter(table.tasks)))
    level = x.error_of_intervals
    least = math.ceil(_TIMES_ABOVE_LEAST * len(x.pairs) / level) - 1
    asked: dict[str, Any] = {
        "level": level,
        "is_corrected": request.is_corrected,
        "higher_is_better": request.higher_is_better,
        "baseline": request.baseline,
        "margin": request.margin,
        "n_resamples": options.n_resamples or max(_N_RESAMPLES, least),
        "seed": request.seed,
    }
    statistic: Any = request.statistic
    found = compare_aggregates(table, statistic, **asked)
    units = take_clusters(table)
    goal = Goal(
        options.power,
        units.unit,
        margin=request.margin,
        n_tasks=len(found.tasks),
        lead="P(A>B)" if found.is_of_pairs else "A - B",
    )
    trials = AggregateTrials(
        {task: units.tasks[task] for task in found.tasks},
        statistic,
        **asked,
        is_paired=table.is_paired,
        unit=units.unit,
        number=options.n_samples or count_samples(options.power),
    )
    leads = {(y.a, y.b): y.difference for y in found.pairs}
    leads |= {names[::-1]: -lead for names, lead in leads.items()}
    answer = _search(trials, found, leads, x, options)
    method = _describe(trials, found, goal)
    where = f", {count_tasks(found)}" if goal.n_tasks > 1 else ""
    document = {
        "source": x.source,
        "statistic": found.statistic,
        "tasks": found.tasks,
        "higher_is_better": request.higher_is_better,
        "alpha": level,
        "correction": "holm" if request.is_corrected else None,
        **({} if request.margin is None else {"margin": request.margin}),
        "n_resamples": found.n_resamples,
        "seed": request.seed,
        "n_samples": trials.number,
        "method": method,
        "required_power": goal.power,
        "largest_size_tried": answer.largest,
        "pairs": [
            describe_pair(pair, goal)
            | _name_lead(found, leads[pair.better, pair.worse])
            for pair in answer.pairs
        ],
    }
    title = f"{x.source}, {x.direction}{where}"
    report = report_power([answer], goal, method, document, title)
    return report, answer, goal


def _search(
    trials: AggregateTrials,
    found: Aggregates,
    leads: Mapping[tuple[str, str], float],
    x: Comparison,
    options: argparse.Namespace,
) -> Answer:
    sign = 1.0 if found.higher_is_better else -1.0
    pairs = list(leads)
    if trials.margin is not None:
        pairs = list_claims([(y.a, y.b) for y in found.pairs], trials.baseline)
    of_tasks = list(trials.tasks.values())
    numbers = {name: [len(by[name]) for by in of_tasks] for name in of_tasks[0]}
    distances = {pair: sign * leads[pair] + (trials.margin or 0.0) for pair in pairs}
    present = {
        (a, b): (min(numbers[a]), min(numbers[b]))
        for a, b in pairs
        if distances[a, b] > 0.0
    }
    most = max(n for by in numbers.values() for n in by)
    sizes = list_sizes(most)
    sized = search_sizes(
        lambda size, _: trials.share_better(size),
        present,
        sizes,
        options.power,
        trials.number,
        are_equal=len({n for by in numbers.values() for n in by}) == 1,
        is_drawn=options.plot is not None,
        guess=lambda seconds: announce(
            f"power of --statistic {trials.statistic} for {len(found.pairs)} pairs",
            seconds,
            "Faster: --statistic mean, fewer --n-samples, fewer models with --columns.",
        ),
    )
    largest = max([sizes[-1], *map(min, present.values())])
    return Answer("", x, [], sized, largest, _show_leads(found, leads))


def _describe(trials: AggregateTrials, found: Aggregates, goal: Goal) -> str:
    over = f" over these {count_tasks(found)}" if goal.n_tasks > 1 else ""
    by = NAMES[found.statistic][1]
    said = f"the verdict of sigarray compare by {by}{over}"
    if found.n_resamples is not None:
        said += f", of {found.n_resamples} resamples"
    said += f": p <= {found.level:.10g}"
    if found.is_corrected and len(found.pairs) > 1:
        said += f", Holm's correction for {len(found.pairs)} comparisons"
    finds = ""
    if goal.margin is not None:
        finds = "a model not worse, by one-sided tests of a margin of "
        finds += f"{goal.margin:.10g}"
    on = " on each task" * (goal.n_tasks > 1)
    power = describe_power(
        trials, goal, f"the {goal.units} of all models{on}{{}}", finds
    )
    return f"{said}. {power}. {say_precision(trials.number, goal)}"


def _name_lead(found: Aggregates, lead: float) -> dict[str, float]:
    """Return how far A is ahead by the name that it has."""
    if found.is_of_pairs:
        return {"probability_of_improvement": 0.5 + lead}
    return {"difference": lead}


def _show_leads(
    found: Aggregates, leads: Mapping[tuple[str, str], float]
) -> Callable[[str, str], str]:
    """Return how a lead and its interval are shown, or a probability."""
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
