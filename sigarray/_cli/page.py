"""A report as one page of HTML, without a network or a script."""

import base64
import html
from collections.abc import Sequence

from sigarray._cli.picture_files import as_svg
from sigarray._plain_text import show_controls
from sigarray._verdicts.pictures import Picture
from sigarray._version import __version__
from sigarray.report._rendering import Report, Table

_STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --pale: #e5e7eb;
  --soft: #57606a; --good: #0a5c36; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --paper: #14171b;
  --pale: #363b43; --soft: #a7afb9; --good: #7ee2a8; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 52rem; color: var(--ink);
  background: var(--paper); font: 1rem/1.5 system-ui, sans-serif;
  overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; } h2 { font-size: 1.15rem;
  margin-top: 2rem; border-bottom: 1px solid var(--pale); padding-bottom: .2rem; }
li { margin: .3rem 0; }
.wide { overflow-x: auto; margin-bottom: 1.2rem; }
.wide:focus-visible { outline: 2px solid; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums;
  overflow-wrap: normal; }
th, td { padding: .25rem .5rem; text-align: right; white-space: nowrap; }
th[scope=row], td.name, th.name { text-align: left; }
thead { border-bottom: 1px solid var(--ink); }
tbody tr + tr { border-top: 1px solid var(--pale); }
td.marked { font-weight: 700; color: var(--good); }
figure { margin: 1.2rem 0; }
img { display: block; width: 34rem; max-width: 100%; height: auto; padding: .5rem;
  background: #fff;
  border: 1px solid var(--pale); border-radius: .3rem; }
figcaption, footer { color: var(--soft); font-size: .9rem; }
code { display: block; font: .85rem/1.4 ui-monospace, monospace; padding: .6rem;
  border: 1px solid var(--pale); border-radius: .3rem; white-space: pre-wrap; }
"""
_CITATIONS = {
    "aso": [
        "E. del Barrio, J. A. Cuesta-Albertos, C. Matrán (2018). An optimal "
        "transportation approach for assessing almost stochastic order. "
        "doi:10.1007/978-3-319-73848-2_3",
        "R. Dror, S. Shlomov, R. Reichart (2019). Deep dominance: how to properly "
        "compare deep neural models. doi:10.18653/v1/P19-1266",
    ],
    "permutation": [
        "B. Phipson, G. K. Smyth (2010). Permutation p-values should never be zero. "
        "doi:10.2202/1544-6115.1585",
    ],
    "bootstrap": [
        "B. Efron, R. J. Tibshirani (1993). An introduction to the bootstrap. "
        "doi:10.1201/9780429246593",
    ],
    "mann-whitney": [
        "H. B. Mann, D. R. Whitney (1947). On a test of whether one of two random "
        "variables is stochastically larger than the other. "
        "doi:10.1214/aoms/1177730491",
    ],
    "brunner-munzel": [
        "E. Brunner, U. Munzel (2000). The nonparametric Behrens-Fisher problem: "
        "asymptotic theory and a small-sample approximation. "
        "doi:10.1002/(SICI)1521-4036(200001)42:1<17::AID-BIMJ17>3.0.CO;2-U",
    ],
    "t": [
        "B. L. Welch (1947). The generalization of “Student's” problem when several "
        "different population variances are involved. doi:10.1093/biomet/34.1-2.28",
    ],
    "holm": [
        "S. Holm (1979). A simple sequentially rejective multiple test procedure. "
        "Scandinavian Journal of Statistics 6, 65-70.",
    ],
}


def write_page(
    report: Report, pictures: Sequence[Picture], command: str, said: Sequence[str]
) -> str:
    """Return the page: verdict, tables, pictures, method, and how to repeat it.

    Notes and warnings of the command are under the method.
    """
    document = report.document
    title = f"{document['source']}: which model is better?"
    parts = [
        f"<h1>{_show(title)}</h1>",
        *(f"<p><b>{_show(line)}</b></p>" for line in report.headline),
        *map(_draw_table, report.tables),
        "<ul>",
        *(f"<li>{_show(line)}</li>" for line in report.said),
        "</ul>",
        *_list_sentences(report),
        "<h2>Pictures</h2>" if pictures else "",
        *map(_draw_picture, pictures),
        "<h2>Method</h2>",
        f"<p>{_show(report.method[:1].upper() + report.method[1:])}.</p>",
        "<ul>",
        *(f"<li>{_show(x)}</li>" for x in _list_citations(document)),
        "</ul>",
        *(["<h2>What was decided, and doubts</h2>", "<ul>"] if said else []),
        *(f"<li>{_show(x)}</li>" for x in said),
        "</ul>" if said else "",
        "<h2>To repeat it</h2>",
        f"<code>{_show(command)}</code>",
    ]
    if report.signature is not None:
        parts += [
            "<p>The signature of scores, options and numbers, for "
            "<b>sigarray compare --verify</b>:</p>",
            f"<code>{_show(report.signature)}</code>",
        ]
    parts.append(f"<footer><p>sigarray {__version__}</p></footer>")
    body = "\n".join(part for part in parts if part)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_show(title)}</title>\n<style>{_STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _list_sentences(report: Report) -> list[str]:
    """Show the verdicts in sentences, to unfold, if tables have them."""
    if report.remarks is None:
        return []
    return [
        "<details><summary>Every verdict in a sentence</summary>",
        "<ul>",
        *(f"<li>{_show(x)}</li>" for x in report.document["verdicts"]),
        "</ul></details>",
    ]


def _show(text: str) -> str:
    return html.escape(show_controls(text))


def _draw_table(table: Table) -> str:
    n = table.name_columns
    head = "".join(
        f'<th scope="col"{" class=name" if k < n else ""}>{_show(name)}</th>'
        for k, name in enumerate(table.header)
    )
    rows = []
    for i, row in enumerate(table.rows):
        cells = [
            f'<th scope="row">{_show(cell)}</th>'
            if k < n
            else f"<td{' class=marked' if (i, k) in table.marked else ''}>"
            f"{_show(cell)}</td>"
            for k, cell in enumerate(row)
        ]
        rows.append(f"<tr>{''.join(cells)}</tr>")
    label = html.escape(show_controls(table.title), quote=True)
    return (
        f"<p>{_show(table.title)}</p>\n"
        f'<div class="wide" tabindex="0" role="region" aria-label="{label}">\n'
        f"<table>\n"
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n" + "\n".join(rows) + "\n"
        "</tbody>\n</table>\n</div>"
    )


def _draw_picture(picture: Picture) -> str:
    data = base64.b64encode(as_svg(picture)).decode()
    caption = _show(picture.caption)
    return (
        f'<figure>\n<img alt="{caption}" src="data:image/svg+xml;base64,{data}">\n'
        f"<figcaption>{caption}</figcaption>\n</figure>"
    )


def _list_citations(document: dict[str, object]) -> list[str]:
    keys = [str(document["test"])]
    if document.get("correction") == "holm":
        keys.append("holm")
    return [x for key in keys for x in _CITATIONS.get(key, ())]
