"""Tables with a column of scores for each benchmark, such as leaderboards."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sigarray.read._bytes import TableError
from sigarray.read._cells import as_text
from sigarray.read._codes import take
from sigarray.read._frame import Frame, find_roles, lacks_column, list_names
from sigarray.read._losses import find_mixed
from sigarray.read._run_columns import are_runs, find_runs
from sigarray.read._score_table import Choice
from sigarray.read._short_names import join_names

_MAX_SHOWN = 4


def turn_benchmarks(frame: Frame, chosen: Mapping[str, str], choice: Choice) -> Frame:
    """Turn the columns that --score names, with commas, into a row for each score.

    They become tasks. Where a row is all there is of a model, they become items, by
    which models are paired: each has one score on each of them. Tables in which
    --score names one column are returned as they are.
    """
    score = chosen.get("score", "")
    names = join_names([x.strip() for x in score.split(",")], frame.columns)
    if score in frame.columns or len(names) < 2:
        return frame
    for name in names:
        if name not in frame.columns:
            error = lacks_column(frame.source, name, frame.columns, "score")
            if frame.metrics is None:
                raise error
            msg = f"{error} Or pass --metric {shlex.quote(score)}."
            raise TableError(msg)
    if are_runs(names) and choice.unit != "item":
        raise _ask_about_runs(frame, names)
    mixed = find_mixed(names)
    if mixed is not None and not isinstance(choice.higher_is_better, bool):
        loss, other = mixed
        msg = (
            f"{frame.source}: expected columns of one direction for --score; got "
            f"{loss!r}, which may be a loss, beside {other!r}. Compare them one at a "
            f"time, with --metric {shlex.quote(other)}; or, if higher is better in "
            "all of them, pass --higher-is-better."
        )
        raise TableError(msg)
    rest = {x: y for x, y in frame.columns.items() if x not in names}
    others = {x: y for x, y in chosen.items() if x != "score"}
    known = find_roles(replace(frame, columns=rest, metrics=None), others)
    role = "item" if _is_single(frame, known) else "task"
    if "task" in frame.constants:
        msg = (
            f"{frame.source}, read as {frame.kind}: expected one metric of task "
            f"{frame.constants['task']!r}; got {list_names(names)} (--score), which "
            "are of the same items. Choose one with --metric NAME."
        )
        raise TableError(msg)
    if role in known or {"score", role} & {*rest}:
        taken = known.get(role, "score" if "score" in rest else role)
        msg = (
            f"{frame.source}: expected no other column of {role}s or scores beside "
            f"those that --score names, which are of one {role} each; got {taken!r}. "
            "Choose one of them with --metric, or leave that column out."
        )
        raise TableError(msg)
    n_rows = len(frame.lines)
    rows = [k for k in range(n_rows) for _ in names]
    columns: dict[str, Any] = {x: take(y, rows) for x, y in rest.items()}
    columns[role] = list(names) * n_rows
    columns["score"] = [frame.columns[x][k] for k in range(n_rows) for x in names]
    note = f"columns {list_names(names, _MAX_SHOWN)} were taken for {role}s"
    if role == "item":
        note += (
            ": each model has one score on each, by which models are paired, and a "
            "verdict is on others like them"
        )
    return replace(
        frame,
        columns=columns,
        lines=take(frame.lines, rows),
        metrics=None if frame.metrics is None else ("score",),
        notes=(*frame.notes, note),
    )


def _ask_about_runs(frame: Frame, names: Sequence[str]) -> TableError:
    (metric,) = find_runs(names) or [""]
    of = f" of {metric!r}" if metric else ""
    by_name = f", and pass --metric {shlex.quote(metric)}" if metric else ""
    return TableError(
        f"{frame.source}: expected columns of benchmarks for --score; got "
        f"{list_names(names, _MAX_SHOWN)}, which seem to be runs{of}. Leave out "
        f"--score{by_name}; or, where each column is of an item by which models are "
        "paired, pass --unit item."
    )


def _is_single(frame: Frame, roles: Mapping[str, str]) -> bool:
    """Tell whether each model, on each task, has one row."""
    if "item" in roles:
        return False
    names = [frame.columns[roles[x]] for x in ("model", "task") if x in roles]
    keys = [tuple(map(as_text, x)) for x in zip(*names, strict=True)]
    return len({*keys}) == len(frame.lines) if keys else len(frame.lines) == 1
