"""What a report holds: tables of text, sentences, and numbers for programs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sigarray._plain_text import show_controls


@dataclass(frozen=True)
class Table:
    """Cells as text; `marked` ones are (row, column), and the first columns names.

    `names` are those of models in the header or within cells, which may be cut. `note`
    says in captions what marked cells are, and `remarks` are those of the report that
    belong to this table, where some belong to another one. A table `decides` if it has
    the verdicts, which the headline sums up.
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


@dataclass(frozen=True)
class Report:
    """A report for readers and for programs.

    `records` are the rows of a CSV file, `document` is a JSON file, and `method` says
    how the result was computed, and `signature` in one line for others to repeat it.
    `exit_code` is that of the command. If there is a headline, readers see it first,
    and `remarks` for the sentences: tables have the verdicts. `advice` is what to do
    next, which is for no paper, nor is the first line of the headline; for one there
    are `paragraphs`, or else the sentences, and `measured`, which says in captions what
    was measured, and how often. `notes` say how scores were read, where nothing else
    has told that yet. `first_advice` is what to do of which readers hear beside the
    headline, for nothing else would decide. `clauses` are what readers of the answer
    alone need to know beside it. `doubts` are warnings: what goes into other documents
    has them, for those who read these have not seen how it was made.
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
    measured: str | None = None
    notes: Sequence[str] = ()
    first_advice: Sequence[str] = ()
    clauses: Sequence[str] = ()
    doubts: Sequence[str] = ()

    @property
    def first_lines(self) -> list[str]:
        """What readers see first."""
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
