"""Metrics of classes against scikit-learn, and classes that are not there."""

import numpy as np
import pytest

from sigarray import corpus

RNG = np.random.default_rng(1)
GOLD = RNG.integers(0, 4, 300)
PREDICTED = np.where(RNG.random(300) < 0.6, GOLD, RNG.integers(0, 4, 300))


@pytest.fixture
def sklearn_metrics():
    return pytest.importorskip("sklearn.metrics")


def count(gold, predicted, n_classes):
    return corpus.confusions(gold, predicted, n_classes=n_classes).sum(axis=-1)


AVERAGED = {
    corpus.f1: ("f1_score", "micro"),
    corpus.precision: ("precision_score", "micro"),
    corpus.recall: ("recall_score", "micro"),
    corpus.macro_f1: ("f1_score", "macro"),
}


class TestScikitLearn:
    @pytest.mark.parametrize("function", AVERAGED, ids=lambda x: x.__name__)
    def test_averages(self, sklearn_metrics, function):
        name, average = AVERAGED[function]
        expected = getattr(sklearn_metrics, name)(GOLD, PREDICTED, average=average)
        assert function(*count(GOLD, PREDICTED, 4)) == pytest.approx(
            expected, rel=1e-12
        )

    def test_accuracy(self, sklearn_metrics):
        expected = sklearn_metrics.accuracy_score(GOLD, PREDICTED)
        assert corpus.accuracy(*count(GOLD, PREDICTED, 4)) == expected

    def test_one_class_among_two(self, sklearn_metrics):
        """Of positive items the columns of the second class are enough."""
        gold, predicted = GOLD % 2, PREDICTED % 2
        sums = count(gold, predicted, 2)[1::2]
        for name in ("f1", "precision", "recall"):
            expected = getattr(sklearn_metrics, f"{name}_score")(gold, predicted)
            assert getattr(corpus, name)(*sums) == pytest.approx(expected, rel=1e-12)
        tp, fp, fn = sums
        four = tp, fp, fn, 300 - tp - fp - fn
        expected = sklearn_metrics.matthews_corrcoef(gold, predicted)
        assert corpus.matthews_correlation(*four) == pytest.approx(expected, rel=1e-12)
        expected = sklearn_metrics.accuracy_score(gold, predicted)
        assert corpus.accuracy(*four) == pytest.approx(expected, rel=1e-12)

    @pytest.mark.parametrize("n_classes", [2, 3, 4])
    def test_matthews_correlation(self, sklearn_metrics, n_classes):
        gold, predicted = GOLD % n_classes, PREDICTED % n_classes
        expected = sklearn_metrics.matthews_corrcoef(gold, predicted)
        found = corpus.matthews_correlation(*count(gold, predicted, n_classes))
        assert found == pytest.approx(expected, rel=1e-12)

    def test_a_class_without_items_counts_0(self, sklearn_metrics):
        gold, predicted = np.minimum(GOLD, 2), np.minimum(PREDICTED, 2)
        expected = sklearn_metrics.f1_score(
            gold, predicted, average="macro", labels=range(4), zero_division=0
        )
        found = corpus.macro_f1(*count(gold, predicted, 4))
        assert found == pytest.approx(expected, rel=1e-12)
        assert found < 0.75

    @pytest.mark.filterwarnings("ignore:A single label was found")
    @pytest.mark.parametrize("other", [PREDICTED, np.zeros(300, int)])
    def test_matthews_correlation_with_one_class_is_0(self, sklearn_metrics, other):
        zeros = np.zeros(300, int)
        for gold, predicted in ((zeros, other), (other, zeros)):
            assert sklearn_metrics.matthews_corrcoef(gold, predicted) == 0.0
            assert corpus.matthews_correlation(*count(gold, predicted, 4)) == 0.0


def test_two_sums_are_enough_for_precision_and_recall():
    rng = np.random.default_rng(0)
    tp, fp, fn = rng.integers(1, 50, (3, 7))
    np.testing.assert_array_equal(
        corpus.precision(tp, fp), corpus.precision(tp, fp, fn)
    )
    np.testing.assert_array_equal(corpus.recall(tp, fn), corpus.recall(tp, fp, fn))
    np.testing.assert_allclose(corpus.recall(tp, fn), tp / (tp + fn), rtol=1e-15)
    with pytest.raises(ValueError, match="tp, fp and fn"):
        corpus.f1(3.0, 1.0)


def test_rates_of_nothing_are_nan():
    for function in (corpus.f1, corpus.precision, corpus.recall):
        assert np.isnan(function(0, 0, 0))
    assert np.isnan(corpus.accuracy(0, 0, 0, 0))
    assert corpus.macro_f1(0, 0, 0) == 0.0


class TestConfusions:
    def test_they_are_of_each_item(self):
        found = corpus.confusions(GOLD, PREDICTED, n_classes=4)
        assert found.shape == (12, 300)
        for k in range(4):
            is_gold, is_predicted = k == GOLD, k == PREDICTED
            np.testing.assert_array_equal(found[k], is_gold & is_predicted)
            np.testing.assert_array_equal(found[4 + k], ~is_gold & is_predicted)
            np.testing.assert_array_equal(found[8 + k], is_gold & ~is_predicted)

    def test_leading_axes_broadcast(self):
        systems = np.stack([PREDICTED, GOLD, PREDICTED[::-1]])
        found = corpus.confusions(GOLD, systems, n_classes=4)
        assert found.shape == (3, 12, 300)
        for x, predicted in zip(found, systems, strict=True):
            expected = corpus.confusions(GOLD, predicted, n_classes=4)
            np.testing.assert_array_equal(x, expected)

    @pytest.mark.parametrize("label", [-1, 4, 0.5, np.nan])
    def test_what_is_no_class_is_nan(self, label):
        found = corpus.confusions([0, 1, label], [0, 1, 1], n_classes=4)
        assert np.isnan(found).tolist() == [[False, False, True]] * 12
        found = corpus.confusions([0, 1, 1], [label, 1, 1], n_classes=4)
        assert np.isnan(found).tolist() == [[True, False, False]] * 12

    def test_other_numbers_of_items(self):
        with pytest.raises(ValueError, match=r"same items.*\(3,\) and \(2,\)"):
            corpus.confusions([0, 1, 2], [0, 1], n_classes=4)

    def test_one_class(self):
        with pytest.raises(ValueError, match="n_classes"):
            corpus.confusions([0], [0], n_classes=1)

    def test_texts(self):
        with pytest.raises(TypeError, match="labels"):
            corpus.confusions(["a"], ["a"], n_classes=2)


@pytest.mark.parametrize(
    ("function", "n_sums"),
    [
        (corpus.f1, 4),
        (corpus.f1, 0),
        (corpus.macro_f1, 5),
        (corpus.macro_f1, 0),
        (corpus.accuracy, 3),
        (corpus.accuracy, 5),
        (corpus.matthews_correlation, 3),
    ],
)
def test_other_numbers_of_sums(function, n_sums):
    with pytest.raises(ValueError, match=f"Expected .*; got {n_sums} sums"):
        function(*[1.0] * n_sums)
