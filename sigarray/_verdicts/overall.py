"""What to say of models over all tasks by `over_tasks`, or of all in one sentence."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from sigarray._plain_text import quote, show_number
from sigarray._verdicts.aggregates import Aggregates
from sigarray._verdicts.asked import OF_INDEPENDENT
from sigarray._verdicts.comparison import UNPAIRED, Comparison, say_baseline
from sigarray._verdicts.decisions import say_by_which, say_if_sharper
from sigarray._verdicts.over_tasks import OverTasks, PairOverTasks
from sigarray._verdicts.paragraph import end, list_verdicts, say_what
from sigarray._verdicts.ranking import SHARED_LETTER, Wins, say_which_are_better
from sigarray._verdicts.verdict import say_basis
from sigarray.read._scales import are_unlike, say_scaling
from sigarray.report._layout import (
    Table,
    count_decimals,
    describe_scores,
    equate,
    number_format,
    put_first,
    show_interval,
    show_p_value,
    without_infinities,
)


def say_answer(over: OverTasks | None) -> list[str]:
    if over is None:
        return []
    return say_which_are_better(over.order, over.baseline, over.wins, _say_where(over))


def table_of_pairs(over: OverTasks) -> Table:
    rows: list[list[str]] = []
    marked = set()
    for x in over.pairs:
        if x.better is not None:
            marked.add((len(rows), 5))
        rows.append(
            [
                *(x.a, x.b, _show_difference(over, x)),
                f"{x.wins} : {x.losses}{_say_ties(x)}",
                show_p_value(x.adjusted_pvalue, over.level),
                x.better or "inconclusive",
            ]
        )
    p = over.p
    header = ["A", "B", "A - B, interval", "wins A : B", p, "better"]
    title = f"Differences of means{_say_where(over)}, {over.say_level()}"
    title += say_baseline(over.baseline)
    return Table(title, header, rows, frozenset(marked), name_columns=2, decides=True)


def _say_ties(x: PairOverTasks) -> str:
    return f", {x.ties} tie{'' if x.ties == 1 else 's'}" if x.ties else ""


def table_of_models(over: OverTasks) -> Table:
    order, means = over.order, over.mean_of_means
    show = number_format([describe_scores(x) for x in over.means.T])
    rows = [
        [
            name,
            *([order.letters[name]] if order.has_groups else []),
            f"{over.mean_ranks[name]:.2f}",
            show(means[name]),
        ]
        for name in order.listed
    ]
    group = ["group"] if order.has_groups else []
    header = ["model", *group, "mean rank", "mean"]
    title = f"Mean ranks and means of models{_say_where(over)}"
    return Table(title, header, rows, name_columns=1 + len(group))


def rank_many(
    models: Sequence[str], wins: Wins, over: OverTasks | None, baseline: str | None
) -> Table:
    beaten = Counter(better for better, _ in wins)
    beaten_by = Counter(worse for _, worse in wins)
    if over is None:
        names = sorted(models, key=lambda name: (-beaten[name], beaten_by[name]))
        names = put_first(names, baseline)
        rows = [[name, str(beaten[name]), str(beaten_by[name])] for name in names]
        header = ["model", "won", "lost"]
        return Table("Pairs won and lost", header, rows, decides=True)
    wins_over = over.wins
    won, lost = (Counter(pair[k] for pair in wins_over) for k in (0, 1))
    rows = [
        [
            name,
            f"{over.mean_ranks[name]:.2f}",
            *(str(x[name]) for x in (won, lost, beaten, beaten_by)),
        ]
        for name in over.order.listed
    ]
    header = ["model", "mean rank", "better than", "worse than", "won", "lost"]
    title = f"Pairs decided{_say_where(over)}, and won and lost on single tasks"
    return Table(title, header, rows, decides=True)


def say_pair(over: OverTasks, pair: PairOverTasks) -> str:
    tied = f" and even on {pair.ties}" if pair.ties else ""
    ahead = f"ahead on {pair.wins} of {len(over.tasks)} tasks{tied}"
    shown = equate(show_p_value(pair.adjusted_pvalue, over.level))
    p = f"{over.p} {shown}"
    first, second = quote(pair.a), quote(pair.b)
    difference = f"the means differ by {_show_difference(over, pair)}"
    if pair.better is None:
        return (
            f"{first} vs. {second} over tasks like these: inconclusive ({first} is "
            f"{ahead}, {p} > {over.level:.10g}); {difference}"
        )
    return (
        f"{first} is better than {second} over tasks like these: {ahead}, {p} <= "
        f"{over.level:.10g}; {difference}{say_if_sharper(pair.interval)}"
    )


def write_paragraph(over: OverTasks | None) -> list[str]:
    if over is None:
        return []
    verdicts = []
    for pair in over.pairs:
        x = pair.turn() if is_behind(over, pair) else pair
        p = equate(show_p_value(x.adjusted_pvalue, over.level))
        numbers = [
            _show_difference(over, x),
            f"ahead on {x.wins} of {len(over.tasks)}{_say_ties(x)}",
            f"{over.p} {p}",
        ]
        verdict = "inconclusive" if x.better is None else "better"
        verdicts.append((x.a, x.b, verdict, f"({', '.join(numbers)})"))
    return [
        *(say_needed_tasks(over) or map(end, say_answer(over))),
        *list_remarks(over),
        "In parentheses: the difference of the means over tasks with its interval, "
        f"{over.say_level()}, on how many tasks the model that is named "
        f"first is ahead, and {over.p}.",
        *list_verdicts(over.order.names, verdicts),
        *say_what_decides(over),
        *list_scales(over),
    ]


def is_behind(over: OverTasks, pair: PairOverTasks) -> bool:
    """Tell whether A of a pair is worse over all tasks, or, undecided, behind."""
    if pair.better is not None:
        return pair.better == pair.b
    lead = pair.wins - pair.losses
    if lead == 0:
        means = over.mean_of_means
        lead_of_means = means[pair.a] - means[pair.b]
        return (lead_of_means >= 0.0) != over.higher_is_better
    return lead < 0


def list_remarks(over: OverTasks | None) -> list[str]:
    if over is None:
        return []
    rule = f"p <= {over.level:.10g} by {_OF_TWO}"
    if over.is_by_sets:
        rule += ", and by the ranks within every set of models that contains both"
    else:
        rule += over.say_holm()
    return [f"Over tasks like these, a model is better than another if {rule}."]


def say_rule(over: OverTasks) -> str:
    rule = f"two-sided p <= {over.level:.10g}"
    if over.is_by_sets:
        rule += ", closed over sets of models by ranks within tasks"
    else:
        rule += over.say_holm()
    return f"{_OF_TWO} ({rule})"


def say_needed_tasks(over: OverTasks | None) -> list[str]:
    if over is None or over.can_decide:
        return []
    return [
        f"{len(over.tasks)} tasks are too few to generalize to other tasks like these, "
        f"whatever the scores: that takes {over.needed_tasks} or more."
    ]


def say_what_decides(over: OverTasks | None) -> list[str]:
    if over is None:
        return []
    p = f"{over.p} of Wilcoxon's signed-rank test"
    return say_by_which(p, ((x.interval, x.better) for x in over.pairs))


_OF_TWO = "Wilcoxon's signed-rank test of the means on each task"


class Scales(NamedTuple):
    """The tasks whose means are smallest and largest, as places, and by what factor.

    `sizes` are those of the largest mean on each of all tasks.
    """

    sizes: np.ndarray
    low: int
    high: int
    factor: float


def find_scales(means: np.ndarray) -> Scales | None:
    """Find how far tasks of means (tasks, models) differ in size, if they are unlike.

    Scores from -1 to 1 are of one scale, however small they are.
    """
    if np.abs(means).max() <= 1.0:
        return None
    sizes = np.max(np.abs(means), axis=1)
    known = np.flatnonzero(sizes)
    low, high = (int(known[choose(sizes[known])]) for choose in (np.argmin, np.argmax))
    if not are_unlike(sizes[known]):
        return None
    return Scales(sizes, low, high, float(sizes[high] / sizes[low]))


def list_scales(over: OverTasks | None) -> list[str]:
    scales = None if over is None else find_scales(over.means)
    if over is None or scales is None:
        return []
    sizes, low, high, factor = scales
    tasks = [quote(over.tasks[place]) for place in (low, high)]
    largest = [show_number(sizes[place]) for place in (low, high)]
    shown = [f"{x} on {y}" for x, y in zip(largest, tasks, strict=True)]
    return [
        f"Scores on tasks differ in size by a factor of {show_number(factor, 2)} "
        f"(means of up to {' and '.join(shown)}): means over tasks are mostly those of "
        "the tasks with large scores, and p-values, by the ranks of differences, "
        "depend on these units, too; of tasks won, each counts the same."
    ]


def advise_scales(over: OverTasks | None) -> list[str]:
    if over is None or not list_scales(over):
        return []
    return [
        f"{advise_scaling(over.means, over.tasks)}. Scores that are normalized already "
        "need none of that."
    ]


def advise_scaling(means: np.ndarray, tasks: Sequence[str]) -> str:
    return say_scaling(tasks, np.min(means, axis=1), np.max(np.abs(means), axis=1))


def describe_method(over: OverTasks | None, *, has_worst: bool = False) -> str:
    """`has_worst` if missing scores were counted as the worst."""
    if over is None:
        return ""
    of_worst = ", in which missing scores count as the worst" if has_worst else ""
    said = (
        f". Over tasks like these {len(over.tasks)}, which are taken as a sample: "
        f"Wilcoxon's signed-rank test of the means on each task{of_worst}, two-sided"
    )
    if over.is_by_sets:
        said += ", closed over sets of models by weighted sums of ranks on each task"
    else:
        said += over.say_holm(",")
    return f"{said}. Student's intervals over tasks, {over.say_level()}"


def write_document(over: OverTasks) -> dict[str, Any]:
    return {
        "tasks": over.tasks,
        "alpha": over.level,
        "models": {
            name: {"mean": over.mean_of_means[name], "mean_rank": over.mean_ranks[name]}
            for name in put_first(over.names, over.baseline)
        },
        "pairs": [
            without_infinities(
                {
                    "model_a": x.a,
                    "model_b": x.b,
                    "wins": x.wins,
                    "ties": x.ties,
                    "losses": x.losses,
                    **x.differences,
                    **x.p_values,
                    "better": x.better,
                }
            )
            for x in over.pairs
        ],
    }


def _show_difference(over: OverTasks, pair: PairOverTasks) -> str:
    show = number_format([describe_scores(x) for x in over.means.T], sign="+")
    decimals = count_decimals(x.interval for x in over.pairs)
    return show_interval(pair.difference, *pair.interval, show, decimals)


def _say_where(over: OverTasks) -> str:
    n, others = len(over.tasks), len(over.left_out)
    if not others:
        return f" over tasks like these {n}"
    is_named = over.metric != "score"
    scores = over.metric.replace(", ", " or ") if is_named else "these scores"
    return f" over tasks like these ({n} of {n + others} have {scores} of all models)"


_SHARED = "; of models that share a letter, neither is shown to be better"


def write_sentence(
    compared: Mapping[str, Comparison],
    over: OverTasks | None,
    aggregates: Aggregates | None,
    answers: Sequence[str],
    verdicts: Sequence[str],
    lack: str,
) -> str:
    """Say in a sentence what was compared, how, and what the answer is.

    That is the first of `answers`, or, of two models alone, the first of `verdicts` on
    every pair with the level of its interval. `lack` says why there is none, if so.
    """
    first = next(iter(compared.values()))
    of_tasks = over if over is not None and over.can_decide else None
    is_of_these = aggregates is not None and len(compared) > 1
    if aggregates is not None and is_of_these:
        how, level = _name_statistic(aggregates), aggregates.say_level()
        is_of_pair = len(aggregates.pairs) == 1
    elif of_tasks is not None:
        how, level = say_rule(of_tasks), of_tasks.say_level()
        is_of_pair = len(of_tasks.pairs) == 1
    else:
        how, level = _name_test(first), first.say_level_of_intervals()
        is_of_pair = len(compared) == 1 and len(first.names) == 2
    if lack and len(compared) == 1:
        result = f"there are too few {first.unit}s for any verdict"
    elif is_of_pair:
        said = verdicts[0].partition("; on single tasks, ")[0]
        result = f"{said.rstrip('.')} ({level})"
    elif answers or len(verdicts) == 1:
        result = _join([*answers, *verdicts][0])
    else:  # of tasks that are not those of all models
        return ""
    return f"{say_what(compared)} by {how}; {result}."


def _join(answer: str) -> str:
    said = answer.removesuffix(f" {SHARED_LETTER}").rstrip(".")
    if said != answer.rstrip("."):
        said += _SHARED
    said = re.sub(
        r"\. (Worse|Inconclusive|Unequal)(?=: )", lambda x: f"; {x[1].lower()}", said
    )
    start = re.match("(Ranking|Better|In|No|On|Over) ?", f"{said} ")
    return said[0].lower() + said[1:] if start else said


def _name_test(x: Comparison) -> str:
    name = OF_INDEPENDENT.get(x.test)
    if name is None:
        name = x.method.partition(", two-sided")[0].replace(f" {UNPAIRED}", "")
        name = name if name.startswith("Welch") else f"a {name}"
    sides = "" if x.test == "aso" else "two-sided "
    return f"{name.replace('Almost', 'almost')} ({sides}{say_basis(x)})"


def _name_statistic(x: Aggregates) -> str:
    test = "t-test" if x.statistic == "mean" else "bootstrap test"
    name = f"the {x.noun}" if x.is_of_pairs else f"a {test} of the {x.noun}"
    rule = f"two-sided p <= {x.level:.10g}{x.say_holm()}"
    return f"{name}{x.where}, with tasks as strata ({rule})"
