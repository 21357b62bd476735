"""Scores of models, from the files that people have.

Tables with a column for each model or a row for each score, in CSV, JSON, Parquet or
Arrow; data frames; and files of evaluation harnesses and experiment trackers.
"""

import os
from collections.abc import Iterable, Mapping
from typing import Any

from sigarray.read._alignment import UNITS, Unit
from sigarray.read._bytes import TableError
from sigarray.read._mappings import read_mapping
from sigarray.read._score_table import Choice, ScoreTable
from sigarray.read._scores import read_sources

__all__ = ["ScoreTable", "TableError", "scores"]


def scores(
    *sources: Any,
    metric: str | None = None,
    model: str | None = None,
    item: str | None = None,
    run: str | None = None,
    task: str | None = None,
    cluster: str | None = None,
    score: str | None = None,
    models: Iterable[str] | None = None,
    tasks: Iterable[str] | None = None,
    where: Mapping[str, Iterable[str]] | None = None,
    path: str | None = None,
    unit: Unit | None = None,
    paired: bool = False,
    drop_unmatched: bool = False,
) -> ScoreTable:
    """Read the scores of models.

    Scores of items are joined by item, never by their order.

    Parameters
    ----------
    *sources : path, data frame or mapping
        Files or folders, or one data frame of pandas, polars or pyarrow, or one mapping
        of models to arrays, or of tasks to such mappings. "name=path"
        names the model of a file; else it is what a column of models says, or the name
        of the file or of the folder that it is in.
    metric : str, optional
        The scores to take, where there are several: the name of a column, or one in a
        column of metrics.
    model, item, run, task, cluster, score : str, optional
        Columns that say of which model a score is, of which item, run (or seed), task
        (or dataset) and cluster of items, and the score itself; by default found by
        their usual names. A table without a column of models has one for each. Several
        that only together say so have commas between: "repeat,fold".
    models, tasks : iterable of str, optional
        Take only these.
    where : mapping of str to iterable of str, optional
        Column -> the values of it that are wanted; take only rows that have one of them
        in each of these columns, such as {"split": ["test"]}.
    path : str, optional
        What the parts of the paths of files are, from the folder that is given on, such
        as "{task}/{model}/seed{run}.json"; "*" is any text of a part.
    unit : {"run", "item", "cluster"}, optional
        What a score stands for. A cluster has the sum of its items' scores, in
        units of a cluster of mean size, so that its mean over clusters is that of
        items. Scores of an item's runs are averaged, or else those of a run's items.
        Needed for items in several runs
        alone.
    paired : bool, default: False
        Join scores of runs too, by the names of runs. Those of items always are.
    drop_unmatched : bool, default: False
        Leave out what some models have no score of, which is an error else.

    Returns
    -------
    ScoreTable
        `tasks`, a mapping of tasks to models to arrays of float64; `scores`, those of
        the only task; `ids`, `unit`, `is_paired`, and `notes` of what was decided.

    Raises
    ------
    TypeError
        No path, no data frame and no mapping of arrays.
    TableError
        A file, a column or a cell is not what was expected; it says which, and what to
        do. It is a ValueError.

    Examples
    --------
    >>> import pandas as pd
    >>> from sigarray import aso, read
    >>> frame = pd.DataFrame(
    ...     {
    ...         "model": ["lstm"] * 5 + ["cnn"] * 5,
    ...         "seed": [1, 2, 3, 4, 5] * 2,
    ...         "accuracy": [0.9, 0.91, 0.9, 0.92, 0.91, 0.88, 0.87, 0.89, 0.88, 0.88],
    ...     }
    ... )
    >>> table = read.scores(frame)
    >>> table.unit, table.metric
    ('run', 'accuracy')
    >>> bool(aso(table.scores["lstm"], table.scores["cnn"]).eps_min < 0.2)
    True
    """
    if not sources:
        msg = "Expected one path, folder or data frame, or more; got none."
        raise TypeError(msg)
    if unit is not None and unit not in UNITS:
        msg = f"Expected unit to be one of {', '.join(UNITS)}; got {unit!r}."
        raise ValueError(msg)
    named = {
        "model": model,
        "item": item,
        "run": run,
        "task": task,
        "cluster": cluster,
        "score": score,
    }
    choice = Choice(
        metric=metric,
        columns={role: name for role, name in named.items() if name is not None},
        models=_as_list("models", models),
        tasks=_as_list("tasks", tasks),
        where={
            column: _as_list(f"where of {column!r}", values) or []
            for column, values in (where or {}).items()
        },
        path=path,
        unit=unit,
        is_paired=paired,
        drop_unmatched=drop_unmatched,
        min_models=1,
    )
    if len(sources) == 1 and isinstance(sources[0], Mapping):
        of_tables = {"where": where, "path": path, "metric": metric, **named}
        given = next((x for x, y in of_tables.items() if y is not None), None)
        if given is not None:
            msg = f"Expected a mapping of arrays without {given}=, which is of tables."
            raise TypeError(msg)
        return read_mapping(sources[0], choice)
    return read_sources(
        [os.fspath(x) if isinstance(x, os.PathLike) else x for x in sources], choice
    )


def _as_list(name: str, values: Iterable[str] | None) -> list[str] | None:
    if values is None:
        return None
    if isinstance(values, str):
        msg = f"Expected {name} to be several names; got {values!r}. Pass [{values!r}]."
        raise TypeError(msg)
    return list(values)
