"""Scores that a verdict over these tasks is not for, or doubts."""

import pytest

from sigarray import compare_models
from tests.verdicts.test_aggregates import compare, draw

pytestmark = pytest.mark.filterwarnings("ignore:.*another seed may decide otherwise")


class TestRefused:
    def test_the_mean_of_one_task(self):
        (scores,) = draw(sizes=(8,)).values()
        with pytest.raises(ValueError, match=r"several tasks with statistic='mean'"):
            compare(scores, "mean")

    def test_a_single_run(self):
        scores = draw()
        scores["t1"]["dqn"] = scores["t1"]["dqn"][:1]
        with pytest.raises(ValueError, match=r"two runs or more|two scores or more"):
            compare_models(scores, test="aso", unit="run", statistic="mean")

    def test_a_model_with_one_score_on_each_task(self, write, run):
        """As "Human" has in tables of Atari: it can be left out."""
        path = write(
            "model,game,score\n"
            + "".join(f"Human,g{k},1.0\n" for k in range(6))
            + "".join(
                f"{m},g{k},{(3 * k + 5 * j) % 7}.5\n"
                for m in ("dqn", "ppo")
                for k in range(6)
                for j in range(5)
            )
        )
        for command in (("compare", "--statistic", "iqm"), ("profile",)):
            _, _, err = run(command[0], path, *command[1:])
            assert "got one of 'Human' on 'g0'. Leave out such models with " in err
            assert "with --ignore Human, or such tasks with --tasks." in err
            assert run(command[0], path, *command[1:], "--ignore", "Human")[0] == 0

    def test_models_with_unlike_shares_of_runs(self):
        scores = draw()
        scores["t1"]["dqn"] = scores["t1"]["dqn"][:3]
        said = r"got 3 runs of 'dqn' on 't1', and up to 5\. .* Pass statistic='mean'"
        with pytest.raises(ValueError, match=said):
            compare(scores, "iqm")
        assert compare(scores, "mean").over_these_tasks.sizes == (3, 5)

    def test_a_metric_of_sums(self):
        with pytest.raises(ValueError, match=r"argument of sigarray\.read\.scores"):
            compare(draw(), "f1")
        with pytest.raises(ValueError, match="Expected statistic to be"):
            compare(draw(), "max")

    def test_missing_runs_that_count_as_the_worst(self):
        with pytest.raises(ValueError, match=r"missing='drop' with statistic='mean'"):
            compare_models(draw(), test="aso", missing="worst", statistic="mean")

    def test_tasks_on_unlike_scales_are_doubted(self):
        scores = draw()
        scores["t0"] = {name: 1000.0 * x for name, x in scores["t0"].items()}
        with pytest.warns(
            UserWarning, match="Normalize the scores of each task before"
        ):
            compare(scores, "mean")

    def test_few_runs_are_doubted(self):
        with pytest.warns(
            UserWarning, match="too short, for so few.*valid for few runs, too"
        ):
            compare(draw(sizes=(3, 3)), "iqm", n_resamples=99)
