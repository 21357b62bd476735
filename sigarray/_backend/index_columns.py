"""Tell an index from the scores of a model, in a table with a column for each model."""

import re
from collections.abc import Sequence

import numpy as np

# Names without case, spaces and punctuation; names ending in "_id" etc. are such, too.
_INDEX = re.compile(
    r"(global|train|training|random|rng|cv)?"
    r"(epoch|example|fold|item|iter|iteration|line|question|repeat|replicate|"
    r"repetition|row|run|sample|seed|segment|split|step|subject|trial)s?"
    r"(no|nr|num|number|count)?"
    r"|date|datetime|time|timestamp(ms|s)?|walltime|number|no|nr|randomstate|level\d+"
    r"|(doc|user|item|example|question|sample|q|p|u|g)?(id|uid|uuid|guid)s?"
    r"|unnamed\d+(level\d+)?"
)
_LAST_WORDS = frozenset(("id", "ids", "idx", "index", "seed", "seeds", "no", "nr"))
_MIN_ROWS = 3
# Fewer scores may well be whole numbers that all happen to differ.
_MIN_SHUFFLED_ROWS = 10


def looks_like_index(name: str, values: Sequence[float] | np.ndarray) -> bool:
    """Tell whether a column is hardly a model: by its name, or because it counts rows.

    Parameters
    ----------
    name : str
        The header of the column.
    values : sequence of float
        Its cells, in order; empty, to judge only by the name.

    Returns
    -------
    bool
        True for names such as "seed", "Step", "doc_id", "example-id", "docId" and
        "Unnamed: 0", and for three values or more that are 0, 1, 2, ... or 1, 2, 3,
        ...; from ten on in any order.

    Examples
    --------
    >>> from sigarray._backend.index_columns import looks_like_index
    >>> looks_like_index("doc_id", [17.0, 4.0])
    True
    >>> looks_like_index("lstm", [0.0, 1.0, 2.0])
    True
    >>> looks_like_index("lstm", [0.0, 1.0, 1.0])
    False
    """
    # "docId" and "exampleID" are two words, "IDs" is one.
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    words = re.findall(r"[^\W_]+", spaced.casefold())
    if words and (_INDEX.fullmatch("".join(words)) or words[-1] in _LAST_WORDS):
        return True
    if len(values) < _MIN_ROWS:
        return False
    cells, count = np.asarray(values), np.arange(len(values))
    if cells.max() - cells.min() != len(values) - 1:
        return False
    if len(values) >= _MIN_SHUFFLED_ROWS:
        cells = np.sort(cells)
    return np.array_equal(cells, count) or np.array_equal(cells, count + 1)
