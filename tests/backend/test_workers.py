"""Whoever computes the replicates, the bits are the same."""

import inspect
import io
import multiprocessing
import pickle
import random
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

import sigarray
from sigarray import aso, bootstrap_test, multi_aso, permutation_test, responses
from sigarray._backend.workers import Execution, executed_by
from sigarray._order.ratio import SortedResamples
from tests.backend.programs import run
from tests.backends import require, whole_suite
from tests.cases import CASES
from tests.chosen import over


def takes_workers(function):
    return "workers" in inspect.signature(function).parameters


# That of `aso` has chunks within chunks, and takes two minutes in small ones.
SHARED = [
    case
    for case in CASES
    if takes_workers(case.function) and case.id != "bootstrap_power_analysis-aso"
]


@pytest.fixture
def always_shared():
    """Short calls too."""
    with executed_by(Execution(least=0)):
        yield


@pytest.fixture
def small_chunks():
    """So that there is something to share."""
    with executed_by(Execution(least=0, room=800)):
        yield


def assert_same(results, expected):
    for result, value in zip(results, expected, strict=True):
        np.testing.assert_array_equal(result, value)


def map_of_pickles(function, tasks):
    """Map a function as another process would have it."""
    return map(pickle.loads(pickle.dumps(function)), tasks)


def test_all_that_resamples_can_be_shared():
    """Each public function with an `rng`, but those of the drop-in."""
    for package in (sigarray, responses):
        for name in package.__all__:
            function = getattr(package, name)
            if inspect.isfunction(function):
                parameters = inspect.signature(function).parameters
                assert "rng" not in parameters or "workers" in parameters, name
                assert ("progress" in parameters) == ("workers" in parameters), name


@over(SHARED)
def test_every_worker_gives_the_same_bits(small_chunks, case):
    samples = case.samples(2)
    expected = case(*samples)

    def shuffled(function, tasks):
        # By Python's own pickle, which takes no closure.
        function = pickle.loads(pickle.dumps(function))
        results = [function(task) for task in tasks]
        return random.Random(0).sample(results, len(results))

    assert_same(case(*samples, workers=shuffled), expected)
    with ThreadPoolExecutor(3) as pool:
        assert_same(case(*samples, workers=pool.map), expected)
    for n_threads in (1, 2, 5, -1):
        assert_same(case(*samples, workers=n_threads), expected)


def test_simulations(small_chunks):
    options = {"n_items": 6, "n_sets": 40, "rng": 0}
    for function in (
        lambda **by: responses.simulate(6, 2, n_sets=40, rng=0, **by),
        lambda **by: responses.true_p_value(**options, **by),
        lambda **by: [responses.power(6, 2, n_sets=9, n_resamples=9, rng=0, **by)],
        lambda **by: responses.study(metrics="mae", n_resamples=9, **options, **by),
    ):
        assert_same(function(workers=map_of_pickles), function())
        assert_same(function(workers=2), function())


def test_threads_are_used_where_it_pays(monkeypatch):
    names = set()
    draw = SortedResamples.draw

    def note(*args):
        names.add(threading.current_thread().name)
        return draw(*args)

    monkeypatch.setattr(SortedResamples, "draw", note)
    a, b = np.random.default_rng(0).normal(size=(2, 300))
    aso(a, b, rng=0, workers=2)
    assert names == {"MainThread"}
    aso(a, b, rng=0, n_resamples=20_000, workers=2)
    assert len(names - {"MainThread"}) == 2


def test_a_short_call_is_shared_with_nobody():
    """A task of a cluster takes milliseconds."""
    a, b = np.random.default_rng(0).normal(size=(2, 300))
    sizes = []

    def apply(function, tasks):
        sizes.append(len(tasks))
        return map(function, tasks)

    aso(a, b, rng=0, workers=apply)
    assert not sizes
    aso(a, b, rng=0, n_resamples=20_000, workers=apply)
    assert sizes[0] > 1


@pytest.mark.parametrize("who", [None, 2, map])
def test_progress_rises_to_all_and_moves_no_number(small_chunks, who):
    a, b = np.random.default_rng(0).normal(size=(2, 30))
    options = {"rng": 0, "n_resamples": 500, "workers": who}
    seen = []

    def note(done, total):
        seen.append((done, total))

    result = aso(a, b, progress=note, **options)
    few = options | {"n_resamples": 9, "progress": note}
    sigarray.bootstrap_power_analysis(a, test="aso", **few)
    assert result == aso(a, b, **options)
    first = [done for done, total in seen if total == 500]
    assert len(first) > 2
    assert first == sorted(first)
    assert first[-1] == 500
    # Those of resamples within samples are not told.
    assert {total for _, total in seen} == {500, 9}


@over(SHARED)
def test_progress_moves_no_number(small_chunks, case):
    samples = case.samples(2)
    seen = []
    result = case(*samples, progress=lambda done, total: seen.append(done / total))
    assert_same(result, case(*samples))
    # Closed forms have nothing to tell.
    assert max(seen, default=1.0) == 1.0


def test_progress_of_a_bar_of_tqdm(small_chunks):
    tqdm = pytest.importorskip("tqdm")
    a, b = np.random.default_rng(0).normal(size=(2, 30))
    with tqdm.tqdm(file=io.StringIO()) as bar:
        aso(a, b, rng=0, n_resamples=500, progress=bar)
        assert (bar.n, bar.total) == (500, 500)
        permutation_test(a, b, rng=0, n_resamples=300, progress=bar)
        assert (bar.n, bar.total) == (300, 300)
    with pytest.raises(TypeError, match=r"progress to be a function of \(done, total"):
        aso(a, b, rng=0, progress=3)


def test_pools_do_not_nest(small_chunks):
    """Power of `aso` resamples within a chunk of samples."""
    seen = []

    def apply(function, tasks):
        seen.append(len(tasks))
        return map(function, tasks)

    scores = [0.1, 0.5, 0.2, 0.4, 0.6, 0.9]
    options = {"test": "aso", "n_resamples": 5, "rng": 0}
    sigarray.bootstrap_power_analysis(scores, workers=apply, **options)
    assert len(seen) == 1
    assert seen[0] > 1


@pytest.mark.parametrize("library", ["torch", "jax.numpy"])
def test_other_libraries(library, small_chunks):
    xp = require(library)
    a, b = (xp.asarray(x) for x in np.random.default_rng(0).normal(size=(2, 30)))
    options = {"rng": 0, "n_resamples": 300}
    expected = permutation_test(a, b, **options)
    assert permutation_test(a, b, workers=2, **options) == expected
    if library == "torch":
        assert permutation_test(a, b, workers=map, **options) == expected
        return
    with pytest.raises(TypeError, match=r"with arrays of jax.*; got a function"):
        permutation_test(a, b, workers=map, **options)


@pytest.mark.parametrize(
    ("value", "error"),
    [
        (0, ValueError),
        (-2, ValueError),
        (1.5, TypeError),
        ([2], TypeError),
        (True, TypeError),
    ],
)
def test_impossible_workers(value, error):
    with pytest.raises(error, match=r"Expected workers to be .* all cores"):
        aso([1.0, 2.0, 3.0], [1.0, 2.0, 4.0], rng=0, workers=value)


def test_an_executor_is_not_its_class():
    with pytest.raises(TypeError, match=r"the class ThreadPoolExecutor\. .*\.map"):
        aso([1.0, 2.0, 3.0], [1.0, 2.0, 4.0], rng=0, workers=ThreadPoolExecutor)


def test_faults_of_maps(small_chunks):
    a, b = np.random.default_rng(0).normal(size=(2, 30))
    with pytest.raises(RuntimeError, match=r"results of .* tasks, as map"):
        aso(a, b, rng=0, workers=lambda function, tasks: map(function, tasks[:-1]))

    for give in (
        lambda function, tasks: None,
        lambda function, tasks: [[function(task)] for task in tasks],
        lambda function, tasks: [ThreadPoolExecutor(1).submit(function, tasks[0])],
    ):
        with pytest.raises(TypeError, match=r"results of tasks, as map\(function"):
            aso(a, b, rng=0, workers=give)

    def fail(function, tasks):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        aso(a, b, rng=0, workers=fail)


# With a function of the caller that Python's own pickle does not take.
CALLS = [
    lambda a, b, **by: aso(a, b, n_resamples=3000, **by),
    lambda a, b, **by: multi_aso(np.stack([a, b, a - b]), n_resamples=3000, **by),
    permutation_test,
    lambda a, b, **by: bootstrap_test(
        a, b, statistic=lambda x, axis: x.max(axis), **by
    ),
    lambda a, b, **by: responses.response_test(
        *(np.tile(x[:, None], 5) + np.arange(5) for x in (a, b, a - b)),
        n_resamples=3000,
        **by,
    ),
]


@pytest.fixture
def samples():
    return np.random.default_rng(0).normal(size=(2, 50))


@whole_suite
def test_processes_of_loky(samples, always_shared):
    loky = pytest.importorskip("loky")
    with loky.get_reusable_executor(2) as executor:
        for call in CALLS:
            results = call(*samples, rng=0, workers=executor.map)
            assert_same(results, call(*samples, rng=0))


@whole_suite
def test_spawned_processes(samples, always_shared):
    a, b = samples
    calls = [
        lambda **by: aso(a, b, n_resamples=3000, **by),
        lambda **by: permutation_test(a, b, statistic=np.median, **by),
        lambda **by: sigarray.bootstrap_replicates(a, b, start=5, count=900, **by),
    ]
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=spawned) as pool:
        for call in calls:
            assert_same(call(rng=0, workers=pool.map), call(rng=0))


@pytest.mark.parametrize("call", CALLS)
def test_what_is_sent_is_small(call, samples, always_shared):
    cloudpickle = pytest.importorskip("cloudpickle")
    sizes = []

    def apply(function, tasks):
        sizes.append(len(cloudpickle.dumps(function)))
        return map(pickle.loads(cloudpickle.dumps(function)), tasks)

    assert_same(call(*samples, rng=0, workers=apply), call(*samples, rng=0))
    assert sizes
    assert max(sizes) < 100_000


@whole_suite
def test_processes_of_joblib(samples, always_shared):
    joblib = pytest.importorskip("joblib")

    def apply(function, tasks):
        return joblib.Parallel(n_jobs=2)(joblib.delayed(function)(x) for x in tasks)

    result = aso(*samples, n_resamples=3000, rng=0, workers=apply)
    assert result == aso(*samples, n_resamples=3000, rng=0)


@pytest.mark.long
@whole_suite
def test_a_worker_of_dask_that_is_killed():
    """Its chunks are computed by another one: the same bits."""
    pytest.importorskip("distributed")
    code, output = run(
        """
        import os
        import signal

        import numpy as np
        from distributed import Client, LocalCluster

        from sigarray import multi_aso
        from sigarray._backend.workers import Execution, executed_by

        def main():
            scores = np.random.default_rng(0).normal(size=(8, 200))
            options = {"n_resamples": 3000, "rng": 0}
            expected = multi_aso(scores, **options)
            settings = {"n_workers": 2, "threads_per_worker": 1}
            settings |= {"dashboard_address": None, "silence_logs": 50}
            with LocalCluster(**settings) as cluster, Client(cluster) as client:
                executor = client.get_executor()

                def kill_one(function, tasks):
                    for k, result in enumerate(executor.map(function, tasks)):
                        if k == 1:
                            victim = min(client.run(os.getpid).values())
                            os.kill(victim, signal.SIGKILL)
                        yield result

                with executed_by(Execution(least=0)):
                    result = multi_aso(scores, workers=kill_one, **options)
            for found, value in zip(result, expected, strict=True):
                np.testing.assert_array_equal(found, value)
            print("the same")

        if __name__ == "__main__":
            main()
        """
    )
    assert code == 0, output
    assert "the same" in output


def test_arrays_of_dask():
    """The line that the message gives, for comparisons in chunks."""
    da = pytest.importorskip("dask.array")
    a, b = np.random.default_rng(0).normal(size=(2, 6, 30))
    chunked = [da.from_array(x, chunks=(2, -1)) for x in (a, b)]
    with pytest.raises(TypeError, match=r"Pass x\.compute\(\)") as refused:
        aso(*chunked, rng=0)
    with pytest.raises(TypeError, match=r"Pass x\.compute\(\)"):
        multi_aso({"a": chunked[0], "b": chunked[1]}, rng=0)
    line = str(refused.value).partition("in one chunk: ")[2].removesuffix(".")
    lazy = eval(line, {"da": da, "aso": aso, "a": chunked[0], "b": chunked[1]})
    assert [x.chunks for x in lazy] == [((2, 2, 2),)] * 5
    for result, value in zip(da.compute(*lazy), aso(a, b, rng=0), strict=True):
        np.testing.assert_allclose(result, value, rtol=1e-12)
