"""Runs in trackers of experiments: Weights & Biases, MLflow, TensorBoard."""

import ast
import json
import re
import statistics
import sys

import pytest

from sigarray import read
from sigarray.read import TableError
from sigarray.read._score_table import Choice
from sigarray.read._scores import read_sources
from tests.read.asking import refuse
from tests.read.long_tables import as_lists
from tests.read.tool_files import FILES, means, read_csv


class TestMlflow:
    def expected(self, name):
        rows = [
            x for x in read_csv(FILES / "mlflow" / name) if x["status"] == "FINISHED"
        ]
        models = sorted({x["params.model"] for x in rows})
        return {
            model: statistics.fmean(
                float(x["metrics.test_acc"]) for x in rows if x["params.model"] == model
            )
            for model in models
        }

    @pytest.mark.parametrize(
        ("name", "n_left"),
        [("filestore_experiments.csv", 0), ("sqlite_search_runs_with_index.csv", 1)],
    )
    def test_tables(self, name, n_left):
        path = FILES / "mlflow" / name
        table = read.scores(path, metric="test_acc", missing="drop")
        assert means(table) == pytest.approx(self.expected(name))
        assert (table.metric, table.unit) == ("test_acc", "run")
        of_columns, *others = table.notes
        assert "of its columns, run is 'params.seed', " in of_columns
        assert len(others) == n_left
        assert all(
            "1 run that has crashed was left out, without a task" in x for x in others
        )
        if n_left:
            with pytest.raises(TableError, match=r"got 1 of 7 \(failed\): 'resn"):
                read.scores(path, metric="test_acc")
            with pytest.raises(TableError, match=r"line 2: expected the task of a run"):
                read.scores(path, metric="test_acc", missing="worst")

    def test_the_store(self):
        table = read.scores(FILES / "mlflow" / "mlruns", metric="test_acc")
        assert means(table) == pytest.approx(self.expected("filestore_experiments.csv"))
        last = read.scores(FILES / "mlflow" / "mlruns", metric="val/acc")
        rows = read_csv(FILES / "mlflow" / "filestore_experiments.csv")
        assert sorted(y for x in last.scores.values() for y in x.tolist()) == sorted(
            float(x["metrics.val/acc"]) for x in rows
        )


def test_evaluate():
    table = read.scores(FILES / "evaluate", metric="accuracy")
    for model, scores in table.scores.items():
        found = [
            json.loads((FILES / "evaluate" / f"{model}_seed{k}.json").read_text())
            for k in range(3)
        ]
        assert scores.tolist() == [x["accuracy"] for x in found]
    assert table.ids["toy-3class"]["bert-a"] == ("0", "1", "2")


def test_tensorboard():
    table = read.scores(FILES / "tensorboard", metric="eval_accuracy")
    for model, scores in table.scores.items():
        for k, score in enumerate(scores.tolist()):
            name = f"run-{model}_seed{k}-tag-eval_accuracy.csv"
            rows = read_csv(FILES / "tensorboard" / name)
            assert score == float(rows[-1]["Value"])
    assert any(
        "the last of each (400) for its score: 6 of 30 rows" in x for x in table.notes
    )
    with pytest.raises(TableError, match=r"model_b_seed2-tag-loss.csv, line 6.*'nan'"):
        read.scores(FILES / "tensorboard", metric="loss")


class TestWandb:
    def test_a_chart(self):
        table = read.scores(FILES / "wandb" / "chart.csv")
        rows = read_csv(FILES / "wandb" / "chart.csv")
        for model, scores in table.scores.items():
            for k, score in enumerate(scores.tolist()):
                cells = [x[f"{model}-s{k}" + " - val/acc"] for x in rows]
                assert score == float([x for x in cells if x][-1])
        assert table.models == ("model-b", "model-a")
        assert any(
            "'model-b-s4' was taken for run 4 of 'model-b'" in x for x in table.notes
        )

    def test_a_chart_of_groups(self):
        table = read.scores(FILES / "wandb" / "grouped_chart.csv")
        assert "'model: model-b' looks like the mean of a group" in " ".join(
            table.notes
        )

    def test_runs(self):
        path = FILES / "wandb" / "runs.csv"
        table = read.scores(path, metric="test/acc", missing="drop")
        rows = read_csv(FILES / "wandb" / "runs.csv")
        for model, scores in table.scores.items():
            found = [
                float(x["test/acc"])
                for x in rows
                if x["model"] == model and x["State"] == "finished"
            ]
            assert sorted(scores.tolist()) == sorted(found)
        assert [len(x) for x in table.scores.values()] == [4, 5]
        chosen = read.scores(path, metric="test/acc", where={"State": ["finished"]})
        assert means(chosen) == means(table)

    def test_groups_are_no_runs(self, write, run):
        text = "Name,State,arch,acc\nGroup: a,-,a,.99\nGroup: b,-,b,.95\n"
        said = "got - in column 'State'. Its rows are groups of runs: ungroup the table"
        refuse(run("compare", write(text)), said)

    @pytest.mark.parametrize("higher", [None, False])
    def test_runs_that_have_crashed(self, tmp_path, higher):
        """What a run has logged before it crashed is no score of it."""
        text = "Name,State,arch,acc\nr0,failed,,.99\nr1,crashed,a,.95\n"
        text += "r2,finished,a,.9\nr3,finished,a,.8\nr4,finished,b,.85\n"
        text += "r5,finished,b,.7\nr6,running,b,.1\nr7,killed,b,NaN\nr8,finished,b,\n"
        path = tmp_path / "runs.csv"
        path.write_text(text)
        options = {"model": "arch", "higher_is_better": higher}
        asked = r"got 3 of 7 \(crashed, failed, killed\): run 'r0'; 'a', run 'r1'; "
        with pytest.raises(TableError, match=rf"{asked}'b', run 'r7'\. Pass missing="):
            read.scores(path, **options)
        dropped = read.scores(path, missing="drop", **options)
        assert as_lists(dropped) == {"": {"a": [0.9, 0.8], "b": [0.85, 0.7]}}
        assert dropped.n_missing == {"": {"a": 1, "b": 2}}
        assert "1 run that has not finished (running) left out: " in dropped.notes[0]
        assert dropped.n_unfinished == 1
        assert [x.rsplit(": ", 1)[-1] for x in dropped.notes] == [
            "'b', run 'r6'",
            "of its columns, run is 'Name', state is 'State', score is 'acc'",
            "1 run that has crashed was left out, without a model",
            "'a', run 'r1'; 'b', run 'r7'; 'b', run 'r8'",
        ]
        with pytest.raises(TableError, match=r"line 2: expected the model of a run"):
            read.scores(path, missing="worst", **options)
        path.write_text(text.replace("r0,failed,,.99\n", ""))
        worst = 0.7 if higher is None else 0.95
        counted = read.scores(path, missing="worst", **options)
        assert sorted(counted.scores["a"]) == sorted([0.9, 0.8, worst])
        assert sorted(counted.scores["b"]) == sorted([0.85, 0.7, worst, worst])
        assert any(
            f"crashed, or have no score, count as {worst}" in x for x in counted.notes
        )
        # What was logged is taken, and what has no score is left out as a blank cell.
        path.write_text(text.replace("r0,failed,,.99\n", "").replace("NaN", ".6"))
        kept = read.scores(path, missing="keep", **options)
        assert sorted(kept.scores["a"]) == [0.8, 0.9, 0.95]
        assert sorted(kept.scores["b"]) == [0.6, 0.7, 0.85]
        assert (kept.missing, kept.n_missing) == ("keep", {})
        # Those of models that are not compared are not asked about.
        one = read.scores(path, models=["a"], where={"Name": ["r2", "r7"]}, **options)
        assert one.scores["a"].tolist() == [0.9]
        path.write_text("Name,State,arch,acc\nr1,crashed,a,.95\n")
        with pytest.raises(TableError, match=r"have finished; got crashed in column"):
            read.scores(path, **options)

    def test_a_run_twice_and_groups(self, tmp_path):
        text = "Name,State,Group,seed,acc\nr1,finished,a,0,1\nr2,finished,a,1,2\n"
        text += "r3,finished,b,0,3\nr4,finished,b,1,4\n"
        path = tmp_path / "runs.csv"
        path.write_text(text)
        with pytest.raises(TableError, match=r"such as --model Group\. Texts"):
            read_sources([path], Choice())
        assert read.scores(path, model="Group").scores["b"].tolist() == [3, 4]
        path.write_text(text + "r5,finished,b,1,9\n")
        with pytest.raises(
            TableError, match=r"line 6: expected one score of 'b' for run"
        ):
            read.scores(path, model="Group")
        assert len(read.scores(path, model="Group", run="Name").scores["b"]) == 3

    def test_a_data_frame_of_the_api(self):
        path = FILES / "wandb" / "project.csv"
        with pytest.raises(
            TableError, match=r"got 1 of 10: 'model-b', run '3', at _st"
        ):
            read.scores(path, metric="val/acc")
        table = read.scores(path, metric="val/acc", missing="keep")
        rows = read_csv(FILES / "wandb" / "project.csv")
        found = {}
        for row in rows:
            model = ast.literal_eval(row["config"])["model"]
            score = ast.literal_eval(row["summary"])["val/acc"]
            found.setdefault(model, []).append(score)
        for model, scores in table.scores.items():
            assert sorted(scores.tolist()) == sorted(found[model])
        frame = pytest.importorskip("pandas").DataFrame(rows)
        frame["state"] = ["crashed", *["finished"] * (len(rows) - 1)]
        with pytest.raises(TableError, match=rf"got 1 of {len(rows)} \(crashed\)"):
            read.scores(frame, metric="val/acc")

    def test_the_last_step_of_the_api_tells_which_runs_ended_early(self):
        pandas = pytest.importorskip("pandas")
        rows = [
            {
                "config": {"arch": model, "seed": k},
                "summary": {
                    "_step": 10 if (model, k) == ("a", 0) else 90,
                    "acc": k / 7,
                },
                "name": f"{model}-{k}",
            }
            for model in "ab"
            for k in range(4)
        ]
        frame = pandas.DataFrame(rows)
        with pytest.raises(TableError, match=r"got 1 of 8: 'a', run '0', at _step 10"):
            read.scores(frame, model="arch")
        kept = read.scores(frame, model="arch", missing="drop").scores
        assert (len(kept["a"]), len(kept["b"])) == (3, 4)


def test_a_run_has_one_name_in_all_warnings(write):
    """That of its column of runs, be it the seed or the tracker's name."""
    states = ["finished"] * 4 + ["running", "crashed"]
    rows = [f"n{k}{x},{y},{x},{k},.{k}" for x in "ab" for k, y in enumerate(states)]
    path = write("\n".join(["Name,State,arch,config.seed,acc", *rows]))
    for run, name in ((None, "{}"), ("Name", "n{}a")):
        notes = read.scores(path, model="arch", run=run, missing="drop").notes
        for k, what in ((4, "(running) left out: "), (5, "were left out: ")):
            said = f"{what}'a', run '{name.format(k)}'"
            assert any(said in note for note in notes)


def test_trials_of_optuna(recwarn):
    path = FILES / "optuna" / "trials.csv"
    with pytest.raises(TableError, match=r"read as runs of Optuna: .* with model"):
        read.scores(path)
    table = read.scores(path, model="params_model")
    for model, x in table.scores.items():
        rows = [y for y in read_csv(path) if y["params_model"] == model]
        assert sorted(x.tolist()) == sorted(float(y["value"]) for y in rows)
    adaptive, direction = table.doubts
    assert "no independent runs" in adaptive
    assert "--lower-is-better where it minimizes" in direction


def test_runs_that_are_running_are_named_in_the_method(write, run):
    rows = [f"{'ab'[k % 2]}{k},finished,{'ab'[k % 2]},0.{k}" for k in range(1, 9)]
    rows += [f"r{k},running,a,0.5" for k in range(2)]
    path = write("\n".join(["Name,State,arch,acc", *rows]))
    code, out, err = run("compare", path, "--model", "arch")
    assert code == 0, err
    assert "not finished (running) left out: 'a', run 'r0'; 'a', run 'r1'." in err
    assert "2 runs that have not finished were left out." in " ".join(out.split())
    said = "got 'Name', which names runs: each of 8 has another one."
    refuse(run("compare", path, "--model", "Name"), said)


@pytest.mark.parametrize(
    ("tags", "first"),
    [
        (("vit", "vit, best", "vit-b", "vit-b, good"), "'vit, best'"),
        (("vit, new", "vit, new, ok", "vit-b", "vit-b, new"), "'vit, new, ok'"),
    ],
)
def test_tags_beside_those_of_models(write, tags, first):
    rows = [f'r{k},finished,"{tags[k % 4]}",0.8{k}' for k in range(8)]
    path = write("\n".join(["Name,State,Tags,acc", *rows]))
    with pytest.raises(TableError, match=f"one model; got {first}, which") as found:
        read.scores(path, model="Tags")
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(path)
    exec(re.split(r"in pandas: |, where|; and", str(found.value))[1], {"frame": frame})
    table = read.scores(frame, model="model")
    assert {x: len(y) for x, y in table.scores.items()} == {"vit": 4, "vit-b": 4}


def test_tags_that_all_runs_of_a_model_have(write):
    rows = [f'r{k},finished,"{"ab"[k % 2]}, paper",0.8{k}' for k in range(8)]
    path = write("\n".join(["Name,State,Tags,acc", *rows]))
    assert read.scores(path, model="Tags").models == ("a, paper", "b, paper")


def test_unfinished_trials_of_optuna_are_left_out(write):
    """A pruned trial has a value too: the last that was reported."""
    text = (FILES / "optuna" / "trials.csv").read_text("utf-8")
    path = write(text.replace("COMPLETE", "PRUNED", 1))
    for missing in (None, "drop", "worst"):
        table = read.scores(path, model="params_model", missing=missing)
        assert sum(map(len, table.scores.values())) == text.count("COMPLETE") - 1
        assert table.n_missing == {}
    assert any("1 run that has not finished (pruned)" in x for x in table.notes)
    path = write(text.replace("COMPLETE", "FAIL", 1))
    with pytest.raises(
        TableError, match=r"crashed; got 1 of .* \(fail\): 'a', run '0'"
    ):
        read.scores(path, model="params_model")


def test_logs_of_keras():
    """What `CSVLogger` wrote: the last epoch of each run."""
    table = read.scores(FILES / "keras", metric="val_accuracy")
    for model, x in table.scores.items():
        logs = [read_csv(FILES / "keras" / model / f"seed{k}.csv") for k in range(3)]
        assert x.tolist() == [float(rows[-1]["val_accuracy"]) for rows in logs]


def test_experiments_of_dvc(write):
    path = FILES / "dvc" / "experiments.csv"
    with pytest.raises(TableError, match="one score of 'gpt' for run '3'"):
        read.scores(path, metric="acc")  # its workspace repeats an experiment
    lines = path.read_text("utf-8").splitlines()
    hidden = write("\n".join(x for x in lines if "workspace" not in x))
    table = read.scores(hidden, metric="acc")
    assert {x: len(y) for x, y in table.scores.items()} == {"gpt": 3, "bert": 4}


def test_a_file_of_events_names_what_reads_it(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "tensorboard.backend.event_processing", None)
    path = tmp_path / "events.out.tfevents.1.host.1.0"
    path.write_bytes(b"\x18\x00\xa3")
    with pytest.raises(TableError, match="Run: pip install tensorboard"):
        read.scores(path)


accumulator = pytest.importorskip(
    "tensorboard.backend.event_processing.event_accumulator"
)


FOLDER = FILES / "tensorboard_events"


def test_the_last_value_of_each_run():
    table = read.scores(FOLDER, metric="eval/acc")
    assert (table.unit, table.models) == ("run", ("bert", "gpt"))
    for model in table.models:
        expected = []
        for k in range(3):
            run = accumulator.EventAccumulator(str(FOLDER / f"{model}_seed{k}"))
            run.Reload()
            expected.append(run.Scalars("eval/acc")[-1].value)
        assert table.scores[model].tolist() == expected
        assert table.ids[""][model] == ("0", "1", "2")
    assert any("the last of each (40) for its score" in x for x in table.notes)


def test_what_is_asked_or_refused(tmp_path):
    with pytest.raises(TableError, match=r"one metric; got 'eval/acc', 'train/loss'"):
        read.scores(FOLDER)
    path = tmp_path / "run" / "events.out.tfevents.1.host.1.0"
    path.parent.mkdir()
    path.write_bytes(b"")
    for one in (tmp_path, path):
        with pytest.raises(TableError, match=r"expected scalars in its event files"):
            read.scores(one)


def test_what_weights_and_biases_logs_by_itself_is_no_metric(write):
    rows = [f"r{k},finished,{'ab'[k % 2]},{k // 2},.8{k},1{k}" for k in range(8)]
    path = write("\n".join(["Name,State,model,seed,acc,_runtime", *rows]))
    assert read.scores(path).metric == "acc"
    assert read.scores(path, metric="_runtime").metric == "_runtime"


@pytest.mark.parametrize(
    "head", ["Name,State,model,seed,acc", "r,state,model,seed,acc"]
)
def test_a_blank_score_is_left_out_unless_the_run_has_crashed(write, head):
    rows = [f"r{k},finished,{'ab'[k % 2]},{k // 2},.8{k}" for k in range(8)]
    table = read.scores(write("\n".join([head, *rows, "r8,finished,a,4,"])))
    assert [len(x) for x in table.scores.values()] == [4, 4]
    assert any("1 row without a score was left out: 'a'" in x for x in table.notes)
    with pytest.raises(TableError, match=r"got 1 of 9 \(crashed\)"):
        read.scores(write("\n".join([head, *rows, "r8,crashed,a,4,"])))


@pytest.fixture
def histories(tmp_path):
    """`json.dump(history.history, file)` of Keras for each run; and their last loss."""
    last = {}
    for k, model in enumerate(("cnn", "mlp")):
        for run in range(4):
            losses = [1.0 / (epoch + 1) + k + run / 64 for epoch in range(3)]
            names = ("loss", "val_loss", "learning_rate")
            path = tmp_path / model / f"seed{run}" / "history.json"
            path.parent.mkdir(parents=True)
            path.write_text(json.dumps(dict.fromkeys(names, losses)))
            last.setdefault(model, []).append(losses[-1])
    return tmp_path, last


def test_histories_of_keras(histories, run):
    folder, last = histories
    table = read.scores(folder, metric="val_loss")
    assert as_lists(table) == {"": last}
    assert any("the last of each (2) for its score" in x for x in table.notes)
    refuse(run("compare", str(folder)), "'loss', 'val_loss'", "--metric loss")


def test_a_list_is_no_history(write):
    path = write('{"loss": [0.1, 0.2], "val_loss": [0.3]}', "a.json")
    with pytest.raises(TableError):
        read.scores(path)


def test_folders_with_several_files_of_a_run(tmp_path, run):
    """As of Hugging Face's Trainer."""
    for model in ("bert", "roberta"):
        for k in range(3):
            folder = tmp_path / f"{model}-seed{k}"
            folder.mkdir()
            (folder / "args.json").write_text('{"log": [{"step": 1}], "best": 1}')
            (folder / "results.json").write_text(f'{{"eval_accuracy": 0.{k + 5}}}')
    way = ("--path", "{model}-seed{run}/results.json")
    refuse(run("compare", str(tmp_path)), "args.json: expected")
    assert run("compare", str(tmp_path), *way)[0] == 0
