"""Several columns that together name an item, such as a document and a question."""

import json

import numpy as np
import pytest

from sigarray.read import scores
from tests.read.asking import refuse

DRAW = np.random.default_rng(0)


class TestRepeatedFolds:
    """Neither the repetition nor the fold alone says which score is which."""

    FOLDS = tuple((i, k) for i in range(3) for k in range(5))

    def check(self, run, path):
        refuse(
            run("compare", path), "Pass --run repeat --fold fold; or --run repeat,fold"
        )
        options = ("--test", "t", "--test-share", "0.2", "--format", "json")
        code, out, err = run("compare", path, "--run", "repeat,fold", *options)
        assert code == 0, err
        assert "warning" not in err
        _, _, err = run("compare", path, "--run", "repeat,fold")
        assert "look like those of folds on one data set" in err
        assert "such as --test-share 0.2." in err
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
        refuse(run("compare", path), "Pass --fold fold; or --run fold, where")


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


def test_folds_are_no_tasks(write, run):
    rows = [
        f"{m},{i},{k},0.{i}{k}{j}"
        for j, m in enumerate("ab")
        for i in range(6)
        for k in range(5)
    ]
    path = write("\n".join(["model,repeat,fold,acc", *rows]))
    refuse(run("compare", path, "--task", "repeat", "--run", "fold"), "expected tasks;")
    said = run("compare", path, "--run", "fold", "--test", "t")[2]
    assert "--task repeat" not in said
