"""Arrays that NumPy saved."""

import numpy as np
import pytest

from sigarray import read
from sigarray.read import TableError
from tests.read.long_tables import as_lists

DRAW = np.random.default_rng(0)


@pytest.fixture
def save(tmp_path):
    def save(**arrays):
        np.savez(tmp_path / "t.npz", **arrays)
        return tmp_path / "t.npz"

    return save


def test_an_array_for_each_model(save):
    arrays = {"a": DRAW.random(4), "b": DRAW.random(5)}
    expected = {name: x.tolist() for name, x in arrays.items()}
    assert as_lists(read.scores(save(**arrays))) == {"": expected}
    with pytest.raises(TableError, match=r"got nan"):
        read.scores(save(a=np.asarray([0.5, np.nan]), b=np.asarray([0.5, 0.6])))


def test_runs_and_tasks_as_rliable_has_them(save):
    arrays = {name: DRAW.random((3, 2)) for name in "ab"}
    with pytest.raises(TableError, match=r"key2 is '1', '2', '3'; key3 is '1', '2'"):
        read.scores(save(**arrays))
    table = read.scores(save(**arrays), model="key1", run="key2", task="key3")
    for k, task in enumerate(("1", "2")):
        for name, x in arrays.items():
            assert np.array_equal(table.tasks[task][name], x[:, k])


def test_what_is_refused(save, tmp_path):
    np.save(tmp_path / "t.npy", DRAW.random(3))
    with pytest.raises(TableError, match=r"a name for each array; .* np.savez\("):
        read.scores(tmp_path / "t.npy")
    np.save(tmp_path / "d.npy", {"a": DRAW.random(3)}, allow_pickle=True)
    with pytest.raises(TableError, match=r"objects of Python.*allow_pickle=True\)"):
        read.scores(tmp_path / "d.npy")
    with pytest.raises(TableError, match=r"'b' of shape \(2,\) and dtype <U1"):
        read.scores(save(a=DRAW.random(2), b=np.asarray(["x", "y"])))
    with pytest.raises(TableError, match=r"as many axes, three at most; got a \(2,\)"):
        read.scores(save(a=DRAW.random(2), b=DRAW.random((2, 2))))
    (tmp_path / "bad.npz").write_bytes(b"PK")
    with pytest.raises(TableError, match=r"expected arrays of numbers; got"):
        read.scores(tmp_path / "bad.npz")
