"""The page of tools: every recipe runs, in the tool itself where it is installed.

A stand-in has of a tool what its documentation says of the names that a recipe calls.
"""

import asyncio
import contextlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from benchmarks.reproduce.looks import LEVEL, find_look
from sigarray import compare_models, permutation_test, read
from sigarray._cli.main import main
from tests import tool_drivers
from tests.backend.programs import run as run_program
from tests.backends import find_lack, whole_suite
from tests.read.tool_files import FILES
from tests.tool_drivers import TOOLS, read_part, run_recipe


class TestInTheTools:
    @whole_suite
    @pytest.mark.parametrize("tool", ["inspect_ai", "lm_eval", "wandb", "mlflow"])
    def test_of_evaluations_and_trackers(self, tool, tmp_path, monkeypatch):
        self.drive([tool], [tool], tmp_path, monkeypatch)

    @pytest.mark.long
    @whole_suite
    def test_of_trainings(self, tmp_path, monkeypatch):
        """And nothing in their callbacks waits for a GPU, or copies from it."""
        tools = ["lightning", "transformers"]
        self.drive(tools, [*tools, "without_waiting"], tmp_path, monkeypatch)

    def drive(self, tools, drivers, folder, monkeypatch):
        if lack := next(filter(None, map(find_lack, tools)), None):
            pytest.skip(lack)
        monkeypatch.chdir(folder)
        calls = "".join(f"tool_drivers.drive_{x}()\n" for x in drivers)
        code, output = run_program(
            f"from tests import tool_drivers\n{calls}",
            PYTHONPATH=str(FILES.parents[2]),
            WANDB_MODE="offline",
            WANDB_SILENT="true",
            HF_HUB_OFFLINE="1",
        )
        assert code == 0, output

    def test_every_recipe_has_one(self):
        headings = re.findall(r"^## (.*)$", TOOLS, re.MULTILINE)
        programs = {x for x in headings if "```python" in read_part(x)}
        assert programs == {
            "Inspect AI",
            "lm-evaluation-harness",
            "Lightning",
            "Hugging Face Trainer",
            "pytest",
            "Weights and Biases",
            "MLflow",
        }
        assert sum(x.startswith("drive_") for x in vars(tool_drivers)) == 7


def stand_in(monkeypatch, name, **members):
    module = ModuleType(name)
    vars(module).update(members)
    monkeypatch.setitem(sys.modules, name, module)


class TestInspect:
    @pytest.fixture(autouse=True)
    def _recipe(self, monkeypatch):
        """As in the reference of inspect_ai.scorer and inspect_ai.util."""
        stand_in(
            monkeypatch,
            "inspect_ai.scorer",
            metric=lambda function: function,
            value_to_float=lambda: lambda x: {"C": 1.0, "I": 0.0}.get(x, x),
            SampleScore=SimpleNamespace,
        )
        stand_in(monkeypatch, "inspect_ai.util", EarlyStop=SimpleNamespace)
        self.names = run_recipe("Inspect AI")

    def test_metric_is_of_the_samples_that_both_have(self):
        logs = sorted((FILES / "inspect" / "json").glob("*.json"))
        assert len(logs) > 1
        log, scorer = str(logs[0]), "rubric.accuracy"
        table = read.scores(log, metric=scorer, unit="item")
        ((model, expected),) = table.scores.items()
        (ids,) = table.ids.values()
        before = dict(zip(ids[model], expected, strict=True))
        compute = self.names["ahead_of"](log, scorer)
        now = {x: 1.0 - y for x, y in before.items()} | {"another": 1.0}
        found = compute([give_score(x, y) for x, y in reversed(now.items())])
        ahead = 1.0 - 2.0 * expected
        assert found["difference"] == pytest.approx(np.mean(ahead))
        p = permutation_test(1.0 - expected, expected, paired=True, rng=0).pvalue
        assert found["pvalue"] == pytest.approx(p)
        assert found["samples"] == len(expected)

    def make(self, before, n_epochs=1, **options):
        baseline = {str(k): float(x) for k, x in enumerate(before)}
        stopping = self.names["StopWhenDecided"](baseline, **options)
        samples = [SimpleNamespace(id=k) for k in range(len(before))]
        asyncio.run(stopping.start_task(None, samples, n_epochs))
        return stopping

    def test_looks_are_those_that_were_simulated(self):
        rng = np.random.default_rng(6)
        n_sets, n_items = 8, 80
        before = rng.random((n_sets, n_items)) < 0.5
        shares = np.linspace(0.5, 0.9, n_sets)[:, None]
        now = rng.random((n_sets, n_items)) < shares
        expected = find_look(now, before, 4, LEVEL / 4)
        for factor in (0.8, 1.25):  # at the level itself, resamples may decide
            near = find_look(now, before, 4, factor * LEVEL / 4)
            assert near.tolist() == expected.tolist()
        assert len(set(expected)) > 2
        found = []
        for a, b in zip(now, before, strict=True):
            stopping = self.make(b)
            finish(stopping, a, range(n_items))
            summary = asyncio.run(stopping.complete_task())
            assert summary["level"] == LEVEL / 4
            is_stopped = summary["pvalues"][-1] <= LEVEL / 4
            found.append(len(summary["pvalues"]) if is_stopped else 5)
        assert found == expected.tolist()

    def test_samples_that_finish_first_are_not_looked_at(self):
        """Or else answers that are short, and right, would decide."""
        before, now = np.zeros(80), np.arange(80) >= 20
        stopping = self.make(before)
        finish(stopping, now, range(20, 80))
        assert stopping.pvalues == []
        finish(stopping, now, range(20))
        # The first look is of 20 samples that are the same, the second decides.
        first, second = stopping.pvalues
        assert first == 1.0
        assert second == pytest.approx(2.0 / 2**20, abs=3e-4)

    def test_all_epochs_of_a_sample_count(self):
        stopping = self.make(np.zeros(8), n_epochs=2, n_looks=1)
        finish(stopping, np.ones(8), range(8), epoch=1)
        assert stopping.pvalues == []
        finish(stopping, np.zeros(8), range(8), epoch=2)
        assert stopping.pvalues == [2.0 / 2**8]
        assert stopping.scores["0"] == {1: 1.0, 2: 0.0}

    def test_a_sample_that_the_baseline_lacks(self):
        stopping = self.names["StopWhenDecided"]({"0": 1.0})
        samples = [SimpleNamespace(id=k) for k in range(2)]
        with pytest.raises(KeyError, match="1"):
            asyncio.run(stopping.start_task(None, samples, 1))


def give_score(sample_id, value):
    return SimpleNamespace(sample_id=sample_id, score=SimpleNamespace(value=value))


def finish(stopping, now, order, epoch=1):
    """Let samples finish in an order, until no more are started."""

    async def finish():
        for k in order:
            if stop := await stopping.schedule_sample(k, epoch):
                assert re.fullmatch(r"p = \S+ <= 0.0125", stop.reason)
                return
            value = "C" if now[k] else "I"
            await stopping.complete_sample(k, epoch, {"match": give_score(k, value)})

    asyncio.run(finish())


class TestLmEval:
    """With what the harness itself wrote, which is what it returns."""

    def read_results(self, name):
        folder = FILES / "lm_eval" / name
        (path,) = folder.glob("results_*.json")
        results = json.loads(path.read_text("utf-8"))
        results["samples"] = {}
        for file in folder.glob("samples_*.jsonl"):
            task = re.fullmatch(r"samples_(.+)_\d{4}-.*", file.name)[1]
            lines = file.read_text("utf-8").splitlines()
            results["samples"][task] = [json.loads(x) for x in lines]
        return results

    @pytest.mark.parametrize(
        ("metric", "task"),
        [("acc,none", "toy_mc"), ("exact_match,flexible-extract", "toy_arith")],
    )
    def test_scores_are_those_of_its_files(self, metric, task):
        names = ["toy-org__model-a", "toy-org__model-b"]
        results = {name: self.read_results(name) for name in names}
        shared = [
            {x["doc_hash"] for x in result["samples"][task]}
            for result in results.values()
        ]
        for result in results.values():
            result["samples"] = {
                name: [x for x in samples if x["doc_hash"] in set.intersection(*shared)]
                for name, samples in result["samples"].items()
            }
        compare = run_recipe("lm-evaluation-harness")["compare_results"]
        found = compare(metric, results).table
        expected = read.scores(
            *(FILES / "lm_eval" / name for name in names),
            metric=metric.removesuffix(",none"),
            tasks=[task],
            drop_unmatched=True,
        )
        assert found.is_paired
        assert list(found.tasks) == [task]
        for name in names:
            a, b = (np.sort(x.tasks[task][name]) for x in (found, expected))
            np.testing.assert_array_equal(a, b)

    def test_metrics_without_a_filter(self):
        results = dict.fromkeys("ab", self.read_results("toy-org__model-a"))
        compare = run_recipe("lm-evaluation-harness")["compare_results"]
        found = [compare(x, results).signature for x in ("acc", "acc,none")]
        assert found[0] == found[1]
        with pytest.raises(ValueError, match="a metric with its filter; got 'f1'"):
            compare("f1", results)

    def test_other_documents_are_an_error(self):
        results = {
            name: self.read_results(name)
            for name in ("toy-org__model-a", "toy-org__model-b-unsorted")
        }
        compare = run_recipe("lm-evaluation-harness")["compare_results"]
        with pytest.raises(ValueError, match="lacks"):
            compare("acc,none", results)


class TestTrackers:
    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path, monkeypatch):
        pytest.importorskip("matplotlib")
        pytest.importorskip("pandas")
        monkeypatch.chdir(tmp_path)

    def test_wandb(self, monkeypatch):
        """As in the reference of wandb.init, Run.log, Table and Image."""
        logged = {}

        run = SimpleNamespace(log=logged.update, summary={})
        stand_in(
            monkeypatch,
            "wandb",
            init=lambda *, project: contextlib.nullcontext(run),
            Table=lambda *, dataframe: dataframe,
            Image=lambda path: Path(path).read_bytes()[:4],
        )
        run_recipe("Weights and Biases")
        assert logged["pairs"]["eps_min_a_over_b"].tolist() == [0.0]
        assert logged["differences"] == b"\x89PNG"
        assert run.summary["better"] == "new"
        assert run.summary["signature"].startswith("sigarray:")

    def test_mlflow(self, monkeypatch):
        """As in the reference of mlflow.start_run, log_table and others."""
        logged, tags = {}, {}

        def keep(value, artifact_file):
            logged[artifact_file] = value

        stand_in(
            monkeypatch,
            "mlflow",
            start_run=lambda *, run_name: contextlib.nullcontext(run_name),
            log_table=keep,
            log_figure=keep,
            log_text=keep,
            set_tags=tags.update,
        )
        run_recipe("MLflow")
        assert logged["pairs.json"]["model_a"].tolist() == ["new"]
        assert logged["differences.png"].axes
        assert "new is better than old" in logged["comparison.txt"]
        assert tags["better"] == "new"
        assert set(tags) == {"better", "signature"}


def test_assertion_says_what_was_found():
    names = run_recipe("pytest")
    names["test_new_is_better"]()
    scores = names["SCORES"]
    scores["new"], scores["old"] = scores["old"], scores["new"]
    with pytest.raises(AssertionError) as error:
        names["test_new_is_better"]()
    (said,) = re.findall(r"```text\n(.*?)\n```", read_part("pytest"), re.DOTALL)
    assert str(error.value).partition("\nassert")[0] == said


@pytest.mark.parametrize(
    ("lead", "name", "passes"), [(9, "new", True), (9, "nwe", False), (0, "new", False)]
)
def test_the_assertion_of_several_models_never_passes_for_nothing(lead, name, passes):
    line = re.search(r"models and tasks: `(assert [^`]+)`", read_part("pytest"))[1]
    starts = {"new": 5 + lead, "old": 5.4, "alt": 5.2}
    scores = {
        task: {m: [x + k % 3 / 10 for k in range(6)] for m, x in starts.items()}
        for task in "xy"
    }
    result = compare_models(scores, unit="run", test="t")
    found = {"result": result}
    if passes:
        exec(line.replace("new", name), found)
        return
    with pytest.raises(AssertionError):
        exec(line.replace("new", name), found)


class TestCheck:
    """The step of the workflow, as a runner calls it."""

    @pytest.fixture
    def step(self, tmp_path):
        yaml = pytest.importorskip("yaml")
        if shutil.which("bash") is None:
            pytest.skip("bash is not installed")
        (text,) = re.findall(
            r"```yaml\n(.*?)```", read_part("GitHub Actions"), re.DOTALL
        )
        (job,) = yaml.safe_load(text)["jobs"].values()
        command = job["steps"][-1]["run"]
        shim = f'sigarray() {{ "{sys.executable}" -m sigarray "$@"; }}\n'

        def step(rows):
            (tmp_path / "scores.csv").write_text(rows, "utf-8")
            summary = tmp_path / "summary.md"
            summary.unlink(missing_ok=True)
            process = subprocess.run(
                ["bash", "-eo", "pipefail", "-c", shim + command],
                cwd=tmp_path,
                env={
                    "GITHUB_STEP_SUMMARY": str(summary),
                    "PYTHONPATH": str(FILES.parents[2]),
                },
                capture_output=True,
                text=True,
                check=False,
            )
            return process.returncode, summary.read_text("utf-8"), process.stderr

        return step

    @pytest.mark.long
    def test_codes_and_summary(self, step):
        rows = [f"0.9{k},0.8{k}" for k in range(6)]
        code, summary, err = step("\n".join(["new,old", *rows]))
        assert (code, err) == (0, "")
        assert "| new | old |" in summary
        assert "<" not in re.sub(r"\\<|`.*?`", "", summary)  # no HTML

        code, summary, err = step("\n".join(["old,new", *rows]))
        assert code == 1
        assert "| old | new |" in summary
        assert "new is not better than old" in err

        code, summary, err = step("\n".join(["old,other", *rows]))
        assert (code, summary) == (2, "")
        assert "Expected a model of scores.csv for --fail-unless-better" in err

    def test_all_codes_are_on_the_page_of_the_command(self):
        page = (FILES.parents[2] / "docs" / "command.md").read_text("utf-8")
        part = page.partition("## Exit codes\n")[2].partition("\n## ")[0]
        codes = set(re.findall(r"^\| (\d+) \|", part, re.MULTILINE))
        assert codes == set(re.findall(r"\b\d+\b", main.__doc__))
