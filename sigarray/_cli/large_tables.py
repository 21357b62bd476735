"""Tables of Parquet and Arrow with more scores than are read at once."""

import argparse
from typing import Any

from sigarray._cli.inputs import MAX_MODELS, ROLES, read_direction
from sigarray._verdicts.inspection import inspect_direction, settle_direction
from sigarray.read._score_table import ScoreTable
from sigarray.read._stored import MAX_READ, is_wide_store, open_stored, refuse_counts

# The most scores of all models that other tests read: 1 GiB.
_MAX_HELD = 2**27


def open_large(options: argparse.Namespace, most: int = _MAX_HELD) -> ScoreTable | None:
    """Return the models of a large file, without reading it; None for other files.

    Other tests than that of orders read so many scores at most.

    Raises
    ------
    ValueError
        Options that need all scores at once.
    """
    chosen = [role for role in ROLES if getattr(options, role) is not None]
    if (
        len(options.files) != 1
        or chosen
        or options.where
        or options.missing
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
