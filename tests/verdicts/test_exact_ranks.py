"""Exact p-values of ranks in `sigarray compare`."""

import itertools
import json

import numpy as np
import pytest
import scipy.stats

from sigarray._verdicts.floors import has_exact_ranks, p_value_of_ranks


@pytest.mark.parametrize("sizes", [(3, 4), (5, 5), (2, 7), (6, 3)])
@pytest.mark.parametrize("n_values", [2, 4, 100])
def test_ranks_are_exact_given_the_ties(sizes, n_values):
    rng = np.random.default_rng(n_values)
    n, m = sizes
    for _ in range(20):
        pool = rng.integers(0, n_values, n + m).astype(float)
        ranks = scipy.stats.rankdata(pool)
        every = [sum(x) for x in itertools.combinations(ranks, n)]
        own = ranks[:n].sum()
        tails = np.mean(every <= own), np.mean(every >= own)
        expected = min(1.0, 2.0 * min(tails))
        assert p_value_of_ranks(pool[:n], pool[n:]) == pytest.approx(expected)


def test_ranks_of_many_scores_are_as_of_scipy():
    rng = np.random.default_rng(0)
    for n, m in ((30, 31), (5, 100), (90, 8)):
        assert has_exact_ranks(n, m)
        x, y = rng.normal(size=n), rng.normal(0.8, 1.0, m)
        expected = scipy.stats.mannwhitneyu(x, y, method="exact").pvalue
        assert p_value_of_ranks(x, y) == pytest.approx(expected, rel=1e-10)
    assert not has_exact_ranks(40, 40)


def test_how_ranks_are_tested_is_said(write, run):
    rows = [f"m{n},{k},{(7 * k + n) % 11}" for n in (5, 60) for k in range(n)]
    rows += [f"other,{k},{(5 * k) % 7}" for k in range(50)]
    path = write("\n".join(["model,run,score", *rows, ""]))
    for test, said in (
        (
            "mann-whitney",
            ". By the sizes of a pair, p-values are exact given the ties or by the "
            "normal approximation",
        ),
        (
            "brunner-munzel",
            ". The exact p of Mann-Whitney's U counts where it is larger, for few "
            "scores",
        ),
    ):
        _, out, _ = run("compare", path, "--test", test, "--format", "json")
        assert said in json.loads(out)["method"]


def test_tests_of_ranks_say_how_often_one_beats_the_other(write, run):
    fails = "".join(f"{9 + k / 10 if k else -90},{k / 10}\n" for k in range(9))
    path = write(f"a,b\n{fails}")
    for test in ("mann-whitney", "brunner-munzel"):
        _, out, _ = run("compare", path, "--test", test)
        said = " ".join(out.split())
        assert (
            "P(a > b) = 0.89 [0.50, 0.99], though its mean is not better; the means "
            in said
        )
        _, out, _ = run("compare", path, "--test", test, "--format", "json")
        (pair,) = json.loads(out)["pairs"]
        assert pair["better"] == "a"
        assert pair["probability_of_improvement"] == pytest.approx(8 / 9)
        _, out, _ = run("compare", path, "--test", test, "--lower-is-better")
        said = " ".join(out.split())
        assert "b is better than a: p = " in said
        assert "P(b < a) = 0.89 [0.50, 0.99], though its mean is not better" in said
    uneven = write("a,b\n1,2\n3,4\n5,6\n,9\n", "uneven.csv")
    assert (
        "--test brunner-munzel allows"
        in run("compare", uneven, "--test", "mann-whitney")[2]
    )
