"""One line that says how a number was computed, and from which scores."""

import hashlib
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, unquote

import numpy as np

from sigarray._backend.checks import describe, flag
from sigarray._host import copy_array
from sigarray._version import __version__
from sigarray.report._tables import list_records

_START = "sigarray"
_DIGITS = 12
# The digits of results: other machines differ in the last ones.
_ROUNDED = ".5e"


def signature(
    scores: Mapping[Any, Any], result: Any, /, *, paired: bool = False, **options: Any
) -> str:
    """Say in one line how a result was computed, so that others can repeat it.

    Parameters
    ----------
    scores : mapping of arrays, shape (n,)
        Model -> its scores, on any device: they are copied to the host.
    result : result of any function, or sequence of numbers
        The result.
    paired : bool, default: False
        The scores of all models are in the order of their pairs. Otherwise their order
        is no part of the signature.
    **options
        The options: ``test="aso"``, ``n_resamples=1000``, ``seed=0`` and so on. None is
        left out.

    Returns
    -------
    str
        Such as ``sigarray:0.1.0|test:aso|seed:0|n:5,5|scores:...|result:...``. The last
        two are the start of a SHA-256 of the scores, in float64 with their names, and
        of the result, to six digits.

    Raises
    ------
    TypeError
        Scores that are no mapping, not real numbers, or traced.
    ValueError
        Scores of no model, of another shape, or pairs of unequal number.

    Examples
    --------
    >>> from sigarray import aso
    >>> from sigarray.report import signature
    >>> scores = {"a": [0.9, 0.8, 0.7], "b": [0.5, 0.4, 0.6]}
    >>> line = signature(scores, aso(*scores.values(), rng=0), test="aso", seed=0)
    >>> line.split("|")[1:4]
    ['test:aso', 'seed:0', 'n:3,3']
    """
    if not isinstance(scores, Mapping):
        msg = f"Expected a mapping of models to scores; got {describe(scores)}."
        raise TypeError(msg)
    columns = {str(name): copy_array(x) for name, x in scores.items()}
    _check_columns(columns, flag("paired", paired))
    fields = {key: str(x) for key, x in options.items() if x is not None}
    if paired:
        fields["paired"] = "yes"
    sizes = [str(x.size) for x in columns.values()]
    fields["n"] = ",".join(sizes) if len(sizes) <= _DIGITS else f"{len(sizes)} models"
    fields["scores"] = digest_scores({"": columns}, paired=paired)
    fields["result"] = digest_numbers(_list_numbers(result))
    return write_signature(fields)


def _check_columns(columns: Mapping[str, np.ndarray], paired: bool) -> None:
    """Raise unless there are scores of each model, as many of each for pairs."""
    shapes = {name: x.shape for name, x in columns.items()}
    if not columns or any(len(x) != 1 or 0 in x for x in shapes.values()):
        msg = f"Expected scores of one model or more, of shape (n,); got {shapes}."
        raise ValueError(msg)
    if paired and len(set(shapes.values())) > 1:
        msg = (
            f"Expected as many scores of each model, for they are pairs; got {shapes}. "
            "Pass paired=False for independent samples."
        )
        raise ValueError(msg)


def write_signature(fields: Mapping[str, str]) -> str:
    """Return the line, with escapes so that names cannot be misread."""
    parts = {_START: __version__} | dict(fields)
    return "|".join(f"{key}:{quote(x, safe=' ,.+-()/_')}" for key, x in parts.items())


def read_signature(line: str) -> dict[str, str]:
    """Return the fields of a line, which may be as a report has it."""
    fields: dict[str, str] = {}
    faults = []
    for part in line.strip().removeprefix("Signature:").strip("` ").split("|"):
        key, colon, text = part.partition(":")
        if not colon or key in fields:
            faults.append(f"{part[:60]!r} in it")
        fields[key] = unquote(text)
    of_digest = f"[0-9a-f]{{{_DIGITS}}}"
    for name, form in ((_START, ".+"), ("scores", of_digest), ("result", of_digest)):
        if not re.fullmatch(form, fields.get(name, "")):
            part = f"{name}:{fields.get(name)}"[:60]
            faults.append(f"{part!r} in it" if name in fields else f"no {name!r} in it")
    if not faults:
        return fields
    msg = (
        f"Expected a signature, such as {_START}:0.1.0|test:aso|...|scores:...|"
        f"result:..., to its end; got one with {faults[0]}. Quote it, for a shell "
        "takes | for a pipe."
    )
    raise ValueError(msg)


def digest_scores(
    tasks: Mapping[str, Mapping[str, np.ndarray]], *, paired: bool
) -> str:
    """Return a digest of scores by task and model, whatever their order."""
    digest = hashlib.sha256()
    for task in sorted(tasks):
        for model in sorted(tasks[task]):
            scores = tasks[task][model].astype("<f8") + 0.0  # without -0.0
            ordered = scores if paired else np.sort(scores)
            for part in (task.encode(), model.encode(), ordered.tobytes()):
                digest.update(len(part).to_bytes(8, "little") + part)
    return digest.hexdigest()[:_DIGITS]


def digest_numbers(numbers: list[float]) -> str:
    """Return a digest of numbers, to six digits."""
    text = " ".join(format(x + 0.0, _ROUNDED) for x in numbers)
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def _list_numbers(result: Any) -> list[float]:
    return [
        x
        for record in list_records(result, None)
        for x in record.values()
        if isinstance(x, float)
    ]
