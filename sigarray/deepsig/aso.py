"""Almost stochastic order of two models, and of all pairs of several."""

import contextlib
import warnings
from collections.abc import Iterator, Mapping
from statistics import NormalDist
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


def aso(
    scores_a: Scores,
    scores_b: Scores,
    confidence_level: float = 0.95,
    num_comparisons: int = 1,
    num_samples: int = 1000,
    num_bootstrap_iterations: int = 1000,
    dt: float = 0.005,
    num_jobs: int = 1,
    show_progress: bool = True,
    seed: int | None = None,
    _progress_bar: Any = None,
) -> np.float64:
    """Almost stochastic order of A over B, with the bound of the papers.

    The bound is below 0.2 too often: see Warns. `sigarray.aso` tests equality, too.

    Parameters
    ----------
    scores_a, scores_b : array or collection of numbers, shape (n,) or (n, 1)
        Scores of the two models: a list, tuple, set or array of any library.
    confidence_level : float, default: 0.95
        Confidence of the bound, in (0, 1): 0.95 for 95 %.
    num_comparisons : int, default: 1
        Divide 1 - `confidence_level` by this number of comparisons (Bonferroni).
    num_samples : int, default: 1000
        Accepted, and without effect.
    num_bootstrap_iterations : int, default: 1000
        Bootstrap replicates, if some are drawn.
    dt : float, default: 0.005
        Compare quantiles on the grid dt, 2 dt, ... < 1.
    num_jobs : int, default: 1
        Accepted, and without effect.
    show_progress : bool, default: True
        Show a progress bar, where tqdm is installed.
    seed : int, optional
        Fixes the random numbers; by default each call draws others.
    _progress_bar : object, optional
        Accepted, and without effect.

    Returns
    -------
    numpy.float64
        eps_min: A is better where it is below 0.2.

    Raises
    ------
    AssertionError
        No scores, or a number of comparisons, iterations or jobs below 1.
    TypeError
        Scores that are not one column of numbers.
    ValueError
        `confidence_level` or `dt` outside (0, 1).

    Warns
    -----
    UserWarning
        How often the bound of the papers calls one of two equal models better.

    Examples
    --------
    >>> import warnings
    >>> from sigarray.deepsig import aso
    >>> a, b = [0.92, 0.94, 0.93, 0.96, 0.95], [0.90, 0.92, 0.91, 0.89, 0.93]
    >>> with warnings.catch_warnings(action="ignore"):
    ...     eps_min = aso(a, b, seed=0, show_progress=False)
    >>> bool(eps_min < 0.2)
    True
    """
    a, b = read_scores("scores_a", scores_a), read_scores("scores_b", scores_b)
    require_one("num_comparisons", num_comparisons)
    with _published(num_bootstrap_iterations, num_jobs, show_progress):
        result = sigarray.aso(
            a,
            b,
            confidence_level=confidence_level,
            n_comparisons=num_comparisons,
            n_resamples=num_bootstrap_iterations,
            dt=dt,
            rng=seed,
        )
    level = (1.0 - confidence_level) / num_comparisons
    smallest = min(len(a), len(b))
    return np.float64(
        _bound(result.violation_ratio, result.standard_error, smallest, level)
    )


def multi_aso(
    scores: Any,
    confidence_level: float = 0.95,
    use_bonferroni: bool = True,
    use_symmetry: bool = True,
    num_samples: int = 1000,
    num_bootstrap_iterations: int = 1000,
    dt: float = 0.005,
    num_jobs: int = 1,
    return_df: bool = False,
    show_progress: bool = True,
    seed: int | None = None,
) -> Any:
    """Almost stochastic order of every model over every other, as in the papers.

    The bound is that of `aso`, which `sigarray.multi_aso` corrects.

    Parameters
    ----------
    scores : mapping of str to scores, or sequence of scores, or array, shape (K, n)
        Scores of the models, each a list, tuple, set or array of any library.
    confidence_level : float, default: 0.95
        Confidence of the bound, in (0, 1): 0.95 for 95 %.
    use_bonferroni : bool, default: True
        Divide 1 - `confidence_level` by the number of pairs of models.
    use_symmetry : bool, default: True
        Accepted, and without effect: eps(B, A) is 1 - eps(A, B), always.
    num_samples : int, default: 1000
        Accepted, and without effect.
    num_bootstrap_iterations : int, default: 1000
        Bootstrap replicates, if some are drawn.
    dt : float, default: 0.005
        Compare quantiles on the grid dt, 2 dt, ... < 1.
    num_jobs : int, default: 1
        Accepted, and without effect.
    return_df : bool, default: False
        For a mapping, return a pandas.DataFrame with the names of the models.
    show_progress : bool, default: True
        Show a progress bar, where tqdm is installed.
    seed : int, optional
        Fixes the random numbers; by default each call draws others.

    Returns
    -------
    numpy.ndarray or pandas.DataFrame, shape (K, K)
        eps_min of the model of the row over the one of the column; 1 on the diagonal.

    Raises
    ------
    AssertionError
        A model without scores, fewer than two models, or a number of comparisons,
        iterations or jobs below 1.
    TypeError
        Scores that are not one column of numbers for each model.
    ValueError
        `confidence_level` or `dt` outside (0, 1).

    Warns
    -----
    UserWarning
        How often the bound of the papers calls one of two equal models better.

    Examples
    --------
    >>> import warnings
    >>> from sigarray.deepsig import multi_aso
    >>> scores = {"lstm": [0.92, 0.94, 0.93, 0.96, 0.95], "cnn": [0.8, 0.7, 0.9, 0.8]}
    >>> with warnings.catch_warnings(action="ignore"):
    ...     multi_aso(scores, seed=0, show_progress=False)
    array([[1., 0.],
           [1., 1.]])
    """
    names = list(scores) if isinstance(scores, Mapping) else None
    columns = scores.values() if isinstance(scores, Mapping) else scores
    samples = [read_scores("scores", column) for column in columns]
    with _published(num_bootstrap_iterations, num_jobs, show_progress):
        result = sigarray.multi_aso(
            samples,
            confidence_level=confidence_level,
            correction="bonferroni" if use_bonferroni else None,
            n_resamples=num_bootstrap_iterations,
            dt=dt,
            rng=seed,
        )
    sizes = np.asarray([len(x) for x in samples])
    n_pairs = len(samples) * (len(samples) - 1) // 2
    eps_min = _bound(
        result.violation_ratio,
        result.standard_error,
        np.minimum(sizes[:, None], sizes),
        (1.0 - confidence_level) / (n_pairs if use_bonferroni else 1),
    )
    np.fill_diagonal(eps_min, 1.0)
    if names is None or not return_df:
        return eps_min
    import pandas

    return pandas.DataFrame(eps_min, index=names, columns=names)


def _bound(ratio: Any, error: Any, smallest: Any, level: float) -> Any:
    """Return the bound of the papers, from normal quantile and deviation of resamples.

    del Barrio et al. (2018), equation 6. `sigarray` returns, from the deviation of
    resamples, an estimate of the sampling error, with a variance n / (n - 1) larger.
    """
    scale = np.sqrt((np.maximum(smallest, 2) - 1) / np.maximum(smallest, 2))
    deviation = error * np.where(smallest > 1, scale, 1.0)
    return np.clip(ratio - NormalDist().inv_cdf(level) * deviation, 0.0, 1.0)


@contextlib.contextmanager
def _published(n_resamples: int, n_jobs: int, is_shown: bool) -> Iterator[None]:
    """Show a bar, and warn of the error rate of the papers' bound instead of ours."""
    require_one("num_bootstrap_iterations", n_resamples)
    require(n_jobs >= 1 or n_jobs == -1, "num_jobs to be at least 1, or -1", n_jobs)
    warnings.warn(
        "The bound of the papers calls one of two equal models better in 17 % of cases "
        "with 3 runs each, 11 % with 5 and 6 % with 20, and of many models more often. "
        "sigarray.aso and sigarray.multi_aso do so no more often than their level.",
        UserWarning,
        stacklevel=4,
    )
    with (
        warnings.catch_warnings(action="ignore", category=UserWarning),
        show_steps(n_resamples, is_shown),
    ):
        yield
