"""Data frames of pandas, polars and pyarrow: kinds of columns, and names."""

import sys
import tracemalloc

import numpy as np
import pytest

from sigarray import read
from sigarray.read import TableError
from sigarray.read._codes import Coded
from sigarray.read._frames import read_data_frame
from tests.read.long_tables import EXPECTED as EXPECTED_OF_ROWS
from tests.read.long_tables import ROWS, as_lists

COLUMNS = {
    "model": ["b", "b", "b", "a", "a", "a"],
    "item": ["x", "y", "z", "z", "y", "x"],
    "acc": [0.5, 0.25, 0.125, 1.0, 0.75, 0.375],
}
EXPECTED = {"": {"b": [0.5, 0.25, 0.125], "a": [0.375, 0.75, 1.0]}}


def make_frames():
    """Yield frames of the same cells, in columns of other kinds."""
    pandas = pytest.importorskip("pandas")
    plain = pandas.DataFrame(COLUMNS)
    yield "pandas, objects", plain.astype({"model": object, "item": object})
    yield "pandas, categories", plain.astype({"model": "category", "item": "category"})
    halves = [
        pandas.DataFrame({x: y[k : k + 3] for x, y in COLUMNS.items()}) for k in (0, 3)
    ]
    yield "pandas, two parts", pandas.concat(halves, ignore_index=True)
    yield "pandas, of Arrow", plain.convert_dtypes(dtype_backend="pyarrow")
    # Of which one does not occur, and others are in another order.
    known = pandas.CategoricalDtype(["c", "a", "b"])
    yield "pandas, more categories", plain.astype({"model": known})
    polars = pytest.importorskip("polars")
    plain = polars.DataFrame(COLUMNS)
    yield "polars", plain
    model = polars.col("model")
    yield "polars, categories", plain.with_columns(model.cast(polars.Categorical))
    kind = polars.Enum(["c", "a", "b"])
    yield "polars, enum", plain.with_columns(model.cast(kind))
    pyarrow = pytest.importorskip("pyarrow")
    plain = pyarrow.table(COLUMNS)
    yield "arrow", plain
    model = plain["model"].dictionary_encode()
    yield "arrow, dictionary", plain.set_column(0, "model", model)
    halves = [plain.slice(3 * k, 3) for k in range(2)]
    coded = [x.set_column(0, "model", x["model"].dictionary_encode()) for x in halves]
    yield "arrow, two dictionaries", pyarrow.concat_tables(coded)


@pytest.mark.parametrize("has_pyarrow", [True, False])
def test_kinds_of_columns(monkeypatch, has_pyarrow):
    for name, frame in make_frames():
        with monkeypatch.context() as patch:
            if not has_pyarrow and "arrow" not in name.lower():
                patch.setitem(sys.modules, "pyarrow", None)
            table = read.scores(frame)
        assert as_lists(table) == EXPECTED, name
        assert table.models == ("b", "a"), name
        assert table.ids[""]["b"] == ("x", "y", "z"), name


def test_codes_of_frames_are_kept():
    for name, frame in make_frames():
        column = read_data_frame(frame, "t").columns["model"]
        assert isinstance(column, Coded), name
        assert list(column) == COLUMNS["model"], name
        if "more" in name or "enum" in name:
            assert list(column.values) == ["c", "a", "b"], name
            assert column.codes.tolist() == [2, 2, 2, 1, 1, 1], name


@pytest.mark.long
def test_a_long_frame_has_no_object_for_each_row():
    pyarrow = pytest.importorskip("pyarrow")
    n, n_models = 20_000, 10
    rows = np.arange(n_models * n)
    names = pyarrow.array([f"m{k}" for k in range(n_models)])
    model = names.take(pyarrow.array(rows // n))
    frame = pyarrow.table({"model": model, "item": rows % n, "acc": rows / n % 1.0})
    read.scores(frame.filter(rows % n < 10))
    tracemalloc.start()
    try:
        table = read.scores(frame)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert table.scores["m9"].tolist() == frame["acc"][-n:].to_pylist()
    # Of a row there are codes of 4 bytes, and numbers of 8; its own objects take 600.
    assert peak < 130 * len(rows)


def test_numbers_that_are_no_floats_are_kept():
    polars = pytest.importorskip("polars")
    large = 2**60
    frame = polars.DataFrame(
        {
            "model": ["a", "a", "b", "b"],
            "item": [large, large + 1, large + 1, large],
            "acc": [1, 0, None, 1],
        }
    )
    with pytest.raises(TableError, match=rf"'b' lacks 1 \('{large + 1}'\)"):
        read.scores(frame)
    frame = frame.with_columns(item=polars.Series([large, None, large + 1, large]))
    with pytest.raises(TableError, match=r"row 2, column 'item'.*got a blank cell"):
        read.scores(frame)


def test_true_and_false_of_frames():
    polars = pytest.importorskip("polars")
    cells = [True, None, False, True, False, True]
    table = read.scores(polars.DataFrame(COLUMNS | {"acc": cells}), unit="run")
    assert as_lists(table) == {"": {"b": [1, 0], "a": [1, 0, 1]}}
    assert "the data frame: true is 1, and false is 0" in table.notes


def test_other_cells_below_many_texts():
    pandas = pytest.importorskip("pandas")
    n = 120
    rows = [(m, str(k)) for m in "ab" for k in range(n)] + [("a", n), ("b", n)]
    frame = pandas.DataFrame(rows, columns=["model", "item"]).astype({"item": object})
    frame["acc"] = np.linspace(0.0, 1.0, len(frame))
    assert read.scores(frame).ids[""]["a"] == tuple(map(str, range(n + 1)))


WIDE = {"lstm": [0.5, 0.25, 0.125], "cnn": [0.375, 0.75, 1.0]}


class TestIndex:
    @pytest.mark.parametrize("name", ["seed", "run_id", "Trial"])
    def test_of_runs(self, name):
        pandas = pytest.importorskip("pandas")
        index = pandas.Index([3, 1, 2], name=name)
        table = read.scores(pandas.DataFrame(WIDE, index=index))
        assert as_lists(table) == {"": WIDE}
        assert (table.unit, table.is_paired) == ("run", False)
        assert table.notes == (f"the data frame: its index {name!r} names the runs",)
        again = pandas.DataFrame(WIDE, index=pandas.Index([3, 1, 3], name=name))
        advice = r"row 3.*each run once; got '3' again, as at the data frame, row 1\. W"
        with pytest.raises(TableError, match=advice):
            read.scores(again)

    def test_of_items(self):
        pandas = pytest.importorskip("pandas")
        index = pandas.Index(["q3", "q1", "q2"], name="question")
        table = read.scores(pandas.DataFrame(WIDE, index=index))
        assert as_lists(table)[""]["lstm"] == [0.25, 0.125, 0.5]
        assert (table.unit, table.is_paired) == ("item", True)
        assert table.ids[""]["cnn"] == ("q1", "q2", "q3")

    def test_of_tasks_and_runs(self):
        pandas = pytest.importorskip("pandas")
        rows = [("pos", 1), ("ner", 1), ("pos", 2), ("ner", 2)]
        index = pandas.MultiIndex.from_tuples(rows, names=["task", "seed"])
        frame = pandas.DataFrame({"a": [1.5, 2, 3, 4], "b": [5.5, 6, 7, 8]}, index)
        assert as_lists(read.scores(frame)) == {
            "ner": {"a": [2, 4], "b": [6, 8]},
            "pos": {"a": [1.5, 3], "b": [5.5, 7]},
        }

    def test_of_what_is_chosen(self):
        pandas = pytest.importorskip("pandas")
        index = pandas.Index([3, 1, 2], name="seed")
        frame = pandas.DataFrame(WIDE, index=index)
        assert read.scores(frame, item="seed").ids[""]["cnn"] == ("1", "2", "3")
        assert read.scores(frame, models=["cnn"]).models == ("cnn",)
        long = frame.melt(ignore_index=False, var_name="model", value_name="acc")
        table = read.scores(long)
        assert table.unit == "run"
        assert any("run is 'seed'" in note for note in table.notes)

    def test_of_another_name_is_asked_about(self):
        pandas = pytest.importorskip("pandas")
        frame = pandas.DataFrame(WIDE, pandas.Index([10, 20, 30], name="epoch"))
        with pytest.raises(TableError, match=r"\(epoch\): .* looks like an index"):
            read.scores(frame)
        frame = pandas.DataFrame(WIDE | {"seed": [1, 2, 3]}, frame.index)
        with pytest.raises(TableError, match=r"'seed' as a column and as an index"):
            read.scores(frame.rename_axis("seed"))

    def test_of_means(self):
        pandas = pytest.importorskip("pandas")
        with pytest.raises(TableError, match=r"got 'mean', which seems to sum"):
            read.scores(pandas.DataFrame(WIDE).describe())
        frame = pandas.DataFrame(WIDE, index=["first", "second", "third"])
        assert as_lists(read.scores(frame, unit="run")) == {"": WIDE}


class TestNames:
    @pytest.mark.parametrize("names", [["a", "a"], ["1", 1], ["", ""], [None, ""]])
    def test_twice(self, names):
        pandas = pytest.importorskip("pandas")
        frame = pandas.DataFrame([[0.5, 0.25], [1.0, 0.75]], columns=names)
        twice = str(names[0] or "")
        with pytest.raises(TableError, match=rf"column once; got '{twice}' twice\. Re"):
            read.scores(frame)

    def test_twice_in_parquet(self, tmp_path):
        pyarrow = pytest.importorskip("pyarrow")
        table = pyarrow.table([[0.5], [0.6], [0.7]], names=["a", "b", "a"])
        pytest.importorskip("pyarrow.parquet").write_table(
            table, tmp_path / "t.parquet"
        )
        with pytest.raises(TableError, match=r"each column once; got 'a' twice"):
            read.scores(tmp_path / "t.parquet")

    def test_columns_without_rows(self):
        pd = pytest.importorskip("pandas")
        for names in (["a", "b"], ["model", "acc"]):
            with pytest.raises(TableError, match=f"expected rows.* '{names[1]}' alone"):
                read.scores(pd.DataFrame(columns=names, dtype=float))

    def test_twice_in_arrow(self):
        pyarrow = pytest.importorskip("pyarrow")
        columns = [pyarrow.array(x) for x in (["a", "b"], [0.5, 1.0], [0.25, 0.75])]
        table = pyarrow.Table.from_arrays(columns, ["model", "acc", "acc"])
        with pytest.raises(TableError, match=r"each column once; got 'acc' twice"):
            read.scores(table)

    @pytest.mark.parametrize("name", ["", None, float("nan")])
    def test_none(self, name):
        pandas = pytest.importorskip("pandas")
        frame = pandas.DataFrame({"a": [0.5, 0.25], name: [4.5, 0.75]})
        advice = r"column 2: expected a name; got a blank cell, above '4.5'\. Where it"
        with pytest.raises(TableError, match=advice):
            read.scores(frame)
        assert read.scores(frame, models=["a"]).models == ("a",)

    def test_none_of_the_numbers_of_rows(self):
        polars = pytest.importorskip("polars")
        frame = polars.DataFrame({"": range(6)} | COLUMNS)
        assert as_lists(read.scores(frame)) == EXPECTED

    def test_of_several_levels(self):
        pandas = pytest.importorskip("pandas")
        names = pandas.MultiIndex.from_tuples([("acc", "lstm"), ("acc", "cnn")])
        frame = pandas.DataFrame(WIDE, pandas.Index([1, 2, 3], name="seed"))
        assert as_lists(read.scores(frame.set_axis(names, axis=1))) == {"": WIDE}
        same = pandas.MultiIndex.from_tuples([("acc", "cnn"), ("acc", "cnn")])
        for wrong in (same, pandas.MultiIndex.from_tuples([("acc", 1), ("f1", 2)])):
            with pytest.raises(TableError, match=r"one name for each column; got 2 le"):
                read.scores(frame.set_axis(wrong, axis=1))


RECORDS = [dict(zip(("model", "task", "seed", "score"), x, strict=True)) for x in ROWS]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_data_frames(library):
    columns = {name: [x[name] for x in RECORDS] for name in RECORDS[0]}
    if library == "pyarrow":
        data = pytest.importorskip("pyarrow").table(columns)
    else:
        data = pytest.importorskip(library).DataFrame(columns)
    assert as_lists(read.scores(data)) == EXPECTED_OF_ROWS


def test_the_index_of_pandas_is_a_column():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(RECORDS).set_index(["model", "task", "seed"])
    assert as_lists(read.scores(frame)) == EXPECTED_OF_ROWS


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
    assert as_lists(read.scores(path)) == EXPECTED_OF_ROWS


class TestModelsAndTasksInColumns:
    """A pivot may have models and tasks as two levels of its columns."""

    def pivot(self, columns, index="seed", n=4, values="acc"):
        pandas = pytest.importorskip("pandas")
        rows = [
            {"seed": k, "model": m, "task": t, "acc": 0.1 * k + 0.01 * i + 0.001 * j}
            for k in range(n)
            for i, m in enumerate("ab")
            for j, t in enumerate(("x", "y"))
        ]
        frame = pandas.DataFrame(rows)
        return frame.pivot_table(index=index, columns=columns, values=values)

    @pytest.mark.parametrize(
        ("columns", "values"),
        [
            (["model", "task"], "acc"),
            (["task", "model"], "acc"),
            (["model", "task"], ["acc"]),
        ],
    )
    def test_they_are_read_as_tasks_of_the_index(self, columns, values):
        table = read.scores(self.pivot(columns, values=values))
        other = read.scores(self.pivot("model", ["task", "seed"]))
        assert as_lists(table) == as_lists(other)
        assert (table.ids, table.unit) == (other.ids, "run")
        assert table.ids["y"]["b"] == ("0", "1", "2", "3")

    def test_a_blank_is_one_of_its_task(self):
        frame = self.pivot(["model", "task"])
        frame.loc[2, ("b", "x")] = np.nan
        table = read.scores(frame)
        assert table.ids["x"]["b"] == ("0", "1", "3")
        assert len(table.tasks["y"]["b"]) == 4

    def test_rows_may_have_no_names(self):
        frame = self.pivot(["model", "task"]).reset_index(drop=True)
        assert len(read.scores(frame).tasks["y"]["b"]) == 4


@pytest.mark.parametrize(
    ("data", "advice"),
    [
        (["a.csv", "b.csv"], "Pass several files one by one, as scores"),
        ([{"model": "a", "acc": 0.5}], "Make a data frame of rows: pandas.DataFrame"),
    ],
)
def test_lists_are_told_of(data, advice):
    pytest.importorskip("narwhals")
    with pytest.raises(TypeError, match=f"or a mapping of models.*got list. {advice}"):
        read.scores(data)
