"""Choice of rows, by the values in a column, and of columns, by short names."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

import numpy as np

from sigarray._backend.given import names_steps
from sigarray._plain_text import suggest
from sigarray.read._cells import encode_texts, have_names, looks_like_score
from sigarray.read._codes import distinct, split_rows, take
from sigarray.read._frame import Frame, Names, Roles, lacks_column, list_names
from sigarray.read._lm_settings import has_filters, keep_filters
from sigarray.read._messages import Caution
from sigarray.read._missing import MAX_NAMED, NAMES, name_few
from sigarray.read._roles import find_roles
from sigarray.read._score_table import Choice
from sigarray.read._text import NUMBER, TableError


def keep_rows(
    frames: Sequence[Frame], choice: Choice, named: Collection[str] = ()
) -> list[Frame]:
    """Return the rows that have one of the chosen values in each of the columns.

    Samples of lm-evaluation-harness have a column for each filter, instead of rows.
    Of a number that no cell is written as, those of the same size: 1e-3 is 0.001.
    A column by which rows were chosen is then left out, unless it has a role, or is
    `named` by other options.
    """
    whole = frames
    for name, values in (choice.where or {}).items():
        if name == "filter" and has_filters(frames):
            frames = keep_filters(frames, values)
            continue
        for frame in frames:
            if name not in frame.columns:
                raise lacks_column(frame.source, name, frame.columns, "where")
        known = dict.fromkeys(
            x or ""
            for y in frames
            for cells in (y.columns[name], y.unfinished.get(name, ()))
            for x in encode_texts(cells).list_known()
        )
        wanted: list[str] = []
        for value in values:
            texts = _find_texts(value, known)
            if not texts:
                msg = (
                    f"{frames[0].source}, column {name!r}: expected a value of it for "
                    f"--where; got {value!r}.{suggest(value, known)} Those in it: "
                    f"{list_names(list(known))}."
                )
                raise TableError(msg)
            wanted += texts
        is_named = name in named
        frames = [_filter(x, name, wanted, is_named=is_named) for x in frames]
    n, n_all = (sum(len(x.lines) + x.n_unfinished for x in y) for y in (frames, whole))
    if n < n_all:
        by = [f"{x}={' or '.join(y)}" for x, y in (choice.where or {}).items()]
        note = f"{n:,} of {n_all:,} rows have {' and '.join(by)}"
        frames = [replace(x, notes=(*x.notes, note)) for x in frames]
    return list(frames)


def _find_texts(value: str, known: Collection[str]) -> list[str]:
    """Return the texts of cells that a value stands for: itself, or the same number."""
    if value in known or not NUMBER.fullmatch(value):
        return [value] if value in known else []
    number = Decimal(value)
    return [x for x in known if NUMBER.fullmatch(x) and Decimal(x) == number]


def say_without_steps(
    names: Names, kept: Collection[str], where: Mapping[str, Names] | None
) -> list[str]:
    """Say which files have no row of the chosen steps, as of a run that has crashed."""
    lost = [x for x in names if x not in kept]
    steps = [
        f"{x}={' or '.join(y)}" for x, y in (where or {}).items() if names_steps(x)
    ]
    if not lost or not steps:
        return []
    which = list_names(lost, MAX_NAMED)
    said = f"files without a row of {' and '.join(steps)} were left out: {which}"
    return [Caution(said)]


def leave_out(frame: Frame, ignored: Names, chosen: Roles) -> Frame:
    """Leave out columns, so that they get no role.

    A column without a name that numbers the rows is left out too. Of runs whose seed
    is left out, the tracker's own names are taken.
    """
    for role, name in chosen.items():
        if name in ignored and name in frame.columns:
            msg = (
                f"{frame.source}: expected --{role} and --ignore to name other "
                f"columns; got {name!r} for both. Leave out one of them."
            )
            raise TableError(msg)
    state = frame.roles.get("state")
    if state in ignored:
        msg = (
            f"{frame.source}: expected --ignore to name other columns; got {state!r}, "
            f"which says of {frame.kind} whether they have finished, and is always "
            "read. Leave it out of --ignore, and choose what becomes of runs that have "
            "crashed: --missing drop, --missing worst, or --missing keep."
        )
        raise TableError(msg)
    metric = find_roles(frame, chosen).get("metric") if ignored else None
    if metric is not None and metric in ignored:
        metrics = [x or "" for x in encode_texts(frame.columns[metric]).list_known()]
        if len(metrics) > 1:
            msg = (
                f"{frame.source}, column {metric!r}: expected one metric; got "
                f"{list_names(metrics)}, and --ignore {metric}, which would mix "
                "them. Choose one with --metric NAME."
            )
            raise TableError(msg)
    unnamed = distinct(frame.columns.get("", ()))
    are_numbers = all(map(looks_like_score, unnamed)) and not have_names(unnamed)
    if "" not in chosen.values() and are_numbers:
        ignored = [*ignored, ""]
    frame = _leave_out_parts(frame, ignored)
    gone = set(ignored)
    columns = {x: y for x, y in frame.columns.items() if x not in gone}
    left_out = {x: y for x, y in frame.columns.items() if x in gone}
    roles = {role: x for role, x in frame.roles.items() if x not in gone}
    if "run" in frame.roles and frame.run_name in columns:
        roles.setdefault("run", frame.run_name)
    scores = frame.metrics and tuple(x for x in frame.metrics if x not in gone)
    return replace(
        frame,
        columns=columns,
        left_out={**frame.left_out, **left_out},
        roles=roles,
        metrics=scores,
    )


def _leave_out_parts(frame: Frame, ignored: Names) -> Frame:
    """Leave out runs by the columns that they have in the file, or by their names."""
    gone = {run for x, run in frame.parts.items() if run and {x, run} & {*ignored}}
    if not gone or frame.run_name is None:
        return frame
    is_gone = encode_texts(frame.columns[frame.run_name]).find(gone)
    return frame.take(np.flatnonzero(~is_gone))


def _filter(frame: Frame, name: str, values: Names, *, is_named: bool) -> Frame:
    wanted = [x or None for x in values]
    frame = _filter_unfinished(frame, name, wanted)
    kept = np.flatnonzero(encode_texts(frame.columns[name]).find(wanted))
    roles = find_roles(frame, {})
    if roles.get("step") == name:
        notes = _say_lost(frame, roles, kept, f"{name}={' or '.join(values)}")
        frame = replace(frame, notes=(*frame.notes, *notes))
    frame = frame.take(kept)
    if is_named or name in roles.values():
        return frame
    columns = {x: cells for x, cells in frame.columns.items() if x != name}
    left_out = {**frame.left_out, name: frame.columns[name]}
    return replace(frame, columns=columns, left_out=left_out)


def _filter_unfinished(frame: Frame, name: str, wanted: list[str | None]) -> Frame:
    """Return the frame with those runs that have not ended which are wanted, too."""
    if name not in frame.unfinished:
        return frame
    kept = np.flatnonzero(encode_texts(frame.unfinished[name]).find(wanted))
    unfinished = {x: take(cells, kept) for x, cells in frame.unfinished.items()}
    return replace(frame, unfinished=unfinished, n_unfinished=len(kept))


def _say_lost(frame: Frame, roles: Roles, kept: np.ndarray, where: str) -> list[str]:
    """Say which runs have none of the chosen steps, and so are left out."""
    names = {x: encode_texts(frame.columns[roles[x]]) for x in NAMES[:-1] if x in roles}
    runs = split_rows([*names.values()]) if "run" in names else []
    lost = [rows[0] for rows in runs if not np.isin(rows, kept).any()]
    if not lost or len(lost) == len(runs):
        return []
    few = [{role: x[k] for role, x in names.items()} for k in lost[:MAX_NAMED]]
    more = f"; and {len(lost) - len(few)} more" if len(lost) > len(few) else ""
    said = f"runs without a row of {where} were left out: {name_few(few)}{more}"
    return [Caution(said)]


def write_out(choice: Choice, tables: Sequence[Frame | None]) -> Choice:
    """Return the choice with whole names of columns, as trackers write them.

    A name that no column has stands for the only one that ends with it, behind a point
    or a slash. Other names stay as they are. Of a list, neighbours that together are
    the name of a column are that one: acc,none.
    """
    columns = {x for frame in tables if frame is not None for x in frame.columns}
    if not columns:
        return choice
    chosen = {role: _find_all(x, columns) for role, x in (choice.columns or {}).items()}
    where = {_find(x, columns): y for x, y in (choice.where or {}).items()}
    return replace(
        choice,
        columns=choice.columns and chosen,
        where=choice.where and where,
        ignored=join_names(choice.ignored, columns),
        models=choice.models and join_names(choice.models, columns),
    )


def _find_all(name: str, columns: Collection[str]) -> str:
    """Return a name, or several with commas, in full."""
    if name in columns:
        return name
    names = join_names([x.strip() for x in name.split(",")], columns)
    return ",".join(_find(x, columns) for x in names)


def join_names(names: Names, columns: Collection[str]) -> list[str]:
    """Return names, of which those of a column with commas had been split."""
    joined: list[str] = []
    start = 0
    while start < len(names):
        ends = range(len(names), start + 1, -1)
        whole = (end for end in ends if ",".join(names[start:end]) in columns)
        end = next(whole, start + 1)
        joined.append(",".join(names[start:end]))
        start = end
    return joined


def _find(name: str, columns: Collection[str]) -> str:
    ends = [x for x in columns if x.endswith((f".{name}", f"/{name}"))]
    return ends[0] if name and name not in columns and len(ends) == 1 else name
