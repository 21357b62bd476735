"""Join the scores of models by item or run, never by their order."""

import collections
import itertools
import math
import operator
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, Literal, cast

from sigarray.read._bytes import TableError
from sigarray.read._duplicates import refuse_duplicates
from sigarray.read._frame import find_roles, list_names, shorten
from sigarray.read._identifiers import are_samples
from sigarray.read._records import Record, find_column

Unit = Literal["run", "item", "cluster"]
UNITS = ("run", "item", "cluster")
# The scores of a task: model -> id -> score.
Joined = dict[str, dict[str, float]]

_MAX_SHOWN = 3
_BY_ITEMS = ", each weighed by its number of items"


def take_last_steps(
    records: Sequence[Record],
) -> tuple[list[Record], list[str], list[str]]:
    """Return the records of the last step of each run, if there are steps.

    Returns
    -------
    records, notes, doubts : list of Record, list of str, list of str
        Notes say what was decided; doubts, that runs end at different steps.
    """
    if all(record.step is None for record in records):
        return list(records), [], []
    last: dict[Hashable, float] = {}
    for record in records:
        key = _name_run(record)
        last[key] = max(last.get(key, -math.inf), _step(record))
    kept = [x for x in records if _step(x) == last[_name_run(x)]]
    if len(kept) == len(records):
        return kept, [], []
    column = find_column(records, "step") or "step"
    steps = sorted(set(last.values()))
    which = f"{steps[0]:g}" if len(steps) == 1 else f"{steps[0]:g} to {steps[-1]:g}"
    note = (
        f"{column!r} was taken for the steps of a run, and the last of each ({which}) "
        f"for its score: {len(kept)} of {len(records)} rows"
    )
    if all(x.run is None for x in records):
        note += f". If it numbers runs, pass --run {column}"
    early = next((x for x in kept if _step(x) < steps[-1]), None)
    if early is None:
        return kept, [note], []
    run = f", run {early.run!r}," if early.run is not None else ""
    doubt = (
        f"{early.model!r}{run} ends at {column} {_step(early):g}, and others at "
        f"{steps[-1]:g}: scores of other steps are compared. Leave out the rows or "
        "columns of what has not finished"
    )
    return kept, [note], [doubt]


def choose_unit(records: Sequence[Record], unit: Unit | None) -> Unit:
    """Return what a score stands for: the unit with one score each.

    Raises
    ------
    TableError
        Scores of items in several runs, without a chosen unit; a unit for which the
        table has no column.
    """
    has = {
        role: any(getattr(record, role) is not None for record in records)
        for role in UNITS
    }
    if unit is not None:
        if not has[unit] and unit != "run":
            msg = (
                f"Expected a column that says of which {unit} a score is, for --unit "
                f"{unit}; got none. Name it with --{unit}."
            )
            raise TableError(msg)
        return unit
    if has["cluster"]:
        return "cluster"
    if not has["item"]:
        return "run"
    if len({record.run for record in records}) > 1:
        if all(record.frame.unit is not None for record in records):
            return cast("Unit", records[0].frame.unit)
        msg = (
            "Expected scores of runs or of items; got scores of items in several "
            "runs. Choose what else might have been drawn: --unit item averages over "
            "the runs, and pairs the models by item; --unit run averages over the "
            "items."
        )
        raise TableError(msg)
    return "item"


def join_scores(
    records: Sequence[Record],
    unit: Unit,
    *,
    is_paired: bool,
    drop_unmatched: bool,
    is_said: bool = False,
) -> tuple[Joined, list[str]]:
    """Return the scores of each model of a task by unit, in the same order.

    `is_said` if the user says that scores are of items.

    Raises
    ------
    TableError
        Two scores of one model for the same item, run and so on; if they are paired,
        scores of one model alone.
    """
    _check_units(records, unit)
    notes: list[str] = []
    if unit != "run" and are_samples(records, is_said=is_said):
        notes.append(_say_samples(records))
    else:
        refuse_duplicates(records)
    for role in ("cluster", "content"):
        _check_same(records, role)
    if unit == "run" and all(record.run is None for record in records):
        return _number_runs(records), []
    if unit != "run" or any(record.item is not None for record in records):
        role = "item" if any(x.item is not None for x in records) else unit
        holders = operator.attrgetter(*["model", "run"][: 2 if unit == "run" else 1])
        records, dropped = _match(records, role, holders, drop_unmatched)
        notes += dropped
    elif is_paired:
        records, dropped = _match(
            records, "run", operator.attrgetter("model"), drop_unmatched
        )
        notes += dropped
    joined = _average(records, unit)
    n_scores = sum(map(len, joined.values()))
    if n_scores < len(records):
        task = f" of task {records[0].task!r}" if records[0].task is not None else ""
        notes.append(
            f"{len(records)} scores{task} were averaged: {n_scores} {unit}s are left"
            f"{_BY_ITEMS if unit == 'cluster' else ''}"
        )
    return joined, notes


def join_pairs(
    records: Sequence[Record], models: Sequence[str], unit: Unit
) -> dict[tuple[str, str], tuple[list[float], list[float]]]:
    """Return the scores of every two models on the items or runs of both."""
    joined = _average(records, unit)
    pairs = {}
    for a, b in itertools.combinations(models, 2):
        common = [x for x in joined[a] if x in joined[b]]
        pairs[a, b] = [joined[a][x] for x in common], [joined[b][x] for x in common]
    return pairs


def sort_ids(ids: Iterable[str]) -> list[str]:
    """Sort ids as numbers if all are whole numbers, or else as texts."""
    known = sorted(ids)
    if all(x.isascii() and x.removeprefix("-").isdigit() for x in known):
        return sorted(known, key=int)
    return known


def _step(record: Record) -> float:
    return -math.inf if record.step is None else record.step


def _name_run(record: Record) -> Hashable:
    return record.task, record.model, record.item, record.run


def _check_units(records: Sequence[Record], unit: Unit) -> None:
    """Refuse scores if some of them name their unit and others do not."""
    for role in ("item", "run", "cluster"):
        without = [x for x in records if getattr(x, role) is None]
        if 0 < len(without) < len(records) and (role != "run" or unit == "run"):
            msg = (
                f"{without[0].place}: expected to find of which {role} the score is, "
                f"as of other scores; got none. Name its column with --{role}."
            )
            raise TableError(msg)


def _say_samples(records: Sequence[Record]) -> str:
    counts = collections.Counter((x.model, x.item) for x in records).values()
    several = "several scores of an item"
    if len(set(counts)) > 1:
        several += f", {min(counts)} to {max(counts)} of each,"
    return f"{several} were averaged, as samples of one answer"


def _check_same(records: Sequence[Record], role: str) -> None:
    """Refuse an item that has two names, or is in two clusters."""
    if all(x.item is None or getattr(x, role) is None for x in records):
        return
    first: dict[str | None, Record] = {}
    for record in records:
        other = first.setdefault(record.item, record)
        if getattr(other, role) != getattr(record, role):
            what, advice = "in one cluster", "Is the item's name one of its cluster?"
            if role == "content":
                column = record.frame.roles[role]
                what = "one text"
                advice = f"If they are in another order, pass --item {column}."
            msg = (
                f"{record.place}: expected item {record.item!r} to be {what}; it is "
                f"another at {other.place}. {advice}"
            )
            raise TableError(msg)


def _number_runs(records: Sequence[Record]) -> Joined:
    """Number the scores of each model, whose runs have no names."""
    joined: Joined = {}
    for record in records:
        scores = joined.setdefault(record.model, {})
        scores[str(len(scores) + 1)] = record.score
    return joined


def _match(
    records: Sequence[Record],
    role: str,
    holder: Callable[[Record], Hashable],
    drop_unmatched: bool,
) -> tuple[Sequence[Record], list[str]]:
    """Return the records of units that all models have; raise if there are others."""
    held: dict[Hashable, set[str]] = {}
    # Many records have few different holders and names.
    names = map(operator.attrgetter(role), records)
    for owner, name in dict.fromkeys(zip(map(holder, records), names, strict=True)):
        held.setdefault(owner, set()).add(name)
    every = set().union(*held.values())
    common = set.intersection(*held.values())
    if len(common) == len(every):
        return records, []
    lacking = [
        f"{_show(name)} lacks {len(every - ids)} ({_list_some(every - ids)})"
        for name, ids in held.items()
        if len(ids) < len(every)
    ]
    n_lost = len(every) - len(common)
    task = f" of task {records[0].task!r}" if records[0].task is not None else ""
    fault = (
        f"{n_lost} of {len(every)} {role}s{task} are not those of all models: "
        f"{shorten(lacking, _MAX_SHOWN, by='; ')}"
    )
    column = find_roles(records[0].frame, {}).get(role)
    of_column = "" if column is None else f" {column!r} was taken for the {role}s."
    if not drop_unmatched or not common:
        advice = (
            "Pass --drop-unmatched to leave them out"
            if common
            else f"No {role} is in all of them, or they are named in other ways"
        )
        msg = f"Expected scores of the same {role}s; but {fault}. {advice}.{of_column}"
        raise TableError(msg)
    return [x for x in records if getattr(x, role) in common], [f"{fault}; left out"]


def _average(records: Sequence[Record], unit: Unit) -> Joined:
    """Average the scores of a unit: runs of an item, items of a run.

    The score of a cluster is the sum of its items over the mean size of clusters: so
    the mean of clusters is that of items, and a large one weighs as much as its items.
    """
    groups: collections.defaultdict[tuple[str, Any, Any], list[float]]
    groups = collections.defaultdict(list)
    names = map(operator.attrgetter(unit), records)
    for x, name in zip(records, names, strict=True):
        inner = x.item if unit == "cluster" else None
        groups[x.model, name, inner].append(x.score)
    outer: dict[str, dict[Any, list[float]]] = {}
    for (model, name, _), scores in groups.items():
        outer.setdefault(model, {}).setdefault(name, []).append(_mean(scores))
    shares: dict[str, float] = {}
    if unit == "cluster":
        has_items = all(x.item is not None for x in records)
        shares = _share_clusters(outer if has_items else _count_scores(groups))
    return {
        model: {
            name: shares.get(name, 1.0) * _mean(units[name]) for name in sort_ids(units)
        }
        for model, units in outer.items()
    }


def _count_scores(
    groups: dict[tuple[str, Any, Any], list[float]],
) -> dict[str, dict[Any, list[float]]]:
    """Return the scores of each model in each cluster, if items have no names."""
    by_model: dict[str, dict[Any, list[float]]] = {}
    for (model, name, _), scores in groups.items():
        by_model.setdefault(model, {})[name] = scores
    return by_model


def _share_clusters(items: dict[str, dict[Any, list[float]]]) -> dict[str, float]:
    """Return the sizes of clusters over their mean; refuse them if models differ."""
    sizes = {
        model: {name: len(units) for name, units in by.items()}
        for model, by in items.items()
    }
    (model, first), *others = sizes.items()
    for other, counts in others:
        name = next((x for x in first if counts.get(x) != first[x]), None)
        if name is not None:
            msg = (
                f"Expected as many scores of a cluster for all models; got "
                f"{first[name]} of {model!r} and {counts.get(name, 0)} of {other!r} in "
                f"cluster {name!r}. Name the column of items with --item."
            )
            raise TableError(msg)
    mean = sum(first.values()) / len(first)
    return {name: size / mean for name, size in first.items()}


def _mean(scores: list[float]) -> float:
    return scores[0] if len(scores) == 1 else math.fsum(scores) / len(scores)


def _show(name: Hashable) -> str:
    if isinstance(name, tuple):
        return " in run ".join(repr(x) for x in name)
    return repr(name)


def _list_some(ids: set[str]) -> str:
    return list_names(sort_ids(ids), _MAX_SHOWN)
