"""Data frames of any library, and tables of Arrow."""

import pytest

from sigarray import read
from sigarray.read import TableError
from tests.read.long_tables import EXPECTED, ROWS, as_lists

RECORDS = [dict(zip(("model", "task", "seed", "score"), x, strict=True)) for x in ROWS]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_data_frames(library):
    columns = {name: [x[name] for x in RECORDS] for name in RECORDS[0]}
    if library == "pyarrow":
        data = pytest.importorskip("pyarrow").table(columns)
    else:
        data = pytest.importorskip(library).DataFrame(columns)
    assert as_lists(read.scores(data)) == EXPECTED


def test_the_index_of_pandas_is_a_column():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(RECORDS).set_index(["model", "task", "seed"])
    assert as_lists(read.scores(frame)) == EXPECTED


def test_columns_of_pandas_with_several_names():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"model": ["a", "b"] * 3, "seed": [1, 1, 2, 2, 3, 3], "acc": range(6)}
    )
    wide = frame.pivot_table(index="seed", columns="model", values=["acc"])
    assert wide.columns.nlevels == 2
    found = read.scores(wide.reset_index(drop=True)).scores
    assert {k: list(x) for k, x in found.items()} == {"a": [0, 2, 4], "b": [1, 3, 5]}
    frame["f1"] = frame["acc"] + 1.0
    both = frame.pivot_table(index="seed", columns="model", values=["acc", "f1"])
    advice = r"got 2 levels of them, such as \('acc', 'a'\).*data.xs\(metric, axis=1"
    with pytest.raises(TableError, match=advice):
        read.scores(both)


@pytest.mark.parametrize("end", ["parquet", "feather"])
def test_tables_of_arrow(tmp_path, end):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    path = tmp_path / f"t.{end}"
    getattr(pandas.DataFrame(RECORDS), f"to_{end}")(path)
    assert as_lists(read.scores(path)) == EXPECTED
