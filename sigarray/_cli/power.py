"""`sigarray power`: whether there are enough scores of the models."""

import argparse
from dataclasses import replace

from sigarray._cli.choosing import read_request
from sigarray._cli.files import check_picture_file, read_models
from sigarray._cli.power_answers import Answer, Goal, Lift, choose_lift
from sigarray._cli.power_items import refuse_difference, report_items
from sigarray._cli.power_report import draw_power, report_power
from sigarray._cli.power_sizes import (
    N_SAMPLES,
    Duels,
    find_sizes,
    guess_seconds,
    list_sizes,
)
from sigarray._cli.power_tasks import report_tasks
from sigarray._verdicts.asked import Request
from sigarray._verdicts.comparison import Comparison
from sigarray._verdicts.doubts import doubt_pilot
from sigarray._verdicts.inspection import check_sizes
from sigarray._verdicts.lacking import say_matched
from sigarray._verdicts.margins import list_claims
from sigarray._verdicts.notes import announce, note, track
from sigarray._verdicts.over_tasks import (
    OverTasks,
    compare_over_tasks,
    order_over_tasks,
)
from sigarray._verdicts.page import save_pictures
from sigarray._verdicts.request import (
    check_baseline,
    choose_default_test,
    describe_comparison,
    make_test,
    refuse_tests_of_sampled,
)
from sigarray._verdicts.sampled import take_clusters
from sigarray._verdicts.samples import Trials
from sigarray._verdicts.score_lines import describe_scores_of_tasks
from sigarray._verdicts.test import Test
from sigarray.read._score_table import ScoreTable
from sigarray.read._wide import Scores
from sigarray.report._layout import Report

# All pairs of samples of each size are compared.
_MAX_MODELS = 100
# With so many comparisons, each has fewer samples: readers see their counts.
_MANY, _OF_MANY = 30, 50


def run(options: argparse.Namespace) -> Report:
    """Say whether there are enough scores of the models of a file, on each task."""
    check_picture_file(options.plot, options.files)
    request = read_request(options)
    table = read_models(
        options, is_paired=request.is_paired, min_models=1, max_models=_MAX_MODELS
    )
    if table.runs and request.statistic is None:
        return report_items(table, request, options)
    refuse_difference(options)
    if request.statistic is not None:
        report, answer, goal = report_tasks(table, request, options)
        if options.plot is not None:
            _write_picture(options.plot, [answer], goal)
        return report
    if table.statistic is not None:
        note(
            f"power is that of tests of the influences of items on "
            f"{table.metric}, which add up nearly as scores do."
        )
    if request.margin is not None and (table.clusters or table.statistic):
        # They have other tests of a margin than scores, as which they are drawn.
        request = choose_default_test(request, table)
        refuse_tests_of_sampled(request, table)
    # Of items in clusters, whole clusters are drawn.
    table = take_clusters(table)
    request = replace(request, higher_is_better=not options.lower_is_better)
    request = check_baseline(request, table)
    for scores in table.tasks.values():
        check_sizes(table.source, scores)
        doubt_pilot(scores, table.unit)
    models = {task: list(scores) for task, scores in table.tasks.items()}
    n_models = len(table.models)
    table = _with_two_models(table)
    request = choose_default_test(request, table)
    test = make_test(request, table)
    if test.is_paired:
        say_matched(table)
    comparisons, over = _describe_tasks(request, table, test)
    n_pairs = sum(len(x.pairs) for x in comparisons.values())
    trials = Trials(
        test=test,
        is_corrected=request.is_corrected,
        higher_is_better=request.higher_is_better,
        is_paired=table.is_paired,
        unit=table.unit,
        number=options.n_samples or (N_SAMPLES if n_pairs <= _MANY else _OF_MANY),
        seed=request.seed,
        n_tasks=len(table.tasks) if request.is_corrected else 1,
        tasks=comparisons,
    )
    is_of_itself = request.margin is not None and n_models == 1
    duels = {
        task: {} if is_of_itself else _find_duels(x) for task, x in comparisons.items()
    }
    lifts: dict[str, Lift] = {}
    if options.lift is not None or not any(duels.values()):
        lifts = {
            task: choose_lift(
                {name: table.tasks[task][name] for name in names},
                options.lift,
                higher_is_better=request.higher_is_better,
                margin=request.margin,
            )
            for task, names in models.items()
        }
    seconds = guess_seconds(
        comparisons, duels, trials, options.power, models if lifts else {}
    )
    n_duels = sum(map(len, duels.values()))
    announce(
        f"power of {test.name} for {n_models} models and {n_duels} "
        f"{'pair' if n_duels == 1 else 'pairs'}",
        seconds,
        f"Faster: {'' if test.name == 't' else '--test t, '}fewer --n-samples, fewer "
        "models with --columns, fewer tasks with --tasks.",
    )
    answers = []
    for task, x in comparisons.items():
        scores = dict(x.scores)
        pairs = find_sizes(
            x, duels[task], trials, options.power, is_drawn=options.plot is not None
        )
        lift = lifts.get(task)
        powers = _find_powers(scores, models[task], lift, trials)
        sizes = list_sizes(max(map(len, scores.values())))
        largest = max([sizes[-1], *duels[task].values()])
        answers.append(Answer(task, x, powers, pairs, largest, lift))
    goal = Goal(options.power, table.unit, test.asks_welch_below, request.margin)
    if options.plot is not None:
        _write_picture(options.plot, answers, goal)
    said = describe_scores_of_tasks(table, is_paired=test.is_paired)
    return report_power(answers, trials, goal, said, over)


def _write_picture(path: str, answers: list[Answer], goal: Goal) -> None:
    if not any(x.pairs for x in answers):
        msg = "Expected --plot with two models or more whose means differ; got none."
        raise ValueError(msg)
    try:
        save_pictures([draw_power(answers, goal)], path)
    except ImportError as error:
        raise ValueError(str(error)) from error


def _describe_tasks(
    request: Request, table: ScoreTable, test: Test
) -> tuple[dict[str, Comparison], OverTasks | None]:
    """Return how each task is compared, with models in the order of `compare`."""
    described = {
        task: replace(
            describe_comparison(request, table, test, task), source=table.source
        )
        for task in table.tasks
    }
    over = compare_over_tasks(described)
    order = order_over_tasks(described, over)
    return {
        task: replace(x, scores={y: x.scores[y] for y in order if y in x.scores})
        for task, x in described.items()
    }, over


def _find_powers(
    scores: Scores, models: list[str], lift: Lift | None, trials: Trials
) -> dict[str, float]:
    """Return how often lifted scores of each model are better."""
    if lift is None:
        return {}
    factor = lift.factor if trials.higher_is_better else 1.0 / lift.factor
    return {
        name: trials.share_lifted(scores, name, factor)
        for name in track(models, "Model")
    }


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


def _find_duels(comparison: Comparison) -> Duels:
    """Return every two models whose means differ, the better one first.

    With a margin, every model that is not worse than another by it, and the other. Two
    models that do not vary are left out: they do not show how scores vary.
    """
    pairs = [(x, y) for pair in comparison.pairs for x, y in (pair, pair[::-1])]
    if comparison.margin is not None:
        pairs = list_claims(comparison.pairs, comparison.baseline)
    duels = {}
    for pair in pairs:
        varies = any(x["sd"] > 0.0 for x in comparison.summarize_pair(*pair))
        if varies and comparison.find_lead(*pair) > 0.0:
            duels[pair] = min(map(len, comparison.list_scores(*pair)))
    return duels
