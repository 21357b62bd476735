"""Runs of Hydra: overrides say what a job is."""

import json

from tests.read.asking import parse, refuse
from tests.read.conftest import MODELS


class TestHydra:
    def sweep(self, tmp_path, **more):
        folder = tmp_path / "multirun" / "2024-01-01" / "12-00-00"
        for i, model in enumerate(MODELS):
            for k in range(5):
                job = folder / str(5 * i + k)
                (job / ".hydra").mkdir(parents=True)
                (job / "metrics.json").write_text(json.dumps({"acc": i + k / 10}))
                said = {"model": model, "seed": k}
                said |= {name: values[k % len(values)] for name, values in more.items()}
                lines = [f"- {name}={value}\n" for name, value in said.items()]
                (job / ".hydra" / "overrides.yaml").write_text("".join(lines))
        return str(tmp_path / "multirun")

    def test_overrides_say_what_a_job_is(self, tmp_path, run):
        done = run("compare", self.sweep(tmp_path), "--format", "json")
        by = parse(done)["models"]
        assert {name: x["n"] for name, x in by.items()} == dict.fromkeys(MODELS, 5)
        assert by["gpt"]["min"] == 1.0

    def test_what_else_was_varied_is_asked_about(self, tmp_path, run):
        folder = self.sweep(tmp_path, lr=[0.1, 0.01])
        refuse(run("compare", folder), "'lr'", "--where lr=0.1", "--task lr")
        folder_of_steps = self.sweep(tmp_path / "steps", checkpoint=[50, 200])
        refuse(run("compare", folder_of_steps), "with --where checkpoint=200.")
        done = run("compare", folder, "--where", "lr=0.1", "--format", "json")
        by = parse(done)["models"]
        assert {name: x["n"] for name, x in by.items()} == dict.fromkeys(MODELS, 3)

    def test_without_overrides(self, grow, run):
        folder = grow("2024-01-01/12-00-00/{job}/metrics.json", tasks=("",))
        refuse(run("compare", folder), "--path")
