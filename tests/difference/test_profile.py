"""Performance profiles: shares above thresholds, and their band."""

import math

import numpy as np
import pytest

from sigarray import bootstrap_replicates, performance_profile
from tests.backends import everywhere, require

THRESHOLDS = np.linspace(-1.0, 2.0, 13)


def draw(*shape, seed=0):
    x = np.random.default_rng(seed).normal(size=shape)
    return x.astype(np.float32).astype(float)


@everywhere
def test_it_is_the_share_above_each_threshold(backend):
    x = draw(6, 5)
    result = performance_profile(
        backend.asarray(x), THRESHOLDS.tolist(), strata=0, n_resamples=20, rng=0
    )
    expected = (x.ravel() > THRESHOLDS[:, None]).mean(axis=-1)
    found = backend.to_numpy(result.statistic)
    np.testing.assert_allclose(found, expected, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("numpy", "float16"),
        ("torch", "float16"),
        ("torch", "bfloat16"),
        ("jax.numpy", "bfloat16"),
        ("ml_dtypes", "bfloat16"),
        ("pandas", "float16"),
    ],
)
def test_thresholds_are_rounded_as_scores_are(name, dtype):
    """A score of 0.3 is not above a threshold of 0.3."""
    library = (
        pytest.importorskip(name) if name in ("ml_dtypes", "pandas") else require(name)
    )
    tenths = np.arange(1, 10) / 10
    if name == "ml_dtypes":
        scores = tenths.astype(library.bfloat16)
    elif name == "pandas":
        scores = library.Series(tenths, dtype=dtype)
    else:
        scores = library.asarray(tenths, dtype=getattr(library, dtype))
    result = performance_profile(scores, tenths.tolist(), n_resamples=9, rng=0)
    expected = np.arange(8, -1, -1) / 9
    np.testing.assert_allclose(np.asarray(result.statistic), expected, atol=1e-6)


@pytest.mark.parametrize("kind", ["axis", "labels", "none"])
def test_the_band_is_as_wide_as_the_farthest_of_most_profiles(kind):
    x = draw(4, 6)
    labels = np.repeat([0, 1, 2], [9, 8, 7])
    scores = x if kind == "axis" else x.ravel()
    strata = {"axis": 0, "labels": labels, "none": None}[kind]
    result = performance_profile(
        scores, THRESHOLDS, strata=strata, n_resamples=99, rng=1, confidence_level=0.9
    )
    observed = (x.ravel() > THRESHOLDS[:, None]).mean(axis=-1)
    gaps = [
        np.abs(
            bootstrap_replicates(
                (scores > limit) * 1.0, start=0, count=99, strata=strata, rng=1
            )
            - share
        )
        for limit, share in zip(THRESHOLDS, observed, strict=True)
    ]
    width = np.sort(np.max(gaps, axis=0))[89]  # nine tenths of 100 profiles are nearer
    for limit, sign in zip(result.confidence_interval, (-1, 1), strict=True):
        np.testing.assert_allclose(limit, np.clip(observed + sign * width, 0.0, 1.0))


def test_the_band_holds_whole_profiles():
    """Five runs on 26 tasks at unlike levels: in about 95 of 100 sets."""
    rng = np.random.default_rng(0)
    levels = np.linspace(-1.0, 1.0, 26)[:, None]
    x = rng.normal(size=(300, 26, 5)) * 0.5 + levels
    truth = rng.normal(size=(26, 40_000)) * 0.5 + levels
    truth = (truth.ravel() > THRESHOLDS[:, None]).mean(axis=-1)
    low, high = performance_profile(
        x, THRESHOLDS, strata=1, n_resamples=400, rng=0
    ).confidence_interval
    share = np.mean(((low <= truth) & (truth <= high)).all(axis=-1))
    assert 0.92 < share <= 1.0


@pytest.mark.filterwarnings("error")
@everywhere
def test_bands_in_the_tails_are_as_wide_as_exact_ones(backend):
    """No resample of scores that are all below a threshold has another share."""
    x = np.random.default_rng(0).normal(size=(300, 3, 5))
    result = performance_profile(
        backend.asarray(x), [1.3], strata=1, n_resamples=199, rng=0
    )
    low, high = (backend.to_numpy(y)[:, 0] for y in result.confidence_interval)
    assert np.all(high >= (1.0 - 0.025 ** (1 / 15)) - 1e-6)
    truth = 0.0968
    assert np.mean((low <= truth) & (truth <= high)) > 0.97  # once 0.77


def test_thresholds_of_other_shapes_are_refused():
    with pytest.raises(ValueError, match=r"thresholds of shape \(K,\); got"):
        performance_profile(draw(3, 4), np.ones((2, 2)), rng=0)


@everywhere
def test_thresholds_that_are_no_numbers(backend):
    x = backend.asarray(np.random.default_rng(0).normal(size=9))
    with pytest.raises(ValueError, match="that are numbers; got nan"):
        performance_profile(x, [0.0, math.nan], rng=0)
    if backend.name == "numpy":
        return
    result = performance_profile(x, backend.asarray([0.0, math.nan]), rng=0)
    for share in (result.statistic, *result.confidence_interval):
        assert np.isnan(backend.to_numpy(share)).tolist() == [False, True]
