"""What is said of verdicts over these tasks, and of draws that decide otherwise."""

import json
import warnings

import pytest

from sigarray import compare_models
from tests.verdicts.test_aggregates import N_RUNS, compare, draw

SAID = "so that another seed may decide otherwise. Take more with"


def test_p_values_near_the_level_are_doubted():
    options = {"n_resamples": 999, "rng": 0}
    pairs = compare(draw(), "iqm", **options).over_these_tasks.pairs
    p = next(x.adjusted_pvalue for x in pairs if 0.01 < x.adjusted_pvalue < 0.4)
    with pytest.warns(UserWarning, match=SAID):
        compare(draw(), "iqm", alpha=1.02 * p, **options)
    # t draws nothing, and far from the level nothing hangs on the draws.
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*another seed")
        compare(draw(), "mean", alpha=1.02 * p)
        compare(draw(), "iqm", alpha=0.999, **options)


def test_texts_say_which_question_is_answered():
    result = compare(draw(), "mean")
    text = " ".join(result.sentences)
    assert "ours is better than dqn over these 6 tasks: adjusted p" in text
    assert "about other runs on the same tasks" in text
    assert (
        "Over these 6 tasks: t-test of the mean, with tasks as strata" in result.method
    )
    title, these = result.content.headline
    assert these.startswith("Ranking by means over these 6 tasks")
    assert compare(draw(), None).content.headline == [
        title,
        "Ranking over tasks like these 6: ours > dqn, rainbow",
    ]


@pytest.mark.parametrize("sizes", [(5, 5), (N_RUNS,) * 6])
def test_one_question_is_answered(sizes):
    """Programs get the verdict over tasks like these, too."""
    result = compare(draw(sizes), "mean")
    shown = (str(result), result.to_markdown(), result.to_latex(), result.method)
    for text in (*shown, *result.sentences, *result.content.paragraphs):
        assert "tasks like these" not in text
        assert "Wilcoxon" not in text
    assert len(result.tables) == 4
    assert json.loads(result.to_json())["over_tasks"]["pairs"]
    assert {*result.to_frame()["task"]} >= {"all tasks", "these tasks"}


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


def test_undecided_tasks_lead_to_them():
    """Unless they decide already. Tasks of a large scale would decide means."""

    def advise(scores, statistic=None):
        return " ".join(compare(scores, statistic).content.advice)

    scores = draw()
    said = "these 6 tasks alone, with other runs, pass statistic='mean', "
    assert said in advise(scores)
    assert "tasks alone" not in advise(scores, "mean")
    scores["t0"] = {name: 1000.0 * x for name, x in scores["t0"].items()}
    said = "alone, with other runs, pass statistic='improvement'; or, for scores on one"
    assert f"{said} scale, statistic='mean' or statistic='iqm'." in advise(scores)
    few = {task: scores[task] for task in list(scores)[:5]}
    advice = " ".join(compare(few, None).content.first_advice)
    assert f"{said} scale, statistic='mean' or statistic='iqm'." in advice
    clear = draw((N_RUNS,) * 12, leads=(2.0, 0.0, -2.0))
    assert "tasks alone" not in advise(clear)


@pytest.mark.filterwarnings("ignore:.*another seed may decide otherwise")
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
