"""Samplers of items and responses: worked by hand, and their frequencies."""

import collections
import itertools

import numpy as np
import pytest
import scipy.stats

from sigarray import responses
from sigarray._backend.of_numpy import HOST
from sigarray._backend.seeds import seed_words
from sigarray._backend.workers import Execution, executed_by
from sigarray.responses import _sampling as sampling
from sigarray.responses._sampling import plan_sampler
from tests.backends import everywhere
from tests.oracles import FALSE_ALARM

NAN = np.nan


def name_responses(n_items, k, system):
    """Responses that tell the system, the item and the place that they are from."""
    item, place = np.meshgrid(np.arange(n_items), np.arange(k), indexing="ij")
    return 1000.0 * system + 10.0 * item + place


def draw(items, answers, *sets, n_resamples=5000, rng=0):
    return responses.resample(
        *sets, items=items, responses=answers, n_resamples=n_resamples, rng=rng
    )


def draw_null(answers, a, b, *, n_resamples=6000):
    """Draw A and B from one pool, of the items as they are."""
    sampler = plan_sampler(HOST, (a, b), answers, summarize=lambda x: x)
    seed = seed_words(HOST, 3)
    draws = sampling.plan_draws(HOST, seed, [sampler], len(a), items="all")
    ((drawn_a, drawn_b),) = draws.draw(0, n_resamples)
    return drawn_a, drawn_b


def assert_uniform(outcomes, expected):
    """Every one of the expected outcomes, and no other, equally often."""
    counts = collections.Counter(map(tuple, outcomes))
    assert set(counts) == set(expected)
    observed = [counts[x] for x in expected]
    assert scipy.stats.chisquare(observed).pvalue > FALSE_ALARM


class TestResample:
    def test_all_is_the_test_set(self, backend):
        sets = [backend.asarray(name_responses(3, k, k)) for k in (2, 3, 4)]
        for drawn, given in zip(
            draw("all", "all", *sets, n_resamples=2), sets, strict=True
        ):
            for i in range(2):
                np.testing.assert_array_equal(
                    backend.to_numpy(drawn)[i], backend.to_numpy(given)
                )

    def test_first_is_the_first_that_is_there(self):
        gold = [[NAN, 2.0, 3.0], [4.0, NAN, NAN]]
        drawn = draw("all", "first", gold, gold, [1.0, 2.0], n_resamples=2)
        assert drawn.gold.tolist() == [[[2.0], [4.0]]] * 2
        assert drawn.b.tolist() == [[[1.0], [2.0]]] * 2

    def test_missing_responses_come_last(self):
        gold = [[NAN, 2.0, 3.0], [4.0, NAN, NAN]]
        for answers in ("all", "bootstrap", "without_replacement"):
            drawn = draw("all", answers, gold, gold, gold, n_resamples=50)
            for x in drawn:
                assert np.isnan(x[:, 0]).tolist() == [[False, False, True]] * 50
                assert np.isnan(x[:, 1]).tolist() == [[False, True, True]] * 50
                assert set(np.unique(x[:, 0, :2])) == {2.0, 3.0}
                assert np.all(x[:, 1, 0] == 4.0)

    @pytest.mark.parametrize("answers", sampling.RESPONSE_SAMPLERS)
    def test_items_are_the_same_for_all(self, answers):
        sets = [name_responses(7, k, k) for k in (2, 3, 4)]
        drawn = draw("bootstrap", answers, *sets, n_resamples=3000)
        items = [(x - 1000 * k) // 10 for k, x in zip((2, 3, 4), drawn, strict=True)]
        for item in items:
            assert np.all(item == items[0][..., :1])
        counts = np.bincount(items[0][..., 0].astype(int).ravel(), minlength=7)
        assert scipy.stats.chisquare(counts).pvalue > FALSE_ALARM
        # How often an item is in a test set is binomial.
        times = (items[0][..., 0] == 4).sum(axis=1)
        expected = scipy.stats.binom.pmf(np.arange(4), 7, 1 / 7) * 3000
        observed = np.bincount(np.minimum(times, 4), minlength=5)
        expected = np.append(expected, 3000 - expected.sum())
        assert scipy.stats.chisquare(observed, expected).pvalue > FALSE_ALARM

    @pytest.mark.parametrize(
        ("answers", "expected"),
        [
            ("one", [(i,) for i in range(3)]),
            ("bootstrap", list(itertools.product(range(3), repeat=3))),
            ("without_replacement", list(itertools.permutations(range(3)))),
        ],
    )
    def test_responses_are_drawn_equally_often(self, answers, expected):
        sets = [name_responses(2, 3, k) for k in range(3)]
        drawn = draw("all", answers, *sets)
        for k, x in enumerate(drawn):
            for item in range(2):
                places = x[:, item] - sets[k][item, 0]
                assert_uniform(places.astype(int), expected)

    def test_sets_and_items_are_independent(self):
        sets = [name_responses(2, 3, k) for k in range(3)]
        drawn = draw("all", "one", *sets)
        places = np.concatenate([x[:, :, 0] % 10 for x in drawn], axis=1).astype(int)
        for i, j in itertools.combinations(range(6), 2):
            assert_uniform(
                places[:, [i, j]], list(itertools.product(range(3), repeat=2))
            )

    @everywhere
    def test_resamples_agree_across_backends(self, backend):
        sets = [name_responses(5, k, k) for k in (2, 3, 2)]
        sets[0][3, 1] = NAN
        for answers in sampling.RESPONSE_SAMPLERS:
            expected = draw("bootstrap", answers, *sets, n_resamples=20)
            drawn = draw(
                "bootstrap", answers, *map(backend.asarray, sets), n_resamples=20
            )
            for x, y in zip(drawn, expected, strict=True):
                np.testing.assert_array_equal(backend.to_numpy(x), y)

    def test_chunks_do_not_matter(self):
        sets = [np.stack([name_responses(5, 2, k)] * 2) for k in range(3)]
        expected = draw("bootstrap", "bootstrap", *sets, n_resamples=23)
        with executed_by(Execution(room=700)):
            drawn = draw("bootstrap", "bootstrap", *sets, n_resamples=23)
        np.testing.assert_array_equal(drawn, expected)
        assert drawn.gold.shape == (2, 23, 5, 2)

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"items": "some"}, "items to be one of 'all', 'bootstrap'"),
            ({"responses": "two"}, "'without_replacement'; got 'two'"),
            ({"n_resamples": 0}, "n_resamples"),
        ],
    )
    def test_errors(self, options, message):
        with pytest.raises(ValueError, match=message):
            responses.resample([1.0], [1.0], [1.0], rng=0, **options)


class TestNull:
    @pytest.fixture(params=["tabled in advance", "tabled", "shuffled"])
    def deal(self, request):
        """Share a pool out in each of the ways that room and sizes choose."""
        room = None if request.param == "tabled in advance" else 0
        # With places for eight of each there are too many ways for a table.
        n_places = 8 if request.param == "shuffled" else 0

        def deal(a, b):
            wide = [
                np.pad(
                    x,
                    ((0, 0), (0, max(0, n_places - x.shape[-1]))),
                    constant_values=NAN,
                )
                for x in (a, b)
            ]
            with executed_by(Execution(room=room)):
                drawn = draw_null("all", *wide)
            assert all(
                np.isnan(x[..., y.shape[-1] :]).all()
                for x, y in zip(drawn, (a, b), strict=True)
            )
            return [x[..., : y.shape[-1]] for x, y in zip(drawn, (a, b), strict=True)]

        return deal

    @pytest.mark.parametrize("sizes", [(2, 2), (1, 3), (3, 1)])
    def test_all_shares_the_pool_out(self, deal, sizes):
        a, b = (name_responses(2, k, 0) for k in sizes)
        b += sizes[0]
        drawn_a, drawn_b = deal(a, b)
        for item in range(2):
            both = np.concatenate([drawn_a[:, item], drawn_b[:, item]], axis=1)
            pool = [*a[item], *b[item]]
            assert np.all(np.sort(both, axis=1) == pool)
            ways = list(itertools.combinations(pool, sizes[0]))
            assert_uniform(np.sort(drawn_a[:, item], axis=1), ways)

    def test_missing_responses_stay_missing(self, deal):
        """Items in which A and B have 2 and 1, 1 and 3, 3 and 3 responses."""
        a = np.array([[1, NAN, 2], [NAN, 1, NAN], [1, 2, 3]])
        b = np.array([[3, NAN, NAN], [2, 3, 4], [4, 5, 6.0]])
        drawn_a, drawn_b = deal(a, b)
        for item, (n_a, n_b) in enumerate([(2, 1), (1, 3), (3, 3)]):
            assert np.all(np.isnan(drawn_a[:, item]) == (np.arange(3) >= n_a))
            assert np.all(np.isnan(drawn_b[:, item]) == (np.arange(3) >= n_b))
            both = np.concatenate([drawn_a[:, item], drawn_b[:, item]], axis=1)
            pool = np.arange(1.0, n_a + n_b + 1)
            assert np.all(np.sort(both, axis=1)[:, : n_a + n_b] == pool)
            of_a = np.sort(drawn_a[:, item, :n_a], axis=1)
            assert_uniform(of_a, list(itertools.combinations(pool, n_a)))

    def test_tables_in_advance_are_the_same_draws(self):
        rng = np.random.default_rng(0)
        a, b = rng.normal(size=(2, 4, 6, 3))
        b[1, 2, 1:] = NAN
        expected = draw_null("all", a, b, n_resamples=50)
        with executed_by(Execution(room=0)):
            found = draw_null("all", a, b, n_resamples=50)
        np.testing.assert_array_equal(found, expected)

    def test_first_takes_two_that_differ(self):
        a = np.array([[1.0, 2.0], [1.0, NAN]])
        b = np.array([[3.0, NAN], [2.0, NAN]])
        drawn = np.concatenate(draw_null("first", a, b), axis=-1)
        assert_uniform(drawn[:, 0], list(itertools.permutations([1.0, 2.0, 3.0], 2)))
        assert_uniform(drawn[:, 1], list(itertools.permutations([1.0, 2.0], 2)))

    def test_one_takes_any_two(self):
        a, b = np.array([[1.0, 2.0]]), np.array([[3.0, NAN]])
        drawn = np.concatenate(draw_null("one", a, b), axis=-1)[:, 0]
        assert_uniform(drawn, list(itertools.product([1.0, 2.0, 3.0], repeat=2)))

    def test_bootstrap_takes_as_many_as_each_had(self):
        a, b = np.array([[1.0, 2.0]]), np.array([[3.0, NAN]])
        drawn_a, drawn_b = draw_null("bootstrap", a, b)
        assert np.all(np.isnan(drawn_b[:, 0, 1]))
        drawn = np.concatenate([drawn_a[:, 0], drawn_b[:, 0, :1]], axis=-1)
        assert_uniform(drawn, list(itertools.product([1.0, 2.0, 3.0], repeat=3)))

    def test_without_replacement_shuffles(self):
        a, b = np.array([[1.0, 2.0]]), np.array([[3.0]])
        drawn = np.concatenate(draw_null("without_replacement", a, b), axis=-1)[:, 0]
        assert_uniform(drawn, list(itertools.permutations([1.0, 2.0, 3.0])))


@pytest.mark.parametrize(("size_a", "size_b"), [(1, 1), (2, 3), (3, 2), (4, 4), (1, 6)])
def test_deals_are_all_ways_to_share_out(size_a, size_b):
    """For each number of responses that A and B have, none included, and no other."""
    table, starts, ways = sampling._build_deals(HOST, size_a=size_a, size_b=size_b)
    for of_a, of_b in itertools.product(range(size_a + 1), range(size_b + 1)):
        number = ways[of_a * (size_b + 1) + of_b]
        rows = table[starts[of_a] : starts[of_a] + number]
        expected = set(itertools.combinations(range(of_a + of_b), of_a))
        assert len(rows) == len(expected)
        assert {tuple(row[:of_a]) for row in rows} == expected
        assert (rows[:, of_a:size_a] == size_a + size_b).all()
        for row in rows:
            rest = set(range(of_a + of_b)) - set(row[:of_a])
            assert rest == set(row[size_a : size_a + of_b])
