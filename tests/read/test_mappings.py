"""Scores in memory, by model or by task and model."""

import numpy as np
import pytest

from sigarray import compare_models, read, t_test
from sigarray.read import TableError

MODELS, TASKS = ("lora", "adapter", "full"), ("CoLA", "SST-2", "RTE", "QNLI")
# Tasks differ more than models, as a rule; tasks x models x runs.
SCORES = (
    np.asarray([58.0, 92.0, 68.0, 91.0])[:, None, None]
    + np.asarray([0.0, 0.5, 1.0])[:, None]
    + np.random.default_rng(0).normal(size=(4, 3, 5))
)


def nest(scores, outer, inner):
    return {
        x: dict(zip(inner, y, strict=True)) for x, y in zip(outer, scores, strict=True)
    }


class TestLevels:
    def test_models_above_tasks_are_said(self):
        said = (
            "outer keys were taken for tasks, 'lora', 'adapter', 'full', and the inner"
        )
        turned = nest(SCORES.swapaxes(0, 1), MODELS, TASKS)
        (note,) = read.scores(turned).notes
        assert said in note
        assert note.endswith("round, pass {task: {model: scores}}")
        assert any(said in x for x in compare_models(turned).notes)
        assert read.scores(nest(SCORES, TASKS, MODELS)).notes == ()

    def test_names_of_models(self):
        same = np.random.default_rng(1).normal(size=(2, 2, 5))
        assert read.scores(nest(same, ("x", "y"), ("p", "q"))).notes == ()
        (note,) = read.scores(nest(same, ("ours", "baseline-2"), ("p", "q"))).notes
        assert "taken for tasks, 'ours', 'baseline-2'" in note

    def test_tasks_of_unlike_scales_are_no_models(self):
        games = SCORES * np.asarray([1.0, 100.0, 1e4, 1.0])[:, None, None]
        assert read.scores(nest(games, TASKS, MODELS)).notes == ()

    def test_runs_are_no_tasks(self):
        for outer, inner, said in (
            ([f"seed{k}" for k in range(4)], MODELS, "tasks; got 'seed0'"),
            (range(42, 46), MODELS, "tasks; got '42'"),
            (TASKS, ("run_1", "run_2", "run_3"), "models; got 'run_1'"),
        ):
            with pytest.raises(TableError, match=f"expected names of {said}"):
                compare_models(nest(SCORES, outer, inner))
        numbered = nest(SCORES, [f"task {k}" for k in range(4)], MODELS)
        assert [*read.scores(numbered).tasks] == [*numbered]
        asked = nest(SCORES, [*map(str, range(4))], MODELS)
        assert [*read.scores(asked, tasks=[*asked]).tasks] == [*asked]

    def test_arrays_of_runs_and_items(self):
        a, b = np.random.default_rng(0).normal(size=(2, 4, 30))
        with pytest.raises(TableError, match=r"t_test\(a, b, axis=\(0, 1\)\) takes"):
            compare_models({"a": a, "b": b}, unit="item")
        assert t_test(a, b, axis=(0, 1)).pvalue.shape == ()
        rows = [
            {"model": name, "run": r, "item": i, "score": y}
            for name, x in (("a", a), ("b", b))
            for (r, i), y in np.ndenumerate(x)
        ]
        pandas = pytest.importorskip("pandas")
        assert read.scores(pandas.DataFrame(rows)).runs[""]["a"].scores.shape == (4, 30)

    def test_labels_that_a_model_lacks(self):
        pandas = pytest.importorskip("pandas")
        a = pandas.Series(np.arange(5.0), index=list("vwxyz"))
        scores = {"a": a, "b": a[:4]}
        said = "one of 'z'. Pass drop_unmatched=True .* argument of sigarray.read.score"
        with pytest.raises(TableError, match=said):
            compare_models(scores, unit="item")
        table = read.scores(scores, unit="item", drop_unmatched=True)
        assert [*map(len, table.scores.values())] == [4, 4]

    def test_arrays_of_several_tasks_are_to_be_nested(self):
        by_model = dict(zip(MODELS, SCORES.swapaxes(0, 1), strict=True))
        with pytest.raises(TableError, match=r"\(4, 5\)\. Scores on .*\{task: \{model"):
            compare_models(by_model)


class TestNumbersForNames:
    SCORES = ([0.1, 0.3, 0.2], [0.5, 0.6, 0.8], [0.2, 0.3, 0.1])

    @pytest.mark.parametrize("word", [int, float, str])
    def test_they_are_doubted(self, word):
        scores = {word(x): y for x, y in zip((42, 7, 123), self.SCORES, strict=True)}
        table = read.scores(scores)
        assert [*table.models] == ["42", "7", "123"]
        (doubt,) = table.doubts
        assert "models '42', '7', '123' have numbers for names" in doubt
        answer = read.scores({f"model {x}": y for x, y in scores.items()})
        assert answer.doubts == ()

    def test_so_are_those_of_columns(self, write):
        rows = ["name,42,7,123", "ours,.1,.3,.2", "base,.5,.6,.8", "other,.2,.3,.1"]
        path = write("\n".join(rows))
        (doubt,) = read.scores(path, item="name").doubts
        assert "models '42', '7', '123' have numbers for names" in doubt
        assert read.scores(path, item="name", models=["42", "7"]).doubts == ()
        rows = ["seed,42,7,123", "0,.1,.3,.2", "1,.5,.6,.8", "2,.2,.3,.1"]
        assert read.scores(write("\n".join(rows))).doubts == ()
