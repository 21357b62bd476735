"""What `benchmarks.reproduce --only tests` measures, and what is said of it."""

import functools
import inspect
import re
from pathlib import Path

import numpy as np
import pytest

import sigarray
import sigarray.responses
from benchmarks import designs
from benchmarks.reproduce import examples, recipes
from benchmarks.reproduce.experiment import Settings, read_csv
from benchmarks.reproduce.rates import (
    families,
    intervals,
    measure,
    page,
    published,
    ranges,
    responses,
    tests,
)
from benchmarks.reproduce.rates.scores import DRAWS, MEANS, draw_items
from benchmarks.versus import HEADER, list_lines
from sigarray._verdicts.asked import RESAMPLING_TESTS, PairOptions
from sigarray._verdicts.pairwise_tests import run_pairwise
from tests import figures
from tests.backends import whole_suite
from tests.committed import committed
from tests.rates import DOCSTRINGS, PAGES

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
SETTINGS = Settings(is_quick=True, backend="numpy", reference=ROOT)
FUNCTIONS = (
    "bootstrap_test",
    "brunner_munzel",
    "mann_whitney_u",
    "permutation_test",
    "t_test",
)


PERCENT_OF_4000 = ("command", "function", "family", "published")
PLACE = ("function", "options", "unit", "null", "n", "m", "scores", "spread")


def docstring(function):
    return inspect.getdoc(functools.reduce(getattr, function.split("."), sigarray))


class DrawnOnce(PairOptions):
    """Options by which no draws are taken on."""

    draws_on = False


class TestCommitted:
    """The committed rates are of all designs, and where they are high that is said."""

    def test_all_designs_are_there(self):
        found = {
            tuple(x[name] for name in PLACE)
            for x in committed()
            if x["kind"] in ("command", "function") and x["unit"] != "splits"
        }
        for test in tests.TESTS:
            key = test.function, test.options, test.unit, test.null
            if test.unit in ("items", "clusters"):
                continue
            for x in tests.list_designs(test):
                assert (*key, *x.sizes, x.scores, x.spread) in found
        assert all(
            x["n_sets"] >= 4000 for x in committed() if x["kind"] in PERCENT_OF_4000
        )
        n_families = sum(x["kind"] == "family" for x in committed())
        assert n_families == len(families.FAMILIES)

    def test_the_page_is_of_the_file(self):
        text = (RESULTS / "tests.md").read_text("utf-8")
        rows = committed()
        assert text == "\n\n".join([page.judge(rows), *page.write_page(rows), ""])

    @pytest.mark.parametrize("function", FUNCTIONS)
    def test_docstrings_have_every_rate(self, function):
        """So that none above 7 % from five scores on is left unsaid."""
        said = in_one_line(docstring(function))
        assert "; ".join(ranges.say_highest(committed(), function)) in said
        units = {x["unit"] for x in committed() if x["function"] == function}
        if "items" in units:
            assert ranges.say_units(committed(), function) in said

    def test_what_is_high_is_of_such_functions(self):
        high = [x for x in committed() if x["kind"] == "command" and page.is_high(x)]
        assert {x["function"] for x in high} <= set(FUNCTIONS)
        for row in high:
            by = ranges.find_ranges(committed())
            null = ranges.name_null(row)
            low, highest = by[row["function"], row["options"], row["unit"], null][
                row["scores"]
            ]
            assert low <= row["rate"] <= highest

    def test_no_default_verdict_of_tasks_is_wrong_too_often(self):
        chosen = [x for x in committed() if x["kind"] == "family"]
        chosen = [x for x in chosen if x["test"] == "permutation"]
        assert len(chosen) > 15
        for row in chosen:
            error = np.sqrt(0.06 * 0.94 / row["n_sets"])
            assert row["rate"] <= 0.06 + 2 * error, row


class TestCalls:
    """They are those of the command, and the null hypotheses are true."""

    @pytest.mark.filterwarnings("ignore:The scores of 'a' and 'b' do not vary")
    @pytest.mark.parametrize(
        "test",
        [x for x in tests.TESTS if x.command],
        ids=lambda x: f"{x.command}, {x.unit}",
    )
    def test_p_values_are_those_of_the_command(self, test):
        """But for draws that are taken on near a level, which make none too small."""
        if test.unit in ("items", "clusters"):
            drawn = [draw_items(x, 20, 3, test.unit) for x in ("0 or 1", "normal")]
        else:
            sizes = [(12, 12), (5, 20)] if test.unit == "runs" else [(12, 12)]
            drawn = [
                tests.Design(size, scores, 4.0).draw(test, 12)
                for size in sizes
                for scores in ("normal", "ties", "nine of ten the same")
            ]
        draws = test.command in RESAMPLING_TESTS
        options = DrawnOnce(
            test.command,
            is_paired=test.unit != "runs",
            n_resamples=tests.N_RESAMPLES if draws else None,
            seed=0 if draws else None,
            unit={"items": "item", "clusters": "cluster"}.get(test.unit, "run"),
        )
        for a, b in drawn:
            found = test.find(a, b, 0)
            for k in range(len(a)):
                (expected,) = run_pairwise(
                    {"a": a[k], "b": b[k]}, options, higher_is_better=True
                )
                is_low = expected.p_value <= tests.LEVEL
                assert (found[k] <= tests.LEVEL) == is_low
                # The benchmark gives one of two p-values that are not significant.
                if is_low or test.command != "permutation" or options.is_paired:
                    assert found[k] == pytest.approx(expected.p_value, rel=1e-9)

    @pytest.mark.parametrize("scores", ["lognormal", "one run in ten fails"])
    @pytest.mark.parametrize("spread", [4.0, 0.25])
    def test_null_hypotheses_are_true(self, scores, spread):
        means, half = (
            next(x for x in tests.TESTS if x.command == name)
            for name in ("t", "brunner-munzel")
        )
        design = tests.Design((50, 50), scores, spread)
        a, b = design.draw(means, 4000)
        for x, width in ((a, spread), (b, 1.0)):
            # Both have a variance below 12.
            assert abs(x.mean()) < 6 * width * np.sqrt(12 / x.size)
        a, b = design.draw(half, 4000)
        wins = sigarray.mann_whitney_u(a, b).probability_of_improvement
        # The deviation of one is about (1 / 12 x 2 / 50)^1/2, at most twice that.
        assert abs(np.mean(wins) - 0.5) < 12 * np.sqrt(2 / 12 / 50 / 4000)

    def test_means_are_those_of_scores(self):
        for name, draw in DRAWS.items():
            x = draw(np.random.default_rng(0), (200_000,))
            error = x.std() / np.sqrt(x.size)
            assert abs(x.mean() - MEANS[name]) < 6 * error

    def test_corrections_are_those_of_sizes(self):
        by = {(x.test, x.n_tasks, x.n, x.unit): x.correction for x in families.FAMILIES}
        assert by["permutation", 57, 60, "items"] == "holm"
        # 2 / C(10, 5) x 26 is above 0.05: Holm's correction could leave nothing.
        assert by["permutation", 26, 5, "runs"] == "benjamini_hochberg"
        assert by["t", 26, 5, "runs"] == "holm"

    def test_families_are_of_p_values_one_by_one(self):
        family = families.Family(3, 2, 60, "0 or 1")
        scores = family.draw(np.random.default_rng(0), 4)
        found = families.find_p_values(SETTINGS, family, scores, 0)
        for place in np.ndindex(found.shape):
            i, j = family.pairs[place[2]]
            a, b = scores[place[0], place[1], [i, j]]
            p = sigarray.permutation_test(a, b, paired=True, method="exact").pvalue
            assert found[place] == pytest.approx(float(p), rel=1e-12)

    def test_coverage_is_a_sum_over_outcomes(self):
        n, share = 6, 0.7
        rng = np.random.default_rng(0)
        a, b = (rng.random((2, 20_000, n)) < share).astype(float)
        low, high = sigarray.proportion_ci(a, b).confidence_interval
        found = np.mean((low <= 1e-12) & (high >= -1e-12))
        expected = intervals.cover_two(SETTINGS, n, share)["rate"]
        assert found == pytest.approx(expected, abs=6 * np.sqrt(0.05 / 20_000))
        pairs = intervals.cover_pairs(SETTINGS, n, share, 0.0)["rate"]
        low, high = sigarray.proportion_ci(a, b, paired=True).confidence_interval
        found = np.mean((low <= 1e-12) & (high >= -1e-12))
        assert found == pytest.approx(pairs, abs=6 * np.sqrt(0.05 / 20_000))


@pytest.mark.long
@whole_suite
def test_the_experiment_has_rows_and_tables_of_all(monkeypatch):
    chosen = [x for x in tests.TESTS if x.function == "t_test"]
    monkeypatch.setattr(measure, "TESTS", chosen)
    monkeypatch.setattr(tests, "QUICK", 5)
    monkeypatch.setattr(families, "FAMILIES", families.FAMILIES[:2])
    for module, n_sets in ((families, 5), (responses, 2), (published, 20)):
        monkeypatch.setattr(module, "QUICK", n_sets)
    found = measure.run(SETTINGS)
    assert {x["kind"] for x in found.rows} == {x["kind"] for x in committed()}
    assert found.page[0] == found.findings[0]
    kept = page.write_page(committed())
    marks = [x for x in found.page if x.startswith("<!--")]
    assert marks == [x for x in kept if x.startswith("<!--")]


class TestExamples:
    """What is measured of the examples of pages is what the functions give."""

    def test_p_values_of_pairs_are_exact(self):
        rng = np.random.default_rng(0)
        a, b = rng.random((2, 4, 60)) < np.array([[[0.8]], [[0.6]]])
        wins, losses = (np.sum(x & ~y, axis=-1) for x, y in ((a, b), (b, a)))
        expected = sigarray.permutation_test(
            a, b, paired=True, method="exact", alternative="greater"
        ).pvalue
        found = recipes.find_p_of_wins(wins, losses)
        np.testing.assert_allclose(found, expected, rtol=1e-12)

    def test_outcomes_are_all_and_have_the_stated_difference(self):
        wins, losses, chance = recipes.list_outcomes(899, 0.05, 2)
        assert np.sum(chance) == pytest.approx(1.0, abs=1e-5)
        assert np.sum(chance * (losses - wins)) / 899 == pytest.approx(0.02, abs=1e-5)
        assert np.sum(chance * (losses + wins)) / 899 == pytest.approx(0.05, abs=1e-5)

    def test_lower_limits_are_those_of_the_pairs(self):
        wins, losses = np.array([3, 0, 10]), np.array([5, 0, 1])
        found = recipes.find_low(SETTINGS, wins, losses, 40, block=2)
        for low, ahead, behind in zip(found, wins, losses, strict=True):
            a = np.arange(40) < ahead
            b = (np.arange(40) >= 20) & (np.arange(40) < 20 + behind)
            of_one = sigarray.proportion_ci(a, b, paired=True, confidence_level=0.98)
            assert low == pytest.approx(of_one.confidence_interval.low)

    @pytest.mark.long
    def test_ratio_of_a_normal_over_a_lognormal(self):
        rng = np.random.default_rng(0)
        shift = examples.find_shift(0.2, 1.0)
        a, b = shift + rng.normal(size=10**6), rng.lognormal(size=10**6)
        assert sigarray.violation_ratio(a, b) == pytest.approx(0.2, abs=0.01)

    @pytest.mark.long
    @whole_suite
    @pytest.mark.parametrize(
        ("name", "experiment"), [("recipes", recipes), ("examples", examples)]
    )
    def test_all_have_rows(self, name, experiment):
        pytest.importorskip("sklearn")
        found = experiment.run(SETTINGS)
        rows = read_csv(RESULTS / f"{name}.csv")
        named = experiment.NAMES[:2]
        expected = [[str(x[y]) for y in named] for x in found.rows]
        kept = [[x[y] for y in named] for x in rows]
        # Of 5000 items none is computed in a quick run.
        assert [x for x in expected if x not in kept] == []
        assert {tuple(x) for x in kept} == {tuple(x) for x in expected}


class TestSaid:
    """Each number that is typed in a docstring or on a page is that of a file."""

    @pytest.mark.parametrize(
        ("name", "said"), [*DOCSTRINGS.items(), *figures.DOCSTRINGS.items()]
    )
    def test_docstrings(self, name, said):
        text = in_one_line(docstring(name))
        for sentence in said():
            assert sentence in text

    @pytest.mark.parametrize(
        ("page", "said"),
        [*PAGES, *figures.PAGES],
        ids=lambda x: getattr(x, "__name__", x),
    )
    def test_pages(self, page, said):
        text = in_one_line((ROOT / page).read_text("utf-8"))
        for sentence in said():
            assert sentence in text

    def test_the_table_of_peers_is_of_the_file(self):
        found = figures.load("versus")
        rate = found["seconds_of_a_word"]
        lines = [HEADER, *(x for row in found["tasks"] for x in list_lines(row, rate))]
        text = (RESULTS / "versus.md").read_text("utf-8")
        assert text.startswith("\n".join([*lines, "", found["machine"]]))

    def test_the_table_of_designs_is_of_the_file(self):
        found = figures.load("designs")
        text = (RESULTS / "designs.md").read_text("utf-8")
        assert text == designs.write_page(found)

    def test_limits_of_rliable_are_ours_of_as_many_draws(self):
        """Within five deviations of the difference of two shares of resamples."""
        limits = figures.load("designs")["rliable"]["limits"]
        assert len(limits) == 6 + 1 + 5
        for found in limits:
            for shares, expected in zip(found["shares"], (0.025, 0.975), strict=True):
                variance = expected * (1.0 - expected) * 2.0 / found["n_resamples"]
                below, up_to = shares  # which differ where replicates are steps
                assert below - 5.0 * variance**0.5 < expected
                assert expected < up_to + 5.0 * variance**0.5


def in_one_line(text):
    """Leave out line breaks, marks of a quotation and quotes between parts of text."""
    text = re.sub(r"^> ", "", text, flags=re.MULTILINE)
    return " ".join(re.sub(r'"\s*\n\s*"', "", text).split())
