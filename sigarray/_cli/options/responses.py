"""Options of `sigarray responses`."""

import argparse

from sigarray._cli.options.choices import ALTERNATIVES, ITEMS, METRICS, RESPONSES
from sigarray._cli.options.shared import add_format, add_level, add_random

FILES = "[FILE]"
DESCRIPTION = (
    "Say which of two systems agrees better with gold responses, where items have "
    "several responses each: those of raters, or answers that are drawn anew. FILE is "
    "a table with columns item, system and response, and a row for each response; - "
    "is standard input. Without FILE, an example is read."
)


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    command.add_argument("file", nargs="?", metavar="FILE", help=argparse.SUPPRESS)
    for name in ("gold", "a", "b"):
        command.add_argument(
            f"--{name}",
            default=name,
            metavar="SYSTEM",
            help=f"the system to use as {name}; default: {name}",
        )
    command.add_argument(
        "--metric",
        choices=METRICS,
        default="wins_mae",
        metavar="METRIC",
        help=f"{', '.join(METRICS)}; default: %(default)s",
    )
    command.add_argument(
        "--threshold",
        type=float,
        metavar="T",
        help="least response of a positive item; default: 0.5",
    )
    command.add_argument(
        "--range",
        nargs=2,
        type=float,
        metavar=("LOW", "HIGH"),
        help="range of the histograms of kl_divergence; default: 0 1",
    )
    command.add_argument(
        "--items",
        choices=ITEMS,
        default="bootstrap",
        metavar="HOW",
        help=f"how items vary: {' or '.join(ITEMS)}; default: %(default)s",
    )
    command.add_argument(
        "--responses",
        choices=RESPONSES,
        default="all",
        metavar="HOW",
        help=f"how responses vary: {', '.join(RESPONSES)}; default: %(default)s",
    )
    command.add_argument(
        "--alternative",
        choices=ALTERNATIVES,
        default="two-sided",
        metavar="SIDE",
        help="two-sided; greater: A is better; less: A is worse",
    )
    add_level(command)
    add_random(command, default=1000, said="%(default)s")
    add_format(command)
