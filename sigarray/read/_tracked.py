"""Runs as trackers name them: those that have not ended, and names of runs."""

from collections.abc import Mapping

from sigarray.read._bytes import TableError
from sigarray.read._cautions import Caution
from sigarray.read._cells import (
    as_text,
    encode_texts,
    find_blank,
    is_blank,
    looks_like_score,
)
from sigarray.read._codes import distinct
from sigarray.read._frame import Frame, shorten
from sigarray.read._missing import MAX_NAMED
from sigarray.read._named_runs import advise_names

# Fewer runs may be of as many models, each with a name.
_MIN_NAMED = 3


def refuse_run_names(frame: Frame, roles: Mapping[str, str]) -> None:
    """Refuse a column for models in which each run of a tracker has its name.

    Raises
    ------
    TableError
        The message has columns that may be of models.
    """
    name = roles.get("model")
    if name is None or name != frame.run_name:
        return
    texts = encode_texts(frame.columns[name])
    if len(texts) < _MIN_NAMED or len(texts.list_known()) < len(texts):
        return
    others = [
        x
        for x, cells in frame.columns.items()
        if x not in roles.values()
        and not find_blank(cells).any()
        and 1 < len({*map(as_text, cells)}) <= len(texts) // 2
        and not any(map(looks_like_score, distinct(cells)))
    ]
    others.sort(key=lambda x: not x.startswith(("config.", "params")))
    such = f", such as --model {others[0]}" if others else ""
    msg = (
        f"{frame.source}: expected a column of models for --model; got {name!r}, which "
        f"names runs: each of {len(texts)} has another one. Name the column that is "
        f"the same for all runs of a model{such}.{advise_names(frame)}"
    )
    raise TableError(msg)


def say_unfinished(frame: Frame, roles: Mapping[str, str]) -> list[str]:
    """Say which runs were left out, because they have not ended."""
    n = frame.n_unfinished
    if not n:
        return []
    columns = {
        "model": frame.unfinished.get(roles.get("model", "")),
        "run": frame.unfinished.get(frame.run_name or roles.get("run", "")),
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
