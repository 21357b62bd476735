"""Runs that have all scores of another one: told where chance does not explain it."""

import numpy as np
import pytest

from sigarray import read


def make(seed, *, tasks=5, steps=1, digits=4, sd=2.0, copy=None, walk=False):
    """Five runs of two models; some (model, run) has the scores of another one."""
    draw = np.random.default_rng(seed)
    scores = 50 + draw.normal(0, sd, (2, 5, tasks, steps))
    if walk:
        scores = np.cumsum(scores - 50, axis=-1)
    scores = np.round(scores + 10 * np.arange(tasks)[:, None], digits)
    if copy:
        (m, k), (other, run) = copy
        scores[m, k] = scores[other, run]
    return "\n".join(
        [
            "model,seed,task,step,acc",
            *(
                f"{'ab'[m]},s{k},t{t},{s},{scores[m, k, t, s]:.{digits}f}"
                for m, k, t, s in np.ndindex(scores.shape)
            ),
        ]
    )


def list_said(path):
    doubts = read.scores(path).doubts
    return [x for x in doubts if "the same scores everywhere" in x]


@pytest.mark.parametrize("copy", [((0, 4), (0, 1)), ((1, 3), (0, 2))])
@pytest.mark.parametrize("shape", [(5, 1), (1, 20), (3, 3)])
def test_a_copy_is_named(write, copy, shape):
    tasks, steps = shape
    (doubt,) = list_said(write(make(0, tasks=tasks, steps=steps, copy=copy)))
    for m, k in copy:
        assert f"run 's{k}' of '{'ab'[m]}'" in doubt
    assert list_said(write(make(0, tasks=tasks, steps=steps))) == []


def test_few_digits_are_equal_by_chance(write):
    """Of single scores, and of counts of few levels, nothing can be said."""
    copy = ((0, 4), (0, 1))
    assert list_said(write(make(0, tasks=1, copy=copy))) == []
    assert list_said(write(make(0, tasks=4, digits=0, sd=0.6, copy=copy))) == []
    for seed in range(20):
        assert list_said(write(make(seed, tasks=2, digits=1))) == []
