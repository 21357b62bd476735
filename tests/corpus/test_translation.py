"""BLEU and chrF against sacrebleu: values, replicates on its draws, and its p-value."""

import numpy as np
import pytest

from benchmarks.reproduce.corpus_metrics import count_as_sacrebleu
from sigarray import corpus, of_sums, permutation_replicates, permutation_test, t_test
from tests.corpus.segments import count_segments, make_corpus, make_metric

METRICS = {"BLEU": corpus.bleu, "chrF": corpus.chrf, "chrF++": corpus.chrf}
of_each_metric = pytest.mark.parametrize("name", METRICS)


@of_each_metric
class TestSacrebleu:
    def test_values(self, name):
        metric = make_metric(name)
        references, systems = make_corpus(60, (0.0, 0.1, 0.5, 0.98))
        for hypotheses in systems:
            sums = count_segments(metric, hypotheses, references).sum(axis=-1)
            expected = metric.corpus_score(hypotheses, [references]).score
            assert METRICS[name](*sums) == pytest.approx(expected, abs=1e-12, rel=1e-12)

    @pytest.mark.parametrize(
        ("hypotheses", "references"),
        [
            (["a b c d e f"], ["a x b y c z"]),  # no match of pairs of words
            (["a b c"], ["a b c"]),  # too short for four
            (["a b x d e"], ["a b c d e f g h i"]),
            (["a b c d e f g"], ["a b"]),
            (["x y z u v"], ["a b c d e"]),
            ([""], ["a b c"]),
            (["", "a b c d"], ["a b c d", "a b c d"]),
        ],
    )
    def test_values_of_few_words(self, name, hypotheses, references):
        metric = make_metric(name)
        sums = count_segments(metric, hypotheses, references).sum(axis=-1)
        expected = metric.corpus_score(hypotheses, [references]).score
        assert METRICS[name](*sums) == pytest.approx(expected, abs=1e-9)

    def test_replicates_on_its_draws(self, name):
        """Which it computes in float32."""
        significance = pytest.importorskip("sacrebleu.significance")
        metric = make_metric(name)
        references, (hypotheses,) = make_corpus(50, (0.3,))
        x = count_segments(metric, hypotheses, references)
        n_samples = 40
        _, scores = significance._bootstrap_resample(
            x.T.tolist(), metric, n_samples=n_samples
        )
        rng = np.random.default_rng(12345)
        places = rng.choice(x.shape[-1], size=(n_samples, x.shape[-1]), replace=True)
        found = METRICS[name](*x[:, places].sum(axis=-1))
        expected = [score.score for score in scores]
        np.testing.assert_allclose(found, expected, atol=1e-4)
        assert len(set(expected)) > n_samples / 2

    def test_p_value_of_its_exchanges(self, name):
        """By its formula, on its bits: abs(difference) beyond the observed one."""
        significance = pytest.importorskip("sacrebleu.significance")
        metric, ours = make_metric(name), METRICS[name]
        references, systems = make_corpus(50, (0.30, 0.31))
        a, b = (count_segments(metric, x, references) for x in systems)
        n_samples = 100
        scores = [metric.corpus_score(x, [references]) for x in systems]
        baseline = {name: (a.T.astype(int), scores[0])}
        _, results = significance._paired_ar_test(
            baseline,
            "b",
            systems[1],
            [references],
            {name: metric},
            n_samples,
            -1,
            12345,
        )
        bits = np.random.default_rng(12345).integers(
            2, size=(n_samples, a.shape[-1]), dtype=bool
        )
        lead = abs(ours(*a.sum(axis=-1)) - ours(*b.sum(axis=-1)))
        first = np.where(bits, a[:, None, :], b[:, None, :]).sum(axis=-1)
        second = np.where(bits, b[:, None, :], a[:, None, :]).sum(axis=-1)
        beyond = np.abs(ours(*first) - ours(*second)) > lead
        expected = (np.sum(beyond) + 1) / (n_samples + 1)
        assert results[name].p_value == pytest.approx(expected, abs=1e-12)
        assert 0 < np.sum(beyond) < n_samples

    def test_p_value_of_its_bootstrap(self, name):
        """By the formula whose rates of errors are in docs/faults.md."""
        significance = pytest.importorskip("sacrebleu.significance")
        metric, ours = make_metric(name), METRICS[name]
        references, systems = make_corpus(50, (0.30, 0.31))
        a, b = (count_segments(metric, x, references) for x in systems)
        scores = [metric.corpus_score(x, [references]) for x in systems]
        baseline = {name: (a.T.astype(int), scores[0])}
        options = {"n_samples": 100, "n_ar_confidence": -1, "seed": 12345}
        _, results = significance._paired_bs_test(
            baseline, "b", systems[1], [references], {name: metric}, **options
        )
        n = a.shape[-1]
        places = np.random.default_rng(12345).choice(n, size=(100, n))
        replicates = [ours(*x[:, places].sum(axis=-1)) for x in (a, b)]
        lead = ours(*a.sum(axis=-1)) - ours(*b.sum(axis=-1))
        found = count_as_sacrebleu(lead, replicates[0] - replicates[1])
        assert results[name].p_value == pytest.approx(found, abs=1e-12)
        assert 0.01 < found < 1.0

    def test_its_equal_systems_have_the_smallest_p(self, name):
        significance = pytest.importorskip("sacrebleu.significance")
        metric = make_metric(name)
        references, (hypotheses,) = make_corpus(20, (0.3,))
        x = count_segments(metric, hypotheses, references)
        score = metric.corpus_score(hypotheses, [references])
        for test in (significance._paired_ar_test, significance._paired_bs_test):
            _, results = test(
                {name: (x.T.astype(int), score)},
                "b",
                hypotheses,
                [references],
                {name: metric},
                n_samples=99,
            )
            assert results[name].p_value == 0.01


@of_each_metric
def test_equal_systems_have_p_1(name):
    metric = make_metric(name)
    references, (hypotheses,) = make_corpus(40, (0.3,))
    x = count_segments(metric, hypotheses, references)
    statistic = of_sums(METRICS[name])
    options = {"statistic": statistic, "paired": True}
    found = permutation_replicates(x, x, start=0, count=99, rng=0, **options)
    assert np.all(found == 0.0)
    assert permutation_test(x, x, n_resamples=99, rng=0, **options).pvalue == 1.0
    assert t_test(x, x, **options).pvalue == 1.0


def test_exchanges_of_counts_are_exact():
    """No match stays none, or a match of 1e-16 would make BLEU 0."""
    rng = np.random.default_rng(0)
    lengths = rng.integers(5, 12, 37).astype(float)
    totals = [lengths - k for k in range(4)]
    a, b = (
        np.stack([lengths, lengths, rng.binomial(5, 0.5, 37), *np.zeros((3, 37))])
        for _ in range(2)
    )
    a, b = (np.concatenate([x, totals]) for x in (a, b))
    options = {"statistic": of_sums(corpus.bleu), "paired": True}
    found = permutation_replicates(a, b, start=0, count=200, rng=0, **options)
    matches = a[2].sum() + b[2].sum()
    size = lengths.sum()
    largest = 100 * np.prod([matches, 0.5, 0.25, 0.125] / (size - 37.0 * np.arange(4)))
    assert np.all(np.abs(found) < largest**0.25 * 100**0.75)
    assert np.max(np.abs(found)) > 0.0


def test_smoothing_by_hand():
    sums = 10, 8, 6, 2, 0, 0, 10, 9, 8, 7
    expected = 100 * (6 / 10 * 2 / 9 * 0.5 / 8 * 0.25 / 7) ** 0.25
    assert corpus.bleu(*sums) == pytest.approx(expected, rel=1e-14)
    assert corpus.bleu(10, 20, *sums[2:]) == pytest.approx(
        expected * np.exp(-1.0), rel=1e-14
    )


@pytest.mark.parametrize(
    ("function", "sums"),
    [(corpus.bleu, (1, 2, 3)), (corpus.bleu, (1, 2)), (corpus.chrf, (1, 2, 3, 4))],
)
def test_other_numbers_of_sums(function, sums):
    with pytest.raises(ValueError, match=f"Expected .*; got {len(sums)} sums"):
        function(*sums)
