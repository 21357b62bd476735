"""Scores that are missing, of crashed runs or unanswered items, and rows left out."""

import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np

from sigarray._plain_text import show_number
from sigarray.read._cells import find_blank, find_missing
from sigarray.read._duplicates import have_parts, refuse_repeated_rows
from sigarray.read._frame import Names, Roles, list_names, shorten
from sigarray.read._messages import DROP_WORST_OR_KEEP, Caution
from sigarray.read._records import Averaged, Dropped, Records
from sigarray.read._text import TableError, refuse
from sigarray.read._wide import WideTable, list_names_of_rows, read_wide, take_rows

Missing = Literal["drop", "worst", "keep"]
TREATMENTS: tuple[Missing, ...] = get_args(Missing)
_MAX_SHOWN = 5
MAX_NAMED = 3
NAMES = ("model", "task", "item", "run", "step")
# Model -> the number of its missing scores.
Counts = dict[str, int]


def blank_missing(
    wide: WideTable, models: Names, missing: Missing, *, is_of_pairs: bool
) -> tuple[WideTable, Counts]:
    """Return a table whose missing scores are blank, and how many these are."""
    places = {x: k for k, x in wide.names.items() if x in models}
    lacks = {x: find_missing(wide.cells[k]) for x, k in places.items()}
    counts = {x: int(is_one.sum()) for x, is_one in lacks.items() if is_one.any()}
    if not counts:
        return wide, {}
    if missing == "worst":
        if is_of_pairs:
            raise _refuse_worst(wide.source)
        for name, k in places.items():
            blank = find_blank(wide.cells[k])
            if len(blank) and blank[-1]:
                refuse(
                    f"{wide.source}, {name!r}: expected to know whether runs have "
                    "crashed, for --missing worst; got blank cells below the last "
                    "score, which may be of runs that were never made. Write nan for "
                    "those that have crashed, and leave out others."
                )
    if is_of_pairs:
        n_rows = min(map(len, lacks.values()))
        is_whole = ~np.any([x[:n_rows] for x in lacks.values()], axis=0)
        return take_rows(wide, np.flatnonzero(is_whole).tolist()), counts
    cells = dict(wide.cells)
    for name, k in places.items():
        if name in counts:
            pairs = zip(wide.cells[k], lacks[name].tolist(), strict=True)
            cells[k] = [None if is_one else x for x, is_one in pairs]
    return wide._replace(cells=cells), counts


def find_worst(columns: Sequence[np.ndarray], *, is_higher: bool) -> float:
    every = np.concatenate(columns)
    return float(every.min() if is_higher else every.max())


def treat_missing(
    records: Records,
    missing: Missing | None,
    unit: str,
    *,
    is_paired: bool,
    is_higher: bool,
) -> tuple[Records, Counts]:
    """Return the scores of a task without NaN, and how many were missing.

    Pairs without any score of some model are left out for all models.
    """
    lacks = np.isnan(records.scores)
    if missing is None or not lacks.any():
        return records, {}
    by_item = records.has("item")
    is_of_pairs = is_paired or unit != "run" or by_item
    source = records[0].frame.source
    models = records.factors["model"]
    counts = count_by_model(records.take(lacks))
    if lacks.all():
        refuse(f"{source}: expected scores that are not missing; got none.")
    if missing == "worst":
        if is_of_pairs:
            raise _refuse_worst(source)
        logged = [read_logged(records, k) for k in np.flatnonzero(lacks).tolist()]
        known = [x for x in logged if x is not None and math.isfinite(x)]
        every = [records.scores[~lacks], np.asarray(known, float)]
        worst = find_worst(every, is_higher=is_higher)
        return records.fill(lacks, worst), counts
    is_kept = ~lacks
    if is_of_pairs:
        names = records.factors["item" if by_item else "run"]
        alone = names.codes[find_alone(records, unit) & (names.codes >= 0)]
        is_kept &= ~np.isin(names.codes, alone)
    kept = records.take(is_kept)
    lost = [x for x in models.list_known() if x not in kept.list_known("model")]
    if lost:
        refuse(
            f"{source}: expected scores of every model that are not missing; got none "
            f"of {list_names(lost, 3)}. Leave it out with --ignore, or --columns."
        )
    return kept, counts


def read_logged(records: Records, k: int) -> float | None:
    """Return what a run logged that has crashed or ended early.

    None for a blank cell; NaN for what is no plain number.
    """
    one = records[k]
    column = records.roles[records.files[k]].get("score", "")
    column = one.metric if one.metric in one.frame.columns else column
    cells = one.frame.columns.get(column)
    if cells is None:
        return math.nan
    if find_missing([cells[one.row]])[0]:
        return None
    try:
        return float(cells[one.row])
    except (TypeError, ValueError):
        return math.nan


def count_by_model(records: Records) -> Counts:
    models = records.factors["model"]
    return {x: int(models.find([x]).sum()) for x in models.list_known()}


def find_alone(records: Records, unit: str) -> np.ndarray:
    lacks = np.isnan(records.scores)
    role = "item" if records.has("item") else "run"
    roles = {role, "run"} if unit in ("run", "run,item") else {role}
    units, n_units = records.group("model", *roles)
    n_scores = np.bincount(units[~lacks], minlength=n_units)
    is_unnamed = records.factors[role].codes < 0
    is_alone: np.ndarray = lacks & ((n_scores[units] == 0) | is_unnamed)
    return is_alone


def ask_about_crashed(records: Records, missing: Missing | None) -> None:
    is_one = records.find_crashed()
    if missing is not None or not is_one.any():
        return
    crashed = records.take(is_one)
    states = sorted({str(x).lower() for x in crashed.list_known("state")})
    words = ", ".join(x for x in states if not x.isdigit())
    which = name_few(list_few(crashed)) or count_models(count_by_model(crashed))
    refuse(
        f"{crashed[0].frame.source}: expected to be told how to treat runs that have "
        f"crashed; got {len(crashed)} of {len(records)}{f' ({words})' if words else ''}"
        f": {which}. Pass {DROP_WORST_OR_KEEP}."
    )


def leave_out_unnamed(
    records: Records, missing: Missing | None
) -> tuple[Records, list[str]]:
    have_crashed = records.find_crashed()
    if missing is None or not have_crashed.any():
        return records, []
    for role in ("model", "task", "item", "run"):
        is_blank = records.factors[role].codes < 0
        lacks = have_crashed & is_blank
        if not lacks.any() or is_blank.all():
            continue
        n, first = int(lacks.sum()), records[int(np.argmax(lacks))]
        if missing == "worst":
            refuse(
                f"{first.place}: expected the {role} of a run that has crashed, for "
                "--missing worst; got a blank cell. Fill it in, or pass --missing drop."
            )
        some = "run that has crashed was" if n == 1 else "runs that have crashed were"
        rest, notes = leave_out_unnamed(records.take(~lacks), missing)
        source = first.frame.source
        said = Caution(f"{source}: {n} {some} left out, without a {role}")
        return rest, [said, *notes]
    return records, []


def say_missing(
    counts: Mapping[str, int],
    missing: Missing,
    what: str,
    worst: float | None,
    names: Sequence[Mapping[str, Any]] = (),
    why: Sequence[str] = (),
) -> str:
    """Say how many scores were missing, `why`, and what was done."""
    of = name_few(names) or count_models(counts)
    which = f"that {', '.join(why)}, or have no score," if why else "without a score"
    if missing == "worst" and worst is not None:
        count = f"count as {show_number(worst, 6)}, the worst of all runs"
        return Caution(f"runs {which} {count}: {of}")
    if what == "run":
        return Caution(f"runs {which} were left out: {of}")
    return Caution(
        f"{what}s without a score of some model were left out for all models; missing "
        f"are {of}"
    )


def say_beside(
    counts: Mapping[str, int], names: Sequence[Mapping[str, Any]], what: str
) -> str:
    n = sum(counts.values())
    names = [{x: y for x, y in by.items() if x != "rerun"} for by in names]
    some = "1 missing score was" if n == 1 else f"{n} missing scores were"
    return Caution(
        f"{some} left out, beside others of the same {what} and model: "
        f"{name_few(names) or count_models(counts)}"
    )


def say_blank(counts: Mapping[str, int], where: str = "") -> str:
    n = sum(counts.values())
    some, were = ("cell", "was") if n == 1 else ("cells", "were")
    return f"{n} blank {some}{where} {were} left out: {count_models(counts)}"


def say_rows(
    n_rows: int, counts: Mapping[Any, int], names: Sequence[Mapping[str, Any]]
) -> str:
    some = "row without a score was" if n_rows == 1 else "rows without a score were"
    by = name_few(names) or count_models(counts)
    return Caution(f"{n_rows} {some} left out{f': {by}' if by else ''}")


def list_few(records: Records) -> list[dict[str, Any]]:
    few = range(len(records)) if len(records) <= MAX_NAMED else ()
    said = [{role: getattr(records[k], role) for role in NAMES} for k in few]
    for k, by in zip(few, said, strict=True):
        # A run without a score may have been given the step at which others end.
        one, column = records[k], records.roles[records.files[k]].get("step")
        if by["step"] is not None and column in one.frame.columns:
            by["step"] = one.frame.columns[column][one.row]
    return [{role: x for role, x in by.items() if x is not None} for by in said]


def name_few(names: Sequence[Mapping[str, Any]]) -> str:
    """Name a few scores by model, task, run and so on; "" if only models are known."""
    if not all({*x} - {"model"} for x in names):
        return ""
    return "; ".join(", ".join(_say_name(*x) for x in by.items()) for by in names)


def _say_name(role: str, name: Any) -> str:
    if role == "step":
        return f"step {float(name):.10g}"
    if role == "rerun":
        return str(name)
    return repr(name) if role == "model" else f"{role} {name!r}"


def count_models(counts: Mapping[Any, int]) -> str:
    return shorten(
        [
            f"{n} {'without a model' if x is None else f'of {x!r}'}"
            for x, n in counts.items()
        ],
        _MAX_SHOWN,
    )


def _refuse_worst(source: str) -> TableError:
    return TableError(
        f"{source}: expected runs that are no pairs, for --missing worst; got missing "
        "scores of items or pairs. Write the score that a missing answer is worth, "
        "such as 0 for a wrong one; or pass --missing drop, which leaves it out, and "
        "an item without any answer of a model for all models."
    )


def drop_unmatched(
    wide: WideTable, models: Names
) -> tuple[WideTable, dict[tuple[str, str], WideTable], list[str]]:
    """Return the rows with a score of each model, those of each pair, and a note."""
    filled = {
        name: ~find_blank(wide.cells[k])
        for k, name in wide.names.items()
        if name in models
    }
    n_rows = min(map(len, filled.values()), default=0)
    has = np.asarray([x[:n_rows] for x in filled.values()])
    common = np.flatnonzero(np.all(has, axis=0))
    if len(common) == n_rows:
        return wide, {}, []
    if not len(common):
        refuse(
            f"{wide.source}: expected rows with a score of every model; got none. "
            "Choose models that have some in common with --columns."
        )
    lacking = [
        f"{name} lacks {np.sum(~x)}" for name, x in filled.items() if not np.all(x)
    ]
    note = Caution(
        f"{n_rows - len(common)} of {n_rows} rows do not have a score of every model: "
        f"{shorten(lacking, _MAX_SHOWN, by='; ')}; left out"
    )
    pairs = {}
    names = list(filled)
    if len(names) > 2:
        for i, j in itertools.combinations(range(len(names)), 2):
            both = np.flatnonzero(has[i] & has[j])
            pairs[names[i], names[j]] = take_rows(wide, both.tolist())
    return take_rows(wide, common.tolist()), pairs, [note]


def take_pairs(
    of_pairs: Mapping[tuple[str, str], WideTable], chosen: Roles, unit: str | None
) -> dict[tuple[str, str], tuple[np.ndarray, np.ndarray]]:
    found = {}
    for (a, b), wide in of_pairs.items():
        scores = read_wide(
            wide,
            [a, b],
            item=chosen.get("item"),
            is_paired=True,
            is_averaged=have_parts(wide, chosen, unit),
        ).scores
        found[a, b] = scores[a], scores[b]
    return found


def count_averaged_rows(
    rows: WideTable, task: str, chosen: Roles, unit: str | None, models: Names
) -> dict[str, Averaged]:
    if unit != "item" or "item" not in chosen:
        return {}
    ids = list_names_of_rows(rows, chosen["item"], "item")
    counts = Counter(ids).values()
    if max(counts) == 1:
        return {}
    refuse_repeated_rows(rows, ids, [chosen["item"], *models])
    return {task: Averaged("item", "score", min(counts), max(counts))}


def count_dropped_rows(
    whole: WideTable, kept: WideTable, models: Names, task: str, unit: str
) -> dict[str, Dropped]:
    places = [k for k, x in whole.names.items() if x in models]
    n_all, n_kept = (max(len(x.cells[k]) for k in places) for x in (whole, kept))
    if n_kept == n_all:
        return {}
    n_scores = sum(int(find_missing(whole.cells[k]).sum()) for k in places)
    return {task: Dropped(unit, n_all - n_kept, n_all, n_scores, n_scores)}
