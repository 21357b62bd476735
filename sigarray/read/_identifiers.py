"""Columns that may hold items, runs or raters, and what else tells scores apart."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from sigarray._backend.given import looks_like_index
from sigarray._plain_text import squeeze
from sigarray.read._cells import encode_texts, find_blank, looks_like_score
from sigarray.read._codes import (
    Coded,
    distinct,
    find_first,
    group_rows,
    join_columns,
    repeat,
)
from sigarray.read._frame import Frame, Names, Roles, list_names, quote_names, shorten
from sigarray.read._messages import Caution
from sigarray.read._records import Raters, Records, find_column
from sigarray.read._roles import find_roles, find_score
from sigarray.read._text import TableError
from sigarray.read._words import RATERS, RATINGS, RUN_NAME, list_words, names_clusters

# Words for what models were asked: other texts of an item may be answers.
_ASKED = frozenset(("instruction", "input", "question", "prompt", "query", "problem"))
# With more numbers a column is hardly one of runs.
_MAX_RUNS = 50
_RUN = re.compile(
    r"(.*\W|.*_)?(seed|run|trial|rep|repeat|fold|split|s|r)\W?_?\d+", re.I
)
_SAMPLE = re.compile(
    r"(sample|completion|attempt|generation|response|draw|rollout|choice|k|try)"
    r"(id|idx|index|no|nr|num|number|i)?"
)


class _Ids(NamedTuple):
    """A column in which every model has each value equally often."""

    column: str
    n_values: int
    n_each: int
    is_text: bool


def find_items(
    frames: Sequence[Frame], chosen: Roles, metric: str | None
) -> tuple[list[Frame], list[str]]:
    """Return tables with the column of items, if only its values show it, and notes.

    Texts, or more than 50 values, that every model has equally often are items.
    """
    plain = all(x.metrics is None and not x.roles and x.columns for x in frames)
    if not plain:
        return list(frames), []
    roles = find_roles(frames[0], chosen)
    if {"item", "run", "cluster", "step"} & {*roles, *frames[0].constants}:
        return list(frames), []
    counted = [
        ids
        for name in frames[0].columns
        if name not in roles.values()
        for ids in [_count_values(frames, roles, name)]
        if ids is not None
    ]
    names = {ids.column for ids in counted}
    others = {x: y for x, y in frames[0].columns.items() if x not in names}
    try:
        score = find_score(frames[0], roles, metric)
    except TableError:  # several may be the score, but some of them may be ids
        score = find_score(replace(frames[0], columns=others), roles, metric)
    asked = {x for x in names if list_words(x) & _ASKED}
    keys = {x: (x.n_each > 1, not x.is_text, x.column not in asked) for x in counted}
    for ids in sorted((x for x in counted if x.column != score), key=keys.__getitem__):
        name, often = ids.column, "once" if ids.n_each == 1 else f"{ids.n_each} times"
        is_many = ids.n_values > _MAX_RUNS
        quoted = name or "''"
        if is_many or (ids.is_text and ids.n_each == 1):
            note = (
                f"{name!r} was taken for the items of a test set: every model has each "
                f"of its {ids.n_values} values {often}. If it is something else, pass "
                f"--run {quoted}, --task {quoted} or --ignore {quoted}"
            )
            return [replace(x, roles={"item": name}) for x in frames], [note]
        if ids.n_each == 1:
            msg = (
                f"{frames[0].source}: column {name!r} may be of items or of runs: each "
                f"model has each of its {ids.n_values} values once. Pass --item "
                f"{quoted} where these are items of a test set, by which models are "
                "paired, "
                f"--run {quoted} where they are runs, or --ignore {quoted}."
            )
            raise TableError(msg)
    return list(frames), []


def are_samples(records: Records, *, is_said: bool = False) -> bool:
    """Tell whether each item has several scores, from samples of an answer.

    Every model and item has equally many, unless `is_said` that scores of an item are
    to be averaged. Scores are no samples if a column of indices may name them.
    """
    if records.has("run") or np.any(records.factors["item"].codes < 0):
        return False
    groups, n_groups = records.group("model", "item")
    if n_groups == len(records):
        return False
    counts = np.bincount(groups)
    if counts.min() < counts.max() and not (is_said and have_samples(records)):
        return False
    frame = records[0].frame
    known = {*find_roles(frame, {}).values(), records[0].metric}
    known |= {*frame.roles.values()}
    for name in frame.columns:
        if name in known or _SAMPLE.fullmatch(squeeze(name)):
            continue
        having, texts = records.take_texts(name)
        model, item = (having.factors[role] for role in ("model", "item"))
        n_names = group_rows([model, item, texts])[1]
        n_models = len(model.list_known())
        n_by_item = group_rows([item, texts])[1]
        is_of_all = n_names == n_models * n_by_item
        if list_words(name) & (RATERS - RATINGS):
            # A pool of raters, of whom some rate an item, is no part of its name.
            is_of_all &= n_by_item == len(item.list_known()) * len(texts.list_known())
        if n_names > n_groups and is_of_all:
            raise _ask_about(name, records, counts.max(), n_names < len(records))
        if n_names == len(records) and looks_like_index(name, ()) and not is_said:
            return False
    return True


def have_samples(records: Records) -> bool:
    """Tell whether most items have several scores; a few may be repeated rows."""
    counts = np.bincount(records.group("model", "item")[0])
    return bool(np.median(counts) > 1)


def _ask_about(column: str, records: Records, n: int, has_samples: bool) -> TableError:
    """Return an error for scores of an item that this column tells apart."""
    first = records[0]
    each = "some" if has_samples else "one"
    ways = list_ways(column, find_column(records, "item"), first.task)
    return TableError(
        f"{first.frame.source}: expected one score of each item and model; got {n}, "
        f"{each} for each value of {column!r}. What to do: {'; or '.join(ways)}."
    )


def list_ways(column: str, item: str | None, task: str | None) -> list[str]:
    """Say what scores of an item may be that a column tells apart, and what to pass."""
    ways = [] if task is not None else [f"compare on each with --task {column}"]
    by = column if names_clusters(column) or are_of_one_item(column) else item or ""
    if names_clusters(by):
        ways.append(f"pass {say_cluster(by)}")
    if not are_of_one_item(column):
        ways.append(
            f"pass --item {column},{item or '...'}, but only if names are used again "
            f"for other items of another {column!r}, as question 3 of law is not "
            "question 3 of history"
        )
    option, scores = "--ignore", "scores"
    if list_words(column) & RATERS:  # which pairs models by their raters, too
        option, scores = "--run", "ratings"
    average = f"to average the {scores} of an item"
    averaged = f"pass {option} {column}, with --unit item, {average}"
    return [averaged, *ways] if scores == "ratings" else [*ways, averaged]


def are_of_one_item(column: str) -> bool:
    """Tell by its name whether a column has raters of an item, or samples."""
    return bool(list_words(column) & RATERS or _SAMPLE.fullmatch(squeeze(column)))


def say_cluster(column: str) -> str:
    """Say when a column has clusters, in which items are named anew."""
    of = f"each {column!r} has items of its own, which are not independent"
    return f"--cluster {column}, where {of}"


def _count_values(frames: Sequence[Frame], roles: Roles, column: str) -> _Ids | None:
    """Count how often each model has each value; None if that differs."""
    names = [roles[x] for x in ("model", "task", "metric") if x in roles]
    if any(x not in frame.columns for frame in frames for x in (column, *names)):
        return None
    cells = [frame.columns[column] for frame in frames]
    if any(find_blank(x).any() for x in cells):
        return None
    texts = join_columns([encode_texts(x) for x in cells])
    # Each file that does not name its model is of one model.
    files = join_columns(
        [repeat(0 if "model" in roles else k, len(x)) for k, x in enumerate(cells)]
    )
    others = {
        x: join_columns([encode_texts(frame.columns[x]) for frame in frames])
        for x in names
    }
    models = [files, *(others[roles[x]] for x in ("model",) if x in roles)]
    groups, n_groups = group_rows([files, *others.values()])
    each, n_each = group_rows([Coded(groups, range(n_groups)), texts])
    counts = np.bincount(each)
    every = texts.list_known()
    is_even = bool(len(counts)) and counts.min() == counts.max()
    if not is_even or len(every) < 2 or group_rows(models)[1] < 2:
        return None
    firsts = find_first(each, n_each)
    n_common = np.count_nonzero(np.bincount(texts.codes[firsts]) == n_groups)
    if 2 * n_common < len(every):
        return None
    is_text = not all(all(map(looks_like_score, distinct(x))) for x in cells)
    # Rows that a column without a name names are asked about; others may be settings.
    if column and not is_text and not all(re.fullmatch(r"[+-]?\d+", x) for x in every):
        return None
    is_of_runs = all(_RUN.fullmatch(x) for x in every)
    return _Ids(column, len(every), int(counts[0]), is_text and not is_of_runs)


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
