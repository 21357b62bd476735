"""Peak memory at the default batch: at most 256 MiB and four times the input.

And that of some calls, as the table of the benchmarks has it.
"""

import math
import re
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from benchmarks import memory
from sigarray import count_significant
from tests.backends import require, whole_suite, without_engine
from tests.chosen import over
from tests.large_cases import LARGE_CASES

pytestmark = whole_suite
MIB = 2**20
README = Path(memory.__file__).with_name("README.md")
# What may differ from the table; XLA plans as its version does.
SHARES = {"NumPy": (0.9, 1.1), "torch": (0.9, 1.1), "JAX": (0.5, 1.25)}


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


@pytest.mark.long
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


def read_table():
    """Return the MiB of each call by its name, for samples and each library."""
    _, _, text = README.read_text("utf-8").partition("## Memory")
    rows = re.findall(r"^\| `(.+)` \|(.+)\|$", text, re.MULTILINE)
    return {name: [float(x) for x in cells.split("|")] for name, cells in rows}


def test_the_table_has_every_call():
    assert list(read_table()) == [call.name for call in memory.CALLS]


def list_rows():
    """List calls and libraries; those of many scores, and not on NumPy, are long."""
    for case in memory.CALLS:
        n_scores = sum(map(math.prod, case.shapes))
        for library in memory.LIBRARIES:
            is_short = (
                library == "NumPy"
                and n_scores < 10**5
                and case.name != "multi_aso(100x20)"
            )
            marks = [] if is_short else [pytest.mark.long]
            yield pytest.param(case, library, marks=marks, id=f"{case.name}-{library}")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("case", "library"), [*list_rows()])
def test_memory_is_that_of_the_table(case, library):
    if library != "NumPy":
        require(library.lower())
    if library == "JAX":
        import jax

        if jax.default_backend() != "cpu":
            pytest.skip("the table has what XLA plans for a processor")
    size, *peaks = read_table()[case.name]
    assert size == round(sum(x.nbytes for x in case.samples()) / MIB, 2)
    expected = dict(zip(memory.LIBRARIES, peaks, strict=True))[library]
    least, most = SHARES[library]
    with without_engine():  # the table is of the array code
        found = memory.measure(case, library)
    assert least * expected - 0.1 <= found <= most * expected + 0.1, (found, expected)
    if library == "NumPy":
        assert memory.measure(case, library) <= most * expected + 0.1
