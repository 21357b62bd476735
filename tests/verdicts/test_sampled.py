"""Calls in Python whose items are in clusters."""

import numpy as np
import pytest

from sigarray import compare_models, t_test
from tests.cli.test_clusters import N_CLUSTERS, draw


class TestCallsInPython:
    """`compare_models(..., clusters=)`."""

    def test_arrays_have_labels(self):
        cluster, scores = draw()
        result = compare_models(scores, clusters=cluster, test="t")
        for pair in result.records:
            a, b = (scores[pair[f"model_{x}"]] for x in "ab")
            expected = t_test(a, b, paired=True, clusters=cluster).pvalue
            assert pair["pvalue"] == pytest.approx(float(expected), rel=1e-9)
        by_name = compare_models(scores, clusters=[f"d{x}" for x in cluster], test="t")
        assert by_name.records == result.records

    def test_sums_of_clusters(self):
        """The means stay those of items."""
        cluster, scores = draw()
        result = compare_models(scores, clusters=cluster, unit="cluster", test="t")
        assert result.table.unit == "cluster"
        for name, x in result.table.scores.items():
            assert len(x) == N_CLUSTERS
            assert x.mean() == pytest.approx(scores[name].mean())

    def test_a_column_of_a_frame(self):
        pd = pytest.importorskip("pandas")
        cluster, scores = draw()
        frame = pd.concat(
            pd.DataFrame(
                {"model": m, "item": range(len(x)), "doc": cluster, "score": x}
            )
            for m, x in scores.items()
        )
        result = compare_models(frame, clusters="doc", test="t")
        expected = compare_models(scores, clusters=cluster, test="t")
        for x, y in zip(result.records, expected.records, strict=True):
            assert x["pvalue"] == pytest.approx(y["pvalue"], rel=1e-9)

    def test_names_of_items_join_labels(self):
        pd = pytest.importorskip("pandas")
        cluster, scores = draw()
        names = [f"q{k}" for k in range(len(cluster))]
        series = {m: pd.Series(x, index=names) for m, x in scores.items()}
        labels = pd.Series(cluster, index=names).sample(frac=1.0, random_state=0)
        result = compare_models(series, clusters=labels, test="t")
        expected = compare_models(scores, clusters=cluster, test="t")
        for x, y in zip(result.records, expected.records, strict=True):
            assert x["pvalue"] == pytest.approx(y["pvalue"], rel=1e-9)
        with pytest.raises(ValueError, match=r"206 labels without names\. Items with"):
            compare_models(series, clusters=cluster, test="t")
        other = pd.Series(cluster, index=[f"x{k}" for k in range(len(cluster))])
        with pytest.raises(ValueError, match="index differs from that of the items: "):
            compare_models(series, clusters=other, test="t")
        with pytest.raises(ValueError, match="Items with names need labels with them"):
            compare_models(series, clusters=other[1:], test="t")

    def test_items_that_are_left_out(self):
        cluster, scores = draw(n_models=2)
        lost = {m: x.copy() for m, x in scores.items()}
        lost["m0"][[3, 50]] = np.nan
        result = compare_models(lost, clusters=cluster, test="t", missing="drop")
        kept = np.delete(np.arange(len(cluster)), [3, 50])
        a, b = (x[kept] for x in scores.values())
        expected = t_test(a, b, paired=True, clusters=cluster[kept]).pvalue
        assert result.records[0]["pvalue"] == pytest.approx(float(expected), rel=1e-9)

    @pytest.mark.parametrize(
        ("labels", "options", "said"),
        [
            (lambda x: x[1:], {}, "Expected a cluster for each of"),
            (lambda x: [None, *x[1:]], {}, "each item; got None"),
            (lambda x: {"x": x}, {}, "clusters of every task; got none of ''"),
            (lambda x: x * 0, {}, "two clusters or more; got all"),
            (
                lambda x: x,
                {"test": "aso"},
                "or with labels in Python, unit='cluster' compares",
            ),
            (lambda x: x, {"test": "aso"}, "test='permutation' or test='t' of items"),
        ],
    )
    def test_labels_that_do_not_suit(self, labels, options, said):
        cluster, scores = draw()
        with pytest.raises(ValueError, match=said):
            compare_models(scores, clusters=labels(cluster), **options)
