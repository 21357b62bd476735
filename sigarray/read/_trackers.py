"""Runs in trackers of experiments: Weights & Biases, MLflow, TensorBoard."""

import ast
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from sigarray._backend.given import looks_like_index, names_steps
from sigarray.read._cells import as_text, is_blank
from sigarray.read._duplicates import find_seed
from sigarray.read._files import say_split, split_run
from sigarray.read._frame import Frame, Names, is_numeric
from sigarray.read._json import flatten, tabulate_records
from sigarray.read._records import choose_ended
from sigarray.read._roles import leave_out_settings
from sigarray.read._templates import check_matches, find_pattern, match_paths, say_match
from sigarray.read._text import TableError, refuse

CHART = "a chart of Weights & Biases"
_TENSORBOARD = re.compile(r"run-(.+?)-tag-(.+)\.csv(\.gz)?")
# "<run> - <metric>", and its range in a smoothed or grouped chart.
_OF_CHART = re.compile(r"(.+) - (.+?)(__MIN|__MAX)?")
# Columns of a table of runs of Weights & Biases beside config and metrics.
_OF_RUNS = {
    *("ID", "Name", "State", "Notes", "User", "Tags", "Created", "Runtime", "Sweep"),
    *("Updated", "End Time", "Group", "Job Type", "Hostname", "GPU Type", "GPU Count"),
}
# Columns of values of Optuna's `trials_dataframe`.
_OF_TRIAL = re.compile(r"values?(_.+)?|user_attrs_.+")
_OF_SEARCH = (
    "trials of a search are no independent runs where its sampler chooses them by the "
    "results of others",
    "whether the study maximizes or minimizes, which is Optuna's default, is not in "
    "the table: pass --lower-is-better where it minimizes",
)


def convert_chart(frame: Frame, _: str) -> Frame | None:
    first, *others = frame.columns or [""]
    parts = {name: _OF_CHART.fullmatch(name) for name in others}
    if not others or not all(parts.values()):
        return None
    _refuse_twice(frame)
    # Where the axis is another one, a chart has the steps of each run, too.
    # _runtime, _timestamp, _step
    of_steps = [
        x for x, y in parts.items() if y and (y[2][0] == "_" or names_steps(y[2]))
    ]
    if len(of_steps) < len(parts):
        parts = {x: y for x, y in parts.items() if x not in of_steps}
    axis = frame.columns[first]
    steps = {y[1]: f"{y[1]} - _step" for y in parts.values() if y}
    if not names_steps(first) and {*steps.values()} <= {*frame.columns}:
        first = "_step"  # and not a time, at which each run ends by itself
    columns: dict[str, list[Any]] = {"run": [], first: []}
    lines: list[int] = []
    metrics: dict[str, None] = {}
    for name, part in parts.items():
        if part is None or part[3] is not None:
            continue
        metrics[part[2]] = None
        x = frame.columns[steps[part[1]]] if first == "_step" else axis
        for line, step, cell in zip(frame.lines, x, frame.columns[name], strict=True):
            if not is_blank(cell):
                columns["run"].append(part[1])
                columns[first].append(step)
                columns.setdefault(part[2], []).append(cell)
                lines.append(line)
    if len(metrics) > 1:
        refuse(
            f"{frame.source}: expected a chart of one metric; got "
            f"{', '.join(map(repr, metrics))}. Export them one by one."
        )
    split = _split_runs(list(dict.fromkeys(columns["run"])))
    names = [split[name] for name in columns["run"]]
    note = say_split(split.items())
    grouped = next((x for x in split if ": " in x), None)
    if grouped is None and not note:
        grouped = _find_group(frame, parts)
    if grouped is not None:
        note += (
            f"{grouped!r} looks like the mean of a group of runs, which is one score: "
            "export the chart without groups",
        )
    columns["model"] = [model for model, _ in names]
    columns["seed"] = [run or model for model, run in names]
    return replace(
        frame,
        kind=CHART,
        columns=columns,
        lines=lines,
        roles={"model": "model", "run": "seed", "step": first},
        metrics=tuple(metrics),
        notes=note,
        run_name="run",
        parts={name: "" if x[3] else x[1] for name, x in parts.items() if x},
    )


def _refuse_twice(frame: Frame) -> None:
    name = next((x for x in frame.twice if _OF_CHART.fullmatch(x)), None)
    if name is not None:
        run, metric = name.rsplit(" - ", 1)
        again = [f"'{run}-s{k} - {metric}'" for k in (0, 1)]
        refuse(
            f"{frame.source}: expected a chart whose runs have names of their own; got "
            f"{name!r} more than once. Rename these columns {', '.join(again)} and so "
            "on, each with its __MIN and __MAX; or export the table of runs."
        )


def _split_runs(names: Names) -> dict[str, tuple[str, str | None]]:
    """Return the model and run of each name; by numbers, if all models have the same.

    Three or more, for fewer may be of versions.
    """
    split = {name: split_run(name) for name in names}
    found = None if any(run for _, run in split.values()) else find_pattern(names)
    if found is None or {len(x) for x in found[1].values()} <= {1, 2}:
        return split
    matches = match_paths(names, found[0], "--columns")
    said = {x: y.said for x, y in zip(names, matches, strict=True) if y is not None}
    if len(said) < len(names) or {x["model"] for x in said.values()} != {*found[1]}:
        return split
    return {name: (x["model"], x.get("run")) for name, x in said.items()}


def _find_group(frame: Frame, parts: Mapping[str, re.Match[str] | None]) -> str | None:
    """Return a name whose range, of a group of runs, is more than one value."""
    for name, part in parts.items():
        if part is not None and part[3] is not None:
            mean = frame.columns.get(name.removesuffix(part[3]), ())
            pairs = zip(mean, frame.columns[name], strict=False)
            if any(
                as_text(x) != as_text(y)
                for x, y in pairs
                if not (is_blank(x) or is_blank(y))
            ):
                return part[1]
    return None


def name_curves(frame: Frame, pattern: str) -> Frame:
    runs = {x: run for x, run in frame.parts.items() if run}
    names = [*runs] if " - " in pattern else [*runs.values()]
    matches = match_paths(names, pattern, "--columns")
    first = check_matches(names, matches, pattern, "--columns")
    pairs = zip(runs.values(), matches, strict=True)
    said = {run: x.said for run, x in pairs if x is not None}
    frame = frame.take(np.flatnonzero([x in said for x in frame.columns["run"]]))
    of_rows = [(x, said[x]) for x in frame.columns["run"]]
    columns = {
        "model": [by.get("model", x) for x, by in of_rows],
        "seed": [
            ", ".join(y for role, y in by.items() if role != "model") or x
            for x, by in of_rows
        ],
    }
    is_first = names.index(first)
    note = f"{first!r} was read as {say_match(said[list(runs.values())[is_first]])}"
    return replace(frame, columns={**frame.columns, **columns}, notes=(note,))


def convert_runs(frame: Frame, _: str) -> Frame | None:
    names = set(frame.columns)
    if {"Name", "State"} <= names:
        metrics = leave_out_settings(
            x
            for x, cells in frame.columns.items()
            if x not in _OF_RUNS
            and not x.startswith("_")  # _runtime, _timestamp, _step
            and is_numeric(cells)
            and not looks_like_index(x, ())
        )
        return _as_runs(frame, "Weights & Biases", "Name", "State", metrics)
    if {"summary", "config", "name"} <= names:
        return _unfold(frame)
    if {"run_id", "experiment_id"} <= names:
        columns = {x.removeprefix("metrics."): y for x, y in frame.columns.items()}
        metrics = [x for x in columns if f"metrics.{x}" in names]
        runs = replace(frame, columns=columns)
        return _as_runs(runs, "MLflow", "run_id", "status", metrics)
    if {"number", "state", "datetime_start"} <= names:
        metrics = [x for x in frame.columns if _OF_TRIAL.fullmatch(x)]
        trials = replace(frame, doubts=_OF_SEARCH)
        return _as_runs(trials, "Optuna", "number", "state", metrics)
    return None


def _as_runs(
    frame: Frame, tool: str, name: str, state: str, metrics: Iterable[str]
) -> Frame:
    runs = replace(
        frame,
        kind=f"runs of {tool}",
        run_name=name,
        roles={"run": find_seed(frame.columns) or name},
        metrics=tuple(metrics),
    )
    if state in frame.columns:
        return choose_ended(runs, state)
    # Else the last step tells which runs have ended early.
    step = {"step": "_step"} if "_step" in frame.columns else {}
    return replace(runs, roles={**runs.roles, **step})


def convert_curve(frame: Frame, path: str) -> Frame | None:
    if list(frame.columns) != ["Wall time", "Step", "Value"]:
        return None
    match = _TENSORBOARD.fullmatch(Path(path).name)
    constants = {}
    tag = "Value"
    if match:
        model, run = split_run(match[1])
        constants = {"model": model, "run": run or match[1]}
        tag = match[2]
    columns = {"Step": frame.columns["Step"], tag: frame.columns["Value"]}
    return replace(
        frame,
        kind="a curve of TensorBoard",
        columns=columns,
        roles={"step": "Step"},
        constants=constants,
        metrics=(tag,),
    )


def read_mlflow_store(folder: Path) -> Frame:
    rows = []
    measured: dict[str, None] = {}
    for meta in sorted(folder.glob("*/*/meta.yaml")):
        run = meta.parent
        about = dict(
            line.split(": ", 1)
            for line in meta.read_text("utf-8").splitlines()
            if ": " in line
        )
        if about.get("lifecycle_stage", "active") == "active":
            values = _read_parts(run, "metrics", _read_metric)
            measured |= dict.fromkeys(values)
            row = {"run_id": run.name, "status": about.get("status")} | values
            for kind in ("params", "tags"):
                texts = _read_parts(run, kind, lambda x: x.read_text("utf-8").strip())
                row |= {f"{kind}.{name}": text for name, text in texts.items()}
            rows.append(row)
    frame = tabulate_records("", str(folder), rows, "run")
    return _as_runs(frame, "MLflow", "run_id", "status", measured)


def read_history(name: str, document: dict[str, Any]) -> Frame | None:
    sizes = {len(x) if isinstance(x, list) else -1 for x in document.values()}
    n_epochs = min(sizes, default=-1)
    if (
        len(sizes) > 1
        or n_epochs < 1
        or not any(f"val_{x}" in document for x in document)
    ):
        return None
    columns = {"epoch": range(n_epochs), **document}
    lines = range(1, n_epochs + 1)
    kind = "a history of Keras"
    return Frame(kind, name, columns, lines, "epoch", roles={"step": "epoch"})


def read_evaluate(name: str, document: Mapping[str, Any]) -> Frame | None:
    if "_evaluate_version" not in document:
        return None
    record = {key: x for key, x in document.items() if not key.startswith("_")}
    metrics = [
        key
        for key, value in record.items()
        if isinstance(value, (int, float)) and not looks_like_index(key, ())
    ]
    kind = "results of Hugging Face evaluate"
    return tabulate_records(kind, name, [record], "result", metrics=tuple(metrics))


def _read_metric(path: Path) -> str:
    """Return the value at the last step from lines "time value step"."""
    lines = [line.split() for line in path.read_text("utf-8").splitlines() if line]
    try:
        return max(lines, key=lambda x: (int(x[2]) if len(x) > 2 else 0, int(x[0])))[1]
    except (ValueError, IndexError) as error:
        msg = f"{path}: expected lines of time, value and step, as of MLflow."
        raise TableError(msg) from error


def _read_parts(
    run: Path, kind: str, read: Callable[[Path], str]
) -> dict[str, str | None]:
    return {
        path.relative_to(run / kind).as_posix(): read(path)
        for path in sorted((run / kind).rglob("*"))
        if path.is_file() and not path.name.startswith("mlflow.")
    }


def _unfold(frame: Frame) -> Frame:
    """Return columns from a data frame of mappings, as of the API of W&B."""
    rows = []
    for k in range(len(frame.lines)):
        row = {x: frame.columns[x][k] for x in ("name", "state") if x in frame.columns}
        for column in ("config", "summary"):
            cell = frame.columns[column][k]
            try:
                mapping = ast.literal_eval(cell) if isinstance(cell, str) else cell
            except (ValueError, SyntaxError) as error:
                msg = (
                    f"{frame.place(column, k)}: expected a mapping, as the API of "
                    f"Weights & Biases gives; got {str(cell)[:60]!r}."
                )
                raise TableError(msg) from error
            # Where a run ended is one of what the tool itself logs.
            public = {x: y for x, y in mapping.items() if x == "_step" or x[:1] != "_"}
            row |= flatten(public, "" if column == "summary" else "config.")
        rows.append(row)
    runs = tabulate_records("", frame.source, rows, frame.line_word, frame.lines)
    metrics = [
        x
        for x in runs.columns
        if x not in ("name", "state", "_step") and not x.startswith("config.")
    ]
    return _as_runs(runs, "Weights & Biases", "name", "state", metrics)


def read_events(path: Path) -> Frame:
    folder = str(path)
    try:
        from tensorboard.backend.event_processing import event_accumulator
        from tensorboard.util import tensor_util
    except ImportError as error:
        msg = (
            f"{folder}: expected tensorboard, to read it. Run: pip install tensorboard."
        )
        raise TableError(msg) from error
    events = event_accumulator.EventAccumulator(
        folder, size_guidance={"scalars": 0, "tensors": 0}
    )
    events.Reload()
    tags = events.Tags()
    values: dict[tuple[str, int], Any] = {}
    for tag in tags["scalars"]:
        values |= {(tag, x.step): x.value for x in events.Scalars(tag)}
    for tag in tags["tensors"]:  # as TensorFlow 2 writes scalars
        for x in events.Tensors(tag):
            array = tensor_util.make_ndarray(x.tensor_proto)
            if array.ndim == 0 and array.dtype.kind == "f":
                values[tag, x.step] = array.item()
    if not values:
        refuse(f"{folder}: expected scalars in its event files; got none.")
    return Frame(
        "events of TensorBoard",
        folder,
        {
            "tag": [tag for tag, _ in values],
            "step": [step for _, step in values],
            "value": list(values.values()),
        },
        range(1, len(values) + 1),
        "scalar",
        roles={"metric": "tag", "step": "step", "score": "value"},
        metrics=("value",),
    )
