"""Names of rows in an index, or a first column, that has no name itself."""

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


def test_several_levels_need_names(make):
    pandas = pytest.importorskip("pandas")
    both = pandas.concat({"x": make(BENCHMARKS), "y": make(BENCHMARKS)})
    with pytest.raises(TableError, match=r"a name of each level.*\('x', 'mmlu'\)\. Sa"):
        read.scores(both)
    table = read.scores(both.rename_axis(["task", "item"]))
    assert [*table.tasks] == ["x", "y"]
    assert table.ids["x"]["a"] == tuple(sorted(BENCHMARKS))


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
