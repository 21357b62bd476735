"""The functions of deep-significance 1.2.8, computed by sigarray.

Names, arguments and defaults are those of deep-significance, and so are the kinds of
results: floats, NumPy arrays, a DataFrame. What is different, because it was wrong, is
in the README. Scores are copied to the host, for a float is there; in new code, call
the functions of `sigarray` itself.
"""

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

import sigarray

Scores = Any


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
) -> float:
    """Almost stochastic order of A over B: see `sigarray.aso`.

    Parameters
    ----------
    scores_a, scores_b : array or collection of numbers, shape (n,) or (n, 1)
        Scores of the two models: a list, tuple, set or array of any library.
    confidence_level, num_comparisons, dt
        As for `sigarray.aso`.
    num_bootstrap_iterations : int, default: 1000
        Bootstrap replicates, where not all resamples are enumerated.
    show_progress : bool, default: True
        Show a progress bar, where tqdm is installed.
    seed : int, optional
        Fixes the random numbers; by default they are fresh.
    num_samples, num_jobs, _progress_bar
        Accepted, and without effect.

    Returns
    -------
    float
        eps_min: A is better where it is below 0.2.

    Raises
    ------
    AssertionError
        No scores, or a number of comparisons, iterations or jobs below 1.
    TypeError
        Scores that are not one column of numbers.
    ValueError
        `confidence_level` or `dt` outside (0, 1).
    """
    a, b = _read_scores("scores_a", scores_a), _read_scores("scores_b", scores_b)
    _require(num_comparisons >= 1, "num_comparisons to be at least 1", num_comparisons)
    _require_iterations("num_bootstrap_iterations", num_bootstrap_iterations)
    _require_jobs(num_jobs)
    with _progress(num_bootstrap_iterations, show_progress):
        result = sigarray.aso(
            a,
            b,
            confidence_level=confidence_level,
            num_comparisons=num_comparisons,
            n_resamples=num_bootstrap_iterations,
            dt=dt,
            rng=seed,
        )
    return float(result.eps_min)


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
    """Almost stochastic order of every model over every other: `sigarray.multi_aso`.

    Parameters
    ----------
    scores : mapping of str to scores, or sequence of scores, or array, shape (K, n)
        Scores of the models; each as for `aso`.
    use_bonferroni : bool, default: True
        Divide 1 - `confidence_level` by the number of pairs of models.
    return_df : bool, default: False
        For a mapping, give a pandas.DataFrame with the names of the models.
    use_symmetry : bool, default: True
        Accepted, and without effect: eps(B, A) is 1 - eps(A, B), always.
    confidence_level, num_samples, num_bootstrap_iterations, dt
        As for `aso`.
    num_jobs, show_progress, seed
        As for `aso`.

    Returns
    -------
    numpy.ndarray or pandas.DataFrame, shape (K, K)
        eps_min of the model of the row over the one of the column; 1 on the diagonal.

    Raises
    ------
    AssertionError, TypeError, ValueError
        As for `aso`; fewer than two models.
    """
    names = list(scores) if isinstance(scores, Mapping) else None
    columns = scores.values() if isinstance(scores, Mapping) else scores
    samples = [_read_scores("scores", column) for column in columns]
    _require_iterations("num_bootstrap_iterations", num_bootstrap_iterations)
    _require_jobs(num_jobs)
    with _progress(num_bootstrap_iterations, show_progress):
        result = sigarray.multi_aso(
            samples,
            confidence_level=confidence_level,
            correction="bonferroni" if use_bonferroni else None,
            n_resamples=num_bootstrap_iterations,
            dt=dt,
            rng=seed,
        )
    if names is None or not return_df:
        return result.eps_min
    import pandas

    return pandas.DataFrame(result.eps_min, index=names, columns=names)


def bootstrap_test(
    scores_a: Scores,
    scores_b: Scores,
    num_samples: int = 1000,
    num_jobs: int = 1,
    seed: int | None = None,
) -> float:
    """Paired bootstrap test of the mean: see `sigarray.bootstrap_test`.

    Parameters
    ----------
    scores_a, scores_b : array or collection of numbers, shape (n,) or (n, 1)
        Scores of the two models, in pairs.
    num_samples : int, default: 1000
        Bootstrap replicates.
    num_jobs
        Accepted, and without effect.
    seed : int, optional
        Fixes the random numbers; by default they are fresh.

    Returns
    -------
    float
        The p-value; a small one says that A is better.

    Raises
    ------
    AssertionError
        Samples of unequal size, no scores, or `num_samples` below 1.
    TypeError
        Scores that are not one column of numbers.
    """
    a, b = _read_pairs(scores_a, scores_b)
    _require_iterations("num_samples", num_samples)
    result = sigarray.bootstrap_test(
        a, b, paired=True, alternative="greater", n_resamples=num_samples, rng=seed
    )
    return float(result.pvalue)


def permutation_test(
    scores_a: Scores,
    scores_b: Scores,
    num_samples: int = 1000,
    num_jobs: int = 1,
    seed: int | None = None,
) -> float:
    """Paired permutation test of the mean: see `sigarray.permutation_test`.

    Parameters
    ----------
    num_samples : int, default: 1000
        Random permutations, where there are more distinct ones.
    scores_a, scores_b, num_jobs, seed
        As for `bootstrap_test`.

    Returns
    -------
    float
        The p-value; a small one says that A is better.

    Raises
    ------
    AssertionError, TypeError
        As for `bootstrap_test`.
    """
    a, b = _read_pairs(scores_a, scores_b)
    _require_iterations("num_samples", num_samples)
    result = sigarray.permutation_test(
        a, b, paired=True, alternative="greater", n_resamples=num_samples, rng=seed
    )
    return float(result.pvalue)


def bonferroni_correction(p_values: Scores) -> np.ndarray:
    """Multiply p-values by their number, up to 1: see `sigarray.bonferroni`.

    Parameters
    ----------
    p_values : array or collection of numbers, shape (n,) or (n, 1)
        P-values in [0, 1].

    Returns
    -------
    numpy.ndarray, shape (n,)
        Corrected p-values, in the order given.

    Raises
    ------
    AssertionError
        No p-values, or one outside [0, 1].
    TypeError
        P-values that are not one column of numbers.
    """
    values = _read_scores("p_values", p_values)
    are_valid = bool(np.all((values >= 0.0) & (values <= 1.0)))
    _require(are_valid, "p_values to be in [0, 1]", values.tolist())
    return np.asarray(sigarray.bonferroni(values))


def bootstrap_power_analysis(
    scores: Scores,
    scalar: float = 1.25,
    num_bootstrap_iterations: int = 5000,
    significance_threshold: float = 0.05,
    significance_test: Callable[[np.ndarray, np.ndarray], float] | None = None,
    show_progress: bool = True,
    seed: int | None = None,
) -> float:
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
        Gives the p-value of two samples of shape (n,), lifted scores first; by default
        Welch's test.
    show_progress, seed
        As for `aso`.

    Returns
    -------
    float
        The share of pairs in which the difference is seen.

    Raises
    ------
    AssertionError
        No scores, no iterations, or a `scalar` of 1 or below.
    TypeError
        Scores that are not one column of numbers.
    ValueError
        One score, or `significance_threshold` outside (0, 1).
    """
    values = _read_scores("scores", scores)
    _require(scalar > 1.0, "scalar to be above 1", scalar)
    _require_iterations("num_bootstrap_iterations", num_bootstrap_iterations)
    test: Any = "welch"
    with _progress(num_bootstrap_iterations, show_progress) as advance:
        if significance_test is not None:

            def test(a: np.ndarray, b: np.ndarray, _: int) -> np.ndarray:
                p_values = []
                for x, y in zip(a, b, strict=True):
                    p_values.append(float(significance_test(x, y)))
                    advance()
                return np.asarray(p_values)

        power = sigarray.bootstrap_power_analysis(
            values,
            lift=scalar,
            significance_level=significance_threshold,
            test=test,
            n_resamples=num_bootstrap_iterations,
            # The caller's test is called once for each pair, and not once more.
            batch=None if significance_test is None else num_bootstrap_iterations,
            rng=seed,
        )
    return float(power)


def aso_uncertainty_reduction(m_old: int, n_old: int, m_new: int, n_new: int) -> float:
    """How many times smaller the error gets: `sigarray.aso_uncertainty_reduction`.

    Parameters
    ----------
    m_old, n_old, m_new, n_new : int
        Numbers of scores of the two models, before and after.

    Returns
    -------
    float
        The factor by which the uncertainty falls.

    Raises
    ------
    AssertionError
        A number that is no integer, or below 1.
    """
    try:
        return sigarray.aso_uncertainty_reduction(m_old, n_old, m_new, n_new)
    except (TypeError, ValueError) as error:
        raise AssertionError(str(error)) from error


def _read_scores(name: str, scores: Scores) -> np.ndarray:
    """Copy one column of numbers from any library and device to NumPy."""
    if isinstance(scores, set | frozenset):
        scores = sorted(scores)
    if hasattr(scores, "tolist"):
        # From any device, and from dtypes that NumPy lacks.
        scores = np.asarray(scores.tolist())
    if isinstance(scores, str | bytes) or not hasattr(scores, "__len__"):
        msg = f"Expected {name} to be a collection of numbers; got {scores!r}."
        raise TypeError(msg)
    values = np.asarray(scores)
    _require(values.size > 0, f"{name} to be non-empty", list(values.shape))
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        msg = (
            f"Expected {name} to be one column of numbers; got shape {values.shape}. "
            "Pass one model at a time."
        )
        raise TypeError(msg)
    if values.dtype.kind not in "biuf":
        msg = f"Expected {name} to be real numbers; got dtype {values.dtype}."
        raise TypeError(msg)
    return values.astype(np.float64)


def _read_pairs(scores_a: Scores, scores_b: Scores) -> tuple[np.ndarray, np.ndarray]:
    a, b = _read_scores("scores_a", scores_a), _read_scores("scores_b", scores_b)
    _require(
        len(a) == len(b),
        "scores_a and scores_b to be of one length, for they are pairs",
        f"{len(a)} and {len(b)}",
    )
    return a, b


def _require(holds: bool, expectation: str, got: Any) -> None:
    """Raise what deep-significance asserts, also where Python runs without asserts."""
    if not holds:
        msg = f"Expected {expectation}; got {got}."
        raise AssertionError(msg)


def _require_iterations(name: str, number: int) -> None:
    _require(number >= 1, f"{name} to be at least 1", number)


def _require_jobs(num_jobs: int) -> None:
    _require(
        num_jobs >= 1 or num_jobs == -1, "num_jobs to be at least 1, or -1", num_jobs
    )


@contextlib.contextmanager
def _progress(total: int, is_shown: bool) -> Iterator[Callable[[], None]]:
    """Show a bar of `total` steps, the rest of which is done at the end."""
    try:
        from tqdm import tqdm
    except ImportError:
        yield lambda: None
        return
    with tqdm(total=total, disable=not is_shown) as bar:
        yield lambda: bar.update(min(1, total - bar.n))
        bar.update(total - bar.n)
