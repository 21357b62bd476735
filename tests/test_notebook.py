"""Results show themselves in notebooks: numbers that a person asked to see."""

import re

import numpy as np
import pytest

from sigarray import aso, bootstrap_ci, compare, rank_ci, t_test
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
