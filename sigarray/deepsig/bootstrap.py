"""The paired bootstrap test."""

import numpy as np

import sigarray
from sigarray.deepsig._arguments import Scores, read_pairs, require_one


def bootstrap_test(
    scores_a: Scores,
    scores_b: Scores,
    num_samples: int = 1000,
    num_jobs: int = 1,
    seed: int | None = None,
) -> np.float64:
    """Paired bootstrap test of the mean: see `sigarray.bootstrap_test`.

    Parameters
    ----------
    scores_a, scores_b : array or collection of numbers, shape (n,) or (n, 1)
        Scores of the two models, in pairs.
    num_samples : int, default: 1000
        Bootstrap replicates.
    num_jobs : int, default: 1
        Accepted, and without effect.
    seed : int, optional
        Fixes the random numbers; by default each call draws others.

    Returns
    -------
    numpy.float64
        The p-value; a small one says that A is better.

    Raises
    ------
    AssertionError
        Samples of unequal size, no scores, or `num_samples` below 1.
    TypeError
        Scores that are not one column of numbers.

    Examples
    --------
    >>> from sigarray.deepsig import bootstrap_test
    >>> a, b = [0.95, 0.96, 0.94, 0.97, 0.95], [0.90, 0.92, 0.91, 0.90, 0.92]
    >>> bool(bootstrap_test(a, b, seed=0) < 0.05)
    True
    """
    a, b = read_pairs(scores_a, scores_b)
    require_one("num_samples", num_samples)
    result = sigarray.bootstrap_test(
        a, b, paired=True, alternative="greater", n_resamples=num_samples, rng=seed
    )
    return np.float64(result.pvalue)
