"""Columns such as doc_id, of items or, where another one names these, of clusters."""

from collections.abc import Mapping, Sequence
from typing import Any

from sigarray._plain_text import squeeze
from sigarray.read._cells import encode_texts
from sigarray.read._codes import group_rows

# Names without case, spaces and punctuation.
_DOCUMENTS = ("docid", "doc")
_ITEMS = (
    *("question", "questionid", "qid", "query", "queryid", "segmentid", "segid"),
    *("sentenceid", "sentid", "exampleid", "sampleid", "instanceid", "promptid"),
    *("itemidx", "idx", "prompt", "instance", "uid", "id"),
)


def take_documents(
    columns: Mapping[str, Sequence[Any]],
    roles: dict[str, str],
    names: Mapping[str, str],
    chosen: Mapping[str, str],
) -> dict[str, str]:
    """Return the roles, with documents for clusters if another column names the items.

    Each item is then in one document, and some documents have several. `names` are
    those of columns without a role -> without case, spaces and punctuation.
    """
    if "cluster" in roles or "item" not in roles:
        return roles
    item, by_name = roles["item"], {y: x for x, y in names.items()}
    if "item" not in chosen and squeeze(item) in _DOCUMENTS:
        pairs = [(by_name[x], item) for x in _ITEMS if x in by_name]
    else:
        pairs = [(item, by_name[x]) for x in _DOCUMENTS if x in by_name]
    for name, document in pairs:
        if _is_within(columns[name], columns[document]):
            return {**roles, "item": name, "cluster": document}
    return roles


def _is_within(items: Sequence[Any], documents: Sequence[Any]) -> bool:
    """Tell whether each item is in one document, and some documents have several."""
    of_items, of_documents = encode_texts(items), encode_texts(documents)
    n_items, n_documents = len(of_items.list_known()), len(of_documents.list_known())
    return n_documents < n_items == group_rows([of_items, of_documents])[1]
