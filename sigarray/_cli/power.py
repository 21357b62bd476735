"""`sigarray power`: whether there are enough scores of the models."""

import argparse
import math
import warnings
from dataclasses import replace

from sigarray._cli.choosing import read_request
from sigarray._cli.inputs import read_models
from sigarray._cli.picture_files import check_picture_file
from sigarray._cli.power_lift import choose_lift
from sigarray._cli.power_picture import draw_power
from sigarray._cli.power_report import Answer, Goal, SizedPair, report_power
from sigarray._power_analysis import DEFAULT_SIZES
from sigarray._verdicts.comparison import Comparison
from sigarray._verdicts.constants import doubt_pilot
from sigarray._verdicts.inspection import check_sizes
from sigarray._verdicts.notes import announce, track
from sigarray._verdicts.picture_files import save_pictures
from sigarray._verdicts.request import (
    Request,
    check_baseline,
    choose_default_test,
    describe_comparison,
    make_test,
)
from sigarray._verdicts.samples import Trials
from sigarray._verdicts.test import Test
from sigarray.read._score_table import ScoreTable
from sigarray.read._wide import Scores
from sigarray.report._layout import Report

# More scores of a model than anyone uses.
_LARGEST_SIZE = 10_000
# All pairs of samples of each size are compared.
_MAX_MODELS = 100
# Sizes beyond those that all pairs need, in a picture.
_MORE_SIZES = 2


def run(options: argparse.Namespace) -> Report:
    """Say whether there are enough scores of the models of a file, on each task."""
    check_picture_file(options.plot, options.files)
    request = read_request(options)
    table = read_models(
        options,
        is_paired=request.is_paired,
        min_models=1,
        max_models=_MAX_MODELS,
    )
    request = replace(request, higher_is_better=not options.lower_is_better)
    check_baseline(request, table)
    for scores in table.tasks.values():
        check_sizes(table.source, scores)
        doubt_pilot(scores, table.unit)
    is_higher = request.higher_is_better
    lifts = {
        task: choose_lift(scores, options.lift, higher_is_better=is_higher)
        for task, scores in table.tasks.items()
    }
    models = {task: list(scores) for task, scores in table.tasks.items()}
    table = _with_two_models(table)
    request = choose_default_test(request, table)
    test = make_test(request, table)
    trials = Trials(
        test=test,
        is_corrected=request.is_corrected,
        higher_is_better=request.higher_is_better,
        is_paired=table.is_paired,
        unit=table.unit,
        number=options.n_samples,
        seed=request.seed,
        n_tasks=len(table.tasks) if request.is_corrected else 1,
    )
    comparisons = _describe_tasks(request, table, test)
    duels = {task: _find_duels(x) for task, x in comparisons.items()}
    sizes = {task: _sizes_to_try(scores) for task, scores in table.tasks.items()}
    _announce(trials, table.tasks, models, duels, sizes)
    answers = []
    for task, x in comparisons.items():
        scores = table.tasks[task]
        lift = lifts[task].factor if is_higher else 1.0 / lifts[task].factor
        powers = {
            name: trials.share_lifted(scores, name, lift)
            for name in track(models[task], "Model")
        }
        pairs = _find_sizes(
            scores,
            duels[task],
            sizes[task],
            trials,
            options.power,
            is_drawn=options.plot is not None,
        )
        answers.append(Answer(task, x, powers, pairs, sizes[task][-1], lifts[task]))
    goal = Goal(power=options.power, unit=table.unit)
    if options.plot is not None:
        _write_picture(options.plot, answers, goal)
    return report_power(answers, trials, goal)


def _write_picture(path: str, answers: list[Answer], goal: Goal) -> None:
    """Write the picture that was asked for.

    Raises
    ------
    ValueError
        No matplotlib, or no two models whose means differ.
    """
    if not any(x.pairs for x in answers):
        msg = "Expected --plot with two models or more whose means differ; got none."
        raise ValueError(msg)
    try:
        save_pictures([draw_power(answers, goal)], path)
    except ImportError as error:
        raise ValueError(str(error)) from error


def _describe_tasks(
    request: Request, table: ScoreTable, test: Test
) -> dict[str, Comparison]:
    """Return how each task is compared, given that the others show no difference."""
    described = {}
    is_by_rate = False
    for task in table.tasks:
        x = describe_comparison(request, table, test, task)
        is_by_rate |= x.is_corrected and x.correction != test.alone
        described[task] = replace(x, source=table.source, correction=test.alone)
    if is_by_rate:
        warnings.warn(
            f"Of so few {table.unit}s and {len(table.tasks)} tasks, sigarray compare "
            "controls the false discovery rate over tasks, which may find more than is "
            "said here: this is of one task where the others show nothing.",
            UserWarning,
            stacklevel=2,
        )
    return described


def _announce(
    trials: Trials,
    tasks: dict[str, Scores],
    models: dict[str, list[str]],
    duels: dict[str, list[tuple[str, str]]],
    sizes: dict[str, list[int]],
) -> None:
    seconds = 0.0
    for task, scores in tasks.items():
        tried = sizes[task] if duels[task] else []
        tried = [*tried, *(len(scores[name]) for name in models[task])]
        seconds += sum(trials.guess_seconds(scores, n) for n in tried)
    n_models = len(set().union(*models.values()))
    n_pairs = sum(map(len, duels.values()))
    announce(
        f"power of {trials.test.name} for {n_models} models and {n_pairs} "
        f"{'pair' if n_pairs == 1 else 'pairs'}",
        seconds,
        f"Faster: {'' if trials.test.name == 't' else '--test t, '}fewer --n-samples, "
        "fewer models with --columns, fewer tasks with --tasks.",
    )


def _with_two_models(table: ScoreTable) -> ScoreTable:
    """Add, to a single model, another one with the same scores."""
    if len(table.models) > 1:
        return table
    (name,) = table.models
    other = f"another {name}"
    return table._replace(
        tasks={task: by | {other: by[name]} for task, by in table.tasks.items()},
        ids={task: by | {other: by[name]} for task, by in table.ids.items()},
    )


def _find_duels(comparison: Comparison) -> list[tuple[str, str]]:
    """Return every two models whose means differ, the better one first.

    Two models that do not vary are left out: they do not show how scores vary.
    """
    duels = []
    for pair in comparison.pairs:
        first, second = (comparison.summaries[name]["mean"] for name in pair)
        varies = any(comparison.summaries[name]["sd"] > 0.0 for name in pair)
        if varies and first != second:
            is_first = (first > second) == comparison.higher_is_better
            duels.append(pair if is_first else pair[::-1])
    return duels


def _sizes_to_try(scores: Scores) -> list[int]:
    """Return the default sizes, then doubled ones up to four times the scores."""
    sizes = list(DEFAULT_SIZES)
    goal = min(4 * max(map(len, scores.values())), _LARGEST_SIZE)
    while sizes[-1] < goal:
        sizes.append(min(2 * sizes[-1], _LARGEST_SIZE))
    return sizes


def _find_sizes(
    scores: Scores,
    duels: list[tuple[str, str]],
    sizes: list[int],
    trials: Trials,
    power: float,
    *,
    is_drawn: bool,
) -> list[SizedPair]:
    """Find the smallest size for each pair; all models are compared at each size.

    What is drawn has the shares of all pairs at each size, and two sizes more.
    """
    found: dict[tuple[str, str], int] = {}
    shares: dict[tuple[str, str], dict[int, float]] = {pair: {} for pair in duels}
    n_more = _MORE_SIZES if is_drawn else 0
    for size in track(sizes, "Number of scores"):
        left = [pair for pair in duels if pair not in found]
        n_more -= not left
        if n_more < 0 or not duels:
            break
        groups = [left, list(found)] if is_drawn else [left]
        for pairs in filter(None, groups):
            drawn = trials.share_better(scores, size, pairs, above=power)
            for pair in pairs:
                shares[pair][size] = drawn.get(pair, 0.0)
        for pair in left:
            if shares[pair][size] >= power:
                found[pair] = size
    return [
        SizedPair(
            *pair,
            found.get(pair, math.inf),
            shares[pair].get(found.get(pair, 0), math.nan),
            shares[pair],
        )
        for pair in duels
    ]
