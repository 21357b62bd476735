"""Folders of tables with the same columns, one for each task, which are models."""

from collections.abc import Sequence
from pathlib import Path

from sigarray.read._column_names import names_task
from sigarray.read._files import SourceFile
from sigarray.read._frame import Frame, Roles, list_names
from sigarray.read._roles import find_roles, list_metrics
from sigarray.read._score_table import Choice
from sigarray.read._several_scores import advise_all, advise_first
from sigarray.read._text import TableError
from sigarray.read._words import RUN, is_metric


def refuse_wide(
    files: Sequence[SourceFile], frames: Sequence[Frame], chosen: Roles, choice: Choice
) -> None:
    first, roles = frames[0], find_roles(frames[0], chosen)
    names = list_metrics(first, roles)
    if (
        len({(*x.columns,) for x in frames}) > 1
        or choice.metrics
        or min(len(frames), len(names)) < 2
        or {"model", "item", "task", "score"} & {*roles, *first.constants}
        or first.metrics is not None
        or any(x.is_named or x.said is not None for x in files)
        or any(map(is_metric, names))
        or all(RUN.fullmatch(Path(x.path).stem) for x in files)
        or 2 * sum(map(names_task, names)) > len(names)
        or advise_first(first, names, roles)
    ):
        return
    paths = [Path(x.path) for x in files]
    if len({x.stem for x in paths}) > 1:
        path = f"{{task}}{paths[0].suffix}"
    else:
        path = f"{{task}}/{paths[0].name}"
    benchmarks = advise_all(names).replace("mark,", "mark and each file of a model,")
    msg = (
        f"{first.source}, and {len(files) - 1} more: expected one column of scores; "
        f"got {list_names(names, 4)}. Where each column is of a model and each file of "
        f"a task, pass --columns '{{model}}' --path '{path}'{benchmarks}."
    )
    raise TableError(msg)
