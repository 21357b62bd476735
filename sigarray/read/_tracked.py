"""Runs as trackers name them: those that have not ended, and names of runs."""

import re
from collections.abc import Mapping

import numpy as np

from sigarray._plain_text import squeeze
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
from sigarray.read._summaries import find_computed

# Fewer runs may be of as many models, each with a name.
_MIN_NAMED = 3
_TAGS = ("tags", "tag")


def refuse_run_names(frame: Frame, roles: Mapping[str, str]) -> None:
    """Refuse a column for models in which each run of a tracker has its name."""
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


def refuse_tags(frame: Frame, roles: Mapping[str, str]) -> None:
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
    alone = {x for x, y in tags.items() if len(y) == 1}
    line = ".str.split(',').str[0], where the first tag names the model"
    if alone and all(len(alone & {*y}) == 1 for y in tags.values()):
        longest = sorted(alone, key=lambda x: (-len(x), x))
        words = "|".join(re.escape(x).replace(r"\-", "-") for x in longest)
        line = f".str.extract(r'({words})')"
    row = int(np.argmax(texts.find(more)))
    msg = (
        f"{frame.place(name, row)}: expected one model; got {texts[row]!r}, which are "
        "several tags, so that runs of one model would be of several. Make a column "
        f"of models, in pandas: frame['model'] = frame[{name!r}]{line}; and pass it "
        "with --model model."
    )
    raise TableError(msg)


def say_unfinished(frame: Frame, roles: Mapping[str, str]) -> list[str]:
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
