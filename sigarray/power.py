"""How many runs are needed: power by the bootstrap, and what more runs bring."""

import math
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from sigarray._typing import Array, Namespace, RandomSource, Seed
from sigarray.dispatch import (
    array_kernel,
    default_batch,
    device_of,
    spread_faults,
    standardize,
    sum_batches,
)
from sigarray.location import mann_whitney_u, welch_t_test
from sigarray.quantile import take_last
from sigarray.results import SampleSizeResult
from sigarray.rng import (
    MAX_REPLICATES,
    random_places,
    seed_words,
    spare_seed,
)
from sigarray.sampling_error import (
    choose_method,
    critical_value,
    estimate,
    upper_bound,
)
from sigarray.statistic import check_shape, check_sizes, count_replicates
from sigarray.validation import (
    check_batch,
    check_choice,
    check_count,
    check_fraction,
)

PowerTest = Callable[..., Array] | Literal["welch", "paired_t", "mann_whitney", "aso"]

_TESTS = ("welch", "paired_t", "mann_whitney", "aso")
# As `aso` decides by default, which [2]_ of `bootstrap_power_analysis` advises.
_ASO_RESAMPLES = 1000
_ASO_THRESHOLD = 0.2
# Fewer pairs of samples at a time leave room for many resamples of each.
_ASO_REPLICATES_AT_A_TIME = 16
DEFAULT_SIZES = (3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 40, 50, 70, 100)


def bootstrap_power_analysis(
    scores: Array,
    /,
    *,
    lift: float = 1.25,
    significance_level: float = 0.05,
    test: PowerTest = "welch",
    n_resamples: int = 5000,
    axis: int = -1,
    batch: int | None = None,
    rng: RandomSource = None,
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
    significance_level : float, default: 0.05
        The difference is seen where the p-value is below.
    test : {"welch", "paired_t", "mann_whitney", "aso"} or callable, default: "welch"
        The one-sided test. "aso" sees a difference where eps_min < 0.2 at confidence 1
        - `significance_level`. A callable f(a, b, axis) gives the p-values of batches,
        in array-API code, small where A is higher.
    n_resamples : int, default: 5000
        Pairs of samples, drawn from the lifted scores and from the scores.
    axis : int, default: -1
        The axis of the scores.
    batch : int, optional
        Pairs of samples to test at a time; by default what suits the device. The result
        does not depend on it.
    rng : int, generator or key, optional
        Source of the random numbers, as for `aso`.

    Returns
    -------
    array, shape (...)
        The share of pairs in which the difference is seen, on the device and of the
        float dtype of the scores, as for `aso`. NaN for a batch entry with a score that
        is not finite.

    Raises
    ------
    TypeError
        Scores that are not real numbers, or an `rng` that the library cannot use.
    ValueError
        Fewer than two scores, or options outside their range.

    See Also
    --------
    required_sample_size : how many runs show an observed difference.

    Notes
    -----
    The analysis is that of [1]_, as [2]_ use it. Both samples are drawn with
    replacement, one independently of the other, also for "paired_t", whose pairs are
    then without correlation.

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
    options = _check(test, significance_level, n_resamples, batch)
    if not isinstance(lift, int | float | np.number) or not 0.0 < lift < math.inf:
        msg = f"Expected lift to be a positive number; got {lift!r}."
        raise ValueError(msg)
    xp, (scores,) = standardize(scores, axis=axis)
    check_sizes(scores, purpose="to resample")
    scores = spread_faults(xp, scores)
    lifted = scores + xp.abs(scores) * (float(lift) - 1.0)
    better, worse = (lifted, scores) if lift >= 1.0 else (scores, lifted)
    seed = seed_words(rng, xp, device_of(xp, scores))
    return xp.asarray(
        _find_power(
            xp,
            better,
            worse,
            seed,
            size=scores.shape[-1],
            is_together=False,
            **options,
        )
    )


def required_sample_size(
    scores_a: Array,
    scores_b: Array,
    /,
    *,
    power: float = 0.8,
    significance_level: float = 0.05,
    test: PowerTest = "aso",
    sizes: Sequence[int] = DEFAULT_SIZES,
    higher_is_better: bool = True,
    n_resamples: int = 1000,
    axis: int = -1,
    batch: int | None = None,
    rng: RandomSource = None,
) -> SampleSizeResult:
    """How many runs of each model show that A is better, if it is so by so much?

    The scores at hand stand for the distributions: samples of growing size are drawn
    from them, and tested.

    Parameters
    ----------
    scores_a, scores_b : array, shape (..., n) and (..., m), real
        Scores of the two models, two or more each. Leading axes are batches, and
        broadcast; every batch entry sees the same resamples.
    power : float, default: 0.8
        The probability with which the difference is to be seen.
    significance_level, test
        As for `bootstrap_power_analysis`; "paired_t" draws pairs of scores (n = m).
    sizes : sequence of int, default: 3 to 100
        Numbers of runs to try, ascending, two or more each.
    higher_is_better : bool, default: True
        False for losses and error rates.
    n_resamples : int, default: 1000
        Pairs of samples of each size.
    axis, batch, rng
        As for `bootstrap_power_analysis`.

    Returns
    -------
    SampleSizeResult
        `sample_size`, of shape (...): the smallest of `sizes` with the power, infinite
        where none has it. `power`, of shape (..., S): the power at each of the S sizes.
        On the device and of the float dtype of the scores, as for `aso`. NaN for a
        batch entry with a score that is not finite.

    Raises
    ------
    TypeError
        Scores that are not real numbers, or of two libraries or devices; an `rng` that
        the library cannot use.
    ValueError
        Fewer than two scores in a sample, pairs of unequal number, leading axes that do
        not broadcast, or options outside their range.

    Notes
    -----
    A difference seen in few scores is often larger than the true one, so that the
    number is rather too small. It says what would be needed to confirm a difference of
    this size, not that there is one.

    Examples
    --------
    >>> from sigarray import required_sample_size
    >>> a = [0.91, 0.94, 0.90, 0.95, 0.93]
    >>> b = [0.90, 0.92, 0.89, 0.93, 0.92]
    >>> result = required_sample_size(a, b, test="welch", rng=0)
    >>> 10 <= float(result.sample_size) <= 20
    True
    """
    options = _check(test, significance_level, n_resamples, batch)
    goal = check_fraction("power", power)
    sizes = _check_sizes(sizes)
    xp, (a, b) = standardize(scores_a, scores_b, axis=axis)
    if test == "paired_t" and a.shape[-1] != b.shape[-1]:
        msg = (
            f"Expected as many scores of A as of B with test='paired_t'; got "
            f"{a.shape[-1]} and {b.shape[-1]}. Use test='welch'."
        )
        raise ValueError(msg)
    check_sizes(a, b, purpose="to resample")
    if not higher_is_better:
        a, b = -a, -b
    seed = seed_words(rng, xp, device_of(xp, a))
    curve = [
        _find_power(xp, a, b, seed, size=n, is_together=test == "paired_t", **options)
        for n in sizes
    ]
    powers = xp.stack(curve, axis=-1)
    smallest = xp.sum(powers - powers, axis=-1) + math.inf
    for n, reached in zip(reversed(sizes), reversed(curve), strict=True):
        smallest = xp.where(reached >= goal, float(n), smallest)
    return SampleSizeResult(smallest, powers)


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
        A number that is no integer.
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
    m_old, n_old = check_count("m_old", m_old), check_count("n_old", n_old)
    m_new, n_new = check_count("m_new", m_new), check_count("n_new", n_new)
    old = m_old * n_old / (m_old + n_old)
    new = m_new * n_new / (m_new + n_new)
    return math.sqrt(new / old)


def _check(
    test: PowerTest, significance_level: float, n_resamples: int, batch: int | None
) -> dict[str, Any]:
    """Check what both analyses have in common, and give their options."""
    if not callable(test):
        check_choice("test", test, _TESTS)
    return {
        "test": test,
        "level": check_fraction("significance_level", significance_level),
        "n_resamples": check_count("n_resamples", n_resamples, MAX_REPLICATES - 1),
        "batch": check_batch(batch),
    }


def _check_sizes(sizes: Sequence[int]) -> list[int]:
    try:
        checked = [check_count("sizes", n) for n in sizes]
    except TypeError as error:
        msg = f"Expected sizes to be a sequence of integers; got {sizes!r}."
        raise TypeError(msg) from error
    if not checked or checked[0] < 2 or checked != sorted(set(checked)):
        msg = (
            f"Expected sizes to be ascending integers of at least 2; got {list(sizes)}."
        )
        raise ValueError(msg)
    return checked


@array_kernel
def _find_power(
    xp: Namespace,
    a: Array,
    b: Array,
    seed: Seed,
    *,
    size: int,
    is_together: bool,
    test: PowerTest,
    level: float,
    n_resamples: int,
    batch: int | None,
) -> Array:
    """Share of pairs of samples of a size in which A is seen to be better."""
    sizes, device = [a.shape[-1], b.shape[-1]], device_of(xp, a)
    a, b = spread_faults(xp, a), spread_faults(xp, b)
    inner_seed = spare_seed(seed, xp, device)

    def count_seen(start: int | Array, count: int) -> Array:
        places = random_places(
            seed, start, count, sizes, [size, size], is_together, xp, device
        )
        drawn_a, drawn_b = take_last(xp, a, places[0]), take_last(xp, b, places[1])
        is_seen = _see(xp, drawn_a, drawn_b, inner_seed, test, level)
        return count_replicates(xp, is_seen, start, n_resamples)

    fault = xp.sum(a - a, axis=-1) + xp.sum(b - b, axis=-1)
    elements = 2 * size * (1 + math.prod(fault.shape))
    if test == "aso":
        elements *= _ASO_REPLICATES_AT_A_TIME
    batch = batch or default_batch(xp, device, elements)
    return sum_batches(xp, count_seen, n_resamples, batch, fault) / n_resamples


def _see(
    xp: Namespace, a: Array, b: Array, seed: Seed, test: PowerTest, level: float
) -> Array:
    """Tell which samples (..., R, n) of A a test declares better than those of B."""
    if test == "aso":
        stacks = [a[..., None, :], b[..., None, :]]
        method = choose_method("auto", [a.shape[-1], b.shape[-1]])
        ratio, error = estimate(
            xp,
            stacks,
            method,
            seed if method == "bootstrap" else None,
            _ASO_RESAMPLES,
            None,
            None,
        )
        bound = upper_bound(xp, ratio, error, z=critical_value(1.0 - level, 1))
        return bound[..., 0] < _ASO_THRESHOLD
    if test == "mann_whitney":
        return mann_whitney_u(a, b).pvalue < level
    if not callable(test):
        return welch_t_test(a, b, paired=test == "paired_t").pvalue < level
    leading = np.broadcast_shapes(a.shape[:-1], b.shape[:-1])
    p_values = test(a, b, -1)
    check_shape("test(a, b, axis)", p_values, leading, a, b)
    return p_values < level
