"""Pictures of differences: the intervals of the table, and its verdicts."""

import functools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sigarray._plain_text import (
    cut_owners,
    cut_shared,
    quote,
    raise_initial,
    show_number,
)
from sigarray._verdicts.aggregates import Aggregates, PairOfAggregates
from sigarray._verdicts.comparison import Comparison, list_models, say_level
from sigarray._verdicts.decisions import Decision, Judged, explain_intervals
from sigarray._verdicts.intervals import FEWER_DEGREES
from sigarray._verdicts.over_tasks import OverTasks, order_over_tasks
from sigarray._verdicts.overall import say_answer
from sigarray._verdicts.pictures import (
    MOST_TASKS,
    Picture,
    draw_models,
    find_result,
    list_limits,
    make_result,
    name_estimates,
    name_sides,
    name_task,
    name_test,
    of_task,
    order_two_models,
    say_limits,
    say_metric,
    say_verdict,
)
from sigarray._verdicts.ranking import MOST_ROWS, list_wins, order_models, sort_pairs
from sigarray.report._layout import count_decimals, show_interval
from sigarray.results import BootstrapResult

Decisions = Mapping[str, Sequence[Decision]]
# (comparison, A, B, verdict) of a row.
Row = tuple[Comparison, str, str, Decision]

# With rows beyond these, the first are drawn.
_MOST_DRAWN = 40
# One scale is for tasks whose intervals are at most so many times as wide as others.
_MOST_UNLIKE = 10.0


def draw_differences(
    compared: Mapping[str, Comparison], decisions: Decisions, over: OverTasks | None
) -> list[Picture]:
    """Draw differences of means with the intervals of the table, if they are few.

    There is a row for each pair of models, or, of two models, for each task and for
    their mean; several tasks have a panel each.
    """
    if len(list_models(compared)) == 2:
        drawn = _draw_two_models(compared, decisions, over)
    elif len(compared) == 1:
        drawn = _draw_one_task(compared, decisions)
    else:
        drawn = _draw_tasks(compared, decisions, over)
    return [] if drawn is None else [drawn]


def draw_aggregates(x: Aggregates | None, metrics: Iterable[str]) -> list[Picture]:
    if x is None:
        return []
    level, where = x.say_level(), x.where
    if len(x.pairs) > MOST_ROWS and x.baseline is None:
        mean = "mean " * x.is_of_pairs  # against each other model
        label = f"{mean}{x.noun}{where}"
        sign = -1.0 if x.higher_is_better else 1.0
        return [draw_models(x.values, x.wins, label, said="Values", sign=sign)]
    what = f"differences of {x.plural}{where}, first minus second model"
    shown, small = say_metric(metrics), f"{x.plural}{where}, {level}"
    if x.is_of_pairs:
        what = "probabilities that a run of the first model beats one of the second"
        what, shown, small = f"{what}{where}", f"P(first is better){where}", level
    axes = _draw_pairs(x, shown, small, list_limits(x))
    if axes is None:
        return []
    if x.is_of_pairs:  # which are drawn as their differences from 1/2
        axes.xaxis.set_major_formatter(lambda lead, _: f"{0.5 + lead:.3g}")
    said = [_say_aggregates(x, pair) for pair in x.pairs]
    caption = f"{raise_initial(what)}, {level}.{say_limits(x)}"
    return [Picture(axes.figure, caption, f"{'; '.join(said)}.")]


def draw_pairs_over_tasks(over: OverTasks | None) -> list[Picture]:
    """Draw the differences over tasks like these of three models or more, if few.

    Those of two are drawn below the differences on each task. Too few tasks decide
    nothing, and then the answer is that on each of them.
    """
    if over is None or len(over.names) < 3 or not over.can_decide:
        return []
    if len(over.pairs) > MOST_ROWS:
        return []
    level = over.say_level()
    what = f"of means over tasks like these {len(over.tasks)}"
    small = f"means over tasks like these {len(over.tasks)}, {level}"
    axes = _draw_pairs(over, say_metric([over.metric]), small)
    if axes is None:
        return []
    said = [
        f"{quote(x.a)} minus {quote(x.b)}: "
        f"{_show_interval(x.difference, *x.interval)}, {_say(x)}"
        for x in over.pairs
    ]
    caption = f"Differences {what}, first minus second model: Student's intervals of "
    caption += f"the mean, {level}. Verdicts are by ranks, and may differ from what an "
    caption += "interval says."
    return [Picture(axes.figure, caption, f"{'; '.join(said)}.")]


def _draw_pairs(
    x: Aggregates | OverTasks, said: str, small: str, limits: Sequence[float] = ()
) -> Any:
    """Draw pairs of models over tasks that have an interval; None if none has."""
    from sigarray.plot._differences import MOST_IN_PAGE, draw_differences

    name = _name_pairs([(pair.a, pair.b) for pair in x.pairs])
    found = {
        name[pair.a, pair.b]: (
            make_result(pair.difference, pair.interval),
            say_verdict(pair, pair.a),
        )
        for pair in x.pairs
        if not math.isnan(pair.interval.low)
    }
    if not found:
        return None
    return draw_differences(
        {label: result for label, (result, _) in found.items()},
        verdicts=[verdict for _, verdict in found.values()],
        names=name_sides(x.baseline),
        higher_is_better=x.higher_is_better,
        letters=MOST_IN_PAGE,
        said=said,
        of_intervals=small,
        limits=limits,
    )


def _say_aggregates(x: Aggregates, pair: PairOfAggregates) -> str:
    a, b = quote(pair.a), quote(pair.b)
    if x.is_of_pairs:
        low, high = pair.limits
        return f"{a} beats {b}: {pair.probability:.3g} [{low:.3g}, {high:.3g}]"
    return f"{a} minus {b}: {_show_interval(pair.difference, *pair.interval)}"


def _say_drawn(rows: Iterable[Row]) -> dict[str, Any]:
    every = [x for x, *_ in rows]
    level, *others = {x.say_level_of_intervals(): None for x in every}
    said = say_metric(x.metric for x in every)
    return {"said": said, "of_intervals": "" if others else level}


def _draw_two_models(
    compared: Mapping[str, Comparison], decisions: Decisions, over: OverTasks | None
) -> Picture | None:
    a, b = order_two_models(compared, decisions, over)
    rows: dict[str, Row] = {
        task or x.metric: (x, a, b, decisions[task][0]) for task, x in compared.items()
    }
    caption = f"Differences of {name_estimates(compared)}, {quote(a)} minus {quote(b)}"
    if _have_one_scale([x] for x in rows.values()):
        return _draw_rows(rows, (a, b), caption, "task", over)
    panels = {name: {"": row} for name, row in rows.items()}
    return _draw_panels(panels, (a, b), caption, over)


def _have_one_scale(tasks: Iterable[Iterable[Row]]) -> bool:
    """Tell whether tasks have one metric, and intervals that are seen on one scale."""
    by_task = [[(x.metric, x.find_interval(a, b)) for x, a, b, _ in y] for y in tasks]
    spans = [[y.high - y.low for _, y in by if y.high > y.low] for by in by_task]
    widths = [max(x) for x in spans if x] or [1.0]
    is_one = len({metric for by in by_task for metric, _ in by}) == 1
    return is_one and max(widths) <= _MOST_UNLIKE * min(widths)


def _draw_one_task(
    compared: Mapping[str, Comparison], decisions: Decisions
) -> Picture | None:
    ((task, x),) = compared.items()
    if len(x.pairs) > MOST_ROWS and x.baseline is None:
        return None
    order = order_models(x, list_wins(decisions[task]))
    pairs = sort_pairs(order.names, decisions[task])
    name = _name_pairs([(a, b) for a, b, _ in pairs])
    rows: dict[str, Row] = {name[a, b]: (x, a, b, decision) for a, b, decision in pairs}
    means = name_estimates(compared)
    caption = f"Differences of {means}, first minus second model{of_task(task)}"
    if x.baseline is not None:
        others = f"each model minus the baseline {quote(x.baseline)}"
        caption = f"Differences of {means}, {others}{of_task(task)}"
    drawn = _draw_rows(rows, name_sides(x.baseline), caption, "pair")
    if drawn is not None:
        name_task(drawn.figure, task)
    return drawn


def _draw_tasks(
    compared: Mapping[str, Comparison], decisions: Decisions, over: OverTasks | None
) -> Picture | None:
    most = max(len(x.pairs) for x in compared.values())
    if len(compared) > MOST_TASKS or most > MOST_ROWS:
        return None
    order = order_over_tasks(compared, over)
    sorted_pairs = {x: sort_pairs(order, decisions[x]) for x in compared}
    named = ((a, b) for by in sorted_pairs.values() for a, b, _ in by)
    name = _name_pairs(named, len(compared))
    panels: dict[str, dict[str, Row]] = {
        task: {name[a, b]: (compared[task], a, b, decision) for a, b, decision in by}
        for task, by in sorted_pairs.items()
    }
    means = f"Differences of {name_estimates(compared)}"
    caption = f"{means}, first minus second model, on each task"
    baseline = next(iter(compared.values())).baseline
    return _draw_panels(panels, name_sides(baseline), caption, over)


def _name_pairs(
    pairs: Iterable[tuple[str, str]], n_panels: int = 1
) -> dict[tuple[str, str], str]:
    """Return the names of pairs, which are shortened where there is no room for them.

    They have more letters than there is room for, if two would else be the same.
    """
    from sigarray.plot._differences import MOST_IN_PAGE, MOST_LETTERS
    from sigarray.plot._panels import count_letters
    from sigarray.plot._style import measure, show_names

    every = list(dict.fromkeys(pairs))
    full = {pair: " vs. ".join(pair) for pair in every}
    names = list(dict.fromkeys(name for pair in every for name in pair))
    if max(map(measure, full.values()), default=0) > MOST_LETTERS:
        shared = cut_owners(names) or cut_shared(names)
        full = {p: " vs. ".join(shared.get(x, x) for x in p) for p in every}
    for most in range(count_letters(n_panels), MOST_IN_PAGE + 1):
        each = (most - measure(" vs. ")) // 2
        in_few = dict(zip(names, show_names(names, each), strict=True))
        short = {
            pair: text
            if measure(text) <= most
            else " vs. ".join(in_few[name] for name in pair)
            for pair, text in full.items()
        }
        if len({*short.values()}) == len(short):
            return short
    return full


def _draw_rows(
    rows: Mapping[str, Row],
    names: tuple[str, str],
    caption: str,
    noun: str,
    over: OverTasks | None = None,
) -> Picture | None:
    from sigarray.plot._differences import MOST_IN_PAGE, draw_differences
    from sigarray.plot._style import say_left_out

    found = _find_rows(rows)
    if not found:
        return None
    first = next(iter(rows.values()))[0]
    drawn = dict(list(found.items())[:_MOST_DRAWN])
    verdicts = [verdict for _, verdict in drawn.values()]
    mean = None if over is None else _find_overall(over, names[0])
    if mean is not None:
        verdicts.append(mean[1])
    axes = draw_differences(
        {label: result for label, (result, _) in drawn.items()},
        verdicts=verdicts,
        overall=None if mean is None else mean[0],
        names=names,
        higher_is_better=first.higher_is_better,
        letters=MOST_IN_PAGE,
        **_say_drawn(rows.values()),
        limits=list_limits(first),
        of_overall="mean over tasks like these",
        by=name_test(first),
    )
    say_left_out(axes, len(found) - len(drawn), noun, " after these")
    picture = _make_picture(axes.figure, caption, {"": rows})
    if over is None or mean is None:
        return picture
    level = say_level(over.level, 1, is_corrected=False)
    return picture._replace(
        caption=f"{picture.caption} Overall, Student's interval of the mean over tasks "
        f"like these, {level} by itself; its verdict is by ranks, and may be "
        "inconclusive though the interval excludes 0."
    )


def _find_overall(over: OverTasks, a: str) -> tuple[BootstrapResult, str] | None:
    (pair,) = over.pairs
    pair = pair if pair.a == a else pair.turn()
    if math.isnan(pair.interval.low):
        return None
    return make_result(pair.difference, pair.interval), say_verdict(pair, a)


def _draw_panels(
    panels: Mapping[str, Mapping[str, Row]],
    names: tuple[str, str],
    caption: str,
    over: OverTasks | None,
) -> Picture | None:
    from sigarray.plot._panels import Rows, draw_panels

    every = ((task, _find_rows(rows)) for task, rows in panels.items())
    found = {task: rows for task, rows in every if rows}
    if not found:
        return None
    first = next(x for rows in panels.values() for x, *_ in rows.values())
    figure = draw_panels(
        {
            task: Rows(
                {label: result for label, (result, _) in rows.items()},
                [verdict for _, verdict in rows.values()],
            )
            for task, rows in list(found.items())[:_MOST_DRAWN]
        },
        names=names,
        higher_is_better=first.higher_is_better,
        limits=list_limits(first),
        **_say_drawn(row for rows in panels.values() for row in rows.values()),
        answer=" ".join(say_answer(over)),
        by=name_test(first),
        has_one_scale=_have_one_scale(rows.values() for rows in panels.values()),
    )
    return _make_picture(figure, caption, panels)


def _find_rows(rows: Mapping[str, Row]) -> dict[str, tuple[BootstrapResult, str]]:
    found = {}
    for label, (x, a, b, decision) in rows.items():
        result = find_result(x, a, b)
        if result is not None:
            found[label] = (result, say_verdict(decision, a))
    return found


def _make_picture(
    figure: Any, caption: str, panels: Mapping[str, Mapping[str, Row]]
) -> Picture:
    rows = [row for by in panels.values() for row in by.values()]
    kinds: dict[str, str] = {}
    for x, *_ in rows:
        said_of = x.describe_intervals()
        plain = said_of.replace(f", {FEWER_DEGREES}", "")  # it says where itself
        kinds[plain] = max(kinds.get(plain, ""), said_of, key=len)
    what = "; or ".join(kinds.values())
    reasons = dict.fromkeys(
        line for x, _, _, decision in rows for line in explain_intervals(x, [decision])
    )
    said = [
        f"{quote(a)} minus {quote(b)}{of_task(task)}: "
        f"{_show_interval(x.find_difference(a, b), *x.find_interval(a, b))}, "
        f"{_say(decision)}"
        for task, by in panels.items()
        for x, a, b, decision in by.values()
    ]
    caption = " ".join([f"{caption}: {what}.{say_limits(rows[0][0])}", *reasons])
    return Picture(figure, caption, f"{'; '.join(said)}.")


def _show_interval(difference: float, low: float, high: float) -> str:
    shown = functools.partial(show_number, sign="+")
    return show_interval(difference, low, high, shown, count_decimals([(low, high)]))


def _say(x: Judged) -> str:
    if x.better is not None:
        return f"{quote(x.better)} is better"
    return say_verdict(x, x.a)
