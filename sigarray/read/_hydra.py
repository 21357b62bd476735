"""Runs of Hydra: the overrides of a job name the model and seed of its scores."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from sigarray.read._bytes import TableError, read_text
from sigarray.read._frame import Frame, find_roles, list_metrics, list_names
from sigarray.read._step_names import find_largest


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


def check_overrides(
    frames: Sequence[Frame], chosen: Mapping[str, str], ignored: Sequence[str]
) -> None:
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
