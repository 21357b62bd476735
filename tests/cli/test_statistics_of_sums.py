"""`sigarray compare --statistic`: metrics of a test set, from columns of counts."""

import base64
import itertools
import json
import re

import numpy as np
import pytest

from sigarray import (
    bootstrap_test,
    compare_models,
    corpus,
    of_sums,
    permutation_test,
    read,
    t_ci,
    t_test,
)
from sigarray._cli.options import STATISTICS
from sigarray.read._several_scores import order_columns
from sigarray.read._sums import METRICS
from tests.corpus.items import ITEMS

N_ITEMS = 60
TESTS = {"t": t_test, "bootstrap": bootstrap_test, "permutation": permutation_test}
F1 = of_sums(corpus.f1)


def draw(n=N_ITEMS, seed=0):
    """Return the document of each sentence, and counts (3, n) of taggers by name."""
    rng = np.random.default_rng(seed)
    gold, easy = rng.poisson(3.0, n), rng.uniform(0.6, 0.9, n)
    counts = {}
    for k, name in enumerate("abc"):
        found, wrong = rng.binomial(gold, easy - 0.07 * k), rng.poisson(0.5, n)
        counts[name] = np.stack([found, wrong, gold - found]).astype(float)
    return np.arange(n) // 3, counts


@pytest.fixture
def counts(write):
    def counts(tasks=("",), n=N_ITEMS, header="tp,fp,fn"):
        rows = []
        for k, task in enumerate(tasks):
            document, by = draw(n, seed=k)
            rows += [
                f"{name},{task or 'x'},s{i:03},d{document[i]:02},"
                + ",".join(f"{y:g}" for y in x[:, i])
                for name, x in by.items()
                for i in range(n)
            ]
        header = f"tagger,corpus,sentence,document,{header}"
        return write("\n".join([header, *rows, ""]))

    return counts


CHOSEN = ("--model", "tagger", "--item", "sentence", "--statistic", "f1")
COLUMNS = ("--score", "tp,fp,fn")
UNNAMED = "right,wrong,missed"


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("has_clusters", [False, True])
def test_the_numbers_are_those_of_arrays(counts, run, test, has_clusters):
    document, by = draw()
    drawn = {} if test == "t" else {"n_resamples": 1999, "rng": 5}
    more = () if test == "t" else ("--n-resamples", "1999", "--seed", "5")
    more += ("--cluster", "document") if has_clusters else ()
    code, out, err = run(
        *("compare", counts(), *CHOSEN, *COLUMNS, "--test", test, *more),
        *("--no-correction", "--format", "json"),
    )
    assert code == 0, err
    assert "other numbers of positives" not in err
    result = json.loads(out)
    assert result["statistic"] == "f1"
    assert len(result["pairs"]) == 3
    for pair in result["pairs"]:
        a, b = (by[pair[f"model_{x}"]] for x in "ab")
        design = {"paired": True, "statistic": F1}
        design |= {"clusters": document} if has_clusters else {}
        expected = TESTS[test](a, b, **design, **drawn)
        assert pair["pvalue"] == pytest.approx(float(expected.pvalue), rel=1e-8)
        assert pair["statistic"] == pytest.approx(float(expected.statistic), rel=1e-8)
        interval = t_ci(a, b, **design)
        found = [pair[f"difference_{x}"] for x in ("low", "high")]
        limits = [float(x) for x in interval.confidence_interval]
        assert found == pytest.approx(limits, rel=1e-8)
        difference = corpus.f1(*a.sum(axis=1)) - corpus.f1(*b.sum(axis=1))
        assert pair["mean_difference"] == pytest.approx(float(difference))
    for name, x in by.items():
        f1 = float(corpus.f1(*x.sum(axis=1)))
        assert result["models"][name]["mean"] == pytest.approx(f1)
        assert result["models"][name]["median"] is None


@pytest.mark.parametrize(
    ("statistic", "columns"), [("f1", "tp,fp,fn"), ("recall", "tp,fn")]
)
def test_items_without_an_answer_have_their_references(write, run, statistic, columns):
    """Of equal models, one that left out hard items was better in F1: p = 0.01."""
    _, by = draw()
    by["b"][:, 3:6] = 0.0
    rows = [
        f"{name},s{i:03}," + ",".join(f"{y:g}" for y in x[:, i])
        for name, x in by.items()
        for i in range(N_ITEMS)
    ]
    path = write("\n".join(["model,sentence,tp,fp,fn", *rows, ""]))
    options = ("--statistic", statistic, "--score", columns, "--item", "sentence")
    code, out, err = run("compare", path, *options, "--format", "markdown")
    assert code == 0, err
    said = "Items have other numbers of positives, tp + fn, for one model than for"
    assert f"{said} another" in out
    assert "'b' and 'a' in 3 of 60, such as 's003'." in out
    precise = ("--statistic", "precision", "--score", "tp,fp", "--item", "sentence")
    assert said not in run("compare", path, *precise)[1]


def test_every_page_names_the_metric(counts, run, tmp_path):
    pytest.importorskip("matplotlib")
    page = tmp_path / "page.html"
    for style in ("text", "markdown", "latex", "sentences"):
        code, out, err = run(
            *("compare", counts(), *CHOSEN, *COLUMNS, "--format", style),
            *("--report", str(page)),
        )
        assert code == 0, err
        said = " ".join(out.split())
        assert "means" not in said
        assert "f1 is computed once, of the sums of tp, fp and fn" in said
        assert "permutation test of f1, paired by item" in said
        if style != "sentences":
            assert "Differences of f1" in said
    html = page.read_text("utf-8")
    assert "the means" not in re.sub(r"base64,[\w+/=]+", "", html)
    (data,) = re.findall(r"base64,([\w+/=]+)", html)
    saved = base64.b64decode(data).decode().splitlines()
    assert saved[0] == "model,item,tp,fp,fn"
    assert len(saved) == 1 + 3 * N_ITEMS
    first = draw()[1]["a"][:, 0]
    assert saved[1] == ",".join(["a", "s000", *map(repr, first.tolist())])


def test_few_items_are_compared_by_t(counts, run):
    _, out, err = run("compare", counts(n=18), *CHOSEN, *COLUMNS, "--format", "json")
    assert json.loads(out)["test"] == "t"
    assert "18 items are few" in err


def test_each_task_is_by_itself(counts, run):
    path = counts(tasks=("x", "y"))
    chosen = ("--task", "corpus", "--baseline", "a", "--test", "t")
    code, out, err = run(
        "compare", path, *CHOSEN, *COLUMNS, *chosen, "--format", "json"
    )
    assert code == 0, err
    pairs = json.loads(out)["pairs"]
    assert len(pairs) == 4
    for k, task in enumerate("xy"):
        by = draw(seed=k)[1]
        for pair in (x for x in pairs if x["task"] == task):
            a, b = (by[pair[f"model_{x}"]] for x in "ab")
            expected = t_test(a, b, paired=True, statistic=F1).pvalue
            assert pair["pvalue"] == pytest.approx(float(expected), rel=1e-8)
    _, out, _ = run("compare", path, *CHOSEN, *COLUMNS, *chosen)
    assert "f1 and standard errors of 60 items on each task" in " ".join(out.split())


def test_a_signature_names_the_statistic(counts, run):
    path = counts()
    _, out, _ = run("compare", path, *CHOSEN, *COLUMNS, "--format", "json")
    signature = json.loads(out)["signature"]
    assert "|statistic:f1|" in signature
    code, _, err = run("compare", path, *CHOSEN[:4], *COLUMNS, "--verify", signature)
    assert code == 0, err
    turned = ("--score", "fn,fp,tp")
    code, _, err = run("compare", path, *CHOSEN[:4], *turned, "--verify", signature)
    assert code == 0, err
    unnamed = counts(header=UNNAMED)
    turned = ("--score", "missed,wrong,right")
    code, out, _ = run("compare", unnamed, *CHOSEN[:4], *turned, "--verify", signature)
    assert code == 1
    assert "scores or names are others" in " ".join(out.split())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            (*CHOSEN, "--score", "tp,fp"),
            "Expected --score to name columns of true positives, false positives and "
            "false negatives, or so for each of several classes, all true positives "
            "first, in this order, for --statistic f1; got 2 columns, tp,fp.",
        ),
        (CHOSEN, "for --statistic f1; got none."),
        (
            (*CHOSEN[:5], "perplexity", "--score", "tp"),
            "name columns of negative log-likelihoods and tokens, in this order, for "
            "--statistic perplexity; got 1 column, tp.",
        ),
        ((*CHOSEN, "--score", "tp,tp,fn"), "Expected each column of --score once"),
        ((*CHOSEN, *COLUMNS, "--lower-is-better"), "higher is better; got the other"),
        ((*CHOSEN, *COLUMNS, "--unit", "cluster"), "without --unit cluster"),
        ((*CHOSEN, *COLUMNS, "--missing", "worst"), "without --missing worst"),
        ((*CHOSEN, *COLUMNS, "--test", "aso"), "of f1, a metric of sums; got"),
        (
            (*CHOSEN, *COLUMNS, "--test", "permutation", "--method", "saddlepoint"),
            "which is of plain means",
        ),
        (
            (*CHOSEN, "--score", "tp,fp,false_neg"),
            "has no column 'false_neg' (--score). Its columns are 'tagger', 'corpus', "
            "'sentence', 'document', 'tp', 'fp', 'fn'.",
        ),
        ((*CHOSEN, "--score", "tpp,fp,fn"), "(--score). Did you mean 'tp'? Its"),
        (
            (*CHOSEN[:5], "recall", "--score", "tp,fp"),
            "got 'fp' in the place of false negatives",
        ),
        (
            (*CHOSEN, "--score", "document,fp,tp"),
            "got 'tp' in the place of false negatives",
        ),
    ],
)
def test_what_the_metric_does_not_take_is_refused(counts, run, options, said):
    code, _, err = run("compare", counts(), *options)
    assert code == 2
    assert said in " ".join(err.split())


@pytest.mark.parametrize(
    ("header", "metric"),
    [
        ("tp,fp,fn", "f1"),
        ("FN,TP,FP", "f1"),
        ("FN,TP,FP", "precision"),
        ("FN,TP,FP", "recall"),
        ("False Positives,tp,fn", "f1"),
    ],
)
def test_columns_are_taken_by_their_names(counts, run, header, metric):
    """Whatever the order of the columns in the file, or of their names in --score."""
    written = header.split(",")
    path = counts(header=header)
    chosen = (*CHOSEN[:5], metric, "--format", "json")
    places = {"tp": 0, "fp": 1, "fn": 2, "false positives": 1}
    by = {places[x.lower()]: k for k, x in enumerate(written)}
    for order in itertools.permutations(written):
        code, out, err = run("compare", path, *chosen, "--score", ",".join(order))
        assert code == 0, err
        for name, x in draw()[1].items():
            tp, fp, fn = (x[by[k]].sum() for k in range(3))
            expected = {
                "f1": 2 * tp / (2 * tp + fp + fn),
                "precision": tp / (tp + fp),
                "recall": tp / (tp + fn),
            }
            found = json.loads(out)["models"][name]["mean"]
            assert found == pytest.approx(expected[metric])
        said = " ".join(err.split())
        assert f"true positives '{written[by[0]]}'" in said
        assert f"false negatives '{written[by[2]]}'" in said
        is_turned = [places[x.lower()] for x in order] != [0, 1, 2]
        assert ("taken by their names" in said) == is_turned


def test_two_columns_are_enough_for_precision_and_for_recall(counts, run):
    for metric, columns, others in (
        ("precision", "fp,tp", "right,wrong"),
        ("recall", "tp,fn", "right,missed"),
    ):
        chosen = (*CHOSEN[:5], metric, "--format", "json")
        means = []
        for header, score in (
            ("tp,fp,fn", "tp,fp,fn"),
            ("tp,fp,fn", columns),
            (UNNAMED, others),
        ):
            path = counts(header=header)
            code, out, err = run("compare", path, *chosen, "--score", score)
            assert code == 0, err
            document = json.loads(out)
            means.append([document["models"][x]["mean"] for x in "abc"])
            means[-1] += [x["pvalue"] for x in document["pairs"]]
        assert means[0] == means[1] == means[2]


def test_a_word_error_rate_is_not_turned_over(write, run):
    rows = [f"{m},s{k},{k % 3 + (m == 'b')},10" for m in "ab" for k in range(40)]
    path = write("\n".join(["model,item,errors,words", *rows, ""]))
    chosen = ("--statistic", "word_error_rate", "--format", "json")
    _, out, _ = run("compare", path, *chosen, "--score", "words,errors")
    errors = sum(k % 3 for k in range(40))
    assert json.loads(out)["models"]["a"]["mean"] == pytest.approx(errors / 400)


@pytest.mark.parametrize(
    ("metric", "columns", "expected"),
    [
        ("f1", "tp_x,fp_x,fn_x,tp_y,fp_y,fn_y", "tp_x tp_y fp_x fp_y fn_x fn_y"),
        ("macro_f1", "x-tp,y-tp,y-fp,x-fp,x-fn,y-fn", "x-tp y-tp x-fp y-fp x-fn y-fn"),
        ("accuracy", "tn,fn,fp,tp", "tp fp fn tn"),
        ("ratio", "denominator,numerator", "numerator denominator"),
        ("f1", "a,b,c", "a b c"),
        ("pearson", "n,uv,vv,uu,v,u", "n uv vv uu v u"),
        (None, "fn,fp,tp", "fn fp tp"),
    ],
)
def test_the_order_of_columns(metric, columns, expected):
    assert order_columns(metric, columns.split(",")) == expected.split()


@pytest.mark.parametrize(
    ("metric", "said"),
    [
        ("micro_f1", "Write f1, which is the micro average of all classes."),
        (
            "macro_precision",
            "precision is the micro average; of macro averages there is macro_f1.",
        ),
        ("wer", "Did you mean word_error_rate?"),
        (
            "pass@5",
            "In files, pass@k of n samples of a problem, of which c are correct",
        ),
    ],
)
def test_other_names_of_metrics(counts, capsys, run, metric, said):
    with pytest.raises(SystemExit):
        run("compare", counts(), *CHOSEN[:5], metric, *COLUMNS)
    assert said in " ".join(capsys.readouterr().err.split())


def test_classes_in_another_order_are_refused():
    with pytest.raises(ValueError, match=r"'fp_x' in the place of true positives"):
        order_columns("f1", ["tp_x", "fp_x", "fn_x", "tp_y", "fp_y", "missed_y"])


def test_sums_of_which_there_is_no_metric(write, run):
    rows = [f"{m},s{k},0,0" for m in "ab" for k in range(30)]
    path = write("\n".join(["model,item,errors,words", *rows, ""]))
    chosen = ("--statistic", "word_error_rate", "--score", "errors,words")
    code, _, err = run("compare", path, *chosen)
    assert code == 2
    assert "word_error_rate is a number" in " ".join(err.split())


def test_items_have_names(write, run):
    rows = [f"{m},{k},1,2,3" for m in "ab" for k in range(30)]
    path = write("\n".join(["model,seed,tp,fp,fn", *rows, ""]))
    code, _, err = run("compare", path, "--statistic", "f1", "--score", "tp,fp,fn")
    assert code == 2
    assert "Name it with --item" in " ".join(err.split())


def test_a_loss_is_known(write, run):
    rng = np.random.default_rng(0)
    rows = [
        f"{m},s{k},{rng.poisson(1 + 2 * (m == 'b'))},10"
        for m in "ab"
        for k in range(40)
    ]
    path = write("\n".join(["model,item,errors,words", *rows, ""]))
    chosen = ("--statistic", "word_error_rate", "--score", "errors,words")
    _, out, _ = run("compare", path, *chosen, "--format", "json")
    result = json.loads(out)
    assert not result["higher_is_better"]
    assert [x["better"] for x in result["pairs"]] == ["a"]


def test_metrics_take_the_columns_that_are_said():
    """Every function of sums of `corpus` is there, and the options are these."""
    counters = {"bins", "confusions", "products", "residuals", "votes"}
    of_scores = {"OptimalityGap", "optimality_gap"}
    assert {*METRICS} == {*corpus.__all__} - counters - of_scores
    assert tuple(METRICS) == STATISTICS


def test_calls_in_python():
    pd = pytest.importorskip("pandas")
    _, by = draw()
    frame = pd.concat(
        pd.DataFrame(x.T, columns=["tp", "fp", "fn"]).assign(
            model=m, item=range(N_ITEMS)
        )
        for m, x in by.items()
    )
    table = read.scores(frame, score="tp,fp,fn", statistic="f1")
    assert table.metric == "f1"
    assert {m: x.shape for m, x in table.sums[""].items()} == dict.fromkeys(
        "abc", (3, N_ITEMS)
    )
    result = compare_models(table, test="t")
    for pair in result.records:
        a, b = (by[pair[f"model_{x}"]] for x in "ab")
        expected = t_test(a, b, paired=True, statistic=F1).pvalue
        assert pair["pvalue"] == pytest.approx(float(expected), rel=1e-8)

    def f_half(tp, fp, fn):
        return 1.25 * tp / (1.25 * tp + 0.25 * fn + fp)

    own = read.scores(frame, score="tp,fp,fn", statistic=of_sums(f_half))
    assert own.metric == "f_half"
    for name, x in own.scores.items():
        assert x.mean() == pytest.approx(f_half(*by[name].sum(axis=1)))
    with pytest.raises(ValueError, match=r"Did you mean 'f1'|Those known: accuracy"):
        read.scores(frame, score="tp,fp,fn", statistic="f11")
    with pytest.raises(ValueError, match=r"Write 'f1', which is the micro average"):
        read.scores(frame, score="tp,fp,fn", statistic="micro_f1")
    with pytest.raises(TypeError, match="without statistic="):
        read.scores({"a": [1.0, 2.0]}, statistic="f1")


@pytest.mark.parametrize(
    ("statistic", "columns", "said"),
    [
        ("perplexity", ["tp", "fp"], "'tp', true positives"),
        ("f1", ["nll", "tokens", "n"], "'nll', negative log-likelihoods"),
    ],
)
def test_names_of_other_metrics_are_refused(statistic, columns, said):
    with pytest.raises(ValueError, match=said):
        order_columns(statistic, columns)
    assert order_columns("ratio", ["tp", "words"]) == ["tp", "words"]
    assert order_columns("word_error_rate", ["errors", "tokens"])[1] == "tokens"


@pytest.mark.parametrize("name", METRICS)
def test_negative_counts_are_refused(write, name):
    """All counts with another sign have the same F1."""
    items = ITEMS[name].reshape(-1, *ITEMS[name].shape[-2:])[0].T
    columns = [f"x{k}" for k in range(items.shape[-1])]
    rows = [
        [m, f"s{k}", *map(repr, x)] for m in "ab" for k, x in enumerate(items.tolist())
    ]
    rows[len(items) + 3][2] = "-1"
    path = write("\n".join(map(",".join, [["model", "item", *columns], *rows])))
    choice = {"score": ",".join(columns), "statistic": name, "item": "item"}
    statistic = METRICS[name].statistic
    counts = items.T - 100.0
    if name in ("pearson", "perplexity", "r2", "ratio", "rmse"):
        t_ci(counts, statistic=statistic)
        read.scores(path, **choice)
        return
    with pytest.warns(UserWarning, match="Counts below 0, such as -") as seen:
        t_ci(counts, statistic=statistic)
    assert seen[0].filename == __file__
    with pytest.raises(read.TableError, match=r"'x0', .* got -1 for item 's3' of 'b'"):
        read.scores(path, **choice)
