"""Items, and runs, of which groups are alike, and what is then doubted."""

import re

import numpy as np
import pytest

from sigarray import compare_models
from sigarray.read import scores


class TestItemsInGroups:
    """A column may group items, which nothing puts into clusters."""

    def make(self, seed, n_models=2, effect=0.0, n_each=8):
        draw = np.random.default_rng(seed)
        sizes = draw.integers(1, 2 * n_each, 30)
        passages = np.repeat(np.arange(30), sizes)
        common = draw.normal(size=30)[passages] + draw.normal(size=len(passages))
        lines = ["model,question,passage,score"]
        for model in "abcde"[:n_models]:
            own = common + effect * draw.normal(size=30)[passages]
            is_right = own + draw.normal(size=len(passages)) > 0.3
            lines += [
                f"{model},q{k},p{p},{int(score)}"
                for k, (p, score) in enumerate(zip(passages, is_right, strict=True))
            ]
        return "\n".join(lines)

    def say(self, table):
        notes = [x for x in table.notes if "may group the items" in x]
        doubts = [x for x in table.doubts if "differences between models depend" in x]
        return notes, doubts

    @pytest.mark.parametrize("n_models", [2, 5])
    def test_they_are_doubted_if_models_differ_alike(self, write, run, n_models):
        rows = write(self.make(0, n_models, effect=1.0))
        notes, (doubt,) = self.say(scores(rows))
        assert not notes
        assert "depend on 'passage', more than by chance." in doubt
        assert "pass --cluster passage. If they are fixed" in doubt
        assert doubt.endswith("--ignore passage takes items as independent")
        for said in ({"cluster": "passage"}, {"task": "passage"}):
            assert self.say(scores(rows, **said)) == ([], [])
        _, _, err = run("compare", rows, "--ignore", "passage")
        assert "passage" not in err

    def test_independent_ones_have_a_note(self, write):
        """All models find the same passages hard, and none is good at its own."""
        said = [self.say(scores(write(self.make(seed)))) for seed in range(100)]
        assert sum(map(len, (doubts for _, doubts in said))) <= 4
        assert all(len(notes) + len(doubts) == 1 for notes, doubts in said)

    def test_groups_may_vary_by_their_own(self, write):
        """A large group is easy, and small ones are hard; differences are chance."""
        draw, n_doubts = np.random.default_rng(0), 0
        for _ in range(50):
            right = draw.random((2, 280)) < np.repeat([0.98, 0.5], [200, 80])
            lines = [
                f"{model},q{k},{'easy' if k < 200 else f'hard{k // 2}'},{int(x)}"
                for model, row in zip("ab", right, strict=True)
                for k, x in enumerate(row)
            ]
            text = "\n".join(["model,question,passage,score", *lines])
            n_doubts += len(self.say(scores(write(text)))[1])
        assert n_doubts <= 3

    def test_numbers_are_groups_by_the_name_of_their_column(self, write):
        text = re.sub(r",p(\d)", r",\1", self.make(0, effect=1.0))
        assert len(self.say(scores(write(text)))[1]) == 1
        text = text.replace("passage", "length", 1)
        assert self.say(scores(write(text))) == ([], [])

    def test_a_single_model_has_a_note(self, write, run):
        """Its groups are harder or easier, and differences to come need not be."""
        text = self.make(0, 1)
        _, _, err = run("power", write(text), "--difference", "0.1", "--n-samples", "9")
        assert "may group the items" in err
        assert "differences between models depend" not in err

    def test_labels_put_them_into_clusters(self, write):
        text = self.make(0, effect=1.0)
        rows, lines = write(text), [x.split(",") for x in text.splitlines()]
        pandas = pytest.importorskip("pandas")
        labels = pandas.Series({x[1]: x[2] for x in lines if x[0] == "a"})
        compare_models(rows, clusters=labels)
        with pytest.warns(UserWarning, match="differences between models depend"):
            compare_models(rows)

    def test_one_value_of_all_items_is_no_group(self, write):
        text = self.make(0).replace(",passage", ",passage,source", 1)
        text = re.sub(r"(,p\d+)", r"\1,web", text)
        (note,), doubts = self.say(scores(write(text)))
        assert not doubts
        assert "passage" in note
        assert "source" not in note


class TestCrossedRuns:
    """Runs that several columns name, such as a seed and a subject."""

    def make(self, seed, effect):
        draw = np.random.default_rng(seed)
        lines = ["model,subject,seed,score"]
        for model in "abc":
            own = effect * draw.normal(size=16)
            lines += [
                f"{model},S{k},{s},{0.7 + x + 0.02 * draw.normal():.4f}"
                for s in range(4)
                for k, x in enumerate(own)
                # Models lack some runs, and have others in another order.
                if draw.random() < 0.95
            ]
        return "\n".join(lines)

    def read(self, path):
        table = scores(path, run="seed,subject")
        return [x for x in table.doubts if "differences between models" in x]

    def test_they_are_doubted_if_one_value_is_alike(self, write, run):
        (doubt,) = self.read(write(self.make(0, 0.02)))
        assert "depend on 'subject', more than by chance" in doubt
        assert doubt.endswith("pass --run seed --item subject")
        path = write(self.make(0, 0.02).replace("S", "subject "))
        options = ("--run", "seed", "--item", "subject", "--drop-unmatched")
        code, _, err = run("compare", path, *options)
        assert code == 0
        assert "depend on" not in err

    def test_independent_ones_are_not(self, write):
        found = [self.read(write(self.make(seed, 0.0))) for seed in range(100)]
        assert sum(map(len, found)) <= 6


class TestRaters:
    """Raters who have a taste for models, on whose verdicts all depends."""

    def make(self, seed, taste, n_each=3, n_raters=6):
        draw = np.random.default_rng(seed)
        tastes = taste * draw.normal(size=(3, n_raters))
        lines = ["item,model,rater,rating"]
        for item in range(60):
            ease, own = draw.normal(size=4)[:1], 0.3 * draw.normal(size=3)
            for rater in draw.choice(n_raters, n_each, replace=False):
                means = 3.0 + ease + own + tastes[:, rater] + 0.1 * rater
                ratings = np.clip(np.rint(draw.normal(means, 0.8)), 1, 5).astype(int)
                lines += [
                    f"{item},{model},r{rater},{x}"
                    for model, x in zip("abc", ratings, strict=True)
                    if draw.random() < 0.98
                ]
        return "\n".join(lines)

    def read(self, path, **options):
        table = scores(path, unit="item", run="rater", drop_unmatched=True, **options)
        return [x for x in table.doubts if "differences between models" in x]

    def test_they_are_doubted_if_differences_depend_on_them(self, write, run):
        path = write(self.make(0, 0.6))
        (doubt,) = self.read(path)
        assert "depend on 'rater', more than by chance, and verdicts are" in doubt
        advice = "--unit item --item rater --run item"
        assert doubt.endswith(f"pass {advice} in place of --run rater")
        code, _, err = run("compare", path, *advice.split())
        assert code == 0
        assert "depend on" not in err

    def test_a_common_taste_is_not(self, write):
        """Items of one model vary by their own, raters are strict, some rate little."""
        found = [self.read(write(self.make(seed, 0.0))) for seed in range(60)]
        assert sum(map(len, found)) <= 10

    def test_raters_of_items_of_their_own_are_groups(self, write):
        (doubt,) = self.read(write(self.make(0, 2.0, n_each=1, n_raters=12)))
        assert "pass --cluster rater" in doubt
