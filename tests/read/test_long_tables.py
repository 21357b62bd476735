"""Tables with a row for each score: roles, joins, marks of numbers, folders."""

import gzip
import json
import random

import numpy as np
import pytest

from sigarray import read
from sigarray.read import TableError

ROWS = [
    ("lstm", "ner", 1, 0.5),
    ("lstm", "ner", 2, 0.25),
    ("lstm", "pos", 1, 0.125),
    ("cnn", "ner", 1, 0.75),
    ("cnn", "ner", 2, 1.0),
    ("cnn", "pos", 1, 0.375),
]
EXPECTED = {
    "ner": {"lstm": [0.5, 0.25], "cnn": [0.75, 1.0]},
    "pos": {"lstm": [0.125], "cnn": [0.375]},
}


def as_csv(rows, header="model,task,seed,score", end="\n", by=","):
    lines = [header.replace(",", by), *(by.join(map(str, row)) for row in rows)]
    return end.join([*lines, ""])


def as_lists(table):
    return {
        task: {model: scores.tolist() for model, scores in by.items()}
        for task, by in table.tasks.items()
    }


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


class TestNumbers:
    def read(self, write, *cells, by=";"):
        rows = [("a", cell) for cell in cells] + [("b", cells[0])]
        return read.scores(write(as_csv(rows, "model,score", by=by))).scores["a"]

    def test_percent_signs(self, write):
        assert self.read(write, "85.5%", "7 %").tolist() == [85.5, 7]
        with pytest.raises(TableError, match=r"line 3.*expected a percent sign.*'0.7'"):
            self.read(write, "85%", "0.7")
        with pytest.raises(TableError, match=r"line 3.*expected no percent .*'7%'"):
            self.read(write, "0.8", "7%", "0.6")

    def test_percent_signs_in_one_of_two_files(self, write):
        a, b = write("score\n85%\n", "a.csv"), write("score\n0.9\n", "b.csv")
        with pytest.raises(TableError, match=r"percent signs in .*a.csv, and none in"):
            read.scores(a, b)

    def test_decimal_commas(self, write):
        assert self.read(write, "0,125", "1", "1,5e-1").tolist() == [0.125, 1, 0.15]
        with pytest.raises(TableError, match=r"a decimal comma, as other.*'0.5'"):
            self.read(write, "0,25", "0.5")
        with pytest.raises(TableError, match=r"got '1,234', which is 1.234 or 1234"):
            self.read(write, "1,234", "2,345")

    def test_points_of_thousands(self, write):
        with pytest.raises(
            TableError, match=r"got '1.024' beside others without a poi"
        ):
            self.read(write, "987", "1.024", "995")
        assert self.read(write, "1.024", "2.250").tolist() == [1.024, 2.25]
        wide = write("a;b\n987;933\n1.024;950\n")
        with pytest.raises(TableError, match=r"row 2|line 3.*got '1.024' beside"):
            read.scores(wide)

    def test_truth(self, write):
        assert self.read(write, "True", "false").tolist() == [1, 0]
        with pytest.raises(TableError, match=r"expected a number, as other.*'True'"):
            self.read(write, "True", "0.5")
        records = [{"model": m, "ok": m == "a"} for m in "ab"]
        table = read.scores(write(json.dumps(records), "t.json"))
        assert as_lists(table) == {"": {"a": [1.0], "b": [0.0]}}

    @pytest.mark.parametrize("cell", ["NA", "nan", "n/a", "-", "inf", "0x1", "1_0"])
    def test_what_is_no_number_is_refused(self, write, cell):
        with pytest.raises(TableError, match=r"line 3, column 'score': expected a n"):
            self.read(write, "0.5", cell)

    @pytest.mark.parametrize("value", ["NaN", "Infinity", "1e400", "[]", "{}", '"x"'])
    def test_what_is_no_number_in_json(self, write, value):
        text = f'[{{"model": "a", "score": 0.5}}, {{"model": "b", "score": {value}}}]'
        with pytest.raises(TableError, match=r"record 2, column 'score': expected a n"):
            read.scores(write(text, "t.json"))

    def test_blank_scores_are_counted(self, write):
        table = read.scores(write("model,seed,score\na,1,0.5\na,2,\nb,1,0.25\n"))
        assert as_lists(table) == {"": {"a": [0.5], "b": [0.25]}}
        assert any("1 row without a score was left out" in x for x in table.notes)

    def test_missing_cells_of_data_frames(self):
        pandas = pytest.importorskip("pandas")
        frame = pandas.DataFrame({"model": ["a", "b"], "score": [0.5, np.nan]})
        table = read.scores(frame)
        assert as_lists(table) == {"": {"a": [0.5]}}
        assert any("1 row without a score" in note for note in table.notes)
        polars = pytest.importorskip("polars")
        with pytest.raises(TableError, match=r"row 2, column 'score'.*got nan"):
            read.scores(polars.DataFrame({"model": ["a", "b"], "score": [0.5, np.nan]}))

    def test_a_blank_model_is_an_error(self, write):
        with pytest.raises(TableError, match=r"line 3, column 'model': expected the"):
            read.scores(write("model,score\na,1\n,2\nb,1\n"))


ITEMS = [
    ("a", "q1", 1, "x", 1.0),
    ("a", "q1", 2, "x", 0.0),
    ("a", "q2", 1, "x", 1.0),
    ("a", "q2", 2, "x", 1.0),
    ("a", "q3", 1, "y", 0.0),
    ("a", "q3", 2, "y", 0.0),
]
ITEMS += [("b", *row[1:-1], 1.0 - row[-1]) for row in ITEMS]


class TestJoins:
    def test_duplicates_name_both_places(self, write):
        rows = [("a", "q1", 1), ("b", "q1", 2), ("a", "q1", 3)]
        path = write(as_csv(rows, "model,item,score"))
        match = r"line 4: expected one score of 'a' for item 'q1'; got another.*line 2"
        with pytest.raises(TableError, match=match):
            read.scores(path)
        rows = [("a", 1, 1), ("b", 1, 2), ("a", 1, 3)]
        with pytest.raises(TableError, match=r"line 4: .*'a' for run '1'"):
            read.scores(write(as_csv(rows, "model,seed,score")))

    def test_items_of_one_model_alone(self, write):
        rows = [("a", f"q{k}", k) for k in range(6)] + [
            ("b", f"q{k}", k) for k in (1, 9)
        ]
        path = write(as_csv(rows, "model,item,score"))
        match = (
            r"6 of 7 items are not those of all models: 'a' lacks 1 \('q9'\); 'b' "
            r"lacks 5 \('q0', 'q2', 'q3', and 2 more\)\. Pass --drop-unmatched"
        )
        with pytest.raises(TableError, match=match):
            read.scores(path)
        table = read.scores(path, drop_unmatched=True)
        assert as_lists(table) == {"": {"a": [1.0], "b": [1.0]}}
        rows = [("a", "x1", 1), ("b", "y1", 2)]
        with pytest.raises(TableError, match=r"No item is in all of them"):
            read.scores(write(as_csv(rows, "model,item,score")), drop_unmatched=True)

    def test_runs_are_joined_only_where_they_are_pairs(self, write):
        path = write(
            as_csv([("a", 2, 1), ("a", 1, 2), ("b", 1, 3)], "model,seed,score")
        )
        assert as_lists(read.scores(path)) == {"": {"a": [2, 1], "b": [3]}}
        with pytest.raises(TableError, match=r"same runs; but 1 of 2 runs"):
            read.scores(path, paired=True)
        table = read.scores(path, paired=True, drop_unmatched=True)
        assert as_lists(table) == {"": {"a": [2], "b": [3]}}

    def test_items_in_several_runs(self, write):
        rows = [row[:3] + row[4:] for row in ITEMS]
        path = write(as_csv(rows, "model,item,seed,score"))
        with pytest.raises(TableError, match=r"--unit item averages.*--unit run av"):
            read.scores(path)
        table = read.scores(path, unit="item")
        assert as_lists(table)[""]["a"] == [0.5, 1.0, 0.0]
        table = read.scores(path, unit="run")
        assert as_lists(table)[""]["a"] == [2 / 3, 1 / 3]
        with pytest.raises(TableError, match=r"which cluster a score is"):
            read.scores(path, unit="cluster")

    def test_clusters(self, write):
        path = write(as_csv(ITEMS, "model,item,seed,cluster,score"))
        table = read.scores(path)
        assert table.unit == "cluster"
        # Two items of x and one of y: sums, in units of one and a half.
        a, b = as_lists(table)[""].values()
        assert a == pytest.approx([0.75 * 4 / 3, 0.0])
        assert b == pytest.approx([0.25 * 4 / 3, 2 / 3])
        assert "each weighed by its number of items" in table.notes[-1]
        rows = [*ITEMS[:6], *(("b", *x[1:3], "x", x[4]) for x in ITEMS[:6])]
        with pytest.raises(TableError, match=r"item 'q3' to be in one cluster"):
            read.scores(write(as_csv(rows, "model,item,seed,cluster,score")))

    def test_clusters_keep_their_sizes(self, write):
        """The mean is that of items; of clusters of one size it is that of clusters."""
        rng = np.random.default_rng(0)
        sizes = [1, 1, 1, 40, 7]
        places = [(f"c{k}", f"q{k}-{i}") for k, n in enumerate(sizes) for i in range(n)]
        scores = {m: rng.random(len(places)) for m in "ab"}
        rows = [
            (m, item, cluster, x)
            for m, found in scores.items()
            for (cluster, item), x in zip(places, found.tolist(), strict=True)
        ]
        table = read.scores(write(as_csv(rows, "model,item,cluster,score")))
        for m, found in scores.items():
            assert len(table.scores[m]) == len(sizes)
            assert table.scores[m].mean() == pytest.approx(found.mean())
        even = [row for row in rows if row[2] in ("c0", "c1")]
        table = read.scores(write(as_csv(even, "model,item,cluster,score")))
        assert as_lists(table)[""]["a"] == [row[3] for row in even if row[0] == "a"]
        rows = [(m, "x", k) for m in "ab" for k in range(3)] + [("a", "y", 1)]
        rows += [("b", "y", 1), ("b", "y", 2)]
        match = r"as many scores of a cluster for all models; got 1 of 'a' and 2 of 'b'"
        with pytest.raises(TableError, match=match):
            read.scores(write(as_csv(rows, "model,cluster,score")))

    def test_the_last_step_of_each_run(self, write):
        rows = [(m, s, t, s + t) for m in "ab" for s in (1, 2) for t in (10, 20, 15)]
        path = write(as_csv(rows, "model,seed,step,acc"))
        table = read.scores(path)
        assert as_lists(table) == {"": {"a": [21, 22], "b": [21, 22]}}
        assert any("(20) for its score: 4 of 12 rows" in note for note in table.notes)
        assert not table.doubts
        early = read.scores(
            write(as_csv(rows[:-3] + rows[-3:-2], "model,seed,step,acc"))
        )
        (doubt,) = early.doubts
        assert doubt.startswith("'b', run '2', ends at step 10, and others at 20")

    def test_averages_are_said(self, write):
        rows = [row[:3] + row[4:] for row in ITEMS]
        path = write(as_csv(rows, "model,item,seed,score"))
        notes = read.scores(path, unit="item").notes
        assert any("12 scores were averaged: 6 items are left" in x for x in notes)


class TestFolders:
    def test_a_file_for_each_model(self, write, tmp_path):
        write("seed,acc\n2,0.5\n1,0.25\n", "lstm.csv")
        write("seed,acc\n1,0.75\n2,1\n", "cnn.csv")
        write("hello", "notes.md")
        table = read.scores(tmp_path)
        assert as_lists(table) == {"": {"cnn": [0.75, 1.0], "lstm": [0.25, 0.5]}}
        assert any("1 other file was left out: 'notes.md'" in x for x in table.notes)

    def test_a_file_for_each_run(self, tmp_path):
        for model in ("bert", "gpt"):
            (tmp_path / model).mkdir()
            for k in range(3):
                path = tmp_path / model / f"seed{k}.json"
                path.write_text(json.dumps([{"acc": k + len(model)}]))
        table = read.scores(tmp_path)
        assert as_lists(table) == {"": {"bert": [4, 5, 6], "gpt": [3, 4, 5]}}
        assert table.ids[""]["gpt"] == ("seed0", "seed1", "seed2")

    def test_a_mapping_for_each_run(self, tmp_path):
        """As people write metrics.json."""
        for model in ("bert", "gpt"):
            for k in range(3):
                path = tmp_path / model / f"seed{k}" / "metrics.json"
                path.parent.mkdir(parents=True)
                path.write_text(json.dumps({"eval": {"f1": k + len(model)}, "seed": k}))
        table = read.scores(tmp_path)
        assert as_lists(table) == {"": {"bert": [4, 5, 6], "gpt": [3, 4, 5]}}
        assert table.metric == "eval.f1"

    def test_runs_in_names(self, write, tmp_path):
        for k in (1, 2):
            write(f"acc\n{k}\n", f"big_seed{k}.csv")
            write(f"acc\n{k + 1}\n", f"small_seed{k}.csv")
        table = read.scores(tmp_path)
        assert as_lists(table) == {"": {"big": [1, 2], "small": [2, 3]}}
        assert any("'big_seed1' was taken for run 1 of 'big'" in x for x in table.notes)

    def test_a_file_for_each_task(self, write, tmp_path):
        for task, by in EXPECTED.items():
            rows = [(m, s, x) for m, xs in by.items() for s, x in enumerate(xs)]
            write(as_csv(rows, "model,seed,score"), f"{task}.csv")
        assert as_lists(read.scores(tmp_path)) == EXPECTED

    def test_another_metric_in_another_file(self, write):
        a, b = write("acc\n1\n", "a.csv"), write("f1\n1\n", "b.csv")
        with pytest.raises(TableError, match=r"one metric; got 'acc' in .*'f1' in"):
            read.scores(a, b)

    def test_names_for_files(self, write, tmp_path):
        a, b = write("acc\n1\n", "x.csv"), write("acc\n2\n", "y.csv")
        table = read.scores(f"new model={a}", f"old={b}")
        assert as_lists(table) == {"": {"new model": [1], "old": [2]}}
        with pytest.raises(TableError, match=r"each file once; got .*x.csv twice"):
            read.scores(a, a)

    def test_nothing_to_read(self, tmp_path):
        (tmp_path / "a.png").write_bytes(b"x")
        with pytest.raises(TableError, match=r"files of scores.*; got 'a.png'"):
            read.scores(tmp_path)


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
