"""A seed's numbers are those of `golden.npz`: a change that moves one says so."""

import functools

import numpy as np
import pytest

from tests import golden
from tests.backends import needs_engine, require, without_engine
from tests.cases import CASES
from tests.chosen import over

GOLDEN = golden.read()
KEY_OF = functools.cache(golden.key_of)
# Where the version of the library or the processor is another one.
ROUNDING = {"float64": 1e-12, "float32": 1e-5}


@over(CASES)
@pytest.mark.parametrize("kind", golden.KINDS)
def test_no_number_moves(case, kind):
    library, dtype = kind.split()
    require(library)
    expected = GOLDEN["numbers"][f"{case.id}, {kind}"]
    found = golden.compute(case, kind)
    advice = "Where it is meant to: python -m tests.golden, and a line in CHANGELOG.md."
    assert len(found) == len(expected), f"{case.id} has other results. {advice}"
    if KEY_OF(library) == GOLDEN["keys"][library]:
        assert np.array_equal(found, expected, equal_nan=True), (
            f"{case.id} moved on {kind}: {found} and not {expected}. {advice}"
        )
        return
    sizes = np.abs(expected[np.isfinite(expected)])
    atol = ROUNDING[dtype] * max(1.0, float(np.max(sizes, initial=0.0)))
    np.testing.assert_allclose(found, expected, rtol=ROUNDING[dtype], atol=atol)


@needs_engine
@over(CASES)
@pytest.mark.parametrize("dtype", golden.DTYPES)
def test_engine_gives_the_bits_of_array_code(case, dtype):
    require("numpy")
    found = golden.compute(case, f"numpy {dtype}")
    with without_engine():
        expected = golden.compute(case, f"numpy {dtype}")
    assert np.array_equal(found, expected, equal_nan=True)


def test_all_cases_are_there():
    names = [f"{case.id}, {kind}" for case in CASES for kind in golden.KINDS]
    assert sorted(GOLDEN["numbers"]) == sorted(names)
