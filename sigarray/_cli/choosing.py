"""Options of the command that choose a test."""

import argparse

from sigarray._cli.options import add_random, number
from sigarray._verdicts.pair_options import PAIR_METHODS, TESTS
from sigarray._verdicts.request import (
    ALPHA,
    METHODS,
    ORDERS,
    Request,
    check_request,
)


def add_tests(command: argparse.ArgumentParser) -> None:
    """Add the options for the test, the pairs and the level."""
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
        choices=METHODS,
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


def read_request(options: argparse.Namespace) -> Request:
    """Return the request, and refuse options that the test ignores.

    Raises
    ------
    ValueError
        Such an option.
    """
    return check_request(
        Request(
            test=options.test,
            is_paired=options.paired,
            test_share=options.test_share,
            baseline=options.baseline,
            threshold=options.threshold,
            confidence_level=options.confidence_level,
            alpha=options.alpha,
            dt=options.dt,
            method=options.method,
            n_resamples=options.n_resamples,
            seed=options.seed,
            is_corrected=not options.no_correction,
            higher_is_better=not options.lower_is_better,
            missing=options.missing,
        )
    )
