"""What is said of verdicts over these tasks, and of draws that decide otherwise."""

import warnings

import numpy as np
import pytest

from sigarray import compare_models
from tests.verdicts.test_aggregates import N_RUNS, compare, draw

SAID = "so near .* that other draws may decide otherwise. Draw more with .* 9999"


def test_p_values_near_the_level_are_doubted():
    options = {"n_resamples": 999, "rng": 0}
    pairs = compare(draw(), "iqm", **options).over_these_tasks.pairs
    p = next(x.adjusted_pvalue for x in pairs if 0.01 < x.adjusted_pvalue < 0.4)
    with pytest.warns(UserWarning, match=SAID):
        compare(draw(), "iqm", alpha=1.02 * p, **options)
    # t draws nothing, and far from the level nothing hangs on the draws.
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*other draws")
        compare(draw(), "mean", alpha=1.02 * p)
        compare(draw(), "iqm", alpha=0.999, **options)


def test_texts_say_which_question_is_answered():
    result = compare(draw(), "mean")
    text = " ".join(result.sentences)
    assert "ours is better than dqn over these 6 tasks: adjusted p" in text
    assert "about other runs on the same tasks" in text
    assert "the verdict over tasks like these is about other tasks" in text
    assert (
        "Over these 6 tasks: t-test of the mean, with tasks as strata" in result.method
    )
    title, these, *others = result.content.headline
    assert these.startswith("Ranking by means over these 6 tasks")
    like = "For tasks like these, of which the 6 are a sample"
    assert not any(like in x for x in others)
    assert f"{like}: ours > dqn, rainbow" in result.content.remarks
    assert compare(draw(), None).content.headline == [
        title,
        "Ranking over tasks like these 6: ours > dqn, rainbow",
    ]
    alone = compare(draw(), "mean", baseline="dqn").content.remarks
    assert any(x.startswith(f"{like}, better than dqn: ours.") for x in alone)


def test_tasks_like_these_are_left_out_if_they_are_too_few():
    result = compare(draw((5, 5)), "mean")
    text, least = str(result), "With 2 tasks, no adjusted p over tasks like these"
    for style in (text, result.to_markdown()):
        body, _, _ = style.partition("Method")
        assert body.count("tasks like these") == body.count(least) == 1
    assert len(result.tables) == 4
    assert len(compare(draw(), "mean").tables) == 5
    assert result.over_tasks is not None
    assert "tasks like these is about other tasks" not in text


def test_the_answer_alone_has_one_ranking_and_one_table():
    """Those of the statistic that was asked for; scales are told once, by a warning."""
    scores = draw()
    scores["t0"] = {name: 1000.0 * x for name, x in scores["t0"].items()}
    with pytest.warns(UserWarning, match="takes them for scores on one scale"):
        content = compare(scores, "mean").content
    (table,) = content.answer.tables
    assert table.title.startswith("Differences of means over these 6 tasks")
    assert sum("ours" in x for x in content.headline) == 1
    assert not any("Scores on tasks differ" in x for x in content.remarks)


def test_the_method_says_that_a_mean_over_tasks_is_by_t():
    method = compare_models(draw(), test="aso", unit="run", statistic="mean").method
    assert ", while --test aso is of single tasks" in method
    assert "while --test" not in compare(draw(), "mean").method


def test_a_shorter_interval_over_tasks_like_these_is_explained():
    said = "An interval over tasks like these may be shorter than that over these"
    leads = {"a": 0.0, "b": 0.1}
    alike = {
        f"t{k}": {name: x * (9 + k) + np.arange(5.0) for name, x in leads.items()}
        for k in range(6)
    }
    assert any(said in x for x in compare(alike, "mean").content.remarks)
    assert not any(said in x for x in compare(draw(), "mean").content.remarks)


def test_undecided_tasks_lead_to_them():
    """Unless they decide already, or tasks of a large scale would."""

    def advise(scores, statistic=None):
        return " ".join(compare(scores, statistic).content.advice)

    scores = draw()
    said = "these 6 tasks alone, with other runs, pass statistic='mean' or"
    assert said in advise(scores)
    assert "tasks alone" not in advise(scores, "mean")
    scores["t0"] = {name: 1000.0 * x for name, x in scores["t0"].items()}
    assert "tasks alone" not in advise(scores)
    clear = draw((N_RUNS,) * 12, leads=(2.0, 0.0, -2.0))
    assert "tasks alone" not in advise(clear)


@pytest.mark.filterwarnings("ignore:.*other draws may decide otherwise")
@pytest.mark.parametrize(
    ("test", "by"), [("aso", "almost stochastic order"), ("t", "means")]
)
def test_both_rankings_of_one_task_say_by_what_they_are(test, by):
    (scores,) = draw(sizes=(20,), leads=(3.0, 0.0, 0.01)).values()
    options = {"unit": "run", "n_resamples": 199, "rng": 0, "statistic": "median"}
    lines = compare_models(scores, test=test, **options).content.headline[1:]
    assert [x.partition(":")[0] for x in lines] == [
        f"Ranking by {by}",
        "Ranking by medians",
    ]
    same = {name: scores["dqn"] + 0.01 * k for k, name in enumerate(scores)}
    lines = compare_models(same, test=test, **options).content.headline[1:]
    said = "No model is shown to be better than another one by"
    assert lines == [f"{said} {by}.", f"{said} medians."]
