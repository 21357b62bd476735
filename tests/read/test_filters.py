"""Rows that are chosen by what is in a column: --where."""

import json
import random

import pytest

from tests.read.asking import numbers, refuse

DRAW = random.Random(0)


class TestWhere:
    def rows(self, name="split", values=("train", "test")):
        rows = [
            f"{m},{k},{x},{numbers(0.5, 0.9)}"
            for m in ("lstm", "cnn")
            for k in range(6)
            for x in values
        ]
        return "\n".join([f"model,seed,{name},acc", *rows])

    @pytest.mark.parametrize(
        ("name", "values"),
        [
            ("split", ("train", "test")),
            ("part", ("Train", "Valid", "Test")),
            ("subset", ("dev", "test")),
        ],
    )
    def test_splits_are_not_pooled(self, write, run, name, values):
        path = write(self.rows(name, values))
        last = values[-1]
        refuse(run("compare", path), f"--where {name}={last}", f"--task {name}")
        code, out, err = run("compare", path, "--where", f"{name}={last}")
        assert code == 0, err
        said = f"Rows with {name}={last}. "
        assert said in out
        whole = run("compare", write("\n".join(self.kept(path, last))))[1]
        assert out.replace(said, "") == whole

    def kept(self, path, value):
        with open(path) as file:
            lines = file.read().split("\n")
        yield "model,seed,acc"
        for line in lines[1:]:
            model, seed, split, score = line.split(",")
            if split == value:
                yield f"{model},{seed},{score}"

    def test_several_columns_and_values(self, write, run):
        path = write(self.rows(values=("train", "val", "test")))
        where = ("--where", "split=test", "--where", "seed=0,1,2,3")
        code, out, err = run("compare", path, *where, "--format", "json")
        assert code == 0, err
        assert {x["n"] for x in json.loads(out)["models"].values()} == {4}
        refuse(run("compare", path, "--where", "split=val,test"), "expected one score")

    @pytest.mark.parametrize("option", ["--run=rater", "--ignore=rater", ""])
    def test_a_column_of_raters_has_its_role(self, write, run, option):
        """Models are compared by the same raters, of those that were chosen."""
        rows = [
            f"{m},q{k},{rater},{1 + (k * (1 + (m == 'ours')) + len(rater)) % 5}"
            for m in ("base", "ours")
            for k in range(20)
            for rater in ("ann", "carla", "bo")
            if rater == "ann" or m == "base" or k < 4
        ]
        path = write("\n".join(["model,item,rater,score", *rows]))
        options = ("--where", "rater=ann,carla", "--unit", "item", *option.split("="))
        code, out, err = run("compare", path, *filter(None, options))
        assert code == 0, err
        assert "16 of 64 ratings were left out" in " ".join(out.split())
        assert "warning" not in err

    def test_columns_of_models(self, write, run):
        rows = [f"{x},{numbers(0.5, 0.9, 2)}" for x in ("train", "test") * 6]
        path = write("\n".join(["split,lstm,cnn", *rows]))
        refuse(run("compare", path), "--where split=test")
        code, _, err = run("compare", path, "--where", "split=test")
        assert code == 0, err
        kept = "\n".join(["lstm,cnn", *(x[5:] for x in rows if x.startswith("test"))])
        a = run("compare", path, "--where", "split=test", "--format", "csv")[1]
        assert a == run("compare", write(kept), "--format", "csv")[1]

    def test_what_is_not_there(self, write, run):
        path = write(self.rows())
        refuse(run("compare", path, "--where", "part=test"), "no column 'part'")
        refuse(run("compare", path, "--where", "split=tset"), "'train', 'test'")
        with pytest.raises(SystemExit):
            run("compare", path, "--where", "split")

    @pytest.mark.parametrize("asked", ["1e-3", "0.0010", "+.001", "0.001"])
    def test_a_number_is_found_however_it_is_written(self, write, run, asked):
        path = write(self.rows("lr", ("0.001", "0.01")))
        code, out, err = run("compare", path, "--where", f"lr={asked}")
        assert code == 0, err
        whole = run("compare", write("\n".join(self.kept(path, "0.001"))))[1]
        assert out.replace(f"Rows with lr={asked}. ", "") == whole

    def test_texts_of_one_number_are_different_where_one_is_asked_for(self, write, run):
        """Versions 1.1 and 1.10 are not pooled, and long numbers are not rounded."""
        path = write(self.rows("version", ("1.1", "1.10")))
        code, out, err = run("compare", path, "--where", "version=1.1")
        assert code == 0, err
        whole = run("compare", write("\n".join(self.kept(path, "1.1"))))[1]
        assert out.replace("Rows with version=1.1. ", "") == whole
        path = write(self.rows("id", ("90071992547409920", "1")))
        refuse(run("compare", path, "--where", "id=90071992547409921"), "--where; got")
