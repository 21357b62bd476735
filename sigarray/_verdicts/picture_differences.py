"""Pictures of differences: the intervals of the table, and its verdicts."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sigarray._plain_text import quote
from sigarray._verdicts.aggregates import Aggregates
from sigarray._verdicts.comparison import Comparison, list_models, say_level
from sigarray._verdicts.decisions import Decision, explain_intervals
from sigarray._verdicts.intervals import FEWER_DEGREES
from sigarray._verdicts.over_tasks import OverTasks, order_over_tasks
from sigarray._verdicts.overall import say_answer
from sigarray._verdicts.picture_over_tasks import (
    MOST_DRAWN,
    choose_pairs,
    draw_top,
    find_top,
    name_pairs,
    say_judged,
    show_difference,
)
from sigarray._verdicts.pictures import (
    MOST_TASKS,
    Picture,
    find_result,
    list_limits,
    make_result,
    name_estimates,
    name_task,
    name_test,
    of_task,
    order_two_models,
    say_limits,
    say_metric,
    say_verdict,
)
from sigarray._verdicts.ranking import MOST_ROWS, list_wins, order_models
from sigarray.results import BootstrapResult

Decisions = Mapping[str, Sequence[Decision]]
# (comparison, A, B, verdict) of a row.
Row = tuple[Comparison, str, str, Decision]

# One scale is for tasks whose intervals are at most so many times as wide as others.
_MOST_UNLIKE = 10.0


def draw_differences(
    compared: Mapping[str, Comparison],
    decisions: Decisions,
    over: OverTasks | None,
    these: Aggregates | None = None,
) -> list[Picture]:
    """Draw differences of means with the intervals of the table.

    There is a row for each pair of models or, of many models, for the best one and each
    other one. Several tasks have a panel each, or a row for two models, beside what is
    said over all of them.
    """
    if len(compared) == 1:
        said = say_metric(x.metric for x in compared.values())
        drawn = [_draw_over(these, said), _draw_one_task(compared, decisions)]
    elif len(list_models(compared)) == 2:
        drawn = [_draw_two_models(compared, decisions, over, these)]
    else:
        drawn = [_draw_tasks(compared, decisions, over, these)]
    return [x for x in drawn if x is not None]


def _draw_over(x: OverTasks | Aggregates | None, said: str) -> Picture | None:
    top = find_top(x)
    if x is None or top is None:
        return None
    return draw_top(top, said, higher_is_better=x.higher_is_better)


def _say_drawn(rows: Iterable[Row]) -> dict[str, Any]:
    every = [x for x, *_ in rows]
    level, *others = {x.say_level_of_intervals(): None for x in every}
    said = say_metric(x.metric for x in every)
    return {"said": said, "of_intervals": "" if others else level}


def _draw_two_models(
    compared: Mapping[str, Comparison],
    decisions: Decisions,
    over: OverTasks | None,
    these: Aggregates | None,
) -> Picture | None:
    a, b = order_two_models(compared, decisions, over)
    rows: dict[str, Row] = {
        task or x.metric: (x, a, b, decisions[task][0]) for task, x in compared.items()
    }
    caption = f"Differences of {name_estimates(compared)}, {quote(a)} minus {quote(b)}"
    if not _have_one_scale([x] for x in rows.values()):
        panels = {name: {"": row} for name, row in rows.items()}
        return _draw_panels(panels, (a, b), caption, over, these)
    if these is None or not these.is_of_pairs:
        return _draw_rows(rows, (a, b), caption, "task", these or over)
    few = dict(list(rows.items())[:MOST_DRAWN])
    return _draw_panels({"each task": few}, (a, b), caption, over, these)


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
    if len(x.names) == 2:
        return _draw_two_models(compared, decisions, None, None)
    by = decisions[task]
    order = order_models(x, list_wins(by)).names
    pairs, sides, minus = choose_pairs(order, by, x.baseline, len(by))
    if len(pairs) > MOST_DRAWN and x.baseline is None:
        return None
    name = name_pairs([(a, b) for a, b, _ in pairs])
    rows: dict[str, Row] = {name[a, b]: (x, a, b, decision) for a, b, decision in pairs}
    caption = f"Differences of {name_estimates(compared)}, {minus}{of_task(task)}"
    drawn = _draw_rows(rows, sides, caption, "pair")
    if drawn is not None:
        name_task(drawn.figure, task)
    return drawn


def _draw_tasks(
    compared: Mapping[str, Comparison],
    decisions: Decisions,
    over: OverTasks | None,
    these: Aggregates | None,
) -> Picture | None:
    baseline = next(iter(compared.values())).baseline
    order = order_over_tasks(compared, over) if these is None else these.order.names
    most = max(map(len, decisions.values()))
    chosen = {
        task: choose_pairs(order, by, baseline, most) for task, by in decisions.items()
    }
    pairs = {task: by for task, (by, *_) in chosen.items()}
    n_rows = max(map(len, pairs.values()))
    most_rows = min(MOST_DRAWN, MOST_TASKS * MOST_ROWS // len(compared))
    if len(compared) > MOST_TASKS or n_rows > most_rows:
        return _draw_over(
            these or over, say_metric(x.metric for x in compared.values())
        )
    _, sides, minus = next(iter(chosen.values()))
    named = ((a, b) for by in pairs.values() for a, b, _ in by)
    name = name_pairs(named, len(compared))
    panels: dict[str, dict[str, Row]] = {
        task: {name[a, b]: (compared[task], a, b, decision) for a, b, decision in by}
        for task, by in pairs.items()
    }
    caption = f"Differences of {name_estimates(compared)}, {minus}, on each task"
    return _draw_panels(panels, sides, caption, over, these)


def _draw_rows(
    rows: Mapping[str, Row],
    names: tuple[str, str],
    caption: str,
    noun: str,
    over: OverTasks | Aggregates | None = None,
) -> Picture | None:
    from sigarray.plot._differences import MOST_IN_PAGE, draw_differences
    from sigarray.plot._style import say_left_out

    found = _find_rows(rows)
    if not found:
        return None
    first = next(iter(rows.values()))[0]
    drawn = dict(list(found.items())[:MOST_DRAWN])
    verdicts = [verdict for _, verdict in drawn.values()]
    overall, what, ends = None, "", ""
    if over is not None:
        (pair,) = over.pairs
        pair = pair if pair.a == names[0] else pair.turn()
        if not math.isnan(pair.interval.low):
            overall = make_result(pair.difference, pair.interval)
            verdicts.append(say_verdict(pair, pair.a))
            what, ends = _say_overall(over)
    axes = draw_differences(
        {label: result for label, (result, _) in drawn.items()},
        verdicts=verdicts,
        overall=overall,
        names=names,
        higher_is_better=first.higher_is_better,
        letters=MOST_IN_PAGE,
        **_say_drawn(rows.values()),
        limits=list_limits(first),
        of_overall=what,
        by=name_test(first),
    )
    say_left_out(axes, len(found) - len(drawn), noun, " after these")
    picture = _make_picture(axes.figure, caption, {"": rows})
    return picture._replace(caption=f"{picture.caption} {ends}".rstrip())


def _say_overall(x: OverTasks | Aggregates) -> tuple[str, str]:
    if not isinstance(x, OverTasks):
        return f"{x.noun}{x.where}", f"Overall, the {x.noun}{x.where}, {x.say_level()}."
    level = say_level(x.level, 1, is_corrected=False)
    return (
        "mean over tasks like these",
        f"Overall, Student's interval of the mean over tasks like these, {level} by "
        "itself; its verdict is by ranks, and may be inconclusive though the interval "
        "excludes 0.",
    )


def _draw_panels(
    panels: Mapping[str, Mapping[str, Row]],
    names: tuple[str, str],
    caption: str,
    over: OverTasks | None,
    these: Aggregates | None,
) -> Picture | None:
    from sigarray.plot._panels import draw_panels

    every = ((task, _find_rows(rows)) for task, rows in panels.items())
    found = {task: rows for task, rows in every if rows}
    top = find_top(these or over)
    first = next(x for rows in panels.values() for x, *_ in rows.values())
    drawn = _say_drawn(row for rows in panels.values() for row in rows.values())
    if not found:
        return _draw_over(these or over, drawn["said"])
    above = None
    if top is not None:
        above = f"{top.small}, {top.level}", _make_rows(top.rows), top.limits
        drawn["of_intervals"] = "; ".join(
            f"on each task, {x}" for x in [drawn["of_intervals"]] if x
        )
    figure = draw_panels(
        {task: _make_rows(rows) for task, rows in list(found.items())[:MOST_DRAWN]},
        names=names,
        higher_is_better=first.higher_is_better,
        limits=list_limits(first),
        **drawn,
        answer=" ".join(say_answer(over)),
        by=name_test(first),
        has_one_scale=_have_one_scale(rows.values() for rows in panels.values()),
        above=above,
    )
    picture = _make_picture(figure, caption, panels)
    if top is None:
        return picture
    top.mark(figure.axes[0])
    below = f"Below: {picture.caption[0].lower()}{picture.caption[1:]}"
    said = f"{top.description}; {picture.description}"
    return Picture(figure, f"{top.caption} {below}", said)


def _make_rows(rows: Mapping[str, tuple[BootstrapResult, str]]) -> Any:
    from sigarray.plot._panels import Rows

    results: dict[Any, Any] = {label: result for label, (result, _) in rows.items()}
    return Rows(results, [verdict for _, verdict in rows.values()])


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
        f"{show_difference(x.find_difference(a, b), *x.find_interval(a, b))}, "
        f"{say_judged(decision)}"
        for task, by in panels.items()
        for x, a, b, decision in by.values()
    ]
    caption = " ".join([f"{caption}: {what}.{say_limits(rows[0][0])}", *reasons])
    return Picture(figure, caption, f"{'; '.join(said)}.")
