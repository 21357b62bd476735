"""NumPy's own ways, which give the bits of NumPy's functions."""

import contextlib
import threading
import warnings

import numpy as np
import pytest

from sigarray import aso, multi_aso, t_test, violation_ratio
from sigarray._backend.of_numpy import _MAX_TABLES, HOST, _keep_tables
from tests.backends import without_engine


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "bool"])
@pytest.mark.parametrize("shape", [(300, 2), (7, 30, 5), (100, 7), (90, 8), (3,)])
def test_reductions_are_numpys(shape, dtype):
    rng = np.random.default_rng(0)
    x = rng.normal(size=shape)
    x[rng.random(shape) < 0.2] = -0.0
    if dtype.startswith("float"):
        x[rng.random(shape) < 0.01] = np.nan
    x = x.astype(dtype)
    for name in ("sum", "mean", "max", "min"):
        for options in ({"axis": -1}, {"axis": -1, "keepdims": True}, {"axis": 0}, {}):
            found = getattr(HOST, name)(x, **options)
            expected = getattr(np, name)(x, **options)
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(found, expected)
            if name in ("sum", "mean"):
                np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))


def _build(xp, n):
    return xp.arange(n), None


def test_tables_are_kept_and_cannot_be_written():
    first, nothing = HOST.kept_tables(_build, 3)
    assert nothing is None
    assert HOST.kept_tables(_build, 3)[0] is first
    with pytest.raises(ValueError, match="read-only"):
        first += 1


def test_few_tables_are_kept_whoever_asks():
    def ask(start):
        for n in range(start, start + 2 * _MAX_TABLES):
            assert len(HOST.kept_tables(_build, n)[0]) == n

    threads = [threading.Thread(target=ask, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert _keep_tables.cache_info().currsize <= _MAX_TABLES


@pytest.mark.parametrize("context", [contextlib.nullcontext, without_engine])
def test_the_layout_of_memory_moves_no_bit(context):
    """NumPy adds up numbers in another order where they are in another in memory."""
    rng = np.random.default_rng(0)
    for _ in range(30):
        x = rng.normal(size=(4, 5)).T + 0.3
        with context():
            first, second = (
                [violation_ratio(y[:1], y), *aso(y[:1], y, rng=0), *multi_aso(y, rng=0)]
                for y in (x, np.ascontiguousarray(x))
            )
        for found, expected in zip(first, second, strict=True):
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("dtype", ["int16", "int32", "int64", "uint64"])
@pytest.mark.parametrize(
    "most", [9, 300, 2**15 - 1, 2**15, 2**16 - 1, 2**16, 2**31 - 1]
)
def test_integers_are_sorted_in_a_stable_way(dtype, most):
    """Those of 16 bits by their digits."""
    most = min(most, np.iinfo(dtype).max)
    x = np.random.default_rng(0).integers(0, most, (3, 500), endpoint=True, dtype=dtype)
    for y in (x, x[:, :0], x - np.array(1, dtype) if np.iinfo(dtype).min else x):
        for axis in (-1, 0):
            if y.shape[axis]:
                found = HOST.argsort(y, axis=axis)
                np.testing.assert_array_equal(found, np.argsort(y, axis, stable=True))


def test_integers_that_float64_rounds_are_doubted():
    """Up to 2^53 it has all of them; values on a device are not looked at."""
    most = np.asarray([2**53, 2**53 - 1, -(2**53), 5])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        t_test(most, np.arange(4, dtype=np.int32))
        assert HOST.float_of_integers(np.asarray([True, False])).tolist() == [1.0, 0.0]
    for beyond in (most + 1, -most - 1, abs(most).astype(np.uint64) + np.uint64(1)):
        with pytest.warns(UserWarning, match="integers beyond 2.53, which float64"):
            t_test(beyond, beyond % 7)
