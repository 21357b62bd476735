"""Columns that are computed from others, or other scores of one of the models."""

import itertools
from collections.abc import Collection, Iterator, Mapping

import numpy as np

from sigarray.read._frame import list_names, quote_names
from sigarray.read._text import TableError
from sigarray.read._unlikely_rows import list_decimals
from sigarray.read._words import (
    METRICS,
    SPLITS,
    SPREADS,
    STATISTICS,
    as_words,
    list_words,
)

# Words in names of columns that are computed from those of models.
COMPUTED = (STATISTICS - {"sd"}) | as_words("""
    diff difference delta δ gap improvement gain lift speedup change
""")


def is_computed(name: str, words: Mapping[str, Collection[str]]) -> bool:
    """Tell whether a name is another one and a statistic: "a_std", "a (mean)"."""
    rest = set(words[name]) - COMPUTED - {"sd"}
    return rest != set(words[name]) and any(
        rest == set(words[x]) for x in words if x != name
    )


def find_computed(names: Collection[str]) -> set[str]:
    """Return the names that consist of another one and a statistic."""
    words = {x: list_words(x) for x in names}
    return {x for x in names if is_computed(x, words)}


# Words that may stand beside one of `METRICS`: "n_params", "total time".
FILLERS = as_words("""
    n num number of total mean avg average
""")
# Words of costs and metrics that models of their own may have in their names, too.
_MAYBE_OF_MODELS = as_words("""
    memory mem energy reward return returns tokens cost costs fit comet size
""")


def refuse_scores_of_one_model(source: str, words: Mapping[str, set[str]]) -> None:
    """Refuse several scores of one model: bert_acc and bert_f1, a_mean and a_std."""
    kinds = METRICS | SPLITS | COMPUTED | FILLERS | {"sd", "macro", "micro"}
    by: dict[frozenset[str], list[str]] = {}
    models = {frozenset(x): name for name, x in words.items() if kinds.isdisjoint(x)}
    others: dict[str, str] = {}
    for name, words_of_name in words.items():
        stem = frozenset(words_of_name) - kinds
        if stem and stem != set(words_of_name):
            by.setdefault(stem, []).append(name)
            said = (words_of_name & (METRICS | SPLITS)) - _MAYBE_OF_MODELS
            if said and stem in models:
                others[name] = models[stem]
    if others:
        msg = (
            f"{source}: expected a column of one score for each model; got "
            f"{list_names(list(others), 4)}, which seem to be other scores of "
            f"{list_names(list(dict.fromkeys(others.values())), 4)}. Leave out what is "
            f"no model with --ignore {quote_names(list(others))}; or, where all are "
            "models, name them with --columns."
        )
        raise TableError(msg)
    for names in by.values():
        of = [set(words[x]) & kinds for x in names]
        is_told = not set.union(*of).isdisjoint(METRICS | SPLITS | SPREADS)
        if not is_told or all(x == of[0] for x in of):
            continue
        msg = (
            f"{source}: expected a column of one score for each model; got "
            f"{list_names(names, 4)}, which seem to be several of one model. Name "
            "those of one score, or all where they are models, with --columns."
        )
        raise TableError(msg)


# A column is computed from others if chance brings it as near to that in fewer tables.
_BY_CHANCE, _MIN_ROWS, _MOST_ROWS, _MOST_COLUMNS = 5e-3, 3, 200, 40


def refuse_functions(source: str, scores: Mapping[str, np.ndarray]) -> None:
    """Refuse a column that is the difference, ratio or mean of others in all rows.

    Of b = a - c and c = a - b, that is meant whose size is further from the others'.
    """
    names, sizes = [*scores], {len(x) for x in scores.values()}
    n = len(names)
    if len(sizes) > 1 or max(sizes) < _MIN_ROWS or not 2 < n <= _MOST_COLUMNS:
        return
    x = np.stack([y[:_MOST_ROWS] for y in scores.values()])
    units = np.asarray([10.0 ** -max(list_decimals(y)) for y in x])[:, None]
    rounding = np.where(units == 1.0, 1e-9, units)
    found: dict[int, str] = {}
    for what, of, y, factor in _list_functions(x):
        near = 0.5 * (rounding + factor * rounding[of].sum()) + np.zeros(x.shape)
        for k in np.flatnonzero((np.abs(x - y) <= near).all(axis=1)).tolist():
            # Rows count in which it is none of the others.
            counts = (np.abs(x[k] - x[of]) > 2.0 * near[k]).all(axis=0)
            width = max(float(np.ptp(x[k])), 1e-9)
            chance = np.maximum(2.0 * near[k], units[k])[counts] / width
            n_ways = n if len(of) > 2 else 2.5 * n * (n - 1) * (n - 2)
            is_chance = n_ways * np.prod(np.minimum(chance, 1.0)) > _BY_CHANCE
            if k not in of and sum(counts) >= _MIN_ROWS and not is_chance:
                found[k] = f"{what} of {list_names([names[i] for i in of], 3)}"
    if found:
        means = np.log(np.abs(x).mean(axis=1) + 1e-9)
        k = max(found, key=lambda k: abs(means[k] - np.median(means)))
        msg = (
            f"{source}: expected a column of scores for each model; got {names[k]!r}, "
            f"the {found[k]} in all rows. Leave it out with --ignore "
            f"{quote_names([names[k]])}, or choose the models with --columns."
        )
        raise TableError(msg)


def _list_functions(
    x: np.ndarray,
) -> Iterator[tuple[str, list[int], np.ndarray, float | np.ndarray]]:
    """Yield functions of columns, and by what the sum of their roundings counts."""
    n = len(x)
    for i, j in itertools.permutations(range(n), 2):
        gap, divisor = x[i] - x[j], np.where(x[j] == 0.0, np.nan, x[j])
        if np.ptp(gap) <= 1e-9 * np.abs(x[[i, j]]).max():
            continue  # made-up scores, of which many are shifts of others
        ratio = x[i] / divisor
        yield "difference", [i, j], gap, 1.0
        yield "ratio", [i, j], ratio, (1.0 + np.abs(ratio)) / np.abs(divisor)
        if i < j:
            yield "mean", [i, j], 0.5 * (x[i] + x[j]), 0.5
    for k in range(n) if n > 3 else ():
        others = [i for i in range(n) if i != k]
        yield "mean", others, x[others].mean(axis=0), 1.0 / (n - 1)
