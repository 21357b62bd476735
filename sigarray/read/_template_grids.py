"""Names of columns that are all pairs of two parts, such as models and raters."""

import re
from collections.abc import Mapping, Sequence

from sigarray.read._frame import Names, list_names
from sigarray.read._messages import Caution
from sigarray.read._words import is_summary

_MAX_SHOWN = 4


def find_wider_grid(
    names: Names, template: str, known: Sequence[Mapping[str, str] | None]
) -> list[dict[str, str] | None] | None:
    """Return the grid of `find_grid` if all known names with a part of it are in it.

    Runs that are numbers are so, beside columns of other names.
    """
    said = [x for x in known if x is not None]
    grid = find_grid(names, template)
    parts = {y for x in grid if x is not None for y in x.values()}
    others = [
        x for x, y in zip(known, grid, strict=True) if x is not None and y is None
    ]
    is_apart = all(parts.isdisjoint(x.values()) for x in others)
    are_numbers = bool(said) and all(x.get("run", "").isdecimal() for x in said)
    return grid if parts and is_apart and not are_numbers else None


def find_grid(names: Names, template: str) -> list[dict[str, str] | None]:
    """Read names by a template of two fields so that most are in a whole grid.

    There each first part has each second one, whatever texts these are; none of them is
    called as means are. None for other names, and for all if there is no grid.
    """
    pieces = re.split(r"\{(\w+)\}", template)
    if len(pieces) != 5 or "*" in template or not pieces[2]:
        return [None] * len(names)
    start, first, mark, second, end = pieces
    cells = {}
    for name in names:
        if len(name) > len(start + end) and name.startswith(start):
            text = name.removeprefix(start).removesuffix(end)
            for x in re.finditer(f"(?={re.escape(mark)})", text):
                parts = text[: x.start()], text[x.start() + len(mark) :]
                if (
                    name.endswith(end)
                    and all(parts)
                    and not any(map(is_summary, parts))
                ):
                    cells[parts] = name
    rows: dict[str, list[str]] = {}
    columns: dict[str, list[str]] = {}
    for a, b in cells:
        rows.setdefault(a, []).append(b)
        columns.setdefault(b, []).append(a)
    found: dict[str, dict[str, str]] = {}
    for a, b in cells:
        grid = {
            cells[x, y]: {first: x, second: y}
            for x in columns[b]
            for y in rows[a]
            if (x, y) in cells
        }
        is_whole = len(grid) == len(columns[b]) * len(rows[a])
        if (
            is_whole
            and min(len(columns[b]), len(rows[a])) > 1
            and len(grid) > len(found)
        ):
            found = grid
    return [found.get(name) for name in names]


def say_others(names: Names, models: Names, template: str) -> list[str]:
    """Say which columns do not fit a template; warn of those of known models.

    Their names begin or end with that of a model, but for those of means.
    """
    known = "|".join(map(re.escape, models))
    pattern = re.compile(rf"({known})([\W_]+(?P<a>.*))?|(?P<b>.*)[\W_]({known})")
    found = [(x, pattern.fullmatch(x)) for x in names]
    near = [
        x for x, y in found if models and y and not is_summary(y["a"] or y["b"] or "")
    ]
    said = []
    for some, as_note in (near, Caution), ([x for x in names if x not in near], str):
        if some:
            fit, were = (
                ("column does", "was") if len(some) == 1 else ("columns do", "were")
            )
            said.append(
                as_note(
                    f"{len(some)} {fit} not fit --columns {template!r}, and {were} "
                    f"left out: {list_names(some, _MAX_SHOWN)}"
                )
            )
    return said
