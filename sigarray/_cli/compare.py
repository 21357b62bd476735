"""`sigarray compare`: which of several models are better."""

import argparse
from dataclasses import replace
from typing import Any

import numpy as np

from sigarray import holm
from sigarray._cli.choosing import (
    add_tests,
    check_baseline,
    check_test_options,
    choose_default_test,
    choose_test,
    describe_comparison,
    lacks_baseline,
)
from sigarray._cli.comparison import Comparison
from sigarray._cli.constants import doubt_constants
from sigarray._cli.decisions import Decision, decide_by_orders, decide_by_tests
from sigarray._cli.floors import correct_p_values, list_floors
from sigarray._cli.inputs import read_models
from sigarray._cli.large_tables import open_large
from sigarray._cli.matched import list_matched, say_matched
from sigarray._cli.messages import list_said, say
from sigarray._cli.near_levels import doubt_near_alpha
from sigarray._cli.options import FILE_OF_SCORES, add_table
from sigarray._cli.orders import OrderOptions, run_orders
from sigarray._cli.page import write_page
from sigarray._cli.pairwise_tests import PairOptions, run_pairwise
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
from sigarray._cli.verdict import report_orders, report_tests
from sigarray.read._score_table import ScoreTable
from sigarray.report._rendering import Report
from sigarray.report._signature import write_signature

DESCRIPTION = (
    "Compare every two models, by almost stochastic order or by a two-sided "
    f"test. {FILE_OF_SCORES} Or a .parquet or .arrow file, for which see --dt."
)


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    add_table(command)
    add_tests(command)
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
        check_test_options(options)
    table = open_large(options) or read_models(options)
    if expected is not None and lacks_baseline(options, table):
        return report_verification(table.source, expected, None)
    check_baseline(options, table)
    choose_default_test(options, table)
    tests = choose_test(options, table)
    if isinstance(tests, PairOptions) and tests.is_paired:
        say_matched(table)
    compared = {
        task: describe_comparison(options, table, tests, task) for task in table.tasks
    }
    found = _compare(compared, tests)
    doubt_constants(compared, tests)
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
        lost = list_undecided(
            options.fail_unless_better, table, decisions, options.baseline
        )
        for sentence in lost:
            say(sentence)
        report = replace(report, exit_code=1 if lost else 0)
    return report


def _compare(
    compared: dict[str, Comparison], tests: PairOptions | OrderOptions
) -> dict[str, Any]:
    """Compare every pair of every task: bounds are corrected, p-values not yet."""
    if isinstance(tests, OrderOptions):
        first = next(iter(compared.values()))
        return run_orders(
            {task: x.scores for task, x in compared.items()},
            tests,
            is_corrected=first.is_corrected,
            higher_is_better=first.higher_is_better,
        )
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
    if first.is_corrected and len(compared) > 1:
        smallest = list_floors(
            {task: x.scores for task, x in compared.items()},
            tests.test,
            is_paired=tests.is_paired,
            baseline=tests.baseline,
        )
        every, _ = correct_p_values(every, smallest, first.alpha)
    elif first.is_corrected:
        every = np.asarray(holm(every))
    adjusted = iter(every)
    decisions = {
        task: decide_by_tests(compared[task], by, [next(adjusted) for _ in by])
        for task, by in found.items()
    }
    doubt_near_alpha(found, decisions, first.alpha)
    return decisions


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
