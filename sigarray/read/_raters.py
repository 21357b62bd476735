"""Raters of items, and whatever else tells scores of an item apart."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from sigarray._backend.index_columns import looks_like_index
from sigarray.read._cells import encode_texts, is_blank, looks_like_score
from sigarray.read._codes import Coded, distinct, group_rows, join_columns, repeat
from sigarray.read._columns import quote_names
from sigarray.read._frame import Frame, list_names, shorten
from sigarray.read._identifiers import are_of_one_item
from sigarray.read._treatment import Averaged
from sigarray.read._words import RATERS, RATINGS, RUN_NAME, list_words

_MAX_MODELS, _MAX_SHOWN = 4, 3
# Shares that differ by less are hardly worth a note.
_MIN_GAP = 0.01


def doubt_raters(
    frames: Sequence[Frame],
    roles: Mapping[str, str],
    models: Sequence[str] | None,
    ignored: Sequence[str],
    scores: Collection[str],
) -> tuple[list[str], list[str]]:
    """Say that scores of items are averaged over other raters for each model.

    Raters are in a column of such a name, or in one of words that tells all scores of
    an item apart. Each file without a column of models is of one.

    Returns
    -------
    doubts, notes : list of str, list of str
        Notes say that models have the same raters in unequal shares.
    """
    if "item" not in roles or frames[0].metrics is not None:
        return [], []
    by = _join(frames, roles.get("model"))
    is_wanted = np.ones(len(by), bool)
    if "model" in roles:
        is_wanted = ~by.find(ignored) if models is None else by.find(models)
    doubts, notes = [], []
    for name, texts in _list_raters(frames, roles, scores):
        rows = np.flatnonzero(is_wanted & (texts.codes >= 0))
        line = _say_lacking(texts[rows], by[rows])
        if line is not None:
            doubts.append(
                f"{frames[0].source}: scores of models are not by the same {name!r}: "
                f"{line}. A difference between models may be one between these"
            )
            continue
        line = _say_shares(texts[rows], by[rows])
        if line is not None:
            notes.append(
                f"{frames[0].source}: models have scores by the same {name!r}, in "
                f"unequal shares: {line}. A difference between models may be one "
                "between these"
            )
    return doubts, notes


def name_raters(
    averaged: Mapping[str, Averaged],
    frames: Sequence[Frame],
    roles: Mapping[str, str],
    scores: Collection[str],
) -> Mapping[str, Averaged]:
    """Return the averages of each task, with ratings in place of scores of an item.

    So they are where the only column of raters tells all scores of an item apart.
    """
    if "item" not in roles or frames[0].metrics is not None:
        return averaged
    found = _list_raters(frames, roles, scores)
    of_items = [_join(frames, roles.get(x)) for x in ("task", "model", "item")]
    if len(found) != 1 or group_rows([*of_items, found[0][1]])[1] < len(of_items[0]):
        return averaged
    return {
        task: x._replace(of="rating", by=found[0][0]) if x.of == "score" else x
        for task, x in averaged.items()
    }


def _list_raters(
    frames: Sequence[Frame], roles: Mapping[str, str], scores: Collection[str]
) -> list[tuple[str, Coded]]:
    """Return the columns of raters, and the texts in each."""
    by, items = (_join(frames, roles.get(x)) for x in ("model", "item"))
    n_scores = group_rows([by, items])[1]
    used = {name for role, name in roles.items() if role != "run"} | {*scores}
    found = []
    for name in frames[0].columns:
        is_of_raters = _names_raters(frames, name)
        is_known = name in used or are_of_one_item(name) or looks_like_index(name, ())
        if not is_of_raters and (is_known or n_scores == len(by)):
            continue
        if name in used or any(name not in x.columns for x in frames):
            continue
        texts = _join(frames, name)
        if is_of_raters or _are_names(texts, [by, items]):
            found.append((name, texts))
    return found


def say_how_to_average(frames: Sequence[Frame]) -> str:
    """Say how the ratings of an item are averaged, if a column names raters."""
    columns = dict.fromkeys(name for x in frames for name in x.columns)
    names = [x for x in columns if list_words(x) & (RATERS - RATINGS)]
    if not names:
        return ""
    which = f"{list_names(names)} {'names' if len(names) == 1 else 'name'} raters"
    return (
        f" Where {which}, pass --ignore {quote_names(names)}, with --unit item, to "
        "average the ratings of an item."
    )


def _names_raters(frames: Sequence[Frame], name: str) -> bool:
    """Tell by its name whether a column has raters; ratings are numbers in one."""
    words = list_words(name) & RATERS
    if not words or words - RATINGS or looks_like_index(name, ()):
        return bool(words)
    cells = (x.columns[name] for x in frames if name in x.columns)
    return not all(
        looks_like_score(y) for x in cells for y in distinct(x) if not is_blank(y)
    )


def _join(frames: Sequence[Frame], column: str | None) -> Coded:
    """Return the texts in a column of all files, or without one the names of files."""
    return join_columns(
        [
            repeat(x.source, len(x.lines))
            if column is None
            else encode_texts(x.columns[column])
            for x in frames
        ]
    )


def _are_names(texts: Coded, scores: Sequence[Coded]) -> bool:
    """Tell whether a column has few words, which tell all scores of an item apart."""
    values = [x for x in texts.list_known() if x is not None]
    if 2 * len(values) > len(texts) or len(values) < 2:
        return False
    if any(looks_like_score(x) or RUN_NAME.fullmatch(x) for x in values):
        return False
    return group_rows([*scores, texts])[1] == len(texts)


def _say_shares(texts: Coded, models: Coded) -> str | None:
    """Say whose share of the scores differs most between models, or None if little."""
    values, known = texts.list_known(), models.list_known()
    counts = np.asarray(
        [
            np.bincount(texts.codes[models.find([model])], minlength=len(texts.values))
            for model in known
        ]
    )
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    gaps = np.ptp(shares, axis=0)
    k = int(np.argmax(gaps))
    if len(values) < 2 or len(known) < 2 or gaps[k] < _MIN_GAP:
        return None
    order = np.argsort(-shares[:, k], kind="stable")
    (a, x), (b, y) = ((known[i], shares[i, k]) for i in order[[0, -1]])
    return f"{texts.values[k]!r} has {x:.0%} of {a!r}, and {y:.0%} of {b!r}"


def _say_lacking(texts: Coded, models: Coded) -> str | None:
    """Say which values have no score of a model, or None if all models have all."""
    values = [x for x in texts.list_known() if x is not None]
    known = [x for x in models.list_known() if x is not None]
    said = []
    for model in known:
        has = texts[np.flatnonzero(models.find([model]))].list_known()
        lacks = sorted(x for x in values if x not in has)
        if lacks:
            said.append(
                f"{model!r} lacks {len(lacks)} ({list_names(lacks, _MAX_SHOWN)})"
            )
    if not said:
        return None
    return f"of {len(values)}, {shorten(said, _MAX_MODELS, by='; ')}"
