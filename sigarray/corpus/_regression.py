"""Errors of predicted numbers, and correlations."""

import math

from sigarray._backend.aliases import Array
from sigarray._backend.kernels import array_kernel
from sigarray._backend.library import Library
from sigarray._backend.public import checked
from sigarray.corpus._items import centre, standardize_pairs
from sigarray.corpus._sums import divide, is_some, measure


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
        Sums that are not real numbers, or of two libraries or devices.

    Examples
    --------
    >>> from sigarray import corpus
    >>> float(corpus.rmse(32.0, 0.0, 100.0, 8))
    2.0
    """
    return measure(_rmse, squares, g, gg, n)


def _rmse(xp: Library, squares: Array, _g: Array, _gg: Array, n: Array) -> Array:
    return xp.sqrt(squares / n)


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
        Sums that are not real numbers, or of two libraries or devices.

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
        Sums that are not real numbers, or of two libraries or devices.

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
