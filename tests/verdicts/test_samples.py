"""Samples of scores that are drawn for power."""

import numpy as np
import pytest

from sigarray._verdicts.by_orders import OrderTest
from sigarray._verdicts.samples import Trials

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
