"""What transforms a step of JAX: scans, maps, donation, derivatives, a mesh."""

import os
import re

import numpy as np
import pytest

from sigarray import aso, bootstrap_replicates, t_test
from sigarray.responses import metrics
from tests.backend.programs import run
from tests.backends import require
from tests.chosen import ENTRIES, LOOPS, over_all

OPTIONS = {"n_resamples": 60, "rng": 0}


@pytest.fixture
def jax():
    return require("jax")


@pytest.fixture
def samples(jax):
    rng = np.random.default_rng(0)
    return [jax.numpy.asarray(rng.normal(size=n), "float32") for n in (12, 9)]


@pytest.mark.long
def test_scan_over_steps_of_several_experiments(jax):
    """Each has a key of its own, and a column of scores, which are the same."""
    scores, baseline = jax.random.normal(jax.random.key(1), (2, 2, 12))
    runs = jax.numpy.stack([scores] * 3, -1)

    def evaluate(key, scores, baseline):
        return aso(scores, baseline[:9], n_resamples=60, rng=key)

    def step(key, run):
        key, own = jax.random.split(key)
        keys = jax.random.split(own, 3)
        return key, jax.vmap(evaluate, in_axes=(0, 1, None))(keys, *run)

    _, results = jax.lax.scan(step, jax.random.key(0), (runs, baseline))
    assert len(np.unique(results.standard_error)) == 6
    key = jax.random.key(0)
    for k in range(2):
        key, own = jax.random.split(key)
        for i, key_of_one in enumerate(jax.random.split(own, 3)):
            expected = evaluate(key_of_one, scores[k], baseline[k])
            for result, value in zip(results, expected, strict=True):
                np.testing.assert_allclose(result[k, i], value, atol=1e-6)


@pytest.mark.long
def test_what_a_callable_reads_may_change(jax, samples):
    """An attribute, a global, what it closes over: all of now, in every call."""
    scores, baseline = samples
    level = 0.1

    class Quantile:
        level = 0.1

        def take(self, x, axis):
            return jax.numpy.quantile(x, self.level, axis=axis)

        __call__ = take

    def closure(x, axis):
        return jax.numpy.quantile(x, level, axis=axis)

    own = Quantile()
    metric = metrics.Metric(
        "own", lambda xp, gold, x: xp.abs(x - gold).mean(-1) * level
    )

    def test(statistic):
        return bootstrap_replicates(
            scores, baseline, statistic=statistic, start=0, count=5, rng=0
        )

    gold = scores[:, None]
    calls = (
        lambda: test(own.take),
        lambda: test(own),
        lambda: test(closure),
        lambda: metric(gold, gold + 1.0),
        lambda: jax.jit(lambda x: test(own) + x)(scores[0]),
        lambda: jax.vmap(lambda x: test(own) + x)(scores[:2]),
    )
    before = [call() for call in calls]
    own.level = level = 0.9
    for call, old in zip(calls, before, strict=True):
        assert not np.allclose(call(), old)
    np.testing.assert_allclose(
        test(own), test(lambda x, axis: jax.numpy.quantile(x, 0.9, axis=axis))
    )
    # One program for all of one trace.
    from sigarray._backend import of_jax

    n_programs = len(of_jax._PROGRAMS)
    test(own)
    test(lambda x, axis: jax.numpy.quantile(x, 0.9, axis=axis))
    assert len(of_jax._PROGRAMS) == n_programs


@pytest.mark.long
def test_devices_are_named(jax):
    code, output = run(
        """
        import jax
        import pytest
        from sigarray import t_test

        a, b = (jax.device_put(jax.numpy.arange(4.0), x) for x in jax.devices())
        with pytest.raises(TypeError, match="one device; got .*0 and .*1. Move one"):
            t_test(a, b)
        t_test(a, jax.numpy.arange(3.0))  # is moved
        """,
        XLA_FLAGS="--xla_force_host_platform_device_count=2",
        JAX_PLATFORMS="cpu",
    )
    assert code == 0, output


def test_donated_scores(jax, samples):
    """A buffer of scores that is written to in place, and kept by nobody."""
    scores, baseline = samples

    def step(scores, baseline):
        scores = scores.at[0].add(1.0)
        return scores, aso(scores, baseline, **OPTIONS)

    before = aso(scores, baseline, **OPTIONS)
    expected = step(scores, baseline)
    donating = jax.jit(step, donate_argnums=0)
    given = scores.copy()
    updated, results = donating(given, baseline)
    assert given.is_deleted()
    np.testing.assert_array_equal(updated, expected[0])
    np.testing.assert_allclose(results, expected[1], atol=1e-6)
    again = aso(updated.at[0].set(scores[0]), baseline, **OPTIONS)
    np.testing.assert_array_equal(again, before)


@pytest.mark.long
def test_widths(jax, samples):
    """Switched back and forth; programs of either width are not mixed up."""
    narrow, wide = jax.numpy.float32, jax.numpy.float64
    on_numpy = aso(*(np.asarray(x, np.float64) for x in samples), **OPTIONS)
    results = []
    for is_wide in (False, True, False):
        with jax.enable_x64(is_wide):
            results.append(aso(*samples, **OPTIONS))
            assert all(x.dtype == narrow for x in results[-1])
            whole = [jax.numpy.asarray(x) for x in ([1, 2, 3, 4], [2, 3, 5, 5])]
            ratio = aso(*whole).violation_ratio
            assert ratio.dtype == (wide if is_wide else narrow)
    for result, value in zip(results, (on_numpy, on_numpy, results[0]), strict=True):
        np.testing.assert_allclose(result, value, atol=1e-6)
    np.testing.assert_array_equal(results[0], results[2])


@over_all(ENTRIES, LOOPS)
def test_derivatives_are_zero(jax, case):
    """What is traced gives a constant as the tangent, whatever that of the scores.

    To trace is enough, and takes a tenth of the time of a program to run. What a
    function computes does not matter: derivatives end where it takes its arrays, and
    test_no_graph_goes_through shows on PyTorch that each of them takes them there.
    """
    arrays = [jax.numpy.asarray(x, "float32") for x in case.samples()]

    def tangent(*arrays):
        def add_up(*arrays):
            return sum(x.sum().astype("float32") for x in case(*arrays))

        return jax.jvp(add_up, arrays, arrays)[1]

    program = str(jax.make_jaxpr(tangent)(*arrays))
    assert program.endswith("in (0.0:f32[],) }")


def test_a_loss_keeps_its_gradient(jax, samples):
    """Where p-values are added to it, of which one is without any scatter."""
    scores, baseline = samples

    def loss(scores):
        same = t_test(0.0 * scores, 0.0 * scores).pvalue
        return (scores**2).sum() + t_test(scores, baseline).pvalue + same

    for gradient in (jax.grad(loss), jax.jit(jax.grad(loss))):
        np.testing.assert_array_equal(gradient(scores), 2.0 * scores)


@pytest.mark.long
def test_mesh(jax):
    """Scores of examples that are split over a mesh: one answer on each device."""
    flags = os.environ.get("XLA_FLAGS", "")
    code, output = run(
        """
        import jax, jax.numpy as jnp, numpy as np
        from jax.sharding import NamedSharding, PartitionSpec as P
        from sigarray import aso

        mesh = jax.make_mesh((2,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
        rng = np.random.default_rng(0)
        weights, examples, baseline = (
            jnp.asarray(rng.normal(size=n), "float32") for n in (4, (20, 4), 20)
        )
        placed = [
            jax.device_put(x, NamedSharding(mesh, spec))
            for x, spec in ((weights, P()), (examples, P("x")), (baseline, P("x")))
        ]

        def evaluate(weights, examples, baseline):
            scores = jnp.tanh(examples @ weights)
            return aso(scores, baseline, n_resamples=60, rng=0)

        def gather(weights, examples, baseline):
            parts = (
                jax.lax.all_gather(x, "x", tiled=True) for x in (examples, baseline)
            )
            return jnp.stack(evaluate(weights, *parts))[None]

        expected = evaluate(weights, examples, baseline)
        np.testing.assert_allclose(evaluate(*placed), expected, atol=1e-6)
        results = jax.jit(evaluate)(*placed)
        assert {len(x.devices()) for x in results} == {2}
        np.testing.assert_allclose(results, expected, atol=1e-6)
        each = jax.shard_map(
            gather, mesh=mesh, in_specs=(P(), P("x"), P("x")), out_specs=P("x")
        )
        both = jax.jit(each)(*placed)
        np.testing.assert_array_equal(both[0], both[1])
        np.testing.assert_allclose(both[0], expected, atol=1e-6)
        """,
        XLA_FLAGS=f"{flags} --xla_force_host_platform_device_count=2",
        JAX_PLATFORMS="cpu",
    )
    assert code == 0, output


CACHED_CALLS = """
import jax
import numpy as np
from sigarray import aso, permutation_test

events = []
jax.monitoring.register_event_listener(lambda name, **_: events.append(name))
a, b = jax.numpy.asarray(np.random.default_rng(0).normal(size=(2, 30)))
jax.block_until_ready(aso(a, b, rng=0))
jax.block_until_ready(aso(a[:5], b[:5]))
jax.block_until_ready(permutation_test(a, b, n_resamples=99, rng=0))
found = [events.count(f"/jax/compilation_cache/cache_{x}") for x in ("hits", "misses")]
print("hits and misses:", *found)
"""


@pytest.mark.long
def test_programs_of_another_process_are_found(tmp_path):
    """By JAX's persistent cache: its keys may not depend on the process."""
    require("jax")
    settings = {
        "JAX_COMPILATION_CACHE_DIR": str(tmp_path),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
    }
    outputs = [run(CACHED_CALLS, **settings)[1] for _ in range(2)]
    counts = [re.search(r"hits and misses: (\d+) (\d+)", x) for x in outputs]
    assert all(counts), outputs
    (_, first_misses), (hits, misses) = (map(int, x.groups()) for x in counts)
    assert first_misses > 3, outputs[0]
    assert hits >= 3, outputs[1]
    assert misses == 0, outputs[1]
