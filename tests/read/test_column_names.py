"""Columns that are computed from others, by their values."""

import itertools

import numpy as np
import pytest

from sigarray.read._column_names import refuse_functions
from tests.read.asking import refuse

COMPUTED = {
    "the difference of 'a', 'b'": lambda x: x[0] - x[1],
    "the ratio of 'b', 'a'": lambda x: x[1] / x[0],
    "the mean of 'a', 'c'": lambda x: (x[0] + x[2]) / 2.0,
    "the mean of 'a', 'b', 'c'": lambda x: x.mean(axis=0),
}


@pytest.mark.parametrize(("said", "function"), COMPUTED.items())
def test_columns_that_are_computed_from_others(write, run, said, function):
    rng = np.random.default_rng(0)
    x = rng.normal(0.85, 0.01, (3, 5))
    columns = np.vstack([x, function(x)]).round(4).T
    path = write(
        "\n".join(["a,b,c,combined", *(",".join(map(str, y)) for y in columns)])
    )
    refuse(run("compare", path), f"'combined', {said} in all", "--ignore combined")
    assert run("compare", path, "--columns", "a,b,c,combined")[0] == 0


@pytest.mark.long
def test_models_are_seldom_computed_from_others():
    rng = np.random.default_rng(1)
    for n, k, _ in itertools.product((3, 5, 20), (3, 6), range(30)):
        shared = rng.normal(0.85, 0.02, n) + rng.normal(0.0, 0.002, (k, n))
        marks = rng.integers(0, 2, (k, n)).astype(float)
        ratings = rng.integers(1, 6, (k, n)).astype(float)
        for x in (shared.round(2), shared.round(3), shared, marks, ratings, 20 * marks):
            refuse_functions("t", {str(i): y for i, y in enumerate(x)})
