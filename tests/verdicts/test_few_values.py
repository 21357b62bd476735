"""Statistics over these tasks of scores that have few values."""

import warnings

import numpy as np
import pytest

from sigarray import compare_models
from sigarray._verdicts.aggregate_tests import find_share

N_ITEMS = 40


def answer(*shares, values=(0.0, 1.0)):
    """Return scores of two values by task, model and item, with such shares."""
    rng = np.random.default_rng(0)
    low, high = values
    return {
        f"t{k}": {
            name: np.where(rng.random(N_ITEMS) < share, high, low)
            for name, share in zip("ab", shares, strict=True)
        }
        for k in range(3)
    }


def rate(*probabilities):
    """Return ratings of 1 to 5 by task and model, with such probabilities of each."""
    rng = np.random.default_rng(1)
    return {
        f"t{k}": {
            name: rng.choice(np.arange(1.0, 6.0), N_ITEMS, p=probabilities)
            for name in "ab"
        }
        for k in range(3)
    }


def compare(scores, statistic=None, **options):
    return compare_models(scores, unit="item", statistic=statistic, **options)


@pytest.mark.parametrize("statistic", ["iqm", "median"])
@pytest.mark.parametrize("values", [(0.0, 1.0), (-1.0, 1.0), (0.0, 100.0)])
def test_two_values_have_no_middle(statistic, values):
    scores = answer(0.8, 0.1, values=values)
    every = np.concatenate([by["a"] for by in scores.values()])
    low, high = values
    said = (
        rf"more than two values with statistic='{statistic}'; got {low:g} and "
        rf"{high:g}, .* for 'a' it is {every.mean():.3g}, and the .*\d\. Pass "
        "statistic='mean'"
    )
    with pytest.raises(ValueError, match=said):
        compare(scores, statistic)
    with pytest.raises(ValueError, match=r"Leave it out: models are compared by"):
        compare(scores["t0"], statistic)
    assert compare(scores, "mean").over_these_tasks is not None


@pytest.mark.parametrize("unit", ["item", "run"])
def test_the_mean_alone_is_offered_for_two_values(unit):
    def advise(scores):
        # Of six times as many tasks, with names exchanged, none is a verdict.
        scores = {
            f"{k} {t}": dict(zip("ab" if k % 2 else "ba", x.values(), strict=True))
            for t, x in scores.items()
            for k in range(6)
        }
        result = compare_models(scores, unit=unit, test="t")
        return " ".join([*result.content.advice, *result.content.first_advice])

    assert "pass statistic='mean'." in advise(answer(0.6, 0.5))
    ties = {
        task: {x: 1.0 * (y > 0) for x, y in by.items()}
        for task, by in answer(0.6, 0.5, values=(-1.0, 2.0)).items()
    }
    assert "pass statistic='mean'." in advise(ties)
    rng = np.random.default_rng(2)
    various = {f"t{k}": {x: rng.normal(size=9) for x in "ab"} for k in range(3)}
    every = "'mean' or statistic='iqm'."
    if unit == "run":
        every = "'mean', statistic='iqm' or statistic='improvement'."
    assert f"pass statistic={every}" in advise(various)
    assert "pass statistic='mean'." in advise(rate(0.0, 0.1, 0.2, 0.3, 0.4))


def test_ties_at_the_cuts_are_doubted():
    """Of ratings, and not of scores that vary, nor of models that never do."""
    with pytest.warns(UserWarning, match=r"tied at its quartiles. .*'mean' takes all"):
        compare(rate(0.0, 0.1, 0.2, 0.3, 0.4), "iqm", n_resamples=99)
    with pytest.warns(UserWarning, match=r"tied at its median\. .* moves in steps"):
        compare(rate(0.1, 0.2, 0.4, 0.2, 0.1)["t0"], "median", n_resamples=99)
    rng = np.random.default_rng(3)
    several = {
        f"t{k}": {x: rng.normal(size=12).round(2) for x in "ab"} for k in range(3)
    }
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compare(several, "median", n_resamples=99)


@pytest.mark.parametrize(
    ("x", "statistic", "expected"),
    [
        ([1, 2, 3, 4, 5, 6, 7, 8], "iqm", 0.0),
        ([1, 2, 2, 2, 2, 2, 2, 8], "iqm", 0.75),
        ([1, 1, 1, 1, 5, 5, 5, 5], "iqm", 1.0),
        ([1, 2, 2, 3, 4, 4, 4, 5], "median", 0.0),
        ([1, 2, 3, 3, 3, 4, 4, 5], "median", 0.375),
        ([3, 3, 3, 3], "median", 1.0),
    ],
)
def test_shares_of_ties(x, statistic, expected):
    """These are said from a half (iqm) or a quarter (median) on.

    Of 100 ratings of 1 to 5 in pairs, 300 simulations of equal models each: if 40 or
    70 % had the middle value, the interval of the difference of medians was [0, 0] in
    92 and 97 % of cases; interquartile means differed in 2 to 6 %, as they should.
    """
    assert find_share(np.asarray(x, float), statistic) == expected
