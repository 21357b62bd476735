"""Runs of items without any score, as those that have crashed."""

import numpy as np

from sigarray.read._alignment import OF_RUNS, Unit
from sigarray.read._frame import shorten
from sigarray.read._messages import Caution
from sigarray.read._missing import Missing
from sigarray.read._records import Records

_MAX_SHOWN = 4


def leave_out_lost(
    records: Records, missing: Missing | None, unit: Unit
) -> tuple[Records, list[str]]:
    """Leave out runs of items without any score, as if their cells were blank."""
    is_of_items = unit in OF_RUNS and records.has("item") and records.has("run")
    if missing != "drop" or not is_of_items:
        return records, []
    runs, n_runs = records.group("model", "run")
    is_known = ~np.isnan(records.scores)
    is_lost = np.bincount(runs[is_known], minlength=n_runs)[runs] == 0
    models = records.factors["model"]
    is_lost &= models.find(models[is_known].list_known())  # others have no run at all
    if not is_lost.any():
        return records, []
    lost = records.take(np.flatnonzero(is_lost))
    pairs = dict.fromkeys(
        zip(*(lost.factors[x] for x in ("model", "run")), strict=True)
    )
    said = shorten([f"run {run!r} of {model!r}" for model, run in pairs], _MAX_SHOWN)
    task = f" of task {lost[0].task!r}" if lost[0].task is not None else ""
    note = Caution(f"runs{task} without any score were left out: {said}")
    return records.take(np.flatnonzero(~is_lost)).compact(), [note]
