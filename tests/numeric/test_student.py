"""Student's t, against SciPy."""

import numpy as np
import pytest
import scipy.stats

from sigarray import t_test
from tests.backends import everywhere


@everywhere
@pytest.mark.parametrize("shift", [0.0, 1e6, 4e6])
def test_welch_at_a_high_level(backend, shift):
    """In float32, t was infinite at 10^6 and 0 at 4 x 10^6."""
    b = np.array([0.0, 0.25, 0.5, 0.75]) + shift
    a, b = backend.asarray(b + 2.0, "float32"), backend.asarray(b, "float32")
    result = t_test(a, b)
    expected = scipy.stats.ttest_ind([2, 2.25, 2.5, 2.75], [0, 0.25, 0.5, 0.75])
    assert float(result.statistic) == pytest.approx(expected.statistic, rel=1e-6)
    assert float(result.pvalue) == pytest.approx(expected.pvalue, rel=1e-5)
