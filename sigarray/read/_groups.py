"""Doubt scores whose differences depend on a label: groups of items, raters, runs."""

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sigarray.read._alignment import Unit
from sigarray.read._cells import (
    encode_texts,
    find_blank,
    find_missing,
    looks_like_score,
)
from sigarray.read._codes import find_first, group_rows
from sigarray.read._frame import Frame, Names, Roles, list_names
from sigarray.read._messages import DoubtOfGroups
from sigarray.read._one_task import JoinedTask, doubt_shared_runs
from sigarray.read._rater_effects import Ratings, depend_on_raters, list_ratings
from sigarray.read._raters import have_raters
from sigarray.read._records import Records, find_column
from sigarray.read._score_table import ScoreTable
from sigarray.read._text import TableError
from sigarray.read._wide import WideTable, split_tasks
from sigarray.read._words import names_clusters, names_raters

_MAX_LOOKED_AT = 50
# Independent items lead to a doubt in as many cases, or fewer.
_LEVEL = 0.01
_N_DRAWN = 199
# The most scores that get signs: 50 ms; and about how many of them at a time.
_MAX_DRAWN, _MAX_HELD = 30_000, 30_000
# Scores (models, units), and a label of each unit.
Part = tuple[np.ndarray, Sequence[Any]]


def say_groups(
    records: Records, tasks: Sequence[Any], source: str
) -> tuple[Names, Names]:
    """Return notes, and doubts, on columns that may group items without clusters."""
    of_raters = _doubt_raters(records, tasks, source)
    if of_raters or records.has("cluster") or not records.has("item"):
        return [], of_raters
    groups = {
        name: None
        for k in np.unique(records.files)
        for frame, roles in [(records.frames[k], records.roles[k])]
        if frame.metrics is None
        for name in frame.columns
        if name not in {*roles.values(), records.metrics[k]} - {roles.get("rater")}
        and groups_items(frame, roles, name)
    }
    alike = [x for x in groups if are_alike(tasks, x)]
    names = alike or [*groups]
    cluster, task, ignore = (
        " or ".join(f"--{role} {shlex.quote(x)}" for x in names[:4])
        for role in ("cluster", "task", "ignore")
    )
    fixed = f". If they are fixed, as subjects are, pass {task}, with --statistic mean"
    fixed = "" if records.has("task") else fixed
    listed = list_names(names, 4)
    sampled = "as documents are, items of one are not independent"
    if alike:
        doubt = DoubtOfGroups(
            f"{source}: the differences between models depend on {listed}, more than "
            f"by chance. If such groups were sampled, {sampled}, and verdicts claim "
            f"too much: pass {cluster}{fixed}. {ignore} takes items as independent"
        )
        return [], [doubt]
    note = f"{listed} may group the items. If the groups were sampled, {sampled}: pass "
    return [f"{note}{cluster}{fixed}"] if groups else [], []


def doubt_shared(
    tasks: Mapping[str, JoinedTask], records: Records, unit: Unit, source: str
) -> Names:
    if len(tasks) < 2:
        return []
    column, run, item = (find_column(records, x) for x in ("task", "run", "item"))
    if unit == "item":
        return _doubt_shared_items([*tasks.values()], source, column, run)
    if unit != "run":
        return _doubt_crossed_runs([*tasks.values()], source, column, run, item)
    if not records.has("run"):
        return []
    scores = {task: x.scores for task, x in tasks.items()}
    ids = {task: x.ids for task, x in tasks.items()}
    return doubt_shared_runs(scores, ids, source, column, run)


def _doubt_crossed_runs(
    tasks: Sequence[JoinedTask],
    source: str,
    column: str | None,
    run: str | None,
    item: str | None,
) -> Names:
    """Doubt verdicts over tasks on which runs of one name have items.

    Of equal models, with runs that differ by a third of their noise on 8 tasks, they
    called one better in 24 % of data.
    """
    counts = Counter(
        (model, name)
        for task in tasks
        for model, table in task.runs.items()
        for name in table.runs
    )
    if max(counts.values(), default=0) < 2:
        return []
    said = (
        f"{source} has runs of one name on several tasks, as of trainings that were "
        "tested on all of them: no verdict is over tasks like these. "
    )
    if column is None or item is None or run is None:
        return [f"{said}For one on other runs, compare the mean over tasks of each"]
    pooled, task, own = map(
        shlex.quote, (f"{column},{item}", column, f"{run},{column}")
    )
    return [
        f"{said}For one on other runs and items of these tasks, pass --item {pooled}; "
        f"or, if each task had trainings of its own, --task {task} --run {own}"
    ]


def _doubt_shared_items(
    tasks: Sequence[JoinedTask], source: str, column: str | None, run: str | None
) -> Names:
    """Refuse tasks on which one model is better on items of one name, as on criteria.

    Of equal models, means over three such tasks called one better in 22 % of data.
    """
    n_models = len(tasks[0].scores)
    most = max(1, _MAX_DRAWN // (n_models * len(tasks)))
    labels: list[str] = []
    parts = [np.empty((n_models, 0))]
    for names, x in map(match_scores, tasks):
        if len(x) != n_models:
            return []
        if names:
            labels += names[:most]
            parts.append(x[:, :most] - np.mean(x[:, :most], axis=1, keepdims=True))
    if not exceed_signs([(np.concatenate(parts, axis=1), labels)]):
        return []
    found = (
        "items of one name on which the same model is better, more than by chance, as "
        "if tasks were several scores of one answer: verdicts over tasks would find "
        "too many differences"
    )
    if column is None:
        return [f"{source} has {found}. Compare the mean over tasks of each item"]
    runs = shlex.quote(f"{run},{column}" if run else column)
    msg = (
        f"{source}: expected items of their own on each task; got {found}. Pass --unit "
        f"item --run {runs}, without --task, for the mean of each item; or one task at "
        "a time, with --tasks."
    )
    raise TableError(msg)


def _doubt_raters(records: Records, tasks: Sequence[Any], source: str) -> Names:
    """Doubt verdicts on these raters, if differences between models depend on them.

    With raters for items, 0 to 8 % of data of equal models had a verdict.
    """
    column = find_column(records, "rater")
    item = find_column(records, "item") or ""
    if column is None or not have_raters(records, column) or names_raters(item):
        return []
    if records.group("task", "item", "rater")[1] == records.group("task", "item")[1]:
        return []  # raters are groups of items
    parts = [list_ratings(x.records, x.records.factors["rater"]) for x in tasks]
    option = "--run"
    if any(x.raters is not None and x.raters.are_assigned for x in tasks):
        option = "--ignore"  # for few ratings have one of each other model
    ways = {find_column(records, "run"): "--run"}
    ways |= dict.fromkeys(records[0].frame.left_out, "--ignore")
    items = f"{option} {shlex.quote(item)}"
    return doubt_parts(parts, source, column, items, ways.get(column))


def doubt_parts(
    parts: Sequence[Ratings], source: str, column: str, items: str, given: str | None
) -> Names:
    if not depend_on_raters(parts):
        return []
    name = shlex.quote(column)
    items += f" in place of {given} {name}" if given else ""
    return [
        f"{source}: the differences between models depend on {column!r}, more than by "
        "chance, and verdicts are on these raters alone. For verdicts on other raters, "
        f"and these items, pass --unit item --item {name} {items}"
    ]


def are_alike(tasks: Sequence[Any], column: str) -> bool:
    parts: list[Part] = []
    for joined in tasks:
        having, texts = joined.records.take_texts(column)
        items = having.factors["item"]
        first = find_first(items.codes, len(items.values) + 1)
        codes = dict(zip(items.values, texts.codes[first].tolist(), strict=False))
        names, x = match_scores(joined)
        parts.append((x, [codes.get(name, -1) for name in names]))
    return exceed_signs(parts)


def exceed_signs(parts: Sequence[Part]) -> bool:
    """Tell whether the sums of differences by label vary more than by chance."""
    squares, generator = np.zeros(_N_DRAWN + 1), np.random.default_rng(0)
    for scores, labels in parts:
        if len(scores) < 2 or not scores.size:
            continue  # groups of a single model differ in how hard they are
        x = scores - np.mean(scores, axis=0)
        x = x - np.mean(x, axis=1, keepdims=True)
        codes = np.unique(labels, return_inverse=True)[1]
        order = np.argsort(codes)
        starts = np.flatnonzero(np.diff(codes[order], prepend=-2))
        sizes = np.diff([*starts, len(codes)])
        x = x[:, order] / (np.std(x) or 1.0)
        # Without changes of signs in front, some at a time.
        step = max(1, _MAX_HELD // x.size)
        for start in range(0, len(squares), step):
            shape = min(step, len(squares) - start), len(codes)
            signs = 1.0 - 2.0 * generator.integers(0, 2, shape)[:, order]
            if start == 0:
                signs[0] = 1.0
            sums = np.add.reduceat(x[:, None] * signs, starts, axis=-1)
            squares[start : start + step] += np.sum(sums * sums / sizes, axis=(0, 2))
    n_beyond = np.count_nonzero(squares >= squares[0] * (1.0 - 1e-9))
    return bool(n_beyond <= _LEVEL * len(squares))


def match_scores(joined: Any) -> tuple[Names, np.ndarray]:
    size = max(1, _MAX_DRAWN // len(joined.scores))
    first, *others = joined.ids.values()
    if all(ids == first for ids in others):
        x = np.stack([*joined.scores.values()])
        return first[:size], x[:, :size]
    places = [{name: k for k, name in enumerate(ids)} for ids in joined.ids.values()]
    names = [x for x in first if all(x in by for by in places)][:size]
    pairs = zip(joined.scores.values(), places, strict=True)
    return names, np.stack([x[[by[y] for y in names]] for x, by in pairs])


def groups_items(frame: Frame, roles: Roles, column: str) -> bool:
    cells = frame.columns[column]
    if "item" not in roles or find_blank(cells).any():
        return False
    are_numbers = isinstance(cells, np.ndarray) or all(
        map(looks_like_score, cells[:_MAX_LOOKED_AT])
    )
    if are_numbers and not names_clusters(column):
        return False
    names = [roles[role] for role in ("task", "item") if role in roles]
    items, texts = [encode_texts(frame.columns[x]) for x in names], encode_texts(cells)
    n_items, n_texts = group_rows(items)[1], len(texts.list_known())
    return 2 <= n_texts <= n_items // 2 and group_rows([*items, texts])[1] == n_items


def doubt_rated_rows(wide: WideTable, chosen: Roles, table: ScoreTable) -> Names:
    column = chosen.get("run", "")
    if not (table.averaged and names_raters(column)):
        return []
    parts = []
    for task, rows in split_tasks(wide, chosen).items():
        if task in table.averaged:
            of = {name: rows.cells[place] for place, name in rows.names.items()}
            cells = [of[name] for name in table.tasks[task]]
            kept = np.flatnonzero(~np.any([find_missing(x) for x in cells], axis=0))
            ratings = [float(x[k]) for x in cells for k in kept.tolist()]
            codes = (
                np.tile(encode_texts(of[x]).codes[kept], len(cells))
                for x in (chosen["item"], column)
            )
            models = np.repeat(np.arange(len(cells)), len(kept))
            parts.append(Ratings(np.asarray(ratings), models, *codes))
    items = f"--run {shlex.quote(chosen['item'])}"
    return doubt_parts(parts, table.source, column, items, "--run")
