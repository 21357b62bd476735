"""The paired permutation test."""

import numpy as np

import sigarray
from sigarray.deepsig._arguments import Scores, read_pairs, require_iterations


def permutation_test(
    scores_a: Scores,
    scores_b: Scores,
    num_samples: int = 1000,
    num_jobs: int = 1,
    seed: int | None = None,
) -> np.float64:
    """Paired permutation test of the mean: see `sigarray.permutation_test`.

    Parameters
    ----------
    num_samples : int, default: 1000
        Random permutations, where there are more distinct ones.
    scores_a, scores_b, num_jobs, seed
        As for `bootstrap_test`.

    Returns
    -------
    numpy.float64
        The p-value; a small one says that A is better.

    Raises
    ------
    AssertionError, TypeError
        As for `bootstrap_test`.
    """
    a, b = read_pairs(scores_a, scores_b)
    require_iterations("num_samples", num_samples)
    result = sigarray.permutation_test(
        a, b, paired=True, alternative="greater", n_resamples=num_samples, rng=seed
    )
    return np.float64(result.pvalue)
