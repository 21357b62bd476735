"""The files of a command, or the examples that ship with the library."""

import argparse
import contextlib
import importlib.resources
import re
import warnings
from collections.abc import Iterator
from pathlib import Path

from sigarray._cli.messages import complain
from sigarray._cli.standard_input import has_input
from sigarray.read._frame import list_names
from sigarray.read._score_table import Choice, ScoreTable
from sigarray.read._scores import read_sources
from sigarray.read._wide import Scores

_SCORES = "digits.csv"
# Words in the names of what is better where it is lower.
_LOSSES = {
    *("loss", "error", "errors", "err", "perplexity", "ppl", "nll", "bpb", "regret"),
    *("fid", "brier", "ece", "toxicity", "hallucination", "wrong", "time", "seconds"),
    *("wer", "cer", "ter", "mae", "mse", "rmse", "dist", "distance", "latency"),
}
# Of columns, which have options of these names.
ROLES = ("model", "item", "run", "task", "cluster", "score")
# Every two are compared.
MAX_MODELS = 100


def read_models(
    options: argparse.Namespace, *, is_paired: bool = False, min_models: int = 2
) -> ScoreTable:
    """Read the scores of the models that are chosen, and say what was decided."""
    columns = {role: getattr(options, role) for role in ROLES}
    choice = Choice(
        metric=options.metric,
        columns={role: name for role, name in columns.items() if name is not None},
        models=options.columns,
        tasks=options.tasks,
        ignored=options.ignore,
        unit=options.unit,
        is_paired=is_paired or getattr(options, "paired", False),
        drop_unmatched=options.drop_unmatched,
        min_models=min_models,
        max_models=MAX_MODELS,
    )
    files = options.files or (["-"] if has_input() else [])
    gate = getattr(options, "fail_unless_better", None)
    if gate is not None and not files:
        msg = (
            f"Expected scores for --fail-unless-better {gate}; got no FILE, and "
            "nothing at standard input. Pass a FILE: an example passes no gate."
        )
        raise ValueError(msg)
    if files:
        table = read_sources(files, choice)
    else:
        with open_table(None, _SCORES) as (source, path):
            table = read_sources([path], choice)._replace(source=source)
    for note in table.notes:
        complain("note", f"{note.rstrip('.')}.")
    for doubt in table.doubts:
        warnings.warn(f"{doubt}.", UserWarning, stacklevel=2)
    _check_direction(table, options)
    _check_scales(table)
    return table


def _check_scales(table: ScoreTable) -> None:
    """Warn of shares beside percentages, which no test would notice."""
    for task, by in table.tasks.items():
        ends = {name: (float(x.min()), float(x.max())) for name, x in by.items()}
        shares = [x for x, (low, high) in ends.items() if low >= 0.0 and high <= 1.0]
        percent = [x for x, (low, high) in ends.items() if low > 1.5 and high <= 100.0]
        if shares and percent and len(shares) + len(percent) == len(ends):
            a, b = shares[0], percent[0]
            place = f" on {task}" if task else ""
            warnings.warn(
                f"Scores of {a} are at most 1, and those of {b} above 1.5{place}: are "
                "they of one scale?",
                UserWarning,
                stacklevel=2,
            )


def _check_direction(table: ScoreTable, options: argparse.Namespace) -> None:
    """Refuse losses that are taken for gains, where the tool says so, or warn."""
    is_higher = not options.lower_is_better
    if table.higher_is_better not in (None, is_higher):
        direction = "lower" if is_higher else "higher"
        advice = "Pass" if is_higher else "Leave out"
        msg = (
            f"{table.source}: expected the direction of {table.metric!r} as its tool "
            f"has it, {direction} is better. {advice} --lower-is-better."
        )
        raise ValueError(msg)
    words = re.findall(r"[a-z]+", table.metric.lower())
    is_asked = is_higher and not options.higher_is_better
    if is_asked and table.higher_is_better is None and _LOSSES & set(words):
        if getattr(options, "fail_unless_better", None) is not None:
            msg = (
                f"Expected the direction of {table.metric!r}, which may be a loss, for "
                "--fail-unless-better; got none. Pass --lower-is-better or "
                "--higher-is-better."
            )
            raise ValueError(msg)
        warnings.warn(
            f"{table.metric!r} may be a loss, and higher ones were taken for better: "
            "pass --lower-is-better where it is.",
            UserWarning,
            stacklevel=2,
        )


def read_one_task(
    options: argparse.Namespace, *, is_paired: bool = False, min_models: int = 2
) -> tuple[str, Scores]:
    """Give the name of the file, and the scores of the models on its only task."""
    table = read_models(options, is_paired=is_paired, min_models=min_models)
    if len(table.tasks) > 1:
        names = list_names(table.tasks)
        msg = f"Expected one task; got {names}. Choose one with --tasks."
        raise ValueError(msg)
    return table.source, table.scores


@contextlib.contextmanager
def open_table(file: str | None, example: str) -> Iterator[tuple[str, str | Path]]:
    """Give a name and a path of a file, or of an example."""
    if file is not None:
        yield "standard input" if file == "-" else file, file
        return
    complain("note", "no FILE given; this is the example that ships with sigarray")
    resource = importlib.resources.files("sigarray") / "data" / example
    with importlib.resources.as_file(resource) as path:
        yield example, path


def check_sizes(source: str, scores: Scores) -> None:
    """Refuse models with one score, for a test that needs their variance."""
    for name, column in scores.items():
        if len(column) < 2:
            msg = (
                f"{source}: expected two scores or more of {name}; got {len(column)}. "
                "Run it with more seeds."
            )
            raise ValueError(msg)
