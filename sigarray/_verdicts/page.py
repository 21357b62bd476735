"""A report as one page of HTML, without a network or a script, and its pictures."""

import base64
import csv
import datetime
import importlib.metadata
import io
import os
import platform
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sigarray._plain_text import raise_initial
from sigarray._verdicts.method_lines import list_references
from sigarray._verdicts.pictures import Picture
from sigarray._version import __version__
from sigarray.read._messages import note
from sigarray.read._score_table import ScoreTable
from sigarray.report._layout import Report, Table
from sigarray.report._rendering import (
    draw_list,
    draw_table,
    link_dois,
    show,
    show_prose,
    write_file,
    write_inline_svg,
    write_svg,
)

PICTURES = (".pdf", ".svg", ".png", ".eps", ".jpg")


def save_pictures(pictures: Sequence[Picture], path: str) -> None:
    """Write the first picture to a file, or all of them to a PDF, or nothing."""
    if not path.lower().endswith(PICTURES):
        msg = f"Expected path to end in {', '.join(PICTURES)}; got {path}."
        raise ValueError(msg)
    data = io.BytesIO()
    kind = Path(path).suffix[1:].lower()
    shown = pictures if kind == "pdf" else pictures[:1]
    if kind == "pdf":
        from matplotlib.backends.backend_pdf import PdfPages

        with PdfPages(data) as pages:
            for picture in pictures:
                pages.savefig(picture.figure, bbox_inches="tight")
    elif kind == "svg":
        first = pictures[0]
        text = write_svg(first.figure, first.caption, first.description)
        data.write(text.encode())
    else:
        pictures[0].figure.savefig(data, format=kind, dpi=200, bbox_inches="tight")
    write_file(path, data.getvalue())
    for page, picture in enumerate(shown, 1):
        where = f"{path}, page {page}" if len(shown) > 1 else path
        note(f"{where}: {picture.caption}")
    if len(shown) < len(pictures):
        n = len(pictures) - 1
        note(f"a .pdf has {n} more picture{'s' if n > 1 else ''}, as has --report")


# Of more scores there is a file to save and no table, and of many more neither.
_MOST_IN_TABLE, _MOST_IN_FILE = 1_000, 20_000
# Of more pictures there are three beside each other on paper, and not two.
_MOST_LARGE = 6
# Options, as shlex writes them, that --verify does not take.
_OTHERS = re.compile(
    r""" --(?:plot|report|fail-unless-better)[= ](?:'[^']*'|"'"|[^\s'"])+"""
)
# Task -> model -> the names of its units, and their scores.
_Units = Mapping[str, Mapping[str, tuple[Sequence[str], Any]]]
_STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --pale: #e5e7eb;
  --soft: #57606a; --good: #0a5c36; --link: #0550ae; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --paper: #14171b;
  --pale: #363b43; --soft: #a7afb9; --good: #7ee2a8; --link: #8ab8ff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 66rem; color: var(--ink);
  background: var(--paper); font: 1rem/1.5 system-ui, sans-serif;
  overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .5rem; }
h2 { font-size: 1.15rem; margin-top: 2rem; border-bottom: 1px solid var(--pale);
  padding-bottom: .2rem; }
a { color: var(--link); }
p, ul, code { max-width: 50rem; }
li { margin: .3rem 0; }
.answer { font-size: 1.1rem; font-weight: 600; }
.wide { overflow-x: auto; margin: .8rem 0 1.4rem; }
.wide:focus-visible { outline: 2px solid; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--soft); padding-bottom: .3rem; }
th, td { padding: .25rem .5rem; text-align: right; white-space: nowrap;
  overflow-wrap: normal; }
tbody th { font-weight: normal; }
th[scope=row], th.name { text-align: left; }
th[scope=row] { white-space: normal; overflow-wrap: anywhere; min-width: 5rem; }
thead { border-bottom: 1px solid var(--ink); }
thead th { vertical-align: bottom; white-space: normal; overflow-wrap: normal; }
tbody tr + tr { border-top: 1px solid var(--pale); }
td.marked { font-weight: 700; color: var(--good); }
.many { font-size: .85rem; } .many th, .many td { padding: .2rem .35rem;
  white-space: normal; }
.doubts { border-left: .25rem solid #d29922; padding-left: 1rem; margin: 1rem 0; }
.doubts h2 { border: 0; margin: 0; }
.pictures { display: grid; gap: 1.2rem;
  grid-template-columns: repeat(auto-fill, minmax(min(28rem, 100%), 1fr)); }
figure { margin: 0; max-width: 34rem; }
.broad { grid-column: 1 / -1; max-width: 60rem; }
figure svg { display: block; width: 100%; height: auto; padding: .5rem;
  background: #fff; border: 1px solid var(--pale); border-radius: .3rem; }
figcaption, footer, .note { color: var(--soft); font-size: .9rem; }
code { display: block; font: .85rem/1.4 ui-monospace, monospace; padding: .6rem;
  border: 1px solid var(--pale); border-radius: .3rem; white-space: pre-wrap; }
summary { cursor: pointer; }
@media screen and (max-width: 44rem) {
  td { white-space: normal; }
  .cards, .cards tbody, .cards tr, .cards th, .cards td, .cards caption
    { display: block; width: 100%; }
  .cards thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px;
    overflow: hidden; }
  .cards { font-size: 1rem; }
  .cards tr { padding: .4rem 0; }
  .cards th[role], .cards td[role] { display: flex; gap: 1rem; padding: .1rem 0;
    justify-content: space-between; text-align: right; white-space: normal;
    overflow-wrap: anywhere; }
  .cards th::before, .cards td::before { content: attr(data-label);
    color: var(--soft); font-weight: normal; text-align: left; flex: none;
    max-width: 60%; }
  .cards th { font-weight: 600; }
}
@media print {
  @page { margin: 14mm 12mm; }
  :root { --ink: #000; --paper: #fff; --pale: #ccc; --soft: #444; --good: #000;
    --link: #000; }
  body { max-width: none; padding: 0; font-size: 8.5pt; line-height: 1.35; }
  h1 { font-size: 13pt; } h2 { font-size: 10.5pt; margin: 3.5mm 0 1.5mm; }
  h2, caption { break-after: avoid; } .answer { font-size: 9.5pt; margin: 1.5mm 0; }
  .wide { overflow: visible; margin: 2mm 0 3mm; }
  table { font-size: 7.5pt; max-width: 100%; }
  table.many { font-size: 6pt; }
  th, td { padding: .3mm 1.2mm; white-space: normal; }
  .many th, .many td { padding: .3mm .7mm; }
  th[scope=row] { min-width: 0; }
  tr, figure, li, code { break-inside: avoid; }
  thead { display: table-header-group; }
  p, ul, code { max-width: none; }
  .wide:not(:has(tr:nth-child(20))) { display: inline-block; vertical-align: top;
    margin-right: 8mm; max-width: 100%; }
  .pictures { display: block; orphans: 1; widows: 1; }
  figure { display: inline-block; vertical-align: top; width: 49%;
    padding: 0 2mm 2mm 0; }
  .small figure { width: 32.5%; }
  .pictures .broad, .small figure:first-child { display: block; width: auto;
    max-width: 160mm; }
  figure svg { max-height: 95mm; padding: 0; border: 0; }
  .small svg { max-height: 47mm; } .small figure:first-child svg { max-height: 78mm; }
  figcaption, footer, .note { font-size: 7pt; }
  ul { margin: 1mm 0; padding-left: 4mm; } li { margin: .5mm 0; }
  code { font-size: 6.5pt; padding: 1mm; }
  h2 ~ p, h2 ~ ul { font-size: 7.5pt; margin: 1mm 0; }
  footer { break-before: avoid; } footer p { margin: 0; }
  .unfold { display: none; }
}
"""


@dataclass(frozen=True)
class Origin:
    """How a report was made: a command line, if there was one, notes and warnings."""

    command: str | None = None
    notes: Sequence[str] = ()
    warnings: Sequence[str] = ()


def write_page(
    report: Report, pictures: Sequence[Picture], table: ScoreTable, origin: Origin
) -> str:
    first, *others = report.headline or [""]
    source = report.document["source"]
    files = ", ".join(Path(x).name for x in source.split(", "))
    title = f"{files}: which model is better?"
    about = raise_initial(first.removeprefix(f"{source}, "))
    parts = [
        f"<h1>{show(title)}</h1>",
        f'<p class="note">{show(about)}</p>' if about else "",
        *(f'<p class="answer">{show_prose(line)}</p>' for line in others),
        *(f"<p>{show_prose(line)}</p>" for line in report.first_advice),
        *map(_draw_wide, report.tables),
        draw_list([*report.said, *report.advice]),
        *_list_sentences(report),
        *_list_doubts(origin.warnings),
        *_draw_pictures(pictures),
        "<h2>Method</h2>",
        f"<p>{show_prose(raise_initial(report.method))}.</p>",
        *_list_references(report.document),
        *_unfold_scores(table),
        *_say_origin(report, origin),
    ]
    body = "\n".join(part for part in parts if part)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{show(title)}</title>\n<style>{_STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _draw_wide(table: Table) -> str:
    """Draw a table that scrolls by itself where it must, for a keyboard, too."""
    return (
        f'<div class="wide" tabindex="0" role="region" '
        f'aria-label="{show(table.title)}">\n{draw_table(table)}\n</div>'
    )


def _list_sentences(report: Report) -> list[str]:
    if report.remarks is None:
        return []
    of_these = report.document.get("over_these_tasks", {}).get("verdicts", [])
    return [
        "<details class=unfold><summary>Every verdict in a sentence</summary>",
        draw_list([*of_these, *report.document["verdicts"]]),
        "</details>",
    ]


def _list_doubts(warnings: Sequence[str]) -> list[str]:
    if not warnings:
        return []
    return [
        '<section class="doubts"><h2>Doubts</h2>',
        draw_list(warnings),
        "</section>",
    ]


def _draw_pictures(pictures: Sequence[Picture]) -> list[str]:
    if not pictures:
        return []
    drawn = [
        f"<figure{' class=broad' if x.figure.get_figwidth() > 5 else ''}>\n"
        f"{write_inline_svg(x.figure, x.caption, x.description, place)}\n"
        f"<figcaption>{show(x.caption)}</figcaption>\n</figure>"
        for place, x in enumerate(pictures, 1)
    ]
    size = " small" if len(drawn) > _MOST_LARGE else ""
    return ["<h2>Pictures</h2>", f'<div class="pictures{size}">', *drawn, "</div>"]


def _list_references(document: Mapping[str, object]) -> list[str]:
    lines = "\n".join(f"<li>{link_dois(x)}</li>" for x in list_references(document))
    return [f"<ul>\n{lines}\n</ul>"] if lines else []


def _unfold_scores(table: ScoreTable) -> list[str]:
    units = _take_units(table)
    n_scores = sum(len(scores) for by in units.values() for _, scores in by.values())
    if table.runs:
        n_scores = sum(x.scores.size for by in table.runs.values() for x in by.values())
    if not table.ids or n_scores > _MOST_IN_FILE:
        said = f"{n_scores:,} scores are too many for this page: see {table.source}."
        return ["<h2>Scores</h2>", f'<p class="note">{show(said)}</p>']
    header, rows = ["task", "model", table.unit, table.metric], _list_scores(units)
    if table.sums:
        header[3:] = table.sum_columns
        rows = _list_sums(table)
    if table.runs:
        header[2:3] = ["run", "item"]
        rows = _list_runs(table)
    if table.clusters:
        header.insert(2, "cluster")
        rows = _add_clusters(table, rows)
    if len(table.tasks) == 1:
        header, rows = header[1:], [row[1:] for row in rows]
    parts = [
        '<section class="unfold"><h2>Scores</h2>',
        f"<details><summary>{n_scores:,} scores</summary>",
        _link_file(header, rows),
    ]
    if n_scores <= _MOST_IN_TABLE:
        parts.append(draw_table(Table("", header, rows, name_columns=len(header) - 1)))
    return [*parts, "</details></section>"]


def _take_units(table: ScoreTable) -> _Units:
    return {
        task: table.unmatched.get(task)
        or {x: (table.ids[task][x] if table.ids else (), y) for x, y in by.items()}
        for task, by in table.tasks.items()
    }


def _list_scores(units: _Units) -> list[list[str]]:
    return [
        [task, model, unit, repr(float(score))]
        for task, by in units.items()
        for model, (names, scores) in by.items()
        for unit, score in zip(names, scores, strict=True)
    ]


def _list_sums(table: ScoreTable) -> list[list[str]]:
    return [
        [task, model, item, *map(repr, numbers)]
        for task, by in table.sums.items()
        for model, sums in by.items()
        for item, numbers in zip(table.ids[task][model], sums.T.tolist(), strict=True)
    ]


def _list_runs(table: ScoreTable) -> list[list[str]]:
    return [
        [task, model, run, item, repr(score)]
        for task, by in table.runs.items()
        for model, x in by.items()
        for run, scores in zip(x.runs, x.scores.tolist(), strict=True)
        for item, score in zip(table.ids[task][model], scores, strict=True)
    ]


def _add_clusters(table: ScoreTable, rows: list[list[str]]) -> list[list[str]]:
    labels = [
        label
        for task, by in table.tasks.items()
        for _ in by
        for label in table.clusters[task]
    ]
    return [
        [task, model, label, *rest]
        for (task, model, *rest), label in zip(rows, labels, strict=True)
    ]


def _link_file(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([header, *rows])
    data = base64.b64encode(text.getvalue().encode()).decode()
    return (
        f'<p><a download="scores.csv" href="data:text/csv;base64,{data}">'
        "Save them as scores.csv</a></p>"
    )


def _say_origin(report: Report, origin: Origin) -> list[str]:
    parts = ["<h2>How to repeat it</h2>"]
    if origin.command is not None:
        parts.append(f"<code>{show(origin.command)}</code>")
    if report.signature is not None:
        command = _OTHERS.sub("", origin.command or "sigarray compare FILE")
        verify = f"{command} --verify {shlex.quote(report.signature)}"
        parts += [
            "<p>This checks whether scores, options and numbers are the same, by their "
            "signature:</p>",
            f"<code>{show(verify)}</code>",
        ]
    if origin.notes:
        parts += ["<p>Notes on what was read and done:</p>", draw_list(origin.notes)]
    parts.append(f"<footer><p>{show(_say_versions())}</p></footer>")
    return parts


def _say_versions() -> str:
    """Name the day and the versions; SOURCE_DATE_EPOCH sets another day."""
    moment = os.environ.get("SOURCE_DATE_EPOCH")
    utc = datetime.UTC
    now = datetime.datetime.now(utc)
    if moment is not None:
        now = datetime.datetime.fromtimestamp(int(moment), utc)
    versions = [f"sigarray {__version__}", f"Python {platform.python_version()}"]
    for name in ("numpy", "matplotlib"):
        try:
            versions.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    return f"{now:%Y-%m-%d}; {', '.join(versions)}"
