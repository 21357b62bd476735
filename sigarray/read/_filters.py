"""Choice of rows, by the values in a column, and of columns."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

import numpy as np

from sigarray._plain_text import suggest
from sigarray.read._bytes import TableError
from sigarray.read._cells import encode_texts, have_names, looks_like_score
from sigarray.read._codes import distinct, take
from sigarray.read._frame import Frame, find_roles, lacks_column, list_names
from sigarray.read._text import NUMBER


def keep_rows(
    frames: Sequence[Frame],
    where: Mapping[str, Sequence[str]],
    named: Collection[str] = (),
) -> list[Frame]:
    """Return the rows that have one of the values in each of the columns.

    Of a number that no cell is written as, those of the same size: 1e-3 is 0.001.
    A column by which rows were chosen is then left out, unless it has a role, or is
    `named` by other options.

    Raises
    ------
    TableError
        No such column, or no such value in it.
    """
    for name, values in where.items():
        for frame in frames:
            if name not in frame.columns:
                raise lacks_column(frame.source, name, frame.columns, "where")
        known = dict.fromkeys(
            x or "" for y in frames for x in encode_texts(y.columns[name]).list_known()
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
    return list(frames)


def _find_texts(value: str, known: Collection[str]) -> list[str]:
    """Return the texts of cells that a value stands for: itself, or the same number."""
    if value in known or not NUMBER.fullmatch(value):
        return [value] if value in known else []
    number = Decimal(value)
    return [x for x in known if NUMBER.fullmatch(x) and Decimal(x) == number]


def leave_out(frame: Frame, ignored: Sequence[str], chosen: Mapping[str, str]) -> Frame:
    """Leave out columns, so that they get no role.

    A column without a name that numbers the rows is left out too.

    Raises
    ------
    TableError
        The column that names the metrics, if there are several, which would be mixed.
    """
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
    columns = {x: y for x, y in frame.columns.items() if x not in ignored}
    left_out = {x: y for x, y in frame.columns.items() if x in ignored}
    return replace(frame, columns=columns, left_out={**frame.left_out, **left_out})


def _filter(frame: Frame, name: str, values: Sequence[str], *, is_named: bool) -> Frame:
    wanted = [x or None for x in values]
    kept = np.flatnonzero(encode_texts(frame.columns[name]).find(wanted))
    roles = {*find_roles(frame, {}).values()}
    columns = {x: take(y, kept) for x, y in frame.columns.items()}
    left_out = {x: take(y, kept) for x, y in frame.left_out.items()}
    if not is_named and name not in roles:
        left_out[name] = columns.pop(name)
    lines = take(frame.lines, kept.tolist())
    return replace(frame, columns=columns, left_out=left_out, lines=lines)
