"""Tests of two systems by their responses, against slow code and published figures."""

import csv
import functools
import math
import random
from pathlib import Path

import numpy as np
import pytest
import scipy.stats

import sigarray
from sigarray import responses
from sigarray._backend.of_numpy import HOST
from sigarray._backend.workers import Execution, executed_by
from sigarray.responses import metrics
from sigarray.responses._measures import compare_leads
from tests.backends import everywhere, require, whole_suite
from tests.oracles import FALSE_ALARM

# One-sided, as in the paper.
response_test = functools.partial(responses.response_test, alternative="greater")

true_p_value = functools.partial(responses.true_p_value, alternative="greater")

REFERENCE = Path(__file__).parents[3] / "shared" / "reference" / "response_p_values.csv"


@pytest.fixture(scope="module")
def likert():
    return responses.simulate(40, 3, model="likert", perturbation_b=0.2, rng=6)


def count_pairs(leads, null_leads, alternative):
    """By definition, over all pairs."""
    difference = null_leads[:, None] - leads[None, :]
    if alternative == "two-sided":
        sides = [count_pairs(leads, null_leads, x) for x in ("greater", "less")]
        return min(1.0, 2.0 * min(sides))
    count = np.sum(difference >= 0 if alternative == "greater" else difference <= 0)
    m = len(leads)
    return (count + m) / (m * (m + 1))


class TestPValue:
    @everywhere
    @pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
    def test_it_counts_all_pairs(self, backend, alternative):
        """Small integers, with many ties."""
        rng = np.random.default_rng(0)
        leads, null_leads = rng.integers(-3, 5, (2, 6, 50)).astype(float)
        expected = [
            count_pairs(*pair, alternative)
            for pair in zip(leads, null_leads, strict=True)
        ]
        arrays = map(backend.asarray, (leads, null_leads, np.full(6, 1.0)))
        arguments = [backend.library, *arrays, alternative]
        with backend.no_transfers():
            result = compare_leads(*arguments)
        np.testing.assert_allclose(
            backend.to_numpy(result), expected, atol=10 * backend.atol
        )

    def test_ties_count_up_to_rounding(self):
        leads, null_leads = np.full(4, 0.1 + 0.2), np.full(4, 0.3)
        assert leads[0] > null_leads[0]
        assert compare_leads(HOST, leads, null_leads, np.array(1.0), "greater") == 1.0

    def test_ties_count_where_the_metrics_are_0(self):
        leads, null_leads = np.full(4, 0.1 + 0.2), np.full(4, 0.3)
        assert compare_leads(HOST, leads, null_leads, np.array(0.0), "greater") == 1.0

    def test_a_level_does_not_matter(self):
        gold, a, b = np.random.default_rng(0).integers(0, 5, (3, 8, 3)) / 4
        for metric in ("max_error", "emd", "mae", "mse"):
            options = {"metric": metric, "items": "all", "rng": 1}
            expected = response_test(gold, a, b, **options)
            for level in (100.0, 1e4):
                sets = (x + level for x in (gold, a, b))
                result = response_test(*sets, **options)
                assert float(result.pvalue) == pytest.approx(float(expected.pvalue))

    def test_it_is_never_0(self):
        p = compare_leads(HOST, np.ones(10), np.zeros(10), np.array(1.0), "greater")
        assert p == pytest.approx(1 / 11)


def resample_slowly(rng, gold, a, b, items, answers):
    """One test set under each hypothesis, item by item: section 4.1 of the paper.

    Each of gold, a and b is a list of the responses to each item.
    """

    def draw(pool, n):
        if answers == "all":
            return pool
        return rng.choices(pool, k=1 if answers == "one" else n)

    sets = []
    for is_null in (False, True):
        chosen = range(len(gold))
        if items == "bootstrap":
            chosen = rng.choices(chosen, k=len(gold))
        means = []
        for i in chosen:
            n_a, n_b = len(a[i]), len(b[i])
            if not is_null:
                of_a, of_b = draw(a[i], n_a), draw(b[i], n_b)
            elif answers == "all":
                pool = rng.sample(a[i] + b[i], n_a + n_b)
                of_a, of_b = pool[:n_a], pool[n_a:]
            else:
                of_a, of_b = (draw(a[i] + b[i], n) for n in (n_a, n_b))
            of_all = draw(gold[i], len(gold[i])), of_a, of_b
            means.append([sum(x) / len(x) for x in of_all])
        sets.append(np.array(means).T)
    return sets


def list_responses(scores):
    """List the responses to each item that are there."""
    return [x[~np.isnan(x)].tolist() for x in scores]


class TestResponseTest:
    @pytest.mark.long
    @pytest.mark.parametrize("items", ["all", "bootstrap"])
    @pytest.mark.parametrize("answers", ["all", "bootstrap", "one"])
    @pytest.mark.parametrize("metric", ["mae", "wins_mae"])
    def test_agrees_with_slow_code(self, likert, items, answers, metric):
        """Mean p-values of 30 runs each, within 6 standard errors by their spread."""
        gold, a, b = (x.copy() for x in likert)
        a[::4, 2], b[1::3, 1:], gold[2::5, 0] = np.nan, np.nan, np.nan

        def find_lead(gold, a, b):
            if metric == "mae":
                return np.mean(np.abs(gold - b)) - np.mean(np.abs(gold - a))
            lead = np.abs(gold - b) - np.abs(gold - a)
            return np.mean((lead > 1e-9) * 1.0 - (lead < -1e-9) * 1.0)

        rng, known = random.Random(0), [list_responses(x) for x in (gold, a, b)]
        slow, fast = [], []
        for seed in range(30):
            leads = [
                [find_lead(*x) for x in resample_slowly(rng, *known, items, answers)]
                for _ in range(30)
            ]
            slow.append(count_pairs(*np.round(np.array(leads).T, 12), "greater"))
            result = response_test(
                gold,
                a,
                b,
                metric=metric,
                items=items,
                responses=answers,
                n_resamples=30,
                rng=seed,
            )
            fast.append(float(result.pvalue))
        error = np.sqrt((np.var(slow) + np.var(fast)) / 29)
        assert np.mean(fast) == pytest.approx(np.mean(slow), abs=6 * error + 1e-3)

    def test_one_response_is_a_permutation_test(self):
        """With all items and responses, null sets alone vary: A and B change places."""
        rng = np.random.default_rng(2)
        gold, a = np.zeros(9), rng.uniform(size=9)
        b = a + rng.normal(0.1, 0.2, 9)
        test = functools.partial(sigarray.permutation_test, paired=True)
        exact = float(test(np.abs(b), np.abs(a), alternative="greater").pvalue)
        result = response_test(
            gold, a, b, metric="mae", items="all", n_resamples=20_000, rng=0
        )
        z = scipy.stats.norm.isf(FALSE_ALARM / 2)
        error = np.sqrt(exact * (1.0 - exact) / 20_000)
        assert float(result.pvalue) == pytest.approx(exact, abs=z * error)

    @pytest.mark.parametrize("name", ["mae", "wins_mae", "spearman", "emd_all", "f1"])
    def test_a_is_better_whatever_the_direction(self, name):
        gold, a, b = responses.simulate(200, 4, perturbation_b=0.5, rng=1)
        options = {"metric": name, "n_resamples": 100, "rng": 0}
        better = response_test(gold, a, b, **options)
        assert better.statistic > 0.0
        assert better.pvalue < 0.05
        worse = response_test(gold, b, a, **options)
        assert float(worse.statistic) == pytest.approx(-float(better.statistic))
        assert worse.pvalue > 0.95
        less = response_test(gold, b, a, alternative="less", **options)
        assert less.pvalue < 0.05
        both = response_test(gold, b, a, alternative="two-sided", **options)
        assert float(both.pvalue) == pytest.approx(2 * float(less.pvalue))

    def test_metrics_are_those_of_the_whole_set(self, likert):
        gold, a, b = likert
        result = response_test(gold, a, b, metric="mae", rng=0)
        assert result.metric_a == metrics.mae(gold, a)
        assert result.metric_b == metrics.mae(gold, b)
        assert result.statistic == result.metric_b - result.metric_a
        shares = response_test(gold, a, b, rng=0)
        assert shares[2:] == metrics.wins("mae")(gold, a, b)

    @pytest.mark.parametrize("answers", ["all", "bootstrap", "one", "first"])
    @pytest.mark.parametrize("name", sorted(metrics.METRICS))
    def test_the_same_responses_are_never_significant(self, likert, answers, name):
        gold, a, _ = likert
        metric = metrics.METRICS[name]
        if name == "roc_auc":  # not defined for resamples without positive items
            metric = metrics.binary("roc_auc", gold_threshold=0.2)
        options = {"metric": metric, "responses": answers, "n_resamples": 100, "rng": 0}
        assert response_test(gold, a, a, **options).pvalue > 0.3
        assert response_test(gold, gold, gold, **options).pvalue > 0.3

    def test_callables_and_metrics_of_ones_own(self, likert):
        gold, a, b = likert

        def nearness(gold, system):
            return -np.mean(np.abs(np.mean(gold, -1) - np.mean(system, -1)), axis=-1)

        options = {"n_resamples": 50, "rng": 0}
        by_name = response_test(gold, a, b, metric="mae", **options)
        by_callable = response_test(gold, a, b, metric=nearness, **options)
        assert float(by_callable.pvalue) == float(by_name.pvalue)
        assert float(by_callable.metric_a) == pytest.approx(-float(by_name.metric_a))

    def test_batch_entries_by_chunks(self, likert):
        rng = np.random.default_rng(0)
        sets = [x + 0.1 * rng.normal(size=(5, *x.shape)) for x in likert]
        whole = response_test(*sets, n_resamples=30, rng=0)
        with executed_by(Execution(room=1)):
            parts = response_test(*sets, n_resamples=30, rng=0)
        np.testing.assert_allclose(np.stack(whole), np.stack(parts), rtol=1e-12)
        assert len(np.unique(whole.pvalue)) > 1

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"metric": "mea"}, "'wins_mae'"),
            ({"items": "one"}, "'all', 'bootstrap'"),
            ({"responses": "two"}, "'first'"),
            ({"alternative": "better"}, "'greater'"),
            ({"n_resamples": 0}, "n_resamples"),
            ({"batch": 0}, "batch"),
        ],
    )
    def test_errors(self, options, message):
        with pytest.raises(ValueError, match=message):
            response_test([1.0], [2.0], [3.0], rng=0, **options)

    def test_jax_programs_do_not_grow_with_the_resamples(self):
        jax = require("jax")

        def size(n_resamples):
            def test(gold, a, b):
                return response_test(
                    gold, a, b, n_resamples=n_resamples, batch=10, rng=0
                )

            x = jax.numpy.ones((6, 3))
            return str(jax.make_jaxpr(test)(x, x, x)).count(" = ")

        assert size(100) == size(10_000)


# What the tables of the paper call them. Its cosine is that of all responses.
PUBLISHED = {
    "mae": metrics.mae,
    "mse": metrics.mse,
    "wins_mae": metrics.METRICS["wins_mae"],
    "wins_mae_vectorized": metrics.METRICS["wins_mae_all"],
    "spearman": metrics.spearman,
    "cosine": metrics.cosine.aggregated_by(None),
}


def standard_error(p, n_sets):
    """Of P(d0 >= d1) over all pairs of n_sets normal differences of either kind.

    By Hoeffding's decomposition it is ((v0 + v1) / n_sets)^1/2, where v1 is the
    variance over d1 of P(d0 >= d1), and v0 that over d0: both are P(d0 >= d1 and
    d0' >= d1) - p^2, for differences of a correlation of 1/2.
    """
    z = scipy.stats.norm.ppf(p)
    both = scipy.stats.multivariate_normal.cdf([z, z], cov=[[1.0, 0.5], [0.5, 1.0]])
    return math.sqrt(2.0 * max(both - p * p, 0.0) / n_sets)


@pytest.mark.long
@whole_suite
@pytest.mark.skipif(not REFERENCE.exists(), reason="the published figures are not here")
@pytest.mark.parametrize("perturbation", [0.0, 0.05, 0.1])
def test_published_true_p_values(perturbation):
    """Tables 5 to 7: each p-value is of 1000 sets, and ours of 400.

    Beyond the standard error of both, 5 pairs in 10^6 are allowed for p-values near 0.
    """
    from sigarray.responses._leads import simulate_p_values

    from sigarray._backend.seeds import seed_words
    from sigarray.responses._models import NormalModel

    with REFERENCE.open() as file:
        rows = [
            row
            for row in csv.DictReader(file)
            if float(row["perturbation"]) == perturbation and row["metric"] in PUBLISHED
        ]
    assert len(rows) >= 20
    names = list(PUBLISHED)
    _, p_values, _, _ = simulate_p_values(
        HOST,
        seed_words(HOST, 1),
        NormalModel(),
        (0.0, perturbation),
        metrics=tuple(PUBLISHED.values()) * 2,
        takes_one=(False,) * len(names) + (True,) * len(names),
        alternative="greater",
        n_sets=400,
        response=None,
        n_items=1000,
        n_responses=5,
        dtype=np.float64,
    )
    z = scipy.stats.norm.isf(FALSE_ALARM / len(rows))
    for row in rows:
        is_one = row["responses"] in ("sample(1)", "first_element")
        p = p_values[names.index(row["metric"]) + is_one * len(names)]
        error = math.hypot(standard_error(p, 1000), standard_error(p, 400))
        assert float(row["true_p"]) == pytest.approx(p, abs=z * error + 5e-6), row


def test_null_sets_are_compared_with_their_own_gold():
    """The items of a set are the same for gold: errors are small in both hypotheses."""
    rng = np.random.default_rng(0)
    gold = rng.normal(0.0, 100.0, (50, 1))
    a, b = (gold + rng.normal(0.0, 1.0, (50, 3)) for _ in range(2))

    seen = []

    def nearness(gold, system):
        errors = np.max(np.abs(gold - system), axis=(-2, -1))
        seen.append(np.max(errors))
        return -errors

    response_test(gold, a, b, metric=nearness, n_resamples=20, rng=0)
    assert len(seen) >= 6
    assert max(seen) < 10.0


class TestTrueP:
    def test_one_and_first_are_the_same(self):
        options = {"n_items": 50, "n_sets": 100, "rng": 3}
        one = true_p_value(responses="one", **options)
        assert one == true_p_value(responses="first", **options)
        assert one.pvalue > true_p_value(**options).pvalue

    def test_it_is_that_of_simulated_sets(self):
        options = {"n_items": 30, "n_responses": 2, "n_sets": 40, "rng": 4}
        result = true_p_value(metric="mae", **options)
        gold, a, b = responses.simulate(n_items=30, n_responses=2, n_sets=40, rng=4)
        lead = metrics.mae(gold, b) - metrics.mae(gold, a)
        assert float(result.statistic) == pytest.approx(lead.mean())
        assert float(result.metric_a) == pytest.approx(metrics.mae(gold, a).mean())

    @everywhere
    def test_backends_agree(self, backend):
        options = {"n_items": 20, "n_responses": 2, "n_sets": 30, "rng": 4}
        expected = true_p_value(**options)
        kind = getattr(backend.xp, backend.float_name)
        with backend.no_transfers():
            result = true_p_value(
                xp=backend.xp, device=backend.device, dtype=kind, **options
            )
        for x, y in zip(result, expected, strict=True):
            assert x.shape == ()
            np.testing.assert_allclose(backend.to_numpy(x), y, atol=2e-3)

    def test_errors(self):
        with pytest.raises(ValueError, match="'all', 'one', 'first'"):
            true_p_value(responses="bootstrap", rng=0)
