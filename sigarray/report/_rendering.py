"""Reports in all formats, as pages too, and files that are written as a whole."""

import csv
import html
import io
import json
import os
import re
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sigarray._plain_text import escape_hidden, show_controls
from sigarray._version import __version__
from sigarray.read._text import NUMBER
from sigarray.report._latex import render_latex
from sigarray.report._layout import Report, Table, neutralise
from sigarray.report._text import render_text


def write_file(path: str, data: bytes) -> None:
    """Write a file as a whole: if that fails or is interrupted, none is left."""
    folder = Path(path).absolute().parent
    try:
        handle, name = tempfile.mkstemp(dir=folder, prefix=".sigarray-")
    except OSError as error:
        msg = f"{path} cannot be written: {error.strerror}."
        raise ValueError(msg) from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(0o666 & ~mask)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def write_svg(figure: Any, title: str, description: str = "") -> str:
    """Return a picture as an SVG file, with the same bytes each time.

    Text stays text, which can be searched and read aloud. What is to be seen is
    described.
    """
    text = _draw(figure)
    start = text.index(">", text.index("<svg")) + 1
    said = (
        f"\n <title>{show(title)}</title>"
        f"\n <desc>{show(description or describe_figure(figure))}</desc>"
    )
    return text[:start] + said + text[start:]


def _draw(figure: Any) -> str:
    import matplotlib as mpl

    data = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "sigarray", "svg.fonttype": "none"}):
        figure.savefig(data, format="svg", bbox_inches="tight", metadata={"Date": None})
    return data.getvalue().decode()


def write_inline_svg(figure: Any, title: str, description: str, place: int) -> str:
    """Return a picture as an element of a page, with a title and a description.

    Names within it get the place of the picture: a page has each but once.
    """
    text = _draw(figure)
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r' xmlns(:\w+)?="[^"]*"', "", text)
    text = text.replace("xlink:href", "href")
    used = set(re.findall(r"#([\w-]+)", text))

    def rename(match: re.Match[str]) -> str:
        return f' id="p{place}-{match[1]}"' if match[1] in used else ""

    text = re.sub(r' id="([^"]*)"', rename, text)
    text = re.sub(r'(href="|url\()#', rf"\1#p{place}-", text)
    head, body = text.split(">", 1)
    names = f'aria-labelledby="p{place}-title p{place}-desc"'
    said = (
        f'<title id="p{place}-title">{show(title)}</title>\n'
        f'<desc id="p{place}-desc">{show(description or describe_figure(figure))}'
        "</desc>"
    )
    return f'{head} role="img" {names}>\n{said}{body.rstrip()}'


def describe_figure(figure: Any) -> str:
    """Say what a picture shows: its axes, their labels, and what is named on them."""
    return " ".join(
        said for ax in figure.axes if ax.get_visible() for said in _describe_axes(ax)
    )


def _describe_axes(ax: Any) -> list[str]:
    said = []
    if title := ax.get_title():
        said.append(f"{_one_line(title)}.")
    for where, axis in (("Across", ax.xaxis), ("Upwards", ax.yaxis)):
        label = _one_line(axis.get_label_text())
        ticks = [_one_line(x.get_text()) for x in axis.get_ticklabels()]
        shown = ", ".join(x for x in ticks if x) if axis.get_visible() else ""
        if label or shown:
            said.append(f"{where}: {': '.join(filter(None, (label, shown)))}.")
    legend = ax.get_legend()
    if legend is not None:
        names = ", ".join(_one_line(x.get_text()) for x in legend.get_texts())
        said.append(f"Key: {names}.")
    notes = [_one_line(x.get_text()) for x in ax.texts if x.get_visible()]
    if any(notes):
        said.append(f"Written in it: {'; '.join(filter(None, notes))}.")
    return said


def _one_line(text: str) -> str:
    return " ".join(text.split())


def render_markdown(report: Report) -> str:
    first = "\n\n".join(map(_to_paragraph, report.first_lines))
    blocks = [first] * bool(first)
    blocks += [f"**Warning:** {_to_paragraph(x)}" for x in report.doubts]
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
    rows = [
        [
            mark.format(escape(cell)) if (i, j) in table.marked else escape(cell)
            for j, cell in enumerate(row)
        ]
        for i, row in enumerate(table.rows)
    ]
    return [[escape(name) for name in table.header], *rows]


# Tables of more columns become a list of cards on a telephone.
_MOST_NARROW = 3
# Tables of more columns are set small on paper.
_MANY_COLUMNS = 8
# Browsers may break lines at hyphens, as after those of --statistic.
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
# In a notebook, whose colours are not ours to know: those of the page around it.
_NOTEBOOK_STYLE = """
.sigarray table { border-collapse: collapse; margin: .3rem 0 1rem;
  font-variant-numeric: tabular-nums; }
.sigarray th, .sigarray td { padding: .2rem .6rem; text-align: right; border: 0;
  background: none; color: inherit; }
.sigarray th { font-weight: normal; }
.sigarray th[scope=row], .sigarray th.name { text-align: left; }
.sigarray thead th { font-weight: 600; border-bottom: 1px solid; }
.sigarray tbody tr + tr { border-top: 1px solid rgba(128, 128, 128, .35); }
.sigarray td.marked { font-weight: 700; }
.sigarray caption { text-align: left; caption-side: top; color: inherit;
  padding: .2rem 0; }
.sigarray p { margin: .2rem 0; }
.sigarray small { opacity: .8; }
"""


def show(text: str) -> str:
    return html.escape(show_controls(text))


def show_prose(text: str) -> str:
    return _OPTION.sub(r'<span style="white-space: nowrap">\g<0></span>', show(text))


def draw_table(table: Table) -> str:
    """Write a table; roles keep its meaning where a style makes cards of its rows."""
    n = table.name_columns
    head = "".join(
        f'<th role="columnheader" scope="col"{" class=name" if k < n else ""}>'
        f"{show(name)}</th>"
        for k, name in enumerate(table.header)
    )
    rows = "\n".join(_draw_row(table, i) for i in range(len(table.rows)))
    kinds = []
    if table.header[:1] != [""] and len(table.header) > _MOST_NARROW:
        kinds.append("cards")
    if len(table.header) > _MANY_COLUMNS:
        kinds.append("many")
    kind = f' class="{" ".join(kinds)}"' if kinds else ""
    title = f"{table.title}. {table.note}" if table.note else table.title
    caption = f"<caption>{show(title)}</caption>\n" if title else ""
    return (
        f'<table role="table"{kind}>\n{caption}'
        f'<thead role="rowgroup"><tr role="row">{head}</tr></thead>\n'
        f'<tbody role="rowgroup">\n{rows}\n</tbody>\n</table>'
    )


def _draw_row(table: Table, i: int) -> str:
    cells = []
    for k, (name, cell) in enumerate(zip(table.header, table.rows[i], strict=True)):
        label = f' data-label="{show(name)}"'
        if k < table.name_columns:
            cells.append(f'<th role="rowheader" scope="row"{label}>{show(cell)}</th>')
        else:
            mark = " class=marked" if (i, k) in table.marked else ""
            cells.append(f'<td role="cell"{label}{mark}>{show(cell)}</td>')
    return f'<tr role="row">{"".join(cells)}</tr>'


def draw_list(lines: Sequence[str]) -> str:
    items = "\n".join(f"<li>{show_prose(line)}</li>" for line in lines)
    return f"<ul>\n{items}\n</ul>" if lines else ""


def link_dois(text: str) -> str:
    return re.sub(
        r"doi:(10\.\S+)", r'<a href="https://doi.org/\1">doi:\1</a>', show(text)
    )


def draw_fragment(report: Report) -> str:
    """Write a report for a notebook: no script, and the colours around it."""
    first, *others = report.headline or [""]
    parts = [
        "<div class=sigarray>",
        f"<style>{_NOTEBOOK_STYLE}</style>",
        f"<p>{show(first)}</p>" if first else "",
        *(f"<p><b>{show_prose(line)}</b></p>" for line in others),
        *(f"<p>{show_prose(line)}</p>" for line in report.first_advice),
        *(f"<p><b>Warning:</b> {show_prose(line)}</p>" for line in report.doubts),
        *map(draw_table, report.tables),
        draw_list(report.said),
        f"<p><small>Method: {show_prose(report.method)}.</small></p>",
        *(
            f"<p><small>Note: {show_prose(note.rstrip('.'))}.</small></p>"
            for note in report.notes
        ),
        "</div>",
    ]
    return "\n".join(filter(None, parts))


def render(report: Report, style: str) -> str:
    """Return the report as "text", "markdown", "latex", "csv" or "json"."""
    return _RENDERERS[style](neutralise(report))


def _render_csv(report: Report) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(report.records[0])
    for record in report.records:
        writer.writerow(map(_to_csv, record.values()))
    return text.getvalue()


def _to_csv(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    is_formula = value.startswith(("=", "+", "-", "@", "\t", "\r"))
    mark = "'" if is_formula and not NUMBER.fullmatch(value) else ""
    return mark + show_controls(value)


def _render_json(report: Report) -> str:
    document = report.document | {"warnings": list(report.doubts)}
    text = json.dumps(document, indent=2, allow_nan=False, ensure_ascii=False)
    return escape_json(text) + "\n"


def escape_json(text: str) -> str:
    """Escape invisible characters, all of which are in strings here."""
    lines = text.split("\n")
    return "\n".join(escape_hidden(x, lambda c: json.dumps(c)[1:-1]) for x in lines)


def _render_sentences(report: Report) -> str:
    """Return paragraphs for a paper: the results, and the method; then warnings."""
    said = [*(report.paragraphs or [" ".join(report.sentences)])]
    said[:0] = filter(None, [report.summary])
    said.append(f"Method: {report.method} (sigarray {__version__}).")
    said += [f"Warning: {doubt}" for doubt in report.doubts]
    return "\n\n".join(said) + "\n"


_RENDERERS = {
    "text": render_text,
    "sentences": _render_sentences,
    "markdown": render_markdown,
    "latex": render_latex,
    "csv": _render_csv,
    "json": _render_json,
}
STYLES = tuple(_RENDERERS)
