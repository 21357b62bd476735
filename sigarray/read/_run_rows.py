"""Rows that are runs of their own, though some share a name and end at other steps."""

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from sigarray._backend.given import names_steps
from sigarray._plain_text import squeeze
from sigarray.read._cells import looks_like_score
from sigarray.read._codes import Coded, find_first, group_rows, read_numbers
from sigarray.read._duplicates import read_texts, refuse_duplicates
from sigarray.read._early_ends import settle_early
from sigarray.read._missing import Missing
from sigarray.read._records import Records
from sigarray.read._settings import may_be_setting
from sigarray.read._text import TableError
from sigarray.read._words import CONFIG, as_words

_OF_RUN = ("task", "model", "run")
# Names of runs; settings that may grow from step to step; and all that no schedule
# changes otherwise, as it does learning rates.
_NAMES = as_words("name runname displayname runid id experiment experimentname jobname")
_RAMPED = as_words("batchsize bs")
_FIXED = _RAMPED | as_words("""
    nlayers numlayers hiddensize hiddendim embeddingdim embeddim nheads
    numheads nunits maxdepth modelsize maxepochs maxsteps warmupsteps
""")


def settle_runs(
    records: Records, missing: Missing | None, chosen: Sequence[float] = ()
) -> tuple[Records, int]:
    """Settle what becomes of runs that end much earlier, as `settle_early` does.

    If each row is a run, no row is an earlier step of another one: those of one name
    are refused, unless all but one of them have ended early and are left out.
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
    first = find_first(runs, n_runs)[runs]
    again = np.flatnonzero(first != np.arange(len(records)))
    if len(again):
        a, b = records[first[again[0]]], records[again[0]]
        way = "" if column is None else f"; or pass --run {shlex.quote(column)}"
        msg = (
            f"{b.place}: expected one score of {b.model!r} for run {b.run!r}; got "
            f"another one at {a.place}. Where one ended early and was run again, leave "
            f"it out with --missing drop, or remove it{way}, to count both."
        )
        raise TableError(msg)


def _are_runs(records: Records) -> bool:
    """Tell whether rows of one model and run are others, and no steps of a curve."""
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
        for name, texts in _read(records, _is_fixed)
    )


def _is_fixed(name: str) -> bool:
    return squeeze(name) in _FIXED or CONFIG.match(name) is not None


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
    """Yield columns of some names that all files have, but for those with a role."""
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
