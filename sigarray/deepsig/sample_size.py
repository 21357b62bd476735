"""Whether there are enough scores."""

from collections.abc import Callable
from typing import Any

import numpy as np

import sigarray
from sigarray.deepsig._arguments import (
    Scores,
    read_scores,
    require,
    require_one,
    show_steps,
)


def bootstrap_power_analysis(
    scores: Scores,
    scalar: float = 1.25,
    num_bootstrap_iterations: int = 5000,
    significance_threshold: float = 0.05,
    significance_test: Callable[[np.ndarray, np.ndarray], float] | None = None,
    show_progress: bool = True,
    seed: int | None = None,
) -> np.float64:
    """Power to see that scores are lifted: see `sigarray.bootstrap_power_analysis`.

    Parameters
    ----------
    scores : array or collection of numbers, shape (n,) or (n, 1)
        Scores of a model, two or more.
    scalar : float, default: 1.25
        The lift, above 1.
    num_bootstrap_iterations : int, default: 5000
        Pairs of samples.
    significance_threshold : float, default: 0.05
        The difference is seen where the p-value is below.
    significance_test : callable, optional
        Returns the p-value of two samples of shape (n,), lifted scores first; by
        default Welch's test.
    show_progress : bool, default: True
        Show a progress bar, where tqdm is installed.
    seed : int, optional
        Fixes the random numbers; by default each call draws others.

    Returns
    -------
    numpy.float64
        The share of pairs in which the difference is seen.

    Raises
    ------
    AssertionError
        No scores, no iterations, or a `scalar` of 1 or below.
    TypeError
        Scores that are not one column of numbers.
    ValueError
        One score, or `significance_threshold` outside (0, 1).

    Examples
    --------
    >>> from sigarray.deepsig import bootstrap_power_analysis
    >>> scores = [0.81, 0.52, 0.74, 0.93, 0.66]
    >>> power = bootstrap_power_analysis(scores, seed=0, show_progress=False)
    >>> bool(power < 0.8)  # run it with more seeds
    True
    """
    values = read_scores("scores", scores)
    require(scalar > 1.0, "scalar to be above 1", scalar)
    require_one("num_bootstrap_iterations", num_bootstrap_iterations)
    test: Any = "welch"
    with show_steps(num_bootstrap_iterations, show_progress) as advance:
        if significance_test is not None:

            def test(a: np.ndarray, b: np.ndarray, axis: int) -> np.ndarray:
                p_values = []
                for x, y in zip(a, b, strict=True):
                    p_values.append(float(significance_test(x, y)))
                    advance()
                return np.asarray(p_values)

        power = sigarray.bootstrap_power_analysis(
            values,
            lift=scalar,
            alpha=significance_threshold,
            test=test,
            n_resamples=num_bootstrap_iterations,
            # One batch, so that the caller's test is called only once for each pair.
            batch=None if significance_test is None else num_bootstrap_iterations,
            rng=seed,
        )
    return np.float64(power)


def aso_uncertainty_reduction(
    m_old: int, n_old: int, m_new: int, n_new: int
) -> np.float64:
    """How many times smaller the error gets: `sigarray.aso_uncertainty_reduction`.

    Parameters
    ----------
    m_old, n_old, m_new, n_new : int
        Numbers of scores of the two models, before and after.

    Returns
    -------
    numpy.float64
        The factor by which the uncertainty falls.

    Raises
    ------
    AssertionError
        A number that is no integer, or below 1.

    Examples
    --------
    >>> from sigarray.deepsig import aso_uncertainty_reduction
    >>> round(float(aso_uncertainty_reduction(5, 3, 5, 5)), 4)
    1.1547
    """
    try:
        factor = sigarray.aso_uncertainty_reduction(m_old, n_old, m_new, n_new)
    except (TypeError, ValueError) as error:
        raise AssertionError(str(error)) from error
    return np.float64(factor)
