"""Places by cumulative shares, and cumulative maxima."""

import itertools
from fractions import Fraction

import numpy as np

from sigarray._backend.of_numpy import HOST
from sigarray._backend.seeds import cumulative_places
from tests.backends import ONE_WIDTH, everywhere
from tests.chosen import few_on_jax


def exact_places(widths, n):
    """Floor of n times the share of all widths up to each, in rational numbers."""
    sums = np.cumsum([Fraction(float(x)) for x in widths])
    return [int(n * x / sums[-1]) for x in sums[:-1]]


@few_on_jax(
    "sign, width",
    itertools.product([1.0, -1.0], [2, 3, 7, 8, 9, 16, 17, 25, 1200]),
    few=[(1.0, 9), (-1.0, 1200)],
    backends=ONE_WIDTH,
)
def test_places_are_those_of_rational_numbers(backend, sign, width):
    """But where a rounded sum crosses an integer, which few do."""
    count, n_samples, n = 3, 2, 50
    rng = np.random.default_rng(width)
    drawn = rng.exponential(size=(count, n_samples, width)).astype(np.float32)
    expected = np.array([[exact_places(row, n) for row in rows] for rows in drawn])
    widths = backend.asarray(sign * drawn, "float32")
    by_place = backend.to_numpy(cumulative_places(backend.library, widths, n))
    assert by_place.shape == (n_samples, count, width - 1)
    differences = by_place - expected.transpose(1, 0, 2)
    assert np.count_nonzero(differences) <= (
        0 if backend.float_name == "float64" else 5e-4 * differences.size
    )
    assert np.abs(differences).max() <= 1

    widths = backend.asarray(sign * drawn, "float32")
    by_replicate = cumulative_places(backend.library, widths, n, is_last=False)
    assert (backend.to_numpy(by_replicate) == by_place.transpose(0, 2, 1)).all()


@everywhere
def test_no_place_is_beyond_the_last(backend):
    """The last width is 0, so that all before it are the whole."""
    widths = np.full((1, 1, 40), 0.1, dtype=np.float32)
    widths[..., -1] = 0.0
    for is_last in (True, False):
        own = backend.asarray(widths, "float32")
        places = cumulative_places(backend.library, own, 7, is_last=is_last)
        assert backend.to_numpy(places).max() == 6


def test_bits_do_not_depend_on_which_axis_is_last():
    """Not even of float64 sums: by places of so many that all bits are seen."""
    widths = np.random.default_rng(0).exponential(size=(5, 2, 77)).astype(np.float32)
    n = 2**49
    by_place = cumulative_places(HOST, widths, n)
    by_replicate = cumulative_places(HOST, widths, n, is_last=False)
    assert (by_replicate == by_place.transpose(0, 2, 1)).all()


@everywhere
def test_cumulative_maximum(backend):
    x = np.random.default_rng(0).normal(size=(4, 33))
    found = backend.library.cumulative_maximum(backend.asarray(x))
    expected = np.maximum.accumulate(backend.to_numpy(backend.asarray(x)), axis=-1)
    assert (backend.to_numpy(found) == expected).all()
