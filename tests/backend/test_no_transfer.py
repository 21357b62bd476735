"""Nothing leaves the device: guards that would notice, one graph, shards of a mesh."""

import os

import pytest

from conftest import require
from tests.backend.programs import run


def test_guards_notice_a_scalar(backend):
    """The guard of each backend refuses what a float() or .item() does."""
    if backend.name == "numpy":
        pytest.skip("the host is where NumPy's arrays are")
    array = backend.asarray([0.5])
    if backend.is_jax:
        import jax

        with pytest.raises(jax.errors.ConcretizationTypeError):
            jax.jit(lambda x: float(x[0]))(array)
        return
    with pytest.raises((AssertionError, RuntimeError)), backend.no_transfers():
        float(array[0])


def test_torch_compiles_in_one_graph():
    """No graph breaks: nothing in between needs a value."""
    require("torch")
    code, output = run(
        """
        import torch
        from sigarray import aso
        a, b = torch.linspace(0.0, 1.0, 40), torch.linspace(0.1, 0.9, 30)


        def function(a, b):
            return aso(a, b, n_resamples=50, rng=0)

        compiled = torch.compile(function, fullgraph=True, backend="aot_eager")
        for result, expected in zip(compiled(a, b), function(a, b)):
            torch.testing.assert_close(result, expected)
        """
    )
    assert code == 0, output


def test_torch_compiles_once_for_all_seeds():
    """Seeds that are tensors; what has no seed of its own is refused."""
    require("torch")
    code, output = run(
        """
        import torch
        from torch._dynamo.testing import CompileCounterWithBackend
        from sigarray import aso
        a, b = torch.linspace(0.0, 1.0, 30), torch.linspace(0.1, 0.9, 20)


        def function(a, b, rng):
            return aso(a, b, n_resamples=20, rng=rng).standard_error

        counter = CompileCounterWithBackend("aot_eager")
        compiled = torch.compile(function, fullgraph=True, backend=counter)
        for seed in (3, 2**40 + 5, 2**63 + 9):
            words = torch.tensor([seed % 2**32, seed >> 32])
            torch.testing.assert_close(compiled(a, b, words), function(a, b, seed))
        assert counter.frame_count == 1, counter.frame_count

        for rng in (None, torch.Generator()):
            try:
                torch.compile(
                    lambda a, b: function(a, b, rng), fullgraph=True, backend=counter
                )(a, b)
            except Exception as error:
                assert "Expected rng to be an int, or an integer" in str(error), error
            else:
                raise SystemExit("nothing was said")
        """
    )
    assert code == 0, output


def test_jax_programs_do_not_grow_with_the_resamples():
    jax = require("jax")
    from sigarray import aso

    def size(n_resamples):
        def function(a, b):
            return aso(a, b, n_resamples=n_resamples, batch=100, rng=0)

        a = jax.numpy.linspace(0.0, 1.0, 20)
        return str(jax.make_jaxpr(function)(a, a)).count(" = ")

    assert size(1_000) == size(100_000)


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
    )
    assert code == 0, output


def test_import_loads_no_array_library_but_numpy():
    code, output = run(
        """
        import sys
        import sigarray
        import sigarray._cli.main
        heavy = {"torch", "jax", "cupy", "scipy", "pandas", "matplotlib", "rich"}
        assert not heavy & set(sys.modules), heavy & set(sys.modules)
        """
    )
    assert code == 0, output
