"""Runs that are hardly of their own: copies under other names, and checkpoints."""

import math
import re
from collections.abc import Mapping
from statistics import NormalDist

import numpy as np

from sigarray._backend.of_numpy import HOST
from sigarray._numeric.ranks import middle_ranks
from sigarray._plain_text import list_in_words
from sigarray.read._frame import Names
from sigarray.read._records import Records
from sigarray.read._score_table import ScoreTable
from sigarray.read._unlikely_rows import find_unit, list_decimals

# Scores of a model are hardly of other runs if chance repeats them as often in fewer
# tables than this; or if each is there equally often, in steps of fewer deviations.
_REPEATED, _FINE, _MIN_COPIES = 5e-3, 0.25, 6
_MIN_VALUES, _MOST_SCORES, _MANY, _MOST_SHOWN = 3, 10_000, 1000, 3


_CHECKPOINT = re.compile(
    r"(?<![a-z])(step|ckpt|checkpoint|epoch|iter(ation)?)s?[\W_]*\d+", re.I
)


def doubt_items_as_runs(records: Records, unit: str, source: str) -> list[str]:
    """Say that items with names are taken for independent runs, as --unit run says."""
    if unit != "run" or not records.has("item") or records.has("run"):
        return []
    return [
        f"{source}: each score of an item is taken for an independent run, as --unit "
        "run says, though items have names. Leave it out where models have scores of "
        "the same items: these pair the models"
    ]


def doubt_checkpoints(ids: Mapping[str, Mapping[str, Names]], source: str) -> list[str]:
    """Doubt that runs are of their own if names are of one training: seed0_step100."""
    for model, names in ((x, y) for by in ids.values() for x, y in by.items()):
        first: dict[str, str] = {}
        for name in names:
            rest = re.sub(r"[\W_]+", " ", _CHECKPOINT.sub(" ", name)).strip()
            other = first.setdefault(rest, name)
            if other != name and rest and _CHECKPOINT.search(other):
                return [
                    f"{source}: runs {other!r} and {name!r} of {model!r} seem to be "
                    "checkpoints of one training, so that they are not independent, "
                    "and verdicts claim too much. Keep one of each, or write the "
                    "numbers into a column 'step', so that the last is compared"
                ]
    return []


def doubt_repeats(tasks: Mapping[str, Mapping[str, np.ndarray]], source: str) -> Names:
    """Doubt that runs are of their own if their scores repeat: copies of other names.

    Of whole numbers, which may be bounds, and of the most frequent score, which may be
    that of runs that failed, nothing is said.
    """
    found: dict[str, np.ndarray] = {}
    copied: dict[str, str] = {}
    for by in tasks.values():
        parts = {name: np.sort(x[x % 1.0 != 0.0]) for name, x in by.items()}
        every = np.unique(np.concatenate([*parts.values()]))
        if len(every) < _MIN_VALUES or len(every) > _MOST_SCORES:
            continue
        grain = find_unit(every, is_largest=True)
        for name, x in parts.items():
            values, counts = np.unique(x, return_counts=True)
            if len(values) < _MIN_VALUES:
                continue
            step = max(grain, 10.0 ** -max(list_decimals(values)))
            kept = x[x != values[np.argmax(counts)]]
            are_copies = len(x) >= _MIN_COPIES and min(counts) == max(counts) > 1
            are_copies &= step <= _FINE * float(x.std())
            here = np.asarray([are_copies, *_count_repeats(kept, step)])
            found[name] = found.get(name, np.zeros(3)) + here
            for score in values[counts > 1][:1].tolist():
                copied.setdefault(name, f"{score:.10g} of {name!r}")
    chances = {x: _find_tail(*y[1:]) * (y[0] == 0.0) for x, y in found.items()}
    if found and _find_tail(*np.sum([*found.values()], axis=0)[1:]) < _REPEATED:
        chances = dict.fromkeys(copied, 0.0)
    names = [x for x, chance in chances.items() if chance * len(found) < _REPEATED]
    if not names:
        return []
    return [
        f"{source}: scores are repeated more often than in independent runs, such as "
        f"{list_in_words([copied[x] for x in names], most=_MOST_SHOWN)}, and each "
        "counts as a run of its own. If runs were copied under other names, remove "
        "the copies"
    ]


def _count_repeats(x: np.ndarray, step: float) -> tuple[float, float]:
    """Count pairs of equal scores, sorted, and how many there are by chance.

    That is as of normal ones; or as of pairs that are up to 3, or 10, steps apart, if
    these are more.
    """
    n, places = len(x), np.arange(1, len(x) + 1)
    same, *near = (
        float(np.sum(np.searchsorted(x, x + (k + 0.5) * step) - places))
        for k in (0, 3, 10)
    )
    middle = float(np.subtract(*np.quantile(x, [0.75, 0.25]))) / 1.349
    deviation = min(float(x.std()), middle or np.inf) or step
    normal = 0.25 * n * (n - 1) * step / (math.sqrt(math.pi) * deviation)
    return same, max(normal, (near[0] - same) / 6.0, (near[1] - same) / 20.0)


def _find_tail(n: float, mean: float) -> float:
    """Return the chance of n or more by Poisson's distribution, 1 if 2 means are."""
    if n <= 2.0 * mean:
        return 1.0  # pairs come in larger groups, too
    few = range(1, int(min(n, _MANY)))
    logs = np.cumsum([-mean, *(math.log(mean / k) for k in few)])
    return 1.0 - math.fsum(np.exp(logs).tolist())


# Runs of two models are alike if chance ranks them so in fewer tables; with fewer
# pairs, a permutation test of them hardly finds a difference.
_ALIKE, _LEAST_PAIRS = 5e-3, 6


def say_alike_runs(table: ScoreTable) -> list[str]:
    """Say what pairs would test, if runs of one name are alike in both of two models.

    By Fisher's z of Spearman's correlation, which is about normal (Fieller 1957).
    """
    if len(table.tasks) > 1 or len(table.models) != 2:
        return []
    (ids,) = table.ids.values()
    a, b = (dict(zip(ids[x], y.tolist(), strict=True)) for x, y in table.scores.items())
    have_names = table.run_column is not None or "0" in a
    if not have_names or a.keys() != b.keys() or len(a) < _LEAST_PAIRS:
        return []
    ranks = middle_ranks(HOST, np.asarray([[x[name] for name in a] for x in (a, b)]))
    sizes = np.sqrt(np.sum(ranks**2, axis=1))
    shared = float(np.sum(ranks[0] * ranks[1]) / max(np.prod(sizes), 1e-9))
    z = math.atanh(min(max(shared, 0.0), 1.0 - 1e-9)) * math.sqrt((len(a) - 3) / 1.06)
    if NormalDist().cdf(-z) >= _ALIKE:
        return []
    return [
        "runs of one name are good or bad together in both models: where they share "
        "the seed and the order of the data, --paired tests the differences of these "
        "pairs; where the name is all that they share, it does not apply"
    ]
