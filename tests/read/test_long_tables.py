"""Tables with a row for each score: formats, and what columns are."""

import gzip
import json
import random

import pytest

from sigarray import read
from sigarray.read import TableError
from tests.read.long_tables import EXPECTED, ROWS, as_csv, as_lists

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


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_data_frames(library):
    columns = {name: [x[name] for x in RECORDS] for name in RECORDS[0]}
    if library == "pyarrow":
        data = pytest.importorskip("pyarrow").table(columns)
    else:
        data = pytest.importorskip(library).DataFrame(columns)
    assert as_lists(read.scores(data)) == EXPECTED


def test_the_index_of_pandas_is_a_column():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(RECORDS).set_index(["model", "task", "seed"])
    assert as_lists(read.scores(frame)) == EXPECTED


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
    assert as_lists(read.scores(path)) == EXPECTED


@pytest.mark.parametrize("seed", range(5))
def test_order_of_rows_and_columns_moves_nothing(write, seed):
    draw = random.Random(seed)
    items = [f"q{k}" for k in range(12)]
    rows = [(m, x, i) for i, m in enumerate("ab") for x in range(12)]
    rows = [(m, items[x], round(draw.random(), 3)) for m, x, _ in rows]
    expected = {
        m: [score for _, _, score in sorted(r for r in rows if r[0] == m)] for m in "ab"
    }
    draw.shuffle(rows)
    header = ["model", "item", "acc"]
    order = draw.sample(range(3), 3)
    text = as_csv(
        [[r[k] for k in order] for r in rows], ",".join(header[k] for k in order)
    )
    table = read.scores(write(text))
    assert {m: table.scores[m].tolist() for m in "ab"} == expected
    assert table.is_paired
    assert table.unit == "item"
    assert table.ids[""]["a"] == tuple(sorted(items))


def test_numbers_are_sorted_as_numbers(write):
    rows = [(m, k, k) for m in "ab" for k in (10, 9, 2)]
    assert read.scores(write(as_csv(rows, "model,item,score"))).ids[""]["a"] == (
        *("2", "9", "10"),
    )


class TestColumns:
    def test_by_their_names(self, write):
        path = write(as_csv(ROWS, "who,what,which,how"))
        named = {"model": "who", "task": "what", "run": "which", "score": "how"}
        assert as_lists(read.scores(path, **named)) == EXPECTED
        with pytest.raises(TableError, match=r"no column 'x' \(--run\)\. Its columns"):
            read.scores(path, **named | {"run": "x"})

    @pytest.mark.parametrize(
        "header",
        [
            "Model,Dataset,Seed,Accuracy",
            "system,task_name,random_seed,f1",
            "Method,benchmark,trial,value",
            "agent,game,run_id,reward",
        ],
    )
    def test_by_their_usual_names(self, write, header):
        assert as_lists(read.scores(write(as_csv(ROWS, header)))) == EXPECTED

    def test_several_metrics_are_listed(self, write):
        rows = [(*row, 2 * row[-1]) for row in ROWS]
        path = write(as_csv(rows, "model,task,seed,acc,f1"))
        with pytest.raises(TableError, match=r"one column of scores; got 'acc', 'f1'"):
            read.scores(path)
        assert as_lists(read.scores(path, metric="acc")) == EXPECTED
        assert read.scores(path, metric="f1").metric == "f1"
        with pytest.raises(TableError, match=r"has no metric 'x'.*'acc', 'f1'"):
            read.scores(path, metric="x")

    def test_a_column_of_metrics(self, write):
        rows = [(*row[:-1], "acc", row[-1]) for row in ROWS]
        rows += [(*row[:-1], "f1", 2 * row[-1]) for row in ROWS]
        path = write(as_csv(rows, "model,task,seed,metric,value"))
        with pytest.raises(TableError, match=r"expected one metric; got 'acc', 'f1'"):
            read.scores(path)
        table = read.scores(path, metric="acc")
        assert as_lists(table) == EXPECTED
        assert table.metric == "acc"

    def test_a_name_twice_is_an_error(self, write):
        path = write(
            as_csv([(*row, 0.5) for row in ROWS], "model,task,seed,score,score")
        )
        with pytest.raises(TableError, match=r"each column once; got 'score' twice"):
            read.scores(path)

    def test_models_and_tasks_are_chosen(self, write):
        path = write(as_csv([*ROWS, ("crf", "ner", 1, 0.5)]))
        table = read.scores(path, models=["cnn", "lstm"], tasks=["ner"])
        assert table.models == ("cnn", "lstm")
        assert list(table.tasks) == ["ner"]
        with pytest.raises(TableError, match=r"a model of the files; got 'x'.*'lstm'"):
            read.scores(path, models=["x"])
        with pytest.raises(TableError, match=r"a task of the files; got 'x'.*'ner'"):
            read.scores(path, tasks=["x"])

    def test_what_is_not_used_is_said(self, write):
        rows = [("a", "en", 1), ("a", "de", 2), ("b", "en", 3), ("b", "de", 4)]
        table = read.scores(write(as_csv(rows, "model,language,acc")))
        assert table.unit == "item"
        assert any("'language' was taken for the items" in x for x in table.notes)
        table = read.scores(write(as_csv(rows * 2, "model,language,acc")))
        assert any("not used: 'language'; name what tells" in x for x in table.notes)
        (doubt,) = table.doubts
        assert doubt.endswith("as runs. Where these are tasks, pass --task language")
        assert read.scores(
            write(as_csv(rows, "model,language,acc")), task="language"
        ).tasks.keys() == {"en", "de"}

    def test_a_group_is_no_cluster(self, write):
        rows = [(m, g, k, k) for m in "ab" for k, g in enumerate("xxyy")]
        table = read.scores(write(as_csv(rows, "model,Group,seed,acc")))
        assert (table.unit, len(table.scores["a"])) == ("run", 4)
        table = read.scores(
            write(as_csv(rows, "model,Group,seed,acc")), cluster="Group"
        )
        assert (table.unit, len(table.scores["a"])) == ("cluster", 2)

    def test_rows_with_more_cells_than_the_header(self, write):
        text = "model,seed,acc\na,1,0,71\na,2,0,72\nb,1,1,01\n"
        with pytest.raises(TableError, match=r"line 2, column 4: expected 3 cells"):
            read.scores(write(text))

    def test_a_column_of_text_in_a_wide_table(self, write):
        text = "name,task,seed,acc\nbase,x,1,0.5\nnew,x,2,0.6\n"
        with pytest.raises(TableError, match=r"--ignore seed"):
            read.scores(write(text))
        text = "name,acc\nbase,0.5\nnew,0.6\n"
        with pytest.raises(TableError, match=r"got 'base'\. .* pass --model 'name'"):
            read.scores(write(text))
        assert read.scores(write(text), model="name").models == ("base", "new")

    @pytest.mark.parametrize("header", ["model,f1", "method,accuracy", "system,score"])
    def test_models_that_are_numbers(self, write, header):
        rows = [(m, m + 0.1 * k) for m in (7, 70) for k in range(3)]
        path = write(as_csv(rows, header))
        model = header.split(",")[0]
        with pytest.raises(TableError, match=rf"pass --model {model}; where they are"):
            read.scores(path)
        assert read.scores(path, model=model).models == ("7", "70")
        assert read.scores(path, models=header.split(",")).models[0] == model

    @pytest.mark.parametrize(
        ("header", "names"),
        [
            ("model,seed,f1", ("1", "2", "mean")),
            ("model,item,f1", ("q1", "q2", "Total")),
            ("model,task,f1", ("x", "y", "average")),
        ],
    )
    def test_rows_of_means(self, write, header, names):
        rows = [(m, name, k) for m in "ab" for k, name in enumerate(names)]
        path = write(as_csv(rows, header))
        with pytest.raises(
            TableError, match=rf"line 4: expected a \w+; got '{names[2]}'"
        ):
            read.scores(path)
        if "task" in header:
            assert list(read.scores(path, tasks=names[:2]).tasks) == ["x", "y"]

    def test_several_metrics_of_one_start(self, write):
        records = [{"model": m, "f1,a": 1, "f1,b": 2} for m in "ab"]
        path = write(json.dumps(records), "t.json")
        with pytest.raises(TableError, match=r"one metric for --metric f1; got 'f1,a'"):
            read.scores(path, metric="f1")

    def test_wide_tables_are_as_they_were(self, write):
        path = write("lstm,cnn\n0.5,0.75\n0.25,\n")
        table = read.scores(path)
        assert as_lists(table) == {"": {"lstm": [0.5, 0.25], "cnn": [0.75]}}
        assert table.unit == "run"
        with pytest.raises(TableError, match=r"a row for each score, for --metric"):
            read.scores(path, metric="lstm")

    def test_items_of_wide_tables(self, write):
        path = write("doc_id,a,b\n10,1,0\n9,0,1\n")
        with pytest.raises(TableError, match=r"looks like an index"):
            read.scores(path)
        table = read.scores(path, item="doc_id")
        assert as_lists(table) == {"": {"a": [0, 1], "b": [1, 0]}}
        assert table.is_paired
        assert table.ids[""]["a"] == ("9", "10")
        twice = write("doc_id,a,b\n9,1,0\n9,0,1\n")
        with pytest.raises(TableError, match=r"row 2.*each item once; got '9' again"):
            read.scores(twice, item="doc_id")


class TestJson:
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ('{"a": 1', r"line 1, column 8: not JSON"),
            ("[1, 2]", r"got a list of int"),
            ("[]", r"got an empty list"),
            ("{}", r"got an empty mapping"),
            ('{"a": {"b": [1]}}', r"a mapping with keys 'a'"),
            ('{"a": {"0": 0.9}, "b": {"0": 0.8}}', r"a mapping with keys 'a', 'b'"),
            ('{"a": [1], "a": [2]}', r"each key of a mapping once; got 'a' twice"),
            ("[" * 100_000, r"brackets within brackets|not JSON"),
        ],
    )
    def test_wrong_documents(self, write, text, message):
        with pytest.raises(TableError, match=message):
            read.scores(write(text, "t.json"))

    def test_wrong_lines(self, write):
        with pytest.raises(TableError, match=r"line 2, column 1: not JSON"):
            read.scores(write('{"model": "a", "score": 1}\nx\n', "t.jsonl"))
        with pytest.raises(TableError, match=r"line 2: expected a record in braces"):
            read.scores(write('{"model": "a", "score": 1}\n[1]\n', "t.jsonl"))

    def test_a_mapping_of_models(self, write):
        path = write(json.dumps({"a": [1, 0.5], "b": [2.5]}), "t.json")
        assert as_lists(read.scores(path)) == {"": {"a": [1, 0.5], "b": [2.5]}}
        with pytest.raises(TableError, match=r"as many scores of each model"):
            read.scores(path, paired=True)

    def test_mappings_within_records(self, write):
        records = [{"model": m, "metrics": {"acc": k}} for k, m in enumerate("ab")]
        table = read.scores(write(json.dumps(records), "t.json"))
        assert table.metric == "metrics.acc"
        assert read.scores(write(json.dumps(records), "t.json"), metric="acc").models


def test_wrong_calls():
    with pytest.raises(TypeError, match=r"one path, folder or data frame, or more"):
        read.scores()
    with pytest.raises(TypeError, match=r"a path, a data frame.*got int"):
        read.scores(3)
    with pytest.raises(ValueError, match=r"unit to be one of run, item, cluster"):
        read.scores("x.csv", unit="doc")
    with pytest.raises(TypeError, match=r"models to be several names; got 'ab'"):
        read.scores("x.csv", models="ab")
