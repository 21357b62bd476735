"""How many runs are needed: power by the bootstrap, and the gain from more runs."""

import math
from collections.abc import Sequence
from typing import Any, Unpack, get_args

from sigarray._backend.callers import Array, ExecutionOptions, RandomSource
from sigarray._backend.checks import (
    MAX_REPLICATES,
    ascending,
    choice_or_statistic,
    count,
    positive,
)
from sigarray._backend.dispatch import standardize
from sigarray._backend.library import Library
from sigarray._backend.public import array_kernel, checked
from sigarray._backend.seeds import seed_words
from sigarray._numeric.faults import spread_faults
from sigarray._numeric.statistic import check_pairs, check_sizes
from sigarray._power_of_tests import PowerTest, PowerTestName, find_power, find_t_powers
from sigarray.results import SampleSizeResult

_TEST_RULE = choice_or_statistic(*get_args(PowerTestName), arrays="a, b")
_T_TESTS = ("welch", "paired_t")
DEFAULT_SIZES = (3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 40, 50, 70, 100)


@checked(test=_TEST_RULE, lift=positive, n_resamples=count(MAX_REPLICATES - 1))
def bootstrap_power_analysis(
    scores: Array,
    /,
    *,
    lift: float = 1.25,
    alpha: float = 0.05,
    test: PowerTest = "welch",
    n_resamples: int = 5000,
    axis: int = -1,
    rng: RandomSource = None,
    **_: Unpack[ExecutionOptions],
) -> Array:
    """Power of a test to see that all scores of a model are lifted by a factor.

    Low power says that the scores vary too much for their number: collect more of them
    before any comparison. A rule of thumb asks for 0.8.

    Parameters
    ----------
    scores : array, shape (..., n), real
        Scores of a model. Leading axes are batches; every batch entry sees the same
        resamples.
    lift : float, default: 1.25
        The better model has the scores s + abs(s) (`lift` - 1). Below 1 it is the worse
        one, as when lower is better; 1 gives the rate of false alarms.
    alpha : float, default: 0.05
        The difference is seen where the p-value is at most this.
    test : {"welch", "paired_t", "mann_whitney", "aso"} or callable, default: "welch"
        The one-sided test. "aso" sees a difference where eps_min < 0.2 at confidence 1
        - `alpha`. A callable, called as f(a, b, axis=-1), returns the p-values of
        batches, in array-API code, small where A is higher.
    n_resamples : int, default: 5000
        Pairs of samples, drawn from the lifted scores and from the scores.
    axis : int, default: -1
        The axis of the scores; the others are batches.
    rng : int, generator or key, optional
        A seed, an int in [0, 2^64), which gives the same random numbers with every
        array library and device; a generator of that library or of NumPy; or for JAX,
        which takes no generator, a key. By default each call draws others.
    batch : int, optional
        Replicates at a time; by default what suits the device. Memory grows with it;
        the result is the same.

        A replicate is a pair of samples.
    workers : int, callable, ProcessGroup or str, optional
        Who computes: a number of threads for NumPy arrays (-1: all cores); a function
        ``map(function, tasks)``, as an executor's; a process group of PyTorch; or a
        mesh axis in `jax.shard_map`. By default this thread. The result is the same.
    progress : callable or tqdm, optional
        Called as ``progress(done, total)`` after each batch, not by JAX; or ``tqdm()``.

    Returns
    -------
    array, shape (...)
        The share of pairs in which the difference is seen, on the device and of the
        float dtype of the scores. NaN for a batch entry with a score that
        is not finite.

    Raises
    ------
    TypeError
        Scores that are not real numbers, or an unsuitable `rng`.
    ValueError
        Fewer than two scores, or options outside their range.

    See Also
    --------
    required_sample_size : how many runs show an observed difference.

    Notes
    -----
    The analysis is that of [1]_, as [2]_ use it; but scores are moved away from their
    mean by (n / (n - 1))^1/2 first, because resamples of n scores vary less than
    samples do. Both samples are drawn with replacement and independently, also for
    "paired_t", whose pairs are then uncorrelated.

    References
    ----------
    .. [1] K.-H. Yuan, K. Hayashi (2003). Bootstrap approach to inference and power
       analysis based on three test statistics for covariance structure models. British
       Journal of Mathematical and Statistical Psychology 56, 93-110.
       :doi:`10.1348/000711003321645368`
    .. [2] D. Ulmer, C. Hardmeier, J. Frellsen (2022). deep-significance: easy and
       meaningful statistical significance testing in the age of neural networks.
       :doi:`10.48550/arXiv.2204.06815`

    Examples
    --------
    >>> from sigarray import bootstrap_power_analysis
    >>> scores = [0.81, 0.52, 0.74, 0.93, 0.66]
    >>> bool(bootstrap_power_analysis(scores, rng=0) < 0.8)  # run it with more seeds
    True
    """
    xp, (scores,) = standardize(scores, axis=axis)
    check_sizes(scores, purpose="to resample")
    lifted, scores = _lift(xp, scores, lift=lift)
    better, worse = (lifted, scores) if lift >= 1.0 else (scores, lifted)
    seed = seed_words(xp, rng)
    power: Array = find_power(
        xp,
        better,
        worse,
        seed,
        size=scores.shape[-1],
        test=test,
        level=alpha,
        n_resamples=n_resamples,
    )
    return power


@checked(
    test=_TEST_RULE,
    sizes=ascending(count(smallest=2)),
    n_resamples=count(MAX_REPLICATES - 1),
)
def required_sample_size(
    a: Array,
    b: Array,
    /,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    test: PowerTest = "welch",
    sizes: Sequence[int] = DEFAULT_SIZES,
    higher_is_better: bool = True,
    n_resamples: int = 1000,
    axis: int = -1,
    rng: RandomSource = None,
    **_: Unpack[ExecutionOptions],
) -> SampleSizeResult:
    """How many runs of each model show that A is better, if it is so by so much?

    The given scores stand for the distributions: samples of growing size are drawn from
    them, and tested.

    Parameters
    ----------
    a, b : array, shape (..., n) and (..., m), real
        Scores of the two models, one for each run or item, two or more of each. Leading
        axes are batches, which broadcast and see the same resamples.
    power : float, default: 0.8
        The probability with which the difference is to be seen.
    alpha : float, default: 0.05
        The difference is seen where the p-value is at most this.
    test : {"welch", "paired_t", "mann_whitney", "aso"} or callable, default: "welch"
        The one-sided test. "aso" sees a difference where eps_min < 0.2 at confidence 1
        - `alpha`. A callable, called as f(a, b, axis=-1), returns the p-values of
        batches, in array-API code, small where A is higher.

        "paired_t" draws pairs of scores (n = m).
    sizes : sequence of int, default: 3 to 100
        Numbers of runs to try, ascending, two or more each.
    higher_is_better : bool, default: True
        False if lower scores are better, as for losses.
    n_resamples : int, default: 1000
        Pairs of samples of each size.
    axis : int, default: -1
        The axis of the scores; the others are batches.
    rng : int, generator or key, optional
        A seed, an int in [0, 2^64), which gives the same random numbers with every
        array library and device; a generator of that library or of NumPy; or for JAX,
        which takes no generator, a key. By default each call draws others.
    batch : int, optional
        Replicates at a time; by default what suits the device. Memory grows with it;
        the result is the same.
    workers : int, callable, ProcessGroup or str, optional
        Who computes: a number of threads for NumPy arrays (-1: all cores); a function
        ``map(function, tasks)``, as an executor's; a process group of PyTorch; or a
        mesh axis in `jax.shard_map`. By default this thread. The result is the same.
    progress : callable or tqdm, optional
        Called as ``progress(done, total)`` after each batch, not by JAX; or ``tqdm()``.

    Returns
    -------
    SampleSizeResult
        `sample_size`, of shape (...): the smallest of `sizes` with the power, infinite
        if none has it. `power`, of shape (..., S): the power at each of the S sizes.
        Both are on the device and of the float dtype of the scores. NaN
        for a batch entry with a score that is not finite.

    Raises
    ------
    TypeError
        Scores that are not real, or of two libraries or devices; an unsuitable `rng`.
    ValueError
        Fewer than two scores in a sample, unequal pairs, leading axes that do not
        broadcast, or options outside their range.

    Notes
    -----
    Before the draws, scores are moved away from their mean by (n / (n - 1))^1/2, as in
    `bootstrap_power_analysis`.

    A difference seen in few scores is often larger than the true one, so that the
    number tends to be too small. It says what would be needed to confirm a difference
    of this size, not that there is one. The tests are one-sided: if A is not the better
    one, the power is small and the number infinite.

    Examples
    --------
    >>> from sigarray import required_sample_size
    >>> a = [0.91, 0.94, 0.90, 0.95, 0.93]
    >>> b = [0.90, 0.92, 0.89, 0.93, 0.92]
    >>> result = required_sample_size(a, b, test="welch", rng=0)
    >>> 10 <= float(result.sample_size) <= 30
    True
    """
    is_paired = test == "paired_t"
    xp, (a, b) = standardize(a, b, axis=axis, paired=is_paired)
    if is_paired:
        check_pairs(a, b, "Use test='welch' for independent samples.")
    check_sizes(a, b, purpose="to resample")
    if not higher_is_better:
        a, b = -a, -b
    options: dict[str, Any] = {"level": alpha, "n_resamples": n_resamples}
    seed = seed_words(xp, rng)
    if test in _T_TESTS:
        powers = find_t_powers(
            xp, a, b, seed, sizes=tuple(sizes), is_paired=is_paired, **options
        )
    else:
        curve = [
            find_power(xp, a, b, seed, size=n, test=test, **options) for n in sizes
        ]
        powers = xp.stack(curve, axis=-1)
    return SampleSizeResult(
        _find_smallest(xp, powers, sizes=tuple(sizes), goal=power), powers
    )


@checked(m_old=count(None), n_old=count(None), m_new=count(None), n_new=count(None))
def aso_uncertainty_reduction(m_old: int, n_old: int, m_new: int, n_new: int) -> float:
    """How many times smaller the error of the violation ratio gets with more runs.

    Parameters
    ----------
    m_old, n_old : int
        Numbers of scores of the two models.
    m_new, n_new : int
        The numbers to compare these with.

    Returns
    -------
    float
        The ratio of the old standard error to the new one, for large samples: above 1
        where the new one is smaller [1]_.

    Raises
    ------
    TypeError
        A number that is not an integer.
    ValueError
        A number below 1.

    References
    ----------
    .. [1] D. Ulmer, C. Hardmeier, J. Frellsen (2022). deep-significance: easy and
       meaningful statistical significance testing in the age of neural networks.
       :doi:`10.48550/arXiv.2204.06815`

    Examples
    --------
    Two more runs of the second model:

    >>> from sigarray import aso_uncertainty_reduction
    >>> round(aso_uncertainty_reduction(5, 3, 5, 5), 4)
    1.1547
    """
    old = m_old * n_old / (m_old + n_old)
    new = m_new * n_new / (m_new + n_new)
    return math.sqrt(new / old)


@array_kernel
def _lift(xp: Library, scores: Array, *, lift: float) -> tuple[Array, Array]:
    scores = spread_faults(xp, scores)
    return scores + xp.abs(scores) * (lift - 1.0), scores


@array_kernel
def _find_smallest(
    xp: Library, powers: Array, *, sizes: tuple[int, ...], goal: float
) -> Array:
    """Return the smallest size with enough power, or infinity."""
    smallest = xp.sum(powers - powers, axis=-1) + math.inf
    for place in range(len(sizes) - 1, -1, -1):
        is_enough = powers[..., place] >= goal
        smallest = xp.where(is_enough, float(sizes[place]), smallest)
    return smallest
