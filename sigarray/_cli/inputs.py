"""The files of a command, or the examples that ship with the library."""

import argparse
import contextlib
import importlib.resources
import warnings
from collections.abc import Iterator
from pathlib import Path

from sigarray._cli.messages import complain, tell
from sigarray._cli.options.choices import STATISTICS
from sigarray._cli.options.shared import join_values
from sigarray._cli.standard_input import has_input
from sigarray._verdicts.inspection import inspect_table, settle_direction
from sigarray.read._directions import Direction
from sigarray.read._lm_eval import AVERAGES, SAMPLES
from sigarray.read._score_table import Choice, ScoreTable
from sigarray.read._scores import read_sources
from sigarray.read._sums import read_sums

_SCORES = "digits.csv"
# The roles of columns, which are also the names of options.
ROLES = ("model", "item", "run", "task", "cluster", "score")
# The most models, for every two are compared.
MAX_MODELS = 1000


def read_models(
    options: argparse.Namespace,
    *,
    is_paired: bool = False,
    min_models: int = 2,
    max_models: int = MAX_MODELS,
) -> ScoreTable:
    """Read the scores of the chosen models, and note what was decided."""
    columns = {role: getattr(options, role) for role in ROLES}
    choice = Choice(
        metrics=options.metric or (),
        columns={role: name for role, name in columns.items() if name is not None},
        models=options.columns,
        tasks=options.tasks,
        where=join_values(options.where),
        path=options.path,
        table=options.table,
        ignored=options.ignore,
        unit=options.unit,
        is_paired=is_paired,
        drop_unmatched=options.drop_unmatched,
        missing=options.missing,
        higher_is_better=read_direction(options),
        min_models=min_models,
        max_models=max_models,
    )
    files = options.files or (["-"] if has_input() else [])
    direction = read_direction(options)
    if isinstance(direction, dict) and not files:
        names = ",".join(direction)
        option = "higher" if direction[next(iter(direction))] else "lower"
        msg = (
            f"Expected a FILE with metrics for --{option}-is-better {names}; got none. "
            f"If {names} is a FILE, it does not exist."
        )
        raise ValueError(msg)
    gate = getattr(options, "fail_unless_better", None)
    if gate is not None and not files:
        msg = (
            f"Expected scores for --fail-unless-better {gate}; got no FILE, and "
            "nothing at standard input. Pass a FILE: an example passes no gate."
        )
        raise ValueError(msg)
    if options.statistic in STATISTICS:
        _refuse_statistic(options.statistic, files)
        table = read_sums(files, choice, options.statistic)
    elif files:
        table = read_sources(files, choice)
    else:
        with open_table(None, _SCORES) as (source, path):
            table = read_sources([path], choice)._replace(source=source, notes=())
    _refuse_averages(table)
    for note in table.notes:
        tell(type(note)(f"{note.rstrip('.')}."))
    for doubt in table.doubts:
        warnings.warn(f"{doubt}.", UserWarning, stacklevel=2)
    direction = settle_direction(table, direction)
    options.lower_is_better = direction is False
    inspect_table(
        table,
        direction=direction,
        is_vouched=options.unit is not None,
        gate=gate or "",
    )
    return table


def _refuse_statistic(name: str, files: list[str]) -> None:
    """Refuse a statistic without a file, which is read once for each column."""
    if not files or "-" in files:
        got = "standard input" if files else "none"
        msg = (
            f"Expected a FILE for --statistic {name}, whose columns are read one by "
            f"one; got {got}."
        )
        raise ValueError(msg)


def _refuse_averages(table: ScoreTable) -> None:
    """Refuse averages of lm-evaluation-harness, one of each model on each task."""
    sizes = [len(x) for by in table.tasks.values() for x in by.values()]
    if table.kind != AVERAGES or len(table.models) < 2 or max(sizes) > 1:
        return
    advice = f"Pass {SAMPLES}"
    if len(table.tasks) > 1:
        advice += (
            "; or compare models over tasks, where these stand for others like them, "
            "with --item task"
        )
    msg = (
        f"{table.source}: expected samples_*.jsonl of lm-evaluation-harness; got "
        "results_*.json alone, with the average of each model on each task, which "
        f"does not show how scores vary. {advice}."
    )
    raise ValueError(msg)


def read_direction(options: argparse.Namespace) -> Direction:
    """Return the direction of all scores, or of metrics by their names."""
    for names, is_higher in (
        (options.lower_is_better, False),
        (options.higher_is_better, True),
    ):
        if isinstance(names, list):
            return dict.fromkeys(names, is_higher)
    if options.lower_is_better or options.higher_is_better:
        return bool(options.higher_is_better)
    return None


@contextlib.contextmanager
def open_table(file: str | None, example: str) -> Iterator[tuple[str, str | Path]]:
    """Yield the name and the path of a file, or of an example."""
    if file is not None:
        yield "standard input" if file == "-" else file, file
        return
    complain("note", "no FILE given; this is the example that ships with sigarray")
    resource = importlib.resources.files("sigarray") / "data" / example
    with importlib.resources.as_file(resource) as path:
        yield example, path
