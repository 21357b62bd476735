"""Integer codes of the items, runs and other names of many scores."""

import operator
from collections.abc import Hashable, Iterable, Sequence

import numpy as np


def encode(values: Iterable[Hashable], count: int) -> tuple[np.ndarray, int]:
    """Return the code of each value, and the number of different values."""
    known: dict[Hashable, int] = {}
    codes = np.fromiter(
        (known.setdefault(x, len(known)) for x in values), np.int64, count
    )
    return codes, len(known)


def count_distinct(records: Sequence[object], roles: Sequence[str]) -> int:
    """Count the different combinations of some attributes of records."""
    together, size = np.zeros(len(records), dtype=np.int64), 1
    for role in roles:
        codes, n = encode(map(operator.attrgetter(role), records), len(records))
        if size > 2**62 // max(1, n):
            return len({*map(operator.attrgetter(*roles), records)})
        together, size = together * n + codes, size * n
    # This is faster than the hashes of `numpy.unique`.
    together.sort()
    return int(np.count_nonzero(np.diff(together))) + (len(together) > 0)
