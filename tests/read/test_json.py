"""Documents of JSON, and lines of them."""

import json

import pytest

from sigarray import read
from sigarray.read import TableError
from tests.read.long_tables import as_lists


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
