"""Rows that are there twice, in tables that do not name their runs."""

import numpy as np
import pytest

from sigarray import compare_models, read
from sigarray.read._same_rows import doubt_same_rows

RNG = np.random.default_rng(0)
ROWS = RNG.normal([84.1, 87.5, 86.0], 0.3, (6, 3)).round(2)


def write_table(rows, header="a,b,c"):
    return "\n".join([header, *(",".join(map(str, x)) for x in rows), ""])


@pytest.mark.parametrize("blank", [False, True])
def test_a_row_that_is_copied_is_named(write, blank):
    rows = np.vstack([ROWS, ROWS[1:2]]).tolist()
    if blank:
        rows[4][0] = ""
    (doubt,) = read.scores(write(write_table(rows))).doubts
    said = "all 3 models have the same scores at line 3 and line 8, and each counts"
    assert said in doubt
    assert "If it is a copy, remove it" in doubt


def test_the_command_and_python_warn_of_it(write, run):
    rows = np.vstack([ROWS, ROWS[:3]])
    path = write(write_table(rows))
    _, out, err = run("compare", path, "--quiet")
    assert out
    said = "at line 2 and line 8; line 3 and line 9; line 4 and line 10, and each"
    assert said in err
    assert "If they are copies, remove them" in err
    scores = dict(zip("abc", rows.T, strict=True))
    with pytest.warns(UserWarning, match="all 3 models have the same scores at"):
        compare_models(scores)
    with pytest.warns(UserWarning, match="task 'u': all 3 models have the same"):
        compare_models({"t": dict(zip("abc", ROWS.T, strict=True)), "u": scores})


def test_rows_of_scores_too(write):
    """A file that has all of its rows twice."""
    rows = [(m, x) for m, xs in zip("abc", ROWS.T, strict=True) for x in xs]
    (doubt,) = read.scores(write(write_table([*rows, *rows], "model,acc"))).doubts
    assert "at place " in doubt
    assert not read.scores(write(write_table(rows, "model,acc"))).doubts


@pytest.mark.parametrize(
    ("rows", "options"),
    [
        (ROWS, {}),
        # Names say that they are others, or that they are items.
        ([[k, *x] for k, x in enumerate([*ROWS, *ROWS])], {"run": "n"}),
        ([[k, *x] for k, x in enumerate([*ROWS, *ROWS])], {"item": "n"}),
        # Whole numbers, and few decimals, are the same by chance.
        (np.vstack([ROWS.round(), ROWS[:1].round()]), {}),
        (np.vstack([ROWS.round(1), ROWS[:1].round(1)]), {}),
        ([[0.0, 0.0, 0.0], *ROWS, [0.0, 0.0, 0.0]], {}),
    ],
)
def test_others_are_not(write, rows, options):
    header = "n,a,b,c" if options else "a,b,c"
    assert not read.scores(write(write_table(rows, header)), **options).doubts


@pytest.mark.parametrize("n", [3, 10, 50])
def test_honest_runs_are_seldom_doubted(n):
    """In less than 3 % of 200 tables, where 0.5 % were measured."""
    rng = np.random.default_rng(n)
    n_doubted = 0
    for _ in range(200):
        shared = rng.normal(size=n)
        rows = {k: np.round(80 + 0.2 * (shared + rng.normal(size=n)), 2) for k in "ab"}
        n_doubted += bool(doubt_same_rows(rows, str, ""))
    assert n_doubted < 6
