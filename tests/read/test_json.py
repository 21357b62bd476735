"""Files of JSON, the tables within a document, nested scores, and NumPy's files."""

import json

import numpy as np
import pandas as pd
import pytest

from sigarray import read
from sigarray.read import TableError
from tests.read.long_tables import as_lists
from tests.read.tool_files import FILES


class TestJson:
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ('{"a": 1', r"line 1, column 8: not JSON"),
            ("[1, 2]", r"got a list of int"),
            ("[]", r"got an empty list"),
            ("{}", r"got an empty mapping"),
            ('{"a": {"b": ["x"]}}', r"a mapping with keys 'a'.* lines of pandas"),
            ('{"a": [{"b": 1}], "c": {"d": [{}]}}', r"tables 'a', 'c.d'.* table="),
            ('{"a": [1], "a": [2]}', r"each key of a mapping once; got 'a' twice"),
            ("[" * 100_000, r"brackets within brackets|not JSON"),
        ],
    )
    def test_wrong_documents(self, write, text, message):
        with pytest.raises(TableError, match=message):
            read.scores(write(text, "t.json"))

    def test_wrong_lines(self, write):
        with pytest.raises(TableError, match=r"line 2, column 1: not JSON"):
            read.scores(write('{"model": "a", "score": 1}\nx\n', "t.jsonl"))
        with pytest.raises(TableError, match=r"line 2: expected a record in braces"):
            read.scores(write('{"model": "a", "score": 1}\n[1]\n', "t.jsonl"))

    def test_a_mapping_of_models(self, write):
        path = write(json.dumps({"a": [1, 0.5], "b": [2.5]}), "t.json")
        assert as_lists(read.scores(path)) == {"": {"a": [1, 0.5], "b": [2.5]}}
        with pytest.raises(TableError, match=r"as many scores of each model"):
            read.scores(path, paired=True)

    def test_mappings_within_records(self, write):
        records = [{"model": m, "metrics": {"acc": k}} for k, m in enumerate("ab")]
        table = read.scores(write(json.dumps(records), "t.json"))
        assert table.metric == "metrics.acc"
        assert read.scores(write(json.dumps(records), "t.json"), metric="acc").models


# The keys of `promptfoo eval --output results.json`, without most of them.
PROMPTFOO = {
    "evalId": "eval-1",
    "results": {
        "prompts": [{"provider": p, "metrics": {"score": 1}} for p in "ab"],
        "results": [
            {"provider": {"id": p}, "testIdx": k, "score": (k + i) % 3 % 2, "vars": {}}
            for k in range(6)
            for i, p in enumerate("ab")
        ],
    },
}


# Those of EvalPlus 0.3.1, `{model}_eval_results.json`.
EVALPLUS = {
    "date": "2024-01-01",
    "eval": {
        f"HumanEval/{k}": [{"solution": "", "base_status": "fail" if k else "pass"}]
        for k in range(3)
    },
}


# Those of MTEB 2.26, `{model}/{revision}/{task}.json`.
MTEB = {
    "task_name": "STS12",
    "evaluation_time": 3.5,
    "scores": {"test": [{"main_score": 0.5, "hf_subset": "default"}]},
}


@pytest.fixture
def dump(write):
    return lambda document, name="t.json": write(json.dumps(document), name)


def test_records_at_a_key(dump):
    with pytest.raises(
        TableError, match=r"tables 'results.prompts', 'results.results'"
    ):
        read.scores(dump(PROMPTFOO))
    table = read.scores(
        dump(PROMPTFOO), table="results.results", model="provider.id", item="testIdx",
        metric="score",
    )  # fmt: skip
    expected = {"a": [0, 1, 0, 0, 1, 0], "b": [1, 0, 0, 1, 0, 0]}
    assert as_lists(table) == {"": expected}
    assert table.unit == "item"


def test_records_by_keys(dump, tmp_path):
    for name in ("m1", "m2"):
        dump(EVALPLUS, f"{name}.json")
    table = read.scores(tmp_path, table="eval", item="key1", metric="base_status")
    assert as_lists(table) == {"": {"m1": [1.0, 0.0, 0.0], "m2": [1.0, 0.0, 0.0]}}
    assert table.ids[""]["m1"] == ("HumanEval/0", "HumanEval/1", "HumanEval/2")
    timeout = json.dumps(EVALPLUS).replace("fail", "timeout", 1)
    dump(json.loads(timeout), "m1.json")
    with pytest.raises(TableError, match=r"column 'base_status'.* got 'timeout'"):
        read.scores(tmp_path, table="eval", item="key1", metric="base_status")


def test_what_is_around_records_names_their_task(dump, tmp_path):
    for model in ("a", "b"):
        for task in ("STS12", "STS13"):
            folder = tmp_path / model / "rev"
            folder.mkdir(parents=True, exist_ok=True)
            text = json.dumps(MTEB | {"task_name": task})
            (folder / f"{task}.json").write_text(text)
    path = "{model}/*/*.json"
    said = {"path": path, "table": "scores.test", "metric": "main_score"}
    table = read.scores(tmp_path, **said)
    assert as_lists(table) == {
        task: {"a": [0.5], "b": [0.5]} for task in ("STS12", "STS13")
    }
    over = read.scores(tmp_path, **said, item="task_name")
    assert over.ids[""]["a"] == ("STS12", "STS13")


def test_documents_of_a_folder_without_the_table_are_left_out(dump, tmp_path):
    meta = {"name": "org/a", "n_parameters": 10, "languages": ["eng-Latn"]}
    said = {"path": "{model}/*/*.json", "table": "scores.test", "metric": "main_score"}
    paths = []
    for model in ("a", "b"):
        folder = tmp_path / model / "rev"
        folder.mkdir(parents=True)
        paths.append(folder / "model_meta.json")
        paths[-1].write_text(json.dumps(meta))
    with pytest.raises(TableError, match=r"meta.json: .* a key of it for table"):
        read.scores(tmp_path, **said, item="task_name")
    for model in ("a", "b"):
        for task in ("STS12", "STS13"):
            text = json.dumps(MTEB | {"task_name": task})
            (tmp_path / model / "rev" / f"{task}.json").write_text(text)
    table = read.scores(tmp_path, **said, item="task_name")
    assert table.ids[""]["a"] == table.ids[""]["b"] == ("STS12", "STS13")
    left = "left out, without --table scores.test: 'a/rev/model_meta.json', 'b/rev/mo"
    assert any(x.startswith(left) for x in table.notes)
    with pytest.raises(TableError, match=r"meta.json: .* a key of it for table"):
        read.scores(tmp_path / "a", paths[1], table="scores.test", metric="main_score")


def test_a_part_is_read_like_a_document(dump):
    document = {"config": {"lr": 1}, "scores": {"a": [0.1, 0.2], "b": [0.3, 0.4]}}
    table = read.scores(dump(document), table="scores")
    assert as_lists(table) == {"": document["scores"]}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "t.json",
            json.dumps(PROMPTFOO),
            r"a key of it for table; got 'x'.* 'results.",
        ),
        (
            "t.csv",
            "a,b\n.1,.2\n",
            r"workbook of Excel or a document of JSON, for table='x'",
        ),
    ],
)
def test_no_such_table(write, name, text, message):
    with pytest.raises(TableError, match=message):
        read.scores(write(text, name), table="x")


class TestTrainer:
    """Output folders of Hugging Face's Trainer."""

    FOLDER = FILES / "trainer"

    def test_results_of_runs(self):
        path = "{model}_seed{run}/all_results.json"
        table = read.scores(self.FOLDER, path=path, metric="eval_accuracy")
        for model in ("big", "small"):
            files = [self.FOLDER / f"{model}_seed{k}" for k in range(3)]
            known = [json.loads((x / "all_results.json").read_text()) for x in files]
            expected = [x["eval_accuracy"] for x in known]
            assert table.scores[model].tolist() == expected
            assert table.ids[""][model] == ("0", "1", "2")

    def test_the_state_of_a_run(self, tmp_path):
        state = self.FOLDER / "big_seed0" / "trainer_state.json"
        with pytest.raises(TableError, match=r"It has tables 'log_history'"):
            read.scores(state)
        for model in ("a", "b"):
            (tmp_path / f"{model}_seed0.json").write_text(state.read_text())
        said = {"path": "{model}_seed{run}.json", "table": "log_history"}
        history = json.loads(state.read_text())["log_history"]
        *_, last = (x["loss"] for x in history if "loss" in x)
        table = read.scores(tmp_path, metric="loss", **said)
        assert as_lists(table) == {"": {"a": [last], "b": [last]}}
        # The last step was evaluated twice.
        with pytest.raises(TableError, match=r"for run '0', step 16; got ano"):
            read.scores(tmp_path, metric="eval_accuracy", **said)


SCORES = {"lstm": [0.5, 0.25, 0.75], "cnn": [1.0, 0.125, 0.375]}
WIDE = pd.DataFrame(SCORES)
SEEDS = [f"seed{k}" for k in range(3)]
BY_SEED = {m: dict(zip(SEEDS, x, strict=True)) for m, x in SCORES.items()}
TASKS = {m: {"x": x, "y": x[::-1]} for m, x in SCORES.items()}
BY_TASK = {
    "x": SCORES,
    "y": {model: x[::-1] for model, x in SCORES.items()},
}


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
