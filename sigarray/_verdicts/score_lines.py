"""Sentences of the method line on scores: which these are, and what was done."""

from collections import Counter
from collections.abc import Mapping, Sequence

from sigarray._plain_text import list_in_words, quote, show_number, show_range
from sigarray._verdicts.comparison import name_metrics
from sigarray._verdicts.intervals import FEWER_DEGREES
from sigarray._verdicts.sampled import find_sampled, name_scored, say_items
from sigarray.read._raters import say_one
from sigarray.read._score_table import ScoreTable
from sigarray.read._words import names_raters

_BETWEEN = ". "
_MAX_NAMED = 3
# Says itself where it holds, and so may be said of all tasks.
_WHERE_SIZES_DIFFER = f", {FEWER_DEGREES}"


def join_methods(methods: Mapping[str, str]) -> str:
    """Return the sentences of the method lines of all tasks, each of them once."""
    by_task = {
        task: method.split(_BETWEEN) if method else []
        for task, method in methods.items()
    }
    by_task = _share_clauses(by_task)
    tasks: dict[str, list[str]] = {}
    for task, sentences in by_task.items():
        for sentence in sentences:
            tasks.setdefault(sentence, []).append(task)
    return _BETWEEN.join(
        f"{_say_where(tasks[sentence], list(methods))}{sentence}"
        for sentence in _merge(list(by_task.values()))
    )


def _share_clauses(by_task: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    longest: dict[str, str] = {}
    for sentences in by_task.values():
        for x in sentences:
            plain = x.replace(_WHERE_SIZES_DIFFER, "")
            longest[plain] = max(longest.get(plain, ""), x, key=len)
    return {
        task: [longest[x.replace(_WHERE_SIZES_DIFFER, "")] for x in sentences]
        for task, sentences in by_task.items()
    }


def _merge(lists: Sequence[Sequence[str]]) -> list[str]:
    """Return all sentences, each before that which it precedes on a task."""
    merged: list[str] = []
    for sentences in sorted(lists, key=lists.count, reverse=True):
        place = len(merged)
        for x in reversed(sentences):
            if x in merged:
                place = merged.index(x)
            else:
                merged.insert(place, x)
    return merged


def _say_where(tasks: Sequence[str], every: Sequence[str]) -> str:
    others = [task for task in every if task not in tasks]
    if not others:
        return ""
    is_of_most = len(others) < len(tasks)
    few = others if is_of_most else tasks
    if len(few) > _MAX_NAMED:
        return f"On {len(tasks)} of {len(every)} tasks: "
    named = list_in_words([quote(x) for x in few])
    return f"On all tasks but {named}: " if is_of_most else f"On {named}: "


# The most tasks that are named.
_MOST_NAMED = 4
_MEANS = {
    "score": "the mean of {} scores",
    "rating": "the mean of {} ratings (by {})",
    "run": "the mean over {} runs",
    "item": "the mean over {} items",
}
_OF_RATERS = "Raters are averaged: results are about other items, not other raters"


def describe_scores(table: ScoreTable, task: str, *, is_paired: bool) -> list[str]:
    """`is_paired` if the test compares two models on the items of both."""
    return [
        *_say_design(table, task),
        *_say_tasks(table),
        *say_left_out(table),
        *_say_metrics(table),
        *_say_pooled(table),
        *_say_rows(table),
        *_say_steps(table),
        *_say_means(table),
        *_say_raters(table, is_paired=is_paired),
        *_say_settings(table),
        *_say_unscored(table),
        *_say_dropped(table, is_paired=is_paired),
        *_say_missing(table, task),
        *_say_unfinished(table),
    ]


def describe_scores_of_tasks(table: ScoreTable, *, is_paired: bool) -> str:
    return join_methods(
        {
            task: ". ".join(describe_scores(table, task, is_paired=is_paired))
            for task in table.tasks
        }
    )


def _say_design(table: ScoreTable, task: str) -> list[str]:
    sampled = find_sampled(table, task)
    if sampled is None:
        return []
    n_models = len(table.tasks[task])
    models = f"{n_models} model{'' if n_models == 1 else 's'}"
    of_sums = []
    if table.statistic is not None:
        columns = list_in_words(list(map(quote, table.sum_columns)))
        of_sums = [f"{table.metric} is computed once, of the sums of {columns}"]
        if len(table.tasks) > 1:
            of_sums[0] += ", on each task, where it stands for the mean"
    design = f"The design is {models}, {say_items([sampled])}"
    if len(table.clusters) == len(table.tasks) > 1:
        every = table.clusters.values()
        n, number = sum(map(len, every)), sum(len({*x}) for x in every)
        design = f"The design is {len(table.models)} models, {n:,} items in "
        design += f"{number:,} clusters of {len(table.tasks)} tasks"
    if sampled.runs:
        return [f"{design}: each model has its own runs, and all have the same items"]
    return [*of_sums, f"{design}, paired"]


def _say_tasks(table: ScoreTable) -> list[str]:
    n, n_all = len(table.tasks), table.n_tasks
    if n_all is None or n >= n_all:
        return []
    names = list_in_words([quote(x) for x in table.tasks])
    which = f": {names}" if n <= _MOST_NAMED else ""
    return [f"{n} of {n_all} tasks {'was' if n == 1 else 'were'} chosen{which}"]


def say_left_out(table: ScoreTable) -> list[str]:
    without = f"without {_name_metric(table)}"
    alone = [x for x in table.left_out if x not in table.without_metric]
    return [
        f"{_name_few(tasks, 'task')} left out, {why}"
        for tasks, why in (
            (list(table.without_metric), without),
            (alone, "without scores of two models"),
        )
        if tasks
    ]


def _say_metrics(table: ScoreTable) -> list[str]:
    known = {x: table.metrics[x] for x in table.tasks if x in table.metrics}
    return [f"The metric is {name_by_task(known)}"] if known else []


def name_by_task(metrics: Mapping[str, str]) -> str:
    """Name the metrics of tasks, and a few tasks of each: "acc on arc and boolq"."""
    tasks: dict[str, list[str]] = {}
    for task, metric in metrics.items():
        tasks.setdefault(name_metrics(metric), []).append(quote(task))
    few = {
        x: [*y[:_MAX_NAMED], *[f"{len(y) - _MAX_NAMED} more"] * (len(y) > _MAX_NAMED)]
        for x, y in tasks.items()
    }
    return ", ".join(f"{x} on {list_in_words(y)}" for x, y in few.items())


def _say_pooled(table: ScoreTable) -> list[str]:
    return [
        f"{quote(group)} pools the items of "
        f"{f'its {n}' if n == n_all else f'{n} of its {n_all}'} tasks"
        for group, (n, n_all) in table.pooled.items()
        if group in table.tasks
    ]


def _say_unscored(table: ScoreTable) -> list[str]:
    by_task = {x: y for x, y in table.unscored.items() if x in table.tasks}
    if not by_task:
        return []
    items = [x for y in by_task.values() for x in y]
    named = _name_few(items, "item", _say_on_some(table, len(by_task)))
    return [f"{named} left out, without {_name_metric(table)} of any model"]


def _say_on_some(table: ScoreTable, n: int) -> str:
    n_all = len(table.tasks)
    return f" on {n} of {n_all} tasks" if n_all > 1 else ""


def _name_metric(table: ScoreTable) -> str:
    is_unnamed = table.metric == "score"
    return "a score" if is_unnamed else table.metric.replace(", ", " or ")


def _name_few(names: list[str], what: str, on: str = "") -> str:
    some, was = (what, "was") if len(names) == 1 else (f"{what}s", "were")
    if len(names) > _MOST_NAMED:
        return f"{len(names)} {some}{on} {was}"
    return f"{some.title()} {list_in_words([quote(x) for x in names])}{on} {was}"


def _say_rows(table: ScoreTable) -> list[str]:
    if not table.where:
        return []
    said = [
        f"{name}={' or '.join(x or 'blank' for x in by)}"
        for name, by in table.where.items()
    ]
    return [f"Rows with {list_in_words(said)}"]


def _say_steps(table: ScoreTable) -> list[str]:
    last = table.last_steps
    if last is None:
        return []
    which = show_range((last.least, last.most), ".10g")
    early = ""
    if last.n_early:
        of_one = "1 run that ends much earlier has no score"
        of_many = f"{last.n_early} runs that end much earlier have no score"
        early = f"; {of_one if last.n_early == 1 else of_many}"
    column = quote(last.column)
    return [f"The score of a run is that of its last {column}, {which}{early}"]


def _say_means(table: ScoreTable) -> list[str]:
    means = [x for task, x in table.averaged.items() if task in table.tasks]
    if not means:
        return []
    unit, of, *_, by = means[0]
    count = show_range((n for x in means for n in (x.least, x.most)), ".10g")
    which = f"{'an' if unit[0] in 'aeiou' else 'a'} {unit}"
    said = [f"The score of {which} is {_MEANS[of].format(count, quote(by or ''))}"]
    if of == "score" and by is not None:
        said[0] += f" (by {quote(by)})"
        said += [f"Results are about other {unit}s, not other values of {quote(by)}"]
    return [*said, _OF_RATERS] if of == "rating" else said


def _say_raters(table: ScoreTable, *, is_paired: bool) -> list[str]:
    every = [x for task, x in table.raters.items() if task in table.tasks]
    matched = [x for x in every if x.n]
    said = []
    if matched:
        n, n_items = sum(x.n for x in matched), sum(x.n_items for x in matched)
        some = f"{n} of {sum(x.n_all for x in matched)} ratings"
        if n_items:
            some += f", with {n_items} of {sum(x.n_all_items for x in matched)} "
            some += f"{name_scored(table)}s,"
        left = "left out of means" if is_paired and table.pairs else "left out"
        said.append(
            f"{some} {'was' if n == 1 else 'were'} {left}, because not all models have "
            f"{say_one(name_scored(table), quote(matched[0].column))}"
        )
    assigned = {
        x.column: None for x in every if x.are_assigned and not x.others + x.unequal
    }
    unit = name_scored(table)
    first, second, who = "of", "by", "raters"
    if names_raters(unit):
        first, second, who = "by", "of", "items"
    said += [
        f"Not all models have a rating {first} the {unit} {second} the same "
        f"{quote(x)}; {who} are taken to be assigned at random"
        for x in assigned
    ]
    return said + doubt_raters(table)


def doubt_raters(table: ScoreTable) -> list[str]:
    every = [x for task, x in table.raters.items() if task in table.tasks]
    others = Counter(name for x in every for name in x.others)
    unequal = Counter(name for x in every for name in x.unequal)
    return [
        f"{how} the same {quote(name)}{_say_on_some(table, n)}, which may explain a "
        "difference between them"
        for how, counts in (
            ("Scores of models are not by", others),
            ("Models have unequal shares of scores by", unequal),
        )
        for name, n in counts.items()
    ]


def _say_settings(table: ScoreTable) -> list[str]:
    if not table.settings:
        return []
    said = [f"{n} values of {quote(name)}" for name, n in table.settings.items()]
    return [f"Runs of a model pool {list_in_words(said)}"]


def _say_dropped(table: ScoreTable, *, is_paired: bool) -> list[str]:
    every = [x for task, x in table.n_dropped.items() if task in table.tasks]
    if not every:
        return []
    n, n_scores = sum(x.n for x in every), sum(x.n_scores for x in every)
    n_all = sum(x.n_all for x in every)
    on = _say_on_some(table, len(every))
    missing = f"{n_scores} score{' was' if n_scores == 1 else 's were'} missing"
    left = (
        "left out of means" if is_paired and table.pairs else "left out for all models"
    )
    return [
        f"{n} of {n_all} {every[0].unit}s{on}, in which {missing}, "
        f"{'was' if n == 1 else 'were'} {left}"
    ]


def _say_unfinished(table: ScoreTable) -> list[str]:
    n = table.n_unfinished
    some = "1 run that has" if n == 1 else f"{n} runs that have"
    was = "was" if n == 1 else "were"
    return [f"{some} not finished {was} left out"] if n else []


def _say_missing(table: ScoreTable, task: str) -> list[str]:
    n = sum(table.n_missing.get(task, {}).values())
    kept = "runs that crashed or ended early have the score that they logged last"
    if table.n_kept == 1:
        kept = "run that crashed or ended early has the score that it logged last"
    of_kept = [f"{table.n_kept} {kept}"] if table.n_kept else []
    if task in table.n_dropped:
        n -= table.n_dropped[task].n_treated
    if n <= 0:
        return of_kept
    if task in table.ended and task not in table.n_dropped:
        return [*of_kept, _say_ended(table, task)]
    some = "missing score" if n == 1 else "missing scores"
    treated = "left out"
    if table.missing == "worst":
        treated = "taken for the worst of all runs on the task"
    return [*of_kept, f"{n} {some}, {treated}"]


def _say_ended(table: ScoreTable, task: str) -> str:
    crashed, early, worst, n_again = table.ended[task]
    others = Counter(table.n_missing[task]) - (Counter(crashed) + Counter(early))
    said = []
    for by, run, rest in (
        (crashed, "crashed run", ""),
        (early, "run", " that ended early"),
        (others, "run", " without a score"),
    ):
        n = sum(by.values())
        if not n:
            continue
        of = f" ({list_in_words([*map(quote, by)])})" if len(by) <= _MOST_NAMED else ""
        said.append(f"{n} {run if n == 1 else f'{run}s'}{rest}{of}")
    is_one = sum(table.n_missing[task].values()) == 1
    this = table.ended[task], table.n_missing[task]
    same = [x for x, y in table.ended.items() if (y, table.n_missing.get(x)) == this]
    said[-1] += f" on each of {len(same)} tasks" if len(same) > 1 else ""
    treated = f"{'was' if is_one else 'were'} left out"
    if worst is not None:
        count = "counts" if is_one else "count"
        treated = f"{count} as {show_number(worst, 6)}, the worst of all runs"
        treated += " on the task" if task else ""
    again = f"{n_again} of these {'was' if n_again == 1 else 'were'} run again"
    again = "it was run again" if is_one else again
    return f"{list_in_words(said)} {treated}{f'; {again}' if n_again else ''}"
