"""Codes of labels."""

import numpy as np
import pytest

from sigarray._backend.codes import _rank_integers


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64", "uint64"])
@pytest.mark.parametrize("number", [0, 1, 2, 100])
def test_integers_have_their_rank(dtype, number):
    """Close together or far apart, at either end of what a dtype can hold."""
    info, rng = np.iinfo(dtype), np.random.default_rng(0)
    for low, high in ((info.min, info.max), (info.max - 9, info.max), (3, 60)):
        labels = rng.integers(low, high, number, dtype=dtype, endpoint=True)
        found = _rank_integers(labels)
        known = sorted(set(labels.tolist()))
        assert found.tolist() == [known.index(x) for x in labels.tolist()]
        assert found.dtype == np.int64
