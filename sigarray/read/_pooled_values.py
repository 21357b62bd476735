"""Doubt runs that pool values of a setting, or several curves, as a sweep does."""

import itertools
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from sigarray._plain_text import raise_initial, squeeze
from sigarray.read._codes import find_first, group_rows
from sigarray.read._frame import Names, list_names, shorten
from sigarray.read._groups import exceed_signs, match_scores
from sigarray.read._records import Records, find_column
from sigarray.read._roles import names_runs
from sigarray.read._score_table import ScoreTable
from sigarray.read._settings import may_be_setting
from sigarray.read._text import refuse
from sigarray.read._words import HYPERPARAMETERS, count_up

_MAX_SHOWN = 3
# Runs that are independent are doubted in half of a percent of cases, or fewer.
_N_DRAWN = 199
# The most scores that are permuted: 0.1 s.
_MAX_PERMUTED = 30_000


class _Runs(NamedTuple):
    parts: list[list[str]]
    scores: np.ndarray

    def list_values(self, place: int) -> list[str]:
        return [x[place] for x in self.parts]


# Of each task: model -> its runs.
Pools = list[dict[str, _Runs]]


def split_runs(tasks: Sequence[Any], columns: str | None) -> Pools:
    n_parts = (columns or "").count(",") + 1
    pools = []
    for joined in tasks:
        by = {x: (y.runs, np.mean(y.scores, axis=1)) for x, y in joined.runs.items()}
        by = by or {x: (joined.ids[x], y) for x, y in joined.scores.items()}
        pools.append(
            {x: _Runs([y.split(", ") for y in ids], z) for x, (ids, z) in by.items()}
        )
    every = [x for by in pools for runs in by.values() for x in runs.parts]
    return pools if n_parts > 1 and all(len(x) == n_parts for x in every) else []


def _list_parts(pools: Pools, columns: str | None) -> Names:
    return [x.strip() for x in (columns or "").split(",")] if pools else []


def count_pooled(pools: Pools, columns: str | None) -> dict[str, int]:
    counts = {
        name: max(len({*x.list_values(k)}) for by in pools for x in by.values())
        for k, name in enumerate(_list_parts(pools, columns))
        if not names_runs(name)
    }
    return {name: n for name, n in counts.items() if n > 1}


def doubt_pooled(
    tasks: Sequence[Any], pools: Pools, columns: str | None, source: str
) -> list[str]:
    """Doubt runs that several columns name, if they are not independent.

    So it is where models have other values of a setting; where runs of one value are
    alike, and models do not have the same; and where differences depend on the value,
    as of subjects, each in several seeds.
    """
    names = _list_parts(pools, columns)
    for k, name in enumerate(names):
        said = _doubt_values(pools, names, k)
        if not said and _depend_on(tasks, k):
            rest = shlex.quote(",".join(x for x in names if x != name))
            said = (
                f"the differences between models depend on {name!r}, more "
                "than by chance, so that runs that share it are not independent, and "
                "verdicts claim too much. If its values were sampled, as subjects or "
                f"benchmarks are, pass --run {rest} --item {shlex.quote(name)}"
            )
        if said:
            return [f"{source}: {said}"]
    return []


def _depend_on(tasks: Sequence[Any], place: int) -> bool:
    every = [match_scores(x) for x in tasks if not x.runs]
    return exceed_signs(
        [(x, [y.split(", ")[place] for y in runs]) for runs, x in every]
    )


def _doubt_values(pools: Pools, names: Names, place: int) -> str:
    name = names[place]
    every = [{x: Counter(y.list_values(place)) for x, y in by.items()} for by in pools]
    for counts in every:
        values = list(dict.fromkeys(x for y in counts.values() for x in y))
        shared = [x for x in values if all(x in y for y in counts.values())]
        n_holders = [sum(x in y for y in counts.values()) for x in values]
        if len(shared) == len(values) or max(n_holders) == 1:
            continue
        if not _is_setting(name, values):
            continue
        lacking = [
            f"{model!r} lacks {list_names([x for x in values if x not in y], 4)}"
            for model, y in counts.items()
            if len(y) < len(values)
        ]
        return (
            f"runs of all values of {name!r} are pooled, and models have other ones: "
            f"{shorten(lacking, _MAX_SHOWN, by='; ')}. So a difference may be due to "
            f"{name!r}, and runs of one value are not independent."
            f"{_advise(names, place, shared, are_some=True)}"
        )
    if not any(map(_are_unlike, every)) or not _are_alike(pools, place):
        return ""
    counts = every[0]
    first, *others = counts.values()
    shared = [x for x in first if all(x in y for y in others)]
    sizes = [f"{x!r} has {len(y)}" for x, y in counts.items()]
    return (
        f"runs of one value of {name!r} are alike, more than by chance, and models do "
        f"not have the same: {shorten(sizes, _MAX_SHOWN)}, and {len(shared)} are of "
        "all. So several runs of one value count as little more than one, and verdicts "
        "claim too much."
        f"{_advise(names, place, shared, is_whole=_is_whole(pools, place))}"
    )


def _advise(
    names: Names,
    place: int,
    shared: Names,
    *,
    are_some: bool = False,
    is_whole: bool = False,
) -> str:
    name = shlex.quote(names[place])
    rest = shlex.quote(",".join(x for k, x in enumerate(names) if k != place))
    ways = []
    if shared:
        pairs = shlex.quote(f"{names[place]}={','.join(shared)}")
        ways.append(f"take those of all models, with --where {pairs}")
    if are_some:
        ways.append(f"compare on each value, with --task {name} --run {rest}")
    elif is_whole:
        ways.append(
            "for a verdict on values, of which each has the mean of its runs, pass "
            f"--run {name} --item {rest} --unit run"
        )
    elif not ways:
        ways.append(f"average the runs of each value, and pass --run {name}")
    said = "; or ".join(ways)
    return f" {raise_initial(said)}"


def _is_setting(name: str, values: Names) -> bool:
    if squeeze(name) in HYPERPARAMETERS:
        return True
    are_counted = all(map(str.isdecimal, values)) and count_up([*map(int, values)])
    return may_be_setting(name) and not names_runs(name) and not are_counted


def _are_unlike(counts: Mapping[str, Counter[str]]) -> bool:
    """Tell whether shares of values differ by more than those of independent runs.

    If values vary by 1, they add the sum of squares of these differences to the
    variance of the difference of means, and 1/n + 1/m to what a test takes for it.
    """
    for a, b in itertools.combinations(counts.values(), 2):
        n, m = a.total(), b.total()
        gaps = sum((a[x] / n - b[x] / m) ** 2 for x in {*a, *b})
        if gaps > (1.0 / n + 1.0 / m) * (1.0 + 1e-9):
            return True
    return False


def _are_alike(pools: Pools, place: int) -> bool:
    """Tell whether runs of one value differ less than by chance, by permutations."""
    squares, generator = np.zeros(_N_DRAWN + 1), np.random.default_rng(0)
    for runs in (x for by in pools for x in by.values()):
        values = runs.list_values(place)[:_MAX_PERMUTED]
        codes = np.unique(values, return_inverse=True)[1]
        sizes = np.bincount(codes)
        if not 1 < len(sizes) < len(codes):
            continue
        x = runs.scores[: len(codes)] - np.mean(runs.scores[: len(codes)])
        x = x / (np.std(x) or 1.0)
        for k in range(len(squares)):
            squares[k] += np.sum(np.bincount(codes, x) ** 2 / sizes)
            x = generator.permutation(x)
    return bool(np.count_nonzero(squares >= squares[0] * (1.0 - 1e-9)) == 1)


def _is_whole(pools: Pools, place: int) -> bool:
    """Tell whether each value has the same other parts, in all models of a task."""
    for by in pools:
        rest: dict[tuple[str, str], set[str]] = {}
        for model, runs in by.items():
            for parts in runs.parts:
                others = ", ".join([*parts[:place], *parts[place + 1 :]])
                rest.setdefault((model, parts[place]), set()).add(others)
        if len({frozenset(x) for x in rest.values()}) > 1:
            return False
    return True


def count_settings(
    columns: Iterable[str], records: Records, table: ScoreTable
) -> dict[str, int]:
    """Count the values in each column that runs of one model have on one task."""
    ids = {x for by in table.ids.values() for names in by.values() for x in names}
    is_kept = records.factors["model"].find(table.models)
    is_kept &= records.factors["run"].find(ids)
    if table.missing == "drop":
        is_kept &= ~np.isnan(records.scores)
    records = records.take(is_kept)
    counts = {}
    for name in columns:
        having, texts = records.take_texts(name)
        having, texts = having.take(texts.codes >= 0), texts[texts.codes >= 0]
        owners = [having.factors[role] for role in ("task", "model")]
        groups, n_groups = group_rows([*owners, texts])
        first = find_first(groups, n_groups)
        counts[name] = int(np.bincount(group_rows(owners)[0][first]).max(initial=0))
    return {name: n for name, n in counts.items() if n > 1}


# Part of a run whose steps rise is a curve of its own, if it has so many rows and goes
# so much of the way; with many parts, rows are in any order.
_CURVE, _MOST_OF, _MOST_CURVES = 4, 0.5, 10


def doubt_second_curves(records: Records, source: str) -> list[str]:
    """Doubt runs whose steps begin anew: the last step is that of one of several.

    Refuse those that a setting tells apart, which would be mixed.
    """
    if records.has("item") or not records.has("run") or np.isnan(records.steps).any():
        return []
    runs, n_runs = records.group("task", "model", "run")
    order = np.argsort(runs, kind="stable")
    runs, steps = runs[order], records.steps[order]
    is_first = np.diff(runs, prepend=-1) != 0
    starts = np.flatnonzero(is_first | (np.diff(steps, prepend=-np.inf) < 0.0))
    of, sizes = runs[starts], np.diff(starts, append=len(runs))
    begin, end = steps[starts], np.maximum.reduceat(steps, starts)
    low, high = np.full(n_runs, np.inf), np.full(n_runs, -np.inf)
    np.minimum.at(low, of, begin)
    np.maximum.at(high, of, end)
    is_curve = (sizes >= _CURVE) & (end - begin > _MOST_OF * (high - low)[of])
    n_parts = np.bincount(of, minlength=n_runs)
    is_whole = np.bincount(of[is_curve], minlength=n_runs) == n_parts
    several = np.flatnonzero(is_whole & (n_parts > 1) & (n_parts <= _MOST_CURVES))
    if not len(several):
        return []
    one = records[int(order[starts[of == several[0]][0]])]
    are_several = np.isin(of, several)
    rows = np.repeat(are_several, sizes)
    curves = np.repeat(np.arange(len(starts)), sizes)[rows]
    apart = _tell_curves(records, order[rows], curves, runs[rows])
    task = "" if one.task is None else f" on {one.task!r}"
    said = (
        f"{source}: the steps of run {one.run!r} of {one.model!r}{task} begin anew, as "
        f"those of {len(several)} of {n_runs} runs: several curves have one name"
    )
    names = {x: find_column(records, x) or x for x in ("run", "model")}
    if apart is not None:
        value = shlex.quote(f"{apart}={one.frame.columns[apart][one.row]}")
        ways = [f"--{x} {shlex.quote(f'{y},{apart}')}" for x, y in names.items()]
        msg = f"{said}, and {apart!r} tells them apart. Pass --where {value}"
        msg += f", {' or '.join(ways)}."
        refuse(msg)
    return [
        f"{said}, and the score at the last step of all is taken. Where these are runs "
        "of their own, name what tells them apart beside the run, with --run "
        f"{shlex.quote(names['run'])},COLUMN"
    ]


def _tell_curves(
    records: Records, rows: np.ndarray, curves: np.ndarray, runs: np.ndarray
) -> str | None:
    """Return the first column of settings with one value in each of several curves."""
    roles = ("model", "task", "run", "step")
    taken = {*records.metrics, *(find_column(records, x) for x in roles)}
    n_curves = len(np.unique(curves))
    for name in records[0].frame.columns:
        having, texts = records.take_texts(name)
        if name in taken or not may_be_setting(name) or len(having) < len(records):
            continue
        codes = texts.codes[rows]
        pairs = (np.unique(np.stack([x, codes]), axis=1) for x in (curves, runs))
        if all(x.shape[1] == n_curves for x in pairs):
            return name
    return None
