"""Scores far outside a scale of few numbers, and items whose scales are unlike."""

import numpy as np
import pytest

from sigarray import read
from sigarray.read._scales import find_codes, find_off_scale

RATINGS = [1 + k % 5 for k in range(40)]


def put(*odd):
    return np.asarray([*odd, *RATINGS], float)


@pytest.mark.parametrize("odd", [99, -9, 9, 1000])
def test_one_is_found(odd):
    rows, low, high = find_off_scale(put(np.nan, odd))
    assert (rows.tolist(), low, high) == ([1], 1, 5)


def test_two_codes_and_two_marks():
    assert find_off_scale(put(98, 99))[0].tolist() == [0, 1]
    marks = np.asarray([k % 2 for k in range(60)] + [9.0])
    assert find_off_scale(marks)[0].tolist() == [60]


@pytest.mark.parametrize(
    "scores",
    [
        put(),
        put(7),  # as far as a rating may be by itself
        put(99, 99, 99),  # more than one in 20
        put(99)[:19],
        put(99.5),
        put(99) + 0.25,
        np.r_[np.arange(12.0).repeat(4), 99.0],  # no scale of few numbers
        np.r_[np.ones(40), 99.0],
    ],
)
def test_others_are_not(scores):
    assert find_off_scale(scores) is None


def test_the_row_is_named(write, run):
    rows = [f"{m},{k},{RATINGS[k]}" for m in "ab" for k in range(30)]
    rows[37] = "b,7,99"
    path = write("\n".join(["model,item,rating", *rows, ""]))
    said = "line 39: score 99 is far outside the scale of all others, 1 to 5. If"
    assert any(said in x for x in read.scores(path, unit="item").doubts)
    _, _, err = run("compare", path, "--unit", "item", "--quiet")
    assert f"warning: {path}, {said}" in err


def test_in_a_column_for_each_model(write):
    rows = [f"{k},{RATINGS[k]},{RATINGS[-k]}" for k in range(30)]
    rows[7], rows[8] = "7,3,99", "8,3,99"
    path = write("\n".join(["item,a,b", *rows, ""]))
    (doubt,) = read.scores(path, item="item").doubts
    said = "line 9, column 'b': score 99 is far outside the scale of all others, "
    assert doubt.startswith(f"{path}, {said}1 to 5, and so is 1 more score. If")


RNG = np.random.default_rng(0)
SHARES, RUNS = RNG.random(60).round(3), RNG.normal(0.85, 0.01, 10).round(4)


@pytest.mark.parametrize("n", [1, 3, 18])
@pytest.mark.parametrize(
    ("scores", "code"),
    [
        *((SHARES, x) for x in (-1, -9, -99, -999, 99, 999, 9999)),
        *((RATINGS, x) for x in (-1, -9, 9, 99)),
        *((100.0 * RUNS, x) for x in (-1, -9999, 999)),
        ([0, 1] * 20, -1),
    ],
)
def test_codes_for_no_answer_are_found_at_any_share(scores, code, n):
    rows, low, high = find_codes(np.asarray([*scores, *[code] * n], float))
    assert rows.tolist() == [*range(len(scores), len(scores) + n)]
    assert (low, high) == (min(scores), max(scores))


@pytest.mark.parametrize(
    "scores",
    [
        RATINGS,
        SHARES,
        [1, -1] * 20,
        RNG.integers(1, 10, 60),
        RNG.integers(0, 101, 60),
        [3, 5, 9],
        [40, 50, 60, 55, 99],
        np.r_[SHARES, -SHARES, -1.0],  # correlations
        np.round(50 + 20 * RNG.standard_normal(60)).clip(-1),
        np.r_[RATINGS, 0, 0, -1],  # the end of a tail
        [-1.0, -1.0],
        [np.nan] * 3,
        [],
    ],
)
def test_other_scores_are_no_codes(scores):
    assert find_codes(np.asarray(scores, float)) is None


@pytest.mark.long
def test_healthy_scores_seldom_look_like_codes():
    rng = np.random.default_rng(1)
    n = sum(
        find_codes(x) is not None
        for _ in range(500)
        for x in (
            rng.integers(0, 11, 40).astype(float),
            rng.normal(98.5, 0.5, 6).clip(0, 100).round(1),
            rng.normal(97, 1.5, 40).round().clip(0, 100),
            np.round(300 * np.exp(rng.normal(0, 1.2, 40))),
        )
    )
    assert n <= 4


def test_runs_and_answers_with_codes_are_warned_of(write, run):
    rows = [f"{m},{k},{RUNS[k]}" for m in "ab" for k in range(6)]
    path = write("\n".join(["model,seed,acc", *rows[:-1], "b,5,-1", ""]))
    said = "score -1 is far outside the scale of all others, 0."
    assert f"line 13: {said}" in run("compare", path)[2]
    answers = [(k % 3 > 0) - 2 * (k == 7) for k in range(40)]
    for metric, is_doubted in (("correct", True), ("preference", False)):
        rows = [f"{m},{k},{answers[k]}" for m in "ab" for k in range(40)]
        path = write("\n".join([f"model,item,{metric}", *rows, ""]))
        said = "line 9: score -1 is far outside the scale of all others, 0 to 1, and"
        (doubt,) = read.scores(path).doubts or ("",)
        assert (said in doubt) is is_doubted
        assert doubt.endswith("beside draws and wins, counts") is is_doubted


SCALES = {"pong": 20.0, "qbert": 12000.0, "enduro": 800.0, "freeway": 30.0}


def write_games(scales, n_runs=1, column="game"):
    rows = [
        f"{model},{game},{run},{scale * factor * (1.0 + 0.01 * run)}"
        for game, scale in scales.items()
        for model, factor in (("a", 1.0), ("b", 1.1))
        for run in range(n_runs)
    ]
    return "\n".join([f"model,{column},seed,return", *rows]) + "\n"


def test_the_sizes_and_what_to_do(write):
    table = read.scores(write(write_games(SCALES)), item="game")
    (doubt,) = table.doubts
    assert "differ in size by a factor of 600 " in doubt
    assert "(means of 21 for 'pong', and 12,600 for 'qbert')" in doubt
    assert "Normalize the scores of each task before comparing: (score - low)" in doubt
    assert doubt.endswith("or divide them by the mean of a reference model")


def test_no_division_by_a_mean_that_is_negative_or_near_0(write):
    scales = SCALES | {"pong": -20.0, "skiing": -9000.0, "boxing": 3.0}
    (doubt,) = read.scores(write(write_games(scales)), item="game").doubts
    assert "Do not divide by the mean" in doubt
    assert "negative or near 0 on 'pong', 'skiing', where that reverses" in doubt


@pytest.mark.parametrize("unit", ["item", "run"])
def test_several_runs_may_be_of_tasks(write, unit):
    path = write(write_games(SCALES, 3))
    (doubt,) = read.scores(path, item="game", unit=unit).doubts
    assert "; or pass --task game in place of --item, which" in doubt
    assert len(read.scores(path, task="game").tasks) == 4


def test_a_column_for_each_model(write):
    rows = [f"{game},{x},{1.1 * x}" for game, x in SCALES.items()]
    path = write("\n".join(["env,a,b", *rows]) + "\n")
    (doubt,) = read.scores(path, item="env").doubts
    assert "items are those of 'env'" in doubt


@pytest.mark.parametrize(
    ("scales", "column"),
    [
        ({"pong": 20.0, "qbert": 90.0, "enduro": 2.0}, "game"),  # may be percentages
        ({"pong": 0.9, "qbert": 0.01, "enduro": 0.5}, "game"),
        ({"pong": 200.0, "qbert": 900.0, "enduro": 400.0}, "game"),
        ({f"g{k}": x for k, x in enumerate((-0.1, 0.3, 1.4, 0.9, 1.1))}, "game"),
        (SCALES, "question"),
    ],
)
def test_other_items_are_not_doubted(write, scales, column):
    path = write(write_games(scales, column=column))
    assert read.scores(path, item=column).doubts == ()


@pytest.mark.parametrize("n_codes", [1, 2, 4, 9])
@pytest.mark.parametrize("low", [2, 3])
def test_a_code_below_a_scale_without_its_end(write, n_codes, low):
    """Of a judge's 2 to 10, -1 is no rating, though 1 was never given."""
    scores = [*range(low, 11)] * 20
    scores[: 7 * n_codes : 7] = [-1] * n_codes
    half = len(scores) // 2
    rows = [
        f"{'ab'[k // half]},{k % half},{x}" for k, x in enumerate(scores[: 2 * half])
    ]
    path = write("\n".join(["model,question_id,score", *rows]))
    (doubt,) = [x for x in read.scores(path).doubts if "scale" in x]
    assert "score -1 is outside the scale of all others" in doubt
