"""Several columns that together name the item, run or task of a score."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sigarray._plain_text import squeeze
from sigarray.read._bytes import TableError
from sigarray.read._cells import encode_texts
from sigarray.read._codes import Coded, find_first, group_rows, repeat
from sigarray.read._frame import Frame, find_roles, list_names, names_runs
from sigarray.read._identifiers import are_of_one_item
from sigarray.read._settings import do_models_differ, may_be_setting
from sigarray.read._words import (
    HYPERPARAMETERS,
    MAYBE_HYPERPARAMETERS,
    RATERS,
    list_words,
)

_SETTINGS = HYPERPARAMETERS | MAYBE_HYPERPARAMETERS


def put_together(frame: Frame, chosen: Mapping[str, str]) -> Frame:
    """Return the table with one column for those that are named with a comma.

    An example is "repeat,fold" for --run: the new column replaces these, except for
    those that are also named for something else.
    """
    for name in dict.fromkeys(chosen.values()):
        parts = [part.strip() for part in name.split(",")]
        if name in frame.columns or len(parts) < 2:
            continue
        if not all(part in frame.columns for part in parts):
            continue
        if frame.twice:
            msg = (
                f"{frame.source}: expected each column once; got "
                f"{list_names(frame.twice)} twice. Rename one, or remove it."
            )
            raise TableError(msg)
        whole = frame
        texts = [encode_texts(frame.columns[part]) for part in parts]
        groups, n_groups = group_rows(texts)
        rows = zip(*(x[find_first(groups, n_groups)] for x in texts), strict=True)
        names = [None if None in row else ", ".join(row) for row in rows]
        joined = Coded(groups, names)
        others = {
            column: x
            for column, x in frame.columns.items()
            if column not in parts or column in chosen.values()
        }
        frame = replace(
            frame,
            columns={name: joined, **others},
            together=(*frame.together, name),
        )
        if name == chosen.get("item") and "cluster" not in chosen:
            frame = replace(frame, doubts=(*frame.doubts, *_doubt_items(parts)))
        if name == chosen.get("run"):
            said = _say_settings(whole, chosen, dict(zip(parts, texts, strict=True)))
            frame = replace(frame, notes=(*frame.notes, *said))
    return frame


def _doubt_items(parts: Sequence[str]) -> list[str]:
    """Say that raters, samples or runs of an item make items of their own."""
    runs = [x for x in parts if list_words(x) & RATERS or names_runs(x)]
    samples = [x for x in parts if are_of_one_item(x) and x not in runs]
    items = ",".join(x for x in parts if x not in (*runs, *samples))
    if not items or not (runs or samples):
        return []
    ways = [f"--run {','.join(runs)}"] if runs else []
    ways += [f"--ignore {','.join(samples)}"] if samples else []
    return [
        f"scores of one item by {list_names([*runs, *samples])} are taken for items of "
        "their own, though they are not independent. Average them with "
        f"--item {items} {' '.join(ways)} --unit item"
    ]


def _say_settings(
    frame: Frame, chosen: Mapping[str, str], parts: Mapping[str, Coded]
) -> list[str]:
    """Say which settings vary in the runs of one model, as --run says."""
    known = {role: x for role, x in chosen.items() if x in frame.columns}
    model = find_roles(frame, known).get("model")
    models = (
        repeat("", len(frame.lines))
        if model is None
        else encode_texts(frame.columns[model])
    )
    settings = [
        x
        for x, texts in parts.items()
        if squeeze(x) in _SETTINGS
        or (
            may_be_setting(x)
            and not names_runs(x)
            and do_models_differ(x, models, texts)
        )
    ]
    if not settings:
        return []
    return [
        f"runs of all values of {list_names(settings)} were taken together: a verdict "
        "is on runs in which these vary as they do here"
    ]
