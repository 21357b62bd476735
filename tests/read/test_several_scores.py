"""Columns of counts and of ratings, where one column of scores is expected."""

import random

import pytest

from sigarray import read
from sigarray.read import TableError
from tests.read.asking import numbers, refuse, wide_table
from tests.read.long_tables import as_csv

DRAW = random.Random(0)
MODELS, RATERS = ("gpt", "ours"), ("anna", "ben", "chen")
F1 = "--statistic f1 --score tp,fp,fn"
AVERAGE = "--columns '{rater}' --unit item --run rater"


@pytest.fixture
def counts():
    """Counts of 20 documents by model."""
    return {
        (f"d{k}", m): [DRAW.randint(5, 9), DRAW.randint(1, 9), DRAW.randint(1, 4)]
        for k in range(20)
        for m in ("base", "greedy")
    }


@pytest.fixture
def long(write, counts):
    rows = [(*key, *x) for key, x in counts.items()]
    return write(as_csv(rows, "doc,system,tp,fp,fn"))


@pytest.fixture
def ratings():
    """Ratings of 30 items by model and rater."""
    return {
        (item, m, rater): DRAW.randint(1, 5)
        for item in range(30)
        for m in MODELS
        for rater in RATERS
    }


@pytest.fixture
def rated(write, ratings):
    rows = [
        (k, m, *(ratings[k, m, x] for x in RATERS)) for k in range(30) for m in MODELS
    ]
    return write(as_csv(rows, f"item,model,{','.join(RATERS)}"))


class TestCounts:
    def test_a_metric_of_their_sums_is_offered_first(self, run, long):
        done = run("compare", long)
        refuse(done, f"'fn'. Where f1 is to be computed of the sums of 'tp', {'fp'!r}")
        refuse(done, f"pass {F1}.")
        assert "Choose" not in done[2]
        assert run("compare", long, *F1.split())[0] == 0

    def test_true_negatives_are_none_of_its_scores(self, write, run, counts):
        rows = [(*key, *x, 3) for key, x in counts.items()]
        path = write(as_csv(rows, "doc,system,tp,fp,fn,tn"))
        done = run("compare", path)
        refuse(done, f"pass {F1}.")
        assert "Choose" not in done[2]
        refuse(run("compare", path, "--metric", "tn"), f"Pass {F1}; or")

    @pytest.mark.parametrize("name", ["tp", "fn"])
    def test_one_of_them_is_asked_about(self, run, long, name):
        refuse(
            run("compare", long, "--metric", name), f"Pass {F1}; or", f"--score {name}"
        )
        assert run("compare", long, "--score", name)[0] == 0

    def test_they_are_no_benchmarks(self, run, long):
        refuse(run("compare", long, "--score", "tp,fp,fn"), f"Pass {F1}; or")
        with pytest.raises(TableError, match="statistic='f1', score='tp,fp,fn'"):
            read.scores(long, score="tp,fp,fn")

    @pytest.mark.parametrize(
        ("names", "advice"),
        [
            ("TP,FP", "--statistic precision --score TP,FP"),
            (
                "recall,fn,tp",
                "--statistic recall --score tp,fn. Choose one, such as",
            ),
            ("errors,words", "--statistic word_error_rate --score errors,words"),
            ("tokens,NLL", "--statistic perplexity --score NLL,tokens"),
            ("numerator,denominator", "ratio --score numerator,denominator"),
            (
                "sys_len,ref_len,correct_1,correct_2,correct_3,correct_4,total_1,"
                "total_2,total_3,total_4",
                "--statistic bleu --score sys_len,ref_len,correct_1,correct_2,",
            ),
        ],
    )
    def test_each_metric_has_names(self, write, run, names, advice):
        numbers = [DRAW.random() for _ in names.split(",")]
        rows = [(k, m, *numbers) for k in range(5) for m in "ab"]
        refuse(run("compare", write(as_csv(rows, f"item,model,{names}"))), advice)

    @pytest.mark.parametrize("form", ["{1}_{0}", "{0}_{1}", "{0}-{1}"])
    @pytest.mark.parametrize("case", [str.lower, str.upper])
    def test_those_of_each_model_are_no_models(self, write, run, counts, form, case):
        parts = [case(x) for x in ("tp", "fp", "fn")]
        names = [form.format(x, m) for m in ("base", "greedy") for x in parts]
        for ids in ("doc", "id", "unknown"):
            rows = [
                (k, *counts[f"d{k}", "base"], *counts[f"d{k}", "greedy"])
                for k in range(20)
            ]
            path = write(wide_table(",".join([ids, *names]), rows))
            options = ("--statistic", "f1", "--score", ",".join(parts))
            for of_item in ((), ("--item", ids)):
                done = run("compare", path, *of_item)
                refuse(done, repr(names[0]), " ".join(options))
            assert run("compare", path, "--item", ids, *options)[0] == 0
            chosen = ",".join(x for x in names if parts[0] in x)
            assert run("compare", path, "--item", ids, "--columns", chosen)[0] == 0

    def test_the_f1_of_items_is_another(self, write, run, counts):
        rows = [(*key, *x, DRAW.random(), 0.5) for key, x in counts.items()]
        path = write(as_csv(rows, "doc,system,tp,fp,fn,f1,precision"))
        for name, option in (("f1", "--metric"), ("precision", "--score")):
            code, _, err = run("compare", path, option, name)
            assert code == 0
            assert f"the mean of {name!r} of items is compared, not {name}" in err
            assert f"for that, pass --statistic {name} --score tp,fp,fn." in err
        refuse(run("compare", path), F1, "Choose one, such as --metric f1, for a mean")

    def test_errors_and_words_have_a_note(self, write, run):
        rows = [(k, m, k % 3, k % 4 + 5) for k in range(20) for m in MODELS]
        path = write(as_csv(rows, "item,model,errors,words"))
        code, _, err = run("compare", path, "--metric", "errors", "--lower-is-better")
        assert code == 0
        assert "not word_error_rate of the whole set: for that, pass --stat" in err

    def test_items_of_several_rows_may_be_clusters(self, write, run, counts):
        rows = [(*k, *x, y) for k, x in counts.items() for y in ("PER", "ORG")]
        path = write(as_csv(rows, "doc,system,tp,fp,fn,type"))
        refuse(run("compare", path, *F1.split()), "; or pass --cluster doc, where each")
        code, _, err = run("compare", path, *F1.split(), "--cluster", "doc")
        assert code == 0
        assert "as runs" not in err


class TestRatings:
    def test_columns_with_any_name_are_averaged(self, write, run, rated, ratings):
        options = ("--unit", "item", "--run", "rater", "--format", "json")
        rows = [(*key, x) for key, x in ratings.items()]
        expected = run(
            "compare", write(as_csv(rows, "item,model,rater,score"), "l.csv"), *options
        )
        code, out, err = run("compare", rated, "--columns", "{rater}", *options)
        assert code == expected[0] == 0, err
        assert out.replace("scores.csv", "l.csv") == expected[1]
        assert "'anna' was read as rater 'anna'" in err

    def test_they_are_advised(self, run, rated):
        done = run("compare", rated)
        refuse(done, f"average them with {AVERAGE}. Choose one, such as")
        done = run("compare", rated, "--run", "rater")
        refuse(
            done, "no column 'rater' (--run), but columns 'anna',", f"pass {AVERAGE}."
        )
        code, _, err = run("compare", rated, "--metric", "anna")
        assert code == 0
        assert f"of which 'anna' alone is taken. To average them, pass {AVERAGE}" in err
        code, _, err = run("compare", rated, "--score", ",".join(RATERS))
        assert code == 0
        assert f"one rater each. If so, pass {AVERAGE} in place of --score" in err

    @pytest.mark.parametrize(
        "names", ["fluency,adequacy", "acc,f1", "helpfulness,tone"]
    )
    def test_criteria_and_metrics_are_not(self, write, run, names):
        rows = [(k, m, k % 5, k % 4 + 1) for k in range(20) for m in MODELS]
        path = write(as_csv(rows, f"item,model,{names}"))
        refuse(run("compare", path), "Choose one, such as --metric")
        assert "rater" not in run("compare", path, "--score", names)[2]

    def test_other_numbers_are_left_out(self, write, run, ratings):
        rows = [
            (k, m, *(ratings[k, m, x] for x in RATERS), k * 7.5)
            for k in range(30)
            for m in MODELS
        ]
        path = write(as_csv(rows, f"item,model,{','.join(RATERS)},length"))
        refuse(run("compare", path), f"{AVERAGE}. Choose")
        options = ("--columns", "{rater}", "--unit", "item", "--run", "rater")
        code, _, err = run("compare", path, *options)
        assert code == 0
        assert "was left out: 'length'" in err
        assert "180 scores were averaged" in err

    def test_those_with_numbers_are_no_names(self, write, run, ratings):
        rows = [
            (k, m, 5 - (m == "gpt") * (k > 1), k % 4 + 1)
            for k in range(9)
            for m in MODELS
        ]
        path = write(as_csv(rows, "item,model,rater_1,rater_2"))
        advice = "pass --columns 'rater_{rater}' --unit item --run rater."
        code, _, err = run("compare", path, "--metric", "rater_1")
        assert code == 0
        assert "not by the same" not in err
        assert advice in err
        refuse(run("compare", path, "--run", "rater"), advice)

    def test_a_grid_of_models_and_raters_has_a_note(self, write, run, ratings):
        header = ",".join(f"{m}_{x}" for m in MODELS for x in RATERS)
        rows = [
            (k, *(ratings[k, m, x] for m in MODELS for x in RATERS)) for k in range(30)
        ]
        path = write(wide_table(f"item,{header}", rows))
        options = ("--columns", "{model}_{rater}", "--unit", "item", "--run", "rater")
        err = run("compare", path)[2]
        assert "If these are 2 models with ratings by 'anna', 'ben', 'chen'" in err
        assert "pass --columns '{model}_{rater}' --unit item --run rater, which" in err
        assert run("compare", path, *options)[0] == 0

    @pytest.mark.parametrize("names", ["base,chat", "small,large", "7b,70b"])
    def test_variants_of_models_are_not(self, write, run, names):
        header = ",".join(f"{m}_{x}" for m in MODELS for x in names.split(","))
        rows = [(k, k % 5, k % 3 + 1, k % 4, k % 5) for k in range(30)]
        assert (
            "rating" not in run("compare", write(wide_table(f"item,{header}", rows)))[2]
        )


@pytest.mark.parametrize(
    ("names", "pattern"),
    [
        ("{task}_{run}", None),
        ("{run}_{task}", None),
        ("{task}_seed{run}", None),
        ("seed{run}_{task}", None),
        ("{task}_acc_seed{run}", "{task}_seed{run}"),
        ("acc_{task}_{run}", "{task}_{run}"),
    ],
)
def test_columns_of_each_run_of_each_task(write, run, names, pattern):
    """The pattern in the message reads them."""
    tasks, pattern = ("cifar10", "mnist", "svhn"), pattern or names
    columns = [names.format(task=x, run=k) for x in tasks for k in range(4)]
    rows = [(x, numbers(90, 95, len(columns))) for x in ("ours", "base")]
    path = write(wide_table(",".join(["model", *columns]), rows))
    refuse(run("compare", path), f"pass --columns '{pattern}'")
    code, out, err = run("compare", path, "--columns", pattern)
    assert code == 0, err
    assert "3 tasks" in out
    assert all(x in out for x in tasks)


@pytest.mark.parametrize(
    "header",
    ["acc_seed0,acc_seed1,f1_seed0,f1_seed1", "val_0,val_1,test_0,test_1", "a_0,a_1"],
)
def test_other_columns_are_of_no_tasks(write, run, header):
    rows = [(x, numbers(90, 95, 1 + header.count(","))) for x in ("ours", "base")]
    _, _, err = run("compare", write(wide_table(f"model,{header}", rows)))
    assert "{task}" not in err
