"""Chunks of replicates: each once, in order, and no more at a time than asked for."""

import numpy as np
import pytest

from sigarray._backend.chunks import map_replicates
from sigarray._backend.of_numpy import HOST


@pytest.mark.parametrize("batch", [1, 2, 3, 7, 19, 20, 100])
@pytest.mark.parametrize("count", [1, 2, 7, 20])
def test_no_chunk_holds_more_than_the_batch(count, batch):
    seen = []

    def kernel(start, size, *_):
        seen.append(np.arange(start, start + size, dtype=float))
        return seen[-1]

    every = map_replicates(HOST, kernel, count, elements=1, batch=batch)
    np.testing.assert_array_equal(every, np.arange(count))
    assert max(map(len, seen)) <= batch
    # As few as can be, and of one size but for the last.
    assert len(seen) == -(-count // batch)
    assert len({len(x) for x in seen[:-1]}) <= 1
