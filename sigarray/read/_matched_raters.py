"""Ratings of items by those who have rated the item for all models."""

import numpy as np

from sigarray.read._bytes import TableError
from sigarray.read._cautions import Caution
from sigarray.read._codes import find_first
from sigarray.read._frame import list_names
from sigarray.read._records import Records, find_column
from sigarray.read._treatment import Raters

_MAX_SHOWN = 3


def match_raters(
    records: Records, *, drop_unmatched: bool
) -> tuple[Records, Raters | None, list[str]]:
    """Return the ratings of a task by those who rated the item for all models.

    So the raters of an item are the same for all models, which their means need. Where
    most items have no such rater, all ratings are returned.

    Returns
    -------
    records : Records
    raters : Raters, optional
        None if raters are unknown, or were not matched.
    notes : list of str
    """
    n_models = len(records.list_known("model"))
    raters, items = records.factors["rater"], records.factors["item"].codes
    if not records.has("rater") or n_models < 2:
        return records, None, []
    ratings = records.group("item", "rater")[0]
    is_common = (np.bincount(ratings) == n_models)[ratings] & (raters.codes >= 0)
    held, n_held = records.group("model", "item")
    n_having = np.bincount(items[find_first(held, n_held)])
    is_of_all = (n_having == n_models)[items]
    every, matched = np.unique(items[is_of_all]), np.unique(items[is_common])
    is_kept = is_common | ~is_of_all
    column, n_lost = find_column(records, "rater"), len(every) - len(matched)
    if 2 * len(matched) <= len(every) or (n_held == len(records) and n_lost):
        return records, None, []
    if n_lost and not drop_unmatched:
        lost = np.setdiff1d(every, matched)
        some = list_names([records.factors["item"].values[x] for x in lost], _MAX_SHOWN)
        msg = (
            f"{records[0].frame.source}: expected scores of each item by the same "
            f"{column!r} for all models; got none of {n_lost} of {len(every)} items "
            f"({some}). Pass --drop-unmatched to leave them out."
        )
        raise TableError(msg)
    n_left = len(records) - int(is_kept.sum())
    found = Raters(column or "", n_left, len(records), n_lost, len(every))
    if not n_left:
        return records, found, []
    task = f" of task {records[0].task!r}" if records[0].task is not None else ""
    also = f", with {n_lost} of {len(every)} items," if n_lost else ""
    note = Caution(
        f"{n_left} of {len(records)} scores{task}{also} were left out, because not "
        f"all models have one of the item by the same {column!r}"
    )
    return records.take(is_kept), found, [note]
