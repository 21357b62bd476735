"""`sigarray power` over these tasks, by --statistic, and of items in several runs."""

import argparse
import math
import warnings
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from sigarray._cli.power_answers import Answer, Goal
from sigarray._cli.power_report import (
    describe_pair,
    describe_power,
    report_power,
    say_precision,
)
from sigarray._cli.power_sizes import (
    count_samples,
    list_sizes,
    round_size,
    search_sizes,
)
from sigarray._difference.components import required_items, variance_components
from sigarray._plain_text import list_in_words, quote, show_number
from sigarray._verdicts.aggregate_tables import count_tasks
from sigarray._verdicts.aggregates import NAMES, Aggregates, compare_aggregates
from sigarray._verdicts.asked import ALPHA, Request
from sigarray._verdicts.comparison import Comparison, pairs_of
from sigarray._verdicts.margins import list_claims
from sigarray._verdicts.request import (
    check_baseline,
    choose_default_test,
    count_pairs,
    describe_comparison,
    make_test,
)
from sigarray._verdicts.sampled import take_clusters
from sigarray._verdicts.samples import AggregateTrials
from sigarray.read._messages import announce
from sigarray.read._score_table import ScoreTable
from sigarray.report._layout import (
    Report,
    Table,
    count_decimals,
    show_interval,
    without_infinities,
)

# Resamples of each sample, or as many as make the least p-value small enough.
_N_RESAMPLES, _TIMES_ABOVE_LEAST = 999, 10
# Numbers of runs beside those that there are.
_RUNS = (3, 5, 10, 20)


def report_tasks(
    table: ScoreTable, request: Request, options: argparse.Namespace
) -> tuple[Report, Answer, Goal]:
    """Say how many scores on each of these tasks show the difference of each pair."""
    option = f"--statistic {request.statistic}"
    given = [x for x in ("lift", "difference") if getattr(options, x) is not None]
    if len(table.models) < 2 or given:
        got = f"--{given[0]}, of single tasks. Leave it out" if given else "one"
        msg = f"Expected two models or more with {option}; got {got}."
        raise ValueError(msg)
    if table.clusters and request.statistic != "mean":
        msg = (
            f"Expected runs, or items without clusters, with {option}; got items in "
            "clusters. Leave it out: sigarray power draws whole clusters for the means."
        )
        raise ValueError(msg)
    request = check_baseline(request, table)
    with warnings.catch_warnings(action="ignore"):  # of the test on each task
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
    units = take_clusters(table, as_sums=False)
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
    answer = _search_tasks(trials, found, leads, x, options)
    method = _describe_tasks(trials, found, goal)
    name = "probability_of_improvement" if found.is_of_pairs else "difference"
    start = 0.5 if found.is_of_pairs else 0.0
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
            describe_pair(pair, goal) | {name: start + leads[pair.better, pair.worse]}
            for pair in answer.pairs
        ],
    }
    title = f"{x.source}, {x.direction}{where}"
    return report_power([answer], goal, method, document, title), answer, goal


def _search_tasks(
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
    sizes = list_sizes(max(map(max, numbers.values())))
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


def _describe_tasks(trials: AggregateTrials, found: Aggregates, goal: Goal) -> str:
    said = f"the verdict of sigarray compare by {NAMES[found.statistic][1]}"
    if goal.n_tasks > 1:
        said += f" over these {count_tasks(found)}"
    if found.n_resamples is not None:
        said += f", of {found.n_resamples} resamples"
    said += f": p <= {found.level:.10g}"
    if found.is_corrected and len(found.pairs) > 1:
        said += f", Holm's correction for {len(found.pairs)} comparisons"
    finds = ""
    if goal.margin is not None:
        finds = "a model not worse, by one-sided tests of a margin of "
        finds += f"{goal.margin:.10g}"
    drawn = f"the {goal.units} of all models{' on each task' * (goal.n_tasks > 1)}{{}}"
    power = describe_power(trials, goal, drawn, finds)
    return f"{said}. {power}. {say_precision(trials.number, goal)}"


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


class _Pair(NamedTuple):
    """Two models of a task: what they vary by, and the items that they need."""

    task: str
    a: str
    b: str
    difference: float
    present: tuple[int, int, int]
    sds: list[float]
    items: list[float]

    @property
    def numbers(self) -> dict[str, Any]:
        """What is known of the pair, for programs."""
        counts = zip(("n_runs_a", "n_runs_b", "n_items"), self.present, strict=True)
        sds = zip(("sd_by_run", "sd_by_item", "sd_by_both"), self.sds, strict=True)
        names = {"model_a": self.a, "model_b": self.b}
        return {**names, "mean_difference": self.difference, **dict([*counts, *sds])}


def report_items(
    table: ScoreTable, request: Request, options: argparse.Namespace
) -> Report:
    """Say how many items show a difference, for several numbers of runs."""
    request = check_baseline(request, table)
    _refuse_options_of_items(table, request, options)
    request = choose_default_test(request, table)
    test = make_test(request, table)
    n_pairs = count_pairs(table, request) if request.is_corrected else 1
    present = {len(x.scores) for by in table.runs.values() for x in by.values()}
    n_runs = sorted({*present, *_RUNS} - {1})
    asked: dict[str, Any] = {
        "alternative": "two-sided" if request.margin is None else "greater",
        "alpha": (request.alpha or ALPHA) / n_pairs,
        "power": options.power,
    }
    pairs = []
    for task, by in table.runs.items():
        compared = pairs_of(by, request.baseline)
        if request.margin is not None:
            compared = list_claims(compared, request.baseline)
        for a, b in compared:
            scores = [by[name].scores for name in (a, b)]
            lead = float(scores[0].mean() - scores[1].mean())
            size = abs(lead) if options.difference is None else options.difference
            if request.margin is not None:
                size = (lead if request.higher_is_better else -lead) + request.margin
            components = [float(x) for x in variance_components(*scores)[:3]]
            items = [math.inf] * len(n_runs)
            if size > 0.0:
                needed = required_items(components, n_runs, size, **asked)
                items = np.asarray(needed).tolist()
            sds = [math.sqrt(max(0.0, x)) for x in components]
            counts = (len(scores[0]), len(scores[1]), scores[0].shape[1])
            pairs.append(_Pair(task, a, b, lead, counts, sds, items))
    return _report_items(table, pairs, n_runs, options, test.alpha, n_pairs)


def _refuse_options_of_items(
    table: ScoreTable, request: Request, options: argparse.Namespace
) -> None:
    what = f"{table.source}, items in several runs of each model"
    refused = {
        f"independent items of {what}; got items in clusters. For power of these "
        "trained models, by numbers of clusters, pass --unit item with --cluster. "
        "Numbers of items, without --cluster or with --ignore for its column, are too "
        "small where items of a cluster are alike.": bool(table.clusters),
        f"two models or more of {what}; got one.": len(table.models) < 2,
        f"--test t of {what}; got --test {request.test}. Pass --unit run or --unit "
        "item, or leave it out.": request.test not in (None, "t"),
    }
    for expected, is_there in refused.items():
        if is_there:
            msg = f"Expected {expected}"
            raise ValueError(msg)
    for name, there_is in (
        ("lift", "no lift, but --difference or the difference that models have"),
        ("plot", "no picture of power"),
    ):
        if getattr(options, name) is not None:
            msg = f"Of {what}, there is {there_is}; got --{name}. Leave it out."
            raise ValueError(msg)


def _report_items(
    table: ScoreTable,
    pairs: list[_Pair],
    n_runs: list[int],
    options: argparse.Namespace,
    alpha: float,
    n_pairs: int,
) -> Report:
    has_tasks = len(table.runs) > 1
    rows = [
        [
            *([x.task] if has_tasks else []),
            *(x.a, x.b, show_number(x.difference, sign="+"), _show_present(x)),
            *("none" if math.isinf(n) else str(round_size(n)) for n in x.items),
        ]
        for x in pairs
    ]
    goal = Goal(
        options.power, "item", margin=options.margin, difference=options.difference
    )
    aim = goal.what.replace("the difference", "the difference that they have")
    title = (
        f"About how many items show {aim} with power {options.power:g}, by the number "
        "of runs of each model"
    )
    header = ["task"] if has_tasks else []
    header += ["A", "B", "A - B", "now", *(f"{n} runs" for n in n_runs)]
    none = '"none": no number of items is enough, for so few runs vary too much by '
    none += "themselves."
    remarks = [none] if any(math.inf in x.items for x in pairs) else []
    fewest = min(n for x in pairs for n in x.present[:2])
    remarks.append(
        f"The spread of runs is known by {fewest} of a model at least, with a relative "
        f"error of about {100.0 * (0.5 / (fewest - 1)) ** 0.5:.0f} %, and numbers of "
        "items with it."
    )
    method = (
        "the t-test of sigarray compare, for new runs and new items, "
        f"{'two' if options.margin is None else 'one'}-sided at level {alpha:.10g}"
    )
    if n_pairs > 1:
        method += f" / {n_pairs}, as if no other of {n_pairs} comparisons were decided"
    method += (
        ". Numbers of items are by the components of variance of these scores (by "
        "run, by item and by both) and quantiles of Student's t"
    )
    records = [
        {
            **({"task": x.task} if has_tasks else {}),
            **x.numbers,
            "n_runs": n,
            "required_power": options.power,
            "required_items": "" if math.isinf(k) else int(k),
        }
        for x in pairs
        for n, k in zip(n_runs, x.items, strict=True)
    ]
    document: dict[str, Any] = {
        "source": table.source,
        "alpha": alpha,
        "n_comparisons": n_pairs,
        "required_power": options.power,
        "difference": options.difference,
        **({} if options.margin is None else {"margin": options.margin}),
        "n_runs": n_runs,
        "method": method,
        "pairs": [
            without_infinities({"task": x.task} | x.numbers)
            | {"required_items": [None if math.isinf(n) else int(n) for n in x.items]}
            for x in pairs
        ],
    }
    sentences = [_say_items(x, n_runs, options, has_tasks=has_tasks) for x in pairs]
    return Report(
        [Table(title, header, rows, name_columns=3 if has_tasks else 2, decides=True)],
        [*sentences, remarks[-1]],
        method,
        records,
        document,
        headline=[f"{table.source}, items in several runs of each model"],
        remarks=remarks,
    )


def _show_present(x: _Pair) -> str:
    runs = " and ".join(map(str, dict.fromkeys(x.present[:2])))
    return f"{runs} x {x.present[2]}"


def _say_items(
    x: _Pair, n_runs: list[int], options: argparse.Namespace, *, has_tasks: bool
) -> str:
    on = f"On {quote(x.task)}: " if has_tasks else ""
    size = abs(x.difference) if options.difference is None else options.difference
    aim = f"a difference of {show_number(size)}"
    if options.margin is not None:
        aim = f"that {quote(x.a)} is not worse by {options.margin:.10g} or more"
    needed = dict(zip(n_runs, x.items, strict=True))
    none = [f"{n}" for n, k in needed.items() if math.isinf(k)]
    known = {n: round_size(k) for n, k in needed.items() if k < math.inf}
    shown = [f"about {k} items with {n} runs" for n, k in known.items()]
    told = [f"it takes {list_in_words(shown)}"] if shown else []
    if none:
        told.append(f"no number of items is enough with {list_in_words(none)} runs")
    return (
        f"{on}{quote(x.a)} vs. {quote(x.b)}, now {_show_present(x)}: to see "
        f"{aim}, {'; '.join(told)} of each model."
    )
