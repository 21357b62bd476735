"""Eight devices of JAX: scores that lie on them, and replicates that they share."""

import os
import textwrap

import pytest

from tests.backend.programs import run
from tests.backends import require, whole_suite

START = """
import re
import warnings

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec as P

from sigarray import aso, responses
from sigarray._backend import chunks, workers
from tests.cases import CASES

warnings.simplefilter("ignore")
mesh = jax.make_mesh((8,), ("i",), axis_types=(jax.sharding.AxisType.Auto,))
CASES = {case.id: case for case in CASES}


def on_numpy(call, samples):
    # What one device of JAX gives is for other tests to say.
    return call(*map(np.asarray, samples))


def agree(results, expected):
    for x, y in zip(results, expected, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-5, atol=2e-6)


def sizes_of_collectives(program):
    kinds = "all-reduce|all-gather|all-to-all|collective-permute|reduce-scatter"
    for line in program.as_text().splitlines():
        found = re.search(rf" = (.*?) (?:{kinds})(?:-start)?\\(", line)
        if found:
            shapes = re.findall(r"\\w+\\[([\\d,]*)\\]", found[1])
            yield sum(int(np.prod([int(n) for n in x.split(",") if n])) for x in shapes)

"""


def run_on_mesh(code):
    require("jax")
    flags = os.environ.get("XLA_FLAGS", "")
    code, output = run(
        START + textwrap.dedent(code),
        XLA_FLAGS=f"{flags} --xla_force_host_platform_device_count=8",
        JAX_PLATFORMS="cpu",
    )
    assert code == 0, output


@pytest.mark.long
@whole_suite
def test_comparisons_stay_on_their_devices():
    """Nothing is exchanged, also in loops over entries that are too many to be held."""
    run_on_mesh(
        """
        def collectives(call, samples):
            split = NamedSharding(mesh, P("i"))
            placed = [jax.device_put(x, split) for x in samples]
            program = jax.jit(lambda *x: call(*x)).lower(*placed).compile()
            agree(program(*placed), on_numpy(call, samples))
            return list(sizes_of_collectives(program))

        for name in (
            "aso-bootstrap-ragged",
            "multi_aso-ragged",
            "permutation_test-mean-independent",
            "bootstrap_ci-mean-bca-2",
            "response_test-spearman",
            "response_test-shuffled",
            "resample-bootstrap",
        ):
            case = CASES[name]
            samples = [jnp.asarray(x) for x in case.samples(16)]
            assert collectives(case, samples) == [], name
        chunks.MAX_HELD = 400
        for name in ("bootstrap_ci-median-basic-2", "response_test-emd"):
            samples = [jnp.asarray(x) for x in CASES[name].samples(48)]
            case = CASES[name]
            assert collectives(lambda *x: case(*x, batch=9), samples) == [], name
        # That a gather is noticed.
        assert collectives(lambda x: (x[::-1].sum(),), samples[:1])
        """
    )


@pytest.mark.long
@whole_suite
def test_devices_share_replicates():
    """One exchange, of sums or of replicates, and the numbers of one device."""
    run_on_mesh(
        """
        workers._MIN_ELEMENTS = 0
        for name, n_exchanged in {
            "aso-bootstrap-ragged": 4,
            "aso_replicates": None,
            "multi_aso-3": 12,
            "permutation_test-mean-independent": 2,
            "permutation_replicates-median": None,
            "bootstrap_test-median-paired": 2,
            "bootstrap_ci-callable-bca-1": None,
            "response_test-wins": None,
        }.items():
            case = CASES[name]
            samples = [jnp.asarray(x) for x in case.samples(2)]
            shared = jax.shard_map(
                lambda *x: case(*x, workers="i"), mesh=mesh, in_specs=P(), out_specs=P()
            )
            program = jax.jit(shared).lower(*samples).compile()
            agree(program(*samples), on_numpy(case, samples))
            (size,) = sizes_of_collectives(program)
            assert n_exchanged in (None, size), (name, size)

        # Of one device, in several chunks.
        case = CASES["aso-bootstrap-ragged"]
        samples = [jnp.asarray(x) for x in case.samples(2)]
        alone = jax.shard_map(
            lambda *x: case(*x, workers="i", batch=9),
            mesh=jax.make_mesh((1,), ("i",), devices=jax.devices()[:1]),
            in_specs=P(),
            out_specs=P(),
        )
        agree(jax.jit(alone)(*samples), on_numpy(case, samples))

        # Of no library's arrays: a simulation.
        by = {"n_items": 30, "n_sets": 40, "rng": 0, "xp": jnp}
        one = responses.true_p_value(**by)
        shared = jax.shard_map(
            lambda: responses.true_p_value(**by, workers="i"),
            mesh=mesh, in_specs=(), out_specs=P(),
        )
        agree(jax.jit(shared)(), one)

        a, b = jnp.asarray(np.random.default_rng(0).normal(size=(2, 40)))
        by = {"rng": 0, "n_resamples": 64, "workers": "i"}
        mapped = jax.vmap(lambda _: aso(a, b, **by), axis_name="i")(jnp.zeros(5))
        agree([x[3] for x in mapped], aso(a, b, **(by | {"workers": 2})))

        def refuses(call, error, words):
            try:
                call()
            except error as raised:
                assert words in str(raised), raised
            else:
                raise AssertionError(f"nothing was said of {words}")

        # Of maps nobody knows whether scores are the same, before they run.
        shifted, alone = jnp.stack([a, a + 0.1]), aso(a, b, rng=0, n_resamples=64)
        for mapped in (
            jax.vmap(lambda x: aso(x, b, **by), axis_name="i"),
            jax.shard_map(
                lambda x: [y[None] for y in aso(x[0], b, **by)],
                mesh=jax.sharding.Mesh(jax.devices()[:2], "i"),
                in_specs=P("i"), out_specs=P("i"), check_vma=False,
            ),
        ):
            assert all(jnp.isnan(x).all() for x in mapped(shifted))
            agree([x[1] for x in mapped(jnp.stack([a, a]))], alone)

        refuses(lambda: aso(a, b, **by), ValueError, "'i', which is no axis here")
        split = jax.shard_map(
            lambda a, b: aso(a, b, **by), mesh=mesh, in_specs=P("i"), out_specs=P()
        )
        same = "scores and rng that are the same on all shards of 'i'"
        refuses(lambda: split(a, b), TypeError, same)
        # Few are computed by each, which takes less time than an exchange.
        workers._MIN_ELEMENTS = 2**23
        whole = jax.shard_map(
            lambda a, b: aso(a, b, **by), mesh=mesh, in_specs=P(), out_specs=P()
        )
        program = jax.jit(whole).lower(a, b).compile()
        assert not list(sizes_of_collectives(program))
        """
    )
