"""The `sigarray` command: which model is better, from a table of scores."""

import argparse
import contextlib
import importlib.resources
import io
import itertools
import math
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

from sigarray import multi_aso
from sigarray._cli.correct import report_correction
from sigarray._cli.options import ASO_DEFAULTS, build_parser
from sigarray._cli.pairwise_tests import (
    PAIR_METHODS,
    PAIRED_TESTS,
    RESAMPLING_TESTS,
    PairOptions,
    describe_test,
    run_pairwise,
)
from sigarray._cli.plain_text import show_controls
from sigarray._cli.power import PowerOptions, report_power
from sigarray._cli.progress import announce
from sigarray._cli.report import Report, print_text, render
from sigarray._cli.responses import ResponseOptions, report_responses, report_study
from sigarray._cli.tables.responses import read_responses
from sigarray._cli.tables.scores import Scores, read_p_values, read_scores
from sigarray._cli.verdict import Comparison, report_orders, report_tests
from sigarray._order.plans import Plan, plan_error
from sigarray.responses import study

_SCORES, _RATINGS = "digits.csv", "ratings.csv"
# Of 6000 pairs of normal samples of one distribution: the docstring of `aso`.
_MANY_RUNS = 10
_FEW_RUNS = (
    "; of two models that are the same, one is declared better, one way or the other, "
    "in 13, 8 and 5 % of cases with 3, 5 and 20 runs of each (eps_min < 0.2 at "
    "confidence 0.95)"
)
# Below, a bootstrap test at level 0.05 is wrong in 7 to 16 cases of 100.
_FEW_SCORES = 20
# Every two are compared.
_MAX_MODELS = 100
# Of almost stochastic order, for a guess: for each score of each resample of a pair.
_SECONDS_PER_SCORE = 3e-8
# Of studies: for each response of each test set and resample.
_SECONDS_PER_RESPONSE = 5e-8
_RESAMPLES = {"aso": 1000, "bootstrap": 9999, "permutation": 9999}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Give 0; 2 where the file or an option is wrong; 1 where the result cannot be
    written; 130 where the command was interrupted.
    """
    commands = {
        "compare": compare,
        "power": power,
        "correct": correct,
        "responses": compare_responses,
        "study": study_p_values,
    }
    options = build_parser().parse_args(arguments)
    if sys.stdout is None or sys.stdout.closed:
        _complain("error", "the result cannot be written: standard output is closed.")
        return 1
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Names that the terminal cannot show are shown by their code points.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        with _warnings_as_lines():
            report = commands[options.command](options)
        if options.format == "text":
            print_text(report)
        else:
            print(render(report, options.format), end="")
        sys.stdout.flush()
    except ValueError as error:
        _complain("error", error)
        return 2
    except KeyboardInterrupt:
        _say("interrupted")
        return 130
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
    elif options.test in RESAMPLING_TESTS and options.method is None:
        options.method = "resampling"  # who asks for resamples gets them
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
            level=comparison.level,
            higher_is_better=comparison.higher_is_better,
        )
        return report_tests(comparison, results)
    _announce_aso(options, scores)
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
    largest = max(float(column.max()) for column in scores.values())
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


def compare_responses(options: argparse.Namespace) -> Report:
    """Say which of two systems is nearer to gold."""
    systems = (options.gold, options.a, options.b)
    with _open_table(options.file, _RATINGS) as (source, path):
        test_set = read_responses(path, systems)
    return report_responses(
        source,
        systems,
        test_set,
        ResponseOptions(
            metric=options.metric,
            threshold=options.threshold,
            range=None if options.range is None else tuple(options.range),
            items=options.items,
            responses=options.responses,
            alternative=options.alternative,
            significance_level=options.significance_level,
            n_resamples=options.n_resamples,
            seed=options.seed,
        ),
    )


def study_p_values(options: argparse.Namespace) -> Report:
    """Say how good p-values from one simulated test set are."""
    choices = (options.metric, options.items, options.responses, options.perturbation)
    n_p_values = math.prod(map(len, choices))
    n_drawn = (options.n_sets + options.n_resamples) * options.n_items
    announce(
        f"a study of {n_p_values} p-values",
        _SECONDS_PER_RESPONSE * n_p_values * n_drawn * 3 * options.n_responses,
        "Faster: fewer --n-sets, --n-resamples or --n-items.",
    )
    result = study(
        metrics=options.metric,
        items=options.items,
        responses=options.responses,
        perturbations=options.perturbation,
        model=options.model,
        n_items=options.n_items,
        n_responses=options.n_responses,
        n_sets=options.n_sets,
        n_resamples=options.n_resamples,
        alternative="greater",
        rng=options.seed,
    )
    method = (
        f"{options.model} model, {options.n_items} items, {options.n_responses} "
        f"responses, {options.n_sets} test sets and {options.n_resamples} resamples of "
        f"each hypothesis, one-sided, seed {options.seed}"
    )
    settings = {
        "test": "study",
        "metrics": options.metric,
        "items": options.items,
        "responses": options.responses,
        "perturbations": options.perturbation,
        "model": options.model,
        "n_items": options.n_items,
        "n_responses": options.n_responses,
        "n_sets": options.n_sets,
        "n_resamples": options.n_resamples,
        "seed": options.seed,
    }
    return report_study(result, method, settings)


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
    if options.threshold is not None and test != "aso":
        msg = (
            f"Expected --threshold with --test aso; got --test {test}. The level of "
            "p-values is 1 minus --confidence-level."
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
    pairs = dict.fromkeys(itertools.combinations(sizes, 2))
    method = options.method or ASO_DEFAULTS["method"]
    return list(dict.fromkeys(plan_error(method, n, m) for n, m in pairs))


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
        "Faster: --test welch, --method asymptotic, fewer --n-resamples, fewer models "
        "with --columns.",
    )


def _read(
    options: argparse.Namespace, *, is_paired: bool = False, min_models: int = 2
) -> tuple[str, Scores]:
    is_paired = is_paired or getattr(options, "paired", False)
    with _open_table(options.file, _SCORES) as (source, path):
        scores = read_scores(
            path,
            options.columns,
            ignored=options.ignore,
            is_paired=is_paired,
            min_models=min_models,
            max_models=_MAX_MODELS,
        )
    return source, scores


@contextlib.contextmanager
def _open_table(file: str | None, example: str) -> Iterator[tuple[str, str | Path]]:
    """Give a name and a path of a file, or of an example."""
    if file is not None:
        yield "standard input" if file == "-" else file, file
        return
    _complain("note", "no FILE given; this is the example that ships with sigarray")
    resource = importlib.resources.files("sigarray") / "data" / example
    with importlib.resources.as_file(resource) as path:
        yield example, path


@contextlib.contextmanager
def _warnings_as_lines() -> Iterator[None]:
    """Print each warning of the library once, as a line."""
    said = set()

    def show(message: Warning | str, *_: object, **__: object) -> None:
        if str(message) not in said:
            _complain("warning", message)
        said.add(str(message))

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show
        yield


def _complain(kind: str, message: object) -> None:
    _say(f"{kind}: {message}")


def _say(line: str) -> None:
    # Else print would take the standard output.
    if sys.stderr is not None:
        print(f"sigarray: {show_controls(line)}", file=sys.stderr)
