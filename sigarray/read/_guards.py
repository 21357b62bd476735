"""Refuse, or doubt, rows that are hardly of runs: of folds, splits, tasks or items."""

import re
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from sigarray._backend.given import looks_like_index
from sigarray._plain_text import squeeze
from sigarray.read._cells import encode_texts, is_blank, looks_like_score
from sigarray.read._codes import distinct
from sigarray.read._frame import Frame, Names, Roles, list_names
from sigarray.read._missing import count_models
from sigarray.read._records import Records
from sigarray.read._roles import find_roles, is_long, list_metrics, names_runs
from sigarray.read._templates import BY_SHARE
from sigarray.read._text import TableError, refuse
from sigarray.read._unlikely_rows import refuse_mean_rows
from sigarray.read._words import SPLITS, names_folds

# Columns that scikit-learn's cross_validate adds to its scores.
_TIMES = {"fit_time", "score_time"}
_NUMBERED = re.compile(r"(split|fold)?[\W_]?\d+(\.0)?")
_NO_SCORE = re.compile(r"(?!\d*\.0*[1-9]).*", re.S)  # as "cv" may name scores
# Usual names of items, which are as often those of rows.
_NUMBERS_OF_ROWS = ("id", "idx", "uid")
# Models rarely have equally many runs if these are more; items are many.
_MAX_RUNS = 50
_PAIRS_OF_MARKS = ((0.0, 1.0), (0.0, 100.0), (-1.0, 1.0))
# So many scores, all on a short scale of halves, are hardly of runs.
_MIN_MARKS, _MAX_MARKS, _LARGEST_MARK = 8, 11, 10.0
# Splits to be compared on, by how their names begin, the best first.
_WANTED = ("test", "eval", "hold", "val", "dev", "train")
_ADVICE = "Pass {item}--unit run where each is a run of its own, with a seed of its own"


def refuse_splits(frame: Frame, chosen: Roles, ignored: Names) -> None:
    words, found = {*SPLITS, ""}, find_roles(frame, {})
    roles = {*chosen.values(), *map(found.get, ("model", "metric", "score"))}
    for column, cells in frame.columns.items():
        if column in roles or column in ignored or isinstance(cells, np.ndarray):
            continue
        known = distinct(cells)
        if not all(isinstance(x, str) and x.strip().lower() in words for x in known):
            continue
        values = list(dict.fromkeys(x.strip() for x in known if x.strip()))
        if len(values) > 1:
            wanted = next(x for y in _WANTED for x in values if x.lower().startswith(y))
            refuse(
                f"{frame.source}, column {column!r}: expected scores of one split; got "
                f"{list_names(values)}. Choose one with --where "
                f"{shlex.quote(f'{column}={wanted}')}, or "
                f"compare on each with --task {column}."
            )


def add_whole(frames: Sequence[Frame]) -> Sequence[Frame]:
    """Add all files in one: each may have one fold."""
    if len(frames) < 2 or not any(map(names_folds, frames[0].columns)):
        return frames
    names = [x for x in frames[0].columns if all(x in y.columns for y in frames)]
    whole = {x: [z for y in frames for z in y.columns[x]] for x in names}
    return [*frames, replace(frames[0], columns=whole)]


def refuse_folds(frames: Sequence[Frame], chosen: Roles, ignored: Names) -> None:
    """Refuse to take folds for runs silently, or for items; and runs for clusters."""
    for frame in add_whole(frames):
        _refuse_folds(frame, chosen, ignored)


def _refuse_folds(frame: Frame, chosen: Roles, ignored: Names) -> None:
    folds = [x for x in _list_folds(frame) if x not in ignored]
    seeds = find_roles(frame, {}).get("run")
    if seeds == chosen.get("cluster", "") and not frame.roles:
        refuse(
            f"{frame.source}, column {seeds!r}: expected clusters of items; got what "
            f"looks like runs. Pass --run {seeds}, or rename it."
        )
    if not folds:
        return
    told, of_items = chosen.get("run", "").split(","), "items that are independent"
    run = _name_folds(frame, chosen, folds, ignored)
    task = chosen.get("task", "")
    wrong = {chosen.get(x): of_items for x in ("item", "cluster")} | {task: "tasks"}
    items = [x for x in (*folds, *[task] * names_runs(task)) if x in wrong]
    others = [x for x in folds if x not in {*chosen.values(), *told}]
    if not {*told} & {*folds} and {*told} & {*run.split(",")}:
        others = []  # models may have one fold each, or runs have several rows
    if items:
        name, of = items[0], wrong[items[0]]
    elif others and not ({*told} & {*folds} and run in folds):
        name, of = others[0], "independent runs"
    else:
        return
    refuse(
        f"{frame.source}, column {name!r}: expected {of}; got what looks like folds or "
        "repetitions on one data set, whose training data overlap. "
        f"{_advise_folds(frame, chosen, run.split(','), folds)}; or --run {run}, where "
        "they are independent."
    )


def _advise_folds(frame: Frame, chosen: Roles, names: Names, folds: Names) -> str:
    last = [x for x in names if x in folds and "rep" not in squeeze(x)][-1:]
    rest = ",".join(x for x in names if x not in last)
    roles = find_roles(frame, chosen)
    model, task = roles.get("model", ""), roles.get("task", "")
    if last and rest and model in frame.columns:
        of = {*zip(*(frame.columns[x] for x in (model, *names)), strict=True)}
        if len({x[0] for x in of}) > 1 == max(Counter(x[1:] for x in of).values()):
            by = [model, *[task] * (task in frame.columns), *last]
            metrics = list_metrics(frame, {**roles, "score": ""})
            return (
                f"No {rest!r} is of two models: where a fold is one split for all of "
                f"them, take its mean, frame.groupby({by})"
                f"[{[x for x in metrics if x not in names]}].mean(), and pass --fold "
                f"{last[0]}"
            )
    way = f"Pass --run {rest}" if rest else "Pass"
    return f"{way} --fold {last[0]}" if last else f"{way}, with {BY_SHARE}"


def _name_folds(frame: Frame, chosen: Roles, folds: Names, ignored: Names) -> str:
    columns, roles = frame.columns, {**find_roles(frame, {}), **chosen}
    told = chosen.get("run", "").split(",")
    naming = ",".join(roles.get(x, "") for x in ("model", "task", "metric")).split(",")
    named = [columns[x] for x in naming if x in columns]
    runs = {x for x in columns if x in told or names_runs(x)} - {*ignored, *folds}
    # Each run has a name of its own; repetitions have those of all models.
    sizes = {x: len({*columns[x]}) for x in runs - {frame.run_name}}
    others = sorted((x for x in sizes if sizes[x] > 1), key=sizes.__getitem__)
    for names in ([folds[-1]], folds, *([*folds, x] for x in others)):
        rows = [*zip(*named, *(columns[x] for x in names), strict=True)]
        if len(set(rows)) == len(rows):
            break
    if len(names) == 1:  # does each run have folds of its own?
        of = {
            x: len({*zip(columns[x], columns[names[0]], strict=True)}) for x in others
        }
        n_folds = len({*columns[names[0]]})
        names = [*names, *[x for x in others if of[x] == n_folds > sizes[x]][:1]]
    return ",".join(x for x in columns if x in names)


def refuse_cross_validation(frame: Frame, chosen: Roles) -> None:
    of_tests = any(x.startswith("test_") for x in frame.columns)
    if not of_tests or not {*frame.columns} >= _TIMES or len(frame.lines) < 2:
        return
    if "run" not in find_roles(frame, chosen):
        got = f"{list_names(sorted(_TIMES))}, as scikit-learn's cross_validate writes"
        raise ask_about_folds(frame.source, f"{got} of")


def ask_about_folds(source: str, got: str) -> TableError:
    return TableError(
        f"{source}: expected independent runs; got {got} folds of one data set, whose "
        f"training data overlap. Pass {BY_SHARE}; or --unit run where they are "
        "independent."
    )


def doubt_left_out(
    frame: Frame, chosen: Roles, ignored: Names, models: Names | None
) -> list[str]:
    """Say that rows are taken for runs without a column of folds, items or tasks."""
    is_wide, roles = not is_long(frame, chosen), find_roles(frame, {})
    folds = [] if "run" in chosen else _list_folds(frame)
    doubts = []
    for name, cells in frame.columns.items():
        is_unnamed = is_wide and models is not None and name not in models
        if not (name in ignored or is_unnamed):
            continue
        quoted = name or "''"
        way = None
        if name in folds and name in ignored:
            way = f"are folds, whose training data overlap, pass --fold {quoted}"
        elif name == roles.get("item"):
            is_chosen = {"item", "run"} & {*chosen}
            if not is_chosen and squeeze(name) not in _NUMBERS_OF_ROWS:
                way = "are items of a test set, by which models are paired, "
                way += f"pass --item {quoted}"
        elif is_wide and "task" not in chosen and not looks_like_index(name, ()):
            values = [str(x) for x in cells if not is_blank(x)]
            counts = Counter(values)
            is_even = len({*counts.values()}) == 1
            is_even &= not any(map(looks_like_score, cells))
            if len(counts) > 1 and (name == roles.get("task") or is_even):
                way = f"are tasks, pass --task {quoted}; or --item {quoted}, where "
                way += "they are items, by which models are paired"
        if way is not None:
            doubts.append(
                f"{frame.source}, column {name!r} was left out, and each of its rows "
                f"is taken for an independent run. If its values {way}"
            )
    return doubts


def doubt_items_left_out(frame: Frame, chosen: Roles, ignored: Names) -> list[str]:
    name = find_roles(frame, {}).get("item")
    if name not in ignored or name is None or is_long(frame, chosen):
        return []
    n = len(encode_texts(frame.columns[name]).list_known())
    if "item" in chosen or 2 * n > len(frame.lines):
        return []
    return [
        f"{frame.source}, column {name!r} was left out, whose values are those of "
        "several rows each: these are not independent, and verdicts claim too much. "
        f"Pass --item {shlex.quote(name)} --unit item, which averages those of an item"
    ]


def _list_folds(frame: Frame) -> list[str]:
    folds = []
    for name, cells in frame.columns.items():
        is_split = squeeze(name) in ("split", "splitid")
        if is_split or names_folds(name):
            values = {str(x).lower() for x in distinct(cells)}
            known = _NUMBERED if is_split else _NO_SCORE
            if len(values) > 1 and all(map(known.fullmatch, values)):
                folds.append(name)
    return folds


def refuse_rows_apart(frame: Frame) -> None:
    """Refuse a few rows below a blank line, in a table with a column for each model."""
    is_written = frame.line_word == "line" and not isinstance(frame.lines, range)
    if frame.kind != "a table" or not is_written or is_long(frame, {}):
        return
    for k in range(len(frame.lines) - 1, 0, -1):
        below = frame.lines[k]
        gap = below - frame.lines[k - 1] - 1
        cells = (x[k - 1] for x in frame.columns.values())
        if gap and gap > sum(str(x).count("\n") for x in cells):
            n_below = len(frame.lines) - k
            if n_below < k:
                refuse(
                    f"{frame.source}, line {below}, below a blank line: expected "
                    f"another run; got {n_below} apart from {k} above, which may be "
                    "their means. Remove what is no run, or the blank line."
                )
            return


def find_unnamed_items(
    source: str, scores: Mapping[str, np.ndarray], n_gaps: Mapping[str, int]
) -> tuple[bool, list[str]]:
    """Tell by values whether rows of a wide table are items."""
    n_rows = [len(x) + n_gaps.get(name, 0) for name, x in scores.items()]
    reason = doubt_runs(list(scores.values()), n_rows)
    if reason is None:
        return False, []
    if not reason:
        if not n_gaps:
            _refuse_lengths(source, scores)
        low, high = sorted({float(x) for y in scores.values() for x in np.unique(y)})
        note = (
            f"scores of {low:g} and {high:g} were taken for those of items, a row for "
            "each, by which models are paired. If each is a run, pass --unit run"
        )
        return True, [note]
    item = (
        "--unit item where each row is of an item of a test set, by which models are "
        "paired (or --item with a column that names it); or "
    )
    msg = (
        f"{source}: expected to know what a row is of, a run or an item; got {reason}. "
        f"{_ADVICE.format(item=item)}."
    )
    raise TableError(msg)


def doubt_runs(
    columns: Sequence[np.ndarray], n_rows: Sequence[int] | None = None
) -> str | None:
    """Say why scores are hardly of runs; "" if they are marks of single answers."""
    if _are_marks_of_two(columns):
        return ""
    sizes = {len(x) for x in columns}
    n, rows = max(sizes), {*(n_rows or sizes)}
    # Items have a row of each model, while models may differ in runs.
    if len(rows) == 1 and max(rows) > _MAX_RUNS:
        is_whole = len(sizes) == 1
        return f"{n:,} scores of each model" if is_whole else f"{max(rows):,} rows"
    if min(sizes) < _MIN_MARKS or any(
        np.any(2.0 * x != np.round(2.0 * x)) for x in columns
    ):
        return None
    values = np.unique(np.concatenate(columns))
    is_short = len(values) <= _MAX_MARKS and np.abs(values).max() <= _LARGEST_MARK
    if not is_short or len(values) == 1:
        return None
    shown = ", ".join(f"{x:g}" for x in values[:_MAX_MARKS].tolist())
    return f"{n} scores of a model, each one of {shown}"


def refuse_unnamed_rows(records: Records) -> list[str]:
    if _are_named(records):
        return []
    by_task = [
        {x[0].model: x.scores for x in of_task.split("model")}
        for of_task in records.split("task")
    ]
    _refuse_unnamed_items(records, [x for by in by_task for x in by.values()])
    source = records[0].frame.source
    said = [note for by in by_task for note in refuse_mean_rows(source, by)]
    return [f"{source}: {note}" for note in said]


def refuse_unnamed_pairs(records: Records, n_blank: Counter[tuple[str, str]]) -> None:
    """Refuse pairs by the order of rows if models may have them in other places."""
    if _are_named(records):
        return
    first, roles = records[0].frame, records.roles[records.files[0]]
    or_items, got = ", or that of items with --item", list_names([*first.columns])
    got = f"columns {got}"
    if "model" not in roles:
        or_items, got = "", _find_gaps(records, n_blank)
    if got:
        refuse(
            f"{first.source}: expected to know which scores are pairs, for --paired or "
            "--test-share, such as those of one seed or split; got no names of runs or "
            f"items, and {got}. Name the column of runs with --run{or_items}; or leave "
            "the option out."
        )


def _are_named(records: Records) -> bool:
    has_names = any(map(records.has, ("item", "run", "cluster")))
    return has_names or not np.isnan(records.steps).all()


def _find_gaps(records: Records, n_blank: Counter[tuple[str, str]]) -> str:
    lacks: Counter[str] = Counter()
    sizes: dict[str | None, set[int]] = {}
    for one in records.split("task", "model"):
        task, model = one[0].task, str(one[0].model)
        lacks[model] += int(np.isnan(one.scores).sum()) + n_blank[task or "", model]
        sizes.setdefault(task, set()).add(len(one))
    if +lacks:
        return f"cells without a score, {count_models(+lacks)}"
    if any(len(x) > 1 for x in sizes.values()):
        counts = sorted(set[int]().union(*sizes.values()))
        return f"{' and '.join(map(str, counts))} scores of models"
    return ""


def _refuse_unnamed_items(records: Records, columns: Sequence[np.ndarray]) -> None:
    reason = doubt_runs(columns) if min(map(len, columns)) > 1 else None
    if reason is None:
        return
    first, x = records[0].frame, records.scores
    got = reason or f"scores of {x.min():g} and {x.max():g}"
    item = "--item with the column of items, by which models are paired, or "
    refuse(
        f"{first.source}: expected to know of which run or item each score is; got "
        f"{got}, and columns {list_names(first.columns)}. {_ADVICE.format(item=item)}."
    )


def _refuse_lengths(source: str, scores: Mapping[str, np.ndarray]) -> None:
    sizes = {name: len(x) for name, x in scores.items()}
    if len(set(sizes.values())) > 1:
        (a, n), *others = sizes.items()
        b, m = next((x, y) for x, y in others if y != n)
        refuse(
            f"{source}: expected as many scores of each model, a row for each item; "
            f"got {n} of {a!r} and {m} of {b!r}. Name the column of items with --item, "
            "or pass --unit run where each is a run of its own."
        )


def _are_marks_of_two(columns: Sequence[np.ndarray]) -> bool:
    for low, high in _PAIRS_OF_MARKS:
        # The start of long columns is tested first, for it mostly decides.
        if all(
            bool(np.all((part == low) | (part == high)))
            for part in (*(x[:100] for x in columns), *columns)
        ):
            return any(x.size and x.min() < x.max() for x in columns)
    return False
