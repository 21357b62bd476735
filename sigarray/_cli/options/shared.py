"""Options that several commands have."""

import argparse
import csv
from collections.abc import Callable, Sequence

from sigarray._cli.options.choices import (
    AGGREGATES,
    ALPHA,
    MAX_RESAMPLES,
    STATISTICS,
    STYLES,
    TREATMENTS,
    UNITS,
)
from sigarray._plain_text import list_in_words

_MAX_WORKERS = 1024
_COLUMNS = ("model", "item", "run", "task", "cluster", "score")

FILE_OF_SCORES = (
    "FILE has a column of scores for each model and a row for each run; or a row for "
    "each score, and columns that name its model, run, item and task; or it is what an "
    "evaluation tool wrote, or a folder. - is standard input; without FILE, an example "
    "is read."
)


def add_table(command: argparse.ArgumentParser) -> None:
    """Add the options for files of scores, columns, and which scores are better."""
    command.add_argument("files", nargs="*", metavar="FILE", help=argparse.SUPPRESS)
    scores = command.add_argument_group("which scores")
    columns = scores.add_mutually_exclusive_group()
    columns.add_argument(
        "--columns",
        type=_split_names,
        metavar="A,B,...",
        help="read only these models",
    )
    columns.add_argument(
        "--ignore",
        type=_split_names,
        default=[],
        metavar="NAME,...",
        help="read all columns but these, such as step",
    )
    scores.add_argument(
        "--metric",
        action="append",
        metavar="NAME",
        help="read these scores, if there are several kinds; of A,B, or of several "
        "--metric, each task has the first that is in it",
    )
    scores.add_argument(
        "--tasks", type=_split_names, metavar="A,B,...", help="read only these tasks"
    )
    scores.add_argument(
        "--where",
        type=_split_condition,
        action="append",
        default=[],
        metavar="COLUMN=VALUE",
        help="read only these rows, such as split=test",
    )
    scores.add_argument(
        "--path",
        metavar="TEMPLATE",
        help="parts of paths: '{task}/{model}/seed{run}.json'",
    )
    scores.add_argument(
        "--table", metavar="NAME", help="read this sheet of Excel, or key of JSON"
    )
    for role in _COLUMNS:
        is_first = role == _COLUMNS[0]
        said = "name its column; also --item, --run, --task, --cluster and --score"
        scores.add_argument(
            f"--{role}", metavar="COLUMN", help=said if is_first else argparse.SUPPRESS
        )
    scores.add_argument(
        "--statistic",
        choices=(*AGGREGATES, *STATISTICS),
        metavar="NAME",
        help="mean, iqm or median over these tasks; or f1, bleu or another metric of "
        "sums, of columns --score tp,fp,fn",
    )
    scores.add_argument(
        "--unit",
        choices=UNITS,
        metavar="UNIT",
        help="say what a score is of: run, item, cluster or run,item",
    )
    scores.add_argument(
        "--missing",
        choices=TREATMENTS,
        metavar="HOW",
        help="crashed runs and blank scores: drop, worst or keep",
    )
    scores.add_argument(
        "--drop-unmatched",
        action="store_true",
        help="leave out items that some model lacks",
    )
    direction = scores.add_mutually_exclusive_group()
    direction.add_argument(
        "--lower-is-better",
        nargs="?",
        const=True,
        default=False,
        type=_split_metrics,
        metavar="NAMES",
        help="say that scores are losses, or those metrics of them",
    )
    direction.add_argument(
        "--higher-is-better",
        action="store_true",
        help="say that they are not, if their name suggests it",
    )


def add_format(group: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Add the options for the format of the result."""
    group.add_argument(
        "--format",
        choices=STYLES,
        default="text",
        metavar="FORMAT",
        help=list_in_words(STYLES, "or"),
    )
    group.add_argument(
        "--quiet", action="store_true", help="print only warnings beside the result"
    )


def add_level(command: argparse.ArgumentParser) -> None:
    """Add the option for the level of p-values."""
    command.add_argument(
        "--alpha",
        type=number(0.0, 1.0, is_open=True),
        default=ALPHA,
        metavar="ALPHA",
        help="significance level of p-values; default: %(default)s",
    )


def add_random(
    command: argparse.ArgumentParser | argparse._ArgumentGroup,
    default: int | None,
    said: str,
) -> None:
    """Add the options for the number of resamples, the seed and the workers."""
    command.add_argument(
        "--n-resamples",
        type=whole_number(1, MAX_RESAMPLES),
        default=default,
        metavar="N",
        help=f"resamples; default: {said}",
    )
    command.add_argument(
        "--seed",
        type=whole_number(0, 2**64 - 1),
        default=0,
        metavar="S",
        help="seed of random numbers; default: %(default)s",
    )
    command.add_argument(
        "--workers",
        type=_parse_workers,
        default=1,
        metavar="N",
        help="threads, or -1: all cores; default: 1",
    )


def _parse_workers(text: str) -> int:
    if text == "-1":
        return -1
    return whole_number(1, _MAX_WORKERS)(text)


_parse_workers.__name__ = "whole number"


def _split_names(text: str) -> list[str]:
    """Return the names; an empty text is the name of a column without one."""
    return [" ".join(name.split()) for name in next(csv.reader([text])) or [""]]


def _split_metrics(text: str) -> bool | list[str]:
    """Return the names of metrics; nothing stands for all scores."""
    # Only a parser of this option waits for it.
    from sigarray.read._files import name_stem

    names = _split_names(text)
    for name in names:
        if "=" in name or name_stem(name) != name:
            msg = f"expected names of metrics, or a FILE that exists; got {name}"
            raise argparse.ArgumentTypeError(msg)
    return names if text else True


_split_metrics.__name__ = "names"


def _split_condition(text: str) -> tuple[str, list[str]]:
    """Return the column and the values of `column=value,value`."""
    column, sign, values = text.partition("=")
    if not sign or not values:
        msg = f"expected COLUMN=VALUE, such as split=test; got {text}"
        raise argparse.ArgumentTypeError(msg)
    return " ".join(column.split()), _split_names(values)


def join_values(conditions: Sequence[tuple[str, list[str]]]) -> dict[str, list[str]]:
    """Return the values that are kept, by column."""
    wanted: dict[str, list[str]] = {}
    for column, values in conditions:
        wanted.setdefault(column, []).extend(values)
    return wanted


def whole_number(low: int, high: int) -> Callable[[str], int]:
    """Return a parser of integers from `low` to `high`."""

    def parse(text: str) -> int:
        number = int(text)
        if not low <= number <= high:
            msg = f"expected an integer from {low} to {high}; got {text}"
            raise argparse.ArgumentTypeError(msg)
        return number

    parse.__name__ = "whole number"
    return parse


def number(low: float, high: float, *, is_open: bool = False) -> Callable[[str], float]:
    """Return a parser of numbers above `low` and up to `high`, or below if open."""

    def parse(text: str) -> float:
        number = float(text)
        if not low < number <= high or (is_open and number == high):
            bracket = ")" if is_open else "]"
            msg = f"expected a number in ({low:g}, {high:g}{bracket}; got {text}"
            raise argparse.ArgumentTypeError(msg)
        return number

    parse.__name__ = "number"
    return parse
