"""Files of JSON and of JSON lines, and the tables within a document."""

import json

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
        with pytest.raises(TableError, match=r"one score of 'a' for run '0'; got ano"):
            read.scores(tmp_path, metric="eval_accuracy", **said)
