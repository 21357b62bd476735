"""How often intervals of 95 % hold what they are of."""

import itertools
from typing import Any

import numpy as np
import scipy.stats

import sigarray
from benchmarks.reproduce.experiment import Settings
from benchmarks.reproduce.rates.scores import DRAWS, MEANS
from benchmarks.reproduce.rates.tests import FULL, N_BLOCKS, N_RESAMPLES, QUICK

SHARES, SHARE_SIZES = (0.5, 0.9, 0.98), (20, 50, 100)
CORRELATIONS = (0.0, 0.3, 0.6)
SIZES = (5, 10, 20)
# Rounding of a limit that is the true value itself.
ROUNDING = 1e-12
# Outcomes to compute at a time.
BLOCK = 20_000


def describe_intervals(settings: Settings) -> list[dict[str, Any]]:
    """Return the coverage of all of them."""
    sizes = SHARE_SIZES[: settings.choose(1, len(SHARE_SIZES))]
    rows = [
        row
        for n, share in itertools.product(sizes, SHARES)
        for row in (
            cover_one(settings, n, share),
            cover_two(settings, n, share),
            *(cover_pairs(settings, n, share, x) for x in CORRELATIONS),
        )
    ]
    return [*rows, *cover_means(settings)]


def describe_row(name: str, n: int, scores: str, rate: float) -> dict[str, Any]:
    """Return what is written of a sum over all outcomes."""
    return {
        "options": name,
        "function": "proportion_ci",
        "n": n,
        "m": n,
        "scores": scores,
        "rate": rate,
    }


def cover_one(settings: Settings, n: int, share: float) -> dict[str, Any]:
    """Sum the chances of all counts whose interval holds the proportion."""
    counts = np.arange(n + 1)
    low, high = find_limits(settings, first_ones(counts, n))
    is_held = (low <= share + ROUNDING) & (share - ROUNDING <= high)
    chance = scipy.stats.binom.pmf(counts, n, share)
    rate = float(np.sum(chance[is_held]))
    return describe_row("one proportion", n, f"proportion {share:g}", rate)


def cover_two(settings: Settings, n: int, share: float) -> dict[str, Any]:
    """Sum the chances of all two counts whose interval holds 0."""
    counts = np.arange(n + 1)
    i, j = (x.reshape(-1) for x in np.meshgrid(counts, counts))
    low, high = find_limits(settings, first_ones(i, n), first_ones(j, n))
    chance = scipy.stats.binom.pmf(i, n, share) * scipy.stats.binom.pmf(j, n, share)
    is_held = (low <= ROUNDING) & (high >= -ROUNDING)
    rate = float(np.sum(chance[is_held]))
    return describe_row("independent", n, f"proportion {share:g}", rate)


def cover_pairs(
    settings: Settings, n: int, share: float, correlation: float
) -> dict[str, Any]:
    """Sum the chances of all tables of pairs whose interval holds 0."""
    tables = np.asarray(
        [
            (i, j, k)
            for i in range(n + 1)
            for j in range(n + 1 - i)
            for k in range(n + 1 - i - j)
        ]
    )
    both = share * share + correlation * share * (1.0 - share)
    chances = [both, share - both, share - both, 1.0 - 2.0 * share + both]
    rate = 0.0
    for start in range(0, len(tables), BLOCK):
        i, j, k = tables[start : start + BLOCK].T
        # A is right in the first i + j pairs, B in the first i and the last k.
        place = np.arange(n)
        a = (place < (i + j)[:, None]).astype(float)
        b = ((place < i[:, None]) | (place >= (n - k)[:, None])).astype(float)
        low, high = find_limits(settings, a, b, paired=True)
        counts = np.stack([i, j, k, n - i - j - k], axis=-1)
        chance = scipy.stats.multinomial.pmf(counts, n, chances)
        rate += float(np.sum(chance[(low <= ROUNDING) & (high >= -ROUNDING)]))
    scores = f"proportion {share:g}, correlation {correlation:g}"
    return describe_row("pairs", n, scores, rate)


def first_ones(counts: np.ndarray, n: int) -> np.ndarray:
    """Return scores of which so many are 1."""
    return (np.arange(n) < counts[:, None]).astype(float)


def find_limits(settings: Settings, *samples: np.ndarray, **options: Any) -> Any:
    """Return both limits of the interval of 95 %."""
    result = sigarray.proportion_ci(*map(settings.put, samples), **options)
    return tuple(map(np.asarray, result.confidence_interval))


def cover_means(settings: Settings) -> list[dict[str, Any]]:
    """Return how often a studentized interval holds the mean."""
    n_sets = settings.choose(QUICK, FULL)
    rows = []
    for n, scores in itertools.product(SIZES, ("normal", "lognormal")):
        rng = np.random.default_rng((9, n, list(DRAWS).index(scores)))
        x = DRAWS[scores](rng, (n_sets, n))
        is_held = np.zeros(n_sets, dtype=bool)
        for k in range(N_BLOCKS):
            result = sigarray.bootstrap_ci(
                settings.put(x[k::N_BLOCKS]),
                method="studentized",
                n_resamples=N_RESAMPLES,
                rng=k,
            )
            low, high = map(np.asarray, result.confidence_interval)
            is_held[k::N_BLOCKS] = (low <= MEANS[scores]) & (MEANS[scores] <= high)
        rows.append(
            {
                "options": "studentized",
                "function": "bootstrap_ci",
                "n": n,
                "scores": scores,
                "n_sets": n_sets,
                "rate": float(np.mean(is_held)),
            }
        )
    return rows
