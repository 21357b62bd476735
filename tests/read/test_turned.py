"""Tables with a row for each model, and a column for each run."""

import json

import pytest

from sigarray import read
from sigarray.read import TableError
from tests.read.long_tables import as_csv


class TestRunsInColumns:
    """A row for each model, and a column for each run."""

    ROWS = ("a,.1,.3,.2,.4", "b,.5,.7,.6,.8", "c,.1,.2,.3,")

    @pytest.mark.parametrize(
        ("header", "run_name"),
        [
            ("model,seed0,seed1,seed2,seed3", "seed"),
            ("model,run 1,run 2,run 3,run 4", "run"),
            ("net,seed_0,seed_1,seed_2,seed_3", "seed"),
            ("method,1,2,3,4", "run"),
            ("seed,1,2,3,4", "run"),
            (",0,1,2,3", "run"),
        ],
    )
    def test_they_are_read(self, write, run, header, run_name):
        path = write("\n".join([header, *self.ROWS]))
        long = [
            f"{name},{k},{x}"
            for name, *scores in (row.split(",") for row in self.ROWS)
            for k, x in enumerate(scores)
            if x
        ]
        other = write("\n".join(["model,run,score", *long]), "long.csv")
        code, out, err = run("compare", path, "--format", "csv")
        assert code == 0, err
        assert "were taken for runs of one score" in err
        assert f"run is '{run_name}'" in err
        assert out == run("compare", other, "--format", "csv")[1]

    @pytest.mark.parametrize(
        ("columns", "scores", "is_doubted"),
        [
            (range(31), "01", True),
            (range(30), "01", False),
            (range(201), "012", True),
            (range(200), "012", False),
            ([f"seed{k}" for k in range(31)], "01", False),
        ],
    )
    def test_numbers_of_items_are_doubted(
        self, write, run, columns, scores, is_doubted
    ):
        """Of a table on its side, in every mode."""
        rows = [
            [scores[k * (i + 2) % 7 % len(scores)] for k in range(len(columns))]
            for i in range(2)
        ]
        header = ",".join(["model", *map(str, columns)])
        lines = [",".join(["ab"[i], *row]) for i, row in enumerate(rows)]
        path = write("\n".join([header, *lines]))
        code, _, err = run("compare", path, "--quiet", "--format", "csv")
        assert code == 0, err
        assert ("independent runs. If each column is of an item" in err) == is_doubted
        _, _, err = run("compare", path, "--quiet", "--unit", "run", "--format", "csv")
        assert "independent runs" not in err
        if not is_doubted:
            return
        upright = [f"{k},{x},{y}" for k, x, y in zip(columns, *rows, strict=True)]
        other = write("\n".join(["item,a,b", *upright]), "upright.csv")
        expected = run("compare", other, "--unit", "item", "--format", "csv")[1]
        found = run("compare", path, "--unit", "item", "--format", "csv")
        assert found[:2] == (0, expected)
        assert "were taken for items of one score" in found[2]

    def test_tasks(self, write, run):
        rows = [f"{m},{t},.1,.2,.3" for m in "ab" for t in "xy"]
        path = write("\n".join(["model,task,seed1,seed2,seed3", *rows]))
        code, out, err = run("compare", path)
        assert code == 0, err
        assert "x" in out
        other = write("\n".join(["model,lr,seed1,seed2,seed3", *rows]), "lr.csv")
        assert "--task" in run("compare", other)[2]
        assert run("compare", other, "--task", "lr")[0] == 0

    def test_folds_are_asked_about(self, write, run):
        path = write("\n".join(["model,fold1,fold2,fold3,fold4", *self.ROWS]))
        assert "--run fold" in run("compare", path)[2]
        assert run("compare", path, "--run", "fold")[0] == 0

    def test_means_beside_them(self, write, run):
        rows = [f"{row or 0},.3" for row in self.ROWS[:2]]
        path = write("\n".join(["model,seed0,seed1,seed2,seed3,mean", *rows]))
        assert "with --ignore mean" in run("compare", path)[2]
        assert run("compare", path, "--ignore", "mean")[0] == 0

    def test_models_that_are_called_so(self, write, run):
        rows = ["q1,.1,.3", "q2,.5,.7", "q3,.2,.1"]
        for header in ("question,s1,s2", "question,1,2", "item,run1,run2"):
            path = write("\n".join([header, *rows]))
            name = header.partition(",")[0]
            code, out, err = run("compare", path, "--item", name, "--format", "json")
            assert code == 0, err
            assert len(json.loads(out)["models"]) == 2

    @pytest.mark.parametrize("of_files", [True, False])
    def test_rows_of_items(self, write, of_files):
        """In a file for each model, or beside a column of models."""
        scores = {"a": [(1, 0, 1), (1, 0, 0)], "b": [(1, 1, 0), (0, 0, 1)]}
        rows = [
            (x, f"q{k}", *row) for x, by in scores.items() for k, row in enumerate(by)
        ]
        head = "model,question,seed0,seed1,seed2"
        if of_files:
            head = head.removeprefix("model,")
            paths = [
                write(as_csv([y[1:] for y in rows if y[0] == x], head), f"{x}.csv")
                for x in scores
            ]
        else:
            paths = [write(as_csv(rows, head))]
        table = read.scores(*paths)
        assert table.unit == "run,item"
        for x, by in scores.items():
            runs = table.runs[""][x]
            assert runs.runs == ("seed0", "seed1", "seed2")
            assert runs.scores.tolist() == [list(y) for y in zip(*by, strict=True)]

    def test_rows_of_one_item_twice_are_not_turned(self, write):
        paths = [
            write(f"question,seed0,seed1\nq,1,0\n{q},0,1\n", f"{q}.csv") for q in "qp"
        ]
        with pytest.raises(TableError, match=r"q.csv.*expected one column of scores"):
            read.scores(*paths)

    def test_runs_of_one_model_as_models_are_doubted(self, write):
        path = write("question,seed0,seed1\nq1,1,0\nq2,0,1\n")
        (doubt,) = read.scores(path).doubts
        assert "'seed0', 'seed1' have names of runs, and are compared as mod" in doubt
        assert not read.scores(path, models=["seed0", "seed1"]).doubts
