"""Predictions and the truth, in a table with a row for each: these are no scores."""

import re
from collections.abc import Mapping

from sigarray._plain_text import squeeze
from sigarray.read._bytes import TableError
from sigarray.read._cells import encode_texts
from sigarray.read._frame import Frame, find_roles, find_score, list_metrics
from sigarray.read._words import MAYBE_TRUTHS, METRICS, TRUTHS

_PREDICTION = re.compile(
    r"y?(hat|pred(s|icted|ictions?)?)(label|class|answer|value)?s?"
    r"|(model|label|class)?(pred(s|icted)?|predictions?)"
)
# With fewer values, scores of right and wrong may look like those of the truth.
_MIN_CLASSES = 3


def refuse_predictions(
    frame: Frame, chosen: Mapping[str, str], metric: str | None
) -> None:
    """Refuse to take predictions, or the truth, for scores."""
    if frame.metrics is not None or "score" in chosen or not frame.lines:
        return
    roles = find_roles(frame, chosen)
    column: str | None
    try:
        column = find_score(frame, roles, metric)
    except TableError:
        column = _find_only(frame, roles) if metric is None else None
    if column is not None and _is_prediction(frame, roles, column):
        msg = (
            f"{frame.source}: expected scores; got {column!r}, which seems to be of "
            "predictions, or the truth. Write a column of whether each prediction is "
            "right, as 1 or 0, or of another score of it, and name it with --metric; "
            f"or pass --score {column} where it is one."
        )
        raise TableError(msg)


def _find_only(frame: Frame, roles: Mapping[str, str]) -> str | None:
    """Return a column of predictions, if no other one may be the score."""
    names = list_metrics(frame, roles) or [
        x for x in frame.columns if _PREDICTION.fullmatch(squeeze(x))
    ]
    predictions = [x for x in names if _is_prediction(frame, roles, x)]
    return predictions[-1] if predictions and len(predictions) == len(names) else None


def _is_prediction(frame: Frame, roles: Mapping[str, str], column: str) -> bool:
    name = squeeze(column)
    others = [x for x in frame.columns if x not in {*roles.values(), column}]
    if _PREDICTION.fullmatch(name):
        return True
    if name in TRUTHS | MAYBE_TRUTHS:
        return any(_PREDICTION.fullmatch(squeeze(x)) for x in others)
    if name in METRICS:
        return False
    truths = [frame.columns[x] for x in others if squeeze(x) in TRUTHS]
    if not truths:
        return False
    values = {*encode_texts(frame.columns[column]).list_known()}
    return len(values) >= _MIN_CLASSES and any(
        values <= {*encode_texts(cells).list_known()} for cells in truths
    )
