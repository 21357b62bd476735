"""Ratios of sums, errors of predicted numbers, correlations, and gaps below a level."""

import math
from dataclasses import dataclass

from sigarray._backend.callers import Array
from sigarray._backend.checks import number
from sigarray._backend.dispatch import standardize
from sigarray._backend.library import Library
from sigarray._backend.public import array_kernel, as_scalars, checked, traceable
from sigarray.corpus._sums import (
    centre,
    divide,
    is_some,
    measure,
    of_counts,
    standardize_pairs,
)


def ratio(x: Array, y: Array, /) -> Array:
    """Return a ratio of two sums: a weighted mean, or a rate over all items.

    Parameters
    ----------
    x, y : array, shape (...), real
        The sum of the numerators, and that of the denominators. For a weighted mean of
        s they are sums of ``w * s`` and of w.

    Returns
    -------
    array, shape (...)
        x / y; NaN or infinite where y is 0.

    Raises
    ------
    TypeError
        Sums that are not real, or of two libraries or devices.

    Examples
    --------
    The mean score of an answer, of which some documents have more than others:

    >>> from sigarray import corpus, of_sums, t_ci
    >>> right, answers = [3, 0, 5, 2, 4, 1], [4, 2, 5, 2, 6, 3]
    >>> result = t_ci((right, answers), statistic=of_sums(corpus.ratio))
    >>> round(float(result.statistic), 3)
    0.682
    """
    return measure(_ratio, x, y)


def _ratio(_: Library, x: Array, y: Array) -> Array:
    return x / y


@of_counts()
def word_error_rate(errors: Array, words: Array, /) -> Array:
    """Return the word error rate of a corpus.

    Parameters
    ----------
    errors : array, shape (...), real
        Substitutions, deletions and insertions of all items.
    words : array, shape (...), real
        Words of all references. Of letters instead it is the character error rate.

    Returns
    -------
    array, shape (...)
        errors / words, which may be above 1; lower is better. Without words it is
        infinite or NaN.

    Raises
    ------
    TypeError
        Sums that are not real, or of two libraries or devices.

    Notes
    -----
    The mean of the rates of items is another number: it counts each word of a short
    item more.

    Examples
    --------
    >>> from sigarray import corpus
    >>> float(corpus.word_error_rate(3 + 1, 10 + 30))
    0.1
    """
    return measure(_ratio, errors, words)


def perplexity(nll: Array, tokens: Array, /) -> Array:
    """Return the perplexity of a corpus.

    Parameters
    ----------
    nll : array, shape (...), real
        Negative log-likelihoods (natural logarithm) of all items, each summed over the
        tokens of an item.
    tokens : array, shape (...), real
        Tokens of all items.

    Returns
    -------
    array, shape (...)
        exp(nll / tokens), lower is better; NaN without tokens.

    Raises
    ------
    TypeError
        Sums that are not real, or of two libraries or devices.

    Examples
    --------
    >>> from sigarray import corpus
    >>> round(float(corpus.perplexity(69.3147, 100)), 3)
    2.0
    """
    return measure(_perplexity, nll, tokens)


def _perplexity(xp: Library, nll: Array, tokens: Array) -> Array:
    return xp.exp(nll / xp.where(tokens == 0.0, math.nan, tokens))


@checked()
def residuals(gold: Array, predicted: Array, /) -> Array:
    """Square the error of each prediction, beside how gold itself varies.

    Parameters
    ----------
    gold : array, shape (..., n), real
        The true number of each item.
    predicted : array, shape (..., n), real
        The predicted number of each item. Leading axes broadcast.

    Returns
    -------
    array, shape (..., 4, n)
        For each item (gold - predicted)^2, g, g^2 and 1, with g = gold less a level
        near its mean. The level changes neither measure, and keeps their digits.

    Raises
    ------
    TypeError
        Anything but real numbers, or two libraries or devices.
    ValueError
        Unlike numbers of items.

    Examples
    --------
    >>> from sigarray import corpus
    >>> sums = corpus.residuals([1.0, 2.0, 4.0], [1.5, 2.0, 3.0]).sum(axis=-1)
    >>> round(float(corpus.r2(*sums)), 3), round(float(corpus.rmse(*sums)), 3)
    (0.732, 0.645)
    """
    xp, gold, predicted = standardize_pairs(
        gold, predicted, "true and predicted numbers", "numbers"
    )
    return _square(xp, gold, predicted)


@array_kernel
def _square(xp: Library, gold: Array, predicted: Array) -> Array:
    error, g = gold - predicted, centre(xp, gold)
    return xp.stack([error * error, g, g * g, xp.ones_like(g)], axis=-2)


@checked()
def products(x: Array, y: Array, /) -> Array:
    """Multiply two numbers of each item, for their correlation.

    Parameters
    ----------
    x, y : array, shape (..., n), real
        Two numbers of each item. Leading axes broadcast.

    Returns
    -------
    array, shape (..., 6, n)
        For each item u, v, u^2, v^2, u v and 1, with u and v = x and y less levels near
        their means. The levels do not change the correlation, and keep its digits.

    Raises
    ------
    TypeError
        Anything but real numbers, or two libraries or devices.
    ValueError
        Unlike numbers of items.

    Examples
    --------
    >>> from sigarray import corpus, of_sums, t_ci
    >>> x, y = [1.0, 2.0, 3.0, 4.0, 5.0], [1.1, 1.9, 3.2, 3.9, 5.4]
    >>> result = t_ci(corpus.products(x, y), statistic=of_sums(corpus.pearson))
    >>> round(float(result.statistic), 3)
    0.994
    """
    xp, x, y = standardize_pairs(x, y, "two numbers", "numbers")
    return _multiply(xp, x, y)


@array_kernel
def _multiply(xp: Library, x: Array, y: Array) -> Array:
    u, v = centre(xp, x), centre(xp, y)
    return xp.stack([u, v, u * u, v * v, u * v, xp.ones_like(u)], axis=-2)


def rmse(squares: Array, g: Array, gg: Array, n: Array, /) -> Array:
    """Return the root of the mean squared error.

    Parameters
    ----------
    squares, g, gg, n : array, shape (...), real
        The sums of `residuals`: squared errors, centred true numbers and their squares
        (which this metric ignores), and items.

    Returns
    -------
    array, shape (...)
        sqrt(squares / n), lower is better; NaN without items.

    Raises
    ------
    TypeError
        Sums that are not real, or of two libraries or devices.

    Examples
    --------
    >>> from sigarray import corpus
    >>> float(corpus.rmse(32.0, 0.0, 100.0, 8))
    2.0
    """
    return measure(_rmse, squares, g, gg, n)


def _rmse(xp: Library, squares: Array, _g: Array, _gg: Array, n: Array) -> Array:
    return xp.sqrt(squares / xp.where(n == 0.0, math.nan, n))


def r2(squares: Array, g: Array, gg: Array, n: Array, /) -> Array:
    """Return the coefficient of determination, the share of variance that is explained.

    Parameters
    ----------
    squares, g, gg, n : array, shape (...), real
        The sums of `residuals`: squared errors, centred true numbers, their squares,
        and items.

    Returns
    -------
    array, shape (...)
        1 - squares / (gg - g^2 / n): 1 at best, 0 of the mean of gold, and below that
        where predictions are worse. NaN where gold does not vary.

    Raises
    ------
    TypeError
        Sums that are not real, or of two libraries or devices.

    Examples
    --------
    >>> from sigarray import corpus
    >>> float(corpus.r2(25.0, 0.0, 100.0, 8))
    0.75
    """
    return measure(_r2, squares, g, gg, n)


def _r2(xp: Library, squares: Array, g: Array, gg: Array, n: Array) -> Array:
    spread = gg - g * g / n
    return 1.0 - divide(xp, squares, spread, is_some(xp, spread, gg), math.nan)


def pearson(u: Array, v: Array, uu: Array, vv: Array, uv: Array, n: Array, /) -> Array:
    """Return Pearson's correlation of two numbers of each item.

    Parameters
    ----------
    u, v, uu, vv, uv, n : array, shape (...), real
        The sums of `products`: of both centred numbers, of their squares, of their
        products, and of items.

    Returns
    -------
    array, shape (...)
        The correlation, from -1 to 1; NaN where one of both does not vary.

    Raises
    ------
    TypeError
        Sums that are not real, or of two libraries or devices.

    Examples
    --------
    >>> from sigarray import corpus
    >>> float(corpus.pearson(0.0, 0.0, 4.0, 9.0, 3.0, 10))
    0.5
    """
    return measure(_pearson, u, v, uu, vv, uv, n)


def _pearson(
    xp: Library, u: Array, v: Array, uu: Array, vv: Array, uv: Array, n: Array
) -> Array:
    spread_u, spread_v = uu - u * u / n, vv - v * v / n
    varies = is_some(xp, spread_u, uu) & is_some(xp, spread_v, vv)
    # Two roots, for their product may be beyond the range of floats.
    scale = xp.sqrt(xp.where(varies, spread_u, 1.0)) * xp.sqrt(
        xp.where(varies, spread_v, 1.0)
    )
    found = divide(xp, uv - u * v / n, scale, varies, math.nan)
    return xp.clip(found, -1.0, 1.0)


@dataclass(frozen=True)
class OptimalityGap:
    """The mean of max(gamma - score, 0), called as ``gap(scores, axis=-1)``.

    Equal where `gamma` is, so that JAX compiles it once. See `optimality_gap`.
    """

    gamma: float

    # What it gives depends on its parts alone: no annotation, or else it were one.
    has_parts = True

    def __call__(self, scores: Array, /, axis: int = -1) -> Array:
        """Return the gap along an axis, NaN where a score is."""
        return _find_gap(scores, axis, self.gamma)


@checked(gamma=number)
def optimality_gap(*, gamma: float = 1.0) -> OptimalityGap:
    """Make a statistic of how far scores are below a level that is good enough.

    It is the mean over all runs and tasks of max(gamma - score, 0): scores above the
    level do not make up for others, and lower is better.

    Parameters
    ----------
    gamma : float, default: 1.0
        The level, such as 1 for scores that are divided by those of people.

    Returns
    -------
    OptimalityGap
        What `bootstrap_ci`, `bootstrap_test`, `permutation_test`, their replicates and
        `rank_ci` take as `statistic`. Called with scores and an axis it returns the gap
        of these.

    Raises
    ------
    TypeError, ValueError
        Anything but a finite number.

    Notes
    -----
    The measure is that of [1]_. It is the mean of other scores, for which closed forms
    and labels of `strata` will do: ``t_ci(np.maximum(1.0 - x, 0.0))``.

    References
    ----------
    .. [1] R. Agarwal, M. Schwarzer, P. S. Castro, A. Courville, M. G. Bellemare (2021).
       Deep reinforcement learning at the edge of the statistical precipice. NeurIPS.
       https://arxiv.org/abs/2108.13264

    Examples
    --------
    >>> import numpy as np
    >>> from sigarray import bootstrap_ci, corpus
    >>> scores = np.random.default_rng(0).uniform(size=(5, 26)) * 2  # runs, tasks
    >>> gap = corpus.optimality_gap()
    >>> result = bootstrap_ci(scores, statistic=gap, axis=0, strata=1, rng=0)
    >>> round(float(result.statistic), 3)
    0.237
    """
    return OptimalityGap(gamma)


@traceable
def _find_gap(scores: Array, axis: int, gamma: float) -> Array:
    xp, (x,) = standardize(scores, axis=axis)
    return as_scalars(_mean_of_gaps(xp, x, gamma=gamma))


@array_kernel
def _mean_of_gaps(xp: Library, x: Array, *, gamma: float) -> Array:
    return xp.mean(xp.positive_part(gamma - x), axis=-1)
