"""Models of runs whose names end in the number of the run, as "vit-lr0.1-s2"."""

import re
from collections.abc import Mapping
from dataclasses import replace

from sigarray.read._cells import as_text, encode_texts
from sigarray.read._codes import Coded, encode
from sigarray.read._files import say_split, split_run
from sigarray.read._frame import Frame, find_roles

_NUMBERED = re.compile(r"[-_. ]*\d+$")
_FIRST_PART = re.compile(r"[-_ ].*")


def split_names(frame: Frame, chosen: Mapping[str, str]) -> Frame:
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
    known = [x for x in texts.list_known() if x is not None]
    for pattern in (_NUMBERED, _FIRST_PART):
        models = {pattern.sub("", x) for x in known}
        if "" not in models and 1 < len(models) <= len(known) // 2:
            return (
                " Or make one of the names, in pandas: frame['model'] = "
                f"frame[{name!r}].str.replace(r'{pattern.pattern}', '', regex=True), "
                f"which is {pattern.sub('', known[0])!r} for {known[0]!r}."
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
