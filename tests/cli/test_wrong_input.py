"""What `sigarray compare` reads, and what it says of a wrong file or option."""

import functools

import pytest

from sigarray.read._score_table import Choice
from sigarray.read._scores import read_sources
from sigarray.read._text import TableError


def read(path):
    return read_sources([path], Choice()).scores


@pytest.fixture
def compare(run):
    return functools.partial(run, "compare")


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("a\tb,c\n1\t2\n", ["a", "b,c"]),
        ("a;b\n1;2\n", ["a", "b"]),
        ('"x, y","z ""w"""\n1,2\n', ["x, y", 'z "w"']),
        ("\ufeffa,b\r\n1,2\r\n", ["a", "b"]),
        ("\n a , b ,\n\n1,2,\n,3,\n", ["a", "b"]),
        ("a,b\n+1e-3,.5\n-2.,3E+2\n", ["a", "b"]),
        ("a,2\n1,2\n", ["a", "2"]),
    ],
    ids=[
        "tabs",
        "semicolons",
        "quotes",
        "BOM",
        "blanks",
        "numbers",
        "a name of digits",
    ],
)
def test_tables_that_are_read(write, content, names):
    scores = read(write(content))
    assert list(scores) == names
    assert all(isinstance(x, float) for column in scores.values() for x in column)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", r"scores\.csv is empty"),
        (" \n\n", r"scores\.csv is empty"),
        ("a,b\n1,2\n3,x\n", r"line 3, column 2 \(b\): expected a number; got 'x'\."),
        (
            "a,b\n1,NA\n",
            r"line 2, column 2 \(b\).*got 'NA'\. Where a run failed, .*--missing drop",
        ),
        ("a,b\n1,inf\n", r"line 2, column 2 \(b\): expected a number; got 'inf'"),
        ("a,b\n1,1e999\n", r"line 2, column 2 \(b\): expected a number; got '1e999'"),
        ("a,b\n1,1_0\n", r"line 2, column 2 \(b\): expected a number; got '1_0'"),
        ("a,b\n1,\n2,\n", r"column 2 \(b\): expected scores; got an empty column"),
        ("a,b\n", r"expected rows of scores below the header; got none"),
        ("a\n1\n2\n", r"line 1: expected columns for two or more models; got 'a'\."),
        ("a b\n1 2\n", r"line 1: expected columns for two or more models; got 'a b'\."),
        ("0.9,NA\n0.8,0.7\n", r"line 1: expected a header of model names; got numbers"),
        (
            ",a,b\n7,1,2\n",
            r"line 1, column 1: .*got a blank cell, above '7'\. .*--item ''; "
            r".*--ignore ''; or .*--columns",
        ),
        (
            "a,b\n1,1e200\n",
            r"line 2, column 2 \(b\).*got '1e200'\. The largest is 1e\+150",
        ),
        ("a,b,a\n1,2,3\n", r"line 1, column 3: .*got 'a' twice"),
        ("1,2\n3,4\n", r"line 1: expected a header of model names; got numbers: 1, 2"),
        (
            "16,32\n3,4\n",
            r"numbers: 16, 32\. If these are scores, put a line of names first; if "
            r"they are names, write a word to them, such as 'model16'\.",
        ),
        (
            "ours,90.76\nbase,89.86\nours,91.07\nbase,90.13\n",
            r"expected a line of names of columns; got 'ours', '90\.76', as in the "
            r"rows below\. Put a line of names first, such as model,score\.",
        ),
        (
            "a,b\n1,2,3\n",
            r"line 2, column 3: expected 2 cells, as in the header; got 3",
        ),
        ("a,,b\n1,2,3\n", r"line 1, column 2: expected a name; got a blank cell"),
        (
            b"a,b\n1,2\n3,\xff\n",
            r"line 3, byte 3: expected UTF-8 text; got the byte 0xff",
        ),
        ("a,b\n".encode("utf-16"), r"rows of scores below the header; got none"),
        ("a,b\n".encode("utf-16-le"), r"line 1, byte 2: expected UTF-8 text"),
        ('a,b\n1,"2\n3,4\n', r"line 2: not a row of a table"),
        ('a,b\n"1\n",2\n1,x\n', r"line 4, column 2 \(b\): expected a number; got 'x'"),
    ],
)
def test_tables_that_are_wrong(write, compare, content, message):
    path = write(content)
    with pytest.raises(TableError, match=message):
        read(path)
    code, out, err = compare(path)
    assert (code, out) == (2, "")
    assert err.startswith(f"sigarray: error: {path}")


def test_missing_files(compare, tmp_path):
    code, _, err = compare(str(tmp_path / "nowhere.csv"))
    assert code == 2
    assert "nowhere.csv cannot be read: No such file or directory" in err
    code, _, err = compare(str(tmp_path))
    assert code == 2
    assert "expected files of scores (.csv, " in err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--columns", "small,none"],
            "has no column 'none'. Its columns are 'small', 'large'",
        ),
        (["--columns", "small"], "got 'small'."),
        (["--columns", "small,small"], "each of --columns once"),
        (["--method", "exact"], "about 10^22 for 20 and 20 scores"),
    ],
)
def test_wrong_options(write, compare, options, message):
    rows = "".join(f"{k},{k + 0.5},{k + 2}\n" for k in range(5, 25))
    code, out, err = compare(write(f"small,large,huge\n{rows}"), *options)
    assert (code, out) == (2, "")
    assert message in err


@pytest.mark.parametrize(
    "options",
    [
        ["--threshold", "0"],
        ["--threshold", "0.6"],
        ["--confidence-level", "95"],
        ["--format", "x"],
        ["--n-resamples", "0"],
        ["--seed", "-1"],
    ],
)
def test_options_out_of_range(write, compare, options, capsys):
    with pytest.raises(SystemExit) as stop:
        compare(write("a,b\n1,2\n2,3\n"), *options)
    assert stop.value.code == 2
    assert options[0] in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--baseline", "--fail-unless-better"])
def test_a_model_that_is_not_there_may_have_been_meant(write, run, option):
    path = write("small-net,large-net\n1,2\n2,3\n4,2\n")
    code, _, err = run("compare", path, option, "Large net")
    assert code == 2
    assert f"for {option}; got 'Large net'. Did you mean 'large-net'? Those in" in err
    code, _, err = run("compare", path, option, "small-net,large-net")
    assert code == 2
    assert "got 'small-net,large-net'. Name one of them. Those in" in err
