"""`sigarray power`: how often `compare` calls the better model better."""

import csv
import importlib.resources
import io
import itertools
import math

import numpy as np
import pytest
import scipy.stats

from sigarray import read
from sigarray._order.families import can_decide, family_of
from sigarray._power_analysis import DEFAULT_SIZES
from sigarray._verdicts.by_orders import OrderTest
from sigarray._verdicts.orders import run_orders
from sigarray._verdicts.samples import Trials
from tests.cli.conftest import SCORES

TESTS = ["aso", "bootstrap", "permutation", "mann-whitney", "brunner-munzel", "t"]


def draw(size, seed):
    """Draw runs of each model, which vary as much as runs do."""
    rng = np.random.default_rng(seed)
    n = len(SCORES)
    wide = SCORES.mean(0) + math.sqrt(n / (n - 1)) * (SCORES - SCORES.mean(0))
    return [x[rng.integers(0, n, size)] for x in wide.T]


def welch(samples):
    """Tell of tables (R, 3, n) in which pairs the latter model is better, by Holm."""
    pairs = list(itertools.combinations(range(3), 2))
    tests = [
        scipy.stats.ttest_ind(samples[:, j], samples[:, i], axis=-1, equal_var=False)
        for i, j in pairs
    ]
    p_values = np.stack([t.pvalue for t in tests], axis=-1)
    ranked = np.sort(p_values, axis=-1) * np.arange(3, 0, -1)  # Holm's
    ranked = np.maximum.accumulate(ranked, axis=-1) <= 0.05
    told = np.take_along_axis(ranked, p_values.argsort(-1).argsort(-1), axis=-1)
    return told & (np.stack([t.statistic for t in tests], axis=-1) > 0.0)


def assert_rate(share, count, other, other_count):
    """Two rates differ by chance alone: false alarm in 1 of 10^5."""
    mean = (share * count + other * other_count) / (count + other_count)
    error = math.sqrt(mean * (1.0 - mean) * (1.0 / count + 1.0 / other_count))
    assert abs(share - other) < 4.5 * error + 1e-9


class TestRates:
    @pytest.mark.long
    def test_of_t_it_is_that_of_welch_after_holm(self, table, power):
        arguments = ["--test", "t", "--n-samples", "100", "--power", ".5"]
        document = power(table, *arguments)
        pairs = {(x["better"], x["worse"]): x for x in document["pairs"]}
        for pair, place in ((pairs["b", "a"], 0), (pairs["c", "a"], 1)):
            size = pair["required_sample_size"]
            drawn = np.asarray([draw(size, seed) for seed in range(500)])
            won = welch(drawn)[:, place]
            assert_rate(pair["power_at_required_sample_size"], 100, won.mean(), 500)
            drawn = np.asarray([draw(14, seed) for seed in range(500)])
            assert pair["n"] == 14
            assert_rate(pair["power_at_n"], 100, welch(drawn)[:, place].mean(), 500)

    @pytest.mark.long
    @pytest.mark.filterwarnings("ignore:eps_min of")
    @pytest.mark.parametrize("baseline", [None, "a"])
    def test_of_aso_it_is_that_of_compare(self, table, power, baseline):
        options = [] if baseline is None else ["--baseline", baseline]
        document = power(table, "--power", "0.7", "--n-samples", "150", *options)
        by_name = {(x["better"], x["worse"]): x for x in document["pairs"]}
        pair = by_name["c", "a"]
        orders, won = OrderTest(n_resamples=300, baseline=baseline), 0
        for seed in range(150):
            scores = dict(
                zip("abc", draw(pair["required_sample_size"], seed), strict=True)
            )
            found = run_orders(
                {"": scores}, orders, is_corrected=True, higher_is_better=True
            )
            won += found[""].eps_min[2, 0] < 0.2
        assert_rate(pair["power_at_required_sample_size"], 150, won / 150, 150)
        n_pairs, every = (3, "all 3") if baseline is None else (2, "both")
        assert len(by_name) == n_pairs
        assert f"for {every} comparisons together" in document["method"]

    @pytest.mark.filterwarnings("ignore:eps_min of")
    @pytest.mark.parametrize("baseline", [None, "forest"])
    def test_each_verdict_of_aso_is_that_of_compare(self, baseline):
        """Also of bounds near the threshold, which are drawn on."""
        file = importlib.resources.files("sigarray") / "data" / "digits.csv"
        scores = read.scores(str(file)).scores
        test = OrderTest(baseline=baseline)
        trials = Trials(
            test=test,
            is_corrected=True,
            higher_is_better=True,
            is_paired=False,
            unit="run",
            number=30,
            seed=0,
        )
        shares = trials.share_better(
            scores, 24, list(itertools.permutations(scores, 2))
        )
        quick = trials.share_better(scores, 24, [])
        drawn = trials.draw(scores, 24, is_paired=False)
        wins = np.zeros((4, 4))
        for k in range(30):
            table = {name: x[k] for name, x in drawn.items()}
            found = run_orders(
                {"": table}, test, is_corrected=True, higher_is_better=True
            )
            wins += found[""].eps_min < test.threshold
        for i, j in itertools.permutations(range(4), 2):
            pair = list(scores)[i], list(scores)[j]
            assert shares[pair] == wins[i, j] / 30
        assert 0.2 < shares["wide_network", "forest"] < 0.95
        assert max(abs(shares[pair] - quick[pair]) for pair in shares) < 0.1

    def test_lifted_scores_are_those_of_one_of_all_models(self, table, power):
        """Of Welch's test: one of three models with the scores of a has them lifted."""
        arguments = [
            "--test",
            "t",
            "--lift",
            "3",
            "--n-samples",
            "100",
            "--power",
            "0.1",
        ]
        document = power(table, *arguments)
        x = SCORES[:, 0]
        x = x.mean() + math.sqrt(14 / 13) * (x - x.mean())
        drawn = np.random.default_rng(7).choice(x, (800, 3, 14))
        drawn[:, -1] += 2.0 * abs(drawn[:, -1])
        won = welch(drawn)[:, 1:]
        assert 0.2 < won.mean() < 0.9
        assert_rate(document["power_to_see_lift"]["a"], 100, won.mean(), 800)

    @pytest.mark.long
    def test_more_comparisons_need_more_runs(self, table, power):
        def size(*options):
            document = power(table, "--test", "t", "--n-samples", "100", *options)
            pairs = {(x["better"], x["worse"]): x for x in document["pairs"]}
            return pairs["c", "a"]["required_sample_size"]

        assert size("--no-correction") < size() < size("--alpha", "0.0005")
        assert size("--columns", "a,c") <= size()


class TestFewRuns:
    """No number of runs is an answer with which nothing can be shown."""

    @pytest.mark.parametrize(
        "n_models", [2, 3, pytest.param(6, marks=pytest.mark.long)]
    )
    @pytest.mark.parametrize("test", TESTS)
    def test_the_answer_is_one_that_compare_can_give(
        self, write, run, power, test, n_models
    ):
        """Models are as far apart as can be: with so many runs compare says so."""
        rng = np.random.default_rng(0)
        scores = rng.normal(size=(100, n_models)) * 1e-3 + np.arange(n_models)
        names = [f"m{k}" for k in range(n_models)]

        def save(n, name):
            rows = [",".join(f"{x:.7f}" for x in row) for row in scores[:n]]
            return write("\n".join([",".join(names), *rows]) + "\n", name)

        options = ["--test", test, "--n-samples", "10", "--quiet"]
        if test in ("bootstrap", "permutation"):
            options += ["--n-resamples", "1999", "--method", "resampling"]
        document = power(save(12, "pilot.csv"), *options, "--lift", "1.01")
        pairs = [(x["better"], x["worse"]) for x in document["pairs"]]
        assert len(pairs) == n_models * (n_models - 1) // 2
        sizes = {x["required_sample_size"] for x in document["pairs"]}
        options = [x for x in options if x not in ("--n-samples", "10")]

        def count(n):
            arguments = ["compare", save(n, f"{n}.csv"), *options, "--format", "csv"]
            code, out, _ = run(*arguments)
            assert code == 0
            records = list(csv.DictReader(io.StringIO(out)))
            return sum(x["better"] != "" for x in records)

        assert count(max(sizes)) == len(pairs)
        before = [n for n in DEFAULT_SIZES if n < min(sizes)]
        if before and test not in ("t", "bootstrap"):
            # All models as far apart as can be, and yet none is told apart: the others
            # have a least p-value that sizes give, and no luck.
            assert count(before[-1]) < len(pairs)

    @pytest.mark.parametrize("n_models", [2, 3, 5, 8])
    def test_of_aso_it_is_what_sizes_allow(self, write, power, n_models):
        scores = np.arange(5.0)[:, None] * 1e-3 + np.arange(n_models)
        rows = [",".join(map(str, row)) for row in scores]
        path = write("\n".join([",".join("abcdefgh"[:n_models]), *rows]) + "\n")
        family = family_of(n_models, 0.05)
        least = next(n for n in DEFAULT_SIZES if can_decide([n] * n_models, family))
        assert least > 3
        document = power(path, "--n-samples", "5")
        sizes = {x["required_sample_size"] for x in document["pairs"]}
        assert min(sizes) >= least
        # Those at the ends are ahead of all, or behind all.
        assert sizes == {least}

    def test_a_level_that_few_runs_cannot_reach(self, write, power):
        path = write("a,b\n1,2\n1.1,2.1\n1.2,2.2\n")
        document = power(path, "--confidence-level", "0.999", "--n-samples", "5")
        (pair,) = document["pairs"]
        # 2 / C(2 n, n) <= 0.001 from n = 7 on.
        assert pair["required_sample_size"] == 7
        assert "at confidence 0.999 for one comparison" in document["method"]


class TestItemsOfZeroAndOne:
    @pytest.mark.long
    @pytest.mark.parametrize("direction", [[], ["--lower-is-better"]])
    def test_the_share_of_ones_is_lifted(self, write, power, direction):
        """By McNemar's test of models that know nothing of each other."""
        x = (np.arange(100) < 40).astype(int)
        path = write("a,b\n" + "".join(f"{k},{1 - k}\n" for k in x))
        arguments = [path, "--lift", "1.5", "--n-samples", "100", *direction]
        document = power(*arguments, "--power", "0.01")
        assert document["test"] == "permutation"
        rng = np.random.default_rng(2)
        share = 0.4 / 1.5 if direction else 0.6
        n, won = 400, 0
        for _ in range(n):
            same, lifted = rng.random((2, 100))
            gain = (lifted < share).astype(int) - (same < 0.4).astype(int)
            gain = -gain if direction else gain
            up, down = int((gain > 0).sum()), int((gain < 0).sum())
            p = scipy.stats.binomtest(up, up + down).pvalue
            won += up > down and p <= 0.05
        assert 0.3 < won / n < 0.95
        assert_rate(document["power_to_see_lift"]["a"], 100, won / n, n)

    def test_a_mean_above_one_is_doubted(self, write, run):
        path = write("a,b\n" + "".join(f"{int(k < 12)},{k % 2}\n" for k in range(20)))
        arguments = ["power", path, "--n-samples", "2", "--power", "0.01"]
        assert "takes scores above 1" not in run(*arguments)[2]
        assert "takes scores above 1" in run(*arguments, "--lift", "1.8")[2]
