"""Ratios of two sums."""

from sigarray._backend.aliases import Array
from sigarray._backend.library import Library
from sigarray.corpus._sums import measure, of_counts


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
        Sums that are not real numbers, or of two libraries or devices.

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


@of_counts
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
        Sums that are not real numbers, or of two libraries or devices.

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
    return measure(_word_error_rate, errors, words)


def _word_error_rate(_: Library, errors: Array, words: Array) -> Array:
    return errors / words


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
        Sums that are not real numbers, or of two libraries or devices.

    Examples
    --------
    >>> from sigarray import corpus
    >>> round(float(corpus.perplexity(69.3147, 100)), 3)
    2.0
    """
    return measure(_perplexity, nll, tokens)


def _perplexity(xp: Library, nll: Array, tokens: Array) -> Array:
    return xp.exp(nll / tokens)
