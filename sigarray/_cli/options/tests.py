"""Options that choose a test."""

import argparse

from sigarray._cli.options.choices import (
    ALPHA,
    CONFIDENCE_LEVEL,
    METHODS_OF_TESTS,
    TESTS_OF_PAIRS,
    THRESHOLD,
)
from sigarray._cli.options.shared import add_random, number
from sigarray._plain_text import list_in_words

_MAX_MARGIN = 1e9


def add_tests(command: argparse.ArgumentParser) -> None:
    """Add the options for the test, the pairs and the level."""
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
    tests.add_argument(
        "--test-share",
        type=number(0.0, 1.0, is_open=True),
        metavar="SHARE",
        help="share of the data that each split tests on (t)",
    )
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
    tests.add_argument(
        "--alpha",
        type=number(0.0, 1.0, is_open=True),
        metavar="ALPHA",
        help=f"significance level of p-values ({ALPHA})",
    )
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
