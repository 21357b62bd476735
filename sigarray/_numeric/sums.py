"""Functions of sums of several numbers of each item, and sums of exchanged pairs."""

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeGuard

from sigarray._backend.callers import Array
from sigarray._backend.checks import show
from sigarray._backend.library import Library
from sigarray._backend.threefry import WORD_BITS
from sigarray._numeric.faults import (
    EPS_OF_SINGLE,
    add_up_faults,
    check_result,
    spread_faults,
)

# Metrics that differ by so many units of rounding may be the same.
_ROUNDING = 8.0
_BYTE = 8
# With up to this many scores a table of bytes is faster than products of bit matrices.
_MAX_SCORES_BY_BYTES = 2**12


@dataclass(frozen=True)
class SumStatistic:
    """A function of sums, ``measure(x, y, ...)`` of the sum of each kind of numbers.

    Equal where the function is, so that JAX compiles a function of a module once. See
    `of_sums`.
    """

    measure: Callable[..., Array]

    def __call__(self, *sums: Array) -> Array:
        """Return the metric of sums."""
        return self.measure(*sums)

    @property
    def is_of_counts(self) -> bool:
        """Whether no number of an item is below 0, as metrics say by an attribute."""
        return getattr(self.measure, "is_of_counts", False)

    def list_bounds(self, n_sums: int) -> list[tuple[int, int]]:
        """List numbers of an item, and those that they are at most, by their places."""
        bounds: Callable[[int], list[tuple[int, int]]] | None
        bounds = getattr(self.measure, "bounds", None)
        return [] if bounds is None else bounds(n_sums)

    def may_take(self, n_sums: int) -> bool:
        """Tell whether so many sums may be meant for it, without a call.

        Metrics say so by an attribute, `may_take`; others by their parameters.
        """
        known: Callable[[int], bool] | None = getattr(self.measure, "may_take", None)
        if known is not None:
            return known(n_sums)
        try:
            inspect.signature(self.measure).bind(*range(n_sums))
        except (TypeError, ValueError):  # of a function in C nothing is known
            return False
        return True

    def evaluate(self, xp: Library, sums: Array) -> Array:
        """Return the metric (..., R) of sums (..., d, R), NaN if one is not finite."""
        columns = [sums[..., k, :] for k in range(sums.shape[-2])]
        result = self.measure(*columns)
        call = f"statistic({', '.join(['sum'] * len(columns))})"
        check_result(xp, call, result, tuple(columns[0].shape), columns[0])
        # Whatever the function makes of a fault, the result shows it.
        return xp.astype(result, sums.dtype, copy=False) + add_up_faults(columns)

    def observe(self, xp: Library, x: Array) -> Array:
        """Return the metric (...) of a sample (..., d, n)."""
        return self.evaluate(xp, xp.sum(x, axis=-1)[..., None])[..., 0]

    def leave_out(self, xp: Library, x: Array) -> tuple[Array, Array]:
        """Return the metric without each item in turn, (..., n), and its rounding.

        Without float64, rounding hides what one of many items changes. There metrics
        are less that of all, by first and second differences of corpora with, and
        without, as many copies of an item as make eps^(1/3) of a sum.
        """
        total = xp.sum(x, axis=-1, keepdims=True)
        rounding = _ROUNDING * xp.finfo(x.dtype).eps
        if xp.finfo(x.dtype).eps < EPS_OF_SINGLE:
            without = self.evaluate(xp, total - x)
            return without, rounding * xp.max(xp.abs(without), axis=-1, keepdims=True)
        scale = xp.sum(xp.abs(x), axis=-1, keepdims=True)
        share = xp.max(xp.abs(x) / xp.where(scale > 0.0, scale, 1.0), axis=-2)
        most = float(xp.finfo(x.dtype).eps) ** (1.0 / 3.0)
        copies = most / xp.clip(share, most / x.shape[-1], most)
        changes = copies[..., None, :] * x
        of_all = self.evaluate(xp, total)
        gain = self.evaluate(xp, total + changes) - of_all
        loss = of_all - self.evaluate(xp, total - changes)
        without = 0.5 * ((gain - loss) / copies**2 - (gain + loss) / copies)
        # Of counts, many items may be next to the mean: they are not rounding for it.
        noise = rounding * xp.abs(of_all) / copies
        is_flat = xp.all(xp.abs(without) <= noise, axis=-1, keepdims=True)
        return without, xp.where(is_flat, noise, 0.0)

    def pseudo_values(self, xp: Library, x: Array) -> Array:
        """Return numbers (..., n) whose mean is the metric, and their error its error.

        They are the metric plus the influence of each item: (n - 1) times how far
        the metric without it is below the mean of these. Those of the mean are the
        scores themselves. Influences that may be rounding alone are 0.
        """
        n = x.shape[-1]
        without, rounding = self.leave_out(xp, x)
        gaps = xp.mean(without, axis=-1, keepdims=True) - without
        influences = (n - 1.0) * xp.where(xp.abs(gaps) <= rounding, 0.0, gaps)
        return self.observe(xp, x)[..., None] + influences


def of_sums(measure: Callable[..., Array], /) -> SumStatistic:
    """Make a statistic from a function of sums, as corpus metrics are.

    A micro F1 is not the mean of the F1 of items: it is 2 TP / (2 TP + FP + FN), of the
    counts of the whole corpus. So is the metric of each resample, and resamples of
    corpus metrics need no text to be scored again: they need sums.

    Parameters
    ----------
    measure : callable
        Called as ``measure(x, y, ...)`` with the sums of the numbers of all items, d
        arrays of shape (...), it returns the metric, of that shape, in array-API code.
        There is no ``if`` on values, for each sum is an array of resamples: where a
        metric has a value of its own, such as 0 without a match, ``where`` says so.

    Returns
    -------
    SumStatistic
        What `bootstrap_ci`, `bootstrap_test`, `permutation_test`, their replicates,
        `t_test` and `t_ci` take as `statistic`. A sample is then a tuple of d arrays
        (..., n), or one array (..., d, n): one number of each kind for each of n items.
        An array with n < d is an error if the metric may take n sums, too, for it may
        be on its side; a tuple is what it says.

    Raises
    ------
    TypeError
        Anything but a callable of positional arguments.

    Notes
    -----
    Weights are a column: the weighted mean of x is ``(w * x, w)`` with
    `corpus.ratio`. Sums are taken in the widest float of the device.

    Examples
    --------
    >>> import numpy as np
    >>> from sigarray import bootstrap_ci, of_sums
    >>> def f1(tp, fp, fn):
    ...     return 2.0 * tp / (2.0 * tp + fp + fn)
    >>> rng = np.random.default_rng(0)
    >>> tp, fp, fn = rng.poisson([[5.0], [1.0], [2.0]], (3, 100))
    >>> result = bootstrap_ci((tp, fp, fn), statistic=of_sums(f1), rng=0)
    >>> round(float(result.statistic), 3)
    0.777
    """
    if not callable(measure) or isinstance(measure, SumStatistic):
        msg = f"Expected a function of sums, f(x, y, ...); got {show(measure)}."
        raise TypeError(msg)
    try:
        parameters = inspect.signature(measure).parameters.values()
    except (TypeError, ValueError):  # of a function in C nothing is known
        return SumStatistic(measure)
    names = [
        x.name for x in parameters if x.kind is x.KEYWORD_ONLY and x.default is x.empty
    ]
    if names or all(x.kind in (x.KEYWORD_ONLY, x.VAR_KEYWORD) for x in parameters):
        msg = (
            f"Expected a function that is called with sums by place, f(x, y, ...); got "
            f"{getattr(measure, '__name__', show(measure))}"
            f"{inspect.signature(measure)}."
        )
        raise TypeError(msg)
    return SumStatistic(measure)


def check_count(statistic: SumStatistic, count: int) -> None:
    try:
        signature = inspect.signature(statistic.measure)
    except (TypeError, ValueError):  # of a function in C nothing is known
        return
    try:
        signature.bind(*range(count))
    except TypeError as error:
        places = [x for x in signature.parameters.values() if x.kind < x.KEYWORD_ONLY]
        needed = sum(x.default is x.empty and x.kind < x.VAR_POSITIONAL for x in places)
        most = f" to {len(places)}" if len(places) > needed else ""
        name = getattr(statistic.measure, "__name__", show(statistic.measure))
        msg = (
            f"Expected {needed}{most} numbers of each item, whose sums {name}"
            f"{signature} takes; got {count}. Pass a tuple of as many arrays."
        )
        raise TypeError(msg) from error


def uses_sums(statistic: Any) -> TypeGuard[Literal["mean"] | SumStatistic]:
    """Tell whether weighted sums of scores are enough: of the mean, and of sums."""
    return statistic == "mean" or isinstance(statistic, SumStatistic)


def list_numbers(
    xp: Library,
    statistic: Literal["mean"] | SumStatistic,
    *samples: Array,
    paired: bool,
    are_checked: bool,
) -> list[Array]:
    """Return numbers (..., n) of each sample whose means are the statistics.

    A sample with a fault is NaN throughout; but scores stay, if they are checked later.
    """
    # A compiler has the passes over scores in one, and starts fewer kernels after this.
    if are_checked and not xp.compiles and not isinstance(statistic, SumStatistic):
        return list(samples)
    faultless = [spread_faults(xp, x) for x in samples]
    if not isinstance(statistic, SumStatistic):
        return faultless
    numbers = [statistic.pseudo_values(xp, x) for x in faultless]
    return _make_flat(xp, *numbers) if paired and len(numbers) == 2 else numbers


def _make_flat(xp: Library, a: Array, b: Array) -> list[Array]:
    """Return pseudo-values of pairs, whose differences are one number if they may be.

    Each is rounded as n times a metric is, or less: see `leave_out`.
    """
    gaps = a - b
    low, high = (f(gaps, axis=-1, keepdims=True) for f in (xp.min, xp.max))
    size = xp.max(xp.maximum(xp.abs(a), xp.abs(b)), axis=-1, keepdims=True)
    eps, n = xp.finfo(a.dtype).eps, a.shape[-1]
    if eps >= EPS_OF_SINGLE:
        n = min(n, float(eps) ** (-1.0 / 3.0))
    is_flat = high - low <= _ROUNDING * eps * n * size
    return [a, xp.where(is_flat, a - low, b)]


def mean_of_exchanged(xp: Library, gaps: Array, words: Array) -> Array:
    return sum_of_exchanged(xp, gaps, words) / gaps.shape[-1]


def sum_of_exchanged(xp: Library, gaps: Array, words: Array) -> Array:
    """Sum (1 - 2 bit) (a - b), with some bits of all words at a time.

    Bit k of word w belongs to pair 32 w + k. An accelerator takes all bits at once; a
    processor takes one at a time, without a matrix of bits, or bytes if scores are few.
    """
    *leading, n = gaps.shape
    size, _ = words.shape
    rows = xp.reshape(gaps, (math.prod(leading), n))
    exchanged = xp.sum_bits_exactly(rows, words)
    if exchanged is None:
        exchanged = _sum_by_bits(xp, rows, words)
    sums = xp.sum(rows, axis=-1, keepdims=True) - 2.0 * exchanged
    return xp.reshape(sums, (*leading, size))


def _sum_by_bits(xp: Library, rows: Array, words: Array) -> Array:
    """Sum the numbers (R, n) whose bits are 1 in words (size, width): (R, size)."""
    n, width = rows.shape[-1], words.shape[-1]
    spare = xp.zeros_like(rows[:, :1])
    spare = xp.broadcast_to(spare, (rows.shape[0], WORD_BITS * width - n))
    pairs = xp.reshape(xp.concat([rows, spare], axis=-1), (-1, width, WORD_BITS))
    if xp.is_processor and n * rows.shape[0] <= _MAX_SCORES_BY_BYTES:
        return _sum_by_bytes(xp, pairs, words, min(n, WORD_BITS))
    exchanged = xp.zeros_like(rows[:, :1])
    step = count_bits_at_once(xp)
    for k in range(0, min(n, WORD_BITS), step):
        bits = xp.matrix_transpose(xp.spread_bits(words, k, step, rows.dtype))
        chosen = xp.reshape(pairs[..., k : k + step], (-1, width * step))
        exchanged = exchanged + xp.matrix_product(chosen, bits)
    return exchanged


def _sum_by_bytes(xp: Library, pairs: Array, words: Array, n_bits: int) -> Array:
    """Sum the numbers (R, width, 32) whose bits are 1 in words (size, width).

    A table has the sums of each eight numbers for all bytes: an eighth of the terms.
    Numbers after the first `n_bits` of each word are 0.
    """
    n_rows, width, _ = pairs.shape
    (bits,) = xp.kept_tables(_list_bits, words.dtype, pairs.dtype)
    n_bytes = width * (WORD_BITS // _BYTE)
    eights = xp.reshape(pairs, (n_rows, n_bytes, _BYTE))
    table = xp.matrix_product(eights, bits)
    table = xp.reshape(table, (n_rows, n_bytes * 2**_BYTE))
    found = xp.sum_bytes(table, words, -(-n_bits // _BYTE))
    if found is not None:
        return found
    dtype = xp.index_dtype
    # The start of the table of the first byte of each word.
    first = xp.arange(width, dtype=dtype)
    first *= WORD_BITS // _BYTE * 2**_BYTE
    sums = xp.zeros_like(table[:, :1])
    for k in range(-(-n_bits // _BYTE)):
        places = xp.astype((words >> (_BYTE * k)) & (2**_BYTE - 1), dtype)
        places += first + k * 2**_BYTE
        sums = sums + xp.sum(xp.take_last(table, places), axis=-1)
    return sums


def _list_bits(xp: Library, integer: Any, dtype: Any) -> tuple[Array, ...]:
    """Return the bits of all bytes, (8, 256), made of integers of a dtype."""
    every = xp.arange(2**_BYTE, dtype=integer)
    bits = (every >> xp.arange(_BYTE, dtype=integer)[:, None]) & 1
    return (xp.astype(bits, dtype),)


def count_bits_at_once(xp: Library) -> int:
    return WORD_BITS if xp.is_accelerator else 1
