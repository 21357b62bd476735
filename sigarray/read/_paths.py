"""The meaning of the parts of paths: taken from their names, or asked of the user."""

import math
import re
from collections.abc import Sequence

from sigarray.read._files import SourceFile, split_run
from sigarray.read._frame import Names, list_names
from sigarray.read._templates import OF_FOLDS, place_of
from sigarray.read._text import TableError

RUN = re.compile(
    r"((?:seed|run|trial|rep|repeat|replicate|repetition|version|split|fold|cv|s|r)"
    r"[-_= .]?)?\d+",
    re.I,
)
# "0_lstm", "seed1-lstm": the run, and then the model.
RUN_FIRST = re.compile(r"(?:seed|run|trial|s)?[-_=]?\d+[-_. ]+(.*\D.*)", re.I)
_MARK = re.compile(r"([-_. /])")
_FOLD = re.compile(r"(fold|cv|split|repetition)[-_= .]?\d+", re.I)


def _advise(what: str) -> str:
    """Say how to name the parts of paths, or the models."""
    return (
        "Say what its parts are with --path, as in --path "
        f"'{{task}}/{{model}}/seed{{run}}.json', in which * is any text; or name the "
        f"models: NAME={what}"
    )


def find_crossed(names: Names) -> list[list[str]]:
    """Return the words whose combinations are all names, without numbers of runs.

    An example is "resnet" and "vit", "cifar" and "imagenet" from "resnet_cifar".
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
    """Say what the parts of the paths of files in folders were taken for."""
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
    if all(map(_FOLD.fullmatch, last)):
        raise _ask(
            files, "folds, which are no independent runs", f"; and pass {OF_FOLDS}"
        )
    is_run = all(map(RUN.fullmatch, last))
    has_model = all(y.startswith(x) and y != x for x, y in parts)
    if not is_run and not has_model:
        raise _ask(files, "two parts, of which neither looks like a run")
    return [f"{note} and {last[0]!r} for the run"]


def refuse_crossed_names(files: Sequence[SourceFile]) -> None:
    """Refuse names of models that seem to be of models and tasks."""
    names = dict.fromkeys(split_run(file.model)[0] for file in files)
    crossed = find_crossed(list(names))
    if crossed:
        of = " with each of ".join(list_names(x, 4) for x in crossed)
        raise _ask(files, f"names of each of {of}, which may be models and tasks")


def refuse_rows_of_runs(file: SourceFile, n_scores: int) -> None:
    """Refuse several scores in a file if its path names a single run."""
    name = _split(file)[-1]
    if n_scores > 1 and (RUN.fullmatch(name) or split_run(name)[1] is not None):
        msg = (
            f"{file.path}: expected one score, for {name!r} looks like a run; got "
            f"{n_scores}. Name what they are of with --item or --run, or say what the "
            "parts of the path are with --path."
        )
        raise TableError(msg)


def refuse_single_runs(models: Sequence[int], source: str) -> None:
    """Refuse three or more models, named by paths, with one run each."""
    if len(models) > 2 and set(models) == {1}:
        msg = (
            f"{source}: expected several runs of each model; got {len(models)} names "
            "of files with one score each, which may be runs of fewer models. "
            f"{_advise('FILE')}."
        )
        raise TableError(msg)


def _split(file: SourceFile) -> list[str]:
    return [file.model, *(file.run.split("/") if file.run else [])]


def _ask(files: Sequence[SourceFile], got: str, more: str = "") -> TableError:
    folder = files[0].folder
    where, what = ("", "FILE") if folder is None else (f"{folder}: ", "FOLDER")
    return TableError(
        f"{where}expected to know which part of a path is the model; got {got}: "
        f"{list_names([*map(place_of, files)], 3)}. {_advise(what)}{more}."
    )
