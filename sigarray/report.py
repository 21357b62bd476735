"""Tables and sentences from results, on the host: text, Markdown, LaTeX, CSV, JSON."""

import csv
import io
import itertools
import json
import math
import re
import shutil
import statistics
import sys
import textwrap
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from sigarray._typing import Array
from sigarray.results import PairwiseAsoResult

_MAX_DECIMALS = 8
_MAX_FIXED = 1e9
_MIN_WIDTH = 40
_UNLIMITED = 10**6


@dataclass(frozen=True)
class Comparison:
    """Models by name, their scores, and almost stochastic order between them.

    `result` holds NumPy arrays of shape (K, K); `method` says how it was computed.
    """

    source: str
    scores: dict[str, list[float]]
    result: PairwiseAsoResult
    confidence_level: float
    threshold: float
    is_corrected: bool
    higher_is_better: bool
    method: str


@dataclass(frozen=True)
class Table:
    """Cells as text, first column to the left; `marked` cells are (row, column)."""

    title: str
    header: list[str]
    rows: list[list[str]]
    marked: frozenset[tuple[int, int]] = frozenset()


def render(comparison: Comparison, style: str) -> str:
    """Give the comparison as "text", "markdown", "latex", "csv" or "json"."""
    return _RENDERERS[style](comparison)


def print_text(comparison: Comparison) -> None:
    """Print tables and sentences, with rich where it is installed."""
    try:
        import rich  # noqa: F401
    except ImportError:
        print(_render_text(comparison), end="")
    else:
        print(_render_rich(comparison), end="")


def _summary_table(comparison: Comparison) -> Table:
    """Describe the scores of each model; the standard deviation has ddof 1."""
    summaries = {name: _summarize(scores) for name, scores in comparison.scores.items()}
    show = _number_format(list(summaries.values()))
    rows = [
        [name, str(len(comparison.scores[name])), *(show(x) for x in summary.values())]
        for name, summary in summaries.items()
    ]
    header = ["model", "n", "mean", "sd", "median", "min", "max"]
    direction = "higher" if comparison.higher_is_better else "lower"
    return Table(f"{comparison.source}, {direction} is better", header, rows)


def _summarize(scores: list[float]) -> dict[str, float]:
    return {
        "mean": statistics.fmean(scores),
        "sd": statistics.stdev(scores) if len(scores) > 1 else math.nan,
        "median": statistics.median(scores),
        "min": min(scores),
        "max": max(scores),
    }


def _eps_min_table(comparison: Comparison) -> Table:
    names, eps_min = list(comparison.scores), comparison.result.eps_min
    rows = [
        [
            name,
            *(
                "" if i == j else _show_bound(eps_min[i, j], comparison.threshold)
                for j in range(len(names))
            ),
        ]
        for i, name in enumerate(names)
    ]
    wins = np.argwhere(eps_min < comparison.threshold)
    return Table(
        f"eps_min: the row is better than the column where below "
        f"{comparison.threshold:g}",
        ["", *names],
        rows,
        frozenset((int(i), int(j) + 1) for i, j in wins),
    )


def _sentences(comparison: Comparison) -> list[str]:
    names = list(comparison.scores)
    pairs = itertools.combinations(range(len(names)), 2)
    return [_sentence(comparison, names, i, j) for i, j in pairs]


def _sentence(comparison: Comparison, names: list[str], i: int, j: int) -> str:
    eps_min = comparison.result.eps_min
    if eps_min[j, i] < eps_min[i, j]:
        i, j = j, i
    n_pairs = len(names) * (len(names) - 1) // 2
    correction = (
        f"after Bonferroni correction for {n_pairs} comparisons"
        if comparison.is_corrected and n_pairs > 1
        else "without a correction"
        if n_pairs > 1
        else "for one comparison"
    )
    basis = f"at confidence {comparison.confidence_level:.10g} {correction}"
    summaries = [_summarize(comparison.scores[names[k]]) for k in (i, j)]
    difference = summaries[0]["mean"] - summaries[1]["mean"]
    show = _number_format(summaries, sign="+")
    bounds = [_show_bound(eps_min[k], comparison.threshold) for k in ((i, j), (j, i))]
    if eps_min[i, j] < comparison.threshold:
        return (
            f"{names[i]} is better than {names[j]}: eps_min = {bounds[0]} < "
            f"{comparison.threshold:g}, {basis}; the means differ by "
            f"{show(difference)}."
        )
    return (
        f"Nothing can be said of {names[i]} and {names[j]}: eps_min = "
        f"{bounds[0]} and {bounds[1]}, neither below "
        f"{comparison.threshold:g}, {basis}; the means differ by {show(difference)}."
    )


def _number_format(
    summaries: Sequence[dict[str, float]], sign: str = ""
) -> Callable[[float], str]:
    """Show as many decimals as give the smallest deviation three digits."""
    deviations = [x["sd"] for x in summaries if x["sd"] > 0.0]
    decimals = max(0, 2 - math.floor(math.log10(min(deviations, default=1e-3))))
    largest = max(abs(x[key]) for x in summaries for key in ("min", "max"))
    is_fixed = decimals <= _MAX_DECIMALS and largest < _MAX_FIXED
    form = f"{sign}.{decimals}f" if is_fixed else f"{sign}.6g"
    return lambda x: "-" if math.isnan(x) else format(x, form)


def _show_bound(eps_min: float, threshold: float) -> str:
    """Show three decimals, or as many as keep it on its side of the threshold."""
    for decimals in range(3, 17):
        text = f"{eps_min:.{decimals}f}"
        if (float(text) < threshold) == (eps_min < threshold):
            break
    return text


def _render_text(comparison: Comparison) -> str:
    blocks = [_render_plain(table) for table in _tables(comparison)]
    return "\n\n".join([*blocks, _render_prose(comparison)]) + "\n"


def _render_prose(comparison: Comparison) -> str:
    """Wrap the sentences to the width of the terminal."""
    width = max(_MIN_WIDTH, shutil.get_terminal_size().columns)
    sentences = [textwrap.fill(line, width) for line in _sentences(comparison)]
    return "\n".join([*sentences, "", f"Method: {comparison.method}."])


def _tables(comparison: Comparison) -> list[Table]:
    return [_summary_table(comparison), _eps_min_table(comparison)]


def _render_plain(table: Table) -> str:
    cells = [table.header, *table.rows]
    widths = [max(map(_width, column)) for column in zip(*cells, strict=True)]
    lines = []
    for row in cells:
        padding = [" " * (w - _width(c)) for c, w in zip(row, widths, strict=True)]
        first, *others = (pad + cell for cell, pad in zip(row, padding, strict=True))
        lines.append("  ".join([first.lstrip() + padding[0], *others]))
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join([table.title, "", *(line.rstrip() for line in lines)])


def _width(text: str) -> int:
    """Count the places that the text takes in a terminal."""
    return sum(
        0
        if unicodedata.combining(character)
        else 2
        if unicodedata.east_asian_width(character) in "WF"
        else 1
        for character in text
    )


def _render_rich(comparison: Comparison) -> str:
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    # As wide as it has to be: rich would cut off cells in a narrow terminal.
    console = Console(
        file=io.StringIO(), width=_UNLIMITED, force_terminal=sys.stdout.isatty()
    )
    for table in _tables(comparison):
        rich_table = RichTable(box=box.SIMPLE_HEAD)
        for column, name in enumerate(table.header):
            justify: Literal["left", "right"] = "right" if column else "left"
            rich_table.add_column(Text(name), justify=justify, no_wrap=True)
        for i, row in enumerate(table.rows):
            styles = [
                "bold green" if (i, j) in table.marked else "" for j in range(len(row))
            ]
            cells = [Text(cell, style) for cell, style in zip(row, styles, strict=True)]
            rich_table.add_row(*cells)
        console.print(Text(table.title))
        console.print(rich_table)
    text = console.file.getvalue() + _render_prose(comparison) + "\n"  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in text.split("\n"))


def _render_markdown(comparison: Comparison) -> str:
    blocks = []
    for table in _tables(comparison):
        rule = ["---", *["---:"] * (len(table.header) - 1)]
        rows = _mark(table, "**{}**", _to_markdown)
        lines = ["| " + " | ".join(row) + " |" for row in [rows[0], rule, *rows[1:]]]
        blocks += [f"{_to_markdown(table.title)}:", "\n".join(lines)]
    sentences = map(_to_markdown, _sentences(comparison))
    blocks.append("\n".join(f"- {sentence}" for sentence in sentences))
    blocks.append(f"Method: {comparison.method}.")
    return "\n\n".join(blocks) + "\n"


def _render_latex(comparison: Comparison) -> str:
    blocks = ["% \\usepackage{booktabs}"]
    for table in _tables(comparison):
        # Braces, for \\ above would take a name in brackets or a star as its argument.
        rows = [
            "{} " + " & ".join(row) + r" \\"
            for row in _mark(table, r"\textbf{{{}}}", _to_latex)
        ]
        blocks.append(
            "\n".join(
                [
                    f"% {table.title}",
                    rf"\begin{{tabular}}{{l{'r' * (len(table.header) - 1)}}}",
                    r"\toprule",
                    rows[0],
                    r"\midrule",
                    *rows[1:],
                    r"\bottomrule",
                    r"\end{tabular}",
                ]
            )
        )
    sentences = [*_sentences(comparison), f"Method: {comparison.method}."]
    blocks.append("\n".join(map(_to_latex, sentences)))
    return "\n\n".join(blocks) + "\n"


def _to_markdown(text: str) -> str:
    return re.sub(r"([\\`*\[\]<|~]|(?<!\w)_|_(?!\w))", r"\\\1", text)


def _mark(table: Table, mark: str, escape: Callable[[str], str]) -> list[list[str]]:
    """Escape the header and all cells, and mark those that are to be marked."""
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
        "<": r"$<$",
        ">": r"$>$",
        "|": r"$|$",
        **{character: rf"\{character}" for character in "&%$#_{}"},
    }
)


def _to_latex(text: str) -> str:
    text = text.translate(_LATEX_ESCAPES)
    return re.sub(r"(?<!\S)([-+])(?=[\d.])", r"$\1$", text)


def _pair_records(comparison: Comparison) -> Iterator[dict[str, Any]]:
    """Give one record for each ordered pair (A, B)."""
    names, result = list(comparison.scores), comparison.result
    for i, j in itertools.permutations(range(len(names)), 2):
        a, b = (_summarize(comparison.scores[names[k]]) for k in (i, j))
        yield {
            "model_a": names[i],
            "model_b": names[j],
            "mean_difference": a["mean"] - b["mean"],
            "eps_min": float(result.eps_min[i, j]),
            "violation_ratio": float(result.violation_ratio[i, j]),
            "standard_error": float(result.standard_error[i, j]),
            "a_is_better": bool(result.eps_min[i, j] < comparison.threshold),
        }


def _render_csv(comparison: Comparison) -> str:
    records = list(_pair_records(comparison))
    text = io.StringIO()
    writer = csv.DictWriter(text, list(records[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return text.getvalue()


def _render_json(comparison: Comparison) -> str:
    document = {
        "source": comparison.source,
        "higher_is_better": comparison.higher_is_better,
        "confidence_level": comparison.confidence_level,
        "correction": "bonferroni" if comparison.is_corrected else None,
        "threshold": comparison.threshold,
        "method": comparison.method,
        "models": {
            name: {"n": len(scores)} | _without_nan(_summarize(scores))
            for name, scores in comparison.scores.items()
        },
        "eps_min": _as_lists(comparison.result.eps_min),
        "pairs": list(_pair_records(comparison)),
        "verdicts": _sentences(comparison),
    }
    return json.dumps(document, indent=2, allow_nan=False, ensure_ascii=False) + "\n"


def _without_nan(summary: dict[str, float]) -> dict[str, float | None]:
    return {name: None if math.isnan(x) else x for name, x in summary.items()}


def _as_lists(matrix: Array) -> list[list[float]]:
    return [[float(x) for x in row] for row in matrix]


_RENDERERS = {
    "text": _render_text,
    "markdown": _render_markdown,
    "latex": _render_latex,
    "csv": _render_csv,
    "json": _render_json,
}
STYLES = tuple(_RENDERERS)
