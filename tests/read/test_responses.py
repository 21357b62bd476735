"""Tables of responses, and of p-values, which commands of their own compare."""

import functools
import gzip
import json
import re

import numpy as np
import pytest

from sigarray.read._responses import read_responses


@pytest.fixture
def write(write):
    return functools.partial(write, name="ratings.csv")


TABLE = """item,system,response
x,gold,1.0
y,gold,2
x,a,1.5
y,a,2
z,gold,3
x,gold,0
z,a,3
x,b,4
y,b,5
z,b,5
x,b,
z,b,3
"""


def test_reads_responses_by_item_and_system(write):
    (gold, a, b), read = read_responses(write(TABLE), ("gold", "a", "b"))
    assert not read
    np.testing.assert_array_equal(gold, [[1, 0], [2, np.nan], [3, np.nan]])
    np.testing.assert_array_equal(a, [[1.5], [2], [3]])
    np.testing.assert_array_equal(b, [[4, np.nan], [5, np.nan], [5, 3]])


def test_other_columns_orders_and_separators(write):
    rows = [line.split(",") for line in TABLE.splitlines()]
    text = "\n".join(f"{r};{i}; {s};note" for i, s, r in rows)
    text = text.replace("response;item; system", "Response;ITEM;System")
    for given, expected in zip(
        read_responses(write(text), ("gold", "a", "b"))[0],
        read_responses(write(TABLE), ("gold", "a", "b"))[0],
        strict=True,
    ):
        np.testing.assert_array_equal(given, expected)


def test_columns_are_named(write, run):
    text = TABLE.replace("item,system,response", "qid,engine,out")
    systems, names = ("gold", "a", "b"), ("qid", "engine", "out")
    found, read = read_responses(write(text), systems, names)
    assert read == "read 'qid' as item, 'engine' as system, 'out' as response"
    expected, _ = read_responses(write(TABLE), systems)
    for x, y in zip(found, expected, strict=True):
        np.testing.assert_array_equal(x, y)
    _, _, err = run("responses", write(text))
    assert "Name them with --columns ITEM,SYSTEM,RESPONSE." in err
    _, _, err = run("responses", write(text), "--columns", "qid,who,out")
    assert "got no 'who', of the columns 'qid'" in err
    _, _, err = run("responses", write(text), "--columns", "qid,engine")
    assert err.endswith("Expected --columns ITEM,SYSTEM,RESPONSE; got qid,engine.\n")


def test_gold_is_a_column(write, run):
    rows = [line.split(",") for line in TABLE.splitlines()[1:]]
    human = {"x": "1", "y": "2", "z": "3"}
    lines = [f"{x},{y},{z},{human[x]}" for x, y, z in rows if y != "gold"]
    text = "\n".join(["item,system,response,human", *lines])
    (gold, *found), read = read_responses(write(text), ("human", "a", "b"))
    assert read == "read 'human' as gold"
    np.testing.assert_array_equal(gold, [[1.0], [2.0], [3.0]])
    _, *expected = read_responses(write(TABLE), ("gold", "a", "b"))[0]
    for x, y in zip(found, expected, strict=True):
        np.testing.assert_array_equal(x, y)
    _, _, err = run("responses", write(text), "--gold", "human", "--a", "c")
    assert "expected responses of 'c'; got none. Systems in it: 'a', 'b'." in err
    _, _, err = run("responses", write(text[:-1] + "4"), "--gold", "human")
    assert "line 9: expected one response of 'human' to an item; got 3 and 4." in err


@pytest.mark.parametrize("kind", ["jsonl", "json", "csv.gz", "parquet"])
def test_other_kinds_of_files(write, tmp_path, kind):
    header, *rows = [line.split(",") for line in TABLE.splitlines()]
    records = [
        dict(zip(header, [*row[:2], float(row[2]) if row[2] else None], strict=True))
        for row in rows
    ]
    path = str(tmp_path / f"ratings.{kind}")
    if kind == "jsonl":
        write("\n".join(map(json.dumps, records)), name=f"ratings.{kind}")
    elif kind == "json":
        write(json.dumps(records), name=f"ratings.{kind}")
    elif kind == "csv.gz":
        write(gzip.compress(TABLE.encode()), name=f"ratings.{kind}")
    else:
        pytest.importorskip("pyarrow")
        pytest.importorskip("pandas").DataFrame(records).to_parquet(path)
    systems = ("gold", "a", "b")
    expected, _ = read_responses(write(TABLE), systems)
    for found, x in zip(read_responses(path, systems)[0], expected, strict=True):
        np.testing.assert_array_equal(found, x)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "expected columns item, system, response and rows; got nothing"),
        ("item,system,response\n", "no rows below the header"),
        (
            "item,who,response\nx,a,1\n",
            "ratings.csv: expected one column each .* got nothing for 'system', of",
        ),
        ("item,item,system,response\nx,x,a,1\n", "got 'item' twice, of the columns"),
        (TABLE + "x,a,high\n", "line 14: expected a number as response; got 'high'"),
        (TABLE + "x,a,NaN\n", "line 14.*Leave the cell blank"),
        (TABLE + ",a,1\n", "line 14: expected an item"),
        (TABLE + "x,,1\n", "line 14: expected a system"),
        (TABLE + "x,a,1,2\n", "line 14, column 4: expected 3 cells, as in the header"),
        (
            TABLE + "w,gold,1\n",
            "line 14: expected a response of 'a' to item 'w' too",
        ),
        (
            "item,system,response\nx,gold,1\nx,a,1\nx,c,2\n",
            "expected responses of 'b'; got none. Systems in it: 'gold', 'a', 'c'",
        ),
    ],
)
def test_bad_tables_are_named_by_line(write, run, content, message):
    code, out, err = run("responses", write(content))
    assert (code, out) == (2, "")
    assert err.startswith("sigarray: error: ")
    assert re.search(message, err)


def test_other_systems_are_named_in_a_warning(write, run):
    code, _, err = run("responses", write(TABLE + "z,c,7\nz,d,7\n"))
    assert code == 0
    assert "has other systems too, which are left out: 'c', 'd'. Choose two" in err
    _, _, err = run("responses", write(TABLE + "z,c,7\n"), "--metric", "mae")
    assert err.count("other systems") == 1
    assert "other systems" not in run("responses", write(TABLE))[2]


def test_all_systems_are_listed_without_gold(write, run):
    path = write("item,system,response\nx,a,1\nx,b,2\n")
    _, _, err = run("responses", path)
    assert "expected responses of 'gold'; got none. Systems in it: 'a', 'b'." in err


def test_columns_of_other_names_are_read_where_one_is_alike(write, run):
    """A note says which; where two or none are, one error lists all that is lacking."""
    header = "prompt_id,model_name,annotator,rating"
    rows = [x for x in TABLE.splitlines()[1:] if not x.endswith(",")]
    cells = [x.split(",") for x in rows]
    path = write("\n".join([header, *(f"{i},{s},ann,{r}" for i, s, r in cells)]))
    code, out, err = run("responses", path)
    said = "read 'prompt_id' as item, 'model_name' as system, 'rating' as response."
    assert (code, said in err) == (0, True)
    plain = "\n".join(["item,system,response", *rows])
    assert run("responses", write(plain))[1] == out
    _, _, err = run("responses", write("item,who,rating,vote\nx,a,1,2\n"))
    assert "nothing for 'system', and 'rating' and 'vote' for 'response', of the" in err
    assert "no gold" in err
    assert "take sigarray compare --unit item, with --run for" in err


def test_ratings_without_gold_are_compared_by_another_command(write, run):
    rows = [
        f"{k},{x},{r},{k % 5 + (x == 'b')}"
        for k in range(9)
        for x in "ab"
        for r in ("ann", "bob")
    ]
    path = write("\n".join(["item,system,rater,response", *rows]))
    code, _, err = run("responses", path)
    assert (code, "take sigarray compare --unit item, with --run" in err) == (2, True)
    assert run("compare", path, "--unit", "item", "--run", "rater")[0] == 0


@pytest.mark.parametrize(
    ("content", "labels"),
    [
        ("0.03\n0.01\n0.02\n0.5\n", "1234"),
        ("0.03 0.01 0.02 0.5\n", "1234"),
        ("0.03,0.01,0.02,0.5\n", "1234"),
        ("p\n0.03\n0.01\n0.02\n.5\n", "1234"),
        ("w,0.03\nx,1e-2\ny,0.02\nz,0.5\n", "wxyz"),
        ("task;p\nw;0.03\nx;0.01\n\ny;0.02\nz;0.5\n", "wxyz"),
        ("w 0.03\nx 0.01\ny 0.02\nz 0.5\n", "wxyz"),
        (",p\n0,0.03\n1,0.01\n2,0.02\n3,0.5\n", "0123"),
    ],
)
def test_what_is_read(write, run, content, labels):
    _, out, _ = run("correct", write(content), "--format", "json")
    records = json.loads(out)["pvalues"]
    assert [r["label"] for r in records] == list(labels)
    assert [r["pvalue"] for r in records] == [0.03, 0.01, 0.02, 0.5]
    adjusted = [r["adjusted_pvalue"] for r in records]
    assert adjusted == pytest.approx([0.06, 0.04, 0.06, 0.5])
    assert [r["is_significant"] for r in records] == [False, True, False, False]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "has no p-values"),
        ("p\n", "has no p-values"),
        ("0.1\n1.2\n", "line 2: expected a p-value in [0, 1]; got '1.2'."),
        ("0.1\n-0.1\n", "line 2: expected a p-value in [0, 1]; got '-0.1'."),
        ("0.1\nnan\n", "line 2: expected a p-value in [0, 1]; got 'nan'."),
        ("a,0.1\nb,\n", "line 2: expected a p-value in [0, 1]; got ''."),
        ("A,<0.001\nB,0.04\n", "line 1: expected a p-value in [0, 1]; got '<0."),
        ("A,\nB,0.01\n", "line 1: expected a p-value in [0, 1]; got ''."),
        ("O.01\n0.04\n", "line 1: expected a p-value in [0, 1]; got 'O.01'."),
        ("a,0.1,0.2\nb,1,x\n", "line 1: expected a p-value, or a label and a"),
        ("0.03 0.01\n0.02 0.5\n", "line 1: expected one p-value in each row"),
        ("a,b\n0.81,0.75\n0.83,0.7\n", "line 2: expected one p-value in each"),
        ("0,1\n0,0\nx\n", "line 3: expected a p-value, or a label and"),
    ],
)
def test_files_that_are_wrong(write, run, content, message):
    code, out, err = run("correct", write(content))
    assert (code, out) == (2, "")
    assert message in err
