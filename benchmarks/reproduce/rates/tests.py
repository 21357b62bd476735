"""How often each test of `sigarray compare` is wrong where its null hypothesis holds.

A set is a pair of samples, of which the test says p <= 0.05 or not. Designs are sizes,
kinds of scores and spreads; a test is called as the command calls it, on all sets of a
design at once.
"""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

import sigarray
from benchmarks.reproduce.experiment import Settings
from benchmarks.reproduce.rates.scores import (
    DRAWS,
    MEANS,
    OF_ITEMS,
    SYMMETRIC,
    draw_items,
)
from sigarray._verdicts.asked import FEW_SCORES
from sigarray._verdicts.floors import (
    compare_by_exchanges,
    has_exact_exchanges,
    has_exact_ranks,
    p_value_of_ranks,
)

LEVEL = 0.05
QUICK, FULL = 200, 4000
# Fewer than the 9999 of the command, with which p-values have the same level: 10 of
# 400 are beyond on either side. Sets that see the same resamples are few.
N_RESAMPLES, N_BLOCKS = 399, 20

PValues = Callable[[Any, Any, int], np.ndarray]


def permute_runs(a: Any, b: Any, rng: int) -> np.ndarray:
    """Test as `--test permutation` does: p is Welch's at the least.

    But for equal sizes from 20 on. Where Welch's is not significant, it is given alone;
    of two models that do not vary it counts as 1.
    """
    if a.shape[-1] == b.shape[-1] >= FEW_SCORES:
        return permute_t(a, b, rng)
    p = by_t(a, b, rng)
    is_low = p <= LEVEL
    if np.any(is_low):
        p[is_low] = np.maximum(p[is_low], permute_t(a[is_low], b[is_low], rng))
    return p


def permute_t(a: Any, b: Any, rng: int) -> np.ndarray:
    """Permute Welch's t."""
    result = sigarray.permutation_test(
        a, b, statistic="t", n_resamples=N_RESAMPLES, rng=rng
    )
    return np.asarray(result.pvalue)


def permute_means(a: Any, b: Any, rng: int) -> np.ndarray:
    """Permute means, which the command does not do of runs."""
    result = sigarray.permutation_test(a, b, n_resamples=N_RESAMPLES, rng=rng)
    return np.asarray(result.pvalue)


def permute_pairs(a: Any, b: Any, rng: int) -> np.ndarray:
    """Exchange pairs, exactly where the command does."""
    result = sigarray.permutation_test(a, b, paired=True, method="exact")
    p = np.asarray(result.pvalue)
    is_other = np.isnan(p)
    if np.any(is_other):
        drawn = sigarray.permutation_test(
            a[is_other], b[is_other], paired=True, n_resamples=N_RESAMPLES, rng=rng
        )
        p = p.copy()
        p[is_other] = np.asarray(drawn.pvalue)
    for k in np.flatnonzero(is_other):
        if has_exact_exchanges(a[k], b[k]):
            p[k] = compare_by_exchanges(a[k], b[k]).pvalue
    return p


def by_bootstrap(a: Any, b: Any, rng: int, **options: Any) -> np.ndarray:
    """Test by the bootstrap."""
    result = sigarray.bootstrap_test(a, b, n_resamples=N_RESAMPLES, rng=rng, **options)
    return np.asarray(result.pvalue)


def by_t(a: Any, b: Any, rng: int, **options: Any) -> np.ndarray:
    """Test by Student's t; p counts as 1 where no score varies."""
    del rng
    p = np.asarray(sigarray.t_test(a, b, **options).pvalue)
    return np.where(np.isnan(p), 1.0, p)


def by_ranks(a: Any, b: Any, rng: int) -> np.ndarray:
    """Test by Mann and Whitney's U."""
    del rng
    return np.asarray(sigarray.mann_whitney_u(a, b).pvalue)


def by_placements(a: Any, b: Any, rng: int) -> np.ndarray:
    """Test by Brunner and Munzel's W."""
    del rng
    return np.asarray(sigarray.brunner_munzel(a, b).pvalue)


def by_exact_ranks(a: Any, b: Any, rng: int) -> np.ndarray:
    """Test as `--test mann-whitney` does: exactly, of few scores."""
    if not has_exact_ranks(a.shape[-1], b.shape[-1]):
        return by_ranks(a, b, rng)
    pairs = zip(np.asarray(a), np.asarray(b), strict=True)
    return np.asarray([p_value_of_ranks(x, y) for x, y in pairs])


def by_ranks_and_placements(a: Any, b: Any, rng: int) -> np.ndarray:
    """Test as `--test brunner-munzel` does: of few scores p is that of U at least."""
    p = by_placements(a, b, rng)
    if not has_exact_ranks(a.shape[-1], b.shape[-1]):
        return p
    return np.maximum(p, by_exact_ranks(a, b, rng))


EQUAL_MEANS, SAME, HALF, SYMMETRY = (
    "equal means",
    "equal distributions",
    "P(A > B) + P(A = B) / 2 = 1/2",
    "symmetric differences",
)


@dataclass(frozen=True)
class Tested:
    """A test, and a null hypothesis under which it is measured.

    The null hypothesis is that of the test, or one that it could be taken for.
    """

    function: str
    options: str
    find: PValues
    null: str
    # Of runs by themselves, of pairs of runs, of items, or of clusters of items.
    unit: str = "runs"
    # Its name in the command, where that calls it so.
    command: str = ""
    is_own: bool = True

    def holds(self, scores: str, spread: float) -> bool:
        """Tell whether samples with one middle suit what is measured."""
        if not self.is_own and spread == 1.0:
            return False  # its own null hypothesis
        if self.null == SAME:
            return spread == 1.0
        if self.null == SYMMETRY:
            return spread == 1.0 or scores in SYMMETRIC
        # No shift makes P(A > B) + P(A = B) / 2 = 1/2 of these with other spreads.
        is_uneven = scores == "nine of ten the same" and spread != 1.0
        return self.null == EQUAL_MEANS or not is_uneven


def of(find: Callable[..., np.ndarray], **options: Any) -> PValues:
    """Return a test with options."""
    return functools.partial(find, **options)


RUNS, PAIRS = "runs", "pairs of runs"
# As the command does, which the functions by themselves do not.
EXACT = "in the command"
TESTS = [
    Tested(
        "permutation_test",
        '"t" or Welch',
        permute_runs,
        EQUAL_MEANS,
        command="permutation",
    ),
    Tested("t_test", "", by_t, EQUAL_MEANS, command="t"),
    Tested(
        "bootstrap_test",
        '"t"',
        of(by_bootstrap, statistic="t"),
        EQUAL_MEANS,
        command="bootstrap",
    ),
    Tested("mann_whitney_u", EXACT, by_exact_ranks, SAME, command="mann-whitney"),
    Tested(
        "brunner_munzel",
        EXACT,
        by_ranks_and_placements,
        HALF,
        command="brunner-munzel",
    ),
    Tested("permutation_test", "", permute_pairs, SYMMETRY, PAIRS, "permutation"),
    Tested("t_test", "", of(by_t, paired=True), EQUAL_MEANS, PAIRS, "t"),
    Tested(
        "bootstrap_test",
        '"t"',
        of(by_bootstrap, paired=True, statistic="t"),
        EQUAL_MEANS,
        PAIRS,
        "bootstrap",
    ),
    *(
        Tested(name, options, find, null, unit, command)
        for unit in ("items", "clusters")
        for name, options, find, null, command in (
            ("permutation_test", "", permute_pairs, SYMMETRY, "permutation"),
            ("t_test", "", of(by_t, paired=True), EQUAL_MEANS, "t"),
            (
                "bootstrap_test",
                '"mean"',
                of(by_bootstrap, paired=True),
                EQUAL_MEANS,
                "bootstrap",
            ),
        )
    ),
    # As the command does not call them, or taken for tests of something else.
    Tested("permutation_test", '"mean"', permute_means, EQUAL_MEANS),
    Tested("permutation_test", '"t"', permute_t, EQUAL_MEANS),
    Tested("permutation_test", "", permute_pairs, EQUAL_MEANS, PAIRS, is_own=False),
    Tested("mann_whitney_u", "", by_ranks, SAME),
    Tested("mann_whitney_u", "", by_ranks, HALF, is_own=False),
    Tested("brunner_munzel", "", by_placements, HALF),
    Tested("bootstrap_test", '"mean"', by_bootstrap, EQUAL_MEANS),
    Tested(
        "bootstrap_test",
        '"mean"',
        of(by_bootstrap, paired=True),
        EQUAL_MEANS,
        PAIRS,
    ),
]
EQUAL_SIZES = (5, 10, 20, 50)
UNEQUAL_SIZES = ((3, 20), (5, 20), (5, 50))
ITEM_SIZES = (5, 20, 60, 200)
# Of A where that of B is 1; with as many of both, the other way is the same.
SPREADS = (1.0, 4.0, 0.25)


@dataclass(frozen=True)
class Design:
    """Samples of A and B: how many scores, of which kind, and how spread A is."""

    sizes: tuple[int, int]
    scores: str
    spread: float = 1.0

    def draw(self, test: Tested, n_sets: int) -> list[np.ndarray]:
        """Return the scores of A and of B, (sets, n), of which the null is true."""
        where = (*self.sizes, list(DRAWS).index(self.scores), int(100 * self.spread))
        rng = np.random.default_rng((4, *where))
        draw, mean = DRAWS[self.scores], MEANS[self.scores]
        a, b = (draw(rng, (n_sets, n)) - mean for n in self.sizes)
        shift = 0.0
        if test.null == HALF:
            shift = find_shift(self.scores, self.spread)
        return [self.spread * a + shift, b]


def list_designs(test: Tested) -> list[Design]:
    """Return the designs of which the null hypothesis of a test is true."""
    sizes = [(n, n) for n in EQUAL_SIZES]
    if test.unit == "runs":
        sizes += UNEQUAL_SIZES
    return [
        Design((n, m), scores, spread)
        for n, m in sizes
        for spread in (SPREADS if n != m else SPREADS[:2])
        for scores in DRAWS
        if test.holds(scores, spread)
    ]


@functools.cache
def find_shift(scores: str, spread: float, n_points: int = 20_000) -> float:
    """Return what added to A makes P(A > B) + P(A = B) / 2 = 1/2, to 1e-4 or so."""
    if spread == 1.0 or scores in SYMMETRIC:
        return 0.0
    p = (np.arange(n_points) + 0.5) / n_points
    if scores == "one run in ten fails":
        whole = np.concatenate([ndtri(p[::10]) - 10.0, *([ndtri(p[::10])] * 9)])
    else:
        whole = np.exp(ndtri(p))
    b = np.sort(whole - MEANS[scores])
    a = spread * b
    low, high = -20.0 * max(spread, 1.0), 20.0 * max(spread, 1.0)
    for _ in range(60):
        middle = 0.5 * (low + high)
        below = np.searchsorted(b, a + middle).mean() / len(b)
        low, high = (middle, high) if below < 0.5 else (low, middle)
    return 0.5 * (low + high)


def find_rates(
    settings: Settings, test: Tested, samples: Sequence[np.ndarray]
) -> dict[str, float]:
    """Return the share of sets in which p <= 0.05, and p <= 0.01."""
    a, b = samples
    n_blocks = min(N_BLOCKS, len(a))
    found = [
        test.find(settings.put(a[k::n_blocks]), settings.put(b[k::n_blocks]), k)
        for k in range(n_blocks)
    ]
    p = np.concatenate(found)
    levels = {"rate": LEVEL, "rate_at_1": 0.01}
    return {
        name: float(np.mean(p <= level * (1.0 + 1e-9)))
        for name, level in levels.items()
    }


def describe_test(settings: Settings, test: Tested) -> list[dict[str, Any]]:
    """Return the rates of a test in all designs of its null hypothesis."""
    n_sets = settings.choose(QUICK, FULL)
    rows = []
    if test.unit in ("items", "clusters"):
        drawn = [
            ((n, n), scores, 1.0, draw_items(scores, n, n_sets, test.unit))
            for n in ITEM_SIZES
            for scores in OF_ITEMS
        ]
    else:
        drawn = (
            (x.sizes, x.scores, x.spread, x.draw(test, n_sets))
            for x in list_designs(test)
        )
    for sizes, scores, spread, samples in drawn:
        found = describe_row(test, sizes, scores, spread, n_sets)
        rows.append(found | find_rates(settings, test, samples))
    return rows


def describe_row(
    test: Tested,
    sizes: tuple[int, int],
    scores: str,
    spread: float,
    n_sets: int,
) -> dict[str, Any]:
    """Say what a rate is of."""
    return {
        "test": test.command,
        "function": test.function,
        "options": test.options,
        "unit": test.unit,
        "null": test.null,
        "n": sizes[0],
        "m": sizes[1],
        "scores": scores,
        "spread": spread,
        "n_sets": n_sets,
    }
