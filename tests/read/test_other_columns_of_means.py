"""Rows of means, deviations and extremes, by their names."""

import pytest

from sigarray import read
from sigarray.read import TableError
from sigarray.read._other_columns import is_summary
from tests.read.asking import DRAW, numbers, refuse
from tests.read.long_tables import as_csv

NAMES = """mean,Avg.,AVERAGE,macro avg,mean over seeds,Mean (5 runs),std,Std. dev.,
standard deviation,std err,± std,max,geometric mean,Mittelwert,moyenne,promedio,μ,
mean of all tasks,mean [n=5],IQM"""
MODELS = """mean-teacher,sd-xl,lstm,best-of-n sampling,meanfield,maximum entropy model,
a very long name with mean in it,1,,average pooling,std::bert,total recall,minilm"""


@pytest.mark.parametrize("name", NAMES.replace("\n", "").split(","))
def test_names_of_statistics(name):
    assert is_summary(name)


@pytest.mark.parametrize("name", [*MODELS.replace("\n", "").split(","), 3.0, None])
def test_names_of_models(name):
    assert not is_summary(name)


def test_models_that_are_others_and_a_statistic(write, run):
    rows = [f"{m},{k},0.9{k}" for m in ("a", "b") for k in range(6)]
    rows += ["a (mean),0,0.925", "b (mean),0,0.925"]
    path = write("\n".join(["model,seed,acc", *rows]))
    code, _, err = run("compare", path)
    assert code == 2
    assert "'a (mean)', which seems to summarize others: choose" in err
    assert run("compare", path, "--columns", "a,b")[0] == 0


@pytest.mark.parametrize("name", ["sum", "Total"])
def test_models_named_as_what_is_computed_are_named_by_the_user(write, run, name):
    scores = {m: [DRAW.random() for _ in range(9)] for m in ("a", name, "b")}
    rows = [f"{m},{k},{y}" for m, x in scores.items() for k, y in enumerate(x)]
    DRAW.shuffle(rows)
    path = write("\n".join(["model,seed,acc", *rows]))
    done = run("compare", path)
    refuse(done, f"{name!r}, which seems to summarize others: choose", "--columns")
    assert run("compare", path, "--columns", f"a,{name},b")[0] == 0


LABELS = "Ø,Gesamt,Mean acc,95% CI,x-bar,x\u0304,all,macro,summary,macro F1"


@pytest.mark.parametrize("label", LABELS.split(","))
@pytest.mark.parametrize("options", [("--columns", "a,b"), ("--ignore", "seed")])
def test_labels_of_rows_that_are_left_out(write, run, label, options):
    rows = "".join(f"{k},0.9{k},0.7{9 - k}\n" for k in range(6))
    code, _, err = run("compare", write(f"seed,a,b\n{rows}{label},0.8,0.9\n"), *options)
    assert code == 2
    assert f"line 8, column 'seed': expected a row of scores; got {label!r}" in err


@pytest.mark.parametrize("name", ["seed", "", "note"])
@pytest.mark.parametrize("options", [("--columns", "a,b"), ("--ignore", "")])
def test_rows_without_a_label_below_others(write, run, name, options):
    rows = "".join(
        f"{f'x{k}' if name == 'note' else k},0.9{k},0.7{9 - k}\n" for k in range(6)
    )
    if options[0] == "--ignore":
        options = ("--ignore", name)
    path = write(f"{name},a,b\n{rows},0.8,0.9\n,0.01,0.02\n")
    code, _, err = run("compare", path, *options)
    assert code == 2
    assert f"line 8, column {name!r}: expected to know of what the row is" in err
    assert run("compare", write(f"{name},a,b\n{rows}"), *options)[0] == 0


def test_shorter_columns_are_no_labels(write, run):
    """Neither of scores that are not chosen, nor of remarks here and there."""
    rows = ["1,3,5,ok", "2,4,7,", "4,9,6,slow", "7,2,,", "5,1,,"]
    path = write("\n".join(["a,b,c,note", *rows]))
    code, _, err = run("compare", path, "--columns", "a,b")
    assert code == 0, err


class TestRowsOfMeans:
    @pytest.mark.parametrize("label", ["mean", "std", "Avg", "average", "±"])
    @pytest.mark.parametrize("column", ["seed", "note"])
    def test_their_label_counts_where_it_is_left_out(
        self, run, tmp_path, label, column
    ):
        rows = "".join(f"{k},0.9{k},0.7{k}\n" for k in range(6))
        path = tmp_path / "f.csv"
        path.write_text(f"{column},a,b\n{rows}{label},0.93,0.73\n")
        refuse(run("compare", str(path), "--ignore", column), repr(label), "line 8")

    @pytest.mark.parametrize("name", ["average", "mean", "std", "best"])
    def test_a_model_of_that_name_is_asked_about(self, run, tmp_path, name):
        rows = "".join(
            f"{m},{k},0.{n}{k}\n" for m, n in ((name, 7), ("b", 9)) for k in "1234"
        )
        path = tmp_path / "f.csv"
        path.write_text(f"model,seed,acc\n{rows}")
        refuse(
            run("compare", str(path)), f"expected a model; got '{name}'", "--columns"
        )
        assert run("compare", str(path), "--columns", f"{name},b")[0] == 0


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ("model,seed,f1", ("1", "2", "mean")),
        ("model,item,f1", ("q1", "q2", "Total")),
        ("model,task,f1", ("x", "y", "average")),
    ],
)
def test_rows_of_means(write, header, names):
    rows = [(m, name, k) for m in "ab" for k, name in enumerate(names)]
    path = write(as_csv(rows, header))
    with pytest.raises(
        TableError, match=rf"line 4: expected an? \w+; got '{names[2]}'"
    ):
        read.scores(path)
    if "task" in header:
        assert list(read.scores(path, tasks=names[:2]).tasks) == ["x", "y"]


def test_of_deviations(write, run):
    rows = [f"{k},{numbers(0, 1, 2)}" for k in range(6)]
    path = write("\n".join(["note,a,b", *rows, f"sd,{numbers(0, 1, 2)}"]))
    refuse(run("compare", path, "--ignore", "note"), "'sd'")


@pytest.mark.parametrize("prefix", ["sum-", "Total ", "mean_"])
def test_numbered_items_named_after_what_is_computed(write, run, prefix):
    """Ids of summaries, as of a benchmark of summarization, are no rows of totals."""
    items = [f"{prefix}{k:03d}" for k in range(12)]
    rows = [
        f"{x},{m},{DRAW.random()}"
        for x in [*items, *(f"doc-{k}" for k in range(30))]
        for m in "ab"
    ]
    code, out, _ = run("compare", write("\n".join(["item,model,acc", *rows])))
    assert code == 0
    assert "42" in out
    wide = [f"{x},{DRAW.random()},{DRAW.random()}" for x in items]
    assert run("compare", write("\n".join(["item,a,b", *wide])))[0] == 0


@pytest.mark.parametrize("names", [["mean"], ["sum", "mean 1"], ["mean-1", "mean-2"]])
def test_few_rows_of_means_among_items(write, run, names):
    rows = [f"{x},{m},0.{k}" for k, x in enumerate([*"xyzuvw", *names]) for m in "ab"]
    done = run("compare", write("\n".join(["item,model,acc", *rows])))
    place = "expected an item; got"
    refuse(
        done,
        place,
        "which seems to summarize others",
        "to keep them, rename it, such as 'item",
    )


def test_the_best_checkpoint_may_be_chosen(write, run):
    rows = [
        f"{m},{k},{x},{DRAW.random()}"
        for m in "ab"
        for k in range(3)
        for x in ("best", "last")
    ]
    path = write("\n".join(["model,seed,checkpoint,acc", *rows]))
    refuse(
        run("compare", path),
        "got 'best', which seems to summarize others: remove lines 2, 4, 6, 8, 10",
    )
    assert run("compare", path, "--where", "checkpoint=best")[0] == 0


def test_lines_of_means_are_listed(write, run):
    rows = [f"{m},{k},0.{n}" for n, m in enumerate("ab") for k in (1, 2, 3, "mean")]
    path = write("\n".join(["model,seed,acc", *rows]))
    refuse(run("compare", path), "remove lines 5, 9 if they are of a mean")
    path = write("\n".join(["stat,a,b", "run,.1,.2", "run,.2,.3", "mean,.15,.25"]))
    refuse(run("compare", path), "summarize others: remove line 4; or, to keep")


def test_models_with_other_checkpoints(write, run):
    kinds = {"a": "last", "b": "best"}
    rows = [f"{m},{k},0.8{k},{x}" for m, x in kinds.items() for k in range(5)]
    path = write("\n".join(["model,seed,acc,checkpoint", *rows]))
    said = "'checkpoint': expected one for all models; got 'best' of 'b' and 'last' of"
    refuse(run("compare", path), said, "pass --ignore checkpoint")
    assert run("compare", path, "--ignore", "checkpoint")[0] == 0
