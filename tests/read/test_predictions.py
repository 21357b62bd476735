"""Predictions, and preferences of two models: these are no scores."""

import json
import random
import re
from statistics import fmean

import numpy as np
import pandas as pd
import pytest

from sigarray import read
from sigarray.read import TableError
from tests.read.asking import refuse
from tests.read.long_tables import as_csv


class TestPredictions:
    """A row for each prediction was compared as one for each score."""

    def table(self, classes):
        n = len(classes)
        rows = [
            f"{m},{k},{classes[k % n]},{classes[(k + j) % n]}"
            for j, m in enumerate("ab")
            for k in range(20)
        ]
        return "\n".join(rows)

    @pytest.mark.parametrize("classes", ["012", "01", ("pos", "neg")])
    @pytest.mark.parametrize(
        ("header", "known"),
        [
            ("model,id,gold,pred", "pred"),
            ("model,id,label,prediction", "prediction"),
            ("model,id,y_true,y_pred", "y_pred"),
            ("model,id,target,predicted_label", "predicted_label"),
        ],
    )
    def test_they_are_no_scores(self, write, run, classes, header, known):
        path = write(f"{header}\n{self.table(classes)}\n")
        words = ("predictions, or the truth", "as 1 or 0", f"--score {known}")
        refuse(run("compare", path), *words)
        if "0" in classes:
            refuse(run("compare", path, "--metric", known), *words)
            truth = header.split(",")[2]
            refuse(run("compare", path, "--metric", truth), f"--score {truth}")
            assert run("compare", path, "--score", known)[0] == 0

    def test_of_another_name_they_have_the_classes_of_the_truth(self, write, run):
        path = write(f"model,id,gold,choice\n{self.table('012')}\n")
        refuse(run("compare", path, "--metric", "choice"), "--score choice")

    def test_a_score_beside_them_is_one(self, write, run):
        rows = self.table("012").split("\n")
        rows = [f"{x},{int(x.split(',')[2] == x.split(',')[3])}" for x in rows]
        path = write("\n".join(["model,id,gold,pred,correct", *rows]))
        code, _, err = run("compare", path, "--metric", "correct")
        assert code == 0, err
        path = write(
            "\n".join(["model,id,label,score", *self.table("012").split("\n")])
        )
        assert run("compare", path, "--metric", "score")[0] == 0


pandas = pytest.importorskip("pandas")


HEADER = "item,rater,system_a,system_b,preference"


MODELS = ("base", "ours", "tiny")


# The values for a win of the first model, of the second one, and for a tie.
CODES = {
    "letters": ("A", "B", "tie"),
    "columns": ("system_a", "system_b", "tie (both bad)"),
    "names": (None, None, "Tie"),
    "signs": (1, -1, 0),
    "places": (1, 2, 1.5),
}


def prefer(code, n_models=3, n_items=20, seed=0):
    """Return rows, and the share of wins of each model, by pair and item."""
    draw = random.Random(seed)
    rows, wins = [], {}
    for k in range(n_items):
        for rater in ("ann", "bob"):
            a, b = draw.sample(MODELS[:n_models], 2)
            won = draw.choice((0, 0, 1, 2))
            value = CODES[code][won]
            rows.append((f"q{k}", rater, a, b, (a, b)[won] if value is None else value))
            pair = " vs. ".join(sorted((a, b)))
            for model, win in ((a, (1, 0, 0.5)[won]), (b, (0, 1, 0.5)[won])):
                wins.setdefault((pair, model), {}).setdefault(f"q{k}", []).append(win)
    return rows, {x: {y: fmean(z) for y, z in by.items()} for x, by in wins.items()}


def make(message, frame):
    """Return the wins that the line in an error makes of a data frame."""
    line = re.search(r"is this table: (.*\]\))\. Compare the wins", message)[1]
    names = {"pd": pandas, "frame": frame}
    exec(line, names)
    return names["wins"]


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("n_models", [2, 3])
def test_the_line_makes_wins_of_them(write, run, code, n_models):
    rows, expected = prefer(code, n_models)
    path = write(as_csv(rows, HEADER))
    done = run("compare", path)
    refuse(done, "'system_a' and 'system_b' name two models, and 'preference' says w")
    text = " ".join(done[2].split())
    wins = make(text, pandas.read_csv(path))
    options = text[text.rindex(" with ") + 6 : -1].split()
    assert " ".join(options) == "--score win --task pair --unit item --run rater"
    table = read.scores(wins, score="win", task="pair", unit="item", run="rater")
    for (pair, model), by in expected.items():
        found = dict(zip(table.ids[pair][model], table.tasks[pair][model], strict=True))
        assert found == by
    wins.to_csv(path, index=False)
    code, _, err = run("compare", path, *options)
    assert (code, "warning" in err) == (0, False), err
    with pytest.raises(TableError, match=r"with score='win', task='pair', unit='item'"):
        read.scores(pandas.DataFrame(rows, columns=HEADER.split(",")))


def test_without_items_each_row_is_one(write):
    rows = [x[2:] for x in prefer("names")[0]]
    frame = pandas.DataFrame(rows, columns=["model_b", "model_a", "win"])
    with pytest.raises(TableError) as error:
        read.scores(frame)
    wins = make(str(error.value), frame)
    table = read.scores(wins, score="score", task="pair")
    assert table.unit == "item"
    assert sum(len(by["base"]) for by in table.tasks.values() if "base" in by) > 10
    assert {x for by in table.tasks.values() for y in by.values() for x in y} == {
        *(0.0, 0.5, 1.0)
    }


def test_rows_without_a_preference_are_left_out():
    rows = [*prefer("letters")[0], ("q9", "eve", "base", "ours", None)]
    frame = pandas.DataFrame(rows, columns=["item", "rater", "left", "right", "won"])
    with pytest.raises(TableError, match=r"dropna\(subset=\['won'\]\); wins") as error:
        read.scores(frame)
    assert len(make(str(error.value), frame)) == 80


@pytest.mark.parametrize("columns", ["system_b,system_a", "loser,winner"])
def test_sides_are_those_that_columns_say(columns):
    rows = [(b, a, won) for _, _, a, b, won in prefer("letters")[0]]
    frame = pandas.DataFrame(rows, columns=[*columns.split(","), "choice"])
    with pytest.raises(TableError) as error:
        read.scores(frame)
    is_swapped = columns.startswith("system_b")
    first = "system_a" if is_swapped else "loser"
    assert f"('A' is for '{first}', and 'B' for " in str(error.value)


@pytest.mark.parametrize(
    ("header", "values", "options"),
    [
        ("attacker,target,success", (0, 1), {}),
        ("teacher,student,accuracy", (0.25, 0.5, 0.75), {}),
        ("model,other,preference", (0, 1), {"model": "model"}),
        ("system_a,system_b,preference", (1, 2), {"metric": "preference"}),
    ],
)
def test_other_tables_with_two_models_are_none(header, values, options):
    draw = random.Random(0)
    rows = [(*draw.sample(MODELS, 2), draw.choice(values)) for _ in range(40)]
    frame = pandas.DataFrame(rows, columns=header.split(","))
    message = ""
    try:
        read.scores(frame, **options)
    except TableError as error:
        message = str(error)
    assert "preferences" not in message


class TestPreferencesBetweenTheSameModels:
    """One column says which of two models is better, in all rows."""

    def write(self, write, values, column="preferred"):
        rows = [(k // 3, f"r{k % 3}", values[k % len(values)]) for k in range(60)]
        return write(as_csv(rows, f"id,rater,{column}"))

    @pytest.mark.parametrize(
        ("values", "mean"),
        [
            (("ours", "base", "tie", "ours"), 0.625),
            (("A", "B"), 0.5),
            (("1", "0", "-1", "1"), 0.625),
        ],
    )
    def test_the_error_has_the_line_that_makes_scores(self, write, run, values, mean):
        pd = pytest.importorskip("pandas")
        path = self.write(write, values)
        code, _, err = run("compare", path)
        assert code == 2
        assert "'preferred' says which of two models is better" in err
        line = err.partition("this table: ")[2].partition(". Compare the wins")[0]
        names = {"pd": pd, "frame": pd.read_csv(path)}
        exec(line, names)
        options = err.partition("the wins with ")[2].strip().rstrip(".")
        assert options == "--score win --unit item --run rater"
        wins = names["wins"]
        table = read.scores(wins, score="win", unit="item", run="rater")
        first = next(x for x in ("ours", "A") if x in table.models)
        assert table.scores[first].mean() == pytest.approx(mean)

    @pytest.mark.parametrize("values", [("ours", "base", "tiny"), ("1", "2", "3", "4")])
    def test_others_are_none(self, write, run, values):
        assert (
            "looks like preferences" not in run("compare", self.write(write, values))[2]
        )


class TestAnswersInBothOrders:
    """As in MT-Bench: a judge who favors the first answer tells equal models apart."""

    def grow(self, n=80):
        draw = np.random.default_rng(3)
        rows = []
        for k in range(n):
            lead = draw.normal(0, 0.8)
            wins = []
            for sign in (1, -1):
                x = lead + draw.normal() + 0.6 * sign
                named = "tie" if abs(x) < 0.15 else f"model_{1 if x > 0 else 2}"
                wins.append("error" if k % 40 == 7 else named)
            rows.append((81 + k, "alpaca", "vicuna", *wins))
        names = ["question_id", "model_1", "model_2", "g1_winner", "g2_winner"]
        return pd.DataFrame(rows, columns=names)

    def test_none_is_taken_alone(self, write, run):
        frame = self.grow()
        path = write(frame.to_csv(index=False))
        code, _, err = run("compare", path)
        assert code == 2
        line = err.partition("is this table, ")[2].partition(". Or leave")[0]
        scope = {"frame": frame, "pd": pd}
        exec(line, scope)
        path = write(scope["frame"].to_csv(index=False))
        code, _, err = run("compare", path)
        assert "'winner' says which is better" in err
        assert "frame = frame[~frame['winner'].isin(['error'])]; " in err
        line = err.partition("is this table: ")[2].partition(". Compare the")[0]
        exec(line, scope)
        wins = scope["wins"]
        assert wins.groupby("model")["win"].mean().sum() == pytest.approx(1.0)
        path = write(wins.to_csv(index=False))
        options = ("--score=win", "--task=pair", "--unit=item", "--ignore=order")
        code, out, err = run("compare", path, *options, "--format", "json")
        assert code == 0, err
        (pair,) = json.loads(out)["pairs"]
        assert pair["pvalue"] > 0.05

    def test_other_columns_of_preferences(self, write, run):
        frame = self.grow().rename(columns={"g2_winner": "judgment"})
        _, _, err = run("compare", write(frame.to_csv(index=False)))
        assert "'g1_winner' says which is better" in err


@pytest.mark.parametrize("is_short", [False, True])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_preferences_of_alpaca_eval_make_wins(tmp_path, run, is_short, is_weighted):
    """The baseline is always the first, and answers may look like names of models."""
    pandas = pytest.importorskip("pandas")
    draw = np.random.default_rng(0)
    rows = []
    for i in range(40):
        words = [f"{k}: {draw.random()}" for k in "ab"]
        words = draw.choice(["yes", "no", "maybe"], 2, False) if is_short else words
        better = round(1.0 + draw.beta(2, 1), 4) if is_weighted else draw.choice([1, 2])
        rows.append(
            (f"Question {i}?", words[0], "gpt4", words[1], "ours", "gpt", better)
        )
    names = "instruction output_1 generator_1 output_2 generator_2 annotator preference"
    frame = pandas.DataFrame(rows, columns=names.split())
    frame.to_csv(tmp_path / "annotations.csv", index=False)
    _, _, err = run("compare", str(tmp_path / "annotations.csv"))
    assert "'preference' says which is better (if 1 is for 'generator_1', and 2" in err
    said, _, options = err.partition(". Compare the wins on each pair of models with ")
    wins = eval(said.partition("wins = ")[2], {"pd": pandas, "frame": frame})
    assert wins[wins["model"] == "ours"]["win"].mean() == pytest.approx(
        frame["preference"].mean() - 1.0
    )
    wins.to_csv(tmp_path / "wins.csv", index=False)
    options = options.strip().removesuffix(".").split()
    assert run("compare", str(tmp_path / "wins.csv"), *options)[0] == 0


def test_instructions_that_several_judges_have_seen_are_items_once(tmp_path, run):
    """Each row was an item: 3 judges of 40 instructions made 120."""
    pandas = pytest.importorskip("pandas")
    draw = np.random.default_rng(0)
    rows = [
        (f"Question {i}?", f"A {i}", "gpt4", f"B {i}", "ours", judge, x)
        for i in range(40)
        for judge, x in zip("xyz", draw.choice([1, 2], 3), strict=True)
    ]
    names = "instruction output_1 generator_1 output_2 generator_2 annotator preference"
    frame = pandas.DataFrame(rows, columns=names.split())
    frame.to_csv(tmp_path / "annotations.csv", index=False)
    _, _, err = run("compare", str(tmp_path / "annotations.csv"))
    said, _, options = err.partition(". Compare the wins on each pair of models with ")
    wins = eval(said.partition("wins = ")[2], {"pd": pandas, "frame": frame})
    wins.to_csv(tmp_path / "wins.csv", index=False)
    options = options.strip().removesuffix(".").split()
    code, _, err = run("compare", str(tmp_path / "wins.csv"), *options)
    assert code == 0, err
    assert "each model has 40 items" in err
