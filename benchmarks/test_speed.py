"""pytest-benchmark cases on every backend that is here.

    python -m pytest benchmarks -n 0

`SIGARRAY_BACKENDS` narrows the backends, as for the tests.
"""

import pytest

from tests.backends import HERE
from tests.large_cases import LARGE_CASES


def wait(backend, results):
    """Wait for the device, which may still be at work when a call returns."""
    if backend.is_jax:
        import jax

        jax.block_until_ready(results)
    elif backend.name == "torch:cuda":
        import torch

        torch.cuda.synchronize()
    elif backend.name == "cupy":
        import cupy

        cupy.cuda.get_current_stream().synchronize()


@pytest.mark.parametrize(
    "backend",
    [name for name in HERE if not name.startswith("array_api_strict")],
    indirect=True,
)
@pytest.mark.parametrize(
    "case", [case for case in LARGE_CASES if case.is_timed], ids=lambda case: case.id
)
def test_speed(backend, benchmark, case):
    """Time the case, once it is compiled and warm."""
    arrays = [backend.asarray(sample, "float32") for sample in case.samples()]

    def run():
        wait(backend, case(*arrays))

    run()
    benchmark(run)
