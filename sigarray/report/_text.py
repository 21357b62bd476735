"""Print tables and sentences as text, with rich if it is installed."""

import io
import itertools
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Literal

from sigarray.report._layout import Report, Table, neutralise

_MIN_WIDTH = 40
# Names are not cut to fewer letters.
_SHORTEST = 12
_UNLIMITED = 10**6
# Longer tables would take rich seconds.
_MAX_RICH_ROWS = 1000


def print_text(report: Report) -> None:
    """Print tables and sentences, with rich if it is installed."""
    report = neutralise(report)
    if any(len(table.rows) > _MAX_RICH_ROWS for table in report.tables):
        print(render_text(report), end="")
        return
    try:
        import rich  # noqa: F401
    except ImportError:
        print(render_text(report), end="")
    else:
        print(_render_rich(report), end="")


def render_text(report: Report) -> str:
    blocks = [_wrap(report.headline)] if report.headline else []
    blocks += [_render_plain(table) for table in report.tables]
    return "\n\n".join([*blocks, _render_prose(report)]) + "\n"


def _wrap(lines: Sequence[str]) -> str:
    """Wrap lines to the width of the terminal."""
    return "\n".join(textwrap.fill(line, _find_width()) for line in lines)


def _find_width() -> int:
    return max(_MIN_WIDTH, shutil.get_terminal_size().columns)


def _render_prose(report: Report) -> str:
    lines = [_wrap([*report.said, *report.advice]), "", f"Method: {report.method}."]
    if report.signature is not None:
        lines.append(f"Signature: {report.signature}")
    return "\n".join(lines)


def _render_plain(table: Table) -> str:
    table = fit(table, _find_width())
    cells = [table.header, *table.rows]
    widths = [max(map(_width, column)) for column in zip(*cells, strict=True)]
    lines = []
    for row in cells:
        padding = [" " * (w - _width(c)) for c, w in zip(row, widths, strict=True)]
        padded = [
            cell + pad if column < table.name_columns else pad + cell
            for column, (cell, pad) in enumerate(zip(row, padding, strict=True))
        ]
        lines.append("  ".join(padded))
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join([table.title, "", *(line.rstrip() for line in lines)])


def fit(table: Table, width: int) -> Table:
    """Cut long names in the middle, as far as a table would else be too wide.

    They stay different from each other, and no shorter than a few letters.
    """
    names = {x for row in table.rows for x in row[: table.name_columns]}
    longest = max(map(_width, names), default=0)
    shown = rows = [table.header, *table.rows]
    for limit in range(longest, _SHORTEST - 1, -1):
        short = shorten_names(names, limit)
        shown = [[short.get(cell, cell) for cell in row] for row in rows]
        columns = zip(*shown, strict=True)
        if sum(max(map(_width, column)) + 2 for column in columns) - 2 <= width:
            break
    return replace(table, header=shown[0], rows=shown[1:])


def shorten_names(names: Collection[str], limit: int) -> dict[str, str]:
    """Return short forms of longer names: their ends, or else where they differ.

    An ellipsis is where letters are left out. Names stay as they are if no short forms
    were found that all differ.
    """
    long = [name for name in names if _width(name) > limit]
    others = set(names).difference(long)
    for way in _list_ways(long, limit):
        if len(others.union(way)) == len(names):
            return dict(zip(long, way, strict=True))
    return {}


def _list_ways(names: Sequence[str], limit: int) -> Iterator[list[str]]:
    for tail in (limit // 2, *range(limit - 1)):
        yield [f"{x[: limit - 1 - tail]}…{x[len(x) - tail :]}" for x in names]
    letters = zip(*names, strict=False)
    n_shared = sum(1 for _ in itertools.takewhile(lambda x: len({*x}) == 1, letters))
    start = max(0, n_shared - limit // 4)
    yield [f"…{x[start : start + limit - 2]}…" for x in names]


def _width(text: str) -> int:
    """Count the columns of a text in a terminal."""
    return sum(
        0
        if unicodedata.combining(character)
        else 2
        if unicodedata.east_asian_width(character) in "WF"
        else 1
        for character in text
    )


def _render_rich(report: Report) -> str:
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    # As wide as needed: rich would cut off cells in a narrow terminal.
    console = Console(
        file=io.StringIO(), width=_UNLIMITED, force_terminal=sys.stdout.isatty()
    )
    if report.headline:
        console.print(Text(_wrap(report.headline)), soft_wrap=True)
        console.print()
    for table in (fit(x, _find_width()) for x in report.tables):
        rich_table = RichTable(
            box=box.SIMPLE_HEAD,
            collapse_padding=True,
            pad_edge=False,
            show_edge=False,
        )
        for column, name in enumerate(table.header):
            is_name = column < table.name_columns
            justify: Literal["left", "right"] = "left" if is_name else "right"
            rich_table.add_column(Text(name), justify=justify, no_wrap=True)
        for i, row in enumerate(table.rows):
            styles = [
                "bold green" if (i, j) in table.marked else "" for j in range(len(row))
            ]
            cells = [Text(cell, style) for cell, style in zip(row, styles, strict=True)]
            rich_table.add_row(*cells)
        for part in (Text(table.title), "", rich_table, ""):
            console.print(part)
    text = console.file.getvalue() + _render_prose(report) + "\n"  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in text.split("\n"))
