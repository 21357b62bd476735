"""The options of the `sigarray` command."""

import argparse
import csv
from collections.abc import Callable
from typing import Any, NoReturn

from sigarray import __version__
from sigarray._backend.checks import ALTERNATIVES, MAX_REPLICATES
from sigarray._cli.correct import CORRECTIONS
from sigarray._cli.pairwise_tests import PAIR_METHODS, TESTS
from sigarray._cli.plain_text import show_controls
from sigarray._cli.power import POWER_TESTS
from sigarray._cli.report import STYLES
from sigarray.responses._models import MODELS
from sigarray.responses._pools import RESPONSE_SAMPLERS
from sigarray.responses._sampling import ITEM_SAMPLERS
from sigarray.responses.metrics import METRICS

# Of options that only almost stochastic order has.
ASO_DEFAULTS: dict[str, Any] = {"method": "auto", "threshold": 0.2}

_FILE_OF_SCORES = (
    "FILE is a table of scores (CSV, TSV or semicolons; - for standard input) with one "
    "column for each model, headed by its name, and one row for each run; columns may "
    "differ in length. Without FILE, an example is taken."
)


class _Parser(argparse.ArgumentParser):
    """A parser whose errors cannot act on a terminal."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong with the arguments, and leave."""
        super().error(show_controls(message))


def build_parser() -> argparse.ArgumentParser:
    """Give the parser; `command` of what it parses is the name of the command."""
    parser = _Parser(
        prog="sigarray", description="Is model A really better than model B?"
    )
    parser.add_argument(
        "--version", action="version", version=f"%(prog)s {__version__}"
    )
    commands = parser.add_subparsers(required=True, dest="command", metavar="COMMAND")
    _add_compare(commands)
    _add_power(commands)
    _add_correct(commands)
    _add_responses(commands)
    _add_study(commands)
    return parser


def _add_compare(commands: Any) -> None:
    command = commands.add_parser(
        "compare",
        help="say which models of a table of scores are better",
        description=(
            "Compare every two models, by almost stochastic order or by a two-sided "
            f"test. {_FILE_OF_SCORES}"
        ),
    )
    _add_table(command)
    command.add_argument(
        "--test",
        choices=("aso", *TESTS),
        default="aso",
        help="default: %(default)s, almost stochastic order",
    )
    command.add_argument(
        "--paired",
        action="store_true",
        help="a row is a pair of scores, as of two models on one test set "
        "(bootstrap, permutation, welch)",
    )
    command.add_argument(
        "--threshold",
        type=_number(0.0, 0.5),
        metavar="TAU",
        help="of aso: A is better than B where eps_min < TAU <= 0.5; default: "
        f"{ASO_DEFAULTS['threshold']}",
    )
    command.add_argument(
        "--confidence-level",
        type=_number(0.0, 1.0, is_open=True),
        default=0.95,
        metavar="P",
        help="p-values of at most 1 - P are significant; default: %(default)s",
    )
    command.add_argument(
        "--no-correction",
        action="store_true",
        help="do not correct for the number of comparisons (aso by Bonferroni, others "
        "by Holm)",
    )
    command.add_argument(
        "--method",
        choices=("auto", "bootstrap", "exact", "asymptotic", *PAIR_METHODS),
        help="auto, the default: of aso, enumerates all resamples of few scores, "
        "bootstraps more, and some quantiles of very many; of bootstrap and "
        "permutation, resampling, but saddlepoint for many scores. "
        f"{', '.join(PAIR_METHODS)}: of these two tests, the others of aso",
    )
    _add_random(command, default=None, said="1000 for aso, 9999 for other tests")


def _add_power(commands: Any) -> None:
    command = commands.add_parser(
        "power",
        help="say whether there are enough runs",
        description=(
            "For each model, the power to see that its scores are lifted; for every "
            "two, the number of runs that shows a difference like theirs. "
            f"{_FILE_OF_SCORES}"
        ),
    )
    _add_table(command)
    command.add_argument(
        "--test", choices=POWER_TESTS, default="welch", help="default: %(default)s"
    )
    command.add_argument(
        "--lift",
        type=_number(1.0, 1e6),
        default=1.25,
        metavar="FACTOR",
        help="what the power of a model is to see; default: %(default)s",
    )
    command.add_argument(
        "--power",
        type=_number(0.0, 1.0, is_open=True),
        default=0.8,
        metavar="P",
        help="how much power is enough; default: %(default)s",
    )
    _add_level(command)
    _add_random(command, default=1000, said="%(default)s")


def _add_correct(commands: Any) -> None:
    command = commands.add_parser(
        "correct",
        help="correct p-values for their number",
        description=(
            "Adjust p-values for several comparisons. FILE (- for standard input, "
            "which is the default) has a p-value in each row, or a label and a p-value."
        ),
    )
    command.add_argument("file", nargs="?", metavar="FILE", default="-")
    command.add_argument(
        "--method", choices=CORRECTIONS, default="holm", help="default: %(default)s"
    )
    _add_format(command)
    _add_level(command)


def _add_responses(commands: Any) -> None:
    command = commands.add_parser(
        "responses",
        help="say which of two systems is nearer to gold responses",
        description=(
            "Compare two systems with gold judgments, where items have several "
            "responses each, of raters or of runs. FILE is a table (- for standard "
            "input) with columns item, system and response, and a row for each "
            "response. Without FILE, an example is taken."
        ),
    )
    command.add_argument("file", nargs="?", metavar="FILE")
    for name in ("gold", "a", "b"):
        command.add_argument(
            f"--{name}",
            default=name,
            metavar="SYSTEM",
            help="its name in the table; default: %(default)s",
        )
    command.add_argument(
        "--metric", choices=METRICS, default="wins_mae", help="default: %(default)s"
    )
    command.add_argument(
        "--threshold",
        type=float,
        metavar="T",
        help="where items are positive, for accuracy, precision, recall, f1 and "
        "roc_auc; default: 0.5",
    )
    command.add_argument(
        "--range",
        nargs=2,
        type=float,
        metavar=("LOW", "HIGH"),
        help="of the histograms of kl_divergence; default: 0 1",
    )
    command.add_argument(
        "--items",
        choices=ITEM_SAMPLERS,
        default="bootstrap",
        help="how items vary; default: %(default)s",
    )
    command.add_argument(
        "--responses",
        choices=RESPONSE_SAMPLERS,
        default="all",
        help="how responses vary; default: %(default)s",
    )
    command.add_argument(
        "--alternative",
        choices=ALTERNATIVES,
        default="two-sided",
        help="that A is better (greater), worse (less) or either; default: %(default)s",
    )
    _add_level(command)
    _add_random(command, default=1000, said="%(default)s")
    _add_format(command)


def _add_study(commands: Any) -> None:
    command = commands.add_parser(
        "study",
        help="say how good p-values from one test set are",
        description=(
            "Simulate test sets of two systems, of which B is perturbed, and compare "
            "p-values from one set with those from many."
        ),
    )
    for name, choices, default in (
        ("metric", METRICS, ["wins_mae"]),
        ("items", ITEM_SAMPLERS, list(ITEM_SAMPLERS)),
        ("responses", RESPONSE_SAMPLERS, ["all", "bootstrap", "one", "first"]),
    ):
        command.add_argument(
            f"--{name}",
            nargs="+",
            choices=choices,
            default=default,
            help=f"one or more; default: {' '.join(default)}",
        )
    command.add_argument(
        "--perturbation",
        nargs="+",
        type=float,
        default=[0.0, 0.05, 0.1],
        metavar="E",
        help="of the item means of B; default: 0 0.05 0.1",
    )
    command.add_argument(
        "--model", choices=MODELS, default="normal", help="default: %(default)s"
    )
    for name, number in (("items", 1000), ("responses", 5), ("sets", 1000)):
        command.add_argument(
            f"--n-{name}",
            type=_whole_number(1, 10**7),
            default=number,
            metavar="N",
            help="default: %(default)s",
        )
    _add_random(command, default=1000, said="%(default)s")
    _add_format(command)


def _add_table(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", nargs="?", metavar="FILE")
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
    _add_format(command)
    command.add_argument(
        "--lower-is-better", action="store_true", help="the scores are losses or errors"
    )


def _add_format(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--format", choices=STYLES, default="text", help="default: %(default)s"
    )


def _add_level(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--significance-level",
        type=_number(0.0, 1.0, is_open=True),
        default=0.05,
        metavar="ALPHA",
        help="default: %(default)s",
    )


def _add_random(
    command: argparse.ArgumentParser, default: int | None, said: str
) -> None:
    command.add_argument(
        "--n-resamples",
        type=_whole_number(1, MAX_REPLICATES - 1),
        default=default,
        metavar="N",
        help=f"default: {said}",
    )
    command.add_argument(
        "--seed",
        type=_whole_number(0, 2**64 - 1),
        default=0,
        metavar="S",
        help="default: %(default)s",
    )


def _split_names(text: str) -> list[str]:
    """Give the names; an empty text is the name of a column without one."""
    return [" ".join(name.split()) for name in next(csv.reader([text])) or [""]]


def _whole_number(low: int, high: int) -> Callable[[str], int]:
    """Parse an integer from `low` to `high`."""

    def parse(text: str) -> int:
        number = int(text)
        if not low <= number <= high:
            msg = f"expected an integer from {low} to {high}; got {text}"
            raise argparse.ArgumentTypeError(msg)
        return number

    parse.__name__ = "whole number"
    return parse


def _number(
    low: float, high: float, *, is_open: bool = False
) -> Callable[[str], float]:
    """Parse a number above `low` and up to `high`, which is left out where open."""

    def parse(text: str) -> float:
        number = float(text)
        if not low < number <= high or (is_open and number == high):
            bracket = ")" if is_open else "]"
            msg = f"expected a number in ({low:g}, {high:g}{bracket}; got {text}"
            raise argparse.ArgumentTypeError(msg)
        return number

    parse.__name__ = "number"
    return parse
