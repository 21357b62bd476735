"""Peak memory at the default batch: at most 256 MiB and four times the input."""

import tracemalloc

import numpy as np
import pytest

from sigarray import (
    aso,
    aso_replicates,
    bootstrap_ci,
    bootstrap_power_analysis,
    bootstrap_test,
    compare,
    count_significant,
    mann_whitney_u,
    multi_aso,
    permutation_test,
    required_sample_size,
    t_test,
    violation_ratio,
)
from sigarray.responses import fit, response_test

MIB = 2**20


@pytest.mark.parametrize(
    ("function", "shapes"),
    [
        (lambda *x: response_test(*x, n_resamples=20, rng=0), [(20_000, 5)] * 3),
        (lambda *x: response_test(*x, n_resamples=20, rng=0), [(200, 100, 5)] * 3),
        (
            lambda *x: response_test(*x, metric="spearman", n_resamples=3, rng=0),
            [(200_000, 3)] * 3,
        ),
        (
            lambda *x: response_test(
                *x, metric="mean_of_emds", responses="bootstrap", n_resamples=9, rng=0
            ),
            [(3000, 20)] * 3,
        ),
        (lambda *x: response_test(*x, n_resamples=9, rng=0), [(500, 200)] * 3),
        (lambda gold: fit(gold, model="likert"), [(60, 100, 5)]),
        (violation_ratio, [(10**6,), (900_000,)]),
        (lambda a, b: aso(a, b, dt=0.005, rng=0), [(10**6,), (10**6,)]),
        (lambda a, b: aso(a, b, n_resamples=5, rng=0), [(10**6,), (10**6,)]),
        (lambda a, b: aso(a, b, n_resamples=5, rng=0), [(10**6,), (900_000,)]),
        (lambda a, b: aso(a, b, method="asymptotic"), [(10**6,), (900_000,)]),
        (lambda a, b: aso(a, b, rng=0, n_resamples=10**5), [(10,), (12,)]),
        (lambda a, b: aso(a, b, n_resamples=100, rng=0), [(50_000, 10), (50_000, 10)]),
        (lambda a, b: aso(a, b, method="exact"), [(100_000, 3), (100_000, 3)]),
        (
            lambda a, b: aso_replicates(a, b, start=0, count=1000, rng=0),
            [(100,), (100,)],
        ),
        (lambda a: multi_aso(a, n_resamples=50, rng=0), [(50, 1000)]),
        (lambda a, b: bootstrap_test(a, b, n_resamples=20, rng=0), [(10**6,)] * 2),
        (lambda a, b: bootstrap_test(a, b, n_resamples=9, rng=0), [(50_000, 20)] * 2),
        (lambda a, b: permutation_test(a, b, n_resamples=9, rng=0), [(10**6,)] * 2),
        (
            lambda a, b: permutation_test(a, b, paired=False, n_resamples=9, rng=0),
            [(10**6,)] * 2,
        ),
        (lambda a, b: permutation_test(a, b, paired=False), [(20_000, 6)] * 2),
        (lambda p: count_significant(abs(p) % 1, method="fisher"), [(5000,)]),
        (lambda a, b: permutation_test(a, b, paired=False), [(6000,), (1,)]),
        (mann_whitney_u, [(10**6,), (900_000,)]),
        (mann_whitney_u, [(300_000, 4), (300_000, 3)]),
        (t_test, [(300_000, 3), (300_000, 4)]),
        (lambda a: bootstrap_ci(a, n_resamples=4000, rng=0), [(3000, 10)]),
        (lambda a, b: bootstrap_ci(a, b, n_resamples=9, rng=0), [(10**6,)] * 2),
        (
            lambda a: bootstrap_ci(a, statistic=np.std, n_resamples=9, rng=0),
            [(3000,)],
        ),
        (lambda a, b: compare(a, b, dt=0.005, rng=0), [(10**6,)] * 2),
        (
            lambda a: bootstrap_power_analysis(a, n_resamples=30, rng=0),
            [(20_000, 5)],
        ),
        (
            lambda a, b: required_sample_size(
                a, b, test="welch", n_resamples=20, sizes=(3, 50), rng=0
            ),
            [(3000, 5)] * 2,
        ),
        (lambda a: multi_aso(a, n_resamples=5, rng=0), [(4, 200_000)]),
        (lambda a: multi_aso(a, n_resamples=1, rng=0), [(600, 50)]),
        (lambda a, b: aso(a, b, n_resamples=2, rng=0), [(600, 1, 20), (1, 600, 20)]),
        (lambda a, b: aso(a, b, n_resamples=2, rng=0), [(600, 1, 20), (1, 600, 15)]),
        (lambda a, b: aso(a, b, n_resamples=2, rng=0), [(700, 1, 20), (500, 15)]),
        (lambda a, b: aso(a, b, method="exact"), [(300, 1, 3), (1, 300, 3)]),
        (lambda a, b: aso(a, b, method="exact"), [(11,), (2,)]),
        (lambda a, b: aso(a, b, method="asymptotic"), [(400, 1, 40), (1, 400, 30)]),
    ],
)
def test_peak_memory(function, shapes):
    rng = np.random.default_rng(0)
    samples = [rng.normal(size=shape) for shape in shapes]
    tracemalloc.start()
    try:
        function(*samples)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    size = sum(sample.nbytes for sample in samples)
    assert peak <= 256 * MIB + 4 * size, (
        f"{peak / MIB:.0f} MiB for {size / MIB:.0f} MiB"
    )
