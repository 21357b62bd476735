"""Write tables and sentences as Markdown."""

import re
from collections.abc import Callable

from sigarray.report._layout import Report, Table


def render_markdown(report: Report) -> str:
    first = "\n\n".join(map(_to_paragraph, report.first_lines))
    blocks = [first] * bool(first)
    for table in report.tables:
        note = f". {table.note.rstrip('.')}" if table.note else ""
        blocks += [f"{_to_paragraph(table.title + note)}:", draw_markdown(table)]
    sentences = map(_to_paragraph, [*report.said, *report.advice])
    blocks.append("\n".join(f"- {sentence}" for sentence in sentences))
    blocks.append(_to_markdown(f"Method: {report.method}."))
    if report.signature is not None:
        blocks.append(f"Signature: `{report.signature}`")
    blocks += [_to_markdown(f"Note: {note.rstrip('.')}.") for note in report.notes]
    return "\n\n".join(blocks) + "\n"


def draw_markdown(table: Table) -> str:
    others = len(table.header) - table.name_columns
    rule = ["---"] * table.name_columns + ["---:"] * others
    rows = _mark(table, "**{}**", _to_markdown)
    return "\n".join(
        "| " + " | ".join(row) + " |" for row in [rows[0], rule, *rows[1:]]
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
