"""Tables that are turned: a column for each run of a model, or for each benchmark."""

import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from sigarray._backend.given import looks_like_index
from sigarray.read._cells import as_text, encode_texts, is_blank, looks_like_score
from sigarray.read._codes import Coded, group_rows, take
from sigarray.read._column_names import names_task
from sigarray.read._files import SourceFile
from sigarray.read._filters import choose_metric_of, join_names
from sigarray.read._frame import (
    Frame,
    Names,
    Roles,
    UnknownMetricError,
    is_numeric,
    lacks_column,
    list_names,
    quote_names,
)
from sigarray.read._roles import find_roles, list_metrics
from sigarray.read._score_table import Choice
from sigarray.read._several_scores import (
    advise_all,
    advise_first,
    advise_raters,
    find_sums,
    find_task_runs,
    split_by_model,
)
from sigarray.read._text import TableError, refuse
from sigarray.read._words import (
    RUN,
    SPREADS,
    Runs,
    are_runs,
    find_mixed,
    find_runs,
    find_word,
    is_metric,
    is_summary,
    list_words,
)

_NUMBER, _WHOLE = re.compile(r"\d+"), re.compile(r"\d+(\.0*)?")
# A table with more rows has no row for each model.
_MAX_MODELS = 10_000
# More numbered columns of two marks alone, or of any scores, are hardly those of runs.
_MAX_MARKED, _MAX_NUMBERED = 30, 200
_MAX_SHOWN = 4


def turn_runs(frame: Frame, chosen: Roles, choice: Choice, *, has_model: bool) -> Frame:
    """Turn a column for each run, seed0, seed1, ..., into a row for each score.

    A row is of a model; or of an item, if there is a column of models, too, or the path
    names the model (`has_model`). Of names such as "acc_seed0" the runs of one metric
    are taken.
    """
    if frame.metrics is not None or frame.roles or frame.constants:
        return frame
    ignored, metrics = choice.ignored, choice.metrics
    if "score" in chosen or any(x in frame.columns for x in metrics):
        return frame
    # There is no column of runs before they are turned.
    known = find_roles(frame, {x: y for x, y in chosen.items() if x != "run"})
    has_items = "item" in known and (has_model or "model" in known)
    by_metric = find_runs(x for x in frame.columns if x not in ignored)
    every = {x: run for by in by_metric.values() for x, run in by.items()}
    if len(frame.lines) > _MAX_MODELS and (not has_items or len(every) < 2):
        return frame  # without a look at its rows
    column = _find_models(frame, chosen, ignored, list(every))
    is_numbered = not every
    if is_numbered and column is not None:
        every = {x: x for x in _list_numbers(frame, chosen, ignored, column)}
        by_metric = {"": every}
    is_known = column is not None and column == known.get("model")
    if has_items and not is_known:
        by = [frame.columns[known[x]] for x in ("task", "item") if x in known]
        column = None
        is_known = len({*zip(*by, strict=True)}) == len(frame.lines)
    is_named = is_known or any(not x or is_metric(x) for x in by_metric)
    if len(every) < 2 or not is_named or (column is None and not is_known):
        return frame
    name = find_word(every.values()) or "run"
    if is_numbered and choice.unit == "item":
        name = "item"
    others = {"score", "step"}
    others |= {"item"} if name == "item" or not has_items else set()
    if chosen.get("run", name) != name or others & set(known):
        return frame
    metric = _choose_metric(frame, by_metric, metrics)
    runs = by_metric[metric]
    if column is not None:
        _refuse_numbers(frame, column, runs)
    rest = [x for x in frame.columns if x not in (*every, *ignored)]
    named = {known.get(x) for x in ("task", "item", "cluster")}
    numeric = [x for x in rest if x != column and x not in named]
    numeric = [x for x in numeric if is_numeric(frame.columns[x])]
    if numeric:
        refuse(
            f"{frame.source}: expected no other numbers beside runs, which columns "
            f"{list_names(runs, 3)} seem to be; got {list_names(numeric, 4)}. Leave "
            f"them out with --ignore {quote_names(numeric)}."
        )
    kept = {
        "model" if x == column and x not in chosen.values() else x: cells
        for x, cells in frame.columns.items()
        if x not in every
    }
    of = repr(metric or frame.metric) if metric or frame.metric else "one score"
    note = (
        f"columns {list_names(runs, 3)} were taken for "
        f"{'items' if name == 'item' else 'runs'} of {of}"
    )
    note += "" if column is None else f", and what {column!r} names for models"
    doubts = _doubt_runs(frame, runs) if is_numbered and choice.unit is None else []
    return replace(
        frame.stack([*runs], {name: [*runs.values()]}, kept),
        notes=(*frame.notes, note),
        doubts=(*frame.doubts, *doubts),
        metric=metric or frame.metric,
        other_metrics=(*frame.other_metrics, *(x for x in by_metric if x != metric)),
    )


def _refuse_numbers(frame: Frame, column: str, runs: Collection[str]) -> None:
    for k, name in enumerate(map(as_text, frame.columns[column])):
        cells = [as_text(frame.columns[x][k]) for x in runs]
        if looks_like_index(name, ()) and all(map(_WHOLE.fullmatch, cells)):
            refuse(
                f"{frame.place(column, k)}: expected the name of a model; got {name!r},"
                f" of which {list_names(cells, 3)} seem to be numbers. Remove this row;"
                " or, if it names runs, turn the table, so that each model has a "
                f"column, and {name!r} has one."
            )


def _doubt_runs(frame: Frame, runs: Mapping[str, str]) -> list[str]:
    n = len(runs)
    if n <= _MAX_MARKED:
        return []
    cells = {as_text(y) for x in runs for y in frame.columns[x] if not is_blank(y)}
    marks = {float(x) if looks_like_score(x) else x for x in cells}
    if n <= _MAX_NUMBERED and len(marks) > 2:
        return []
    values = f" of {list_names(sorted(cells), 2)} alone" if len(marks) <= 2 else ""
    return [
        f"{n:,} scores{values} in a row of each model were taken for those of as many "
        "independent runs. If each column is of an item of a test set, by which models "
        "are paired, pass --unit item; and --unit run if each is a run of its own"
    ]


def _choose_metric(frame: Frame, runs: Runs, metrics: Names) -> str:
    if frame.metric is not None or not metrics or "" not in runs:
        wanted = metrics if frame.metric is None else ()
        first, *others = [x for by in runs.values() for x in by]
        what = f"names of columns such as {first!r}"
        pattern = None if wanted else find_task_runs([first, *others])
        if pattern is not None:
            what += f" (if they are of one metric, pass {pattern})"
        return choose_metric_of(frame, list(runs), wanted, what)
    msg = (
        f"{frame.source}: expected columns of runs of {', '.join(metrics)!r}, such as "
        f"{f'{metrics[0]}_seed0'!r}; got {list_names(runs[''], 3)}, which do not name "
        "their metric. Leave out --metric."
    )
    raise UnknownMetricError(msg, frame)


def _find_models(
    frame: Frame, chosen: Roles, ignored: Names, runs: Names
) -> str | None:
    roles = {**find_roles(frame, {}), **chosen}
    texts = [
        x
        for x, cells in frame.columns.items()
        if x not in (*runs, *ignored)
        and not any(is_blank(y) or looks_like_score(y) for y in cells)
    ]
    known = roles.get("model")
    by = [frame.columns[roles[x]] for x in ("task", "item") if x in roles]
    if known is None:
        named = {y for x, y in roles.items() if x != "run"} | {*chosen.values()}
        unknown = [x for x in texts if x not in named]
        known = unknown[0] if len(unknown) == 1 else None
    if known not in texts or known is None:
        return None
    names = encode_texts(frame.columns[known])
    factors = [names, *map(encode_texts, by)]
    keys, n_keys = group_rows(factors)
    if n_keys == len(keys) > 1:
        return known
    others = [x for x in frame.columns if x not in (*texts, *ignored)]
    runs = runs or (others if all(map(_NUMBER.fullmatch, others)) else [])
    if len(runs) > 1 and known == roles.get("model"):
        of = np.flatnonzero(keys == np.argmax(np.bincount(keys)))[:2].tolist()
        first, again = (frame.place(known, k) for k in of)
        refuse(
            f"{again}: expected a row for each model, for columns "
            f"{list_names(runs, 3)} seem to be its runs; got {names[of[1]]!r} again, "
            f"as at {first}. {_say_apart(frame, texts, factors, of[0])}"
        )
    return None


def _say_apart(frame: Frame, columns: Names, factors: Sequence[Coded], row: int) -> str:
    for name in columns:
        texts = encode_texts(frame.columns[name])
        is_of_few = 2 * len(texts.list_known()) <= len(texts)
        if is_of_few and group_rows([*factors, texts])[1] == len(texts):
            where = shlex.quote(f"{name}={texts[row]}")
            return (
                f"Where {name!r} names tasks, pass --task {shlex.quote(name)}; or take "
                f"some rows, as with --where {where}."
            )
    return (
        "Remove one of these rows; or, where a column tells them apart, name it with "
        "--task, or take some with --where COLUMN=VALUE."
    )


def _list_numbers(
    frame: Frame, chosen: Roles, ignored: Names, column: str
) -> list[str]:
    numbered = [x for x in frame.columns if x not in ignored and _NUMBER.fullmatch(x)]
    is_known = column in (chosen.get("model"), find_roles(frame, {}).get("model"))
    counts = looks_like_index("", [int(x) for x in numbered])
    is_of_runs = looks_like_index(column, ()) or (not column and counts)
    return numbered if is_known or is_of_runs else []


def turn_benchmarks(frame: Frame, chosen: Roles, choice: Choice) -> Frame:
    """Turn the columns that --score names, with commas, into a row for each score."""
    score = chosen.get("score", "")
    names = join_names([x.strip() for x in score.split(",")], frame.columns)
    if score in frame.columns or len(names) < 2:
        return frame
    for name in names:
        if name not in frame.columns:
            raise lacks_column(frame.source, name, frame.columns, "score")
    odd = [x for x in names if is_summary(x) or list_words(x) & SPREADS]
    if odd:
        refuse(
            f"{frame.source}: expected columns of benchmarks for --score; got "
            f"{list_names(odd)}, as of means or deviations. Leave out those; to keep a "
            "benchmark, rename it."
        )
    sums = find_sums(names)
    if sums is not None:
        refuse(
            f"{frame.source}: expected columns of benchmarks for --score; got "
            f"{list_names(sums.columns)}, whose sums {sums.metric} takes. Pass "
            f"{sums.advice}; or, where each is of a benchmark, rename them."
        )
    if are_runs(names) and choice.unit != "item":
        raise _ask_about_runs(frame, names)
    mixed = find_mixed(names)
    if mixed is not None and not isinstance(choice.higher_is_better, bool):
        loss, other = mixed
        refuse(
            f"{frame.source}: expected columns of one direction for --score; got "
            f"{loss!r}, which may be a loss, beside {other!r}. One call has one "
            f"direction: compare them in two, by --metric {shlex.quote(other)}, and by "
            f"--metric {shlex.quote(loss)} --lower-is-better; or, if higher "
            "is better in all of them, pass --higher-is-better."
        )
    means = [x for x in frame.columns if x not in names and is_summary(x)]
    rest = {x: y for x, y in frame.columns.items() if x not in (*names, *means)}
    others = {x: y for x, y in chosen.items() if x != "score"}
    known = find_roles(replace(frame, columns=rest, metrics=None), others)
    role = "item" if _is_single(frame, known) else "task"
    if role in {*known, *frame.constants} or {"score", role} & {*rest}:
        taken = known.get(role, "score" if "score" in rest else role)
        refuse(
            f"{frame.source}: expected no other column of {role}s or scores beside "
            f"those that --score names, which are of one {role} each; got {taken!r}. "
            "Choose one of them with --metric, or leave that column out."
        )
    doubts = list(frame.doubts)
    if raters := advise_raters(frame, names, known):
        doubts.append(
            f"columns {list_names(raters.columns, _MAX_SHOWN)}, which --score takes for"
            f" {role}s, may have the ratings of one rater each. If so, pass "
            f"{raters.options} in place of --score, which averages them"
        )
    note = f"columns {list_names(names, _MAX_SHOWN)} were taken for {role}s"
    note += f", without {list_names(means)}" if means else ""
    if role == "item":
        note += (
            ": each model has one score on each, by which models are paired, and a "
            "verdict is on others like them"
        )
    return replace(
        frame.stack(names, {role: names}, rest),
        metrics=None if frame.metrics is None else ("score",),
        notes=(*frame.notes, note),
        doubts=tuple(doubts),
    )


def _ask_about_runs(frame: Frame, names: Names) -> TableError:
    (metric,) = find_runs(names) or [""]
    of = f" of {metric!r}" if metric else ""
    by_name = f", and pass --metric {shlex.quote(metric)}" if metric else ""
    return TableError(
        f"{frame.source}: expected columns of benchmarks for --score; got "
        f"{list_names(names, _MAX_SHOWN)}, which seem to be runs{of}. Leave out "
        f"--score{by_name}; or, where each column is of an item by which models are "
        "paired, pass --unit item."
    )


def _is_single(frame: Frame, roles: Roles) -> bool:
    if "item" in roles:
        return False
    names = [frame.columns[roles[x]] for x in ("model", "task") if x in roles]
    keys = [tuple(map(as_text, x)) for x in zip(*names, strict=True)]
    return len({*keys}) == len(frame.lines) if keys else len(frame.lines) == 1


def turn_sums(frame: Frame, names: Names) -> Frame:
    if not frame.columns.keys().isdisjoint(names):
        return frame
    by_model = split_by_model(frame.columns, names)
    if not by_model:
        return frame
    models, of = [*by_model], {x for y in by_model.values() for x in y}
    rows = [k for k in range(len(frame.lines)) for _ in models]
    others = {x: y for x, y in frame.columns.items() if x not in of}
    columns = {x: take(y, rows) for x, y in others.items()} or {"item": rows}
    columns["model"] = models * len(frame.lines)
    for k, name in enumerate(names):
        cells = [frame.columns[x[k]] for x in by_model.values()]
        columns[name] = [x for of_row in zip(*cells, strict=True) for x in of_row]
    first = by_model[models[0]][0]
    said = f"{first!r} was read as {names[0]!r} of model {models[0]!r}"
    lines, notes = take(frame.lines, rows), (*frame.notes, said)
    return replace(frame, columns=columns, lines=lines, notes=notes)


def refuse_wide(
    files: Sequence[SourceFile], frames: Sequence[Frame], chosen: Roles, choice: Choice
) -> None:
    first, roles = frames[0], find_roles(frames[0], chosen)
    names, paths = list_metrics(first, roles), [Path(x.path) for x in files]
    of_runs = all(RUN.fullmatch(x.stem) for x in paths)
    are_tasks = all({*(x.said or ())} == {"task"} for x in files)
    of_models = {"model", "score", *["task"] * (not are_tasks)}
    of_models |= {*["item"] * (choice.fold is None)}
    if (
        len({(*x.columns,) for x in frames}) > 1
        or choice.metrics
        or min(len(frames), len(names)) < 2
        or of_models & {*roles, *first.constants}
        or first.metrics is not None
        or any(x.is_named or (x.said and not are_tasks) for x in files)
        or any(map(is_metric, names))
        or (of_runs and "run" in roles and choice.fold is None)
        or 2 * sum(map(names_task, names)) > len(names)
        or advise_first(first, names, roles)
    ):
        return
    way = ", pass --columns '{model}', too"
    if not are_tasks and choice.fold is None:
        path, role = paths[0].name, "task"
        if of_runs:
            path, role = re.sub(r"\d+(?=\.\w+$)", "{run}", path), "run"
        elif len({x.stem for x in paths}) > 1:
            path = f"{{task}}{paths[0].suffix}"
        else:
            path = f"{{task}}/{path}"
        way = f" and each file of a {role}, pass --columns '{{model}}' --path '{path}'"
        way += advise_all(names).replace("mark,", "mark and each file of a model,")
    refuse(
        f"{first.source}, and {len(files) - 1} more: expected one column of scores; "
        f"got {list_names(names, 4)}. Where each column is of a model{way}."
    )
