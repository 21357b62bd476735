"""`sigarray power`: how often `compare` calls the better model better."""

import csv
import importlib.resources
import io
import itertools
import json
import math

import numpy as np
import pytest
import scipy.stats

from sigarray import read
from sigarray._order.families import can_decide, family_of
from sigarray._power_analysis import DEFAULT_SIZES
from sigarray._verdicts.by_orders import OrderTest
from sigarray._verdicts.by_pairs import PairwiseTest
from sigarray._verdicts.orders import run_orders
from sigarray._verdicts.samples import Trials
from sigarray.report._rendering import STYLES

SCORES = np.random.default_rng(1).normal([0.0, 0.6, 1.5], 1.0, (14, 3)).round(3)
TESTS = ["aso", "bootstrap", "permutation", "mann-whitney", "brunner-munzel", "t"]


@pytest.fixture
def table(write):
    rows = "".join(f"{a},{b},{c}\n" for a, b, c in SCORES)
    return write(f"a,b,c\n{rows}")


@pytest.fixture
def power(run):
    def power(*arguments):
        code, out, err = run("power", *arguments, "--format", "json")
        assert code == 0, err
        return json.loads(out)

    return power


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
    def test_of_t_it_is_that_of_welch_after_holm(self, table, power):
        arguments = ["--test", "t", "--n-samples", "100", "--power", ".5"]
        document = power(table, *arguments)
        first, last = document["pairs"][0], document["pairs"][1]
        assert (first["better"], first["worse"]) == ("b", "a")
        assert (last["better"], last["worse"]) == ("c", "a")
        for pair, place in ((first, 0), (last, 1)):
            size = pair["required_sample_size"]
            drawn = np.asarray([draw(size, seed) for seed in range(500)])
            won = welch(drawn)[:, place]
            assert_rate(pair["power"], 100, won.mean(), 500)

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
        assert_rate(pair["power"], 150, won / 150, 150)
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
            scores, 25, list(itertools.permutations(scores, 2))
        )
        quick = trials.share_better(scores, 25, [])
        drawn = trials.draw(scores, 25, is_paired=False)
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
        assert_rate(document["models"]["a"], 100, won.mean(), 800)

    def test_more_comparisons_need_more_runs(self, table, power):
        def size(*options):
            document = power(table, "--test", "t", "--n-samples", "100", *options)
            pairs = {(x["better"], x["worse"]): x for x in document["pairs"]}
            return pairs["c", "a"]["required_sample_size"]

        assert size("--no-correction") < size() < size("--alpha", "0.0005")
        assert size("--columns", "a,c") <= size()


class TestFewRuns:
    """No number of runs is an answer with which nothing can be shown."""

    @pytest.mark.parametrize("n_models", [2, 3, 6])
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
            if test == "aso":
                return sum(x["a_is_better"] == "True" for x in records)
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


class TestWhatIsSaid:
    def test_the_default_is_that_of_compare(self, table, write, power):
        document = power(table, "--n-samples", "5")
        assert (document["test"], document["correction"]) == ("aso", "closed")
        assert "almost stochastic order: eps_min < 0.2 and" in document["method"]
        assert (document["n_samples"], document["seed"]) == (5, 0)
        rows = "".join(f"m{m},{k},{k % 7 + 2 * m}\n" for m in (1, 2) for k in range(20))
        path = write(f"model,item,score\n{rows}", "items.csv")
        arguments = ["--metric", "score", "--n-samples", "5"]
        document = power(path, *arguments)
        assert document["test"] == "permutation"
        assert "by item" in document["method"]

    def test_items_are_drawn_with_all_models(self, write, power):
        """Each item is right once more for b: their difference hardly varies."""
        easy = np.random.default_rng(3).integers(0, 50, 30)
        rows = "".join(
            f"{name},{k},{x + (name == 'b') + 0.1 * (k % 3)}\n"
            for name in "ab"
            for k, x in enumerate(easy)
        )
        path = write(f"model,item,score\n{rows}")
        (pair,) = power(path, "--n-samples", "20")["pairs"]
        assert pair["better"] == "b"
        assert pair["required_sample_size"] <= 8
        (pair,) = power(path, "--test", "brunner-munzel", "--n-samples", "20")["pairs"]
        assert pair["required_sample_size"] is None

    def test_losses(self, table, power):
        arguments = [table, "--test", "t", "--n-samples", "50"]
        losses = power(*arguments, "--lower-is-better")
        assert losses["pairs"][0]["better"] == "a"
        sizes = [x["required_sample_size"] for x in losses["pairs"]]
        gains = power(*arguments)
        assert sizes == [x["required_sample_size"] for x in gains["pairs"]]
        assert losses["models"]["c"] > 0.0

    @pytest.mark.parametrize("style", STYLES)
    def test_all_formats(self, table, run, style):
        arguments = ["power", table, "--n-samples", "20", "--format", style]
        code, out, err = run(*arguments)
        assert (code, err) == (0, "")
        assert "c" in out
        if style == "csv":
            assert len(list(csv.DictReader(io.StringIO(out)))) == 6
        if style == "text":
            assert "14 runs of a are too few to see a lift by a factor of 1.25" in out
            assert "Of 14 runs a variance is an estimate: the numbers may have" in out

    def test_one_model_is_enough(self, write, run):
        path = write("a\n1\n2\n4\n")
        code, out, _ = run("power", path)
        assert code == 0
        assert "3 runs of a are too few" in out
        assert "another" not in out
        assert "for one comparison" in " ".join(out.split())

    def test_no_difference(self, write, run):
        code, out, _ = run("power", write("a,b\n1,1\n2,2\n4,4\n"))
        assert code == 0
        assert "runs of each" not in out

    def test_more_runs_than_were_tried(self, write, run):
        path = write("a,b\n1,1\n2,2\n4,4.001\n")
        _, out, _ = run("power", path, "--test", "t", "--n-samples", "20")
        assert "More than 100 runs each would be needed to see that b is" in " ".join(
            out.split()
        )
        assert "> 100" in out

    def test_more_runs_are_tried_than_there_are(self, write, power):
        rng = np.random.default_rng(0)
        rows = "".join(f"{x},{x + 0.25}\n" for x in rng.normal(size=130).round(3))
        arguments = [write(f"a,b\n{rows}"), "--unit", "run"]
        arguments += ["--test", "t", "--n-samples", "100"]
        document = power(*arguments)
        assert document["largest_size_tried"] == 800
        assert document["pairs"][0]["required_sample_size"] in (200, 400)

    def test_many_models_are_counted(self, write, run):
        columns = np.random.default_rng(0).normal(size=(3, 13)).round(3)
        names = [f"m{k}" for k in range(13)]
        rows = [",".join(map(str, row)) for row in [names, *columns]]
        path = write("\n".join(rows))
        arguments = ["power", path, "--test", "t", "--n-samples", "2", "--lift", "1.1"]
        code, out, _ = run(*arguments)
        assert code == 0
        assert "of 13 models have runs enough to see a lift" in out
        assert "of 78 pairs would show" in out
        assert len(out.splitlines()) < 30
        document = json.loads(run(*arguments, "--format", "json")[1])
        assert len(document["pairs"]) == 78

    def test_no_order_of_columns_matters(self, table, power):
        found = [
            power(table, "--columns", names, "--n-samples", "30", "--test", "t")
            for names in ("a,b,c", "c,a,b")
        ]
        pairs = [
            {(x["better"], x["worse"], x["power"]) for x in document["pairs"]}
            for document in found
        ]
        assert pairs[0] == pairs[1]
        assert found[0]["models"] == found[1]["models"]

    def test_a_lift_above_one_is_doubted(self, write, run):
        path = write("a,b\n0.9,0.95\n0.91,0.96\n")
        arguments = ["power", path, "--n-samples", "5"]
        assert "A lift by a factor of 1.25 takes scores above 1" in run(*arguments)[2]
        assert run(*arguments, "--lift", "1.01")[2] == ""
        arguments[1] = write("a,b\n99.29,99.31\n99.30,99.32\n99.28,99.31\n99.27,99.3\n")
        assert "takes scores above 100, and none is" in run(*arguments)[2]

    def test_what_is_refused(self, table, write, run):
        for options, message in (
            (["--test", "t", "--threshold", "0.1"], "--threshold with --test aso"),
            (["--baseline", "z"], "Expected a model of"),
        ):
            code, out, err = run("power", table, *options)
            assert (code, out) == (2, "")
            assert message in err
        code, _, err = run("power", write("a,b\n1,2\n2,\n"))
        assert code == 2
        assert "expected two scores or more of b; got 1. Run it with more" in err


class TestItemsOfZeroAndOne:
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
        assert_rate(document["models"]["a"], 100, won / n, n)

    def test_a_mean_above_one_is_doubted(self, write, run):
        path = write("a,b\n" + "".join(f"{int(k < 12)},{k % 2}\n" for k in range(20)))
        arguments = ["power", path, "--n-samples", "2", "--power", "0.01"]
        assert "takes scores above 1" not in run(*arguments)[2]
        assert "takes scores above 1" in run(*arguments, "--lift", "1.8")[2]

    def test_what_is_exact_takes_less_time(self):
        scores = {"a": np.arange(40) % 2.0, "b": np.arange(40) // 20.0}

        def guess(method):
            test = PairwiseTest("permutation", True, 9999, 0, method, unit="item")
            trials = Trials(
                test=test,
                is_corrected=True,
                higher_is_better=True,
                is_paired=True,
                unit="item",
                number=200,
                seed=0,
            )
            return trials.guess_seconds(scores, 40)

        assert 5.0 * guess("auto") < guess("resampling")
