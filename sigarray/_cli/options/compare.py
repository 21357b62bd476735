"""Options of `sigarray compare`."""

import argparse

from sigarray._cli.options.shared import (
    FILE_OF_SCORES,
    add_format,
    add_plot,
    add_table,
)
from sigarray._cli.options.tests import add_tests

FILES = "[FILE ...]"
DESCRIPTION = f"Say which of several models are better. {FILE_OF_SCORES}"


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    add_table(command)
    add_tests(command)
    result = command.add_argument_group("what to write")
    add_format(result, "print only the answer, if text, and warnings")
    add_plot(result, "the result")
    result.add_argument(
        "--report",
        metavar="FILE.html",
        help="write a page: tables, pictures, method, scores",
    )
    result.add_argument(
        "--verify",
        metavar="SIGNATURE",
        help="check that FILE gives the same numbers",
    )
    result.add_argument(
        "--fail-unless-better",
        metavar="MODEL",
        help="exit code 1 unless MODEL is better than all",
    )
