"""What is timed side by side: tasks for us, and for the libraries that do them too."""

import functools
import importlib.util
import random
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.stats

import sigarray
from sigarray import responses

N_RESAMPLES = 1000  # of ASO
N_TEST_RESAMPLES = 9999
N_SCORES = 1000

Run = Callable[[], object]


class Peer(NamedTuple):
    """What another library does, and of what share of the task that is the time."""

    run: Run
    share: float = 1.0


class Task(NamedTuple):
    """A task for us and for some peers, by their names.

    `floor` is how many times faster than each of them we are to be, and `words` how
    many random words of 32 bits ours draws.
    """

    name: str
    ours: Run
    peers: dict[str, Peer]
    floor: float = 1.0
    words: int = 0


def list_tasks() -> Iterator[Task]:
    """Yield all tasks."""
    yield from _orders()
    yield from _resampling_tests()
    yield from _intervals()
    yield from _closed_forms()
    yield from _tests_of_responses()


def _orders() -> Iterator[Task]:
    for n, floor in ((5, 3000.0), (20, 1500.0), (100, 700.0), (1000, 500.0)):
        a, b = draw_scores(n, 0.5)
        yield Task(
            f"aso, n = {n}, {N_RESAMPLES} resamples",
            functools.partial(_run_aso, a, b),
            deepsig_peer("aso", a, b, num_bootstrap_iterations=10, share=0.01),
            floor,
            count_words(n) if n > 5 else 0,
        )
    a, b = draw_scores(10**6, 0.5)
    yield Task(
        "aso, n = 1,000,000, dt = 0.005",
        lambda: sigarray.aso(a, b, dt=0.005, rng=0),
        {"sorting both": Peer(lambda: (np.sort(a), np.sort(b)))},
        1 / 4,
    )


def _resampling_tests() -> Iterator[Task]:
    a, b = draw_scores(N_SCORES, 0.05)
    size = f"n = {N_SCORES}, {N_TEST_RESAMPLES} resamples"
    options: dict[str, Any] = {
        "alternative": "greater",
        "n_resamples": N_TEST_RESAMPLES,
        "rng": 0,
    }
    share = 200 / N_TEST_RESAMPLES
    paired_words = N_TEST_RESAMPLES * -(-N_SCORES // 32)
    words = N_TEST_RESAMPLES * N_SCORES
    for kind, floor, drawn in (
        ("paired", 30.0, paired_words),
        ("independent", 1.3, words),
    ):
        own = {**options, "paired": kind == "paired"}
        peers = scipy_permutations(a, b, kind)
        if kind == "paired":
            peers |= deepsig_peer(
                "permutation_test", a, b, num_samples=200, share=share
            )
        yield Task(
            f"permutation_test, {kind}, {size}",
            functools.partial(sigarray.permutation_test, a, b, **own),
            peers,
            floor,
            drawn,
        )
    yield Task(
        f"bootstrap_test, paired, {size}",
        functools.partial(sigarray.bootstrap_test, a, b, **options, paired=True),
        deepsig_peer("bootstrap_test", a, b, num_samples=200, share=share),
        words=words // 2,
    )
    few = a[:100]
    yield Task(
        "bootstrap_power_analysis, n = 100, 5000 resamples",
        lambda: sigarray.bootstrap_power_analysis(few, n_resamples=5000, rng=0),
        deepsig_peer(
            "bootstrap_power_analysis", few, num_bootstrap_iterations=50, share=0.01
        ),
    )


def _intervals() -> Iterator[Task]:
    a, b = draw_scores(N_SCORES, 0.05)
    options: dict[str, Any] = {"n_resamples": N_TEST_RESAMPLES, "method": "percentile"}

    def interval(**more: Any) -> object:
        return scipy.stats.bootstrap((a, b), _difference_of_means, **options, **more)

    yield Task(
        f"bootstrap_ci, percentile, n = {N_SCORES}, {N_TEST_RESAMPLES} resamples",
        lambda: sigarray.bootstrap_ci(a, b, rng=0, **options),
        _fastest_scipy(interval),
        0.4,
        N_TEST_RESAMPLES * N_SCORES,
    )
    scores, n_resamples = a[:20], 2000

    def interquartile_mean(x: np.ndarray, axis: int = -1) -> np.ndarray:
        middle = np.sort(x, axis=axis)[..., 5:15]
        return np.asarray(np.mean(middle, axis=axis))

    peers = {}
    if is_there("rliable"):
        from rliable import library, metrics

        def estimate() -> object:
            return library.get_interval_estimates(
                {"a": scores[:, None]},
                lambda x: np.array([metrics.aggregate_iqm(x)]),
                reps=n_resamples,
                random_state=np.random.RandomState(0),
            )

        peers["rliable"] = Peer(estimate)
    yield Task(
        f"bootstrap_ci of an interquartile mean, n = 20, {n_resamples} resamples",
        lambda: sigarray.bootstrap_ci(
            scores,
            statistic=interquartile_mean,
            n_resamples=n_resamples,
            method="percentile",
            rng=0,
        ),
        peers,
    )


def _closed_forms() -> Iterator[Task]:
    a, b = draw_scores(10**5, 0.05)
    peers = {"SciPy": Peer(lambda: scipy.stats.mannwhitneyu(a, b, method="asymptotic"))}
    yield Task(
        "mann_whitney_u, n = 100,000", lambda: sigarray.mann_whitney_u(a, b), peers
    )
    peers = {"SciPy": Peer(lambda: scipy.stats.ttest_ind(a, b, equal_var=False))}
    p_values = np.random.default_rng(2).uniform(size=10**5)
    if is_there("statsmodels"):
        from statsmodels.stats import multitest, weightstats

        peers["statsmodels"] = Peer(
            lambda: weightstats.ttest_ind(a, b, usevar="unequal")
        )
    yield Task("t_test, n = 100,000", lambda: sigarray.t_test(a, b), peers, 0.9)
    for ours, theirs, floor in (
        (sigarray.holm, "holm", 5.0),
        (sigarray.benjamini_hochberg, "fdr_bh", 0.4),
    ):
        peers = {}
        if is_there("statsmodels"):
            peers["statsmodels"] = Peer(
                functools.partial(multitest.multipletests, p_values, method=theirs)
            )
        yield Task(
            f"{ours.__name__}, 100,000 p-values",
            functools.partial(ours, p_values),
            peers,
            floor,
        )


def _tests_of_responses() -> Iterator[Task]:
    n_items, n_responses, n_sets = 1000, 5, 1000
    gold, a, b = responses.simulate(n_items, n_responses, rng=0)
    lists = [x.tolist() for x in (gold, a, b)]
    size = f"{n_items} items, {n_responses} responses, {n_sets}"
    yield Task(
        f"response_test, wins_mae, {size} resamples",
        lambda: responses.response_test(
            gold, a, b, alternative="greater", n_resamples=n_sets, rng=0
        ),
        {"loop of vet": Peer(lambda: loop_resamples(*lists, 10), 10 / n_sets)},
        20.0,
    )
    yield Task(
        f"simulate, {size} sets",
        lambda: responses.simulate(n_items, n_responses, n_sets=n_sets, rng=0),
        {"loop of vet": Peer(lambda: loop_sets(n_items, n_responses, 10), 10 / n_sets)},
        10.0,
    )


def count_words(n: int) -> int:
    """Count the words that ASO draws: half of one for each of n + 1 spacings."""
    return N_RESAMPLES * 2 * ((n + 2) // 2)


def draw_scores(n: int, lead: float) -> tuple[np.ndarray, np.ndarray]:
    """Draw n normal scores of two models, of which the first is ahead."""
    rng = np.random.default_rng(n)
    return rng.normal(lead, 1.0, n), rng.normal(0.0, 1.0, n)


def _run_aso(a: np.ndarray, b: np.ndarray) -> object:
    return sigarray.aso(a, b, n_resamples=N_RESAMPLES, rng=0)


def is_there(package: str) -> bool:
    """Tell whether a package is installed."""
    return importlib.util.find_spec(package) is not None


def deepsig_peer(
    name: str, *samples: np.ndarray, share: float, **options: Any
) -> dict[str, Peer]:
    """Return a function of deep-significance, without its progress bar."""
    if not is_there("deepsig"):
        return {}
    import deepsig

    if name not in {"permutation_test", "bootstrap_test"}:
        options["show_progress"] = False
    run = functools.partial(getattr(deepsig, name), *samples, seed=0, **options)
    return {"deep-significance": Peer(run, share)}


def scipy_permutations(a: np.ndarray, b: np.ndarray, kind: str) -> dict[str, Peer]:
    """Return SciPy's permutation test, "paired" or "independent"."""

    def test(**more: Any) -> object:
        return scipy.stats.permutation_test(
            (a, b),
            _difference_of_means,
            permutation_type="samples" if kind == "paired" else kind,
            n_resamples=N_TEST_RESAMPLES,
            alternative="greater",
            **more,
        )

    return _fastest_scipy(test)


def _fastest_scipy(function: Callable[..., object]) -> dict[str, Peer]:
    """Return a function as it is called, and with the options that make it fastest."""
    peers = {"SciPy": Peer(function)}
    for batch in (None, 20, 50, 200):
        run = functools.partial(function, rng=0, batch=batch)
        peers[f"SciPy, its new generator, batch={batch}"] = Peer(run)
    return peers


def _difference_of_means(a: np.ndarray, b: np.ndarray, axis: int) -> np.ndarray:
    return np.asarray(np.mean(a, axis=axis) - np.mean(b, axis=axis))


def loop_resamples(
    gold: list[list[float]], a: list[list[float]], b: list[list[float]], count: int
) -> list[tuple[float, float]]:
    """Draw test sets under both hypotheses item by item, and give the leads of A."""
    source = random.Random(0)
    places = range(len(gold))
    leads = []
    for _ in range(count):
        pair = []
        for is_null in (False, True):
            lead = 0
            for i in source.choices(places, k=len(gold)):
                of_a, of_b = a[i], b[i]
                if is_null:
                    pool = of_a + of_b
                    source.shuffle(pool)
                    of_a, of_b = pool[: len(of_a)], pool[len(of_a) :]
                mean = sum(gold[i]) / len(gold[i])
                error_a = abs(mean - sum(of_a) / len(of_a))
                error_b = abs(mean - sum(of_b) / len(of_b))
                lead += (error_a < error_b) - (error_b < error_a)
            pair.append(lead / len(gold))
        leads.append((pair[0], pair[1]))
    return leads


def loop_sets(n_items: int, n_responses: int, count: int) -> list[list[float]]:
    """Simulate test sets item by item, and give their responses."""
    source = random.Random(0)
    drawn = []
    for _ in range(count):
        for _ in range(n_items):
            mean, sd = source.uniform(0.0, 1.0), source.uniform(0.0, 0.3)
            moved = min(1.0, max(0.0, mean + source.uniform(-0.1, 0.1)))
            for center in (mean, mean, moved):
                drawn.append([source.gauss(center, sd) for _ in range(n_responses)])
    return drawn
