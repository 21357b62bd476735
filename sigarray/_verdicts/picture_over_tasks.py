"""Pictures of differences over all tasks, and of which pairs there is a row."""

import functools
import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from sigarray._plain_text import cut_owners, cut_shared, quote, show_number
from sigarray._verdicts.aggregates import Aggregates
from sigarray._verdicts.decisions import Judged
from sigarray._verdicts.over_tasks import OverTasks
from sigarray._verdicts.pictures import (
    Picture,
    draw_models,
    list_limits,
    make_result,
    name_sides,
    say_limits,
    say_verdict,
)
from sigarray._verdicts.ranking import MOST_ROWS, Pair, sort_pairs
from sigarray.report._layout import count_decimals, show_interval
from sigarray.results import BootstrapResult

# With rows beyond these, the first are drawn.
MOST_DRAWN = 40


def draw_values(x: Aggregates | None) -> list[Picture]:
    """Draw many models by a statistic over all tasks."""
    if x is None or len(x.pairs) <= MOST_ROWS or x.baseline is not None:
        return []
    mean = "mean " * x.is_of_pairs  # against each other model
    label = f"{mean}{x.noun}{x.where}"
    sign = -1.0 if x.higher_is_better else 1.0
    return [draw_models(x.values, x.wins, label, said="Values", sign=sign)]


def choose_pairs(
    order: Sequence[str],
    decided: Iterable[Pair],
    baseline: str | None,
    most: int,
) -> tuple[list[tuple[str, str, Pair]], tuple[str, str], str]:
    """Return which pairs are drawn, the models on both sides of 0, and what is said.

    Where a task has many of them, which `most` counts, they are those of the best one.
    """
    pairs = sort_pairs(order, decided)
    if baseline is not None:
        said = f"each model minus the baseline {quote(baseline)}"
        return pairs, name_sides(baseline), said
    if most <= MOST_ROWS:
        return pairs, name_sides(None), "first minus second model"
    first = order[0]
    of_first = [x for x in pairs if x[0] == first]
    said = f"{quote(first)} minus each other model"
    return of_first, (first, "the other model"), said


class Top(NamedTuple):
    """Differences over all tasks: rows as drawn, and what is said of them."""

    rows: dict[str, tuple[BootstrapResult, str]]
    sides: tuple[str, str]
    caption: str
    description: str
    small: str
    level: str
    limits: list[float]
    is_of_pairs: bool = False

    def mark(self, axes: Any) -> None:
        """P(A > B) is drawn as its difference from 1/2."""
        if self.is_of_pairs:
            axes.xaxis.set_major_formatter(lambda lead, _: f"{0.5 + lead:.3g}")


def find_top(x: Aggregates | OverTasks | None) -> Top | None:
    """Return the differences over tasks that have an interval, if there are some.

    Too few tasks decide nothing, and then the answer is that on each of them.
    """
    if x is None or (isinstance(x, OverTasks) and not x.can_decide):
        return None
    every, sides, minus = choose_pairs(x.order.names, x.pairs, x.baseline, len(x.pairs))
    pairs = [pair if pair.a == a else pair.turn() for a, _, pair in every]
    name = name_pairs([(pair.a, pair.b) for pair in pairs])
    rows = {
        name[pair.a, pair.b]: (
            make_result(pair.difference, pair.interval),
            say_verdict(pair, pair.a),
        )
        for pair in pairs
        if not math.isnan(pair.interval.low)
    }
    if not rows or (x.baseline is None and len(rows) > MOST_DRAWN):
        return None
    level = x.say_level()
    said = [
        f"{quote(y.a)} minus {quote(y.b)}: {show_difference(y.difference, *y.interval)}"
        for y in pairs
    ]
    if isinstance(x, OverTasks):
        small = f"means over tasks like these {len(x.tasks)}"
        caption = f"Differences of {small}, {minus}: Student's intervals of the mean, "
        caption += f"{level}. Verdicts are by ranks, and may differ from what an "
        caption += "interval says."
        said = [f"{y}, {say_judged(pair)}" for y, pair in zip(said, pairs, strict=True)]
        return Top(rows, sides, caption, "; ".join(said), small, level, [])
    small = f"{x.plural}{x.where}"
    caption = f"Differences of {small}, {minus}, {level}."
    if x.is_of_pairs:
        small = f"P({sides[0]} is better){x.where}"
        caption = "Probabilities that a run of the first model beats one of the second"
        caption += f"{x.where}, {level}."
        said = [
            f"{quote(y.a)} beats {quote(y.b)}: {0.5 + y.difference:.3g} "
            f"[{0.5 + y.interval.low:.3g}, {0.5 + y.interval.high:.3g}]"
            for y in pairs
        ]
    caption += say_limits(x)
    what, limits = "; ".join(said), list_limits(x)
    return Top(rows, sides, caption, what, small, level, limits, x.is_of_pairs)


def draw_top(top: Top, said: str, *, higher_is_better: bool) -> Picture:
    from sigarray.plot._differences import MOST_IN_PAGE, draw_differences
    from sigarray.plot._style import say_left_out

    drawn = dict(list(top.rows.items())[:MOST_DRAWN])
    axes = draw_differences(
        {label: result for label, (result, _) in drawn.items()},
        verdicts=[verdict for _, verdict in drawn.values()],
        names=top.sides,
        higher_is_better=higher_is_better,
        letters=MOST_IN_PAGE,
        said=top.small if top.is_of_pairs else said,
        of_intervals=top.level if top.is_of_pairs else f"{top.small}, {top.level}",
        limits=top.limits,
    )
    top.mark(axes)
    say_left_out(axes, len(top.rows) - len(drawn), "pair", " after these")
    return Picture(axes.figure, top.caption, f"{top.description}.")


def name_pairs(
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


def show_difference(difference: float, low: float, high: float) -> str:
    shown = functools.partial(show_number, sign="+")
    return show_interval(difference, low, high, shown, count_decimals([(low, high)]))


def say_judged(x: Judged) -> str:
    if x.better is not None:
        return f"{quote(x.better)} is better"
    return say_verdict(x, x.a)
