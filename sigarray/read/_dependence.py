"""Doubt that items, or runs, are independent, where differences depend on a group."""

import shlex
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sigarray.read._cells import encode_texts, find_blank, looks_like_score
from sigarray.read._codes import find_first, group_rows
from sigarray.read._frame import Frame, Names, Roles, list_names
from sigarray.read._messages import DoubtOfGroups
from sigarray.read._records import Records
from sigarray.read._words import names_clusters

# The most cells by which a column of numbers is recognized.
_MAX_LOOKED_AT = 50
# Independent items lead to a doubt in as many cases, or fewer.
_LEVEL = 0.01
_N_DRAWN = 199
# The most scores that get signs: 50 ms.
_MAX_DRAWN = 30_000


def say_groups(
    records: Records, tasks: Sequence[Any], source: str
) -> tuple[Names, Names]:
    """Return a note, or a doubt, of columns that may group items without clusters.

    It is a doubt if differences between models depend on the group. `tasks` are
    `JoinedTask`.
    """
    if records.has("cluster") or not records.has("item"):
        return [], []
    groups = {
        name: None
        for k in np.unique(records.files)
        for frame, roles in [(records.frames[k], records.roles[k])]
        if frame.metrics is None
        for name in frame.columns
        if name not in {*roles.values(), records.metrics[k]}
        and _groups_items(frame, roles, name)
    }
    alike = [x for x in groups if _are_alike(tasks, x)]
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


def doubt_crossed_runs(tasks: Sequence[Any], columns: str, source: str) -> list[str]:
    """Doubt runs that several columns name, if those of one value are alike.

    As of subjects, each in several seeds: differences between models depend on them.
    """
    parts = columns.split(",")
    for k, name in enumerate(parts):

        def find_label(run: str, k: int = k) -> str:
            return run.split(", ")[k]

        if all(
            run.count(", ") == len(parts) - 1
            for joined in tasks
            for ids in joined.ids.values()
            for run in ids
        ) and _vary_more(tasks, lambda _: find_label):
            rest = shlex.quote(",".join(x for x in parts if x != name))
            return [
                f"{source}: the differences between models depend on {name!r}, more "
                "than by chance, so that runs that share it are not independent, and "
                "verdicts claim too much. If its values were sampled, as subjects or "
                f"benchmarks are, pass --run {rest} --item {shlex.quote(name)}"
            ]
    return []


def _are_alike(tasks: Sequence[Any], column: str) -> bool:
    """Tell whether items are alike that have one value in a column."""

    def find_label_of(joined: Any) -> Callable[[str], int]:
        having, texts = joined.records.take_texts(column)
        items = having.factors["item"]
        first = find_first(items.codes, len(items.values) + 1)
        codes = dict(zip(items.values, texts.codes[first].tolist(), strict=False))
        return lambda name: codes.get(name, -1)

    return _vary_more(tasks, find_label_of)


def _vary_more(
    tasks: Sequence[Any], find_label_of: Callable[[Any], Callable[[str], Any]]
) -> bool:
    """Tell whether the sums of differences by label vary more than by chance.

    Their squares are compared with those under random signs of items, or of runs, which
    leave the spread of each.
    """
    squares, generator = np.zeros(_N_DRAWN + 1), np.random.default_rng(0)
    for joined in tasks:
        if len(joined.scores) < 2:
            continue  # groups of a single model differ in how hard they are
        names, x = _match(joined)
        if not len(names):
            continue
        find_label = find_label_of(joined)
        x = x - np.mean(x, axis=0)
        x = x - np.mean(x, axis=1, keepdims=True)
        labels = np.unique([find_label(x) for x in names], return_inverse=True)[1]
        order = np.argsort(labels)
        starts = np.flatnonzero(np.diff(labels[order], prepend=-2))
        sizes = np.diff([*starts, len(labels)])
        x = x[:, order] / (np.std(x) or 1.0)
        signs: Any = 1.0
        for k in range(len(squares)):
            sums = np.add.reduceat(x * signs, starts, axis=1)
            squares[k] += np.sum(sums * sums / sizes)
            signs = 1.0 - 2.0 * generator.integers(0, 2, len(order))
    n_beyond = np.count_nonzero(squares >= squares[0] * (1.0 - 1e-9))
    return bool(n_beyond <= _LEVEL * len(squares))


def _match(joined: Any) -> tuple[Names, np.ndarray]:
    """Return the first items, or runs, that all models have, and their scores."""
    size = max(1, _MAX_DRAWN // len(joined.scores))
    first, *others = joined.ids.values()
    if all(ids == first for ids in others):
        x = np.stack([*joined.scores.values()])
        return first[:size], x[:, :size]
    places = [{name: k for k, name in enumerate(ids)} for ids in joined.ids.values()]
    names = [x for x in first if all(x in by for by in places)][:size]
    pairs = zip(joined.scores.values(), places, strict=True)
    return names, np.stack([x[[by[y] for y in names]] for x, by in pairs])


def _groups_items(frame: Frame, roles: Roles, column: str) -> bool:
    """Tell whether a column has one value for each item, and groups items.

    Numbers do only if it has a name of clusters. Items may be named anew in each task.
    """
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
