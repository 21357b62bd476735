"""Options of `sigarray profile`."""

import argparse

from sigarray._cli.options.shared import (
    FILE_OF_SCORES,
    add_format,
    add_level,
    add_plot,
    add_random,
    add_table,
    split_numbers,
)

FILES = "[FILE ...]"
DESCRIPTION = (
    "Show the share of the scores of each model above each threshold, on one task or "
    f"over all, with a band for all thresholds at once. {FILE_OF_SCORES}"
)
_RESAMPLES = 9999


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    add_table(command, has_statistic=False)
    profile = command.add_argument_group("which profile")
    profile.add_argument(
        "--thresholds",
        type=split_numbers,
        metavar="X,Y,...",
        help="thresholds; default: all, a few in the table",
    )
    add_level(profile, "1 - ALPHA is the confidence of bands; default: %(default)s")
    add_random(profile, default=_RESAMPLES, said=str(_RESAMPLES))
    written = command.add_argument_group("what to write")
    add_format(written)
    add_plot(written, "the profiles")
