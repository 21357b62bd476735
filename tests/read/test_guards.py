"""Refuse, or doubt, rows that are hardly of runs: of folds, splits, tasks or items."""

import itertools
import json
import random
import re

import numpy as np
import pytest

from sigarray import compare_models, read
from sigarray.read import TableError
from sigarray.read._guards import doubt_runs
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
        option = "--test-share" if name == "repetition" else f"--fold {name}"
        refuse(run("compare", path), repr(name), f"--run {name}", option)
        code, _, err = run("compare", path, "--run", name)
        assert code == 0, err

    def test_beside_columns_of_models(self, write, run):
        rows = [f"{k},0.7{k},0.8{9 - k}" for k in range(5)]
        path = write("\n".join(["fold,a,b", *rows]))
        refuse(run("compare", path), "'fold'", "Pass --fold fold; or --run fold")
        refuse(run("compare", path, "--columns", "a,b"), "--run fold")
        code, out, err = run("compare", path, "--run", "fold", "--format", "json")
        assert code == 0, err
        assert list(json.loads(out)["models"]) == ["a", "b"]

    @pytest.mark.parametrize(
        ("header", "options", "advice"),
        [
            ("Name,State,model,fold", {}, "fold='fold'"),
            ("Name,State,model,cv_fold", {"run": "Name"}, "fold='cv_fold'"),
            ("Name,State,model,fold,seed=7", {}, "fold='fold'"),
            ("model,fold,seed=7", {"item": "fold"}, "fold='fold'"),
            ("Name,State,arch,fold,repeat", {"model": "arch"}, "run='repeat', fold="),
            ("Name,State,arch,fold,seed", {"model": "arch"}, "run='seed', fold="),
            ("Name,model,fold,seed", {"run": "Name"}, "run='seed', fold="),
            ("run_id,experiment_id=1,status,params.fold,params.model",
             {"model": "params.model"}, "fold='params.fold'"),
        ],
    )  # fmt: skip
    def test_whichever_column_names_the_runs(self, write, header, options, advice):
        """As in tables of trackers, whose runs have names and constant seeds."""
        names = header.split(",")
        seeds = range(2) if names[-1] in ("seed", "repeat") else [0]
        rows = []
        for model, seed, k in itertools.product("ab", seeds, range(6)):
            values = dict.fromkeys(names, k) | {"seed": seed, "repeat": seed}
            values |= dict.fromkeys(("model", "arch", "params.model"), model)
            values |= dict.fromkeys(("Name", "run_id"), f"{model}-{seed}-{k}")
            values |= {"State": "finished", "status": "FINISHED"}
            cells = [x.partition("=")[2] or values[x] for x in names]
            rows.append(",".join(map(str, [*cells, 0.8 + (7 * k + seed) % 5 / 100])))
        metric = "metrics.acc" if "run_id" in names else "acc"
        header = ",".join(x.partition("=")[0] for x in names)
        path = write("\n".join([f"{header},{metric}", *rows]))
        with pytest.raises(TableError, match="folds or repetitions on one") as found:
            read.scores(path, **options)
        assert f"Pass {advice}" in str(found.value)
        model = {x: y for x, y in options.items() if x == "model"}
        roles = dict(
            re.findall(r"(run|fold)='(.+?)'", str(found.value).split("; or")[0])
        )
        table = read.scores(path, **model, **roles)
        assert (table.n_folds, table.is_paired, table.doubts) == (6, True, ())

    def test_scores_of_cross_validation_are_no_folds(self, write):
        rows = [f"{m},{k},0.{80 + 3 * k}" for m in "ab" for k in range(5)]
        assert read.scores(write("\n".join(["model,seed,cv", *rows]))).metric == "cv"

    def test_a_file_for_each(self, run, tmp_path):
        for model, k in itertools.product("ab", range(4)):
            scores = {"model": model, "fold": k, "acc": 0.5 + k / 10}
            (tmp_path / f"{model}{k}x.json").write_text(json.dumps(scores))
        refuse(run("compare", str(tmp_path), "--metric", "acc"), "Pass --fold fold; or")
        code, _, err = run("compare", str(tmp_path), "--metric=acc", "--fold=fold")
        assert code == 0, err

    def test_as_files(self, run, tmp_path):
        for model in "ab":
            for k in range(4):
                path = tmp_path / model / f"fold{k}.json"
                path.parent.mkdir(exist_ok=True)
                path.write_text(json.dumps({"acc": 0.5 + k / 10}))
        way = "{model}/fold{run}.json"
        refuse(run("compare", str(tmp_path)), "folds", "--path")
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


def test_runs_are_no_clusters_of_items(write, run):
    """Each model would have the same ones, by which models were paired."""
    rows = [
        f"{m},{k},{i},{(5 * k + 3 * i) % 7}"
        for m in "ab"
        for k in range(4)
        for i in range(9)
    ]
    path = write("\n".join(["model,seed,item,score", *rows, ""]))
    done = run("compare", path, "--cluster", "seed")
    refuse(done, "'seed': expected clusters of items", "Pass --run seed")
    path = write("\n".join(["model,document,item,score", *rows, ""]))
    assert run("compare", path, "--cluster", "document")[0] == 0


@pytest.mark.parametrize(("share", "is_doubted"), [("0.9", True), ("0.25", False)])
def test_the_test_share_of_folds(write, run, share, is_doubted):
    rows = [
        f"{r},{k},{m},{(7 * r + 3 * k) % 11}"
        for m in "ab"
        for r in range(3)
        for k in range(4)
    ]
    path = write("\n".join(["repeat,fold,model,accuracy", *rows, ""]))
    options = ("--run", "repeat,fold", "--test", "t", "--test-share", share)
    _, _, err = run("compare", path, *options)
    assert ("is not that of 4 folds, 0.25." in err) == is_doubted


class TestFoldsThatAreLeftOut:
    """By --ignore, which leaves rows that nothing is said of."""

    def test_rows_are_said_to_be_runs(self, write, run):
        path = write(long_table("fold"))
        wide = "fold,a,b\n1,.1,.2\n2,.3,.3\n3,.2,.4\n4,.2,.5\n5,.1,.4\n"
        for file in (path, write(wide, "wide.csv")):
            code, _, err = run("compare", file, "--ignore", "fold")
            assert code == 0
            assert "column 'fold' was left out, and each of its rows is taken" in err
            assert "overlap, pass --fold fold." in err
            assert run("compare", file, "--run", "fold")[2].count("left out") == 0

    def test_what_has_no_folds_says_nothing(self, write, run):
        path = write(long_table("batch").replace("batch", "host"))
        _, _, err = run("compare", path, "--ignore", "host")
        assert "rows is taken for" not in err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "'repetition': expected independent runs"),
        ({"run": "repetition"}, "'fold': expected independent runs"),
        ({"run": "fold"}, "'repetition': expected independent runs"),
        ({"run": "fold", "item": "repetition"}, "'repetition': expected items that"),
        ({"run": "repetition", "item": "fold"}, "'fold': expected items that are"),
    ],
)
def test_repeated_folds_are_named_by_both(write, options, said):
    rows = [
        f"{r},{k},{m},{(7 * r + 3 * k) % 11}"
        for m in "ab"
        for r in range(3)
        for k in range(4)
    ]
    path = write("\n".join(["repetition,fold,model,accuracy", *rows, ""]))
    with pytest.raises(TableError, match=said) as found:
        read.scores(path, **options)
    assert "Pass run='repetition', fold='fold'; or run=" in str(found.value)
    assert len(read.scores(path, run="repetition,fold").ids[""]["a"]) == 12


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


NOISE = random.Random(0)


RNG = np.random.default_rng(0)


def columns(table):
    return "\n".join(["a,b", *(",".join(map(str, row)) for row in table)])


def test_many_rows_are_runs_or_items(write, run):
    path = write(columns(RNG.random((51, 2)).round(4)))
    refuse(run("compare", path), "51 scores of each model", "--unit item", "--unit run")
    lines = columns(RNG.random((51, 2)).round(4)).splitlines()
    gap = write("\n".join([*lines[:9], lines[9].split(",")[0] + ",", *lines[10:]]))
    refuse(run("compare", gap), "got 51 rows", "--unit item", "--unit run")
    path = write(columns(RNG.random((51, 2)).round(4)))
    code, out, err = run("compare", path, "--unit", "item")
    assert code == 0, err
    assert "permutation" in out
    assert "stochastic" in run("compare", path, "--unit", "run")[1]
    # Who says that rows are pairs has said it.
    assert run("compare", path, "--paired")[0] == 0


def test_as_many_runs_as_there_are(write, run):
    assert run("compare", write(columns(RNG.random((50, 2)))))[0] == 0
    rows = [f"{x},{y}" for x, y in RNG.random((60, 2))]
    rows += [f"{x}," for x in RNG.random(9)]
    assert run("compare", write("\n".join(["a,b", *rows])))[0] == 0


@pytest.mark.parametrize("marks", [(0, 1), (0, 100), (-1, 1)])
def test_two_marks_are_of_items(write, run, marks):
    path = write(columns(RNG.choice(marks, (30, 2))))
    code, out, err = run("compare", path)
    assert code == 0, err
    assert f"scores of {marks[0]} and {marks[1]} were taken for those of items" in err
    assert out == run("compare", path, "--unit", "item")[1]


@pytest.mark.parametrize("marks", [range(1, 6), (0, 0.5, 1), range(11)])
def test_ratings_are_asked_about(write, run, marks):
    path = write(columns(RNG.choice(list(marks), (12, 2))))
    refuse(run("compare", path), "12 scores of a model, each one of", "--unit item")


@pytest.mark.parametrize(
    "scores",
    [
        [[3.0] * 12, [3.0] * 12],
        [[81.0, 84.5, 83.0] * 4, [80.0, 82.5, 79.0] * 4],
        [[1.0, 2.0, 5.0, 3.0], [2.0, 2.0, 4.0, 3.0]],
        [np.arange(12.0), np.arange(12.0) + 0.5],
    ],
)
def test_scores_that_may_well_be_of_runs(scores):
    assert doubt_runs([np.asarray(x) for x in scores]) is None


def test_units_that_do_not_suit_the_table(write, run):
    path = write("item,a,b\nx,1,2\ny,2,3\nz,3,1\n")
    refuse(
        run("compare", path, "--unit", "cluster"),
        "expected --unit run or --unit item of",
    )
    refuse(run("compare", path, "--item", "item", "--unit", "run"), "got --unit run")
    path = write("a,b\n1,2\n2,3\n,4\n")
    refuse(run("compare", path, "--unit", "item"), "line 4, column 1", "blank")
    path = write("a,b\n1,0\n0,1\n,1\n")
    refuse(run("compare", path), "got 2 of 'a' and 3 of 'b'", "--item")


class TestRightOrWrong:
    def test_columns_are_of_items(self, write, run):
        rows = [f"{NOISE.randint(0, 1)},{NOISE.randint(0, 1)}" for _ in range(30)]
        path = write("\n".join(["mine,theirs", *rows]))
        code, out, err = run("compare", path)
        assert code == 0
        assert "0 and 1 were taken for those of items" in err
        assert "permutation" in out
        assert "stochastic" in run("compare", path, "--unit", "run")[1]
        longer = write("\n".join(["mine,theirs", *rows, "1,"]))
        refuse(run("compare", longer), "30", "31", "--item", "--unit run")

    def test_of_what_they_are_is_asked(self, write, run):
        rows = [f"{m},{k % 2}" for m in "ab" for k in range(30)]
        path = write("\n".join(["model,correct", *rows]))
        refuse(run("compare", path), "--item", "--unit run")
        assert run("compare", path, "--unit", "run")[0] == 0


class TestBlankCells:
    """Columns of marks without their blank cells would pair other rows."""

    ROWS = tuple((k % 2, k // 2 % 2) for k in range(12))

    def table(self, *blank):
        cells = [[*map(str, row)] for row in self.ROWS]
        for row, model in blank:
            cells[row]["ab".index(model)] = ""
        return "\n".join(["a,b", *map(",".join, cells)])

    @pytest.mark.parametrize("blank", [((1, "a"), (5, "b")), ((1, "a"),)])
    def test_whole_rows_are_pairs(self, write, run, blank):
        path = write(self.table(*blank))
        counts = ", ".join(f"1 of '{model}'" for _, model in blank)
        refuse(run("compare", path), f"blank cells: {counts}. Pass --drop-unmatched")
        kept = [x for k, x in enumerate(self.ROWS) if k not in {k for k, _ in blank}]
        expected = [[float(row[k]) for row in kept] for k in range(2)]
        for options in ({"missing": "drop"}, {"drop_unmatched": True}):
            table = read.scores(path, **options)
            assert (table.unit, table.is_paired) == ("item", True)
            assert [table.scores[x].tolist() for x in "ab"] == expected
            assert "two marks were taken for those of items" in table.notes[0]
        with pytest.raises(TableError, match="no pairs, for missing='worst'"):
            read.scores(path, missing="worst")
        assert not read.scores(path, unit="run").is_paired

    def test_one_model_has_no_pairs(self, write, run):
        path = write(self.table((5, "b")))
        done = run("power", path, "--columns=b", "--lift=1.1", "--n-samples=20")
        assert done[0] == 0, done[2]

    def test_arrays_too(self):
        a, b = (np.asarray(x, float) for x in zip(*self.ROWS, strict=True))
        a[1], b[5] = np.nan, np.nan
        scores = read.scores({"a": a, "b": b}, missing="drop").scores
        kept = ~np.isnan(a + b)
        assert scores["a"].tolist() == a[kept].tolist()
        assert scores["b"].tolist() == b[kept].tolist()


class TestPairsWithoutNames:
    """Rows for each score, in which models may have theirs in other places."""

    ROWS = tuple((m, k, k + (m == "b") / 8) for m in "abc" for k in range(6))

    @pytest.mark.parametrize("options", [(), ("--test", "t"), ("--unit", "run")])
    def test_their_order_pairs_none(self, write, run, options):
        path = write("\n".join(["algo,acc", *(f"{m},{x}" for m, _, x in self.ROWS)]))
        asked = (
            "expected to know which scores are pairs, for --paired or --test-share, "
            "such as those of one seed or split; got no names of runs or items, and "
            "columns 'algo', 'acc'. Name the column of runs with --run, or that of "
            "items with --item; or leave the option out."
        )
        refuse(run("compare", path, "--paired", *options), asked)
        refuse(run("compare", path, "--test", "t", "--test-share", "0.1"), asked)
        assert not read.scores(path).is_paired

    def test_a_name_pairs_them_in_any_order(self, write):
        rows = [f"{m},{k},{x}" for m, k, x in self.ROWS]
        tables = [
            read.scores(write("\n".join(["algo,n,acc", *x])), paired=True, run="n")
            for x in (rows, sorted(rows, key=lambda row: row[2:]))
        ]
        for table in tables:
            assert (table.scores["b"] - table.scores["a"]).tolist() == [0.125] * 6

    def test_frames_too(self):
        pandas = pytest.importorskip("pandas")
        frame = pandas.DataFrame(
            [{"model": m, "acc": x} for m, _, x in self.ROWS], index=None
        )
        said = "for paired=True or test_share, .* column of runs with run, .* of "
        said += r"sigarray\.read\.scores"
        with pytest.raises(ValueError, match=said):
            compare_models(frame, paired=True)

    def write_files(self, tmp_path, blank=(), last=6):
        """Write a file for each model, as a column is: a score a line."""
        for m in "abc":
            rows = [row for row in self.ROWS if row[0] == m][: last if m == "c" else 6]
            lines = ["nan" if row[:2] in blank else f"{row[2]}" for row in rows]
            (tmp_path / f"{m}.csv").write_text(
                "\n".join(["acc,n", *(f"{x}," for x in lines), ""])
            )
        return [str(tmp_path / f"{m}.csv") for m in "abc"]

    def test_files_of_a_model_each_are_paired_by_line(self, tmp_path, run):
        options = ("--paired", "--test", "t")
        done = run("compare", *self.write_files(tmp_path), *options)
        assert done[0] == 0, done[2]
        paths = self.write_files(tmp_path, last=5)
        refuse(run("compare", *paths, *options), "and 5 and 6 scores of models. Name")
        done = run("compare", *paths[:2], *options)
        assert done[0] == 0, done[2]

    def test_missing_scores_would_pair_others(self, tmp_path, run):
        paths = self.write_files(tmp_path, {("a", 1), ("b", 4)})
        options = ("--paired", "--test", "t", "--missing", "drop")
        asked = "and cells without a score, 1 of 'a', 1 of 'b'. Name the colu"
        refuse(run("compare", *paths, *options), asked)


@pytest.mark.parametrize(
    ("splits", "wanted"),
    [("train,eval", "eval"), ("Train,val,test", "test"), ("training,valid", "valid")],
)
def test_scores_of_training_are_not_proposed(write, run, splits, wanted):
    rows = [
        f"{m},{k},{x},{k / 7}"
        for m in "ab"
        for k in range(3)
        for x in splits.split(",")
    ]
    path = write("\n".join(["algo,seed,mode,score", *rows]))
    answer = f"mode={wanted}"
    refuse(run("compare", path), f"Choose one with --where {answer}, or")
    assert run("compare", path, "--where", answer)[0] == 0
