"""What each column of a table is: by its name, or as it is said."""

import json

import pytest

from sigarray import read
from sigarray.read import TableError
from tests.read.long_tables import EXPECTED, ROWS, as_csv, as_lists


class TestColumns:
    def test_by_their_names(self, write):
        path = write(as_csv(ROWS, "who,what,which,how"))
        named = {"model": "who", "task": "what", "run": "which", "score": "how"}
        assert as_lists(read.scores(path, **named)) == EXPECTED
        with pytest.raises(TableError, match=r"no column 'x' \(run\)\. Its columns"):
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

    def test_rows_with_more_cells_than_the_header(self, write):
        text = "model,seed,acc\na,1,0,71\na,2,0,72\nb,1,1,01\n"
        with pytest.raises(TableError, match=r"line 2, column 4: expected 3 cells"):
            read.scores(write(text))

    def test_several_metrics_of_one_start(self, write):
        records = [{"model": m, "f1,a": 1, "f1,b": 2} for m in "ab"]
        path = write(json.dumps(records), "t.json")
        with pytest.raises(TableError, match=r"one metric for metric='f1'; got 'f1,a'"):
            read.scores(path, metric="f1")
