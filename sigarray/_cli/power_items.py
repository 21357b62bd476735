"""`sigarray power` of items in several runs: how many items so many runs need."""

import argparse
import math
from typing import Any, NamedTuple

import numpy as np

from sigarray._cli.power_sizes import round_size
from sigarray._difference.components import required_items, variance_components
from sigarray._plain_text import list_in_words, quote, show_number
from sigarray._verdicts.asked import ALPHA, Request
from sigarray._verdicts.comparison import pairs_of
from sigarray._verdicts.margins import list_claims
from sigarray._verdicts.request import (
    check_baseline,
    choose_default_test,
    count_pairs,
    make_test,
)
from sigarray.read._score_table import ScoreTable
from sigarray.report._layout import Report, Table
from sigarray.report._numbers import without_infinities

# Numbers of runs beside those that there are.
_RUNS = (3, 5, 10, 20)


class _Pair(NamedTuple):
    """Two models of a task: what they vary by, and the items that they need."""

    task: str
    a: str
    b: str
    difference: float
    present: tuple[int, int, int]
    sds: tuple[float, float, float]
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
    _refuse_options(table, request, options)
    request = choose_default_test(request, table)
    test = make_test(request, table)
    n_pairs = count_pairs(table, request) if request.is_corrected else 1
    present = {len(x.scores) for by in table.runs.values() for x in by.values()}
    n_runs = sorted({*present, *_RUNS} - {1})
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
            found = variance_components(*scores)
            components = [float(x) for x in found[:3]]
            items = [math.inf] * len(n_runs)
            if size > 0.0:
                needed = required_items(
                    components,
                    n_runs,
                    size,
                    alternative="two-sided" if request.margin is None else "greater",
                    alpha=(request.alpha or ALPHA) / n_pairs,
                    power=options.power,
                )
                items = np.asarray(needed).tolist()
            by_run, by_item, by_both = (math.sqrt(max(0.0, x)) for x in components)
            sds = by_run, by_item, by_both
            counts = (len(scores[0]), len(scores[1]), scores[0].shape[1])
            pairs.append(_Pair(task, a, b, lead, counts, sds, items))
    return _report(table, pairs, n_runs, options, test.alpha, n_pairs)


def _refuse_options(
    table: ScoreTable, request: Request, options: argparse.Namespace
) -> None:
    what = f"{table.source}, items in several runs of each model"
    if table.clusters:
        msg = (
            f"Expected independent items of {what}; got items in clusters. For power "
            "of these trained models, by numbers of clusters, pass --unit item with "
            "--cluster. Numbers of items, without --cluster or with --ignore for its "
            "column, are too small where items of a cluster are alike."
        )
        raise ValueError(msg)
    if len(table.models) < 2:
        msg = f"Expected two models or more of {what}; got one."
        raise ValueError(msg)
    if request.test not in (None, "t"):
        msg = (
            f"Expected --test t of {what}; got --test {request.test}. Pass --unit run "
            "or --unit item, or leave it out."
        )
        raise ValueError(msg)
    for name, there_is in (
        ("lift", "no lift, but --difference or the difference that models have"),
        ("plot", "no picture of power"),
    ):
        if getattr(options, name) is not None:
            msg = f"Of {what}, there is {there_is}; got --{name}. Leave it out."
            raise ValueError(msg)


def _report(
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
    aim = "the difference that they have"
    if options.difference is not None:
        aim = f"a difference of {options.difference:.10g}"
    if options.margin is not None:
        aim = f"that A is not worse than B by {options.margin:.10g} or more"
    title = (
        f"About how many items show {aim} with power {options.power:g}, by the number "
        "of runs of each model"
    )
    task = ["task"] if has_tasks else []
    header = [*task, "A", "B", "A - B", "now", *(f"{n} runs" for n in n_runs)]
    remarks = []
    if any(map(math.isinf, (n for x in pairs for n in x.items))):
        remarks.append(
            '"none": no number of items is enough, for so few runs vary too much by '
            "themselves."
        )
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
    sentences = [_say(x, n_runs, options, has_tasks=has_tasks) for x in pairs]
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


def _say(
    x: _Pair, n_runs: list[int], options: argparse.Namespace, *, has_tasks: bool
) -> str:
    on = f"On {quote(x.task)}: " if has_tasks else ""
    size = abs(x.difference) if options.difference is None else options.difference
    aim = f"a difference of {show_number(size)}"
    if options.margin is not None:
        aim = f"that {quote(x.a)} is not worse by {options.margin:.10g} or more"
    known = [(n, k) for n, k in zip(n_runs, x.items, strict=True) if k < math.inf]
    none = [str(n) for n, k in zip(n_runs, x.items, strict=True) if math.isinf(k)]
    shown = [f"about {round_size(k)} items with {n} runs" for n, k in known]
    told = [f"it takes {list_in_words(shown)}"] if shown else []
    if none:
        told.append(f"no number of items is enough with {list_in_words(none)} runs")
    return (
        f"{on}{quote(x.a)} vs. {quote(x.b)}, now {_show_present(x)}: to see "
        f"{aim}, {'; '.join(told)} of each model."
    )
