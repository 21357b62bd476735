"""Choice of rows, by the values in a column, and of columns, by short names."""

import contextlib
import json

import pytest

from sigarray import read
from sigarray.read import TableError
from sigarray.read._files import list_files
from sigarray.read._messages import Caution
from sigarray.read._score_table import Choice
from sigarray.read._scores import read_sources
from sigarray.read._sources import open_source, tabulate
from sigarray.read._templates import name_by_template
from tests.read.asking import numbers, refuse
from tests.read.long_tables import as_lists
from tests.read.tool_files import FILES

ROWS = [(m, s, k) for m in "ab" for s in range(3) for k in range(4)]


class TestWhere:
    def rows(self, name="split", values=("train", "test")):
        rows = [
            f"{m},{k},{x},{numbers(0.5, 0.9)}"
            for m in ("lstm", "cnn")
            for k in range(6)
            for x in values
        ]
        return "\n".join([f"model,seed,{name},acc", *rows])

    @pytest.mark.parametrize(
        ("name", "values"),
        [
            ("split", ("train", "test")),
            ("part", ("Train", "Valid", "Test")),
            ("subset", ("dev", "test")),
        ],
    )
    def test_splits_are_not_pooled(self, write, run, name, values):
        path = write(self.rows(name, values))
        last = values[-1]
        refuse(run("compare", path), f"--where {name}={last}", f"--task {name}")
        code, out, err = run("compare", path, "--where", f"{name}={last}")
        assert code == 0, err
        said = f"Rows with {name}={last}. "
        assert said in out
        whole = run("compare", write("\n".join(self.kept(path, last))))[1]
        assert out.replace(said, "") == whole

    def kept(self, path, value):
        with open(path) as file:
            lines = file.read().split("\n")
        yield "model,seed,acc"
        for line in lines[1:]:
            model, seed, split, score = line.split(",")
            if split == value:
                yield f"{model},{seed},{score}"

    def test_several_columns_and_values(self, write, run):
        path = write(self.rows(values=("train", "val", "test")))
        where = ("--where", "split=test", "--where", "seed=0,1,2,3")
        code, out, err = run("compare", path, *where, "--format", "json")
        assert code == 0, err
        assert {x["n"] for x in json.loads(out)["models"].values()} == {4}
        refuse(run("compare", path, "--where", "split=val,test"), "expected one score")

    @pytest.mark.parametrize("option", ["--run=rater", ""])
    def test_a_column_of_raters_has_its_role(self, write, run, option):
        """Models are compared by the same raters, of those that were chosen."""
        rows = [
            f"{m},q{k},{rater},{1 + (k * (1 + (m == 'ours')) + len(rater)) % 5}"
            for m in ("base", "ours")
            for k in range(20)
            for rater in ("ann", "carla", "bo")
            if rater == "ann" or m == "base" or k < 4
        ]
        path = write("\n".join(["model,item,rater,score", *rows]))
        options = ("--where", "rater=ann,carla", "--unit", "item", *option.split("="))
        code, out, err = run("compare", path, *filter(None, options))
        assert code == 0, err
        assert "16 of 64 ratings were left out" in " ".join(out.split())
        assert "warning: 16 of 64 scores were left out" in err
        assert err.count("warning") == 1

    def test_columns_of_models(self, write, run):
        rows = [f"{x},{numbers(0.5, 0.9, 2)}" for x in ("train", "test") * 6]
        path = write("\n".join(["split,lstm,cnn", *rows]))
        refuse(run("compare", path), "--where split=test")
        code, _, err = run("compare", path, "--where", "split=test")
        assert code == 0, err
        kept = "\n".join(["lstm,cnn", *(x[5:] for x in rows if x.startswith("test"))])
        a = run("compare", path, "--where", "split=test", "--format", "csv")[1]
        assert a == run("compare", write(kept), "--format", "csv")[1]

    def test_what_is_not_there(self, write, run):
        path = write(self.rows())
        refuse(run("compare", path, "--where", "part=test"), "no column 'part'")
        refuse(run("compare", path, "--where", "split=tset"), "'train', 'test'")
        with pytest.raises(SystemExit):
            run("compare", path, "--where", "split")

    @pytest.mark.parametrize("asked", ["1e-3", "0.0010", "+.001", "0.001"])
    def test_a_number_is_found_however_it_is_written(self, write, run, asked):
        path = write(self.rows("lr", ("0.001", "0.01")))
        code, out, err = run("compare", path, "--where", f"lr={asked}")
        assert code == 0, err
        whole = run("compare", write("\n".join(self.kept(path, "0.001"))))[1]
        assert out.replace(f"Rows with lr={asked}. ", "") == whole

    def test_texts_of_one_number_are_different_where_one_is_asked_for(self, write, run):
        """Versions 1.1 and 1.10 are not pooled, and long numbers are not rounded."""
        path = write(self.rows("version", ("1.1", "1.10")))
        code, out, err = run("compare", path, "--where", "version=1.1")
        assert code == 0, err
        whole = run("compare", write("\n".join(self.kept(path, "1.1"))))[1]
        assert out.replace("Rows with version=1.1. ", "") == whole
        path = write(self.rows("id", ("90071992547409920", "1")))
        refuse(run("compare", path, "--where", "id=90071992547409921"), "--where; got")


class TestColumnsThatAreLeftOut:
    """Every column of every kind of file: read, or refused in words."""

    LM_EVAL = ("lm_eval/toy-org__model-a", "lm_eval/toy-org__model-b")
    TRAINER = "{model}_seed{run}/"
    OF_TOOLS = (
        ("dopamine", {}),
        ("dvc/experiments.csv", {"metrics": ["acc"]}),
        ("evaluate", {"metrics": ["accuracy"]}),
        ("helm", {"metrics": ["exact_match"]}),
        ("inspect/json", {"metrics": ["rubric.accuracy"]}),
        ("inspect/eval", {"metrics": ["match"]}),
        ("inspect/frames/samples_with_eval.csv", {"metrics": ["score_match"]}),
        ("keras", {"metrics": ["val_accuracy"]}),
        ("lighteval", {"metrics": ["em"], "drop_unmatched": True}),
        (LM_EVAL, {"metrics": ["acc"], "drop_unmatched": True}),
        ("mlflow/filestore_experiments.csv", {"metrics": ["test_acc"]}),
        ("mlflow/sqlite_search_runs_with_index.csv", {"metrics": ["test_acc"]}),
        ("mlflow/mlruns", {"metrics": ["test_acc"]}),
        ("optuna/trials.csv", {"columns": {"model": "params_model"}}),
        ("tensorboard", {"metrics": ["eval_accuracy"]}),
        ("tensorboard_events", {"metrics": ["eval/acc"]}),
        ("trainer", {"path": f"{TRAINER}all_results.json", "metrics": ["eval_loss"]}),
        ("trainer", {"path": f"{TRAINER}trainer_state.json", "table": "log_history"}),
        ("wandb/chart.csv", {}),
        ("wandb/grouped_chart.csv", {}),
        ("wandb/project.csv", {"metrics": ["val/acc"]}),
        ("wandb/runs.csv", {"metrics": ["test/acc"]}),
    )
    TEXTS = (
        "seed,a,b\n0,.5,.25\n1,.75,.125\n2,.5,.5\n",
        "task,item,a,b\nt,p,.5,.25\nt,q,.75,.125\nu,p,.5,.5\nu,q,.1,.2\n",
        "model,task,seed,step,acc,loss\n"
        + "".join(f"{m},t,{s},{k},.{s}{k},{k}\n" for m, s, k in ROWS),
        "model,metric,seed,value\n"
        + "".join(f"{m},m{k % 2},{s},.{s}{k}\n" for m, s, k in ROWS if k < 2),
        "model,doc,item,rater,acc\n"
        + "".join(f"{m},{s},{s}{k},r{k},{k % 2}\n" for m, s, k in ROWS),
        '{"a": {"seed0": 0.5, "seed1": 0.25}, "b": {"seed0": 0.1, "seed1": 0.2}}',
    )

    def leave_out_each(self, paths, options):
        columns: dict[str, None] = {}
        files, _ = list_files(paths)
        if "path" in options:
            files, _ = name_by_template(files, options["path"])
        for file in files:
            name, content = open_source(file, options.get("table"))
            frame = tabulate(content, name, file.path)
            columns |= dict.fromkeys((*frame.columns, *frame.parts))
        assert len(columns) > 1
        for name in columns:
            for missing in (None, "drop", "keep"):
                # Any other error fails the test.
                with contextlib.suppress(TableError):
                    choice = Choice(**options, ignored=[name], missing=missing)
                    assert read_sources(paths, choice).models

    @pytest.mark.long
    @pytest.mark.parametrize(("names", "options"), OF_TOOLS)
    def test_files_of_tools(self, names, options):
        paths = [
            str(FILES / x) for x in ((names,) if isinstance(names, str) else names)
        ]
        self.leave_out_each(paths, options)

    @pytest.mark.parametrize("text", TEXTS)
    def test_other_tables(self, write, text):
        path = write(text, "t.json" if text.startswith("{") else "t.csv")
        self.leave_out_each([path], {})

    def test_a_seed_of_every_tracker(self):
        for path, seed, metric in (
            ("wandb/runs.csv", "seed", "test/acc"),
            ("wandb/project.csv", "config.seed", "val/acc"),
            ("mlflow/filestore_experiments.csv", "params.seed", "test_acc"),
            ("mlflow/mlruns", "params.seed", "test_acc"),
        ):
            options = {"metrics": [metric], "missing": "drop"}
            whole, without = (
                read_sources([str(FILES / path)], Choice(**options, ignored=x))
                for x in ([], [seed])
            )
            for task, by in whole.tasks.items():
                for model, x in by.items():
                    assert sorted(without.tasks[task][model]) == sorted(x)

    def test_which_runs_have_crashed_remains_known(self, run):
        path = str(FILES / "wandb" / "runs.csv")
        arguments = ("compare", path, "--metric", "test/acc", "--ignore", "State")
        said = "got 'State', which says of runs of Weights & Biases whether they have"
        refuse(run(*arguments), said, "--missing keep")
        refuse(run(*arguments, "--missing", "drop"), said)

    def test_a_column_with_a_role(self, run):
        path = str(FILES / "wandb" / "runs.csv")
        arguments = ("compare", path, "--model", "model", "--ignore", "model")
        refuse(run(*arguments), "--model and --ignore to name other columns")


def test_runs_that_were_left_out_on_purpose_need_no_warning(write):
    """Of a tracker, which also leaves out those that have not ended."""
    states = ("finished", "finished", "finished", "running", "crashed")
    rows = [
        f'"{m}-s{k}","{state}","2026-01-0{k + 1}T00:00:00.000Z","{m}","0.{k}{len(m)}"'
        for m in ("lstm", "cnn")
        for k, state in enumerate(states)
    ]
    path = write("\n".join(['"Name","State","Created","arch","acc"', *rows]))
    options = {"model": "arch", "metric": "acc", "missing": "drop"}
    whole = read.scores(path, **options)
    table = read.scores(path, where={"State": ["finished"]}, **options)
    assert as_lists(table) == as_lists(whole)
    assert (whole.n_unfinished, table.n_unfinished) == (2, 0)
    assert any("not finished" in x for x in whole.notes)
    assert not any(isinstance(x, Caution) for x in table.notes)
    assert f"{path}: 6 of 10 rows have State=finished" in table.notes
    table = read.scores(path, where={"State": ["finished", "running"]}, **options)
    assert table.n_unfinished == 2


TRACKED = [f"r{m}{k},{m},x,{k},0.{k},finished" for m in "ab" for k in range(4)]


def test_columns_of_a_tracker(write):
    header = "Name,config.arch,params/data,config.seed,test/acc,State"
    path = write("\n".join([header, *TRACKED]))
    table = read.scores(path, model="arch", metric="acc", run="seed")
    assert table.models == ("a", "b")
    assert table.metric == "test/acc"
    table = read.scores(path, model="arch", metric="acc", where={"data": ["x"]})
    assert table.models == ("a", "b")


def test_several_columns_that_end_so(write):
    header = "Name,config.arch,params/arch,config.seed,test/acc,State"
    path = write("\n".join([header, *TRACKED]))
    with pytest.raises(TableError, match=r"no column 'arch' .model"):
        read.scores(path, model="arch", metric="acc")
    whole = "Name,config.arch,arch,config.seed,test/acc,State"
    with pytest.raises(TableError, match=r"differ in .config.arch"):
        read.scores(write("\n".join([whole, *TRACKED])), model="arch", metric="acc")


class TestNamesWithCommas:
    ROWS = tuple(f"{m},{k},0.{k},0.{k}5" for m in "ab" for k in range(4))

    def test_in_lists(self, write, run):
        """Neighbours in a list that together are the name of a column."""
        path = write("\n".join(['m,seed,"acc,none","f1,none"', *self.ROWS]))
        assert run("compare", path, "--model", "m", "--ignore", "f1,none")[0] == 0
        columns = ("--columns", "acc,none,f1,none", "--unit", "run")
        code, out, err = run("compare", path, *columns)
        assert code == 0, err
        assert '"f1,none" vs. "acc,none"' in out or '"acc,none" vs. "f1,none"' in out

    def test_of_metrics_in_several_columns(self, write):
        path = write("\n".join(['m,seed,"acc,none","f1,none"', *self.ROWS]))
        one = read.scores(path, model="m", score="acc,none")
        assert (one.metric, {*one.tasks}) == ("acc,none", {""})
        both = read.scores(path, model="m", score="acc,none,f1,none")
        assert {*both.tasks} == {"acc,none", "f1,none"}

    def test_of_a_tool_are_listed(self, run):
        path = next((FILES / "lm_eval" / "toy-org__model-a").glob("samples_toy_mc*"))
        path = f"a={path}"
        refuse(run("compare", path, "--score", "acc,none"), "no column 'none'", "'acc'")
