"""Rows of means, deviations and extremes: by their names, and by their values."""

import numpy as np
import pytest

from sigarray.read._bytes import TableError
from sigarray.read._summaries import is_summary, refuse_mean_rows

NAMES = """mean,Avg.,AVERAGE,macro avg,mean over seeds,Mean (5 runs),std,Std. dev.,
standard deviation,std err,± std,max,geometric mean,Mittelwert,moyenne,promedio,μ,
mean of all tasks,mean [n=5],IQM"""
MODELS = """mean-teacher,sd-xl,lstm,best-of-n sampling,meanfield,maximum entropy model,
a very long name with mean in it,1,,average pooling,std::bert,total recall,minilm"""


def by_model(table):
    return {f"m{k}": row for k, row in enumerate(table)}


@pytest.mark.parametrize("name", NAMES.replace("\n", "").split(","))
def test_names_of_statistics(name):
    assert is_summary(name)


@pytest.mark.parametrize("name", [*MODELS.replace("\n", "").split(","), 3.0, None])
def test_names_of_models(name):
    assert not is_summary(name)


def measure_refusals(n_models, n_runs, decimals, append=None):
    rng = np.random.default_rng(5)
    n_refused = 0
    for _ in range(400):
        table = rng.normal(80.0, 1.0, (n_models, n_runs)).round(decimals)
        if append is not None:
            table = append(table, decimals)
        try:
            refuse_mean_rows("f.csv", by_model(table))
        except TableError:
            n_refused += 1
    return n_refused / 400


@pytest.mark.parametrize("n_models", [2, 5])
@pytest.mark.parametrize("n_runs", [4, 5, 10, 20])
@pytest.mark.parametrize("decimals", [0, 1, 2, 4])
def test_honest_runs_are_hardly_ever_refused(n_models, n_runs, decimals):
    """Measured: at most 0.8 % of tables."""
    assert measure_refusals(n_models, n_runs, decimals) <= 0.02


def at_the_end(statistic):
    return lambda x, k: np.column_stack([x, statistic(x).round(k)])


@pytest.mark.parametrize(
    ("append", "decimals"),
    [
        (at_the_end(lambda x: x.mean(1)), 2),
        (at_the_end(lambda x: x.mean(1)), 1),
        (at_the_end(lambda x: np.median(x, 1)), 3),
        (at_the_end(lambda x: x.max(1)), 3),
        (at_the_end(lambda x: x.std(1)), 2),
        (at_the_end(lambda x: x.std(1, ddof=1)), 2),
        (at_the_end(lambda x: np.stack([x.mean(1), x.std(1)], 1)), 2),
        (lambda x, k: np.column_stack([x.mean(1).round(k), x]), 4),
    ],
)
def test_rows_that_are_computed_are_refused(append, decimals):
    assert measure_refusals(4, 6, decimals, append) >= 0.98


def test_a_mean_of_scores_of_two_digits_is_said():
    table = np.array([[0.71, 0.74, 0.72, 0.75], [0.81, 0.83, 0.84, 0.80]])
    table = at_the_end(lambda x: x.mean(1))(table, 2)
    (note,) = refuse_mean_rows("f.csv", by_model(table))
    assert "last row may be the means of the 4 above" in note


def test_messages_name_row_and_statistic(write, run):
    scores = np.random.default_rng(0).normal(0.8, 0.02, (6, 3)).round(4)
    rows = [*scores, scores.mean(0).round(4)]
    text = "\n".join(",".join(map(str, row)) for row in rows)
    code, out, err = run("compare", write(f"a,b,c\n{text}\n"))
    assert (code, out) == (2, "")
    assert "row 7 of scores: expected another run; got the means of the 6 above" in err
    assert run("compare", write(f"a,b,c\n{text}\n"), "--columns", "a,b")[0] == 0


def test_scores_that_never_vary_are_no_means():
    same = {"a": np.full(6, 0.5), "b": np.full(6, 0.7)}
    assert refuse_mean_rows("f.csv", same) == []
    assert refuse_mean_rows("f.csv", {"a": np.arange(5.0), "b": np.arange(6.0)}) == []
