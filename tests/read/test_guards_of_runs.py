"""Rows that are no independent runs: folds, means below a blank line."""

import json

import numpy as np
import pytest

DRAW = np.random.default_rng(0)


def refuse(done, *words):
    code, out, err = done
    assert (code, out) == (2, ""), err
    for word in words:
        assert word in err


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


class TestOneScoreOfEach:
    """Of one score of each model nothing can be said, whatever the test."""

    def test_files_of_one_score(self, write, run):
        files = [write(f'{{"acc": {x}}}', f"{m}.json") for m, x in (("a", 1), ("b", 2))]
        refuse(run("compare", *files), "expected several scores of each model", "seeds")
        path = write("a,b\n0.1,0.2\n")
        for test in ("aso", "permutation", "t", "mann-whitney"):
            refuse(run("compare", path, "--test", test), "got one of each")
        path = write("model,seed,acc\na,1,0.5\nb,1,0.6\nc,1,0.7\n")
        refuse(run("compare", path), "Run each model with more seeds")

    def test_tasks_with_one_score_each_may_be_items(self, write, run):
        rows = [
            f"{model},{task},{lead + DRAW.normal():.4f}"
            for model, lead in (("a", 0.0), ("b", 3.0))
            for task in "pqrstuvw"
        ]
        path = write("\n".join(["model,task,acc", *rows]))
        refuse(run("compare", path), "of each model on each task", "--item")
        code, out, err = run("compare", path, "--item", "task")
        assert code == 0, err
        assert "b is better than a" in out

    def test_one_model_with_two_scores_is_enough_to_go_on(self, write, run):
        assert run("compare", write("a,b\n0.1,0.2\n0.3,\n"))[0] == 0
