"""Write tables and sentences as LaTeX, with booktabs."""

import itertools
import re
from dataclasses import replace
from pathlib import PurePath

from sigarray._plain_text import raise_initial, show_controls
from sigarray.report._layout import Report, Table
from sigarray.report._text import cut_names

# What stands above columns, as a paper has it.
_HEADERS = {
    "eps_min": r"$\varepsilon_{\min}$",
    **{
        f"P(A{sign}B){behind}": f"$P(A {sign} B)${behind}"
        for sign in "<>"
        for behind in ("", ", interval")
    },
    **{
        f"eps_min({a}{sign}{b})": rf"$\varepsilon_{{\min}}^{{{a}{sign}{b}}}$"
        for a, b in ("AB", "BA")
        for sign in "<>"
    },
    "A - B, interval": "$A - B$, interval",
    "A - B": "$A - B$",
    **{f"mean ({x})": rf"mean $\pm$ {x}" for x in ("sd", "se")},
    "adjusted p": "adjusted $p$",
    "p": "$p$",
}
# A p-value of the margin, which is a formula.
_OF_MARGIN = re.compile(r"[AB][<>][AB][-+][\d.]+")
# More columns are set in smaller letters.
_SIZES = ((11, r"\scriptsize"), (8, r"\footnotesize"), (6, r"\small"))
# A table with more is cut, and what is still too wide as names are long shrinks.
_MOST_LETTERS = 104
_SHRINK = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
# In sentences: names in quotes, and what is a formula there.
_IN_PROSE = re.compile(
    r'(?<![^\s(\[])"(?P<quoted>[^"]+)"(?!["\w])'
    r"|(?<![\w-])(?P<number>eps_min|p)"
    r"(?P<relations>(?: (?:<=|[<>=]) \d+(?:\.\d+)?(?:e[-+]?\d+)?)+)(?![\w%])"
    r"|(?<![\w-])(?P<symbol>eps_min|P\(A[<>]B\)|(?<=adjusted )p)(?![\w-])"
)
# Titles begin with the kind of a table, but for "Which model ..." and "On each task".
_BEHIND_KIND = re.compile(r"\b(?:and|by|for|in|of|on|over|which|with)\b|[,;:(]")
_NUMBER = r"[-+<]?\d+(?:\.\d*)?(?:e[-+]\d+)?"
_NUMBERS = re.compile(
    rf"{_NUMBER}(?: \((?:{_NUMBER}|-)\)| \[{_NUMBER}, {_NUMBER}\])?", re.ASCII
)


def render_latex(report: Report) -> str:
    """Write a report: a table environment for each table, and a paragraph.

    The file, which is no matter of a paper, is named in a comment.
    """
    source = show_controls(str(report.document.get("source", "")))
    about, *answer = report.headline or [source]
    blocks = ["% \\usepackage{booktabs,graphicx}", *([f"% {about}"] * bool(about))]
    blocks += [f"% Warning: {doubt}" for doubt in report.doubts]
    said = " ".join(report.said)
    are_apart = any(table.remarks for table in report.tables)
    labels: set[str] = set()
    for k, table in enumerate(report.tables):
        rest = table.title.removeprefix(f"{source}: ")  # without the file
        title = table.title if rest == table.title else raise_initial(rest)
        title = title.rstrip(".")
        measured = report.measured or ""
        rest, _, count = measured.rpartition("; ")
        measured = f"{rest}." if rest and count.rstrip(".") in title else measured
        sentences = [f"{title}.", measured, table.note, *table.remarks]
        if not k and not are_apart and report.remarks is not None:
            sentences.append(said)
        caption = " ".join(filter(None, sentences))
        shown = cut_names(table, _MOST_LETTERS)  # those that the answer has in full
        blocks.append(draw_float(shown, caption, _make_label(title, source, labels)))
    prose = [*answer, *([] if report.remarks is not None else [said])]
    prose.append(f"Method: {report.method}.")
    blocks.append("\n\n".join(map(_write_prose, filter(None, prose))))
    blocks += [f"% {line}" for line in [*report.first_advice, *report.advice]]
    if report.signature is not None:
        blocks.append(f"% Signature: {report.signature}")
    if any(x > "\u024f" and not "\u2000" <= x <= "\u206f" for x in "".join(blocks)):
        blocks[0] += (
            "\n% Use XeLaTeX, and a font with all letters: pdflatex lacks some."
        )
    return "\n\n".join(blocks) + "\n"


def draw_float(table: Table, caption: str | None, label: str | None) -> str:
    lines = [r"\begin{table}", r"\centering"]
    if caption is not None:
        lines.append(rf"\caption{{{_write_prose(caption)}}}")
    if label is not None:
        lines.append(rf"\label{{{label}}}")
    size = next((size for most, size in _SIZES if len(table.header) > most), None)
    if size is not None:
        lines.append(size)
    return "\n".join([*lines, f"{_SHRINK}\n{draw_latex(table)}}}", r"\end{table}"])


def draw_latex(table: Table) -> str:
    """Write a table alone, with means and standard deviations in one column."""
    table = _join_deviations(table)
    others = len(table.header) - table.name_columns
    columns = "l" * table.name_columns + "r" * others
    header = list(map(_write_header, table.header))
    rows = [
        [_write_cell(table, i, j) for j in range(len(row))]
        for i, row in enumerate(table.rows)
    ]
    # Braces, because \\ above would take a name in brackets or a star as its argument.
    lines = ["{} " + " & ".join(row) + r" \\" for row in [header, *rows]]
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            lines[0],
            r"\midrule",
            *lines[1:],
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def _join_deviations(table: Table) -> Table:
    """Write standard deviations behind their means, as in "0.91 (0.02)".

    Behind a column of means stands that of deviations, or of standard errors: "mean"
    and "sd" or "se", or in a result "summary_a.mean" and "summary_a.std".
    """
    for name, other in itertools.pairwise(table.header):
        start, dot, last = name.rpartition(".")
        spread = other.removeprefix(f"{start}{dot}")
        if last == "mean" and spread in ("sd", "std", "se"):
            table = _join(table, table.header.index(name), spread.replace("t", ""))
    return table


def _join(table: Table, k: int, spread: str) -> Table:
    def join(row: list[str], text: str) -> list[str]:
        return [*row[:k], text, *row[k + 2 :]]

    marked = {(i, j if j <= k else max(k, j - 1)) for i, j in table.marked}
    return replace(
        table,
        header=join(table.header, f"{table.header[k]} ({spread})"),
        rows=[join(row, f"{row[k]} ({row[k + 1]})") for row in table.rows],
        marked=frozenset(marked),
    )


def _write_header(name: str) -> str:
    start, dot, last = name.rpartition(".")
    if last.startswith("mean ("):
        return f"{to_latex(start + dot)}{_HEADERS[last]}"
    if _OF_MARGIN.fullmatch(name):
        return f"${name}$"
    return _HEADERS.get(name) or to_latex(name)


def _make_label(title: str, source: str, taken: set[str]) -> str:
    """Name a table by its file and its kind, as in "tab:runs-differences"."""
    file = PurePath(re.split(r", | and ", source)[0]).stem.lower()
    kind = _BEHIND_KIND.split(title.lower(), maxsplit=1)[0]
    words = [re.findall(r"[a-z0-9]+", x) for x in (file, kind)]
    stem = "tab:" + "-".join([*words[0], *(words[1] or ["tasks"])])
    others = (f"{stem}-{k}" for k in itertools.count(2))
    label = next(x for x in itertools.chain((stem,), others) if x not in taken)
    taken.add(label)
    return label


def _write_cell(table: Table, i: int, j: int) -> str:
    text, is_marked = table.rows[i][j], (i, j) in table.marked
    names = table.rows[i][: table.name_columns]
    if text in names or not _NUMBERS.fullmatch(text):
        said = to_latex(text)
        return rf"\textbf{{{said}}}" if is_marked else said
    text = re.sub(r"e([-+])0*(\d+)", _write_power, text)
    text = re.sub(r" \((.*)\)", r" \\pm \1", text.replace(" (-)", ""))
    text = text.replace(" [", r"\ [")
    return rf"$\mathbf{{{text}}}$" if is_marked else f"${text}$"


def _write_power(match: re.Match[str]) -> str:
    sign = match[1].replace("+", "")
    return rf" \times 10^{{{sign}{match[2]}}}"


_ESCAPES = str.maketrans(
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
        "±": r"$\pm$",
        "\u00a0": "~",
        "\u202f": r"\,",
        **{character: rf"\{character}" for character in "&%$#_{}"},
    }
)


def _write_prose(text: str) -> str:
    """Escape a text, with quotes of LaTeX, and numbers that decide as formulas."""
    written, end = [], 0
    for match in _IN_PROSE.finditer(text):
        written += [to_latex(text[end : match.start()]), _write_part(match)]
        end = match.end()
    return "".join([*written, to_latex(text[end:])])


def _write_part(match: re.Match[str]) -> str:
    if match["quoted"] is not None:
        return f"``{to_latex(match['quoted'])}''"
    symbol = _HEADERS[match["number"] or match["symbol"]]
    relations = (match["relations"] or "").replace("<=", r"\leq")
    relations = re.sub(r"e([-+])0*(\d+)", _write_power, relations)
    return f"{symbol[:-1]}{relations}$"


def to_latex(text: str) -> str:
    text = text.translate(_ESCAPES).replace("$<$=", r"$\leq$")
    # Signs of numbers; other hyphens, commas and apostrophes in a row may not join.
    text = re.sub(r"(?<![^\s\[])([-+])(?=[\d.])", r"$\1$", text)
    return re.sub(r"([-,'])(?=\1)", r"\1{}", text)
