"""Scores of models, from the files that people have.

Tables with a column for each model or a row for each score, in CSV, JSON, Parquet or
Arrow; data frames; and files of evaluation harnesses and experiment trackers.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sigarray._backend.checks import choice, flag, optional, show, text
from sigarray._numeric.sums import SumStatistic
from sigarray.read._alignment import UNITS, Unit
from sigarray.read._mappings import read_mapping
from sigarray.read._messages import errors_in_python, list_names_of
from sigarray.read._missing import TREATMENTS, Missing
from sigarray.read._score_table import Choice, ScoreTable, check_direction
from sigarray.read._scores import read_sources
from sigarray.read._sums import read_sums
from sigarray.read._text import TableError

__all__ = ["ScoreTable", "TableError", "scores"]
_ROLES = ("model", "item", "run", "task", "cluster", "score", "fold")


def scores(
    *sources: Any,
    metric: str | Sequence[str] | None = None,
    model: str | Sequence[str] | None = None,
    item: str | Sequence[str] | None = None,
    run: str | Sequence[str] | None = None,
    task: str | Sequence[str] | None = None,
    cluster: str | Sequence[str] | None = None,
    score: str | Sequence[str] | None = None,
    fold: str | None = None,
    models: Iterable[str] | None = None,
    tasks: Iterable[str] | None = None,
    where: Mapping[str, Iterable[str]] | None = None,
    path: str | None = None,
    columns: str | None = None,
    table: str | None = None,
    statistic: str | SumStatistic | None = None,
    unit: Unit | None = None,
    paired: bool = False,
    drop_unmatched: bool = False,
    missing: Missing | None = None,
    higher_is_better: bool | Mapping[str, bool] | None = None,
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
    metric : str or sequence of str, optional
        The scores to take, if there are several: the name of a column, or one in a
        column of metrics, or in names of runs such as "acc_seed0". Of several, each
        task has the first that it has; if all have the first, it is an error.
    model, item, run, task, cluster, score : str or sequence of str, optional
        The columns of the model, the item, the run (or seed), the task (or dataset) and
        the cluster of items of a score, and of the score itself; by default those with
        the usual names. A table without a column of models has one for each model.
        Several that only together name a run, say, are a list, or "repeat,fold".
    fold : str, optional
        The column of folds of one data set, as of cross-validation; `run` names the
        repetition, if there are several. Scores of a fold are pairs, and
        `compare_models` corrects t for training sets that overlap.
    models, tasks : iterable of str, optional
        Take only these.
    where : mapping of str to iterable of str, optional
        Column -> values; take only rows that have one of its values in each of these
        columns, such as {"split": ["test"]}.
    path : str, optional
        A template of the paths of files within the given folder, such as
        "{task}/{model}/seed{run}.json"; "*" is any text of a part.
    columns : str, optional
        A template of the names of columns with scores, such as "{model}_{run}" or
        "rater{rater}_{model}": what the braces name are then columns of a table with a
        row for each score.
    table : str, optional
        Which table of a file that has several: a sheet of Excel, or the key of a list
        of records in JSON, such as "log_history" or "results.results".
    statistic : str or SumStatistic, optional
        A metric of a whole test set, such as "f1" or another function of `corpus`, or
        `of_sums` of a function. `score` then has the columns of the numbers of each
        item whose sums it takes, in its order: "tp,fp,fn".
    unit : {"run", "item", "cluster", "run,item"}, optional
        What a score stands for. Items in several runs of each model are "run,item" by
        default, of which `runs` has both. A column of clusters of items is kept with
        these, in `clusters`; with "cluster" the score of one is the sum of its items
        over the mean size of clusters, so that the mean of clusters is that of items.
        With "item" the runs of an item are averaged, and with "run" the items of a run.
        If runs are raters, such as those of
        a column named "rater", a rating counts if all models have one of that item by
        the same rater.
    paired : bool, default: False
        Join scores of runs too, by the names of runs. Those of items always are.
    drop_unmatched : bool, default: False
        Leave out items or runs without a score of some model; otherwise, these are an
        error.
    missing : {"drop", "worst", "keep"}, optional
        What to do with missing scores: NaN, infinities, words such as "n/a", blank
        cells, and those of runs that a tracker marks as crashed, or that end before
        half of the steps of others. "drop" leaves out runs without a score, items
        without any of some model for all models, and one rating of an item beside
        others. "worst" counts a run without a score, one that has crashed, as the worst
        score of any run on the task, what crashed ones have logged included. "keep"
        takes what such runs logged last for their scores. By default blank cells are
        left out, and others are an error.
    higher_is_better : bool or mapping of str to bool, optional
        False if lower scores are better, as for losses.

    Returns
    -------
    ScoreTable
        `tasks`, a mapping of tasks to models to arrays of float64; `scores`, those of
        the only task; `ids`, `unit`, `is_paired`, and `notes` of what was decided.

    Raises
    ------
    TypeError
        Anything but a path, a data frame or a mapping of arrays.
    TableError
        A file, a column or a cell is not what was expected; the message says which, and
        what to do. It is a ValueError.

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
    if where is not None and not isinstance(where, Mapping):
        msg = (
            "Expected where to be a mapping of columns to values, such as "
            f"{{'split': ['test']}}; got {show(where)}."
        )
        raise TypeError(msg)
    given = (model, item, run, task, cluster, score, fold)
    named: dict[str, Any] = {
        role: ",".join(map(str, x)) if isinstance(x, (list, tuple)) else x
        for role, x in zip(_ROLES, given, strict=True)
    }
    texts = {**named, "path": path, "columns": columns, "table": table}
    for name, value in texts.items():
        optional(text)(name, value)
    optional(choice(*UNITS))("unit", unit)
    optional(choice(*TREATMENTS))("missing", missing)
    metrics = [metric] if isinstance(metric, str) else _as_list("metric", metric) or []
    for value in metrics:
        text("metric", value)
    fold = named.pop("fold")
    chosen = Choice(
        metrics=metrics,
        columns={role: name for role, name in named.items() if name is not None},
        models=_as_list("models", models),
        tasks=_as_list("tasks", tasks),
        where={
            column: [*map(str, _as_list(f"where of {column!r}", values) or [])]
            for column, values in (where or {}).items()
        },
        fold=fold,
        path=path,
        pattern=columns,
        table=table,
        unit=unit,
        is_paired=flag("paired", paired),
        drop_unmatched=flag("drop_unmatched", drop_unmatched),
        missing=missing,
        higher_is_better=check_direction(higher_is_better),
        min_models=1,
    )
    if len(sources) == 1 and isinstance(sources[0], Mapping):
        of_tables = {"where": where, "metric": metric, "statistic": statistic, **texts}
        wrong = next((x for x, y in of_tables.items() if y is not None), None)
        if wrong is not None:
            msg = f"Expected a mapping of arrays without {wrong}=, which is of tables."
            raise TypeError(msg)
        with errors_in_python(list_names_of(sources[0])):
            return read_mapping(sources[0], chosen)
    paths = [os.fspath(x) if isinstance(x, os.PathLike) else x for x in sources]
    with errors_in_python([]):
        if statistic is not None:
            return read_sums(paths, chosen, statistic)
        return read_sources(paths, chosen)


def _as_list(name: str, values: Iterable[str] | None) -> list[str] | None:
    if values is None:
        return None
    if isinstance(values, str) or not isinstance(values, Iterable):
        got = show(values)
        advice = str(values.split(",")) if isinstance(values, str) else f"[{got}]"
        if name == "models" and "{" in str(values):
            advice = f"columns={got}, a template of names of columns"
        msg = f"Expected {name} to be several names; got {got}. Pass {advice}."
        raise TypeError(msg)
    return list(values)
