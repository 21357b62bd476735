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
# Of training: envstep, totaltimesteps, nframes.
_STEP = re.compile(
    r"(n|no|num|number|of|total|global|train|training|env|environment|agent|actor"
    r"|learner|gradient|grad|optim|optimizer|game|current)*"
    r"(time)?(step|frame|iteration|iter|itr|epoch|update)s?"
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
    words = _list_words(name)
    if words and (_INDEX.fullmatch("".join(words)) or words[-1] in _LAST_WORDS):
        return True
    if names_steps(name):
        return True
    if len(values) < _MIN_ROWS:
        return False
    cells, count = np.asarray(values), np.arange(len(values))
    if cells.max() - cells.min() != len(values) - 1:
        return False
    if len(values) >= _MIN_SHUFFLED_ROWS:
        cells = np.sort(cells)
    return np.array_equal(cells, count) or np.array_equal(cells, count + 1)


def names_steps(name: str) -> bool:
    """Tell by its name whether a column may count the steps of training."""
    return bool(_STEP.fullmatch("".join(_list_words(name))))


def _list_words(name: str) -> list[str]:
    # "docId" and "exampleID" are two words, "IDs" is one.
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return re.findall(r"[^\W_]+", spaced.casefold())
