"""Files that evaluation harnesses and trackers wrote: the numbers are theirs."""

import ast
import csv
import json
import statistics
from pathlib import Path

import pytest

from sigarray import read
from sigarray.read import TableError
from sigarray.read._score_table import Choice
from sigarray.read._scores import read_sources

FILES = Path(__file__).parent / "files"
LM_EVAL, INSPECT = FILES / "lm_eval", FILES / "inspect"


def means(table, task=None):
    by = table.scores if task is None else table.tasks[task]
    return {model: statistics.fmean(scores.tolist()) for model, scores in by.items()}


def read_csv(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


class TestLmEval:
    NAMES = ("toy-org__model-a", "toy-org__model-b")

    @pytest.mark.parametrize(
        ("task", "metric"),
        [
            ("toy_mc", "acc"),
            ("toy_mc", "acc_norm"),
            ("toy_arith", "exact_match,strict-match"),
            ("toy_arith", "exact_match,flexible-extract"),
            ("toy_qa", "token_f1"),
        ],
    )
    def test_averages_are_those_of_the_harness(self, task, metric):
        for name in self.NAMES:
            table = read.scores(LM_EVAL / name, metric=metric, tasks=[task])
            (path,) = (LM_EVAL / name).glob("results_*.json")
            results = json.loads(path.read_text())["results"][task]
            key = metric if "," in metric else f"{metric},none"
            assert means(table, task) == {name: pytest.approx(results[key])}
            assert table.unit == "item"

    def test_models_are_paired_by_document(self):
        folders = [LM_EVAL / name for name in self.NAMES]
        with pytest.raises(TableError, match=r"'toy-org__model-b' lacks 1 \('5'\)"):
            read.scores(*folders, metric="acc")
        table = read.scores(*folders, metric="acc", drop_unmatched=True)
        assert table.is_paired
        ids = table.ids["toy_mc"]
        assert len(set(ids.values())) == 1
        assert "5" not in ids[self.NAMES[0]]
        assert len(ids[self.NAMES[0]]) == 11
        assert any(
            "'toy-org__model-b' lacks 1 ('5'); left out" in x for x in table.notes
        )

    def test_another_document_of_the_same_number_is_an_error(self):
        folders = [LM_EVAL / self.NAMES[0], LM_EVAL / "toy-org__model-b-unsorted"]
        with pytest.raises(TableError, match=r"one text.* pass --item doc_hash"):
            read.scores(*folders, metric="acc", drop_unmatched=True)
        joined = read.scores(
            *folders, metric="acc", item="doc_hash", drop_unmatched=True
        )
        right = [LM_EVAL / name for name in self.NAMES]
        assert sorted(means(joined).values()) == sorted(
            means(read.scores(*right, metric="acc", drop_unmatched=True)).values()
        )

    def test_files_without_a_folder(self):
        paths = [next((LM_EVAL / x).glob("samples_toy_mc_*")) for x in self.NAMES]
        table = read.scores(*paths, metric="acc", drop_unmatched=True)
        assert table.models == self.NAMES
        assert list(table.tasks) == ["toy_mc"]
        named = [f"{x}={path}" for x, path in zip("ab", paths, strict=True)]
        named = read.scores(*named, metric="acc", drop_unmatched=True)
        assert named.models == ("a", "b")
        assert list(means(named).values()) == list(means(table).values())

    def test_samples_without_the_hash_of_their_document(self, tmp_path):
        paths, bare = [], []
        for name in self.NAMES:
            path = next((LM_EVAL / name).glob("samples_toy_mc_*"))
            records = [json.loads(x) for x in path.read_text("utf-8").splitlines()]
            for record in records:
                del record["doc_hash"]
            (tmp_path / name).mkdir()
            lines = "\n".join(json.dumps(x) for x in records)
            (tmp_path / name / path.name).write_text(lines, "utf-8")
            paths.append(path)
            bare.append(tmp_path / name / path.name)
        options = {"metric": "acc", "drop_unmatched": True}
        hashed, table = read.scores(*paths, **options), read.scores(*bare, **options)
        assert means(hashed) == means(table)
        assert table.is_paired

    def test_several_metrics_are_listed(self):
        with pytest.raises(TableError, match=r"got 'acc', 'acc_norm'\. Choose one"):
            read.scores(LM_EVAL / self.NAMES[0], tasks=["toy_mc"])

    def test_tasks_without_the_metric_are_named(self):
        table = read.scores(LM_EVAL / self.NAMES[0], metric="acc")
        assert list(table.tasks) == ["toy_mc"]
        note = (
            "task toy_arith, task toy_ppl, task toy_qa left out, without metric 'acc'"
        )
        assert note in table.notes

    def test_two_dated_files_of_one_task(self, tmp_path):
        source = next((LM_EVAL / self.NAMES[0]).glob("samples_toy_mc_*"))
        for date in ("2026-01-01T00-00-00.0", "2026-01-02T00-00-00.0"):
            path = tmp_path / "m" / f"samples_toy_mc_{date}.jsonl"
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(source.read_bytes())
        with pytest.raises(TableError, match=r"one file of 'm' on toy_mc; got .* Pass"):
            read.scores(tmp_path / "m", metric="acc")

    def test_directions_are_those_of_the_harness(self):
        table = read.scores(LM_EVAL / self.NAMES[0], metric="answer_len")
        assert table.higher_is_better is False
        assert read.scores(LM_EVAL / self.NAMES[0], metric="acc").higher_is_better

    def test_a_metric_with_several_filters(self):
        match = r"one metric for --metric exact_match; got 'exact_match,strict-match'"
        with pytest.raises(TableError, match=match):
            read.scores(LM_EVAL / self.NAMES[0], metric="exact_match")

    def test_a_metric_that_no_task_has(self):
        match = (
            r"--metric to be one of 'exact_match,strict-match'.*'token_f1'.*; got 'x'"
        )
        with pytest.raises(TableError, match=match):
            read.scores(LM_EVAL / self.NAMES[0], metric="x")

    def test_results_are_averages(self):
        (path,) = (LM_EVAL / self.NAMES[0]).glob("results_*.json")
        table = read.scores(path, metric="acc,none")
        assert read.scores(path, metric="acc").metric == "acc,none"
        # Not of the group, of which it is one.
        assert {task: means(table, task) for task in table.tasks} == {
            "toy_mc": {"toy-org/model-a": 0.75}
        }


class TestInspect:
    MODELS = ("mockllm/model-a", "mockllm/model-b")

    @pytest.mark.parametrize("scorer", ["match", "includes"])
    @pytest.mark.parametrize("folder", ["eval", "deflated"])
    def test_averages_are_those_of_the_tool(self, folder, scorer):
        if folder == "eval":
            pytest.importorskip("zstandard")
        for path in (INSPECT / folder).iterdir():
            table = read.scores(path, metric=scorer)
            assert table.unit == "item"
            rows = read_csv(INSPECT / "frames" / "samples_with_eval.csv")
            values = [
                x[f"score_{scorer}"] == "C"
                for x in rows
                if x["model"] == table.models[0] and x[f"score_{scorer}"] in ("C", "I")
            ]
            assert list(means(table).values()) == [
                pytest.approx(statistics.fmean(values))
            ]

    @pytest.mark.parametrize("end", ["csv", "parquet"])
    def test_data_frames_are_the_logs(self, end):
        if end == "parquet":
            pytest.importorskip("pyarrow")
        frame = read.scores(
            INSPECT / "frames" / f"samples_with_eval.{end}",
            metric="score_match",
            drop_unmatched=True,
        )
        logs = read.scores(INSPECT / "deflated", metric="match", drop_unmatched=True)
        assert means(frame) == means(logs)
        assert frame.ids == logs.ids

    def test_samples_without_their_model(self):
        with pytest.raises(TableError, match=r"samples_df\(logs, columns="):
            read.scores(INSPECT / "frames" / "samples.csv", metric="score_match")

    def test_scores_of_several_parts(self):
        table = read.scores(INSPECT / "json", metric="rubric.fluency")
        expected = {}
        for path in (INSPECT / "json").iterdir():
            log = json.loads(path.read_text())
            values = [x["scores"]["rubric"]["value"]["fluency"] for x in log["samples"]]
            expected[log["eval"]["model"]] = statistics.fmean(values)
        assert means(table) == expected
        assert set(expected) == set(self.MODELS)
        truths = read.scores(INSPECT / "json", metric="rubric.accuracy")
        assert set(truths.scores[self.MODELS[0]].tolist()) == {0.0, 1.0}

    def test_what_was_not_scored_is_no_zero(self):
        with pytest.raises(TableError, match=r"'mockllm/model-b' lacks 1"):
            read.scores(INSPECT / "deflated", metric="brevity")
        table = read.scores(INSPECT / "deflated", metric="brevity", drop_unmatched=True)
        assert any("without a score were left out" in note for note in table.notes)

    def test_archives_that_are_broken(self, tmp_path):
        path = tmp_path / "log.eval"
        path.write_bytes(b"PK\x03\x04" + bytes(50))
        with pytest.raises(TableError, match="cannot be read as a log of Inspect AI"):
            read.scores(path)


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
        table = read.scores(FILES / "mlflow" / name, metric="test_acc")
        assert means(table) == pytest.approx(self.expected(name))
        assert (table.metric, table.unit) == ("test_acc", "run")
        assert len(table.notes) == n_left
        assert all("1 run that has not finished (failed)" in x for x in table.notes)

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


def test_lighteval():
    parquet = pytest.importorskip("pyarrow.parquet")
    table = read.scores(FILES / "lighteval", metric="em", drop_unmatched=True)
    (task,) = table.tasks
    assert task == "toy_qa|0"
    for model in ("model-a", "model-b"):
        (path,) = (FILES / "lighteval" / model).glob("*toy_qa*")
        rows = parquet.read_table(path).to_pylist()
        known = {x["doc"]["id"]: float(x["metric"]["em"]) for x in rows}
        scores = dict(
            zip(table.ids[task][model], table.tasks[task][model], strict=True)
        )
        assert scores == {x: known[x] for x in scores}
        assert len(scores) == 7


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
        table = read.scores(FILES / "wandb" / "runs.csv", metric="test/acc")
        rows = read_csv(FILES / "wandb" / "runs.csv")
        for model, scores in table.scores.items():
            found = [
                float(x["test/acc"])
                for x in rows
                if x["model"] == model and x["State"] == "finished"
            ]
            assert sorted(scores.tolist()) == sorted(found)
        assert [len(x) for x in table.scores.values()] == [4, 5]

    def test_a_run_twice_and_groups(self, tmp_path):
        text = "Name,State,Group,seed,acc\nr1,finished,a,0,1\nr2,finished,a,1,2\n"
        text += "r3,finished,b,0,3\nr4,finished,b,1,4\n"
        path = tmp_path / "runs.csv"
        path.write_text(text)
        with pytest.raises(TableError, match=r"name it with --model. There .*'Group'"):
            read_sources([path], Choice())
        assert read.scores(path, model="Group").scores["b"].tolist() == [3, 4]
        path.write_text(text + "r5,finished,b,1,9\n")
        with pytest.raises(
            TableError, match=r"line 6: expected one score of 'b' for run"
        ):
            read.scores(path, model="Group")
        assert len(read.scores(path, model="Group", run="Name").scores["b"]) == 3

    def test_a_data_frame_of_the_api(self):
        table = read.scores(FILES / "wandb" / "project.csv", metric="val/acc")
        rows = read_csv(FILES / "wandb" / "project.csv")
        found = {}
        for row in rows:
            model = ast.literal_eval(row["config"])["model"]
            score = ast.literal_eval(row["summary"])["val/acc"]
            found.setdefault(model, []).append(score)
        for model, scores in table.scores.items():
            assert sorted(scores.tolist()) == sorted(found[model])


class TestHelm:
    def test_instances(self):
        table = read.scores(FILES / "helm", metric="exact_match")
        assert list(table.tasks) == ["toy_qa"]
        for letter in "ab":
            path = FILES / "helm" / f"toy_qa_model-{letter}" / "per_instance_stats.json"
            values = [
                stat["mean"]
                for x in json.loads(path.read_text())
                if "perturbation" not in x
                for stat in x["stats"]
                if stat["name"]["name"] == "exact_match"
                and "perturbation" not in stat["name"]
            ]
            assert means(table)[f"toy/model-{letter}"] == statistics.fmean(values)

    def test_trials_are_averaged_and_perturbations_left_out(self, tmp_path):
        def entry(item, trial, score, **more):
            stat = {"name": {"name": "em", "split": "test"}, "count": 1, "mean": score}
            about = {"instance_id": item, "train_trial_index": trial}
            return about | {"stats": [stat]} | more

        for model, shift in (("a", 0.0), ("b", 0.5)):
            folder = tmp_path / f"mmlu:subject=x,model={model}"
            folder.mkdir()
            entries = [
                entry(f"id{k}", t, k + t + shift) for k in range(3) for t in (0, 1)
            ]
            entries.append(entry("id0", 0, 99.0, perturbation={"name": "typos"}))
            (folder / "per_instance_stats.json").write_text(json.dumps(entries))
        table = read.scores(tmp_path)
        assert list(table.tasks) == ["mmlu:subject=x"]
        assert table.scores["a"].tolist() == [0.5, 1.5, 2.5]
        assert table.scores["b"].tolist() == [1.0, 2.0, 3.0]


def test_dopamine():
    """A file for each game; the last iteration of each run."""
    table = read.scores(FILES / "dopamine")
    assert list(table.tasks) == ["alien", "pong"]
    for game, by in table.tasks.items():
        rows = json.loads((FILES / "dopamine" / f"{game}.json").read_text())
        last = max(row["Iteration"] for row in rows)
        for agent, scores in by.items():
            assert scores.tolist() == [
                x["Value"]
                for x in rows
                if x["Agent"] == agent and x["Iteration"] == last
            ]
