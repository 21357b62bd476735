"""Sorted samples, grids and merged steps, and resamples that are born sorted."""

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
import scipy.stats

import sigarray
from sigarray._backend.of_numpy import HOST
from sigarray._backend.seeds import seed_words
from sigarray._backend.threefry import random_uniforms
from sigarray._numeric import quantile, subsets
from tests.backends import Backend, in_every_width
from tests.oracles import FALSE_ALARM


@in_every_width
@pytest.mark.parametrize("n", [1, 5, 10, 20, 25, 30, 999, 10**6])
@pytest.mark.parametrize("dt", [0.005, 0.1, 0.3, 1 / 3, 0.07, 0.5, 0.9])
def test_grid_ranks_are_exact(backend, n, dt):
    """In floats, ceil(n t) is off by one at n = 10, 20, 25, 30, ..."""
    grid = quantile.even_grid(dt)
    step = Fraction(str(dt)).limit_denominator(1000)
    assert grid.step == step
    ranks = backend.to_numpy(quantile.grid_ranks(backend.library, n, grid))
    assert len(ranks) == grid.size
    points = itertools.takewhile(
        lambda t: t < 1, (k * step for k in itertools.count(1))
    )
    assert ranks.tolist() == [math.ceil(n * t) - 1 for t in points]


@pytest.mark.parametrize("dt", [0.0, 1.0, -0.1, 2.0, math.nan, 1e-7])
def test_impossible_grids(dt):
    with pytest.raises(ValueError, match=r"Expected dt (in|to be in|to be a finite)"):
        sigarray.violation_ratio([1.0], [2.0], dt=dt)


@in_every_width
@pytest.mark.parametrize("n", [1, 5, 64, 127, 128, 129, 1000, 99_999, 10**6])
def test_points_stand_for_all_ranks(backend, n):
    """Each rank of the tails by itself, and never more than n^1/2 / 16 together."""
    grid = quantile.Grid(n_scores=n)
    ranks = backend.to_numpy(quantile.grid_ranks(backend.library, n, grid))
    widths = backend.to_numpy(quantile.grid_widths(backend.library, grid))
    assert len(ranks) == len(widths) == grid.size
    assert widths.sum() == pytest.approx(1.0, abs=1e-5)
    counts = np.round(n * widths.astype(float)).astype(int)
    assert counts.sum() == n
    assert counts.min() >= 0
    assert counts.max() <= max(2, 2 * (math.isqrt(n) // 16))
    assert (counts[: min(64, n // 2)] == 1).all()
    # The middle of the ranks that a point stands for, the lower one of two.
    ends = np.cumsum(counts)
    inside = counts > 0
    middles = ((2 * ends - counts - 1) // 2)[inside]
    np.testing.assert_array_equal(ranks[inside], middles)


@in_every_width
@pytest.mark.parametrize(
    ("n", "m"), [(40_000, 36_000), (10**6, 900_000), (50_000, 20), (40_000, 3)]
)
def test_outermost_steps_of_both_sizes_end_at_edges(backend, n, m):
    """Counts that differ by little in n and in m scores are told apart."""
    grid = quantile.Grid(n_scores=n, n_others=m)
    widths = backend.to_numpy(quantile.grid_widths(backend.library, grid)).astype(float)
    assert len(widths) == grid.size
    assert widths.sum() == pytest.approx(1.0, abs=1e-5)
    ends = np.concatenate([[0.0], np.cumsum(widths)])
    for size in (n, m):
        ranks = backend.to_numpy(quantile.grid_ranks(backend.library, size, grid))
        middles = 0.5 * (ends[1:] + ends[:-1])
        near = np.abs(size * middles - np.round(size * middles)) < 1e-3 * size / n
        expected = np.ceil(size * middles) - 1
        if backend.float_name == "float64":
            np.testing.assert_array_equal(ranks[~near], expected[~near])
        assert (np.diff(ranks) >= 0).all()
        outer = np.arange(1, min(128, size // 2) + 1) / size
        distance = np.abs(ends[:, None] - outer).min(axis=0)
        assert distance.max() < (1e-12 if backend.float_name == "float64" else 1e-5)


@in_every_width
@pytest.mark.parametrize(("n", "m"), [(1, 2), (2, 4), (3, 5), (6, 4), (127, 194)])
def test_merged_steps_cover_both_functions(backend, n, m):
    steps = quantile.merge_steps(backend.library, n, m)
    ranks_a, ranks_b, widths = (backend.to_numpy(part) for part in steps)
    ends = np.cumsum(widths)
    assert ends[-1] == pytest.approx(1.0, abs=1e-5)
    middles = ends - widths / 2
    inside = widths > 0
    np.testing.assert_array_equal(ranks_a[inside], np.floor(n * middles[inside]))
    np.testing.assert_array_equal(ranks_b[inside], np.floor(m * middles[inside]))
    assert inside.sum() == n + m - math.gcd(n, m)


@in_every_width
def test_merged_steps_survive_large_products(backend):
    """Here n m is beyond 32 bits, and beyond float32 by far."""
    n, m = 100_000, 99_999
    steps = quantile.merge_steps(backend.library, n, m)
    ranks_a, ranks_b, widths = (backend.to_numpy(part) for part in steps)
    assert ranks_a.min() == ranks_b.min() == 0
    assert (ranks_a.max(), ranks_b.max()) == (n - 1, m - 1)
    assert (np.diff(ranks_a) >= 0).all()
    assert widths.astype(np.float64).sum() == pytest.approx(1.0, abs=1e-5)


@in_every_width
def test_equal_sizes_need_no_table(backend):
    assert quantile.merge_steps(backend.library, 7, 7) is None


NUMPY = Backend("numpy", np, "cpu")


def resampled_ranks(n, count, step=None, backend=NUMPY, seed=1):
    """Ranks that resamples have at each of their order statistics: (count, n or T)."""
    scores = backend.asarray(np.arange(n, dtype=np.float64))[None, :]
    width = quantile.resample_width(n, step)
    uniforms = random_uniforms(
        backend.library, seed_words(backend.library, seed), 0, count, width
    )
    uniforms = backend.xp.reshape(uniforms, (count, 1, width))
    spacings = quantile.plan_spacings(backend.library, n, step)
    resamples = quantile.sorted_resamples(backend.library, scores, uniforms, spacings)
    return backend.to_numpy(resamples)[0, ...].astype(np.float64)


@pytest.mark.parametrize("n", [1, 2, 5, 40, 2000])
def test_resamples_are_those_of_plain_resampling(n):
    """Kolmogorov and Smirnov on order statistics and on the mean of resamples."""
    count = 2000
    born_sorted = resampled_ranks(n, count)
    rng = np.random.default_rng(3)
    plain = np.sort(rng.integers(0, n, (count, n)), axis=-1)
    assert born_sorted.min() >= 0
    assert born_sorted.max() <= n - 1
    assert (np.diff(born_sorted, axis=-1) >= 0).all()
    for statistic in (
        lambda r: r[:, 0],
        lambda r: r[:, n // 2],
        lambda r: r[:, -1],
        lambda r: r.mean(axis=-1),
        lambda r: r.std(axis=-1),
    ):
        test = scipy.stats.ks_2samp(
            statistic(born_sorted), statistic(plain), method="asymp"
        )
        assert test.pvalue > FALSE_ALARM


@in_every_width
@pytest.mark.parametrize("n", [1, 2, 1000])
def test_largest_uniform_gives_the_largest_rank(backend, n):
    """Where the last spacing is 0, the largest of the sorted uniforms is 1."""
    uniforms = np.full((1, 1, n + 1), 0.5)
    uniforms[..., -1] = 1.0
    uniforms = backend.asarray(uniforms, "float32")
    scores = backend.asarray(np.arange(float(n)))[None, :]
    spacings = quantile.Spacings(n)
    ranks = quantile.sorted_resamples(backend.library, scores, uniforms, spacings)
    assert float(ranks[0, 0, -1]) == n - 1


def test_every_multiset_has_its_probability():
    n, count = 4, 20_000
    observed = Counter(map(tuple, resampled_ranks(n, count).astype(int)))
    ranks, weights = subsets.enumerate_resamples(HOST, n)
    counts = [observed.pop(tuple(column), 0) for column in ranks.T]
    assert not observed
    assert scipy.stats.chisquare(counts, count * weights).pvalue > FALSE_ALARM


over_grids = pytest.mark.parametrize(
    ("n", "grid"),
    [
        (20, quantile.Grid(Fraction(1, 200))),
        (400, quantile.Grid(Fraction(1, 20))),
        (5000, quantile.Grid(Fraction(3, 10))),
        (5000, quantile.Grid(n_scores=5000)),
        (3000, quantile.Grid(n_scores=50_000)),
        (3000, quantile.Grid(n_scores=2500)),
    ],
    ids=[
        "every score drawn",
        "gammas",
        "gammas with a last gap of its own",
        "by ranks",
        "by ranks of a larger sample",
        "by ranks of a smaller sample",
    ],
)


@over_grids
def test_backends_draw_the_resamples_of_numpy(backend, n, grid):
    """The same words, of which a logarithm may round to another neighbour."""
    for chosen in (grid, None):
        drawn = resampled_ranks(n, 20, chosen, backend)
        expected = resampled_ranks(n, 20, chosen)
        assert np.mean(drawn != expected) < 0.002
        assert np.abs(drawn - expected).max() <= 1.0


@over_grids
def test_grid_resamples_are_those_of_plain_resampling(n, grid):
    count = 2000
    drawn = resampled_ranks(n, count, grid)
    ranks = quantile.grid_ranks(HOST, n, grid)
    rng = np.random.default_rng(3)
    plain = np.sort(rng.integers(0, n, (count, n)), axis=-1)[:, ranks]
    assert drawn.shape == plain.shape
    assert (np.diff(drawn, axis=-1) >= 0).all()
    for statistic in (
        lambda r: r[:, 0],
        lambda r: r[:, r.shape[1] // 2],
        lambda r: r[:, -1],
        lambda r: r[:, -1] - r[:, 0],
        lambda r: r.mean(axis=-1),
    ):
        test = scipy.stats.ks_2samp(statistic(drawn), statistic(plain), method="asymp")
        assert test.pvalue > FALSE_ALARM


@in_every_width
def test_large_samples_stay_in_range(backend):
    """Float32 sums of 10^6 terms, taken in turn, put ranks off by 24."""
    n = 10**6
    ranks = resampled_ranks(n, 2, backend=backend)
    assert ranks.min() >= 0
    assert ranks.max() <= n - 1
    # Where float32 is all there is, sums round to 1/16, and neighbours may swap.
    assert np.diff(ranks, axis=-1).min() >= (
        0 if backend.float_name == "float64" else -2
    )
    middle = ranks[:, n // 2] - n / 2
    assert np.abs(middle).max() < 5.0 * math.sqrt(n) / 2
    # Kolmogorov and Smirnov: distance of the drawn ranks from uniform ones.
    distance = np.abs(ranks / n - np.arange(n) / n).max()
    assert distance < scipy.stats.kstwobign.isf(FALSE_ALARM) / math.sqrt(n)


@pytest.mark.parametrize("gap", [1, 2, 16, 100, 5000])
def test_drawn_gammas_are_near_to_gammas(gap):
    """By a lattice of uniforms, of which one gap takes the first of each two."""
    m = 1000
    points = (np.arange(m) + 0.5) / m
    u, v = (x.ravel().astype(np.float32) for x in np.meshgrid(points, points))
    ranks = np.arange(1, 3) * gap - 1
    uniforms = np.stack([u, u, v, v], axis=-1)
    grid = quantile.Grid(n_scores=3 * gap - 1)
    gaps = quantile._find_gaps(HOST, ranks, 3 * gap - 1, grid)
    drawn = quantile._draw_gammas(HOST, uniforms, gaps)[:, 0]
    drawn = np.sort(drawn.astype(np.float64))
    assert abs(drawn.mean() / gap - 1.0) < 1e-3
    assert abs(drawn.var() / gap - 1.0) < 6e-3
    expected = scipy.stats.gamma.cdf(drawn, gap)
    distance = np.abs(expected - (np.arange(m * m) + 0.5) / m**2).max()
    assert distance < (8e-3 / gap if gap > 1 else 0.0) + 1.0 / m
