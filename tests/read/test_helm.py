"""Files of HELM: the numbers are its own."""

import json
import statistics

from sigarray import read
from tests.read.tool_files import FILES, means


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
