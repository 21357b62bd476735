"""Raters of items, and samples: by what the scores of models are matched."""

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from sigarray._backend.given import looks_like_index
from sigarray._plain_text import squeeze
from sigarray.read._cells import looks_like_score
from sigarray.read._codes import Coded, find_first, group_rows
from sigarray.read._frame import Names, list_names, quote_names, shorten
from sigarray.read._messages import CautionOfRaters
from sigarray.read._rater_effects import find_shift, list_ratings
from sigarray.read._records import Averaged, Raters, Records, find_column
from sigarray.read._roles import find_roles, names_runs
from sigarray.read._text import TableError, refuse
from sigarray.read._words import (
    PEOPLE,
    RATERS,
    RUN_NAME,
    as_words,
    list_words,
    names_clusters,
    names_raters,
)

_MAX_MODELS, _MAX_SHOWN = 4, 3
# The most scores that are left out for raters, rather than averaged, if items are, too.
_MAX_LEFT = 0.25


class Doubt(NamedTuple):
    """What to say of a column by which the scores of models are not alike."""

    column: str
    line: str
    are_others: bool


def find_raters(records: Records) -> tuple[Records, list[str]]:
    """Return the scores with their raters, and the columns that may name these.

    Such a column has a name for raters, or words that tell all scores of an item apart.
    That with the fewest names that does so is taken, left out or not; or that of --run,
    if all models may share what it names: no seeds, but the items of raters, say.
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
    # Where raters are the items, others have rated what is no item by its role.
    are_items = names_raters(find_column(records, "item"))
    found: dict[str, Coded] = {}
    for name in names:
        is_of_raters = bool(list_words(name) & RATERS)
        is_known = are_of_one_item(name) or looks_like_index(name, ())
        is_known &= not are_items
        is_used = re.sub(r"\d+", "0", name) in used
        if is_used or not (is_of_raters or (has_several and not is_known)):
            continue
        having, texts = records.take_texts(name)
        if len(having) < len(records):
            continue
        if (
            _names_raters(name, texts)
            if is_of_raters
            else _are_names(texts, of_items, may_be_numbers=are_items)
        ):
            found[name] = texts
    crossed = find_column(records, "run") or ""
    if is_shared(crossed):
        found[crossed] = records.factors["run"]
    apart = [x for x, y in found.items() if _tells_apart(y, of_items)]
    if not apart:
        return records, [*found]
    column = min(apart, key=lambda x: (x != crossed, len(found[x].list_known())))
    roles = tuple({**by, "rater": column} for by in records.roles)
    factors = {**records.factors, "rater": found[column]}
    return replace(records, roles=roles, factors=factors), [*found]


def doubt_raters(records: Records, columns: Names) -> list[Doubt]:
    """Say that scores of a task are by other raters for each model, by their column.

    Or by the same, of whom the strict ones have rated more of some model.
    """
    doubts = []
    first, of = records[0], records.of_task
    for name in columns:
        texts = records.take_texts(name)[1]
        shift = find_shift(list_ratings(records, texts))
        unmatched = _say_unmatched(records, name)
        if not (unmatched or shift.are_apart or shift.is_beyond):
            continue
        rows = np.flatnonzero(texts.codes >= 0)
        lacking = _say_lacking(texts[rows], records.factors["model"][rows]) or unmatched
        line = f"each {name!r} has scores of all models{of}, but in unequal shares"
        if lacking:
            line = f"scores of models{of} are not by the same {name!r}: {lacking}"
        if shift.is_beyond:
            low, high = (records.factors["model"].values[k] for k in shift.ends)
            line += f", by which alone {low!r} is {shift.size:.2g} lower than "
            line += f"{high!r}, more than by chance"
        said = f"{first.frame.source}: {line}. A difference between models may be one "
        doubts.append(Doubt(name, f"{said}between these", bool(lacking)))
    return doubts


def are_assigned(records: Records) -> bool:
    n_rated = records.group("item", "rater")[1]
    n_models = len(records.list_known("model"))
    return records.has("rater") and n_rated * n_models > len(records)


def have_raters(records: Records, column: str) -> bool:
    """Tell whether a column has raters, by name, or a pool: half rate an item, or few.

    Items that raters have seen are no pool, unless these are ignored.
    """
    n_pool = records.group("task", "model", "item")[1]
    n_pool *= len(records.list_known("rater"))
    is_used = any(column in x.columns for x in records.list_frames())
    are_seen = is_used and names_raters(find_column(records, "item"))
    return names_raters(column) or (n_pool >= 2 * len(records) and not are_seen)


def _say_unmatched(records: Records, column: str) -> str | None:
    is_other = column != find_column(records, "rater") or not are_assigned(records)
    if is_other or not is_shared(column) or have_raters(records, column):
        return None
    unit = name_unit(find_column(records, "item"))
    return f"some of one {unit} are not of all models"


_OF_RUNS = as_words("""
    seed seeds run runs trial repetition repeat rep replicate replica init
""")


def is_shared(column: str) -> bool:
    """Tell by its name whether a column of --run is of no runs, raters or samples."""
    return bool(column) and not any(
        names_runs(x) or are_of_one_item(x) or list_words(x) & _OF_RUNS
        for x in column.split(",")
    )


def name_unit(column: str | None) -> str:
    words = sorted(list_words(column or "") & PEOPLE)
    return words[0] if words else "item"


def say_one(unit: str, column: str) -> str:
    """Return "one of the item by the same 'rater'"."""
    by = "with" if is_shared(column) else "by"
    return f"one of the {unit} {by} the same {column}"


def _names_raters(name: str, texts: Coded) -> bool:
    """Tell by its name whether a column has raters; ratings are numbers in one."""
    if names_raters(name) or looks_like_index(name, ()):
        return True
    return not all(looks_like_score(x) for x in texts.list_known() if x is not None)


def _are_names(texts: Coded, scores: Sequence[Coded], *, may_be_numbers: bool) -> bool:
    """Tell whether a column has few words, which tell all scores of an item apart."""
    values = [x for x in texts.list_known() if x is not None]
    is_of_few = 1 < len(values) <= len(texts) / 2
    is_other = not may_be_numbers and any(map(looks_like_score, values))
    is_other |= any(RUN_NAME.fullmatch(x) for x in values)
    return is_of_few and not is_other and _tells_apart(texts, scores)


def _tells_apart(texts: Coded, scores: Sequence[Coded]) -> bool:
    return group_rows([*scores, texts])[1] == len(texts)


def as_normal(chi_square: float, df: int) -> float:
    """Return its cube root, which is about normal (Wilson, Hilferty 1931)."""
    spread = 2.0 / (9.0 * df)
    return (math.cbrt(chi_square / df) - (1.0 - spread)) / math.sqrt(spread)


def _say_lacking(texts: Coded, models: Coded) -> str | None:
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
    records: Records,
    *,
    drop_unmatched: bool,
    ignored: Names = (),
    max_left: float = _MAX_LEFT,
) -> tuple[Records, Raters | None, list[str]]:
    """Return the ratings of a task by those who rated the item for all models.

    So the raters of an item are the same for all models, which their means need. Where
    most items have no such rater, or some, and raters of few are the same, or raters
    are `ignored`, all are returned. And what is known of raters, None if not matched,
    and notes.
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
    unit = name_unit(find_column(records, "item"))
    n_lost, n_left = len(every) - len(matched), len(records) - int(is_kept.sum())
    are_drawn = n_left > max_left * np.count_nonzero(is_of_all)
    are_drawn |= n_held == len(records) or 2 * n_lost >= len(every)
    if n_lost and are_drawn:
        return records, None, []
    if n_lost and not drop_unmatched:
        lost = np.setdiff1d(every, matched)
        some = list_names([records.factors["item"].values[x] for x in lost], _MAX_SHOWN)
        same = say_one(unit, repr(column)).removeprefix("one of the ")
        refuse(
            f"{records[0].frame.source}: expected scores of each {same} for all "
            f"models; got none of {n_lost} of {len(every)} {unit}s ({some}). To "
            f"average all scores of the {unit}, pass --ignore "
            f"{quote_names([column or ''])} and no --run; or leave out {n_left} of "
            f"{len(records)} scores with --drop-unmatched."
        )
    found = Raters(column or "", n_left, len(records), n_lost, len(every))
    if not n_left:
        return records, found, []
    also = f", with {n_lost} of {len(every)} {unit}s," if n_lost else ""
    note = CautionOfRaters(
        f"{n_left} of {len(records)} scores{records.of_task}{also} were left out, "
        f"because not all models have {say_one(unit, repr(column))}"
    )
    return records.take(is_kept), found, [note]


def count_averaged(records: Records, unit: str) -> Averaged | None:
    if not records.has("item") or (unit == "run" and not records.has("run")):
        return None
    if unit == "run,item":
        return None  # means decide nothing
    of_runs = unit == "run"
    counts = np.bincount(records.group("model", "run" if of_runs else "item")[0])
    if counts.max() == 1:
        return None
    least, most = int(counts.min()), int(counts.max())
    if of_runs:
        return Averaged("run", "item", least, most)
    unit, by = name_unit(find_column(records, "item")), find_column(records, "rater")
    if by is not None:
        what = "score" if is_shared(by) else "rating"
        return Averaged(unit, what, least, most, by)
    return Averaged(unit, "run" if records.has("run") else "score", least, most)


_SAMPLE = re.compile(
    r"(sample|completion|attempt|generation|response|draw|rollout|choice|k|try)"
    r"(id|idx|index|no|nr|num|number|i)?"
)


def are_samples(records: Records, *, is_said: bool) -> bool:
    """Tell whether each item has several scores, from samples of an answer.

    Equally many of every model, unless `is_said` that they are to be averaged. Scores
    are no samples if a column of indices may name them.
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
        n_names, is_apart = tells_apart(records, name)
        if is_apart:
            raise _ask_about(name, records, counts.max(), n_names < len(records))
        if is_said or n_names < len(records):
            continue
        if not _are_of_all(records, name):
            return False
    return True


def _are_of_all(records: Records, column: str) -> bool:
    """Tell whether scores may be averaged without being asked about."""
    if not names_raters(column):
        return not looks_like_index(column, ())
    having, texts = records.take_texts(column)
    n_rated = group_rows([having.factors["item"], texts])[1]
    return n_rated * len(records.list_known("model")) == len(records)


def tells_apart(records: Records, column: str) -> tuple[int, bool]:
    """Tell whether a column has the same values for all models that have an item.

    And several of an item. Return how many names it makes, too.
    """
    having, texts = records.take_texts(column)
    model, item = (having.factors[role] for role in ("model", "item"))
    n_names = group_rows([model, item, texts])[1]
    n_by_item = group_rows([item, texts])[1]
    is_of_all = n_names == len(model.list_known()) * n_by_item
    if names_raters(column):
        # A pool of raters, of whom some rate an item, is no part of its name.
        is_of_all &= n_by_item == len(item.list_known()) * len(texts.list_known())
    return n_names, is_of_all and n_names > group_rows([model, item])[1]


def have_samples(records: Records) -> bool:
    """Tell whether most items have several scores; a few may be repeated rows."""
    counts = np.bincount(records.group("model", "item")[0])
    return bool(np.median(counts) > 1)


def _ask_about(column: str, records: Records, n: int, has_samples: bool) -> TableError:
    first = records[0]
    each = "some" if has_samples else "one"
    ways = list_ways(column, find_column(records, "item"), first.task)
    return TableError(
        f"{first.frame.source}: expected one score of each item and model; got {n}, "
        f"{each} for each value of {column!r}. What to do: {'; or '.join(ways)}."
    )


def list_ways(
    column: str, item: str | None, task: str | None, others: Sequence[str] = ()
) -> list[str]:
    """Say what scores of an item may be that a column tells apart, and what to pass.

    Raters are averaged before all `others`, such as --where, which would keep one.
    """
    ways = [*others]
    ways += [] if task is not None else [f"compare on each with --task {column}"]
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
    of = f"each {column!r} has items of its own, which are not independent"
    return f"--cluster {column}, where {of}"
