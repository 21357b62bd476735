"""Losses: by whatever name, their direction is asked for."""

import json

import numpy as np
import pytest

from sigarray import compare_models, read
from sigarray.read import TableError
from tests.read.asking import numbers, parse, refuse

# Names of which lower scores are better, and those of which they mostly are.
LOSSES = """loss test_loss val/loss logloss binary_logloss multi_logloss MAPE smape wape
mase rmsle NMSE crps pinball EER DER FPR FNR fpr95 deviance aic bic lpips wasserstein kl
kl_div JSD bpc Misclassification 1-acc 1-accuracy valLoss testWER perplexity rmse
optimality_gap human_gap bits_per_byte cross_entropy neg_log_likelihood train_runtime
focal_loss flops"""
LIKELY = """hamming hinge huber violations energy rank objective spearman_rank -loss
hours gpu_hours minutes days price co2 train_co2 size length tokens miss_rate collisions
refusals wall_minutes nparams vram"""
GAINS = """glossary f1-score 1-shot mean_reciprocal_rank 1-err neg_log_loss
neg_mean_squared_error gloss tokens_per_second length_controlled_winrate token_accuracy
memory_savings"""
MODELS = {"a": 0.5, "b": 0.9}
SCORES = {m: [x + k / 100 for k in range(6)] for m, x in MODELS.items()}


def write_long(name, rows=SCORES):
    lines = [f"{m},{k},{x}" for m, by in rows.items() for k, x in enumerate(by)]
    return "\n".join([f"model,seed,{name}", *lines])


def write_kinds(kinds, header="kind,seed,a,b"):
    """Write columns of models, and rows of several kinds of scores."""
    rows = [
        f"{kind},{k},{0.5 + k / 100},{0.9 + k / 100}"
        for kind in kinds
        for k in range(6)
    ]
    return "\n".join([header, *rows])


class TestNames:
    @pytest.mark.parametrize("name", LOSSES.split())
    def test_a_loss_is_asked_about(self, write, run, name):
        path = write(write_long(name))
        done = run("compare", path)
        refuse(
            done, f"direction of {name!r}, which seems", "Pass --lower-is-better, or"
        )
        assert "b is better than a" in run("compare", path, "--higher-is-better")[1]
        assert "a is better than b" in run("compare", path, "--lower-is-better")[1]

    @pytest.mark.parametrize("name", LIKELY.split())
    def test_what_may_be_one_is_warned_of(self, write, run, name):
        path = write(write_long(name))
        code, _, err = run("compare", path)
        assert code == 0
        assert f"warning: {name!r} may be a loss, and higher ones were" in err
        done = run("compare", path, "--fail-unless-better", "b")
        refuse(done, f"the direction of {name!r}, which may be a loss", "--higher-is-b")

    @pytest.mark.parametrize("name", ["perplexity", "rmse", "neg_mean_squared_error"])
    def test_values_may_contradict_a_name(self, write, run, name):
        """Negated losses, and log-likelihoods, are not better if lower."""
        negated = write(
            write_long(name, {m: [-y for y in x] for m, x in SCORES.items()})
        )
        done = run("compare", negated, "--lower-is-better")
        refuse(done, f"values of {name!r} of zero or more", "-0.95: as of negated loss")
        assert "a is better than b" in run("compare", negated, "--higher-is-better")[1]
        some = {"a": [0.1, *(-x for x in SCORES["a"][1:])], "b": SCORES["b"]}
        mixed = write(write_long(name, some))
        assert run("compare", mixed, "--lower-is-better")[0] == 0

    @pytest.mark.parametrize("name", ["nll", "log_ppl", "loss"])
    def test_losses_that_may_be_below_zero(self, write, run, name):
        path = write(write_long(name, {m: [-y for y in x] for m, x in SCORES.items()}))
        assert "b is better" in run("compare", path, "--lower-is-better")[1]

    @pytest.mark.parametrize("name", GAINS.split())
    def test_gains_are_no_losses(self, write, run, name):
        path = write(write_long(name))
        code, _, err = run("compare", path, "--fail-unless-better", "b")
        assert code == 0
        assert "a loss" not in err

    def test_a_gate(self, write, run):
        path = write(write_long("loss"))
        gate = ("--fail-unless-better", "b")
        refuse(run("compare", path, *gate), "--lower-is-better", "--higher-is-better")
        assert run("compare", path, *gate, "--higher-is-better")[0] == 0
        assert run("compare", path, *gate, "--lower-is-better")[0] == 1

    def test_a_signature_says_it(self, write, run):
        path = write(write_long("loss"))
        for option in ("--lower-is-better", "--higher-is-better"):
            signature = parse(run("compare", path, option, "--format", "json"))
            done = run("compare", path, "--verify", signature["signature"])
            assert done[0] == 0, done[2]

    def test_power(self, write, run):
        refuse(run("power", write(write_long("loss"))), "the direction of 'loss'")


class TestWhereTheNameIs:
    """In a column, a row, a task, the name of a file or a key."""

    @pytest.mark.parametrize(
        "options",
        [
            ("--where", "kind=loss"),
            ("--where", "kind=loss", "--ignore", "kind"),
            ("--metric", "loss"),
            ("--task", "kind", "--tasks", "loss"),
        ],
    )
    def test_rows(self, write, run, options):
        path = write(write_kinds(["loss", "accuracy"]))
        refuse(run("compare", path, *options), "direction of 'loss'")
        assert (
            "a is better than b"
            in run("compare", path, *options, "--lower-is-better")[1]
        )

    def test_a_value_that_is_no_metric(self, write, run):
        path = write(write_kinds(["error analysis", "accuracy"]))
        assert run("compare", path, "--where", "kind=error analysis")[0] == 0

    @pytest.mark.parametrize(
        ("name", "is_asked"),
        [("loss.csv", True), ("val_loss.csv", True), ("loss_study.csv", False)],
    )
    def test_files(self, write, run, name, is_asked):
        path = write("\n".join(["a,b", *(numbers(0, 1, 2) for _ in range(9))]), name)
        done = run("compare", path)
        if is_asked:
            refuse(done, "direction of", "--higher-is-better")
        else:
            assert "may be a loss" in done[2]
        done = run("compare", path, "--fail-unless-better", "a")
        refuse(done, "--higher-is-better", "--lower-is-better")

    def test_models_may_be_trained_by_losses(self, write, run):
        header = "focal loss,hinge loss"
        path = write(
            "\n".join([header, *(numbers(0, 1, 2) for _ in range(9))]), "x.csv"
        )
        assert "warning: 'focal loss' may be a loss" in run("compare", path)[2]

    def test_a_known_metric_counts_more_than_a_row(self, write, run):
        rows = [
            f"{m},{k},mse,{x}" for m, by in SCORES.items() for k, x in enumerate(by)
        ]
        path = write("\n".join(["model,seed,criterion,accuracy", *rows]))
        assert run("compare", path, "--where", "criterion=mse")[0] == 0

    def test_keys(self):
        with pytest.raises(ValueError, match=r"'loss', .*Pass higher_is_better=False"):
            compare_models({"loss": SCORES})
        result = compare_models({"loss": SCORES}, higher_is_better=False)
        assert result.better("a", "b")
        assert compare_models({"loss": SCORES}, higher_is_better=True).better("b", "a")
        assert compare_models({"WiC": SCORES}).better("b", "a")


class TestMixedTasks:
    TASKS = ("loss", "accuracy")

    @pytest.mark.parametrize("options", [(), ("--lower-is-better",)])
    def test_they_are_refused(self, write, run, options):
        path = write(write_kinds(self.TASKS))
        said = "got 'loss', of which lower is better, beside 'accuracy'. Compare those"
        refuse(run("compare", path, "--task", "kind", *options), said)
        options = ("--task", "kind", "--lower-is-better", "loss")
        refuse(run("compare", path, *options), said, "--tasks loss with --lower-is-bet")

    def test_each_of_them(self, write, run):
        path = write(write_kinds(self.TASKS))
        options = ("--task", "kind", "--lower-is-better", "loss", "--format", "json")
        for task, is_higher in (("loss", False), ("accuracy", True)):
            document = parse(run("compare", path, *options, "--tasks", task))
            assert document["higher_is_better"] is is_higher

    def test_all_are_said_to_be_gains(self, write, run):
        path = write(write_kinds(self.TASKS))
        assert run("compare", path, "--task", "kind", "--higher-is-better")[0] == 0

    def test_other_tasks_may_be_measured_by_losses(self, write, run):
        path = write(write_kinds(["loss", "imdb"]))
        refuse(run("compare", path, "--task", "kind"), "beside 'imdb'")
        assert run("compare", path, "--task", "kind", "--lower-is-better")[0] == 0

    @pytest.mark.parametrize("column", ["acc", "f1", "score"])
    def test_a_loss_under_the_name_of_another_metric(self, write, run, column):
        def write_tasks(*tasks):
            rows = [
                f"{model},{task},{k},{0.5 + k / 10}"
                for task in tasks
                for model in "ab"
                for k in range(5)
            ]
            return write("\n".join([f"model,task,seed,{column}", *rows]))

        refuse(run("compare", write_tasks("loss", "imdb")), "'loss', ", "'imdb'")
        refuse(run("compare", write_tasks("loss", "val_ppl")), "direction of 'loss', ")
        assert run("compare", write_tasks("hinge loss", "imdb"))[0] == 0

    def test_mappings(self):
        tasks = {"loss": SCORES, "acc": SCORES}
        for said in (None, False, {"loss": False}, {"loss": False, "acc": True}):
            with pytest.raises(TableError, match=r"tasks=\['loss'\] with .* tasks= is"):
                compare_models(tasks, higher_is_better=said)
        assert compare_models(tasks, higher_is_better=True).warnings == ()
        with pytest.raises(TableError, match=r"got 'los', .*Did you mean 'loss'"):
            compare_models(tasks, higher_is_better={"los": False})
        table = read.scores(tasks, tasks=["loss"], higher_is_better={"loss": False})
        assert compare_models(table).better("a", "b")


class TestTablesThatWereRead:
    """They have the direction that was said when they were read."""

    def test_it_is_taken(self, write):
        path = write(write_long("loss"))
        table = read.scores(path, higher_is_better=False)
        assert compare_models(table).better("a", "b")
        assert compare_models(table, higher_is_better=False).better("a", "b")
        with pytest.raises(
            ValueError, match=r"were read, lower is .*Leave out higher_is"
        ):
            compare_models(table, higher_is_better=True)
        assert compare_models(read.scores(path), higher_is_better=False).better(
            "a", "b"
        )
        with pytest.raises(ValueError, match="direction of 'loss'"):
            compare_models(read.scores(path))

    def test_that_of_a_tool_is_taken(self, tmp_path):
        """A harness states it for each metric."""
        for model, shift in MODELS.items():
            folder = tmp_path / model
            folder.mkdir()
            stated = {"higher_is_better": {"toy": {"ppl": False}}, "results": {}}
            stamp = "2026-01-01T00-00-00.000000"
            (folder / f"results_{stamp}.json").write_text(json.dumps(stated))
            lines = [
                json.dumps(
                    {
                        "doc_id": k,
                        "doc": {},
                        "target": "",
                        "filtered_resps": [],
                        "ppl": shift + x,
                    }
                )
                for k, x in enumerate(np.linspace(1, 2, 9).tolist())
            ]
            (folder / f"samples_toy_{stamp}.jsonl").write_text("\n".join(lines))
        table = read.scores(tmp_path / "a", tmp_path / "b", metric="ppl")
        assert table.higher_is_better is False
        assert compare_models(table).better("a", "b")
        paths = (tmp_path / "a", tmp_path / "b")
        with pytest.raises(TableError, match=r"its tool has it, lower is better; got"):
            read.scores(*paths, metric="ppl", higher_is_better=True)


@pytest.mark.parametrize(
    ("name", "is_asked"),
    [("scores_miss", False), ("crash", False), ("test_loss", True)],
)
def test_a_file_of_crashes_is_no_loss(write, run, name, is_asked):
    rows = [f"{0.5 + k / 100},{0.9 - k / 100}" for k in range(6)]
    path = write("\n".join(["a,b", *rows]), f"{name}.csv")
    code, _, err = run("compare", path)
    assert code == (2 if is_asked else 0)
    assert ("loss" in err) == is_asked


def test_a_file_is_no_loss_if_its_columns_have_another_metric(write, run):
    for columns, is_said in (("ours_acc,base_acc", False), ("ours,base", True)):
        path = write(f"{columns}\n.87,.85\n.88,.84\n.86,.85\n.87,.84\n", "w_loss.csv")
        assert ("'w_loss' may be a loss" in run("compare", path)[2]) == is_said
