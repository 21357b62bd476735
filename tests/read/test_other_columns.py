"""Columns that are no models: truths, metrics, statistics, hyperparameters."""

import random

import pytest

from sigarray import read
from tests.read.asking import numbers, refuse, wide_table

DRAW = random.Random(0)


class TestOtherColumns:
    @pytest.mark.parametrize(
        "name", ["gold", "y_true", "label", "Ground Truth", "reference", "target"]
    )
    def test_the_truth_beside_predictions(self, write, run, name):
        rows = [",".join(str(DRAW.randint(0, 3)) for _ in "abc") for _ in range(20)]
        path = write("\n".join([f"{name},bert,gpt", *rows]))
        refuse(run("compare", path), repr(name), "the truth", "--columns")

    @pytest.mark.parametrize(
        "header",
        [
            "fit_time,score_time,test_accuracy",
            "loss,accuracy",
            "train_f1,test_f1",
            "bert,gpt,val_loss",
            "train,test",
        ],
    )
    def test_columns_of_metrics_are_no_models(self, write, run, header):
        n = header.count(",") + 1
        path = write("\n".join([header, *(numbers(0.1, 0.9, n) for _ in range(8))]))
        refuse(run("compare", path), "--columns", "--ignore")
        assert run("compare", path, "--columns", header)[0] == 0

    @pytest.mark.parametrize(
        "header", ["acc_bert,acc_gpt", "score1,score2", "reference,new", "target,f1 2"]
    )
    def test_models_named_after_a_metric(self, write, run, header):
        path = write("\n".join([header, *(numbers(0.1, 0.9, 2) for _ in range(8))]))
        assert run("compare", path)[0] == 0


@pytest.mark.parametrize(
    "name", ["gt", "y", "true", "answer", "human", "majority", "oracle", "rating"]
)
@pytest.mark.parametrize("most", [1, 5])
def test_other_names_of_the_truth(write, run, name, most):
    rows = [[DRAW.randint(0, most) for _ in "abc"] for _ in range(30)]
    path = write(wide_table(f"{name},a,b", rows))
    refuse(run("compare", path), repr(name), "seems to be the truth", "--columns")
    options = ("--columns", f"{name},a", "--unit", "item")
    assert run("compare", path, *options)[0] == 0
    if name != "gt":
        rows = [[DRAW.random() for _ in "abc"] for _ in range(30)]
        assert run("compare", write(wide_table(f"{name},a,b", rows)))[0] == 0


@pytest.mark.parametrize(
    "name",
    [
        *("a_std", "std a", "b-mean", "average", "diff", "n_params", "total cost"),
        *("delta", "Gap", "sum", "total", "a_delta"),
    ],
)
def test_what_is_computed_is_no_model(write, run, name):
    rows = [[DRAW.random() for _ in "abc"] for _ in range(9)]
    path = write(wide_table(f"a,b,{name}", rows))
    refuse(run("compare", path), repr(name), "hardly the name of a model", "--columns")
    assert run("compare", path, "--columns", f"a,b,{name}")[0] == 0


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("lr", (1e-1, 1e-2, 1e-3, 1e-4)),
        ("Learning rate", (3e-4, 1e-4, 0.000123, 5e-5)),
        ("temperature", (0.1, 0.3, 0.7, 1.0)),
        ("dropout", (0.1, 0.2, 0.3, 0.4)),
        ("alpha", (0.1, 0.5, 0.5, 0.9)),
        ("train_fraction", (0.1, 0.25, 0.5, 1.0)),
        ("batch_size", (16, 32, 64, 128)),
    ],
)
def test_hyperparameters_are_no_models(write, run, name, values):
    rows = [(x, *(f"{DRAW.random():.4f}" for _ in "ab"), 110) for x in values]
    path = write(wide_table(f"{name},a,b,n_params", rows))
    refuse(run("compare", path), f"{name!r}, 'n_params', hardly the name of a model")
    assert run("compare", path, "--ignore", f"{name},n_params")[0] == 0


@pytest.mark.parametrize(
    ("name", "most"),
    [
        *(("gpu_util", 99.7), ("train_frac", 0.9), ("val_split", 0.3)),
        *(("bestEpoch", 40), ("lora rank", 64), ("early-stop.step", 900)),
    ],
)
def test_settings_are_told_by_the_words_of_their_names(write, run, name, most):
    rows = [[f"{DRAW.random():.3f}" for _ in "ab"] + [most] for _ in range(8)]
    rows[0][2] = type(most)(most / 2)
    path = write(wide_table(f"bert,gpt,{name}", rows))
    refuse(run("compare", path), f"{name!r}, hardly the name of a model")


@pytest.mark.parametrize(
    "name", ["bert_large", "lr_scheduler_v2", "dropout_net", "batch_norm", "last_epoch"]
)
def test_models_with_words_of_settings_have_scores_as_fine(write, run, name):
    rows = [[f"{DRAW.random():.3f}" for _ in "abc"] for _ in range(8)]
    assert run("compare", write(wide_table(f"bert,gpt,{name}", rows)))[0] == 0


@pytest.mark.parametrize("name", ["kWh", "size", "rtf", "throughput", "n"])
def test_costs_are_no_models_though_they_are_near_the_scores(write, run, name):
    rows = [[f"{DRAW.random():.4f}" for _ in "ab"] + ["1"] for _ in range(8)]
    refuse(run("compare", write(wide_table(f"a,b,{name}", rows))), f"{name!r}, hardly")
    rows = [[f"{DRAW.random():.4f}" for _ in "abn"] for _ in range(8)]
    assert run("compare", write(wide_table("a,m,n", rows)))[0] == 0


@pytest.mark.parametrize("name", ["hours", "gpu_mem", "params_m", "time (s)"])
def test_what_a_run_costs_is_no_model(write, run, name):
    rows = [[f"{DRAW.random():.4f}" for _ in "abc"] for _ in range(8)]
    path = write(wide_table(f"a,b,{name}", rows))
    refuse(run("compare", path), f"{name!r}, hardly the name", "out with --ignore ")
    assert run("compare", write(wide_table("time_cpu,time_gpu,hours", rows)))[0] == 2
    rows = [row[:2] for row in rows]
    path = write(wide_table("time_cpu,time_gpu", rows))
    assert run("compare", path, "--lower-is-better")[0] == 0


def test_columns_of_other_sizes_are_doubted(write, run):
    """Whatever they are called; scores from -1 to 1 are of one scale."""
    rows = [(numbers(0.8, 0.9), numbers(0.7, 0.8), numbers(30, 40)) for _ in range(8)]
    path = write(wide_table("a,b,gpu", rows))
    said = "3 columns were read as models, whose scores differ much in size"
    assert f"{said}, from 0.7" in run("compare", path)[2]
    assert "of 'gpu': 'a', 'b', 'gpu'. Leave out" in run("compare", path)[2]
    assert "of one scale?" not in run("compare", path)[2]
    for options in (("--ignore", "gpu"), ("--columns", "a,b,gpu")):
        assert said not in run("compare", path, *options)[2]
    rows = [(numbers(0.8, 0.9), numbers(0.01, 0.02), 0) for _ in range(8)]
    assert said not in run("compare", write(wide_table("a,b,c", rows)))[2]
    zeros = write(wide_table("a,b", [(0, 0)] * 8))
    assert said not in run("compare", zeros, "--unit", "run")[2]


@pytest.mark.parametrize("header", ["alpha,beta,base", "base,dropout,mixup"])
def test_models_that_are_called_as_hyperparameters(write, run, header):
    rows = [[f"{DRAW.random():.4f}" for _ in "abc"] for _ in range(8)]
    assert run("compare", write(wide_table(header, rows)))[0] == 0
    rows = [[f"{DRAW.random():.1f}" for _ in "abc"] for _ in range(7)]
    assert run("compare", write(wide_table(header, rows)))[0] == 0


@pytest.mark.parametrize(
    ("header", "chosen"),
    [
        ("bert_acc,bert_f1,gpt_acc,gpt_f1", "bert_acc,gpt_acc"),
        ("a_train,a_test,b_train,b_test", "a_test,b_test"),
        ("a_std,a_mean,b_std,b_mean", "a_mean,b_mean"),
        ("acc a,loss a,acc b,loss b", "acc a,acc b"),
    ],
)
def test_several_scores_of_one_model_are_no_models(write, run, header, chosen):
    rows = [[f"{DRAW.random():.4f}" for _ in "abcd"] for _ in range(8)]
    path = write(wide_table(header, rows))
    refuse(run("compare", path), "several of one model", "with --columns.")
    assert run("compare", path, "--columns", chosen)[0] == 0


@pytest.mark.parametrize(
    ("header", "others"),
    [
        ("baseline,ours,ours_loss,baseline_loss", "ours_loss,baseline_loss"),
        ("baseline,ours,train ours,valF1 ours", "train ours,valF1 ours"),
        ("ours,base,extra,ours-time", "ours-time"),
    ],
)
def test_other_scores_of_models_are_no_models(write, run, header, others):
    rows = [[f"{DRAW.random():.4f}" for _ in "abcd"] for _ in range(8)]
    path = write(wide_table(header, rows))
    refuse(run("compare", path), "other scores of 'ours'", "--ignore ")
    assert run("compare", path, "--ignore", others)[0] == 0
    assert run("compare", path, "--columns", header)[0] == 0


def test_all_columns_that_are_no_models_are_named_at_once(write, run):
    header = "seed,epochs,lr,base,ours,train_time,note"
    rows = [
        (
            k,
            50,
            0.001,
            *(f"{DRAW.random():.4f}" for _ in "ab"),
            3500 + k,
            "rerun" * (k == 2),
        )
        for k in range(5)
    ]
    path = write(wide_table(header, rows))
    said = "that seem to be no models with --ignore epochs,lr,train_time,note, or"
    done = run("compare", path)
    refuse(done, "column 2 (epochs)", said)
    assert "--item" not in done[2]
    refuse(run("compare", path, "--item", "epochs"), "'epochs', which has '50' in all")
    done = run("compare", path, "--ignore", "epochs,lr,train_time")
    refuse(done, "column 7 (note): expected a number; got 'rerun'.", "--ignore note.")
    assert run("compare", path, "--ignore", "epochs,lr,train_time,note")[0] == 0


_OF_ONE_KIND = (
    *("cnn_max,cnn_avg", "bert,bert_v2", "acc_a,acc_b", "bert,bert_large"),
    *("lstm,lstm_attention", "base,base_dropout", "lstm,lstm_memory"),
)


@pytest.mark.parametrize("header", _OF_ONE_KIND)
def test_models_of_one_kind_are_models(write, run, header):
    rows = [[f"{DRAW.random():.4f}" for _ in "ab"] for _ in range(8)]
    assert run("compare", write(wide_table(header, rows)))[0] == 0


@pytest.mark.parametrize("name", ["sd-xl", "mean teacher", "delta-net", "token-cnn"])
def test_models_may_be_called_so(write, run, name):
    rows = [[DRAW.random() for _ in "abc"] for _ in range(9)]
    assert run("compare", write(wide_table(f"a,b,{name}", rows)))[0] == 0


NO_MODELS = ("year", "version", "p", "p-value", "pval", "Δ", "gain", "lift", "speedup")
NO_MODELS += ("winner", "change", "threshold", "temperature", "support", "length")


@pytest.mark.parametrize("name", NO_MODELS)
def test_leftover_columns_are_no_models(write, run, name):
    rows = [f"{numbers(0.8, 0.9)},{numbers(0.8, 0.9)},{k + 3}" for k in range(5)]
    path = write("\n".join([f"bert,roberta,{name}", *rows]))
    refuse(run("compare", path), repr(name), "hardly the name of a model")


def test_letters_are_models(write):
    rows = [",".join(numbers(0.8, 0.9) for _ in "opq") for _ in range(5)]
    assert read.scores(write("\n".join(["o,p,q", *rows]))).models == ("o", "p", "q")


def test_columns_to_leave_out_are_listed_once(write, run):
    rows = [
        (k, *(f"{DRAW.random():.4f}" for _ in "ab"), "A100", 20240501, 90 + k, 64)
        for k in range(5)
    ]
    path = write(wide_table("seed,a,b,gpu,date,epochs,batch_size", rows))
    done = run("compare", path)
    refuse(done, "with --ignore gpu,date,epochs,batch_size")
    assert done[2].count("--ignore") == 1
    assert run("compare", path, "--ignore", "gpu,date,epochs,batch_size")[0] == 0
