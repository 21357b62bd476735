"""Scores that are not finite."""

import math

import numpy as np
import pytest

from sigarray._numeric.faults import spread_faults

# Of infinities NumPy warns, which public functions silence.
pytestmark = [
    pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning"),
    pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning"),
]


@pytest.mark.parametrize("fault", [math.nan, math.inf, -math.inf])
def test_a_sample_with_a_fault_is_nan_throughout(backend, fault):
    scores = np.arange(12.0).reshape(3, 4) - 5.0
    faulty = scores.copy()
    faulty[1, 2] = fault
    found = backend.to_numpy(spread_faults(backend.library, backend.asarray(faulty)))
    expected = scores.copy()
    expected[1] = math.nan
    np.testing.assert_array_equal(found, expected)


def test_opposite_infinities_do_not_cancel(backend):
    faulty = backend.asarray([[math.inf, -math.inf, 1.0]])
    assert np.isnan(backend.to_numpy(spread_faults(backend.library, faulty))).all()


def test_finite_scores_stay_as_they_are(backend):
    """Though their sum is beyond all floats."""
    top = 3e38 if backend.float_name == "float32" else 1.7e308
    scores = np.array([[top, top, -0.0], [0.1, -top, 1e-30]], backend.float_name)
    found = spread_faults(backend.library, backend.asarray(scores))
    np.testing.assert_array_equal(backend.to_numpy(found), scores)
