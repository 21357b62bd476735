"""Files of many formats, and one for each game."""

import gzip
import json

import pandas as pd
import pytest

from sigarray import read
from tests.read.asking import refuse
from tests.read.long_tables import EXPECTED, ROWS, as_csv, as_lists
from tests.read.tool_files import FILES

RECORDS = [dict(zip(("model", "task", "seed", "score"), x, strict=True)) for x in ROWS]
FORMATS = {
    "t.csv": as_csv(ROWS),
    "crlf.csv": as_csv(ROWS, end="\r\n"),
    "bom.csv": "\ufeff" + as_csv(ROWS),
    "t.tsv": as_csv(ROWS, by="\t"),
    "semicolons.csv": as_csv(ROWS, by=";"),
    "commas.csv": as_csv(ROWS, by=";").replace(".", ","),
    "t.csv.gz": gzip.compress(as_csv(ROWS).encode()),
    "t.json": json.dumps(RECORDS),
    "t.jsonl": "\n".join(map(json.dumps, RECORDS)),
    "lines.json": "\n".join(map(json.dumps, RECORDS)) + "\n",
    "t.jsonl.gz": gzip.compress("\n".join(map(json.dumps, RECORDS)).encode()),
}


@pytest.mark.parametrize("name", FORMATS)
def test_formats(write, name):
    table = read.scores(write(FORMATS[name], name))
    assert as_lists(table) == EXPECTED
    assert (table.unit, table.metric, table.models) == ("run", "score", ("lstm", "cnn"))
    assert not table.is_paired
    said = "of its columns, model is 'model', run is 'seed', task is 'task', score is"
    assert any(said in note for note in table.notes)
    assert len(table.notes) == (2 if name == "commas.csv" else 1)


def test_dopamine():
    """A file for each game; the last iteration of each run."""
    table = read.scores(FILES / "dopamine")
    assert list(table.tasks) == ["alien", "pong"]
    for game, by in table.tasks.items():
        rows = json.loads((FILES / "dopamine" / f"{game}.json").read_text())
        last = max(row["Iteration"] for row in rows)
        for agent, scores in by.items():
            assert scores.tolist() == [
                x["Value"]
                for x in rows
                if x["Agent"] == agent and x["Iteration"] == last
            ]


@pytest.mark.parametrize("options", [{}, {"model": "ours"}, {"score": "90.1"}])
def test_a_row_of_scores_is_no_header(write, options):
    path = write("ours,1,90.1\nours,2,91.2\nbase,1,89.3\nbase,2,88.4\n")
    with pytest.raises(read.TableError, match="Put a line of names first"):
        read.scores(path, **options)
    path = write("model,0,1\nours,1,90.1\nbase,2,91.2\n")
    assert read.scores(path).models == ("ours", "base")


@pytest.mark.parametrize("rows", ["model", "task"])
def test_a_second_line_of_seeds(write, run, rows, tmp_path):
    """The line of Python in the message writes what is read."""
    names = {"model": ("base", "ours"), "task": ("cifar10", "svhn")}
    (other,) = {*names} - {rows}
    columns = [(x, str(k)) for x in names[other] for k in range(4)]
    lines = [[other, *(x for x, _ in columns)], ["seed", *(k for _, k in columns)]]
    lines += [
        [x, *(f"0.{80 + i * k}" for k in range(8))] for i, x in enumerate(names[rows])
    ]
    path = write("".join(f"{','.join(x)}\n" for x in lines))
    refuse(run("compare", path), "line 2", said := ".stack([0, 1]).rename('score')")
    frame = pd.read_csv(path, header=[0, 1], index_col=0).rename_axis(rows)
    long = tmp_path / "long.csv"
    eval(f"frame{said}", {"frame": frame}).to_csv(long)
    code, out, err = run("compare", str(long))
    assert code == 0, err
    assert "2 tasks" in out


@pytest.mark.parametrize("is_column", [True, False])
@pytest.mark.parametrize("rows", ["model", "task"])
def test_levels_of_columns_without_names(write, run, rows, is_column, tmp_path):
    """The line of Python names them."""
    names = {"model": ["base", "ours"], "task": ["cifar10", "svhn"]}
    (other,) = {*names} - {rows}
    columns = pd.MultiIndex.from_product([names[other], [f"seed{k}" for k in range(4)]])
    cells = [[0.8 + 0.01 * i * k for k in range(8)] for i in (1, 2)]
    frame = pd.DataFrame(cells, pd.Index(names[rows], name=rows), columns)
    frame = frame.reset_index() if is_column else frame
    path = write(frame.to_csv(index=not is_column))
    err = run("compare", path)[2]
    line = err.partition("score: ")[2].partition("; where rows")[0]
    if rows == "task":
        line = line.replace("model", "?").replace("task", "model").replace("?", "task")
    long = str(tmp_path / "long.csv")
    given = line.replace("FILE", repr(path)).replace("'long.csv'", repr(long))
    eval(given, {"pd": pd})
    code, out, err = run("compare", long)
    assert code == 0, err
    assert "2 tasks" in out
