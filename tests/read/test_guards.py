"""Tables that are not what they seem: folds for runs, rows below a blank line."""

import json

import numpy as np
import pytest

from sigarray import compare_models, read
from sigarray.read import TableError
from tests.read.asking import refuse

DRAW = np.random.default_rng(0)


def long_table(name, label="{}"):
    rows = [
        f"{m},{label.format(k)},0.{n}{k}"
        for m, n in (("a", 7), ("b", 8))
        for k in "1234"
    ]
    return "\n".join([f"model,{name},acc", *rows])


class TestFolds:
    @pytest.mark.parametrize(
        ("name", "label"),
        [
            ("fold", "{}"),
            ("Fold", "fold{}"),
            ("cv_fold", "{}"),
            ("cv", "{}"),
            ("split", "{}"),
            ("split", "split_{}"),
            ("repetition", "{}"),
        ],
    )
    def test_they_are_no_runs_in_silence(self, write, run, name, label):
        path = write(long_table(name, label))
        refuse(run("compare", path), repr(name), f"--run {name}", "--test-share")
        code, _, err = run("compare", path, "--run", name)
        assert code == 0, err

    def test_beside_columns_of_models(self, write, run):
        rows = [f"{k},0.7{k},0.8{9 - k}" for k in range(5)]
        path = write("\n".join(["fold,a,b", *rows]))
        refuse(run("compare", path), "'fold'", "--run fold", "--test-share")
        refuse(run("compare", path, "--columns", "a,b"), "--run fold")
        code, out, err = run("compare", path, "--run", "fold", "--format", "json")
        assert code == 0, err
        assert list(json.loads(out)["models"]) == ["a", "b"]

    def test_as_files(self, run, tmp_path):
        for model in "ab":
            for k in range(4):
                path = tmp_path / model / f"fold{k}.json"
                path.parent.mkdir(exist_ok=True)
                path.write_text(json.dumps({"acc": 0.5 + k / 10}))
        way = "{model}/fold{run}.json"
        refuse(run("compare", str(tmp_path)), f"--path '{way}'")
        assert run("compare", str(tmp_path), "--path", way)[0] == 0


class TestCrossValidate:
    """What scikit-learn's cross_validate gives, as a data frame in a file."""

    def grow(self, write):
        for m in "ab":
            rows = [f"{k},0.1,0.2,{DRAW.random()},0.9" for k in range(10)]
            header = ",fit_time,score_time,test_score,train_score"
            path = write("\n".join([header, *rows]), f"{m}.csv")
        return path.rpartition("/")[0]

    def test_its_rows_are_no_independent_runs(self, write, run):
        folder = self.grow(write)
        options = ("--metric", "test_score")
        refuse(run("compare", folder, *options), "cross_validate", "--test-share")
        more = ("--test", "t", "--test-share", "0.1")
        code, out, err = run("compare", folder, *options, *more)
        assert code == 0, err
        assert "Nadeau and Bengio" in out
        assert run("compare", folder, *options, "--unit", "run")[0] == 0


class TestRowsApart:
    ROWS = tuple(f"0.7{k},0.8{9 - k}" for k in range(6))

    @pytest.mark.parametrize("blank", ["", " ", ","])
    @pytest.mark.parametrize("below", [["0.7,0.8"], ["0.7,0.8", "0.01,0.02"]])
    def test_below_a_blank_line(self, write, run, blank, below):
        path = write("\n".join(["a,b", *self.ROWS, blank, *below, ""]))
        refuse(run("compare", path), "line 9, below a blank line", "Remove")

    def test_other_blank_lines(self, write, run):
        path = write("\n".join(["", "a,b", "", *self.ROWS, "", ""]))
        assert run("compare", path)[0] == 0
        path = write("\n".join(["a,b", *self.ROWS, "", *self.ROWS]))
        assert run("compare", path)[0] == 0


class TestFoldsThatAreLeftOut:
    """By --ignore, which leaves rows that nothing is said of."""

    def test_rows_are_said_to_be_runs(self, write, run):
        path = write(long_table("fold"))
        wide = "fold,a,b\n1,.1,.2\n2,.3,.3\n3,.2,.4\n4,.2,.5\n5,.1,.4\n"
        for file in (path, write(wide, "wide.csv")):
            code, _, err = run("compare", file, "--ignore", "fold")
            assert code == 0
            assert "column 'fold' was left out, and each of its rows is taken" in err
            assert "pass --run fold, with --test t and" in err
            assert run("compare", file, "--run", "fold")[2].count("left out") == 0

    def test_what_has_no_folds_says_nothing(self, write, run):
        path = write(long_table("batch").replace("batch", "host"))
        _, _, err = run("compare", path, "--ignore", "host")
        assert "rows is taken for" not in err


class TestScikitLearn:
    """The lines of pandas of the page on files."""

    def test_cross_validate(self, tmp_path):
        pytest.importorskip("sklearn")
        pd = pytest.importorskip("pandas")
        from sklearn.datasets import load_iris
        from sklearn.model_selection import cross_validate
        from sklearn.tree import DecisionTreeClassifier

        x, y = load_iris(return_X_y=True)
        by_model = {
            f"depth {k}": cross_validate(DecisionTreeClassifier(max_depth=k), x, y)
            for k in (1, 2)
        }
        frames = {name: pd.DataFrame(scores) for name, scores in by_model.items()}
        path = tmp_path / "cv.csv"
        pd.concat(frames, names=["model", "fold"]).reset_index().to_csv(path)
        with pytest.raises(TableError, match="folds or repetitions on one data set"):
            read.scores(path, metric="test_score")
        table = read.scores(path, metric="test_score", run="fold", paired=True)
        for name, scores in by_model.items():
            assert table.scores[name].tolist() == scores["test_score"].tolist()
        assert table.ids[""]["depth 1"] == tuple("01234")

    def test_cv_results(self):
        pytest.importorskip("sklearn")
        pd = pytest.importorskip("pandas")
        from sklearn.datasets import load_iris
        from sklearn.model_selection import GridSearchCV
        from sklearn.tree import DecisionTreeClassifier

        search = GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1, 2]})
        search.fit(*load_iris(return_X_y=True))
        results = pd.DataFrame(search.cv_results_)
        results = results.astype({"params": str})
        frame = results.set_index("params").filter(regex=r"^split\d+_test_score").T
        result = compare_models(frame, test="t", test_share=0.2)
        assert result.table.models == ("{'max_depth': 1}", "{'max_depth': 2}")
        means = [x.mean() for x in result.table.scores.values()]
        assert means == pytest.approx(results["mean_test_score"].tolist())
