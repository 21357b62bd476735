"""Names that tools give: to runs, overrides of Hydra, filters of lm-eval."""

import glob
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from sigarray._plain_text import quote, squeeze, suggest
from sigarray.read._cells import as_text, encode_texts, is_blank, looks_like_score
from sigarray.read._codes import Coded, encode
from sigarray.read._column_names import find_computed
from sigarray.read._files import say_split, split_run
from sigarray.read._frame import UNNAMED, Frame, Names, Roles, list_names, shorten
from sigarray.read._lm_eval import AVERAGES, ITEMS, list_results, say_named
from sigarray.read._messages import Caution
from sigarray.read._missing import MAX_NAMED
from sigarray.read._records import Records
from sigarray.read._roles import find_largest, find_roles, list_metrics
from sigarray.read._score_table import Choice
from sigarray.read._text import read_text, refuse
from sigarray.read._words import names_folds

# Fewer runs may be of as many models, each with a name.
_MIN_NAMED = 3
_TAGS = ("tags", "tag")
_MAX_SHOWN = 4
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}T[\d.\-:]*\d")
_WORDS = {
    "shots": "numbers of few-shot examples",
    "limit": "limits of documents",
    "version": "versions",
    "template": "chat templates",
    "instruction": "system instructions",
    "filter": "filters of answers",
}


def refuse_run_names(frame: Frame, roles: Roles) -> None:
    name = roles.get("model")
    if name is None or name != frame.run_name:
        return
    texts = encode_texts(frame.columns[name])
    if len(texts) < _MIN_NAMED or len(texts.list_known()) < len(texts):
        return
    refuse(
        f"{frame.source}: expected a column of models for --model; got {name!r}, which "
        f"names runs: each of {len(texts)} has another one. Name the column that is "
        f"the same for all runs of a model.{advise_names(frame)}"
    )


def refuse_tags(frame: Frame, roles: Roles) -> None:
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
    refuse(
        f"{frame.place(name, row)}: expected one model; got {texts[row]!r}, which are "
        "several tags, so that runs of one model would be of several. Make a column "
        "of models, in pandas: frame['model'] = "
        f"frame[{name!r}].str.split(',').str[0], where the first tag names the model; "
        "and pass it with --model model."
    )


def say_unfinished(frame: Frame, roles: Roles) -> list[str]:
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

    Each row has another name, which ends in a word for runs and a number; without this
    some are the same. A column of seeds names the runs instead.
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


def list_candidates(frame: Frame) -> str:
    known = {*find_roles(frame, {}).values()}
    counts = {
        x: len({*encode_texts(y).list_known()} - {None})
        for x, y in frame.columns.items()
        if not (x in known or squeeze(x) == "state" or any(map(looks_like_score, y)))
    }
    few = [x for x, n in counts.items() if 1 < n <= len(frame.lines) // 2]
    few.sort(key=counts.__getitem__)
    if not few:
        return f". There are {list_names(list(frame.columns))}"
    return f", such as --model {quote(few[0])}. Texts come again in {list_names(few)}"


def advise_names(frame: Frame) -> str:
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
    known = texts.list_known()
    if None in known or len(known) < len(texts):
        return None
    parts = [(model, run) for model, run in map(split_run, texts) if run is not None]
    is_whole = len(parts) == len(texts)
    return parts if is_whole and len({x for x, _ in parts}) < len(parts) else None


def add_overrides(path: str, frame: Frame) -> Frame:
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
        refuse(
            f"{jobs[0].source}, a job of Hydra: expected its overrides to name model, "
            f"run and task; got {list_names(list(names))}. Say what {name!r} is with "
            f"--model {name}, {'--fold' if names_folds(name) else '--run'} {name} or "
            f"--task {name}, or choose jobs with --where {name}={value}."
        )


def name_filters(frames: Sequence[Frame | None]) -> list[Frame | None]:
    """Name metrics by their filter in all files of a task if some have several."""
    several: dict[str, Names] = {}
    for x in frames:
        rules = [*dict.fromkeys(x.filters.values())] if x is not None else []
        if x is not None and len(rules) > 1:
            known = several.setdefault(_name_task(x), rules)
            several[_name_task(x)] = rules if f"{UNNAMED}1" in known else known
    return [x and _name_by_filter(x, several.get(_name_task(x))) for x in frames]


def _name_by_filter(frame: Frame, rules: Names | None) -> Frame:
    if rules is None:
        return frame
    own = [*dict.fromkeys(frame.filters.values())]
    is_early = f"{UNNAMED}1" in own and len(own) == len(rules) and own != rules
    new = dict(zip(own, rules if is_early else own, strict=True))
    names = {x: f"{x.removesuffix(f',{y}')},{new[y]}" for x, y in frame.filters.items()}
    return replace(
        frame,
        columns={names.get(x, x): y for x, y in frame.columns.items()},
        metrics=tuple(names.values()),
        filters={names[x]: new[y] for x, y in frame.filters.items()},
        notes=(*frame.notes, *[say_named(rules, "other samples")] * is_early),
    )


def has_filters(frames: Sequence[Frame]) -> bool:
    kinds = {x.kind for x in frames}
    return ITEMS in kinds and kinds <= {ITEMS, AVERAGES}


def keep_filters(frames: Sequence[Frame], rules: Names) -> list[Frame]:
    """Return the scores of some filters; the first file left has a note on others."""
    known = list(dict.fromkeys(x for frame in frames for x in frame.filters.values()))
    for rule in rules:
        if rule not in known:
            refuse(
                f"{frames[0].source}: expected a filter of the samples for --where; "
                f"got {rule!r}.{suggest(rule, known)} Those in them: "
                f"{list_names(known)}."
            )
    kept = [_keep(x, rules) for x in frames]
    lost = [x for x, y in zip(frames, kept, strict=True) if x.filters and not y.filters]
    if lost:
        others = dict.fromkeys(
            [*rules, *(next(iter(x.filters.values())) for x in lost)]
        )
        note = Caution(
            f"files without scores of filter {list_names(rules)} were left out: "
            f"{shorten([x.source for x in lost], _MAX_SHOWN)}. To take these as well: "
            f"--where filter={','.join(others)}"
        )
        first = next(k for k, x in enumerate(kept) if x.filters)
        kept[first] = replace(kept[first], notes=(*kept[first].notes, note))
    return kept


def _keep(frame: Frame, rules: Names) -> Frame:
    left = {x: rule for x, rule in frame.filters.items() if rule in rules}
    lost = {*frame.filters} - {*left}
    return replace(
        frame,
        columns={x: y for x, y in frame.columns.items() if x not in lost},
        lines=frame.lines if left else [],
        metrics=tuple(left),
        filters=left,
    )


def _name_task(frame: Frame) -> str:
    return frame.constants.get("task", frame.source)


def say_conditions(paths: Names, parts: Sequence[Records], choice: Choice) -> list[str]:
    found: dict[tuple[str, str], dict[str, dict[str, None]]] = {}
    for path, records in zip(paths, parts, strict=True):
        for model, task, conditions in _list_conditions(path, records):
            if (choice.models is not None and model not in choice.models) or (
                choice.tasks is not None and task not in choice.tasks
            ):
                continue
            name = records.frames[0].constants.get("subtask", task)
            for condition, value in conditions.items():
                by = found.setdefault((condition, name), {})
                by.setdefault(model, {})[value] = None
    same: dict[tuple[str, str], list[str]] = {}
    for (condition, task), by in found.items():
        if len({frozenset(x) for x in by.values()}) > 1:
            said = [f"{quote(x)} {' and '.join(y)}" for x, y in by.items()]
            key = (condition, shorten(said, _MAX_SHOWN))
            same.setdefault(key, []).append(repr(task))
    return [
        Caution(
            f"models answered {'task' if len(names) == 1 else 'tasks'} "
            f"{shorten(names, _MAX_SHOWN)} with different {_WORDS[condition]}: "
            f"{said}. A difference may be due to these"
        )
        for (condition, said), names in same.items()
    ]


def _list_conditions(
    path: str, records: Records
) -> Iterable[tuple[str, str, dict[str, str]]]:
    frame = records.frames[0]
    if frame.kind not in (ITEMS, AVERAGES):
        return
    documents = _find_results(Path(path), is_one=frame.kind == AVERAGES)
    for model in records.list_known("model"):
        for task in records.list_known("task"):
            if task is None:
                continue
            name = str(frame.constants.get("subtask", task))
            document = next((x for x in documents if _is_of(x, name)), {})
            conditions = _read_conditions(document, name)
            rule = frame.filters.get(records.metrics[0], str(None))
            if rule != str(None):  # which early samples have
                conditions["filter"] = rule
            yield str(model), str(task), conditions


def _find_results(path: Path, *, is_one: bool) -> list[dict[str, Any]]:
    if is_one:
        return list_results(path.parent, glob.escape(path.name))
    date = _DATE.search(path.name)
    of_date = [] if date is None else list_results(path.parent, f"results_*{date[0]}*")
    return of_date or list_results(path.parent)


def _is_of(document: Mapping[str, Any], task: str) -> bool:
    return any(
        task in (document.get(x) or {}) for x in ("n-shot", "configs", "versions")
    )


def _read_conditions(document: Mapping[str, Any], task: str) -> dict[str, str]:
    of_task = (document.get("configs") or {}).get(task)
    of_task = of_task if isinstance(of_task, dict) else {}
    config = document.get("config")
    stated = {
        "shots": (document.get("n-shot") or {}).get(task, of_task.get("num_fewshot")),
        "version": (document.get("versions") or {}).get(task),
    }
    known = {x: _write(y) for x, y in stated.items() if y is not None}
    # Models have templates of their own: what may explain a difference is to have none.
    for name, key in (
        ("template", "chat_template"),
        ("instruction", "system_instruction"),
    ):
        if key in document:
            known[name] = "yes" if document[key] else "none"
    if isinstance(config, dict) and "limit" in config:
        known["limit"] = "none" if config["limit"] is None else _write(config["limit"])
    return known


def _write(value: object) -> str:
    """Write version 1 as 1.0 is."""
    return str(value).removesuffix(".0")
