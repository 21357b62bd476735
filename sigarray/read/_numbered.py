"""Names of columns that have a run or a rater in them: "ours_1", "rater2_base"."""

import collections
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sigarray.read._files import SourceFile
from sigarray.read._frame import Frame, Names, is_numeric, list_names
from sigarray.read._roles import find_roles
from sigarray.read._score_table import Choice, ScoreTable
from sigarray.read._templates import (
    NAMES,
    check_matches,
    cut_suffix,
    match_paths,
    place_of,
    say_match,
)
from sigarray.read._text import TableError
from sigarray.read._words import RATERS, count_up

_WORD = "|".join(
    (*sorted(RATERS, key=len, reverse=True), "seed", "run", "trial", "rep", "s", "r")
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

    What its braces name are columns. pandas calls the second of several columns "ours"
    "ours.1", so that the first is run 0 of "{model}.{run}".
    """
    option, pattern = "--columns", choice.pattern or ""
    if frame is None:
        sizes = sorted({*map(len, content.values())})
        if len(sizes) > 1:
            msg = f"{name}: expected lists of one size for {option}; got {sizes}."
            raise TableError(msg)
        frame = Frame("lists", name, content, range(1, sizes[0] + 1), "score")
    chosen = {x: y for x, y in (choice.columns or {}).items() if y in frame.columns}
    known = {**find_roles(frame, {}), **chosen}
    named = {y for x, y in known.items() if x not in _OF_SCORES}
    names = [x for x in frame.columns if x not in named]
    matches = match_paths(names, pattern, option)
    first = check_matches(names, matches, pattern, option)
    said = {x: y.said for x, y in zip(names, matches, strict=True) if y is not None}
    if pattern == "{model}.{run}":
        models = {x["model"] for x in said.values()}
        said |= {x: {"model": x, "run": "0"} for x in names if x in models}
    kept = {x: cells for x, cells in frame.columns.items() if x not in said}
    notes = [f"{first!r} was read as {say_match(said[first])}"]
    others = [x for x, y in kept.items() if x not in named and is_numeric(y)]
    if others:
        notes.append(f"no scores are {list_names(others, _MAX_SHOWN)}")
    factors = {x: [by[x] for by in said.values()] for x in said[first]}
    if {*factors} - {*NAMES} and known.keys() <= {*_OF_SCORES}:
        kept["item"] = list(map(str, frame.lines))
        notes.append("each row was taken for an item, by which models are paired")
    taken = [x for x in (*factors, "score") if x in kept]
    if taken:
        msg = (
            f"{frame.source}: expected other names in --columns {pattern!r} than those "
            f"of columns; got {taken[0]!r}. Rename that column."
        )
        raise TableError(msg)
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
    """Doubt that names are those of models if the same numbers recur in several.

    Such as "ours_1", "ours_2", "base_1" and "base_2", unless the user named them.
    """
    is_said = any(x.is_named or x.said is not None for x in files)
    found = find_pattern(table.models)
    if is_said or (choice.models, choice.pattern) != (None, None) or found is None:
        return []
    pattern, by = found
    raters = f"{advise_raters(table.models)} --unit item --run rater"
    runs = f"--columns {shlex.quote(pattern)}"
    if not are_columns and len(files) > 1:
        place = place_of(files[0])
        names = pattern.replace("{rater}", "{run}")
        way = shlex.quote(f"{names}{place.removeprefix(cut_suffix(place))}")
        advice = f"For these, pass --path {way}; for models, NAME=FILE"
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


def advise_raters(names: Names) -> str:
    """Return the option by which names are of models and raters, or nothing."""
    found = find_pattern(names)
    if found is None:
        return ""
    return f"--columns {shlex.quote(found[0].replace('{run}', '{rater}'))}"


def find_pattern(names: Names) -> tuple[str, Mapping[str, Names]] | None:
    """Return the pattern of names of the same runs of models, and the runs of each."""
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
