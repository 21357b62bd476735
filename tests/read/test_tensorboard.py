"""Event files, which torch's SummaryWriter wrote with TensorBoard."""

import pytest

from sigarray import read
from sigarray.read import TableError
from tests.read.tool_files import FILES

accumulator = pytest.importorskip(
    "tensorboard.backend.event_processing.event_accumulator"
)
FOLDER = FILES / "tensorboard_events"


def test_the_last_value_of_each_run():
    table = read.scores(FOLDER, metric="eval/acc")
    assert (table.unit, table.models) == ("run", ("bert", "gpt"))
    for model in table.models:
        expected = []
        for k in range(3):
            run = accumulator.EventAccumulator(str(FOLDER / f"{model}_seed{k}"))
            run.Reload()
            expected.append(run.Scalars("eval/acc")[-1].value)
        assert table.scores[model].tolist() == expected
        assert table.ids[""][model] == ("0", "1", "2")
    assert any("the last of each (40) for its score" in x for x in table.notes)


def test_what_is_asked_or_refused(tmp_path):
    with pytest.raises(TableError, match=r"one metric; got 'eval/acc', 'train/loss'"):
        read.scores(FOLDER)
    path = tmp_path / "run" / "events.out.tfevents.1.host.1.0"
    path.parent.mkdir()
    path.write_bytes(b"")
    with pytest.raises(TableError, match=r"expected scalars in its event files"):
        read.scores(tmp_path)
