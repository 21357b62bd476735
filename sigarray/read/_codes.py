"""Columns of integer codes of cells, and groups of rows with the same codes."""

import itertools
import math
from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from sigarray.read._text import NUMBER

# The most codes, or groups, that become Python numbers at a time.
_CHUNK = 2**14
# Integers need no sorting if their range is at most so many times their count.
_SPARSEST = 4


@dataclass(frozen=True, eq=False)
class Coded(Sequence[Any]):
    """A column whose cells are places in values, a sequence or array; -1 is None."""

    codes: np.ndarray
    values: Any

    def __len__(self) -> int:
        return len(self.codes)

    @overload
    def __getitem__(self, place: int) -> Any: ...
    @overload
    def __getitem__(self, place: slice | np.ndarray) -> "Coded": ...

    def __getitem__(self, place: Any) -> Any:
        codes = self.codes[place]
        return Coded(codes, self.values) if np.ndim(codes) else self._decode(codes)

    def __iter__(self) -> Iterator[Any]:
        for start in range(0, len(self), _CHUNK):
            yield from map(self._decode, self.codes[start : start + _CHUNK].tolist())

    def _decode(self, code: int) -> Any:
        value = self.values[code] if code >= 0 else None
        return value.item() if isinstance(value, np.generic) else value

    def compact(self) -> "Coded":
        """Return the column with the values that occur, in order of first cells."""
        codes, known = _number(self.codes + 1, len(self.values) + 1)
        order = np.argsort(find_first(codes, len(known)))
        order = order[known[order] > 0]  # 0 is blank
        places = np.full(len(known), -1, np.int32)
        places[order] = np.arange(len(order))
        return Coded(places[codes], take(self.values, known[order] - 1))

    def list_known(self) -> list[Any]:
        """List the values of cells, in the order in which they come first."""
        first = find_first(self.codes, len(self.values) + 1)
        order = np.argsort(first, kind="stable")[np.count_nonzero(first < 0) :]
        values = [*self.values, None]
        return [values[k] for k in order.tolist()]

    def find(self, values: Collection[Any]) -> np.ndarray:
        return np.take([x in values for x in [*self.values, None]], self.codes)


def encode(cells: Sequence[Hashable]) -> Coded:
    """Return a column of the codes of hashable cells; None is blank."""
    known: dict[Hashable, int] = {None: -1}
    codes = (known.setdefault(x, len(known) - 1) for x in cells)
    return Coded(np.fromiter(codes, np.int32, len(cells)), list(known)[1:])


def encode_numbers(numbers: np.ndarray) -> Coded:
    if numbers.dtype.kind == "i" and len(numbers):
        low = int(numbers.min())
        bound = int(numbers.max()) - low + 1
        if bound <= _SPARSEST * len(numbers):
            codes, known = _number(numbers.astype(np.int64) - low, bound)
            return Coded(codes, known + low)
    known, codes = np.unique(numbers, return_inverse=True)
    return Coded(codes, known)


def read_numbers(texts: Coded) -> np.ndarray | None:
    values = [*map(str, texts.values)]
    if np.any(texts.codes < 0) or not all(map(NUMBER.fullmatch, values)):
        return None
    return np.asarray([*map(float, values)]).take(texts.codes)


def repeat(value: Any, count: int) -> Coded:
    """Return a column of one value, in constant memory."""
    code, values = (-1, []) if value is None else (0, [value])
    return Coded(np.broadcast_to(np.int32(code), count), values)


def join_columns(columns: Sequence[Coded]) -> Coded:
    """Return one column of the cells of several, one below another."""
    if len(columns) == 1:
        return columns[0]
    known: dict[Any, int] = {}
    codes = []
    for column in columns:
        places = [known.setdefault(x, len(known)) for x in column.values]
        codes.append(np.asarray([*places, -1], np.int32)[column.codes])
    return Coded(np.concatenate(codes), list(known))


def take(cells: Any, rows: np.ndarray | Sequence[int]) -> Any:
    if isinstance(cells, (np.ndarray, Coded)):
        return cells[np.asarray(rows)]
    return [cells[k] for k in rows]


def distinct(cells: Any) -> Sequence[Any]:
    """Return the cells, or each once if they are coded."""
    return cells.list_known() if isinstance(cells, Coded) else cells


def find_first(codes: np.ndarray, size: int) -> np.ndarray:
    """Return the first row of each code, or -1 for none; blank cells come last."""
    first = np.full(size, -1)
    # NumPy keeps the last of several values for one place.
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    return first


def group_rows(columns: Sequence[Coded]) -> tuple[np.ndarray, int]:
    """Number the combinations of cells in rows, by the order of codes; count them."""
    groups, n_groups = np.zeros(len(columns[0]), np.int32), 1
    for column in columns:
        n = len(column.values) + 1
        if n > 1:
            groups = groups.astype(np.int64) * n + (column.codes + 1)
            groups, known = _number(groups, n_groups * n)
            n_groups = len(known)
    return groups, n_groups


def split_rows(columns: Sequence[Coded]) -> list[np.ndarray]:
    """Return the rows of each group, in the order in which they come first."""
    groups, n_groups = group_rows(columns)
    ends = np.cumsum(np.bincount(groups, minlength=n_groups))
    parts = np.split(sort_groups(groups, n_groups), ends[:-1])
    return [parts[k] for k in np.argsort(find_first(groups, n_groups))]


def sort_groups(groups: np.ndarray, n_groups: int) -> np.ndarray:
    """Return the rows of the first group in order, then of the second, and so on."""
    # Numbers of 16 bits are sorted much faster.
    small = groups.astype(np.uint16) if n_groups <= 2**16 else groups
    return np.argsort(small, kind="stable")


def find_means(scores: np.ndarray, groups: np.ndarray, n_groups: int) -> np.ndarray:
    """Return the mean of each group, from sums by `math.fsum`."""
    if n_groups == len(scores):
        means = np.empty(n_groups)
        means[groups] = scores
        return means
    rows = sort_groups(groups, n_groups)
    ends = np.cumsum(np.bincount(groups, minlength=n_groups))
    averages = []
    for start in range(0, n_groups, _CHUNK):
        low = ends[start - 1] if start else 0
        stops = (ends[start : start + _CHUNK] - low).tolist()
        chunk = scores[rows[low : low + stops[-1]]].tolist()
        averages += [
            math.fsum(chunk[a:b]) / (b - a) for a, b in itertools.pairwise([0, *stops])
        ]
    return np.asarray(averages)


def find_again(groups: np.ndarray, n_groups: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows that repeat a group, and for each row the first of its group."""
    first = find_first(groups, n_groups)[groups]
    return np.flatnonzero(first != np.arange(len(first))), first


def _number(keys: np.ndarray, bound: int) -> tuple[np.ndarray, np.ndarray]:
    if bound > _SPARSEST * len(keys):
        known, numbered = np.unique(keys, return_inverse=True)
        return numbered, known
    is_known = np.zeros(bound, bool)
    is_known[keys] = True
    numbers = np.cumsum(is_known, dtype=np.int32) - 1
    return numbers[keys], np.flatnonzero(is_known)
