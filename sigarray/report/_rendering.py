"""Print tables and sentences as text, Markdown, LaTeX, CSV or JSON."""

import csv
import io
import json
import re
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from sigarray._plain_text import escape_hidden, show_controls
from sigarray._version import __version__
from sigarray.read._text import NUMBER

_MIN_WIDTH = 40
_UNLIMITED = 10**6
# Longer tables would take rich seconds.
_MAX_RICH_ROWS = 1000


@dataclass(frozen=True)
class Table:
    """Cells as text; `marked` ones are (row, column), and the first columns names."""

    title: str
    header: list[str]
    rows: list[list[str]]
    marked: frozenset[tuple[int, int]] = frozenset()
    name_columns: int = 1


@dataclass(frozen=True)
class Report:
    """A report for readers and for programs.

    `records` are the rows of a CSV file, `document` is a JSON file, and `method` says
    how the result was computed, and `signature` in one line for others to repeat it.
    `exit_code` is that of the command. If there is a headline, readers see it first,
    and `remarks` for the sentences: tables have the verdicts.
    """

    tables: list[Table]
    sentences: list[str]
    method: str
    records: list[dict[str, Any]]
    document: dict[str, Any]
    signature: str | None = None
    exit_code: int = 0
    headline: Sequence[str] = ()
    remarks: Sequence[str] | None = None

    @property
    def said(self) -> list[str]:
        """What readers are told below the tables."""
        return list(self.sentences if self.remarks is None else self.remarks)


def render(report: Report, style: str) -> str:
    """Return the report as "text", "markdown", "latex", "csv" or "json"."""
    return _RENDERERS[style](_neutralise(report))


def render_table(table: Table, style: Literal["markdown", "latex"]) -> str:
    """Return a table alone, without its title."""
    draw = {"markdown": _draw_markdown, "latex": _draw_latex}[style]
    return draw(_neutralise_table(table)) + "\n"


def print_text(report: Report) -> None:
    """Print tables and sentences, with rich if it is installed."""
    report = _neutralise(report)
    if any(len(table.rows) > _MAX_RICH_ROWS for table in report.tables):
        print(_render_text(report), end="")
        return
    try:
        import rich  # noqa: F401
    except ImportError:
        print(_render_text(report), end="")
    else:
        print(_render_rich(report), end="")


def _neutralise(report: Report) -> Report:
    """Escape controls in names from a file, except in JSON, which escapes them too."""
    return replace(
        report,
        tables=list(map(_neutralise_table, report.tables)),
        sentences=list(map(show_controls, report.sentences)),
        headline=list(map(show_controls, report.headline)),
        remarks=None
        if report.remarks is None
        else list(map(show_controls, report.remarks)),
        method=show_controls(report.method),
    )


def _neutralise_table(table: Table) -> Table:
    return replace(
        table,
        title=show_controls(table.title),
        header=list(map(show_controls, table.header)),
        rows=[list(map(show_controls, row)) for row in table.rows],
    )


def _render_text(report: Report) -> str:
    blocks = [_wrap(report.headline)] if report.headline else []
    blocks += [_render_plain(table) for table in report.tables]
    return "\n\n".join([*blocks, _render_prose(report)]) + "\n"


def _wrap(lines: Sequence[str]) -> str:
    """Wrap lines to the width of the terminal."""
    width = max(_MIN_WIDTH, shutil.get_terminal_size().columns)
    return "\n".join(textwrap.fill(line, width) for line in lines)


def _render_prose(report: Report) -> str:
    lines = [_wrap(report.said), "", f"Method: {report.method}."]
    if report.signature is not None:
        lines.append(f"Signature: {report.signature}")
    return "\n".join(lines)


def _render_plain(table: Table) -> str:
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
    for table in report.tables:
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


def _render_markdown(report: Report) -> str:
    blocks = ["\n\n".join(map(_to_paragraph, report.headline))] * bool(report.headline)
    for table in report.tables:
        blocks += [f"{_to_paragraph(table.title)}:", _draw_markdown(table)]
    sentences = map(_to_paragraph, report.said)
    blocks.append("\n".join(f"- {sentence}" for sentence in sentences))
    blocks.append(_to_markdown(f"Method: {report.method}."))
    if report.signature is not None:
        blocks.append(f"Signature: `{report.signature}`")
    return "\n\n".join(blocks) + "\n"


def _render_latex(report: Report) -> str:
    blocks = ["% \\usepackage{booktabs}"]
    blocks += ["\n\n".join(map(_to_latex, report.headline))] * bool(report.headline)
    blocks += [f"% {table.title}\n{_draw_latex(table)}" for table in report.tables]
    sentences = [*report.said, f"Method: {report.method}."]
    blocks.append("\n".join(map(_to_latex, sentences)))
    if report.signature is not None:
        blocks.append(f"% Signature: {report.signature}")
    return "\n\n".join(blocks) + "\n"


def _draw_markdown(table: Table) -> str:
    others = len(table.header) - table.name_columns
    rule = ["---"] * table.name_columns + ["---:"] * others
    rows = _mark(table, "**{}**", _to_markdown)
    return "\n".join(
        "| " + " | ".join(row) + " |" for row in [rows[0], rule, *rows[1:]]
    )


def _draw_latex(table: Table) -> str:
    others = len(table.header) - table.name_columns
    columns = "l" * table.name_columns + "r" * others
    # Braces, because \\ above would take a name in brackets or a star as its argument.
    rows = [
        "{} " + " & ".join(row) + r" \\"
        for row in _mark(table, r"\textbf{{{}}}", _to_latex)
    ]
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            rows[0],
            r"\midrule",
            *rows[1:],
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def _to_markdown(text: str) -> str:
    """Escape characters that Markdown, HTML and GitHub's links interpret."""
    text = re.sub(r"([\\`*\[\]<|~&$]|(?<!\w)_|_(?!\w)|(?<=www)\.)", r"\\\1", text)
    return re.sub(r":(?=//)|@(?=\w)", r"\\\g<0>", text)


def _to_paragraph(text: str) -> str:
    """Escape headings, quotes and lists at the start of a paragraph, too."""
    return re.sub(r"^(\s*\d*)([#>+\-=.)])", r"\1\\\2", _to_markdown(text))


def _mark(table: Table, mark: str, escape: Callable[[str], str]) -> list[list[str]]:
    """Escape the header and all cells, and mark the marked cells."""
    rows = [
        [
            mark.format(escape(cell)) if (i, j) in table.marked else escape(cell)
            for j, cell in enumerate(row)
        ]
        for i, row in enumerate(table.rows)
    ]
    return [[escape(name) for name in table.header], *rows]


_LATEX_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "`": r"\textasciigrave{}",
        # Babel makes it a command in some languages.
        '"': r"\symbol{34}",
        "<": r"$<$",
        ">": r"$>$",
        "|": r"$|$",
        "\u00a0": "~",
        "\u202f": r"\,",
        **{character: rf"\{character}" for character in "&%$#_{}"},
    }
)


def _to_latex(text: str) -> str:
    text = text.translate(_LATEX_ESCAPES).replace("$<$=", r"$\leq$")
    # Signs of numbers; other hyphens, commas and apostrophes in a row may not join.
    text = re.sub(r"(?<![^\s\[])([-+])(?=[\d.])", r"$\1$", text)
    return re.sub(r"([-,'])(?=\1)", r"\1{}", text)


def _render_csv(report: Report) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(report.records[0])
    for record in report.records:
        writer.writerow(map(_to_csv, record.values()))
    return text.getvalue()


def _to_csv(value: Any) -> Any:
    """Mark text that a spreadsheet would take for a formula."""
    if not isinstance(value, str):
        return value
    is_formula = value.startswith(("=", "+", "-", "@", "\t", "\r"))
    mark = "'" if is_formula and not NUMBER.fullmatch(value) else ""
    return mark + show_controls(value)


def _render_json(report: Report) -> str:
    text = json.dumps(report.document, indent=2, allow_nan=False, ensure_ascii=False)
    return escape_json(text) + "\n"


def escape_json(text: str) -> str:
    """Escape invisible characters, all of which are in strings here."""
    lines = text.split("\n")
    return "\n".join(escape_hidden(x, lambda c: json.dumps(c)[1:-1]) for x in lines)


def _render_sentences(report: Report) -> str:
    """Return a paragraph for a paper."""
    method = f"Method: {report.method} (sigarray {__version__})."
    return " ".join([*report.sentences, method]) + "\n"


_RENDERERS = {
    "text": _render_text,
    "sentences": _render_sentences,
    "markdown": _render_markdown,
    "latex": _render_latex,
    "csv": _render_csv,
    "json": _render_json,
}
STYLES = tuple(_RENDERERS)
