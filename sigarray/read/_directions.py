"""Whether higher scores of a metric are better, as the caller says."""

from collections.abc import Mapping
from typing import Any

from sigarray._backend.checks import show
from sigarray.read._bytes import TableError

# For all metrics, or for each by its name; None if nothing is said.
Direction = bool | Mapping[str, bool] | None


def check_direction(said: Any) -> Direction:
    """Return what the caller says, if it is a flag, or one for each metric.

    Raises
    ------
    TypeError
        Another value.
    """
    if said is None or isinstance(said, bool):
        return said
    if isinstance(said, Mapping) and all(
        isinstance(name, str) and isinstance(is_higher, bool)
        for name, is_higher in said.items()
    ):
        return said
    msg = (
        "Expected higher_is_better to be True or False, or a mapping of metrics to "
        f"these, such as {{'loss': False}}; got {show(said)}."
    )
    raise TypeError(msg)


def find_direction(said: Direction, metric: str, source: str) -> bool | None:
    """Return whether higher scores are better, or None if that is not said.

    The names of several metrics are joined by ", ", as in a table of scores.

    Raises
    ------
    TableError
        Metrics of both directions.
    """
    if said is None or isinstance(said, bool):
        return said
    every = metric.split(", ")
    known = {x: said.get(x, said.get(x.split(",")[0])) for x in every}
    if len(set(known.values())) > 1:
        lower = [x for x, is_higher in known.items() if is_higher is False]
        others = [x for x in every if x not in lower]
        msg = (
            f"{source}: expected scores of one direction; got {lower[0]!r}, of which "
            f"lower is better, beside {others[0]!r}. Choose one with --metric, or "
            "tasks of one with --tasks."
        )
        raise TableError(msg)
    return known[every[0]]
