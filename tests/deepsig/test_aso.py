"""Bounds as the papers and deep-significance have them."""

import numpy as np
import pytest

import sigarray
from sigarray import deepsig
from tests.deepsig.scores import QUIET, A, B

pytestmark = pytest.mark.filterwarnings("ignore:The bound of the papers:UserWarning")


def test_scenario_1_of_the_readme_of_deep_significance():
    legacy = np.random.RandomState(1234)
    a, b = legacy.normal(0.9, 0.8, 5), legacy.normal(0.0, 1.0, 5)
    # Its sigma is that of 1000 resamples: a relative error of 2.2 %, five of them here.
    expected = 0.225
    tolerance = 5.0 * expected / np.sqrt(2000.0)
    assert deepsig.aso(a, b, **QUIET) == pytest.approx(expected, abs=tolerance)


def test_says_what_the_published_bound_is_worth():
    for call in (deepsig.aso, lambda *x, **y: deepsig.multi_aso(x, **y)):
        with pytest.warns(UserWarning, match="17 % of cases with 3 runs each, 11 %"):
            call(A, B, **QUIET)


def test_the_published_bound_needs_no_test_of_equality():
    a, b = [0.9, 0.8, 0.7], [0.6, 0.65, 0.5]
    assert deepsig.aso(a, b, **QUIET) == 0.0
    assert sigarray.aso(a, b, n_comparisons=2).eps_min >= 0.5


class TestMultiAso:
    @pytest.mark.parametrize("scores", [[A, B], (A, B), np.array([A, B])])
    def test_without_names_there_is_no_frame(self, scores):
        table = deepsig.multi_aso(scores, return_df=True, **QUIET)
        assert isinstance(table, np.ndarray)
        np.testing.assert_array_equal(np.diag(table), 1.0)

    def test_frame(self):
        pandas = pytest.importorskip("pandas")
        frame = deepsig.multi_aso({"x": A, "y": B[:4]}, return_df=True, **QUIET)
        assert isinstance(frame, pandas.DataFrame)
        assert list(frame.index) == list(frame.columns) == ["x", "y"]
        assert frame.loc["x", "y"] == deepsig.aso(A, B[:4], **QUIET)

    def test_correction_can_be_left_out(self):
        scores = [A[:5], B[:5], [0.6, 0.7, 0.8, 0.9]]  # few enough to be exact
        free = deepsig.multi_aso(scores, use_bonferroni=False, **QUIET)
        assert (free <= deepsig.multi_aso(scores, **QUIET)).all()
        assert free[0, 1] == deepsig.aso(A[:5], B[:5], **QUIET)
