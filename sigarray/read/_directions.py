"""Whether higher scores of a metric are better, as the caller says."""

from collections.abc import Collection, Mapping
from typing import Any

from sigarray._backend.checks import show
from sigarray._plain_text import suggest
from sigarray.read._columns import quote_names
from sigarray.read._frame import Names, list_names
from sigarray.read._text import TableError

# For all scores, or for those of each metric or task by its name; None if nothing is
# said.
Direction = bool | Mapping[str, bool] | None


def check_direction(said: Any) -> Direction:
    """Return what the caller says, if it is a flag, or one for each metric."""
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


def find_direction(
    said: Direction, metric: str, source: str, tasks: Collection[str] = ()
) -> bool | None:
    """Return whether higher scores are better, or None if that is not said.

    The names of several metrics are joined by ", ", as in a table of scores. If no
    metric is named, tasks may be.
    """
    if said is None or isinstance(said, bool):
        return said
    known = {x: said.get(x, said.get(x.split(",")[0])) for x in metric.split(", ")}
    are_tasks = bool(tasks) and {*known.values()} == {None}
    if are_tasks:
        known = {x: said.get(x) for x in tasks}
    found = {*known.values()}
    if len(found) == 1:
        return found.pop()
    lower = [x for x, is_higher in known.items() if is_higher is False]
    others = [x for x in known if x not in lower]
    if not lower:
        return None
    if are_tasks:
        raise ask_about_tasks(source, lower, others)
    msg = (
        f"{source}: expected scores of one direction; got {lower[0]!r}, of which "
        f"lower is better, beside {others[0]!r}. Choose one with --metric, or tasks of "
        "one with --tasks."
    )
    raise TableError(msg)


def refuse_other_names(
    said: Direction, known: Collection[Any], source: str, got: str
) -> None:
    """Refuse names of which none is known: one with a typing error turns no score."""
    if isinstance(said, Mapping) and said and said.keys().isdisjoint(known):
        names = [x for x, is_higher in said.items() if not is_higher] or [*said]
        msg = (
            f"{source}: expected names of metrics, or tasks, for --lower-is-better; "
            f"got {list_names(names)}, and {got}.{suggest(names[0], known)} Where all "
            "scores are losses, pass --lower-is-better alone."
        )
        raise TableError(msg)


def ask_about_tasks(source: str, lower: Names, others: Names) -> TableError:
    """Return the error for tasks with losses beside others."""
    return TableError(
        f"{source}: expected tasks of one direction; got {lower[0]!r}, of which lower "
        f"is better, beside {others[0]!r}. Compare those of one direction at a time: "
        f"--tasks {quote_names(lower)} with --lower-is-better, and --tasks "
        f"{quote_names(others)} without it."
    )


def contradict(source: str, metric: str, *, is_higher: bool, by: str) -> TableError:
    """Return the error for a direction that is not the one that is known, by a tool."""
    known, said = ("higher", "lower") if is_higher else ("lower", "higher")
    return TableError(
        f"{source}: expected the direction of {metric!r} as {by}, {known} is better; "
        f"got the other one. Leave out --{said}-is-better."
    )
