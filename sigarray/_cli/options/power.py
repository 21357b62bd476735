"""Options of `sigarray power`."""

import argparse

from sigarray._cli.options.shared import (
    add_format,
    add_plot,
    add_table,
    number,
    share_line,
    whole_number,
)
from sigarray._cli.options.tests import add_tests

FILES = "[FILE ...]"
# More than anyone uses.
_MAX_SAMPLES = 10**6
DESCRIPTION = (
    "Estimate how many scores `sigarray compare` needs to call a model better, or no "
    "worse (--margin); of one model, whether a --lift shows. FILE: see compare."
)


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    add_table(command)
    add_tests(command)
    power = command.add_argument_group("how much power")
    lift = power.add_argument(
        "--lift",
        type=number(1.0, 1e6),
        metavar="FACTOR",
        help="lift to detect; of runs x items, a difference",
    )
    share_line(lift, "--lift F, --difference D")
    power.add_argument(
        "--difference",
        type=number(0.0, 1e9),
        metavar="D",
        help=argparse.SUPPRESS,
    )
    power.add_argument(
        "--power",
        type=number(0.0, 1.0, is_open=True),
        default=0.8,
        metavar="P",
        help="power to reach; default: %(default)s",
    )
    power.add_argument(
        "--n-samples",
        type=whole_number(1, _MAX_SAMPLES),
        metavar="N",
        help="samples of each size; 200, or 50 of many pairs",
    )
    written = command.add_argument_group("what to write")
    add_format(written)
    add_plot(written, "the power")
