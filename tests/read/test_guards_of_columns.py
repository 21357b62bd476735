"""Columns and rows beside the scores: splits, truths, times, losses, scales."""

import json
import random

import pytest

DRAW = random.Random(0)
LOSSES = """logloss binary_logloss multi_logloss MAPE smape wape mase rmsle NMSE crps
pinball EER DER FPR FNR fpr95 hamming hinge huber deviance aic bic lpips wasserstein kl
kl_div JSD bpc Misclassification 1-acc 1-accuracy violations valLoss"""


def refuse(done, *words):
    code, out, err = done
    assert (code, out) == (2, ""), err
    for word in words:
        assert word in err


def numbers(low, high, n=1):
    return ",".join(f"{DRAW.uniform(low, high):.4f}" for _ in range(n))


class TestWhere:
    def rows(self, name="split", values=("train", "test")):
        rows = [
            f"{m},{k},{x},{numbers(0.5, 0.9)}"
            for m in ("lstm", "cnn")
            for k in range(6)
            for x in values
        ]
        return "\n".join([f"model,seed,{name},acc", *rows])

    @pytest.mark.parametrize(
        ("name", "values"),
        [
            ("split", ("train", "test")),
            ("part", ("Train", "Valid", "Test")),
            ("subset", ("dev", "test")),
        ],
    )
    def test_splits_are_not_pooled(self, write, run, name, values):
        path = write(self.rows(name, values))
        last = values[-1]
        refuse(run("compare", path), f"--where {name}={last}", f"--task {name}")
        code, out, err = run("compare", path, "--where", f"{name}={last}")
        assert code == 0, err
        assert out == run("compare", write("\n".join(self.kept(path, last))))[1]

    def kept(self, path, value):
        with open(path) as file:
            lines = file.read().split("\n")
        yield "model,seed,acc"
        for line in lines[1:]:
            model, seed, split, score = line.split(",")
            if split == value:
                yield f"{model},{seed},{score}"

    def test_several_columns_and_values(self, write, run):
        path = write(self.rows(values=("train", "val", "test")))
        where = ("--where", "split=test", "--where", "seed=0,1,2,3")
        code, out, err = run("compare", path, *where, "--format", "json")
        assert code == 0, err
        assert {x["n"] for x in json.loads(out)["models"].values()} == {4}
        refuse(run("compare", path, "--where", "split=val,test"), "expected one score")

    def test_columns_of_models(self, write, run):
        rows = [f"{x},{numbers(0.5, 0.9, 2)}" for x in ("train", "test") * 6]
        path = write("\n".join(["split,lstm,cnn", *rows]))
        refuse(run("compare", path), "--where split=test")
        code, _, err = run("compare", path, "--where", "split=test")
        assert code == 0, err
        kept = "\n".join(["lstm,cnn", *(x[5:] for x in rows if x.startswith("test"))])
        a = run("compare", path, "--where", "split=test", "--format", "csv")[1]
        assert a == run("compare", write(kept), "--format", "csv")[1]

    def test_what_is_not_there(self, write, run):
        path = write(self.rows())
        refuse(run("compare", path, "--where", "part=test"), "no column 'part'")
        refuse(run("compare", path, "--where", "split=tset"), "'train', 'test'")
        with pytest.raises(SystemExit):
            run("compare", path, "--where", "split")


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

    def test_losses_of_one_task_and_gains_of_another(self, write, run, tmp_path):
        for task, metric in (("x", "loss"), ("y", "acc")):
            rows = [f"{m},{k},{numbers(0, 1)}" for m in "ab" for k in range(5)]
            write("\n".join([f"model,seed,{metric}", *rows]), f"{task}.csv")
        refuse(run("compare", str(tmp_path)), "'loss'", "'acc'", "--metric")


class TestScales:
    def test_a_model_in_percent(self, write, run):
        rows = [f"{numbers(0.8, 0.9)},{numbers(80, 90)}" for _ in range(9)]
        refuse(run("compare", write("\n".join(["a,b", *rows]))), "of one scale?")

    def test_a_share_among_percentages(self, write, run):
        rows = [numbers(88, 94, 2) for _ in range(9)]
        path = write("\n".join(["a,b", *rows, "0.93,91.2"]))
        refuse(run("compare", path), "0.93", "one scale")

    def test_a_percentage_among_shares(self, write, run):
        rows = [numbers(0.88, 0.94, 2) for _ in range(7)]
        path = write("\n".join(["a,b", *rows, "91.5,0.93"]))
        refuse(run("compare", path), "got 91.5 of 'a' among scores of 0.8", "one scale")
        path = write("\n".join(["a,b", *rows, "89.97,93.76"]), "row.csv")
        refuse(run("compare", path), "89.97", "one scale")
        long = [f"a,{x.split(',')[0]}" for x in rows] + ["a,91.3", "b,0.9", "b,0.91"]
        path = write("\n".join(["model,acc", *long]), "long.csv")
        refuse(run("compare", path), "91.3", "one scale")

    def test_half_shares_and_half_percentages(self, write, run):
        rows = [numbers(0.88, 0.94, 2) for _ in range(4)]
        rows += [numbers(88, 94, 2) for _ in range(4)]
        refuse(run("compare", write("\n".join(["a,b", *rows]))), "one scale")

    def test_scores_that_are_said_to_be_of_one_scale(self, write, run):
        """A run that diverged has a loss of another size, and so has an early agent."""
        rows = ["0.041,0.038", "0.039,0.042", "0.044,3.9", "0.040,0.037", "0.043,0.041"]
        path = write("\n".join(["a,b", *rows]))
        refuse(run("compare", path, "--lower-is-better"), "pass --unit run")
        status, _, err = run("compare", path, "--lower-is-better", "--unit", "run")
        assert status == 0
        assert err.count("got 3.9 of 'b' among scores of 0.037") == 1

    @pytest.mark.parametrize(
        "rows",
        [
            ["0.5,812", "31.5,9.1", "77,0.8", "412,65", "2.5,88", "13,41"],  # returns
            ["0.91,0.93", "0.9,0.94", "0.92,0.0", "0.89,0.93", "0.9,0.92"],
            ["1,60", "70,80", "90,100", "65,75", "88,99", "92,77"],
            ["0.91,11.5", "0.9,0.94", "0.92,0.9", "0.89,0.93", "0.9,0.92"],
            ["0.61,1.2", "0.9,2.4", "1.1,0.9", "0.89,3.3", "0.7,0.92"],
        ],
    )
    def test_scores_of_no_one_scale(self, write, run, rows):
        code, _, err = run("compare", write("\n".join(["a,b", *rows])))
        assert code == 0, err

    def test_a_run_that_failed_is_none(self, write, run):
        rows = [numbers(88, 94, 2) for _ in range(9)]
        path = write("\n".join(["a,b", *rows, "0.1,91.2"]))
        assert run("compare", path)[0] == 0


class TestLosses:
    @pytest.mark.parametrize(
        ("name", "header"), [("loss.csv", "a,b"), ("x.csv", "loss of a,loss of b")]
    )
    def test_a_gate_on_columns_of_losses(self, write, run, name, header):
        path = write("\n".join([header, *(numbers(0, 1, 2) for _ in range(9))]), name)
        model = header.split(",")[0]
        gate = ("--fail-unless-better", model)
        refuse(run("compare", path, *gate), "--higher-is-better", "--lower-is-better")
        assert run("compare", path, *gate, "--lower-is-better")[0] in (0, 1)

    @pytest.mark.parametrize("name", LOSSES.split())
    def test_their_names(self, write, run, name):
        rows = [f"{m},{k},{numbers(2, 3)}" for m in "ab" for k in range(6)]
        path = write("\n".join([f"model,seed,{name}", *rows]))
        code, _, err = run("compare", path, "--fail-unless-better", "b")
        assert code == 2
        assert f"the direction of {name!r}, which may be a loss" in err

    @pytest.mark.parametrize(
        "name", ["glossary", "f1-score", "1-shot", "mean_reciprocal_rank", "1-err"]
    )
    def test_names_of_gains(self, write, run, name):
        rows = [f"{m},{k},{numbers(2, 3)}" for m in "ab" for k in range(6)]
        path = write("\n".join([f"model,seed,{name}", *rows]))
        assert run("compare", path, "--fail-unless-better", "b")[0] in (0, 1)

    def test_of_deviations(self, write, run):
        rows = [f"{k},{numbers(0, 1, 2)}" for k in range(6)]
        path = write("\n".join(["note,a,b", *rows, f"sd,{numbers(0, 1, 2)}"]))
        refuse(run("compare", path, "--ignore", "note"), "'sd'")


@pytest.mark.parametrize("text", ["0.5\n0.25\n1e-1\n-3\n", "\n0.5\n0.25\n.1\n-3\n\n"])
def test_numbers_alone_have_no_header(write, run, text):
    """The first run was taken for the name of the scores, and lost."""
    paths = [write(text, "a.txt"), write(text.replace("5", "6"), "b.txt")]
    _, out, err = run("compare", *paths, "--format", "json")
    models = json.loads(out)["models"]
    assert models["a"]["n"] == 4
    assert models["a"]["max"] == 0.5
    assert "score is 'score'" in err
    code, _, err = run("compare", paths[0])
    assert code == 2
    assert "line 1: expected columns for two or more models; got 'score'" in err
    assert "pass one for each" in err
    _, _, err = run("compare", paths[0], write("0.5\nabc\n", "c.txt"))
    assert "line 2, column 'score': expected a number; got 'abc'" in err


IDS = DRAW.sample(range(1000, 9000), 80)


def wide(names, rows):
    return "\n".join([names, *(",".join(map(str, row)) for row in rows), ""])


@pytest.mark.parametrize("name", ["image", "case", "doc", "patient"])
@pytest.mark.parametrize("n", [12, 80])
@pytest.mark.parametrize("is_right", [True, False])
def test_numbers_of_items_are_no_model(write, run, name, n, is_right):
    """One column of scores more, and three models in place of two."""
    rows = [
        (k, *(DRAW.randint(0, 1) if is_right else DRAW.random() for _ in "ab"))
        for k in IDS[:n]
    ]
    path = write(wide(f"{name},a,b", rows))
    refuse(run("compare", path), f"({name})", f"--item {name}", f"--ignore {name}")
    code, out, err = run("compare", path, "--item", name, "--format", "json")
    assert code == 0, err
    assert set(json.loads(out)["models"]) == {"a", "b"}
    texts = write(wide(f"{name},a,b", [(f"x{k}", *row) for k, *row in rows]))
    refuse(run("compare", texts), f"--item '{name}'", f"--ignore '{name}'")


@pytest.mark.parametrize(
    "rows",
    [
        # Games, rounded or not; whole percentages beside others.
        [(DRAW.randint(0, 10**6), 1000 * DRAW.randint(0, 100)) for _ in range(50)],
        [(k, DRAW.randint(0, 9) / 2 + 80) for k in (81, 85, 84, 90, 79)],
        [(k, DRAW.randint(0, 100) / 7) for k in DRAW.sample(range(16), 12)],
    ],
)
def test_whole_numbers_may_be_scores(write, run, rows):
    code, _, err = run("compare", write(wide("a,b", rows)))
    assert code == 0, err


@pytest.mark.parametrize(
    "name", ["gt", "y", "true", "answer", "human", "majority", "oracle", "rating"]
)
@pytest.mark.parametrize("most", [1, 5])
def test_other_names_of_the_truth(write, run, name, most):
    rows = [[DRAW.randint(0, most) for _ in "abc"] for _ in range(30)]
    path = write(wide(f"{name},a,b", rows))
    refuse(run("compare", path), repr(name), "seems to be the truth", "--columns")
    options = ("--columns", f"{name},a", "--unit", "item")
    assert run("compare", path, *options)[0] == 0
    if name != "gt":
        rows = [[DRAW.random() for _ in "abc"] for _ in range(30)]
        assert run("compare", write(wide(f"{name},a,b", rows)))[0] == 0


@pytest.mark.parametrize(
    "name", ["a_std", "std a", "b-mean", "average", "diff", "n_params", "total cost"]
)
def test_what_is_computed_is_no_model(write, run, name):
    rows = [[DRAW.random() for _ in "abc"] for _ in range(9)]
    path = write(wide(f"a,b,{name}", rows))
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
    path = write(wide(f"{name},a,b,n_params", rows))
    refuse(run("compare", path), f"{name!r}, 'n_params', hardly the name of a model")
    assert run("compare", path, "--ignore", f"{name},n_params")[0] == 0


@pytest.mark.parametrize("header", ["alpha,beta,base", "base,dropout,mixup"])
def test_models_that_are_called_as_hyperparameters(write, run, header):
    rows = [[f"{DRAW.random():.4f}" for _ in "abc"] for _ in range(8)]
    assert run("compare", write(wide(header, rows)))[0] == 0
    rows = [[f"{DRAW.random():.1f}" for _ in "abc"] for _ in range(7)]
    assert run("compare", write(wide(header, rows)))[0] == 0


@pytest.mark.parametrize(
    ("header", "chosen"),
    [
        ("bert_acc,bert_f1,gpt_acc,gpt_f1", "bert_acc,gpt_acc"),
        ("a_train,a_test,b_train,b_test", "a_test,b_test"),
        ("a_std,a_mean,b_std,b_mean", "a_mean,b_mean"),
        ("acc a,loss a,acc b,loss b", "'acc a,acc b'"),
    ],
)
def test_several_scores_of_one_model_are_no_models(write, run, header, chosen):
    rows = [[f"{DRAW.random():.4f}" for _ in "abcd"] for _ in range(8)]
    path = write(wide(header, rows))
    refuse(run("compare", path), "several of one model", f"--columns {chosen}.")
    assert run("compare", path, "--columns", chosen.strip("'"))[0] == 0


@pytest.mark.parametrize("header", ["cnn_max,cnn_avg", "bert,bert_v2", "acc_a,acc_b"])
def test_models_of_one_kind_are_models(write, run, header):
    rows = [[f"{DRAW.random():.4f}" for _ in "ab"] for _ in range(8)]
    assert run("compare", write(wide(header, rows)))[0] == 0


@pytest.mark.parametrize("name", ["sd-xl", "mean teacher", "delta-net", "token-cnn"])
def test_models_may_be_called_so(write, run, name):
    rows = [[DRAW.random() for _ in "abc"] for _ in range(9)]
    assert run("compare", write(wide(f"a,b,{name}", rows)))[0] == 0


def test_blank_cells_between_scores_are_said(write, run):
    nulls = write('{"a":[0.1,null,0.3,0.4],"b":[0.5,0.6,0.7,0.8]}', "f.json")
    for path in (nulls, write("a,b\n.1,.5\n,.6\n.3,.7\n.4,.8\n")):
        _, _, err = run("compare", path)
        assert "blank cells of 'a' were left out" in err
    _, _, err = run("compare", write("a,b\n.1,.5\n.3,.7\n.4,.8\n,.6\n"))
    assert "blank" not in err


class TestPredictions:
    """A row for each prediction was compared as one for each score."""

    def table(self, classes):
        n = len(classes)
        rows = [
            f"{m},{k},{classes[k % n]},{classes[(k + j) % n]}"
            for j, m in enumerate("ab")
            for k in range(20)
        ]
        return "\n".join(rows)

    @pytest.mark.parametrize("classes", ["012", "01", ("pos", "neg")])
    @pytest.mark.parametrize(
        ("header", "known"),
        [
            ("model,id,gold,pred", "pred"),
            ("model,id,label,prediction", "prediction"),
            ("model,id,y_true,y_pred", "y_pred"),
            ("model,id,target,predicted_label", "predicted_label"),
        ],
    )
    def test_they_are_no_scores(self, write, run, classes, header, known):
        path = write(f"{header}\n{self.table(classes)}\n")
        words = ("predictions, or the truth", "as 1 or 0", f"--score {known}")
        refuse(run("compare", path), *words)
        if "0" in classes:
            refuse(run("compare", path, "--metric", known), *words)
            truth = header.split(",")[2]
            refuse(run("compare", path, "--metric", truth), f"--score {truth}")
            assert run("compare", path, "--score", known)[0] == 0

    def test_of_another_name_they_have_the_classes_of_the_truth(self, write, run):
        path = write(f"model,id,gold,choice\n{self.table('012')}\n")
        refuse(run("compare", path, "--metric", "choice"), "--score choice")

    def test_a_score_beside_them_is_one(self, write, run):
        rows = self.table("012").split("\n")
        rows = [f"{x},{int(x.split(',')[2] == x.split(',')[3])}" for x in rows]
        path = write("\n".join(["model,id,gold,pred,correct", *rows]))
        code, _, err = run("compare", path, "--metric", "correct")
        assert code == 0, err
        path = write(
            "\n".join(["model,id,label,score", *self.table("012").split("\n")])
        )
        assert run("compare", path, "--metric", "score")[0] == 0


class TestTexts:
    @pytest.mark.parametrize("words", [("pass", "fail"), ("neg", "pos")])
    @pytest.mark.parametrize("options", [("--item", "id"), ("--ignore", "id")])
    def test_answers_have_no_score_yet(self, write, run, words, options):
        rows = [f"q{k},{words[k % 2]},{words[k % 3 > 0]}" for k in range(20)]
        done = run("compare", write("\n".join(["id,a,b", *rows])), *options)
        refuse(done, f"got '{words[0]}', as in other columns", "as 1 or 0")
        assert "--model" not in done[2]

    def test_a_column_of_names_is_asked_about(self, write, run):
        path = write("who,acc\nmine,0.5\nmine,0.6\nyours,0.7\nyours,0.9\n")
        refuse(run("compare", path), "--model 'who'", "--item 'who'")
        assert run("compare", path, "--model", "who")[0] == 0

    def test_a_column_of_models_without_a_name(self, write, run):
        path = write(",acc\nmine,0.5\nmine,0.6\nyours,0.7\nyours,0.9\n")
        refuse(run("compare", path), 'where it names the model of each row, --model ""')
        assert run("compare", path, "--model", "")[0] == 0
