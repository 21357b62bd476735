"""Whether higher scores of a metric are better, as the caller says."""

from collections.abc import Mapping

from sigarray.read._bytes import TableError

# For all metrics, or for each by its name; None if nothing is said.
Direction = bool | Mapping[str, bool] | None


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
