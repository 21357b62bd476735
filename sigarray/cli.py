"""The `sigarray` command: which model is better, from a table of scores."""

import argparse
import importlib.resources
import io
import os
import sys
import warnings
from collections.abc import Sequence

from sigarray.correction_report import report_correction
from sigarray.options import ASO_DEFAULTS, build_parser
from sigarray.pairwise_order import multi_aso
from sigarray.pairwise_tests import PAIRED_TESTS, run_pairwise
from sigarray.power_report import PowerOptions, report_power
from sigarray.report import Report, print_text, render
from sigarray.sampling_error import choose_method
from sigarray.score_file import Scores, read_p_values, read_scores
from sigarray.verdict import Comparison, report_orders, report_tests

_EXAMPLE = "digits.csv"
# Below, a bootstrap test at level 0.05 is wrong in 7 to 16 cases of 100.
_FEW_SCORES = 20
_RESAMPLES = {"aso": 1000, "bootstrap": 9999, "permutation": 9999}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; give 0, or 2 where the file or an option is wrong."""
    commands = {"compare": compare, "power": power, "correct": correct}
    options = build_parser().parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Names that the terminal cannot show are shown by their code points.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", UserWarning)
            warnings.showwarning = lambda message, *_, **__: _complain(
                "warning", message
            )
            report = commands[options.command](options)
            if options.format == "text":
                print_text(report)
            else:
                print(render(report, options.format), end="")
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


def compare(options: argparse.Namespace) -> Report:
    """Say who is better among the models of a file."""
    _check_test_options(options)
    source, scores = _read(options)
    if options.n_resamples is None:
        options.n_resamples = _RESAMPLES.get(options.test)
    if options.test in ("bootstrap", "welch"):
        _check_sizes(source, scores)
    smallest = min(map(len, scores.values()))
    if options.test == "bootstrap" and smallest < _FEW_SCORES:
        warnings.warn(
            f"The p-values of the bootstrap are too small for few scores, here "
            f"{smallest}: use --test permutation, or --test welch.",
            UserWarning,
            stacklevel=2,
        )
    comparison = Comparison(
        source=source,
        scores=scores,
        confidence_level=options.confidence_level,
        higher_is_better=not options.lower_is_better,
        is_corrected=not options.no_correction,
        method=_describe(options, scores),
    )
    if options.test != "aso":
        tests = run_pairwise(
            scores,
            options.test,
            is_paired=options.paired,
            is_corrected=comparison.is_corrected,
            level=comparison.level,
            higher_is_better=comparison.higher_is_better,
            n_resamples=options.n_resamples,
            seed=options.seed,
        )
        return report_tests(comparison, tests)
    result = multi_aso(
        scores,
        confidence_level=options.confidence_level,
        correction="bonferroni" if comparison.is_corrected else None,
        n_resamples=options.n_resamples,
        method=options.method or ASO_DEFAULTS["method"],
        higher_is_better=comparison.higher_is_better,
        rng=options.seed,
    )
    threshold = options.threshold or ASO_DEFAULTS["threshold"]
    return report_orders(comparison, result, threshold)


def power(options: argparse.Namespace) -> Report:
    """Say whether there are enough runs of the models of a file."""
    is_paired = options.test == "paired-t"
    source, scores = _read(options, is_paired=is_paired, min_models=1)
    _check_sizes(source, scores)
    largest = max(map(max, scores.values()))
    if not options.lower_is_better and largest <= 1.0 < options.lift * largest:
        warnings.warn(
            f"A lift by a factor of {options.lift:g} takes scores above 1, and none is "
            f"above 1 now. Is it too much to ask for? Choose it with --lift.",
            UserWarning,
            stacklevel=2,
        )
    return report_power(
        source,
        scores,
        PowerOptions(
            test=options.test,
            lift=options.lift,
            power=options.power,
            significance_level=options.significance_level,
            higher_is_better=not options.lower_is_better,
            n_resamples=options.n_resamples,
            seed=options.seed,
        ),
    )


def correct(options: argparse.Namespace) -> Report:
    """Say which of several p-values hold."""
    labels, p_values = read_p_values(options.file)
    source = "standard input" if options.file == "-" else options.file
    return report_correction(
        source, labels, p_values, options.method, options.significance_level
    )


def _check_sizes(source: str, scores: Scores) -> None:
    """Refuse models with one score, for a test that needs their variance."""
    for name, column in scores.items():
        if len(column) < 2:
            msg = (
                f"{source}: expected two scores or more of {name}; got {len(column)}. "
                "Run it with more seeds."
            )
            raise ValueError(msg)


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
    for name in ASO_DEFAULTS:
        if getattr(options, name) is not None and test != "aso":
            msg = f"Expected --{name} with --test aso; got --test {test}."
            if name == "threshold":
                msg += " The level of p-values is 1 minus --confidence-level."
            raise ValueError(msg)


def _describe(options: argparse.Namespace, scores: Scores) -> str:
    """Name the test and what it did."""
    drawn = f"{options.n_resamples} resamples, seed {options.seed}"
    if options.test == "aso":
        sizes = [len(column) for column in scores.values()]
        method = choose_method(options.method or ASO_DEFAULTS["method"], sizes)
        how = {
            "bootstrap": f"bootstrap with {drawn}",
            "exact": "bootstrap by enumeration of all resamples",
            "asymptotic": "asymptotic standard error",
        }[method]
        return f"almost stochastic order, {how}"
    if options.test == "mann-whitney":
        return "Mann-Whitney's U, two-sided"
    if options.test == "welch":
        name = "paired t-test" if options.paired else "Welch's t-test"
        return f"{name}, two-sided"
    kind = "of pairs" if options.paired else "of independent samples"
    if options.test == "permutation":
        drawn = (
            f"exact, or where there are more than {options.n_resamples} permutations, "
            f"as many random ones, seed {options.seed}"
        )
    return f"{options.test} test of the mean {kind}, two-sided, {drawn}"


def _read(
    options: argparse.Namespace, *, is_paired: bool = False, min_models: int = 2
) -> tuple[str, Scores]:
    is_paired = is_paired or getattr(options, "paired", False)
    if options.file is not None:
        source = "standard input" if options.file == "-" else options.file
        return source, read_scores(
            options.file, options.columns, is_paired=is_paired, min_models=min_models
        )
    _complain("note", "no FILE given; this is the example that ships with sigarray")
    example = importlib.resources.files("sigarray") / "data" / _EXAMPLE
    with importlib.resources.as_file(example) as path:
        return _EXAMPLE, read_scores(path, options.columns, is_paired=is_paired)


def _complain(kind: str, message: object) -> None:
    print(f"sigarray: {kind}: {message}", file=sys.stderr)
