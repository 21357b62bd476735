"""The files to read, and the models and runs that their paths name."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sigarray._numeric.sources import SUFFIXES
from sigarray.read._frame import Names, list_names
from sigarray.read._messages import Caution
from sigarray.read._text import TableError, refuse
from sigarray.read._words import RUN

_TEXT_SUFFIXES = (".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson")
_SUFFIXES = (*_TEXT_SUFFIXES, *SUFFIXES, ".eval")
# In folders, files that are often of something else; read where there are no others.
EXCEL, ARRAYS = (".xlsx", ".xlsm"), (".npz", ".npy")
EVENTS = "events.out.tfevents."
_MAX_FILES = 10_000

# "lstm_seed3" is the third run of "lstm".
_RUN_OF_MODEL = re.compile(r"(.+?)[-_. /](?:seed|run|trial|s)[-_=]?(\d+)", re.I)
# No results: hidden ones, and what archives and Python add. But "./ckpt" and "/me/ckpt"
# are folders ".__ckpt" and "__me__ckpt" of lm-evaluation-harness.
_HIDDEN_FOLDER = re.compile(r"\.(?!\.?__).*|__MACOSX|__pycache__")
# lm-evaluation-harness puts this after the name of a task.
_DATED = re.compile(r"_\d{4}-\d{2}-\d{2}T[\d.\-:]+(?=\.jsonl?$)")
# Files of single items; files of results beside them hold their averages.
_AVERAGES = "results_*.json*"
SAMPLES = "samples_*.jsonl*"
OLDER = "older samples of the same model and task"
# What to do where files of one model are of runs.
NAME_RUNS = "name each file by its model: MODEL=FILE MODEL=FILE"
_DETAILS = (SAMPLES, "details_*.parquet", "per_instance_stats.json*")


class SourceFile(NamedTuple):
    """A file, what its path names, or --path `said` of it, and the user's folder."""

    path: str
    model: str
    run: str | None = None
    is_named: bool = False
    folder: str | None = None
    said: Mapping[str, str] | None = None


Opened = tuple[SourceFile, str, Any]


def list_files(
    sources: Sequence[str | os.PathLike[str]], *, are_runs: bool = False
) -> tuple[list[SourceFile], list[str]]:
    """List files, and those of folders; "name=path" names the model.

    And notes on older samples, which are left out, unless the user says that files
    `are_runs`.
    """
    listed: list[SourceFile] = []
    notes: list[str] = []
    plain: list[str] = []
    paths = [os.fspath(x) for x in sources]
    if paths[1:]:
        paths = [x for path in paths for x in _list_models(path)]
    held = [x for x in paths if x != "-" and Path(x).is_dir()]
    folders: dict[str, str] = {}
    if paths[1:]:  # with one folder, its files or folders name the models
        have_names = all(Path(x).name not in ("", "..") for x in held)
        named = held if have_names else [*map(os.path.abspath, held)]
        folders = dict(zip(held, name_paths(named), strict=True))
    for source in paths:
        if (split := _split_name(source)) is not None:
            model, path = split
            files = [SourceFile(path, model)]
            if Path(path).is_dir():
                files, left_out = _walk(Path(path), model)
                notes += left_out
            listed += [x._replace(is_named=True) for x in files]
        elif source in held and is_mlflow_store(Path(source)):
            listed.append(SourceFile(source, Path(source).name, folder=source))
        elif source in held:
            files, left_out = _walk(Path(source), folders.get(source))
            notes += left_out
            listed += files
        else:
            plain.append(source)
            listed.append(SourceFile(source, ""))
    names = dict(zip(plain, name_paths(plain), strict=True))
    files = [x._replace(model=names[x.path]) if not x.model else x for x in listed]
    every = [x.path for x in files]
    if len(set(every)) < len(every):
        twice = next(path for path in every if every.count(path) > 1)
        refuse(f"Expected each file once; got {twice} twice.")
    files = _name_by_results(files)
    return (files, notes) if are_runs else _take_newest(files, notes)


def _split_name(source: str) -> tuple[str, str] | None:
    """Return the model and the path of "name=path", or None for a path.

    Names of a hub, "lab/name", have a slash, as "lr=0.1/a.csv" has: there, the path has
    to exist.
    """
    if Path(source).exists():
        return None
    pairs = [(source[: x.start()], source[x.end() :]) for x in re.finditer("=", source)]
    pairs = [(x, path) for x, path in pairs if x and path]
    named = [x for x in pairs if x[1] == "-" or Path(x[1]).exists()]
    named += [x for x in pairs[:1] if not re.search(r"[/\\]", x[0])]
    return (" ".join(named[0][0].split()), named[0][1]) if named else None


def _list_models(source: str) -> list[str]:
    """Return the folders of models in a folder, if several have samples of a task."""
    found: dict[str, set[Path]] = {}
    every = list_tree(Path(source)) if Path(source).is_dir() else []
    for path in every:
        if path.match(SAMPLES):
            found.setdefault(_DATED.sub("", path.name), set()).add(path.parent)
    inner = set[Path]().union(*found.values())
    if max(map(len, found.values()), default=0) < 2 or any(
        x == Path(source) or RUN.fullmatch(x.name) for x in inner
    ):
        return [source]
    inner |= {x.parent for x in every if x.match(_AVERAGES)}
    return [*map(str, sorted(inner))]


def _name_by_results(files: list[SourceFile]) -> list[SourceFile]:
    """Name models whose samples are in one folder by the results, base_DATE.json.

    By `--output_path out/base.json`, lm_eval writes all models there; the date alone
    tells which are whose.
    """
    of_date: dict[tuple[Path, str], str] = {}
    dated: dict[str, tuple[Path, str]] = {}
    for x in files:
        path = Path(x.path)
        date = _DATED.search(path.name)
        if date is not None and path.match(SAMPLES) and not x.is_named:
            key = dated[x.path] = path.parent, date[0]
            if key not in of_date:
                beside = sorted(path.parent.glob(f"*{date[0]}.json"))
                names = [name_stem(y.name) for y in beside if not y.match(_AVERAGES)]
                of_date[key] = next(iter(names), "")
    known: dict[Path, set[str]] = {}
    for (folder, _), name in of_date.items():
        known.setdefault(folder, set()).add(name)
    several = {x for x, names in known.items() if len(names) > 1 and "" not in names}
    return [
        x._replace(model=of_date[at])
        if (at := dated.get(x.path)) is not None and at[0] in several
        else x
        for x in files
    ]


def _take_newest(
    files: list[SourceFile], notes: list[str]
) -> tuple[list[SourceFile], list[str]]:
    newest: dict[tuple[str, str], str] = {}
    samples = {
        x: _DATED.sub("", x.path)
        for x in files
        if Path(x.path).match(SAMPLES) and not (x.is_named and x.folder is None)
    }
    for x, of in samples.items():
        newest[x.model, of] = max(x.path, newest.get((x.model, of), ""))
    kept = [
        x for x in files if x not in samples or newest[x.model, samples[x]] == x.path
    ]
    older = [x.model for x in files if x not in kept]
    if len(kept) < 2 or not older:
        return files, notes
    of = f"{'files' if older[1:] else 'file'} of {list_names(dict.fromkeys(older), 3)}"
    note = (
        f"{OLDER} were left out: {len(older)} {of}. If the newer ones are shorter "
        f"(--limit), name the files to read. If all are runs, {NAME_RUNS}"
    )
    return kept, [*notes, Caution(note)]


def split_run(stem: str) -> tuple[str, str | None]:
    """Return model and run of a name such as "lstm_seed3"."""
    match = _RUN_OF_MODEL.fullmatch(stem)
    return (match[1], match[2]) if match else (stem, None)


def say_split(names: Iterable[tuple[str, tuple[str, str | None]]]) -> tuple[str, ...]:
    for name, (model, run) in names:
        if run is not None:
            return (f"{name!r} was taken for run {run} of {model!r}",)
    return ()


def is_of_suffix(path: str, suffixes: Names) -> bool:
    return path.removesuffix(".gz").lower().endswith(tuple(suffixes))


def is_mlflow_store(folder: Path) -> bool:
    return any(folder.glob("*/*/meta.yaml")) and any(folder.glob("*/*/metrics"))


def name_stem(name: str) -> str:
    name = _DATED.sub("", name.removesuffix(".gz"))
    for suffix in (*_SUFFIXES, *EXCEL, *ARRAYS):
        if name.lower().endswith(suffix) and len(name) > len(suffix):
            return name[: -len(suffix)]
    return name


def name_paths(paths: Names) -> list[str]:
    parts = [[*Path(path).parts[:-1], name_stem(Path(path).name)] for path in paths]
    return ["/".join(x) for x in _strip_common(parts)]


def _strip_common(parts: list[list[str]]) -> list[list[str]]:
    if len(parts) < 2:
        return [x[-1:] for x in parts]
    while min(map(len, parts)) > 1 and len({x[0] for x in parts}) == 1:
        parts = [x[1:] for x in parts]
    while min(map(len, parts)) > 1 and len({x[-1] for x in parts}) == 1:
        parts = [x[:-1] for x in parts]
    return parts


def list_tree(folder: Path, *, are_hidden: bool = False) -> list[Path]:
    """List the files in a folder and those in it, by links, too, but not in circles.

    Those that are no results are left out, unless they `are_hidden`.
    """
    files: list[Path] = []
    above = {str(folder): {os.path.realpath(folder)}}
    for root, folders, names in os.walk(folder, followlinks=True):
        if not are_hidden:
            folders[:] = [x for x in folders if not _HIDDEN_FOLDER.fullmatch(x)]
        paths = [Path(root, x) for x in names if are_hidden or x[0] != "."]
        files += [x for x in paths if x.is_file()]
        within = {name: os.path.realpath(Path(root, name)) for name in folders}
        folders[:] = [x for x, real in within.items() if real not in above[root]]
        above |= {os.path.join(root, x): {*above[root], within[x]} for x in folders}
    return sorted(files)


def _walk(folder: Path, name: str | None) -> tuple[list[SourceFile], list[str]]:
    every = list_tree(folder)
    if len(every) > _MAX_FILES:
        refuse(f"{folder}: expected at most {_MAX_FILES} files; got {len(every)}.")
    known = [path for path in every if is_of_suffix(path.name, _SUFFIXES)]
    detailed = [p for p in known if any(map(p.match, _DETAILS))]
    if detailed:
        of_averages = {x.parent for x in known if x.match(_AVERAGES)}
        without = of_averages - {x.parent for x in detailed}
        if name is None and without and any(x.match(SAMPLES) for x in detailed):
            raise lack_samples(sorted(x.name for x in without))
        known = detailed
    # TensorBoard has a folder of event files for each run.
    events = [path for path in every if path.name.startswith(EVENTS)]
    if not known and not events:
        known = [path for path in every if is_of_suffix(path.name, (*EXCEL, *ARRAYS))]
    left_out = [
        str(p.relative_to(folder))
        for p in every
        if p not in set(known)
        and (known or p not in set(events))
        and not _has_samples(p, detailed)
    ]
    known = known or list(dict.fromkeys(path.parent for path in events))
    notes = []
    if left_out and known:
        some = "file was" if len(left_out) == 1 else "files were"
        which = list_names(left_out, 3)
        notes.append(f"{folder}: {len(left_out)} other {some} left out: {which}")
    if not known:
        kinds = ", ".join((*_SUFFIXES, *EXCEL, ARRAYS[0], f"{EVENTS}*"))
        hidden = [] if left_out else list_tree(folder, are_hidden=True)
        got = list_names(left_out or [str(x.relative_to(folder)) for x in hidden], 5)
        got += ", which are left out in folders: name those to read" * bool(hidden)
        refuse(f"{folder}: expected files of scores ({kinds}); got {got}.")
    parts = [
        [*(of := p.relative_to(folder)).parts[:-1], name_stem(of.name)]
        if p.is_file()
        else [*p.relative_to(folder).parts] or [folder.name]
        for p in known
    ]
    if name is None and detailed and any(p.parent == folder for p in known):
        name = folder.name
    parts = _strip_common(parts) if name is None else [[name, *x] for x in parts]
    files = [
        SourceFile(str(path), model, "/".join(rest) or None, folder=str(folder))
        for path, (model, *rest) in zip(known, parts, strict=True)
    ]
    return files, notes


def _has_samples(path: Path, detailed: Sequence[Path]) -> bool:
    """Tell whether these are averages, beside samples of the same run."""
    if not path.match(_AVERAGES):
        return False
    date = path.name.removeprefix("results").partition(".json")[0]
    return any(x.parent == path.parent and f"{date}.jsonl" in x.name for x in detailed)


def lack_samples(models: Names) -> TableError:
    return TableError(
        f"Expected samples of all models; got none of {list_names(models, 3)}, whose "
        "results have averages alone. Run lm_eval with --log_samples, which writes "
        "samples_*.jsonl beside the results, or pass the folders of the other models."
    )
