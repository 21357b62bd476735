"""The scores on a page keep the names of their runs, and can be compared again."""

import base64
import html
import json
import re
import shlex

import numpy as np
import pytest

from sigarray import compare_models, read
from sigarray._verdicts.result import ModelComparison
from sigarray.report._rendering import draw_list, show_prose

COLUMNS = """seed,a_loss,b_loss,c_loss,a_acc
10,0.98,0.91,0.92,1
11,1.00,0.92,0.93,2
12,0.99,0.90,0.94,3
13,0.97,0.89,,4
14,0.98,0.93,0.95,5
15,0.96,0.92,0.96,6
"""
ITEMS = "".join(
    f"{model},q{k},0.{k}{i}\n"
    for i, model in enumerate("abc", 1)
    for k in range(1, 9)
    if (model, k) not in {("b", 3), ("c", 5)}
)


def take_file(path):
    """Return the file that a page saves."""
    data = re.search(r'base64,([^"]+)"', path.read_text("utf-8"))[1]
    return base64.b64decode(data).decode()


@pytest.fixture
def save(tmp_path):
    """Write a page of scores in memory, and return the file that it saves."""

    def save(scores, **options):
        path = tmp_path / "page.html"
        compare_models(scores, **options).report(path)
        return take_file(path)

    return save


def list_signed(signature):
    """Return what a signature says of scores and numbers."""
    return re.findall(r"(?:scores|result):\w+", signature)


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--missing", "drop"),
        ("--paired", "--drop-unmatched"),
        ("--paired", "--missing", "drop"),
        ("--paired", "--drop-unmatched", "--unit", "item"),
    ],
)
def test_the_saved_file_gives_the_same_numbers(options, write, run, tmp_path):
    page = tmp_path / "page.html"
    options = ("--lower-is-better", *options)
    columns = ("--columns", "a_loss,b_loss,c_loss", "--report", str(page))
    code, out, err = run("compare", write(COLUMNS), *options, *columns)
    assert code == 0, err
    saved = take_file(page)
    assert "c_loss,14,0.95" in saved
    code, again, err = run("compare", write(saved, "saved.csv"), *options)
    assert code == 0, err
    first, second = (x.splitlines()[-1] for x in (out, again))
    assert list_signed(first) == list_signed(second) != []


def test_so_does_that_of_items_some_of_which_a_model_lacks(write, run, tmp_path):
    page = tmp_path / "page.html"
    path = write("model,item,acc\n" + ITEMS)
    options = ("--drop-unmatched", "--higher-is-better")
    code, out, err = run("compare", path, *options, "--report", str(page))
    assert code == 0, err
    saved = take_file(page)
    assert saved.replace("\r", "") == "model,item,acc\n" + ITEMS
    _, again, _ = run("compare", write(saved, "saved.csv"), *options)
    assert out.splitlines()[-1] == again.splitlines()[-1]


def test_without_a_column_of_seeds_rows_are_numbered(write):
    rows = [x.split(",", 1)[1] for x in COLUMNS.splitlines()]
    table = read.scores(write("\n".join([*rows, ""])), models=["a_loss", "c_loss"])
    assert table.ids[""] == {"a_loss": tuple("123456"), "c_loss": tuple("12356")}
    worst = read.scores(
        write(COLUMNS.replace("0.94,3", "nan,3").replace(",,", ",0.9,")),
        models=["a_loss", "c_loss"],
        missing="worst",
        higher_is_better=False,
    )
    assert worst.ids[""]["c_loss"] == ("10", "11", "13", "14", "15", "12")
    assert worst.scores["c_loss"][-1] == 1.0


def test_a_column_named_as_seeds_with_one_twice_names_none(write):
    text = COLUMNS.replace("\n11,", "\n10,")
    table = read.scores(write(text), models=["a_loss", "b_loss"])
    assert table.ids[""]["a_loss"] == tuple("123456")


def test_so_it_is_of_mappings_with_blanks(save):
    a = [0.1, 0.3, 0.2, 0.4, 0.5, 0.6, 0.8]
    b = [0.5, np.nan, 0.6, 0.7, 0.8, 0.9, 0.4]
    saved = save({"a": a, "b": b}, missing="drop", unit="run", higher_is_better=True)
    assert saved.splitlines()[8:11] == ["b,1,0.5", "b,3,0.6", "b,4,0.7"]
    paired = save(
        {"a": a, "b": b},
        missing="drop",
        unit="run",
        paired=True,
        higher_is_better=True,
    )
    assert paired.splitlines()[1:4] == ["a,1,0.1", "a,3,0.2", "a,4,0.4"]


@pytest.mark.parametrize("name", ["seed", None])
def test_and_of_data_frames(save, name):
    pandas = pytest.importorskip("pandas")
    index = pandas.Index([3, 4, 5, 6], name=name)
    b = [0.5, np.nan, 0.6, 0.7]
    frame = pandas.DataFrame({"a": [0.1, 0.3, 0.2, 0.4], "b": b}, index)
    saved = save(frame, unit="run", higher_is_better=True)
    expected = ["b,3,0.5", "b,5,0.6", "b,6,0.7"]
    if name is None:
        expected = ["b,1,0.5", "b,3,0.6", "b,4,0.7"]
    assert saved.splitlines()[-3:] == expected


def test_every_verdict_over_these_tasks_is_in_a_sentence(tmp_path):
    rng = np.random.default_rng(0)
    scores = {
        task: {x: rng.normal(k, 1.0, 8) for k, x in enumerate("abc")} for task in "pqr"
    }
    result = compare_models(scores, test="t", unit="run", statistic="mean")
    path = tmp_path / "page.html"
    result.report(path)
    page = path.read_text("utf-8").partition("Every verdict in a sentence")[2]
    own = [x for x in result.sentences if x.startswith("c is better than a over these")]
    assert len(own) == 1
    shown = page.partition("</details>")[0]
    assert own[0] in html.unescape(re.sub("<.*?>", "", shown))
    document = json.loads(result.to_json())
    assert own[0] in document["over_these_tasks"]["verdicts"]
    assert shown.count("<li>") == 6  # over these tasks, and on them


def test_an_option_stays_on_one_line():
    shown = show_prose("a<b: pass --drop-unmatched, or bert--large -- --k")
    kept = '<span style="white-space: nowrap">{}</span>'.format
    expected = f"a&lt;b: pass {kept('--drop-unmatched')}, or bert--large -- "
    assert shown == expected + kept("--k")
    assert f"<li>Pass {kept('--margin')}.</li>" in draw_list(["Pass --margin."])


def test_the_line_that_verifies_can_be_pasted(write, run, tmp_path, monkeypatch):
    """With the options that say what to read, and those that the signature has."""
    monkeypatch.setattr(ModelComparison, "list_pictures", lambda _: [])
    rows = [
        f"{model},{k},{split},0.{k}{len(split)}"
        for model in "ab"
        for k in range(5)
        for split in ("dev set", "test")
    ]
    path = write("\n".join(["arch,seed,split,acc", *rows]))
    page = tmp_path / "page.html"
    options = ("--model", "arch", "--where", "split=dev set", "--baseline", "b")
    others = ("--plot", f"{tmp_path / 'x y.pdf'}", "--fail-unless-better", "b")
    assert run("compare", path, *options, *others, "--report", str(page))[0] == 1
    lines = re.findall(r"<code>(.*?)</code>", page.read_text("utf-8"))
    (line,) = (x for x in map(html.unescape, lines) if "--verify" in x)
    assert run(*shlex.split(line)[1:])[0] == 0


def test_the_title_is_the_file_and_pictures_are_not_counted(write, run, tmp_path):
    """A path as it was typed is in the line that repeats the report alone."""
    pytest.importorskip("matplotlib")
    folder = tmp_path / "some" / "folder"
    folder.mkdir(parents=True)
    paths = [folder / f"{name}.csv" for name in ("lstm", "cnn")]
    for path in paths:
        path.write_text("seed,acc\n1,.1\n2,.3\n3,.2\n4,.5\n")
    page, plot = tmp_path / "page.html", tmp_path / "plot.png"
    targets = "--plot", str(plot), "--report", str(page)
    code, _, err = run("compare", *map(str, paths), *targets)
    assert code == 0
    assert "as has --report" in err
    text = page.read_text("utf-8")
    assert "<h1>lstm.csv, cnn.csv: which model is better?</h1>" in text
    assert "<title>lstm.csv, cnn.csv: which model is better?</title>" in text
    assert '<p class="note">Higher acc is better</p>' in text
    assert "as has --report" not in text
