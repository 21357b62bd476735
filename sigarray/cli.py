"""The `sigarray` command: which model is better, from a table of scores."""

import argparse
import csv
import importlib.resources
import io
import os
import sys
import warnings
from collections.abc import Callable, Sequence

from sigarray import __version__
from sigarray.pairwise_order import multi_aso
from sigarray.report import STYLES, Comparison, print_text, render
from sigarray.rng import MAX_REPLICATES
from sigarray.sampling_error import choose_method
from sigarray.score_file import read_scores

_EXAMPLE = "digits.csv"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; give 0, or 2 where the file or an option is wrong."""
    options = _parser().parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Names that the terminal cannot show are shown by their code points.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", UserWarning)
            warnings.showwarning = lambda message, *_, **__: _complain(
                "warning", message
            )
            options.run(options)
            sys.stdout.flush()
    except ValueError as error:
        _complain("error", error)
        return 2
    except BrokenPipeError:
        # The reader, such as head, has all it wants; nothing is left to flush at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        _complain("error", f"the result cannot be written: {error.strerror}.")
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0


def compare(options: argparse.Namespace) -> None:
    """Print who is better among the models of a file."""
    source, scores = _read(options)
    sizes = [len(column) for column in scores.values()]
    result = multi_aso(
        scores,
        confidence_level=options.confidence_level,
        correction=None if options.no_correction else "bonferroni",
        n_resamples=options.n_resamples,
        method=options.method,
        higher_is_better=not options.lower_is_better,
        rng=options.seed,
    )
    method = choose_method(options.method, sizes)
    comparison = Comparison(
        source=source,
        scores=scores,
        result=result,
        confidence_level=options.confidence_level,
        threshold=options.threshold,
        is_corrected=not options.no_correction,
        higher_is_better=not options.lower_is_better,
        method=f"almost stochastic order, {_DESCRIPTIONS[method].format(options)}",
    )
    if options.format == "text":
        print_text(comparison)
    else:
        print(render(comparison, options.format), end="")


_DESCRIPTIONS = {
    "bootstrap": "bootstrap with {0.n_resamples} resamples, seed {0.seed}",
    "exact": "bootstrap by enumeration of all resamples",
    "asymptotic": "asymptotic standard error",
}


def _read(options: argparse.Namespace) -> tuple[str, dict[str, list[float]]]:
    if options.file is not None:
        source = "standard input" if options.file == "-" else options.file
        return source, read_scores(options.file, options.columns)
    _complain("note", "no FILE given; this is the example that ships with sigarray")
    example = importlib.resources.files("sigarray") / "data" / _EXAMPLE
    with importlib.resources.as_file(example) as path:
        return _EXAMPLE, read_scores(path, options.columns)


def _complain(kind: str, message: object) -> None:
    print(f"sigarray: {kind}: {message}", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="sigarray", description="Is model A really better than model B?"
    )
    parser.add_argument(
        "--version", action="version", version=f"%(prog)s {__version__}"
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    command = commands.add_parser(
        "compare",
        help="say which models of a table of scores are better",
        description=(
            "Compare models by almost stochastic order. FILE is a table of scores "
            "(CSV, TSV or semicolons; - for standard input) with one column for each "
            "model, headed by its name, and one row for each run; columns may differ "
            "in length. Without FILE, an example is compared."
        ),
    )
    command.set_defaults(run=compare)
    command.add_argument("file", nargs="?", metavar="FILE")
    command.add_argument(
        "--columns",
        type=lambda text: [name.strip() for name in next(csv.reader([text]))],
        metavar="A,B,...",
        help="compare only these models; quote a name with a comma, as in a CSV file",
    )
    command.add_argument(
        "--format", choices=STYLES, default="text", help="default: %(default)s"
    )
    command.add_argument(
        "--lower-is-better", action="store_true", help="the scores are losses or errors"
    )
    command.add_argument(
        "--threshold",
        type=_number(0.0, 0.5),
        default=0.2,
        metavar="TAU",
        help="A is better than B where eps_min < TAU <= 0.5; default: %(default)s",
    )
    command.add_argument(
        "--confidence-level",
        type=_number(0.0, 1.0, is_open=True),
        default=0.95,
        metavar="P",
        help="default: %(default)s",
    )
    command.add_argument(
        "--no-correction",
        action="store_true",
        help="do not divide 1 - P by the number of comparisons (Bonferroni)",
    )
    command.add_argument(
        "--method",
        choices=("auto", "bootstrap", "exact", "asymptotic"),
        default="auto",
        help="auto enumerates all resamples of few scores, else bootstraps",
    )
    command.add_argument(
        "--n-resamples",
        type=_whole_number(1, MAX_REPLICATES),
        default=1000,
        metavar="N",
        help="default: %(default)s",
    )
    command.add_argument(
        "--seed",
        type=_whole_number(0, 2**64 - 1),
        default=0,
        metavar="S",
        help="default: %(default)s",
    )
    return parser


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
