"""Calibration errors by hand, and the bias of each."""

import numpy as np
import pytest

from sigarray import bootstrap_ci, bootstrap_replicates, corpus, of_sums, t_ci


def expected_calibration_error(confidence, hit, n_bins):
    """As its definition says, bin by bin."""
    total = 0.0
    for k in range(n_bins):
        is_in = (confidence > k / n_bins) & (confidence <= (k + 1) / n_bins)
        if is_in.any():
            total += is_in.sum() * abs(hit[is_in].mean() - confidence[is_in].mean())
    return total / len(confidence)


def test_value():
    rng = np.random.default_rng(0)
    confidence = rng.uniform(0.0, 1.0, 500)
    hit = (rng.random(500) < confidence**1.3).astype(float)
    sums = corpus.bins(confidence, hit, n_bins=15).sum(axis=-1)
    expected = expected_calibration_error(confidence, hit, 15)
    assert corpus.calibration_error(*sums) == pytest.approx(expected, rel=1e-12)


class TestBins:
    def test_edges_are_in_the_lower_bin(self):
        confidence = [0.0, 0.1, 0.3, 0.7, 1.0, 0.07]
        found = corpus.bins(confidence, np.ones(6), n_bins=10)[20:]
        assert np.argmax(found, axis=0).tolist() == [0, 0, 2, 6, 9, 0]
        assert found.sum(axis=0).tolist() == [1.0] * 6
        found = corpus.bins(np.arange(101) / 100, np.ones(101), n_bins=100)[200:]
        assert found.sum(axis=-1).tolist() == [2.0] + [1.0] * 99

    @pytest.mark.parametrize("hit", [0.3, -1.0, 2.0, np.nan, np.inf])
    def test_what_is_no_hit_is_nan(self, hit):
        found = corpus.bins([0.5, 0.5], [1, hit], n_bins=3)
        assert np.isnan(found).tolist() == [[False, True]] * 9

    @pytest.mark.parametrize("confidence", [-0.1, 1.1, np.nan, 80.0])
    def test_what_is_no_confidence_is_nan(self, confidence):
        found = corpus.bins([0.5, confidence], [1, 0], n_bins=3)
        assert np.isnan(found).tolist() == [[False, True]] * 9


class TestBias:
    """Of a model that is calibrated in bins whose confidences are the same."""

    N, CENTRES = 60, np.array([0.3, 0.6, 0.9])

    def draw(self, n_sets):
        rng = np.random.default_rng(5)
        confidence = np.repeat(self.CENTRES, self.N // 3)
        hits = (rng.random((n_sets, self.N)) < confidence).astype(float)
        return corpus.bins(confidence, hits, n_bins=5)

    def test_the_squared_error_has_none(self):
        sums = np.moveaxis(self.draw(4000).sum(axis=-1), -1, 0)
        found = corpus.squared_calibration_error(*sums)
        error = found.std(ddof=1) / np.sqrt(found.size)
        assert abs(found.mean()) < 5 * error
        variance = np.mean(self.CENTRES * (1 - self.CENTRES)) / (self.N / 3)
        assert variance > 20 * error  # what is subtracted
        assert corpus.calibration_error(*sums).mean() > 0.05

    def test_resamples_add_it_again(self):
        """As the docstrings say: they are about a value that is too large."""
        items = self.draw(200)
        for function in (corpus.calibration_error, corpus.squared_calibration_error):
            statistic = of_sums(function)
            options = {"statistic": statistic, "start": 0, "count": 200, "rng": 0}
            resampled = bootstrap_replicates(items, **options).mean(axis=-1)
            gap = resampled - function(*np.moveaxis(items.sum(axis=-1), -1, 0))
            assert gap.mean() > 10 * gap.std() / np.sqrt(200)

    @pytest.mark.long
    def test_intervals_of_the_squared_error(self):
        """Those of t hold, and those of resamples do not, as the docstring says."""
        rng = np.random.default_rng(0)
        confidence = rng.uniform(0.05, 0.9, (400, 500))
        for gap in (0.0, 0.05):
            hits = (rng.random((400, 500)) < confidence + gap).astype(float)
            items = corpus.bins(confidence, hits, n_bins=15)
            statistic = of_sums(corpus.squared_calibration_error)
            by_t = t_ci(items, statistic=statistic).confidence_interval
            # Fewer: 57 of 100 hold the value, which 80 would with probability 1e-6.
            drawn = bootstrap_ci(
                items[:100], statistic=statistic, n_resamples=59, rng=0
            ).confidence_interval
            held, held_by_bootstrap = (
                np.mean((x.low <= gap**2) & (gap**2 <= x.high)) for x in (by_t, drawn)
            )
            assert held > 0.92
            assert held_by_bootstrap < 0.8


def test_bins_of_one_item_add_nothing():
    alone = corpus.squared_calibration_error(1.0, 6.0, 0.2, 7.0, 1.0, 10.0)
    variance = 0.6 * 0.4 / 9
    assert alone == pytest.approx(10 * (0.01 - variance) / 11, rel=1e-12)
    none = corpus.squared_calibration_error(0.0, 6.0, 0.0, 7.0, 0.0, 10.0)
    assert none == pytest.approx(0.01 - variance, rel=1e-12)
