"""Krippendorff's alpha: the published example, and its definition by pairs."""

import itertools

import numpy as np
import pytest

from sigarray import corpus

NAN = np.nan
# Krippendorff (2011), Computing Krippendorff's alpha-reliability, example C.
RATINGS = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
).T


def alpha_by_pairs(ratings):
    """1 - observed / expected disagreement, pair by pair."""
    observed, kept = 0.0, []
    for item in ratings:
        values = item[~np.isnan(item)]
        if len(values) < 2:
            continue
        kept += list(values)
        pairs = itertools.permutations(values, 2)
        observed += sum(x != y for x, y in pairs) / (len(values) - 1)
    expected = sum(x != y for x, y in itertools.permutations(kept, 2))
    return 1.0 - observed / len(kept) / (expected / len(kept) / (len(kept) - 1))


def find_alpha(ratings, n_values):
    return corpus.krippendorff_alpha(
        *corpus.votes(ratings, n_values=n_values).sum(axis=-1)
    )


def test_published_example():
    assert f"{find_alpha(RATINGS - 1, 5):.3f}" == "0.743"
    # Values that nobody gave add nothing.
    assert find_alpha(RATINGS - 1, 9) == find_alpha(RATINGS - 1, 5)


def test_pair_by_pair():
    rng = np.random.default_rng(0)
    for _ in range(5):
        ratings = rng.integers(0, 3, (20, 4)).astype(float)
        ratings[rng.random((20, 4)) < 0.4] = NAN
        expected = alpha_by_pairs(ratings)
        assert find_alpha(ratings, 3) == pytest.approx(expected, rel=1e-12)


def test_one_value_alone_is_nan():
    assert np.isnan(find_alpha(np.full((6, 3), 1.0), 2))


class TestVotes:
    def test_items_with_one_rating_add_nothing(self):
        found = corpus.votes([[0.0, NAN], [NAN, NAN], [0.0, 1.0]], n_values=2)
        np.testing.assert_array_equal(found, [[0, 0, 1], [0, 0, 1], [0, 0, 0]])

    @pytest.mark.parametrize("rating", [-1.0, 2.0, 0.5, np.inf])
    def test_what_is_no_value_is_nan(self, rating):
        found = corpus.votes([[0.0, 1.0], [rating, 1.0]], n_values=2)
        assert np.isnan(found).tolist() == [[False, True]] * 3

    def test_one_axis(self):
        with pytest.raises(ValueError, match=r"\(\.\.\., n, raters\).*\(3,\)"):
            corpus.votes([0.0, 1.0, 1.0], n_values=2)


def test_too_few_sums():
    with pytest.raises(ValueError, match="got 2 sums"):
        corpus.krippendorff_alpha(1.0, 2.0)


def test_more_raters_than_items_may_be_a_table_on_its_side():
    ratings = np.random.default_rng(0).integers(0, 3, (5, 4))
    corpus.votes(ratings, n_values=3)
    said = "If there are 5 items, pass ratings.T"
    with pytest.warns(UserWarning, match=said) as seen:
        corpus.votes(ratings.T, n_values=3)
    assert seen[0].filename == __file__
