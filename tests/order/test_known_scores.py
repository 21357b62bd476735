"""What some order statistics say of all scores."""

import numpy as np
import pytest

from sigarray._backend.of_numpy import HOST
from sigarray._numeric.student import find_t_of
from sigarray._order import in_parts


def test_few_scores_and_many_that_are_not_held():
    """A t that is no further from 0 than the one of all scores."""
    rng = np.random.default_rng(3)
    a, b = np.sort(rng.normal(1.0, 1.0, 8)), np.sort(rng.normal(size=5000))
    ranks = np.unique(np.concatenate([[0, 4999], rng.integers(0, 5000, 400)]))
    known = in_parts.Known(np.arange(8), a), in_parts.Known(ranks, b[ranks])
    t, df, share = in_parts._least_t(*known)
    exact, exact_df = find_t_of(HOST, [a, b], paired=False)
    assert 0.9 * exact < t <= exact
    assert df == pytest.approx(float(exact_df), rel=0.05)
    errors = np.var(a, ddof=1) / 8, np.var(b, ddof=1) / 5000
    assert share == pytest.approx(errors[0] / sum(errors), rel=0.01)
    everything = in_parts.Known(np.arange(5000), b)
    assert in_parts._least_t(known[0], everything)[0] == pytest.approx(float(exact))


def test_no_more_net_wins_than_all_scores_have():
    """Some scores give a lower bound, and all scores the number itself, with ties."""
    rng = np.random.default_rng(4)
    a, b = (np.sort(rng.integers(0, 30, n)).astype(float) for n in (200, 300))
    net = np.sum(np.sign(a[:, None] - b))

    def know(x, n):
        ends = [0, x.size - 1]
        ranks = np.union1d(ends, rng.choice(x.size, n, replace=False))
        return in_parts.Known(ranks, x[ranks])

    assert in_parts._least_wins(know(a, 200), know(b, 300)) == net
    bounds = [in_parts._least_wins(know(a, n), know(b, n)) for n in (5, 50, 150)]
    assert bounds[0] < bounds[1] < bounds[2] < net
