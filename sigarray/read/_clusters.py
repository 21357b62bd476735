"""Items that were sampled in clusters: which, and their names where they have none."""

import itertools
from dataclasses import replace

import numpy as np

from sigarray.read._codes import Coded, encode, find_first, group_rows
from sigarray.read._records import Records
from sigarray.read._text import TableError


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
