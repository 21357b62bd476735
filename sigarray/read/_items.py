"""Items: known by their values, in clusters, and named by several columns together."""

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from sigarray._plain_text import squeeze
from sigarray.read._cells import encode_texts, find_blank, looks_like_score
from sigarray.read._codes import (
    Coded,
    distinct,
    encode,
    find_first,
    group_rows,
    join_columns,
    repeat,
)
from sigarray.read._frame import Frame, Names, Roles, list_names, refuse_twice
from sigarray.read._messages import Caution
from sigarray.read._raters import are_of_one_item
from sigarray.read._records import Records
from sigarray.read._roles import find_roles, find_score, names_runs
from sigarray.read._settings import do_models_differ, may_be_setting
from sigarray.read._text import TableError, refuse
from sigarray.read._words import (
    HYPERPARAMETERS,
    MAYBE_HYPERPARAMETERS,
    RATERS,
    list_words,
)

_SETTINGS = HYPERPARAMETERS | MAYBE_HYPERPARAMETERS
# Of fewer groups, that all have the same numbers says little.
_LEAST_GROUPS = 3


def put_together(frame: Frame, chosen: Roles) -> Frame:
    """Return the table with one column for those that are named with a comma."""
    for name in dict.fromkeys(chosen.values()):
        parts = [part.strip() for part in name.split(",")]
        if name in frame.columns or len(parts) < 2:
            continue
        if not all(part in frame.columns for part in parts):
            continue
        refuse_twice(frame.source, frame.twice)
        whole = frame
        texts = [encode_texts(frame.columns[part]) for part in parts]
        groups, n_groups = group_rows(texts)
        rows = zip(*(x[find_first(groups, n_groups)] for x in texts), strict=True)
        names = [None if None in row else ", ".join(row) for row in rows]
        joined = Coded(groups, names)
        others = {
            column: x
            for column, x in frame.columns.items()
            if column not in parts or column in chosen.values()
        }
        frame = replace(
            frame, columns={name: joined, **others}, together=(*frame.together, name)
        )
        if name == chosen.get("item") and "cluster" not in chosen:
            frame = replace(frame, doubts=(*frame.doubts, *_doubt_items(parts)))
        if name == chosen.get("run"):
            said = _say_settings(whole, chosen, dict(zip(parts, texts, strict=True)))
            frame = replace(frame, notes=(*frame.notes, *said))
    return frame


def _doubt_items(parts: Names) -> list[str]:
    runs = [x for x in parts if list_words(x) & RATERS or names_runs(x)]
    samples = [x for x in parts if are_of_one_item(x) and x not in runs]
    items = ",".join(x for x in parts if x not in (*runs, *samples))
    if not items or not (runs or samples):
        return []
    ways = [f"--run {','.join(runs)}"] if runs else []
    ways += [f"--ignore {','.join(samples)}"] if samples else []
    return [
        f"scores of one item by {list_names([*runs, *samples])} are taken for items of "
        "their own, though they are not independent. Average them with "
        f"--item {items} {' '.join(ways)} --unit item"
    ]


def _say_settings(frame: Frame, chosen: Roles, parts: Mapping[str, Coded]) -> list[str]:
    model = find_roles(frame, frame.keep_known(chosen)).get("model")
    models = (
        repeat("", len(frame.lines))
        if model is None
        else encode_texts(frame.columns[model])
    )
    settings = [
        x
        for x, texts in parts.items()
        if squeeze(x) in _SETTINGS
        or (
            may_be_setting(x)
            and not names_runs(x)
            and do_models_differ(x, models, texts)
        )
    ]
    if not settings:
        return []
    return [
        f"runs of all values of {list_names(settings)} were taken together: a verdict "
        "is on runs in which these vary as they do here"
    ]


def name_within_clusters(
    tables: Sequence[Frame | None], chosen: Roles
) -> tuple[list[Frame | None], dict[str, str]]:
    """Name items by their cluster, too, if --cluster is said and names begin anew.

    They do if one model has most of its scores under names of several clusters; or if
    all models have the same items in clusters, each with one score, and some have
    several without clusters. Others are left to an error.
    """
    cluster = chosen.get("cluster")
    frames = [x for x in tables if x is not None]
    if cluster is None or are_of_one_item(cluster):
        return list(tables), dict(chosen)
    items = {_find_repeated(frame, chosen, cluster) for frame in frames} - {None}
    if len(items) != 1:
        return list(tables), dict(chosen)
    item = str(items.pop())
    both = f"{cluster},{item}"
    note = (
        f"names of {item!r} are in several values of {cluster!r}: each is taken for an "
        f"item of its own in each, as --item {both} says"
    )
    named = [x and replace(x, notes=(*x.notes, note)) for x in tables]
    return named, {**chosen, "item": both}


def _find_repeated(frame: Frame, chosen: Roles, cluster: str) -> str | None:
    known = frame.keep_known(chosen)
    if cluster not in frame.columns or known.get("item") != chosen.get("item"):
        return None
    roles = find_roles(frame, known)
    item = roles.get("item")
    if item is None or item not in frame.columns or item == cluster:
        return None
    model, task, run, names = (
        encode_texts(frame.columns[roles[x]])
        if roles.get(x) in frame.columns
        else repeat("", len(frame.lines))
        for x in ("model", "task", "run", "item")
    )
    clusters = encode_texts(frame.columns[cluster])
    groups, n_groups = group_rows([model, task, names])
    pairs, n_pairs = group_rows([Coded(groups, range(n_groups)), clusters])
    counts = np.bincount(groups[find_first(pairs, n_pairs)])
    is_repeated = counts[groups] > 1
    if not len(groups) or not is_repeated.any():
        return None
    are_most = 2 * is_repeated.sum() >= len(groups)
    own = [task, clusters, names]
    if are_most or (
        _are_once([model, run, *own])
        and not _are_once([model, run, task, names])
        and group_rows([model, *own])[1] == len(model.list_known()) * group_rows(own)[1]
    ):
        return item
    return None


def _are_once(columns: Sequence[Coded]) -> bool:
    return group_rows(columns)[1] == len(columns[0])


def doubt_clusters(frame: Frame, roles: Roles, others: Names) -> list[str]:
    """Doubt clusters that are counted anew, from 0 or 1, in each group of a column.

    Clusters of one name are one, which makes few of many.
    """
    cluster = roles.get("cluster")
    if cluster is None or cluster not in frame.columns:
        return []
    of = encode_texts(frame.columns[cluster])
    names = of.list_known()
    if len(names) < 2 or not all(str(x).isdecimal() for x in of.values):
        return []
    numbers = np.asarray([int(x) for x in of.values])[of.codes]
    for column in others:
        groups = encode_texts(frame.columns[column])
        n_groups = len(groups.list_known())
        if n_groups < _LEAST_GROUPS or (groups.codes < 0).any():
            continue
        if any(not _count_on(numbers[groups.codes == k]) for k in range(n_groups)):
            continue
        return [
            Caution(
                f"the clusters of {cluster!r} are counted anew in each of {n_groups} "
                f"values of {column!r}, and those of one number are one cluster, of "
                f"{len(names)} in all. If they are not the same, pass --cluster "
                f"{column},{cluster}"
            )
        ]
    return []


def _count_on(numbers: np.ndarray) -> bool:
    found = np.unique(numbers)
    return len(found) > 1 and found[0] in (0, 1) and found[-1] - found[0] < len(found)


def name_items(records: Records) -> Records:
    """Number the items of each cluster, by model, if nothing names them.

    Only the sums of clusters count, so that any item of one model may stand beside any
    of another.
    """
    if records.has("item") or not records.has("cluster"):
        return records
    models, clusters = records.factors["model"], records.factors["cluster"]
    groups, n_groups = group_rows([models, clusters])
    first = find_first(groups, n_groups)
    # The last column is of scores without a cluster.
    by = np.zeros((len(models.values), len(clusters.values) + 1), int)
    by[models.codes[first], clusters.codes[first]] = np.bincount(groups)
    refuse_sizes(models, clusters, by[:, :-1])
    counters = [itertools.count(1) for _ in range(n_groups)]
    names = [
        f"{cluster}, {next(counters[group])}"
        for cluster, group in zip(clusters, groups.tolist(), strict=True)
    ]
    return replace(records, factors={**records.factors, "item": encode(names)})


def refuse_sizes(models: Coded, clusters: Coded, by: np.ndarray) -> None:
    """Refuse sizes of clusters (M, C) that models do not share."""
    model, *others = models.list_known()
    counts = by[models.values.index(model)]
    for other in others:
        other_counts = by[models.values.index(other)]
        are_wrong = (other_counts != counts) & (counts > 0)
        wrong = np.flatnonzero(are_wrong & (other_counts > 0)).tolist()
        if wrong:
            of_model = models.codes == models.values.index(model)
            k = min(wrong, key=clusters.codes[of_model].tolist().index)
            refuse(
                "Expected as many scores of a cluster for all models; got "
                f"{counts[k]} of {model!r} and {other_counts[k]} of {other!r} in "
                f"cluster {clusters.values[k]!r}. Name the column of items with --item."
            )


def find_clusters(records: Records, items: np.ndarray) -> tuple[str, ...]:
    if not records.has("cluster"):
        return ()
    codes, clusters = records.factors["item"].codes, records.factors["cluster"]
    rows = find_first(codes, len(records.factors["item"].values) + 1)[items]
    return tuple(clusters[rows])


_ASKED = frozenset(("instruction", "input", "question", "prompt", "query", "problem"))
# With more numbers a column is hardly one of runs.
_MAX_RUNS = 50
_RUN = re.compile(
    r"(.*\W|.*_)?(seed|run|trial|rep|repeat|fold|split|s|r)\W?_?\d+", re.I
)


class _Ids(NamedTuple):
    """A column in which every model has each value equally often."""

    column: str
    n_values: int
    n_each: int
    is_text: bool


def find_items(
    frames: Sequence[Frame], chosen: Roles, metric: str | None
) -> tuple[list[Frame], list[str]]:
    """Return tables with the column of items, if only its values show it, and notes.

    Texts, or more than 50 values, that every model has equally often are items.
    """
    plain = all(x.metrics is None and not x.roles and x.columns for x in frames)
    if not plain:
        return list(frames), []
    roles = find_roles(frames[0], chosen)
    if {"item", "run", "cluster", "step"} & {*roles, *frames[0].constants}:
        return list(frames), []
    counted = [
        ids
        for name in frames[0].columns
        if name not in roles.values()
        for ids in [_count_values(frames, roles, name)]
        if ids is not None
    ]
    names = {ids.column for ids in counted}
    others = {x: y for x, y in frames[0].columns.items() if x not in names}
    try:
        score = find_score(frames[0], roles, metric)
    except TableError:  # several may be the score, but some of them may be ids
        score = find_score(replace(frames[0], columns=others), roles, metric)
    asked = {x for x in names if list_words(x) & _ASKED}
    keys = {x: (x.n_each > 1, not x.is_text, x.column not in asked) for x in counted}
    for ids in sorted((x for x in counted if x.column != score), key=keys.__getitem__):
        name, often = ids.column, "once" if ids.n_each == 1 else f"{ids.n_each} times"
        is_many = ids.n_values > _MAX_RUNS
        quoted = name or "''"
        if is_many or (ids.is_text and ids.n_each == 1):
            note = (
                f"{name!r} was taken for the items of a test set: every model has each "
                f"of its {ids.n_values} values {often}. If it is something else, pass "
                f"--run {quoted}, --task {quoted} or --ignore {quoted}"
            )
            return [replace(x, roles={"item": name}) for x in frames], [note]
        if ids.n_each == 1:
            refuse(
                f"{frames[0].source}: column {name!r} may be of items or of runs: each "
                f"model has each of its {ids.n_values} values once. Pass --item "
                f"{quoted} where these are items of a test set, by which models are "
                "paired, "
                f"--run {quoted} where they are runs, or --ignore {quoted}."
            )
    return list(frames), []


def _count_values(frames: Sequence[Frame], roles: Roles, column: str) -> _Ids | None:
    names = [roles[x] for x in ("model", "task", "metric") if x in roles]
    if any(x not in frame.columns for frame in frames for x in (column, *names)):
        return None
    cells = [frame.columns[column] for frame in frames]
    if any(find_blank(x).any() for x in cells):
        return None
    texts = join_columns([encode_texts(x) for x in cells])
    # Each file that does not name its model is of one model.
    files = join_columns(
        [repeat(0 if "model" in roles else k, len(x)) for k, x in enumerate(cells)]
    )
    others = {
        x: join_columns([encode_texts(frame.columns[x]) for frame in frames])
        for x in names
    }
    models = [files, *(others[roles[x]] for x in ("model",) if x in roles)]
    groups, n_groups = group_rows([files, *others.values()])
    each, n_each = group_rows([Coded(groups, range(n_groups)), texts])
    if "task" in roles:
        tasks = others[roles["task"]]
        if group_rows([tasks, texts])[1] == len(texts.list_known()):
            n_groups //= len(tasks.list_known())  # each item is of one task
    counts = np.bincount(each)
    every = texts.list_known()
    is_even = bool(len(counts)) and counts.min() == counts.max()
    if not is_even or len(every) < 2 or group_rows(models)[1] < 2:
        return None
    firsts = find_first(each, n_each)
    n_common = np.count_nonzero(np.bincount(texts.codes[firsts]) == n_groups)
    if 2 * n_common < len(every):
        return None
    is_text = not all(all(map(looks_like_score, distinct(x))) for x in cells)
    # Rows that a column without a name names are asked about; others may be settings.
    if column and not is_text and not all(re.fullmatch(r"[+-]?\d+", x) for x in every):
        return None
    is_of_runs = all(_RUN.fullmatch(x) for x in every)
    return _Ids(column, len(every), int(counts[0]), is_text and not is_of_runs)
