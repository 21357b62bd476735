"""Names of scores from the paths of files, and what the parts of these mean."""

import collections
import math
import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from sigarray._plain_text import suggest
from sigarray.read._files import Opened, SourceFile, split_run
from sigarray.read._frame import Frame, Names, list_names, shorten
from sigarray.read._messages import put_place
from sigarray.read._reading import Reading
from sigarray.read._records import Record, Records
from sigarray.read._templates import FOLD, OF_FOLDS, place_of
from sigarray.read._text import TableError, refuse
from sigarray.read._tracked import advise_names, list_candidates
from sigarray.read._words import RUN, RUN_NAME

MAX_NAMED = 4
_MAX_SOURCES = 2
# Scores by task and model.
Counts = collections.Counter[tuple[str, str]]


class ReadFile(NamedTuple):
    file: SourceFile
    name: str
    frame: Frame
    reading: Reading


def name_records(file: SourceFile, reading: Reading, role: str | None) -> Records:
    """Return the records with the model and the run from the path of the file."""
    records = reading.records
    first = records[0]
    if records.has("model"):
        return records if role is None else records.name(**{role: file.model})
    if first.frame.kind.startswith("runs of "):
        refuse(
            f"{first.frame.source}, read as {first.frame.kind}: expected a column of "
            f"models; name it with --model{list_candidates(first.frame)}."
            f"{advise_names(first.frame)}"
        )
    model, run = file.model, file.run
    is_of_run = len(records) == 1 or first.item is not None or first.step is not None
    if first.run is not None or not is_of_run:
        return records.name(model=model)
    if run is None:
        model, run = split_run(model)
    return records.name(model=model, **({} if run is None else {"run": run}))


def name_as_said(file: SourceFile, records: Records) -> Records:
    said: dict[str, Any] = dict(file.said or {})
    if file.is_named:
        said["model"] = file.model
    models = records.list_known("model")
    if "model" not in said and None in models:
        refuse(
            f"{file.path}: expected to know of which model it is; got a --path without "
            "{model}, and no column of models. Name that part, or pass --model."
        )
    if len(models) > 1 and "model" in said:
        by = "" if file.said is None else ", as --path says"
        refuse(
            f"{file.path}: expected the scores of one model, {said['model']!r}{by}; "
            f"got {list_names(sorted(map(str, models)))}."
        )
    return records.name(**said)


def name_all(
    read: Sequence[ReadFile],
) -> tuple[list[Records], list[tuple[str, tuple[Any, str | None]]], Counts]:
    """Return the records of all files with the names of models and runs.

    Then names of files that were split into both; and the numbers of blank scores.
    """
    n_files = collections.Counter(map(name_part, read))
    role = _find_role_of_names(read)
    named, splits, n_blank = [], [], Counts()
    for x in read:
        file = x.file._replace(run=None) if n_files[name_part(x)] == 1 else x.file
        is_said = file.is_named or file.said is not None
        records = (
            name_as_said(file, x.reading.records)
            if is_said
            else name_records(file, x.reading, role)
        )
        named.append(records)
        first = records[0]
        n_blank += _count_blank(file, x.reading, first)
        is_by_path = not x.reading.records.has("model") and file.said is None
        if (is_by_path and first.model != file.model) or role == "run":
            splits.append((file.model, (first.model, first.run)))
    return named, splits, n_blank


def _find_role_of_names(read: Sequence[ReadFile]) -> str | None:
    every = [x.reading.records for x in read]
    if (
        len(every) < 2
        or read[0].file.said
        or any(x.has("task") or len(x.list_known("model")) < 2 for x in every)
    ):
        return None
    names = [x.file.model for x in read]
    if all(map(FOLD.fullmatch, names)):
        return None
    are_runs = all(map(RUN_NAME.fullmatch, names))
    return "run" if are_runs and not any(x.has("run") for x in every) else "task"


def name_folds_of_files(
    files: Sequence[SourceFile], frames: Sequence[Frame | None]
) -> list[Frame | None]:
    folds = [None if x.is_named or x.said else FOLD.fullmatch(x.model) for x in files]
    named: list[Frame | None] = [
        replace(frame, columns={**frame.columns, name: [x[2]] * len(frame.lines)})
        for x, frame in zip(folds, frames, strict=True)
        if x and frame and (name := x[1].lower()) not in frame.columns
    ]
    return named if 1 < len(named) == len(files) else list(frames)


def list_of_paths(read: Sequence[ReadFile]) -> list[SourceFile]:
    named_by_path = []
    for file, _, frame, reading in read:
        is_of_items = "task" in frame.constants or "item" in frame.roles
        is_said = file.is_named or file.said is not None
        if is_said or is_of_items or reading.records.has("model"):
            continue
        first = reading.records[0]
        is_plain = (first.item, first.run, first.step) == (None, None, None)
        if is_plain and file.folder is not None:
            refuse_rows_of_runs(file, len(reading.records))
        named_by_path.append(file)
    return named_by_path


def name_part(x: ReadFile) -> tuple[str, str | None, str | None]:
    """Name what runs of a model share: its task, maybe a part of a group."""
    return x.file.model, x.reading.records[0].task, x.frame.constants.get("subtask")


def _count_blank(file: SourceFile, reading: Reading, first: Record) -> Counts:
    said = dict(file.said or {}) | ({"model": file.model} if file.is_named else {})
    counts = Counts()
    for (task, model), n in reading.n_blank.items():
        task_or_all = said.get("task") or task or first.task or ""
        counts[task_or_all, said.get("model") or model or str(first.model)] += n
    return counts


def name_files(files: Sequence[Opened]) -> str:
    names = list(dict.fromkeys(file.folder or name for file, name, _ in files))
    return shorten(names, MAX_NAMED)


def list_notes(read: Sequence[ReadFile]) -> list[str]:
    sources: dict[str, list[str]] = {}
    for x in read:
        for note in x.reading.notes:
            sources.setdefault(note, []).append(x.frame.source)
    return [put_place(shorten(x, _MAX_SOURCES), note) for note, x in sources.items()]


def check_one_way(read: Sequence[ReadFile]) -> None:
    sources = {x.reading.is_percent: x.frame.source for x in reversed(read)}
    if len(sources) > 1:
        refuse(
            f"Expected scores that are written in one way; got percent signs in "
            f"{sources[True]}, and none in {sources[False]}."
        )


def check_dated(read: Sequence[ReadFile]) -> None:
    first: dict[Any, str] = {}
    for file, name, frame, reading in read:
        if frame.metrics is None or "item" not in frame.roles:
            continue
        record = reading.records[0]
        model = record.model or file.model
        part = frame.constants.get("subtask")
        other = first.setdefault((model, record.task, part), name)
        if other != name and not file.is_named and file.said is None:
            task = "" if record.task is None else f" on {record.task}"
            inner = dict.fromkeys(
                str(Path(x.path).parent) for x, *_ in read if x.folder == file.folder
            )
            advice = "one of them, or name them as models: NAME=FILE"
            are_runs = any(RUN.fullmatch(Path(x).name) for x in inner)
            if len(inner) > 1 and file.folder not in (None, *inner) and not are_runs:
                others = dict.fromkeys(
                    x.folder or x.path for x, *_ in read if x.folder != file.folder
                )
                advice = "the folders in it, where each is of a model: "
                advice += shlex.join([*inner, *others])
            advice = _advise_runs(file, model, inner) or advice
            refuse(
                f"Expected one file of {model!r}{task}; got {other} and {name}. Pass "
                f"{advice}."
            )


def _advise_runs(file: SourceFile, model: str, folders: Iterable[str]) -> str | None:
    parts = [Path(x).relative_to(file.folder).parts for x in folders if file.folder]
    for k, way in enumerate(("{run}/{model}", "{model}/{run}")):
        if parts and all(len(x) == 2 and RUN.fullmatch(x[k]) for x in parts):
            return f"--path {shlex.quote(way)}, where folders are of runs"
    if parts and all(len(x) == 1 and RUN.fullmatch(x[0]) for x in parts):
        name = shlex.quote(f"{model}={file.folder}")
        return f"one of them, or name all models, where folders are runs: {name}"
    return None


def check_ignored(
    ignored: Names, frames: Sequence[Frame], read: Sequence[ReadFile]
) -> None:
    known: dict[str, None] = {"": None}
    for frame in frames:
        known |= dict.fromkeys((*frame.columns, *frame.parts, *frame.parts.values()))
    for x in read:
        models = x.reading.records.list_known("model")
        known |= dict.fromkeys(y or x.file.model for y in models)
        known |= dict.fromkeys(y for _, y in x.reading.n_blank if y is not None)
    for name in ignored:
        if name not in known:
            columns = list_names(list(frames[0].parts or frames[0].columns))
            refuse(
                f"Expected --ignore to name columns or models; got {name!r}."
                f"{suggest(name, known)} The columns are {columns}."
            )


# "0_lstm", "seed1-lstm": the run, and then the model.
RUN_FIRST = re.compile(r"(?:seed|run|trial|s)?[-_=]?\d+[-_. ]+(.*\D.*)", re.I)
_MARK = re.compile(r"([-_. /])")


def _advise(what: str) -> str:
    return (
        "Say what its parts are with --path, as in --path "
        f"'{{task}}/{{model}}/seed{{run}}.json', in which * is any text; or name the "
        f"models: NAME={what}"
    )


def find_crossed(names: Names) -> list[list[str]]:
    """Return the words whose combinations are all names, without numbers of runs.

    Such as "resnet" and "vit", "cifar" and "imagenet" from "resnet_cifar".
    """
    plain = list(dict.fromkeys(re.sub(r"[-_. ]?\d+$", "", x) for x in names))
    rows = [_MARK.split(x) for x in plain]
    if len({*map(len, rows)}) == 1:
        words = [list(dict.fromkeys(x)) for x in zip(*rows, strict=True)]
        is_crossed = math.prod(map(len, words)) == len(rows)
        if is_crossed and all(len(x) == 1 for x in words[1::2]):
            choices = [x for x in words if len(x) > 1]
            choices = [x for x in choices if not all(map(RUN.fullmatch, x))]
            if len(choices) > 1:
                return choices
    pairs = [_MARK.split(x, maxsplit=1) for x in plain]
    if not pairs or any(len(x) == 1 for x in pairs):
        return []
    firsts, _, rests = (list(dict.fromkeys(x)) for x in zip(*pairs, strict=True))
    is_crossed = len(firsts) * len(rests) == len(pairs)
    return [firsts, rests] if is_crossed and min(len(firsts), len(rests)) > 1 else []


def check_paths(files: Sequence[SourceFile]) -> list[str]:
    if len(files) < 2:
        return []
    parts = [_split(file) for file in files]
    depths = {len(x) for x in parts}
    if len(depths) > 1 or max(depths) > 2:
        raise _ask(files, "parts of several meanings")
    first, last = [x[0] for x in parts], [x[-1] for x in parts]
    if all(map(RUN.fullmatch, first)):
        raise _ask(files, "what looks like a run where the model is looked for")
    note = f"of {place_of(files[0])!r}, {first[0]!r} was taken for the model"
    if depths == {1}:
        rests = [RUN_FIRST.fullmatch(x) for x in first]
        models = {x[1] for x in rests if x}
        if all(rests) and 1 < len(models) < len(files):
            raise _ask(files, "a number in front of the names")
        return [] if any(split_run(x)[1] for x in first) else [note]
    if len(set(first)) == len(first):
        return [note]
    if all(map(FOLD.fullmatch, last)):
        raise _ask(
            files, "folds, which are no independent runs", f"; and pass {OF_FOLDS}"
        )
    is_run = all(map(RUN.fullmatch, last))
    has_model = all(y.startswith(x) and y != x for x, y in parts)
    if not is_run and not has_model:
        raise _ask(files, "two parts, of which neither looks like a run")
    return [f"{note} and {last[0]!r} for the run"]


def refuse_crossed_names(files: Sequence[SourceFile]) -> None:
    names = dict.fromkeys(split_run(file.model)[0] for file in files)
    crossed = find_crossed(list(names))
    if crossed:
        of = " with each of ".join(list_names(x, 4) for x in crossed)
        raise _ask(files, f"names of each of {of}, which may be models and tasks")


def refuse_rows_of_runs(file: SourceFile, n_scores: int) -> None:
    name = _split(file)[-1]
    if n_scores > 1 and (RUN.fullmatch(name) or split_run(name)[1] is not None):
        refuse(
            f"{file.path}: expected one score, for {name!r} looks like a run; got "
            f"{n_scores}. Name what they are of with --item or --run, or say what the "
            "parts of the path are with --path."
        )


def refuse_single_runs(models: Sequence[int], source: str) -> None:
    if len(models) > 2 and set(models) == {1}:
        refuse(
            f"{source}: expected several runs of each model; got {len(models)} names "
            "of files with one score each, which may be runs of fewer models. "
            f"{_advise('FILE')}."
        )


def _split(file: SourceFile) -> list[str]:
    return [file.model, *(file.run.split("/") if file.run else [])]


def _ask(files: Sequence[SourceFile], got: str, more: str = "") -> TableError:
    folder = files[0].folder
    where, what = ("", "FILE") if folder is None else (f"{folder}: ", "FOLDER")
    return TableError(
        f"{where}expected to know which part of a path is the model; got {got}: "
        f"{list_names([*map(place_of, files)], 3)}. {_advise(what)}{more}."
    )
