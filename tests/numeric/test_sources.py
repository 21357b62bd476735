"""Scores that are not held: arrays, files, functions; what is none of these."""

import itertools

import numpy as np
import pytest

from sigarray import aso_from_chunks, order_statistics
from sigarray._numeric.sources import (
    column_names,
    find_dtype,
    list_parts,
    read_blocks,
)
from tests.numeric.chunks import draw


def read(source, dtype, size=10**6):
    parts = list_parts(source, size)
    return [[*read_blocks(part, np.dtype(dtype))] for part in parts]


@pytest.mark.parametrize("kind", ["float32", "float64", ">f4", "int16", "bool"])
def test_arrays_and_files_have_parts_of_a_size(tmp_path, kind):
    scores = np.random.default_rng(0).integers(0, 2, 1003).astype(kind)
    np.save(tmp_path / "x.npy", scores)
    wide = "float32" if kind in ("float32", ">f4") else "float64"
    for source in (scores, tmp_path / "x.npy", str(tmp_path / "x.npy")):
        assert find_dtype(list_parts(source)) == wide
        parts = read(source, wide, 400)
        assert [sum(map(len, part)) for part in parts] == [400, 400, 203]
        found = np.concatenate([block for part in parts for block in part])
        assert found.dtype == wide
        np.testing.assert_array_equal(found, scores.astype(wide))


def test_many_scores_are_read_block_by_block():
    scores = np.arange(150_000.0)
    (blocks,) = read(scores, "float64")
    assert len(blocks) == 3
    np.testing.assert_array_equal(np.concatenate(blocks), scores)


def test_a_long_file_is_read_some_at_a_time(tmp_path):
    """A million scores at a time, beside which others are in the file."""
    scores = np.random.default_rng(0).integers(-99, 99, 2_200_000, dtype=np.int8)
    np.save(tmp_path / "x.npy", scores)
    parts = read(tmp_path / "x.npy", "float64", 1_500_000)
    found = np.concatenate([block for part in parts for block in part])
    np.testing.assert_array_equal(found, scores)


@pytest.mark.parametrize("end", ["parquet", "arrow"])
def test_groups_of_rows_are_parts(tmp_path, end):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.feather
    import pyarrow.parquet

    path, scores = tmp_path / f"x.{end}", np.arange(300.0)
    table = pa.table({"loss": scores, "other": -scores})
    if end == "parquet":
        pyarrow.parquet.write_table(table, path, row_group_size=130)
    else:
        pyarrow.feather.write_feather(
            table, path, compression="uncompressed", chunksize=130
        )
    parts = read((path, "loss"), "float64")
    assert [sum(map(len, part)) for part in parts] == [130, 130, 40]
    found = np.concatenate([block for part in parts for block in part])
    np.testing.assert_array_equal(found, scores)
    assert column_names(path) == ["loss", "other"]


def test_a_function_is_one_part_that_is_called_anew():
    calls = itertools.count()
    (blocks,) = read(lambda: [[1.0, 2.0], np.full(2, next(calls))], "float64")
    assert np.concatenate(blocks).tolist() == [1.0, 2.0, 0.0, 0.0]


def test_an_index_of_pandas_is_no_model(tmp_path):
    pd = pytest.importorskip("pandas")
    seeds = pd.Index(np.random.default_rng(1).permutation(60), name="seed")
    frame = pd.DataFrame({"a": draw("normal", 60)}, seeds)
    frame.to_parquet(tmp_path / "frame.parquet")
    found = order_statistics(tmp_path / "frame.parquet", [0, 59])
    np.testing.assert_array_equal(found, [frame["a"].min(), frame["a"].max()])


def test_impossible_sources(tmp_path):
    pytest.importorskip("pyarrow")
    import pyarrow as pa
    import pyarrow.parquet

    a = draw("normal", 50)
    path = tmp_path / "two.parquet"
    pyarrow.parquet.write_table(pa.table({"x": [1.0, None], "y": ["a", "b"]}), path)
    np.save(tmp_path / "x.npy", np.ones((3, 2)))
    twice = tmp_path / "twice.parquet"
    columns = pa.Table.from_arrays([pa.array([1.0])] * 2, names=["x", "x"])
    pyarrow.parquet.write_table(columns, twice)
    with pa.OSFile(str(tmp_path / "stream.arrow"), "wb") as file:
        pa.ipc.new_stream(file, columns.schema).close()
    masked = np.ma.array(a, mask=a > 0.0)
    calls = itertools.count()
    for source, error, words in (
        ([1.0, 2.0], TypeError, "NumPy array, a path .*list"),
        (np.ones((2, 3)), ValueError, r"one axis; got shape \(2, 3\)"),
        (tmp_path / "x.npy", ValueError, r"one axis; got shape \(3, 2\)"),
        (tmp_path / "no.npy", FileNotFoundError, "no.npy"),
        (tmp_path / "no.parquet", FileNotFoundError, "no.parquet"),
        ("scores.csv", ValueError, "ends with .npy, .parquet or .arrow; got scores"),
        (path, ValueError, r"columns of .*'x', 'y'; got no column. Pass \(path"),
        ((path, "z"), ValueError, "'x', 'y'; got 'z'"),
        ((tmp_path / "x.npy", "z"), ValueError, "no column for .*x.npy"),
        ((path, "x"), ValueError, "row of column 'x'; got 1 row without"),
        ((path, "y"), TypeError, "real numbers in column 'y'; got (large_)?string"),
        (twice, ValueError, "each column of .*twice.parquet once; got 'x' twice"),
        (tmp_path / "stream.arrow", ValueError, "A stream, as Hugging Face"),
        (masked, TypeError, "scores without a mask"),
        (lambda: [masked], TypeError, "scores without a mask"),
        (np.ones(3, complex), TypeError, "got dtype complex128"),
        (list, ValueError, "one score or more; got none"),
        (lambda: iter([a[:0]]), ValueError, "one score or more; got none"),
        (lambda: [a.astype("float32"), a], TypeError, "all chunks to have dtype"),
        (lambda: [a[: 20 + next(calls)]], ValueError, "the same scores in every pass"),
    ):
        with pytest.raises(error, match=words):
            order_statistics(source, [0])
    for ranks, error in (([50], ValueError), ([-1], ValueError), ([0.5], TypeError)):
        with pytest.raises(error, match="Expected ranks"):
            order_statistics(a, ranks)
    with pytest.raises(TypeError, match="read from the disk; got 'x'"):
        order_statistics(a, [0], workers="x")
    with pytest.raises(ValueError, match="dt"):
        aso_from_chunks(a, a, dt=2.0)
