"""How often tests of corpus metrics tell systems apart that are the same.

Segments are made up: each has a difficulty that both systems share, and a quality of
each system on it; its n-grams match with a chance that grows with the quality. Both
systems are drawn in the same way, so that neither is better.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

import sigarray
from benchmarks.reproduce.experiment import Experiment, Settings
from sigarray import corpus, of_sums

LEVEL = 0.05
QUICK, FULL = 20, 4000
N_RESAMPLES = 499
SIZES = 50, 300
# Of equal samples in rounding alone.
_ROUNDING = 1e-12
SACREBLEU = "bootstrap, as sacrebleu 2.6 counts"
TESTS = ("t_test", "bootstrap_test", "permutation_test", SACREBLEU)


def draw_qualities(rng: np.random.Generator, n: int) -> np.ndarray:
    """Draw the chance of a word of each segment to be right, (systems, 1, n)."""
    difficulty = rng.normal(0.8, 0.8, n)
    logits = difficulty + rng.normal(0.0, 0.7, (2, 1, n))
    return np.asarray(1.0 / (1.0 + np.exp(-logits)))


def draw_bleu(rng: np.random.Generator, n: int) -> np.ndarray:
    """Draw statistics of segments as sacrebleu has them, (systems, 10, n)."""
    reference = np.broadcast_to(rng.integers(5, 45, n), (2, 1, n))
    own = np.maximum(4, reference - rng.binomial(reference, 0.05))
    orders = np.arange(4)[:, None]
    totals = own - orders
    # Words that are right often stand side by side.
    chance = draw_qualities(rng, n) ** (1.0 + 0.6 * orders)
    matches = rng.binomial(totals, chance)
    return np.concatenate([own, reference, matches, totals], axis=1).astype(float)


def draw_f1(rng: np.random.Generator, n: int) -> np.ndarray:
    """Draw true and false positives and false negatives, (systems, 3, n)."""
    gold = rng.poisson(2.0, n)
    found = rng.binomial(gold, draw_qualities(rng, n))
    wrong = rng.poisson(0.5, (2, 1, n))
    return np.concatenate([found, wrong, gold - found], axis=1).astype(float)


METRICS: dict[str, tuple[Callable[..., np.ndarray], Any]] = {
    "BLEU": (draw_bleu, of_sums(corpus.bleu)),
    "F1": (draw_f1, of_sums(corpus.f1)),
}


def find_p_values(pair: np.ndarray, statistic: Any, rng: int) -> list[float]:
    """Return the p-value of each test of a pair of systems."""
    a, b = pair
    options = {"statistic": statistic, "paired": True}
    drawn = options | {"n_resamples": N_RESAMPLES, "rng": rng}
    bootstrap = sigarray.bootstrap_test(a, b, **drawn)
    replicates = sigarray.bootstrap_replicates(
        a, b, start=0, count=N_RESAMPLES, rng=rng, **options
    )
    found = (
        sigarray.t_test(a, b, **options).pvalue,
        bootstrap.pvalue,
        sigarray.permutation_test(a, b, **drawn).pvalue,
        count_as_sacrebleu(bootstrap.statistic, replicates),
    )
    return [float(p) for p in found]


def count_as_sacrebleu(difference: Any, replicates: np.ndarray) -> float:
    """Return the p-value of sacrebleu's formula: sizes are centred, not differences.

    It counts abs(d*) - mean abs(d*) > abs(d), which is about half as often as
    abs(d* - d) >= abs(d).
    """
    sizes = np.abs(replicates)
    beyond = sizes - sizes.mean() > np.abs(difference)
    return float((np.sum(beyond) + 1) / (len(sizes) + 1))


def count(name: str, n: int, n_sets: int) -> list[dict[str, Any]]:
    """Return the share of sets in which each test has p <= 0.05."""
    draw, statistic = METRICS[name]
    rng = np.random.default_rng((6, n))
    p = [find_p_values(draw(rng, n), statistic, seed) for seed in range(n_sets)]
    rates = np.mean(np.asarray(p) <= LEVEL * (1.0 + _ROUNDING), axis=0)
    return [
        {"metric": name, "n": n, "test": test, "n_sets": n_sets, "rate": float(rate)}
        for test, rate in zip(TESTS, rates, strict=True)
    ]


def run(settings: Settings) -> Experiment:
    """Count errors of all tests."""
    n_sets = settings.choose(QUICK, FULL)
    rows = [row for name in METRICS for n in SIZES for row in count(name, n, n_sets)]
    found = (
        f"The {len(rows)} rates of `corpus_metrics.md`, with nothing that was "
        "published to compare them with."
    )
    return Experiment(
        "Tests of corpus metrics", rows, [], findings=[found], page=tabulate(rows)
    )


def tabulate(rows: list[dict[str, Any]]) -> list[str]:
    """Return the rates as a table of Markdown."""
    columns = [(name, n) for name in METRICS for n in SIZES]
    heads = [f"{name}, {n} segments" for name, n in columns]
    lines = [
        f"|  | {' | '.join(heads)} |",
        f"| --- |{' ---: |' * len(heads)}",
    ]
    for test in TESTS:
        by = {(x["metric"], x["n"]): x["rate"] for x in rows if x["test"] == test}
        shown = [f"{100 * by[column]:.1f}" for column in columns]
        name = test if test == SACREBLEU else f"`{test}`"
        lines.append(f"| {name} | {' | '.join(shown)} |")
    said = (
        f"How often p <= {LEVEL} of two systems that are the same, in percent of "
        f"{rows[0]['n_sets']} pairs, with {N_RESAMPLES} resamples:"
    )
    return [said, "\n".join(lines)]
