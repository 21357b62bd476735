"""A program of a user, for `mypy --strict` and `pyright` with the installed wheel."""

from typing import Any, assert_type

import numpy as np

from sigarray import (
    AsoResult,
    ModelComparison,
    aso,
    bootstrap_ci,
    compare_models,
    multi_aso,
    of_sums,
    permutation_test,
    responses,
    t_test,
)

rng = np.random.default_rng(0)
a, b = rng.normal(0.5, 1.0, 20), rng.normal(0.0, 1.0, 20)

result = aso(a, b, rng=0)
assert_type(result, AsoResult)
low, high = bootstrap_ci(a, n_resamples=200, rng=0).confidence_interval
print(f"{result.eps_min:.2f}, {low:.2f} to {high:.2f}")
print(t_test(a, b).pvalue, permutation_test(a, b, paired=True, rng=0).pvalue)
print(multi_aso({"a": a, "b": b}, rng=0).eps_min.shape)


def ratio(hits: Any, tries: Any) -> Any:
    """Return a metric of a whole test set, by its sums."""
    return hits / tries


counts = np.stack([rng.integers(0, 2, 50), np.ones(50, int)]).astype(float)
interval = bootstrap_ci(counts, statistic=of_sums(ratio), n_resamples=200, rng=0)
print(interval.standard_error)

comparison = compare_models({"a": list(a), "b": list(b)}, unit="run")
assert_type(comparison, ModelComparison)
sentence: str = comparison.sentences[0]
is_better: bool = comparison.better("a", "b")
print(sentence, is_better)

gold, first, second = responses.simulate(20, 5, rng=0)
print(responses.response_test(gold, first, second, n_resamples=100, rng=0).pvalue)
