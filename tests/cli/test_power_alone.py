"""What `sigarray power` says of models alone, and of a difference that is asked for."""

import csv
import io
import math
import re
from pathlib import Path

import numpy as np
import pytest
import scipy.stats

from sigarray._cli.power_alone import Finder, Gain, find_spreads
from sigarray._verdicts import samples
from sigarray._verdicts.by_orders import OrderTest
from sigarray._verdicts.samples import Trials, draw_samples
from sigarray._verdicts.test import PairwiseTest
from tests.cli.conftest import SCORES
from tests.cli.test_power import assert_rate

ROOT = Path(__file__).parents[2]
# Four runs of N(88.2, 0.3), which vary by little more than half of that.
LUCKY = "base\n88.122\n87.913\n88.275\n88.279\n"


def find_power(size, difference, sd=1.0, n=4000):
    """Return the power of Welch's test for normal scores."""
    rng = np.random.default_rng(size)
    a, b = rng.normal(0.0, sd, (2, n, size))
    found = scipy.stats.ttest_ind(a + difference, b, axis=-1, equal_var=False)
    return np.mean((found.pvalue <= 0.05) & (found.statistic > 0.0))


def make_trials(test=None, number=200, *, is_higher=True, unit="run"):
    if test is None:
        test = PairwiseTest(
            "t", is_paired=False, n_resamples=None, seed=None, unit=unit
        )
    return Trials(test, True, is_higher, False, unit, number, 0)


def make_finder(x, gain, trials, sd=None):
    scores = {"a": np.asarray(x), "another a": np.asarray(x)}
    return Finder(scores, ["a"], trials, 0.8, gain, sd, has_sizes=False)


class TestUncertainty:
    def test_few_runs_are_not_said_to_be_enough(self, write, run, power):
        """Power was said to be 1.000, and is 0.48."""
        path = write(LUCKY)
        options = (path, "--lift", "1.007", "--n-samples", "50")
        _, out, _ = run("power", *options)
        text = " ".join(out.split())
        assert "4 runs of base may be enough, or too few, to see a lift by a" in text
        assert "by what 4 runs tell of the spread" in text.split(".  ")[0]
        (x,) = power(*options)["alone"]
        assert x["power_at_n_low"] < 0.48 < x["power_at_n_high"]
        assert x["required_sample_size_low"] <= x["required_sample_size"]
        assert x["required_sample_size"] < x["required_sample_size_high"]

    @pytest.mark.parametrize(
        ("difference", "said"),
        [("9", "are enough"), ("0.01", "are too few"), ("0.6", "may be enough, or")],
    )
    def test_verdicts_are_those_of_all_spreads(self, write, run, difference, said):
        options = ("--difference", difference, "--n-samples", "40")
        _, out, _ = run("power", write(LUCKY), *options)
        assert f"4 runs of base {said}" in out

    @pytest.mark.parametrize("n", [4, 10])
    def test_limits_have_the_power_in_nine_of_ten_pilots(self, n):
        difference = {4: 2.5, 10: 1.34}[n]
        power, pilots = find_power(n, difference), 80
        rng, covered = np.random.default_rng(n), 0
        trials = make_trials(number=40)
        for _ in range(pilots):
            finder = make_finder(rng.normal(50.0, size=n), Gain(difference), trials)
            _, high, low = finder.find()[0].powers
            covered += low - 0.06 <= power <= high + 0.06
        assert scipy.stats.binomtest(covered, pilots, 0.9).pvalue > 1e-4

    def test_margins_of_zero_and_one_have_limits(self, write, power):
        path = write("a\n" + "".join(f"{int(k > 5)}\n" for k in range(40)))
        options = ("--unit", "item", "--margin", "0.1", "--n-samples", "40")
        (x,) = power(path, *options)["alone"]
        assert x["power_at_n_low"] < x["power_at_n"] < x["power_at_n_high"]

    def test_many_scores_need_as_the_variance_says(self, write, power):
        x = np.random.default_rng(0).normal(size=200).round(3)
        path = write("a\n" + "".join(f"{y}\n" for y in x))
        options = ("--unit", "run", "--test", "t", "--n-samples", "40")
        (x,) = power(path, *options, "--difference", "0.4")["alone"]
        low, high = (y * y * x["required_sample_size"] for y in find_spreads(199))
        assert x["required_sample_size_low"] == math.ceil(low)
        assert x["required_sample_size_high"] == math.ceil(high)

    def test_spreads_are_quantiles_of_chi_square(self):
        low, high = find_spreads(3)
        assert low == pytest.approx(math.sqrt(3.0 / scipy.stats.chi2.ppf(0.95, 3)))
        assert high == pytest.approx(math.sqrt(3.0 / scipy.stats.chi2.ppf(0.05, 3)))


class TestDifferences:
    def test_a_known_deviation_needs_what_simulations_say(self, power, run):
        arguments = ["--sd", "0.3", "--difference", "0.5", "--test", "t"]
        arguments += ["--n-samples", "500"]
        (x,) = power(*arguments)["alone"]
        size = x["required_sample_size"]
        assert find_power(size, 0.5, 0.3) > 0.77
        assert find_power(size - 1, 0.5, 0.3) < 0.83
        assert (x["sd"], x["difference"]) == (0.3, 0.5)
        assert "power_at_n" not in x
        _, out, _ = run("power", *arguments)
        said = f"About {size} runs of each model show a difference of 0.5 with power"
        assert said in " ".join(out.split())
        page = (ROOT / "docs" / "how_many_seeds.md").read_text(encoding="utf-8")
        assert f"about {size} runs of each model show a difference of 0.5" in page

    @pytest.mark.parametrize("seed", ["0", "1", "2"])
    def test_a_high_power_needs_more_samples(self, power, seed):
        options = ("--difference", "1", "--test", "t", "--power", "0.99")
        (x,) = power("--sd", "1", *options, "--seed", seed)["alone"]
        # It is 38. Of 200 samples 2 fail where the power is 0.99: 32, 36 and 34.
        assert 36 <= x["required_sample_size"] <= 40

    @pytest.mark.parametrize("options", [(), ("--test", "t")])
    def test_a_known_deviation_has_least_differences(self, power, options):
        number = "200" if options else "20"
        found = power("--sd", "2", *options, "--n-samples", number)["alone"]
        assert [x["n"] for x in found] == [4, 5, 10, 20, 50]
        least = [x["least_difference"] for x in found]
        assert sorted(least, reverse=True) == least
        if options:
            for x in found[:3]:
                share = find_power(x["n"], x["least_difference"], 2.0)
                assert share == pytest.approx(0.8, abs=0.08)

    @pytest.mark.parametrize(
        ("test", "said"),
        [("t", "9 of 9 sets of scores, each on a task, if it is"), ("aso", "0 of 9")],
    )
    def test_of_many_tasks_it_is_said_in_how_many_one_shows(
        self, write, run, test, said
    ):
        rows = [f"a,t{t},{k},{(k * 7 + t) % 5 + t}" for t in range(9) for k in range(3)]
        path = write("\n".join(["model,task,seed,score", *rows, ""]))
        _, out, _ = run("power", path, "--test", test, "--n-samples", "10")
        assert f"a difference shows in {said}" in " ".join(out.split())

    @pytest.mark.parametrize("is_higher", [True, False])
    def test_items_of_zero_and_one_stay_below_the_end(self, is_higher):
        x = np.repeat([0.0, 1.0], [30, 70] if is_higher else [70, 30])
        trials = make_trials(is_higher=is_higher, unit="item")
        (found,) = make_finder(x, None, trials).find()
        ((least, *_),) = found.differences.values()
        gained = np.sqrt(0.21) * 2.8 * np.sqrt(2 / 100)
        assert least == pytest.approx(gained, rel=0.15)
        best = make_finder(
            np.repeat([0.0, 1.0], [1, 99]), None, make_trials(unit="item")
        )
        assert math.isinf(best.find()[0].differences[100][0])

    @pytest.mark.parametrize("header", ["a", "a,b"])
    def test_scores_that_do_not_vary_are_no_pilot(self, write, run, header):
        """With 25 runs, a difference of 5.57e-17 would have been seen."""
        rows = [".9" if header == "a" else ".9,.91"] * 5
        path = write("\n".join([header, *rows, ""]))
        for more in ((), ("--difference", "0.01"), ("--margin", "0.1")):
            code, _, err = run("power", path, *more)
            assert code == 2
            assert "Expected scores that vary, as a pilot" in err

    def test_a_standard_deviation_goes_with_a_margin(self, run, power):
        options = ("--sd", "0.3", "--margin", "0.1", "--test", "t", "--n-samples", "99")
        (row,) = power(*options)["alone"]
        # of a one-sided t-test: 2 (1.645 + 0.842)^2 0.3^2 / 0.1^2
        assert row["required_sample_size"] == pytest.approx(112, rel=0.2)
        assert row["sd"] == 0.3
        _, out, _ = run("power", *options, "--lower-is-better")
        assert "lower is better" in out

    def test_of_items_there_is_an_upper_bound(self, write, run):
        rows = [f"{k},{k % 3},{k % 2},{k % 5}" for k in range(40)]
        path = write("\n".join(["item,a,b,c", *rows]))
        said = "Two models that find the same items hard need fewer of them."
        options = ("--n-samples", "9", "--test", "t")
        _, out, _ = run("power", path, "--columns", "a", "--difference", "1", *options)
        assert said in " ".join(out.split("Method:")[0].split())
        margin = ("--margin", "0.001", "--baseline", "a", "--columns", "a,b")
        _, out, _ = run("power", path, *margin, *options)
        assert "items of a are" not in " ".join(out.split())
        assert said not in " ".join(run("power", "--sd", "1", "--quiet", *options)[1])

    def test_a_pair_has_the_difference_that_is_asked_for(self, write, power):
        """As in a table whose scores are moved by so much."""
        wide = SCORES[:, :2] - SCORES[:, :2].mean(0) + [0.0, 0.9]
        rows = "".join(f"{a},{b}\n" for a, b in wide.tolist())
        moved = write(f"a,b\n{rows}", "moved.csv")
        rows = "".join(f"{a},{b}\n" for a, b in SCORES[:, :2].tolist())
        options = ["--test", "t", "--n-samples", "100"]
        (expected,) = power(moved, *options)["pairs"]
        document = power(write(f"a,b\n{rows}"), *options, "--difference", "0.9")
        assert document["pairs"] == [expected]
        assert document["difference"] == 0.9

    @pytest.mark.parametrize("direction", [(), ("--lower-is-better",)])
    def test_each_pair_of_many_has_it(self, table, power, direction):
        options = ["--test", "t", "--n-samples", "100", "--difference", "1.2"]
        pairs = power(table, *options, *direction)["pairs"]
        assert len(pairs) == 3
        for x in pairs:
            a, b = ("abc".index(x[key]) for key in ("better", "worse"))
            assert (a > b) != bool(direction)
            sd = math.sqrt(SCORES[:, [a, b]].var(0, ddof=1).mean())
            # Corrected for three comparisons, or not at all.
            most, least = (
                2.0 * (sd / 1.2 * (scipy.stats.norm.isf(p) + 0.84)) ** 2
                for p in (0.025 / 3, 0.025)
            )
            assert 0.75 * least < x["required_sample_size"] < 1.3 * most + 2

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            (("--lift", "1.1"), "Expected --difference or --lift; got both"),
            (("--margin", "1"), "Expected --difference or --margin; got both"),
            (("--sd", "1"), "got a FILE. Leave one out."),
        ],
    )
    def test_one_question_at_a_time(self, table, run, options, said):
        code, _, err = run("power", table, "--difference", "1", *options)
        assert code == 2
        assert said in " ".join(err.split())

    @pytest.mark.parametrize(
        "options",
        [("--paired",), ("--cluster", "doc"), ("--tasks", "a"), ("--unit", "item")],
    )
    def test_a_known_deviation_takes_no_options_of_files(self, run, options):
        code, _, err = run("power", "--sd", "1", "--difference", "1", *options)
        assert code == 2
        said = f"got {options[0]} as well, of a FILE. Leave one out."
        assert said in " ".join(err.split())

    def test_csv_has_a_row_for_each_number(self, write, run):
        _, out, _ = run("power", write(LUCKY), "--format", "csv", "--n-samples", "20")
        rows = list(csv.DictReader(io.StringIO(out)))
        assert [x["n"] for x in rows] == ["4", "8", "20", "40"]
        low, middle, high = (
            float(rows[0][f"least_difference{x}"]) for x in ("_low", "", "_high")
        )
        assert low < middle < high


class TestSamples:
    """Those of runs are smoothed, and vary as runs do."""

    def draw(self, scores, **options):
        options = {"is_paired": False, "are_runs": True} | options
        return draw_samples(scores, 50, 400, [0], **options)

    def test_moments(self):
        drawn = self.draw(dict(zip("abc", SCORES.T, strict=True)), is_paired=True)
        flat = np.stack([x.ravel() for x in drawn.values()])
        assert np.allclose(np.cov(flat), np.cov(SCORES.T), atol=0.08)
        assert np.allclose(flat.mean(-1), SCORES.mean(0), atol=0.05)
        (alone,) = self.draw({"a": SCORES[:4, 0]}).values()
        assert alone.var() == pytest.approx(SCORES[:4, 0].var(ddof=1), rel=0.05)

    def test_shares_stay_what_they_are(self):
        (drawn,) = self.draw({"a": np.asarray([0.0, 1.0, 1.0])}).values()
        assert len(np.unique(drawn)) == 2

    def test_few_runs_show_as_much_by_aso_as_normal_ones(self, monkeypatch):
        """Of samples with ties it finds half as many differences."""
        x = np.random.default_rng(0).normal(size=4)
        x = (x - x.mean()) / x.std(ddof=1)
        normal = scipy.stats.norm.ppf((np.arange(1000) + 0.5) / 1000)
        trials = make_trials(OrderTest(), 150)
        shares = [
            make_finder(y, Gain(), trials)._share("a", Gain(0.6), 50)
            for y in (x, normal)
        ]
        assert_rate(shares[0], 150, shares[1], 150)
        assert 0.5 < shares[1] < 0.9
        monkeypatch.setattr(samples, "_BANDWIDTH", 0.0)
        finder = make_finder(x, Gain(), trials)
        assert finder._share("a", Gain(0.6), 50) < 0.6 * shares[1]


def test_the_picture_has_the_range_of_what_may_be_needed(run, write, tmp_path):
    path = tmp_path / "power.svg"
    options = ("--difference", "0.4", "--test", "t", "--plot", str(path))
    code, out, err = run("power", write(LUCKY), *options)
    assert code == 0
    said = re.search(r"About (\d+) runs of each model reach it \((\d+ to \d+)\)", out)
    svg = path.read_text()
    assert f"a difference of 0.4: {said[1]} runs, or {said[2]}<" in svg
    assert "a bar is how many may be needed (90 % confidence, normal scores)" in err
    assert ">3.5<" not in svg  # runs are whole


def test_pairs_of_one_model_are_noted(write, run):
    path = write("a\n1\n2\n4\n3\n5\n")
    options = ("power", path, "--difference", "2", "--n-samples", "9")
    said = "how runs of a pair correlate is not known from one model"
    assert said in " ".join(run(*options, "--paired")[2].split())
    assert said not in " ".join(run(*options)[2].split())
