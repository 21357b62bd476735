"""Names of single runs, with a metric or without: seed0, acc_seed0, acc 0."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from sigarray.read._words import METRICS, RUN_NAME, as_words, list_words

_WORD = r"seed|run|trial|rep|repeat|repetition|replicate|fold|split"
_LAST = re.compile(
    rf"(?P<metric>.*?[^\W_])[\W_]+(?P<word>{_WORD}|s)[\W_]*(?P<number>\d+)[\W_]*", re.I
)
_FIRST = re.compile(
    rf"(?P<word>{_WORD})[\W_]*(?P<number>\d+)[\W_]+(?P<metric>[^\W_].*)", re.I
)
_NUMBERED = re.compile(
    r"(?P<metric>.*?[^\W_])[\s_./#-]+(?P<number>\d+)|"
    r"(?P<letters>.*?[^\W\d_])(?P<digits>\d+)"
)
# Metrics that are numbered by themselves: BLEU-4, ROUGE-1, precision at 5, top-5.
_OF_NUMBERS = as_words("""
    bleu rouge chrf precision recall ndcg mrr map top hits hit pass at
""")
# Two columns, "acc 1" and "acc 2", may be of anything.
_MIN_NUMBERED = 3

# Metric -> column -> run; the metric is "" if names do not say it.
Runs = dict[str, dict[str, str]]


class _Name(NamedTuple):
    metric: str
    word: str
    number: str


def find_runs(names: Iterable[str]) -> Runs:
    """Return the names of runs by metric, if there are several runs of it.

    Numbers alone are those of runs if they count these, behind the name of a metric.
    """
    every = list(names)
    found = {x: y for x in every if (y := _split(x)) is not None}
    if len({y.word for y in found.values()}) > 1:
        return {}
    runs = _group(found, least=2)
    if runs:
        return runs
    numbered = {x: y for x in every if (y := _split_numbered(x)) is not None}
    return {
        metric: by
        for metric, by in _group(numbered, least=_MIN_NUMBERED).items()
        if _count_up([int(numbered[x].number) for x in by])
    }


def find_word(runs: Iterable[str]) -> str:
    """Return what all runs are called: "seed"."""
    return re.split(r"[\W_]*\d", next(iter(runs)))[0].lower()


def are_runs(names: Iterable[str]) -> bool:
    """Tell whether names differ only by the number of a run."""
    every = list(names)
    runs = find_runs(every)
    is_one = len(runs) == 1 and sum(map(len, runs.values())) == len(every)
    return is_one or (len(every) > 1 and all(map(str.isdecimal, every)))


def is_metric(name: str) -> bool:
    """Tell whether the name of a metric is a usual one."""
    return bool(list_words(name) & METRICS)


def _split(name: str) -> _Name | None:
    """Return the metric, the word and the number of a run in a name."""
    plain = RUN_NAME.fullmatch(name)
    if plain is not None:
        return _Name("", plain[1].lower(), "")
    found = _LAST.fullmatch(name) or _FIRST.fullmatch(name)
    if found is None:
        return None
    word = found["word"].lower()
    return _Name(found["metric"], "seed" if word == "s" else word, found["number"])


def _split_numbered(name: str) -> _Name | None:
    found = _NUMBERED.fullmatch(name)
    if found is None:
        return None
    metric = found["metric"] or found["letters"]
    words = list_words(metric)
    if not words & METRICS or words & _OF_NUMBERS:
        return None
    return _Name(metric, "run", found["number"] or found["digits"])


def _group(names: dict[str, _Name], *, least: int) -> Runs:
    runs: Runs = {}
    for column, x in names.items():
        run = f"{x.word}{x.number}" if x.metric else column
        runs.setdefault(x.metric, {})[column] = run
    return {x: by for x, by in runs.items() if len({*by.values()}) >= least}


def _count_up(numbers: list[int]) -> bool:
    """Tell whether numbers count from 0 or 1 on."""
    first = min(numbers)
    return first in (0, 1) and sorted(numbers) == [*range(first, first + len(numbers))]
