"""Pictures of a comparison: what decides first, then scores."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from sigarray._plain_text import quote, show_controls, show_number
from sigarray._verdicts.comparison import Comparison
from sigarray._verdicts.decisions import Decision, Judged
from sigarray._verdicts.intervals import Interval, are_binary
from sigarray._verdicts.lacking import count_tasks
from sigarray._verdicts.over_tasks import OverTasks, order_over_tasks
from sigarray._verdicts.ranking import Wins, group_models, list_wins, order_models
from sigarray.read._score_table import ScoreTable
from sigarray.read._steps import Curves
from sigarray.results import (
    AsoResult,
    BootstrapResult,
    ConfidenceInterval,
    PairwiseAsoResult,
)

# The most tasks each of which has pictures of its own.
MOST_TASKS = 12
_NONE_BETTER = "none is shown to be better than another"


class Picture(NamedTuple):
    """A picture, a name for what it shows, and what is to be seen there, in words."""

    figure: Any
    caption: str
    description: str = ""


def of_task(task: str) -> str:
    return f" on {quote(task)}" if task else ""


def name_estimates(compared: Mapping[str, Comparison]) -> str:
    """Name what models are compared by in captions: "the means", or "f1"."""
    first = next(iter(compared.values()))
    return "the means" if first.is_of_means else first.metric


def name_test(x: Comparison) -> str:
    return "almost stochastic order" if x.test == "aso" else "the test"


def name_sides(baseline: str | None) -> tuple[str, str]:
    """Name the models of a pair, of which there are several, on each side of 0."""
    return ("first", "second") if baseline is None else ("the other model", baseline)


def name_task(figure: Any, task: str) -> None:
    from sigarray.plot._style import PLAIN, choose_fonts, show_name, warn_of_undrawable

    if task:
        with warn_of_undrawable():
            shown = show_name(task, 60)
        figure.suptitle(shown, y=1.0, va="bottom", fontsize=9, **PLAIN)
        choose_fonts(figure)


def say_metric(metrics: Iterable[str]) -> str:
    metric, *others = dict.fromkeys(metrics)
    what = "score" if others else metric
    if ", " in what:
        return "difference"
    what = "share of wins" if what.lower() in ("win", "wins") else show_controls(what)
    return f"difference in {what}"


def find_result(comparison: Comparison, a: str, b: str) -> BootstrapResult | None:
    interval = comparison.find_interval(a, b)
    if math.isnan(interval.low):
        return None
    return make_result(comparison.find_difference(a, b), interval)


def make_result(difference: float, interval: Interval) -> BootstrapResult:
    limits = ConfidenceInterval(*map(np.float64, interval))
    return BootstrapResult(np.float64(difference), limits, np.float64(math.nan))


def say_verdict(x: Judged, a: str) -> str:
    """Return the verdict on a pair for `plot.differences`, where `a` is A."""
    if x.better is not None:
        return "A" if x.better == a else "B"
    if x.verdict == "not worse":
        return "A not worse" if a in x.not_worse else "B not worse"
    return x.verdict


def list_limits(comparison: Any) -> list[float]:
    """Return the differences, first minus second model, at which one is a margin.

    With a baseline, which is the second one, there is one of them.
    """
    margin = comparison.margin
    if margin is None:
        return []
    limit = -margin if comparison.higher_is_better else margin
    return [limit] if comparison.baseline is not None else [limit, -limit]


def say_limits(comparison: Any) -> str:
    margin = comparison.margin
    return "" if margin is None else f" Dotted: the margin of {margin:.10g}."


def order_two_models(
    compared: Mapping[str, Comparison],
    decisions: Mapping[str, Sequence[Decision]],
    over: OverTasks | None = None,
) -> list[str]:
    if len(compared) > 1:
        return order_over_tasks(compared, over)
    ((task, x),) = compared.items()
    return order_models(x, list_wins(decisions[task])).names


def draw_scores(compared: Mapping[str, Comparison]) -> list[Picture]:
    """Draw the scores of each task, if tasks are few.

    A metric of sums has no scores of items, and those of runs and items have no error
    of their own.
    """
    are_of_scores = all(x.is_of_means and not x.runs for x in compared.values())
    if len(compared) > MOST_TASKS or not are_of_scores:
        return []
    return [_draw_scores(x, task) for task, x in compared.items()]


def _draw_scores(comparison: Comparison, task: str) -> Picture:
    from sigarray import plot

    axes = plot.scores(
        comparison.scores,
        higher_is_better=comparison.higher_is_better,
        unit=comparison.unit,
        clusters=None if comparison.sampled is None else comparison.sampled.codes,
    )
    _name_axis(axes, "score", _name_scores(comparison))
    name_task(axes.figure, task)
    sign, means = _find_means(comparison)
    order = sorted(means, key=lambda name: sign * means[name])
    shown = [f"{quote(name)} {show_number(means[name], 4)}" for name in order]
    return Picture(
        axes.figure,
        f"Scores{of_task(task)}, and the mean of each model in an interval of its own.",
        f"Means: {', '.join(shown)}.",
    )


def _find_means(comparison: Comparison) -> tuple[float, dict[str, float]]:
    means = {name: x["mean"] for name, x in comparison.summaries.items()}
    return -1.0 if comparison.higher_is_better else 1.0, means


def _name_scores(comparison: Comparison) -> str:
    return "score" if ", " in comparison.metric else comparison.metric


def _name_axis(axes: Any, default: str, name: str) -> None:
    from sigarray.plot._style import PLAIN, choose_fonts, show_name

    label = axes.get_xlabel().removeprefix(default)
    axes.set_xlabel(f"{show_name(name)}{label}", **PLAIN)
    choose_fonts(axes)


def draw_curves(table: ScoreTable, compared: Mapping[str, Comparison]) -> list[Picture]:
    if len(table.curves) > MOST_TASKS:
        return []
    column = "step" if table.last_steps is None else table.last_steps.column
    return [
        _draw_curves(table.curves[task], x, task, column)
        for task, x in compared.items()
        if task in table.curves
    ]


def _draw_curves(
    curves: Mapping[str, Curves], comparison: Comparison, task: str, column: str
) -> Picture:
    from sigarray import plot

    shown = {name: curves[name] for name in comparison.scores if name in curves}
    axes = plot.learning_curves(
        {name: x.scores for name, x in shown.items()},
        {name: x.steps for name, x in shown.items()},
        higher_is_better=comparison.higher_is_better,
    )
    _name_axis(axes, "step", column)
    name_task(axes.figure, task)
    ends = {name: float(x.scores[:, -1].mean()) for name, x in shown.items()}
    means = {name: comparison.summaries[name]["mean"] for name in shown}
    verdict = "The verdict is on the last step."
    others = [
        f"{quote(name)} {show_number(mean, 4)}"
        for name, mean in means.items()
        if not math.isclose(mean, ends[name], rel_tol=1e-9, abs_tol=1e-12)
    ]
    if others:
        verdict = (
            "A curve ends at the last step of all its runs. The verdict is on scores "
            f"with other means: {', '.join(others)}."
        )
    last = ", ".join(
        f"{quote(name)} {show_number(mean, 4)} at {shown[name].steps[-1]:g}"
        for name, mean in ends.items()
    )
    return Picture(
        axes.figure,
        f"Learning curves{of_task(task)}: means of runs at each step, with 95 % "
        f"intervals of each model alone. {verdict}",
        f"Last means: {last}.",
    )


def draw_means(
    compared: Mapping[str, Comparison], order: Sequence[str]
) -> list[Picture]:
    from sigarray.plot._leaderboard import draw_leaderboard

    if len(compared) == 1:
        return []
    first = next(iter(compared.values()))
    axes = draw_leaderboard(
        {task or x.metric: x.scores for task, x in compared.items()},
        order,
        is_higher_better=first.higher_is_better,
    )
    names = [label.get_text() for label in axes.get_yticklabels()]
    return [
        Picture(
            axes.figure,
            f"Mean scores on {count_tasks(compared)}, models as in the tables.",
            f"From the first to the last: {', '.join(map(quote, names))}.",
        )
    ]


def draw_critical_differences(
    compared: Mapping[str, Comparison],
    decisions: Mapping[str, Sequence[Decision]],
    lacks: Callable[[Comparison], str],
) -> list[Picture]:
    if len(compared) > MOST_TASKS:
        return []
    drawn = []
    for task, x in compared.items():
        if len(x.names) < 3 or x.baseline is not None:
            continue
        sign, means = _find_means(x)
        picture = draw_models(
            means,
            list_wins(decisions[task]),
            f"{'mean ' * x.is_of_means}{show_controls(_name_scores(x))}",
            where=of_task(task),
            said="Means" if x.is_of_means else x.metric,
            sign=sign,
            says=f"too few {x.unit}s for any verdict" if lacks(x) else _NONE_BETTER,
        )
        name_task(picture.figure, task)
        drawn.append(picture)
    return drawn


def draw_over_tasks(over: OverTasks | None) -> list[Picture]:
    if over is None or len(over.names) < 3 or over.baseline is not None:
        return []
    ranks = over.mean_ranks
    what, n = "mean rank over tasks like these", len(over.tasks)
    ends = (1.0, float(len(ranks)))
    said = "Mean ranks"
    return [draw_models(ranks, over.wins, what, where=f" {n}", said=said, limits=ends)]


def draw_models(
    places: Mapping[str, float],
    wins: Wins,
    what: str,
    *,
    said: str,
    where: str = "",
    sign: float = 1.0,
    limits: tuple[float, float] | None = None,
    says: str = _NONE_BETTER,
) -> Picture:
    from sigarray.plot._critical_differences import draw_on_axis
    from sigarray.plot._style import MOST_MODELS, choose_fonts

    order = sorted(places, key=lambda name: sign * places[name])
    groups = group_models(order[:MOST_MODELS], wins)
    axes = draw_on_axis(
        places,
        groups,
        limits=limits or (places[order[0]], places[order[-1]]),
        label=f"{what} (best on the left)",
        says=says,
        # Beside others of other tasks, pictures are one column wide.
        letters=14 if where else 28,
    )
    choose_fonts(axes)
    caption = (
        f"Models by their {what}{where}; squares on a bar are models of which none is "
        "shown to be better."
    )
    shown = ", ".join(f"{quote(name)} {show_number(places[name], 4)}" for name in order)
    joined = [", ".join(map(quote, group)) for group in groups if len(group) > 1]
    alike = "; ".join(joined) or "none"
    return Picture(axes.figure, caption, f"{said}: {shown}. Not told apart: {alike}.")


def draw_contingency(
    compared: Mapping[str, Comparison], decisions: Mapping[str, Sequence[Decision]]
) -> list[Picture]:
    from sigarray import plot
    from sigarray.plot._differences import draw_limits

    task, x = next(iter(compared.items()))
    if len(compared) > 1 or len(x.names) > 2 or not x.is_paired or x.unit != "item":
        return []
    if x.sampled is not None:
        return []  # items of a cluster may have no names that pair them
    a, b = order_two_models(compared, decisions)
    scores, result = x.list_scores(a, b), find_result(x, a, b)
    if result is None or not all(map(are_binary, scores)):
        return []
    verdict = say_verdict(decisions[task][0], a)
    upper, lower = plot.contingency(
        *scores, names=(a, b), difference=result, verdict=verdict
    )
    if limits := list_limits(x):
        draw_limits(lower, limits)
        lower.set_xlabel(f"{lower.get_xlabel()}; dotted: the margin")
    name_task(upper.figure, task)
    cells = "; ".join(text.get_text().replace("\n", ": ") for text in upper.texts)
    kind = x.describe_intervals()
    caption = (
        f"Items on which {quote(a)} and {quote(b)} are right{of_task(task)}: {kind}."
        f"{say_limits(x)}"
    )
    return [Picture(upper.figure, caption, f"{cells}.")]


def draw_orders(
    threshold: float, comparison: Comparison, result: PairwiseAsoResult, task: str
) -> Picture:
    from sigarray import plot

    names = comparison.names
    if len(names) > 2:
        axes = plot.pairwise(result, names, threshold=threshold)
        name_task(axes.figure, task)
        which, left = "every two models", ""
        if comparison.baseline is not None:
            which = f"each other model and the baseline {quote(comparison.baseline)}"
            left = " Blank cells: pairs that were not compared."
        caption = f"Bounds eps_min of {which}{of_task(task)}.{left}"
        return Picture(axes.figure, caption)
    wins = [
        (names[i], names[1 - i]) for i in (0, 1) if result.eps_min[i, 1 - i] < threshold
    ]
    better, worse = wins[0] if wins else order_models(comparison, wins).names
    lead = names.index(better)
    _, lower = plot.dominance(
        comparison.scores[better],
        comparison.scores[worse],
        names=(better, worse),
        threshold=threshold,
        higher_is_better=comparison.higher_is_better,
        # The result in the table: two-sided, with all resamples that were drawn.
        result=AsoResult(*(x[lead, 1 - lead] for x in result)),
    )
    name_task(lower.figure, task)
    said = "; ".join(text.get_text().replace("\n", ", ") for text in lower.texts)
    caption = f"{quote(better)} and {quote(worse)}{of_task(task)}: all scores in order."
    return Picture(lower.figure, caption, f"{said}.")
