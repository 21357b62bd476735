"""The scores of each run of a model: at its steps, or of its items."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from sigarray.read._alignment import sort_ids
from sigarray.read._codes import split_rows
from sigarray.read._frame import Names
from sigarray.read._records import Records
from sigarray.read._text import TableError

_ADVICE = (
    "Train it with another seed; or pass --unit item for a verdict on these trained "
    "models, which averages over the runs of a model."
)
# More scores than this are no curves that anyone looks at.
_MAX_SCORES = 10**7


class RunTable(NamedTuple):
    """The names of the runs of a model, and its scores, shape (runs, items)."""

    runs: tuple[str, ...]
    scores: np.ndarray


def find_run_tables(
    records: Records, models: Names, items: np.ndarray
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


class Curves(NamedTuple):
    """The scores of the runs of a model at the steps that all of them have.

    Attributes
    ----------
    steps : array, shape (S,)
        In ascending order.
    scores : array, shape (R, S)
        Of R runs.
    """

    steps: np.ndarray
    scores: np.ndarray


def find_curves(records: Records) -> Mapping[str, Mapping[str, Curves]]:
    """Return the curves of the models on each task; empty where there are none.

    Steps that a run lacks are left out for all runs of its model; so are models without
    two steps in common, and tasks of which fewer than two models are left.
    """
    records = records.take(~records.is_blank)
    has_steps = not np.isnan(records.steps).all()
    if not has_steps or records.has("item") or len(records) > _MAX_SCORES:
        return {}
    curves: dict[str, dict[str, Curves]] = {}
    runs, _ = records.group("run")
    for rows in split_rows([records.factors[x] for x in ("task", "model")]):
        first = records[int(rows[0])]
        found = _find_of_model(runs[rows], records.steps[rows], records.scores[rows])
        if found is not None:
            curves.setdefault(first.task or "", {})[str(first.model)] = found
    return {task: by_model for task, by_model in curves.items() if len(by_model) > 1}


def _find_of_model(
    runs: np.ndarray, steps: np.ndarray, scores: np.ndarray
) -> Curves | None:
    is_known = np.isfinite(steps) & np.isfinite(scores)
    every_run, of_run = np.unique(runs[is_known], return_inverse=True)
    every_step, of_step = np.unique(steps[is_known], return_inverse=True)
    if len(every_run) * len(every_step) > _MAX_SCORES:
        return None
    curves = np.full((len(every_run), len(every_step)), np.nan)
    curves[of_run, of_step] = scores[is_known]
    is_common = ~np.isnan(curves).any(axis=0)
    if np.count_nonzero(is_common) < 2:
        return None
    return Curves(every_step[is_common], curves[:, is_common])
