"""`sigarray compare` of tables on disk, which may be larger than memory."""

import functools
import json

import numpy as np
import pytest

from sigarray import compare_models, multi_aso
from sigarray._cli.files import open_large
from sigarray._cli.main import _build_parser
from sigarray.report._layout import describe_scores

pa = pytest.importorskip("pyarrow")


@pytest.fixture
def compare(run):
    return functools.partial(run, "compare")


# More scores than are read as a whole, of three models: 2^20.
MANY = 350_000


@pytest.fixture
def store(tmp_path):
    def store(columns, name="scores.parquet"):
        import pyarrow.feather
        import pyarrow.parquet

        path, table = tmp_path / name, pa.table(columns)
        if name.endswith(".parquet"):
            pyarrow.parquet.write_table(table, path, row_group_size=100_000)
        else:
            pyarrow.feather.write_feather(table, path, compression="uncompressed")
        return str(path)

    return store


@functools.cache
def draw(n=MANY):
    rng = np.random.default_rng(0)
    return {
        "base": rng.normal(size=n),
        "new": rng.normal(0.2, 1.0, n),
        "other": rng.lognormal(size=n),
    }


@pytest.mark.long
@pytest.mark.parametrize("name", ["scores.parquet", "scores.arrow", "scores.feather"])
@pytest.mark.parametrize("direction", [[], ["--lower-is-better"]])
def test_large_tables_give_what_small_ones_do(store, compare, name, direction):
    scores = draw()
    options = ["--dt", "0.01", "--seed", "3", "--format", "json", *direction]
    code, output, _ = compare(store(scores, name), *options)
    assert code == 0
    found = json.loads(output)
    expected = multi_aso(scores, dt=0.01, rng=3, higher_is_better=not direction)
    np.testing.assert_allclose(found["eps_min"], expected.eps_min, rtol=1e-12)
    for model, column in scores.items():
        summary = found["models"][model]
        assert summary.pop("n") == MANY
        assert summary == pytest.approx(describe_scores(column), rel=1e-12)
        for key in ("median", "min", "max"):
            assert summary[key] == describe_scores(column)[key]


@pytest.mark.parametrize("asked", [("--margin", "0.1"), ("--statistic", "median")])
def test_means_and_medians_read_them(store, asked):
    arguments = ["compare", store(draw()), *asked]
    options = _build_parser(arguments).parse_args(arguments)
    assert open_large(options) is None
    with pytest.raises(ValueError, match=r"--test aso for more than 9"):
        open_large(options, 9)


@pytest.mark.long
@pytest.mark.parametrize("test", ["permutation", "t", "mann-whitney"])
def test_other_tests_read_large_tables(store, compare, test):
    path, most = store(draw()), 3 * MANY
    _, output, _ = compare(path, "--test", test, "--unit", "run", "--format", "json")
    expected = json.loads(compare_models(draw(), test=test, unit="run").to_json())
    assert json.loads(output)["pairs"] == expected["pairs"]
    arguments = ["compare", path, "--test", test]
    options = _build_parser(arguments).parse_args(arguments)
    assert open_large(options) is None
    assert open_large(options, most) is None
    with pytest.raises(ValueError, match=r"--test aso for more than 1,049,999") as told:
        open_large(options, most - 1)
    assert "there are 1,050,000. Choose some with --columns." in str(told.value)


@pytest.mark.parametrize("test", ["aso", "permutation", "t"])
def test_small_tables_are_read_as_any_file(store, write, compare, test):
    scores = {name: column.round(6) for name, column in draw(12).items()}
    rows = "".join(
        ",".join(map(str, row)) + "\n" for row in zip(*scores.values(), strict=True)
    )
    text = write(",".join(scores) + "\n" + rows)
    outputs = [
        compare(path, "--test", test, "--format", "csv")
        for path in (text, store(scores))
    ]
    assert outputs[0] == outputs[1]
    assert outputs[0][0] == 0
    with_seeds = compare(store({"seed": np.arange(12)} | scores), "--test", test)
    assert "column 'seed' names the runs" in with_seeds[2]


def test_columns_are_chosen(store, compare):
    path = store({"seed": np.arange(MANY)} | draw() | {"last": draw()["new"] + 1.0})
    code, _, errors = compare(path, "--dt", "0.1")
    assert (code, "(seed): expected scores" in errors) == (2, True)
    options = ["--dt", "0.1", "--format", "json"]
    _, output, _ = compare(path, "--columns", "new,last,base", *options)
    assert list(json.loads(output)["models"]) == ["new", "last", "base"]
    _, output, _ = compare(path, "--ignore", "seed,new", *options)
    assert list(json.loads(output)["models"]) == ["base", "other", "last"]


def test_dt_of_other_files(write, compare):
    scores = draw(300)
    rows = "".join(
        ",".join(map(repr, map(float, row))) + "\n"
        for row in zip(*scores.values(), strict=True)
    )
    path = write(",".join(scores) + "\n" + rows)
    # No bound is near a half; what is drawn on moves one by little, and dt by far.
    options = ["--dt", "0.05", "--unit", "run", "--threshold", "0.5"]
    _, output, _ = compare(path, *options, "--format", "json")
    expected = multi_aso(scores, dt=0.05, rng=0)
    found = json.loads(output)["eps_min"]
    np.testing.assert_allclose(found, expected.eps_min, rtol=0.01)
    assert multi_aso(scores, dt=0.01, rng=0).eps_min[1, 0] > 0.5


@pytest.mark.parametrize(
    ("more", "options", "message"),
    [
        ({}, [], "Expected --dt for more than 1,048,576 scores in"),
        ({}, ["--method", "exact"], "Expected no --method of --test aso"),
        ({}, ["--test", "t", "--dt", "0.1"], "Expected --dt with --test aso"),
        ({}, ["--columns", "x,new"], "has no column 'x'. Its columns are 'base'"),
        ({"seed": range(MANY)}, [], "column 4 (seed): expected scores"),
        (
            {"k": np.random.default_rng(0).permutation(MANY) + 1.0},
            ["--dt", "0.1"],
            "column 4 (k): expected scores",
        ),
        (
            {"new": np.append(np.zeros(MANY - 1), np.nan)},
            ["--dt", "0.1"],
            "column 'new': expected finite scores; got NaN or an infinity",
        ),
        (
            {"other": np.append(-np.inf, np.zeros(MANY - 1))},
            ["--dt", "0.1"],
            "column 'other': expected finite scores; got NaN or an infinity",
        ),
    ],
)
def test_large_tables_that_are_wrong(store, compare, more, options, message):
    code, output, errors = compare(store(draw() | more), *options)
    assert (code, output) == (2, "")
    assert message in errors


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"one": [0.5, 0.25]}, "expected columns for two or more models"),
        ({"a": ["x", "y"], "b": [0.5, 0.25]}, "Expected real numbers in column"),
        ({"a": [None, 0.5], "b": [0.5, 0.25]}, "got 1 row without one. Leave"),
    ],
)
def test_tables_that_are_wrong(store, compare, columns, message):
    code, output, errors = compare(store(columns))
    assert (code, output) == (2, "")
    assert message in errors


def test_small_tables_that_are_wrong(store, run, compare, tmp_path):
    code, _, errors = compare(store({"a": [0.5, np.nan], "b": [1.0, 2.5]}))
    assert code == 2
    assert "row 2, column 1 (a): expected a number; got nan" in errors
    code, _, errors = compare(store({"a": [0.5, 0.1, 0.2], "b": [1, 2, 3]}))
    assert code == 2
    assert "for it counts the rows" in errors
    (tmp_path / "text.parquet").write_text("a,b\n1,2\n")
    code, _, errors = compare(str(tmp_path / "text.parquet"))
    assert code == 2
    assert "text.parquet cannot be read as a table: " in errors
    code, _, errors = compare(str(tmp_path / "none.parquet"))
    assert code == 2
    assert "none.parquet cannot be read: No such file or directory." in errors


@pytest.mark.parametrize("n", [900, MANY])
def test_an_index_of_pandas_is_left_out_as_advised(tmp_path, compare, n):
    pandas = pytest.importorskip("pandas")
    path = str(tmp_path / "pivot.parquet")
    seeds = pandas.Index(np.arange(n)[::-1], name="seed")
    pandas.DataFrame(draw(n), seeds).to_parquet(path)
    options = ["--dt", "0.01", "--unit", "run"]
    code, _, errors = compare(path, *options, "--ignore", "seed")
    assert code == 0, errors
    code, _, errors = compare(path, *options, "--ignore", "sed")
    assert code == 2
    assert "has no column 'sed'" in errors
