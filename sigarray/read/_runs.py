"""Runs: which files are, which have no score, and what may count twice by its name."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import NormalDist
from typing import Any

import numpy as np

from sigarray._backend.of_numpy import HOST
from sigarray._numeric.ranks import middle_ranks
from sigarray._plain_text import list_in_words
from sigarray.read._alignment import OF_RUNS, Unit
from sigarray.read._codes import encode, find_first
from sigarray.read._files import name_paths, split_run
from sigarray.read._frame import Names, list_names, shorten
from sigarray.read._messages import Caution
from sigarray.read._missing import Missing
from sigarray.read._naming import ReadFile, name_part
from sigarray.read._records import Records
from sigarray.read._score_table import ScoreTable
from sigarray.read._text import TableError
from sigarray.read._unlikely_rows import find_unit, list_decimals


def name_runs(records: Records, read: Sequence[ReadFile]) -> tuple[Records, list[str]]:
    """Take files with other scores for the same items of a model for its runs.

    With several scores for an item in a file, all are averaged, and a note warns of
    that.
    """
    if len(read) < 2 or not records.has("item") or records.has("run"):
        return records, []
    items, n_items = records.group("task", "model", "item")
    first = find_first(items, n_items)[items]
    others = np.flatnonzero(records.files != records.files[first])
    again = others[records.scores[others] != records.scores[first[others]]].tolist()
    if not again:
        return records, []
    runs = _name_files(read)
    a, b = (runs[records.files[k]] for k in (first[again[0]], again[0]))
    which = f"{a!r} and {b!r} of {records[again[0]].model!r}"
    codes = encode(runs)[records.files]
    named = replace(records, factors={**records.factors, "run": codes})
    if named.group("task", "model", "item", "run")[1] < len(named):
        return records, [
            Caution(
                f"files with the same items of a model, such as {which}, were "
                "averaged, for each has several scores of an item: a verdict is on "
                "these runs alone. If others may differ, average the scores of each "
                "item in a file, so that files are taken for runs"
            )
        ]
    said = "files with the same items of a model were taken for its runs, such as"
    return named, [f"{said} {which}"]


def _name_files(read: Sequence[ReadFile]) -> list[str]:
    """Name the files of each model and task by the parts of paths that differ."""
    groups: dict[Any, list[int]] = {}
    for k, x in enumerate(read):
        is_of_model = x.file.is_named or x.file.said is not None
        groups.setdefault(name_part(x)[not is_of_model :], []).append(k)
    runs = [""] * len(read)
    for places in groups.values():
        names = name_paths([read[k].file.path for k in places])
        numbers = [split_run(x)[1] for x in names]
        ways = [x for x in (numbers, names) if None not in x and len({*x}) == len(x)]
        for k, place in enumerate(places):
            runs[place] = str(ways[0][k] if ways else k + 1)
    return runs


_MAX_LOST = 4


def leave_out_lost(
    records: Records, missing: Missing | None, unit: Unit
) -> tuple[Records, list[str]]:
    is_of_items = unit in OF_RUNS and records.has("item") and records.has("run")
    if missing != "drop" or not is_of_items:
        return records, []
    runs, n_runs = records.group("model", "run")
    is_known = ~np.isnan(records.scores)
    is_lost = np.bincount(runs[is_known], minlength=n_runs)[runs] == 0
    models = records.factors["model"]
    is_lost &= models.find(models[is_known].list_known())  # others have no run at all
    if not is_lost.any():
        return records, []
    lost = records.take(is_lost)
    pairs = dict.fromkeys(
        zip(*(lost.factors[x] for x in ("model", "run")), strict=True)
    )
    said = shorten([f"run {run!r} of {model!r}" for model, run in pairs], _MAX_LOST)
    note = Caution(f"runs{lost.of_task} without any score were left out: {said}")
    return records.take(~is_lost).compact(), [note]


# Scores of a model are hardly of other runs if chance repeats them as often in fewer
# tables than this; or if each is there equally often, in steps of fewer deviations.
_REPEATED, _FINE, _MIN_COPIES = 5e-3, 0.25, 6
_MIN_VALUES, _MOST_SCORES, _MANY, _MAX_SHOWN = 3, 10_000, 1000, 3


_CHECKPOINT = re.compile(
    r"(?<![a-z])(step|ckpt|checkpoint|epoch|iter(ation)?)s?[\W_]*\d+", re.I
)


def doubt_items_as_runs(records: Records, unit: str, source: str) -> list[str]:
    if unit != "run" or not records.has("item") or records.has("run"):
        return []
    return [
        f"{source}: each score of an item is taken for an independent run, as --unit "
        "run says, though items have names. Leave it out where models have scores of "
        "the same items: these pair the models"
    ]


def doubt_checkpoints(ids: Mapping[str, Mapping[str, Names]], source: str) -> list[str]:
    for model, names in ((x, y) for by in ids.values() for x, y in by.items()):
        first: dict[str, str] = {}
        for name in names:
            rest = re.sub(r"[\W_]+", " ", _CHECKPOINT.sub(" ", name)).strip()
            other = first.setdefault(rest, name)
            if other != name and rest and _CHECKPOINT.search(other):
                return [
                    f"{source}: runs {other!r} and {name!r} of {model!r} seem to be "
                    "checkpoints of one training, so that they are not independent, "
                    "and verdicts claim too much. Keep one of each, or write the "
                    "numbers into a column 'step', so that the last is compared"
                ]
    return []


def doubt_repeats(tasks: Mapping[str, Mapping[str, np.ndarray]], source: str) -> Names:
    """Doubt that runs are of their own if their scores repeat: copies of other names.

    Whole numbers may be bounds, and the most frequent score that of runs that failed.
    """
    found: dict[str, np.ndarray] = {}
    copied: dict[str, str] = {}
    for by in tasks.values():
        parts = {name: np.sort(x[x % 1.0 != 0.0]) for name, x in by.items()}
        every = np.unique(np.concatenate([*parts.values()]))
        if len(every) < _MIN_VALUES or len(every) > _MOST_SCORES:
            continue
        grain = find_unit(every, is_largest=True)
        for name, x in parts.items():
            values, counts = np.unique(x, return_counts=True)
            if len(values) < _MIN_VALUES:
                continue
            step = max(grain, 10.0 ** -max(list_decimals(values)))
            kept = x[x != values[np.argmax(counts)]]
            are_copies = len(x) >= _MIN_COPIES and min(counts) == max(counts) > 1
            are_copies &= step <= _FINE * float(x.std())
            here = np.asarray([are_copies, *_count_repeats(kept, step)])
            found[name] = found.get(name, np.zeros(3)) + here
            for score in values[counts > 1][:1].tolist():
                copied.setdefault(name, f"{score:.10g} of {name!r}")
    chances = {x: _find_tail(*y[1:]) * (y[0] == 0.0) for x, y in found.items()}
    if found and _find_tail(*np.sum([*found.values()], axis=0)[1:]) < _REPEATED:
        chances = dict.fromkeys(copied, 0.0)
    names = [x for x, chance in chances.items() if chance * len(found) < _REPEATED]
    if not names:
        return []
    return [
        f"{source}: scores are repeated more often than in independent runs, such as "
        f"{list_in_words([copied[x] for x in names], most=_MAX_SHOWN)}, and each "
        "counts as a run of its own. If runs were copied under other names, remove "
        "the copies"
    ]


def _count_repeats(x: np.ndarray, step: float) -> tuple[float, float]:
    """Count pairs of equal scores, sorted, and how many there are by chance.

    As of normal ones; or as of pairs that are up to 3, or 10, steps apart, if these are
    more.
    """
    n, places = len(x), np.arange(1, len(x) + 1)
    same, *near = (
        float(np.sum(np.searchsorted(x, x + (k + 0.5) * step) - places))
        for k in (0, 3, 10)
    )
    middle = float(np.subtract(*np.quantile(x, [0.75, 0.25]))) / 1.349
    deviation = min(float(x.std()), middle or np.inf) or step
    normal = 0.25 * n * (n - 1) * step / (math.sqrt(math.pi) * deviation)
    return same, max(normal, (near[0] - same) / 6.0, (near[1] - same) / 20.0)


def _find_tail(n: float, mean: float) -> float:
    """Return Poisson's chance of n or more; 1 up to two means."""
    if n <= 2.0 * mean:
        return 1.0  # pairs come in larger groups, too
    few = range(1, int(min(n, _MANY)))
    logs = np.cumsum([-mean, *(math.log(mean / k) for k in few)])
    return 1.0 - math.fsum(np.exp(logs).tolist())


# Runs are alike if chance ranks them so in fewer tables. Of fewer of two models no test
# would say so, though one may lack. Permutations decide little if p is never so low.
_ALIKE, _LEAST_RUNS, _LOW = 5e-3, 6, 1e-2


def say_alike_runs(table: ScoreTable) -> list[str]:
    """Say what pairs would test, if runs of one name are alike in all models."""
    by = [
        [dict(zip(table.ids[t][x], y.tolist(), strict=True)) for x, y in z.items()]
        for t, z in table.tasks.items()
        if t in table.ids and len(z) == len(table.models) > 1
    ]
    names = [*dict.fromkeys(x for y in by for z in y for x in z)]
    n_runs = [max(map(len, x)) for x in by]
    have_names = table.run_column is not None or "0" in names
    if not have_names or not names or len(names) > 2 * max(n_runs):
        return []
    parts = [np.asarray([[x.get(z, np.nan) for z in names] for x in y]) for y in by]
    are_shared = [~np.isnan(x).any(axis=0) for x in parts]
    least = _LEAST_RUNS - (len(table.models) > 2)
    n_shared = max(int(x.sum()) for x in are_shared)
    if max(n_runs) < least or n_shared < least - 1:
        return []
    ranks, n_each = [], []
    for x, is_shared, n in zip(parts, are_shared, n_runs, strict=True):
        if is_shared.sum() > max(2, n // 2):
            ranks.append(np.zeros(x.shape))
            ranks[-1][:, is_shared] = middle_ranks(HOST, x[:, is_shared])
            n_each.append(is_shared.sum())
    if not ranks:
        return []
    z = _find_concordance(np.asarray(ranks), np.asarray(n_each))
    if NormalDist().cdf(-z) >= _ALIKE:
        return []
    which = "both" if len(table.models) == 2 else "all"
    n_pairs = len(by) * math.comb(len(table.models), 2)
    options = "--paired" + " --test t" * (n_pairs * 2.0 ** (1 - n_shared) > _LOW)
    if len(by) > 1:
        which += " models on each task"
        # Of so few tasks, no p-value over others like them is small enough.
        options += " --statistic mean" * (len(table.models) > 0.05 * 2.0 ** len(by))
    else:
        which += " models"
    if any(len(z) > s.sum() for y, s in zip(by, are_shared, strict=True) for z in y):
        options += " --drop-unmatched"
    return [
        f"runs of one name are good or bad together in {which}. If they share the seed "
        f"and the order of the data, pass {options}, which tests the differences of "
        "such pairs; if they share the name alone, do not"
    ]


def _find_concordance(ranks: np.ndarray, n: np.ndarray) -> float:
    """Return a number that is about normal for independent ranks (tasks, models, runs).

    Kendall's W, the share of the variance that is between runs, as F (Kendall and
    Babington Smith 1939), and its cube root as a normal number (Paulson 1942). Those of
    tasks add up, with the covariances of W if models permute their runs on all tasks.
    Of each task, n runs count, and the ranks of others are 0.
    """
    m = ranks.shape[1]
    units = ranks / np.maximum(np.linalg.norm(ranks, axis=2, keepdims=True), 1e-9)
    w = np.sum(np.mean(units, axis=1) ** 2, axis=1)
    high = 2.0 / (9.0 * (n - 1.0 - 2.0 / m))
    low = high / (m - 1.0)
    root = np.cbrt((m - 1.0) * w / np.maximum(1.0 - w, 1e-9))
    gap = (1.0 - low) * root - (1.0 - high)
    products = np.einsum("tmk,umk->mtu", units, units)
    squares = np.sum(products, axis=0) ** 2 - np.sum(products**2, axis=0)
    variance = float(np.sum(squares)) / (m * (m - 1.0))
    z = np.sum(gap / np.sqrt(low * root * root + high))
    return float(z) / math.sqrt(max(variance, 1.0))


def _simplify(name: object) -> str:
    return "".join(str(name).casefold().split())


def _find_alike(names: Iterable[str]) -> list[list[str]]:
    alike: dict[str, list[str]] = {}
    for name in filter(None, names):
        alike.setdefault(_simplify(name), []).append(name)
    return [x for x in alike.values() if len(x) > 1]


def _say(alike: list[list[str]], what: str) -> str:
    shown = shorten([list_names(x) for x in alike], _MAX_SHOWN, by="; ")
    return (
        f"names of {what}s that differ by case or spaces alone were taken for several "
        f"{what}s: {shown}. If they are one, write it in one way"
    )


def say_alike_models(names: Iterable[str]) -> list[str]:
    alike = _find_alike(names)
    return [_say(alike, "model")] if alike else []


def doubt_numbers(table: ScoreTable) -> list[str]:
    names = list(table.models)
    runs = [z for x in table.ids.values() for y in x.values() for z in y]
    has_runs = table.run_column is not None and all(map(str.isdecimal, runs))
    if has_runs or len(names) < 2 or not all(map(str.isdecimal, names)):
        return []
    return [
        f"{table.source}: models {list_names(names, 3)} have numbers for names, as "
        "seeds and runs have. If they are such, turn the table, so that each model "
        "has a name and a column; if they are models, write a word to their names, "
        f"such as 'model {names[0]}'"
    ]


def say_alike_tasks(table: ScoreTable) -> list[str]:
    """Say so of tasks, or refuse them if no run has scores of two."""
    alike = _find_alike([*table.tasks, *table.left_out])
    if not alike:
        return []
    if table.run_column is None or table.unit not in OF_RUNS:
        return [Caution(f"{table.source}: {_say(alike, 'task')}")]
    runs = [[y for task in x for y in _list_runs(table, task)] for x in alike]
    ones = [x for x, y in zip(alike, runs, strict=True) if _are_unique(y)]
    if ones:
        raise _refuse(ones, table.source, "task")
    return [_say(alike, "task")]


def _list_runs(table: ScoreTable, task: str) -> list[tuple[str, str]]:
    by = {x: y.runs for x, y in table.runs.get(task, {}).items()}
    return [(x, y) for x, z in (by or table.ids.get(task, {})).items() for y in z]


def _refuse(alike: list[list[str]], source: str, what: str) -> TableError:
    shown = shorten([list_names(x) for x in alike], _MAX_SHOWN, by="; ")
    return TableError(
        f"{source}: expected each {what} in one spelling; got names that differ by "
        f"case or spaces alone, and no run has scores of both: {shown}. Write each in "
        f"one way; or, where they are {what}s of their own, name them in other ways."
    )


def doubt_alike_units(records: Records, source: str) -> list[str]:
    """Refuse spellings of an item that no run has both of, and doubt clusters.

    Such an item would count twice.
    """
    items = records.factors["item"]
    alike = _find_alike(items.list_known()) if records.has("run") else []
    if alike:
        some = records.take(items.find({y for x in alike for y in x})).compact()
        firsts = find_first(*some.group("task", "model", "run", "item"))
        by: dict[str, list[tuple[object, ...]]] = {}
        for x in map(some.__getitem__, firsts.tolist()):
            by.setdefault(_simplify(x.item), []).append((x.task, x.model, x.run))
        ones = [x for x in alike if _are_unique(by[_simplify(x[0])])]
        if ones:
            raise _refuse(ones, source, "item")
    alike = _find_alike(records.list_known("cluster"))
    return [f"{source}: {_say(alike, 'cluster')}"] if alike else []


def _are_unique(names: Sequence[object]) -> bool:
    return len({*names}) == len(names)
