"""Tasks of `benchmarks.designs`: ours, and those of peers."""

import functools
import itertools
import logging
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import sigarray
from benchmarks.peers import Peer, Run, Task, is_there
from benchmarks.reproduce.corpus_metrics import draw_bleu
from sigarray import corpus, of_sums
from sigarray._backend.callers import Array
from sigarray._backend.compiled_numpy import load_kernels
from sigarray._backend.of_numpy import HOST
from sigarray._backend.seeds import seed_words
from sigarray._backend.threefry import random_places
from sigarray._numeric.statistic import apply_statistic

BLEU, CHRF = of_sums(corpus.bleu), of_sums(corpus.chrf)
N_SEGMENTS, N_RESAMPLES, N_SYSTEMS = 2000, 1000, 10
# Of the metrics of runs: algorithms, runs, tasks, and resamples as rliable's default.
SHAPE, N_MANY, N_OF_PROFILE = (6, 5, 26), 50_000, 2000
N_ITEMS, N_SEEDS, N_CLUSTERS, N_OF_DESIGNS = 10_000, 10, 100, 2000
_ORDERS = 6
# rliable takes 0.02 s for a resample of it.
_N_OF_IMPROVEMENT = 2000


def list_tasks() -> Iterator[Task]:
    """Yield all tasks."""
    yield from _corpus_tests()
    yield from _aggregates()
    yield from _designs()


def _corpus_tests() -> Iterator[Task]:
    rng = np.random.default_rng(0)
    a, b = draw_bleu(rng, N_SEGMENTS)
    options: dict[str, Any] = {"statistic": BLEU, "paired": True}
    drawn = options | {"n_resamples": N_RESAMPLES, "rng": 0}
    by_bootstrap, by_exchange = (
        sacrebleu_peer(kind, {"BLEU": [b, a]}) for kind in ("bs", "ar")
    )
    size = f"BLEU, {N_SEGMENTS:,} segments"
    yield Task(
        f"bootstrap_test, {size}, {N_RESAMPLES:,} resamples",
        functools.partial(sigarray.bootstrap_test, a, b, **drawn),
        by_bootstrap,
        5.0,
        N_RESAMPLES * N_SEGMENTS // 2,
    )
    yield Task(
        f"permutation_test, {size}, {N_RESAMPLES:,} exchanges",
        functools.partial(sigarray.permutation_test, a, b, **drawn),
        by_exchange,
        10.0 if load_kernels() else 5.0,
        N_RESAMPLES * -(-N_SEGMENTS // 32),
    )
    yield Task(
        f"t_test, {size}",
        functools.partial(sigarray.t_test, a, b, **options),
        by_bootstrap,
        60.0,
    )
    baseline, systems = _draw_systems(rng)
    yield Task(
        f"bootstrap_test, BLEU and chrF of {N_SYSTEMS} systems beside a baseline",
        functools.partial(_run_systems, baseline, systems, drawn),
        sacrebleu_peer(
            "bs",
            {x: [baseline[x], *systems[x]] for x in ("BLEU", "chrF")},
        ),
        40.0,
        2 * N_RESAMPLES * N_SEGMENTS // 2,
    )


def _draw_systems(
    rng: np.random.Generator,
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Return statistics of a baseline (d, n) and of systems (K, d, n), by metric."""
    pairs = [draw_bleu(rng, N_SEGMENTS)[0] for _ in range(1 + N_SYSTEMS)]
    of_bleu = np.stack(pairs)
    # Letters of hypotheses and references, and n-grams of these that match.
    letters = 5.0 * of_bleu[:, :2, None, :] - np.arange(_ORDERS)[:, None]
    chance = 0.9 ** (1.0 + np.arange(_ORDERS))[:, None]
    matches = rng.binomial(letters.min(axis=1).astype(int), chance)
    of_chrf = np.stack([letters[:, 0], letters[:, 1], matches], axis=2)
    of_chrf = of_chrf.reshape(1 + N_SYSTEMS, 3 * _ORDERS, N_SEGMENTS)
    by_metric = {"BLEU": of_bleu, "chrF": of_chrf}
    return {x: y[0] for x, y in by_metric.items()}, {
        x: y[1:] for x, y in by_metric.items()
    }


def _run_systems(
    baseline: dict[str, np.ndarray],
    systems: dict[str, np.ndarray],
    drawn: dict[str, Any],
) -> None:
    for name, statistic in (("BLEU", BLEU), ("chrF", CHRF)):
        options = drawn | {"statistic": statistic}
        sigarray.bootstrap_test(systems[name], baseline[name], **options)


def sacrebleu_peer(
    kind: str, statistics: dict[str, list[np.ndarray]]
) -> dict[str, Peer]:
    """Return sacrebleu's paired test, "bs" or "ar", of statistics (d, n) at hand.

    The first system is the baseline. Its own statistics are looked up, not counted.
    """
    if not is_there("sacrebleu"):
        return {}
    from sacrebleu.metrics import BLEU, CHRF
    from sacrebleu.significance import PairedTest

    logging.getLogger("sacrebleu").setLevel(logging.ERROR)
    metrics: dict[str, Any] = {}
    for name, rows in statistics.items():
        metric: Any = {"BLEU": BLEU, "chrF": CHRF}[name]()
        lists = [x.T.tolist() for x in rows]
        metric._extract_corpus_statistics = lambda texts, _, lists=lists: lists[
            texts[0]
        ]
        metric.num_refs = 1  # for its signature
        metrics[name] = metric
    n_systems = len(next(iter(statistics.values())))
    # In place of texts, of which there are as many as segments: their number.
    named: Any = [(f"system {k}", [k] * N_SEGMENTS) for k in range(n_systems)]
    test = PairedTest(named, metrics, None, kind, n_samples=N_RESAMPLES)
    name = {"bs": "bootstrap", "ar": "exchanges"}[kind]
    return {f"sacrebleu, {name}": Peer(test)}


def _aggregates() -> Iterator[Task]:
    rng = np.random.default_rng(0)
    levels = np.geomspace(0.1, 3.0, SHAPE[-1])
    leads = 1.0 + 0.1 * np.arange(SHAPE[0])[:, None, None]
    x = levels * leads * np.exp(rng.normal(0.0, 0.4, SHAPE))
    size = "{} x {} x {}".format(*SHAPE)
    within: dict[str, Any] = {"method": "percentile", "n_resamples": N_MANY, "rng": 0}
    words = SHAPE[2] * (SHAPE[1] - 1) // 2
    yield Task(
        f"bootstrap_ci of the interquartile mean, {size}, {N_MANY:,} resamples",
        functools.partial(
            sigarray.bootstrap_ci, x, statistic="iqm", axis=1, strata=2, **within
        ),
        rliable_peer("iqm", x),
        60.0,
        N_MANY * words,
    )
    yield Task(
        f"probability_of_improvement, {SHAPE[1]} x {SHAPE[2]}, {N_MANY:,} resamples",
        functools.partial(
            sigarray.probability_of_improvement,
            x[1],
            x[0],
            axis=0,
            strata=1,
            n_resamples=N_MANY,
            rng=0,
        ),
        rliable_peer("improvement", x),
        1000.0,
        2 * N_MANY * words,
    )
    thresholds = np.linspace(0.0, 8.0, 81)
    yield Task(
        f"performance_profile, {SHAPE[1]} x {SHAPE[2]}, 81 thresholds, "
        f"{N_OF_PROFILE:,} resamples",
        functools.partial(
            sigarray.performance_profile,
            x[0],
            thresholds,
            axis=0,
            strata=1,
            n_resamples=N_OF_PROFILE,
            rng=0,
        ),
        rliable_peer("profile", x, thresholds),
        60.0,
        N_OF_PROFILE * words,
    )


def rliable_peer(what: str, x: np.ndarray, *more: np.ndarray) -> dict[str, Peer]:
    """Return rliable's interval of scores (algorithms, runs, tasks), in a part."""
    if not is_there("rliable"):
        return {}
    from rliable import library, metrics

    scores = {f"algorithm {k}": row for k, row in enumerate(x)}
    few = 200
    if what == "iqm":
        estimate: Run = functools.partial(
            library.get_interval_estimates,
            scores,
            lambda y: np.array([metrics.aggregate_iqm(y)]),
            reps=few,
        )
        return {"rliable": Peer(estimate, few / N_MANY)}
    if what == "improvement":
        few = 50
        estimate = functools.partial(
            library.get_interval_estimates,
            {"pair": (x[1], x[0])},
            lambda y, z: np.array([metrics.probability_of_improvement(y, z)]),
            reps=few,
        )
        return {"rliable": Peer(estimate, few / N_MANY)}
    estimate = functools.partial(
        library.create_performance_profile, {"one": x[0]}, *more, reps=few
    )
    return {"rliable": Peer(estimate, few / N_OF_PROFILE)}


def check_rliable() -> dict[str, Any]:
    """Return limits of rliable beside ours of as many draws, and what its seed does.

    Of made scores (algorithms, runs, tasks): the largest relative difference of its
    values from ours, and its limits of 95 %, with the shares of our replicates that are
    below each, or at it.
    """
    from rliable import library, metrics

    rng = np.random.default_rng(1)
    n_algorithms, n, n_tasks = SHAPE
    level = np.geomspace(0.1, 3.0, n_tasks)
    x = level * np.exp(rng.normal(0.0, 0.4, (n_algorithms, n, n_tasks)))

    def find_limits(of: Any, find: Run, reps: int, seed: int = 0) -> np.ndarray:
        _, limits = library.get_interval_estimates(
            {"one": of}, find, reps=reps, random_state=np.random.RandomState(seed)
        )
        return np.asarray(limits["one"])[:, 0]

    def find_iqm(y: np.ndarray) -> np.ndarray:
        return np.array([metrics.aggregate_iqm(y)])

    def find_improvement(y: np.ndarray, z: np.ndarray) -> np.ndarray:
        return np.array([metrics.probability_of_improvement(y, z)])

    np.random.seed(0)  # it draws by the global generator
    of_iqm = [(y, find_limits(y, find_iqm, N_MANY)) for y in x]
    checks = [
        {"what": "interquartile mean", **_share(_resample_iqm(y, N_MANY), limits)}
        for y, limits in of_iqm
    ]
    limits = find_limits((x[0], x[1]), find_improvement, _N_OF_IMPROVEMENT)
    won = _resample_improvement(x[0], x[1], _N_OF_IMPROVEMENT)
    checks.append({"what": "probability of improvement", **_share(won, limits)})
    thresholds = np.geomspace(0.1, 3.0, 5)
    _, profiles = library.create_performance_profile(
        {"one": x[0]}, thresholds, reps=N_OF_PROFILE
    )
    (places,) = _draw_runs(n, n_tasks, N_OF_PROFILE)
    drawn = x[0].T.ravel()[places]
    for tau, limits in zip(thresholds, profiles["one"].T, strict=True):
        above = np.mean(drawn > tau, axis=-1)
        checks.append({"what": f"profile at {tau:.2f}", **_share(above, limits)})
    same_seed = [find_limits(x[0], find_iqm, 100, seed=1).tolist() for _ in range(2)]
    same_global_seed = []
    for seed in (1, 2):
        np.random.seed(0)
        same_global_seed.append(find_limits(x[0], find_iqm, 100, seed=seed).tolist())
    return {
        "largest_difference": _compare_values(x),
        "limits": checks,
        "same_random_state_same_limits": same_seed[0] == same_seed[1],
        "same_global_seed_same_limits": same_global_seed[0] == same_global_seed[1],
    }


def _draw_runs(n: int, n_tasks: int, count: int, n_samples: int = 1) -> list[Array]:
    """Draw n places of n runs of each task, side by side, for each sample."""
    sizes = [n] * n_samples
    drawn = [n * n_tasks] * n_samples
    places = random_places(HOST, seed_words(HOST, 0), 0, count, sizes, drawn, False)
    return [of + np.arange(n * n_tasks) // n * n for of in places]


def _resample_iqm(x: np.ndarray, count: int) -> np.ndarray:
    (places,) = _draw_runs(*x.shape, count)
    return apply_statistic(HOST, "iqm", x.T.ravel()[places])


def _resample_improvement(a: np.ndarray, b: np.ndarray, count: int) -> np.ndarray:
    """Return how often a drawn run of A beats one of B, over pairs and tasks."""
    n, n_tasks = a.shape
    x, y = (
        z.T.ravel()[of].reshape(count, n_tasks, n)
        for z, of in zip((a, b), _draw_runs(n, n_tasks, count, 2), strict=True)
    )
    leads = x[..., :, None] - y[..., None, :]
    return np.mean(0.5 * (1.0 + np.sign(leads)), axis=(1, 2, 3))


def _share(replicates: np.ndarray, limits: Sequence[float]) -> dict[str, Any]:
    """Return limits, and the shares of replicates below each, and below or at it."""
    shares = [
        [float(np.mean(replicates < x)), float(np.mean(replicates <= x))]
        for x in np.asarray(limits).tolist()
    ]
    return {"n_resamples": len(replicates), "shares": shares}


def _compare_values(x: np.ndarray) -> float:
    """Return the largest relative difference of rliable's values from ours."""
    from rliable import metrics

    pooled = [y.ravel() for y in x]
    pairs = [
        (find(y), float(ours(z)))
        for find, ours in (
            (metrics.aggregate_mean, np.mean),
            (metrics.aggregate_iqm, functools.partial(apply_statistic, HOST, "iqm")),
            (metrics.aggregate_optimality_gap, corpus.optimality_gap()),
        )
        for y, z in zip(x, pooled, strict=True)
    ]
    for a, b in itertools.combinations(range(len(x)), 2):
        found = sigarray.probability_of_improvement(
            x[a], x[b], axis=0, strata=1, n_resamples=9, rng=0
        )
        theirs = metrics.probability_of_improvement(x[a], x[b])
        pairs.append((theirs, float(found.statistic)))
    return max(abs(p - q) / abs(q) for p, q in pairs)


def _designs() -> Iterator[Task]:
    # Kernels make the bootstrap of items seven times as fast, and these less.
    has_engine = load_kernels() is not None
    rng = np.random.default_rng(0)
    x = rng.normal(size=(N_SEEDS, N_ITEMS))
    options: dict[str, Any] = {"n_resamples": N_OF_DESIGNS, "rng": 0}
    percentile = options | {"method": "percentile"}
    of_items = functools.partial(sigarray.bootstrap_ci, x[0], **percentile)
    yield Task(
        f"bootstrap_ci of {N_SEEDS} seeds x {N_ITEMS:,} items, "
        f"{N_OF_DESIGNS:,} resamples",
        functools.partial(sigarray.bootstrap_ci, x, axis=(0, 1), **percentile),
        {f"{N_ITEMS:,} items": Peer(of_items)},
        0.3 if has_engine else 0.5,
        N_OF_DESIGNS * N_ITEMS,
    )
    clusters = rng.permutation(np.arange(N_ITEMS) % N_CLUSTERS)
    yield Task(
        f"bootstrap_ci of {N_ITEMS:,} items in {N_CLUSTERS} clusters, "
        f"{N_OF_DESIGNS:,} resamples",
        functools.partial(sigarray.bootstrap_ci, x[0], clusters=clusters, **percentile),
        {f"{N_ITEMS:,} items": Peer(of_items)},
        15.0 if has_engine else 30.0,
        N_OF_DESIGNS * N_CLUSTERS // 2,
    )
    n = N_ITEMS // 2
    counts = rng.poisson([[3.0], [0.5], [1.0]], (3, n)).astype(float)

    def by_places(places: np.ndarray, axis: int) -> Any:
        return corpus.f1(*counts[:, places.astype(int)].sum(axis=axis))

    yield Task(
        f"bootstrap_ci by BCa of F1, {n:,} items, {N_OF_DESIGNS:,} resamples",
        functools.partial(
            sigarray.bootstrap_ci, counts, statistic=of_sums(corpus.f1), **options
        ),
        {
            "the same of a callable of items": Peer(
                functools.partial(
                    sigarray.bootstrap_ci,
                    np.arange(float(n)),
                    statistic=by_places,
                    **options,
                )
            )
        },
        2.0,
        N_OF_DESIGNS * n,
    )
