"""Those who rated items, and others by which the scores of models are matched."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from sigarray._backend.given import looks_like_index
from sigarray.read._cells import looks_like_score
from sigarray.read._codes import Coded, find_first, group_rows
from sigarray.read._frame import Names, list_names, quote_names, shorten
from sigarray.read._identifiers import are_of_one_item
from sigarray.read._messages import Caution
from sigarray.read._records import Raters, Records, find_column
from sigarray.read._text import TableError
from sigarray.read._words import RATERS, RATINGS, RUN_NAME, list_words

_MAX_MODELS, _MAX_SHOWN = 4, 3
# Shares that differ by less are hardly worth a warning.
_MIN_GAP = 0.01


class Doubt(NamedTuple):
    """What is to be said of a column by which the scores of models are not alike.

    Either some model lacks a value, or all have the same values in unequal shares.
    """

    column: str
    line: str
    are_others: bool


def find_raters(records: Records) -> tuple[Records, list[str]]:
    """Return the scores with their raters, and the columns that may name these.

    Such a column has a name for raters, or words that tell all scores of an item apart.
    Raters are those of the one with the fewest names that does so, left out or not.
    """
    frames = records.list_frames()
    if not records.has("item") or any(x.metrics is not None for x in frames):
        return records, []
    of_items = [records.factors[x] for x in ("task", "model", "item")]
    has_several = group_rows(of_items)[1] < len(records)
    used = {x for by in records.roles for role, x in by.items() if role != "run"}
    # Beside scores of "rater_1", "rater_2" has other ratings, and no names.
    used = {re.sub(r"\d+", "0", x) for x in (*used, *records.metrics)}
    names = {x: None for y in frames for x in (*y.columns, *y.left_out)}
    found: dict[str, Coded] = {}
    for name in names:
        is_of_raters = bool(list_words(name) & RATERS)
        is_known = are_of_one_item(name) or looks_like_index(name, ())
        is_used = re.sub(r"\d+", "0", name) in used
        if is_used or not (is_of_raters or (has_several and not is_known)):
            continue
        having, texts = records.take_texts(name)
        if len(having) < len(records):
            continue
        if _names_raters(name, texts) if is_of_raters else _are_names(texts, of_items):
            found[name] = texts
    apart = [x for x, y in found.items() if _tells_apart(y, of_items)]
    if not apart:
        return records, [*found]
    column = min(apart, key=lambda x: len(found[x].list_known()))
    roles = tuple({**by, "rater": column} for by in records.roles)
    factors = {**records.factors, "rater": found[column]}
    return replace(records, roles=roles, factors=factors), [*found]


def doubt_raters(records: Records, columns: Names) -> list[Doubt]:
    """Say that scores of a task are by other raters for each model, by their column.

    Or by the same in unequal shares.
    """
    doubts = []
    first = records[0]
    of = "" if first.task is None else f" of task {first.task!r}"
    for name in columns:
        texts = records.take_texts(name)[1]
        rows = np.flatnonzero(texts.codes >= 0)
        by, models = texts[rows], records.factors["model"][rows]
        how = f"scores of models{of} are not by the same {name!r}"
        lacking = _say_lacking(by, models)
        if lacking is None:
            how = f"models have scores{of} by the same {name!r}, in unequal shares"
        if line := lacking or _say_shares(by, models):
            said = f"{first.frame.source}: {how}: {line}. A difference between models "
            said += "may be one between these"
            doubts.append(Doubt(name, said, lacking is not None))
    return doubts


def names_raters(column: str | None) -> bool:
    return column is not None and bool(list_words(column) & (RATERS - RATINGS))


def _names_raters(name: str, texts: Coded) -> bool:
    """Tell by its name whether a column has raters; ratings are numbers in one."""
    if list_words(name) & RATERS - RATINGS or looks_like_index(name, ()):
        return True
    return not all(looks_like_score(x) for x in texts.list_known() if x is not None)


def _are_names(texts: Coded, scores: Sequence[Coded]) -> bool:
    """Tell whether a column has few words, which tell all scores of an item apart."""
    values = [x for x in texts.list_known() if x is not None]
    is_of_few = 1 < len(values) <= len(texts) / 2
    is_other = any(looks_like_score(x) or RUN_NAME.fullmatch(x) for x in values)
    return is_of_few and not is_other and _tells_apart(texts, scores)


def _tells_apart(texts: Coded, scores: Sequence[Coded]) -> bool:
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


def match_raters(
    records: Records, *, drop_unmatched: bool, ignored: Names = ()
) -> tuple[Records, Raters | None, list[str]]:
    """Return the ratings of a task by those who rated the item for all models.

    So the raters of an item are the same for all models, which their means need. Where
    most items have no such rater, or raters are `ignored`, all ratings are returned.
    And what is known of raters, None if they were not matched, and notes.
    """
    n_models = len(records.list_known("model"))
    raters, items = records.factors["rater"], records.factors["item"].codes
    column = find_column(records, "rater")
    if not records.has("rater") or n_models < 2 or column in ignored:
        return records, None, []
    ratings = records.group("item", "rater")[0]
    is_common = (np.bincount(ratings) == n_models)[ratings] & (raters.codes >= 0)
    held, n_held = records.group("model", "item")
    n_having = np.bincount(items[find_first(held, n_held)])
    is_of_all = (n_having == n_models)[items]
    every, matched = np.unique(items[is_of_all]), np.unique(items[is_common])
    is_kept = is_common | ~is_of_all
    n_lost, n_left = len(every) - len(matched), len(records) - int(is_kept.sum())
    if 2 * len(matched) <= len(every) or (n_held == len(records) and n_lost):
        return records, None, []
    if n_lost and not drop_unmatched:
        lost = np.setdiff1d(every, matched)
        some = list_names([records.factors["item"].values[x] for x in lost], _MAX_SHOWN)
        msg = (
            f"{records[0].frame.source}: expected scores of each item by the same "
            f"{column!r} for all models; got none of {n_lost} of {len(every)} items "
            f"({some}). To average the ratings of an item, whoever they are by, pass "
            f"--ignore {quote_names([column or ''])} and no --run; or leave out "
            f"{n_left} of {len(records)} scores with --drop-unmatched."
        )
        raise TableError(msg)
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
