"""What many scores are of, as columns of integer codes."""

import operator
from collections.abc import Hashable, Iterable, Sequence

import numpy as np


def encode(values: Iterable[Hashable], count: int) -> tuple[np.ndarray, int]:
    """Return the code of each of so many values, and how many differ."""
    known: dict[Hashable, int] = {}
    codes = np.fromiter(
        (known.setdefault(x, len(known)) for x in values), np.int64, count
    )
    return codes, len(known)


def count_distinct(records: Sequence[object], roles: Sequence[str]) -> int:
    """Count what records are of, by some of their attributes together."""
    together, size = np.zeros(len(records), dtype=np.int64), 1
    for role in roles:
        codes, n = encode(map(operator.attrgetter(role), records), len(records))
        if size > 2**62 // max(1, n):
            return len({*map(operator.attrgetter(*roles), records)})
        together, size = together * n + codes, size * n
    # Faster than the hashes of `numpy.unique`.
    together.sort()
    return int(np.count_nonzero(np.diff(together))) + (len(together) > 0)
