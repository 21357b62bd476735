"""Raters of items, and whatever else tells scores of an item apart."""

from collections.abc import Mapping, Sequence

import numpy as np

from sigarray._backend.index_columns import looks_like_index
from sigarray.read._cells import encode_texts, looks_like_score
from sigarray.read._codes import Coded, group_rows, join_columns, repeat
from sigarray.read._frame import Frame, list_names, shorten
from sigarray.read._identifiers import are_of_one_item
from sigarray.read._words import RATERS, RUN_NAME, list_words

_MAX_MODELS, _MAX_SHOWN = 4, 3


def doubt_raters(
    frames: Sequence[Frame],
    roles: Mapping[str, str],
    models: Sequence[str] | None,
    ignored: Sequence[str],
) -> list[str]:
    """Say that scores of items are averaged over other raters for each model.

    Raters are in a column of such a name, or in one of words that tells all scores of
    an item apart. Each file without a column of models is of one.
    """
    if "item" not in roles or frames[0].metrics is not None:
        return []
    by, items = (_join(frames, roles.get(x)) for x in ("model", "item"))
    is_wanted = np.ones(len(by), bool)
    if "model" in roles:
        is_wanted = ~by.find(ignored) if models is None else by.find(models)
    n_scores = group_rows([by, items])[1]
    used = {name for role, name in roles.items() if role != "run"}
    doubts = []
    for name in frames[0].columns:
        is_of_raters = bool(list_words(name) & RATERS)
        is_known = name in used or are_of_one_item(name) or looks_like_index(name, ())
        if not is_of_raters and (is_known or n_scores == len(by)):
            continue
        if name in used or any(name not in x.columns for x in frames):
            continue
        texts = _join(frames, name)
        if not is_of_raters and not _are_names(texts, [by, items]):
            continue
        rows = np.flatnonzero(is_wanted & (texts.codes >= 0))
        line = _say_lacking(texts[rows], by[rows])
        if line is not None:
            doubts.append(
                f"{frames[0].source}: scores of models are not by the same {name!r}: "
                f"{line}. A difference between models may be one between these"
            )
    return doubts


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
