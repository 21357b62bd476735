"""How often intervals of ranks hold for systems on the same items, by a corpus metric.

Six systems have counts of true and false positives and of false negatives on the same
items, which differ in length and in difficulty; all systems are equal.
"""

from typing import Any

import numpy as np

from benchmarks.reproduce.experiment import Experiment, Settings
from benchmarks.reproduce.verdict_page import show, write_table
from sigarray import corpus, of_sums, rank_ci

F1 = of_sums(corpus.f1)
N_SYSTEMS = 6
# Clusters, and the items of each.
SIZES = ((50, 1), (200, 1), (20, 10), (50, 10))
METHODS = ("paired", "paired, clusters", "independent")
_N_RESAMPLES = 499


def draw(rng: np.random.Generator, n_clusters: int, size: int) -> np.ndarray:
    """Return counts (systems, 3, items); systems differ by cluster, and by item."""
    n = n_clusters * size
    words = 3 + rng.poisson(12.0, n)
    by_item = rng.normal(1.5, 0.8, n)
    own = 0.4 * np.repeat(rng.normal(size=(N_SYSTEMS, n_clusters)), size, axis=-1)
    logits = by_item + own + 0.4 * rng.normal(size=(N_SYSTEMS, n))
    right = rng.binomial(words, 1.0 / (1.0 + np.exp(-logits)))
    wrong = rng.binomial(words, 0.2, (N_SYSTEMS, n))
    return np.stack([right, wrong, words - right], axis=1).astype(float)


def count(n_clusters: int, size: int, n_sets: int, seed: int) -> dict[str, Any]:
    """Return the shares of sets in which intervals hold all ranks, and their widths."""
    rng = np.random.default_rng(seed)
    clusters = np.repeat(np.arange(n_clusters), size)
    options: dict[str, dict[str, Any]] = {
        "paired": {"paired": True},
        "paired, clusters": {"paired": True, "clusters": clusters},
        "independent": {},
    }
    if size == 1:
        del options["paired, clusters"]
    held = dict.fromkeys(METHODS, 0.0)
    widths = dict.fromkeys(METHODS, 0.0)
    for k in range(n_sets):
        counts = draw(rng, n_clusters, size)
        for method, by in options.items():
            low, high = rank_ci(
                counts, statistic=F1, n_resamples=_N_RESAMPLES, rng=k, **by
            ).confidence_interval
            held[method] += bool(np.all(low == 1) and np.all(high == N_SYSTEMS))
            counts_better = counts.copy()
            # One system that is better in earnest: how wide is its interval?
            counts_better[0, 2] *= 0.8
            low, high = rank_ci(
                counts_better,
                statistic=F1,
                n_resamples=_N_RESAMPLES,
                rng=k,
                **by,
            ).confidence_interval
            widths[method] += float(high[0] - low[0] + 1)
    row: dict[str, Any] = {"clusters": n_clusters, "size": size, "n_sets": n_sets}
    for method in METHODS:
        is_there = method in options
        row[f"{method}: held"] = held[method] / n_sets if is_there else ""
        row[f"{method}: width"] = round(widths[method] / n_sets, 3) if is_there else ""
    return row


def run(settings: Settings) -> Experiment:
    """Count all of it."""
    n_sets = settings.choose(20, 500)
    rows = [count(*sizes, n_sets, seed) for seed, sizes in enumerate(SIZES)]
    return Experiment("Ranks on the same items", rows, [], page=tabulate(rows))


def tabulate(rows: list[dict[str, Any]]) -> list[str]:
    """Return the results as a table of Markdown."""
    lines = []
    for x in rows:
        n, size = int(x["clusters"]), int(x["size"])
        name = f"{n} items" if size == 1 else f"{n * size} items in {n} clusters"
        held = (x[f"{method}: held"] for method in METHODS)
        widths = (x[f"{method}: width"] for method in METHODS)
        shown = [show(float(y)) if y != "" else "" for y in held]
        shown += [f"{float(y):.1f}" if y != "" else "" for y in widths]
        lines.append([name, *shown])
    header = ["", *METHODS, *(f"ranks, {x}" for x in METHODS)]
    return [
        f"Of {rows[0]['n_sets']} sets each of {N_SYSTEMS} equal systems on the same "
        "items, intervals of 95 % by micro F1 hold all ranks of all of them in so many "
        "percent: with `paired=True`, with `clusters=` too, and as if each system had "
        "items of its own. Then how many ranks the interval of one system has whose "
        "false negatives are a fifth fewer.",
        write_table(header, lines),
    ]
