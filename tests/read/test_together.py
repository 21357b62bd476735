"""Several columns that together name an item, such as a document and a question."""

import json
import re

import numpy as np
import pytest

from sigarray import compare_models
from sigarray.read import scores
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


def write(path, name_cluster):
    rows = [
        f"{model},{subject},{name_cluster(subject, passage)},"
        f"{subject}-{passage}-{k},{k}"
        for model in "ab"
        for subject in range(4)
        for passage in range(2 + subject)
        for k in range(3)
    ]
    header = "model,subject,passage,question,score"
    path.write_text("\n".join([header, *rows]).replace(",0-", ",s0-"))
    return path


@pytest.mark.parametrize("first", [0, 1])
def test_they_are_doubted(tmp_path, first):
    path = write(tmp_path / "a.csv", lambda _, passage: first + passage)
    table = scores(path, cluster="passage", item="question")
    (said,) = [x for x in table.notes if "counted anew" in x]
    assert "in each of 4 values of 'subject'" in said
    assert "one cluster, of 5 in all" in said
    assert said.endswith("pass --cluster subject,passage")
    table = scores(path, cluster="subject,passage", item="question")
    assert not any("counted anew" in x for x in table.notes)
    assert len({*table.clusters[""]}) == 14


@pytest.mark.parametrize(
    "name_cluster",
    [lambda subject, passage: 10 * subject + passage, lambda s, p: f"p{p}"],
)
def test_others_are_not(tmp_path, name_cluster):
    path = write(tmp_path / "a.csv", name_cluster)
    table = scores(path, cluster="passage", item="question")
    assert not any("counted anew" in x for x in table.notes)


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


def test_clusters_of_means_of_runs_are_not_used(write):
    rows = [
        f"{m},{s},d{q // 3},q{q},{s + q}"
        for m in "ab"
        for s in range(3)
        for q in range(6)
    ]
    path = write("\n".join(["model,seed,doc,question,score", *rows]))
    notes = scores(path, cluster="doc", unit="run").notes
    assert "the clusters of 'doc' are not used, as --unit run says" in notes
    notes = scores(path, cluster="doc", unit="run,item").notes
    assert not any("are not used" in x for x in notes)
