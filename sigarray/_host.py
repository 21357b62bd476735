"""Numbers on the host and names, for pictures and tables, and results in notebooks."""

import html
import itertools
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from sigarray._backend.checks import describe, represent
from sigarray._backend.dispatch import is_array, is_traced, to_host
from sigarray._plain_text import show_number

_MOST_ROWS = 20
_DIGITS = 4
_CELL = 'style="text-align: right"'


def copy_array(x: Any) -> np.ndarray:
    if is_traced(x):
        msg = (
            "Expected numbers; got a traced array of JAX. Return the result from the "
            "jitted function, and pass that."
        )
        raise TypeError(msg)
    msg = f"Expected real numbers; got {describe(x)}"
    try:
        values = to_host(x) if is_array(x) else np.asarray(x)
        if values.dtype.kind not in "cmMSTU":  # which NumPy would make numbers of
            return values.astype(np.float64, copy=False)
        msg += f" of dtype {values.dtype}."
    except (TypeError, ValueError) as error:
        msg += f", of which NumPy says: {error}"
        raise TypeError(msg) from error
    raise TypeError(msg)


def check_matrix(x: Any) -> None:
    if x.ndim != 2:
        msg = (
            f"Expected the result of one batch entry, of shape (K, K); got shape "
            f"{x.shape}. Pass one of them: type(result)(*(x[0] for x in result))."
        )
        raise ValueError(msg)


def copy_bounds(result: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the bounds of `multi_aso` on the host, and which pairs were not compared.

    Those that have no baseline, with one: they have no p-value, and their bound is NaN
    here.
    """
    bounds, p_values = copy_array(result.eps_min), copy_array(result.pvalue)
    is_left = np.isnan(p_values) & ~np.isnan(copy_array(result.violation_ratio))
    return np.where(is_left, np.nan, bounds), is_left


def choose_names(
    names: Any, n: int, given: Iterable[Hashable] | None = None
) -> list[Hashable]:
    """Return the caller's names, or else those of the data, or their places."""
    if names is None:
        return list(range(n)) if given is None else list(given)
    if isinstance(names, (str, bytes)) or not isinstance(names, Iterable):
        msg = f"Expected names to be a sequence of {n} names; got {describe(names)}."
        raise TypeError(msg)
    chosen = list(names)
    if len(chosen) != n or len(set(chosen)) < n:
        shown = ", ".join(map(represent, chosen))
        msg = f"Expected {n} names that differ; got [{shown}]."
        raise ValueError(msg)
    return chosen


def list_columns_of_ranks(result: Any) -> dict[str, Any]:
    """Return the columns (..., K) of a `RankResult`: a row for each model."""
    low, high = result.confidence_interval
    columns = {"rank": result.rank, "low": low, "high": high}
    n_models = result.rank.shape[-1]
    return columns | {
        f"probability_{k + 1}": result.probability[..., k] for k in range(n_models)
    }


def draw_result(result: Any, columns: dict[str, Any] | None = None) -> str | None:
    """Return a table with a row for each entry of a batch, at most twenty.

    Columns are arrays by their names, by default those of the result.

    This copies the arrays of the result to the host, when it is shown and not before.
    None for arrays that are traced, which have no numbers: then its text is shown.
    """
    columns = _flatten(result) if columns is None else columns
    if any(is_traced(x) for x in columns.values()):
        return None
    arrays = [copy_array(x) for x in columns.values()]
    shape = np.broadcast_shapes(*(x.shape for x in arrays))
    rows = np.stack([np.broadcast_to(x, shape).reshape(-1) for x in arrays], axis=-1)
    # The places of an entry on the axes of the batch.
    places = (f"[{', '.join(map(str, place))}]" for place in np.ndindex(shape))
    every = zip(places, rows[:_MOST_ROWS], strict=False)
    texts = (
        [place] * bool(shape) + [show_number(x, _DIGITS) for x in row.tolist()]
        for place, row in every
    )
    header = [""] * bool(shape) + list(columns)
    return draw_rows(type(result).__name__, header, texts, len(rows))


def draw_rows(
    caption: str, header: list[str], rows: Iterable[list[str]], n_all: int
) -> str:
    """Return a table of `n_all` rows, at most twenty of which are shown."""
    shown = itertools.islice(rows, _MOST_ROWS)
    table = "".join([_draw_row(header, "th"), *(_draw_row(x, "td") for x in shown)])
    more = n_all - _MOST_ROWS
    left_out = f"<p>and {more} more</p>" if more > 0 else ""
    return f"<table><caption>{html.escape(caption)}</caption>{table}</table>{left_out}"


def _flatten(result: Any, prefix: str = "") -> dict[str, Any]:
    """Return the arrays of a result and of those in it, by their names."""
    flat: dict[str, Any] = {}
    for name, value in result._asdict().items():
        if hasattr(value, "_asdict"):
            flat |= _flatten(value, f"{prefix}{name}.")
        else:
            flat[f"{prefix}{name}"] = value
    return flat


def _draw_row(cells: list[str], kind: str) -> str:
    inner = "".join(f"<{kind} {_CELL}>{html.escape(x)}</{kind}>" for x in cells)
    return f"<tr>{inner}</tr>"
