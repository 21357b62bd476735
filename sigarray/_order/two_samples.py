"""What functions of two samples have in common, and results from estimates."""

import functools
import math

from sigarray._backend.aliases import Array
from sigarray._backend.dispatch import standardize
from sigarray._backend.library import Library
from sigarray._backend.public import array_kernel, checked
from sigarray._numeric.quantile import even_grid
from sigarray._order.comparison import Equality
from sigarray._order.estimates import Estimates
from sigarray._order.families import Family
from sigarray._order.pairs import Stacks, as_matrix, reorder
from sigarray._order.ratio import observed_ratios
from sigarray.results import AsoResult, PairwiseAsoResult


def upper_bound(
    xp: Library, ratio: Array, margin: Array, superiority: Array, is_told: Array
) -> Array:
    """eps_min, the upper confidence bound: del Barrio et al. (2018), equation 6.

    Equal models have a ratio of 1/2. So the bound is at least 1/2 unless equality is
    rejected.
    """
    bound = xp.clip(ratio + margin, 0.0, 1.0)
    is_ahead = is_told & (superiority > 0.5)
    return xp.where(is_ahead, bound, xp.clip(bound, 0.5, None))


@array_kernel
def result_of_pair(
    xp: Library, estimates: Estimates, equality: Equality, *, is_reverse: bool = False
) -> AsoResult:
    """Return the result of the only pair, or that of B over A."""
    ratio, error, margin, reverse_margin, superiority, p_value, is_told = (
        x[..., 0] for x in (*estimates, *equality)
    )
    if is_reverse:
        ratio, superiority = 1.0 - ratio, 1.0 - superiority
        margin = reverse_margin
    eps_min = upper_bound(xp, ratio, margin, superiority, is_told)
    return AsoResult(eps_min, ratio, error, superiority, p_value)


@array_kernel
def pairwise_result(
    xp: Library,
    estimates: Estimates,
    equality: Equality,
    *,
    sizes: tuple[int, ...],
    order: tuple[int, ...],
    family: Family,
) -> PairwiseAsoResult:
    """Spread the pairs over matrices of all models, in the caller's order."""
    spread = functools.partial(as_matrix, xp, sizes=sizes, order=order)

    def same(x: Array) -> Array:
        return x

    models = xp.arange(len(order))
    is_diagonal = models[:, None] == models[None, :]
    ratios = spread(estimates.ratio, reverse=lambda eps: 1.0 - eps, diagonal=0.5)
    errors = spread(estimates.error, reverse=same, diagonal=0.0)
    # Each is half of their sum plus or minus half of their difference.
    forward, backward = estimates.margin, estimates.reverse_margin
    margins = spread(0.5 * (forward + backward), reverse=same, diagonal=0.0) + spread(
        0.5 * (forward - backward), reverse=lambda x: -x, diagonal=0.0
    )
    superiority, p_values, is_told = equality
    if family.kind == "pairs":
        superiority = spread(superiority, reverse=lambda x: 1.0 - x, diagonal=0.5)
        p_values = spread(p_values, reverse=same, diagonal=1.0)
        is_told = spread(is_told, reverse=same, diagonal=False)
        if family.baseline is not None:
            is_base = models == order.index(family.baseline)
            is_asked = is_base[:, None] | is_base[None, :] | is_diagonal
            p_values = xp.where(is_asked, p_values, math.nan)
            is_told = is_told & is_asked
    else:
        superiority, p_values, is_told = (
            reorder(xp, x, order) for x in (superiority, p_values, is_told)
        )
    bounds = upper_bound(xp, ratios, margins, superiority, is_told)
    eps_min = xp.where(is_diagonal, 1.0, bounds)
    return PairwiseAsoResult(eps_min, ratios, errors, superiority, p_values)


# The streams of the two samples of a pair.
STREAMS = ((0,), (1,))


@checked()
def violation_ratio(
    a: Array, b: Array, /, *, axis: int = -1, dt: float | None = None
) -> Array:
    """How far sample A is from dominating sample B in stochastic order.

    The ratio is 0 if every quantile of A is at least that of B (A dominates), 1 if B
    dominates, and 0.5 if both have the same distribution. Below 0.5, A is ahead more
    than B is. It describes these samples: `aso` adds their sampling error.

    Parameters
    ----------
    a, b : array, shape (..., n) and (..., m), real
        Scores of the two models, one for each run or item. Leading axes are batches,
        which broadcast.
    axis : int, default: -1
        The axis of the scores; the others are batches.
    dt : float, optional
        Compare quantiles at dt, 2 dt, ... < 1, as the papers do with 0.005; by default
        all of them, exactly.

    Returns
    -------
    array, shape (...), in [0, 1]
        On the device and of the float dtype of the scores (float32 for float16 and
        bfloat16, the widest of the device for integers). NaN for a batch entry with a
        score that is not finite.

    Raises
    ------
    TypeError
        Scores that are not real, or of two libraries or devices.
    ValueError
        A sample without scores, leading axes that do not broadcast, or dt outside (0,
        1).

    See Also
    --------
    aso : the confidence bound of this ratio.

    Notes
    -----
    With the empirical quantile functions F^-1(t) = x_(ceil(n t)) and G^-1(t) =
    y_(ceil(m t)) of A and B, equation 4 of [1]_ is::

        eps = int over {t: F^-1(t) < G^-1(t)} of (F^-1(t) - G^-1(t))^2 dt
              / int_0^1 (F^-1(t) - G^-1(t))^2 dt,

    computed exactly as the sum over the breakpoints {i/n} and {j/m}.

    Lists of numbers, and objects on the host that support only `__array__` or
    `__dlpack__` (a pandas Series, a TensorFlow tensor), are copied to NumPy and
    computed there. All options are static under `jit`.

    References
    ----------
    .. [1] E. del Barrio, J. A. Cuesta-Albertos, C. Matran (2018). An optimal
       transportation approach for assessing almost stochastic order. In: The
       Mathematics of the Uncertain. :doi:`10.1007/978-3-319-73848-2_3`

    Examples
    --------
    >>> from sigarray import violation_ratio
    >>> float(violation_ratio([0.7, 0.8, 0.9], [0.6, 0.7, 0.8]))
    0.0
    >>> round(float(violation_ratio([3, 5, 7], [1, 2, 9])), 4)
    0.2353
    """
    xp, stacks = stack_pair(a, b, axis)
    return observed_ratios(xp, stacks, grid=even_grid(dt))[..., 0]


def stack_pair(a: Array, b: Array, axis: int) -> tuple[Library, Stacks]:
    """Return both samples as stacks of one model, the scores last."""
    xp, samples = standardize(a, b, axis=axis)
    return xp, [sample[..., None, :] for sample in samples]
