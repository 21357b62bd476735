"""Options of `sigarray study`."""

import argparse

from sigarray._cli.options.choices import ITEMS, METRICS, MODELS, RESPONSES
from sigarray._cli.options.shared import add_format, add_random, whole_number

FILES = ""
DESCRIPTION = (
    "Measure how accurate p-values from one test set are: simulate many test sets of "
    "two systems, of which B is worse by a perturbation, and compare p-values from one "
    "set with those from all. Options with X take one or more."
)


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    for name, choices, default in (
        ("metric", METRICS, ["wins_mae"]),
        ("items", ITEMS, list(ITEMS)),
        ("responses", RESPONSES, ["all", "bootstrap", "one", "first"]),
    ):
        command.add_argument(
            f"--{name}",
            nargs="+",
            choices=choices,
            default=default,
            metavar="X",
            help=f"{', '.join(choices)}; default: {' '.join(default)}",
        )
    command.add_argument(
        "--perturbation",
        nargs="+",
        type=float,
        default=[0.0, 0.05, 0.1],
        metavar="X",
        help="how much worse items of B are; default: 0 0.05 0.1",
    )
    command.add_argument(
        "--model",
        choices=MODELS,
        default="normal",
        metavar="MODEL",
        help=f"{' or '.join(MODELS)} responses; default: %(default)s",
    )
    for name, number, said in (
        ("items", 1000, "items of a test set"),
        ("responses", 5, "responses to an item"),
        ("sets", 1000, "test sets"),
    ):
        command.add_argument(
            f"--n-{name}",
            type=whole_number(1, 10**7),
            default=number,
            metavar="N",
            help=f"how many {said}; default: %(default)s",
        )
    add_random(command, default=1000, said="%(default)s")
    add_format(command)
