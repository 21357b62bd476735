"""Rows that are there twice, among ratings and samples that are averaged."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from sigarray._plain_text import list_in_words
from sigarray.read._bytes import TableError
from sigarray.read._cells import encode_texts
from sigarray.read._codes import Coded, encode, find_first, group_rows
from sigarray.read._frame import names_runs
from sigarray.read._identifiers import are_of_one_item
from sigarray.read._records import Records
from sigarray.read._wide import WideTable, list_names_of_rows

_ADVICE = "Remove one, or name all columns that tell them apart with --run."


def refuse_repeats(records: Records) -> None:
    """Refuse a second score by one rater, sample or run whose column has no role."""
    factors = [records.factors[x] for x in ("model", "item", "cluster")]
    known = {y for by in records.roles for x, y in by.items() if x != "rater"}
    frame = records[0].frame
    known |= {*records.metrics}
    names = [x for x in (*frame.columns, *frame.left_out) if x not in known]
    found = None
    if any(map(_names_parts, names)):
        found = _find_repeat(factors, dict(_read_texts(records, names)))
    if found is not None:
        record, other, by = records[found[0]], records[found[1]], found[2]
        msg = (
            f"{record.place}: expected one score of {record.model!r} for item "
            f"{record.item!r}, {by}; got another one at {other.place}. {_ADVICE}"
        )
        raise TableError(msg)


def have_parts(table: WideTable, chosen: Mapping[str, str], unit: str | None) -> bool:
    """Tell whether rows are ratings, samples or runs of items, to be averaged.

    Most items have several, for a few may be repeated rows; or a column has such a
    name, by which those are found.
    """
    if unit != "item" or "item" not in chosen:
        return False
    ids = list_names_of_rows(table, chosen["item"], "item")
    return 2 * len({*ids}) <= len(ids) or any(map(_names_parts, table.names.values()))


def refuse_repeated_rows(
    table: WideTable, ids: Sequence[str], known: Sequence[str]
) -> None:
    """Refuse a second row of an item by one rater, sample or run.

    `ids` are the items of the rows, and `known` the columns of items and models.
    """
    columns = {
        name: encode_texts(table.cells[k])
        for k, name in table.names.items()
        if name not in known
    }
    found = _find_repeat([encode(ids)], columns) if columns else None
    if found is not None:
        k, first, by = found
        msg = (
            f"{table.place(k)}: expected one row of item {ids[k]!r}, {by}; got another "
            f"one at {table.place(first)}. {_ADVICE}"
        )
        raise TableError(msg)


def _read_texts(records: Records, names: Sequence[str]) -> Iterator[tuple[str, Coded]]:
    """Yield the texts in those columns that all files have."""
    for name in names:
        having, texts = records.take_texts(name)
        if len(having) == len(records):
            yield name, texts


def _names_parts(name: str) -> bool:
    """Tell by its name whether a column has raters, samples or runs."""
    return are_of_one_item(name) or names_runs(name)


def _find_repeat(
    factors: Sequence[Coded], columns: Mapping[str, Coded]
) -> tuple[int, int, str] | None:
    """Return a row that is there twice, the first of its kind, and what they are of.

    Columns of raters, samples and runs have to be among those that tell rows apart, and
    others of few values may be. Where most rows are there twice, they are samples
    without a name.
    """
    of_parts = {x: y for x, y in columns.items() if _names_parts(x)}
    if not of_parts:
        return None
    others = [
        y
        for x, y in columns.items()
        if x not in of_parts and 2 * len(y.list_known()) <= len(y)
    ]
    groups, n_groups = group_rows([*factors, *of_parts.values(), *others])
    if n_groups == len(groups) or np.median(np.bincount(groups)) > 1:
        return None
    first = find_first(groups, n_groups)[groups]
    again = int(np.argmax(first != np.arange(len(first))))
    said = [f"{x} {y[again]!r}" for x, y in of_parts.items() if y[again] is not None]
    return again, int(first[again]), list_in_words(said)
