"""The answer in one sentence, which is the first line of --format sentences."""

import numpy as np
import pytest

from sigarray import compare_models


def draw(n_models, n_tasks=1, n_runs=5, lead=3.0):
    rng = np.random.default_rng(0)
    tasks = {
        f"t{t}": {f"m{k}": rng.normal(lead * k, 1.0, n_runs) for k in range(n_models)}
        for t in range(n_tasks)
    }
    return tasks if n_tasks > 1 else tasks["t0"]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    ("scores", "options", "how", "result"),
    [
        (
            draw(2),
            {"test": "t"},
            "2 models were compared (5 runs each; higher is better) by Welch's t-test "
            "(two-sided p <= 0.05, for one comparison); ",
            "m1 is better than m0: p = ",
        ),
        (
            draw(3, lead=9.0),
            {"test": "permutation"},
            "by a permutation test of the mean by Welch's t (two-sided p <= 0.05, "
            "after Holm's correction for 3 comparisons); ",
            "; ranking: m2 > m1 > m0.",
        ),
        (
            draw(3, lead=9.0),
            {"baseline": "m0"},
            "by almost stochastic order (eps_min < 0.2, at confidence 0.95 for both ",
            "; better than m0: m2, m1; worse: none; inconclusive: none.",
        ),
        (
            draw(2, 4),
            {},
            "on 4 tasks (5 runs of each model on each task; higher is better) by a "
            "t-test of the mean over these 4 tasks, with tasks as strata (two-sided ",
            "; m1 is better than m0 over these 4 tasks: p < 0.0001 <= 0.05; ",
        ),
        (
            draw(3, 9),
            {},
            "by Wilcoxon's signed-rank test of the means on each task (two-sided p <= "
            "0.05, closed over sets of models by ranks within tasks); ",
            "; ranking over tasks like these 9: m2 > m1 > m0.",
        ),
        (draw(2, n_runs=3), {"test": "aso"}, "", "; there are too few runs for any "),
    ],
)
def test_a_sentence_says_what_was_compared_how_and_who_is_better(
    scores, options, how, result
):
    said = compare_models(scores, unit="run", **options).content.summary
    assert how in said
    assert result in said
    assert said.endswith(".")
    assert "\n" not in said
    assert ". " not in said
    if "differ by" in said:  # the effect, and the level of its interval
        assert said.endswith("] (95 % confidence).")


def test_it_is_the_first_line(write, run):
    rows = [f"{m},{k + 9 * (m == 'a')}" for m in "ab" for k in range(5)]
    path = write("\n".join(["model,score", *rows, ""]))
    out = run("compare", path, "--test", "t", "--format", "sentences")[1]
    first, second, *_ = out.split("\n\n")
    assert first.startswith("2 models were compared (5 runs each; higher is better) by")
    assert second.startswith("2 models were compared (5 runs each; higher is better).")
