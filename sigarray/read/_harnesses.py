"""Files of Inspect AI, HELM and lighteval, and folders of lm-evaluation-harness."""

import io
import json
import math
import re
import struct
import sys
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf, isclose
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from sigarray.read._files import NAME_RUNS, Opened, lack_samples
from sigarray.read._frame import UNNAMED, Frame, Names, list_names, shorten
from sigarray.read._json import list_plain, tabulate_records
from sigarray.read._lm_eval import (
    AVERAGES,
    ITEMS,
    NO_METRICS,
    are_samples,
    list_results,
    say_named,
    split_name,
)
from sigarray.read._messages import Caution
from sigarray.read._text import TableError, read_bytes, refuse

# The numbers of Inspect's `value_to_float`: correct, incorrect, partial, no answer.
_LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
_ZSTANDARD = 93  # APPNOTE.TXT 4.4.5
_OF_INSPECT = "samples of Inspect AI"
# "mmlu:subject=anatomy,model=openai_gpt2"
_NO_SCORE = re.compile(
    "num_|finish_reason_|inference_|training_|batch_size|prompt_truncated|max_prob"
)
_MODEL = re.compile(r",?\bmodel=([^,]+)")


def read_log(name: str, document: Mapping[str, Any]) -> Frame | None:
    header = document.get("eval")
    if not isinstance(header, dict) or "task" not in header or "model" not in header:
        return None
    samples = document.get("samples")
    if not samples and document.get("status") != "error":
        refuse(
            f"{name}: expected a log of Inspect AI with samples; got one without. "
            "Take the whole log, not its header."
        )
    return _tabulate_log(name, header, document, samples or [])


def read_archive(path: str) -> Frame:
    name, data = read_bytes(path)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
            start = "header.json" if "header.json" in names else "_journal/start.json"
            document = json.loads(_extract(archive, start))
            header = document["eval"]
            if "summaries.json" in names:
                samples = json.loads(_extract(archive, "summaries.json"))
            else:
                inside = sorted(x for x in names if x.startswith("samples/"))
                samples = [json.loads(_extract(archive, x)) for x in inside]
    except ImportError as error:
        msg = (
            f"{name}: expected zstandard, to read what is compressed so. Run: pip "
            'install "sigarray[read]"; or: inspect log convert --to json.'
        )
        raise TableError(msg) from error
    except (zipfile.BadZipFile, KeyError, ValueError) as error:
        msg = f"{name} cannot be read as a log of Inspect AI: {error}."
        raise TableError(msg) from error
    return _tabulate_log(name, header, document, samples)


def convert_data_frame(frame: Frame, _: str) -> Frame | None:
    if not {"sample_id", "eval_id", "id", "epoch"} <= set(frame.columns):
        return None
    if "model" not in frame.columns:
        refuse(
            f"{frame.source}: expected a column 'model'; got samples without their "
            "evals. Write samples_df(logs, columns=SampleSummary + EvalModel), or pass "
            "the logs."
        )
    metrics = [x for x in frame.columns if x.startswith("score_")]
    columns = dict(frame.columns)
    for metric in metrics:
        columns[metric] = [_LETTERS.get(x, x) for x in columns[metric]]
    task = next((x for x in ("task_name", "task") if x in columns), None)
    roles = {"item": "id", "run": "epoch", "model": "model"}
    return replace(
        frame,
        kind=_OF_INSPECT,
        columns=columns,
        roles=roles | ({} if task is None else {"task": task}),
        metrics=tuple(metrics),
        unit="item",
    )


def _extract(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return a file of an archive; Python reads Zstandard from version 3.14 on."""
    info = archive.getinfo(name)
    if info.compress_type != _ZSTANDARD or sys.version_info >= (3, 14):
        return archive.read(name)
    import zstandard

    file = archive.fp
    if file is None:
        msg = "it is closed"
        raise ValueError(msg)
    file.seek(info.header_offset)
    # APPNOTE.TXT 4.3.7: 30 bytes, the name, and extra fields.
    *_, n_name, n_extra = struct.unpack("<4s5H3I2H", file.read(30))
    file.seek(n_name + n_extra, io.SEEK_CUR)
    data = file.read(info.compress_size)
    try:
        return zstandard.ZstdDecompressor().decompressobj().decompress(data)
    except zstandard.ZstdError as error:
        raise zipfile.BadZipFile(str(error)) from error


def _tabulate_log(
    name: str,
    header: Mapping[str, Any],
    document: Mapping[str, Any],
    samples: list[dict[str, Any]],
) -> Frame:
    rows: list[dict[str, Any]] = []
    metrics: dict[str, None] = {}
    for sample in samples:
        row = {"id": sample["id"], "epoch": sample["epoch"]}
        row |= list_plain(sample.get("metadata"), "metadata")
        for scorer, score in (sample.get("scores") or {}).items():
            numbers = _read_value(scorer, score["value"])
            metrics |= dict.fromkeys(numbers)
            row |= numbers
        rows.append(row)
    has_failed = document.get("status") in ("error", "cancelled")
    why = (document.get("error") or {}).get("message", "no reason")[:120]
    failed = f"the evaluation has failed ({why})"
    if has_failed and not metrics:
        refuse(f"{name}: expected scores; got none: {failed}.")
    roles = {"item": "id", "run": "epoch"}
    return tabulate_records(
        _OF_INSPECT,
        name,
        rows,
        "sample",
        roles=roles,
        constants={"model": str(header["model"]), "task": str(header["task"])},
        metrics=tuple(metrics),
        unit="item",
        doubts=(f"{failed}, and may lack samples",) * has_failed,
    )


def _read_value(scorer: str, value: Any) -> dict[str, Any]:
    """Return numbers by name; NaN if a sample was not scored."""
    if isinstance(value, dict):
        parts = [_read_value(f"{scorer}.{key}", x) for key, x in value.items()]
        return {key: x for part in parts for key, x in part.items()}
    if isinstance(value, str):
        return {scorer: _LETTERS.get(value, value)}
    if isinstance(value, list) or (isinstance(value, float) and math.isnan(value)):
        return {}
    return {scorer: value}


def read_instances(name: str, document: Sequence[dict[str, Any]]) -> Frame | None:
    """Return scores by instance, but for perturbed ones, or None for other files."""
    if not all("instance_id" in x and "stats" in x for x in document):
        return None
    rows: list[dict[str, Any]] = []
    metrics: dict[str, None] = {}
    n_perturbed = 0
    for entry in document:
        if entry.get("perturbation") is not None:
            n_perturbed += 1
            continue
        row = {"instance_id": entry["instance_id"]}
        row["train_trial_index"] = entry.get("train_trial_index", 0)
        for stat in entry["stats"]:
            name_of_stat = stat["name"]
            metric = name_of_stat["name"]
            if (
                stat.get("count")
                and "perturbation" not in name_of_stat
                and not _NO_SCORE.match(metric)
            ):
                row[metric] = stat.get("mean")
                metrics[metric] = None
        rows.append(row)
    note = f"{n_perturbed} perturbed instances were left out"
    return tabulate_records(
        "statistics of HELM, by instance",
        name,
        rows,
        "instance",
        roles={"item": "instance_id", "run": "train_trial_index"},
        constants=_read_run(Path(name)),
        metrics=tuple(metrics),
        unit="item",
        notes=(note,) * bool(n_perturbed),
    )


def _read_run(path: Path) -> dict[str, str]:
    run = path.absolute().parent.name
    constants = {}
    if match := _MODEL.search(run):
        constants = {"task": _MODEL.sub("", run).rstrip(":,"), "model": match[1]}
    specification = path.with_name("run_spec.json")
    if specification.is_file():
        try:
            content = json.loads(specification.read_text("utf-8"))
            constants["model"] = str(content["adapter_spec"]["model"])
            constants["task"] = _MODEL.sub("", content["name"]).rstrip(":,")
        except (ValueError, KeyError, TypeError):
            return constants
    return constants


def convert_details(frame: Frame, _: str) -> Frame | None:
    """Return the scores of a task by document, or None; the path names the model."""
    if not {"doc", "metric", "model_response"} <= set(frame.columns):
        return None
    documents: list[Any] = list(frame.columns["doc"])
    rows: list[Any] = list(frame.columns["metric"])
    metrics = list(dict.fromkeys(name for scores in rows for name in scores))
    columns = {
        part: [document.get(part) for document in documents]
        for part in ("id", "query", "task_name")
    }
    return replace(
        frame,
        kind="details of lighteval",
        columns=columns | {x: [scores.get(x) for scores in rows] for x in metrics},
        roles={"item": "id", "content": "query", "task": "task_name"},
        metrics=tuple(metrics),
    )


_MAX_FILES = 3


def add_filters(
    name: str, records: list[dict[str, Any]]
) -> tuple[list[dict[str, Any]], Names]:
    """Return samples with a key "filter", as later ones have, and notes.

    Early ones of a filter are before those of the next. If another key tells them
    apart, they are repeats, and it is left out.
    """
    if not are_samples(records) or any("filter" in x for x in records):
        return records, ()
    docs: dict[Any, list[dict[str, Any]]] = {}
    for record in records:
        docs.setdefault(record["doc_id"], []).append(record)
    n = len(records) // len(docs)
    if n == 1 or any(len(x) != n for x in docs.values()):
        return records, ()
    keys = {*records[0]} - NO_METRICS
    for key in keys:
        values = {frozenset(repr(x.get(key)) for x in of) for of in docs.values()}
        is_score = any(isinstance(x.get(key), float) for x in records)
        if len(values) == 1 and len(next(iter(values))) == n and not is_score:
            return [{x: y for x, y in of.items() if x != key} for of in records], ()
    means: list[dict[str, float]] = []
    for of in zip(*docs.values(), strict=True):
        cells = {key: [x.get(key) for x in of] for key in keys}
        means.append({x: fmean(y) for x, y in cells.items() if _are_numbers(y)})
    names, notes = _find_names(Path(name), means)
    if not names:
        return records, ()
    for several in docs.values():
        for record, rule in zip(several, names, strict=True):
            record["filter"] = rule
    return records, notes


def _find_names(
    path: Path, means: Sequence[Mapping[str, float]]
) -> tuple[Names, Names]:
    """Return names of filters, by results beside with these means, and notes."""
    task, _ = split_name(path)
    named: list[str] = []
    for document in list_results(path.parent, "results*.json"):
        for name, results in dict(document.get("results") or {}).items():
            of = {x: y for x, y in results.items() if "," in x and _are_numbers([y])}
            names = list(dict.fromkeys(x.split(",", 1)[1] for x in of))
            if name == task and len(names) == 1:
                return (), ()  # of one filter, several rows are repeats
            if len(names) != len(means) or task not in ("", name):
                continue
            if all(
                any(isclose(y, of.get(f"{x},{rule}", inf)) for x, y in by.items())
                for by, rule in zip(means, names, strict=True)
            ):
                return names, ()
            named = names if task else named
    if not named:
        return [f"{UNNAMED}{k + 1}" for k in range(len(means))], ()
    return named, [say_named(named, "results beside")]


def _are_numbers(values: Sequence[Any]) -> bool:
    return all(isinstance(x, (int, float)) for x in values)


def leave_out_averages(
    files: Sequence[Opened], tables: Sequence[Frame | None]
) -> tuple[list[Opened], list[Frame | None], list[str]]:
    """Return files without averages beside samples, or newer ones, and notes."""
    beside = _find_averages(tables, [file.path for file, *_ in files])
    if beside:
        found = [None if k in beside else x for k, x in enumerate(tables)]
        names = shorten([files[k][1] for k in beside], _MAX_FILES)
        notes = [
            f"averages of lm-evaluation-harness beside its samples left out: {names}"
        ]
    else:
        paths = [
            None if x.is_named or x.said is not None else x.path for x, *_ in files
        ]
        found, notes = _take_newest(tables, paths)
    kept = [k for k, x in enumerate(found) if x is not None or tables[k] is None]
    return [files[k] for k in kept], [found[k] for k in kept], notes


def _find_averages(frames: Sequence[Frame | None], paths: Names) -> list[int]:
    kinds = [None if x is None else x.kind for x in frames]
    if ITEMS not in kinds:
        return []
    places = [k for k, x in enumerate(kinds) if x == AVERAGES]
    folders = [Path(x).parent for x in paths]
    having = {x for x, kind in zip(folders, kinds, strict=True) if kind == ITEMS}
    without = [k for k in places if folders[k] not in having]
    if without:
        raise lack_samples([folders[k].name or paths[k] for k in without])
    return places


def _take_newest(
    frames: Sequence[Frame | None], paths: Sequence[str | None]
) -> tuple[list[Frame | None], list[str]]:
    """Return averages without older ones of a model, task and metric in a folder.

    Those are of the same trained model, and no runs of their own. `paths` are None of
    files that are said to be.
    """
    keys: list[list[tuple[str, ...]]] = []
    newest: dict[tuple[str, ...], str] = {}
    for frame, path in zip(frames, paths, strict=True):
        keys.append([])
        if frame is not None and path is not None and frame.kind == AVERAGES:
            of = str(Path(path).parent), frame.constants.get("model", "")
            columns = [frame.columns[frame.roles[x]] for x in ("task", "metric")]
            keys[-1] = [(*of, *map(str, x)) for x in zip(*columns, strict=True)]
        for key in keys[-1]:
            newest[key] = max(newest.get(key, ""), str(path))
    kept = list(frames)
    older: list[str] = []
    for k, (path, rows) in enumerate(zip(paths, keys, strict=True)):
        places = [j for j, x in enumerate(rows) if newest[x] == path]
        if len(places) < len(rows):
            older.append(str(path))
            frame = frames[k] if places else None
            kept[k] = frame and frame.take(np.asarray(places))
    note = Caution(
        "older results of the same model and task were left out: "
        f"{list_names(older, _MAX_FILES)}. If they are of runs of their own, such as "
        f"other seeds in training, {NAME_RUNS}"
    )
    return kept, [note] * bool(older)
