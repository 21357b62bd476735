"""Nested mappings and lists of scores, and arrays that NumPy saved."""

import json

import numpy as np
import pandas as pd
import pytest

from sigarray import read
from sigarray.read import TableError
from tests.read.long_tables import as_lists

SCORES = {"lstm": [0.5, 0.25, 0.75], "cnn": [1.0, 0.125, 0.375]}
WIDE = pd.DataFrame(SCORES)
SEEDS = [f"seed{k}" for k in range(3)]
BY_SEED = {m: dict(zip(SEEDS, x, strict=True)) for m, x in SCORES.items()}
TASKS = {m: {"x": x, "y": x[::-1]} for m, x in SCORES.items()}
BY_TASK = {
    "x": SCORES,
    "y": {model: x[::-1] for model, x in SCORES.items()},
}


@pytest.fixture
def dump(write):
    return lambda document, name="t.json": write(json.dumps(document), name)


@pytest.mark.parametrize(
    "document",
    [
        BY_SEED,
        json.loads(WIDE.rename(index=dict(enumerate(SEEDS))).to_json(orient="index")),
        json.loads(WIDE.to_json()),
        json.loads(WIDE.to_json(orient="index")),
    ],
)
def test_keys_of_models_and_runs(dump, document):
    table = read.scores(dump(document))
    assert as_lists(table) == {"": SCORES}
    assert (table.unit, table.is_paired) == ("run", False)
    assert any("the keys 'lstm', 'cnn' were taken for models" in x for x in table.notes)
    is_named = "seed" in json.dumps(document)
    assert table.ids[""]["lstm"] == (tuple(SEEDS) if is_named else ("1", "2", "3"))


@pytest.mark.parametrize(
    ("document", "options", "expected"),
    [
        (TASKS, {"task": "key2"}, BY_TASK),
        (BY_TASK, {"task": "key1"}, BY_TASK),
        ({m: [[a, 0], [b, 1]] for m, (a, b, _) in SCORES.items()},
         {"model": "key1", "run": "key2", "task": "key3"},
         {"1": {m: x[:2] for m, x in SCORES.items()},
          "2": {m: [0.0, 1.0] for m in SCORES}}),
        ({m: {"q1": x[0], "q2": x[1]} for m, x in SCORES.items()},
         {"item": "key2"}, {"": {m: x[:2] for m, x in SCORES.items()}}),
        ({m: {"accuracy": x, "loss": x[::-1]} for m, x in SCORES.items()},
         {"metric": "loss"}, {"": {m: x[::-1] for m, x in SCORES.items()}}),
    ],
)  # fmt: skip
def test_what_keys_are_is_said(dump, document, options, expected):
    table = read.scores(dump(document), **options)
    assert as_lists(table) == expected
    assert table.is_paired == ("item" in options)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (TASKS, r"key1 is 'lstm', 'cnn'; key2 is 'x', 'y'.* model, task, run, item"),
        (
            {m: {"q1": 1, "q2": 0} for m in "ab"},
            r"keys are.* such as model='key1'",
        ),
        ({"a": {"0": 1, "1": 0}, "b": {"0": 1, "1": 1}}, r"run or item each score is"),
        ({m: [[0.5, 0.6]] for m in "ab"}, r"key2 is '1'; key3|key1 is 'a', 'b'"),
    ],
)
def test_what_keys_may_be_is_asked(dump, document, message):
    with pytest.raises(TableError, match=message):
        read.scores(dump(document))


def test_a_file_for_each_model_has_no_keys_of_models(dump, tmp_path):
    """As rliable's: each file has the scores of a model, by game."""
    for model, of_model in TASKS.items():
        dump(of_model, f"{model}.json")
    with pytest.raises(TableError, match=r"key1 is 'x', 'y'.* with one of task"):
        read.scores(tmp_path)
    assert as_lists(read.scores(tmp_path, task="key1")) == {
        task: {"cnn": by["cnn"], "lstm": by["lstm"]} for task, by in BY_TASK.items()
    }


def test_large_numbers_of_items_stay_apart(write):
    rows = "".join(f"{2**53 + k},{k % 2},{k % 3 > 0:d}\n" for k in range(4))
    table = read.scores(write(f"item,a,b\n{rows}"), item="item")
    assert table.ids[""]["a"] == tuple(str(2**53 + k) for k in range(4))
    assert np.array_equal(table.scores["b"], [0, 1, 1, 0])


DRAW = np.random.default_rng(0)


@pytest.fixture
def save(tmp_path):
    def save(**arrays):
        np.savez(tmp_path / "t.npz", **arrays)
        return tmp_path / "t.npz"

    return save


def test_an_array_for_each_model(save):
    arrays = {"a": DRAW.random(4), "b": DRAW.random(5)}
    expected = {name: x.tolist() for name, x in arrays.items()}
    assert as_lists(read.scores(save(**arrays))) == {"": expected}
    with pytest.raises(TableError, match=r"got nan"):
        read.scores(save(a=np.asarray([0.5, np.nan]), b=np.asarray([0.5, 0.6])))


def test_runs_and_tasks_as_rliable_has_them(save):
    arrays = {name: DRAW.random((3, 2)) for name in "ab"}
    with pytest.raises(TableError, match=r"key2 is '1', '2', '3'; key3 is '1', '2'"):
        read.scores(save(**arrays))
    table = read.scores(save(**arrays), model="key1", run="key2", task="key3")
    for k, task in enumerate(("1", "2")):
        for name, x in arrays.items():
            assert np.array_equal(table.tasks[task][name], x[:, k])


def test_what_is_refused(save, tmp_path):
    np.save(tmp_path / "t.npy", DRAW.random(3))
    with pytest.raises(TableError, match=r"a name for each array; .* np.savez\("):
        read.scores(tmp_path / "t.npy")
    np.save(tmp_path / "d.npy", {"a": DRAW.random(3)}, allow_pickle=True)
    with pytest.raises(TableError, match=r"objects of Python.*allow_pickle=True\)"):
        read.scores(tmp_path / "d.npy")
    with pytest.raises(TableError, match=r"'b' of shape \(2,\) and dtype <U1"):
        read.scores(save(a=DRAW.random(2), b=np.asarray(["x", "y"])))
    with pytest.raises(TableError, match=r"as many axes, three at most; got a \(2,\)"):
        read.scores(save(a=DRAW.random(2), b=DRAW.random((2, 2))))
    (tmp_path / "bad.npz").write_bytes(b"PK")
    with pytest.raises(TableError, match=r"expected arrays of numbers; got"):
        read.scores(tmp_path / "bad.npz")


def test_rows_of_one_key_are_taken(write, tmp_path):
    """Its level is then no longer asked about."""
    for model in "ab":
        text = json.dumps({"x": [DRAW.random()] * 3, "y": [0.5] * 3})
        (tmp_path / f"{model}.json").write_text(text)
    with pytest.raises(TableError, match="key1 is 'x', 'y'"):
        read.scores(tmp_path)
    table = read.scores(tmp_path, where={"key1": ["y"]}, run="key2")
    assert as_lists(table) == {"": {"a": [0.5] * 3, "b": [0.5] * 3}}
