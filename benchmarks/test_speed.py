"""pytest-benchmark cases on every backend that is here.

    python -m pytest benchmarks -n 0

`SIGARRAY_BACKENDS` narrows the backends, as for the tests.
"""

import numpy as np
import pytest

from sigarray import (
    aso,
    bootstrap_ci,
    bootstrap_power_analysis,
    bootstrap_test,
    mann_whitney_u,
    multi_aso,
    permutation_test,
    t_test,
)
from sigarray.responses import response_test

CASES = {
    "aso, 5 scores, exact": (aso, [(5,), (5,)], {}),
    "aso, 20 scores": (aso, [(20,), (20,)], {"rng": 0}),
    "aso, 1000 scores": (aso, [(1000,), (1000,)], {"rng": 0}),
    "aso, 1000 and 700 scores": (aso, [(1000,), (700,)], {"rng": 0}),
    "aso, 10^6 scores, grid": (aso, [(10**6,), (10**6,)], {"rng": 0, "dt": 0.005}),
    "aso, 10^5 scores, asymptotic": (aso, [(10**5,)] * 2, {"method": "asymptotic"}),
    "aso, batch of 1000": (aso, [(1000, 20), (1000, 20)], {"rng": 0}),
    "multi_aso, 10 models": (multi_aso, [(10, 20)], {"rng": 0}),
    "permutation_test, pairs": (permutation_test, [(1000,)] * 2, {"rng": 0}),
    "permutation_test": (permutation_test, [(1000,)] * 2, {"rng": 0, "paired": False}),
    "bootstrap_test": (bootstrap_test, [(1000,)] * 2, {"rng": 0}),
    "bootstrap_ci, BCa": (bootstrap_ci, [(1000,)], {"rng": 0}),
    "mann_whitney_u, 10^5 scores": (mann_whitney_u, [(10**5,)] * 2, {}),
    "t_test, batch of 10^4": (t_test, [(10**4, 20)] * 2, {}),
    "response_test": (response_test, [(1000, 5)] * 3, {"rng": 0}),
    "bootstrap_power_analysis": (bootstrap_power_analysis, [(20,)], {"rng": 0}),
}


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


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_speed(backend, benchmark, case):
    """Time the case, once it is compiled and warm."""
    function, shapes, options = case
    rng = np.random.default_rng(0)
    arrays = [backend.asarray(rng.normal(size=shape), "float32") for shape in shapes]

    def run():
        wait(backend, function(*arrays, **options))

    run()
    benchmark(run)
