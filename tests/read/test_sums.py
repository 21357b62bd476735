"""Columns of sums in any order, by their names, and for each model."""

import numpy as np
import pytest

from sigarray import read
from sigarray.read import TableError
from tests.read.long_tables import as_csv

NAMES = ["sys_len", "ref_len"]
NAMES += [f"{x}_{k}" for x in ("correct", "total") for k in range(1, 5)]


def draw_segments():
    draw = np.random.default_rng(0)
    rows = []
    for system in "ab":
        for segment in range(40):
            n = int(draw.integers(8, 20))
            totals = [n - k for k in range(4)]
            correct = [int(draw.integers(1, x)) for x in totals]
            rows.append((system, segment, n, n + 1, *correct, *totals))
    return rows


def test_statistics_of_bleu_are_taken_by_their_names(write):
    path = write(as_csv(draw_segments(), f"system,seg_id,{','.join(NAMES)}"))
    expected = read.scores(path, statistic="bleu", score=NAMES)
    table = read.scores(path, statistic="bleu", score=NAMES[::-1])
    assert table.sum_columns == expected.sum_columns == tuple(NAMES)
    assert (table.scores["a"] == expected.scores["a"]).all()
    assert any("taken by their names" in x for x in table.notes)


@pytest.mark.filterwarnings("ignore:In")
def test_no_bleu_is_above_100(write):
    others = [x.replace("_", "") for x in NAMES]
    path = write(as_csv(draw_segments(), f"system,seg_id,{','.join(others)}"))
    read.scores(path, statistic="bleu", score=others)
    wrong = [*others[:2], *others[6:], *others[2:6]]
    with pytest.raises(
        TableError, match=r"bleu is 100 or less; got [\d.]+ of 'a', as of"
    ):
        read.scores(path, statistic="bleu", score=wrong)


def test_a_pattern_of_counts_is_that_of_models(write, run):
    draw = np.random.default_rng(1)
    header = ",".join(f"{x}_{y}" for x in ("base", "LLM") for y in ("tp", "fp", "fn"))
    rows = [(k, *draw.integers(1, 9, 6)) for k in range(30)]
    path = write(as_csv(rows, f"doc,{header}"))
    options = ("--statistic", "f1", "--score", "tp,fp,fn")
    code, out, err = run("compare", path, *options, "--columns", "{model}_{metric}")
    assert code == 0
    assert "'base_tp' was read as 'tp' of model 'base'" in err
    assert out == run("compare", path, *options)[1]


def test_a_template_of_models_is_one_of_columns():
    with pytest.raises(TypeError, match=r"Pass columns='\{model\}_\{rater\}', a templ"):
        read.scores("scores.csv", models="{model}_{rater}")
