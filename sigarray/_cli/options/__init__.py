"""Options that several commands have, and names that options take.

Options are parsed before the library is imported. The names are here so that `--help`
does not wait for what has them: a test compares each with its source in the library.
"""

import argparse
import csv
import math
from collections.abc import Callable, Sequence

from sigarray._plain_text import list_in_words

# Of `compare` and `power`.
TESTS_OF_PAIRS = ("bootstrap", "permutation", "mann-whitney", "brunner-munzel", "t")
METHODS_OF_TESTS = (
    *("auto", "bootstrap", "exact"),
    *("asymptotic", "resampling", "saddlepoint"),
)
THRESHOLD = 0.2
CONFIDENCE_LEVEL = 0.95
ALPHA = 0.05
UNITS = ("run", "item", "cluster", "run,item")
TREATMENTS = ("drop", "worst", "keep")
STATISTICS = (
    *("accuracy", "bleu", "calibration_error", "chrf", "f1", "krippendorff_alpha"),
    *("macro_f1", "matthews_correlation", "pearson", "perplexity", "precision", "r2"),
    *("ratio", "recall", "rmse", "squared_calibration_error", "word_error_rate"),
)
AGGREGATES = ("iqm", "mean", "median", "improvement")
# Of all commands.
STYLES = ("text", "sentences", "markdown", "latex", "csv", "json")
PICTURES = (".pdf", ".svg", ".png", ".eps", ".jpg")
MAX_RESAMPLES = 2**31 - 1
# Of `correct`.
CORRECTIONS = ("holm", "bonferroni", "benjamini-hochberg", "benjamini-yekutieli")
# Of `responses` and `study`.
METRICS = (
    *("wins_mae", "wins_mae_all", "wins_emd", "mae", "mse", "rmse", "max_error"),
    *("cosine", "spearman", "emd", "emd_all", "mean_of_emds", "kl_divergence"),
    *("accuracy", "precision", "recall", "f1", "roc_auc"),
)
MODELS = ("normal", "likert")
ITEMS = ("all", "bootstrap")
RESPONSES = ("all", "bootstrap", "one", "first", "without_replacement")
ALTERNATIVES = ("two-sided", "greater", "less")

_MAX_WORKERS = 1024
_COLUMNS = ("model", "item", "run", "task", "cluster", "score")

FILE_OF_SCORES = (
    "FILE has a column of scores for each model and a row for each run or item; or a "
    "row for each score, with columns for its model, run, item and task. It may also "
    "be what a tool wrote, a folder, or - for standard input; without FILE, an example "
    "is read."
)
# Help fits one screen: what needs more words has them in docs/command.md, and some
# options share a line, which is that of one of them.


def add_table(command: argparse.ArgumentParser, *, has_statistic: bool = True) -> None:
    command.add_argument("files", nargs="*", metavar="FILE", help=argparse.SUPPRESS)
    scores = command.add_argument_group("which scores")
    columns = scores.add_mutually_exclusive_group()
    of_models = columns.add_argument(
        "--columns",
        type=split_names,
        metavar="A,B,...",
        help="only these models, or others; or '{model}_{run}'",
    )
    share_line(of_models, "--columns, --ignore A,B")
    columns.add_argument(
        "--ignore",
        type=split_names,
        default=[],
        metavar="NAME,...",
        help=argparse.SUPPRESS,
    )
    scores.add_argument(
        "--metric",
        action="append",
        metavar="NAME",
        help="read this score; of A,B, the first each task has",
    )
    scores.add_argument(
        "--tasks", type=split_names, metavar="A,B,...", help="read only these tasks"
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
        "--table", metavar="NAME", help="read this sheet (Excel) or this key (JSON)"
    )
    for role in _COLUMNS:
        is_first = role == _COLUMNS[0]
        said = (
            "column of models; also --item, --run (raters), --task, --cluster, --score"
        )
        scores.add_argument(
            f"--{role}", metavar="COLUMN", help=said if is_first else argparse.SUPPRESS
        )
    command.set_defaults(statistic=None, fold=None)
    if has_statistic:
        scores.add_argument(
            "--statistic",
            choices=(*AGGREGATES, *STATISTICS),
            metavar="NAME",
            help="over tasks: iqm, ...; of sums: f1, bleu, ...",
        )
    scores.add_argument(
        "--unit",
        type=_order_units,
        choices=UNITS,
        metavar="UNIT",
        help="a score is of a run, item, cluster or run,item",
    )
    scores.add_argument(
        "--missing",
        choices=TREATMENTS,
        metavar="HOW",
        help="crashed runs, blank cells: drop, worst or keep",
    )
    scores.add_argument(
        "--drop-unmatched",
        action="store_true",
        help="leave out items that some model lacks",
    )
    direction = scores.add_mutually_exclusive_group()
    for name, said in (
        ("--lower-is-better", "scores are losses; or --higher-is-better"),
        ("--higher-is-better", argparse.SUPPRESS),
    ):
        direction.add_argument(
            name,
            nargs="?",
            const=True,
            default=False,
            type=_split_metrics,
            metavar="NAMES",
            help=said,
        )


def share_line(action: argparse.Action, names: str) -> None:
    """Name several options in the line of one: others have no help of their own."""
    action.together = names  # type: ignore[attr-defined]


def add_format(
    group: argparse.ArgumentParser | argparse._ArgumentGroup,
    quiet: str = "print only warnings beside the result",
) -> None:
    group.add_argument(
        "--format",
        choices=STYLES,
        default="text",
        metavar="FORMAT",
        help=list_in_words(STYLES, "or"),
    )
    group.add_argument("--quiet", action="store_true", help=quiet)


def add_plot(group: argparse._ArgumentGroup, what: str) -> None:
    said = f"draw {what}: {list_in_words(PICTURES, 'or')}"
    group.add_argument("--plot", metavar="FILE", help=said)


def add_level(
    command: argparse.ArgumentParser | argparse._ArgumentGroup,
    said: str = "significance level of p-values; default: %(default)s",
    default: float | None = ALPHA,
) -> None:
    command.add_argument(
        "--alpha",
        type=number(0.0, 0.5),
        default=default,
        metavar="ALPHA",
        help=said,
    )


def add_random(
    command: argparse.ArgumentParser | argparse._ArgumentGroup,
    default: int | None,
    said: str,
) -> None:
    command.add_argument(
        "--n-resamples",
        type=whole_number(1, MAX_RESAMPLES),
        default=default,
        metavar="N",
        help=f"number of resamples; default: {said}",
    )
    seed = command.add_argument(
        "--seed",
        type=whole_number(0, 2**64 - 1),
        default=0,
        metavar="S",
        help="seed of random numbers; threads (-1: all cores)",
    )
    share_line(seed, "--seed S, --workers N")
    command.add_argument(
        "--workers", type=_parse_workers, default=1, metavar="N", help=argparse.SUPPRESS
    )


def _parse_workers(text: str) -> int:
    if text == "-1":
        return -1
    return whole_number(1, _MAX_WORKERS)(text)


_parse_workers.__name__ = "whole number"


def _order_units(text: str) -> str:
    """Return units in the order that their name has: item,run is run,item."""
    units = [x.strip() for x in text.split(",")]
    same = (x for x in UNITS if sorted(x.split(",")) == sorted(units))
    return next(same, text)


def split_names(text: str) -> list[str]:
    """Return the names; an empty text is the name of a column without one."""
    return [" ".join(name.split()) for name in next(csv.reader([text])) or [""]]


def split_numbers(text: str) -> list[float]:
    numbers = sorted({float(x) for x in text.split(",")})
    if not all(map(math.isfinite, numbers)):
        msg = f"expected finite numbers; got {text}"
        raise argparse.ArgumentTypeError(msg)
    return numbers


split_numbers.__name__ = "list of numbers"


def _split_metrics(text: str) -> bool | list[str]:
    """Return the names of metrics; nothing stands for all scores."""
    # Only a parser of this option waits for it.
    from sigarray.read._files import name_stem

    names = split_names(text)
    for name in names:
        if "=" in name or name_stem(name) != name:
            msg = f"expected names of metrics, or a FILE that exists; got {name}"
            raise argparse.ArgumentTypeError(msg)
    return names if text else True


_split_metrics.__name__ = "names"


def _split_condition(text: str) -> tuple[str, list[str]]:
    column, sign, values = text.partition("=")
    if not sign or not values:
        msg = f"expected COLUMN=VALUE, such as split=test; got {text}"
        raise argparse.ArgumentTypeError(msg)
    return " ".join(column.split()), split_names(values)


def join_values(conditions: Sequence[tuple[str, list[str]]]) -> dict[str, list[str]]:
    wanted: dict[str, list[str]] = {}
    for column, values in conditions:
        wanted.setdefault(column, []).extend(values)
    return wanted


def whole_number(low: int, high: int) -> Callable[[str], int]:
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


_MAX_MARGIN = 1e9


def add_tests(command: argparse.ArgumentParser) -> None:
    tests = command.add_argument_group("how to compare")
    tests.add_argument(
        "--test",
        choices=("aso", *TESTS_OF_PAIRS),
        metavar="TEST",
        help=f"aso, {list_in_words(TESTS_OF_PAIRS, 'or')}; default: by the scores",
    )
    tests.add_argument(
        "--paired",
        action="store_true",
        help="pair the scores in a row: of one seed or split",
    )
    tests.add_argument("--fold", metavar="COLUMN", help=argparse.SUPPRESS)
    share = tests.add_argument(
        "--test-share",
        type=number(0.0, 1.0, is_open=True),
        metavar="SHARE",
        help="cross-validation: fold, and share tested (t)",
    )
    share_line(share, "--fold F, --test-share S")
    tests.add_argument(
        "--baseline",
        metavar="MODEL",
        help="compare all other models with this one only",
    )
    tests.add_argument(
        "--margin",
        type=number(0.0, _MAX_MARGIN),
        metavar="M",
        help="say which models are no worse, within a margin M",
    )
    tests.add_argument(
        "--threshold",
        type=number(0.0, 0.5),
        metavar="TAU",
        help=f"A is better if eps_min < TAU (aso, {THRESHOLD})",
    )
    tests.add_argument(
        "--confidence-level",
        type=number(0.0, 1.0, is_open=True),
        metavar="P",
        help=f"confidence level of eps_min (aso, {CONFIDENCE_LEVEL})",
    )
    add_level(tests, f"significance level of p-values ({ALPHA})", default=None)
    tests.add_argument(
        "--no-correction",
        action="store_true",
        help="do not correct for multiple comparisons",
    )
    tests.add_argument(
        "--method",
        choices=METHODS_OF_TESTS,
        metavar="METHOD",
        help="auto, exact, asymptotic, saddlepoint, ...",
    )
    tests.add_argument(
        "--dt",
        type=number(0.0, 1.0, is_open=True),
        metavar="DT",
        help="compare quantiles only in steps of DT (aso)",
    )
    add_random(tests, default=None, said="1000 (aso) or 9999")
