"""Names that differ by case or spaces alone, and may be one, as typed by hand."""

from collections.abc import Iterable, Sequence

from sigarray.read._alignment import OF_RUNS
from sigarray.read._codes import find_first
from sigarray.read._frame import list_names, shorten
from sigarray.read._messages import Caution
from sigarray.read._records import Records
from sigarray.read._score_table import ScoreTable
from sigarray.read._text import TableError

_MAX_SHOWN = 3


def _simplify(name: object) -> str:
    return "".join(str(name).casefold().split())


def _find_alike(names: Iterable[str]) -> list[list[str]]:
    """Return the names of which there are several spellings, together."""
    alike: dict[str, list[str]] = {}
    for name in filter(None, names):
        alike.setdefault(_simplify(name), []).append(name)
    return [x for x in alike.values() if len(x) > 1]


def _say(alike: list[list[str]], what: str) -> str:
    shown = shorten([list_names(x) for x in alike], _MAX_SHOWN, by="; ")
    return (
        f"names of {what}s that differ by case or spaces alone were taken for several "
        f"{what}s: {shown}. If they are one, write it in one way"
    )


def say_alike_models(names: Iterable[str]) -> list[str]:
    """Say which models have names that differ by case or spaces alone."""
    alike = _find_alike(names)
    return [_say(alike, "model")] if alike else []


def say_alike_tasks(table: ScoreTable) -> list[str]:
    """Say so of tasks, or refuse them: of one task, they make several.

    Runs have names, and none has scores of two: then they are one.
    """
    alike = _find_alike([*table.tasks, *table.left_out])
    if not alike:
        return []
    if table.run_column is None or table.unit not in OF_RUNS:
        return [Caution(f"{table.source}: {_say(alike, 'task')}")]
    runs = [[y for task in x for y in _list_runs(table, task)] for x in alike]
    ones = [x for x, y in zip(alike, runs, strict=True) if _are_unique(y)]
    if ones:
        raise _refuse(ones, table.source, "task")
    return [_say(alike, "task")]


def _list_runs(table: ScoreTable, task: str) -> list[tuple[str, str]]:
    """List the models and runs that have a score of a task."""
    by = {x: y.runs for x, y in table.runs.get(task, {}).items()}
    return [(x, y) for x, z in (by or table.ids.get(task, {})).items() for y in z]


def _refuse(alike: list[list[str]], source: str, what: str) -> TableError:
    shown = shorten([list_names(x) for x in alike], _MAX_SHOWN, by="; ")
    return TableError(
        f"{source}: expected each {what} in one spelling; got names that differ by "
        f"case or spaces alone, and no run has scores of both: {shown}. Write each in "
        f"one way; or, where they are {what}s of their own, name them in other ways."
    )


def doubt_alike_units(records: Records, source: str) -> list[str]:
    """Refuse spellings of an item that no run has both of, and doubt clusters.

    In means over runs, such an item would count twice.
    """
    items = records.factors["item"]
    alike = _find_alike(items.list_known()) if records.has("run") else []
    if alike:
        some = records.take(items.find({y for x in alike for y in x})).compact()
        firsts = find_first(*some.group("task", "model", "run", "item"))
        by: dict[str, list[tuple[object, ...]]] = {}
        for x in map(some.__getitem__, firsts.tolist()):
            by.setdefault(_simplify(x.item), []).append((x.task, x.model, x.run))
        ones = [x for x in alike if _are_unique(by[_simplify(x[0])])]
        if ones:
            raise _refuse(ones, source, "item")
    alike = _find_alike(records.list_known("cluster"))
    return [f"{source}: {_say(alike, 'cluster')}"] if alike else []


def _are_unique(names: Sequence[object]) -> bool:
    return len({*names}) == len(names)
