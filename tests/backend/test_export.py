"""Every case lowers for CUDA, where there is none: XLA knows all of its operations."""

import re

import pytest

from tests.backends import require
from tests.cases import CASES
from tests.test_contract import over

# What a program may call that XLA does not lower itself.
ALLOWED_CALLS: set[str] = set()


def lower_for_cuda(function, *arrays):
    """Return the names of what the program calls on the outside."""
    import jax

    exported = jax.export.export(jax.jit(function), platforms=["cuda"])(*arrays)
    return set(re.findall(r"custom_call @([\w.]+)", exported.mlir_module()))


@pytest.fixture
def jax():
    return require("jax")


@over(CASES)
def test_every_case_lowers_for_cuda(jax, case):
    shapes = [jax.ShapeDtypeStruct((2, *shape), "float32") for shape in case.shapes]
    seed = jax.ShapeDtypeStruct((), "int32")

    def program(seed, *arrays):
        return case(*arrays, **({"rng": seed} if case.is_random else {}))

    assert lower_for_cuda(program, seed, *shapes) <= ALLOWED_CALLS


def test_calls_are_noticed(jax):
    """Of the host, and of libraries that a program needs beside XLA."""
    array = jax.ShapeDtypeStruct((3, 3), "float32")

    def call_back(x):
        return jax.pure_callback(lambda y: y, x, x)

    # A callback is of the platform that is here.
    with pytest.raises(ValueError, match="different from the lowering platform cuda"):
        lower_for_cuda(call_back, array)
    assert lower_for_cuda(jax.numpy.linalg.qr, array)
