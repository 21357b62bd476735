"""Which scores a verdict over these tasks is for, and when to ask for one."""

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from sigarray._plain_text import list_in_words
from sigarray._verdicts.aggregate_tests import OF_ORDER, Aggregate
from sigarray._verdicts.few_values import suits
from sigarray._verdicts.notes import note
from sigarray._verdicts.over_tasks import OverTasks
from sigarray._verdicts.overall import list_scales
from sigarray._verdicts.task_counts import count_by_task
from sigarray.read._score_table import ScoreTable

# Of more numbers of scores that others lack, these are named.
_MOST_NAMED = 4
# Of more runs that all models have, none are.
_MOST_SHARED = 50


def advise_these_tasks(
    table: ScoreTable, over: OverTasks | None, statistic: str | None
) -> list[str]:
    """Say how to decide over these tasks, if those like them are undecided.

    Not if a statistic does, or scores of tasks differ in scale, so that some would
    decide alone.
    """
    if statistic is not None or over is None or over.left_out or list_scales(over):
        return []
    if all(x.better is not None for x in over.pairs):
        return []
    try:
        refuse_scores(table, "mean", over.tasks)
    except ValueError:
        return []
    what, options = f"{table.unit}s", "--statistic mean"
    scores = {
        name: np.concatenate([table.tasks[task][name] for task in over.tasks])
        for name in table.models
    }
    if table.clusters:
        what = "clusters of items"
    elif suits(scores, "iqm"):
        options += " or --statistic iqm"
    return [
        f"Verdicts over tasks like these take the {len(over.tasks)} tasks for a sample "
        f"of such tasks. To ask which model is better on these {len(over.tasks)} tasks "
        f"alone, with other {what}, pass {options}."
    ]


def _advise_others(table: ScoreTable) -> tuple[str, str]:
    """Say what scores are that have no strata here, and what to do with them."""
    if table.statistic is not None:
        return "a metric of sums", "Leave it out."
    if table.runs:
        return "items in several runs", (
            "--unit item averages the runs of an item, and --unit run the items of a "
            "run."
        )
    return "items in clusters", (
        "--statistic mean takes them: its t-test has the errors of clusters within "
        "tasks, and bootstraps of few clusters on a task are too short."
    )


# What to do on one task, where a statistic over tasks is none.
_ON_ONE_TASK = {
    "improvement": "--test brunner-munzel says how often a run of a model beats one of "
    "another",
    "mean": "models are compared by their means with --test t",
}


def refuse_scores(
    table: ScoreTable, statistic: Aggregate, tasks: Sequence[str]
) -> None:
    """Refuse scores that strata of tasks are not for."""
    option = f"--statistic {statistic}"
    is_one = len(table.tasks) == 1 and statistic in OF_ORDER  # whose clusters are drawn
    has_clusters = bool(table.clusters) and statistic != "mean" and not is_one
    if has_clusters or table.runs or table.statistic is not None:
        what, advice = _advise_others(table)
        msg = f"Expected scores of runs or of items with {option}; got {what}. {advice}"
        raise ValueError(msg)
    if statistic == "improvement" and (table.unit != "run" or table.is_paired):
        what = "pairs of runs" if table.unit == "run" else f"{table.unit}s"
        msg = (
            f"Expected independent runs of each model with {option}, each of which may "
            f"meet each of another model; got {what}. Pass --statistic mean, which "
            "takes these."
        )
        raise ValueError(msg)
    if len(table.tasks) == 1 and statistic in _ON_ONE_TASK:
        msg = (
            f"Expected several tasks with {option}; got one, on which "
            f"{_ON_ONE_TASK[statistic]}. Leave it out, or name the column of tasks "
            "with --task."
        )
        raise ValueError(msg)
    if not tasks:
        msg = (
            f"Expected a task with scores of all models with {option}; got none. "
            "Choose models with --columns."
        )
        raise ValueError(msg)
    sizes = count_by_task(table, tasks)
    single = [
        task for k, task in enumerate(tasks) if min(x[k] for x in sizes.values()) < 2
    ]
    if single:
        msg = (
            f"Expected two {table.unit}s or more of each model on each task with "
            f"{option}; got one on {single[0]!r}. Leave out such tasks with "
            "--tasks."
        )
        raise ValueError(msg)
    shares = {tuple(n / sum(by) for n in by) for by in sizes.values()}
    if statistic in OF_ORDER and len(shares) > 1:
        msg = (
            f"Expected models with as many {table.unit}s as each other on each task, "
            f"or the same shares of them, with {option}; got "
            f"{_say_unequal(sizes, tasks, table.unit)}. Tasks would count more for one "
            f"model than for another. Add the missing {table.unit}s, "
            f"{_advise_shared(table, tasks)}or pass --statistic mean, for which each "
            "task counts the same."
        )
        raise ValueError(msg)


def note_shared_names(table: ScoreTable, tasks: Sequence[str]) -> None:
    """Say that clusters of one name are taken for others on another task."""
    counts = Counter(name for task in tasks for name in {*table.clusters.get(task, ())})
    shared = [name for name, n in counts.items() if n > 1]
    if shared:
        named = f"clusters named {min(shared)!r} are"
        if len(shared) > 1:
            named = f"{len(shared)} names of clusters, such as {min(shared)!r}, are"
        note(f"{named} on several tasks, and taken for different ones on each.")


def _advise_shared(table: ScoreTable, tasks: Sequence[str]) -> str:
    """Say how to take the runs that all models have on all tasks, if there are some."""
    every = [table.ids[task][name] for task in tasks for name in table.models]
    shared = [x for x in every[0] if all(x in ids for ids in every)]
    has_commas = any("," in x for x in (table.run_column or ",", *shared))
    if has_commas or not 2 <= len(shared) <= _MOST_SHARED:
        return ""
    option = shlex.quote(f"{table.run_column}={','.join(shared)}")
    return (
        f"pass --where {option}, the {table.unit}s that all models have on all tasks, "
    )


def _say_unequal(
    sizes: Mapping[str, tuple[int, ...]], tasks: Sequence[str], unit: str
) -> str:
    """Say which model has fewer scores on which task than elsewhere, and how many."""
    of_task = list(map(max, zip(*sizes.values(), strict=True)))
    every = [(x, k, n) for x, by in sizes.items() for k, n in enumerate(by)]
    # Than other models on the task, or than the model on other tasks.
    ways = [
        [(x, k, n, of_task[k], "of others") for x, k, n in every if n < of_task[k]],
        [
            (x, k, n, max(sizes[x]), "on other tasks")
            for x, k, n in every
            if n < max(sizes[x])
        ],
    ]
    odd = min(filter(None, ways), key=len)
    said = [
        f"{n} {unit}s of {name!r} on {tasks[k]!r} ({usual} {where})"
        for name, k, n, usual, where in odd[:_MOST_NAMED]
    ]
    more = [f"{len(odd) - _MOST_NAMED} more"] if len(odd) > _MOST_NAMED else []
    return list_in_words([*said, *more])
