"""Rows that are wanted, by what is in a column."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sigarray.read._bytes import TableError
from sigarray.read._frame import Frame, find_roles, list_names
from sigarray.read._records import as_text


def keep_rows(frame: Frame, where: Mapping[str, Sequence[str]]) -> Frame:
    """Give the rows that have one of the values in each of the columns.

    A column that has said which rows are wanted is then left out, but for one of a
    role.

    Raises
    ------
    TableError
        No such column, or no such value in it.
    """
    roles = {*find_roles(frame, {}).values()}
    for name, values in where.items():
        if name not in frame.columns:
            msg = (
                f"{frame.source} has no column {name!r} (--where). Its columns are "
                f"{list_names(frame.columns)}."
            )
            raise TableError(msg)
        cells = [as_text(x) for x in frame.columns[name]]
        for value in values:
            if value not in cells:
                msg = (
                    f"{frame.source}, column {name!r}: expected a value of it for "
                    f"--where; got {value!r}. Those in it: "
                    f"{list_names(list(dict.fromkeys(cells)))}."
                )
                raise TableError(msg)
        kept = [k for k, x in enumerate(cells) if x in values]
        frame = replace(
            frame,
            columns={
                column: [x[k] for k in kept]
                for column, x in frame.columns.items()
                if column != name or name in roles
            },
            lines=[frame.lines[k] for k in kept],
        )
    return frame
