"""Details of lighteval: the numbers are its own."""

import pytest

from sigarray import read
from tests.read.tool_files import FILES


def test_lighteval():
    parquet = pytest.importorskip("pyarrow.parquet")
    table = read.scores(FILES / "lighteval", metric="em", drop_unmatched=True)
    (task,) = table.tasks
    assert task == "toy_qa|0"
    for model in ("model-a", "model-b"):
        (path,) = (FILES / "lighteval" / model).glob("*toy_qa*")
        rows = parquet.read_table(path).to_pylist()
        known = {x["doc"]["id"]: float(x["metric"]["em"]) for x in rows}
        scores = dict(
            zip(table.ids[task][model], table.tasks[task][model], strict=True)
        )
        assert scores == {x: known[x] for x in scores}
        assert len(scores) == 7
