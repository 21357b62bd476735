"""Whether higher or lower scores of a table are better, and what their names say."""

import re
import warnings
from collections.abc import Sequence

import numpy as np

from sigarray._plain_text import squeeze
from sigarray.read._directions import (
    Direction,
    ask_about_tasks,
    contradict,
    find_direction,
)
from sigarray.read._score_table import ScoreTable
from sigarray.read._words import (
    METRICS,
    find_mixed,
    is_loss,
    is_never_negative,
    list_words,
    looks_like_loss,
    names_loss,
)

# Names of scores, without spaces and punctuation, that do not say what these are.
_SAY_NOTHING = (
    "score",
    "scores",
    "value",
    "values",
    "metricvalue",
    "result",
    "results",
)


def settle_direction(table: ScoreTable, said: Direction) -> bool | None:
    """Return whether higher is better: as said now, or as the table was read.

    Raises
    ------
    ValueError
        The table has another direction, or metrics or tasks of both.
    """
    found = find_direction(said, table.metric, table.source, _list_tasks(table))
    known = table.higher_is_better
    if known is None or found in (None, known):
        return known if found is None else found
    raise contradict(
        table.source, table.metric, is_higher=known, by="the scores were read"
    )


def inspect_direction(table: ScoreTable, direction: bool | None, gate: str) -> None:
    """Ask for the direction of losses, which higher scores would turn round, or warn.

    Raises
    ------
    ValueError
        Losses by name, without a direction; names that may be of losses, for a gate;
        losses beside scores that are better if higher; negated losses of which lower
        is said to be better.
    """
    if direction is False:
        _refuse_negated(table)
    if direction is None:
        _refuse_mixed(table, table.metric.split(", "), list(table.tasks))
    elif not direction:
        _refuse_mixed(
            table,
            [x for x in table.metric.split(", ") if _is_known(x)],
            [x for x in table.tasks if _is_known(x)],
        )
    if direction is not None:
        return
    name = _find_loss(table)
    if name is not None:
        msg = (
            f"{table.source}: expected the direction of {name!r}, which seems to be a "
            "loss; got none. Pass --lower-is-better, or --higher-is-better where "
            "higher ones are better."
        )
        raise ValueError(msg)
    name = _name_scores(table)
    if not looks_like_loss(name):
        return
    if gate:
        msg = (
            f"Expected the direction of {name!r}, which may be a loss, for "
            f"--fail-unless-better {gate}; got none. Pass --lower-is-better or "
            "--higher-is-better."
        )
        raise ValueError(msg)
    warnings.warn(
        f"{name!r} may be a loss, and higher ones were taken for better: pass "
        "--lower-is-better where it is, or --higher-is-better.",
        UserWarning,
        stacklevel=2,
    )


def _refuse_negated(table: ScoreTable) -> None:
    """Refuse losses below zero, which are negated, as better if lower."""
    samples = [x for by in table.tasks.values() for x in by.values()]
    if not all(map(is_never_negative, table.metric.split(", "))) or not all(
        isinstance(x, np.ndarray) and x.size and x.max() <= 0 for x in samples
    ):
        return
    least = min(float(x.min()) for x in samples)
    if least < 0:
        msg = (
            f"{table.source}: expected values of {table.metric!r} of zero or more, of "
            f"which lower is better; got none above zero, and {least:g}: as of negated "
            "losses and of log-likelihoods, of which higher is better. Pass "
            "--higher-is-better, or write them without the sign."
        )
        raise ValueError(msg)


def _refuse_mixed(
    table: ScoreTable, metrics: Sequence[str], tasks: Sequence[str]
) -> None:
    """Refuse losses on some tasks beside scores that are better if higher on others."""
    mixed = find_mixed(metrics)
    if mixed is not None:
        loss, other = mixed
        msg = (
            f"{table.source}: expected scores of one direction; got {loss!r}, "
            f"which may be a loss, beside {other!r}. Choose one with --metric, or "
            "tasks of one with --tasks."
        )
        raise ValueError(msg)
    lower = [x for x in tasks if names_loss(x)]
    others = [x for x in tasks if x not in lower]
    if lower and others and not _is_known(table.metric):
        raise ask_about_tasks(table.source, lower, others)


def _find_loss(table: ScoreTable) -> str | None:
    """Return a name by which the scores are losses, hardly with a doubt."""
    losses = [x for x in table.metric.split(", ") if is_loss(x)]
    if not losses and not _is_known(table.metric):
        losses = [x for x in _list_tasks(table) if names_loss(x)]
    if not losses and _says_nothing(table.metric):
        of_rows = [x for by in table.where.values() if len(by) == 1 for x in by]
        losses = [x for x in (*of_rows, _name_file(table)) if names_loss(x)]
        # Columns by model and metric: a_loss, b_loss.
        ends = {re.split(r"[_./:]", x)[-1] for x in table.models if x[-1:].isalpha()}
        if not losses and len(ends) == 1 and names_loss(*ends):
            losses = [x for x in table.models if x not in ends][:1]
    return losses[0] if losses else None


def _name_scores(table: ScoreTable) -> str:
    """Return the name of the scores: for a table of models alone, that of the table."""
    if not _says_nothing(table.metric):
        return table.metric
    for names in (table.models, list(table.tasks)):
        if all(map(looks_like_loss, names)):
            return names[0]
    return _name_file(table)


def _list_tasks(table: ScoreTable) -> list[str]:
    return [x for x in table.tasks if x]


def _name_file(table: ScoreTable) -> str:
    """Return the name of the file, without its folder and its ending."""
    return re.split(r"[/\\]", table.source)[-1].partition(".")[0]


def _is_known(metric: str) -> bool:
    """Tell whether the name of scores is that of a metric."""
    return not _says_nothing(metric) and bool(list_words(metric) & METRICS)


def _says_nothing(metric: str) -> bool:
    return squeeze(metric) in _SAY_NOTHING
