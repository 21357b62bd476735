"""Published figures come out of the library, as `benchmarks.reproduce` does it."""

import itertools
import re
from pathlib import Path

import numpy as np
import pytest

import sigarray
from benchmarks.reproduce import (
    calibration,
    corpus_metrics,
    decisions,
    error_rates,
    families,
    known_ratios,
    over_tasks,
    response_variance,
    verdict_page,
    verdicts,
)
from benchmarks.reproduce.__main__ import EXPERIMENTS, main
from benchmarks.reproduce.error_rate_designs import draw_mixture
from benchmarks.reproduce.experiment import (
    Cell,
    Comparison,
    Settings,
    binomial_error,
    read_csv,
)
from tests.backends import whole_suite

RESULTS = Path(__file__).parents[1] / "benchmarks" / "results"
REFERENCE = Path(__file__).parents[2] / "shared" / "reference"
SETTINGS = Settings(is_quick=True, backend="numpy", reference=REFERENCE)

needs_reference = pytest.mark.skipif(
    not REFERENCE.exists(), reason="the published figures are not here"
)


def test_agreement_is_told_from_disagreement():
    cells = [Cell(str(i), 0.5, 0.5 + 0.01 * (i % 3), i % 3) for i in range(100)]
    assert Comparison("title", cells).agrees
    worse = [Cell("far", 0.5, 0.6, -10.0)] * 11 + cells[11:]
    comparison = Comparison("title", worse)
    assert len(comparison.outside) == 11
    assert not comparison.agrees
    assert Comparison("title", worse, is_to_agree=False).agrees


def test_binomial_error_is_that_of_two_samples():
    # (0.2 x 400 + 0.3 x 600) / 1000 = 0.26, but for half a success more in 1001.
    error = binomial_error(0.2, 400, 0.3, 600)
    assert error == pytest.approx(np.sqrt(0.26 * 0.74 * (1 / 400 + 1 / 600)), rel=1e-3)


def test_mixture_has_a_fixed_share_of_each_part():
    scores = draw_mixture(np.random.default_rng(0), (4000, 20), 1.0)
    is_low = np.abs(scores + 0.5) < 1.0
    # 14 of 20 are of N(2.5, 1), of which P(-1.5 < x < 0.5) = 0.02275 - 0.00003.
    assert np.mean(is_low) == pytest.approx(0.3 + 0.7 * 0.02272, abs=0.003)
    assert np.mean(scores) == pytest.approx(0.7 * 2.5 - 0.3 * 0.5, abs=0.02)
    assert np.mean(is_low[:, 0]) == pytest.approx(np.mean(is_low), abs=0.05)


def test_ancestor_leaves_out_the_first_point_of_the_violation():
    # The ratio is what deep-significance 1.2.8 gives with dt = 0.005.
    a = np.asarray([[3.0, 1.0, 4.0, 1.5, 9.0, 2.6, 5.0]])
    b = np.asarray([[2.7, 1.8, 2.9, 1.2, 8.0, 2.4, 4.0]])
    ratio = error_rates.find_ratio_of_ancestor(a, b)
    assert ratio == pytest.approx(0.037522879804759005, rel=1e-12)
    mended = sigarray.violation_ratio(a, b, dt=error_rates.DT)
    assert mended == pytest.approx(0.037929631889363456, rel=1e-12)


@pytest.mark.long
@whole_suite
@needs_reference
def test_error_rates_agree():
    plans = [("type1", "normal", 5, 0.0), ("type2", "normal", 10, 0.5)]
    rows = [
        row
        for number, plan in enumerate(plans)
        for row in error_rates.find_rates(SETTINGS, number, *plan)
    ]
    published = error_rates.read_published(SETTINGS)
    by_p_value, below, ancestor, plain, mended = error_rates.compare(published, rows)
    assert len(by_p_value.cells) == 60
    assert len(ancestor.cells) == len(plain.cells) == len(mended.cells) == 12
    assert by_p_value.agrees
    assert ancestor.agrees
    assert plain.agrees
    # 16 of 32 exchanges, and half of the rank sums, of five scores.
    tied = {cell.name for cell in below.cells}
    for test in ("permutation", "wilcoxon", "mann_whitney"):
        assert f"Table 1, {test}, 5 at 0.5" in tied
    worse = [row | {"rate": min(1.0, row["rate"] + 0.15)} for row in rows]
    found = error_rates.compare(published, worse)
    assert not any(found[i].agrees for i in (0, 2, 3))


def test_ties_count_as_errors():
    row = {"error": "type1", "test": "wilcoxon", "tied": 0.1}
    assert error_rates.change_by_ties(row) == 0.1
    assert error_rates.change_by_ties(row | {"error": "type2"}) == 0.0
    row |= {"test": "permutation"}
    assert error_rates.change_by_ties(row) == 0.05
    assert error_rates.change_by_ties(row | {"error": "type2"}) == -0.05


@pytest.mark.long
@whole_suite
@needs_reference
def test_response_p_values_agree(monkeypatch):
    chosen = {name: response_variance.METRICS[name] for name in ("mae", "wins_mae")}
    monkeypatch.setattr(response_variance, "METRICS", chosen)
    rows = response_variance.find_p_values(SETTINGS, "normal")
    comparisons = response_variance.compare(SETTINGS, rows)
    assert [len(x.cells) for x in comparisons] == [36, 24, 12, 12]
    assert all(x.agrees for x in comparisons)
    worse = [
        row
        | {"true_p": 0.7 * row["true_p"], "quantiles": np.asarray(row["quantiles"]) + 3}
        for row in rows
    ]
    assert not any(x.agrees for x in response_variance.compare(SETTINGS, worse))


@pytest.mark.parametrize(
    ("a", "b", "case", "is_contradiction"),
    [
        # Higher by all statistics, with a lower deviation, and at every rank.
        ([5.0, 5.1, 5.2, 5.3, 5.4], [1.0, 2.0, 3.0, 4.0, 4.5], "A", False),
        # Higher by all but the deviation, and at every rank.
        ([5.0, 6.0, 7.0, 8.0, 9.9], [1.0, 1.1, 1.2, 1.3, 1.4], "B", False),
        ([1.0, 2.0, 3.0, 4.0, 5.0], [1.1, 1.9, 3.2, 3.9, 5.2], "C", False),
    ],
)
def test_cases_of_two_models(a, b, case, is_contradiction):
    scores = {"a": np.asarray(a), "b": np.asarray(b)}
    for names in (("a", "b"), ("b", "a")):
        pair = decisions.compare_pair(SETTINGS, scores, names)
        assert (pair["case"], pair["is_contradiction"]) == (case, is_contradiction)
        assert 0.0 <= pair["eps"] <= pair["eps_min"] <= 1.0


def test_one_sided_noise_makes_a_model_better():
    scores = {"x": np.linspace(0.0, 0.01, 25)}
    small, large = (
        np.mean(bounds)
        for kind, bounds in decisions.disturb(SETTINGS, scores).items()
        if kind.startswith("A better one")
    )
    # Most of the smaller noises are not told from none: eps_min is 0.5 or more.
    assert large < 0.2
    assert 0.5 < small < 0.8


def test_bounds_and_intervals_cover():
    row = calibration.cover_ratio(SETTINGS, 1, "normal", 100, "bootstrap", 200)
    assert 0.9 < row["rate"] < 1.0
    levels = [
        calibration.measure_level("test", 5, np.linspace(0.0, 1.0, 1001) ** power)
        for power in (1, 2)
    ]
    assert levels[0]["rate"] == pytest.approx(0.05, abs=0.001)
    assert -0.002 < levels[0]["lowest"] <= 0.0 <= levels[0]["highest"] < 0.002
    # P(p <= t) = t^1/2, which is above t by 1/4 at t = 1/4.
    assert levels[1]["highest"] == pytest.approx(0.25, abs=0.002)


@pytest.mark.long
def test_another_quantile_is_predicted_by_student_distribution():
    rng = np.random.default_rng(0)
    drawn = rng.normal(size=(2000, 7)) * 3.0
    z = [response_variance.predict(row[1:], row[0]) for row in drawn]
    # Six standard errors of 2000 normal quantiles.
    assert abs(np.mean(z)) < 6.0 / np.sqrt(2000)
    assert abs(np.std(z) - 1.0) < 6.0 / np.sqrt(4000)


@pytest.mark.long
@whole_suite
def test_command_writes_the_same_again(tmp_path, capsys):
    arguments = ["--quick", "--only", "decisions", "--reference", str(tmp_path)]
    names = ("decisions.csv", "decisions.png", "summary.md")
    written = []
    for folder in ("first", "second"):
        out = tmp_path / folder
        assert main([*arguments, "--out", str(out)]) == 0
        assert {path.name for path in out.iterdir()} == set(names)
        written.append([(out / name).read_bytes() for name in names])
    assert written[0] == written[1]
    summary = written[0][-1].decode()
    assert "Case A" in summary
    assert capsys.readouterr().out == 2 * f"{summary}\n"


def test_verdicts_of_equal_models_are_counted():
    """Of a family whose rate is known."""
    family = families.Family((4, 4))
    row = verdicts.describe_errors(SETTINGS, family, 2000, 0)
    # Two-sided, 4 and 4 runs at level 0.05: D = 16 alone, 2 in 70.
    assert row["rate"] <= 2 / 70 + 5 * np.sqrt(2 / 70 / 2000)
    assert families.Family((3, 20)).name == "3 v 20"
    shift = known_ratios.find_shift(0.2, 2.0)
    assert known_ratios.find_ratio(shift, 2.0) == pytest.approx(0.2, abs=1e-6)


def test_committed_verdicts_hold_their_level():
    rows = read_csv(RESULTS / "verdicts.csv")
    errors = [x for x in rows if x["kind"] in verdict_page.JUDGED]
    designs = families.EQUAL, families.SPREADS, families.DISCOVERIES
    assert len(errors) == sum(map(len, designs))
    for row in errors:
        n_sets = int(row["n_sets"])
        assert n_sets >= 4000
        limit = verdict_page.LARGEST + 2 * np.sqrt(0.06 * 0.94 / n_sets)
        assert float(row["rate"]) <= limit, row
    for row in (x for x in rows if x["kind"] == "power"):
        assert float(row["rate"]) >= float(row["least"]), row


def test_committed_verdicts_over_tasks_hold_their_level():
    """All but those of means whose medians differ; and they see what they saw."""
    rows = read_csv(RESULTS / "over_tasks.csv")
    designs = over_tasks.EQUAL, over_tasks.APART, over_tasks.POWER
    assert len(rows) == sum(map(len, designs)) + 4 * len(over_tasks.EQUAL) + len(
        over_tasks.APART + over_tasks.POWER
    )
    for row in rows:
        n_sets = int(row["n_sets"])
        assert n_sets >= 2000
        if row["scores"] not in over_tasks.BEYOND:
            limit = 0.05 + 3 * np.sqrt(0.05 * 0.95 / n_sets)
            assert float(row["any_error"]) <= limit, row
    (row,) = (
        x
        for x in rows
        if (x["design"], x["scores"], x["n_better"])
        == ("5 models, 26 tasks", "normal", "1")
    )
    assert float(row["seen"]) > 0.9


class TestCorpusMetrics:
    """Tests hold their level, and sacrebleu's bootstrap does not."""

    ROWS = read_csv(RESULTS / "corpus_metrics.csv")

    def test_all_are_there(self):
        found = {(x["metric"], int(x["n"]), x["test"]) for x in self.ROWS}
        every = corpus_metrics.METRICS, corpus_metrics.SIZES, corpus_metrics.TESTS
        assert found == set(itertools.product(*every))
        assert all(int(x["n_sets"]) >= 4000 for x in self.ROWS)

    def test_levels(self):
        for row in self.ROWS:
            rate = float(row["rate"])
            if row["test"] == corpus_metrics.SACREBLEU:
                assert rate > 0.1
            else:
                assert 0.04 <= rate <= 0.07

    def test_the_table_is_of_the_file(self):
        rows = [x | {"n": int(x["n"]), "rate": float(x["rate"])} for x in self.ROWS]
        text = (RESULTS / "corpus_metrics.md").read_text("utf-8")
        assert text == "\n\n".join([*corpus_metrics.tabulate(rows), ""])

    def test_systems_are_the_same(self):
        """Each is as often ahead as the other."""
        rng = np.random.default_rng(0)
        for draw, statistic in corpus_metrics.METRICS.values():
            sums = np.stack([draw(rng, 30) for _ in range(400)]).sum(axis=-1)
            a, b = (statistic(*x.T) for x in np.moveaxis(sums, 1, 0))
            assert abs(np.mean(a > b) - 0.5) < 5 * 0.5 / np.sqrt(400)

    @pytest.mark.long
    @whole_suite
    def test_it_runs(self):
        found = corpus_metrics.run(SETTINGS)
        assert len(found.rows) == len(self.ROWS)
        assert found.findings[0] in (RESULTS / "summary.md").read_text("utf-8")


class TestCommittedAreOfToday:
    """What is committed is what the library gives now, as far as is quick to see."""

    FULL = Settings(is_quick=False, backend="numpy", reference=REFERENCE)

    @pytest.mark.long
    def test_calibration(self):
        rows = read_csv(RESULTS / "calibration.csv")
        names = list(calibration.PAIRS)
        for name, n, method in (
            ("exponential", 5, "exact"),
            (calibration.SAME, 20, "bootstrap"),
        ):
            found = calibration.cover_ratio(
                self.FULL, names.index(name), name, n, method, 2000
            )
            (row,) = (
                x
                for x in rows
                if (x["claim"], x["distribution"], x["n"], x["method"])
                == ("eps_min", name, str(n), method)
            )
            # A bound may be on the other side of eps by rounding.
            assert float(row["rate"]) == pytest.approx(found["rate"], abs=2e-3)

    def test_decisions(self):
        scores = decisions.read_scores(decisions.SCORES)
        rows = read_csv(RESULTS / "decisions.csv")
        rows = {(x["a"], x["b"]): x for x in rows if x["kind"] == "pair"}
        pairs = decisions.pair_names(scores)
        assert set(rows) == set(pairs)
        for names in pairs[::5]:
            found = decisions.compare_pair(self.FULL, scores, names)
            row = rows[names]
            assert row["case"] == found["case"]
            for name in ("eps", "eps_min"):
                assert float(row[name]) == pytest.approx(found[name], rel=1e-4)

    def test_verdicts(self):
        rows = read_csv(RESULTS / "verdicts.csv")
        for kind, designs in (
            ("equal", families.EQUAL),
            ("equal means", families.SPREADS),
        ):
            own = [x for x in rows if x["kind"] == kind]
            family = next(x for x in designs if x.sizes == (5, 5))
            seed = designs.index(family)
            found = verdicts.describe_errors(self.FULL, family, 4000, seed)
            assert own[seed]["family"] == found["family"]
            assert float(own[seed]["rate"]) == pytest.approx(found["rate"], abs=1e-3)

    @pytest.mark.long
    def test_verdicts_over_tasks(self):
        rows = read_csv(RESULTS / "over_tasks.csv")
        place = over_tasks.EQUAL.index(over_tasks.Design(3, 8))
        found = over_tasks.EQUAL[place].count(
            "normal", 2000, place * len(over_tasks.SCORES)
        )
        row = rows[place * len(over_tasks.SCORES)]
        assert row["design"] == found["design"]
        assert float(row["any_error"]) == pytest.approx(found["any_error"], abs=1e-3)
        numbers = ("lead", "any_error", "seen", "seen_by_holm")
        for row in rows:
            row |= {name: float(row[name]) for name in numbers}
        text = (RESULTS / "over_tasks.md").read_text("utf-8")
        assert text == "\n\n".join([*over_tasks.tabulate(rows), ""])

    def test_the_summary_has_every_experiment(self):
        text = (RESULTS / "summary.md").read_text("utf-8")
        assert text.count("\n## ") == len(EXPERIMENTS)
        for name in re.findall(r"The rates of `(\w+)\.md`", text):
            assert name in EXPERIMENTS
            assert (RESULTS / f"{name}.md").is_file()

    def test_tables_of_verdicts_are_of_the_file(self):
        rows = read_csv(RESULTS / "verdicts.csv")
        for row in rows:
            for name in ("rate", "least", "ratio", "covered", "any"):
                row[name] = float(row[name]) if row[name] else ""
            row["n_sets"] = int(row["n_sets"])
        text = (RESULTS / "verdicts.md").read_text("utf-8")
        parts = [verdict_page.judge(rows), *verdict_page.tabulate(rows), ""]
        assert text == "\n\n".join(parts)

    def test_tables_of_calibration_are_of_the_file(self):
        rows = read_csv(RESULTS / "calibration.csv")
        for row in rows:
            row["n"], row["n_sets"] = int(row["n"]), int(row["n_sets"])
            for name in ("truth", "rate", "highest", "lowest"):
                row[name] = float(row[name]) if row[name] else ""
        bounds, intervals, levels = (
            [x for x in rows if x["claim"] == claim]
            for claim in ("eps_min", "bootstrap_ci", "p-value")
        )
        # The file has six digits, by which the last one of a p-value's may round.
        said = calibration.describe(bounds, intervals, levels)[:2]
        text = (RESULTS / "summary.md").read_text("utf-8")
        assert "\n\n".join(said) in text
