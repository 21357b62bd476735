"""Tables that are turned: a column for each run of a model, or for each benchmark."""

import json

import pytest

from sigarray import compare_models, read, wilcoxon_test
from sigarray.read import TableError
from tests.read.asking import numbers, parse, refuse, wide_table
from tests.read.long_tables import as_csv, as_lists


def test_a_column_for_each_run_of_each_task(write, run):
    names = [f"{task}_seed{k}" for task in ("cifar10", "svhn") for k in range(4)]
    rows = [(model, numbers(90, 95, 8)) for model in "abc"]
    path = write(wide_table(",".join(["model", *names]), rows))
    refuse(run("compare", path), "of one metric, pass --columns '{task}_seed{run}')")
    table = read.scores(path, columns="{task}_seed{run}")
    assert (table.unit, table.run_column) == ("run", "run")
    assert {task: [*by] for task, by in table.tasks.items()} == {
        "cifar10": [*"abc"],
        "svhn": [*"abc"],
    }
    assert len(table.tasks["svhn"]["b"]) == 4


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

    @pytest.mark.parametrize("header", [",0,1,2,3", "net,seed0,seed1,seed2,seed3"])
    @pytest.mark.parametrize("name", ["seed", "run_id", "fold"])
    def test_a_row_of_seeds_is_no_model(self, write, header, name):
        lines = [header, f"{name},7,8,9,10", *self.ROWS]
        with pytest.raises(TableError, match=rf"line 2.*name of a model; got '{name}'"):
            read.scores(write("\n".join(lines)))
        table = read.scores(write("\n".join([header, "no,.7,.8,.9,1", *self.ROWS])))
        assert "no" in table.models

    @pytest.mark.parametrize("runs", ["seed0,seed1,seed2", "42,7,123"])
    def test_a_model_twice_is_said_where(self, write, run, runs):
        lines = [f"model,{runs}", "a,.1,.3,.2", "b,.5,.7,.6", "a,.1,.2,.3"]
        path = write("\n".join(lines))
        words = "line 4, column 'model'", "got 'a' again, as at", "Remove one of these"
        refuse(run("compare", path), *words)
        assert run("compare", write("\n".join(lines[:3])))[0] == 0

    @pytest.mark.parametrize("first", ["seed", "model"])
    def test_numbers_of_pandas_are_whole(self, write, first):
        """As which df.T writes seeds: 42.0; such names of models are shown alike."""
        whole, floats = (
            read.scores(write("\n".join([f"{first},{header}", *self.ROWS])))
            for header in ("42,7,456,89", "42.0,7.0,456.0,89.0")
        )
        assert as_lists(floats) == as_lists(whole)
        assert [*floats.models] == ["a", "b", "c"]
        pandas = pytest.importorskip("pandas")
        rows = [row.rstrip(",").split(",") for row in self.ROWS[:2]]
        frame = pandas.DataFrame(
            {name: [*map(float, x)] for name, *x in rows},
            index=pandas.Index([42.0, 7.0, 456.0, 89.0]),
        ).T.rename_axis("seed")
        assert [*read.scores(frame).models] == ["a", "b"]

    def test_other_numbers_stay(self, write):
        for header in ("m,1.0,0.5,2.0", "m,1.0,1,2.0"):
            rows = [f"{k},.1,.{k},.3" for k in range(3, 8)]
            table = read.scores(write("\n".join([header, *rows])), run="m")
            assert [*table.models] == header.split(",")[1:]

    def test_nor_is_one_of_a_data_frame(self):
        pandas = pytest.importorskip("pandas")
        frame = pandas.DataFrame({"seed": range(3), "a": [0.1, 0.2, 0.4], "b": 0.5})
        with pytest.raises(TableError, match=r"got 'seed'.*each model has a column"):
            compare_models(frame.T)

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


NAMES = ("mmlu", "gsm8k", "arc", "bbh", "piqa", "boolq")


SCORES = {
    "a": (0.70, 0.61, 0.55, 0.81, 0.74, 0.45),
    "b": (0.65, 0.52, 0.51, 0.78, 0.71, 0.43),
}


ROWS = [f"{m},{','.join(map(str, x))}" for m, x in SCORES.items()]


BOARD = "\n".join([f"Model,{','.join(NAMES)}", *ROWS, ""])


def test_one_score_of_each_model_on_each_benchmark(write, run):
    path = write(BOARD)
    every = ",".join(NAMES)
    refuse(run("compare", path), "--metric mmlu", f"with --score {every}.")
    document = parse(run("compare", path, "--score", every, "--format", "json"))
    (pair,) = document["pairs"]
    assert wilcoxon_test(*SCORES.values()).pvalue == 2 / 2**6
    assert pair["pvalue"] == pytest.approx(2 / 2**6)
    table = read.scores(path, score=every)
    assert (table.unit, table.is_paired, table.metric) == ("item", True, "score")
    assert set(zip(table.ids[""]["a"], table.scores["a"], strict=True)) == set(
        zip(NAMES, SCORES["a"], strict=True)
    )
    assert any("'bbh', and 2 more were taken for items" in x for x in table.notes)
    assert compare_models(table).better("a", "b")


@pytest.mark.parametrize("names", ["acc,hours", "gpu_hours,co2", "acc,params,bleu"])
def test_costs_are_no_benchmarks(write, run, names):
    rows = [[m, k, *[k / 7] * len(names.split(","))] for m in "ab" for k in range(4)]
    path = write(
        "\n".join(
            f"model,seed,{names}\n" * (x == 0) + ",".join(map(str, y))
            for x, y in enumerate(rows)
        )
    )
    refuse(run("compare", path), "Choose one, such as --metric ")


def test_metrics_of_two_directions_have_a_command_each(write, run):
    path = write("model,seed,acc,val loss\na,0,.1,.2\na,1,.2,.1\nb,0,.3,.1\nb,1,.2,.2")
    options = ("--score", "acc,val loss", "--lower-is-better", "val loss")
    each = "two, by --metric acc, and by --metric 'val loss' --lower-is-better; or"
    refuse(run("compare", path, *options), each)


def test_a_file_for_each_model(write):
    paths = [write(f"arc,bbh\n.{k},.{k + 2}\n", f"m{k}.csv") for k in (1, 2)]
    table = read.scores(*paths, score="arc,bbh")
    assert as_lists(table) == {"": {"m1": [0.1, 0.3], "m2": [0.2, 0.4]}}


@pytest.mark.parametrize("of_tracker", [False, True])
def test_several_runs_on_each_benchmark(write, of_tracker):
    rows = [(m, k, (k + n) / 10, n / 2) for n, m in enumerate("ab") for k in range(3)]
    ends = ("State,", "finished,") if of_tracker else ("", "")
    lines = [f"{ends[1]}{m},{k},{x},{y}" for m, k, x, y in rows]
    path = write("\n".join([f"{ends[0]}Name,seed,mmlu,arc", *lines]))
    table = read.scores(path, model="Name", score="arc, mmlu")
    assert as_lists(table) == {
        "arc": {"a": [0, 0, 0], "b": [0.5, 0.5, 0.5]},
        "mmlu": {"a": [0, 0.1, 0.2], "b": [0.1, 0.2, 0.3]},
    }
    assert table.ids["arc"]["b"] == ("0", "1", "2")


def test_what_is_asked(write):
    path = write(BOARD)
    with pytest.raises(TableError, match=r"'MMLU' \(score\)\. Did you mean 'mmlu'\?"):
        read.scores(path, score="MMLU,bbh")
    path = write("Model,task,x,y\na,t,.1,.2\na,t,.1,.2\nb,t,.3,.4\n")
    with pytest.raises(TableError, match=r"no other column of tasks .* got 'task'"):
        read.scores(path, score="x,y")
    path = write("Model,score,x,y\na,.1,.2,.3\nb,.3,.4,.5\n")
    with pytest.raises(TableError, match=r"of items or scores .* got 'score'"):
        read.scores(path, score="x,y")
    path = write("Model,arc,bbh,Average\na,.1,.2,.15\nb,.3,.4,.35\n")
    with pytest.raises(TableError, match=r"got 'Average', as of means .* Leave out"):
        read.scores(path, score="arc,bbh,Average")
    with pytest.raises(TableError, match=r"all of them with score=.arc,bbh."):
        read.scores(path)
    table = read.scores(path, score="arc,bbh")
    assert as_lists(table) == {"": {"a": [0.1, 0.2], "b": [0.3, 0.4]}}
    assert not any("differ in" in x for x in table.notes)
    for header in ("mean,std,n", "elo,ci_low,ci_high"):
        path = write(f"Model,{header}\na,12,10,13\nb,34,30,38\n")
        with pytest.raises(TableError, match="Means with deviations or"):
            read.scores(path)
        with pytest.raises(TableError, match="as of means or deviations"):
            read.scores(path, score=header)


def test_metrics_of_items_and_tasks_are_no_benchmarks(write, run):
    """Taken for tasks, and then averaged, they would be of no scale."""
    for column in ("task", "item"):
        path = write(f"Model,{column},acc,f1\na,t,.1,.2\nb,t,.3,.4\n")
        done = run("compare", path)
        refuse(done, "got 'acc', 'f1'. Choose one, such as --metric acc.\n")
    samples = [
        write(
            "\n".join(
                f'{{"doc_id": {k}, "doc": {{}}, "target": "a", "filtered_resps": [],'
                f' "acc": {k % 2}, "acc_norm": {k % 3 % 2}}}'
                for k in range(9)
            ),
            f"samples_piqa_2026-01-0{day}T10-00-00.000000.jsonl",
        )
        for day in (1, 2)
    ]
    files = [f"{name}={path}" for name, path in zip("ab", samples, strict=True)]
    done = run("compare", *files)
    refuse(done, "got 'acc', 'acc_norm'. Choose one, such as --metric acc.\n")
    done = run("compare", *files, "--score", "acc,acc_norm")
    refuse(
        done, "no other column of tasks or scores", "Choose one of them with --metric"
    )
    assert run("compare", *files, "--metric", "acc")[0] == 0


def test_a_column_of_metrics_is_not_left_out(write, run):
    rows = [f"{m},q{k},{x},{k % 2}" for m in "ab" for k in range(8) for x in ("p", "r")]
    path = write("\n".join(["model,item,metric,score", *rows]))
    for more in ((), ("--unit", "item")):
        done = run("compare", path, "--ignore", "metric", *more)
        refuse(done, "got 'p', 'r', and --ignore metric, which would mix them")
    options = ("--ignore", "metric", "--where", "metric=p")
    assert run("compare", path, *options)[0] == 0


def test_columns_of_items_and_rows_of_runs(write, run):
    """A file of each model; items are no benchmarks."""
    rows = [f"{k},{k % 2},1,0,{k % 3 % 2}" for k in range(4)]
    paths = [write("\n".join(["seed,q0,q1,q2,q3", *rows]), f"{x}.csv") for x in "ab"]
    for options in ((), ("--unit", "item"), ("--unit", "run,item")):
        done = run("compare", *paths, *options)
        refuse(done, "each column is of an item and each row of a run", "run,item")
        assert "benchmark" not in done[2]


def test_columns_of_runs_without_their_name(write, run):
    """They may be items or runs, and the table is right, or on its side."""
    rows = [
        f"{m},{','.join(f'0.{k}{n}' for k in range(5))}" for n, m in enumerate("ab")
    ]
    done = run("compare", write("\n".join(["model,s1,s2,s3,s4,s5", *rows])))
    refuse(done, "name columns seed1, seed2 and so on, or turn the table")
    answer = "\n".join(["model,seed1,seed2,seed3,seed4,seed5", *rows])
    assert run("compare", write(answer))[0] == 0


@pytest.mark.parametrize("by", ["_", "-", " "])
def test_columns_of_counts_of_each_model_are_rows(write, run, by):
    """As those of a long table, whatever their order; without items, rows are these."""
    rows = [[k % 5, k % 3 + 1, k % 2, k % 4, 1, k % 3] for k in range(20)]
    names = [f"{m}{by}{x}" for m in ("base", "new") for x in ("tp", "fp", "fn")]
    columns = {str(100 + k): row for k, row in enumerate(rows)}
    long = "\n".join(
        ["doc,model,fp,tp,fn"]
        + [f"{d},base,{x[1]},{x[0]},{x[2]}" for d, x in columns.items()]
        + [f"{d},new,{x[4]},{x[3]},{x[5]}" for d, x in columns.items()]
    )
    options = {"statistic": "f1", "score": "tp,fp,fn"}
    expected = as_lists(read.scores(write(long), item="doc", **options))
    text = wide_table(",".join(["doc", *names]), [(d, *x) for d, x in columns.items()])
    table = read.scores(write(text), item="doc", **options)
    assert as_lists(table) == expected
    said = f"'base{by}tp' was read as 'tp' of model 'base'"
    assert any(said in x for x in table.notes)
    alone = read.scores(write(wide_table(",".join(names), rows)), **options)
    assert as_lists(alone) == expected
    some = write(wide_table(",".join(names[:5]), [x[:5] for x in rows]))
    done = run("compare", some, "--statistic", "f1", "--score", "tp,fp,fn")
    refuse(done, "has no column 'tp'")


@pytest.mark.parametrize("header", ["data,model,0,1,2", "data,model,seed0,seed1,seed2"])
def test_a_column_that_may_name_tasks_is_named(write, run, header):
    rows = [(d, m, numbers(0, 1, 3)) for d in ("x", "y") for m in "ab"]
    path = write(wide_table(header, rows))
    refuse(run("compare", path), "pass --task data; or", "--where data=x.")
    for options in (("--task", "data"), ("--where", "data=x")):
        assert run("compare", path, *options)[0] == 0
