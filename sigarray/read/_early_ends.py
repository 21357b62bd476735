"""Runs that end much earlier than others or the chosen step, and that tasks lack."""

import shlex
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from sigarray._backend.given import names_steps
from sigarray._plain_text import squeeze
from sigarray.read._cells import encode_texts, looks_like_score
from sigarray.read._codes import (
    Coded,
    find_again,
    find_first,
    group_rows,
    read_numbers,
    repeat,
    split_rows,
)
from sigarray.read._duplicates import read_texts, refuse_duplicates
from sigarray.read._frame import Frame, Names, Roles, list_names, shorten
from sigarray.read._messages import DROP_OR_WORST, DROP_WORST_OR_KEEP, Caution
from sigarray.read._missing import MAX_NAMED, NAMES, Missing, name_few
from sigarray.read._records import ENDED_EARLY, Records, find_column
from sigarray.read._roles import find_roles
from sigarray.read._settings import may_be_setting
from sigarray.read._steps import say_common_step
from sigarray.read._text import NUMBER, TableError, refuse
from sigarray.read._words import CONFIG, as_words

_MAX_SHOWN = 3
_OF_RUN = ("task", "model", "run")
# Half of the runs or more end together if they do so within this share of their way,
_TOGETHER = 0.1
# and what ends before this share of it is much earlier; or before the second one, where
# the file has no other step of any run.
_MUCH_EARLIER, _EARLIER = 0.5, 0.75
# Unless others end that near to each other, it ends before half of the way of them all:
# of runs that stop by themselves, it then asks about 0 to 3 % of files, not 6 to 46 %.
_SAME = 0.05


class _Runs(NamedTuple):
    """The run of each score; of each run its first row and last step, and the end.

    The end is the last step of most runs of the task; NaN for runs that are no earlier.
    """

    of_rows: np.ndarray
    first: np.ndarray
    last: np.ndarray
    end: np.ndarray
    share: float


def take_early(
    frame: Frame, column: str, values: Names, chosen: Roles, *, are_many: bool
) -> np.ndarray:
    """Return the last rows of runs that end before the chosen steps."""
    none = np.empty(0, int)
    if not names_steps(column):
        return none
    roles = find_roles(frame, frame.keep_known(chosen))
    parts = {y for x in chosen.values() for y in x.split(",") if y in frame.columns}
    are_runs = are_many or "run" in {*roles, *chosen}
    if roles.get("step") != column or "item" in roles or not are_runs:
        return none
    names = {*parts, *(roles[x] for x in (*_OF_RUN, "metric") if x in roles)} - {column}
    every = [encode_texts(frame.columns[x]) for x in names]
    runs, n_runs = group_rows([repeat("", len(frame.lines)), *every])
    texts = [str(x) for x in frame.columns[column]]
    steps = np.asarray([float(x) if NUMBER.fullmatch(x) else np.nan for x in texts])
    last = np.full(n_runs, -np.inf)
    np.fmax.at(last, runs, steps)
    is_early = last < max(map(float, values))
    is_early[runs[encode_texts(frame.columns[column]).find(values)]] = False
    return np.flatnonzero(is_early[runs] & (steps == last[runs]))


def settle_early(
    records: Records, missing: Missing | None, chosen: Sequence[float]
) -> tuple[Records, int]:
    """Return the scores, with a missing one for each run that ends much earlier.

    Such a run has gone less than half of the way to the step where most runs of the
    task end, and another run of its model gets there; or it has only steps before those
    that are `chosen`. Where runs end at steps of their own, as by early stopping, there
    are none. The number of these runs is returned, too, without those that have
    crashed.
    """
    is_of_runs = len(chosen) or records.has("run")
    if records.has("item") or not is_of_runs or np.isnan(records.steps).all():
        return records, 0
    runs = _find_early(records, chosen)
    is_early = ~np.isnan(runs.end)
    n_early = int(is_early.sum())
    if not n_early or missing == "keep":
        is_early[runs.of_rows[records.find_crashed()]] = False
        return records, int(is_early.sum())
    if missing is None:
        raise _ask(records, runs, np.flatnonzero(is_early), chosen)
    # What such a run had logged is in the row of its last step.
    is_last = is_early[runs.of_rows] & (records.steps == runs.last[runs.of_rows])
    rows = np.flatnonzero(is_last & ~records.is_blank)
    is_kept = np.zeros(len(records), bool)
    is_kept[rows[find_first(runs.of_rows[rows], len(is_early))[is_early]]] = True
    states = records.factors["state"]
    # That it has crashed, as its state may say, is more than that it ends early.
    have_crashed = records.find_crashed()
    n_early -= int(np.sum(is_kept & have_crashed))
    codes = np.where(is_kept & ~have_crashed, len(states.values), states.codes)
    records = replace(
        records,
        scores=np.where(is_kept, np.nan, records.scores),
        steps=np.where(is_kept, runs.end[runs.of_rows], records.steps),
        is_blank=records.is_blank & ~is_kept,
        factors={
            **records.factors,
            "state": Coded(codes, [*states.values, ENDED_EARLY]),
        },
    )
    return records.take(~is_early[runs.of_rows] | is_kept), n_early


def _find_early(records: Records, chosen: Sequence[float]) -> _Runs:
    runs, n_runs = records.group(*_OF_RUN)
    tasks, n_tasks = records.group("task")
    models, n_models = records.group("task", "model")
    first = find_first(runs, n_runs)
    is_scored = ~records.is_blank & ~np.isnan(records.steps)
    steps = records.steps[is_scored]
    last, start = np.full(n_runs, -np.inf), np.full(n_tasks, np.inf)
    np.maximum.at(last, runs[is_scored], steps)
    np.minimum.at(start, tasks[is_scored], steps)
    if len(chosen):
        is_early = np.isfinite(last) & ~np.isin(last, chosen)
        return _Runs(runs, first, last, np.where(is_early, max(chosen), np.nan), 1.0)
    share = _MUCH_EARLIER
    if np.bincount(runs[is_scored], minlength=n_runs).max(initial=0) < 2:
        share, start = _EARLIER, np.minimum(start, 0.0)
    has_end, of_tasks, of_models = np.isfinite(last), tasks[first], models[first]
    ends, limits = np.full((2, n_tasks), np.nan)
    for task in np.unique(of_tasks[has_end]):
        of_task, low = last[has_end & (of_tasks == task)], start[task]
        end = ends[task] = _find_end(of_task, low)
        limits[task] = low + share * (end - low)
        rest = of_task[of_task >= limits[task]]
        if np.any(np.abs(rest - end) > _SAME * (end - low)):
            limits[task] = low + _MUCH_EARLIER * (rest.min() - low)
    end, start = ends[of_tasks], start[of_tasks]
    gets_there = np.zeros(n_models, bool)
    gets_there[of_models[last >= end - _TOGETHER * (end - start)]] = True
    is_early = has_end & gets_there[of_models]
    is_early &= last < limits[of_tasks]
    return _Runs(runs, first, last, np.where(is_early, end, np.nan), share)


def _find_end(last: np.ndarray, start: float) -> float:
    middle = float(np.quantile(last, 0.5, method="higher"))
    is_near = np.abs(last - middle) <= _TOGETHER * (middle - start)
    steps, counts = np.unique(last[is_near], return_counts=True)
    is_most = 2 * counts.sum() >= len(last) and middle > start
    return float(steps[::-1][np.argmax(counts[::-1])]) if is_most else np.nan


def _ask(
    records: Records, runs: _Runs, early: np.ndarray, chosen: Sequence[float]
) -> TableError:
    column = find_column(records, "step") or "step"
    said = []
    for k in early:
        one = records[runs.first[k]]
        names = {"task": one.task, "run": one.run}
        which = "".join(f", {x} {y!r}" for x, y in names.items() if y is not None)
        end = "" if len(chosen) else f" (most at {runs.end[k]:.10g})"
        said.append(f"{one.model!r}{which}, at {column} {runs.last[k]:.10g}{end}")
    source = records[runs.first[early[0]]].frame.source
    share = "half" if runs.share == _MUCH_EARLIER else "three quarters"
    before = f"{share} of the others' steps"
    if np.any(runs.last[early] >= runs.share * runs.end[early]):
        first = np.nanmin(records.steps)
        before = f"{share} of the others' way from {column} {first:.10g} on"
    if len(chosen):
        before = f"{column} {max(chosen):.10g} (--where)"
    way = "" if len(chosen) else say_common_step(records)
    return TableError(
        f"{source}: expected to be told how to treat runs that end before {before}; "
        f"got {len(early)} of {len(runs.first)}: "
        f"{shorten(said, _MAX_SHOWN, by='; ')}. Where these have crashed, pass "
        f"{DROP_WORST_OR_KEEP}, as of those that were to end there, by early stopping."
        f"{f' Or compare all at {way}.' if way else ''}"
    )


def say_lost(frame: Frame, roles: Roles, kept: np.ndarray, where: str) -> list[str]:
    names = {x: encode_texts(frame.columns[roles[x]]) for x in NAMES[:-1] if x in roles}
    runs = split_rows([*names.values()]) if "run" in names else []
    lost = [rows[0] for rows in runs if not np.isin(rows, kept).any()]
    if not lost or len(lost) == len(runs):
        return []
    named = [name_few([{role: x[k] for role, x in names.items()}]) for k in lost]
    which = shorten(named, MAX_NAMED, by="; ")
    return [Caution(f"runs without a row of {where} were left out: {which}")]


def say_without_steps(
    names: Names, kept: Collection[str], where: Mapping[str, Names]
) -> list[str]:
    lost = [x for x in names if x not in kept]
    steps = [f"{x}={' or '.join(y)}" for x, y in where.items() if names_steps(x)]
    if not lost or not steps:
        return []
    which = list_names(lost, MAX_NAMED)
    said = f"files without a row of {' and '.join(steps)} were left out: {which}"
    return [Caution(said)]


def say_fewer_runs(
    sizes: Mapping[str, Mapping[str, int]],
    n_missing: Mapping[str, Mapping[str, int]],
    ids: Mapping[str, Mapping[str, Names]],
) -> list[str]:
    """Say on which tasks a model, but not all of them, has fewer runs than usual.

    Usual is the largest number that it has on a quarter of tasks. `sizes` and
    `n_missing`, of what has been said, count runs by task and model; `ids` name them.
    """
    by_model: dict[str, Counter[int]] = {}
    for by in sizes.values():
        for model, n in by.items():
            by_model.setdefault(model, Counter())[n] += 1
    usual = {
        model: max([n for n in counts if 4 * counts[n] >= counts.total()] or counts)
        for model, counts in by_model.items()
    }
    said = [
        f"{model!r} has {n} of {usual[model]} runs on {task!r}"
        f"{_name_lost(ids, task, model)}"
        for task, by in sizes.items()
        if any(n >= usual[model] for model, n in by.items())
        for model, n in by.items()
        if n < usual[model] and not n_missing.get(task, {}).get(model)
    ]
    line = shorten(said, _MAX_SHOWN)
    if said and ids:
        line = Caution(f"{line}: for a crash write nan, and pass {DROP_OR_WORST}")
    return [line] if said else []


def _name_lost(ids: Mapping[str, Mapping[str, Names]], task: str, model: str) -> str:
    every = dict.fromkeys(x for by in ids.values() for x in by.get(model, ()))
    lost = [x for x in every if x not in ids[task][model]]
    return f", without run {list_names(lost, _MAX_SHOWN)}" if lost else ""


# Names of runs; settings that may grow from step to step; and all that no schedule
# changes otherwise, as it does learning rates.
_NAMES = as_words("name runname displayname runid id experiment experimentname jobname")
_RAMPED = as_words("batchsize bs")
_FIXED = _RAMPED | as_words("""
    nlayers numlayers hiddensize hiddendim embeddingdim embeddim nheads
    numheads nunits maxdepth modelsize maxepochs maxsteps warmupsteps
""")


def settle_runs(
    records: Records, missing: Missing | None, chosen: Sequence[float]
) -> tuple[Records, int]:
    """Settle what becomes of runs that end much earlier, as `settle_early` does.

    If each row is a run, no row is an earlier step of another one: those of one name
    are refused, unless all but one of them are left out.
    """
    if not _are_runs(records):
        return settle_early(records, missing, chosen)
    for x in records.split("task"):
        refuse_duplicates(_list_settings(x))
    names = records.factors["run"]
    every = Coded(np.arange(len(records)), [*names])
    rows = replace(records, factors={**records.factors, "run": every})
    rows, n_early = settle_early(rows, missing, chosen)
    runs = names[rows.factors["run"].codes]
    records = replace(rows, factors={**rows.factors, "run": runs})
    if n_early and missing != "drop":
        _refuse_reruns(records, _find_column_of_runs(records))
    for x in records.take(~np.isnan(records.scores)).split("task"):
        refuse_duplicates(x)
    return records, n_early


def _refuse_reruns(records: Records, column: str | None) -> None:
    runs, n_runs = records.group(*_OF_RUN)
    again, first = find_again(runs, n_runs)
    if len(again):
        a, b = records[first[again[0]]], records[again[0]]
        way = "" if column is None else f"; or pass --run {shlex.quote(column)}"
        refuse(
            f"{b.place}: expected one score of {b.model!r} for run {b.run!r}; got "
            f"another one at {a.place}. Where one ended early and was run again, leave "
            f"it out with --missing drop, or remove it{way}, to count both."
        )


def _are_runs(records: Records) -> bool:
    """Tell whether rows with one name are runs, and no steps of a curve."""
    if records.has("item") or not np.all(records.factors["run"].codes >= 0):
        return False
    if np.isnan(records.steps).all() or records.group(*_OF_RUN)[1] == len(records):
        return False
    if all(x.kind.startswith("runs of ") for x in records.list_frames()):
        return True
    of_run = [records.factors[x] for x in _OF_RUN]
    return _find_column_of_runs(records) is not None or any(
        group_rows([*of_run, texts])[1] == len(records)
        and not (squeeze(name) in _RAMPED and _rises(records, texts))
        for name, texts in _read(
            records, lambda x: squeeze(x) in _FIXED or CONFIG.match(x) is not None
        )
    )


def _rises(records: Records, texts: Coded) -> bool:
    numbers = read_numbers(texts)
    if numbers is None:
        return False
    runs, _ = records.group(*_OF_RUN)
    order = np.lexsort((records.steps, runs))
    return bool(np.all(np.diff(numbers[order])[np.diff(runs[order]) == 0] > 0.0))


def _find_column_of_runs(records: Records) -> str | None:
    for name, texts in _read(records, lambda x: squeeze(x) in _NAMES):
        is_one = group_rows([records.factors["task"], texts])[1] == len(records)
        if is_one and not any(map(looks_like_score, texts.values)):
            return name
    return None


def _read(
    records: Records, is_wanted: Callable[[str], bool]
) -> Iterator[tuple[str, Coded]]:
    known = {*records.metrics, *(y for by in records.roles for y in by.values())}
    columns = records[0].frame.columns
    names = [x for x in columns if x not in known and is_wanted(x)]
    for name, texts in read_texts(records, names):
        if np.all(texts.codes >= 0):
            yield name, texts


def _list_settings(records: Records) -> Records:
    """Return the first run with each name and settings."""
    columns = [records.factors[x] for x in _OF_RUN]
    for name, texts in _read(records, may_be_setting):
        if 2 * len(texts.list_known()) <= len(records) and not names_steps(name):
            columns.append(texts)
    groups, n_groups = group_rows(columns)
    return records.take(np.sort(find_first(groups, n_groups)))
