"""Tables with several metrics, in rows, in columns of runs, or in a pivot of pandas."""

import pytest

from sigarray import read
from sigarray.read import TableError
from tests.read.asking import parse, refuse
from tests.read.long_tables import as_lists

SCORES = {
    "acc": {"x": [90.0, 91.0, 90.5], "y": [92.0, 93.0, 92.5], "z": [91.0, 90.0, 91.5]},
    "loss": {"x": [0.9, 0.8, 0.7], "y": [0.5, 0.6, 0.55], "z": [0.7, 0.75, 0.8]},
}
# What has the same scores, in columns of models and of runs.
MODELS = [
    f"{metric},{k},{','.join(str(by[m][k]) for m in by)}"
    for metric, by in SCORES.items()
    for k in range(3)
]
RUNS = [
    f"{m},{metric},{','.join(map(str, by[m]))}"
    for m in "xyz"
    for metric, by in SCORES.items()
]
WIDE = [
    f"{m},{','.join(str(x) for by in SCORES.values() for x in by[m])}" for m in "xyz"
]


def name_runs(template):
    return ",".join(template.format(metric=x, k=k) for x in SCORES for k in range(3))


def turn(rows):
    """Turn a table of text: rows become columns."""
    cells = zip(*(row.split(",") for row in rows), strict=True)
    return [",".join(x) for x in cells]


TABLES = {
    "models": ["metric,seed,x,y,z", *MODELS],
    "models, another name": ["kind,seed,x,y,z", *MODELS],
    "runs": ["model,metric,seed0,seed1,seed2", *RUNS],
    "numbers": ["model,metric,0,1,2", *RUNS],
    "another name": ["model,measurement,seed0,seed1,seed2", *RUNS],
    "names": [f"model,{name_runs('{metric}_seed{k}')}", *WIDE],
    "names without models": [f"net,{name_runs('{metric}_run{k}')}", *WIDE],
    "names with numbers": [f"model,{name_runs('{metric} {k}')}", *WIDE],
    "turned": turn([f"run,{name_runs('{metric}_seed{k}')}", *WIDE]),
    "turned, unnamed": turn([f",{name_runs('{metric}-s{k}')}", *WIDE]),
}


@pytest.mark.parametrize("text", ["\n".join(x) for x in TABLES.values()], ids=TABLES)
class TestTables:
    @pytest.mark.parametrize("metric", SCORES)
    def test_one_is_chosen(self, write, text, metric):
        table = read.scores(write(text), metric=metric)
        assert as_lists(table) == {"": SCORES[metric]}
        assert (table.metric, table.unit, table.is_paired) == (metric, "run", False)

    def test_several_are_asked_about(self, write, run, text):
        path = write(text)
        said = "expected one metric; got 'acc', 'loss'. Choose one, such as"
        refuse(run("compare", path), said, "such as --metric acc.")
        said = "expected one metric to compare; got 'acc', 'loss' (--metric). Choose"
        refuse(run("compare", path, "--metric", "acc,loss"), said)
        said = "has no metric 'ac'. Did you mean 'acc'? Those in it: 'acc', 'loss'."
        refuse(run("compare", path, "--metric", "ac"), said)

    def test_directions(self, write, run, text):
        path = write(text)
        refuse(run("compare", path, "--metric", "loss"), "the direction of 'loss'")
        options = ("--lower-is-better", "loss", "--format", "json")
        for metric, is_higher in (("acc", True), ("loss", False)):
            done = run("compare", path, "--metric", metric, *options)
            assert parse(done)["higher_is_better"] is is_higher
        options = ("--metric", "acc", "--lower-is-better", "los")
        refuse(run("compare", path, *options), "got 'los'")


class TestRows:
    def test_where_takes_the_only_scores(self, write, run):
        rows = [f"{m},q{k},{k % 2}" for m in "ab" for k in range(6)]
        path = write("\n".join(["model,item,correct", *rows, ""]))
        code, _, err = run("compare", path, "--where", "correct=1")
        assert code == 2
        assert "got 'model', 'item', without 'correct' (--where, --ignore)" in err

    def test_where(self, write, run):
        for name in ("models", "runs"):
            path = write("\n".join(TABLES[name]))
            where = ("--where", "metric=acc")
            for more in ((), ("--ignore", "metric")):
                code, out, err = run("compare", path, *where, *more)
                assert code == 0, err
                assert "higher acc is better" in " ".join(out.split())

    def test_one_metric_needs_no_choice(self, write):
        rows = [x for x in TABLES["models"] if not x.startswith("loss")]
        assert read.scores(write("\n".join(rows))).metric == "acc"

    def test_leaving_its_column_out_would_mix_them(self, write, run):
        for name in ("models", "runs"):
            path = write("\n".join(TABLES[name]))
            refuse(run("compare", path, "--ignore", "metric"), "expected one metric")

    def test_columns_that_are_constant_where_rows_were_chosen(self, write):
        rows = [f"{data},{row}" for data in ("a", "b") for row in MODELS[:3]]
        rows = ["dataset,metric,seed,x,y,z", *rows]
        table = read.scores(write("\n".join(rows)), where={"dataset": ["a"]})
        assert as_lists(table) == {"": SCORES["acc"]}

    def test_benchmarks(self, write):
        rows = [f"{m},{x},{k}.5,1.{k},2,3" for k, m in enumerate("xy") for x in SCORES]
        path = write("\n".join(["model,metric,mmlu,arc,bbh,piqa", *rows]))
        table = read.scores(path, metric="acc", score="mmlu,arc,bbh,piqa")
        assert (table.unit, table.is_paired) == ("item", True)

    def test_each_task_may_have_its_own(self, write):
        """As long as there is a row for each score."""
        rows = [
            f"{task},{metric},{m},{x}"
            for task, metric in (("t", "acc"), ("u", "f1"))
            for m in "xy"
            for x in (0.5, 0.75)
        ]
        path = write("\n".join(["task,metric,model,value", *rows]))
        assert read.scores(path, metric="acc,f1").metric == "acc, f1"


class TestRuns:
    def test_a_metric_that_no_name_says(self, write, run):
        path = write("\n".join(["model,seed0,seed1", "x,1,2", "y,3,4"]))
        refuse(run("compare", path, "--metric", "acc"), "such as 'acc_seed0'; got")

    def test_other_columns_that_tell_rows_apart(self, write, run):
        header = "model,kind,seed0,seed1,seed2"
        path = write("\n".join([header, *(x.replace("loss", "new") for x in RUNS)]))
        refuse(run("compare", path), "Where 'kind' names tasks, pass --task kind; or")
        assert run("compare", path, "--task", "kind", "--unit", "run")[0] == 0

    def test_runs_are_no_benchmarks(self, write, run):
        path = write("\n".join(TABLES["names"]))
        score = ("--score", "acc_seed0,acc_seed1,acc_seed2")
        done = run("compare", path, *score)
        refuse(
            done, "which seem to be runs of 'acc'. Leave out --score, and pass --met"
        )
        assert run("compare", path, *score, "--unit", "item")[0] == 0
        path = write("\n".join(["model,seed0,seed1", "x,1,2", "y,3,4"]), "s.csv")
        refuse(run("compare", path, "--score", "seed0,seed1"), "seem to be runs. Leave")
        path = write("\n".join(["model,0,1", "x,1,2", "y,3,4"]), "n.csv")
        refuse(run("compare", path, "--score", "0,1"), "seem to be runs. Leave")


class TestPandas:
    def pivot(self, **options):
        pandas = pytest.importorskip("pandas")
        rows = [
            (m, k, metric, by[m][k])
            for metric, by in SCORES.items()
            for m in by
            for k in range(3)
        ]
        frame = pandas.DataFrame(rows, columns=["model", "seed", "metric", "value"])
        return frame.pivot(values="value", **options)

    @pytest.mark.parametrize("columns", [["metric", "seed"], ["seed", "metric"]])
    def test_two_levels_of_columns(self, columns):
        frame = self.pivot(index="model", columns=columns)
        table = read.scores(frame, metric="loss")
        assert (as_lists(table), table.metric) == ({"": SCORES["loss"]}, "loss")
        with pytest.raises(TableError, match=r"expected one metric; got 'acc', 'loss'"):
            read.scores(frame)

    def test_named_runs(self):
        pandas = pytest.importorskip("pandas")
        frame = self.pivot(index="model", columns=["metric", "seed"])
        names = [(x, f"run {k}") for x, k in frame.columns]
        frame.columns = pandas.MultiIndex.from_tuples(names)
        table = read.scores(frame, metric="acc")
        assert as_lists(table) == {"": SCORES["acc"]}

    def test_two_levels_of_rows(self):
        frame = self.pivot(index=["metric", "seed"], columns="model")
        assert as_lists(read.scores(frame, metric="loss")) == {"": SCORES["loss"]}
        frame = frame.rename_axis(index=[None, "seed"])
        assert as_lists(read.scores(frame, metric="loss")) == {"": SCORES["loss"]}

    def test_levels_of_models_are_asked_about(self):
        frame = self.pivot(index="seed", columns=["metric", "model"])
        with pytest.raises(TableError, match=r"got 2 levels of them, such as"):
            read.scores(frame, metric="loss")


def test_columns_of_models_and_metrics_are_named(write, run):
    rows = [f"{k},0.{k + 5},{9 - k},0.{k + 3},{8 - k}" for k in range(5)]
    path = write("\n".join(["seed,a_acc,a_loss,b_acc,b_loss", *rows, ""]))
    refuse(run("compare", path), "several of one model", "with --columns.")
    refuse(run("compare", path, "--metric", "acc"), "got one with a column for each mo")
    for options in ((), ("--lower-is-better",)):
        code, _, err = run("compare", path, "--columns", "a_loss,b_loss", *options)
        assert code == (2 if not options else 0), err
