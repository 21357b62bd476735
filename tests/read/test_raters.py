"""Scores that are averaged within a unit are matched over what else names them."""

import numpy as np
import pytest

from sigarray import compare_models, read
from sigarray.read import TableError
from tests.read.asking import refuse
from tests.read.long_tables import as_csv

AS_SAMPLE = ("--unit", "item", "--item", "rater", "--run", "item")


def rate(keep, seed=0, *, n_raters=12, header="item,rater,model,rating"):
    """Ratings of items that are easy or hard, by models that are equal."""
    draw = np.random.default_rng(seed)
    ease, severity = draw.normal(size=60), draw.normal(size=n_raters) / 2
    rows = []
    for rater, item in np.ndindex(n_raters, 60):
        for model in "ab":
            mean = 3 + ease[item] + severity[rater] + draw.normal() * 0.8
            if keep(draw, model, item):
                rating = int(np.clip(round(mean), 1, 5))
                rows.append((item, f"r{rater}", model, rating))
    return as_csv(rows, header)


def lack_some(_, model, item):
    """Keep all but 20 items of one model."""
    return model == "a" or item % 3 > 0


def rate_by_ease(draw, model, item):
    return draw.random() < (0.8 if (item < 30) == (model == "a") else 0.4)


class TestRatersAsTheSample:
    @pytest.mark.parametrize("keep", [lack_some, rate_by_ease])
    def test_means_are_over_the_same_items(self, write, run, keep):
        path = write(rate(keep))
        table = read.scores(path, unit="item", item="rater", run="item")
        frame = pytest.importorskip("pandas").read_csv(path)
        both = frame.pivot(index=["rater", "item"], columns="model").dropna()
        means = both["rating"].groupby("rater").mean()
        for model in "ab":
            expected = means[model].loc[list(table.ids[""][model])]
            np.testing.assert_allclose(table.scores[model], expected, rtol=1e-12)
        code, out, err = run("compare", path, *AS_SAMPLE)
        assert code == 0
        n, n_left = len(frame), len(frame) - 2 * len(both)
        because = "not all models have one of the rater with the same"
        assert f"{n_left} of {n} scores were left out, because {because} 'item'" in err
        said = " ".join(out.split())
        assert f"{n_left} of {n} ratings were left out, because {because} item" in said

    def test_they_are_named(self, write, run):
        _, out, err = run("compare", write(rate(lack_some)), *AS_SAMPLE)
        assert "averaged within raters: each model has 12 raters" in err
        out = " ".join(out.split())
        assert "The score of a rater is the mean of 40 scores (by item). Results" in out
        assert "are about other raters, not other values of item" in out
        assert "paired by rater" in out
        assert "More raters would decide more" in out

    @pytest.mark.parametrize("column", ["item", "id"])
    def test_and_where_nothing_names_the_items(self, write, run, column):
        path = write(rate(lack_some, header=f"{column},rater,model,rating"))
        done = run("compare", path, *AS_SAMPLE[:-2])
        assert done[0] == 0
        assert f"one of the rater with the same {column!r}" in done[2]
        assert done[1] == run("compare", path, *AS_SAMPLE[:-1], column)[1]

    @pytest.mark.long
    def test_equal_models_are_rarely_unequal(self, write):
        n_found = 0
        for seed in range(40):
            path = write(rate(lack_some, seed))
            table = read.scores(path, unit="item", item="rater", run="item")
            with pytest.warns(UserWarning, match="scores were left out, because"):
                n_found += " better " in compare_models(table).sentences[0]
        assert n_found <= 7

    def test_what_has_nothing_in_common_is_doubted(self, write, run):
        """Each rater has seen each item of one model, by chance."""
        draw = np.random.default_rng(1)
        of_one = {k: draw.random() < 0.5 for k in np.ndindex(12, 60)}
        lines = rate(lambda *_: True).splitlines()
        kept = [
            x
            for x in lines[1:]
            for item, rater, model, _ in [x.split(",")]
            if of_one[int(rater[1:]), int(item)] == (model == "a")
        ]
        done = run("compare", write("\n".join([lines[0], *kept])), *AS_SAMPLE)
        assert done[0] == 0
        assert "scores of models are not by the same 'item'" in done[2]

    def test_some_without_a_common_item(self, write, run):
        lines = rate(lambda *_: True).splitlines()
        kept = [x for x in lines if ",r3,a," not in x or int(x.split(",")[0]) < 30]
        kept = [x for x in kept if ",r3,b," not in x or int(x.split(",")[0]) >= 30]
        path = write("\n".join(kept))
        refuse(
            run("compare", path, *AS_SAMPLE),
            "of each rater with the same 'item' for all models; got none of 1 of 12 ra",
            "To average all scores of the rater, pass --ignore item and no --run; or",
        )
        assert run("compare", path, *AS_SAMPLE, "--drop-unmatched")[0] == 0
        ignored = ("--ignore", "item")
        code, _, err = run("compare", path, *AS_SAMPLE[:-2], *ignored)
        assert code == 0
        assert "not by the same 'item'" in err
        with pytest.raises(TableError, match=r"drop_unmatched=True"):
            read.scores(path, unit="item", item="rater", run="item")


class TestOtherFactors:
    """Items in several conditions, or in runs, which are others for each model."""

    def write(self, write, column, values, keep):
        rows = [
            (item, value, model, 3 + (7 * item + k) % 5)
            for item in range(20)
            for k, value in enumerate(values)
            for model in "ab"
            if keep(item, k, model)
        ]
        return write(as_csv(rows, f"item,{column},model,accuracy"))

    @pytest.mark.parametrize("column", ["prompt", "language", "temperature"])
    def test_are_matched(self, write, run, column):
        def keep(item, k, model):
            return model == "a" or item % 4 or k

        path = self.write(write, column, ["1", "2", "3"], keep)
        code, out, err = run("compare", path, "--unit", "item", "--run", column)
        assert code == 0
        assert "5 of 115 scores were left out, because not all models have" in err
        assert f"one of the item with the same {column!r}" in err
        assert "differ by 0" in " ".join(out.split())

    @pytest.mark.parametrize("column", ["seed", "model_seed", "sample_id", "init"])
    def test_but_no_runs(self, write, run, column):
        path = self.write(write, column, "123", lambda i, k, m: m == "a" or k < 2)
        code, _, err = run("compare", path, "--unit", "item", "--run", column)
        assert code == 0
        assert "left out" not in err
