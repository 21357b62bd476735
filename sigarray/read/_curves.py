"""Learning curves: the scores of runs at each of their steps."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from sigarray.read._codes import split_rows
from sigarray.read._records import Records

# More scores than this are no curves that anyone looks at.
_MAX_SCORES = 10**7


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
