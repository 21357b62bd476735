"""Templates of paths and of columns, and names that one may be of."""

import collections
import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from sigarray.read._column_names import VARIANTS, find_wider_grid, say_others
from sigarray.read._files import SourceFile, name_stem
from sigarray.read._frame import Frame, Names, is_numeric, list_names
from sigarray.read._messages import Caution
from sigarray.read._roles import find_roles, list_metrics
from sigarray.read._score_table import Choice, ScoreTable
from sigarray.read._several_scores import advise_raters, quote_columns
from sigarray.read._text import TableError, refuse
from sigarray.read._words import RATERS, count_up, list_words

# Of an option, the names that its template may have; any, and how to name models.
_ROLES = {"--path": ("task", "model", "run")}
# What others name, such as runs and raters, is preferably a number.
NAMES = ("task", "model", "item", "metric")
_OTHERWISE = {"--path": "the files, or name the models: NAME=FILE"}
FOLD = re.compile(r"(fold|cv|split|repetition)[-_= .]?(\d+|\{run\})", re.I)
BY_SHARE = "--test t and the share of the data that each is tested on, --test-share"
OF_FOLDS = f"{BY_SHARE}, for the training data of folds overlap"
# Patterns of a run: a number outside a date, a date, a word. The first that matches as
# many paths as the last is taken.
_ANY = r"[^/]+"
_DATE = r"\d{4}-\d\d-\d\d(?:[-_T]\d\d[-:]\d\d[-:]\d\d)?"
_RUNS = (rf"(?<!\d)(?<!\d\d-\d\d-)(?:{_DATE}|\d+)(?!\d)", r"[^\W_]+", _ANY)


class Match(NamedTuple):
    """The names that a template reads from a path, and another way to read it."""

    said: Mapping[str, str]
    other: Mapping[str, str]


def name_by_template(
    files: Sequence[SourceFile], template: str, *, is_paired: bool = False
) -> tuple[list[SourceFile], list[str]]:
    """Return the files that match a template, with the names that it reads, and notes.

    It is relative to the folder of a file, and may be of the folders in that, or of the
    last parts of paths; "*" is any text in a part.
    """
    whole, n_parts = [*map(place_of, files)], 1 + template.strip("/").count("/")
    # Of the files, of their folders, or of what the paths of single files end in.
    for part in (slice(None), slice(n_parts), slice(-n_parts, None)):
        places = ["/".join(x.split("/")[part]) for x in whole]
        matches = match_paths(places, template)
        if any(matches) and (part.start is None or len({*places}) == len(whole)):
            break
    else:
        places, matches = whole, [None] * len(whole)
    others = [place for place, x in zip(places, matches, strict=True) if x is None]
    named = [
        file._replace(said=x.said)
        for file, x in zip(files, matches, strict=True)
        if x is not None
    ]
    first = check_matches(places, matches, template)
    notes = [f"{first} was read as {say_match(named[0].said or {})}"]
    run = (named[0].said or {}).get("run", "")
    if FOLD.fullmatch(run) or FOLD.search(re.sub(r"\d", "", template)):
        note = f"if {{run}} is a fold, pass {OF_FOLDS}"
        notes.append(note if is_paired else Caution(note))
    if others:
        some = "file was" if len(others) == 1 else "files were"
        notes.append(
            f"{len(others)} other {some} left out, not as --path {template!r}: "
            f"{list_names(others, 3)}"
        )
    return named, notes


def check_matches(
    places: Names,
    matches: Sequence[Match | None],
    template: str,
    option: str = "--path",
) -> str:
    first = next((x for x, y in zip(places, matches, strict=True) if y), None)
    if first is None:
        what = "files" if option == "--path" else "names of columns"
        refuse(
            f"Expected {what} such as {option} {template!r}; got "
            f"{list_names(places, 5)}."
        )
    two_ways = find_two_ways(places, matches, template)
    if two_ways is None:
        return first
    place, (said, other) = two_ways
    advice = "Rename"
    if said.get("task") != other.get("task") and "model" in said:
        literal = template.replace("{task}", said["task"])
        advice = f"Read one task with {option} {literal!r}, rename"
    msg = (
        f"Expected {option} {template!r} to read each name in one way; got {place}, "
        f"which may be {say_match(said)}, or {say_match(other)}. {advice} "
        f"{_OTHERWISE.get(option, 'these columns, or add words that all have')}."
    )
    raise TableError(msg)


def match_paths(
    places: Names, template: str, option: str = "--path"
) -> list[Match | None]:
    """Match each path, or name, with a template, or return None for it.

    Names side by side are read with the first as short, and as long, as possible; a run
    is preferably a number.
    """
    if re.fullmatch(r"\{\w+\}", template) and option != "--path":
        return [Match(x, x) for x in ({template[1:-1]: y} for y in places)]
    matches_by_run: list[list[Match | None]] = []
    for run in _RUNS:
        shortest, longest = (
            _compile(template, run, mark, option) for mark in ("?", "")
        )
        matches_by_run.append([_match(x, shortest, longest) for x in places])
    counts = [sum(x is not None for x in y) for y in matches_by_run]
    # Beside columns of scores there are others, but for paths.
    least = counts[-1] if option == "--path" else min(2, *counts[-1:])
    return next(x for x, n in zip(matches_by_run, counts, strict=True) if n >= least)


def place_of(file: SourceFile) -> str:
    path = Path(file.path)
    return (path if file.folder is None else path.relative_to(file.folder)).as_posix()


def cut_suffix(place: str) -> str:
    folder, slash, name = place.rpartition("/")
    return f"{folder}{slash}{name_stem(name)}"


def _match(
    place: str, shortest: re.Pattern[str], longest: re.Pattern[str]
) -> Match | None:
    for text in (place, cut_suffix(place)):
        first, last = shortest.fullmatch(text), longest.fullmatch(text)
        if first is not None and last is not None:
            return Match(
                *(
                    {x: " ".join(y.split()) for x, y in m.groupdict().items()}
                    for m in (first, last)
                )
            )
    return None


def find_two_ways(
    places: Names, matches: Sequence[Match | None], template: str
) -> tuple[str, Match] | None:
    """Return the first path that the template splits in several ways, if any."""
    if any("*" in x and "{" in x for x in template.split("/")):
        return None
    ways = [(x, y) for x, y in zip(places, matches, strict=True) if y is not None]
    if "}{run}" in template and not _are_numbered([x.said for _, x in ways]):
        # 180 of "resnet", or 0 of "resnet18"?
        ways = [(place, _move_digits(x)) for place, x in ways]
    return next(((place, x) for place, x in ways if x.said != x.other), None)


def _are_numbered(said: Sequence[Mapping[str, str]]) -> bool:
    runs: dict[str, set[str]] = {}
    for x in said:
        runs.setdefault(x.get("model", ""), set()).add(x["run"])
    every = set().union(*runs.values())
    if all(x == every for x in runs.values()):
        return True
    numbers = {int(x) for x in every if x.isdecimal()}
    return len(numbers) == len(every) == max(numbers) - min(numbers) + 1


def _move_digits(match: Match) -> Match:
    run = match.said["run"]
    if match.said != match.other or len(run) < 2 or "model" not in match.said:
        return match
    model = f"{match.said['model']}{run[:-1]}"
    return Match(match.said, {**match.said, "model": model, "run": run[-1]})


def say_match(said: Mapping[str, str]) -> str:
    return ", ".join(f"{role} {x!r}" for role, x in said.items())


def _compile(template: str, run: str, mark: str, option: str) -> re.Pattern[str]:
    pieces = re.split(r"(\{\w*\}|\*)", template.replace(os.sep, "/"))
    pattern, known = "", set()
    for piece in pieces:
        role = piece[1:-1] if piece.startswith("{") and piece.endswith("}") else None
        if role is None:
            pattern += "[^/]*" if piece == "*" else re.escape(piece)
            continue
        names = _ROLES.get(option, (role,))
        if not role or role not in names or role in known:
            which = "{task}, {model} and {run}" if len(names) > 1 else "names in {}"
            refuse(
                f"Expected {option} with {which}, each at most once; got {template!r}."
            )
        known.add(role)
        text = _ANY if role in NAMES else run
        pattern += f"(?P<{role}>{text}{mark if text == _ANY else ''})"
    if not known:
        refuse(
            "Expected --path to name parts of a path, such as "
            f"'{{task}}/{{model}}/seed{{run}}.json'; got {template!r}."
        )
    return re.compile(pattern)


_WORD = "|".join(
    (*sorted(RATERS, key=len, reverse=True), "seed|run|trial|fold|rep|s|r")
)
_COUNT = rf"(?P<word>(?:{_WORD})?[-_ .]?)(?P<number>\d+)"
# A letter before a number, as of "v2", is of a version or of a size.
_NAMES = (
    re.compile(rf"(?P<model>.+?)(?P<mark>[-_ ./]){_COUNT}", re.I),
    re.compile(r"(?P<model>.+(?<![\W_][^\W\d_]))(?P<mark>)(?P<word>)(?P<number>\d+)"),
    re.compile(rf"{_COUNT}(?P<mark>[-_ ./])(?P<model>.*[^\W\d_].*)", re.I),
)
_OF_SCORES = ("model", "metric", "score")
_BRACES = re.compile(r"\{\w*\}")
_MAX_SHOWN, _MAX_NUMBERS = 3, 5


def stack_columns(
    frame: Frame | None, name: str, content: Any, choice: Choice
) -> Frame:
    """Return a row for each score of the columns whose names match a pattern.

    Its braces name columns. pandas calls the second of several columns "ours" "ours.1",
    so that the first is run 0 of "{model}.{run}".
    """
    option, pattern = "--columns", choice.pattern or ""
    if frame is None:
        sizes = sorted({*map(len, content.values())})
        if len(sizes) > 1:
            refuse(f"{name}: expected lists of one size for {option}; got {sizes}.")
        frame = Frame("lists", name, content, range(1, sizes[0] + 1), "score")
    if choice.summed and {*choice.summed} <= {*frame.columns}:
        return frame  # whose columns of each model have been turned
    known = {**find_roles(frame, {}), **frame.keep_known(choice.columns)}
    named = {y for x, y in known.items() if x not in _OF_SCORES}
    names = [x for x in frame.columns if x not in named]
    if re.fullmatch(r"\{\w+\}", pattern):  # all numbers without another role
        names = list_metrics(frame, known)
        raters = advise_raters(frame, names, known) if "rater" in pattern else None
        names = names if raters is None else list(raters.columns)
    matches = match_paths(names, pattern, option)
    grid = find_wider_grid(names, pattern, [x and x.said for x in matches])
    matches = (
        matches if grid is None else [None if x is None else Match(x, x) for x in grid]
    )
    first = check_matches(names, matches, pattern, option)
    said = {x: y.said for x, y in zip(names, matches, strict=True) if y is not None}
    if pattern == "{model}.{run}":
        models = {x["model"] for x in said.values()}
        said |= {x: {"model": x, "run": "0"} for x in names if x in models}
    kept = {x: cells for x, cells in frame.columns.items() if x not in said}
    notes = [f"{first!r} was read as {say_match(said[first])}"]
    if FOLD.search(first) and not choice.is_paired:
        notes += [Caution("for the number of a fold, write {fold}; pass --fold fold")]
    others = [x for x, y in kept.items() if x not in named and is_numeric(y)]
    of_models = dict.fromkeys(x["model"] for x in said.values() if "model" in x)
    notes += say_others(others, [*of_models], pattern)
    factors = {x: [by[x] for by in said.values()] for x in said[first]}
    of_rows = frame.columns.get(known.get("model", ""), [])
    are_models = len({*of_rows}) == len(frame.lines) > 0
    if {*factors} - {*NAMES} and known.keys() <= {*_OF_SCORES} and not are_models:
        kept["item"] = list(map(str, frame.lines))
        notes.append("each row was taken for an item, by which models are paired")
    taken = [x for x in (*factors, "score") if x in kept]
    if taken:
        refuse(
            f"{frame.source}: expected other names in --columns {pattern!r} than those "
            f"of columns; got {taken[0]!r}. Rename that column."
        )
    return replace(
        frame.stack([*said], factors, kept),
        metrics=frame.metrics and ("score",),
        notes=(*frame.notes, *notes),
    )


def doubt_names(
    table: ScoreTable,
    files: Sequence[SourceFile],
    choice: Choice,
    *,
    are_columns: bool = False,
) -> list[str]:
    """Doubt that names such as "ours_1" and "ours_2" are those of models."""
    is_said = any(x.is_named or x.said is not None for x in files)
    is_said |= table.run_column is not None
    found = find_pattern(table.models)
    if is_said or (choice.models, choice.pattern) != (None, None) or found is None:
        return []
    pattern, by = found
    runs, raters = (
        quote_columns(x) for x in (pattern, pattern.replace("{run}", "{rater}"))
    )
    raters += " --unit item --run rater"
    if not are_columns and len(files) > 1:
        place = place_of(files[0])
        names = pattern.replace("{rater}", "{run}")
        way = f"{names}{place.removeprefix(cut_suffix(place))}"
        advice = f"For these, pass --path {shlex.quote(way)}; for models, NAME=FILE"
        if not any(match_paths([*map(place_of, files)], way)):
            advice = "For these, pass NAME=PATH with one name for all of a model; for "
            advice += "models, with a name for each"
    elif not are_columns:
        advice = "For these, write the number in a column of runs, or of raters"
    elif "{rater}" in pattern or re.search(r"[^\W\d_]{2}", _BRACES.sub("", pattern)):
        way = raters if "{rater}" in pattern else runs
        advice = f"For these, pass {way}; for models, name them with --columns"
    else:
        advice = f"For runs, pass {runs}; for raters, {raters}; for models, name them "
        advice += "with --columns"
    numbers = ", ".join(next(iter(by.values()))[:_MAX_NUMBERS])
    return [
        f"{table.source}: {len(table.models)} models were read, "
        f"{list_names(table.models, _MAX_SHOWN)}; {list_names([*by], _MAX_SHOWN)} with "
        f"the same numbers {numbers} may be {len(by)} models with several runs or "
        f"raters. {advice}"
    ]


def say_grid(table: ScoreTable, choice: Choice) -> list[str]:
    """Say that names of models may be of raters, too: they have all pairs of parts."""
    if table.unit != "item" or (choice.models, choice.pattern) != (None, None):
        return []
    values = {y for by in table.tasks.values() for x in by.values() for y in x.tolist()}
    if not {*range(11)} >= values or len(values) < 3:
        return []
    for mark in "_-. /":
        pairs = [x.rpartition(mark)[::2] for x in table.models]
        models, raters = (list(dict.fromkeys(x)) for x in zip(*pairs, strict=True))
        words = list_words(" ".join(raters))
        is_grid = len(models) * len(raters) == len(pairs) and len(raters) > 1
        is_of_models = words & VARIANTS or any(map(str.isdecimal, words))
        if is_grid and len(models) > 1 and "" not in models and not is_of_models:
            pattern = shlex.quote(f"{{model}}{mark}{{rater}}")
            return [
                f"{table.source}: {len(pairs)} models were read, "
                f"{list_names(table.models, _MAX_SHOWN)}. If these are {len(models)} "
                f"models with ratings by {list_names(raters, _MAX_SHOWN)}, pass "
                f"--columns {pattern} --unit item --run rater, which averages them"
            ]
    return []


def find_pattern(names: Names) -> tuple[str, Mapping[str, Names]] | None:
    found: dict[str, dict[str, list[str]]] = {}
    for name in names:
        matches = [y for x in _NAMES if (y := x.fullmatch(name)) is not None]
        for x in matches[:1]:
            role = "rater" if x["word"].strip("-_ .").lower() in RATERS else "run"
            parts = {"model": "{model}", "number": f"{{{role}}}"}
            ends = sorted(("model", "mark", "word", "number"), key=x.start)
            pattern = "".join(parts.get(y, x[y]) for y in ends)
            by = found.setdefault(pattern, {})
            by.setdefault(x["model"], []).append(x["number"])
    for pattern, by in found.items():
        runs = {x: tuple(sorted(y, key=int)) for x, y in by.items()}
        counts = collections.Counter(x for x in runs.values() if len(x) > 1)
        same = next((x for x, n in counts.items() if n > 1), None)
        has_word = bool(re.search(r"[^\W\d_]", _BRACES.sub("", pattern)))
        if same is not None and (has_word or count_up([*map(int, same)])):
            return pattern, {x: y for x, y in runs.items() if y == same}
    return None
