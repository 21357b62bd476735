"""The options of each command, which are parsed before the library is imported."""

import argparse

from sigarray._cli.options import (
    ALTERNATIVES,
    CORRECTIONS,
    FILE_OF_SCORES,
    ITEMS,
    METRICS,
    MODELS,
    RESPONSES,
    add_format,
    add_level,
    add_plot,
    add_random,
    add_table,
    add_tests,
    number,
    share_line,
    split_names,
    split_numbers,
    whole_number,
)
from sigarray._plain_text import list_in_words

# More than anyone uses.
_MAX_SAMPLES = 10**6
_RESAMPLES = 9999
DESCRIPTIONS = {
    "compare": f"Say which of several models are better. {FILE_OF_SCORES}",
    "power": (
        "Estimate how many scores `sigarray compare` needs to call a model better, "
        "or no worse (--margin); for one model, which difference shows. FILE: see "
        "compare."
    ),
    "profile": (
        "Show the share of the scores of each model above each threshold, on one task "
        f"or over all, with a band for all thresholds at once. {FILE_OF_SCORES}"
    ),
    "correct": (
        "Adjust p-values for multiple comparisons. FILE has a p-value in each row, or "
        "a label and a p-value; without FILE, or with -, standard input is read."
    ),
    "responses": (
        "Say which of two systems agrees better with gold responses, where items have "
        "several responses each: those of raters, or answers that are drawn anew. FILE "
        "is a table with columns item, system and response, and a row for each "
        "response; - is standard input. Without FILE, an example is read."
    ),
    "study": (
        "Measure how accurate p-values from one test set are: simulate many test sets "
        "of two systems, where B is made worse by a perturbation, and compare p-values "
        "from one set with those from all. Options with X take one value or more."
    ),
}


def _add_compare(command: argparse.ArgumentParser) -> None:
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
        "--verify", metavar="SIGNATURE", help="check that FILE gives the same numbers"
    )
    result.add_argument(
        "--fail-unless-better",
        metavar="MODEL",
        help="exit code 1 unless MODEL is better than all",
    )


def _add_power(command: argparse.ArgumentParser) -> None:
    add_table(command)
    add_tests(command)
    power = command.add_argument_group("how much power")
    lift = power.add_argument(
        "--lift",
        type=number(1.0, 1e6),
        metavar="FACTOR",
        help="difference of means to detect; or a factor",
    )
    share_line(lift, "--difference D, --lift F")
    for name, metavar in (("--difference", "D"), ("--sd", "SD")):
        power.add_argument(
            name, type=number(0.0, 1e9), metavar=metavar, help=argparse.SUPPRESS
        )
    reached = power.add_argument(
        "--power",
        type=number(0.0, 1.0, is_open=True),
        default=0.8,
        metavar="P",
        help="power (%(default)s); in place of FILE, sd of runs",
    )
    share_line(reached, "--power P, --sd SD")
    power.add_argument(
        "--n-samples",
        type=whole_number(1, _MAX_SAMPLES),
        metavar="N",
        help="simulated samples of each size (200 or more)",
    )
    written = command.add_argument_group("what to write")
    add_format(written)
    add_plot(written, "the power")


def _add_profile(command: argparse.ArgumentParser) -> None:
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


def _add_correct(command: argparse.ArgumentParser) -> None:
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


def _add_responses(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", nargs="?", metavar="FILE", help=argparse.SUPPRESS)
    for name in ("gold", "a", "b"):
        command.add_argument(
            f"--{name}",
            default=name,
            metavar="SYSTEM",
            help=f"the system to use as {name}; default: {name}"
            f"{', or a column of this name' if name == 'gold' else ''}",
        )
    command.add_argument(
        "--columns",
        type=split_names,
        default=(),
        metavar="ITEM,SYSTEM,RESPONSE",
        help="names of these columns; default: found by their names",
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


def _add_study(command: argparse.ArgumentParser) -> None:
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
    for name, default_number, said in (
        ("items", 1000, "items of a test set"),
        ("responses", 5, "responses to an item"),
        ("sets", 1000, "test sets"),
    ):
        command.add_argument(
            f"--n-{name}",
            type=whole_number(1, 10**7),
            default=default_number,
            metavar="N",
            help=f"how many {said}; default: %(default)s",
        )
    add_random(command, default=1000, said="%(default)s")
    add_format(command)


# What stands behind the name of a command, and what adds its options.
OPTIONS = {
    "compare": ("[FILE ...]", _add_compare),
    "power": ("[FILE ...]", _add_power),
    "profile": ("[FILE ...]", _add_profile),
    "correct": ("[FILE]", _add_correct),
    "responses": ("[FILE]", _add_responses),
    "study": ("", _add_study),
}
