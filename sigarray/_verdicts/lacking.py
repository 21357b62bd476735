"""Models that lack runs, items or tasks that others have, and what to say of them."""

import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from sigarray._plain_text import list_in_words, quote, show_range
from sigarray._verdicts.comparison import Comparison, list_models
from sigarray.read._frame import quote_names, shorten
from sigarray.read._messages import Caution, note, warn
from sigarray.read._score_table import ScoreTable
from sigarray.read._wide import Scores

# The most pairs whose numbers of items are listed.
_MAX_SAID = 20


def say_matched(table: ScoreTable) -> None:
    for task, by in table.pairs.items():
        of = f" of task {task!r}" if task else ""
        said = [f"{a!r} and {b!r} on {len(x)}" for (a, b), (x, _) in by.items()]
        n_all = len(next(iter(table.tasks[task].values())))
        if have_all(by.values(), n_all):
            note(
                f"means{of} are of the scores that are matched in all models, and "
                f"pairs are compared on {say_own(by.values(), n_all, table.unit)}."
            )
            continue
        note(
            f"means are of the {n_all} {table.unit}s{of} "
            "that all models have, and pairs are compared on those that both have: "
            f"{shorten(said, _MAX_SAID)}."
        )


def have_all(pairs: Iterable[tuple[Any, Any]], n_all: int) -> bool:
    """Tell whether all pairs have all units, and so other scores of some of these."""
    return all(len(x) == n_all for x, _ in pairs)


def say_own(pairs: Collection[tuple[Any, Any]], n_all: int, unit: str) -> str:
    if have_all(pairs, n_all):
        return f"all {n_all} {unit}s, by the scores that are matched in both"
    return f"the {show_range(len(x) for x, _ in pairs)} {unit}s that both have"


def explain_matched(comparison: Comparison) -> list[str]:
    if not comparison.matched:
        return []
    n_all = len(next(iter(comparison.scores.values())))
    pairs = [comparison.list_scores(*x) for x in comparison.pairs]
    what, of_pairs = "Means", "differences, intervals and p"
    if comparison.task:
        what = f"On {comparison.task}, means, and so all verdicts over tasks,"
        of_pairs += " of this task"
    if have_all(pairs, n_all):
        return [
            f"{what} are of the scores that are matched in all models, but {of_pairs} "
            "are of those that are matched in both models of a pair."
        ]
    return [
        f"{what} are of the {n_all} {comparison.unit}s that all models have, but "
        f"{of_pairs} are of the {show_range(len(x) for x, _ in pairs)} that both "
        "models of a pair have."
    ]


def list_matched(comparison: Comparison) -> list[Scores]:
    """Return the scores of all models, or those of two on the items or runs of both."""
    if not comparison.matched:
        return [dict(comparison.scores)]
    return [
        {a: comparison.matched[a, b][0], b: comparison.matched[a, b][1]}
        for a, b in comparison.pairs
    ]


_SHOWN = 3


def list_shared(table: ScoreTable) -> tuple[list[str], list[str]]:
    shared = [task for task, by in table.tasks.items() if {*table.models} <= {*by}]
    return shared, [*(x for x in table.tasks if x not in shared), *table.left_out]


def count_by_task(
    table: ScoreTable, tasks: Sequence[str], option: str = ""
) -> dict[str, tuple[int, ...]]:
    sizes = {
        name: tuple(len(table.tasks[task][name]) for task in tasks)
        for name in table.models
    }
    single = [x for x, by in sizes.items() if min(by) < 2]
    if single:
        task = tasks[sizes[single[0]].index(1)]
        on = f" on {task!r}" if len(tasks) > 1 else ""
        some = "" if single == [*sizes] else f" with --ignore {quote_names(single)}"
        msg = (
            f"{table.source}: expected two {table.unit}s or more of each model on each "
            f"task{option}; got one of {single[0]!r}{on}. Leave out such models{some}, "
            "or such tasks with --tasks."
        )
        raise ValueError(msg)
    return sizes


def count_tasks(compared: Mapping[str, Comparison]) -> str:
    n, left_out = len(compared), next(iter(compared.values())).left_out
    said = say_of_all(n, len(left_out))
    lacking = _find_lacking(compared)
    if lacking:
        said += f", {n - len(lacking)} of them with scores of all models"
    return said


def say_left_out(compared: Mapping[str, Comparison]) -> list[str]:
    lacking = _find_lacking(compared)
    said = [f"{line}." for line in next(iter(compared.values())).why_left_out]
    if not lacking:
        return said
    by_models: dict[tuple[str, ...], list[str]] = {}
    for task, models in lacking.items():
        by_models.setdefault(models, []).append(task)
    every = [
        f"{list_few(map(quote, models))} {'has' if len(models) == 1 else 'have'} no "
        f"scores on {list_few(map(quote, tasks))}"
        for models, tasks in by_models.items()
    ]
    n = len(compared) - len(lacking)
    rest = f", so that verdicts over tasks are on the other {n}" if n > 1 else ""
    return [*said, f"{shorten(every, _SHOWN, '; ')}{rest}."]


def note_lacking(compared: Mapping[str, Comparison]) -> None:
    if _find_lacking(compared):
        note(Caution(say_left_out(compared)[-1]))


def say_of_all(n: int, n_left_out: int) -> str:
    return f"{n} of {n + n_left_out} tasks" if n_left_out else f"{n} tasks"


def _find_lacking(compared: Mapping[str, Comparison]) -> dict[str, tuple[str, ...]]:
    names = list_models(compared)
    lacking = {
        task: tuple(name for name in names if name not in x.scores)
        for task, x in compared.items()
    }
    found = {task: models for task, models in lacking.items() if models}
    # Where every pair of models has tasks of its own, there are none over tasks.
    return found if len(found) < len(compared) else {}


def list_few(texts: Iterable[str]) -> str:
    """List texts in a sentence, if there are many the first: "a, b and c"."""
    return list_in_words(list(dict.fromkeys(texts)), most=_SHOWN)


HOW_TO_COMPARE = "docs/which_test.md says under A published number"


def say_published(baseline: str | None) -> str:
    try:
        float(baseline or "")
    except ValueError:
        return ""
    return f" A number is no model. How to compare with it, {HOW_TO_COMPARE}."


# With fewer scores, no test decides anything on a pair.
_ENOUGH = 3


def advise_single(name: str, n_models: int) -> str:
    leave = f", or leave it out with --ignore {shlex.quote(name)}"
    leave = leave if n_models > 2 else ""
    return (
        f"Run it with more seeds{leave}. If it is a published number, whose seeds "
        "are not known, compare the interval of another model's mean, t_ci(scores), "
        f"with it, as {HOW_TO_COMPARE}."
    )


def doubt_single_runs(compared: Mapping[str, Comparison]) -> None:
    """Warn that a model of one run makes verdicts on other pairs weaker.

    Its own pairs cannot be decided, but are among those that are corrected for; a test
    that is closed over sets of models has to reject the sets with it, too.
    """
    first = next(iter(compared.values()))
    if first.baseline is not None or not first.is_corrected or first.is_paired:
        return
    names = dict.fromkeys(
        name
        for x in compared.values()
        if sum(len(y) >= _ENOUGH for y in x.list_units().values()) > 1
        for name, scores in x.list_units().items()
        if len(scores) == 1
    )
    if not names:
        return
    is_one = len(names) == 1
    said = f"{'has' if is_one else 'have'} one {first.unit}"
    it = "it" if is_one else "them"
    warn(
        f"{list_few(map(repr, names))} {said}, which can hardly decide anything, and "
        f"the correction for pairs with {it} makes verdicts on other pairs weaker. "
        f"Leave {it} out with --ignore, or run {it} more often."
    )
