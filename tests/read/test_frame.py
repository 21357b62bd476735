"""What each column of a table is: by its name, or as it is said."""

import json

import pytest

from sigarray import read
from sigarray.read import TableError
from tests.read.asking import refuse
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
            "algo,env_id,seed,episodic_return",
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


WANDB = "Name,State,config.lr,val_acc\na,finished,.1,.5\na,finished,.1,.6\n"
SHORT = "model,train/accuracy,val/acc,val/loss,seed\na,.1,.2,.3,1\nb,.1,.2,.3,1\n"
FILES = "model,task,acc\na,t,.5\na,t,.6\nb,t,.4\nb,t,.3\n"


@pytest.mark.parametrize(
    ("text", "options", "meant"),
    [
        (WANDB, {"model": "name"}, "(model). Did you mean 'Name'? Its columns are"),
        (WANDB, {"model": "Name,LR"}, "Did you mean 'config.lr'?"),
        (
            WANDB,
            {"model": "Name", "metric": "Val acc"},
            "'Val acc'. Did you mean 'val_",
        ),
        (WANDB, {"where": {"state": ["finished"]}}, "(where). Did you mean 'State'?"),
        (WANDB, {"where": {"State": ["Finished"]}}, "Did you mean 'finished'?"),
        (WANDB, {"model": "arch"}, "'arch' (model). Its columns are"),
        (FILES, {"metric": "ac"}, "Did you mean 'acc'?"),
        (FILES, {"models": ["A"]}, "model of the files; got 'A'. Did you mean 'a'?"),
        (FILES, {"tasks": ["T"]}, "task of the files; got 'T'. Did you mean 't'?"),
        (FILES, {"tasks": ["squad"]}, "got 'squad'. Those in them: 't'."),
        ("lstm,cnn\n.5,.6\n.7,.8\n", {"models": ["LSTM"]}, "Did you mean 'lstm'?"),
        ("data,a,b\nx,.6,1\ny,.8,2", {"task": "Data"}, "Did you mean 'data'?"),
        ("data,a,b\nx,.6,1\ny,.8,2", {"task": "data", "tasks": ["X"]}, "mean 'x'?"),
        ("metric,model,x\nf1,a,.6\nf1,b,1", {"metric": "F-1"}, "Did you mean 'f1'?"),
        (
            SHORT,
            {"metric": "val/accuracy"},
            "'val/accuracy'. Did you mean 'val/acc'?",
        ),
        (SHORT, {"metric": "validation_loss"}, "Did you mean 'val/loss'?"),
        (SHORT, {"metric": "va/ac"}, "Did you mean 'val/acc'?"),
    ],
)
def test_a_name_that_is_not_there_may_be_another(write, text, options, meant):
    with pytest.raises(TableError) as told:
        read.scores(write(text), **options)
    assert meant in str(told.value)


def test_a_task_of_a_mapping_may_be_another():
    with pytest.raises(TableError, match=r"got 'Pong'\. Did you mean 'pong'\?"):
        read.scores({"pong": {"a": [1, 2], "b": [3, 4]}}, tasks=["Pong"])


@pytest.mark.parametrize("state", ["", ",State,Name"])
def test_settings_are_no_metrics(write, state):
    """A learning rate was offered as a metric, in the tables of runs of W&B too."""
    rows = [
        f"{m},{k},{0.1 * k},32,0.{k}{m == 'a':d},{k}.5" for m in "ab" for k in (1, 2)
    ]
    rows = [f"{row},finished,r{k}" if state else row for k, row in enumerate(rows)]
    path = write("\n".join([f"model,seed,lr,batch_size,val/acc,loss{state}", *rows]))
    known = r"one column of scores; got 'val/acc', 'loss'\. Choose"
    with pytest.raises(TableError, match=known):
        read.scores(path, model="model")
    with pytest.raises(TableError, match=r"'val/acc', 'loss'[;.]"):
        read.scores(path, model="model", metric="f1")
    assert read.scores(path, model="model", metric="lr").metric == "lr"


def test_what_is_offered_for_a_column_without_a_name_can_be_typed(run, write):
    """--model '' was offered for numbers, and had no column."""
    rows = [
        f"{k},{0.8 + 0.011 * (k % 5)},{0.7 + 0.013 * (k % 7)}" for k in (13, 42, 87, 99)
    ]
    path = write("\n".join([",a,b", *rows]))
    refuse(run("compare", path), "where it numbers runs, --run ''", "--ignore ''")
    for option in ("--run", "--ignore"):
        assert run("compare", path, option, "")[0] == 0
