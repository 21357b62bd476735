"""Files of p-values, with labels or without."""

import json

import pytest


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
