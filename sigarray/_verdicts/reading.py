"""The scores of a call in Python, and the clusters of their items, as a table."""

from collections.abc import Mapping, Sequence
from typing import Any

from sigarray import read
from sigarray._backend.codes import name_label
from sigarray._verdicts.asked import Request
from sigarray._verdicts.sampled import take_clusters
from sigarray.read._alignment import Unit
from sigarray.read._frame import list_names
from sigarray.read._messages import DoubtOfGroups
from sigarray.read._missing import Missing
from sigarray.read._score_table import Direction, ScoreTable


def read_table(
    scores: Any,
    clusters: Any,
    unit: Unit | None,
    missing: Missing | None,
    higher_is_better: Direction,
    request: Request,
) -> ScoreTable:
    """Read scores, unless they have been read; and put items into clusters."""
    column = clusters if isinstance(clusters, str) else None
    has_labels = clusters is not None and column is None
    if not isinstance(scores, ScoreTable):
        table = read.scores(
            scores,
            unit="item" if has_labels and unit != "run,item" else unit,
            cluster=column,
            paired=request.is_paired,
            missing=missing,
            higher_is_better=higher_is_better,
        )
        if not has_labels:
            return table
        if unit is None and table.averaged:
            msg = (
                "Expected unit with labels for clusters of items in several runs: "
                "'run,item' if runs were drawn, too, 'item' for a verdict on these "
                "trained models; got none."
            )
            raise ValueError(msg)
        table = _put_into_clusters(table, clusters)
        return take_clusters(table) if unit == "cluster" else table
    for option, asked, known in (
        ("unit", unit, scores.unit),
        ("missing", missing, scores.missing),
    ):
        if asked not in (None, known):
            msg = f"Expected scores that were read with --{option} {asked}; got others."
            raise ValueError(msg)
    if request.is_paired and not scores.is_paired:
        are_same = all(len({*by.values()}) == 1 for by in scores.ids.values())
        if not are_same or scores.run_column is None or scores.missing:
            msg = (
                "Expected scores of the same runs, by name, that were read with "
                "--paired; got others. Pass read.scores(..., paired=True)."
            )
            raise ValueError(msg)
        scores = scores._replace(is_paired=True)
    if column is not None:
        msg = (
            f"Expected labels for clusters, as scores have been read; got {column!r}. "
            f"Pass read.scores(..., cluster={column!r})."
        )
        raise ValueError(msg)
    return _put_into_clusters(scores, clusters) if has_labels else scores


def _put_into_clusters(table: ScoreTable, clusters: Any) -> ScoreTable:
    if "item" not in table.unit or not table.is_paired:
        msg = (
            f"Expected scores of items with clusters; got scores of {table.unit}s. "
            "Leave out clusters."
        )
        raise ValueError(msg)
    by_task = clusters
    if not isinstance(clusters, Mapping):
        if len(table.tasks) > 1:
            msg = (
                f"Expected clusters to be labels by task, for there are "
                f"{len(table.tasks)} tasks; got {type(clusters).__name__}."
            )
            raise ValueError(msg)
        by_task = dict.fromkeys(table.tasks, clusters)
    by_task = {str(task): labels for task, labels in by_task.items()}
    without = [task for task in table.tasks if task not in by_task]
    if without:
        msg = f"Expected clusters of every task; got none of {without[0]!r}."
        raise ValueError(msg)
    labelled = {
        task: _name_clusters(
            by_task[task],
            next(iter(table.ids[task].values())),
            is_whole=task not in table.n_dropped,
        )
        for task in table.tasks
    }
    # The scores of a pair on its own items are of clusters of other sizes.
    others = tuple(x for x in table.doubts if not isinstance(x, DoubtOfGroups))
    return table._replace(clusters=labelled, pairs={}, unmatched={}, doubts=others)


def _say_names(items: Sequence[str], by_index: Sequence[str] | None) -> str:
    if by_index is None or len(by_index) != len(items):
        return "Items with names need labels with them, as a Series of pandas."
    lost = next(x for x in items if x not in {*by_index})
    return (
        f"Their index differs from that of the items: it has no {lost!r}, but "
        f"{list_names(by_index, 3)}."
    )


def _name_clusters(
    labels: Any, items: Sequence[str], *, is_whole: bool
) -> tuple[str, ...]:
    """Return the cluster of each item, by name if labels have names, or else by place.

    Items without names are numbered from 1 on; some may have been left out.
    """
    if not hasattr(labels, "__len__"):
        msg = (
            f"Expected clusters to be a label for each of {len(items)} items; got "
            f"{type(labels).__name__}."
        )
        raise TypeError(msg)
    names, by_index = [str(k + 1) for k in range(len(labels))], None
    if hasattr(labels, "index") and hasattr(labels, "reindex"):
        by_index = list(map(str, labels.index))
        names = by_index if {*items} <= {*by_index} else names
    values = labels.tolist() if hasattr(labels, "tolist") else list(labels)
    if (is_whole and len(values) != len(items)) or not {*items} <= {*names}:
        msg = (
            f"Expected a cluster for each of {len(items)} items, by its name; got "
            f"{len(values)} labels"
        )
        msg += " without names" if by_index is None else ""
        msg += f". {_say_names(items, by_index)}"
        raise ValueError(msg)
    unknown = [x for x in values if x is None or x != x]  # noqa: PLR0124
    if unknown:
        msg = f"Expected a cluster for each item; got {unknown[0]!r}."
        raise ValueError(msg)
    texts = [str(name_label(x)) for x in values]
    named = dict(zip(names, texts, strict=True))
    return tuple(named[x] for x in items)
