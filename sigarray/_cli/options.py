"""Options that several commands have."""

import argparse
import csv
from collections.abc import Callable, Sequence

from sigarray._backend.checks import MAX_REPLICATES
from sigarray.read._alignment import UNITS
from sigarray.read._files import name_stem
from sigarray.read._missing import TREATMENTS
from sigarray.report._rendering import STYLES

_MAX_WORKERS = 1024
_COLUMNS = {
    "model": "the column of models; by default, as these others, by its usual names",
    "item": "that of items of a test set, by which models are paired",
    "run": "that of runs, or of their seeds; as --item and --task, several columns "
    "that together say so, such as repeat,fold",
    "task": "that of tasks, or of datasets",
    "cluster": "that of clusters of items, such as documents",
    "score": "that of scores",
}

FILE_OF_SCORES = (
    "FILE is a table of scores (CSV, TSV, semicolons, JSON, Parquet, Arrow; - for "
    "standard input) with one column for each model, headed by its name, and one row "
    "for each run, in which columns may differ in length; or one with a row for each "
    "score, and columns that say of which model, run, item and task it is; or what an "
    "evaluation harness or a tracker of experiments wrote. Of several FILEs, or those "
    "of a folder, each is of one model, named by NAME=FILE or by its path. Without "
    "FILE, a pipe or a file at standard input is read, or else an example."
)


def add_table(command: argparse.ArgumentParser) -> None:
    """Add the options for files of scores, columns, and which scores are better."""
    command.add_argument("files", nargs="*", metavar="FILE")
    columns = command.add_mutually_exclusive_group()
    columns.add_argument(
        "--columns",
        type=_split_names,
        metavar="A,B,...",
        help="take only these models; quote a name with a comma, as in a CSV file",
    )
    columns.add_argument(
        "--ignore",
        type=_split_names,
        default=[],
        metavar="NAME,...",
        help="take all columns but these, such as seed",
    )
    add_format(command)
    direction = command.add_mutually_exclusive_group()
    direction.add_argument(
        "--lower-is-better",
        nargs="?",
        const=True,
        default=False,
        type=_split_metrics,
        metavar="METRIC,...",
        help="the scores are losses or errors; or those of these metrics are, in a "
        "file that has others too",
    )
    direction.add_argument(
        "--higher-is-better",
        action="store_true",
        help="the default, said of scores whose name is like that of a loss",
    )
    table = command.add_argument_group("tables with a row for each score")
    table.add_argument(
        "--metric",
        action="append",
        metavar="NAME",
        help="which scores to take, where there are several; given several times, each "
        "task has the first that is in its file",
    )
    for role, said in _COLUMNS.items():
        table.add_argument(f"--{role}", metavar="COLUMN", help=said)
    table.add_argument(
        "--tasks", type=_split_names, metavar="A,B,...", help="take only these tasks"
    )
    table.add_argument(
        "--where",
        type=_split_condition,
        action="append",
        default=[],
        metavar="COLUMN=VALUE,...",
        help="take only rows with one of these values in COLUMN, such as split=test; "
        "may be given for several columns",
    )
    table.add_argument(
        "--path",
        metavar="TEMPLATE",
        help="what the parts of a path are, from the folder that is given on, such as "
        "'{task}/{model}/seed{run}.json'; * is any text",
    )
    table.add_argument(
        "--table",
        metavar="NAME",
        help="which table of a file that has several: a sheet of Excel, or the key of "
        "a list of records in JSON, such as log_history",
    )
    table.add_argument(
        "--unit",
        choices=UNITS,
        help="what a score stands for: a cluster has the sum of its items, so that "
        "means are those of items; runs of an item are averaged, or else items of a "
        "run",
    )
    table.add_argument(
        "--missing",
        choices=TREATMENTS,
        help="what becomes of scores that are NaN or blank: drop leaves out such runs, "
        "and such items for all models; worst counts a run that has crashed as the "
        "worst score that any model has on the task (aso, mann-whitney, "
        "brunner-munzel)",
    )
    table.add_argument(
        "--drop-unmatched",
        action="store_true",
        help="leave out items, or paired runs, that some models have no score of: of "
        "each pair, those that one of both lacks",
    )


def add_format(command: argparse.ArgumentParser) -> None:
    """Add the options for the format of the result."""
    command.add_argument(
        "--format", choices=STYLES, default="text", help="default: %(default)s"
    )
    command.add_argument(
        "--quiet", action="store_true", help="no notes and no progress, only warnings"
    )


def add_level(command: argparse.ArgumentParser) -> None:
    """Add the option for the level of p-values."""
    command.add_argument(
        "--alpha",
        type=number(0.0, 1.0, is_open=True),
        default=0.05,
        metavar="ALPHA",
        help="p-values of at most ALPHA are significant; default: %(default)s",
    )


def add_random(
    command: argparse.ArgumentParser, default: int | None, said: str
) -> None:
    """Add the options for the number of resamples, the seed and the workers."""
    command.add_argument(
        "--n-resamples",
        type=whole_number(1, MAX_REPLICATES - 1),
        default=default,
        metavar="N",
        help=f"default: {said}",
    )
    command.add_argument(
        "--seed",
        type=whole_number(0, 2**64 - 1),
        default=0,
        metavar="S",
        help="default: %(default)s",
    )
    command.add_argument(
        "--workers",
        type=_parse_workers,
        default=1,
        metavar="N",
        help="threads for many resamples, -1 for all cores; they change no number; "
        "default: %(default)s",
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
