"""Several scores of one model for one item or run, where one is expected."""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from sigarray._backend.given import names_steps
from sigarray._plain_text import list_in_words, squeeze
from sigarray.read._cells import as_text, encode_texts, is_blank, looks_like_score
from sigarray.read._codes import Coded, encode, find_again, group_rows
from sigarray.read._frame import Names, Roles, list_names, shorten
from sigarray.read._raters import (
    are_of_one_item,
    have_samples,
    list_ways,
    name_unit,
    say_cluster,
)
from sigarray.read._records import CRASHED, Record, Records, find_column
from sigarray.read._roles import counts_steps, find_largest, is_item_name, names_runs
from sigarray.read._settings import list_shared, may_be_setting
from sigarray.read._text import refuse
from sigarray.read._wide import WideTable, list_names_of_rows
from sigarray.read._words import (
    HYPERPARAMETERS,
    MAYBE_HYPERPARAMETERS,
    names_episodes,
    names_folds,
    names_raters,
)

_MAX_SHOWN = 3
_NAME = ("model", "item", "run", "cluster")
_SEEDS = ("seed", "randomseed", "rngseed", "randomstate", "dataseed")
_RUN_NAMES = ("run", "runid", "runname", "name", "id", "uuid")
# What trackers put before the names of settings.
_ROOT = re.compile(r"(config|params|tags|hparams|user_attrs)[./_]")
_RENAME = "rename it 'step', so that the last of each run is compared"
_ADVICE = "Remove one, or name all columns that tell them apart with --run."


def refuse_duplicates(records: Records) -> None:
    if not records.has("item") and not records.has("run"):
        return
    groups, n_groups = records.group(*_NAME)
    if n_groups == len(records):
        return
    again, first = find_again(groups, n_groups)
    record, other = records[again[0]], records[first[again[0]]]
    said = [
        f"{role} {name!r}"
        for role in ("item", "run", "task")
        if (name := getattr(record, role)) is not None
    ]
    if record.step is not None and record.step == other.step:
        said.append(f"step {record.step:.10g}")
    refuse(
        f"{record.place}: expected one score of {record.model!r} for "
        f"{', '.join(said)}; got another one at {other.place}. "
        f"{_advise(records, other, record)}"
    )


def _advise(records: Records, a: Record, b: Record) -> str:
    if a.frame is b.frame and (said := _advise_finished(records, a, b)):
        return said
    item, run, model = (find_column(records, x) for x in ("item", "run", "model"))
    are_averaged = a.item is not None and a.run is None and have_samples(records)
    columns = _list_apart(records, a, b) if a.frame is b.frame else []
    if not columns:
        return _advise_unknown(records, a, b, are_averaged=are_averaged)
    name = columns[0]
    if a.item is None and (task := _find_task_of_steps(records, name)) is not None:
        return (
            f"They differ in {name!r}, which counts steps, and each run has them for "
            f"each {task!r}. Pass --task {shlex.quote(task)}, so that the last step of "
            "each run is compared on each."
        )
    word = squeeze(name)
    is_setting = names_runs(name) or word in HYPERPARAMETERS | MAYBE_HYPERPARAMETERS
    having, texts = records.take_texts(name)
    values = texts.list_known()
    shared = list_shared(having.factors["model"], texts)
    are_same = len(shared) == len({*values} - {None})
    if a.run is not None and a.item is None and names_episodes(name):
        return _say_repetitions(records, name)
    ways = []
    if shared or a.item is not None:
        value = find_largest(shared) or find_largest(values)
        value = value or as_text(a.frame.columns[name][a.row])
        ways.append(f"choose rows with --where {shlex.quote(f'{name}={value}')}")
    if model is not None and not (are_averaged and are_of_one_item(name)):
        both = shlex.quote(f"{model},{name}")
        ways.append(f"compare models of their own with --model {both}")
    if a.item is not None:
        ways = list_ways(name, item, a.task, ways)
    elif a.task is None and shared and not names_runs(name):
        ways.append(f"compare on each with --task {shlex.quote(name)}")
    if a.run is not None and not is_setting and _are_steps(records, name):
        ways.append(f"where {name!r} counts the steps of a run, {_RENAME}")
    elif a.run is not None and a.item is None and not is_setting:
        sampled = "where its values were sampled, as subjects or benchmarks are"
        ways.insert(0, f"pass --item {shlex.quote(name)}, {sampled}")
    elif a.run is not None and a.item is None and not shared:
        ways.append(
            f"compare the values of {name!r}, of which each has the mean of its runs, "
            f"with --run {name} --item {run or 'seed'} --unit run"
        )
    elif a.run is not None and are_same:
        ways.append(
            f"pool them with --run {_add(run, name)}, for runs in which {name!r} varies"
        )
    ways[-1] = f"{'or ' * (len(ways) > 1)}{ways[-1]}"
    return f"They differ in {list_names(columns, _MAX_SHOWN)}: {'; '.join(ways)}."


def _add(run: str | None, name: str) -> str:
    *others, last = (run or "").split(",")
    if names_folds(last):
        return f"{','.join([*others, name])} --fold {last}"
    return f"{run},{name}" if run else name


def _advise_unknown(
    records: Records, a: Record, b: Record, *, are_averaged: bool
) -> str:
    name = _find_run_name(records, a, b) if a.item is None else None
    if name is not None:
        return (
            f"Remove one; or, where they are runs of their own, which {name!r} tells "
            f"apart, pass --run {shlex.quote(name)}."
        )
    said = "ay with --item, --run and --task which columns tell them apart."
    if not are_averaged:
        what = "one" if a.step is None else "all rows of one"
        again = _say_again(records, find_column(records, "run"))
        return f"Remove {what}, or s{said}{again}"
    item = find_column(records, "item")
    of_clusters = "" if item is None else f" Or pass {say_cluster(item)}."
    return (
        f"S{said} Where they are samples of one answer, or ratings, pass --unit item, "
        f"which averages them.{of_clusters}"
    )


def _say_again(records: Records, column: str | None) -> str:
    """Say how to keep the last rating of an answer that one has rated again."""
    if not names_raters(column) or len(records.list_frames()) > 1:
        return ""
    every = (find_column(records, x) for x in ("task", "model", "item"))
    names = [*filter(None, (*every, column))]
    if len({*names}) < len(names):
        return ""
    return f" In pandas, frame.drop_duplicates({names}, keep='last') keeps the last."


def _say_repetitions(records: Records, name: str) -> str:
    others = [x for x in records[0].frame.columns if x != name and names_steps(x)]
    said = f"They differ in {name!r}, as repetitions within a run do: average those of "
    said += f"each run with --item {shlex.quote(name)} --unit run."
    if others or not _are_steps(records, name):
        return said
    return f"{said} Or, where {name!r} counts the steps of the training, {_RENAME}."


def _advise_finished(records: Records, a: Record, b: Record) -> str:
    column = find_column(records, "state")
    others = [x.state for x in (a, b) if str(x.state).lower() not in CRASHED]
    if column is None or len(others) != 1 or others[0] is None:
        return ""
    return (
        "One of them has crashed: take the others with --where "
        f"{column}={others[0]}, or leave out those that crashed with --missing drop."
    )


def _are_steps(records: Records, column: str) -> bool:
    if squeeze(column) in HYPERPARAMETERS:
        return False
    having, texts = records.take_texts(column)
    factors = [having.factors[x] for x in ("task", *_NAME)]
    return counts_steps(texts, factors, may_recur=False)


def _find_task_of_steps(records: Records, column: str) -> str | None:
    if not names_steps(column):
        return None
    steps = records.take_texts(column)[1]
    names = (find_column(records, x) for x in ("task", *_NAME))
    known = {column, *records.metrics, *names}
    for name in records[0].frame.columns:
        if name in known or names_steps(name):
            continue
        having, texts = records.take_texts(name)
        factors = [*(having.factors[x] for x in ("task", *_NAME)), texts]
        is_of_few = 2 * len(texts.list_known()) <= len(having) == len(records)
        if is_of_few and counts_steps(steps, factors, may_recur=True):
            return name
    return None


def _list_apart(records: Records, a: Record, b: Record) -> list[str]:
    """List the columns of few values in which scores differ, settings first."""
    frame = a.frame
    known = {a.metric, *(find_column(records, x) for x in ("item", "run", "step"))}
    different = [
        name
        for name, cells in frame.columns.items()
        if name not in known
        and not is_blank(cells[a.row])
        and as_text(cells[a.row]) != as_text(cells[b.row])
        and 2 * len(encode_texts(cells).list_known()) <= len(cells)
    ]
    different.sort(key=lambda x: not may_be_setting(x))
    return [x for x in different if _tells_apart(records, x)] or different


def _find_run_name(records: Records, a: Record, b: Record) -> str | None:
    known = {*records.metrics, *(find_column(records, x) for x in _NAME)}
    apart = [
        name
        for name, cells in (a.frame.columns.items() if a.frame is b.frame else ())
        if name not in known
        and (names_runs(name) or not any(map(looks_like_score, cells)))
        and _tells_apart(records, name)
        and None not in records.take_texts(name)[1].list_known()
    ]
    apart.sort(key=lambda x: x != a.frame.run_name and squeeze(x) not in _RUN_NAMES)
    return next(iter(apart), None)


def _tells_apart(records: Records, column: str) -> bool:
    having, texts = records.take_texts(column)
    factors = [having.factors[role] for role in _NAME]
    return group_rows([*factors, texts])[1] == len(records)


def refuse_repeats(records: Records) -> None:
    factors = [records.factors[x] for x in ("model", "item", "cluster")]
    known = {y for by in records.roles for x, y in by.items() if x != "rater"}
    frame = records[0].frame
    known |= {*records.metrics}
    names = [x for x in (*frame.columns, *frame.left_out) if x not in known]
    found = None
    item = find_column(records, "item")
    if any(_names_parts(x, item) for x in names):
        found = _find_repeat(factors, dict(read_texts(records, names)), item)
    if found is not None:
        record, other, by = records[found[0]], records[found[1]], found[2]
        again = _say_again(records, next(filter(names_raters, names), None))
        refuse(
            f"{record.place}: expected one score of {record.model!r} for "
            f"{name_unit(item)} {record.item!r}, {by}; got another one at "
            f"{other.place}. {_ADVICE}{again}"
        )


def have_parts(table: WideTable, chosen: Roles, unit: str | None) -> bool:
    """Tell whether rows are ratings, samples or runs of items, to be averaged."""
    if unit != "item" or "item" not in chosen:
        return False
    ids = list_names_of_rows(table, chosen["item"], "item")
    is_named = (_names_parts(x, chosen["item"]) for x in table.names.values())
    return 2 * len({*ids}) <= len(ids) or any(is_named)


def refuse_repeated_rows(table: WideTable, ids: Names, known: Names) -> None:
    """Refuse a second row of an item by one rater, sample or run."""
    columns = {x: encode_texts(y) for x, y in table.name_cells(known).items()}
    found = _find_repeat([encode(ids)], columns, known[0]) if columns else None
    if found is not None:
        k, first, by = found
        refuse(
            f"{table.place(k)}: expected one row of {name_unit(known[0])} {ids[k]!r}, "
            f"{by}; got another one at {table.place(first)}. {_ADVICE}"
        )


def read_texts(records: Records, names: Names) -> Iterator[tuple[str, Coded]]:
    for name in names:
        having, texts = records.take_texts(name)
        if len(having) == len(records):
            yield name, texts


def _names_parts(name: str, item: str | None) -> bool:
    if names_raters(item) and is_item_name(name):
        return True
    return are_of_one_item(name) or names_runs(name)


def _find_repeat(
    factors: Sequence[Coded], columns: Mapping[str, Coded], item: str | None
) -> tuple[int, int, str] | None:
    """Return a row that is there twice, the first of its kind, and what they are of.

    Columns of raters, samples and runs have to be among those that tell rows apart;
    others of few values may be. If most rows are there twice, they are samples.
    """
    of_parts = {x: y for x, y in columns.items() if _names_parts(x, item)}
    if not of_parts:
        return None
    telling = [
        y
        for x, y in columns.items()
        if x in of_parts or 2 * len(y.list_known()) <= len(y)
    ]
    groups, n_groups = group_rows([*factors, *telling])
    if n_groups == len(groups) or np.median(np.bincount(groups)) > 1:
        return None
    rows, first = find_again(groups, n_groups)
    again = int(rows[0])
    said = [f"{x} {y[again]!r}" for x, y in of_parts.items() if y[again] is not None]
    return again, int(first[again]), list_in_words(said)


def find_seed(columns: Mapping[str, Sequence[Any]]) -> str | None:
    """Return the column of seeds, if any; "data.seed" is one if it varies."""
    found: list[tuple[tuple[bool, int], int, str]] = []
    for name, cells in columns.items():
        rank = _rank(name)
        if rank is not None and _may_tell(rank, encode_texts(cells).list_known()):
            found.append((rank, len(found), name))
    return min(found)[-1] if found else None


def doubt_seeds(tasks: Sequence[Records]) -> list[str]:
    """Doubt runs with one seed, unless that is their name."""
    said = [x for records in tasks for x in _say_repeated(records)]
    if not said:
        return []
    source, column, _ = said[0]
    shown = shorten([x for *_, x in said], _MAX_SHOWN, by="; ")
    return [
        f"{source}: column {column!r} has one seed in several runs of a model: "
        f"{shown}. Each counts as an independent run. Remove one that repeats another; "
        f"or pass --ignore {column} where they are independent"
    ]


def _say_repeated(records: Records) -> list[tuple[str, str, str]]:
    """Say which seeds come again: the file, the column, and words."""
    run = find_column(records, "run")
    if records.has("item") or any(map(_rank, (run or "").split(","))):
        return []
    taken = {x for roles in records.roles for y in roles.values() for x in y.split(",")}
    said = []
    for k in np.unique(records.files):
        frame = records.frames[k]
        of_file = records.take(records.files == k)
        for name in frame.columns:
            rank = _rank(name)
            if rank is None or name in taken:
                continue
            _, seeds = of_file.take_texts(name)
            if not _may_tell(rank, seeds.list_known()):
                continue
            rows, first = find_again(*group_rows([of_file.factors["model"], seeds]))
            for again in rows[seeds.codes[rows] >= 0].tolist():
                a, b = of_file[int(first[again])], of_file[again]
                on = "" if a.task is None else f" on {a.task!r}"
                places = f"{frame.lines[a.row]} and {frame.lines[b.row]}"
                words = (
                    f"{seeds[again]} of {a.model!r}{on}, {frame.line_word}s {places}"
                )
                said.append((frame.source, name, words))
    return said


def _may_tell(rank: tuple[bool, int], values: Sequence[Any]) -> bool:
    return len({*values} - {None}) > rank[0]


def _rank(name: str) -> tuple[bool, int] | None:
    """Return whether a seed is of a part of a run, and how usual its name is."""
    *above, last = re.split(r"[./]", _ROOT.sub("", name))
    word = squeeze(last)
    if word not in _SEEDS:
        return None
    return bool(above) or word == _SEEDS[-1], _SEEDS.index(word)
