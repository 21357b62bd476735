"""Models that keep others from being told apart: against all sets, listed."""

import numpy as np

from sigarray._order.families import family_of
from sigarray._order.many_models import find_told_without
from tests.order.test_closed import list_claims


def test_the_sets_of_a_model_do_not_count():
    k, n = 4, 5
    rng = np.random.default_rng((k, n))
    n_more = 0
    for _ in range(5):
        samples = rng.normal(size=(k, n)) + 3.0 * rng.permutation(k)[:, None]
        samples[-1, 0] = 20.0  # a run that is off
        told = find_told_without(list(samples), family_of(k, 0.05))
        every = list_claims(samples, 0.05, looks_at_all=False)
        for model in range(k):
            pairs = np.nonzero(np.triu(told[model]))
            found = {(int(i), int(j)) for i, j in zip(*pairs, strict=True)}
            expected = list_claims(samples, 0.05, looks_at_all=False, without=model)
            assert found == expected
            n_more += len(found - every)
    assert n_more


def test_numbers_of_runs_may_differ():
    rng = np.random.default_rng(1)
    samples = [rng.normal(size=n) + 4.0 * k for k, n in enumerate((6, 9, 6, 8))]
    samples[1][0] = 40.0
    family = family_of(4, 0.05)
    told = find_told_without(samples, family)
    order = [2, 0, 3, 1]
    turned = find_told_without([samples[k] for k in order], family)
    np.testing.assert_array_equal(turned, told[np.ix_(order, order, order)])
    assert told[1, 0, 2]
    assert not told[:, 1].any()
