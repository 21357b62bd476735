"""`sigarray power` over these tasks, by --statistic, and of items in several runs."""

import argparse
import math
import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from sigarray._cli.power_alone import CONFIDENCE, find_spreads
from sigarray._cli.power_answers import Answer, Goal, show_leads
from sigarray._cli.power_report import describe_pair, describe_tasks, report_power
from sigarray._cli.power_sizes import (
    count_samples,
    list_sizes,
    round_size,
    search_sizes,
)
from sigarray._difference.components import required_items, variance_components
from sigarray._plain_text import list_in_words, quote, show_number
from sigarray._verdicts.aggregates import Aggregates, compare_aggregates
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
from sigarray.report._layout import Report, Table, without_infinities

# Resamples of each sample, or as many as make the least p-value small enough.
_N_RESAMPLES, _TIMES_ABOVE_LEAST = 999, 10
# Numbers of runs beside those that there are.
_RUNS = (3, 5, 10, 20)


def report_tasks(
    table: ScoreTable, request: Request, options: argparse.Namespace
) -> tuple[Report, Answer, Goal]:
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
    method = describe_tasks(trials, found, goal)
    name = "probability_of_improvement" if found.is_of_pairs else "difference"
    start = 0.5 if found.is_of_pairs else 0.0
    where = f", {found.said_tasks}" if goal.n_tasks > 1 else ""
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
        exponent=2 if found.is_of_pairs else 1,
        guess=lambda seconds: announce(
            f"power of --statistic {trials.statistic} for {len(found.pairs)} pairs",
            seconds,
            "Faster: --statistic mean, fewer --n-samples, fewer models with --columns.",
        ),
    )
    largest = max([sizes[-1], *map(min, present.values())])
    return Answer("", x, [], sized, largest, show_leads(found, leads))


# If runs vary as they do, or as little or as much as so few may: in tables and files.
_SPREADS = {"now": "", "least": "_low", "most": "_high"}


class _Pair(NamedTuple):
    """Two models of a task: what they vary by, and the items that they need.

    These are for several numbers of runs, as runs vary in `_SPREADS`.
    """

    task: str
    a: str
    b: str
    difference: float
    present: tuple[int, int, int]
    sds: list[float]
    items: dict[str, list[float]]

    @property
    def numbers(self) -> dict[str, Any]:
        counts = zip(("n_runs_a", "n_runs_b", "n_items"), self.present, strict=True)
        sds = zip(("sd_by_run", "sd_by_item", "sd_by_both"), self.sds, strict=True)
        names = {"model_a": self.a, "model_b": self.b}
        return {**names, "mean_difference": self.difference, **dict([*counts, *sds])}

    def list_items(self, none: Any) -> dict[str, list[Any]]:
        return {
            f"required_items{end}": [none if math.isinf(n) else int(n) for n in items]
            for end, items in zip(_SPREADS.values(), self.items.values(), strict=True)
        }


def report_items(
    table: ScoreTable, request: Request, options: argparse.Namespace
) -> Report:
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
            components = [np.asarray(x) for x in variance_components(*scores)[:3]]
            sds = [math.sqrt(max(0.0, float(x))) for x in components]
            components[0] = components[0] + _find_errors(scores)
            items = np.full((len(_SPREADS), len(n_runs)), math.inf)
            if size > 0.0:
                items = np.asarray(required_items(components, n_runs, size, **asked))
            items[1:] = items.min(axis=0), items.max(axis=0)
            counts = (len(scores[0]), len(scores[1]), scores[0].shape[1])
            needed = dict(zip(_SPREADS, items.tolist(), strict=True))
            pairs.append(_Pair(task, a, b, lead, counts, sds, needed))
    return _report_items(table, pairs, n_runs, options, test.alpha, n_pairs)


def _find_errors(scores: list[np.ndarray]) -> np.ndarray:
    """Return by how much the variance by run may be off, by the means of runs (3,)."""
    of_means = np.asarray([x.mean(axis=1).var(ddof=1) for x in scores])
    total = of_means.sum()
    if not total > 0.0:
        return np.zeros(len(_SPREADS))
    # The degrees of freedom of a sum (Satterthwaite).
    df = total**2 / sum(of_means**2 / [len(x) - 1 for x in scores])
    return np.asarray([0.0, *(total * (x * x - 1.0) for x in find_spreads(df))])


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
            *(x.a, x.b, show_number(x.difference, sign="+"), _show_present(x), spread),
            *("none" if math.isinf(n) else str(round_size(n)) for n in items),
        ]
        for x in pairs
        for spread, items in x.items.items()
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
    header += ["A", "B", "A - B", "now", "spread", *(f"{n} runs" for n in n_runs)]
    none = '"none": no number of items is enough, for so few runs vary too much by '
    none += "themselves."
    has_none = any(math.inf in items for x in pairs for items in x.items.values())
    remarks = [none] if has_none else []
    remarks.append(
        '"least" and "most": if the spread of runs is at the lower or the upper limit '
        f"of what so few runs show {CONFIDENCE}."
    )
    method = (
        "the t-test of sigarray compare, for new runs and new items, "
        f"{'two' if options.margin is None else 'one'}-sided at level {alpha:.10g}"
    )
    if n_pairs > 1:
        method += f" / {n_pairs}, as if no other of {n_pairs} comparisons were decided"
    method += (
        ". Numbers of items are by the components of variance of these scores (by "
        "run, by item and by both)"
    )
    records = [
        {
            **({"task": x.task} if has_tasks else {}),
            **x.numbers,
            "n_runs": n,
            "required_power": options.power,
            **{name: items[k] for name, items in x.list_items("").items()},
        }
        for x in pairs
        for k, n in enumerate(n_runs)
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
            without_infinities({"task": x.task} | x.numbers) | x.list_items(None)
            for x in pairs
        ],
    }
    sentences = [_say_items(x, n_runs, options, has_tasks=has_tasks) for x in pairs]
    return Report(
        [Table(title, header, rows, name_columns=3 if has_tasks else 2, decides=True)],
        sentences,
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
    now, least, most = (_say_needed(n_runs, items) for items in x.items.values())
    return (
        f"{on}{quote(x.a)} vs. {quote(x.b)}, now {_show_present(x)}: to see {aim}, "
        f"{now} of each model. With the least spread of runs that so few may have, "
        f"{least}; with the most, {most} {CONFIDENCE}."
    )


def _say_needed(n_runs: list[int], items: list[float]) -> str:
    shown = [
        f"about {round_size(k)} items with {n} runs"
        for n, k in zip(n_runs, items, strict=True)
        if k < math.inf
    ]
    told = [f"it takes {list_in_words(shown)}"] if shown else []
    none = [f"{n}" for n, k in zip(n_runs, items, strict=True) if k == math.inf]
    if none:
        told.append(f"no number of items is enough with {list_in_words(none)} runs")
    return ", and ".join(told)
