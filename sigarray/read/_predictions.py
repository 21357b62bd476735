"""Predictions, and preferences of two models: these are no scores."""

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from sigarray._backend.given import looks_like_index
from sigarray._plain_text import squeeze
from sigarray.read._cells import (
    as_text,
    encode_texts,
    find_missing,
    is_blank,
    looks_like_score,
)
from sigarray.read._frame import Frame, Names, Roles, list_names, quote_names
from sigarray.read._raters import are_of_one_item
from sigarray.read._roles import find_roles, find_score, is_long, list_metrics
from sigarray.read._text import TableError, refuse
from sigarray.read._words import MAYBE_TRUTHS, METRICS, TRUTHS, as_words, list_words

_PREDICTION = re.compile(
    r"y?(hat|pred(s|icted|ictions?)?)(label|class|answer|value)?s?"
    r"|(model|label|class)?(pred(s|icted)?|predictions?)"
)
# With fewer values, scores of right and wrong may look like those of the truth.
_MIN_CLASSES = 3
_MAX_LOOKED_AT = 1000
# By the first of them most columns are known to have no names.
_FIRST = 5
_TIE = re.compile(r"(tie[ds]?|draws?|both|neither|equal|same|none|nopreference).*|0")
_SIDES = (
    *(("a", "b"), ("1", "2"), ("x", "y"), ("left", "right"), ("first", "second")),
    *(("win", "loss"), ("win", "lose"), ("wins", "losses"), ("won", "lost")),
    *(("better", "worse"), ("modela", "modelb"), ("systema", "systemb")),
)
# Numbers for the first model, the second one, and a tie.
_NUMBERS = ((1.0, -1.0, 0.0), (1.0, 2.0, 0.0), (1.0, 2.0, 1.5), (1.0, 0.0, 0.5))
_OF_WINS = as_words("""
    preference preferences preferred prefer pref winner win wins won vote choice chosen
    verdict outcome result better label
""")
_OF_ANSWERS = as_words("output response answer completion text")


def refuse_predictions(frame: Frame, chosen: Roles, metric: str | None) -> None:
    if frame.metrics is not None or "score" in chosen or not frame.lines:
        return
    roles = find_roles(frame, chosen)
    column: str | None
    try:
        column = find_score(frame, roles, metric)
    except TableError:
        column = _find_only(frame, roles) if metric is None else None
    if column is not None and _is_prediction(frame, roles, column):
        refuse(
            f"{frame.source}: expected scores; got {column!r}, which seems to be of "
            "predictions, or the truth. Write a column of whether each prediction is "
            "right, as 1 or 0, or of another score of it, and name it with --metric; "
            f"or pass --score {column} where it is one."
        )


def _find_only(frame: Frame, roles: Roles) -> str | None:
    names = list_metrics(frame, roles) or [
        x for x in frame.columns if _PREDICTION.fullmatch(squeeze(x))
    ]
    predictions = [x for x in names if _is_prediction(frame, roles, x)]
    return predictions[-1] if predictions and len(predictions) == len(names) else None


def _is_prediction(frame: Frame, roles: Roles, column: str) -> bool:
    name = squeeze(column)
    others = [x for x in frame.columns if x not in {*roles.values(), column}]
    if _PREDICTION.fullmatch(name):
        return True
    if name in TRUTHS | MAYBE_TRUTHS:
        return any(_PREDICTION.fullmatch(squeeze(x)) for x in others)
    if name in METRICS:
        return False
    truths = [frame.columns[x] for x in others if squeeze(x) in TRUTHS]
    if not truths:
        return False
    values = {*encode_texts(frame.columns[column]).list_known()}
    return len(values) >= _MIN_CLASSES and any(
        values <= {*encode_texts(cells).list_known()} for cells in truths
    )


class _Preferences(NamedTuple):
    """The columns of two models, of which is better, and the values in that.

    `wins` are those for a win of each model, or None if it is the name of the model.
    """

    first: str
    second: str
    better: str
    wins: tuple[str, str] | None
    ties: tuple[str, ...]
    others: tuple[str, ...] = ()


def refuse_preferences(frame: Frame, chosen: Roles, metrics: Names) -> None:
    if frame.metrics is not None or frame.roles or is_long(frame, {}):
        return
    found = _find_preferences(frame)
    said = {*metrics, *chosen.values()}
    if found is None and not said:
        _refuse_single_preferences(frame)
    if found is None or (found.better in said and _are_numbers(frame, found.better)):
        return
    which = "says which is better"
    if found.wins is not None:
        first, second = (_write_value(frame, found.better, x) for x in found.wins)
        are_numbers = _are_numbers(frame, found.better)
        which += (
            f" ({'if ' if are_numbers else ''}{first} is for {found.first!r}, and "
            f"{second} for {found.second!r})"
        )
    if found.others:
        names = [found.better, *found.others]
        refuse(
            f"{frame.source}: expected scores of models; got what looks like several "
            f"preferences of {found.first!r} or {found.second!r}, {list_names(names)}, "
            "as of answers in both orders. Put them below each other: in pandas, if "
            f"frame is this table, names = {names}; frame = frame.melt([x for x in "
            "frame if x not in names], names, 'order', 'winner'). Or leave all but one "
            "out, if they are of other questions."
        )
    cells = frame.columns[found.better]
    missing = find_missing(cells)
    words = sorted({str(x) for x in np.asarray(cells, dtype=object)[missing] if x})
    rows = f"frame = frame.dropna(subset=[{found.better!r}]); " if missing.any() else ""
    if words:
        rows += f"frame = frame[~frame[{found.better!r}].isin({words})]; "
    refuse(
        f"{frame.source}: expected scores of models; got what looks like preferences: "
        f"{found.first!r} and {found.second!r} name two models, and {found.better!r} "
        f"{which}. Make a row for each model, with 1 for a win, 1/2 for a tie and 0 "
        f"for a loss. In pandas, if frame is this table: {rows}{_write(frame, found)}. "
        f"Compare the wins on each pair of models with {_say_options(frame, found)}."
    )


# Words for a column with the better one of the same two models in all rows.
_SINGLE = as_words("preference preferences preferred prefer pref winner chosen")


def _refuse_single_preferences(frame: Frame) -> None:
    names = [x for x in frame.columns if list_words(x) & _SINGLE]
    taken = {*names, *find_roles(frame, {}).values()}
    others = [x for x in frame.columns if x not in taken]
    parts = [x for x in others if are_of_one_item(x)]
    if len(names) != 1 or not all(
        x in parts or looks_like_index(x, ()) for x in others
    ):
        return
    (column,) = names
    known = [x for x in dict.fromkeys(_read_texts(frame.columns[column])) if x]
    ties = [x for x in known if _TIE.fullmatch(squeeze(x)) or x in ("0", "0.0")]
    wins = [x for x in known if x not in ties]
    if len(wins) != 2 or len(ties) > 1:
        return
    are_numbers = all(map(looks_like_score, wins))
    if are_numbers:
        wins.sort(key=float, reverse=True)
    texts = [_write_value(frame, column, x) for x in (*wins, *ties)]
    tie = f" + frame[{column!r}].eq({texts[2]}) / 2" if ties else ""
    models = ["A", "B"] if are_numbers else wins
    pairs = ", ".join(f"({x!r}, {y})" for x, y in zip(models, texts, strict=False))
    run = f" --run {quote_names(parts)}" if parts else ""
    refuse(
        f"{frame.source}: expected scores of models; got what looks like preferences: "
        f"{column!r} says which of two models is better ({', '.join(texts)}). Make a "
        "row for each model, with 1 for a win, 1/2 for a tie and 0 for a loss. In "
        "pandas, if frame is this table: wins = pd.concat(frame.assign(model=name, "
        f"win=frame[{column!r}].eq(x){tie}) for name, x in [{pairs}]).drop(columns="
        f"[{column!r}]). Compare the wins with --score win --unit item{run}."
    )


def _find_preferences(frame: Frame) -> _Preferences | None:
    n_rows = min(len(frame.lines), _MAX_LOOKED_AT)
    texts = {
        name: _read_texts(cells[:n_rows])
        for name, cells in frame.columns.items()
        if _may_name(cells[:_FIRST])
    }
    names = {x: y for x, y in texts.items() if _are_names(y)}
    known_last = sorted(names, key=lambda x: bool(list_words(x) & _OF_ANSWERS))
    for pair in itertools.combinations(known_last, 2):
        a, b = pair if _find_sides(*pair[::-1]) is None else pair[::-1]
        x, y = {*names[a]}, {*names[b]}
        is_shared = 2 * len(x & y) >= min(len(x), len(y))
        if not (is_shared or _find_sides(a, b)):
            continue
        if any(x == y for x, y in zip(names[a], names[b], strict=True)):
            continue
        found: list[_Preferences] = []
        for better, cells in frame.columns.items():
            values = texts.get(better) or _read_texts(cells[:n_rows])
            if better in (a, b) or not any(values):
                continue
            words = _OF_WINS if is_shared else _SINGLE
            is_of_wins = bool(list_words(better) & words)
            known = _find_wins(values, a, b, names, is_of_wins=is_of_wins)
            if known is not None:
                found.append(_Preferences(a, b, better, *known))
        if found:
            found.sort(key=lambda x: not list_words(x.better) & _OF_WINS)
            # Of the same name but for a number: of answers in both orders.
            name, *others = (re.sub(r"\d+", "", x.better) for x in found)
            same = [
                x.better for x, y in zip(found[1:], others, strict=True) if y == name
            ]
            return found[0]._replace(others=tuple(same))
    return None


def _find_wins(
    values: Names, a: str, b: str, names: Mapping[str, Names], *, is_of_wins: bool
) -> tuple[tuple[str, str] | None, tuple[str, ...]] | None:
    """Return the values for a win of each model, and for ties, or None for others.

    Numbers that may also be scores are wins where the column `is_of_wins` by its name.
    """
    known = dict.fromkeys(x for x in values if x)
    models = {*names[a], *names[b]}
    ties = tuple(x for x in known if x not in models and _TIE.fullmatch(squeeze(x)))
    rows = zip(values, names[a], names[b], strict=True)
    if len(ties) < len(known) and all(
        x in (*ties, "", first, second) for x, first, second in rows
    ):
        return None, ties
    if all(map(looks_like_score, known)):
        return _find_numbers([*known], is_of_wins=is_of_wins)
    by = {squeeze(x): x for x in known if x not in ties}
    for side, other in ((squeeze(a), squeeze(b)), *_SIDES):
        if by and {*by} <= {side, other}:
            return (by.get(side, side), by.get(other, other)), ties
    return None


def _find_numbers(
    texts: Names, *, is_of_wins: bool
) -> tuple[tuple[str, str], tuple[str, ...]] | None:
    try:
        numbers = {float(x): x for x in texts}
    except ValueError:  # a percentage, say
        return None
    for first, second, tie in _NUMBERS:
        are_plain = second < 0 and second in numbers
        if {*numbers} <= {first, second, tie} and (are_plain or is_of_wins):
            of_ties = (numbers[tie],) if tie in numbers else ()
            return (f"{first:g}", f"{second:g}"), of_ties
    if is_of_wins and all(1.0 <= x <= 2.0 for x in numbers):  # as AlpacaEval weighs
        return ("1", "2"), ()
    return None


def _read_texts(cells: Sequence[object]) -> list[str]:
    missing = find_missing(cells).tolist()
    return ["" if x else as_text(y) for x, y in zip(missing, cells, strict=True)]


def _may_name(cells: Sequence[object]) -> bool:
    is_text = not isinstance(cells, np.ndarray)
    return is_text and not any(is_blank(x) or looks_like_score(x) for x in cells)


def _are_names(texts: Names) -> bool:
    known = {*texts}
    are_texts = not any(not x or looks_like_score(x) for x in known)
    return are_texts and len(known) < len(texts)


def _find_sides(a: str, b: str) -> tuple[str, str] | None:
    x, y = list_words(a), list_words(b)
    return next((z for z in _SIDES if (x - y, y - x) == ({z[0]}, {z[1]})), None)


def _write(frame: Frame, found: _Preferences) -> str:
    better, both = found.better, [found.first, found.second]
    is_won = f"frame[{better!r}].eq("
    if found.wins is None:
        is_won, each = f"{is_won}frame[x])", f"x in {both!r}"
    else:
        wins = [_write_value(frame, better, x) for x in found.wins]
        which = ", ".join(f"({x!r}, {y})" for x, y in zip(both, wins, strict=True))
        is_won, each = f"{is_won}y)", f"x, y in [{which}]"
    ties = ", ".join(_write_value(frame, better, x) for x in found.ties)
    is_won += f" + frame[{better!r}].isin([{ties}]) / 2"
    texts = {*filter(None, _read_texts(frame.columns[better]))}
    if found.wins == ("1", "2") and any(1.0 < float(x) < 2.0 for x in texts):
        is_won = f"(frame[{better!r}] - (3 - y)).abs()"  # 1.5 is a tie, 1.9 nearly 2
    item = _find_item(frame, found)
    return (
        f"wins = pd.concat([frame.assign({item}model=frame[x], {_name_wins(found)}="
        f"{is_won}, pair=frame[{both!r}].apply(sorted, axis=1).str.join(' vs. ')) "
        f"for {each}])"
        f".drop(columns={[*both, better]!r})"
    )


def _find_item(frame: Frame, found: _Preferences) -> str:
    """Write what rows are of, if no name says so: what several raters have judged.

    In that column, each row of two models and raters is another.
    """
    if "item" in find_roles(frame, {}):
        return ""
    raters = [x for x in frame.columns if are_of_one_item(x)]
    known = {found.better, found.first, found.second, *raters}
    columns = {x: _read_texts(y) for x, y in frame.columns.items()}
    by = [columns[x] for x in (found.first, found.second, *raters)]
    for name in [x for x in columns if raters and x not in known]:
        rows = {*zip(columns[name], *by, strict=True)}
        if len(rows) == len(frame.lines) > len({*columns[name]}):
            return f"item=frame[{name!r}], "
    return "item=frame.index, "


def _write_value(frame: Frame, column: str, value: str) -> str:
    return f"{float(value):g}" if _are_numbers(frame, column) else repr(value)


def _are_numbers(frame: Frame, column: str) -> bool:
    texts = _read_texts(frame.columns[column][:_MAX_LOOKED_AT])
    return all(map(looks_like_score, filter(None, texts)))


def _name_wins(found: _Preferences) -> str:
    return "score" if found.better == "win" else "win"


def _say_options(frame: Frame, found: _Preferences) -> str:
    parts = [x for x in frame.columns if are_of_one_item(x) and x != found.better]
    run = f" --run {quote_names(parts)}" if parts else ""
    return f"--score {_name_wins(found)} --task pair --unit item{run}"
