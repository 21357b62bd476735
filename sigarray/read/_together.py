"""Items in clusters, and several columns that together name an item."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from sigarray._plain_text import squeeze
from sigarray.read._cells import encode_texts
from sigarray.read._codes import Coded, encode, find_first, group_rows, repeat
from sigarray.read._frame import Frame, Names, Roles, list_names, refuse_twice
from sigarray.read._identifiers import are_of_one_item
from sigarray.read._messages import Caution
from sigarray.read._records import Records
from sigarray.read._roles import find_roles, names_runs
from sigarray.read._settings import do_models_differ, may_be_setting
from sigarray.read._text import TableError
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
    """Return the table with one column for those that are named with a comma.

    An example is "repeat,fold" for --run: the new column replaces these, except for
    those that are also named for something else.
    """
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
    """Say that raters, samples or runs of an item make items of their own."""
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
    """Say which settings vary in the runs of one model, as --run says."""
    known = {role: x for role, x in chosen.items() if x in frame.columns}
    model = find_roles(frame, known).get("model")
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


def put_columns_together(
    tables: Sequence[Frame | None], chosen: Roles
) -> tuple[list[Frame | None], dict[str, str]]:
    """Return tables with one column for several that are named, and the new names."""
    tables, chosen = _name_within_clusters(tables, chosen)
    return [x and put_together(x, chosen) for x in tables], chosen


def _name_within_clusters(
    tables: Sequence[Frame | None], chosen: Roles
) -> tuple[list[Frame | None], dict[str, str]]:
    """Name items by their cluster, too, if --cluster is said and names begin anew.

    They do if one model has most of its scores under names that several clusters have,
    or if all models have the same items in clusters, each with one score, and without
    clusters some with several. Others are left to an error, for an item is in one
    cluster alone. Raters of items, who have rated all of them, are no clusters of
    these.
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
    """Return the column of items if its names begin anew in each cluster."""
    known = {role: x for role, x in chosen.items() if x in frame.columns}
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
        and _have_all(model, own)
    ):
        return item
    return None


def _are_once(columns: Sequence[Coded]) -> bool:
    """Tell whether no combination of cells is in two rows."""
    return group_rows(columns)[1] == len(columns[0])


def _have_all(model: Coded, own: Sequence[Coded]) -> bool:
    """Tell whether each model has the same items in clusters."""
    return group_rows([model, *own])[1] == len(model.list_known()) * group_rows(own)[1]


def doubt_clusters(frame: Frame, roles: Roles, others: Names) -> list[str]:
    """Doubt clusters that are counted anew in each group of another column.

    Their names are then 0, 1, ... or 1, 2, ... up to some number in each. Clusters of
    one name are one, which makes few of many.
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
    """Tell whether numbers are all from 0 or 1 to another one."""
    found = np.unique(numbers)
    return len(found) > 1 and found[0] in (0, 1) and found[-1] - found[0] < len(found)


def name_items(records: Records) -> Records:
    """Number the items of each cluster, by model, if nothing names them.

    Only the sums of clusters count, so it does not matter which item of one model
    stands beside which one of another.
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
    """Refuse sizes of clusters (M, C) if those that two models have differ."""
    model, *others = models.list_known()
    counts = by[models.values.index(model)]
    for other in others:
        other_counts = by[models.values.index(other)]
        are_wrong = (other_counts != counts) & (counts > 0)
        wrong = np.flatnonzero(are_wrong & (other_counts > 0)).tolist()
        if wrong:
            of_model = models.codes == models.values.index(model)
            k = min(wrong, key=clusters.codes[of_model].tolist().index)
            msg = (
                "Expected as many scores of a cluster for all models; got "
                f"{counts[k]} of {model!r} and {other_counts[k]} of {other!r} in "
                f"cluster {clusters.values[k]!r}. Name the column of items with --item."
            )
            raise TableError(msg)


def find_clusters(records: Records, items: np.ndarray) -> tuple[str, ...]:
    """Return the cluster of each of the items, by their codes; none if none has any."""
    if not records.has("cluster"):
        return ()
    codes, clusters = records.factors["item"].codes, records.factors["cluster"]
    rows = find_first(codes, len(records.factors["item"].values) + 1)[items]
    return tuple(clusters[rows])
