"""Columns that are named by the ends of their names: arch is config.arch."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from sigarray.read._frame import Frame
from sigarray.read._score_table import Choice


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


def join_names(names: Sequence[str], columns: Collection[str]) -> list[str]:
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
