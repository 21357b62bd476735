"""Print tables and sentences as text, with rich if it is installed."""

import io
import re
import shutil
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from sigarray._plain_text import cut_shared, shorten_names, width
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
    widths = [max(map(width, column)) for column in zip(*cells, strict=True)]
    lines = []
    for row in cells:
        padding = [" " * (w - width(c)) for c, w in zip(row, widths, strict=True)]
        padded = [
            cell + pad if column < table.name_columns else pad + cell
            for column, (cell, pad) in enumerate(zip(row, padding, strict=True))
        ]
        lines.append("  ".join(padded))
    lines.insert(1, "  ".join("-" * n for n in widths))
    return "\n".join([table.title, "", *(line.rstrip() for line in lines)])


def fit(table: Table, most: int) -> Table:
    """Cut long names, as far as a table would else be too wide.

    They stay different from each other, and no shorter than a few letters.
    """
    if _measure(table) > most:
        table = _cut_names(table)
    names = {x for row in table.rows for x in row[: table.name_columns]}
    longest = max(map(width, names), default=0)
    cut, rows = table, [table.header, *table.rows]
    for limit in range(longest, _SHORTEST - 1, -1):
        if _measure(cut) <= most:
            break
        short = shorten_names(names, limit)
        if short:  # in fewer letters, some may be the same
            shown = [[short.get(cell, cell) for cell in row] for row in rows]
            cut = replace(table, header=shown[0], rows=shown[1:])
    return cut


def _measure(table: Table) -> int:
    """Return how many columns of the terminal a table takes."""
    columns = zip(table.header, *table.rows, strict=True)
    return sum(max(map(width, column)) + 2 for column in columns) - 2


def _cut_names(table: Table) -> Table:
    """Cut what all names share that stand in the header or within cells."""
    short = cut_shared(table.names)
    if not short:
        return table
    longest_first = sorted(short, key=len, reverse=True)
    known = re.compile("|".join(map(re.escape, longest_first)))

    def cut(texts: Sequence[str]) -> list[str]:
        return [known.sub(lambda match: short[match[0]], x) for x in texts]

    return replace(table, header=cut(table.header), rows=list(map(cut, table.rows)))


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
