"""Options of `sigarray correct`."""

import argparse

from sigarray._cli.options.choices import CORRECTIONS
from sigarray._cli.options.shared import add_format, add_level
from sigarray._plain_text import list_in_words

FILES = "[FILE]"
DESCRIPTION = (
    "Adjust p-values for multiple comparisons. FILE has a p-value in each row, or a "
    "label and a p-value; without FILE, or with -, standard input is read."
)


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    command.add_argument(
        "file", nargs="?", metavar="FILE", default="-", help=argparse.SUPPRESS
    )
    command.add_argument(
        "--method",
        choices=CORRECTIONS,
        default="holm",
        metavar="METHOD",
        help=list_in_words(CORRECTIONS, "or"),
    )
    add_format(command)
    add_level(command)
