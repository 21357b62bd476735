"""The picture of `sigarray power`: power by the number of scores."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from sigarray._cli.power_answers import Answer, Goal, say_jump
from sigarray._cli.power_sizes import SizedPair
from sigarray._cli.power_tables import show_size
from sigarray._verdicts.pictures import Picture
from sigarray.results import SampleSizeResult

# The most curves that can be told apart, and the most tasks with a panel each.
_MOST_PAIRS, _MOST_TASKS = 7, 12
# Inches: a panel, and a line of its legend.
_PANEL, _LINE = 2.1, 0.14


def draw_power(answers: Sequence[Answer], goal: Goal) -> Picture:
    """Draw a curve for each pair of models, the best first; a panel for each task."""
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
        warn_of_undrawable,
    )

    every = [x for x in answers if x.pairs]
    shown = every[:_MOST_TASKS]
    chosen = [_choose_pairs(x) for x in shown]
    n_columns = min(2, len(shown))
    n_lines = -(-len(shown) // n_columns)
    height = _PANEL + _LINE * (1 + max(map(len, chosen)))
    figure = make_figure(height * n_lines, COLUMN if n_columns == 1 else PAGE)
    grid = figure.subplots(n_lines, n_columns, squeeze=False)
    said = []
    for ax, x, pairs in zip(grid.flat, shown, chosen, strict=False):
        sizes = list(pairs[0].shares)
        results: dict[Hashable, Any] = {
            f"{pair.better} vs. {pair.worse}": SampleSizeResult(
                np.float64(pair.size), np.asarray(list(pair.shares.values()))
            )
            for pair in pairs
        }
        plot.power(sizes, results, wanted=goal.power, unit=goal.unit, ax=ax)
        say_left_out(ax, len(x.pairs) - len(pairs), "other pair", "")
        if x.task:
            with warn_of_undrawable():
                name = show_name(x.task)
            ax.set_ylabel(f"power on {name}", fontsize=LARGE, **PLAIN)
            choose_fonts(ax)
        said += [_say(x, pair, goal) for pair in pairs]
    for ax in list(grid.flat)[len(shown) :]:
        ax.remove()
    caption = (
        f"Power by the number of {goal.unit}s; the dotted line is the power of "
        f"{goal.power:g} that is asked for, and a ring the first number that has it"
    )
    if len(every) > len(shown):
        caption += f"; {len(shown)} of {len(every)} tasks"
    caption = " ".join([f"{caption}.", *say_jump(shown, goal)])
    return Picture(figure, caption, f"{'; '.join(said)}.")


def _choose_pairs(answer: Answer) -> list[SizedPair]:
    """Return pairs of the model that is best of most, or else the first ones."""
    if len(answer.pairs) <= _MOST_PAIRS:
        return answer.pairs
    wins = [pair.better for pair in answer.pairs]
    best = max(dict.fromkeys(wins), key=wins.count)
    return [pair for pair in answer.pairs if pair.better == best][:_MOST_PAIRS]


def _say(answer: Answer, pair: SizedPair, goal: Goal) -> str:
    size = show_size(pair.size, answer.largest)
    on = f" on {answer.task}" if answer.task else ""
    return f"{pair.better} vs. {pair.worse}{on}: {size} {goal.unit}s"
