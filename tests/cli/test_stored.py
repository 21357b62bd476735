"""`sigarray compare` of tables on disk, which may be larger than memory."""

import functools
import json

import numpy as np
import pytest

from sigarray import multi_aso
from sigarray._cli import large_tables
from sigarray._order import from_chunks
from sigarray.report._numbers import describe_scores

pa = pytest.importorskip("pyarrow")


@pytest.fixture
def compare(run):
    return functools.partial(run, "compare")


@pytest.fixture
def store(tmp_path):
    def store(columns, name="scores.parquet"):
        import pyarrow.feather
        import pyarrow.parquet

        path, table = tmp_path / name, pa.table(columns)
        if name.endswith(".parquet"):
            pyarrow.parquet.write_table(table, path, row_group_size=300)
        else:
            pyarrow.feather.write_feather(table, path, compression="uncompressed")
        return str(path)

    return store


@pytest.fixture
def large(monkeypatch):
    """Nothing is small enough to be read as a whole."""
    monkeypatch.setattr(large_tables, "MAX_READ", 0)
    monkeypatch.setattr(from_chunks, "_MAX_READ", 0)


def draw(n=900):
    rng = np.random.default_rng(0)
    return {
        "base": rng.normal(size=n),
        "new": rng.normal(0.2, 1.0, n),
        "other": rng.lognormal(size=n),
    }


@pytest.mark.parametrize("name", ["scores.parquet", "scores.arrow", "scores.feather"])
@pytest.mark.parametrize("direction", [[], ["--lower-is-better"]])
def test_large_tables_give_what_small_ones_do(store, compare, large, name, direction):
    scores = draw()
    options = ["--dt", "0.01", "--seed", "3", "--format", "json", *direction]
    code, output, _ = compare(store(scores, name), *options)
    assert code == 0
    found = json.loads(output)
    expected = multi_aso(scores, dt=0.01, rng=3, higher_is_better=not direction)
    np.testing.assert_allclose(found["eps_min"], expected.eps_min, rtol=1e-12)
    for model, column in scores.items():
        summary = found["models"][model]
        assert summary.pop("n") == 900
        assert summary == pytest.approx(describe_scores(column), rel=1e-12)
        for key in ("median", "min", "max"):
            assert summary[key] == describe_scores(column)[key]


@pytest.mark.parametrize("test", ["permutation", "t", "mann-whitney"])
def test_other_tests_read_large_tables(monkeypatch, store, compare, test):
    path, options = store(draw()), ["--test", test, "--format", "csv"]
    expected = compare(path, *options)
    monkeypatch.setattr(large_tables, "MAX_READ", 0)
    assert compare(path, *options) == expected
    monkeypatch.setattr(large_tables, "_MAX_HELD", 2699)
    code, _, error = compare(path, *options)
    assert code == 2
    assert "Expected --test aso for more than 2,699 scores" in error
    assert "there are 2,700. Choose some with --columns." in error


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


def test_columns_are_chosen(store, compare, large):
    path = store({"seed": np.arange(900)} | draw())
    options = ["--dt", "0.1", "--format", "json"]
    _, output, _ = compare(path, "--columns", "new,base", *options)
    assert list(json.loads(output)["models"]) == ["new", "base"]
    _, output, _ = compare(path, "--ignore", "seed,new", *options)
    assert list(json.loads(output)["models"]) == ["base", "other"]


def test_dt_of_other_files(monkeypatch, write, compare):
    # No bound is drawn on.
    monkeypatch.setattr("sigarray._verdicts.drawing_on._CLEAR", 0.0)
    scores = draw(40)
    rows = "".join(
        ",".join(map(repr, map(float, row))) + "\n"
        for row in zip(*scores.values(), strict=True)
    )
    path = write(",".join(scores) + "\n" + rows)
    _, output, _ = compare(path, "--dt", "0.05", "--format", "json")
    expected = multi_aso(scores, dt=0.05, rng=0)
    np.testing.assert_allclose(json.loads(output)["eps_min"], expected.eps_min)


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        (draw(), [], "Expected --dt for more than 0 scores in"),
        (draw(), ["--method", "exact"], "Expected no --method of --test aso"),
        (draw(), ["--test", "t", "--dt", "0.1"], "Expected --dt with --test aso"),
        (draw(), ["--columns", "x,new"], "has no column 'x'. Its columns are 'base'"),
        (draw() | {"seed": range(900)}, [], "column 4 (seed): expected scores"),
        ({"one": [0.5, 0.25]}, [], "expected columns for two or more models"),
        ({"a": ["x", "y"], "b": [0.5, 0.25]}, [], "Expected real numbers in column"),
        (
            draw() | {"k": np.random.default_rng(0).permutation(900) + 1.0},
            ["--dt", "0.1"],
            "column 4 (k): expected scores",
        ),
        ({"a": [None, 0.5], "b": [0.5, 0.25]}, [], "got 1 missing ones"),
        (
            {"a": [np.nan, 0.5], "b": [0.5, 0.25]},
            ["--dt", "0.1"],
            "column 'a': expected finite scores; got NaN or an infinity",
        ),
        (
            {"a": [1.0, 0.5], "b": [-np.inf, 0.25]},
            ["--dt", "0.1"],
            "column 'b': expected finite scores; got NaN or an infinity",
        ),
    ],
)
def test_tables_that_are_wrong(store, compare, large, columns, options, message):
    code, output, errors = compare(store(columns), *options)
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


@pytest.mark.parametrize("is_large", [False, True])
def test_an_index_of_pandas_is_left_out_as_advised(
    tmp_path, compare, monkeypatch, is_large
):
    pandas = pytest.importorskip("pandas")
    if is_large:
        monkeypatch.setattr(large_tables, "MAX_READ", 0)
        monkeypatch.setattr(from_chunks, "_MAX_READ", 0)
    path = str(tmp_path / "pivot.parquet")
    seeds = pandas.Index(np.arange(900)[::-1], name="seed")
    pandas.DataFrame(draw(), seeds).to_parquet(path)
    options = ["--dt", "0.01", "--unit", "run"]
    code, _, errors = compare(path, *options, "--ignore", "seed")
    assert code == 0, errors
    code, _, errors = compare(path, *options, "--ignore", "sed")
    assert code == 2
    assert "has no column 'sed'" in errors
