"""Event files of TensorBoard, read by TensorBoard itself."""

from pathlib import Path
from typing import Any

from sigarray.read._bytes import TableError
from sigarray.read._frame import Frame


def read_events(path: Path) -> Frame:
    """Return the scalars of a run by tag and step, the last value of each."""
    folder = str(path)
    try:
        from tensorboard.backend.event_processing import event_accumulator
        from tensorboard.util import tensor_util
    except ImportError as error:
        msg = (
            f"{folder}: expected tensorboard, to read it. Run: pip install tensorboard."
        )
        raise TableError(msg) from error
    events = event_accumulator.EventAccumulator(
        folder, size_guidance={"scalars": 0, "tensors": 0}
    )
    events.Reload()
    tags = events.Tags()
    values: dict[tuple[str, int], Any] = {}
    for tag in tags["scalars"]:
        values |= {(tag, x.step): x.value for x in events.Scalars(tag)}
    for tag in tags["tensors"]:  # as TensorFlow 2 writes scalars
        for x in events.Tensors(tag):
            array = tensor_util.make_ndarray(x.tensor_proto)
            if array.ndim == 0 and array.dtype.kind == "f":
                values[tag, x.step] = array.item()
    if not values:
        msg = f"{folder}: expected scalars in its event files; got none."
        raise TableError(msg)
    return Frame(
        "events of TensorBoard",
        folder,
        {
            "tag": [tag for tag, _ in values],
            "step": [step for _, step in values],
            "value": list(values.values()),
        },
        range(1, len(values) + 1),
        "scalar",
        roles={"metric": "tag", "step": "step", "score": "value"},
        metrics=("value",),
    )
