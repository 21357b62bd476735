"""Files of Inspect AI, HELM and lighteval: samples by id."""

import json
import statistics

import pytest

from sigarray import read
from sigarray.read import TableError
from tests.read.tool_files import FILES, means, read_csv

INSPECT = FILES / "inspect"


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

    @pytest.mark.parametrize("has_scores", [False, True])
    def test_an_evaluation_that_has_failed(self, write, has_scores):
        path = next((INSPECT / "json").iterdir())
        log = json.loads(path.read_text()) | {
            "status": "error",
            "error": {"message": "ConnectionError(...)"},
        }
        for sample in log["samples"]:
            sample["scores"] = sample["scores"] if has_scores else {}
        path = write(json.dumps(log), "log.json")
        if has_scores:
            table = read.scores(path, metric="rubric.fluency")
            assert any("(ConnectionError(...)), and may" in x for x in table.doubts)
        else:
            said = r"got none: the evaluation has failed \(ConnectionError"
            with pytest.raises(TableError, match=said):
                read.scores(path)
            path = write(json.dumps(log | {"samples": None}), "log.json")
            with pytest.raises(TableError, match=said):
                read.scores(path)

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

    def test_metadata_are_columns(self, tmp_path):
        """Documents of samples are clusters."""
        (path, *_) = sorted((INSPECT / "json").iterdir())
        log = json.loads(path.read_text("utf-8"))
        for k, sample in enumerate(log["samples"]):
            sample["metadata"] = {"source": {"document": f"d{k // 2}"}}
        written = tmp_path / "log.json"
        written.write_text(json.dumps(log), "utf-8")
        cluster = "metadata.source.document"
        said = {"metric": "rubric.accuracy", "cluster": cluster}
        assert read.scores(written, **said).clusters
        table = read.scores(written, **said, unit="cluster")
        known = {x["metadata"]["source"]["document"] for x in log["samples"]}
        assert table.unit == "cluster"
        assert {
            x for ids in table.ids.values() for y in ids.values() for x in y
        } <= known

    def test_archives_that_are_broken(self, tmp_path):
        path = tmp_path / "log.eval"
        path.write_bytes(b"PK\x03\x04" + bytes(50))
        with pytest.raises(TableError, match="cannot be read as a log of Inspect AI"):
            read.scores(path)


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
