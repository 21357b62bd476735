"""Scores with their model, item, run and so on, from the rows of files."""

import collections
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sigarray.read._cells import (
    as_text,
    encode_texts,
    find_blank,
    find_missing,
    is_blank,
    looks_like_score,
    read_cells,
)
from sigarray.read._codes import Coded, distinct, find_first, group_rows, repeat, take
from sigarray.read._filters import find_rows_of_metric
from sigarray.read._frame import (
    Frame,
    Roles,
    is_numeric,
    list_names,
    quote_names,
    refuse_twice,
    say_choice,
)
from sigarray.read._items import doubt_clusters
from sigarray.read._missing import MAX_NAMED, NAMES, Missing, say_rows
from sigarray.read._records import FACTORS, Records, find_crashed
from sigarray.read._roles import find_roles, find_score, list_metrics
from sigarray.read._settings import say_settings
from sigarray.read._several_scores import advise_raters, find_item_sums
from sigarray.read._steps import find_blank_steps
from sigarray.read._text import refuse
from sigarray.read._tracked import refuse_run_names, refuse_tags, say_unfinished
from sigarray.read._words import count_up, measures_quality

# Letters of a text, on average, that is no name.
_LONG = 40


@dataclass(frozen=True)
class Reading:
    """The scores of a file, how they were written, and what was changed.

    `n_blank` counts scores that were left out as blank, by task and model, None if not
    named. In `settings`, runs of one model differ.
    """

    records: Records
    is_percent: bool
    notes: list[str]
    doubts: list[str]
    n_blank: Mapping[tuple[str | None, str | None], int]
    settings: Sequence[str] = ()


def read_records(
    frame: Frame,
    chosen: Roles,
    metric: str | None,
    missing: Missing | None,
    is_wanted: Callable[[Coded], np.ndarray] | None,
) -> Reading:
    """Return the scores of a table with a row for each.

    Those of models that are not wanted are NaN, and may lack other cells; so are
    missing ones that are to be treated, blank ones of a table with steps, and all of
    runs that have crashed. Other blank ones are left out.
    """
    refuse_twice(frame.source, frame.twice)
    roles = find_roles(frame, chosen)
    rows = np.arange(len(frame.lines))
    if "metric" in roles:
        metric, rows = find_rows_of_metric(frame, roles["metric"], metric)
    column = _find_column(frame, roles, metric, chosen)
    cells = take(frame.columns[column], rows)
    # What a run has logged before it crashed is no score of it, unless it is kept.
    have_crashed = find_crashed(_read_factor(frame, roles, "state", rows))
    have_crashed &= missing != "keep"
    missing = None if missing == "keep" else missing
    is_other = _find_others(frame, roles, rows, is_wanted)
    lacks = have_crashed | is_other | (find_missing(cells) & (missing is not None))
    blank = find_blank(cells)
    is_kept = lacks | ~blank
    is_blank = np.zeros(len(rows), bool)
    if "step" in roles:
        is_blank = find_blank_steps(frame, roles, rows, blank)
        is_kept = ~blank | is_blank
        lacks |= is_blank
    elif missing == "drop":
        names = [take(frame.columns[roles[x]], rows) for x in FACTORS if x in roles]
        is_kept &= ~(blank & np.any([*map(find_blank, names)], axis=0)) | have_crashed
    may_lack = (have_crashed | is_other)[is_kept]
    left_out, filled, lacks = rows[~is_kept], rows[is_kept], lacks[is_kept]
    known = filled[~lacks]
    numbers = read_cells(
        {column: take(frame.columns[column], known)},
        lambda name, k: frame.place(name, known[k]),
        of_items="item" in roles,
    )
    scores = np.full(len(filled), np.nan)
    scores[~lacks] = numbers.columns[column]
    notes = [
        *frame.notes,
        *say_unfinished(frame, roles),
        *numbers.notes,
        *_say_renamed(frame, column),
        *_say_of_others(frame, roles, column, metric),
    ]
    n_blank = _count_rows(frame, roles, left_out)
    if len(left_out):
        models = collections.Counter[str]()
        for (_, model), n in n_blank.items():
            models[model or ""] += n
        del models[""]  # those of files that name none
        notes.append(say_rows(len(left_out), models, _list_few(frame, roles, left_out)))
    of_runs = frame.kind.startswith("runs of ")
    if frame.metrics is None or of_runs:
        # Trackers have many columns beside those that tell scores apart.
        notes += _say_columns(frame, roles, column, chosen)[: 1 if of_runs else None]
    name = metric if metric is not None and "metric" in roles else column
    factors = {
        role: _read_factor(frame, roles, role, filled, may_lack) for role in FACTORS
    }
    records = Records(
        (frame,),
        (frame.metric or name,),
        (roles,),
        np.broadcast_to(np.int32(0), len(filled)),
        filled,
        scores,
        _read_steps(frame, roles, filled, may_lack),
        is_blank[is_kept],
        factors,
    )
    if not len(records):
        refuse(f"{frame.source}: expected rows of scores; got none in {column!r}.")
    counts = np.flatnonzero(~lacks | (missing != "drop"))
    said, settings = say_settings(
        frame, roles, column, factors["model"][counts], filled[counts]
    )
    doubts = [f"{frame.source}: {x}" for x in frame.doubts]
    doubts += _doubt_columns(frame, roles, column, factors["model"], filled)
    # At some steps no score is taken; runs of trackers may not have ended; and items
    # without a score are unmatched.
    has_all = not {"step", "item"} & {*roles} and not of_runs
    return Reading(
        records,
        numbers.is_percent,
        [*notes, *said],
        doubts,
        n_blank if has_all else {},
        settings,
    )


def _find_others(
    frame: Frame,
    roles: Roles,
    rows: np.ndarray,
    is_wanted: Callable[[Coded], np.ndarray] | None,
) -> np.ndarray:
    if is_wanted is None or "model" not in roles:
        return np.zeros(len(rows), bool)
    return ~is_wanted(encode_texts(take(frame.columns[roles["model"]], rows)))


def _say_renamed(frame: Frame, column: str) -> list[str]:
    return [
        f"{of_tool} of samples is the {of_values} of each document, of which higher is "
        f"better: the harness reports exp(-mean) as {of_tool}"
        for of_tool, of_values in frame.renamed.items()
        if column.partition(",")[0] == of_values
    ]


def _find_column(frame: Frame, roles: Roles, metric: str | None, chosen: Roles) -> str:
    refuse_run_names(frame, roles)
    refuse_tags(frame, roles)
    column = find_score(frame, roles, metric)
    is_said = metric is not None or "score" in chosen or frame.metric is not None
    is_stated = frame.metrics is not None or {"score", "metric"} & {*frame.roles}
    if is_said or is_stated or column != roles.get("score"):
        return column
    others = [x for x in list_metrics(frame, roles) if measures_quality(x)]
    if others:
        others = [column, *others]
        refuse(
            f"{frame.source}, read as {frame.kind}: expected one column of scores; got "
            f"{list_names(others)}. {say_choice(others)}."
        )
    return column


def _say_of_others(
    frame: Frame, roles: Roles, column: str, metric: str | None
) -> list[str]:
    """Say that other columns have ratings, too, or numbers of a metric of the set.

    One count alone, as --metric says, is refused: more true positives may be worse.
    """
    if frame.metrics is not None or "metric" in roles:
        return []
    sums = find_item_sums([x for x, y in frame.columns.items() if is_numeric(y)], roles)
    if sums is not None and metric is not None and column in sums.counts:
        refuse(
            f"{frame.source}: expected scores; got {column!r} (--metric) beside "
            f"{list_names([x for x in sums.columns if x != column])}, of whose sums "
            f"{sums.metric} is computed. Pass {sums.advice}; or, for the mean of "
            f"{column!r} alone, --score {shlex.quote(column)}."
        )
    whole = sums and sums.take_whole(column)
    if whole is not None:
        return [
            f"the mean of {column!r} of items is compared, not {whole.metric} of the "
            f"whole set: for that, pass {whole.advice}"
        ]
    if metric is None:
        return []
    raters = advise_raters(frame, list_metrics(frame, roles), roles)
    if raters is None or column not in raters.columns:
        return []
    return [
        f"{list_names(raters.columns, 4)} may have the ratings of one rater each, of "
        f"which {column!r} alone is taken. To average them, pass {raters.options}"
    ]


def _list_few(frame: Frame, roles: Roles, rows: np.ndarray) -> list[dict[str, str]]:
    columns = {role: frame.columns[roles[role]] for role in NAMES if role in roles}
    return [
        {role: as_text(x[k]) for role, x in columns.items() if not is_blank(x[k])}
        for k in (rows if len(rows) <= MAX_NAMED else ())
    ]


def _count_rows(
    frame: Frame, roles: Roles, rows: np.ndarray
) -> dict[tuple[str | None, str | None], int]:
    factors = []
    is_named = np.ones(len(rows), bool)
    for role in ("task", "model"):
        column = frame.columns.get(roles.get(role, ""))
        if column is None:
            factors.append(repeat(frame.constants.get(role), len(rows)))
        else:
            factors.append(encode_texts(take(column, rows)))
            is_named &= factors[-1].codes >= 0
    groups, n_groups = group_rows(factors)
    counts = np.bincount(groups[is_named], minlength=n_groups).tolist()
    first = find_first(groups, n_groups)
    return {
        (factors[0][k], factors[1][k]): n
        for k, n in zip(first, counts, strict=True)
        if n
    }


def _say_columns(frame: Frame, roles: Roles, score: str, chosen: Roles) -> list[str]:
    known = {role: x for role, x in roles.items() if role not in chosen}
    known["score"] = score
    said = ", ".join(f"{role} is {name!r}" for role, name in known.items())
    notes = [f"of its columns, {said}"]
    unused = [x for x in frame.columns if x not in {*roles.values(), score}]
    if telling := [x for x in unused if _may_tell_apart(frame.columns[x], roles)]:
        notes.append(
            f"not used: {list_names(telling, 8)}; name what tells scores apart with "
            "--item, --run or --task"
        )
    return notes + doubt_clusters(frame, roles, unused)


def _may_tell_apart(cells: Any, roles: Roles) -> bool:
    texts = [str(x) for x in encode_texts(cells).list_known() if x is not None]
    if len(texts) < 2 or sum(map(len, texts)) > _LONG * len(texts):
        return False
    is_of_rows = len(texts) == len(cells) and all(map(str.isdecimal, texts))
    return not (is_of_rows and "model" in roles and count_up([*map(int, texts)]))


def _doubt_columns(
    frame: Frame, roles: Roles, score: str, models: Coded, rows: np.ndarray
) -> list[str]:
    if frame.metrics is not None or {"run", "item", "cluster"} & set(roles):
        return []
    n_models = len(models.list_known())
    doubts = []
    for name, column in frame.columns.items():
        cells = take(column, rows)
        if name in (*roles.values(), score) or any(
            map(looks_like_score, distinct(cells))
        ):
            continue
        texts = encode_texts(cells)
        n_values = sum(x is not None for x in texts.list_known())
        n_pairs = group_rows([models, texts])[1]
        if n_values > 1 and n_pairs == n_models * n_values < len(rows):
            doubts.append(
                f"{frame.source}: scores of all {n_values} values of column "
                f"{name!r} were taken together, as runs. Where these are tasks, pass "
                f"--task {name}"
            )
    return doubts


def _read_factor(
    frame: Frame,
    roles: Roles,
    role: str,
    rows: np.ndarray,
    may_lack: np.ndarray | None = None,
) -> Coded:
    """Return the names in a role; rows that `may_lack` theirs are of other models."""
    if role not in roles:
        return repeat(frame.constants.get(role), len(rows))
    name = roles[role]
    cells = take(frame.columns[name], rows)
    factor = encode_texts(cells)
    if role == "state":  # of runs without one nothing is known
        return factor
    is_known = np.asarray([x != "nan" for x in factor.values] + [False])
    lacks = ~is_known[factor.codes]
    if may_lack is not None:
        lacks &= ~(may_lack & (factor.codes < 0))
    for k in np.flatnonzero(lacks):
        cell = cells[k]
        if is_blank(cell) or not isinstance(cell, str):
            named = role == "run" and frame.run_name not in (None, name)
            other = f"; or pass --run {frame.run_name}, which names each run"
            refuse(
                f"{frame.place(name, rows[k])}: expected the {role} of a score; got "
                f"{'a blank cell' if is_blank(cell) else cell}. Fill it in, or "
                f"leave out the row{_advise_models(frame, roles, rows, lacks)}"
                f"{other if named else ''}."
            )
    return factor


def _advise_models(
    frame: Frame, roles: Roles, rows: np.ndarray, lacks: np.ndarray
) -> str:
    if "model" not in roles:
        return ""
    models = encode_texts(take(frame.columns[roles["model"]], rows))
    lacking = models[lacks].list_known()
    having = models[~lacks].list_known()
    if None in lacking or len(having) < 2 or {*lacking} & {*having}:
        return ""
    return f", or all of a model: --ignore {quote_names(lacking)}, or --columns"


def _read_steps(
    frame: Frame, roles: Roles, rows: np.ndarray, may_lack: np.ndarray
) -> np.ndarray:
    if "step" not in roles:
        return np.broadcast_to(np.nan, len(rows))
    name = roles["step"]
    _read_factor(frame, roles, "step", rows, may_lack)
    numbers = read_cells(
        {name: take(frame.columns[name], rows)}, lambda _, k: frame.place(name, rows[k])
    )
    return numbers.columns[name]
