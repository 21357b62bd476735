"""Columns that are hardly models: truths, metrics, statistics, hyperparameters."""

from collections.abc import Collection, Mapping

import numpy as np

from sigarray._plain_text import show_number, squeeze
from sigarray.read._columns import quote_names
from sigarray.read._frame import Names, list_names
from sigarray.read._summaries import (
    COMPUTED,
    is_computed,
)
from sigarray.read._text import TableError
from sigarray.read._words import (
    HYPERPARAMETERS,
    MAYBE_HYPERPARAMETERS,
    MAYBE_TRUTHS,
    METRICS,
    MORE_COSTS,
    SPLITS,
    SPREADS,
    TRUTHS,
    as_words,
    find_runs,
    list_words,
    measures_quality,
)

# Words that may stand beside one of `METRICS`: "n_params", "total time".
_FILLERS = as_words("""
    n num number of total mean avg average
""")
# Those of costs, in a table with models, too: "gpu_mem", "params_m", "time (s)".
_UNITS = as_words("""
    s ms min h k m mb mib gb gib gpu cpu wall clock peak used elapsed
""")
# What measures no quality either, and is a name of no model; elsewhere it may say more.
_COSTS = MORE_COSTS | as_words("rtf throughput fps qps")
_ASIDE = SPREADS | {"train", "training"}
# Scores have more digits, and hyperparameters do not.
_MAX_DIGITS = 2
# Models whose scores differ in size by such a factor may be something else.
_UNLIKE = 10.0
OF_SIZES = "were read as models, whose scores differ much in size"


def refuse_other_columns(source: str, scores: Mapping[str, np.ndarray]) -> None:
    """Refuse columns that are hardly models, where each column is to be one."""
    names = list(scores)
    if len(names) < 2:
        return
    words = {name: list_words(name) for name in names}
    is_whole = all(bool(np.all(x == np.round(x))) for x in scores.values())
    known = TRUTHS | MAYBE_TRUTHS if is_whole else TRUTHS
    truths = [x for x in names if squeeze(x) in known]
    if truths:
        others = [x for x in names if x not in truths]
        msg = (
            f"{source}: expected a column of scores for each model; got {truths[0]!r}, "
            f"which seems to be the truth, beside {list_names(others, 3)}. Write "
            "whether each prediction is right, as 1 or 0, or another score of it; or "
            "name columns that are scores with --columns."
        )
        raise TableError(msg)
    kinds = [x for x in names if _is_kind(x, scores, words)]
    if not kinds and all(words[x] and words[x] <= SPLITS for x in names):
        kinds = list(names)
    if kinds:
        those = f" {quote_names(kinds)}" if len(names) > len(kinds) + 1 else ""
        msg = (
            f"{source}: expected a column of scores for each model; got "
            f"{list_names(kinds, 4)}, hardly the name of a model. "
            "Name the column of models with --model and the scores with --metric, "
            f"leave columns out with --ignore{those}, or choose the models with "
            "--columns. Where a file is of one model, pass one for each: NAME=FILE."
        )
        raise TableError(msg)
    _refuse_scores_of_one_model(source, words)


def doubt_models(
    source: str, tasks: Mapping[str, Mapping[str, np.ndarray]], models: Names | None
) -> list[str]:
    """Doubt columns that were taken for models: named as runs, or unlike in size.

    Unless `models` were named. Scores from -1 to 1 are of one scale, however small.
    """
    sizes: dict[str, float] = {}
    for by in tasks.values():
        for name, x in by.items():
            sizes[name] = max(sizes.get(name, 0.0), float(np.mean(np.abs(x))))
    known = sorted((x for x in sizes if sizes[x]), key=sizes.__getitem__)
    if models is not None or not known:
        return []
    doubts = []
    if len(find_runs(sizes).get("", ())) == len(sizes):
        doubts.append(
            f"{source}: columns {list_names(list(sizes), 3)} have names of runs, and "
            "are compared as models. If they are runs of one model, give a file for "
            "each model, or add a column 'model'"
        )
    low, high = known[0], known[-1]
    if sizes[high] <= 1.0 or sizes[high] < _UNLIKE * sizes[low]:
        return doubts
    return [
        *doubts,
        f"{source}: {len(sizes)} columns {OF_SIZES}, from {show_number(sizes[low])} of "
        f"{low!r} to {show_number(sizes[high])} of {high!r}: "
        f"{list_names(list(sizes), 10)}. Leave out those that are no models with "
        "--ignore, or name the models with --columns",
    ]


def _is_kind(
    name: str, scores: Mapping[str, np.ndarray], words: Mapping[str, Collection[str]]
) -> bool:
    """Tell whether a column is a metric, computed from others, or a hyperparameter."""
    words_of_name, plain = set(words[name]), squeeze(name)
    kinds, beside = METRICS, METRICS | SPLITS | _FILLERS
    if not measures_quality(name) and any(METRICS.isdisjoint(words[x]) for x in words):
        kinds, beside = kinds | _COSTS, beside | _COSTS | _UNITS
    if (words_of_name & kinds and words_of_name <= beside) or is_computed(name, words):
        return True
    return plain in COMPUTED | HYPERPARAMETERS or (
        plain in MAYBE_HYPERPARAMETERS | {"n"}
        and _is_coarse(scores[name])
        and any(not _is_coarse(x) for x in scores.values())
    )


def _is_coarse(x: np.ndarray) -> bool:
    """Tell whether all numbers are whole or have two digits: 128, 0.3, 5e-5."""
    return all(y == round(y) or y == float(f"{y:.{_MAX_DIGITS}g}") for y in x.tolist())


def _refuse_scores_of_one_model(
    source: str, words: Mapping[str, Collection[str]]
) -> None:
    """Refuse several scores of one model: bert_acc and bert_f1, a_mean and a_std."""
    kinds = METRICS | SPLITS | COMPUTED | _FILLERS | {"sd", "macro", "micro"}
    by: dict[frozenset[str], list[str]] = {}
    for name, words_of_name in words.items():
        stem = frozenset(words_of_name) - kinds
        if stem and stem != set(words_of_name):
            by.setdefault(stem, []).append(name)
    for names in by.values():
        of = [set(words[x]) & kinds for x in names]
        is_told = not set.union(*of).isdisjoint(METRICS | SPLITS | SPREADS)
        if not is_told or all(x == of[0] for x in of):
            continue
        # The test score, or the mean, if there is one.
        wanted = next((x for x in of if x.isdisjoint(_ASIDE)), of[0])
        same = [x for x, y in words.items() if set(y) & kinds == wanted]
        those = f" {quote_names(same)}" if len(same) > 1 else ""
        msg = (
            f"{source}: expected a column of one score for each model; got "
            f"{list_names(names, 4)}, which seem to be several of one model. Name "
            "those of one score, or all where they are models, with "
            f"--columns{those}."
        )
        raise TableError(msg)
