"""Recipes of the page of tools within the tools themselves, on toy models.

And the programs for Lightning and Trainer of the page of training loops, for to import
these takes longer than all that they do here.
"""

import contextlib
import io
import random
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from tests.test_docs import list_lines

DOCS = Path(__file__).parents[1] / "docs"
TOOLS, TRAINING = (
    (DOCS / f"{name}.md").read_text("utf-8") for name in ("tools", "training")
)
SHARES = (0.9, 0.6)  # shares of right answers of the new model and the baseline


def read_part(heading, page=TOOLS):
    """Return what a page says under a heading."""
    return page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def run_recipe(heading, page=TOOLS):
    """Run the programs under a heading, one after the other, and return their names."""
    part = read_part(heading, page)
    programs = re.findall(r"```python\n(.*?)```", part, re.DOTALL)
    assert programs
    names, printed = {"__name__": "recipe"}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        for program in programs:
            exec(program, names)
    if page == TRAINING:  # where outputs are below programs
        shown = "".join(re.findall(r"```text\n(.*?)```", part, re.DOTALL))
        assert list_lines(printed.getvalue(), "training") == list_lines(
            shown, "training"
        )
    return names


def drive_inspect_ai():
    import inspect_ai
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput
    from inspect_ai.scorer import accuracy, match
    from inspect_ai.solver import solver

    names = run_recipe("Inspect AI")
    samples = [Sample(id=k, input="?", target=str(k)) for k in range(120)]

    @solver
    def answer(share):
        rng = random.Random(0)
        right = [rng.random() < share for _ in samples]

        async def solve(state, generate):
            said = str(state.sample_id) if right[state.sample_id] else "unknown"
            state.output = ModelOutput.from_content("toy", said)
            return state

        return solve

    def evaluate(share, **options):
        task = inspect_ai.Task(samples, solver=answer(share), scorer=match(), **options)
        (log,) = inspect_ai.eval(
            task, model="mockllm/model", display="none", log_dir="logs"
        )
        assert log.status == "success", log.error
        return log

    new, old = SHARES
    baseline = evaluate(old)
    expected = names["read_baseline"](baseline.location)
    assert len(expected) == len(samples)

    log = evaluate(new, metrics=[accuracy(), names["ahead_of"](baseline.location)])
    found = {name: x.value for name, x in log.results.scores[0].metrics.items()}
    mean = baseline.results.scores[0].metrics["accuracy"].value
    assert abs(found["difference"] - (found["accuracy"] - mean)) < 1e-12
    assert found["pvalue"] < 0.01
    assert found["samples"] == len(samples)

    log = evaluate(new, early_stopping=names["StopWhenDecided"](expected))
    summary = log.results.early_stopping
    assert summary.manager == "sigarray"
    assert summary.metadata["pvalues"][-1] <= summary.metadata["level"] == 0.05 / 4
    assert summary.early_stops
    done = {x.id for x in log.samples}
    assert done == {x.id for x in samples} - {x.id for x in summary.early_stops}


def drive_lm_eval():
    import datasets
    import lm_eval
    from lm_eval.api.model import LM

    class Known(LM):
        """Knows the parity of a share of the numbers."""

        def __init__(self, share):
            super().__init__()
            self.share = share

        def loglikelihood(self, requests):
            def judge(text, answer):
                number = int(text.split()[1])
                knows = random.Random(number).random() < self.share
                is_right = answer.strip() == ("odd" if number % 2 else "even")
                return (-1.0 if knows == is_right else -2.0), False

            return [judge(*x.args) for x in requests]

        def loglikelihood_rolling(self, requests):
            raise NotImplementedError

        def generate_until(self, requests):
            raise NotImplementedError

    records = [{"n": k, "gold": k % 2, "choices": ["even", "odd"]} for k in range(60)]
    task = {
        "task": "parity",
        "custom_dataset": lambda **_: {"test": datasets.Dataset.from_list(records)},
        "test_split": "test",
        "output_type": "multiple_choice",
        "doc_to_text": "Is {{n}} even or odd?",
        "doc_to_choice": "{{choices}}",
        "doc_to_target": "gold",
        "metric_list": [{"metric": "acc", "higher_is_better": True}],
    }
    results = {
        name: lm_eval.simple_evaluate(
            model=Known(share), tasks=[dict(task)], log_samples=True, bootstrap_iters=0
        )
        for name, share in zip(("new", "old"), SHARES, strict=True)
    }
    comparison = run_recipe("lm-evaluation-harness")["compare_results"](
        "acc,none", results
    )
    assert comparison.better("new", "old")
    for model, scores in comparison.table.tasks["parity"].items():
        mean = results[model]["results"]["parity"]["acc,none"]
        assert abs(np.mean(scores) - mean) < 1e-12


def drive_lightning():
    import lightning
    import torch

    class Module(lightning.LightningModule):
        """Scores are ahead of the baseline from the second epoch on."""

        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(1, 1)

        def training_step(self, batch):
            return self.layer(batch[0]).square().mean()

        def validation_step(self, batch):
            return {"returns": batch[0][:, 0] + 3.0 * (self.current_epoch > 0)}

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.01)

    torch.manual_seed(0)
    scores = torch.randn(40, 1)
    callback = run_recipe("Lightning")["AgainstBaseline"](torch.randn(40), n_looks=3)
    batches = torch.utils.data.DataLoader(
        torch.utils.data.TensorDataset(scores), batch_size=20
    )
    trainer = lightning.Trainer(
        max_epochs=3,
        accelerator="cpu",
        callbacks=[callback],
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(Module(), batches, batches)
    check_looks(callback, [False, True, True])
    run_recipe("Lightning", TRAINING)


def drive_transformers():
    import torch
    import transformers

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.zeros(1))

        def forward(self, x, **_):
            return {"loss": (self.weight - 20.0).square().mean()}

    def score(model):
        assert not model.training
        return noise + model.weight

    torch.manual_seed(0)
    noise = torch.randn(40)
    callback = run_recipe("Hugging Face Trainer")["AgainstBaseline"](
        torch.randn(40) + 6.0, score, every=2
    )
    arguments = transformers.TrainingArguments(
        max_steps=6,
        learning_rate=2.0,
        lr_scheduler_type="constant",
        per_device_train_batch_size=1,
        report_to="none",
        save_strategy="no",
        disable_tqdm=True,
        use_cpu=True,
        dataloader_pin_memory=False,
    )
    transformers.Trainer(
        Model(),
        arguments,
        train_dataset=[{"x": torch.zeros(1)}] * 6,
        callbacks=[callback],
    ).train()
    check_looks(callback, [False, True, True])
    run_recipe("Hugging Face Trainer", TRAINING)


def drive_without_waiting():
    """Call both callbacks with tensors on a GPU that is not there, under a guard."""
    from tests.backend.fake_cuda import check

    of_lightning, of_trainer = (
        run_recipe(x)["AgainstBaseline"] for x in ("Lightning", "Hugging Face Trainer")
    )

    def validate(returns, baseline):
        callback = of_lightning(baseline, n_looks=10)
        callback.on_validation_epoch_start(None, None)
        for half in (returns[:20], returns[20:]):
            callback.on_validation_batch_end(None, None, {"returns": half}, None, 0)
        trainer = SimpleNamespace(sanity_checking=False)
        module = SimpleNamespace(all_gather=lambda x: x)
        callback.on_validation_epoch_end(trainer, module)
        return callback.eps_min

    def step(returns, baseline):
        callback = of_trainer(baseline, lambda model: returns, every=1)
        model = SimpleNamespace(eval=lambda: None, train=lambda: None)
        state = SimpleNamespace(global_step=1, max_steps=10)
        callback.on_step_end(None, state, None, model)
        return callback.eps_min

    for look in (validate, step):
        assert check(look, (40,), (40,)) > 0


def check_looks(callback, expected):
    import torch

    assert all(isinstance(x, torch.Tensor) for x in callback.eps_min)
    found = torch.stack(callback.eps_min).tolist()
    assert [x < 0.2 for x in found] == expected, found


def drive_wandb():
    import wandb

    run_recipe("Weights and Biases")
    (table,) = Path("wandb").glob("offline-run-*/files/media/table/pairs*.json")
    assert '"eps_min"' in table.read_text("utf-8")
    assert list(Path("wandb").glob("offline-run-*/files/media/images/*.png"))
    assert wandb.run is None


def drive_mlflow():
    import mlflow

    run_recipe("MLflow")
    run = mlflow.last_active_run()
    assert run.data.tags["better"] == "new"
    names = {x.path for x in mlflow.MlflowClient().list_artifacts(run.info.run_id)}
    assert names == {"pairs.json", "differences.png", "comparison.txt"}
    assert len(mlflow.load_table("pairs.json")) == 2
