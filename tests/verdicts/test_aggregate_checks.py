"""Scores that a verdict over these tasks is not for, or doubts."""

import numpy as np
import pytest

from sigarray import compare_models
from tests.verdicts.test_aggregates import compare, draw

pytestmark = pytest.mark.filterwarnings("ignore:.*other draws may decide otherwise")


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

    def test_models_with_unlike_shares_of_runs(self):
        scores = draw()
        scores["t1"]["dqn"] = scores["t1"]["dqn"][:3]
        said = (
            r"got 3 runs of 'dqn' on 't1' \(5 of others\)\. .* Add the missing runs, "
            r".* pass statistic='mean'"
        )
        with pytest.raises(ValueError, match=said):
            compare(scores, "iqm")
        scores["t4"]["ours"] = scores["t4"]["ours"][:4]
        with pytest.raises(ValueError, match=r"4 runs of 'ours' on 't4' \(5 of oth"):
            compare(scores, "iqm")
        # Of a model with fewer runs on every task, the one with fewer than usual.
        twice = {
            task: by | {"ours": np.tile(by["ours"], 2)} for task, by in draw().items()
        }
        twice["t2"]["dqn"] = twice["t2"]["dqn"][:4]
        with pytest.raises(
            ValueError, match=r"4 runs of 'dqn' on 't2' \(5 on other tas"
        ):
            compare(
                {t: {k: by[k] for k in ("ours", "dqn")} for t, by in twice.items()},
                "iqm",
            )
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
