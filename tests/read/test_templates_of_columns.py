"""Columns of runs or raters of several models, by a pattern of their names."""

import json

import pandas as pd
import pytest

from sigarray import read
from tests.read.asking import DRAW, parse, refuse


@pytest.fixture
def long():
    """Ratings of two models: a row for each model, rating and item."""
    rows = [
        (f"q{item}", model, n, DRAW.randint(1, 5) + DRAW.random())
        for item in range(12)
        for model in ("ours", "base")
        for n in (1, 2, 3)
    ]
    return pd.DataFrame(rows, columns=["item", "model", "run", "score"])


@pytest.fixture
def spread(long, tmp_path):
    """Write a column for each model and rating, with names by a template."""

    def write(template):
        names = [
            template.format(model=x, run=y)
            for x, y in zip(long["model"], long["run"], strict=True)
        ]
        frame = long.assign(name=names).pivot(
            index="item", columns="name", values="score"
        )
        path = tmp_path / "wide.csv"
        frame.reset_index().to_csv(path, index=False)
        return str(path)

    return write


PATTERNS = ("{model}_{run}", "{model}.{run}", "{model}_seed{run}", "{run}-{model}")


@pytest.mark.parametrize("pattern", PATTERNS)
def test_columns_are_read_as_a_long_table(spread, long, pattern):
    table = read.scores(spread(pattern), columns=pattern)
    expected = read.scores(long)
    assert table.unit == expected.unit == "run,item"
    for model, runs in expected.runs[""].items():
        found = table.runs[""][model]
        assert tuple(found.runs) == tuple(runs.runs)
        assert (found.scores == runs.scores).all()
    assert not table.doubts
    assert any("was read as" in x for x in table.notes)


def test_ratings_are_averaged(run, spread, long):
    options = ("--columns", "rater{rater}_{model}", "--unit", "item", "--run", "rater")
    path = spread("rater{run}_{model}")
    by = parse(run("compare", path, *options, "--format", "json"))["models"]
    means = long.groupby("model")["score"].mean()
    assert {x: by[x]["n"] for x in by} == {"ours": 12, "base": 12}
    assert by["ours"]["mean"] == pytest.approx(means["ours"])
    assert by["base"]["mean"] == pytest.approx(means["base"])


@pytest.mark.parametrize(
    ("names", "way"),
    [
        ("{model}_{run}", "For runs, pass --columns '{model}_{run}'; for raters, "),
        ("{model}_{run}", "--columns '{model}_{rater}' --unit item --run rater"),
        ("{model}_r{run}", "--columns '{model}_r{run}'; for raters, "),
        ("{model}{run}", "--columns '{model}{run}'"),
        ("{run}_{model}", "--columns '{run}_{model}'"),
        ("{model}_seed{run}", "For these, pass --columns '{model}_seed{run}'; for mo"),
        ("{model} run {run}", "For these, pass --columns '{model} run {run}'; for mo"),
        ("rater{run}_{model}", "pass --columns 'rater{rater}_{model}' --unit item"),
    ],
)
def test_a_warning_has_the_pattern(run, spread, names, way):
    code, _, err = run("compare", spread(names))
    assert code == 0
    assert "6 models were read" in err
    assert way in err
    pattern = way.partition("--columns '")[2].partition("'")[0]
    more = ("--run", "rater") if "{rater}" in pattern else ()
    done = run("compare", spread(names), "--columns", pattern, *more, "--unit", "item")
    assert done[0] == 0
    assert "models were read" not in done[2]


@pytest.mark.parametrize(
    "names",
    [
        ["gpt_3", "gpt_4", "llama_2", "llama_3"],
        ["gpt_3", "gpt_4", "llama_3", "llama_4"],
        ["resnet18", "resnet50", "vit"],
        ["resnet18", "resnet34", "vit18", "vit34"],
        ["a_v1", "a_v2", "b_v1", "b_v2"],
        ["ours_1", "ours_2", "base"],
    ],
)
def test_other_numbers_in_names_are_not_doubted(names):
    scores = {x: [DRAW.random() for _ in range(9)] for x in names}
    frame = pd.DataFrame({"item": [f"q{k}" for k in range(9)], **scores})
    assert not read.scores(frame).doubts


def test_named_models_are_not_doubted(run, spread):
    names = "ours_1,ours_2,base_1,base_2"
    code, _, err = run("compare", spread("{model}_{run}"), "--columns", names)
    assert (code, "models were read" in err) == (0, False)


def test_names_that_pandas_makes(spread, long):
    path = spread("{model}.{run}")
    frame = pd.read_csv(path).rename(columns={"ours.1": "ours", "base.1": "base"})
    (doubt,) = read.scores(frame.drop(columns=["ours.3", "base.3"])).doubts[:1] or ("",)
    assert doubt == ""  # of one number each
    frame = frame.rename(columns=lambda x: x.replace(".2", ".1").replace(".3", ".2"))
    assert "{model}.{run}" in read.scores(frame).doubts[0]
    table = read.scores(frame, columns="{model}.{run}")
    assert table.runs[""]["ours"].scores.shape == (3, 12)


def test_files_and_rows_are_doubted(run, tmp_path, long):
    for (model, n), part in long.groupby(["model", "run"]):
        part[["item", "score"]].to_csv(tmp_path / f"{model}_{n}.csv", index=False)
    _, _, err = run("compare", str(tmp_path))
    assert "6 models were read" in err
    assert "--path '{model}_{run}.csv'" in err
    frame = long.assign(model=long["model"] + "_" + long["run"].astype(str))
    (doubt,) = read.scores(frame.drop(columns="run")).doubts
    assert "write the number in a column of runs, or of raters" in doubt
    frame = long.assign(model=long["model"] + "_" + long["item"].str[1:])
    means = frame.groupby(["model", "run"], as_index=False)["score"].mean()
    assert not read.scores(means).doubts


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (
            "{model}-{run}",
            ["Expected names of columns such as", "got 'base_1'"],
        ),
        ("{model}_{model}", ["each at most once"]),
        ("{model}_{}", ["names in {}"]),
        ("{item}_{model}", ["got 'item'. Rename that column"]),
    ],
)
def test_patterns_that_are_wrong(run, spread, pattern, words):
    refuse(run("compare", spread("{model}_{run}"), "--columns", pattern), *words)


def test_a_name_that_is_read_in_two_ways(run, tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("item,a_b_x,a_b_y\nq,1,2\nr,2,1\n")
    done = run("compare", str(path), "--columns", "{model}_{task}")
    refuse(done, "task 'b_x', or model 'a_b'", "or add words that all have")


def test_rows_without_names_are_items(run, tmp_path, spread, long):
    """Also of a mapping, whose lists have one size."""
    frame = pd.read_csv(spread("{model}_{run}")).drop(columns="item")
    path = tmp_path / "x.json"
    path.write_text(json.dumps(frame.to_dict("list")))
    for source in (frame, path):
        table = read.scores(source, columns="{model}_{run}")
        assert table.unit == "run,item"
        assert table.runs[""]["ours"].scores.shape == (3, 12)
        assert any("each row was taken for an item" in x for x in table.notes)
        assert not any("left out" in x for x in table.notes)
    options = {"columns": "{model}_{rater}", "run": "rater", "unit": "item"}
    assert len(read.scores(frame, **options).scores["ours"]) == 12
    table = read.scores(frame, columns="{model}_{task}")
    assert (table.unit, [*table.tasks]) == ("run", ["1", "2", "3"])
    path.write_text('{"a_1": [1, 2], "a_2": [2, 3, 4]}')
    done = run("compare", str(path), "--columns", "{model}_{run}")
    refuse(done, "expected lists of one size for --columns; got [2, 3]")


def test_columns_without_scores_are_named(spread):
    frame = pd.read_csv(spread("{model}_{run}")).assign(gold=1.5)
    table = read.scores(frame, columns="{model}_{run}")
    assert any("was left out: 'gold'" in x for x in table.notes)


def test_words_of_python(spread):
    with pytest.raises(read.TableError, match=r"such as columns='\{model\}-\{run\}'"):
        read.scores(spread("{model}_{run}"), columns="{model}-{run}")
