"""What a report holds: tables of text, sentences, and numbers with few digits."""

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sigarray._plain_text import show_controls

_MAX_DECIMALS, _MAX_DIGITS = 8, 17
_MAX_FIXED = 1e9
_SMALLEST_FIXED = 1e-4
# Deviations of so many units of rounding, or of this share of the largest one, are as
# good as none.
_ROUNDING = 16 * sys.float_info.epsilon
_NEGLIGIBLE = 1e-4

Summary = dict[str, float]


@dataclass(frozen=True)
class Table:
    """Cells as text; `marked` ones are (row, column), and the first columns names.

    `names` are those of models in the header or within cells, which may be cut. `note`
    says in captions what marked cells are, and `remarks` are those of the report that
    belong to this table alone. A table `decides` if it has the verdicts, which the
    headline sums up. Columns have a `gap` between them.
    """

    title: str
    header: list[str]
    rows: list[list[str]]
    marked: frozenset[tuple[int, int]] = frozenset()
    name_columns: int = 1
    names: Sequence[str] = ()
    note: str = ""
    remarks: Sequence[str] = ()
    decides: bool = False
    gap: int = 2


@dataclass(frozen=True)
class Report:
    """A report for readers and for programs.

    `records` are the rows of a CSV file, `document` is a JSON file, `method` says how
    the result was computed, and `signature` so in one line. `exit_code` is that of the
    command. If there is a headline, readers see it first, and `remarks` for the
    sentences: tables have the verdicts. `advice` is what to do next, which is for no
    paper, nor is the first line of the headline; for one there are `paragraphs`, or
    else the sentences, after the `summary` in a sentence, and `measured`, which says in
    captions what was measured, and how often. `notes` say how scores were read, where
    nothing else has told that. `first_advice` is said beside the headline, for nothing
    else would decide. `clauses` are what readers of the answer alone need to know.
    `doubts` are warnings, which other documents have as well.
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
    advice: Sequence[str] = ()
    paragraphs: Sequence[str] = ()
    summary: str = ""
    measured: str | None = None
    notes: Sequence[str] = ()
    first_advice: Sequence[str] = ()
    clauses: Sequence[str] = ()
    doubts: Sequence[str] = ()

    @property
    def first_lines(self) -> list[str]:
        return [*self.headline, *self.first_advice]

    @property
    def answer(self) -> "Report":
        """The headline and the tables that decide, alone; all, if none does."""
        deciding = [table for table in self.tables if table.decides]
        if not deciding:
            return self
        return replace(
            self,
            tables=deciding,
            remarks=self.clauses,
            advice=[],
            method="",
            signature=None,
        )

    @property
    def said(self) -> list[str]:
        """What readers are told below the tables, each once, without advice."""
        said = self.sentences if self.remarks is None else self.remarks
        return list(dict.fromkeys(said))


def neutralise(report: Report) -> Report:
    """Escape controls in names from a file, except in JSON, which escapes them too."""
    lists = ["sentences", "headline", "advice", "paragraphs", "notes", "doubts"]
    lists.append("first_advice")
    remarks, measured = report.remarks, report.measured
    shown: dict[str, Any] = {
        name: list(map(show_controls, getattr(report, name))) for name in lists
    }
    return replace(
        report,
        tables=list(map(neutralise_table, report.tables)),
        remarks=None if remarks is None else list(map(show_controls, remarks)),
        method=show_controls(report.method),
        measured=None if measured is None else show_controls(measured),
        summary=show_controls(report.summary),
        **shown,
    )


def neutralise_table(table: Table) -> Table:
    return replace(
        table,
        title=show_controls(table.title),
        header=list(map(show_controls, table.header)),
        rows=[list(map(show_controls, row)) for row in table.rows],
        names=list(map(show_controls, table.names)),
        remarks=list(map(show_controls, table.remarks)),
    )


def describe_scores(scores: Any) -> Summary:
    """Describe scores; the standard deviation has ddof 1, and is NaN for one score."""
    if hasattr(scores, "describe"):  # scores on the disk
        return dict(scores.describe())
    # Sorted, so that the mean does not depend on the order of scores.
    x = np.sort(scores)
    low, high = float(x[0]), float(x[-1])
    # Relative to the smallest, in units of the range, nothing is lost or overflows.
    span = (high - low) or 1.0
    shares = (x - low) / span
    share = float(np.mean(shares))
    return {
        "mean": min(low + span * share, high),
        "sd": float(span * np.std(shares, ddof=1)) if len(x) > 1 else math.nan,
        "median": float(np.median(x)),
        "min": low,
        "max": high,
    }


def number_format(
    summaries: Sequence[Summary],
    sign: str = "",
    digits: int = 3,
    most: int = _MAX_DIGITS,
) -> Callable[[float], str]:
    """Return a format in which the smallest deviation has so many digits.

    But no more decimals than the `most`.

    Scores that vary by no more than rounding, such as a mean that is 1 by division, or
    hardly beside others, need none. All numbers have as many decimals, or, where these
    were too many to read, powers of ten and digits to the same place.
    """
    least = find_least_deviation(summaries)
    place = digits - 1 - math.floor(math.log10(1e-3 if math.isnan(least) else least))
    place = min(place, most)
    decimals = max(0, place)
    ends = [abs(x[key]) for x in summaries for key in ("mean", "min", "max")]
    largest = max((x for x in ends if not math.isnan(x)), default=0.0)
    is_short = 0 <= place <= sys.float_info.dig - _count_integer_digits(largest)
    is_fixed = decimals <= _MAX_DECIMALS and (largest < _MAX_FIXED or is_short)

    def show(x: float) -> str:
        if math.isnan(x):
            return "-"
        if is_fixed or not x:
            return _show_fixed(x, decimals if is_fixed else 0, sign)
        n = min(max(_count_integer_digits(x) + place, 3), _MAX_DIGITS)
        return f"{x:{sign}#.{n}g}".rstrip(".")

    return show


def count_decimals_of_scores(samples: Sequence[Any]) -> int:
    """Count the decimals with which scores were given; many, if they were computed."""
    for decimals in range(_MAX_DECIMALS):
        if all(np.array_equal(np.round(x, decimals), x) for x in samples):
            return decimals
    return _MAX_DIGITS


def find_least_deviation(summaries: Sequence[Summary]) -> float:
    deviations = [
        x["sd"]
        for x in summaries
        if x["sd"] > _ROUNDING * max(abs(x["min"]), abs(x["max"]))
    ]
    largest = max(deviations, default=math.nan)
    return min((x for x in deviations if x > _NEGLIGIBLE * largest), default=math.nan)


def _count_integer_digits(x: float) -> int:
    """Count the digits before the point; below 0.1, less than none."""
    return math.floor(math.log10(abs(x))) + 1 if x else 0


def count_decimals(intervals: Iterable[tuple[float, float]]) -> int | None:
    """Count the decimals of a table of intervals: two digits of half the least width.

    But no more than four of half the largest. None if all have too many.
    """
    halves = [
        0.5 * (high - low)
        for low, high in intervals
        if high > low and max(abs(low), abs(high)) < _MAX_FIXED
    ]
    places = [max(0, 1 - math.floor(math.log10(x))) for x in halves]
    places = [n for n in places if n <= _MAX_DECIMALS]
    return min(max(places), min(places) + 2) if places else None


def show_interval(
    difference: float,
    low: float,
    high: float,
    show: Callable[[float], str],
    decimals: int | None,
    sign: str = "+",
) -> str:
    """Show a difference and its interval with so many decimals, or else by `show`.

    The difference by itself, if there is no interval. Without a sign, another number.
    """
    if not high > low:
        return show(difference)
    if decimals is None:
        limits = [f"{x:{sign}#.3g}" if x else "0" for x in (low, high)]
        return f"{show(difference)} [{', '.join(limits)}]"
    limits = [_show_limit(x, decimals, sign) for x in (low, high)]
    return f"{_show_fixed(difference, decimals, sign)} [{', '.join(limits)}]"


def _show_fixed(x: float, decimals: int, sign: str) -> str:
    """Show so many decimals; of what rounds to zero, without a sign."""
    shown = f"{x:{sign}.{decimals}f}"
    return shown if float(shown) else f"{0.0:.{decimals}f}"


def _show_limit(x: float, decimals: int, sign: str) -> str:
    """Show so many decimals, or the few more by which a limit is not zero."""
    texts = (f"{x:{sign}.{k}f}" for k in range(decimals, decimals + 6))
    shown = _first(texts, bool)
    return shown if float(shown) else _show_fixed(x, decimals, sign)


def show_p_value(p: float, level: float) -> str:
    """Show four decimals, or as many as keep p on its side of the level.

    A p-value at the level is significant, like those below it. Smaller ones than four
    decimals can show are "<0.0001", unless the level is so small, too.
    """
    is_small = p < _SMALLEST_FIXED
    if is_small and level >= _SMALLEST_FIXED:
        return f"<{_SMALLEST_FIXED:.4f}"
    form = "e" if p > 0.0 and is_small else "f"
    places = range(1 if form == "e" else 4, 18)
    texts = (f"{p:.{k}{form}}" for k in places)
    return _first(texts, lambda shown: (shown <= level) == (p <= level))


def show_least(shown: str) -> str:
    """Mark a p-value that more resamples would make smaller: "<=0.0010"."""
    return shown if shown.startswith("<") else f"<={shown}"


def equate(shown: str) -> str:
    """Put an equals sign before a number, unless it is "<0.0001" or "<=0.0010"."""
    number = shown.lstrip("<=")
    return f"{shown[: -len(number)] or '='} {number}"


def show_bound(bound: float, threshold: float) -> str:
    """Show three decimals, or as many as keep the bound on its side of a threshold."""
    texts = (f"{bound:.{k}f}" for k in range(3, 18))
    return _first(texts, lambda shown: (shown < threshold) == (bound < threshold))


def _first(texts: Iterator[str], is_right: Callable[[float], bool]) -> str:
    """Return the first text whose number is right, or else the last."""
    for text in texts:
        if is_right(float(text)):
            break
    return text


def put_first(names: Iterable[str], first: str | None) -> list[str]:
    return sorted(names, key=lambda name: name != first)


def without_infinities(record: dict[str, Any]) -> dict[str, Any]:
    return {
        name: None if isinstance(x, float) and not math.isfinite(x) else x
        for name, x in record.items()
    }
