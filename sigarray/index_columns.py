"""Tell an index from the scores of a model, in a table with a column for each."""

import re
from collections.abc import Sequence

import numpy as np

# Without case, spaces and punctuation; what ends in "_id" and the like is one as well.
_INDEX = re.compile(
    r"(global|train|training|random|rng|cv)?"
    r"(epoch|example|fold|item|iter|iteration|repeat|replicate|repetition|row|run|"
    r"sample|seed|split|step|trial)(no|nr|num|number)?"
    r"|date|datetime|time|timestamp|walltime|number|unnamed\d+(level\d+)?"
)
_LAST_WORDS = frozenset(("id", "ids", "idx", "index"))
_MIN_ROWS = 3


def looks_like_index(name: str, values: Sequence[float] | np.ndarray) -> bool:
    """Tell whether a column is hardly a model: by its name, or because it counts rows.

    Parameters
    ----------
    name : str
        The header of the column.
    values : sequence of float
        Its cells, in order; none, to judge by the name alone.

    Returns
    -------
    bool
        True for names such as "seed", "Step", "doc_id", "example-id", "docId" and
        "Unnamed: 0", and for three values or more that are 0, 1, 2, ... or 1, 2, 3, ...

    Examples
    --------
    >>> from sigarray.index_columns import looks_like_index
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
    return np.array_equal(cells, count) or np.array_equal(cells, count + 1)
