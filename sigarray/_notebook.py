"""Results of single functions as tables of HTML, for notebooks."""

import html
import itertools
from typing import Any

import numpy as np

from sigarray._backend.dispatch import is_traced
from sigarray._host import copy_array
from sigarray._plain_text import show_number

_MOST_ROWS = 20
_DIGITS = 4
_CELL = 'style="text-align: right"'


def draw_result(result: Any, columns: dict[str, Any] | None = None) -> str | None:
    """Return a table with a row for each entry of a batch, at most twenty.

    Columns are arrays by their names, by default those of the result.

    This copies the arrays of the result to the host, when it is shown and not before.
    None for arrays that are traced, which have no numbers: then its text is shown.
    """
    columns = _flatten(result) if columns is None else columns
    if any(is_traced(x) for x in columns.values()):
        return None
    arrays = [copy_array(x) for x in columns.values()]
    shape = np.broadcast_shapes(*(x.shape for x in arrays))
    rows = np.stack([np.broadcast_to(x, shape).reshape(-1) for x in arrays], axis=-1)
    # The places of an entry on the axes of the batch.
    first = itertools.islice(np.ndindex(shape), _MOST_ROWS)
    places = [f"[{', '.join(map(str, place))}]" for place in first]
    drawn = [_draw_row([""] * bool(shape) + list(columns), "th")]
    for place, row in zip(places, rows[:_MOST_ROWS], strict=True):
        cells = [show_number(x, _DIGITS) for x in row.tolist()]
        drawn.append(_draw_row([place] * bool(shape) + cells, "td"))
    more = len(rows) - _MOST_ROWS
    left_out = f"<p>and {more} more</p>" if more > 0 else ""
    name = html.escape(type(result).__name__)
    table = "".join(drawn)
    return f"<table><caption>{name}</caption>{table}</table>{left_out}"


def _flatten(result: Any, prefix: str = "") -> dict[str, Any]:
    """Return the arrays of a result and of those in it, by their names."""
    flat: dict[str, Any] = {}
    for name, value in result._asdict().items():
        if hasattr(value, "_asdict"):
            flat |= _flatten(value, f"{prefix}{name}.")
        else:
            flat[f"{prefix}{name}"] = value
    return flat


def _draw_row(cells: list[str], kind: str) -> str:
    inner = "".join(f"<{kind} {_CELL}>{html.escape(x)}</{kind}>" for x in cells)
    return f"<tr>{inner}</tr>"
