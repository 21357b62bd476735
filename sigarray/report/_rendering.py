"""Print tables and sentences as text, Markdown, LaTeX, CSV or JSON."""

import csv
import io
import json
from typing import Any, Literal

from sigarray._plain_text import escape_hidden, show_controls
from sigarray._version import __version__
from sigarray.read._text import NUMBER
from sigarray.report._html import draw_markdown, render_markdown
from sigarray.report._latex import draw_float, draw_latex, render_latex
from sigarray.report._layout import Report, Table, neutralise, neutralise_table
from sigarray.report._text import render_text


def render(report: Report, style: str) -> str:
    """Return the report as "text", "markdown", "latex", "csv" or "json"."""
    return _RENDERERS[style](neutralise(report))


def render_table(table: Table, style: Literal["markdown", "latex"]) -> str:
    """Return a table alone, without its title."""
    draw = {"markdown": draw_markdown, "latex": draw_latex}[style]
    return draw(neutralise_table(table)) + "\n"


def render_float(table: Table, caption: str | None, label: str | None) -> str:
    """Return a table of LaTeX with a caption and a label."""
    return draw_float(neutralise_table(table), caption, label) + "\n"


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
    """Return paragraphs for a paper: the results, and the method."""
    said = "\n\n".join(report.paragraphs or [" ".join(report.sentences)])
    return f"{said}\n\nMethod: {report.method} (sigarray {__version__}).\n"


_RENDERERS = {
    "text": render_text,
    "sentences": _render_sentences,
    "markdown": render_markdown,
    "latex": render_latex,
    "csv": _render_csv,
    "json": _render_json,
}
STYLES = tuple(_RENDERERS)
