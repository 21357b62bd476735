"""Options of the command that choose a test."""

import argparse

from sigarray._cli.options import add_random, list_choices, number
from sigarray._verdicts.pair_options import TESTS
from sigarray._verdicts.request import (
    ALPHA,
    METHODS,
    ORDERS,
    Request,
    check_request,
)


def add_tests(command: argparse.ArgumentParser) -> None:
    """Add the options for the test, the pairs and the level."""
    tests = command.add_argument_group("how to compare")
    tests.add_argument(
        "--test",
        choices=("aso", *TESTS),
        metavar="TEST",
        help="aso (almost stochastic order, the default for runs), "
        f"{list_choices(TESTS)}; for items, paired permutation",
    )
    tests.add_argument(
        "--paired",
        action="store_true",
        help="pair scores in a row, as of one seed or split",
    )
    tests.add_argument(
        "--test-share",
        type=number(0.0, 1.0, is_open=True),
        metavar="SHARE",
        help="share of the data that splits are tested on (t)",
    )
    tests.add_argument(
        "--baseline",
        metavar="MODEL",
        help="compare every other model with this one only",
    )
    tests.add_argument(
        "--threshold",
        type=number(0.0, 0.5),
        metavar="TAU",
        help=f"A is better if eps_min < TAU (aso); default: {ORDERS.threshold}",
    )
    tests.add_argument(
        "--confidence-level",
        type=number(0.0, 1.0, is_open=True),
        metavar="P",
        help=f"confidence level of eps_min (aso); default: {ORDERS.confidence_level}",
    )
    tests.add_argument(
        "--alpha",
        type=number(0.0, 1.0, is_open=True),
        metavar="ALPHA",
        help=f"significance level of p-values; default: {ALPHA}",
    )
    tests.add_argument(
        "--no-correction",
        action="store_true",
        help="do not correct for multiple comparisons",
    )
    computing = command.add_argument_group("how to compute")
    computing.add_argument(
        "--method",
        choices=METHODS,
        metavar="METHOD",
        help="auto; bootstrap, exact or asymptotic (aso); resampling or saddlepoint "
        "(bootstrap, permutation)",
    )
    computing.add_argument(
        "--dt",
        type=number(0.0, 1.0, is_open=True),
        metavar="DT",
        help="compare quantiles in steps of DT only (aso)",
    )
    add_random(computing, default=None, said="1000 (aso) or 9999")


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
