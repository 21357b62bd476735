"""`sigarray compare`: which of several models are better."""

import argparse
from dataclasses import replace

from sigarray._cli.files import (
    check_picture_file,
    check_target,
    open_large,
    read_models,
)
from sigarray._cli.messages import list_said, say
from sigarray._cli.repeating import (
    apply_signature,
    explain_reading,
    report_verification,
)
from sigarray._cli.running import read_request
from sigarray._verdicts.models import compare_table
from sigarray._verdicts.page import Origin, save_pictures, write_page
from sigarray._verdicts.records import list_undecided
from sigarray._verdicts.request import lacks_baseline
from sigarray._verdicts.result import ModelComparison
from sigarray.report._layout import Report
from sigarray.report._rendering import write_file


def run(options: argparse.Namespace) -> Report:
    """Say who is better among the models of a file."""
    check_picture_file(options.plot, options.files)
    check_target("--report", options.report, (".html", ".htm"), options.files)
    expected = None if options.verify is None else apply_signature(options)
    request = read_request(options)
    with explain_reading(expected, options.baseline):
        table = open_large(options) or read_models(options, is_paired=request.is_paired)
    request = replace(request, higher_is_better=not options.lower_is_better)
    if expected is not None and lacks_baseline(request, table):
        return report_verification(table.source, expected, None)
    result = compare_table(table, request)
    if expected is not None:
        return report_verification(table.source, expected, result.fields)
    report = result.content
    if options.plot is not None or options.report is not None:
        _write_pictures(options, result)
    if options.fail_unless_better is not None:
        lost = list_undecided(
            options.fail_unless_better,
            table,
            result.decisions,
            result.test.baseline,
            result.over_these_tasks,
        )
        for sentence in lost:
            say(sentence)
        report = replace(report, exit_code=1 if lost else 0)
    return report


def _write_pictures(options: argparse.Namespace, result: ModelComparison) -> None:
    if not result.table.ids:
        msg = "Expected --plot and --report with scores that fit into memory."
        raise ValueError(msg)
    pictures = result.list_pictures()
    if options.plot is not None:
        save_pictures(pictures, options.plot)
    if options.report is not None:
        origin = Origin(options.command_line, list_said("note"), list_said("warning"))
        page = write_page(result.content, pictures, result.table, origin)
        write_file(options.report, page.encode())
