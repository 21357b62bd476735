"""Print tables and sentences as text, as wide as the terminal, or with rich."""

import io
import itertools
import math
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal

from sigarray._plain_text import quote, shorten_names, width
from sigarray.report._layout import Report, Table, neutralise

# Names are cut to so many letters, or fewer if the table then has room.
_SHORT, _SHORTEST = 12, 9
# Lists of models are not wrapped to fewer columns.
_LEAST_OF_TEXT = 30
# What stands in the column of better models behind a name, or in its place.
_NOT_WORSE = " not worse"
_NO_NAMES = ("inconclusive", "unequal", "equivalent", "too few runs", "too few items")
# Where a header may go on in the next line: before words, but not in P(A>B).
_BREAK = re.compile(r"(?<=[\w,]) (?=\w)|(?<=\w{3})(?=\()")


def wrap(text: str, most: int) -> str:
    """Wrap a text at its spaces, so that names with hyphens can be found."""
    return textwrap.fill(text, most, break_on_hyphens=False)


def fit(table: Table, most: int) -> Table:
    """Make a table narrower, as far as it would else be too wide.

    Its headers take two lines; a B that all pairs have is in the title; lists of models
    are wrapped; columns stand closer. If that is not enough, long names are cut, but
    stay different, and no shorter than a few letters.
    """
    for make_narrow in (_break_headers, _say_baseline):
        if measure(table) <= most:
            return table
        narrow = make_narrow(table)
        table = narrow if measure(narrow) < measure(table) else table
    if table.name_columns == len(table.header):
        table = _wrap_lists(table, most)
    dense = replace(table, gap=1)
    for x in (table, dense):
        if measure(x) <= most:
            return x
    return cut_names(table, most)


def split(table: Table, most: int) -> list[Table]:
    """Put columns that have no room into parts below each other, with the names."""
    n_names, n = table.name_columns, len(table.header)
    parts = [table]
    for n_parts in range(1, n - n_names + 1):
        size = math.ceil((n - n_names) / n_parts)
        starts = range(n_names, n, size)
        parts = [_choose(table, range(start, min(start + size, n))) for start in starts]
        if all(measure(part) <= most for part in parts):
            break
    return parts


def measure(table: Table) -> int:
    return sum(n + table.gap for n in measure_columns(table)) - table.gap


def measure_columns(table: Table) -> list[int]:
    columns = zip(table.header, *table.rows, strict=True)
    return [max(map(_measure_cell, column)) for column in columns]


def _measure_cell(text: str) -> int:
    return max(map(width, text.split("\n")))


def _choose(table: Table, places: Sequence[int]) -> Table:
    every = [*range(table.name_columns), *places]
    return replace(
        table,
        header=[table.header[j] for j in every],
        rows=[[row[j] for j in every] for row in table.rows],
        marked=frozenset((i, every.index(j)) for i, j in table.marked if j in every),
    )


def _break_headers(table: Table) -> Table:
    """Write headers in two lines that are wider than what is below, but no names."""
    below = measure_columns(replace(table, header=[""] * len(table.header)))
    header = list(table.header)
    for k, (name, n) in enumerate(zip(table.header, below, strict=True)):
        if name not in table.names and width(name) > n:
            ways = (
                f"{name[: x.start()]}\n{name[x.end() :]}" for x in _BREAK.finditer(name)
            )
            header[k] = min((name, *ways), key=_measure_cell)
    return replace(table, header=header)


def _say_baseline(table: Table) -> Table:
    if table.header[:2] != ["A", "B"] or len(table.rows) < 2:
        return table
    models = {row[1] for row in table.rows}
    if len(models) > 1:
        return table
    name = quote(*models)
    is_said = f"; B is the baseline {name}" in table.title
    title = table.title if is_said else f"{table.title}; B is {name}"
    return replace(
        table,
        title=title,
        header=["A", *table.header[2:]],
        rows=[[row[0], *row[2:]] for row in table.rows],
        marked=frozenset((i, j - (j > 1)) for i, j in table.marked),
        name_columns=table.name_columns - 1,
    )


def _wrap_lists(table: Table, most: int) -> Table:
    room = most - sum(n + table.gap for n in measure_columns(table)[:-1])
    if not table.names or room < _LEAST_OF_TEXT:
        return table
    return replace(table, rows=[[*x[:-1], wrap(x[-1], room)] for x in table.rows])


def cut_names(table: Table, most: int) -> Table:
    """Cut names, in as many steps as are needed; none if that is not enough."""
    n_names = 1 if table.names else table.name_columns
    others = dict.fromkeys(x for row in table.rows for x in row[:n_names])
    if table.header[-1] == "better":  # also of a baseline, which is in the title
        better = (row[-1].removesuffix(_NOT_WORSE) for row in table.rows)
        others |= dict.fromkeys(x for x in better if x not in _NO_NAMES)
    kinds = [table.names, [x for x in others if x not in table.names]]
    longest = max((width(x) for names in kinds for x in names), default=0)
    shown = short = table
    forms: list[dict[str, str]] = [{}, {}]
    for limit in range(longest, _SHORTEST - 1, -1):
        # In fewer letters, some may be the same.
        forms = [
            shorten_names(names, limit) or form
            for names, form in zip(kinds, forms, strict=True)
        ]
        shown = _show_names(table, forms[0], forms[0] | forms[1])
        if limit >= _SHORT:
            short = shown
        if measure(shown) <= most:
            return shown
    return short


def _show_verdict(cell: str, forms: dict[str, str]) -> str:
    """Show the short form of a name, alone or before a verdict: "A not worse"."""
    name = cell.removesuffix(_NOT_WORSE)
    return forms.get(name, name) + cell[len(name) :]


def _show_names(table: Table, models: dict[str, str], every: dict[str, str]) -> Table:
    longest_first = sorted(table.names, key=len, reverse=True)
    known = re.compile("|".join(map(re.escape, longest_first)))

    def show(cells: Iterable[str], n_lists: int) -> list[str]:
        return [
            known.sub(lambda match: models.get(match[0], match[0]), cell)
            if 0 < j < n_lists
            else _show_verdict(cell, every)
            for j, cell in enumerate(cells)
        ]

    n_lists = table.name_columns if models else 0
    return replace(
        table,
        header=show(table.header, 0),
        rows=[show(row, n_lists) for row in table.rows],
    )


_MIN_WIDTH = 40
_UNLIMITED = 10**6
# Longer tables would take rich seconds.
_MAX_RICH_ROWS = 1000


def print_text(report: Report) -> None:
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
    """Tell whether the output takes rich's rules, which cp1252 lacks."""
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
    widths, gap = measure_columns(table), " " * table.gap
    for i, row in enumerate([_align(table.header), *table.rows]):
        cells = [cell.split("\n") for cell in row]
        for line in itertools.zip_longest(*cells, fillvalue=""):
            padding = [" " * (w - width(c)) for c, w in zip(line, widths, strict=True)]
            padded = [
                cell + pad if column < table.name_columns else pad + cell
                for column, (cell, pad) in enumerate(zip(line, padding, strict=True))
            ]
            yield gap.join(padded).rstrip()
        if not i:
            yield gap.join("-" * n for n in widths)


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
        box=box.SIMPLE_HEAD,
        padding=(0, table.gap - 1),
        collapse_padding=True,
        pad_edge=False,
        show_edge=False,
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
