"""Write tables and sentences as HTML, for pages and notebooks."""

import html
import re
from collections.abc import Sequence

from sigarray._plain_text import show_controls
from sigarray.report._layout import Report, Table

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
    """Escape markup, and show invisible characters by their codes."""
    return html.escape(show_controls(text))


def show_prose(text: str) -> str:
    """Escape sentences, in which an option stays on one line."""
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
    """Write a list of sentences, or nothing."""
    items = "\n".join(f"<li>{show_prose(line)}</li>" for line in lines)
    return f"<ul>\n{items}\n</ul>" if lines else ""


def link_dois(text: str) -> str:
    """Escape a text, and let its DOIs be links."""
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
