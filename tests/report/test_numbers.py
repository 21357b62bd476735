"""Numbers of a sample, as tables show them."""

import statistics

import numpy as np
import pytest

from sigarray.report._numbers import describe_scores


class TestSummaries:
    @pytest.mark.parametrize("offset", [0.0, 1e9, -1e12])
    def test_accurate(self, offset):
        x = offset + np.random.default_rng(0).normal(size=101)
        expected = {
            "mean": statistics.fmean(x),
            "sd": statistics.stdev(x.tolist()),
            "median": statistics.median(x),
            "min": min(x),
            "max": max(x),
        }
        assert describe_scores(x) == pytest.approx(expected, rel=1e-14)

    def test_no_overflow_and_no_order(self):
        x = np.asarray([1e150, -1e150, 1e150, 3.0])
        assert describe_scores(x)["sd"] == pytest.approx(9.57e149, rel=1e-2)
        draw = np.random.default_rng(0)
        x = draw.normal(size=1000)
        assert describe_scores(x) == describe_scores(draw.permutation(x))
        assert describe_scores(np.full(7, 0.1))["mean"] == 0.1
        assert describe_scores(np.full(7, 0.1))["sd"] == 0.0
