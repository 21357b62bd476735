"""`sigarray compare`: which of several models are better."""

import argparse
import math
import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from sigarray import holm
from sigarray._cli.inputs import check_sizes, read_models
from sigarray._cli.large_tables import open_large
from sigarray._cli.matched import list_matched, say_matched
from sigarray._cli.messages import list_said, say
from sigarray._cli.options import FILE_OF_SCORES, add_random, add_table, number
from sigarray._cli.orders import OrderOptions, describe_orders, run_orders
from sigarray._cli.page import write_page
from sigarray._cli.pairwise_tests import (
    FEW_SCORES,
    PAIR_METHODS,
    PAIRED_TESTS,
    RESAMPLING_TESTS,
    TESTS,
    PairOptions,
    describe_test,
    run_pairwise,
)
from sigarray._cli.pictures import (
    FORMATS,
    draw_pictures,
    is_same_file,
    save_pictures,
    write_file,
)
from sigarray._cli.progress import track
from sigarray._cli.repeating import (
    apply_signature,
    report_verification,
    sign,
)
from sigarray._cli.tasks import list_undecided, report_tasks
from sigarray._cli.verdict import (
    Comparison,
    Decision,
    decide_by_orders,
    decide_by_tests,
    report_orders,
    report_tests,
)
from sigarray.read._score_table import ScoreTable
from sigarray.report._rendering import Report
from sigarray.report._signature import write_signature

DESCRIPTION = (
    "Compare every two models, by almost stochastic order or by a two-sided "
    f"test. {FILE_OF_SCORES} Or a .parquet or .arrow file, for which see --dt."
)

_ORDERS = OrderOptions()
_ALPHA = 0.05
# More are never too few for a permutation test.
_MAX_FEW = 64
_RESAMPLES = {"aso": 1000, "bootstrap": 9999, "permutation": 9999}


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    add_table(command)
    command.add_argument(
        "--test",
        choices=("aso", *TESTS),
        help="default: aso, almost stochastic order, of runs; permutation, paired by "
        "item, of scores of items",
    )
    command.add_argument(
        "--paired",
        action="store_true",
        help="a row is a pair of scores, as of two models on one test set "
        "(bootstrap, permutation, t)",
    )
    command.add_argument(
        "--threshold",
        type=number(0.0, 0.5),
        metavar="TAU",
        help="of aso: A is better than B where eps_min < TAU <= 0.5; default: "
        f"{_ORDERS.threshold}",
    )
    command.add_argument(
        "--confidence-level",
        type=number(0.0, 1.0, is_open=True),
        metavar="P",
        help=f"of aso: that of the bounds eps_min; default: {_ORDERS.confidence_level}",
    )
    command.add_argument(
        "--alpha",
        type=number(0.0, 1.0, is_open=True),
        metavar="ALPHA",
        help="of other tests: p-values of at most ALPHA are significant; default: "
        f"{_ALPHA}",
    )
    command.add_argument(
        "--dt",
        type=number(0.0, 1.0, is_open=True),
        metavar="DT",
        help="of aso: compare quantiles at DT, 2 DT, ..., such as 0.005, in place of "
        "all; so a .parquet or .arrow FILE may be larger than memory",
    )
    command.add_argument(
        "--no-correction",
        action="store_true",
        help="do not correct for the number of comparisons (aso by Bonferroni, others "
        "by Holm)",
    )
    command.add_argument(
        "--method",
        choices=("auto", "bootstrap", "exact", "asymptotic", *PAIR_METHODS),
        help="auto, the default: of aso, enumerates all resamples of few scores, "
        "bootstraps more, and some quantiles of very many; of bootstrap and "
        "permutation, resampling, but saddlepoint for many scores. "
        f"{', '.join(PAIR_METHODS)}: of these two tests, the others of aso",
    )
    add_random(
        command, default=None, said="1000 for aso, 9999 for bootstrap and permutation"
    )
    paper = command.add_argument_group("for the paper, and for others")
    paper.add_argument(
        "--plot",
        metavar="FILE",
        help=f"draw what decides, in a file that ends in {', '.join(FORMATS)}",
    )
    paper.add_argument(
        "--report",
        metavar="FILE.html",
        help="write one page: verdict, tables, pictures, method and how to repeat it",
    )
    paper.add_argument(
        "--verify",
        metavar="SIGNATURE",
        help="say whether FILE repeats the numbers of a signature, which tells the "
        "options; exit code 1 where it does not",
    )
    paper.add_argument(
        "--fail-unless-better",
        metavar="MODEL",
        help="exit code 1 unless MODEL is better than every other one, on every task",
    )


def run(options: argparse.Namespace) -> Report:
    """Say who is better among the models of a file."""
    _check_targets(options)
    expected = None if options.verify is None else apply_signature(options)
    if options.test is not None:
        _check_test_options(options)
    table = open_large(options) or read_models(options)
    if options.test is None:
        is_of_runs = table.unit == "run" and not options.paired
        options.test = "aso" if is_of_runs else "permutation"
        _check_test_options(options)
    tests = _choose_test(options, table)
    if isinstance(tests, PairOptions) and tests.is_paired:
        say_matched(table)
    compared = {task: _describe(options, table, tests, task) for task in table.tasks}
    found = _compare(compared, tests)
    decisions = _decide(compared, tests, found)
    fields = sign(tests, table, next(iter(compared.values())), decisions)
    if expected is not None:
        return report_verification(table.source, expected, fields)
    report = _report(compared, tests, found, decisions)
    line = None if fields is None else write_signature(fields)
    report = replace(
        report, signature=line, document=report.document | {"signature": line}
    )
    if options.plot is not None or options.report is not None:
        _write_pictures(options, tests, table, compared, found, report)
    if options.fail_unless_better is not None:
        lost = list_undecided(options.fail_unless_better, table, decisions)
        for sentence in lost:
            say(sentence)
        report = replace(report, exit_code=1 if lost else 0)
    return report


def _compare(
    compared: dict[str, Comparison], tests: PairOptions | OrderOptions
) -> dict[str, Any]:
    """Compare every pair of every task: bounds are corrected, p-values not yet."""
    if isinstance(tests, OrderOptions):
        return {
            task: run_orders(
                x.scores,
                tests,
                is_corrected=x.is_corrected,
                higher_is_better=x.higher_is_better,
                share=len(x.pairs) / x.n_comparisons if x.is_corrected else 1.0,
            )
            for task, x in track(list(compared.items()), "Task")
        }
    return {
        task: [
            test
            for scores in list_matched(x)
            for test in run_pairwise(scores, tests, higher_is_better=x.higher_is_better)
        ]
        for task, x in track(list(compared.items()), "Task")
    }


def _decide(
    compared: dict[str, Comparison],
    tests: PairOptions | OrderOptions,
    found: dict[str, Any],
) -> dict[str, list[Decision]]:
    """Decide every pair of every task, corrected for the number of all of them."""
    if isinstance(tests, OrderOptions):
        return {
            task: decide_by_orders(x, found[task], tests.threshold)
            for task, x in compared.items()
        }
    first = next(iter(compared.values()))
    every = np.asarray([test.p_value for by in found.values() for test in by])
    adjusted = iter(np.asarray(holm(every)) if first.is_corrected else every)
    return {
        task: decide_by_tests(compared[task], by, [next(adjusted) for _ in by])
        for task, by in found.items()
    }


def _report(
    compared: dict[str, Comparison],
    tests: PairOptions | OrderOptions,
    found: dict[str, Any],
    decisions: dict[str, list[Decision]],
) -> Report:
    if len(compared) > 1:
        return report_tasks(compared, decisions)
    ((task, comparison),) = compared.items()
    if isinstance(tests, OrderOptions):
        return report_orders(comparison, found[task], tests.threshold)
    return report_tests(comparison, decisions[task])


def _check_targets(options: argparse.Namespace) -> None:
    """Refuse to write pages and pictures to other kinds of files, or over the input."""
    for option, path, known in (
        ("--plot", options.plot, FORMATS),
        ("--report", options.report, (".html", ".htm")),
    ):
        if path is None:
            continue
        if not path.lower().endswith(known):
            msg = f"Expected {option} to end in {', '.join(known)}; got {path}."
            raise ValueError(msg)
        if any(is_same_file(path, file) for file in options.files):
            msg = f"Expected {option} to be another file than {path}, which is read."
            raise ValueError(msg)


def _write_pictures(
    options: argparse.Namespace,
    tests: PairOptions | OrderOptions,
    table: ScoreTable,
    compared: dict[str, Comparison],
    found: dict[str, Any],
    report: Report,
) -> None:
    """Write the picture and the page that were asked for."""
    if not table.ids:
        msg = "Expected --plot and --report with scores that fit into memory."
        raise ValueError(msg)
    try:
        pictures = draw_pictures(tests, table, compared, found, options.seed)
        if options.plot is not None:
            save_pictures(pictures, options.plot)
    except ImportError as error:
        raise ValueError(str(error)) from error
    if options.report is not None:
        page = write_page(report, pictures, options.command_line, list_said())
        write_file(options.report, page.encode())


def _choose_test(
    options: argparse.Namespace, table: ScoreTable
) -> PairOptions | OrderOptions:
    """Give the options of the test, as they are or by default."""
    n_resamples = options.n_resamples
    if n_resamples is None:
        n_resamples = _RESAMPLES.get(options.test)
    elif options.test in RESAMPLING_TESTS and options.method is None:
        options.method = "resampling"  # who asks for resamples gets them
    every = [x for by in table.tasks.values() for x in by.values()]
    if options.test in ("bootstrap", "t"):
        for scores in table.tasks.values():
            check_sizes(table.source, scores)
    smallest = min(map(len, every))
    if options.test == "bootstrap" and smallest < FEW_SCORES:
        warnings.warn(
            f"The p-values of the bootstrap are too small for few scores, here "
            f"{smallest}: use --test permutation, or --test t.",
            UserWarning,
            stacklevel=2,
        )
    if options.test == "aso":
        if table.unit != "run":
            warnings.warn(
                f"Almost stochastic order takes scores as independent, and those of "
                f"one {table.unit} in all models are not: use --test permutation.",
                UserWarning,
                stacklevel=2,
            )
        return OrderOptions(
            threshold=options.threshold or _ORDERS.threshold,
            confidence_level=options.confidence_level or _ORDERS.confidence_level,
            method=options.method or _ORDERS.method,
            n_resamples=n_resamples,
            seed=options.seed,
            dt=options.dt,
        )
    is_paired = table.is_paired and options.test in PAIRED_TESTS
    if options.test == "permutation":
        _doubt_sizes(options, table, is_paired=is_paired)
    return PairOptions(
        options.test,
        is_paired,
        n_resamples,
        options.seed if n_resamples is not None else None,
        options.method or "auto",
    )


def _count_pairs(table: ScoreTable) -> int:
    return sum(math.comb(len(x), 2) for x in table.tasks.values())


def _doubt_sizes(
    options: argparse.Namespace, table: ScoreTable, *, is_paired: bool
) -> None:
    """Warn of so few scores that no p-value can be small enough."""
    n_pairs = 1 if options.no_correction else _count_pairs(table)
    n, m = sorted(len(x) for by in table.tasks.values() for x in by.values())[:2]
    if n > _MAX_FEW:
        return
    floor = 2.0 / (2.0**n if is_paired else math.comb(n + m, n))
    alpha = options.alpha or _ALPHA
    if floor * n_pairs > alpha:
        of = f", times {n_pairs} comparisons" if n_pairs > 1 else ""
        warnings.warn(
            f"No permutation test of {n} scores gives p below {floor:.2g}{of}: some "
            f"models cannot be told apart at level {alpha:g}, whatever their scores.",
            UserWarning,
            stacklevel=2,
        )


def _describe(
    options: argparse.Namespace,
    table: ScoreTable,
    tests: PairOptions | OrderOptions,
    task: str,
) -> Comparison:
    """Say what is compared, and how."""
    scores = table.tasks[task]
    matched: Mapping[tuple[str, str], Any] = {}
    if isinstance(tests, PairOptions):
        method = describe_test(scores, tests, unit=table.unit)
        if tests.is_paired and task in table.pairs:
            sizes = sorted(len(x) for x, _ in table.pairs[task].values())
            method += f"; of a pair on the {sizes[0]} to {sizes[-1]} items of both"
            matched = table.pairs[task]
        level = _ORDERS.confidence_level
    else:
        method = describe_orders(scores, tests)
        level = tests.confidence_level
    direction = "lower" if options.lower_is_better else "higher"
    if table.metric != "score" or options.lower_is_better:
        method += f"; {direction} {table.metric} is better"
    return Comparison(
        source=table.source + (f", {task}" if task and len(table.tasks) == 1 else ""),
        scores=scores,
        test=options.test,
        alpha=_ALPHA if options.alpha is None else options.alpha,
        confidence_level=level,
        higher_is_better=not options.lower_is_better,
        is_corrected=not options.no_correction,
        n_comparisons=_count_pairs(table),
        n_resamples=tests.n_resamples,
        seed=tests.seed,
        method=method,
        unit=table.unit,
        metric=table.metric,
        matched=matched,
    )


def _check_test_options(options: argparse.Namespace) -> None:
    """Refuse options that the test would not look at."""
    test = options.test
    if options.paired and test not in PAIRED_TESTS:
        known = ", ".join(PAIRED_TESTS)
        msg = f"Expected --paired with --test {known}; got --test {test}."
        raise ValueError(msg)
    if options.n_resamples is not None and test not in _RESAMPLES:
        known = ", ".join(_RESAMPLES)
        msg = f"Expected --n-resamples with --test {known}; got --test {test}."
        raise ValueError(msg)
    for name, value in (
        ("--threshold", options.threshold),
        ("--confidence-level", options.confidence_level),
        ("--dt", options.dt),
    ):
        if value is not None and test != "aso":
            msg = f"Expected {name} with --test aso; got --test {test}."
            if name != "--dt":
                msg += " The level of p-values is --alpha."
            raise ValueError(msg)
    if options.alpha is not None and test == "aso":
        msg = (
            "Expected --alpha with a test that gives p-values; got --test aso. The "
            "bounds of aso hold at --confidence-level."
        )
        raise ValueError(msg)
    if options.method not in (None, "auto"):
        known_tests = RESAMPLING_TESTS if options.method in PAIR_METHODS else ("aso",)
        if test not in known_tests:
            msg = (
                f"Expected --method {options.method} with --test "
                f"{', '.join(known_tests)}; "
                f"got --test {test}."
            )
            raise ValueError(msg)
