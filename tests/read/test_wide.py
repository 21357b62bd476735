"""Tables with a column for each model: headers, items, blanks, texts."""

import json

import pytest

from sigarray import read
from sigarray.read import TableError
from tests.read.asking import refuse
from tests.read.long_tables import as_csv, as_lists


def test_a_column_of_text_in_a_wide_table(write):
    text = "name,task,seed,acc\nbase,x,1,0.5\nnew,x,2,0.6\n"
    with pytest.raises(TableError, match=r"leave it out with frame\.drop\(columns=\["):
        read.scores(write(text))
    text = "name,acc\nbase,0.5\nnew,0.6\n"
    with pytest.raises(TableError, match=r"got 'base'\. .* pass model='name'"):
        read.scores(write(text))
    assert read.scores(write(text), model="name").models == ("base", "new")


def test_a_column_of_tasks_in_a_wide_table(write, run):
    """The option for a known name of tasks is the first, as of few."""
    rows = [f"{task},.{k},.{k + 1}" for task in ("cifar10", "svhn") for k in range(5)]
    path = write("\n".join(["dataset,a,b", *rows]))
    words = "got 'cifar10'. If the column names tasks, pass --task 'dataset'; where"
    refuse(run("compare", path), words)
    assert run("compare", path, "--task", "dataset")[0] == 0


def test_wide_tables_are_as_they_were(write):
    path = write("lstm,cnn\n0.5,0.75\n0.25,\n")
    table = read.scores(path)
    assert as_lists(table) == {"": {"lstm": [0.5, 0.25], "cnn": [0.75]}}
    assert table.unit == "run"
    with pytest.raises(TableError, match=r"a row for each score, for metric"):
        read.scores(path, metric="lstm")


def test_items_of_wide_tables(write):
    path = write("doc_id,a,b\n10,1,0\n9,0,1\n")
    table = read.scores(path, item="doc_id")
    assert as_lists(table) == {"": {"a": [0, 1], "b": [1, 0]}}
    assert table.is_paired
    assert table.ids[""]["a"] == ("9", "10")
    twice = write("doc_id,a,b\n9,1,0\n9,0,1\n")
    with pytest.raises(TableError, match=r"line 3.*each item once; got '9' again"):
        read.scores(twice, item="doc_id")


@pytest.mark.parametrize("text", ["0.5\n0.25\n1e-1\n-3\n", "\n0.5\n0.25\n.1\n-3\n\n"])
def test_numbers_alone_have_no_header(write, run, text):
    """The first run was taken for the name of the scores, and lost."""
    paths = [write(text, "a.txt"), write(text.replace("5", "6"), "b.txt")]
    _, out, err = run("compare", *paths, "--format", "json")
    models = json.loads(out)["models"]
    assert models["a"]["n"] == 4
    assert models["a"]["max"] == 0.5
    assert "score is 'score'" in err
    code, _, err = run("compare", paths[0])
    assert code == 2
    assert "line 1: expected columns for two or more models; got 'score'" in err
    assert "pass one for each" in err
    _, _, err = run("compare", paths[0], write("0.5\nabc\n", "c.txt"))
    assert "line 2, column 'score': expected a number; got 'abc'" in err


def test_blank_cells_between_scores_are_said(write, run):
    nulls = write('{"a":[0.1,null,0.3,0.4],"b":[0.5,0.6,0.7,0.8]}', "f.json")
    for path in (nulls, write("a,b\n.1,.5\n,.6\n.3,.7\n.4,.8\n")):
        _, _, err = run("compare", path)
        assert "1 blank cell was left out: 1 of 'a'." in err
    _, _, err = run("compare", write("a,b\n.1,.5\n.3,.7\n.4,.8\n,.6\n"))
    assert "1 blank cell below the last score was left out: 1 of 'a'." in err


class TestTexts:
    @pytest.mark.parametrize("words", [("yes", "no"), ("neg", "pos")])
    @pytest.mark.parametrize("options", [("--item", "id"), ("--ignore", "id")])
    def test_answers_have_no_score_yet(self, write, run, words, options):
        rows = [f"q{k},{words[k % 2]},{words[k % 3 > 0]}" for k in range(20)]
        done = run("compare", write("\n".join(["id,a,b", *rows])), *options)
        refuse(done, f"got '{words[0]}'", "write whether each is right, as 1 or 0")

    @pytest.mark.parametrize("words", [("pass", "fail"), ("Correct", "wrong")])
    def test_words_for_right_and_wrong_are_scores(self, write, words):
        rows = [f"q{k},{words[k % 2]},{words[k % 3 > 0]}" for k in range(20)]
        table = read.scores(write("\n".join(["id,a,b", *rows])), item="id")
        assert table.scores["a"].tolist().count(1.0) == 10
        assert table.scores["b"][0] == 1.0
        note = f"{words[0].lower()} is 1, and {words[1]} is 0"
        assert any(x.endswith(note) for x in table.notes)
        with pytest.raises(TableError, match=r"one pair of words.* got '"):
            read.scores(
                write(f"id,a,b\nq1,{words[0]},passed\nq2,fail,{words[1]}"), item="id"
            )

    def test_a_column_of_names_is_asked_about(self, write, run):
        path = write("who,acc\nmine,0.5\nmine,0.6\nyours,0.7\nyours,0.9\n")
        refuse(run("compare", path), "--model 'who'", "--item 'who'")
        assert run("compare", path, "--model", "who")[0] == 0

    def test_a_column_of_models_without_a_name(self, write, run):
        path = write(",acc\nmine,0.5\nmine,0.6\nyours,0.7\nyours,0.9\n")
        refuse(run("compare", path), "Where these are models, with a row for each sc")
        assert run("compare", path, "--model", "")[0] == 0


@pytest.mark.parametrize("header", ["model,f1", "method,accuracy", "system,score"])
def test_models_that_are_numbers(write, header):
    rows = [(m, m + 0.1 * k) for m in (7, 70) for k in range(3)]
    path = write(as_csv(rows, header))
    model = header.split(",")[0]
    with pytest.raises(TableError, match=rf"pass model='{model}'; where they are"):
        read.scores(path)
    assert read.scores(path, model=model).models == ("7", "70")
    assert read.scores(path, models=header.split(",")).models[0] == model


def test_the_index_that_pandas_writes_is_left_out(write, run):
    """But not other columns without a name, which may be of items."""
    rows = [f"0.9{k},0.8{k}" for k in range(5)]
    with_index = [f"{k},{x}" for k, x in enumerate(rows)]
    other = run("compare", write("\n".join(["a,b", *rows])))[1]
    for name, said in (("", "which has no name and"), ("Unnamed: 0", "'Unnamed: 0',")):
        path = write("\n".join([f"{name},a,b", *with_index]))
        _, out, err = run("compare", path)
        assert f"first column, {said}" in err
        assert "counts the rows from 0, was left out" in err
        assert out == other
        frame = pytest.importorskip("pandas").read_csv(path)
        assert [*read.scores(frame).scores] == ["a", "b"]
    seeds = [f"{k},{7 * k},{x}" for k, x in enumerate(rows)]
    assert run("compare", write("\n".join([",seed,a,b", *seeds])))[0] == 0
    _, _, err = run("compare", write("\n".join([",a,b", *with_index[::-1]])))
    assert "expected a name; got a blank cell, above '4'" in err
