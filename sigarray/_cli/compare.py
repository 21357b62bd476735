"""`sigarray compare`: which of several models are better."""

import argparse
import itertools
import warnings
from typing import Any

from sigarray import multi_aso
from sigarray._cli.inputs import MAX_MODELS, check_sizes, read_models
from sigarray._cli.options import FILE_OF_SCORES, add_random, add_table, number
from sigarray._cli.pairwise_tests import (
    PAIR_METHODS,
    PAIRED_TESTS,
    RESAMPLING_TESTS,
    TESTS,
    PairOptions,
    describe_test,
    run_pairwise,
)
from sigarray._cli.progress import announce
from sigarray._cli.report import Report
from sigarray._cli.tables.scores import Scores
from sigarray._cli.tables.stored import (
    MAX_READ,
    StoredScores,
    is_stored,
    open_stored,
    refuse_counts,
)
from sigarray._cli.verdict import Comparison, report_orders, report_tests
from sigarray._numeric.quantile import even_grid
from sigarray._order.from_chunks import multi_aso_of_samples
from sigarray._order.plans import Plan, plan_error

HELP = "say which models of a table of scores are better"
DESCRIPTION = (
    "Compare every two models, by almost stochastic order or by a two-sided "
    f"test. {FILE_OF_SCORES} Or a .parquet or .arrow file, for which see --dt."
)

# Of options that only almost stochastic order has.
ASO_DEFAULTS: dict[str, Any] = {
    "method": "auto",
    "threshold": 0.2,
    "confidence_level": 0.95,
}

_ALPHA = 0.05
# Of 6000 pairs of normal samples of one distribution: the docstring of `aso`.
_MANY_RUNS = 10
_FEW_RUNS = (
    "; of two models that are the same, one is declared better, one way or the other, "
    "in 13, 8 and 5 % of cases with 3, 5 and 20 runs of each (eps_min < 0.2 at "
    "confidence 0.95)"
)
# Below, a bootstrap test at level 0.05 is wrong in 7 to 16 cases of 100.
_FEW_SCORES = 20
# Of almost stochastic order, for a guess: for each score of each resample of a pair.
_SECONDS_PER_SCORE = 3e-8
_RESAMPLES = {"aso": 1000, "bootstrap": 9999, "permutation": 9999}


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    add_table(command)
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
        "(bootstrap, permutation, t)",
    )
    command.add_argument(
        "--threshold",
        type=number(0.0, 0.5),
        metavar="TAU",
        help="of aso: A is better than B where eps_min < TAU <= 0.5; default: "
        f"{ASO_DEFAULTS['threshold']}",
    )
    command.add_argument(
        "--confidence-level",
        type=number(0.0, 1.0, is_open=True),
        metavar="P",
        help="of aso: that of the bounds eps_min; default: "
        f"{ASO_DEFAULTS['confidence_level']}",
    )
    command.add_argument(
        "--alpha",
        type=number(0.0, 1.0, is_open=True),
        metavar="ALPHA",
        help="of other tests: p-values of at most ALPHA are significant; default: "
        f"{_ALPHA}",
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
    add_random(
        command, default=None, said="1000 for aso, 9999 for bootstrap and permutation"
    )


def run(options: argparse.Namespace) -> Report:
    """Say who is better among the models of a file."""
    _check_test_options(options)
    scores: Any
    if is_stored(options.file):
        source, scores = options.file, _open_scores(options)
    else:
        source, scores = read_models(options)
    if options.confidence_level is None:
        options.confidence_level = ASO_DEFAULTS["confidence_level"]
    if options.n_resamples is None:
        options.n_resamples = _RESAMPLES.get(options.test)
    elif options.test in RESAMPLING_TESTS and options.method is None:
        options.method = "resampling"  # who asks for resamples gets them
    if options.test in ("bootstrap", "t"):
        check_sizes(source, scores)
    smallest = min(map(len, scores.values()))
    if options.test == "bootstrap" and smallest < _FEW_SCORES:
        warnings.warn(
            f"The p-values of the bootstrap are too small for few scores, here "
            f"{smallest}: use --test permutation, or --test t.",
            UserWarning,
            stacklevel=2,
        )
    is_drawn = options.n_resamples is not None
    tests = PairOptions(
        options.test,
        options.paired,
        options.n_resamples,
        options.seed if is_drawn else None,
        options.method or "auto",
    )
    comparison = Comparison(
        source=source,
        scores=scores,
        test=tests.test,
        alpha=_ALPHA if options.alpha is None else options.alpha,
        confidence_level=options.confidence_level,
        higher_is_better=not options.lower_is_better,
        is_corrected=not options.no_correction,
        n_resamples=tests.n_resamples,
        seed=tests.seed,
        method=_describe_aso(options, scores)
        if tests.test == "aso"
        else describe_test(scores, tests),
    )
    if tests.test != "aso":
        results = run_pairwise(
            scores,
            tests,
            is_corrected=comparison.is_corrected,
            level=comparison.alpha,
            higher_is_better=comparison.higher_is_better,
        )
        return report_tests(comparison, results)
    _announce_aso(options, scores)
    stored = [x.sample for x in scores.values() if isinstance(x, StoredScores)]
    if stored:
        result = multi_aso_of_samples(
            stored,
            list(scores),
            confidence_level=options.confidence_level,
            is_corrected=comparison.is_corrected,
            n_resamples=options.n_resamples,
            dt=options.dt,
            rng=options.seed,
        )
    else:
        result = multi_aso(
            scores,
            confidence_level=options.confidence_level,
            correction="bonferroni" if comparison.is_corrected else None,
            n_resamples=options.n_resamples,
            dt=options.dt,
            method=options.method or ASO_DEFAULTS["method"],
            higher_is_better=comparison.higher_is_better,
            rng=options.seed,
        )
    threshold = options.threshold or ASO_DEFAULTS["threshold"]
    return report_orders(comparison, result, threshold)


def _open_scores(options: argparse.Namespace) -> dict[str, Any]:
    """Give the scores of a table on disk: as they are, or where they are few, read."""
    stored = open_stored(
        options.file,
        options.columns,
        ignored=options.ignore,
        higher_is_better=not options.lower_is_better,
        max_models=MAX_MODELS,
    )
    n_scores = sum(map(len, stored.values()))
    if n_scores <= MAX_READ:
        scores: Scores = {name: x.read() for name, x in stored.items()}
        if options.columns is None:
            refuse_counts(scores, options.file)
        return scores
    if options.test != "aso" or options.method not in (None, "auto"):
        msg = (
            f"Expected --test aso, of no --method, for more than {MAX_READ:,} scores "
            f"in {options.file}; there are {n_scores:,}. Choose some with --columns."
        )
        raise ValueError(msg)
    if options.dt is None:
        msg = (
            f"Expected --dt for more than {MAX_READ:,} scores in {options.file}; there "
            f"are {n_scores:,}. Pass --dt 0.005, to compare 199 quantiles of them."
        )
        raise ValueError(msg)
    if options.columns is None:
        refuse_counts(stored, options.file)
    return dict(stored)


def _check_test_options(options: argparse.Namespace) -> None:
    """Refuse options that the test would not look at."""
    test = options.test
    if options.paired and test not in PAIRED_TESTS:
        known = ", ".join(PAIRED_TESTS)
        msg = f"Expected --paired with --test {known}; got --test {test}."
        raise ValueError(msg)
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


def _describe_aso(options: argparse.Namespace, scores: Scores) -> str:
    """Say how almost stochastic order was decided; pairs may differ in their sizes."""
    drawn = f"{options.n_resamples} resamples, seed {options.seed}"
    said = []
    for method, grid in _plan_aso(options, scores):
        if method == "exact":
            said.append("enumeration of all resamples")
        elif method == "asymptotic":
            said.append("asymptotic standard error")
        elif grid is None:
            said.append(f"bootstrap with {drawn}")
        else:
            said.append(f"bootstrap of {grid.size:,} quantiles with {drawn}")
    which = "by the sizes of the two samples " if len(said) > 1 else ""
    few = _FEW_RUNS if min(map(len, scores.values())) < _MANY_RUNS else ""
    return f"almost stochastic order, {which}{' or '.join(said)}{few}"


def _plan_aso(options: argparse.Namespace, scores: Scores) -> list[Plan]:
    """Give the plans of all pairs, each of them once."""
    sizes = sorted(len(column) for column in scores.values())
    pairs = list(itertools.combinations(sizes, 2))
    method = options.method or ASO_DEFAULTS["method"]
    plans = (
        plan_error(method, n, m, even_grid(options.dt), len(pairs))
        for n, m in dict.fromkeys(pairs)
    )
    return list(dict.fromkeys(plans))


def _announce_aso(options: argparse.Namespace, scores: Scores) -> None:
    n_scores = (len(scores) - 1) * sum(map(len, scores.values()))
    plans = _plan_aso(options, scores)
    is_drawn = any(plan.method == "bootstrap" for plan in plans)
    n_resamples = options.n_resamples if is_drawn else 1
    if all(plan.grid is not None for plan in plans):
        n_scores = sum(plan.grid.size for plan in plans if plan.grid) * len(scores) ** 2
    announce(
        f"almost stochastic order of {len(scores)} models",
        _SECONDS_PER_SCORE * n_scores * n_resamples,
        "Faster: --test t, --method asymptotic, fewer --n-resamples, fewer models "
        "with --columns.",
    )
