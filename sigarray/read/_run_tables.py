"""Items in several runs of each model, as tables of runs and items."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from sigarray.read._alignment import sort_ids
from sigarray.read._bytes import TableError
from sigarray.read._records import Records

_ADVICE = (
    "Train it with another seed; or pass --unit item for a verdict on these trained "
    "models, which averages over the runs of a model."
)


class RunTable(NamedTuple):
    """The names of the runs of a model, and its scores, shape (runs, items)."""

    runs: tuple[str, ...]
    scores: np.ndarray


def find_run_tables(
    records: Records, models: Sequence[str], items: np.ndarray
) -> Mapping[str, RunTable]:
    """Return the scores of each model by run and item, of which every run has all.

    `items` are their codes, in the order of the tables. Runs with one name in two
    models are two runs.
    """
    on = "" if records[0].task is None else f" on task {records[0].task!r}"
    source = records[0].frame.source
    if len(items) < 2:
        msg = (
            f"{source}: expected two items or more{on}, for --unit run,item; got "
            f"{len(items)}. Pass --unit run."
        )
        raise TableError(msg)
    places = np.zeros(len(records.factors["item"].values), int)
    places[items] = np.arange(len(items))
    tables = {}
    for model in models:
        of_model = np.flatnonzero(records.factors["model"].find([model]))
        own = records.take(of_model)
        runs = own.factors["run"]
        names = sort_ids(runs.list_known())
        if len(names) < 2:
            msg = (
                f"{source}: expected two runs or more of each model{on}, for --unit "
                f"run,item, because one does not show how others would differ; got "
                f"one of {model!r}. {_ADVICE}"
            )
            raise TableError(msg)
        rows = np.zeros(len(runs.values), int)
        rows[[runs.values.index(x) for x in names]] = np.arange(len(names))
        scores = np.empty((len(names), len(items)))
        scores[rows[runs.codes], places[own.factors["item"].codes]] = own.scores
        tables[model] = RunTable(tuple(names), scores)
    return tables
