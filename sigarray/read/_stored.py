"""Tables of scores on disk, .parquet and .arrow, which may be larger than memory."""

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from sigarray._backend.given import looks_like_index
from sigarray._numeric.selection import Sample
from sigarray._numeric.sources import SUFFIXES, column_names, index_names
from sigarray.read._columns import check_count, choose, leave_out, refuse_indices
from sigarray.read._frame import Names
from sigarray.read._roles import guess_roles
from sigarray.read._text import TableError

# With at most this many scores of all models, a table is read like any other file.
MAX_READ = 2**20


class StoredScores:
    """The scores of one model, left on the disk."""

    def __init__(self, path: Path, column: str, *, higher_is_better: bool) -> None:
        self._name = f"{path}, column {column!r}"
        self._sign = 1.0 if higher_is_better else -1.0
        self.sample = Sample((path, column), sign=int(self._sign))

    def __len__(self) -> int:
        """Return the number of scores, counted in the first pass."""
        return self.sample.count()

    def describe(self) -> dict[str, float]:
        """Describe the scores as `describe_scores` does."""
        return self._summary

    @functools.cached_property
    def _summary(self) -> dict[str, float]:
        n = len(self)
        mean, deviation = self.sample.describe()
        places = np.asarray(sorted({0, (n - 1) // 2, n // 2, n - 1}))
        scores = self._sign * self.sample.find(places).astype(float)
        self._check_finite(scores)
        values = dict(zip(places.tolist(), scores.tolist(), strict=True))
        ends = sorted([values[0], values[n - 1]])
        return {
            "mean": min(max(self._sign * mean, ends[0]), ends[1]),
            "sd": deviation,
            "median": 0.5 * (values[(n - 1) // 2] + values[n // 2]),
            "min": ends[0],
            "max": ends[1],
        }

    def _check_finite(self, scores: np.ndarray) -> None:
        if not np.isfinite(scores).all():
            msg = (
                f"{self._name}: expected finite scores; got NaN or an infinity. Leave "
                "out its rows, or the column with --ignore."
            )
            raise TableError(msg)


def is_wide_store(file: str) -> bool:
    """Tell whether a file has a column for each model, and need not be read whole."""
    if Path(file).suffix not in SUFFIXES or not Path(file).is_file():
        return False
    try:
        names = column_names(Path(file))
    except (ImportError, TypeError, OSError, ValueError):
        return False  # the reader of all files raises the error
    return "model" not in guess_roles(names)


def open_stored(
    file: str,
    columns: Names | None,
    *,
    ignored: Sequence[str] = (),
    higher_is_better: bool,
    max_models: int,
) -> dict[str, StoredScores]:
    """Return the models of a table on disk, with columns chosen as in `read_wide`.

    A column that may name the runs is left out of a table that is read like others.
    """
    try:
        every = column_names(Path(file))
        names = dict(enumerate(every))
        indices: dict[int, str] = {}
        if columns is not None:
            names = choose(names, columns, file)
        else:
            # An index is no model, whether it is left out or not.
            index = index_names(Path(file))
            names = leave_out(names, [x for x in ignored if x not in index], file)
            of_runs = guess_roles(names.values()).get("run")
            indices = {k: x for k, x in names.items() if looks_like_index(x, ())}
            others = {k: x for k, x in indices.items() if x != of_runs}
            refuse_indices(others, "by name", 1, file)
            names = {k: x for k, x in names.items() if x != of_runs or k not in indices}
        check_count(names, 2, max_models, file)
        stored = {
            name: StoredScores(Path(file), name, higher_is_better=higher_is_better)
            for name in (columns or names.values())
        }
        # So many rows are hardly runs.
        if indices and sum(map(len, stored.values())) > MAX_READ:
            refuse_indices(indices, "by name", 1, file)
        return stored
    except FileNotFoundError as error:
        msg = f"{file} cannot be read: No such file or directory."
        raise TableError(msg) from error
    except TableError:
        raise
    except (ImportError, TypeError, OSError, ValueError) as error:
        msg = f"{file}: {error}"
        raise TableError(msg) from error


def _counts_rows(scores: StoredScores) -> bool:
    # The summary of 0, 1, ... or 1, 2, ... in any order, which scores hardly have.
    n, summary = len(scores), scores.describe()
    return any(
        [summary["min"], summary["median"], summary["max"]]
        == [first, first + 0.5 * (n - 1), first + n - 1]
        and abs(summary["mean"] - summary["median"]) < 1e-9 * n
        for first in (0, 1)
    )


def refuse_counts(scores: Mapping[str, StoredScores], file: str) -> None:
    """Refuse columns that count the rows, as `read_wide` does."""
    counts = {k: x for k, x in enumerate(scores) if _counts_rows(scores[x])}
    refuse_indices(counts, "for it counts the rows", 1, file)
