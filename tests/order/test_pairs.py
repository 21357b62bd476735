"""Pairs of models by shifts: every pair once, however many are computed at a time."""

import itertools
import warnings

import numpy as np
import pytest

from sigarray import aso, multi_aso, violation_ratio
from sigarray._order import pairs
from sigarray._order.stacks import Plan, plan_errors
from tests.backends import ONE_WIDTH, everywhere
from tests.chosen import few_on_jax


def pairs_of(block, n, m):
    """Name the models of all pairs, as `map_block` orders them."""
    is_within = block[0] == block[1]
    count = n * (n - 1) // 2 if is_within else n * m
    return [(p % n, (p % n + p // n + is_within) % m) for p in range(count)]


@pytest.mark.parametrize("n", [2, 3, 4, 7, 8])
@pytest.mark.parametrize("m", [None, 1, 2, 3, 9])
def test_every_pair_is_there_once(n, m):
    block = (0, 0) if m is None else (0, 1)
    found = pairs_of(block, n, n if m is None else m)
    if m is None:
        expected = itertools.combinations(range(n), 2)
        found = map(sorted, found)
    else:
        expected = itertools.product(range(n), range(m))
    assert sorted(map(tuple, found)) == sorted(expected)


@few_on_jax(
    "n, m, at_once",
    [
        (*x, k)
        for x in ((2, None), (5, None), (6, None), (3, 5), (5, 2))
        for k in (1, 2, 3, 5, 12, 1000)
    ],
    few=[(6, None, 2), (3, 5, 1), (5, 2, 1000)],
    backends=ONE_WIDTH,
)
def test_parts_are_the_whole(backend, n, m, at_once):
    """By rows and by several shifts at once, with what belongs to the pairs."""
    rng = np.random.default_rng(0)
    stacks = [rng.normal(size=(2, k, 4)) for k in (n, m or 1)]
    block = (0, 0) if m is None else (0, 1)
    models = pairs_of(block, n, m or n)
    own = rng.normal(size=(2, len(models)))
    # Of two batch entries.
    elements = backend.library.chunk_elements // (2 * at_once)
    result = pairs.map_block(
        backend.library,
        [backend.asarray(x) for x in stacks],
        block,
        lambda x, y, z: backend.xp.sum(x * y, axis=-1) + 2.0 * z,
        backend.asarray(own),
        elements=elements,
    )
    x, y = (stacks[place] for place in block)
    expected = [(x[:, i] * y[:, j]).sum(-1) for i, j in models] + 2.0 * own.T
    np.testing.assert_allclose(
        backend.to_numpy(result), expected.T, atol=10.0 * backend.atol
    )


@pytest.mark.parametrize("method", ["bootstrap", "exact", "asymptotic"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_size_of_another_model_moves_nothing(method, dtype):
    """Scores are brought to one unit, so that squares keep their bits."""
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(3, 4)).astype(dtype)
    huge = scores[:1] * dtype(1e15)
    options = {"method": method, "n_resamples": 50, "rng": 0, "correction": None}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of few scores
        alone = multi_aso(scores, **options)
        beside = multi_aso(np.concatenate([scores, huge]), **options)
    for found, expected in zip(beside, alone, strict=True):
        # Up to the order in which the two of a pair are subtracted.
        np.testing.assert_allclose(
            found[:3, :3], expected, rtol=20 * np.finfo(dtype).eps
        )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_huge_score_in_an_entry_changes_no_other(dtype):
    """With one scale for all entries, eps_min of the others was 0.5 or more."""
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(4, 8)).astype(dtype) + 1, rng.normal(size=8).astype(dtype)
    huge = a.copy()
    huge[2, 3] = np.finfo(dtype).min
    for pair in ((huge, b), (b, huge), (huge[:, None], np.stack([b, b + 1]))):
        found = aso(*pair, rng=0, n_resamples=50)
        usual = (np.where(x == huge[2, 3], dtype(0), x) for x in pair)
        expected = aso(*usual, rng=0, n_resamples=50)
        for value, alone in zip(found, expected, strict=True):
            others = np.delete(value, 2, axis=0)
            np.testing.assert_array_equal(others, np.delete(alone, 2, axis=0))
    tables = np.stack([a, a + 0.1], axis=-1)
    far = np.where(np.arange(4)[:, None, None] == 2, dtype(1e30), dtype(1)) * tables
    found, expected = (
        aso(x, tables[0] - 1, axis=(-2, -1), rng=0, n_resamples=50)
        for x in (far, tables)
    )
    for value, alone in zip(found, expected, strict=True):
        assert np.delete(value, 2) == pytest.approx(np.delete(alone, 2), rel=1e-5)


@pytest.mark.parametrize("n", [6, 24])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_huge_score_of_one_model_changes_no_other(dtype, n):
    """A and B could not be told apart: eps_min was 0.5, and p was 1."""
    a = np.linspace(0.9, 0.95, n).astype(dtype)
    b, failed = a - dtype(0.1), a - dtype(0.2)
    failed[0] = np.finfo(dtype).min
    wide = [np.append(x, x[-1:]) for x in (b, failed)]
    for models in ([a, b, failed], [a, *wide, failed], [a, failed, failed + 0, b]):
        found = multi_aso(models, rng=0, n_resamples=50)
        # 2^12 is nothing to squares of 2^40.
        usual = [np.where(np.abs(x) > 1.0, dtype(-(2.0**40)), x) for x in models]
        expected = multi_aso(usual, rng=0, n_resamples=50)
        for value, known in zip(found, expected, strict=True):
            np.testing.assert_allclose(value, known, rtol=1e-5, atol=1e-20)
    batch = np.stack([np.stack([a, b, failed]), np.stack([a, b, b]), [a * np.nan] * 3])
    together = multi_aso(batch, rng=0, n_resamples=50)
    assert together.eps_min[0, 0, 1] == 0.0
    assert together.pvalue[0, 0, 1] < 0.05
    for k, models in enumerate(batch):
        alone = multi_aso(models, rng=0, n_resamples=50)
        for value, known in zip(together, alone, strict=True):
            np.testing.assert_allclose(value[k], known, rtol=1e-6)


def test_several_huge_scores_are_doubted():
    a = np.linspace(0.9, 0.95, 6, dtype=np.float32)
    failed = a - np.float32(0.2)
    failed[:2] = -3e38, -1e30
    with pytest.warns(UserWarning, match=r"from 0 as 3e\+38 .* leave them out"):
        multi_aso([a, a - np.float32(0.1), failed], rng=0)
    assert aso(a, failed, rng=0).violation_ratio == 0.0
    zero = np.zeros(6, dtype=np.float32)
    multi_aso([a, zero, np.float32(1e30) * a], rng=0)
    multi_aso([[*a, np.nan], [*failed, np.inf], [0.9] * 3], rng=0)


@everywhere
def test_any_size_gives_the_same_ratio(backend):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 12)).astype(np.float32)
    largest = float(backend.xp.finfo(backend.xp.float32).max)
    expected = aso(backend.asarray(a, "float32"), backend.asarray(b, "float32"), rng=0)
    for unit in (2.0**-100, 2.0**-60, 2.0**60, 2.0**120):
        assert abs(a * unit).max() < largest
        scaled = [backend.asarray(x * np.float32(unit), "float32") for x in (a, b)]
        for found, value in zip(aso(*scaled, rng=0), expected, strict=True):
            assert float(found) == float(value)


def test_what_is_small_beside_the_scores_is_seen():
    for dtype, tiny in ((np.float32, 1e-24), (np.float64, 1e-240)):
        a, b = np.asarray([[0.0, 1.0], [tiny, 1.0]], dtype)
        assert violation_ratio(a, b) == 1.0
        assert violation_ratio(b, a) == 0.0


def test_auto_weighs_the_number_of_pairs():
    """Resamples of five scores are enumerated for up to 46 models."""
    for n_models, method in ((2, "exact"), (46, "exact"), (47, "bootstrap")):
        stacks = [np.zeros((n_models, 5))]
        assert plan_errors(stacks, "auto", None) == (Plan(method, None),)
    stacks = [np.zeros((46, 5)), np.zeros((1, 4))]
    plans = plan_errors(stacks, "auto", None)
    assert [plan.method for plan in plans] == ["bootstrap", "exact"]
