"""Several columns that may be the score: sums of a metric, ratings, benchmarks."""

import csv
import itertools
import re
import shlex
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from sigarray._plain_text import PASS_AT_K, list_in_words, squeeze
from sigarray.read._cells import is_blank
from sigarray.read._frame import (
    MAX_LOOKED_AT,
    Frame,
    Names,
    list_names,
    quote_names,
    say_choice,
)
from sigarray.read._words import (
    LIKELY,
    METRICS,
    RATERS,
    SPLITS,
    SPREADS,
    are_runs,
    count_up,
    find_mixed,
    is_metric,
    is_summary,
    list_words,
)

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
_OF_BLEU = (f"{x}_{k}" for x in ("correct", "total") for k in range(1, 5))
# What numbers of items are asked about, the first that has all its parameters.
_ASKED = {
    **{x: _PARAMETERS[x][0] for x in ("f1", "perplexity", "word_error_rate")},
    **{x: _PARAMETERS[x][0] for x in ("precision", "recall", "ratio")},
    "bleu": ("sys_len", "ref_len", *_OF_BLEU),
}
# Names of scores of items -> the metric of the whole set.
_WHOLE = {x: x for x in ("f1", "precision", "recall", "perplexity", "bleu")}
_WHOLE |= {"ppl": "perplexity", "wer": "word_error_rate"}
_OF_COUNTS = ("f1", "precision", "recall")


class Sums(NamedTuple):
    """Columns whose sums a metric takes, and what --score calls them: "tp,fp,fn"."""

    metric: str
    columns: Names
    score: str

    @property
    def advice(self) -> str:
        return f"--statistic {self.metric} --score {self.score}"

    @property
    def counts(self) -> Names:
        return self.columns if self.metric in _OF_COUNTS else ()

    def take_whole(self, column: str) -> "Sums | None":
        metric = _WHOLE.get(column.lower(), "")
        if metric == self.metric or (self.metric == "f1" and metric in _OF_COUNTS):
            return self._replace(metric=metric)
        return self if column in self.columns and not self.counts else None


def find_sums(names: Iterable[str]) -> Sums | None:
    by = {_KNOWN.get(squeeze(x).removesuffix("s"), x.lower()): x for x in names}
    for metric, layout in _ASKED.items():
        if {*layout} <= {*by}:
            columns = [by[x] for x in layout]
            others = [by[x] for x in _COUNTS if x in by and metric in _OF_COUNTS]
            every = list(dict.fromkeys([*columns, *others]))
            return Sums(metric, every, quote_names(columns))
    return None


def find_sums_of_models(names: Iterable[str]) -> Sums | None:
    every = list(names)
    for metric, layout in _ASKED.items():
        for parts in (layout, [x.upper() for x in layout]):
            found = split_by_model(every, parts)
            if len(found) > 1:
                columns = [x for y in found.values() for x in y]
                return Sums(metric, columns, quote_names(parts))
    return None


def split_by_model(columns: Iterable[str], parts: Names) -> dict[str, list[str]]:
    """Return model -> its columns of some numbers, such as base_tp, or tp_base."""
    known = dict.fromkeys(columns)
    for by, is_last in itertools.product("_-. /", (True, False)):
        form = f"{{0}}{by}{{1}}" if is_last else f"{{1}}{by}{{0}}"
        pattern = re.escape(form).replace(r"\{0\}", "(.+)")
        pattern = pattern.replace(r"\{1\}", re.escape(parts[0]))
        models = [y[1] for x in known if (y := re.fullmatch(pattern, x))]
        found = {x: [form.format(x, y) for y in parts] for x in models}
        if found and {y for x in found.values() for y in x} <= known.keys():
            return found
    return {}


class Named(NamedTuple):
    parameter: str
    of: str


def split_columns(said: str) -> list[str]:
    return [" ".join(x.split()) for x in next(csv.reader([said]))]


def order_columns(metric: str | None, columns: Names) -> list[str]:
    """Return columns in the order of a metric's parameters, if all names say these."""
    if metric == "bleu":
        by = {x.lower(): x for x in columns}
        is_named = {*by} == {*_ASKED["bleu"]} and len(by) == len(columns)
        return [by[x] for x in _ASKED["bleu"]] if is_named else list(columns)
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


def say_columns(metric: str | None, columns: Names) -> str:
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


def _find_layout(metric: str | None, n_columns: int) -> tuple[str, ...] | None:
    every = _PARAMETERS.get(metric or "", ())
    exact = [x for x in every if len(x) == n_columns]
    blocks = [x for x in every if x == _FOUND and n_columns % len(x) == 0]
    return next(iter([*exact, *blocks]), None)


def _find_parameter(column: str, layout: Names, size: int) -> Named | None:
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


def _refuse_other_kinds(metric: str | None, columns: Names, layout: Names) -> None:
    for column in columns:
        parameter = _KNOWN.get(squeeze(column).removesuffix("s"))
        kind = _COUNTS if parameter in _COUNTS else [str(parameter)]
        is_other = parameter in _OF_ONE_KIND and not {*layout} & {*kind}
        if parameter is not None and is_other and metric != "ratio":
            msg = (
                f"Expected --score to name columns of {_list_meanings(layout)} for "
                f"--statistic {metric}; got {column!r}, {_MEANINGS[parameter]}. Choose "
                f"another metric, or rename {column!r}."
            )
            raise ValueError(msg)


def _list_meanings(layout: Names) -> str:
    return list_in_words([_MEANINGS[x] for x in layout])


_MAX_NAMED, _FEWEST_ITEMS = 20, 3


_TASK_RUNS = {
    r"{task}\g<mark>{run}": r"(?P<task>.+)(?P<mark>[\W_][a-z]*)(?P<run>\d+)",
    r"\g<word>{run}\g<mark>{task}": r"(?P<word>[a-z]*)(?P<run>\d+)(?P<mark>[\W_])"
    "(?P<task>.+)",
}


_COUNT = re.compile(r"(?i)(((fold|split|cv)|seed|run)[-_ .]?)(\d+|\{run\})")


def quote_columns(pattern: str) -> str:
    """Return --columns with a pattern, of folds behind such a word."""
    way = _COUNT.sub(lambda x: x[1] + ("{fold}" if x[3] else "{run}"), pattern)
    of = " --run run" * ("{run}" in way) + " --fold fold" if "{fold}" in way else ""
    return f"--columns {shlex.quote(way)}{of}"


def find_task_runs(names: Names) -> str | None:
    """Return --columns '{task}_seed{run}' if columns are runs, or folds, of tasks."""
    for form, way in _TASK_RUNS.items():
        found = [x for y in names if (x := re.fullmatch(way, y))]
        tasks, runs = ({x[y] for x in found} for y in ("task", "run"))
        # These are of no other metric or split.
        kinds = {frozenset(list_words(x) & (METRICS | {*SPLITS})) for x in tasks}
        forms = {x.expand(form) for x in found}
        is_grid = len(found) == len(names) == len(tasks) * len(runs)
        is_grid = is_grid and count_up([*map(int, runs)])
        if is_grid and len(kinds) == len(forms) == 1 < min(len(tasks), len(runs)):
            named = {_COUNT.sub(r"\g<1>0", x) for x in tasks}
            task = named.pop() if len(named) == 1 else "{task}"
            return quote_columns(forms.pop().replace("{task}", task))
    return None


def advise_all(names: Names) -> str:
    pattern = find_task_runs(names)
    if pattern is not None:
        return f"; or, where each column is of a run on a task, pass {pattern}"
    if any(list_words(x) & SPREADS for x in names):
        return ". Means with deviations or intervals are no scores of runs"
    names = [x for x in names if not is_summary(x)]
    are_costs = any(LIKELY & list_words(x) for x in names)
    is_other = are_costs or "," in "".join(names) or find_mixed(names)
    if len(names) < 2 or is_other or are_runs(names):
        return ""
    kinds = {re.sub(r"\d+", "0", x) for x in names}
    if len(names) >= _FEWEST_ITEMS and len(kinds) == 1:
        return (
            "; or, where each column is a run of the model in its row, name columns "
            "seed1, seed2 and so on, or turn the table, so that each model has a "
            "column; or, where each column is of an item and each row of a run, write "
            "a row for each score, with columns of models, runs and items, and pass "
            "--unit run,item"
        )
    every = ",".join(names if len(names) <= _MAX_NAMED else (*names[:3], "..."))
    return (
        "; or, where each column is of a benchmark, compare on all of them with "
        f"--score {shlex.quote(every)}"
    )


def advise_first(frame: Frame, names: Names, roles: Collection[str]) -> str:
    if {x.lower() for x in names} in ({"n", "c"}, {"total", "correct"}):
        return f"Where they count samples, {PASS_AT_K}"
    sums = find_item_sums(names, roles)
    if sums is not None:
        others = [x for x in names if x not in sums.columns]
        return (
            f"Where {sums.metric} is to be computed of the sums of "
            f"{list_names(sums.columns)}, pass {sums.advice}"
            + (f". {say_choice(others)}, for a mean of items" if others else "")
        )
    raters = advise_raters(frame, names, roles)
    if raters is None:
        return ""
    if raters.are_numbered:
        return f"To average the ratings of an item, pass {raters.options}"
    return (
        f"Where each has the ratings of one rater, average them with {raters.options}. "
        f"{say_choice(names)}, where each is a criterion"
    )


def find_item_sums(names: Names, roles: Collection[str]) -> Sums | None:
    are_runs = "run" in roles and "item" not in roles
    return None if are_runs else find_sums(names)


class Raters(NamedTuple):
    """Columns of ratings of one rater each, and options that average them."""

    columns: Names
    options: str
    are_numbered: bool


def advise_raters(frame: Frame, names: Names, roles: Collection[str]) -> Raters | None:
    by_word = [x for x in names if list_words(x) & RATERS]
    kinds = {re.sub(r"\d+", "{rater}", x, count=1) for x in by_word}
    average = "--unit item --run rater"
    if len(by_word) == len(names) > 1 and len(kinds) == 1 and "{" in min(kinds):
        options = f"--columns {shlex.quote(*kinds)} {average}"
        return Raters(names, options, are_numbered=True)
    whole = [x for x in names if is_rating(frame.columns[x])]
    rated = [x for x in whole if not is_metric(x)]
    if len(rated) < 2 or not {"model", "item"} <= {*roles} or are_criteria(whole):
        return None
    return Raters(rated, f"--columns '{{rater}}' {average}", are_numbered=False)


_RATING = re.compile(r"(\d|10)(\.0*)?")
# Endings of names of criteria, such as fluency, helpfulness and safety; and others.
_CRITERION = re.compile(
    r".*(ness|ty|cy|nce|sion|tion|ment|thy|depth|style|grammar|tone|overall|detail)"
    r"|em|correct|valid|pass|match|contains|safe|toxic|hits?"
)


def are_criteria(names: Names) -> bool:
    return 3 * sum(bool(_CRITERION.fullmatch(x.lower())) for x in names) >= len(names)


def is_rating(cells: Sequence[Any]) -> bool:
    values = {str(x) for x in cells[:MAX_LOOKED_AT] if not is_blank(x)}
    return len(values) > 1 and all(map(_RATING.fullmatch, values))
