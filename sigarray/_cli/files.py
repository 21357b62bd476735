"""The files of a command: what it reads, or an example, and what it writes."""

import argparse
import contextlib
import importlib.resources
import io
import os
import select
import stat
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sigarray._cli.options import PICTURES, STATISTICS, join_values
from sigarray._cli.running import complain, tell
from sigarray._verdicts.inspection import (
    inspect_direction,
    inspect_table,
    settle_direction,
)
from sigarray.read._messages import OR_WORST, warn
from sigarray.read._score_table import Choice, Direction, ScoreTable
from sigarray.read._scores import read_sources
from sigarray.read._sums import read_sums
from sigarray.read._text import TableError
from sigarray.read._wide_files import (
    MAX_READ,
    is_wide_store,
    open_stored,
    refuse_counts,
)

# For input that comes later than this, the user passes "-".
_SECONDS = 30.0


def has_input() -> bool:
    """Tell whether standard input has something to read.

    A terminal, /dev/null, a socket and a closed one have not.
    """
    try:
        number = sys.stdin.fileno()
        about = os.fstat(number)
    except (AttributeError, OSError, ValueError):
        return False
    if not stat.S_ISFIFO(about.st_mode):
        return stat.S_ISREG(about.st_mode) and _has_more()
    try:
        is_ready = bool(select.select([number], [], [], _SECONDS)[0])
    except OSError:  # On Windows, select takes sockets only.
        is_ready = True
    if not is_ready:
        msg = (
            "Expected scores at standard input, which is a pipe; got nothing within "
            f"{_SECONDS:g} seconds. Pass FILE, or - to wait longer, or < /dev/null for "
            "the example."
        )
        raise ValueError(msg)
    return _has_more()


def _has_more() -> bool:
    buffer = sys.stdin.buffer
    return isinstance(buffer, io.BufferedReader) and bool(buffer.peek(1))


_SCORES = "digits.csv"
# The roles of columns, which are also the names of options.
ROLES = ("model", "item", "run", "task", "cluster", "score")
# The most models, for every two are compared.
MAX_MODELS = 1000


def read_models(
    options: argparse.Namespace,
    *,
    is_paired: bool = False,
    has_worst: bool = True,
    min_models: int = 2,
    max_models: int = MAX_MODELS,
) -> ScoreTable:
    columns = {role: getattr(options, role) for role in ROLES}
    direction = read_direction(options)
    pattern = _find_pattern(options)
    choice = Choice(
        metrics=options.metric or (),
        columns={role: name for role, name in columns.items() if name is not None},
        models=options.columns if pattern is None else None,
        pattern=pattern,
        tasks=options.tasks,
        where=join_values(options.where),
        fold=options.fold,
        path=options.path,
        table=options.table,
        ignored=options.ignore,
        unit=options.unit,
        is_paired=is_paired,
        drop_unmatched=options.drop_unmatched,
        missing=options.missing,
        higher_is_better=direction,
        min_models=min_models,
        max_models=max_models,
    )
    files = options.files or (["-"] if has_input() else [])
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
    not_offered = "" if has_worst and options.fold is None else OR_WORST
    try:
        if options.statistic in STATISTICS:
            _refuse_statistic(options.statistic, files)
            table = read_sums(files, choice, options.statistic)
        elif files:
            table = read_sources(files, choice)
        else:
            with open_table(None, _SCORES) as (source, path):
                table = read_sources([path], choice)._replace(source=source, notes=())
    except TableError as error:
        if OR_WORST not in str(error):
            raise
        raise TableError(str(error).replace(not_offered, "")) from error
    for note in table.notes:
        tell(type(note)(f"{note.replace(not_offered, '').rstrip('.')}."))
    for doubt in table.doubts:
        warn(f"{doubt.replace(not_offered, '')}.")
    direction = settle_direction(table, direction)
    options.lower_is_better = direction is False
    inspect_table(
        table, direction=direction, is_vouched=options.unit is not None, gate=gate or ""
    )
    return table


def _find_pattern(options: argparse.Namespace) -> str | None:
    """Return --columns if it is a pattern of names, such as '{model}_{run}'."""
    (name,) = options.columns if len(options.columns or ()) == 1 else ("",)
    return name if "{" in name and "}" in name else None


def _refuse_statistic(name: str, files: list[str]) -> None:
    if not files or "-" in files:
        got = "standard input" if files else "none"
        msg = (
            f"Expected a FILE for --statistic {name}, whose columns are read one by "
            f"one; got {got}."
        )
        raise ValueError(msg)


def read_direction(options: argparse.Namespace) -> Direction:
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
    if file is not None:
        yield "standard input" if file == "-" else file, file
        return
    complain("note", "no FILE given; this is the example that ships with sigarray")
    resource = importlib.resources.files("sigarray") / "data" / example
    with importlib.resources.as_file(resource) as path:
        yield example, path


def is_same_file(path: str, other: str) -> bool:
    try:
        return Path(path).samefile(other)
    except OSError:
        return False


def check_picture_file(path: str | None, files: Sequence[str]) -> None:
    check_target("--plot", path, PICTURES, files)
    if path is not None:
        from sigarray.plot._style import check_axes

        check_axes(None)  # of matplotlib, before anything is computed


def check_target(
    option: str, path: str | None, known: tuple[str, ...], files: Sequence[str]
) -> None:
    if path is None:
        return
    if not path.lower().endswith(known):
        msg = f"Expected {option} to end in {', '.join(known)}; got {path}."
        raise ValueError(msg)
    if any(is_same_file(path, file) for file in files):
        msg = f"Expected {option} to be another file than {path}, which is read."
        raise ValueError(msg)


# The most scores of all models that other tests read: 1 GiB.
_MAX_HELD = 2**27


def open_large(options: argparse.Namespace, most: int = _MAX_HELD) -> ScoreTable | None:
    """Return the models of a large file, without reading it; None for other files."""
    chosen = [role for role in ROLES if getattr(options, role) is not None]
    if (
        len(options.files) != 1
        or chosen
        or options.where
        or options.missing
        or _find_pattern(options)
        or isinstance(read_direction(options), dict)
        or not is_wide_store(options.files[0])
    ):
        return None
    (file,) = options.files
    stored = open_stored(
        file,
        options.columns,
        ignored=options.ignore,
        higher_is_better=not options.lower_is_better,
        max_models=MAX_MODELS,
    )
    n_scores = sum(map(len, stored.values()))
    if n_scores <= MAX_READ:
        return None
    asked = (options.margin, options.statistic)
    if options.test not in (None, "aso") or asked != (None, None):
        if n_scores <= most:
            return None
        msg = (
            f"Expected --test aso for more than {most:,} scores in {file}; there "
            f"are {n_scores:,}. Choose some with --columns."
        )
        raise ValueError(msg)
    if options.method not in (None, "auto"):
        msg = (
            f"Expected no --method of --test aso for more than {MAX_READ:,} scores in "
            f"{file}; there are {n_scores:,}. Choose some with --columns."
        )
        raise ValueError(msg)
    if options.dt is None:
        msg = (
            f"Expected --dt for more than {MAX_READ:,} scores in {file}; there "
            f"are {n_scores:,}. Pass --dt 0.005, to compare 199 quantiles of them."
        )
        raise ValueError(msg)
    if options.columns is None:
        refuse_counts(stored, file)
    scores: dict[str, Any] = dict(stored)
    table = ScoreTable(
        {"": scores},
        {},
        "run",
        is_paired=False,
        metric="score",
        kind="a table with a column for each model",
        source=file,
        notes=(),
    )
    gate = getattr(options, "fail_unless_better", None)
    direction = settle_direction(table, read_direction(options))
    inspect_direction(table, direction, gate or "")
    return table
