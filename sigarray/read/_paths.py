"""The meaning of the parts of paths: taken from their names, or asked of the user."""

import re
from collections.abc import Sequence

from sigarray.read._bytes import TableError
from sigarray.read._files import SourceFile, split_run
from sigarray.read._frame import list_names
from sigarray.read._guesses import RUN, RUN_FIRST, advise, find_crossed
from sigarray.read._templates import OF_FOLDS, place_of

_FOLD = re.compile(r"(fold|cv|split|repetition)[-_= .]?\d+", re.I)


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


def refuse_single_runs(
    models: Sequence[int], files: Sequence[SourceFile], source: str
) -> None:
    """Refuse three or more models, named by paths, with one run each."""
    if len(models) > 2 and set(models) == {1}:
        msg = (
            f"{source}: expected several runs of each model; got {len(models)} names "
            "of files with one score each, which may be runs of fewer models. "
            f"{advise([place_of(x) for x in files])}."
        )
        raise TableError(msg)


def _split(file: SourceFile) -> list[str]:
    return [file.model, *(file.run.split("/") if file.run else [])]


def _ask(files: Sequence[SourceFile], got: str, more: str = "") -> TableError:
    """Return an error with the possible templates."""
    places = [place_of(file) for file in files]
    folder = files[0].folder
    where = "" if folder is None else f"{folder}: "
    advice = advise(places, are_in_folder=folder is not None)
    return TableError(
        f"{where}expected to know which part of a path is the model; got {got}: "
        f"{list_names(places, 3)}. {advice}{more}."
    )
