"""`sigarray power` describes the test of `compare`: its splits, and its default."""

import math
import re

import numpy as np
import pytest
import scipy.stats

from sigarray import t_test
from sigarray._verdicts.sampled import Sampled
from sigarray._verdicts.sampled_tests import test_by_sizes as check_by_sizes
from sigarray._verdicts.samples import Trials
from sigarray._verdicts.test import PairwiseTest

FEW = ("--n-samples", "100")
SPLITS = ("--run", "split", "--test", "t", "--test-share", "0.1")


def folds(write, lead, models="ab", n=50):
    """Write splits whose differences have a mean and a standard deviation of 1."""
    x = np.random.default_rng(0).normal(size=n)
    x = (x - x.mean()) / x.std(ddof=1)
    rows = [
        f"{m},{k},{(y * (j - 0.5) + lead * j):.6f}"
        for j, m in enumerate(models)
        for k, y in enumerate(x)
    ]
    return write("\n".join(["model,split,acc", *rows, ""]))


def test_no_number_of_splits_is_enough(write, power, run):
    """A difference of 0.7 is 2.1 errors of infinitely many splits, (1 / 9)^(1/2)."""
    path = folds(write, 0.7)
    (pair,) = power(path, *SPLITS, "--n-samples", "200")["pairs"]
    assert pair["required_sample_size"] is None
    error = math.sqrt(1 / 50 + 1 / 9)
    limit = scipy.stats.t.ppf(0.975, 49)
    expected = scipy.stats.nct.sf(limit, 49, 0.7 / error)
    assert pair["power_at_n"] == pytest.approx(expected, abs=0.1)
    text = " ".join(run("power", path, *SPLITS, *FEW)[1].split())
    assert "No number of splits is enough to see that b is better than a" in text
    assert "rises to a limit, which only a larger data set raises" in text
    assert "as many may be needed" not in text


@pytest.mark.parametrize("lead", [0.7, 2.0])
def test_power_does_not_fall_with_more_splits(lead):
    test = PairwiseTest("t", True, None, None, test_share=0.1)
    trials = Trials(test, True, True, True, "run", 300, 0, test_share=0.1)
    x = np.random.default_rng(0).normal(size=50)
    scores = {"a": 0.0 * x, "b": lead + (x - x.mean()) / x.std(ddof=1)}
    pair = ("b", "a")
    shares = [
        trials.share_better(scores, n, [pair])[pair] for n in (5, 20, 50, 100, 400)
    ]
    assert np.all(np.diff(shares) > -0.02)
    # 2.1 and 6 errors of infinitely many splits, of which 1.96 are needed.
    assert (
        shares[-1] > 0.99 if lead == 2.0 else shares[-1] == pytest.approx(0.56, abs=0.1)
    )


def test_a_model_alone_has_no_number_of_splits(write, run):
    path = folds(write, 0.0, "a")
    text = " ".join(run("power", path, *SPLITS, *FEW, "--difference", "0.4")[1].split())
    assert "No number of splits of each model reaches it (" in text


@pytest.mark.parametrize("command", ["compare", "power"])
def test_verdicts_over_these_tasks_are_not_of_splits(write, run, command):
    """They would take splits as independent, and be sure of far smaller differences."""
    rows = [
        f"{m},{t},{k},{k % 3 + i}"
        for i, m in enumerate("ab")
        for t in "xyz"
        for k in range(5)
    ]
    path = write("\n".join(["model,task,split,acc", *rows, ""]))
    options = ("--task", "task", *SPLITS, "--statistic", "mean")
    code, _, err = run(command, path, *options)
    assert code == 2
    assert "takes scores as independent, and splits are not" in err


CLUSTERS = [
    f"{m},d{k // 4},q{k},{(k * 7 + i) % 5 + i}"
    for i, m in enumerate("ab")
    for k in range(32)
]
COUNTS = [f"{m},{k},{3 + i},{k % 2},1" for i, m in enumerate("ab") for k in range(12)]


@pytest.mark.parametrize(
    ("rows", "options"),
    [
        (["model,document,question,score", *CLUSTERS], ("--cluster", "document")),
        (
            ["model,sentence,tp,fp,fn", *COUNTS],
            ("--item", "sentence", "--statistic", "f1", "--score", "tp,fp,fn"),
        ),
    ],
)
def test_few_clusters_and_few_items_have_the_test_of_compare(write, run, rows, options):
    path = write("\n".join([*rows, ""]))
    said = []
    for command in (("compare",), ("power", *FEW)):
        code, out, err = run(command[0], path, *options, *command[1:])
        assert code == 0, err
        assert "are few: models are compared by --test t" in err
        said.append(re.search("paired t-test by (item|cluster)", " ".join(out.split())))
    assert all(said)
    _, _, err = run("power", path, *options, *FEW, "--test", "permutation")
    assert "are few" not in err


def test_another_test_of_more_clusters_is_said(write, run):
    rows = ["model,document,question,score", *CLUSTERS]
    options = (write("\n".join([*rows, ""])), "--cluster", "document", *FEW)
    said = "power is of --test t for all numbers; by default, sigarray compare takes t"
    assert said in run("power", *options)[2]
    assert said not in run("power", *options, "--test", "t")[2]


def draw_clusters(draw, n_clusters):
    """Draw a size of each cluster, labels and differences of items: .4 on average."""
    sizes = np.maximum(1, np.round(np.exp(draw.normal(2.0, 1.0, n_clusters))))
    labels = np.repeat(np.arange(n_clusters), sizes.astype(int))
    noise = draw.normal(size=n_clusters)[labels] + draw.normal(size=len(labels))
    return labels, 0.4 + 0.5 * noise


def test_power_of_unlike_clusters_is_that_of_t(write, power):
    """Their sums vary with sizes, and t has fewer degrees of freedom than clusters."""
    draw = np.random.default_rng(2)
    labels, x = draw_clusters(draw, 120)
    rows = [
        f"{m},d{d},q{k},{y * (m == 'a'):.4f}"
        for m in "ab"
        for k, (d, y) in enumerate(zip(labels, x, strict=True))
    ]
    path = write("\n".join(["model,document,question,score", *rows, ""]))
    options = ("--cluster", "document", "--test", "t", "--power", "0.7")
    (pair,) = power(path, *options)["pairs"]
    n, found = pair["required_sample_size"], []
    for _ in range(300):
        drawn = draw.integers(0, 120, n)
        items = [x[labels == d] for d in drawn]
        y, codes = np.concatenate(items), np.repeat(np.arange(n), list(map(len, items)))
        found.append(t_test(y, 0.0 * y, paired=True, clusters=codes).pvalue <= 0.05)
    assert np.mean(found) == pytest.approx(0.7, abs=0.1)


@pytest.mark.parametrize("margin", [None, 0.3])
@pytest.mark.parametrize("n_clusters", [4, 30])
def test_t_of_drawn_clusters_is_that_of_their_items(n_clusters, margin):
    labels, x = draw_clusters(np.random.default_rng(n_clusters), n_clusters)
    sampled = Sampled(len(x), n_clusters, labels)
    scores = sampled.score_clusters({"a": x})["a"]
    means, p_values = check_by_sizes(
        scores[None, None, :], sampled.sizes[None, :], margin
    )
    side = {} if margin is None else {"alternative": "greater", "margin": margin}
    expected = t_test(x, 0.0 * x, paired=True, clusters=labels, **side)
    assert means[0, 0] == pytest.approx(x.mean())
    assert p_values[0, 0] == pytest.approx(expected.pvalue, rel=1e-9)
    # Without any difference, t is unknown, and so is it of equal ones.
    same = np.zeros((1, 1, n_clusters))
    assert check_by_sizes(same, sampled.sizes[None, :], None)[1] == 1.0
