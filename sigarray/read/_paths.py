"""What the parts of paths are: as the user says, or as their names show, or asked."""

import collections
import itertools
import os
import re
from collections.abc import Sequence
from pathlib import Path

from sigarray.read._bytes import TableError
from sigarray.read._files import SourceFile, name_stem, split_run
from sigarray.read._frame import list_names

_ROLES = ("task", "model", "run")
_RUN = re.compile(
    r"((?:seed|run|trial|rep|repeat|replicate|repetition|version|split|fold|cv|s|r)"
    r"[-_= .]?)?\d+",
    re.I,
)
_FOLD = re.compile(r"(fold|cv|split|repetition)[-_= .]?\d+", re.I)
_FOLD_OF_TEMPLATE = re.compile(r"(fold|cv|split|repetition)[-_= .]?\{run\}", re.I)
_OF_FOLDS = (
    "--test t and the share of the data that each is tested on, --test-share, for the "
    "training data of folds overlap"
)
# "0_lstm", "seed1-lstm": which run it is, and then the model.
_RUN_FIRST = re.compile(r"(?:seed|run|trial|s)?[-_=]?\d+[-_. ]+(.*\D.*)", re.I)


def name_by_template(
    files: Sequence[SourceFile], template: str
) -> tuple[list[SourceFile], list[str]]:
    """Give the files that are as the template says, and what it says of them.

    Parameters
    ----------
    files : sequence of SourceFile
    template : str
        Such as "{task}/{model}/seed{run}.json", relative to the folder of a file; "*"
        stands for any text of a part that says nothing.

    Raises
    ------
    TableError
        A template without a name, or that is of no file.
    """
    pattern = _compile(template)
    named, others = [], []
    for file in files:
        place = _place(file)
        found = pattern.fullmatch(place) or pattern.fullmatch(_cut_suffix(place))
        if found is None:
            others.append(place)
        else:
            said = {role: " ".join(x.split()) for role, x in found.groupdict().items()}
            named.append(file._replace(said=said))
    if not named:
        msg = (
            f"Expected files such as --path {template!r}; got {list_names(others, 5)}."
        )
        raise TableError(msg)
    first = named[0]
    which = ", ".join(f"{role} {x!r}" for role, x in (first.said or {}).items())
    notes = [f"{_place(first)} was read as {which}"]
    if _FOLD_OF_TEMPLATE.search(template):
        notes.append(f"if {{run}} is a fold, pass {_OF_FOLDS}")
    if others:
        some = "file was" if len(others) == 1 else "files were"
        notes.append(
            f"{len(others)} other {some} left out, not as --path {template!r}: "
            f"{list_names(others, 3)}"
        )
    return named, notes


def check_paths(files: Sequence[SourceFile]) -> list[str]:
    """Say what the parts of the paths of files in folders were taken for.

    Raises
    ------
    TableError
        Two readings are possible, or the only one is not that of the model first.
    """
    if len(files) < 2:
        return []
    parts = [_split(file) for file in files]
    depths = {len(x) for x in parts}
    if len(depths) > 1 or max(depths) > 2:
        raise _ask(files, "parts of several meanings")
    first, last = [x[0] for x in parts], [x[-1] for x in parts]
    if all(map(_RUN.fullmatch, first)):
        raise _ask(files, "what looks like a run where the model is looked for")
    note = f"of {_place(files[0])!r}, {first[0]!r} was taken for the model"
    if depths == {1}:
        rests = [_RUN_FIRST.fullmatch(x) for x in first]
        models = {x[1] for x in rests if x}
        if all(rests) and 1 < len(models) < len(files):
            raise _ask(files, "a number in front of the names")
        return [] if any(split_run(x)[1] for x in first) else [note]
    if len(set(first)) == len(first):
        return [note]
    if all(map(_FOLD.fullmatch, last)):
        raise _ask(
            files, "folds, which are no independent runs", f"; and pass {_OF_FOLDS}"
        )
    is_run = all(map(_RUN.fullmatch, last))
    has_model = all(y.startswith(x) and y != x for x, y in parts)
    if not is_run and not has_model:
        raise _ask(files, "two parts, of which neither looks like a run")
    return [f"{note} and {last[0]!r} for the run"]


def refuse_rows_of_runs(file: SourceFile, n_scores: int) -> None:
    """Refuse several scores in a file whose path says that it is of one run.

    Raises
    ------
    TableError
        Scores of one run are not independent, as those of runs are.
    """
    name = _split(file)[-1]
    if n_scores > 1 and (_RUN.fullmatch(name) or split_run(name)[1] is not None):
        msg = (
            f"{file.path}: expected one score, for {name!r} looks like a run; got "
            f"{n_scores}. Name what they are of with --item or --run, or say what the "
            "parts of the path are with --path."
        )
        raise TableError(msg)


def refuse_single_runs(
    models: Sequence[int], files: Sequence[SourceFile], source: str
) -> None:
    """Refuse three or more models, named by paths, of one run each.

    Raises
    ------
    TableError
        They are rather runs of fewer models.
    """
    if len(models) > 2 and set(models) == {1}:
        msg = (
            f"{source}: expected several runs of each model; got {len(models)} names "
            "of files with one score each, which may be runs of fewer models. "
            f"{_advise(files)}."
        )
        raise TableError(msg)


def _compile(template: str) -> re.Pattern[str]:
    pieces = re.split(r"(\{\w*\}|\*)", template.replace(os.sep, "/"))
    pattern, known = "", set()
    for piece in pieces:
        role = piece[1:-1] if piece.startswith("{") and piece.endswith("}") else None
        if role is None:
            pattern += "[^/]*" if piece == "*" else re.escape(piece)
            continue
        if role not in _ROLES or role in known:
            msg = (
                f"Expected --path with {{task}}, {{model}} and {{run}}, each at most "
                f"once; got {template!r}."
            )
            raise TableError(msg)
        known.add(role)
        pattern += f"(?P<{role}>[^/]+?)"
    if not known:
        msg = (
            "Expected --path to name parts of a path, such as "
            f"'{{task}}/{{model}}/seed{{run}}.json'; got {template!r}."
        )
        raise TableError(msg)
    return re.compile(pattern)


def _place(file: SourceFile) -> str:
    """Give the path of a file within the folder that was asked for."""
    path = Path(file.path)
    return (path if file.folder is None else path.relative_to(file.folder)).as_posix()


def _split(file: SourceFile) -> list[str]:
    return [file.model, *(file.run.split("/") if file.run else [])]


def _cut_suffix(place: str) -> str:
    folder, slash, name = place.rpartition("/")
    return f"{folder}{slash}{name_stem(name)}"


def _ask(files: Sequence[SourceFile], got: str, more: str = "") -> TableError:
    """Give an error with the templates that might be meant."""
    places = [_place(file) for file in files]
    return TableError(
        f"{files[0].folder}: expected to know which part of a path is the model; got "
        f"{got}: {list_names(places, 3)}. {_advise(files)}{more}."
    )


def _advise(files: Sequence[SourceFile]) -> str:
    """Give templates that are of the paths of all files, or of those of most parts."""
    every = [_place(file) for file in files]
    ((depth, _),) = collections.Counter(x.count("/") for x in every).most_common(1)
    places = [x for x in every if x.count("/") == depth]
    names = "name the models: " + ("NAME=FOLDER" if depth else "NAME=FILE")
    # Braces and stars of a path would be those of a template.
    is_plain = not any(re.search(r"[{}*]", x) for x in places)
    guesses = _guess(places) if is_plain and len(places) > 1 else []
    found = [x for x in guesses if _is_of(x, places)]
    if not found:
        return f"Say what its parts are with --path, or {names}"
    ways = " or ".join(f"--path '{x}'" for x in found)
    return f"Say what its parts are with --path, such as {ways}; or {names}"


def _is_of(template: str, places: Sequence[str]) -> bool:
    pattern = _compile(template)
    return template.count("{") > 1 and all(
        pattern.fullmatch(x) or pattern.fullmatch(_cut_suffix(x)) for x in places
    )


def _guess(places: Sequence[str]) -> list[str]:
    """Guess templates of paths of as many parts."""
    rows = [place.split("/") for place in places]
    suffix = places[0][len(_cut_suffix(places[0])) :]
    rows = [[*x[:-1], name_stem(x[-1])] for x in rows]
    parts, n_unknown = [], 0
    has_run = False
    for column in zip(*rows, strict=True):
        heads = [re.sub(r"\d+$", "", x) for x in column]
        ends = zip(*(x[::-1] for x in heads), strict=False)
        same = itertools.takewhile(lambda x: len(set(x)) == 1, ends)
        joint = "".join(x[0] for x in same)[::-1]
        is_numbered = all(x != y for x, y in zip(heads, column, strict=True))
        if len(set(column)) == 1:
            parts.append(column[0])
        elif has_run:
            parts.append(f"<{n_unknown}>")
            n_unknown += 1
        elif is_numbered and len(set(heads)) == 1:
            parts.append(f"{joint}{{run}}")
            has_run = True
        elif is_numbered and (mark := re.search(r"[-_. ].*", joint)):
            # From the mark on: names of models may end alike.
            joint = mark[0]
            parts.append(f"<{n_unknown}>{joint}{{run}}")
            n_unknown, has_run = n_unknown + 1, True
        elif all(map(_RUN_FIRST.fullmatch, column)):
            found = _RUN_FIRST.fullmatch(column[0])
            front = column[0][: len(column[0]) - len(found[1] if found else "")]
            parts.append(f"{re.sub(r'[0-9]+', '{run}', front)}<{n_unknown}>")
            n_unknown, has_run = n_unknown + 1, True
        else:
            parts.append(f"<{n_unknown}>")
            n_unknown += 1
    text = "/".join(parts) + suffix
    if n_unknown < 2:
        guesses = [text.replace("<0>", "{model}")]
        return guesses if n_unknown else [text]
    orders = [("{task}", "{model}"), ("{model}", "{task}")]
    if not has_run:
        orders += [("{model}", "{run}"), ("{run}", "{model}")]
    guesses = []
    for order in orders:
        guess = text
        for k in range(n_unknown):
            guess = guess.replace(f"<{k}>", order[k] if k < 2 else "*")
        guesses.append(guess)
    return guesses
