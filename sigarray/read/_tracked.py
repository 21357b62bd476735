"""Runs as tools name them: unfinished ones, names of runs, overrides of Hydra."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from sigarray._plain_text import squeeze
from sigarray.read._cells import (
    as_text,
    encode_texts,
    is_blank,
)
from sigarray.read._codes import Coded, encode
from sigarray.read._files import say_split, split_run
from sigarray.read._frame import Frame, Names, Roles, list_names, shorten
from sigarray.read._messages import Caution
from sigarray.read._missing import MAX_NAMED
from sigarray.read._other_columns import find_computed
from sigarray.read._roles import find_largest, find_roles, list_metrics
from sigarray.read._text import TableError, read_text

# Fewer runs may be of as many models, each with a name.
_MIN_NAMED = 3
_TAGS = ("tags", "tag")


def refuse_run_names(frame: Frame, roles: Roles) -> None:
    """Refuse a column for models in which each run of a tracker has its name."""
    name = roles.get("model")
    if name is None or name != frame.run_name:
        return
    texts = encode_texts(frame.columns[name])
    if len(texts) < _MIN_NAMED or len(texts.list_known()) < len(texts):
        return
    msg = (
        f"{frame.source}: expected a column of models for --model; got {name!r}, which "
        f"names runs: each of {len(texts)} has another one. Name the column that is "
        f"the same for all runs of a model.{advise_names(frame)}"
    )
    raise TableError(msg)


def refuse_tags(frame: Frame, roles: Roles) -> None:
    """Refuse a column of tags for models, if some runs of a model have more of them."""
    name = roles.get("model")
    if name is None or squeeze(name) not in _TAGS or name not in frame.columns:
        return
    texts = encode_texts(frame.columns[name])
    tags = {x: [y.strip() for y in x.split(",")] for x in texts.list_known() if x}
    more = [x for x, y in tags.items() if any({*y} > {*z} for z in tags.values())]
    more += [x for x in find_computed(list(tags)) if len(tags[x]) > 1]
    if not more:
        return
    row = int(np.argmax(texts.find(more)))
    msg = (
        f"{frame.place(name, row)}: expected one model; got {texts[row]!r}, which are "
        "several tags, so that runs of one model would be of several. Make a column "
        "of models, in pandas: frame['model'] = "
        f"frame[{name!r}].str.split(',').str[0], where the first tag names the model; "
        "and pass it with --model model."
    )
    raise TableError(msg)


def say_unfinished(frame: Frame, roles: Roles) -> list[str]:
    """Say which runs were left out, because they have not ended."""
    n = frame.n_unfinished
    if not n:
        return []
    columns = {
        "model": frame.unfinished.get(roles.get("model", "")),
        "run": frame.unfinished.get(roles.get("run") or frame.run_name or ""),
    }
    state = frame.unfinished[roles["state"]]
    states = sorted({as_text(x).strip().lower() for x in state})
    some = "run that has" if n == 1 else "runs that have"
    which = [
        ", ".join(
            f"{'run ' if role == 'run' else ''}{as_text(cells[k])!r}"
            for role, cells in columns.items()
            if cells is not None and not is_blank(cells[k])
        )
        for k in range(min(n, MAX_NAMED + 1))
    ]
    names = shorten([x for x in which if x], MAX_NAMED, by="; ")
    said = f": {names}" if names else ""
    return [Caution(f"{n} {some} not finished ({', '.join(states)}) left out{said}")]


def split_names(frame: Frame, chosen: Roles) -> Frame:
    """Return a table with models and runs from a column that names both.

    Each row has another name, which ends in a word for runs and a number, and without
    this end some are the same. Where a column of seeds is known, it names the runs.
    """
    if not {*chosen.values()} <= {*frame.columns}:
        return frame  # of a task that is not read, maybe
    roles = find_roles(frame, chosen)
    column = roles.get("model")
    if column is None or {"item", "task", "step"} & {*roles}:
        return frame
    is_of_tracker = column == frame.run_name
    if "run" in roles and not is_of_tracker:
        return frame
    cells = frame.columns[column]
    if not len(cells) or split_run(as_text(cells[0]))[1] is None:
        return frame
    texts = encode_texts(cells)
    parts = _split(texts)
    if parts is None:
        return frame
    runs = {} if "run" in roles else {"run": f"run of {column}"}
    models, names = ([x[k] for x in parts] for k in (0, 1))
    columns = {**frame.columns, column: encode(models)}
    return replace(
        frame,
        columns=columns | {x: encode(names) for x in runs.values()},
        roles={**frame.roles, **runs, "model": column},
        notes=(*frame.notes, *say_split(zip(texts, parts, strict=True))),
        run_name=None if is_of_tracker else frame.run_name,
    )


def advise_names(frame: Frame) -> str:
    """Say how to have a column of models, if the names that runs have tell them."""
    name = frame.run_name
    if name is None or name not in frame.columns:
        return ""
    texts = encode_texts(frame.columns[name])
    if _split(texts) is not None:
        return (
            f" Or pass --model {name}, which takes {texts[0]!r} for a run of "
            f"{split_run(texts[0])[0]!r}."
        )
    return ""


def _split(texts: Coded) -> list[tuple[str, str]] | None:
    """Return the model and the run of each name, or None if some have no run."""
    known = texts.list_known()
    if None in known or len(known) < len(texts):
        return None
    parts = [(model, run) for model, run in map(split_run, texts) if run is not None]
    is_whole = len(parts) == len(texts)
    return parts if is_whole and len({x for x, _ in parts}) < len(parts) else None


def add_overrides(path: str, frame: Frame) -> Frame:
    """Return the scores of a job with a column for each of its overrides."""
    file = Path(path).parent / ".hydra" / "overrides.yaml"
    if path == "-" or frame.roles or not file.is_file():
        return frame
    # A list of texts: "- model=bert".
    _, text = read_text(str(file))
    lines = [line.strip().removeprefix("- ").strip("'\"") for line in text.split("\n")]
    pairs = [line.lstrip("+~").partition("=") for line in lines if "=" in line]
    overrides = {name: value for name, _, value in pairs if name not in frame.columns}
    if not overrides:
        return frame
    metrics = tuple(list_metrics(frame, find_roles(frame, {})))
    n_rows = len(frame.lines)
    columns = {name: [value] * n_rows for name, value in overrides.items()}
    return replace(
        frame,
        kind="jobs of Hydra",
        columns={**frame.columns, **columns},
        metrics=metrics,
        overrides=tuple(columns),
    )


def check_overrides(frames: Sequence[Frame], chosen: Roles, ignored: Names) -> None:
    """Refuse jobs without an override for the model, or that differ in others too."""
    jobs = [frame for frame in frames if frame.overrides]
    if len(jobs) < 2:
        return
    roles = find_roles(jobs[0], {x: y for x, y in chosen.items() if x != "metric"})
    names = dict.fromkeys(x for frame in jobs for x in frame.overrides)
    varied = {
        name: list(dict.fromkeys(str(x.columns.get(name, [""])[0]) for x in jobs))
        for name in names
        if name not in {*roles.values(), *ignored}
    }
    varied = {name: values for name, values in varied.items() if len(values) > 1}
    if "model" not in roles or varied:
        name = next(iter(varied), next(iter(names)))
        values = varied.get(name) or [str(jobs[0].columns.get(name, [""])[0])]
        value = find_largest(values) or values[0]
        msg = (
            f"{jobs[0].source}, a job of Hydra: expected its overrides to name model, "
            f"run and task; got {list_names(list(names))}. Say what {name!r} is with "
            f"--model {name}, --run {name} or --task {name}, or choose jobs with "
            f"--where {name}={value}."
        )
        raise TableError(msg)
