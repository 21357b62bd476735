"""Which test `sigarray compare` takes, and what it says of it."""

import argparse
import warnings
from collections.abc import Mapping
from typing import Any

from sigarray._cli.comparison import Comparison, pairs_of
from sigarray._cli.floors import (
    TESTS_OF_ORDERS,
    choose_correction,
    doubt_sizes,
    list_floors,
)
from sigarray._cli.inputs import check_sizes
from sigarray._cli.method_lines import describe_test
from sigarray._cli.options import add_random, number
from sigarray._cli.orders import (
    CLOSED,
    OrderOptions,
    choose_order_correction,
    describe_orders,
)
from sigarray._cli.pairwise_tests import (
    FEW_RANKS,
    FEW_SCORES,
    PAIR_METHODS,
    PAIRED_TESTS,
    RESAMPLING_TESTS,
    TESTS,
    PairOptions,
)
from sigarray.read._frame import list_names
from sigarray.read._score_table import ScoreTable

ORDERS = OrderOptions()
ALPHA = 0.05
# Those that know no pairs.
_OF_INDEPENDENT = {
    "aso": "Almost stochastic order",
    "mann-whitney": "Mann and Whitney's test",
    "brunner-munzel": "Brunner and Munzel's test",
}
_RESAMPLES = {"aso": 1000, "bootstrap": 9999, "permutation": 9999}


def add_tests(command: argparse.ArgumentParser) -> None:
    """Add which test to do, of which pairs, at which level."""
    command.add_argument(
        "--test",
        choices=("aso", *TESTS),
        help="default: aso, almost stochastic order, of runs; permutation, paired by "
        "item, of scores of items",
    )
    command.add_argument(
        "--paired",
        action="store_true",
        help="a row is a pair of scores, as of two models on one test set "
        "(bootstrap, permutation, t)",
    )
    command.add_argument(
        "--test-share",
        type=number(0.0, 1.0, is_open=True),
        metavar="SHARE",
        help="of t: a row is a split of one data set, a fold or a repetition, of which "
        "the models were tested on this SHARE, such as 0.1 of ten folds; their scores "
        "are paired, and t is corrected for training sets that overlap (Nadeau and "
        "Bengio 2003)",
    )
    command.add_argument(
        "--baseline",
        metavar="MODEL",
        help="compare each other model with MODEL, and no other pairs: fewer runs then "
        "do",
    )
    command.add_argument(
        "--threshold",
        type=number(0.0, 0.5),
        metavar="TAU",
        help="of aso: A is better than B where eps_min < TAU <= 0.5; default: "
        f"{ORDERS.threshold}",
    )
    command.add_argument(
        "--confidence-level",
        type=number(0.0, 1.0, is_open=True),
        metavar="P",
        help=f"of aso: that of the bounds eps_min; default: {ORDERS.confidence_level}",
    )
    command.add_argument(
        "--alpha",
        type=number(0.0, 1.0, is_open=True),
        metavar="ALPHA",
        help="of other tests: p-values of at most ALPHA are significant; default: "
        f"{ALPHA}",
    )
    command.add_argument(
        "--dt",
        type=number(0.0, 1.0, is_open=True),
        metavar="DT",
        help="of aso: compare quantiles at DT, 2 DT, ..., such as 0.005, in place of "
        "all; so a .parquet or .arrow FILE may be larger than memory",
    )
    command.add_argument(
        "--no-correction",
        action="store_true",
        help="do not correct for the number of comparisons (bounds of aso by "
        "Bonferroni, its test of equality by closure; others by Holm; or, where those "
        "can leave nothing on any task, by Benjamini-Hochberg over tasks)",
    )
    command.add_argument(
        "--method",
        choices=("auto", "bootstrap", "exact", "asymptotic", *PAIR_METHODS),
        help="auto, the default: of aso, enumerates all resamples of few scores, "
        "bootstraps more, and some quantiles of very many; of bootstrap and "
        "permutation, resampling, but saddlepoint for many scores, more resamples "
        "where so few cannot be significant, and exact p-values of pairs that differ "
        "by multiples of one unit, such as 0 and 1, or have at most four decimals. "
        f"{', '.join(PAIR_METHODS)}: of these two tests, the others of aso",
    )
    add_random(
        command, default=None, said="1000 for aso, 9999 for bootstrap and permutation"
    )


def choose_default_test(options: argparse.Namespace, table: ScoreTable) -> None:
    """Take the test that suits a table, unless one is asked for."""
    if options.test is None:
        is_of_runs = table.unit == "run" and not options.paired
        options.test = "aso" if is_of_runs else "permutation"
        check_test_options(options)


def choose_test(
    options: argparse.Namespace, table: ScoreTable
) -> PairOptions | OrderOptions:
    """Return the options of the test, as they are or by default."""
    n_resamples = options.n_resamples
    if n_resamples is None:
        n_resamples = _RESAMPLES.get(options.test)
    elif options.test in RESAMPLING_TESTS and options.method is None:
        options.method = "resampling"  # who asks for resamples gets them
    every = [x for by in table.tasks.values() for x in by.values()]
    if options.test in ("bootstrap", "brunner-munzel", "t"):
        for scores in table.tasks.values():
            check_sizes(table.source, scores)
    smallest = min(map(len, every))
    is_by_t = table.unit == "run" and options.method != "saddlepoint"
    if options.test == "bootstrap" and smallest < FEW_SCORES and not is_by_t:
        warnings.warn(
            f"The p-values of the bootstrap are too small for few scores, here "
            f"{smallest}: use --test permutation, or --test t.",
            UserWarning,
            stacklevel=2,
        )
    if options.test == "brunner-munzel" and smallest < FEW_RANKS:
        warnings.warn(
            "The p-values of Brunner and Munzel's test may be too small for fewer than "
            f"{FEW_RANKS} scores, here {smallest}: of models with P(A > B) = 1/2, one "
            "with 5 scores, 3 to 5 % have p <= 0.05 where they are equal, and up to "
            "9 % where one varies 4 times as much; of 3 scores against 20, up to 17 %. "
            "Where p is corrected for several comparisons, more have.",
            UserWarning,
            stacklevel=2,
        )
    if options.test == "mann-whitney" and len(set(map(len, every))) > 1:
        warnings.warn(
            "Mann and Whitney's test is of equal distributions: of models of unequal "
            "sizes with P(A > B) = 1/2, up to 21 % had p <= 0.05 where the one with "
            "fewer scores varied more. --test brunner-munzel allows for that.",
            UserWarning,
            stacklevel=2,
        )
    if table.unit != "run" and options.test in _OF_INDEPENDENT:
        warnings.warn(
            f"{_OF_INDEPENDENT[options.test]} takes scores as independent, and "
            f"those of one {table.unit} in all models are not: use --test permutation.",
            UserWarning,
            stacklevel=2,
        )
    if options.test == "aso":
        if (options.threshold or 0.0) > ORDERS.threshold:
            warnings.warn(
                f"--threshold {options.threshold:g} claims less than "
                f"{ORDERS.threshold:g}: a model may be called better that is behind in "
                "nearly that share of the squared distance of quantiles, and where it "
                "is half, neither is ahead. Of two normal models with equal means, one "
                "twice as wide, and 20 runs each, `aso` of two models called a given "
                "one better in up to 4 % of cases with 0.5, and 2 % with "
                "0.2.",
                UserWarning,
                stacklevel=2,
            )
        return OrderOptions(
            threshold=options.threshold or ORDERS.threshold,
            confidence_level=options.confidence_level or ORDERS.confidence_level,
            method=options.method or ORDERS.method,
            n_resamples=n_resamples,
            seed=options.seed,
            dt=options.dt,
            baseline=options.baseline,
        )
    is_paired = table.is_paired and options.test in PAIRED_TESTS
    alpha = ALPHA if options.alpha is None else options.alpha
    n_comparisons = 1 if options.no_correction else _count_pairs(table, options)
    if options.test in TESTS_OF_ORDERS:
        doubt_sizes(
            table.tasks,
            options.test,
            alpha,
            n_comparisons,
            is_paired=is_paired,
            baseline=options.baseline,
        )
    return PairOptions(
        options.test,
        is_paired,
        n_resamples,
        options.seed if n_resamples is not None else None,
        options.method or "auto",
        alpha,
        n_comparisons,
        table.unit,
        options.test_share,
        options.baseline,
    )


def _count_pairs(table: ScoreTable, options: argparse.Namespace) -> int:
    return sum(len(pairs_of(x, options.baseline)) for x in table.tasks.values())


def lacks_baseline(options: argparse.Namespace, table: ScoreTable) -> bool:
    """Tell a table in which the baseline is no model of some task."""
    name = options.baseline
    return name is not None and any(name not in by for by in table.tasks.values())


def check_baseline(options: argparse.Namespace, table: ScoreTable) -> None:
    """Refuse a baseline that is no model of every task."""
    name = options.baseline
    if name is None:
        return
    for task, by in table.tasks.items():
        if name not in by:
            on = f" on {task}" if task else ""
            msg = (
                f"Expected a model of {table.source}{on} for --baseline; got {name!r}. "
                f"Those in it: {list_names(by)}."
            )
            raise ValueError(msg)


def describe_comparison(
    options: argparse.Namespace,
    table: ScoreTable,
    tests: PairOptions | OrderOptions,
    task: str,
) -> Comparison:
    """Say what is compared, and how."""
    scores = table.tasks[task]
    matched: Mapping[tuple[str, str], Any] = {}
    if isinstance(tests, PairOptions):
        method = describe_test(scores, tests, unit=table.unit)
        if tests.is_paired and task in table.pairs:
            sizes = sorted(len(x) for x, _ in table.pairs[task].values())
            method += (
                f"; of a pair on the {sizes[0]} to {sizes[-1]} {table.unit}s of both"
            )
            matched = table.pairs[task]
        level = ORDERS.confidence_level
    correction = "holm"
    if isinstance(tests, OrderOptions):
        correction = CLOSED
        if not options.no_correction:
            correction = choose_order_correction(table.tasks, tests)
        is_closed = correction == CLOSED and not options.no_correction
        method = describe_orders(
            scores, tests, is_closed=is_closed, n_tasks=len(table.tasks)
        )
        level = tests.confidence_level
        if correction != CLOSED:
            method += (
                f"; {len(table.tasks)} tasks at one level could leave nothing here, "
                "whatever the scores: the false discovery rate over tasks is "
                "controlled in its place, of the tests of equality "
                "(Benjamini-Hochberg)"
            )
    elif len(table.tasks) > 1:
        floors = list_floors(
            table.tasks,
            tests.test,
            is_paired=tests.is_paired,
            baseline=options.baseline,
        )
        correction = choose_correction(floors, tests.alpha)
        if correction != "holm" and not options.no_correction:
            method += (
                f"; Holm's correction could leave nothing here, for p is never below "
                f"{min(floors):.2g}, times {len(floors)} comparisons: the false "
                "discovery rate over tasks is controlled in its place "
                "(Benjamini-Hochberg)"
            )
    direction = "lower" if options.lower_is_better else "higher"
    if table.metric != "score" or options.lower_is_better:
        method += f"; {direction} {table.metric} is better"
    return Comparison(
        source=table.source + (f", {task}" if task and len(table.tasks) == 1 else ""),
        scores=scores,
        test=options.test,
        alpha=ALPHA if options.alpha is None else options.alpha,
        confidence_level=level,
        higher_is_better=not options.lower_is_better,
        is_corrected=not options.no_correction,
        n_comparisons=_count_pairs(table, options),
        n_resamples=tests.n_resamples,
        seed=tests.seed,
        method=method,
        unit=table.unit,
        metric=table.metric,
        correction=correction,
        baseline=options.baseline,
        matched=matched,
    )


def check_test_options(options: argparse.Namespace) -> None:
    """Refuse options that the test would not look at."""
    test = options.test
    if options.paired and test not in PAIRED_TESTS:
        known = ", ".join(PAIRED_TESTS)
        msg = f"Expected --paired with --test {known}; got --test {test}."
        raise ValueError(msg)
    if options.test_share is not None:
        if test != "t":
            msg = f"Expected --test-share with --test t; got --test {test}."
            raise ValueError(msg)
        options.paired = True  # every split is of both models
    if options.n_resamples is not None and test not in _RESAMPLES:
        known = ", ".join(_RESAMPLES)
        msg = f"Expected --n-resamples with --test {known}; got --test {test}."
        raise ValueError(msg)
    for name, value in (
        ("--threshold", options.threshold),
        ("--confidence-level", options.confidence_level),
        ("--dt", options.dt),
    ):
        if value is not None and test != "aso":
            msg = f"Expected {name} with --test aso; got --test {test}."
            if name != "--dt":
                msg += " The level of p-values is --alpha."
            raise ValueError(msg)
    if options.alpha is not None and test == "aso":
        msg = (
            "Expected --alpha with a test that gives p-values; got --test aso. The "
            "bounds of aso hold at --confidence-level."
        )
        raise ValueError(msg)
    if options.method not in (None, "auto"):
        known_tests = RESAMPLING_TESTS if options.method in PAIR_METHODS else ("aso",)
        if test not in known_tests:
            msg = (
                f"Expected --method {options.method} with --test "
                f"{', '.join(known_tests)}; "
                f"got --test {test}."
            )
            raise ValueError(msg)
