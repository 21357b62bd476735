"""Refuse, or doubt, responses that scores of items would be refused or doubted for."""

from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from sigarray._plain_text import show_number
from sigarray.read._cells import encode_texts
from sigarray.read._codes import repeat, take
from sigarray.read._frame import Frame, Names, list_names
from sigarray.read._identifiers import are_of_one_item, tells_apart
from sigarray.read._records import FACTORS, Records, find_crashed, find_state
from sigarray.read._scales import doubt_scale_of_records
from sigarray.read._settings import are_alike, groups_items
from sigarray.read._text import TableError
from sigarray.read._words import names_clusters

# Responses of systems that differ in size by such a factor are hardly of one scale.
_UNLIKE = 10.0
# Of fewer items, all may have the same responses twice by chance.
_LEAST_ITEMS = 3
_MAX_SHOWN = 4
# System -> item -> its responses.
Answers = Mapping[str, Mapping[str, list[float]]]


def check_responses(
    frame: Frame,
    columns: Mapping[str, str],
    rows: Mapping[int, float],
    answers: Answers,
    systems: Names,
) -> list[str]:
    """Return doubts about the responses in some rows, or refuse what they mix.

    `columns` are those of "item", "system" and "response"; `systems` are gold and two
    others, whose responses by item `answers` has.
    """
    records = _make_records(frame, columns, rows)
    others = [x for x in frame.columns if x not in {*columns.values()}]
    _refuse_crashed(frame, records, others)
    apart = [x for x in others if not are_of_one_item(x) and tells_apart(records, x)[1]]
    if apart:
        first = next(iter(rows))
        anew = "-".join(
            str(frame.columns[x][first]) for x in (apart[0], columns["item"])
        )
        msg = (
            f"{frame.source}: expected responses to one item under one name; got "
            f"several of each item, some for each value of {apart[0]!r}. Keep the rows "
            "of one value; or, where it tells items apart, write it into their names, "
            f"such as {anew!r}."
        )
        raise TableError(msg)
    advice = "Remove its row if it stands for no answer"
    return [
        *(doubt_scale_of_records([records], advice) or _doubt_sizes(records)),
        *_doubt_copies(records, others),
        *_doubt_groups(frame, columns, others, _find_errors(records, answers, systems)),
    ]


def _make_records(
    frame: Frame, columns: Mapping[str, str], numbers: Mapping[int, float]
) -> Records:
    rows = np.asarray([*numbers], int)
    names = {"item": columns["item"], "model": columns["system"]}
    texts = {x: encode_texts(take(frame.columns[y], rows)) for x, y in names.items()}
    n = len(rows)
    return Records(
        (replace(frame, roles=names),),
        (columns["response"],),
        (names,),
        np.zeros(n, int),
        rows,
        np.asarray([*numbers.values()], float),
        np.full(n, np.nan),
        np.zeros(n, bool),
        {role: texts[role] if role in texts else repeat(None, n) for role in FACTORS},
    )


def _refuse_crashed(frame: Frame, records: Records, others: Names) -> None:
    column = find_state({x: frame.columns[x] for x in others})
    if column is None:
        return
    n = int(find_crashed(records.take_texts(column)[1]).sum())
    if n:
        msg = (
            f"{frame.source}: expected responses that were given; got {n} of "
            f"{len(records)} that have failed, by column {column!r}. Remove their rows."
        )
        raise TableError(msg)


def _doubt_sizes(records: Records) -> list[str]:
    means = {
        x[0].model: float(np.mean(np.abs(x.scores))) for x in records.split("model")
    }
    low, high = (choose(means, key=means.__getitem__) for choose in (min, max))
    if means[high] <= 1.0 or means[high] < _UNLIKE * means[low]:
        return []
    return [
        f"{records[0].frame.source}: responses differ much in size, from "
        f"{show_number(means[low])} of {low!r} to {show_number(means[high])} of "
        f"{high!r} on average. Bring them to one scale"
    ]


def _doubt_copies(records: Records, others: Names) -> list[str]:
    """Doubt the responses of a system if all columns have each row twice or more."""
    doubts = []
    for one in records.split("model"):
        factors = [one.factors["item"], encode_texts(list(map(str, one.scores)))]
        factors += [one.take_texts(x)[1] for x in others]
        groups = np.unique(
            np.stack([x.codes for x in factors]), axis=1, return_counts=True
        )[1]
        if groups.min() > 1 and len(one.list_known("item")) >= _LEAST_ITEMS:
            doubts.append(
                f"{one[0].frame.source}: all rows of {one[0].model!r} are there "
                f"{groups.min()} times. Remove copies, which count as responses"
            )
    return doubts


def _doubt_groups(
    frame: Frame, columns: Mapping[str, str], others: Names, errors: Any
) -> list[str]:
    """Doubt that items are independent, if a column groups them by its name.

    Or if errors of systems differ by its values more than by chance.
    """
    names = [x for x in others if groups_items(frame, {"item": columns["item"]}, x)]
    names = [x for x in names if names_clusters(x) or are_alike([errors], x)]
    if not names:
        return []
    verb = "group" if len(names) > 1 else "groups"
    return [
        f"{frame.source}: {list_names(names, _MAX_SHOWN)} {verb} the items. Where such "
        "groups were sampled, as documents are, items of one are not independent, and "
        "p-values are too small: keep one item of each; or write an error of each item "
        f"and system, and pass sigarray compare --cluster {names[0]}"
    ]


def _find_errors(records: Records, answers: Answers, systems: Names) -> Any:
    """Return the absolute error of the mean response of each system to an item."""
    gold, *others = ({x: np.mean(y) for x, y in answers[z].items()} for z in systems)
    names = [x for x in gold if all(x in by for by in others)]
    errors = {
        system: np.asarray([abs(by[x] - gold[x]) for x in names])
        for system, by in zip(systems[1:], others, strict=True)
    }
    ids = dict.fromkeys(errors, names)
    return SimpleNamespace(records=records, scores=errors, ids=ids)
