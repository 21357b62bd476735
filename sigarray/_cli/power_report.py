"""The report of `sigarray power`: how many scores show which model is better."""

import math
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from sigarray._cli.power_alone import (
    CONFIDENCE,
    Gain,
    count_alone,
    draw_ranges,
    say_alone,
)
from sigarray._cli.power_answers import (
    OF_SPLITS,
    Answer,
    Goal,
    is_short,
    list_tables,
    say_jump,
    say_pilot,
    show_present,
)
from sigarray._cli.power_sizes import SizedPair, round_size
from sigarray._plain_text import quote, raise_initial, show_range
from sigarray._verdicts.aggregates import Aggregates
from sigarray._verdicts.comparison import start_document
from sigarray._verdicts.over_tasks import OverTasks
from sigarray._verdicts.overall import say_needed_tasks
from sigarray._verdicts.pictures import Picture
from sigarray._verdicts.samples import AggregateTrials, Trials
from sigarray.report._layout import Report, without_infinities
from sigarray.results import SampleSizeResult


def report_power(
    answers: list[Answer],
    goal: Goal,
    method: str,
    document: dict[str, Any],
    title: str,
    *,
    of_tasks: Sequence[str] = (),
    told: Sequence[str] = (),
) -> Report:
    is_one = len(answers) == 1
    of_pairs, of_alone = [], []
    for x in answers:
        on = "" if is_one else f"On {quote(x.task)}: "
        of_pairs += [_say_pair(x, pair, goal, on) for pair in x.pairs]
        for y in x.alone:
            said, *more = say_alone(y, goal.gain, goal.power, goal.unit)
            of_alone += [f"{on}{said}", *more]
    short = is_short(answers)
    if of_alone and not short:
        every = [y for x in answers for y in x.alone]
        of = "models" if is_one else "sets of scores, each on a task,"
        of_alone = [count_alone(every, of, goal.gain, goal.power, goal.unit)]
    if of_alone and goal.unit != "run":
        same = f"Two models that find the same {goal.units} hard"
        of_alone.append(f"{same} need fewer of them.")
    answer = of_pairs if len(of_pairs) < 2 else _count_pairs(answers, goal)
    told = [*say_jump(answers, goal), *told]
    if goal.has_limit:
        told.append(OF_SPLITS)
    elif of_pairs:
        numbers = {n for x in answers for pair in x.pairs for n in pair.present}
        seen = goal.difference is None and goal.margin is None
        told.append(say_pilot(numbers, goal.unit, goal.n_tasks, are_seen=seen))
    advice = f"The numbers of {'all pairs' if is_one else 'each task'} are in"
    return Report(
        list_tables(answers, goal),
        [*(of_pairs if short else answer), *of_alone, *of_tasks, *told],
        method,
        _list_records(answers, goal),
        document,
        headline=[title, *(answer or of_alone), *of_tasks],
        remarks=[*(of_alone if answer else ()), *told],
        advice=[] if short else [f"{advice} --format csv and --format json."],
    )


def describe_power(
    trials: Trials | AggregateTrials, goal: Goal, drawn: str, finds: str = ""
) -> str:
    finds = finds or ("the better one" if goal.margin is None else "a model not worse")
    smoothed = ", smoothed by a normal kernel" if trials.unit == "run" else ""
    return (
        f"Power is the share of {trials.number} samples of each size, drawn from "
        f"{drawn.format(smoothed)} (seed {trials.seed}), in which it finds {finds}"
    )


def describe_method(
    answers: list[Answer], trials: Trials, goal: Goal, said_of_scores: str
) -> str:
    alone = answers[0].alone
    drawn = f"these {goal.units} of all models{{}}"
    if alone and alone[0].sd is not None:
        drawn = "this normal distribution"
    rule = trials.test.say_rule(answers[0].comparison)
    method = f"the verdict of sigarray compare, {rule}. "
    method += describe_power(trials, goal, drawn)
    if trials.size_of_all is not None:
        method += ", on each task, beside as many differences of other tasks as samples"
        method += " of these find"
    elif trials.n_tasks > 1:
        method += ", on each task, where the others show no difference"
    if trials.test_share is not None:
        method += ". The splits of a sample share an error, by which they correlate by "
        method += "the test share, beside their variance here"
    if alone:
        method += ". A better model is taken to vary as the present one, independently"
    if any(x.comparison.matched for x in answers):
        method += f". A pair is sampled from the {goal.units} that both models have"
    if any(len({*pair.present}) > 1 for x in answers for pair in x.pairs):
        method += f". Power now is of samples of as many {goal.units} as each model has"
    if any(x.pairs for x in answers):
        method += f". {say_precision(trials.number, goal)}"
    return ". ".join(filter(None, [method, said_of_scores]))


def describe_tasks(trials: AggregateTrials, found: Aggregates, goal: Goal) -> str:
    said = f"the verdict of sigarray compare by {found.plural}{found.where}"
    if found.n_resamples is not None:
        said += f", of {found.n_resamples} resamples"
    said += f": p <= {found.level:.10g}{found.say_holm(',')}"
    finds = ""
    if goal.margin is not None:
        finds = "a model not worse, by one-sided tests of a margin of "
        finds += f"{goal.margin:.10g}"
    drawn = f"the {goal.units} of all models{' on each task' * (goal.n_tasks > 1)}{{}}"
    power = describe_power(trials, goal, drawn, finds)
    return f"{said}. {power}. {say_precision(trials.number, goal)}"


def say_change(trials: Trials, goal: Goal) -> list[str]:
    said = (
        f"From {trials.size_of_all} {goal.units} on, sigarray compare controls the "
        "probability of any wrong verdict, with fewer the false discovery rate: power "
        "may be less."
    )
    return [] if trials.size_of_all is None else [said]


def say_precision(number: int, goal: Goal) -> str:
    error = math.sqrt(goal.power * (1.0 - goal.power) / number)
    return (
        f"By chance of the samples, a power of {goal.power:g} is uncertain by "
        f"{2.0 * error:.1g} (two standard errors), and the number of {goal.units} with "
        "it, too: another seed, or other names of models, draws other samples"
    )


def say_single_tasks(over: OverTasks | None, goal: Goal) -> list[str]:
    if over is None:
        return []
    start = "These numbers are of verdicts on single tasks, "
    if over.can_decide:
        return [f"{start}not of the verdict over tasks like these."]
    start += f"and no number of {goal.units} gives one"
    return [f"{start} over tasks like these.", *say_needed_tasks(over)]


def make_document(
    answers: list[Answer], trials: Trials, goal: Goal, method: str
) -> dict[str, Any]:
    first = answers[0]
    document = start_document(first.comparison, first.comparison.correction) | {
        "seed": trials.seed,
        "n_samples": trials.number,
        "method": method,
        "required_power": goal.power,
    }
    gains = [y.gain for x in answers for y in x.alone if y.gain is not None]
    document |= gains[0].named if gains else {}
    if goal.difference is not None:
        document["difference"] = goal.difference
    if len(answers) == 1:
        return document | _document_of(first, goal)
    del document["models"]  # of one task
    return document | {"tasks": {x.task: _document_of(x, goal) for x in answers}}


def _document_of(x: Answer, goal: Goal) -> dict[str, Any]:
    document = {
        "largest_size_tried": x.largest,
        "models": {
            name: {"n": len(x.comparison.scores[name])}
            | without_infinities(x.comparison.summaries[name])
            for name in [y.name for y in x.alone] or x.comparison.scores
        },
        "pairs": [describe_pair(pair, goal) for pair in x.pairs],
    }
    if x.alone:
        document["alone"] = [row for y in x.alone for row in y.list_rows()]
    lifted = [y for y in x.alone if y.powers and "lift" in (y.gain or Gain()).named]
    if lifted:
        document["power_to_see_lift"] = {y.name: y.powers[0] for y in lifted}
    return document


def describe_pair(pair: SizedPair, goal: Goal) -> dict[str, Any]:
    a, b = ("better", "worse") if goal.margin is None else ("not_worse", "than")
    return {
        a: pair.better,
        b: pair.worse,
        "n": pair.n,
        f"n_{a}": pair.present[0],
        f"n_{b}": pair.present[1],
        "power_at_n": pair.share_now,
        "required_power": goal.power,
        "required_sample_size": int(pair.size) if pair.is_enough else None,
        "power_at_required_sample_size": pair.share if pair.is_enough else None,
    }


def _list_records(answers: list[Answer], goal: Goal) -> list[dict[str, Any]]:
    rows = []
    for x in answers:
        task: dict[str, Any] = {"task": x.task}
        rows += [task | describe_pair(pair, goal) for pair in x.pairs]
        task["required_power"] = goal.power
        rows += [task | row for y in x.alone for row in y.list_rows()]
    keys = dict.fromkeys(key for row in rows for key in row)
    if len(answers) == 1:
        del keys["task"]
    none = ("", None)
    return [
        {key: "" if row.get(key) in none else row[key] for key in keys} for row in rows
    ]


def _say_pair(x: Answer, pair: SizedPair, goal: Goal, on: str) -> str:
    each = (" each" if goal.unit == "run" else "") + goal.where
    are_unequal = len({*pair.present}) > 1
    each += ", equal numbers," * are_unequal
    told = goal.say(pair.better, pair.worse)
    of_now = ", unequal numbers," * are_unequal
    now = f"the present {show_present(pair)}{of_now} have power {pair.share_now:.2f}"
    if pair.is_enough:
        said = f"About {round_size(pair.size)} {goal.units}{each} show, with power "
        said += f"{pair.share:.2f}, {told}"
    else:
        said = f"More than {x.largest} {goal.units}{each} would be needed to see "
        if goal.has_limit:
            said = f"No number of {goal.units} is enough to see "
        said += f"{told} with power {goal.power:g}"
    said = f"{on}{said[0].lower()}{said[1:]}" if on else said
    if goal.difference is not None:
        return f"{said}; {now}."
    large = "as large as" if goal.margin is None else "what"
    return f"{said}, if the difference is {large} it seems; {now}."


def _count_pairs(answers: list[Answer], goal: Goal) -> list[str]:
    pairs = [pair for x in answers for pair in x.pairs]
    n, n_now = len(pairs), sum(x.share_now >= goal.power for x in pairs)
    which = show_range(n for x in pairs for n in x.present)
    what, if_so = "differences between two models", "they are as large as they seem"
    if goal.difference is not None:
        if_so = f"they are {goal.difference:.10g}"
    if goal.margin is not None:
        what = "claims that a model is not worse than another by "
        what += f"{goal.margin:.10g} or more"
        if_so = "differences are what they seem"
    what += "" if len(answers) == 1 else " on a task"
    at = ""
    if len(answers) > 1 and answers[0].comparison.is_corrected:
        at = " at one level for all tasks"
        if answers[0].comparison.correction == "benjamini_hochberg":
            at = " under control of the false discovery rate"
    sizes = sorted(x.size for x in pairs if x.is_enough)
    said = [
        f"The present {which} {goal.units}{goal.each} show {n_now} of {n} {what}, with "
        f"power {goal.power:g}{at}, if {if_so}."
    ]
    half = -(-n // 2)
    more = (k for k in (half, len(sizes)) if n_now < k <= len(sizes))
    enough = {round_size(sizes[k - 1]): k for k in more}
    told = [f"about {size} {goal.units} show {k} of {n}" for size, k in enough.items()]
    if len(sizes) < n:
        largest = max(x.largest for x in answers)
        left = n - len(sizes)
        which = f"the other {'one' if left == 1 else left}" if sizes else "all"
        said_of_left = f"{which} would need more than {largest}"
        if goal.has_limit:
            which = which if sizes else "any of them"
            said_of_left = f"no number of {goal.units} is enough for {which}"
        told.append(said_of_left)
    joined = "; ".join(told)
    return [*said, *([f"{raise_initial(joined)}."] if told else [])]


# The most curves that can be told apart, and the most tasks with a panel each.
_MOST_PAIRS, _MOST_TASKS = 7, 12
# Inches: a panel, and a line of its legend.
_PANEL, _LINE = 2.1, 0.14
# Of each of two models in a legend.
_MOST_LETTERS = 16


def draw_power(answers: Sequence[Answer], goal: Goal) -> Picture:
    """Draw a curve for each pair of models, the best first; a panel for each task."""
    from sigarray.plot._style import warn_of_undrawable

    with warn_of_undrawable():
        return _draw_power(answers, goal)


def _draw_power(answers: Sequence[Answer], goal: Goal) -> Picture:
    from sigarray import plot
    from sigarray.plot._style import (
        COLUMN,
        LARGE,
        PAGE,
        PLAIN,
        choose_fonts,
        make_figure,
        say_left_out,
        show_name,
        show_names,
    )

    every = [x for x in answers if x.drawn]
    shown = every[:_MOST_TASKS]
    chosen = [_choose_pairs(x) for x in shown]
    n_columns = min(2, len(shown))
    n_lines = -(-len(shown) // n_columns)
    height = _PANEL + _LINE * (1 + max(map(len, chosen)))
    figure = make_figure(height * n_lines, COLUMN if n_columns == 1 else PAGE)
    grid = figure.subplots(n_lines, n_columns, squeeze=False)
    said, ranges = [], []
    for ax, x, pairs in zip(grid.flat, shown, chosen, strict=False):
        sizes = list(pairs[0].shares)
        names = {name: None for y in pairs for name in (y.better, y.worse)}
        short = dict(zip(names, show_names(names, _MOST_LETTERS), strict=True))
        results: dict[Hashable, Any] = {
            _name(goal, short[y.better], short[y.worse]): SampleSizeResult(
                np.float64(y.size), np.asarray([*y.shares.values()])
            )
            for y in pairs
        }
        plot.power(sizes, results, wanted=goal.power, unit=goal.unit, ax=ax)
        ranges += draw_ranges(ax, x.alone, pairs, goal.power)
        say_left_out(ax, len(x.drawn) - len(pairs), "other pair", "")
        if x.task:
            ax.set_ylabel(f"power on {show_name(x.task)}", fontsize=LARGE, **PLAIN)
            choose_fonts(ax)
        said += [_say(x, pair, goal) for pair in pairs]
    for ax in list(grid.flat)[len(shown) :]:
        ax.remove()
    caption = (
        f"Power by the number of {goal.unit}s; the dotted line is the power of "
        f"{goal.power:g} that is asked for, and a ring the first number that has it"
    )
    if ranges:
        caption += f"; a bar is how many may be needed {CONFIDENCE}"
    if len(every) > len(shown):
        caption += f"; {len(shown)} of {len(every)} tasks"
    caption = " ".join([f"{caption}.", *say_jump(shown, goal)])
    return Picture(figure, caption, f"{'; '.join(said)}.")


def _choose_pairs(answer: Answer) -> list[SizedPair]:
    """Return pairs of the model that is best of most, or else the first ones."""
    if len(answer.drawn) <= _MOST_PAIRS:
        return answer.drawn
    wins = [pair.better for pair in answer.pairs]
    best = max(dict.fromkeys(wins), key=wins.count)
    return [pair for pair in answer.pairs if pair.better == best][:_MOST_PAIRS]


def _name(goal: Goal, better: str, worse: str) -> str:
    if worse:
        return f"{better} vs. {worse}"
    return goal.gain if goal.margin is None else f"not worse by {goal.margin:.10g}"


def _say(answer: Answer, pair: SizedPair, goal: Goal) -> str:
    size = goal.show_size(pair.size, answer.largest)
    on = f" on {answer.task}" if answer.task else ""
    return f"{_name(goal, pair.better, pair.worse)}{on}: {size} {goal.unit}s"
