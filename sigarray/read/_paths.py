"""The meaning of the parts of paths: taken from their names, or asked of the user."""

import collections
import itertools
import math
import re
from collections.abc import Sequence

from sigarray.read._files import SourceFile, name_stem, split_run
from sigarray.read._frame import Names, list_names
from sigarray.read._templates import (
    OF_FOLDS,
    cut_suffix,
    find_two_ways,
    match_paths,
    place_of,
)
from sigarray.read._text import TableError
from sigarray.read._words import SPLITS

RUN = re.compile(
    r"((?:seed|run|trial|rep|repeat|replicate|repetition|version|split|fold|cv|s|r)"
    r"[-_= .]?)?\d+",
    re.I,
)
# "0_lstm", "seed1-lstm": the run, and then the model.
RUN_FIRST = re.compile(r"(?:seed|run|trial|s)?[-_=]?\d+[-_. ]+(.*\D.*)", re.I)
_NAMED_RUN = re.compile(
    r"(.*[-_. ])?(seed|run|trial|rep|repeat|replicate|repetition|fold|cv)[-_= .]?\d+",
    re.I,
)
# Settings that were varied, of which the user is to choose one value.
_SETTING = re.compile(
    r"(lr|learning[-_]?rate|wd|weight[-_]?decay|bs|batch([-_]?size)?|dropout|momentum"
    r"|temp(erature)?|warmup|ckpt|checkpoint|steps?|epochs?|shots?)[-_= ]?[\d.]+"
    r"(e-?\d+)?|[\d.]+[-_ ]?shots?",
    re.I,
)
# The most names in a path: model and task.
_MAX_NAMES = 2
_MARK = re.compile(r"([-_. /])")
_FOLD = re.compile(r"(fold|cv|split|repetition)[-_= .]?\d+", re.I)


def advise(every: Names, *, are_in_folder: bool = True) -> str:
    """Advise templates for all paths, or for those of the most frequent depth."""
    ((depth, _),) = collections.Counter(x.count("/") for x in every).most_common(1)
    places = [x for x in every if x.count("/") == depth]
    names = "name the models: " + (
        "NAME=FOLDER" if depth and are_in_folder else "NAME=FILE"
    )
    # Braces and stars in a path would be read as those of a template.
    is_plain = not any(re.search(r"[{}*]", x) for x in places)
    templates = _list_templates(places) if is_plain and len(places) > 1 else []
    if not templates:
        return f"Say what its parts are with --path, or {names}"
    ways = " or ".join(f"--path '{x}'" for x in templates)
    return f"Say what its parts are with --path, such as {ways}; or {names}"


def find_crossed(names: Names) -> list[list[str]]:
    """Return the words whose combinations are all names, without numbers of runs.

    An example is "resnet" and "vit", "cifar" and "imagenet" from "resnet_cifar".
    """
    plain = list(dict.fromkeys(re.sub(r"[-_. ]?\d+$", "", x) for x in names))
    words, varied = _split_names(plain)
    choices = [list(dict.fromkeys(words[k])) for k in varied]
    choices = [x for x in choices if not all(map(RUN.fullmatch, x))]
    return choices if len(choices) > 1 else [list(x) for x in _cut_names(plain)]


def _list_templates(places: Names) -> list[str]:
    """List the templates that read each path in only one way."""
    of_two = _guess(places, is_split=True)
    of_one = _guess(places, is_split=False)
    of_word = [] if of_two != of_one else _guess_word(places, of_one)
    columns = zip(*(cut_suffix(x).split("/") for x in places), strict=True)
    is_part = bool(of_word) or any(map(_is_choice, columns))
    is_plain = is_part or of_two != of_one
    return [
        x
        for x in dict.fromkeys([*of_word, *of_two, *of_one])
        if (x.count("{") > 1 or is_plain) and _is_of(x, places, is_part=is_part)
    ]


def _guess_word(places: Names, templates: Names) -> list[str]:
    """List templates of the first of several tasks, if models have several words."""
    guesses = []
    for template in templates:
        said = [x.said for x in match_paths(places, template) if x is not None]
        names = list(dict.fromkeys(x["model"] for x in said if "model" in x))
        for word in (x for cut in _cut_names(names)[:1] for x in cut[:1]):
            name = f"{word}{names[0][len(word)]}{{model}}"
            guesses.append(template.replace("{model}", name))
    return guesses


def _guess(places: Names, *, is_split: bool) -> list[str]:
    """Guess templates of paths of one depth; `is_split` if a part has two names."""
    rows = [[*x[:-1], name_stem(x[-1])] for x in (y.split("/") for y in places)]
    columns = [list(x) for x in zip(*rows, strict=True)]
    of_run = _find_run(columns)
    parts, n_names = [], 0
    for k, column in enumerate(columns):
        one = None if k == of_run else _choose_one(column)
        if one is not None and _is_choice(column) and _are_told_apart(columns, k):
            one = "*"
        if one is not None:
            parts.append(one)
            continue
        front, names, back = _cut_run(column) if k == of_run else ("", column, "")
        text = _write_names(names, n_names, is_split=is_split)
        n_names += text.count("<")
        parts.append(f"{front}{text}{back}")
    if is_split and n_names > _MAX_NAMES:
        return []
    return _name_parts(
        "/".join(parts) + places[0][len(cut_suffix(places[0])) :], n_names
    )


def _name_parts(text: str, n_names: int) -> list[str]:
    """Return templates with model and task, in each order, in the place of names."""
    if n_names < _MAX_NAMES:
        return [text.replace("<0>", "{model}")]
    orders = [("{task}", "{model}"), ("{model}", "{task}")]
    if "{run}" not in text:
        orders += [("{model}", "{run}"), ("{run}", "{model}")]
    guesses = []
    for order in orders:
        guess = text
        for k in range(n_names):
            guess = guess.replace(f"<{k}>", order[k] if k < _MAX_NAMES else "*")
        guesses.append(guess)
    return guesses


def _find_run(columns: Sequence[Names]) -> int | None:
    """Return the last part that names the run of a file, by a word or by numbers."""
    varied = [k for k, x in enumerate(columns) if len(set(x)) > 1]
    for pattern in (_NAMED_RUN, RUN):
        places = [k for k in varied if all(map(pattern.fullmatch, columns[k]))]
        if places:
            return places[-1]
    plain = [k for k in varied if not all(map(_SETTING.fullmatch, columns[k]))]
    places = [k for k in plain if _cut_run(columns[k]) != ("", columns[k], "")]
    return places[-1] if places else None


def _cut_run(column: Names) -> tuple[str, Names, str]:
    """Return what is before and after the names of a part; one of both has the run."""
    heads = [re.sub(r"\d+$", "", x) for x in column]
    if all(x != y for x, y in zip(heads, column, strict=True)):
        if len(set(heads)) == 1:
            return f"{heads[0]}{{run}}", [], ""
        ends = zip(*(x[::-1] for x in heads), strict=False)
        same = itertools.takewhile(lambda x: len(set(x)) == 1, ends)
        # The end starts at a mark, because names of models may end alike.
        mark = re.search(r"[-_. ].*", "".join(x[0] for x in same)[::-1])
        n_cut = len(mark[0]) if mark else 0
        if all(len(x) > n_cut for x in heads) and len(set(heads)) < len(set(column)):
            names = [x[: len(x) - n_cut] for x in heads]
            return "", names, f"{mark[0] if mark else ''}{{run}}"
    rests = [RUN_FIRST.fullmatch(x) for x in column]
    if all(rests):
        names = [x[1] for x in rests if x]
        front = column[0][: len(column[0]) - len(names[0])]
        return re.sub(r"[0-9]+", "{run}", front), names, ""
    return "", column, ""


def _choose_one(column: Names) -> str | None:
    """Return the text of a part that all share, or one of those to choose from."""
    values = list(dict.fromkeys(column))
    if len(values) == 1 or all(map(_SETTING.fullmatch, values)):
        return values[0]
    if all(x.lower() in SPLITS for x in values):
        return min(values, key=lambda x: (x.lower() != "test", x[:1].lower() != "t"))
    return None


def _is_choice(column: Names) -> bool:
    return len(set(column)) > 1 and _choose_one(column) is not None


def _are_told_apart(columns: Sequence[Names], k: int) -> bool:
    """Tell whether paths differ without their k-th part, such as a run's best step."""
    others = [x for place, x in enumerate(columns) if place != k]
    return bool(others) and len(set(zip(*others, strict=True))) == len(columns[k])


def _write_names(names: Names, first: int, *, is_split: bool) -> str:
    """Return numbered places for a name, or for the two names of a part."""
    if not names:
        return ""
    words, varied = _split_names(names)
    if not is_split or len(varied) != _MAX_NAMES:
        return f"<{first}>"
    places = {k: f"<{first + n}>" for n, k in enumerate(varied)}
    return "".join(places.get(k, x[0]) for k, x in enumerate(words))


def _split_names(names: Names) -> tuple[list[tuple[str, ...]], list[int]]:
    """Return the words of names, and the places of words in all combinations."""
    rows = [_MARK.split(x) for x in dict.fromkeys(names)]
    if len({len(x) for x in rows}) > 1:
        return [], []
    words = list(zip(*rows, strict=True))
    sizes = [len(set(x)) for x in words]
    varied = [k for k, n in enumerate(sizes) if n > 1]
    is_crossed = len(varied) > 1 and math.prod(sizes) == len(rows)
    if not is_crossed or any(k % 2 for k in varied):
        return words, []
    return words, varied


def _cut_names(names: Names) -> list[Names]:
    """Return first words and rests, if the names are all combinations of these."""
    pairs = [_MARK.split(x, maxsplit=1) for x in dict.fromkeys(names)]
    if not pairs or any(len(x) == 1 for x in pairs):
        return []
    firsts, _, rests = (list(dict.fromkeys(x)) for x in zip(*pairs, strict=True))
    is_crossed = len(firsts) * len(rests) == len(pairs)
    return [firsts, rests] if is_crossed and min(len(firsts), len(rests)) > 1 else []


def _is_of(template: str, places: Names, *, is_part: bool) -> bool:
    """Tell whether a template reads all paths, or a part of them, in only one way."""
    matches = match_paths(places, template)
    n_matched = sum(x is not None for x in matches)
    is_enough = n_matched == len(places) or (is_part and n_matched > 1)
    return is_enough and find_two_ways(places, matches, template) is None


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
