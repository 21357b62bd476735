"""Results show themselves in notebooks: numbers that a person asked to see."""

import re

import numpy as np
import pytest

from sigarray import aso, bootstrap_ci, compare, rank_ci, read, t_test
from sigarray._response_results import Study
from sigarray.results import Ranking
from tests.backends import find_lack

RNG = np.random.default_rng(0)
A, B = RNG.normal(0.5, 1.0, (25, 8)), RNG.normal(0.0, 1.0, (25, 8))


def read_rows(shown):
    rows = re.findall(r"<tr>(.*?)</tr>", shown)
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]


def test_a_single_result():
    result = t_test(A[0], B[0])
    header, row = read_rows(result._repr_html_())
    assert header == list(result._fields)
    assert row == [f"{float(x):.4g}" for x in result]


def test_results_within_a_result_have_its_name():
    header, row = read_rows(compare(A[0], B[0], rng=0)._repr_html_())
    assert {"summary_a.mean", "aso_b_over_a.eps_min"} <= set(header)
    assert len(header) == len(row) == 23
    header, _ = read_rows(bootstrap_ci(A[0], B[0], rng=0)._repr_html_())
    assert header[1:3] == ["confidence_interval.low", "confidence_interval.high"]


def test_a_batch_shows_its_first_entries():
    shown = aso(A, B, rng=0, n_resamples=99)._repr_html_()
    header, *rows = read_rows(shown)
    assert header[0] == ""
    assert [row[0] for row in rows] == [f"[{k}]" for k in range(20)]
    assert "and 5 more" in shown


def test_traced_arrays_have_no_numbers_to_show():
    if lack := find_lack("jax"):
        pytest.skip(lack)
    import jax

    shown = []

    def test(a, b):
        result = t_test(a, b)
        shown.append(result._repr_html_())
        return result.pvalue

    jax.jit(test)(A[0], B[0])
    assert shown == [None]


def test_ranks_have_a_row_for_each_model():
    scores = [[0.1, 0.2, 0.3], [0.9, 0.8, 0.9]]
    header, *rows = read_rows(rank_ci(scores, rng=0, n_resamples=99)._repr_html_())
    assert header == ["", "rank", "low", "high", "probability_1", "probability_2"]
    assert rows == [["[0]", "2", "2", "2", "0", "1"], ["[1]", "1", "1", "1", "1", "0"]]


def test_scores_have_a_row_for_each_model_and_task():
    rng = np.random.default_rng(0)
    scores = {name: rng.random(5) for name in ("a<b", "c")}
    import pandas as pd

    shown = read.scores(pd.DataFrame(scores), unit="run")._repr_html_()
    header, *rows = read_rows(shown)
    assert header == ["model", "runs", "mean"]
    means = [f"{np.mean(x):.4g}" for x in scores.values()]
    assert rows == [["a&lt;b", "5", means[0]], ["c", "5", means[1]]]
    long = [
        {"task": f"t{k}", "model": m, "seed": s, "score": rng.random()}
        for k in range(12) for m in "ab" for s in range(3)
    ]  # fmt: skip
    shown = read.scores(pd.DataFrame(long))._repr_html_()
    header, *rows = read_rows(shown)
    assert header == ["task", "model", "runs", "mean"]
    assert [x[:3] for x in rows[:2]] == [["t0", "a", "3"], ["t0", "b", "3"]]
    assert "and 4 more" in shown


def test_rankings_and_studies():
    ranking = Ranking(("a", "b"), (("b",), ()), (("a",), ("b",)))
    assert read_rows(ranking._repr_html_()) == [
        ["model", "beats"],
        ["a", "b"],
        ["b", ""],
    ]
    study = Study(np.full((1, 2, 1, 1), 0.5), np.full((1, 2, 1, 1), 0.25))
    header, *rows = read_rows(study._repr_html_())
    assert header == ["", "estimated_pvalue", "true_pvalue"]
    assert rows == [[f"[0, {k}, 0, 0]", "0.5", "0.25"] for k in range(2)]
