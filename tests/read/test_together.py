"""Several columns that together say of which run or item a score is."""

import json

import numpy as np
import pytest

from tests.read.asking import refuse

DRAW = np.random.default_rng(0)


class TestRepeatedFolds:
    """Neither the repetition nor the fold alone says which score is which."""

    FOLDS = tuple((i, k) for i in range(3) for k in range(5))

    def check(self, run, path):
        refuse(run("compare", path), "--run repeat,fold, with --test t")
        options = ("--test", "t", "--test-share", "0.2", "--format", "json")
        code, out, err = run("compare", path, "--run", "repeat,fold", *options)
        assert code == 0, err
        sizes = {name: x["n"] for name, x in json.loads(out)["models"].items()}
        assert sizes == {"a": 15, "b": 15}
        return json.loads(out)["pairs"][0]["pvalue"]

    def test_both_columns_together_are_the_run(self, write, run):
        scores = {m: {x: DRAW.random() for x in self.FOLDS} for m in "ab"}
        long = [f"{m},{i},{k},{x}" for m in "ab" for (i, k), x in scores[m].items()]
        path = write("\n".join(["model,repeat,fold,acc", *long]))
        p_value = self.check(run, path)
        wide = [
            f"{i},{k},{scores['a'][i, k]},{scores['b'][i, k]}" for i, k in self.FOLDS
        ]
        path = write("\n".join(["repeat,fold,a,b", *wide]))
        assert self.check(run, path) == pytest.approx(p_value)

    def test_one_fold_for_each_model_needs_no_other(self, write, run):
        rows = [f"{m},{7 + k},{k},0.{n}{k}" for m, n in ("a7", "b8") for k in range(5)]
        path = write("\n".join(["model,seed,fold,acc", *rows]))
        refuse(run("compare", path), "Pass --run fold, with --test t")
