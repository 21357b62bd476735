"""The files of a command, or the examples that ship with the library."""

import argparse
import contextlib
import importlib.resources
from collections.abc import Iterator
from pathlib import Path

from sigarray._cli.messages import complain
from sigarray._cli.tables.scores import Scores, read_scores

_SCORES = "digits.csv"
# Every two are compared.
MAX_MODELS = 100


def read_models(
    options: argparse.Namespace, *, is_paired: bool = False, min_models: int = 2
) -> tuple[str, Scores]:
    """Give the name of the file, and the scores of the models that are chosen."""
    is_paired = is_paired or getattr(options, "paired", False)
    with open_table(options.file, _SCORES) as (source, path):
        scores = read_scores(
            path,
            options.columns,
            ignored=options.ignore,
            is_paired=is_paired,
            min_models=min_models,
            max_models=MAX_MODELS,
        )
    return source, scores


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
