"""Join the scores of models by item or run, never by their order."""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple, cast, get_args

import numpy as np

from sigarray._plain_text import show_range
from sigarray.read._codes import Coded, find_first, find_means
from sigarray.read._duplicates import refuse_duplicates, refuse_repeats
from sigarray.read._frame import Frame, Names, list_names, quote_names, shorten
from sigarray.read._items import refuse_sizes
from sigarray.read._messages import Caution
from sigarray.read._raters import are_samples, match_raters, name_unit
from sigarray.read._records import Raters, Records, find_column
from sigarray.read._roles import find_roles
from sigarray.read._text import TableError, UnmatchedError, refuse
from sigarray.read._words import names_raters

Unit = Literal["run", "item", "cluster", "run,item"]
UNITS: tuple[Unit, ...] = get_args(Unit)
OF_RUNS = ("run", "run,item")
_MAX_SHOWN = 3


class Units(NamedTuple):
    codes: np.ndarray
    names: tuple[str, ...]
    scores: np.ndarray


# The units of a task: model -> units.
Joined = dict[str, Units]
# Two models -> their scores on the units of both.
Pairs = dict[tuple[str, str], tuple[np.ndarray, np.ndarray]]


def choose_unit(records: Records, unit: Unit | None) -> Unit:
    has = {role: records.has(role) for role in ("run", "item", "cluster")}
    if unit is not None:
        for role in () if unit == "run" else unit.split(","):
            if not has[role]:
                refuse(
                    f"Expected a column that says of which {role} a score is, for "
                    f"--unit {unit}; got none. Name it with --{role}."
                )
        return unit
    if not has["item"]:
        of_clusters: Unit = "cluster" if has["run"] else "item"
        return of_clusters if has["cluster"] else "run"
    if len(records.list_known("run")) < 2:
        return "item"
    if all(frame.unit is not None for frame in records.list_frames()):
        return cast("Unit", records[0].frame.unit)
    column = find_column(records, "run")
    if not names_raters(column):
        return "run,item"
    if has["cluster"]:
        return "item"
    msg = (
        f"Expected scores of runs or of items; got scores of items by {column!r}. "
        "Choose what else might have been drawn: --unit item averages over these, and "
        "pairs the models by item; --unit run averages over the items."
        f"{_say_how_to_average(records.list_frames())}"
    )
    raise TableError(msg)


def join_scores(
    records: Records,
    unit: Unit,
    *,
    is_paired: bool,
    drop_unmatched: bool,
    is_said: bool,
    ignored: Names,
    are_folds: bool,
) -> tuple[Joined, list[str], Records, Raters | None]:
    """Return the scores of each model of a task by unit, in the same order.

    And notes, the scores of units that all models have, and whose ratings were matched.
    `is_said` if the user says that scores are of items; raters in an `ignored` column
    are not matched. Runs that `are_folds` have other items.
    """
    _check_units(records, unit)
    notes: list[str] = []
    raters = None
    is_of_runs = unit in OF_RUNS
    have_samples = not is_of_runs and are_samples(records, is_said=is_said)
    if have_samples:
        refuse_repeats(records)
    else:
        refuse_duplicates(records)
    for role in ("cluster", "content"):
        _check_same(records, role)
    if unit == "run" and not records.has("run"):
        return _number_runs(records), [], records, None
    if not is_of_runs:
        records, raters, matched = match_raters(
            records, drop_unmatched=drop_unmatched, ignored=ignored
        )
        notes += matched
        if have_samples and records.group("model", "item")[1] < len(records):
            notes.insert(0, _say_samples(records))
    if unit != "run" or records.has("item"):
        role = "item" if records.has("item") else unit
        if are_folds:
            records = _name_items_by_run(records)
        holders = ["model", "run"] if is_of_runs and not are_folds else ["model"]
        records, dropped = _match(records, role, holders, drop_unmatched, unit)
        notes += dropped
    elif is_paired:
        records, dropped = _match(records, "run", ["model"], drop_unmatched, unit)
        notes += dropped
    if unit == "run,item":
        return average(records, "item"), notes, records, None
    joined = average(records, unit)
    sizes = [len(units.scores) for units in joined.values()]
    if sum(sizes) < len(records):
        name = name_unit(find_column(records, "item")) if unit == "item" else unit
        notes.append(
            f"{len(records)} scores{records.of_task} were averaged within {name}s: "
            f"each model has {show_range(sizes)} {name}s"
            f"{', each weighed by its number of items' * (unit == 'cluster')}"
        )
    return joined, notes, records, raters


def join_pairs(
    records: Records, models: Names, unit: Unit, *, are_matched: bool
) -> Pairs:
    joined = average(records, unit)
    pairs = {}
    for a, b in itertools.combinations(models, 2):
        if are_matched:
            both = records.take(np.flatnonzero(records.factors["model"].find([a, b])))
            both = match_raters(both, drop_unmatched=True, max_left=1.0)[0]
            joined = average(both, unit)
        # Common units are in the same order in both.
        x, y = joined[a], joined[b]
        pairs[a, b] = (
            x.scores[np.isin(x.codes, y.codes)],
            y.scores[np.isin(y.codes, x.codes)],
        )
    return pairs


def sort_tasks(names: Iterable[str]) -> list[str]:
    """Sort names as texts, but by a number at the end as a number."""

    def split(name: str) -> tuple[str, int]:
        start = name.rstrip("0123456789")
        if start == "-" < name:
            return "", int(name)
        return start, int(name[len(start) :] or -1)

    return sorted(sorted(names), key=split)


def sort_ids(ids: Iterable[str]) -> list[str]:
    known = sorted(ids)
    if all(x.isascii() and x.removeprefix("-").isdigit() for x in known):
        return sorted(known, key=int)
    return known


def _check_units(records: Records, unit: Unit) -> None:
    for role in ("item", "run", "cluster"):
        without = np.flatnonzero(records.factors[role].codes < 0)
        if 0 < len(without) < len(records) and (role != "run" or unit in OF_RUNS):
            refuse(
                f"{records[without[0]].place}: expected to find of which {role} the "
                "score is, as of other scores; got none. Name its column with "
                f"--{role}."
            )


def _say_samples(records: Records) -> str:
    counts = np.bincount(records.group("model", "item")[0])
    unit = name_unit(find_column(records, "item"))
    several = f"several scores of {'an' if unit[0] in 'aeiou' else 'a'} {unit}"
    if counts.min() < counts.max():
        several += f", {counts.min()} to {counts.max()} of each,"
    return f"{several} were averaged"


def _check_same(records: Records, role: str) -> None:
    if not records.has("item") or not records.has(role):
        return
    if role == "content":  # which early samples lack
        records = records.take(records.factors[role].codes >= 0)
    items, codes = records.factors["item"], records.factors[role].codes
    first = find_first(items.codes, len(items.values) + 1)[items.codes]
    others = np.flatnonzero(codes != codes[first])
    if len(others):
        record, other = records[others[0]], records[first[others[0]]]
        if role == "content":
            what = "text; got another one"
            column = record.frame.roles[role]
            advice = f"If they are in another order, pass --item {column}."
        else:
            what = f"cluster; got {record.cluster!r}, and {other.cluster!r}"
            both = [find_column(records, x) or "" for x in ("cluster", "item")]
            anew = "name the columns of both with --item, with a comma"
            if all(both):
                anew = f"pass --item {','.join(both)}"
            advice = (
                "A cluster has whole items, such as all questions on one text. Where "
                f"items are named anew in each, {anew}."
                f"{_say_how_to_average([record.frame])}"
            )
        refuse(
            f"{record.place}: expected item {record.item!r} to have one {what} at "
            f"{other.place}. {advice}"
        )


def _name_items_by_run(records: Records) -> Records:
    codes, n = records.group("run", "item")
    parts = (records.factors[x][find_first(codes, n)] for x in ("run", "item"))
    names = [f"{run}, {item}" for run, item in zip(*parts, strict=True)]
    return replace(records, factors={**records.factors, "item": Coded(codes, names)})


def _number_runs(records: Records) -> Joined:
    return {
        x[0].model: Units(
            np.arange(len(x)), tuple(map(str, range(1, 1 + len(x)))), x.scores
        )
        for x in records.split("model")
    }


def _match(
    records: Records, role: str, holders: Names, drop_unmatched: bool, unit: Unit
) -> tuple[Records, list[str]]:
    """Return the records of units that all models have; raise if there are others."""
    names = records.factors[role]
    held, n_held = records.group(*holders, role)
    firsts = find_first(held, n_held)
    codes = names.codes[firsts]
    of_holder, n_holders = records.group(*holders)
    sizes = np.bincount(of_holder[firsts])
    counts = np.bincount(codes, minlength=len(names.values))
    every, common = np.flatnonzero(counts), np.flatnonzero(counts == n_holders)
    if len(common) == len(every):
        return records, []
    starts = find_first(of_holder, n_holders)
    without = [x for x in np.argsort(starts) if sizes[x] < len(every)]
    lacking = [""] * len(without)
    for k, holder in enumerate(without[:_MAX_SHOWN]):
        missing = np.setdiff1d(every, codes[of_holder[firsts] == holder])
        said = [repr(records.factors[x][starts[holder]]) for x in holders]
        some = list_names(sort_ids(names.values[x] for x in missing), _MAX_SHOWN)
        lacking[k] = f"{' in run '.join(said)} lacks {len(missing)} ({some})"
    n_lost = len(every) - len(common)
    first = records[0]
    fault = (
        f"{n_lost} of {len(every)} {role}s{records.of_task} are not those of all "
        f"models: {shorten(lacking, _MAX_SHOWN, by='; ')}"
    )
    column = find_roles(first.frame, {}).get(role)
    of_column = "" if column is None else f" {column!r} was taken for the {role}s."
    if not drop_unmatched or not len(common):
        advice = f"No {role} is in all of them, or they are named in other ways"
        if len(common):
            advice = "Pass --drop-unmatched to leave them out"
        expected = f"scores of the same {role}s"
        if "run" in holders:
            run = find_column(records, "run")
            each = "runs" if run is None else f"each {run!r}, taken for a run"
            expected += f" in all runs, because --unit {unit} "
            average_them = _say_how_to_average(records.list_frames())
            if unit != "run,item":
                expected += f"compares the means of {each}"
            else:
                expected += f"needs every item in {each}"
                advice += "; or --unit item, to average each over the runs that have it"
            if names_raters(run):
                advice, average_them = average_them.strip(" ."), ""
            of_column += average_them
        msg = f"Expected {expected}; but {fault}. {advice}.{of_column}"
        raise UnmatchedError(msg)
    return records.take(np.isin(names.codes, common)), [Caution(f"{fault}; left out")]


def average(records: Records, unit: Unit) -> Joined:
    """Average the scores of a unit: runs of an item, items of a run.

    The score of a cluster is the sum of its items over the mean size of clusters. So
    the mean of clusters is that of items.
    """
    groups, n_groups = records.group("model", unit)
    first = find_first(groups, n_groups)
    shares = np.ones(len(records.factors[unit].values))
    scores = records.scores
    if unit == "cluster":
        items, n_items = records.group("model", unit, "item")
        scores = find_means(scores, items, n_items)
        of_items = groups[find_first(items, n_items)]
        sizes = np.bincount(of_items if records.has("item") else groups)
        groups = of_items
        shares = _share_clusters(records, first, sizes)
    means = find_means(scores, groups, n_groups)
    # Groups are in the order of models, and those of one in the order of units.
    models, names = records.factors["model"], records.factors[unit]
    of_models, codes = models.codes[first], names.codes[first]
    joined: Joined = {}
    ids: tuple[str, ...] = ()
    places, previous = np.empty(0, int), codes[:0]
    for model in models.list_known():
        code = models.values.index(model)
        rows = np.arange(*np.searchsorted(of_models, [code, code + 1]))
        # Most models have the same units.
        if not np.array_equal(codes[rows], previous):
            previous = codes[rows]
            known = {names.values[x]: k for k, x in enumerate(previous.tolist())}
            ids = tuple(sort_ids(known))
            places = np.asarray([known[x] for x in ids])
        kept = rows[places]
        joined[model] = Units(codes[kept], ids, shares[codes[kept]] * means[kept])
    return joined


def _share_clusters(
    records: Records, first: np.ndarray, sizes: np.ndarray
) -> np.ndarray:
    """Return the sizes of clusters over their mean; refuse them if models differ."""
    models, clusters = (records.factors[x] for x in ("model", "cluster"))
    by = np.zeros((len(models.values), len(clusters.values)), int)
    by[models.codes[first], clusters.codes[first]] = sizes
    refuse_sizes(models, clusters, by)
    counts = by[models.values.index(models.list_known()[0])]
    shares: np.ndarray = counts / np.mean(counts[counts > 0])
    return shares


def _say_how_to_average(frames: Sequence[Frame]) -> str:
    columns = dict.fromkeys(name for x in frames for name in x.columns)
    names = list(filter(names_raters, columns))
    if not names:
        return ""
    which = f"{list_names(names)} {'names' if len(names) == 1 else 'name'} raters"
    return (
        f" Where {which}, pass --run {quote_names(names)}, with --unit item, to "
        "average the ratings of an item."
    )
