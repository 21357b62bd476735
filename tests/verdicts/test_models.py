"""`compare_models`: what `sigarray compare` prints, from Python."""

import html
import json
import re
import warnings

import numpy as np
import pandas as pd
import pytest

from sigarray import compare_models, multi_aso, permutation_test, read
from tests.backends import require

LSTM = [0.897, 0.892, 0.894, 0.901, 0.898]
SCORES = {
    "lstm": LSTM,
    "cnn": [0.891, 0.884, 0.889, 0.886, 0.890],
    "crf": [0.871, 0.880, 0.875, 0.869, 0.878],
}


@pytest.fixture
def path(write):
    rows = zip(*SCORES.values(), strict=True)
    text = "\n".join(",".join(map(str, row)) for row in rows)
    return write(f"{','.join(SCORES)}\n{text}\n")


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        ({}, []),
        ({"test": "t", "paired": True}, ["--test", "t", "--paired"]),
        (
            {"baseline": "crf", "threshold": 0.1},
            ["--baseline", "crf", "--threshold=.1"],
        ),
        ({"test": "permutation", "alpha": 0.01}, ["--test=permutation", "--alpha=.01"]),
        ({"corrected": False, "rng": 3}, ["--no-correction", "--seed", "3"]),
        ({"higher_is_better": False}, ["--lower-is-better"]),
        (
            {"test": "bootstrap", "n_resamples": 99},
            ["--test=bootstrap", "--n-resamples=99"],
        ),
        (
            {"test": "t", "test_share": 0.1, "corrected": False},
            ["--test=t", "--test-share=.1", "--no-correction"],
        ),
    ],
)
def test_it_is_what_the_command_prints(path, run, options, arguments):
    code, out, _ = run("compare", path, "--format", "json", *arguments)
    assert code == 0
    printed = json.loads(out)
    is_of_pairs = bool({"paired", "test_share"} & set(options))
    table = read.scores(path, paired=is_of_pairs)
    for scores in (SCORES, path, table, pd.read_csv(path)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            result = compare_models(scores, **options)
        found = json.loads(result.to_json())
        assert found["pairs"] == printed["pairs"]
        assert found["verdicts"] == printed["verdicts"]
        assert result.sentences[: len(found["verdicts"])] == found["verdicts"]
        assert found["signature"] == printed["signature"] == result.signature
        assert result.method == printed["method"]


def test_runs_that_were_read_by_themselves_are_paired_by_name():
    draw = np.random.default_rng(0)
    rows = [
        (model, repeat, fold, draw.random())
        for model in "ab"
        for repeat in range(3)
        for fold in range(5)
    ]
    frame = pd.DataFrame(rows, columns=["model", "repeat", "fold", "score"])
    read_alone = read.scores(frame, run="repeat,fold")
    paired = read.scores(frame.sample(frac=1), run="repeat,fold", paired=True)
    options = {"test": "t", "test_share": 0.2}
    expected = compare_models(paired, **options)
    assert compare_models(read_alone, **options).signature == expected.signature
    for other in (
        read.scores(frame[1:], run="repeat,fold"),
        read.scores({"a": [1.0, 2.0, 4.0], "b": [2.0, 3.0, 4.0]}),
    ):
        with pytest.raises(ValueError, match="same runs, by name") as error:
            compare_models(other, paired=True)
        assert "Pass read.scores(..., paired=True)" in str(error.value)


def test_verdicts_and_numbers_by_pair(run, path):
    result = compare_models(SCORES)
    expected = multi_aso(SCORES, rng=0)
    names = list(SCORES)
    for task, a, b, better in result.verdicts:
        i, j = names.index(a), names.index(b)
        assert task == ""
        assert better == (a if expected.eps_min[i, j] < 0.2 else None)
        assert result.better(a, b) is (better == a)
        assert result.better(b, a) is (better == b)
    frame = result.to_frame()
    assert len(frame) == len(result.records) == 3
    row = frame[(frame["model_a"] == "cnn") & (frame["model_b"] == "crf")].iloc[0]
    assert row["eps_min_a_over_b"] == expected.eps_min[1, 2]
    assert np.isnan(row["statistic"])
    assert str(result) == repr(result)
    _, out, _ = run("compare", path, "--format", "markdown")
    assert result._repr_markdown_() == out.replace(path, "the scores")
    assert r"\toprule" in result.to_latex()
    assert result.tables[0].title.startswith("Differences of means, 95 % confidence")
    assert str(result).startswith("the scores, higher is better\nRanking: ")
    with pytest.raises(KeyError, match="Expected two models that were compared"):
        result.better("lstm", "other")
    with pytest.raises(
        KeyError, match="Did you mean 'lstm'\\? Those compared: 'lstm', 'cnn', 'crf'\\."
    ):
        result.better("LSTM", "cnn")
    with_one = compare_models(read.scores(path), baseline="lstm")
    with pytest.raises(KeyError, match="'cnn', 'crf', each with the baseline 'lstm'"):
        with_one.better("cnn", "crf")


def test_tasks(run, write):
    rng = np.random.default_rng(0)
    tasks = {
        task: {m: rng.normal(k, 1.0, 8).round(3) for k, m in enumerate("abc")}
        for task in ("nli", "qa")
    }
    rows = [
        f"{task},{m},{k},{x}"
        for task, by in tasks.items()
        for m, scores in by.items()
        for k, x in enumerate(scores)
    ]
    path = write("\n".join(["task,model,seed,score", *rows, ""]))
    result = compare_models(tasks)
    printed = json.loads(run("compare", path, "--format", "json")[1])
    assert json.loads(result.to_json())["pairs"] == printed["pairs"]
    assert result.signature == printed["signature"]
    assert {x.task for x in result.verdicts} == {"nli", "qa"}
    assert result.better("c", "a", task="nli") == any(
        x.better == "c" and x.task == "nli" and {x.model_a, x.model_b} == {"a", "c"}
        for x in result.verdicts
    )


def test_items_of_a_mapping_are_pairs():
    rng = np.random.default_rng(0)
    scores = {m: (rng.random(60) < p).astype(int) for m, p in (("a", 0.9), ("b", 0.5))}
    result = compare_models(scores)
    expected = permutation_test(*scores.values(), paired=True, method="exact").pvalue
    assert result.records[0]["pvalue"] == pytest.approx(float(expected))
    assert "taken for those of items" in result.notes[0]
    assert "pass unit='run'" in result.notes[0]
    with pytest.warns(UserWarning, match="do not vary|too small|take"):
        compare_models({"a": [1, 0, 1, 1], "b": [1, 1, 1, 1]}, unit="run", test="t")
    given = compare_models(scores, unit="item")
    assert given.signature == result.signature


@pytest.mark.parametrize("backend", ["numpy", "torch"], indirect=True)
def test_arrays_of_any_library(backend):
    scores = {name: backend.asarray(x) for name, x in SCORES.items()}
    result, expected = (compare_models(x) for x in (scores, SCORES))
    assert result.verdicts == expected.verdicts
    if backend.float_name == "float64":
        assert result.signature == expected.signature


@pytest.mark.parametrize("library", ["torch", "jax.numpy"])
def test_arrays_of_half_precision(library):
    library = require(library)
    scores = {"a": [0.5, 0.25, 0.75, 1.0], "b": [0.125, 0.0, 0.25, 0.375]}
    half = {
        name: library.asarray(x, dtype=library.bfloat16) for name, x in scores.items()
    }
    assert compare_models(half).signature == compare_models(scores).signature


@pytest.mark.parametrize(
    ("scores", "options", "error", "message"),
    [
        ({}, {}, TypeError, "Expected arrays by model, or by task and model; got an"),
        ({"a": LSTM, "b": {"c": LSTM}}, {}, TypeError, "by task and model; got both"),
        (
            {"a": LSTM, "b": [[1.0]]},
            {},
            ValueError,
            r"b: expected .* shape \(n,\); got",
        ),
        ({"a": LSTM, "b": [0.9, np.nan]}, {}, ValueError, "b: expected finite scores"),
        ({"a": LSTM}, {}, ValueError, "expected two models"),
        ({1: LSTM, "1": LSTM}, {}, ValueError, "expected each model once"),
        ({"a": [0.9], "b": [0.8]}, {}, ValueError, "expected several scores of each"),
        (SCORES, {"test": "t", "dt": 0.1}, ValueError, "Expected dt with test='aso'"),
        (SCORES, {"baseline": "x"}, ValueError, "for baseline; got 'x'. Those in it"),
        (SCORES, {"rng": np.random.default_rng(0)}, TypeError, "Expected rng to be an"),
        (SCORES, {"test": "welch"}, ValueError, "Expected test to be one of 'aso'"),
        (SCORES, {"method": "exactly"}, ValueError, "Expected method to be one of"),
        (SCORES, {"alpha": 2.0, "test": "t"}, ValueError, "Expected alpha"),
        (SCORES, {"threshold": 0.7}, ValueError, "Expected threshold"),
        (SCORES, {"n_resamples": 0}, ValueError, "Expected n_resamples"),
        (3, {}, TypeError, "Expected"),
    ],
)
def test_what_is_wrong_is_said_in_words_of_python(scores, options, error, message):
    with pytest.raises(error, match=message) as raised:
        compare_models(scores, **options)
    assert "--" not in str(raised.value)


@pytest.mark.parametrize(
    ("header", "message", "arguments"),
    [
        ("model,acc/t,f1", r"metric='acc/t'; .* score='acc/t,f1'\.", "metric=, score="),
        ("epoch,a,b", r"models with models; or .* item='epoch'\.", "models=, item="),
    ],
)
def test_arguments_of_the_reader_are_named_as_its_own(header, message, arguments):
    frame = pd.DataFrame([["a", 0.5, 0.6], ["b", 0.7, 0.8]], columns=header.split(","))
    if header[0] == "e":
        frame["epoch"] = [1, 2]
    with pytest.raises(ValueError, match=message) as raised:
        compare_models(frame)
    end = f" {arguments} are arguments of sigarray.read.scores: read the scores with it"
    assert end in str(raised.value)
    with pytest.raises(ValueError, match=message) as raised:
        read.scores(frame)
    assert "read.scores" not in str(raised.value)


def test_warnings_speak_of_arguments_and_point_at_the_caller():
    with pytest.warns(UserWarning, match="^threshold 0.5 claims less") as caught:
        compare_models(SCORES, threshold=0.5)
    assert caught[0].filename == __file__


def test_documents_have_the_warnings():
    """For those who read a table in a paper have not seen how it was made."""
    runs = {"a": [0.9, 0.8, 0.85], "b": [0.5, 0.4, 0.45]}
    with pytest.warns(UserWarning, match="too few for any verdict"):
        result = compare_models(runs | {"c": [0.1, 0.2, 0.3]})
    (said,) = result.warnings
    assert json.loads(result.to_json())["warnings"] == [said]
    assert "**Warning:** 3 scores of each of 3 models" in result.to_markdown()
    assert f"\n% Warning: {said}\n" in result.to_latex()
    assert "<b>Warning:</b> 3 scores of each" in result._repr_html_()
    assert "Warning" not in compare_models(SCORES).to_markdown()


def test_pictures(tmp_path):
    plt = pytest.importorskip("matplotlib.pyplot")
    result = compare_models(SCORES)
    assert len(result.draw()) == 4
    path = tmp_path / "p.png"
    assert result.plot(path).axes
    assert path.read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ValueError, match=r"path to end in .*\.png.*; got p\.bmp"):
        result.plot("p.bmp")
    plt.close("all")


def test_names_stay_as_they_are():
    a, b, _ = SCORES.values()
    names = ["models--bert-base", "run--seed", "x --test t"]
    result = compare_models(dict(zip(names, SCORES.values(), strict=True)))
    for name in names:
        assert any(name in sentence for sentence in result.sentences)
    with pytest.raises(ValueError, match=r"got 'q--test'\. Those in it: 'x --test t'"):
        compare_models({"x --test t": a, "y": b}, baseline="q--test")
    frame = pd.DataFrame(np.stack([a, b], axis=1))
    said = "have numbers for names"
    with pytest.warns(UserWarning, match=said):
        assert compare_models({1: a, 2: b}, baseline=1).better(1, 2)
    with pytest.warns(UserWarning, match=said):
        assert compare_models(frame).better(0, 1)
    with pytest.warns(UserWarning, match=said):
        assert compare_models(frame.astype("float32")).better("0", "1")


def test_tasks_that_are_named():
    result = compare_models({"nli": SCORES, "alone": {"lstm": LSTM}})
    assert result.better("lstm", "cnn")
    assert "tasks" not in result.signature
    assert "task 'alone' was left out: only 'lstm' has scores" in result.notes[0]
    other = {name: [1e3 * x for x in scores] for name, scores in SCORES.items()}
    two = compare_models({"nli": SCORES, "qa": other})  # on two scales
    said = "task to be one of 'nli', 'qa'; got None. A verdict over tasks like these "
    said += "takes 6 of them"
    with pytest.raises(KeyError, match=said):
        two.better("lstm", "cnn")
    assert two.better("lstm", "cnn", task="qa")


@pytest.mark.parametrize(
    ("scores", "got"),
    [
        (np.asarray([1j, 2.0]), "complex numbers"),
        (["x", "y"], "texts"),
        ((x for x in LSTM), "generator"),
        ([object(), 1.0], "other values"),
    ],
)
def test_values_that_are_no_scores_are_refused_with_their_model(scores, got):
    with pytest.raises(ValueError, match=f"the scores, b: expected .*; got {got}"):
        compare_models({"a": LSTM, "b": scores})


def test_threads_leave_warnings_as_they_were():
    import concurrent.futures

    rng = np.random.default_rng(0)
    tables = [dict(zip("ab", rng.normal(size=(2, 4)), strict=True)) for _ in range(24)]
    before = list(warnings.filters)

    def count(table):
        return len(compare_models(table).sentences)

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert min(pool.map(count, tables)) >= 1
    assert warnings.filters == before
    with pytest.warns(UserWarning, match="still shown"):
        warnings.warn("still shown", UserWarning, stacklevel=1)


def test_runs_that_were_read_as_pairs_are_compared_as_such():
    rows = [
        (m, k, x)
        for m, column in SCORES.items()
        for k, x in enumerate([*column, 0.9, 0.8])
    ]
    frame = pd.DataFrame(rows, columns=["model", "seed", "acc"])
    result = compare_models(read.scores(frame, paired=True), baseline="crf")
    assert result.method.startswith("permutation test of the mean, paired by run")
    given = compare_models(frame, paired=True, baseline="crf")
    assert result.signature == given.signature


def test_the_signature_has_the_items_of_each_pair():
    """Two models have an item that the third lacks, which only their pair sees."""

    def sign(score):
        drawn = np.random.default_rng(0).random((3, 6)).round(3)
        rows = [(m, k, drawn[i, k]) for i, m in enumerate("abc") for k in range(6)]
        rows += [("a", 9, score), ("b", 9, 0.5)]
        frame = pd.DataFrame(rows, columns=["model", "item", "score"])
        table = read.scores(frame, drop_unmatched=True)
        return table, compare_models(table, test="t").signature

    (table, first), (other, second) = sign(0.4), sign(0.9)
    for name in "abc":
        np.testing.assert_array_equal(table.scores[name], other.scores[name])
    assert len(table.pairs[""]["a", "b"][0]) == 7
    assert first == sign(0.4)[1]
    scores = [
        dict(x.split(":", 1) for x in y.split("|"))["scores"] for y in (first, second)
    ]
    assert scores[0] != scores[1]


@pytest.mark.parametrize("show", ["__str__", "_repr_html_", "_repr_markdown_"])
def test_what_is_printed_ends_with_the_notes(show):
    frame = pd.DataFrame(SCORES, index=[f"seed{k}" for k in range(5)])
    frame.iloc[0, 0] = np.nan
    result = compare_models(frame)
    assert len(result.notes) == 2
    shown = getattr(result, show)()
    text = re.sub(r"</?\w[^>]*>", "", html.unescape(shown)).rstrip()
    ends = [x.removesuffix(".") for x in text.splitlines() if x.startswith("Note: ")]
    assert [x.removeprefix("Note: ") for x in ends] == list(result.notes)
    assert text.endswith(f"{ends[-1]}.")
    assert "Note: " not in getattr(compare_models(SCORES), show)()
    # Those are for whoever sees the result, and not for what is sent to others.
    assert "Note: " not in result.to_markdown() + result.to_latex()


def test_missing_scores_are_what_the_docstring_says():
    said = " ".join(compare_models.__doc__.split())
    assert "NaN in an array, a list or a Series is an error" in said
    assert "NaN in a data frame, as a blank cell of a file, is left out" in said
    scores = SCORES | {"lstm": [*LSTM[:-1], np.nan]}
    for make in (list, np.array, pd.Series):
        with pytest.raises(ValueError, match="got nan at place 4"):
            compare_models({name: make(x) for name, x in scores.items()})
    result = compare_models(pd.DataFrame(scores))
    (note,) = result.notes
    assert note.endswith("was left out: 1 of 'lstm'")
    with pytest.raises(ValueError, match="those of a row are pairs; got a blank one"):
        compare_models(pd.DataFrame(scores), paired=True)
