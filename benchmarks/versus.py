"""Time sigarray and its peers side by side, in one process, and print the ratio.

    OMP_NUM_THREADS=1 python -m benchmarks.versus

NumPy float64, one thread. The peers are deep-significance 1.2.8 with its defaults and
SciPy's vectorized functions with theirs; for SciPy, the fastest of several generators
and batches is shown too. The peer of the tests of responses is a loop over items in
plain Python. Each time is the shortest of several; ratios of one run mean something
where times of shared machines do not.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import random
import time
import tracemalloc
from collections.abc import Callable

import deepsig
import numpy as np
import scipy.stats

import sigarray
from sigarray import responses

N_RESAMPLES = 1000
# How many times faster than deep-significance, by sample size; and how many times the
# time to sort the scores a million of them may take.
FLOORS = {5: 3000.0, 100: 700.0, 1000: 500.0}
SORT_CEILING = 10.0

# Resampling tests: scores a side, resamples, resamples of deep-significance, which is
# timed per resample, and how many times faster than either peer.
N_SCORES = 1000
N_TEST_RESAMPLES = 9999
N_PEER_RESAMPLES = 200
SCIPY_FLOORS = {
    "permutation_test, paired": 50.0,
    "permutation_test, independent": 1.5,
    "bootstrap_test, independent": 1.0 / 1.5,
}
DEEPSIG_FLOORS = {
    "permutation_test, paired": 200.0,
    "bootstrap_test, paired": 1.0,
}
# Items, responses to each, resamples or sets, and of them those of a Python loop, which
# is timed for each.
TEST_SET = (1000, 5)
N_SETS, N_LOOPS = 1000, 20
LOOP_FLOORS = {"response_test, wins_mae": 20.0, "simulate": 10.0}
# The default, and what may be faster: NumPy's new generator, with several batches.
SCIPY_OPTIONS = ({}, *({"rng": 0, "batch": batch} for batch in (None, 50, 200)))


def main() -> None:
    """Print a table of times and ratios, and fail below a floor."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=list(FLOORS))
    failures = compare_orders(parser.parse_args().sizes)
    failures += compare_tests()
    failures += compare_responses()
    if failures:
        raise SystemExit("below the floor: " + "; ".join(failures))


def compare_orders(sizes: list[int]) -> list[str]:
    """Print the times of almost stochastic order, and give what is too slow."""
    rng = np.random.default_rng(0)
    failures = []
    print(f"aso, method='bootstrap', {N_RESAMPLES} resamples, NumPy float64")
    print(f"{'n = m':>8} {'deep-significance':>18} {'sigarray':>12} {'ratio':>8}")
    for n in sizes:
        a, b = rng.normal(0.5, 1.0, n), rng.normal(0.0, 1.0, n)
        peer, ours = time_peer(a, b), time_bootstrap(a, b)
        print(f"{n:>8} {peer:>16.3f} s {ours * 1e3:>9.3f} ms {peer / ours:>8.0f}")
        if peer / ours < FLOORS.get(n, 0.0):
            failures.append(f"n = {n}: {peer / ours:.0f} < {FLOORS[n]:.0f}")

    a, b = rng.normal(0.5, 1.0, 10**6), rng.normal(0.0, 1.0, 10**6)
    sorting = shortest(lambda: (np.sort(a, stable=False), np.sort(b, stable=False)), 5)
    ours = shortest(lambda: sigarray.aso(a, b, dt=0.005, rng=0), 5)
    print(
        f"\n10^6 scores a side, dt = 0.005: {ours * 1e3:.0f} ms, "
        f"{ours / sorting:.2f} times sorting them"
    )
    if ours > SORT_CEILING * sorting:
        failures.append(f"10^6 scores: {ours / sorting:.1f} > {SORT_CEILING}")

    words = N_RESAMPLES * 2 * 1001
    a, b = rng.normal(0.5, 1.0, 1000), rng.normal(0.0, 1.0, 1000)
    bootstrap, draws = time_bootstrap(a, b), time_words(words)
    print(
        f"n = m = 1000: {bootstrap / words * 1e9:.1f} ns for each of the {words} "
        f"random words, of which {draws / words * 1e9:.1f} ns to draw it"
    )
    print(f"peak memory: {peak_memory(a, b) / 2**20:.0f} MiB")
    return failures


def compare_tests() -> list[str]:
    """Print the times of resampling tests, and give what is too slow."""
    a, b = np.random.default_rng(1).normal([[0.05], [0.0]], 1.0, (2, N_SCORES))
    failures = []
    print(f"\nn = m = {N_SCORES}, {N_TEST_RESAMPLES} resamples of the mean")
    print(f"{'':<30} {'SciPy':>10} {'fastest':>11} {'sigarray':>10} {'ratios':>14}")
    for name, floor in SCIPY_FLOORS.items():
        ours = shortest(lambda name=name: run_test(name, a, b, N_TEST_RESAMPLES), 5)
        theirs = [
            shortest(
                lambda name=name, options=options: run_scipy(name, a, b, options), 2
            )
            for options in SCIPY_OPTIONS
        ]
        ratio, best = theirs[0] / ours, min(theirs) / ours
        print(
            f"{name:<30} {theirs[0] * 1e3:>7.0f} ms {min(theirs) * 1e3:>8.0f} ms "
            f"{ours * 1e3:>7.1f} ms {ratio:>7.2f} {best:>6.2f}"
        )
        if ratio < floor:
            failures.append(f"{name}, SciPy: {ratio:.2f} < {floor:.2f}")

    print(f"\n{'':<30} {'deep-significance':>18} {'sigarray':>14} {'ratio':>8}")
    for name, floor in DEEPSIG_FLOORS.items():
        ours = shortest(lambda name=name: run_test(name, a, b, N_TEST_RESAMPLES), 5)
        ours /= N_TEST_RESAMPLES
        theirs = getattr(deepsig, name.partition(",")[0])
        peer = shortest(
            lambda theirs=theirs: theirs(a, b, num_samples=N_PEER_RESAMPLES, seed=0), 3
        )
        peer /= N_PEER_RESAMPLES
        print(
            f"{name:<30} {peer * 1e6:>9.1f} us each {ours * 1e6:>6.2f} us each "
            f"{peer / ours:>8.0f}"
        )
        if peer / ours < floor:
            failures.append(f"{name}, deep-significance: {peer / ours:.1f} < {floor}")
    return failures


def compare_responses() -> list[str]:
    """Print the times of tests of responses, and give what is too slow."""
    n_items, n_responses = TEST_SET
    gold, a, b = responses.simulate(n_items, n_responses, rng=0)
    lists = [x.tolist() for x in (gold, a, b)]
    runs = {
        "response_test, wins_mae": (
            lambda: responses.response_test(
                gold, a, b, alternative="greater", n_resamples=N_SETS, rng=0
            ),
            lambda: loop_resamples(*lists, N_LOOPS),
        ),
        "simulate": (
            lambda: responses.simulate(n_items, n_responses, n_sets=N_SETS, rng=0),
            lambda: loop_sets(n_items, n_responses, N_LOOPS),
        ),
    }
    print(f"\n{n_items} items, {n_responses} responses, {N_SETS} resamples or sets")
    print(f"{'':<30} {'Python loop':>12} {'sigarray':>10} {'ratio':>8}")
    failures = []
    for name, (ours, loop) in runs.items():
        peer = shortest(loop, 2) * N_SETS / N_LOOPS
        own = shortest(ours, 10)
        print(f"{name:<30} {peer:>10.1f} s {own * 1e3:>7.0f} ms {peer / own:>8.0f}")
        if peer / own < LOOP_FLOORS[name]:
            failures.append(f"{name}: {peer / own:.0f} < {LOOP_FLOORS[name]:.0f}")
    return failures


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


def run_test(name: str, a: np.ndarray, b: np.ndarray, n_resamples: int) -> object:
    """Run a test of sigarray by the name of its row."""
    test, _, kind = name.partition(", ")
    return getattr(sigarray, test)(
        a,
        b,
        paired=kind == "paired",
        alternative="greater",
        n_resamples=n_resamples,
        rng=0,
    )


def run_scipy(name: str, a: np.ndarray, b: np.ndarray, options: dict) -> object:
    """Run what SciPy has for this row: an interval for the bootstrap."""
    if name.startswith("bootstrap"):
        return scipy.stats.bootstrap(
            (a, b),
            difference_of_means,
            n_resamples=N_TEST_RESAMPLES,
            method="percentile",
            **options,
        )
    return scipy.stats.permutation_test(
        (a, b),
        difference_of_means,
        permutation_type="samples" if name.endswith("paired") else "independent",
        n_resamples=N_TEST_RESAMPLES,
        alternative="greater",
        **options,
    )


def difference_of_means(a: np.ndarray, b: np.ndarray, axis: int) -> np.ndarray:
    """Give the statistic of all tests here, vectorized."""
    return np.mean(a, axis=axis) - np.mean(b, axis=axis)


def time_bootstrap(a: np.ndarray, b: np.ndarray) -> float:
    """Seconds that sigarray takes."""

    def run() -> None:
        sigarray.aso(a, b, method="bootstrap", n_resamples=N_RESAMPLES, rng=0)

    return shortest(run, 20)


def time_peer(a: np.ndarray, b: np.ndarray) -> float:
    """Seconds that deep-significance takes, without its progress bar."""

    def run() -> None:
        deepsig.aso(
            a, b, num_bootstrap_iterations=N_RESAMPLES, show_progress=False, seed=0
        )

    return shortest(run, 1 if len(a) > 100 else 3)


def time_words(count: int) -> float:
    """Seconds to draw so many random words, in chunks of a size that suits."""
    from sigarray._backend.seeds import seed_words
    from sigarray._backend.threefry import random_words

    seed = seed_words(np, "cpu", 0)
    width = 2**16

    def run() -> None:
        for start in range(-(-count // width)):
            random_words(np, seed, start, 1, width)

    return shortest(run, 10)


def peak_memory(a: np.ndarray, b: np.ndarray) -> int:
    """Bytes that sigarray holds at its peak."""
    tracemalloc.start()
    sigarray.aso(a, b, method="bootstrap", n_resamples=N_RESAMPLES, rng=0)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def shortest(run: Callable[[], object], repeats: int) -> float:
    """Shortest time of several runs, after one to warm up where there are several."""
    times = []
    for _ in range(repeats + (repeats > 1)):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


if __name__ == "__main__":
    main()
