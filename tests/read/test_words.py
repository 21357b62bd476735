"""Words in names: of metrics, losses, splits, hyperparameters and runs."""

import pytest

from sigarray.read._words import (
    are_runs,
    find_mixed,
    find_runs,
    find_word,
    is_loss,
    looks_like_loss,
    names_loss,
)


def name_all(template, metrics=("acc", "loss"), numbers=range(3)):
    return [template.format(metric=m, k=k) for m in metrics for k in numbers]


@pytest.mark.parametrize(
    ("template", "run"),
    [
        ("{metric}_seed{k}", "seed"),
        ("{metric}_seed_{k}", "seed"),
        ("{metric}/seed{k}", "seed"),
        ("{metric} (seed {k})", "seed"),
        ("{metric}[seed={k}]", "seed"),
        ("{metric}-s{k}", "seed"),
        ("{metric}_Seed{k}", "seed"),
        ("{metric}_run{k}", "run"),
        ("{metric}.trial{k}", "trial"),
        ("seed{k}_{metric}", "seed"),
        ("run {k}: {metric}", "run"),
        ("{metric} {k}", "run"),
        ("{metric}_{k}", "run"),
        ("{metric}{k}", "run"),
    ],
)
def test_metrics_and_runs(template, run):
    names = name_all(template)
    runs = find_runs(names)
    assert list(runs) == ["acc", "loss"]
    assert list(runs["loss"].values()) == [f"{run}{k}" for k in range(3)]
    assert [*runs["acc"], *runs["loss"]] == names
    assert find_word(runs["acc"].values()) == run
    assert not are_runs(names)
    assert are_runs(names[:3])


def test_runs_alone():
    assert find_runs(["seed0", "Seed 1"]) == {
        "": {"seed0": "seed0", "Seed 1": "Seed 1"}
    }
    assert are_runs(["0", "1", "2"])
    assert not are_runs(["seed0", "mmlu"])


@pytest.mark.parametrize(
    "names",
    [
        ["bleu1", "bleu2", "bleu3", "bleu4"],
        ["rouge_1", "rouge_2", "rouge_3"],
        ["precision 1", "precision 2", "precision 3"],
        ["acc1", "acc5"],  # the best one, and the best five
        ["acc 1", "acc 2"],
        ["acc@1", "acc@2", "acc@3"],
        ["task1", "task2", "task3"],
        ["r1_f", "r2_f", "r3_f"],
        ["f1", "f2", "f3"],
        ["acc_seed0", "loss_seed0"],
        ["acc_seed0", "acc_run1"],
    ],
)
def test_other_numbers(names):
    assert find_runs(names) == {}


def test_means_beside_them_are_none():
    runs = find_runs(["model", "acc_mean", "acc_std", *name_all("{metric}_seed{k}")])
    assert {metric: len(by) for metric, by in runs.items()} == {"acc": 3, "loss": 3}


@pytest.mark.parametrize(
    ("name", "seems", "is_plain", "is_alone"),
    [
        ("val_loss", True, True, True),
        ("word error rate", True, True, True),
        ("root mean squared error", True, True, True),
        ("negative log-likelihood", True, True, True),
        ("testWER", True, True, True),
        ("focal_loss", True, True, False),
        ("error analysis", True, True, False),
        ("1-accuracy", True, True, False),
        ("error_detection_f1", True, False, False),
        ("relative error reduction", True, False, False),
        ("toxicity", True, False, False),
        ("Energy", True, False, False),
        ("-loss", True, False, False),
        ("neg_log_loss", False, False, False),
        ("1-wer", False, False, False),
        ("gloss", False, False, False),
        ("accuracy", False, False, False),
    ],
)
def test_names(name, seems, is_plain, is_alone):
    assert looks_like_loss(name) == seems
    assert is_loss(name) == is_plain
    assert names_loss(name) == is_alone


def test_a_loss_beside_others():
    assert find_mixed(["acc", "loss", "wer"]) == ("loss", "acc")
    assert find_mixed(["wer", "loss"]) is None
    assert find_mixed(["acc", "f1"]) is None
