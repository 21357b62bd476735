"""Settings in which the runs of one model differ, such as a learning rate."""

from collections.abc import Mapping

import numpy as np

from sigarray._backend.index_columns import looks_like_index, names_steps
from sigarray._plain_text import squeeze
from sigarray.read._cautions import Caution
from sigarray.read._cells import encode_texts
from sigarray.read._codes import Coded, group_rows, take
from sigarray.read._frame import Frame, list_names, shorten
from sigarray.read._step_names import find_largest
from sigarray.read._words import HYPERPARAMETERS, METRICS, as_words, list_words

# Columns of trackers that describe a run, and not what was run.
_OF_RUNS = as_words("""
    state notes user tags created updated runtime sweep group jobtype hostname gputype
    gpucount endtime host artifacturi experimentid starttime status duration
    datetimestart datetimecomplete device commit rev version
""")
_MAX_SHOWN = 4


def say_settings(
    frame: Frame,
    roles: Mapping[str, str],
    score: str,
    models: Coded,
    rows: np.ndarray,
) -> tuple[list[str], list[str]]:
    """Say in which columns the runs of one model differ, and how to tell them apart.

    Such a column is named as a setting is, or its values come again in other rows.
    Columns of metrics and of seeds are none.

    Returns
    -------
    notes, columns : list of str, list of str
        At most one note.
    """
    if {"item", "step"} & {*roles} or not {"model", "run"} <= {*roles}:
        return [], []
    found = []
    for name, cells in frame.columns.items():
        if name in (*roles.values(), score) or not may_be_setting(name):
            continue
        texts = encode_texts(take(cells, rows))
        if do_models_differ(name, models, texts):
            filled = np.flatnonzero(texts.codes >= 0)
            found.append((name, _find_first(models[filled], texts[filled])))
    if not found:
        return [], []
    columns = [x for x, _ in found]
    name, (model, values) = found[0]
    note = Caution(
        f"runs of one model differ in {list_names(columns, _MAX_SHOWN)}, "
        f"and were taken together: those of {model!r} have {name} "
        f"{shorten(values, _MAX_SHOWN)}. If these are models of their own, pass "
        f"--model {roles['model']},{name}; or take some with --where "
        f"{name}={find_largest(values) or values[0]}"
    )
    return [note], columns


def may_be_setting(name: str) -> bool:
    """Tell by its name whether a column may say how a run was made."""
    if not name or name.startswith(("_", "tags.", "system/")):
        return False
    if squeeze(name) in _OF_RUNS:
        return False
    # Where others have the step at which a run ended, these say for how long it ran.
    is_total = names_steps(name) and squeeze(name).startswith(("n", "total"))
    if looks_like_index(name, ()) and not is_total:
        return False
    return squeeze(name) in HYPERPARAMETERS or not list_words(name) & METRICS


def do_models_differ(name: str, models: Coded, texts: Coded) -> bool:
    """Tell whether runs of one model have several values of what may be a setting."""
    filled = np.flatnonzero(texts.codes >= 0)
    known, of_models = texts[filled], models[filled]
    n_values = len(known.list_known())
    is_repeated = 2 * n_values <= len(filled)
    if n_values < 2 or not (is_repeated or squeeze(name) in HYPERPARAMETERS):
        return False
    return group_rows([of_models, known])[1] > len(of_models.list_known())


def _find_first(models: Coded, texts: Coded) -> tuple[str, list[str]]:
    """Return the first model with several texts, and these."""
    for model in models.list_known():
        values = texts[models.find([model])].list_known()
        if len(values) > 1:
            break
    return str(model), [str(x) for x in values]
