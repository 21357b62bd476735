"""How often a family of tasks has any false claim, as `sigarray compare` corrects it.

All models of a family are the same on every task: each claim is false.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

import sigarray
from benchmarks.reproduce.experiment import Settings
from benchmarks.reproduce.rates.scores import DRAWS, draw_of_models
from benchmarks.reproduce.rates.tests import (
    FULL,
    LEVEL,
    QUICK,
    by_exact_ranks,
    by_ranks_and_placements,
    by_t,
)
from sigarray._verdicts.asked import PairOptions
from sigarray._verdicts.floors import choose_correction, list_floors
from sigarray._verdicts.pairwise_tests import find_tests

# As many as the command draws.
N_RESAMPLES = 9999
# So many sets at a time. P-values by draws are found, as the command finds them, where
# they may be small: of items, where t says so, below so many times what is needed, and
# of runs, where so few draws do.
BLOCK, NEAR = 250, 40.0
FEW_DRAWS, NEAR_BY_DRAWS = 499, 0.02


@dataclass(frozen=True)
class Family:
    """Models on tasks, of runs or of items, and the test that compares them."""

    n_models: int
    n_tasks: int
    n: int
    scores: str
    test: str = "permutation"
    unit: str = "items"

    @property
    def name(self) -> str:
        """Say what it is."""
        tasks = "task" if self.n_tasks == 1 else "tasks"
        return f"{self.n_models} models, {self.n_tasks} {tasks}"

    @property
    def is_paired(self) -> bool:
        """Whether scores are of one item."""
        return self.unit == "items"

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Every two models."""
        return [(i, j) for j in range(self.n_models) for i in range(j)]

    @property
    def n_comparisons(self) -> int:
        """How many p-values there are."""
        return len(self.pairs) * self.n_tasks

    @property
    def correction(self) -> str:
        """What the command corrects p-values by, going by sizes."""
        models = {str(k): np.zeros(self.n) for k in range(self.n_models)}
        tasks = {str(k): models for k in range(self.n_tasks)}
        if self.n_tasks == 1:
            return "holm"
        floors = list_floors(tasks, self.test, is_paired=self.is_paired)
        return choose_correction(floors, LEVEL)

    def draw(self, rng: np.random.Generator, n_sets: int) -> np.ndarray:
        """Return scores, (sets, tasks, models, n)."""
        shape = (n_sets, self.n_tasks, self.n_models, self.n)
        if self.is_paired:
            return draw_of_models(rng, self.scores, shape)
        return DRAWS[self.scores](rng, shape)


FAMILIES = [
    *(Family(2, tasks, 60, x) for tasks in (5, 20, 57) for x in ("0 or 1", "normal")),
    *(Family(5, tasks, 60, "0 or 1") for tasks in (1, 5, 20, 57)),
    Family(5, 5, 60, "normal"),
    *(
        Family(models, tasks, n, scores, test, "runs")
        for models, tasks, n in ((2, 26, 5), (2, 20, 10), (5, 1, 10))
        for test in ("permutation", "t", "mann-whitney", "brunner-munzel")
        for scores in ("normal", "lognormal", "one run in ten fails")
    ),
    *(Family(5, tasks, 60, "normal") for tasks in (1, 20, 57)),
    *(
        Family(models, tasks, 60, scores)
        for models, tasks in ((2, 20), (2, 57), (5, 5), (5, 20))
        for scores in ("lognormal", "0 to 4")
    ),
    *(
        Family(2, tasks, n, scores, "bootstrap", unit)
        for tasks, n, unit in ((20, 60, "items"), (20, 10, "runs"), (1, 10, "runs"))
        for scores in ("normal", "lognormal")
    ),
    Family(2, 20, 60, "0 or 1", "bootstrap"),
]


def describe_families(settings: Settings) -> list[dict[str, Any]]:
    """Return the share of families with any claim."""
    return [
        describe_family(settings, seed, family) for seed, family in enumerate(FAMILIES)
    ]


def describe_family(settings: Settings, seed: int, family: Family) -> dict[str, Any]:
    """Return the share of sets in which any adjusted p-value is significant."""
    n_sets = settings.choose(QUICK, FULL)
    rng = np.random.default_rng((7, seed))
    n_wrong = 0
    for start in range(0, n_sets, BLOCK):
        scores = family.draw(rng, min(BLOCK, n_sets - start))
        p = find_p_values(settings, family, scores, start)
        adjust = getattr(sigarray, family.correction)
        adjusted = np.asarray(adjust(settings.put(p.reshape(len(scores), -1))))
        n_wrong += int(np.sum(np.any(adjusted <= LEVEL, axis=-1)))
    return {
        "test": family.test,
        "function": "",
        "options": family.correction,
        "unit": family.unit,
        "null": family.name,
        "n": family.n,
        "m": family.n,
        "scores": family.scores,
        "spread": 1.0,
        "n_sets": n_sets,
        "rate": n_wrong / n_sets,
    }


def find_p_values(
    settings: Settings, family: Family, scores: np.ndarray, rng: int
) -> np.ndarray:
    """Return the p-values of all pairs, (sets, tasks, pairs)."""
    first, second = (list(x) for x in zip(*family.pairs, strict=True))
    a, b = (scores[:, :, x].reshape(-1, family.n) for x in (first, second))
    shape = (len(scores), family.n_tasks, len(family.pairs))
    if family.test not in ("permutation", "bootstrap"):
        find = {
            "t": by_t,
            "mann-whitney": by_exact_ranks,
            "brunner-munzel": by_ranks_and_placements,
        }
        p = find[family.test](settings.put(a), settings.put(b), rng)
    elif family.test == "permutation" and family.scores == "0 or 1":
        p = exchange_wins(settings, a, b)
    else:
        p = draw_near(settings, family, a, b, rng)
    return p.reshape(shape)


def exchange_wins(settings: Settings, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Exchange pairs of 0 and 1 exactly, those with as many wins of each once."""
    wins = np.stack([np.sum(a > b, axis=-1), np.sum(a < b, axis=-1)], axis=-1)
    _, places, which = np.unique(wins, axis=0, return_index=True, return_inverse=True)
    result = sigarray.permutation_test(
        settings.put(a[places]), settings.put(b[places]), paired=True, method="exact"
    )
    return np.asarray(result.pvalue)[which.reshape(-1)]


def draw_near(
    settings: Settings, family: Family, a: np.ndarray, b: np.ndarray, rng: int
) -> np.ndarray:
    """Draw as the command does where p may be small enough, or of few scores."""
    options: dict[str, Any] = {"n_resamples": N_RESAMPLES, "rng": rng}
    options |= {"paired": True} if family.is_paired else {"statistic": "t"}
    if family.n > 5:
        options["n_resamples"] = FEW_DRAWS
    if family.is_paired and family.test == "permutation":
        p = by_t(settings.put(a), settings.put(b), rng, paired=True)
        is_near = p <= NEAR * LEVEL / family.n_comparisons
    else:
        draw = getattr(sigarray, f"{family.test}_test")
        result = draw(settings.put(a), settings.put(b), **options)
        p = np.asarray(result.pvalue)
        is_near = p <= NEAR_BY_DRAWS
    if family.n <= 5:
        return p
    tests = PairOptions(
        test=family.test,
        is_paired=family.is_paired,
        n_resamples=N_RESAMPLES,
        seed=rng,
        alpha=LEVEL,
        n_comparisons=family.n_comparisons,
        unit=family.unit.removesuffix("s"),
    )
    p = p.copy()
    for k in np.flatnonzero(is_near):
        scores = {"a": a[k], "b": b[k]}
        found = find_tests(scores, tests, higher_is_better=True, pairs=[("a", "b")])
        p[k] = found[0].p_value
    return p
