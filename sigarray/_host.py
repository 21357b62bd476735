"""Numbers on the host, and names, for pictures and tables."""

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from sigarray._backend.checks import describe, represent
from sigarray._backend.dispatch import is_array, is_traced, to_host


def copy_array(x: Any) -> np.ndarray:
    """Return numbers of any library on the host, in float64."""
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
