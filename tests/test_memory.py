"""Peak memory at the default batch: at most 256 MiB and four times the input."""

import tracemalloc

import numpy as np
import pytest

from conftest import whole_suite
from sigarray import count_significant
from tests.large_cases import LARGE_CASES
from tests.test_contract import over

pytestmark = whole_suite
MIB = 2**20


def assert_peak(samples, function):
    tracemalloc.start()
    try:
        function(*samples)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    size = sum(sample.nbytes for sample in samples)
    assert peak <= 256 * MIB + 4 * size, (
        f"{peak / MIB:.0f} MiB for {size / MIB:.0f} MiB"
    )


@over(LARGE_CASES)
def test_peak_memory(case):
    assert_peak(case.samples(), case)


def test_peak_memory_of_many_p_values():
    p_values = np.random.default_rng(0).uniform(size=5000)
    assert_peak([p_values], lambda p: count_significant(p, method="fisher"))


def test_the_bound_notices():
    x = np.zeros(2**20)
    with pytest.raises(AssertionError, match="MiB for 8 MiB"):
        assert_peak([x], lambda x: np.zeros(40 * 2**20) + 1.0)
