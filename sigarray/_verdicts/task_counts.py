"""How many tasks are compared, of how many, and why not the others."""

from collections.abc import Mapping, Sequence

from sigarray._plain_text import list_in_words, quote
from sigarray._verdicts.comparison import Comparison
from sigarray._verdicts.notes import note
from sigarray.read._frame import shorten
from sigarray.read._messages import Caution
from sigarray.read._score_table import ScoreTable

_SHOWN = 3


def list_shared(table: ScoreTable) -> tuple[list[str], list[str]]:
    """Return the tasks with scores of all models, and those that are left out."""
    shared = [task for task, by in table.tasks.items() if {*table.models} <= {*by}]
    return shared, [*(x for x in table.tasks if x not in shared), *table.left_out]


def count_by_task(
    table: ScoreTable, tasks: Sequence[str]
) -> dict[str, tuple[int, ...]]:
    """Return the number of scores of each model on each task."""
    return {
        name: tuple(len(table.tasks[task][name]) for task in tasks)
        for name in table.models
    }


def count_tasks(compared: Mapping[str, Comparison]) -> str:
    """Count the tasks: of all that the files have, and those that all models have."""
    n, left_out = len(compared), next(iter(compared.values())).left_out
    said = say_of_all(n, len(left_out))
    lacking = _find_lacking(compared)
    if lacking:
        said += f", {n - len(lacking)} of them with scores of all models"
    return said


def say_left_out(compared: Mapping[str, Comparison]) -> list[str]:
    """Say in sentences which tasks are left out, of all or over tasks, and why."""
    lacking = _find_lacking(compared)
    said = [f"{line}." for line in next(iter(compared.values())).why_left_out]
    if not lacking:
        return said
    by_models: dict[tuple[str, ...], list[str]] = {}
    for task, models in lacking.items():
        by_models.setdefault(models, []).append(task)
    every = [
        f"{_name_few(models)} {'has' if len(models) == 1 else 'have'} no scores on "
        f"{_name_few(tasks)}"
        for models, tasks in by_models.items()
    ]
    n = len(compared) - len(lacking)
    rest = f", so that verdicts over tasks are on the other {n}" if n > 1 else ""
    return [*said, f"{shorten(every, _SHOWN, '; ')}{rest}."]


def note_lacking(compared: Mapping[str, Comparison]) -> None:
    """Tell the listener of tasks that some model lacks; reading has told of others."""
    if _find_lacking(compared):
        note(Caution(say_left_out(compared)[-1]))


def say_of_all(n: int, n_left_out: int) -> str:
    """Say on how many tasks verdicts over tasks are, of all that the files have."""
    return f"{n} of {n + n_left_out} tasks" if n_left_out else f"{n} tasks"


def _find_lacking(compared: Mapping[str, Comparison]) -> dict[str, tuple[str, ...]]:
    """Find the models that have no scores on a task."""
    names = dict.fromkeys(name for x in compared.values() for name in x.names)
    lacking = {
        task: tuple(name for name in names if name not in x.scores)
        for task, x in compared.items()
    }
    found = {task: models for task, models in lacking.items() if models}
    # Where every pair of models has tasks of its own, there are none over tasks.
    return found if len(found) < len(compared) else {}


def _name_few(names: list[str] | tuple[str, ...]) -> str:
    quoted = list(map(quote, names))
    if len(quoted) <= _SHOWN:
        return list_in_words(quoted)
    return f"{', '.join(quoted[:_SHOWN])} and {len(quoted) - _SHOWN} more"
