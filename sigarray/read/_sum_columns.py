"""Which columns have the sums of a metric: by their names, or else by their order."""

import csv
from collections.abc import Sequence
from typing import NamedTuple

from sigarray._plain_text import list_in_words, squeeze
from sigarray.read._frame import Frame, lacks_column, list_names

# How parameters are named, and what they are.
_MEANINGS = {
    "tp": "true positives",
    "fp": "false positives",
    "fn": "false negatives",
    "tn": "true negatives",
    "errors": "errors",
    "words": "words",
    "nll": "negative log-likelihoods",
    "tokens": "tokens",
    "numerators": "numerators",
    "denominators": "denominators",
}
_OTHER_NAMES = {
    "truepositive": "tp",
    "falsepositive": "fp",
    "falsenegative": "fn",
    "truenegative": "tn",
    "negativeloglikelihood": "nll",
}
# Names without the s of a plural -> parameters.
_KNOWN = {x.rstrip("s"): x for x in _MEANINGS} | _OTHER_NAMES
_COUNTS = ("tp", "fp", "fn", "tn")
# No other metric takes these; words and errors may be of several.
_OF_ONE_KIND = (*_COUNTS, "nll")
_FOUND = ("tp", "fp", "fn")
# Metric -> its parameters, in their order; those of several classes are blocks.
_PARAMETERS = {
    "accuracy": (_COUNTS, _FOUND),
    "f1": (_FOUND,),
    "macro_f1": (_FOUND,),
    "matthews_correlation": (_COUNTS, _FOUND),
    "perplexity": (("nll", "tokens"),),
    "precision": (("tp", "fp"), _FOUND),
    "ratio": (("numerators", "denominators"),),
    "recall": (("tp", "fn"), _FOUND),
    "word_error_rate": (("errors", "words"),),
}


class Named(NamedTuple):
    """A parameter that the name of a column says, and the class that it is of."""

    parameter: str
    of: str


def split_columns(said: str) -> list[str]:
    """Return the names of columns that are listed with commas."""
    return [" ".join(x.split()) for x in next(csv.reader([said]))]


def order_columns(metric: str | None, columns: Sequence[str]) -> list[str]:
    """Return columns in the order of a metric's parameters, if all names say these.

    Other columns stay in their order, and so do all for a function of one's own, which
    is no `metric` here.
    """
    layout = _find_layout(metric, len(columns))
    if layout is None:
        return list(columns)
    size = len(columns) // len(layout)
    named = [_find_parameter(x, layout, size) for x in columns]
    classes = list(dict.fromkeys(x.of for x in named if x is not None))
    by_name = {x: y for x, y in zip(named, columns, strict=True) if x is not None}
    wanted = [Named(x, y) for x in layout for y in classes]
    if {*wanted} == {*by_name} and len(by_name) == len(columns):
        return [by_name[x] for x in wanted]
    _refuse_other_kinds(metric, columns, layout)
    for k, (name, column) in enumerate(zip(named, columns, strict=True)):
        place = layout[k // size]
        if name is not None and name.parameter != place:
            msg = (
                f"Expected --score to name columns of {_list_meanings(layout)}"
                f"{' of each class' if size > 1 else ''}, in this order, for "
                f"--statistic {metric}; got {column!r} in the place of "
                f"{_MEANINGS[place]}. Name all columns by these parameters "
                f"({', '.join(layout)}), or rename {column!r}."
            )
            raise ValueError(msg)
    return list(columns)


def say_columns(metric: str | None, columns: Sequence[str]) -> str:
    """Say which column has which parameter of a metric."""
    layout = _find_layout(metric, len(columns))
    if layout is None:
        return ", ".join(map(repr, columns))
    size = len(columns) // len(layout)
    return list_in_words(
        [
            f"{_MEANINGS[x]} {list_names(columns[k * size : (k + 1) * size])}"
            for k, x in enumerate(layout)
        ]
    )


def refuse_other_columns(frames: Sequence[Frame | None], names: Sequence[str]) -> None:
    """Refuse names of --score that no table has."""
    present = [x for x in frames if x is not None]
    known = {x for frame in present for x in frame.columns}
    for name in names if present else ():
        if name not in known:
            first = present[0]
            raise lacks_column(first.source, name, first.names_in_file, "score")


def _find_layout(metric: str | None, n_columns: int) -> tuple[str, ...] | None:
    """Return the parameters of so many columns; none if the metric has no names."""
    every = _PARAMETERS.get(metric or "", ())
    exact = [x for x in every if len(x) == n_columns]
    blocks = [x for x in every if x == _FOUND and n_columns % len(x) == 0]
    return next(iter([*exact, *blocks]), None)


def _find_parameter(column: str, layout: Sequence[str], size: int) -> Named | None:
    """Return the parameter that a column is named by, if it is one of this kind.

    With several classes it begins or ends the name, as in "tp_cat".
    """
    kinds = _COUNTS if "tp" in layout else layout
    parameter = _KNOWN.get(squeeze(column).removesuffix("s"))
    if parameter is not None and parameter in kinds and size == 1:
        return Named(parameter, "")
    words = column.lower().replace("-", "_").replace(" ", "_").split("_")
    for word, rest in ((words[0], words[1:]), (words[-1], words[:-1])):
        if size > 1 and rest and word in kinds:
            return Named(word, "_".join(rest))
    return None


def _refuse_other_kinds(
    metric: str | None, columns: Sequence[str], layout: Sequence[str]
) -> None:
    """Refuse numbers that another metric takes; a ratio may be of any."""
    for column in columns:
        parameter = _KNOWN.get(squeeze(column).removesuffix("s"))
        is_other = parameter in _OF_ONE_KIND and not {*layout} & {*_kind_of(parameter)}
        if parameter is not None and is_other and metric != "ratio":
            msg = (
                f"Expected --score to name columns of {_list_meanings(layout)} for "
                f"--statistic {metric}; got {column!r}, {_MEANINGS[parameter]}. Choose "
                f"another metric, or rename {column!r}."
            )
            raise ValueError(msg)


def _kind_of(parameter: str | None) -> Sequence[str]:
    return _COUNTS if parameter in _COUNTS else [str(parameter)]


def _list_meanings(layout: Sequence[str]) -> str:
    return list_in_words([_MEANINGS[x] for x in layout])
