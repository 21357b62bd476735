"""Many scores, for the test of memory; those that are timed are the benchmarks."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

import sigarray
from sigarray import responses
from tests.case import Case
from tests.sum_cases import COUNTS, F1


def large(
    function: Callable[..., Any], *shapes: tuple[int, ...], is_timed=False, **options
) -> Case:
    """Make a case named by its sizes."""
    sizes = " and ".join("x".join(map(str, shape)) for shape in shapes)
    words = ", ".join(
        f"{name} {getattr(value, '__name__', value)}" for name, value in options.items()
    )
    name = f"{function.__name__}, {sizes}" + (f", {words}" if words else "")
    is_random = "rng" in inspect.signature(function).parameters
    return Case(name, function, shapes, options, is_random, is_timed=is_timed)


def _in_clusters(function: Callable[..., Any], of: str, **options: Any) -> Case:
    """Make a case of a million scores, or pairs, in a thousand clusters."""

    def call(*samples: Any, **more: Any) -> Any:
        clusters = np.arange(samples[0].shape[-1]) // 1000
        return function(*samples, clusters=clusters, **options, **more)

    is_random = "rng" in inspect.signature(function).parameters
    return Case(
        f"{function.__name__}, 1000000, {of} of 1000 clusters",
        call,
        ((10**6,),) * (2 if "paired" in options else 1),
        is_random=is_random,
        public=function,
    )


def _of_sums(function: Callable[..., Any], n_samples: int, **options: Any) -> Case:
    """Make a case of the F1 of a million items."""
    return Case(
        f"{function.__name__}, 3x1000000, F1",
        function,
        ((3, 10**6),) * n_samples,
        {"statistic": F1, **options},
        is_random="rng" in inspect.signature(function).parameters,
        values=COUNTS,
    )


LARGE_CASES = [
    large(sigarray.violation_ratio, (10**6,), (900_000,)),
    large(sigarray.aso, (5,), (5,), is_timed=True),
    large(sigarray.aso, (20,), (20,), is_timed=True),
    large(sigarray.aso, (1000,), (1000,), is_timed=True),
    large(sigarray.aso, (1000,), (700,), is_timed=True),
    large(sigarray.aso, (1000, 20), (1000, 20), is_timed=True),
    large(sigarray.aso, (10**6,), (10**6,), is_timed=True, dt=0.005),
    large(sigarray.aso, (10**5,), (10**5,), is_timed=True, method="asymptotic"),
    large(sigarray.aso, (10**6,), (900_000,), method="asymptotic"),
    large(sigarray.aso, (10**6,), (10**6,), n_resamples=5),
    large(sigarray.aso, (10**6,), (900_000,), n_resamples=5),
    large(sigarray.aso, (10,), (12,), n_resamples=10**5),
    large(sigarray.aso, (10_000, 10), (10_000, 10), n_resamples=100),
    large(sigarray.aso, (100_000, 3), (100_000, 3), method="exact"),
    large(sigarray.aso, (600, 1, 20), (1, 600, 20), n_resamples=2),
    large(sigarray.aso, (600, 1, 20), (1, 600, 15), n_resamples=2),
    large(sigarray.aso, (700, 1, 20), (500, 15), n_resamples=2),
    large(sigarray.aso, (300, 1, 3), (1, 300, 3), method="exact"),
    large(sigarray.aso, (11,), (2,), method="exact"),
    large(sigarray.aso, (400, 1, 40), (1, 400, 30), method="asymptotic"),
    large(sigarray.aso, (10, 10_000), (10, 10_000), axis=(0, 1), n_resamples=50),
    large(sigarray.aso, (2000, 5, 40), (5, 40), axis=(-2, -1), n_resamples=9),
    large(sigarray.aso_replicates, (100,), (100,), start=0, count=1000),
    large(sigarray.multi_aso, (10, 20), is_timed=True),
    large(sigarray.multi_aso, (10, 5, 4000), axis=(1, 2), n_resamples=9),
    large(sigarray.multi_aso, (50, 1000), n_resamples=10),
    large(sigarray.multi_aso, (4, 200_000), n_resamples=5),
    large(sigarray.multi_aso, (600, 50), n_resamples=2),
    large(sigarray.multi_aso, (1000, 20), n_resamples=8),
    large(sigarray.rank_ci, (10, 20)),
    large(sigarray.rank_ci, (200, 50), n_resamples=99),
    large(sigarray.rank_ci, (3000, 4, 5), n_resamples=40),
    large(sigarray.rank_ci, (10, 50_000), n_resamples=9),
    large(sigarray.multi_aso, (100, 5), is_timed=True, method="exact"),
    large(sigarray.multi_aso, (100, 20), is_timed=True),
    large(sigarray.bootstrap_test, (1000,), (1000,), is_timed=True),
    large(sigarray.bootstrap_test, (10**6,), (10**6,), n_resamples=9),
    large(sigarray.bootstrap_test, (50_000, 20), (50_000, 20), n_resamples=9),
    large(sigarray.bootstrap_replicates, (1000, 50), start=0, count=1000),
    large(sigarray.permutation_test, (1000,), (1000,), is_timed=True),
    large(sigarray.permutation_test, (1000,), (1000,), is_timed=True, paired=True),
    large(sigarray.permutation_test, (10**6,), (10**6,), n_resamples=5),
    large(sigarray.permutation_test, (10**6,), (10**6,), n_resamples=9, paired=True),
    large(sigarray.permutation_test, (20_000, 6), (20_000, 6)),
    large(
        sigarray.permutation_test,
        *((10**6,), (10**6,)),
        is_timed=True,
        method="exact",
        paired=True,
    ),
    large(
        sigarray.permutation_test, (2000, 50), (2000, 50), method="exact", paired=True
    ),
    large(sigarray.permutation_test, (6000,), (1,)),
    large(
        sigarray.permutation_test, (10**6,), (900_000,), n_resamples=5, statistic="t"
    ),
    large(sigarray.bootstrap_test, (10**6,), (10**6,), n_resamples=9, statistic="t"),
    large(sigarray.permutation_replicates, (50, 100), (50, 100), start=0, count=1000),
    large(sigarray.bootstrap_ci, (1000,), is_timed=True),
    large(sigarray.bootstrap_ci, (3000, 10), n_resamples=4000),
    large(sigarray.bootstrap_ci, (10**6,), (10**6,), n_resamples=9),
    large(sigarray.bootstrap_ci, (3000,), statistic=np.std, n_resamples=9),
    _in_clusters(
        sigarray.bootstrap_ci,
        "median",
        statistic="median",
        method="percentile",
        n_resamples=3,
    ),
    _in_clusters(sigarray.t_test, "mean", paired=True),
    _in_clusters(sigarray.permutation_test, "exchanges", paired=True),
    _of_sums(sigarray.bootstrap_test, 2, n_resamples=9),
    _of_sums(sigarray.permutation_test, 2, paired=True, n_resamples=9),
    _of_sums(sigarray.t_test, 2),
    large(sigarray.bootstrap_ci, (1000, 1000), strata=0, n_resamples=9),
    large(
        sigarray.bootstrap_ci,
        (50, 20_000),
        strata=0,
        statistic="iqm",
        method="percentile",
        n_resamples=3,
    ),
    large(
        sigarray.permutation_test, (1000, 1000), (1000, 1000), strata=0, n_resamples=9
    ),
    large(sigarray.t_test, (1000, 1000), (1000, 900), strata=0),
    # Every score of A is compared with every one of B.
    large(sigarray.probability_of_improvement, (3000,), (2000,), n_resamples=9),
    large(
        sigarray.probability_of_improvement,
        *((50, 200), (50, 200)),
        strata=0,
        n_resamples=9,
    ),
    large(
        sigarray.probability_of_improvement, (10_000, 20), (10_000, 20), n_resamples=9
    ),
    # Every score with every threshold.
    large(sigarray.performance_profile, (10**5,), (20,), n_resamples=9),
    large(sigarray.performance_profile, (100, 1000), (20,), strata=0, n_resamples=9),
    large(
        sigarray.bootstrap_ci,
        (20, 50_000),
        axis=(0, 1),
        method="percentile",
        n_resamples=9,
    ),
    large(
        sigarray.bootstrap_test,
        *((2000, 5, 40), (2000, 5, 40)),
        axis=(-2, -1),
        n_resamples=9,
    ),
    large(sigarray.proportion_ci, (10**6,), (10**6,), is_timed=True, paired=True),
    large(sigarray.mann_whitney_u, (10**5,), (10**5,), is_timed=True),
    large(sigarray.mann_whitney_u, (10**6,), (900_000,)),
    large(sigarray.mann_whitney_u, (100_000, 4), (100_000, 3)),
    large(sigarray.brunner_munzel, (10**5,), (10**5,), is_timed=True),
    large(sigarray.brunner_munzel, (10**6,), (900_000,)),
    large(sigarray.t_test, (10**4, 20), (10**4, 20), is_timed=True),
    large(sigarray.t_test, (100_000, 3), (100_000, 4)),
    large(sigarray.equivalence_test, (10**6,), (900_000,), low=-0.1, high=0.1),
    large(
        sigarray.equivalence_test,
        *((10**6,), (10**6,)),
        low=-0.1,
        high=0.1,
        method="bootstrap",
        n_resamples=9,
    ),
    large(sigarray.proportion_test, (10**6,), (10**6,), paired=True),
    large(sigarray.t_test, (20, 50_000), (30, 50_000), axis=(0, 1)),
    large(sigarray.variance_components, (50_000, 3, 4)),
    large(sigarray.compare, (10**6,), (10**6,), dt=0.005),
    large(sigarray.bootstrap_power_analysis, (20,), is_timed=True),
    large(sigarray.bootstrap_power_analysis, (20_000, 5), n_resamples=8),
    large(
        sigarray.required_sample_size,
        *((3000, 5), (3000, 5)),
        test="welch",
        n_resamples=20,
        sizes=(3, 50),
    ),
    large(responses.response_test, *((1000, 5),) * 3, is_timed=True),
    large(responses.response_test, *((20_000, 5),) * 3, n_resamples=20),
    large(responses.response_test, *((200, 100, 5),) * 3, n_resamples=5),
    large(
        responses.response_test,
        *((200_000, 3),) * 3,
        metric="spearman",
        n_resamples=3,
    ),
    large(
        responses.response_test,
        *((3000, 20),) * 3,
        metric="mean_of_emds",
        responses="bootstrap",
        n_resamples=9,
    ),
    large(responses.response_test, *((500, 200),) * 3, n_resamples=9),
    large(responses.fit, (20, 100, 5), model="likert"),
]
