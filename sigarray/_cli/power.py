"""`sigarray power`: whether there are enough scores of the models."""

import argparse
import functools
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from sigarray._cli.files import ROLES, check_picture_file, read_models
from sigarray._cli.power_alone import Finder, Gain, say_gain
from sigarray._cli.power_answers import Answer, Goal
from sigarray._cli.power_designs import report_items, report_tasks
from sigarray._cli.power_report import (
    describe_method,
    draw_power,
    make_document,
    report_power,
    say_change,
    say_single_tasks,
)
from sigarray._cli.power_sizes import Duels, count_samples, find_sizes, list_sizes
from sigarray._cli.running import read_request
from sigarray._numeric.special import normal_quantile
from sigarray._verdicts.asked import FEW_SCORES, Request
from sigarray._verdicts.comparison import Comparison
from sigarray._verdicts.decisions import show_difference
from sigarray._verdicts.doubts import doubt_pilot
from sigarray._verdicts.inspection import check_sizes
from sigarray._verdicts.lacking import say_matched
from sigarray._verdicts.margins import list_claims
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
from sigarray._verdicts.sampled import list_sizes_of_clusters, take_clusters
from sigarray._verdicts.samples import Trials
from sigarray._verdicts.score_lines import describe_scores_of_tasks
from sigarray._verdicts.test import Test
from sigarray.read._messages import announce, note, warn
from sigarray.read._score_table import ScoreTable
from sigarray.report._layout import Report

# All pairs of samples of each size are compared.
_MAX_MODELS = 100
# What describes the scores of files, of which there are none with --sd.
_OF_FILES = (
    *("paired", "columns", "ignore", "metric", "tasks", "where", "path", "table"),
    *(*ROLES, "statistic", "unit", "missing", "drop_unmatched", "baseline"),
    "test_share",
)
# Quantiles that stand for all scores of a normal distribution.
_N_NORMAL = 1000


def run(options: argparse.Namespace) -> Report:
    check_picture_file(options.plot, options.files)
    request = read_request(options)
    gain = _choose_gain(options)
    if options.sd is None:
        table = read_models(
            options,
            is_paired=request.is_paired,
            has_worst=request.has_worst,
            min_models=1,
            max_models=_MAX_MODELS,
        )
    else:
        table = _draw_table(options)
    if table.runs and request.statistic is None:
        return report_items(table, request, options)
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
    # As `compare` chooses it: clusters, and metrics, have other tests than scores.
    is_by_number = request.test is None and request.margin is None
    request = choose_default_test(request, table)
    if table.clusters or table.statistic is not None:
        refuse_tests_of_sampled(request, table)
        if is_by_number:
            note(
                f"power is of --test {request.test} for all numbers; by default, "
                f"sigarray compare takes t below {FEW_SCORES}, else permutations."
            )
    # Of items in clusters, whole clusters are drawn; permutations exchange their sums.
    sizes = list_sizes_of_clusters(table) if request.test == "t" else {}
    table = take_clusters(table, as_sums=request.test == "permutation")
    request = replace(request, higher_is_better=not options.lower_is_better)
    request = check_baseline(request, table)
    for scores in table.tasks.values():
        check_sizes(table.source, scores)
        doubt_pilot(scores, table.unit)
    return _report_scores(table, request, options, gain, sizes)


def _report_scores(
    table: ScoreTable,
    request: Request,
    options: argparse.Namespace,
    gain: Gain | None,
    sizes_of_clusters: Mapping[str, np.ndarray],
) -> Report:
    models = {task: list(scores) for task, scores in table.tasks.items()}
    n_models = len(table.models)
    table = _with_two_models(table)
    test = make_test(request, table)
    if test.is_paired:
        say_matched(table)
    if test.is_paired and n_models == 1 and table.unit == "run":
        note(
            "how runs of a pair correlate is not known from one model, and they are "
            "taken to be independent: fewer are enough if they rise and fall together."
        )
    comparisons, over = _describe_tasks(request, table, test, sizes_of_clusters)
    n_pairs = sum(len(x.pairs) for x in comparisons.values())
    trials = Trials(
        test=test,
        is_corrected=request.is_corrected,
        higher_is_better=request.higher_is_better,
        is_paired=table.is_paired,
        unit=table.unit,
        number=options.n_samples or count_samples(options.power, n_pairs),
        seed=request.seed,
        n_tasks=len(table.tasks) if request.is_corrected else 1,
        tasks=comparisons,
        test_share=request.test_share,
    )
    groups = {
        task: list(_group(x, trials, options.difference)) if n_models > 1 else []
        for task, x in comparisons.items()
    }
    if options.difference is not None:
        # A rate over tasks is that of tasks on each of which a model is so much better.
        moved = {task: x[0][0] for task, x in groups.items() if x}
        trials = replace(trials, tasks=comparisons | moved)
    duels = [found for of_task in groups.values() for _, found in of_task]
    are_alone = options.lift is not None or not any(duels)
    if gain is None and are_alone and request.margin is not None:
        gain = Gain(factor=1.0)  # a model with the same scores
    alone = replace(trials, is_paired=False)
    finders = {
        task: Finder(
            dict(comparisons[task].scores),
            [x for x in names if x != test.baseline] if are_alone else [],
            alone,
            options.power,
            gain,
            options.sd,
            has_sizes=n_models == 1,
            is_drawn=options.plot is not None,
        )
        for task, names in models.items()
    }
    counted = ((n_models, "model"), (sum(map(len, duels)), "pair"))
    every = " and ".join(f"{n} {x}{'s' * (n > 1)}" for n, x in counted if n)

    def guess(seconds: float) -> None:
        announce(
            f"power of {test.name} for {every}",
            seconds * sum(map(len, groups.values())),
            f"Faster: {'' if test.name == 't' else '--test t, '}fewer --n-samples, "
            "fewer models with --columns, fewer tasks with --tasks.",
        )

    is_drawn = options.plot is not None
    answers: list[Answer] = []
    for task, x in comparisons.items():
        pairs = [
            pair
            for group, found in groups[task]
            for pair in find_sizes(
                group,
                found,
                trials,
                options.power,
                is_drawn=is_drawn,
                guess=None if answers or group is not groups[task][0][0] else guess,
            )
        ]
        most = max(map(len, x.scores.values()))
        sizes = list_sizes(most, trials.test_share)
        largest = max([sizes[-1], *(pair.n for pair in pairs)])
        show = functools.partial(show_difference, x)
        answers.append(Answer(task, x, finders[task].find(), pairs, largest, show))
    goal = Goal(
        options.power,
        table.unit if request.test_share is None else "split",
        test.asks_welch_below,
        request.margin,
        difference=None if are_alone else options.difference,
        gain=say_gain(
            gain, higher_is_better=request.higher_is_better, margin=request.margin
        ),
    )
    if is_drawn:
        _write_picture(options.plot, answers, goal)
    said = describe_scores_of_tasks(table, is_paired=test.is_paired)
    method = describe_method(answers, trials, goal, said)
    title = answers[0].comparison.title
    return report_power(
        answers,
        goal,
        method,
        make_document(answers, trials, goal, method),
        title if len(answers) == 1 else f"{title}, {len(answers)} tasks",
        of_tasks=say_single_tasks(over, goal),
        told=say_change(trials, goal),
    )


def _write_picture(path: str, answers: list[Answer], goal: Goal) -> None:
    if not any(x.drawn for x in answers):
        warn(
            f"there is no picture {path!r}, for no difference is known: pass "
            "--difference."
        )
        return
    save_pictures([draw_power(answers, goal)], path)


def _describe_tasks(
    request: Request,
    table: ScoreTable,
    test: Test,
    sizes_of_clusters: Mapping[str, np.ndarray],
) -> tuple[dict[str, Comparison], OverTasks | None]:
    described = {
        task: replace(
            describe_comparison(request, table, test, task),
            source=table.source,
            sizes=sizes_of_clusters.get(task),
        )
        for task in table.tasks
    }
    over = compare_over_tasks(described)
    order = order_over_tasks(described, over)
    return {
        task: replace(x, scores={y: x.scores[y] for y in order if y in x.scores})
        for task, x in described.items()
    }, over


def _choose_gain(options: argparse.Namespace) -> Gain | None:
    asked = ("lift", "difference", "margin")
    given = [f"--{x}" for x in asked if getattr(options, x) is not None]
    if "--difference" in given and len(given) > 1:
        given.remove("--difference")
        msg = f"Expected --difference or {given[0]}; got both. Leave one out."
        raise ValueError(msg)
    if options.lift is not None:
        return Gain(factor=options.lift)
    return None if options.difference is None else Gain(options.difference)


def _draw_table(options: argparse.Namespace) -> ScoreTable:
    if options.files or options.lift is not None:
        got = "--lift, of scores" if options.lift is not None else "a FILE"
        msg = f"Expected --sd alone, or with --difference; got {got}. Leave one out."
        raise ValueError(msg)
    for name in _OF_FILES:
        if getattr(options, name) and (name, options.unit) != ("unit", "run"):
            msg = (
                "Expected --sd, of independent runs of single models; got "
                f"--{name.replace('_', '-')} as well, of a FILE. Leave one out."
            )
            raise ValueError(msg)
    options.lower_is_better = bool(options.lower_is_better)
    places = [(k + 0.5) / _N_NORMAL for k in range(_N_NORMAL)]
    x = np.asarray(list(map(normal_quantile, places)))
    return ScoreTable(
        {"": {"model": options.sd / np.std(x, ddof=1) * x}},
        {"": {"model": tuple(map(str, range(_N_NORMAL)))}},
        unit="run",
        is_paired=False,
        metric="score",
        kind="",
        source=f"normal scores with a standard deviation of {options.sd:.10g}",
        notes=(),
    )


def _with_two_models(table: ScoreTable) -> ScoreTable:
    if len(table.models) > 1:
        return table
    (name,) = table.models
    other = f"another {name}"
    return table._replace(
        tasks={task: by | {other: by[name]} for task, by in table.tasks.items()},
        ids={task: by | {other: by[name]} for task, by in table.ids.items()},
    )


def _group(
    comparison: Comparison, trials: Trials, difference: float | None
) -> Iterator[tuple[Comparison, Duels]]:
    duels = _find_duels(comparison, is_given=difference is not None)
    if difference is None:
        yield comparison, duels
        return
    by = difference if trials.higher_is_better else -difference
    for better in dict.fromkeys(name for name, _ in duels):

        def move(name: str, scores: np.ndarray, better: str = better) -> np.ndarray:
            gain = by if name == better else 0.0
            return np.asarray(scores - scores.mean() + gain)

        moved = {name: move(name, y) for name, y in comparison.scores.items()}
        matched = {
            pair: tuple(map(move, pair, both))
            for pair, both in comparison.matched.items()
        }
        found = {pair: n for pair, n in duels.items() if pair[0] == better}
        yield replace(comparison, scores=moved, matched=matched), found


def _find_duels(comparison: Comparison, *, is_given: bool) -> Duels:
    """Return every two models whose means differ, the better one first.

    With a margin, every model that is not worse than another by it, and the other. Two
    models that do not vary are left out: they do not show how scores vary. If a
    difference is given, means may be the same.
    """
    pairs = [(x, y) for pair in comparison.pairs for x, y in (pair, pair[::-1])]
    if comparison.margin is not None:
        pairs = list_claims(comparison.pairs, comparison.baseline)
    duels: Duels = {}
    for pair in pairs:
        varies = any(x["sd"] > 0.0 for x in comparison.summarize_pair(*pair))
        lead = comparison.find_lead(*pair)
        is_first = is_given and lead == 0.0 and pair[::-1] not in duels
        if varies and (lead > 0.0 or is_first):
            duels[pair] = min(map(len, comparison.list_scores(*pair)))
    return duels
