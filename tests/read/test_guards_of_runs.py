"""Rows that are no independent runs: folds, means below a blank line."""

import json

import pytest


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
