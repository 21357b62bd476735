"""Refuse tables that are not what they seem."""

from collections.abc import Mapping, Sequence

from sigarray.read._bytes import TableError
from sigarray.read._frame import Frame, find_roles, is_long

# Names of rows that pandas, spreadsheets and people add below scores.
SUMMARIES = frozenset(
    ("mean", "std", "avg", "average", "median", "total", "sum", "overall", "±", "sem")
)
_NAMING = ("model", "task", "metric")


def refuse_summary_rows(
    frame: Frame, chosen: Mapping[str, str], ignored: Sequence[str]
) -> None:
    """Refuse rows of means beside those of which they are the means.

    Their label may be in a column that was left out; names of models, tasks and metrics
    are no such labels.

    Raises
    ------
    TableError
        A row that is named "mean", "std" and so on, beside others that are not.
    """
    if frame.metrics is not None:
        return
    roles = {**find_roles(frame, {}), **chosen}
    names = {roles[role] for role in _NAMING if role in roles}
    if is_long(frame, {}):  # whose runs and items are looked at when they are joined
        names |= {roles[x] for x in ("run", "item") if x in roles} - {*ignored}
    for column, cells in frame.columns.items():
        if column in names or not any(isinstance(x, str) for x in cells):
            continue
        found = [k for k, x in enumerate(cells) if _is_summary(x)]
        if 0 < len(found) < len(cells):
            msg = (
                f"{frame.place(column, found[0])}: expected a row of scores; got "
                f"{str(cells[found[0]]).strip()!r}, which is hardly one beside others. "
                "Leave out such rows, or rename them."
            )
            raise TableError(msg)


def _is_summary(cell: object) -> bool:
    return isinstance(cell, str) and cell.strip().lower() in SUMMARIES
