"""The clusters of items, of a table with a column for each model."""

from collections.abc import Mapping

from sigarray.read._bytes import TableError
from sigarray.read._cells import encode_texts
from sigarray.read._codes import repeat
from sigarray.read._frame import Frame
from sigarray.read._score_table import ScoreTable

_ROLES = ("item", "cluster")


def put_into_clusters(
    table: ScoreTable, frame: Frame, chosen: Mapping[str, str]
) -> ScoreTable:
    """Add the cluster of each item, which a column of its own names."""
    column = chosen["cluster"]
    rows = len(frame.lines)
    tasks = repeat("", rows)
    if "task" in chosen:
        tasks = encode_texts(frame.columns[chosen["task"]])
    items, clusters = (encode_texts(frame.columns[chosen[x]]) for x in _ROLES)
    known: dict[tuple[str, str], str] = {}
    for k, (task, item, cluster) in enumerate(zip(tasks, items, clusters, strict=True)):
        place = frame.place(column, k)
        if cluster is None:
            msg = f"{place}: expected the cluster of an item; got a blank cell."
            raise TableError(msg)
        if known.setdefault((task, item), cluster) != cluster:
            msg = (
                f"{place}: expected item {item!r} to have one cluster; got {cluster!r} "
                f"and {known[task, item]!r}."
            )
            raise TableError(msg)
    labels = {
        task: tuple(known[task, x] for x in next(iter(by.values())))
        for task, by in table.ids.items()
    }
    return table._replace(clusters=labels, pairs={}, unmatched={})
