"""Samples of scores that are drawn for power."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest

from sigarray import compare_models
from sigarray._verdicts.by_orders import OrderTest
from sigarray._verdicts.samples import Trials, draw_samples
from sigarray._verdicts.test import DrawnSamples, PairwiseTest

SCORES = {"a": np.arange(4.0), "b": np.arange(10.0, 19.0)}


@pytest.mark.parametrize("unit", ["run", "item"])
def test_without_a_size_samples_are_as_large_as_the_scores(unit):
    trials = Trials(
        test=OrderTest(),
        is_corrected=True,
        higher_is_better=True,
        is_paired=False,
        unit=unit,
        number=7,
        seed=3,
    )
    drawn = trials.draw(SCORES, None, is_paired=False)
    assert {name: x.shape for name, x in drawn.items()} == {"a": (7, 4), "b": (7, 9)}
    for name, x in drawn.items():
        same = trials.draw(SCORES, x.shape[1], is_paired=False)[name]
        assert np.array_equal(x, same)


@pytest.mark.parametrize(
    ("unit", "test", "baseline", "is_corrected"),
    [
        ("run", "t", None, True),
        ("run", "permutation", "a", True),
        ("item", "t", None, False),
    ],
)
def test_shares_of_a_margin_are_those_of_compare(unit, test, baseline, is_corrected):
    rng = np.random.default_rng(0)
    samples = {
        name: rng.normal(mean, 1.0, (8, 6)).round(3)
        for name, mean in (("a", 0.0), ("b", 0.5), ("c", 1.5))
    }
    options = {"unit": unit, "test": test, "margin": 1.0, "baseline": baseline}
    options |= {"corrected": is_corrected}
    expected = dict.fromkeys([(x, y) for x in "abc" for y in "abc" if x != y], 0)
    for k in range(8):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of few runs
            found = compare_models({x: y[k] for x, y in samples.items()}, **options)
        for pair in expected:
            if baseline in (None, pair[1]):
                expected[pair] += found.not_worse(*pair)
    pairwise = PairwiseTest(
        test,
        is_paired=unit == "item",
        n_resamples=None if test == "t" else 9999,
        seed=None if test == "t" else 0,
        n_comparisons=(3 if baseline is None else 2) if is_corrected else 1,
        unit=unit,
        baseline=baseline,
        margin=1.0,
    )
    shares = pairwise.find_shares(
        DrawnSamples(samples, {}, higher_is_better=True),
        (),
        is_corrected=is_corrected,
        n_tasks=1,
        above=0.0,
    )
    assert 0 < sum(expected.values()) < 8 * len(expected)
    assert shares == {pair: x / 8 for pair, x in expected.items() if x}


@pytest.mark.parametrize("n", [6, 12])
def test_samples_of_few_items_vary_as_these_do(n):
    """Those of n drawn scores vary less, by (n - 1) / n."""
    scores = {"a": np.random.default_rng(0).normal(size=n)}
    by = {"is_paired": True, "are_runs": False}
    drawn = draw_samples(scores, 400, 50, [0], **by)["a"]
    variance = scores["a"].var(ddof=1)
    assert drawn.var() == pytest.approx(variance, rel=0.03)
    assert drawn.mean() == pytest.approx(scores["a"].mean(), abs=0.05)
    hits = {"a": np.arange(n) % 2.0}
    assert {*np.unique(draw_samples(hits, 40, 5, [0], **by)["a"])} == {0.0, 1.0}


@pytest.mark.parametrize("is_paired", [True, False])
def test_splits_of_a_sample_correlate_by_the_test_share(is_paired):
    """Their mean varies as the corrected t of Nadeau and Bengio takes it to."""
    rng = np.random.default_rng(0)
    scores = dict(
        zip("ab", rng.normal(size=(2, 20)) + rng.normal(size=20), strict=True)
    )
    by = {"is_paired": is_paired, "are_runs": True, "test_share": 0.2}
    a, b = draw_samples(scores, 30, 4000, [0], **by).values()
    if is_paired:
        found, expected = a - b, np.var(scores["a"] - scores["b"], ddof=1)
    else:
        found, expected = a - b, sum(np.var(x, ddof=1) for x in scores.values())
    assert found.var(axis=1, ddof=1).mean() == pytest.approx(expected, rel=0.1)
    variance = found.mean(axis=1).var()
    assert variance == pytest.approx(expected * (1 / 30 + 0.2 / 0.8), rel=0.1)


def test_a_pair_has_the_level_of_those_that_are_told_apart_with_it():
    """Benjamini and Hochberg's level of a pair is that with its own p at 0."""
    p_values, drawn = iter([0.01, 0.02, 0.9, 0.9]), []  # a pair on each of four tasks
    matched = {("a", "b"): tuple(np.arange(2.0 * 6).reshape(2, 6))}
    task = SimpleNamespace(
        scores=SCORES, matched=matched, sizes=None, error_of_intervals=0.05
    )

    def find_p_values(samples):
        drawn.append(samples)
        return np.full((2, 1), next(p_values))

    trials = Trials(
        test=SimpleNamespace(
            find_p_values=find_p_values,
            choose_correction=lambda _: "benjamini_hochberg",
            alone="holm",
        ),
        is_corrected=True,
        higher_is_better=True,
        is_paired=False,
        unit="run",
        number=2,
        seed=0,
        tasks={f"t{k}": task for k in range(4)},
    )
    # Two of them are told apart, and three if one of the others is, too.
    divisors = trials.find_divisors(4)
    assert divisors == pytest.approx([4 / n for n in (2, 2, 2.5, 3, 3)])
    # Each task has samples of its own, of models and of matched pairs.
    first, second, *_ = drawn
    assert not np.array_equal(first.scores["a"], second.scores["a"])
    of_pairs = [np.stack(x.of_pairs["a", "b"]) for x in (first, second)]
    assert not np.array_equal(*of_pairs)
