"""Doubt scores by columns: settings that differ between runs or models."""

import shlex

import numpy as np

from sigarray._backend.given import looks_like_index, names_steps
from sigarray._plain_text import quote, squeeze
from sigarray.read._cells import encode_texts
from sigarray.read._codes import Coded, group_rows, repeat, take
from sigarray.read._frame import Frame, Roles, list_names, shorten
from sigarray.read._messages import Caution, put_place
from sigarray.read._records import Records
from sigarray.read._roles import find_largest
from sigarray.read._words import (
    HYPERPARAMETERS,
    METRICS,
    RATERS,
    SETTING_OF_STEPS,
    TASKS,
    as_words,
    list_words,
    measures_quality,
    names_raters,
)

# Columns of trackers that describe a run, and not what was run.
_OF_RUNS = as_words("""
    state notes user tags created updated runtime sweep group jobtype hostname gputype
    gpucount endtime host artifacturi experimentid starttime status duration
    datetimestart datetimecomplete device commit rev version gpu node nodename machine
    worker gitsha gitcommit sha slurmjob slurmjobid jobid
""")
_OF_TOOLS = ("tags.", "system/")
# Runs that ended at one step each, as by early stopping, have more steps than 1 in 4.
_FEW_ENDS = 4
_MAX_SHOWN = 4
# Words for what models were tested on, or by whom: scores of others do not compare.
_DATA = as_words("""
    data datasets tasks benchmarks suite subset subsets split splits partition fold
    folds domain version language languages lang locale testset evalset
""")
_TESTED_ON = _DATA | TASKS | RATERS
# With one of these it says how a model was made, or what it is called.
_OF_MODELS = as_words("""
    model models method train training trained pretrain pretraining pretrained
    finetuning finetuned code library software package torch python cuda driver
    framework
""")
_NAMES = as_words("model models method name id label algorithm")
_MAX_LOOKED_AT = 50


def say_settings(
    frame: Frame, roles: Roles, score: str, models: Coded, rows: np.ndarray
) -> tuple[list[str], list[str]]:
    """Say in which columns the runs of one model differ, and how to tell them apart.

    Such a column is named as a setting, or its values come again in other runs. Return
    at most one note, and these columns.
    """
    if "item" in roles or not {"model", "run"} <= {*roles}:
        return [], []
    runs = encode_texts(take(frame.columns[roles["run"]], rows))
    n_runs = group_rows([models, runs])[1]
    if "step" in roles and n_runs < len(rows):
        return [], []  # what varies may vary from step to step
    found = []
    for name, cells in frame.columns.items():
        may_be = may_be_setting(name) or (names_steps(name) and name[0] != "_")
        if name in (*roles.values(), score) or not may_be:
            continue
        texts = encode_texts(take(cells, rows))
        if len(texts.list_known()) >= n_runs and squeeze(name) not in HYPERPARAMETERS:
            continue  # each run has its own
        if do_models_differ(name, models, texts):
            filled = np.flatnonzero(texts.codes >= 0)
            found.append((name, _find_first(models[filled], texts[filled])))
    if not found:
        return [], []
    columns = [x for x, _ in found]
    name, (model, values) = found[0]
    texts = encode_texts(take(frame.columns[name], rows))
    shared = list_shared(models, texts) or values
    value = find_largest(shared) or shared[0]
    note = Caution(
        f"runs of one model differ in {list_names(columns, _MAX_SHOWN)}, "
        f"and were taken together: those of {model!r} have {name} "
        f"{shorten(values, _MAX_SHOWN)}. If these are models of their own, pass "
        f"--model {shlex.quote(','.join((roles['model'], name)))}; or take some with "
        f"--where {shlex.quote(f'{name}={value}')}"
    )
    return [note], columns


def may_be_setting(name: str) -> bool:
    word = squeeze(name)
    if not name or word in _OF_RUNS or name.startswith(("_", *_OF_TOOLS)):
        return False
    # Where others have the step at which a run ended, these say for how long it ran.
    is_total = names_steps(name) and word.startswith(("n", "total"))
    if looks_like_index(name, ()) and not is_total:
        return False
    return word in HYPERPARAMETERS or not list_words(name) & METRICS


def do_models_differ(name: str, models: Coded, texts: Coded) -> bool:
    """Tell whether runs of one model have several values of what may be a setting.

    Numbers of steps are where runs ended, as by early stopping, unless all come again.
    """
    filled = np.flatnonzero(texts.codes >= 0)
    known, of_models = texts[filled], models[filled]
    n_values = len(known.list_known())
    is_repeated = 2 * n_values <= len(filled)
    if names_steps(name) and not SETTING_OF_STEPS.match(name.lower()):
        counts = np.unique(known.codes, return_counts=True)[1]
        is_repeated &= counts.min(initial=2) > 1 and _FEW_ENDS * n_values <= len(filled)
    if n_values < 2 or not (is_repeated or squeeze(name) in HYPERPARAMETERS):
        return False
    return group_rows([of_models, known])[1] > len(of_models.list_known())


def list_shared(models: Coded, texts: Coded) -> list[str]:
    by = [{*texts[models.find([x])].list_known()} for x in models.list_known()]
    shared = {*texts.list_known()}.intersection(*by) - {None}
    return [str(x) for x in texts.list_known() if x in shared]


def _find_first(models: Coded, texts: Coded) -> tuple[str, list[str]]:
    for model in models.list_known():
        values = texts[models.find([model])].list_known()
        if len(values) > 1:
            break
    return str(model), [str(x) for x in values]


def say_confounds(records: Records, source: str) -> list[str]:
    """Say in which columns models differ, too, so that a difference may be theirs.

    All scores of a model have one value of such a column, at least on each task.
    Readers are warned of data or raters; a note names others, which describe models.
    """
    found = [
        (name, x)
        for name in _list_columns(records)
        if (x := _find_values(records, name)) is not None
    ]
    notes = [
        put_place(source, _warn(name, models, texts))
        for name, (models, texts) in found
        if says_data(name)
    ]
    others = [name for name, _ in found if not says_data(name)]
    if others:
        listed = list_names(others, _MAX_SHOWN)
        notes.append(
            f"{source}: models differ in {listed}, too, of which all scores of a model "
            "have one value: differences may be due to these"
        )
    return notes


def says_data(name: str) -> bool:
    words = list_words(name)
    describes = squeeze(name) in HYPERPARAMETERS or bool(words & _OF_MODELS)
    return bool(words & _TESTED_ON) and not describes


def _list_columns(records: Records) -> list[str]:
    names: dict[str, None] = {}
    has_items = records.has("item")
    for k in np.unique(records.files):
        frame, roles = records.frames[k], records.roles[k]
        used = {y for x in roles.values() for y in (x, *x.split(","))}
        is_of_runs = frame.kind.startswith("runs of ")
        is_of_tool = frame.metrics is not None and not is_of_runs
        used |= {records.metrics[k], *((frame.metrics or ()) if is_of_tool else ())}
        for name in frame.columns:
            is_name = bool(list_words(name) & _NAMES) or name.startswith("_")
            if not name or name in used or measures_quality(name):
                continue
            if has_items and names_raters(name):
                continue  # Other raters of each model are warned of as such.
            is_name |= squeeze(name) in _OF_RUNS or name.startswith(_OF_TOOLS)
            if says_data(name) or not (is_of_tool or is_name):
                names[name] = None
    return list(names)


def _find_values(records: Records, name: str) -> tuple[Coded, Coded] | None:
    if _varies_at_once(records, name):
        return None
    records, texts = records.take_texts(name)
    filled = np.flatnonzero(texts.codes >= 0)
    texts, models = texts[filled], records.factors["model"][filled]
    tasks = records.factors["task"][filled]
    for strata in (repeat(None, len(filled)), tasks):
        groups, n_groups = group_rows([strata, models])
        if n_groups and np.bincount(groups).min() > 1:
            is_one_value = group_rows([strata, models, texts])[1] == n_groups
            is_several = group_rows([strata, texts])[1] > group_rows([strata])[1]
            if is_one_value and is_several:
                return models, texts
    return None


def _varies_at_once(records: Records, name: str) -> bool:
    """Tell whether the first scores of a model on a task have several values."""
    files = np.unique(records.files)
    first = next(k for k in files if records.frames[k].find(name) is not None)
    same = records.files == first
    for role in ("model", "task"):
        codes = records.factors[role].codes
        same &= codes == codes[np.argmax(records.files == first)]
    rows = records.rows[np.flatnonzero(same)[:_MAX_LOOKED_AT]]
    texts = encode_texts(take(records.frames[first].find(name), rows))
    return len({*texts.codes.tolist()} - {-1}) > 1


def _warn(name: str, models: Coded, texts: Coded) -> Caution:
    of_models = {
        str(x): [str(y) for y in texts[models.find([x])].list_known()]
        for x in models.list_known()
    }
    said = [f"{quote(x)} {list_names(y, 2)}" for x, y in of_models.items()]
    return Caution(
        f"models differ in {name!r}, too, so that a difference may be due to it: "
        f"{shorten(said, _MAX_SHOWN)}. Compare them on the same, by --where "
        f"{name}=VALUE; or pass --ignore {name} where it tells models apart and not "
        "what they were tested on"
    )
