"""Names of rows in an index, or a first column, that has no name itself."""

import importlib.util

import numpy as np
import pytest

from sigarray import compare_models, read
from sigarray.read import TableError
from tests.read.asking import refuse

RNG = np.random.default_rng(0)
BENCHMARKS = ["mmlu", "gsm8k", "arc", "hellaswag", "truthfulqa", "piqa", "boolq"]
ASKED = (
    "expected to know what each row is; got 'mmlu', 'gsm8k', 'arc', and 4 more in "
    "{}, which has no name. Where these are items of a test set, or benchmarks, by "
    "which models are paired, pass {}; where each is a run of its own, {}; where they "
    "are models, turn the table, so that each model has a column."
)


@pytest.fixture
def make():
    """Make a data frame with a column for each of three models."""
    pandas = pytest.importorskip("pandas")

    def make(names):
        scores = {model: RNG.random(len(names)).round(3) for model in "abc"}
        return pandas.DataFrame(scores, index=names)

    return make


def test_words_are_asked_about(make, write, run):
    frame = make(BENCHMARKS)
    said = ASKED.format("its index", "unit='item'", "unit='run'")
    for find in (compare_models, read.scores):
        with pytest.raises(TableError) as caught:
            find(frame)
        assert said in str(caught.value)
    path = write(frame.to_csv())
    said = ASKED.format("column 1", "--unit item", "--unit run")
    refuse(run("compare", path), said)
    refuse(run("compare", path, "--columns", "a,b"), said)
    polars = pytest.importorskip("polars")
    with pytest.raises(TableError, match=r"'arc', and 4 more in column 1, which has"):
        compare_models(polars.read_csv(path))


class TestTheNameThatPandasGives:
    """`pd.read_csv` names a first column whose header is blank "Unnamed: 0"."""

    def list_sources(self, frame, tmp_path):
        pandas = pytest.importorskip("pandas")
        paths = [tmp_path / f"{x}.csv" for x in ("blank", "named")]
        frame.to_csv(paths[0])
        read_again = pandas.read_csv(paths[0])
        assert read_again.columns[0] == "Unnamed: 0"
        read_again.to_csv(paths[1], index=False)
        return [*paths, read_again, read_again.set_index("Unnamed: 0")]

    def test_names_of_runs(self, make, tmp_path):
        frame = make([f"seed{k}" for k in (3, 1, 2)])
        for source in self.list_sources(frame, tmp_path):
            table = read.scores(source)
            assert (table.unit, table.is_paired) == ("run", False)
            assert table.models == ("a", "b", "c")
            assert "names the runs: 'seed3', 'seed1', 'seed2'" in table.notes[0]

    def test_words_are_asked_about(self, make, tmp_path):
        frame = make(BENCHMARKS)
        for source in self.list_sources(frame, tmp_path):
            with pytest.raises(TableError, match="to know what each row is; got 'mmlu"):
                read.scores(source)
            table = read.scores(source, unit="item")
            assert table.ids[""]["b"] == tuple(sorted(BENCHMARKS))

    def test_it_may_be_named_in_an_option(self, make, tmp_path, run):
        frame = make([f"seed{k}" for k in (3, 1, 2)])
        for source in self.list_sources(frame, tmp_path)[1:]:
            assert read.scores(source, item="Unnamed: 0").unit == "item"
        path = str(tmp_path / "named.csv")
        assert run("compare", path, "--ignore", "Unnamed: 0")[0] == 0

    def test_numbers_may_be_of_anything(self, make, tmp_path):
        for source in self.list_sources(make([4, 7, 9]), tmp_path)[1:]:
            with pytest.raises(TableError, match="looks like an index"):
                read.scores(source)


def test_words_are_of_items_or_runs_as_the_user_says(make, write):
    frame = make(BENCHMARKS)
    path = write(frame.to_csv())
    for source, what in ((frame, "its index"), (path, "its column without a name")):
        table = read.scores(source, unit="item")
        assert (table.unit, table.is_paired) == ("item", True)
        assert table.ids[""]["b"] == tuple(sorted(BENCHMARKS))
        assert table.scores["b"].tolist() == frame["b"].sort_index().tolist()
        (note,) = table.notes
        assert f"{what} names the items: 'mmlu', 'gsm8k', 'arc', and 4 more" in note
        table = read.scores(source, unit="run")
        assert (table.unit, table.is_paired) == ("run", False)
        assert table.ids[""]["b"] == tuple(BENCHMARKS)
        assert read.scores(source, item="").unit == "item"
        assert read.scores(source, run="").ids[""]["b"] == tuple(BENCHMARKS)
        assert read.scores(source, models=["a", "c"], unit="item").is_paired
    result = compare_models(frame, unit="item")
    assert "test of the mean, paired by item" in result.method


@pytest.mark.parametrize("word", ["seed", "run_", "Trial "])
def test_names_of_runs(make, write, word):
    frame = make([f"{word}{k}" for k in range(5)])
    for source in (frame, write(frame.to_csv())):
        table = read.scores(source)
        assert (table.unit, table.is_paired) == ("run", False)
        assert table.ids[""]["a"] == tuple(frame.index)
        assert "names the runs" in table.notes[0]
    again = make([f"{word}{k % 4}" for k in range(5)])
    with pytest.raises(TableError, match=r"row 5.*each run once; got .*0' again"):
        read.scores(again)


def test_names_of_folds_are_asked_about(make, write, run):
    for name in ("fold{}", "split{}_test_score"):
        frame = make([name.format(k) for k in range(5)])
        refuse(run("compare", write(frame.to_csv())), "like folds of", "--test-share")
        with pytest.raises(TableError, match=r"Pass test='t' and the share of the da"):
            compare_models(frame)
        assert compare_models(frame, test="t", test_share=0.2).table.is_paired
        assert not compare_models(frame, unit="run").table.is_paired


def test_numbers_are_no_names(make):
    for names in (range(5), [3, 5, 7, 9, 11], ["3", "5", "7", "9", "11"]):
        table = read.scores(make(names))
        assert (table.unit, table.notes) == ("run", ())


def list_indexes(pandas):
    """List indexes without a name that are no numbers of rows, and their texts."""
    days = pandas.date_range("2024-01-30", periods=4)
    hours = pandas.date_range("2024-01-30", periods=4, freq="h")
    quarters = pandas.period_range("2024Q3", periods=4, freq="Q")
    return [
        (days, ["2024-01-30", "2024-01-31", "2024-02-01", "2024-02-02"]),
        (days.tz_localize("UTC"), [f"{x:%Y-%m-%d} 00:00:00+00:00" for x in days]),
        (pandas.Index([*days.date]), [f"{x:%Y-%m-%d}" for x in days]),
        (hours, [f"2024-01-30 0{k}:00:00" for k in range(4)]),
        (quarters, ["2024Q3", "2024Q4", "2025Q1", "2025Q2"]),
        (pandas.Index([0.01, 0.1, 0.5, 1.0]), ["0.01", "0.1", "0.5", "1"]),
        (pandas.Index(["1%", "10%", "50%", "100%"]), ["1%", "10%", "50%", "100%"]),
        (pandas.interval_range(0, 4), ["(0, 1]", "(1, 2]", "(2, 3]", "(3, 4]"]),
    ]


@pytest.mark.parametrize("k", range(8))
def test_dates_periods_and_shares_are_asked_about(make, write, k):
    index, names = list_indexes(pytest.importorskip("pandas"))[k]
    frame = make(index)
    columns = {model: frame[model] for model in "abc"}
    first, second, third, _ = names
    said = f"got '{first}', '{second}', '{third}', and 1 more in its index, which has"
    for source in (frame, columns):
        with pytest.raises(TableError) as caught:
            compare_models(source)
        assert said in str(caught.value)
        assert "pass unit='item'; where each is a run" in str(caught.value)
        table = read.scores(source, unit="item")
        assert table.ids[""]["a"] == tuple(sorted(names))
        assert read.scores(source, unit="run").ids[""]["a"] == tuple(names)
    path = write(frame.to_csv())
    for options in ({}, {"models": ["a", "b"]}):
        with pytest.raises(TableError, match="in column 1, which has no name"):
            read.scores(path, **options)
    assert read.scores(path, unit="item").is_paired
    melted = frame.melt(var_name="model", value_name="acc", ignore_index=False)
    if first in ("0.01", "1%"):
        with pytest.raises(TableError, match="may be of items or of runs"):
            read.scores(melted)
    else:
        assert read.scores(melted).ids[""]["a"] == tuple(sorted(names))


@pytest.mark.parametrize("name", [None, "depth", "share"])
def test_an_index_is_no_model(make, tmp_path, name):
    pandas = pytest.importorskip("pandas")
    frame = make(pandas.Index([0.01, 0.1, 0.5, 1.0], name=name))
    sources = [frame]
    if importlib.util.find_spec("pyarrow") is not None:
        import pyarrow

        frame.to_parquet(tmp_path / "scores.parquet")
        sources += [str(tmp_path / "scores.parquet"), pyarrow.Table.from_pandas(frame)]
    where = "its index, which has no name" if name is None else f"its index '{name}'"
    for source in sources:
        with pytest.raises(TableError, match=rf"'0\.5', and 1 more in {where}\. Where"):
            read.scores(source)
        table = read.scores(source, unit="item")
        assert table.models == ("a", "b", "c")
        assert table.ids[""]["c"] == ("0.01", "0.1", "0.5", "1")
        assert not read.scores(source, run=name or "").is_paired


@pytest.mark.parametrize("numbers", [range(4), [3, 5, 8, 9], [1.0, 2.0, 5.0, 9.0]])
def test_stored_numbers_of_rows_are_left_out(make, tmp_path, numbers):
    pytest.importorskip("pyarrow")
    frame = make(numbers)
    path = tmp_path / "scores.parquet"
    frame.to_parquet(path)
    table = read.scores(path)
    assert (table.models, table.unit) == (("a", "b", "c"), "run")
    assert table.scores["a"].tolist() == frame["a"].tolist()


def test_stored_dates_and_periods(make, tmp_path):
    pytest.importorskip("pyarrow")
    indexes = list_indexes(pytest.importorskip("pandas"))
    for k in (0, 3):
        index, names = indexes[k]
        make(index).to_parquet(tmp_path / "scores.parquet")
        table = read.scores(tmp_path / "scores.parquet", unit="item")
        assert table.ids[""]["a"] == tuple(names)
    make(indexes[4][0]).to_parquet(tmp_path / "scores.parquet")
    with pytest.raises(TableError, match="column 1: expected a name; got a blank cel"):
        read.scores(tmp_path / "scores.parquet")


def test_of_rows_that_a_column_names(make):
    frame = make(BENCHMARKS)
    assert read.scores(frame.assign(seed=range(7))).ids[""]["a"] == tuple("0123456")
    assert read.scores(frame.assign(id=range(7)), item="id").is_paired


def test_of_models():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"bert": [1.0, 2.0, 3.5], "gpt": [3.0, 1.0, 2.5]}).T
    assert read.scores(frame).models == ("bert", "gpt")
    with pytest.raises(TableError, match=r"where they are models, turn the table, so"):
        read.scores(frame.set_axis(["mmlu", "arc", "piqa"], axis=1))


def test_several_levels_need_names(make, tmp_path):
    pandas = pytest.importorskip("pandas")
    both = pandas.concat({"x": make(BENCHMARKS), "y": make(BENCHMARKS)})
    asked = r"a name of each level.*\('x', 'mmlu'\)\. Say what they are, as with data"
    sources = [both, {model: both[model] for model in "ab"}]
    if importlib.util.find_spec("pyarrow") is not None:
        both.to_parquet(tmp_path / "scores.parquet")
        sources.append(tmp_path / "scores.parquet")
    for source in sources:
        with pytest.raises(TableError, match=asked):
            read.scores(source)
    numbers = make(pandas.MultiIndex.from_product([range(2), range(3)]))
    with pytest.raises(TableError, match=r"got \('0', '0'\)\. Say what they are"):
        read.scores(numbers)
    table = read.scores(both.rename_axis(["task", "item"]))
    assert [*table.tasks] == ["x", "y"]
    assert table.ids["x"]["a"] == tuple(sorted(BENCHMARKS))


def test_one_of_several_levels_has_no_name(make):
    pandas = pytest.importorskip("pandas")
    both = pandas.concat({"x": make(BENCHMARKS), "y": make(BENCHMARKS)})
    both.index.names = ["task", None]
    for source in (both, {model: both[model] for model in "ab"}):
        with pytest.raises(TableError, match="in its index, which has no name"):
            read.scores(source)
        table = read.scores(source, unit="item")
        assert [*table.tasks] == ["x", "y"]
        assert table.ids["y"]["b"] == tuple(sorted(BENCHMARKS))
    numbers = make(pandas.MultiIndex.from_product([["x", "y"], range(3)]))
    numbers.index.names = ["task", None]
    table = read.scores(numbers)
    assert (table.models, table.unit) == (("a", "b", "c"), "run")
    assert [*table.tasks] == ["x", "y"]
    both.index.names = ["depth", "width"]
    with pytest.raises(TableError, match=r"'depth', 'width' in its index\. Say "):
        read.scores(both)


def test_long_tables_have_them_too(make):
    frame = make([f"q{k}" for k in range(5)])
    long = frame.melt(var_name="model", value_name="acc", ignore_index=False)
    table = read.scores(long)
    assert table.ids[""]["a"] == tuple(frame.index)
    assert "pass --run '', --task '' or --ignore ''" in table.notes[0]


class TestColumnsOfPandas:
    """In a mapping, as in a frame: labels say which scores belong together."""

    @pytest.fixture
    def columns(self, make):
        frame = make(BENCHMARKS)
        return {model: frame[model] for model in "ab"}

    def test_words_are_asked_about(self, columns):
        with pytest.raises(TableError, match=r"in its index.* pass unit='item'; where"):
            compare_models(columns)
        table = read.scores(columns, unit="run")
        assert (table.unit, table.is_paired) == ("run", False)

    def test_names_may_come_again(self, columns):
        again = {x: y.rename({"arc": "mmlu"}) for x, y in columns.items()}
        with pytest.raises(TableError, match=r"they are tasks, task=''; or leave them"):
            read.scores(again)

    def test_labels_pair_them(self, columns):
        turned = {"a": columns["a"], "b": columns["b"][::-1]}
        numbers = {x: y.reset_index(drop=True) for x, y in columns.items()}
        shuffled = {"a": numbers["a"], "b": numbers["b"][::-1]}
        named = {x: y.rename_axis("item") for x, y in turned.items()}
        expected = columns["b"].sort_index().tolist()
        for scores, options in (
            (turned, {"unit": "item"}),
            (named, {}),
            ({"t": turned, "u": turned}, {"unit": "item"}),
        ):
            table = read.scores(scores, **options)
            assert table.is_paired
            assert [by["b"].tolist() for by in table.tasks.values()] == [
                expected for _ in table.tasks
            ]
        for scores in (numbers, shuffled):
            table = read.scores(scores, unit="item")
            assert table.scores["b"].tolist() == numbers["b"].tolist()
        marks = {x: (y > 0.5).astype(float) for x, y in shuffled.items()}
        table = read.scores(marks)
        assert table.is_paired
        assert table.scores["b"].tolist() == (numbers["b"] > 0.5).tolist()

    def test_other_labels_are_refused(self, columns):
        other = {"a": columns["a"], "b": columns["b"].rename({"arc": "winogrande"})}
        with pytest.raises(TableError, match=r"in every cell.* drop_unmatched=True"):
            compare_models(other, unit="item")
        numbers = {x: y.reset_index(drop=True) for x, y in columns.items()}
        numbers["b"].index += 1
        with pytest.raises(ValueError, match=r"paired samples with the same labels"):
            compare_models(numbers, unit="item")
        assert read.scores(numbers).unit == "run"

    def test_nan_is_refused_as_in_arrays(self, columns):
        columns["a"].iloc[2] = np.nan
        with pytest.raises(TableError, match=r"expected finite scores; got nan"):
            read.scores(columns, unit="item")
        table = read.scores(columns, unit="item", missing="drop")
        assert len(table.scores["b"]) == 6

    def test_an_index_of_tasks(self, make):
        pandas = pytest.importorskip("pandas")
        index = pandas.MultiIndex.from_product([["t", "u"], range(3)])
        frame = make(range(6)).set_index(index.set_names(["task", "seed"]))
        table = read.scores({model: frame[model] for model in "ab"})
        assert [*table.tasks] == ["t", "u"]
