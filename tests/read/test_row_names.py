"""Names of rows, of items or of runs, in a table with a column for each model."""

import importlib.util
import random

import numpy as np
import pytest

from sigarray import compare_models, read
from sigarray.read import TableError
from tests.read.asking import numbers, parse, refuse, wide_table
from tests.read.long_tables import as_lists

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


DRAW = random.Random(1)


N = 12


TEXTS = [f"q{k}" for k in range(N)]


ROWS = [(round(DRAW.random(), 3), round(DRAW.random(), 3)) for _ in range(N)]


MARKS = [(DRAW.randint(0, 1), DRAW.randint(0, 1)) for _ in range(N)]


def as_table(name, items, rows=ROWS):
    return wide_table(
        f"{name},a,b", [(x, *y) for x, y in zip(items, rows, strict=True)]
    )


@pytest.mark.parametrize("name", ["item", "Question", "example_id", "docId", "qid"])
@pytest.mark.parametrize("items", [TEXTS, range(N), DRAW.sample(range(900), N)])
def test_the_result_is_that_of_the_option(write, run, name, items):
    path = write(as_table(name, items))
    done = run("compare", path, "--format", "json")
    said = f"column {name!r} names the items, by which models are paired. If each row"
    assert said in done[2]
    assert f"is a run, pass --unit run --ignore {name}." in done[2]
    asked = run("compare", path, "--format", "json", "--item", name)
    assert parse(done) == parse(asked)
    chosen = run("compare", path, "--format", "json", "--columns", "a,b")
    assert parse(chosen) == parse(asked)
    assert "is taken for an independent run" not in chosen[2]
    assert read.scores(path).ids == read.scores(path, item=name).ids


def test_data_frames_and_mappings():
    a, b = (list(x) for x in zip(*ROWS, strict=True))
    scores = {"item": range(N), "a": a, "b": b}
    frame = pytest.importorskip("pandas").DataFrame(scores)
    for given in (scores, frame):
        result = compare_models(given)
        assert result.table.unit == "item"
        assert result.table.models == ("a", "b")
        assert any("if each row is a run" in x.lower() for x in result.notes)


def test_items_of_several_tasks(write):
    rows = [(t, k, *ROWS[k]) for t in ("law", "art") for k in range(N)]
    table = read.scores(write(wide_table("set,question,a,b", rows)), task="set")
    assert table.unit == "item"
    assert as_lists(table)["law"]["a"] == [x for x, _ in ROWS]
    assert table.ids["art"]["b"] == tuple(map(str, range(N)))


@pytest.mark.parametrize("name", ["id", "index", "sample_id", "prompt", "user_id"])
def test_names_that_may_be_of_runs_are_asked_about(write, run, name):
    path = write(as_table(name, TEXTS))
    refuse(run("compare", path), "expected scores", "--item")
    assert read.scores(path, item=name).unit == "item"


@pytest.mark.parametrize("name", ["id", "idx", "sample_id"])
def test_and_are_of_items_where_rows_are(write, name):
    path = write(as_table(name, range(N), MARKS))
    assert read.scores(path).ids == read.scores(path, item=name).ids
    path = write(as_table(name, range(N)))
    assert read.scores(path, unit="item").ids == read.scores(path, item=name).ids


@pytest.mark.parametrize(
    "items", [[x / 10 for x in range(N)], [0, 0, *range(2, N)], ["", *TEXTS[1:]]]
)
def test_values_that_name_no_items_are_asked_about(write, items):
    with pytest.raises(TableError, match="column 1"):
        read.scores(write(as_table("item", items)))


def test_rows_are_runs_where_the_user_says_so(write):
    path = write(as_table("item", TEXTS))
    table = read.scores(path, unit="run", models=["a", "b"])
    assert (table.unit, table.is_paired) == ("run", False)
    with pytest.raises(TableError, match="pass item='item'"):
        read.scores(path, unit="run")


A, B = [0.8, 0.82, 0.83, 0.84, 0.86], [0.7, 0.75, 0.72, 0.71, 0.74]


def as_run_table(name, runs, a=A, b=B):
    rows = [f"{x},{y},{z}" for x, y, z in zip(runs, a, b, strict=True)]
    return "\n".join([f"{name},a,b", *rows, ""])


@pytest.mark.parametrize(
    ("name", "runs"),
    [
        *(("seed", [1, 2, 3, 4, 5]), ("Random_Seed", [13, 42, 1337, 0, 7])),
        *(("run", ["r1", "r2", "x", "y", "z"]), ("rep", [5, 4, 3, 2, 1])),
        *(("run_id", [10, 11, 12, 13, 14]), ("trial", [1, 2, 3, 4, 5])),
    ],
)
def test_the_verdict_is_that_without_the_column(write, run, name, runs):
    path = write(as_run_table(name, runs))
    for options in ((), ("--paired",)):
        done = run("compare", path, "--format", "json", *options)
        assert f"scores.csv: column {name!r} names the runs." in done[2]
        without = run("compare", path, "--ignore", name, "--format", "json", *options)
        assert parse(done) == parse(without)
    scores = {name: runs, "a": A, "b": B}
    frame = pytest.importorskip("pandas").DataFrame(scores)
    for table in (read.scores(path), read.scores(frame), read.scores(scores)):
        assert as_lists(table) == {"": {"a": A, "b": B}}
        assert table.ids[""]["b"] == tuple(map(str, runs))
        assert any(x.endswith(f"column {name!r} names the runs") for x in table.notes)
    assert compare_models({"t": scores}).table.models == ("a", "b")


def test_a_model_may_lack_a_run(write):
    table = read.scores(write(as_run_table("seed", "13579", A, ["", *B[:3], ""])))
    assert table.ids[""] == {"a": tuple("13579"), "b": tuple("357")}


def test_seeds_of_several_tasks(write, run):
    text = "game,seed,a,b\n" + "".join(
        f"{game},{k},{A[k] + n},{B[k] + n}\n"
        for n, game in enumerate(("pong", "qbert"))
        for k in range(5)
    )
    path = write(text)
    refuse(
        run("compare", path),
        "line 7, column 'seed': expected each run once; got '0' again, as at",
        "Where 'game' names the task, pass --task game; or --item or --model, where",
        "--ignore seed",
    )
    table = read.scores(path, task="game")
    assert as_lists(table)["qbert"]["a"] == [x + 1 for x in A]
    assert table.ids["pong"]["a"] == tuple("01234")


def test_a_row_that_is_there_twice(write, run):
    """The place is a line of the file, as in the error for a table in long form."""
    rows = ["seed,a,b", "0,.81,.83", "1,.82,.84", "1,.82,.84", "2,.80,.85"]
    path = write("\n".join(rows))
    said = (
        f"again, as at {path}, line 3, with the same scores. Remove one of these rows."
    )
    refuse(run("compare", path), f"{path}, line 4, column 'seed'", said)
    other = write("\n".join([*rows[:3], "1,.8,.9", *rows[4:]]), "other.csv")
    refuse(run("compare", other), "line 3. Remove one of these rows. Or, where")


def test_a_row_for_each_score_whose_column_of_models_has_another_name(write, run):
    pandas = pytest.importorskip("pandas")
    rows = [f"{x},{k},{y[k]}" for x, y in (("bert", A), ("gpt", B)) for k in range(5)]
    path = write("\n".join(["encoder,seed,GLUE", *rows]))
    said = "Where 'encoder' names the model, pass"
    refuse(run("compare", path), f"{said} --model encoder; or --task or --item")
    with pytest.raises(TableError, match=f"{said} model='encoder'"):
        compare_models(pandas.read_csv(path))
    assert as_lists(read.scores(path, model="encoder")) == {"": {"bert": A, "gpt": B}}
    assert run("compare", path, "--model", "encoder")[0] == 0


@pytest.mark.parametrize("name", ["step", "epoch", "id", "time", "index"])
def test_other_indices_are_asked_about(write, run, name):
    refuse(
        run("compare", write(as_run_table(name, range(1, 6)))),
        f"({name}): expected",
    )


@pytest.mark.parametrize("runs", [[0.5, 0.6, 0.7, 0.8, 0.9], [1, 2, "", 4, 5]])
def test_a_column_that_names_no_run_is_asked_about(write, run, runs):
    refuse(
        run("compare", write(as_run_table("seed", runs))),
        "looks like an index, or",
    )


def test_whole_scores_may_be_those_of_a_model_that_is_called_run(write, run):
    whole = [[40, 90, 31, 60, 71], [30, 80, 21, 50, 38]]
    path = write(as_run_table("run", [12, 40, 9, 70, 33], *whole))
    refuse(run("compare", path), "column 1 (run)")
    scores = {"run": [12, 40, 9, 70], "walk": [10, 30, 8, 60]}
    assert read.scores(scores).models == ("run", "walk")
    assert run("compare", write(as_run_table("run", [3, 1, 2, 5, 4], *whole)))[0] == 0


@pytest.mark.parametrize("name", ["seed", "Random_Seed", "trial", "rep", "run_id"])
@pytest.mark.parametrize("a", [[871, 866, 870, 868, 869], [88.0] * 5])
def test_seeds_beside_whole_scores_name_the_runs(write, name, a):
    """As they do beside one score with a fraction, whatever numbers seeds are."""
    b = [x + 1 for x in a]
    table = read.scores(write(as_run_table(name, [1, 2, 3, 42, 1234], a, b)))
    assert as_lists(table) == {"": {"a": a, "b": b}}
    assert table.ids[""]["a"] == ("1", "2", "3", "42", "1234")


def test_runs_that_are_right_or_wrong_are_asked_about(write, run):
    path = write(as_run_table("trial", range(5), [0, 1, 1, 0, 1], [1, 0, 0, 0, 1]))
    done = run("compare", path)
    refuse(done, "column 'trial', as of runs", "--unit run where", "--item trial")
    assert read.scores(path, unit="run").unit == "run"
    assert read.scores(path, item="trial").unit == "item"


def test_seeds_of_a_mapping_are_different():
    with pytest.raises(TableError, match=r"score 2, column 'seed': .* got '1' again"):
        read.scores({"seed": [1, 1], "a": [0.5, 0.75], "b": [0.25, 0.5]})


def test_a_column_of_tasks_beside_runs_is_named(write, run):
    rows = [
        f"{task},{seed},0.{seed}{k},0.{k}{seed}"
        for k, task in enumerate(["cifar10", "svhn", "stl"])
        for seed in range(42, 47)
    ]
    path = write("\n".join(["data set,seed,a,b", *rows]))
    done = run("compare", path)
    refuse(done, "expected each run once", "Where 'data set' names the task, pass")
    assert "Remove" not in done[2]
    assert "--ignore 'data set'" not in done[2]
    code, _, err = run("compare", path, "--task", "data set")
    assert code == 0, err
    rows = [x if k % 5 == 0 else x[x.index(",") :] for k, x in enumerate(rows)]
    path = write("\n".join(["data set,seed,a,b", *rows]))
    done = run("compare", path, "--task", "data set")
    refuse(done, "the task of each row; got a blank cell. Write it into each row.")


def test_numbers_of_runs_above_models_without_a_header(write, run):
    """As pandas writes a transposed table."""
    path = write(wide_table(",0,1,42", [(x, numbers(0, 1, 3)) for x in "ab"]))
    for options in ((), ("--unit", "run"), ("--unit", "item")):
        refuse(run("compare", path, *options), "each column a run, pass --model ''.")
    assert run("compare", path, "--model", "")[0] == 0
