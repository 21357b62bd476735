"""Nothing leaves the device: guards that would notice, shards of a mesh."""

import os

import pytest

from tests.backend.programs import run
from tests.backends import require


def test_guards_notice_a_scalar(backend):
    """The guard of each backend refuses what a float() or .item() does."""
    if backend.name == "numpy":
        pytest.skip("the host is where NumPy's arrays are")
    if backend.name == "cupy":
        pytest.skip("CuPy cannot refuse to wait; its stand-in does")
    array = backend.asarray([0.5])
    if backend.is_jax:
        import jax

        with pytest.raises(jax.errors.ConcretizationTypeError):
            jax.jit(lambda x: float(x[0]))(array)
        return
    with pytest.raises((AssertionError, RuntimeError)), backend.no_transfers():
        float(array[0])


def test_jax_programs_do_not_grow_with_the_resamples():
    jax = require("jax")
    from sigarray import aso

    def size(n_resamples):
        def function(a, b):
            return aso(a, b, n_resamples=n_resamples, batch=100, rng=0)

        # Of 20 scores and more, few replicates are kept, which is another program.
        a = jax.numpy.linspace(0.0, 1.0, 19)
        return str(jax.make_jaxpr(function)(a, a)).count(" = ")

    assert size(1_000) == size(100_000)


@pytest.mark.long
def test_jax_shards():
    """Scores sharded over a mesh, and replicates split over it."""
    require("jax")
    flags = os.environ.get("XLA_FLAGS", "")
    code, output = run(
        """
        import jax, jax.numpy as jnp, numpy as np
        from jax.sharding import NamedSharding, PartitionSpec as P
        from sigarray import aso, aso_replicates
        assert len(jax.devices()) == 4
        mesh = jax.make_mesh((4,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
        rng = np.random.default_rng(0)
        a, b = (jnp.asarray(rng.normal(size=(8, n))) for n in (9, 7))
        expected = aso(a, b, rng=0)
        placed = [jax.device_put(x, NamedSharding(mesh, P("x"))) for x in (a, b)]
        for run in (aso, jax.jit(aso, static_argnames="rng")):
            for result, value in zip(run(*placed, rng=0), expected):
                np.testing.assert_allclose(result, value, atol=1e-6)

        def shard(a, b):
            start = jax.lax.axis_index("x") * 50
            return aso_replicates(a, b, start=start, count=50, rng=0)

        split = jax.shard_map(
            shard, mesh=mesh, in_specs=(P(), P()), out_specs=P(None, "x")
        )
        by_row = jax.shard_map(
            lambda a, b: aso(a, b, rng=0, batch=100),
            mesh=mesh, in_specs=(P("x"), P("x")), out_specs=P("x"),
        )
        for result, value in zip(jax.jit(by_row)(a, b), expected):
            np.testing.assert_allclose(result, value, atol=1e-6)
        whole = aso_replicates(a, b, start=0, count=200, rng=0)
        np.testing.assert_allclose(jax.jit(split)(a, b), whole, atol=1e-6)
        other = aso(*(jax.device_put(x, jax.devices()[2]) for x in (a, b)), rng=0)
        assert other.eps_min.devices() == {jax.devices()[2]}
        """,
        XLA_FLAGS=f"{flags} --xla_force_host_platform_device_count=4",
        JAX_PLATFORMS="cpu",
    )
    assert code == 0, output


def test_import_loads_no_array_library_but_numpy():
    code, output = run(
        """
        import sys
        import sigarray
        import sigarray._cli.main
        heavy = {"torch", "jax", "cupy", "scipy", "pandas", "matplotlib", "rich"}
        heavy.add("sigarray._backend._engine")  # before a call needs it
        assert not heavy & set(sys.modules), heavy & set(sys.modules)
        """
    )
    assert code == 0, output
