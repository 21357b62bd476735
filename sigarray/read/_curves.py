"""Learning curves: the scores of runs at each of their steps."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

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
    has_steps = not np.isnan(records.steps).all()
    if not has_steps or records.has("item") or len(records) > _MAX_SCORES:
        return {}
    curves: dict[str, dict[str, Curves]] = {}
    for part in records.split("task", "model"):
        first = part[0]
        found = _find_of_model(part)
        if found is not None:
            curves.setdefault(first.task or "", {})[str(first.model)] = found
    return {task: by_model for task, by_model in curves.items() if len(by_model) > 1}


def _find_of_model(records: Records) -> Curves | None:
    runs, n_runs = records.group("run")
    is_known = np.isfinite(records.steps) & np.isfinite(records.scores)
    steps, places = np.unique(records.steps[is_known], return_inverse=True)
    if n_runs * len(steps) > _MAX_SCORES:
        return None
    scores = np.full((n_runs, len(steps)), np.nan)
    scores[runs[is_known], places] = records.scores[is_known]
    is_common = ~np.isnan(scores).any(axis=0)
    if np.count_nonzero(is_common) < 2:
        return None
    return Curves(steps[is_common], scores[:, is_common])
