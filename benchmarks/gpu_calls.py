"""What `benchmarks.gpu` measures: samples, calls, and naive formulations of some."""

import dataclasses
from collections.abc import Callable
from typing import Any

import torch

import sigarray
from sigarray import corpus, of_sums, responses


@dataclasses.dataclass(frozen=True)
class Samples:
    """The same numbers on every device."""

    a: torch.Tensor  # (1000,)
    b: torch.Tensor  # (1000,)
    models: torch.Tensor  # (100, 20)
    ratings: torch.Tensor  # (1000, 5)
    of_seeds: torch.Tensor  # (5, 1000), seeds x items
    clusters: torch.Tensor  # (1000,), labels of 100 clusters of items
    games: torch.Tensor  # (100, 26), runs x games
    system: torch.Tensor  # (10, 2000), counts of BLEU of each segment
    other: torch.Tensor  # (10, 2000), those of another system


def make_samples(device: torch.device, dtype: torch.dtype) -> Samples:
    """Return the same scores on every device."""
    generator = torch.Generator().manual_seed(0)

    def draw(*shape: int) -> torch.Tensor:
        return torch.randn(shape, generator=generator).to(device, dtype)

    def count() -> torch.Tensor:
        # Words of a segment and of its reference, matches and n-grams.
        rates = torch.tensor([25.0, 25, 15, 9, 5, 3, 25, 24, 23, 22])
        counts = torch.poisson(rates[:, None].expand(10, 2000), generator=generator)
        counts[6] = counts[0]
        return counts.to(device, dtype)

    return Samples(
        a=draw(1000),
        b=draw(1000),
        models=draw(100, 20),
        ratings=draw(1000, 5),
        of_seeds=draw(5, 1000),
        clusters=(torch.arange(1000) % 100).to(device),
        games=draw(100, 26),
        system=count(),
        other=count(),
    )


BLEU = of_sums(corpus.bleu)
CALLS: dict[str, Callable[[Samples], Any]] = {
    "aso, n = 5": lambda x: sigarray.aso(x.a[:5], x.b[:5], rng=0),
    "aso": lambda x: sigarray.aso(x.a, x.b, rng=0),
    "multi_aso, 100 x 20": lambda x: sigarray.multi_aso(x.models, rng=0),
    "permutation_test, paired": lambda x: sigarray.permutation_test(
        x.a, x.b, paired=True, rng=0
    ),
    "permutation_test": lambda x: sigarray.permutation_test(x.a, x.b, rng=0),
    "bootstrap_test": lambda x: sigarray.bootstrap_test(x.a, x.b, rng=0),
    "bootstrap_ci": lambda x: sigarray.bootstrap_ci(x.a, rng=0),
    "t_test": lambda x: sigarray.t_test(x.a, x.b),
    "mann_whitney_u": lambda x: sigarray.mann_whitney_u(x.a, x.b),
    "response_test, 1000 x 5": lambda x: responses.response_test(
        *[x.ratings] * 3, rng=0
    ),
    "t_test, 100 clusters": lambda x: sigarray.t_test(
        x.a, x.b, paired=True, clusters=x.clusters, n_clusters=100
    ),
    "bootstrap_ci, 100 clusters": lambda x: sigarray.bootstrap_ci(
        x.a, clusters=x.clusters, n_clusters=100, rng=0
    ),
    "bootstrap_ci, 5 seeds x 1000 items": lambda x: sigarray.bootstrap_ci(
        x.of_seeds, axis=(0, 1), method="percentile", rng=0
    ),
    "bootstrap_ci, IQM of 100 runs x 26 games": lambda x: sigarray.bootstrap_ci(
        x.games, statistic="iqm", strata=1, axis=0, method="percentile", rng=0
    ),
    "bootstrap_ci, BLEU of 2000": lambda x: sigarray.bootstrap_ci(
        x.system, statistic=BLEU, method="percentile", rng=0
    ),
    "permutation_test, BLEU of 2000, paired": lambda x: sigarray.permutation_test(
        x.system, x.other, statistic=BLEU, paired=True, rng=0
    ),
    "rank_ci, 100 x 20": lambda x: sigarray.rank_ci(x.models, rng=0),
}


def naive_aso(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Draw places, gather, sort."""
    places = torch.randint(a.shape[0], (2, 1000, a.shape[0]), device=a.device)
    x, y = a[places[0]].sort(-1).values, b[places[1]].sort(-1).values
    gap = y - x
    return ((gap.clamp(0.0) ** 2).sum(-1) / (gap**2).sum(-1)).std()


def naive_permutations(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Sort random keys, gather, average."""
    n, pool = a.shape[0], torch.cat([a, b])
    keys = torch.rand((9999, pool.shape[0]), device=a.device)
    dealt = pool[keys.argsort(-1)]
    gaps = dealt[:, :n].mean(-1) - dealt[:, n:].mean(-1)
    return (gaps >= a.mean() - b.mean()).sum()


def naive_exchanges(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Draw a sign for each pair, average."""
    signs = torch.randint(2, (9999, a.shape[0]), device=a.device) * 2 - 1
    return (((a - b) * signs).mean(-1) >= (a - b).mean()).sum()


def naive_bootstrap(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Draw places, gather, average."""
    places = torch.randint(a.shape[0], (2, 9999, a.shape[0]), device=a.device)
    gaps = a[places[0]].mean(-1) - b[places[1]].mean(-1)
    return (gaps - gaps.mean() >= a.mean() - b.mean()).sum()


NAIVE = {
    "aso": naive_aso,
    "permutation_test": naive_permutations,
    "permutation_test, paired": naive_exchanges,
    "bootstrap_test": naive_bootstrap,
}
