"""Print tables and sentences as text, with rich if it is installed."""

import io
import itertools
import shutil
import sys
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from sigarray._plain_text import width
from sigarray.report._fitting import fit, measure_columns, split, wrap
from sigarray.report._layout import Report, Table, neutralise

_MIN_WIDTH = 40
_UNLIMITED = 10**6
# Longer tables would take rich seconds.
_MAX_RICH_ROWS = 1000


def print_text(report: Report) -> None:
    """Print tables and sentences, with rich if it is installed."""
    report = neutralise(report)
    is_long = any(len(table.rows) > _MAX_RICH_ROWS for table in report.tables)
    if is_long or not _has_rules():
        print(render_text(report), end="")
        return
    try:
        import rich  # noqa: F401
    except ImportError:
        print(render_text(report), end="")
    else:
        print(_render_rich(report), end="")


def _has_rules() -> bool:
    """Tell whether the output takes rich's rules, which cp1252 of Windows lacks."""
    try:
        "─".encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def render_text(report: Report) -> str:
    blocks = [_wrap(report.first_lines)] if report.headline else []
    blocks += [_render_plain(table, _find_width()) for table in report.tables]
    return "\n\n".join(filter(None, [*blocks, _render_prose(report)])) + "\n"


def _wrap(lines: Sequence[str]) -> str:
    """Wrap lines to the width of the terminal."""
    return "\n".join(wrap(line, _find_width()) for line in lines)


def _find_width() -> int:
    return max(_MIN_WIDTH, shutil.get_terminal_size().columns)


def _render_prose(report: Report) -> str:
    said = [*report.said, *report.advice]
    lines = [_wrap(said), ""] if said else []
    lines += [f"Method: {report.method}."] * bool(report.method)
    if report.signature is not None:
        lines.append(f"Signature: {report.signature}")
    lines += [f"Note: {note.rstrip('.')}." for note in report.notes]
    return "\n".join(lines)


def _render_plain(table: Table, most: int) -> str:
    table = fit(table, most)
    blocks = [wrap(table.title, most)]
    blocks += ["\n".join(_list_lines(part)) for part in split(table, most)]
    return "\n\n".join(blocks)


def _list_lines(table: Table) -> Iterator[str]:
    """Yield the lines of a table, of which a row may take several."""
    widths = measure_columns(table)
    for i, row in enumerate([_align(table.header), *table.rows]):
        cells = [cell.split("\n") for cell in row]
        for line in itertools.zip_longest(*cells, fillvalue=""):
            padding = [" " * (w - width(c)) for c, w in zip(line, widths, strict=True)]
            padded = [
                cell + pad if column < table.name_columns else pad + cell
                for column, (cell, pad) in enumerate(zip(line, padding, strict=True))
            ]
            yield "  ".join(padded).rstrip()
        if not i:
            yield "  ".join("-" * n for n in widths)


def _align(header: Sequence[str]) -> list[str]:
    """Put headers of one line beside the last one of others."""
    most = max(name.count("\n") for name in header)
    return ["\n" * (most - name.count("\n")) + name for name in header]


def _render_rich(report: Report) -> str:
    from rich.console import Console
    from rich.text import Text

    # As wide as needed: rich would cut off cells in a narrow terminal.
    console = Console(
        file=io.StringIO(), width=_UNLIMITED, force_terminal=sys.stdout.isatty()
    )
    if report.headline:
        console.print(Text(_wrap(report.first_lines)), soft_wrap=True)
        console.print()
    for table in (fit(x, _find_width()) for x in report.tables):
        console.print(Text(_wrap([table.title])))
        console.print()
        for part in split(table, _find_width()):
            console.print(_make_rich(part))
            console.print()
    text = console.file.getvalue() + _render_prose(report)  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in text.rstrip().split("\n")) + "\n"


def _make_rich(table: Table) -> Any:
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    rich_table = RichTable(
        box=box.SIMPLE_HEAD, collapse_padding=True, pad_edge=False, show_edge=False
    )
    for column, name in enumerate(_align(table.header)):
        is_name = column < table.name_columns
        justify: Literal["left", "right"] = "left" if is_name else "right"
        rich_table.add_column(Text(name), justify=justify, no_wrap=True)
    for i, row in enumerate(table.rows):
        styles = [
            "bold green" if (i, j) in table.marked else "" for j in range(len(row))
        ]
        cells = [Text(cell, style) for cell, style in zip(row, styles, strict=True)]
        rich_table.add_row(*cells)
    return rich_table
