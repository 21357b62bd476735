"""Shared by the functions: scores of any library, checks, and a progress bar."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from sigarray._backend.checks import show

# A list, tuple, set or array of any library.
Scores = Any


def read_scores(name: str, scores: Scores) -> np.ndarray:
    """Copy one column of numbers from any library and device to NumPy."""
    if isinstance(scores, set | frozenset):
        scores = sorted(scores)
    if hasattr(scores, "tolist"):
        # This takes any device, and dtypes that NumPy lacks.
        scores = np.asarray(scores.tolist())
    if isinstance(scores, str | bytes) or not hasattr(scores, "__len__"):
        msg = f"Expected {name} to be a collection of numbers; got {show(scores)}."
        raise TypeError(msg)
    try:
        values = np.asarray(scores)
    except ValueError as error:  # rows of several lengths
        msg = f"Expected {name} to be one column of numbers; got {error}"
        raise TypeError(msg) from error
    require(values.size > 0, f"{name} to be non-empty", list(values.shape))
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        msg = (
            f"Expected {name} to be one column of numbers; got shape {values.shape}. "
            "Pass one model at a time."
        )
        raise TypeError(msg)
    if values.dtype.kind not in "biuf":
        msg = f"Expected {name} to be real numbers; got dtype {values.dtype}."
        raise TypeError(msg)
    return values.astype(np.float64)


def read_pairs(scores_a: Scores, scores_b: Scores) -> tuple[np.ndarray, np.ndarray]:
    a, b = read_scores("scores_a", scores_a), read_scores("scores_b", scores_b)
    require(
        len(a) == len(b),
        "scores_a and scores_b to be of one length, for they are pairs",
        f"{len(a)} and {len(b)}",
    )
    return a, b


def require(holds: bool, expectation: str, got: Any) -> None:
    """Raise what deep-significance asserts, even if Python runs without asserts."""
    if not holds:
        msg = f"Expected {expectation}; got {got}."
        raise AssertionError(msg)


def require_one(name: str, number: int) -> None:
    require(number >= 1, f"{name} to be at least 1", number)


@contextlib.contextmanager
def show_steps(total: int, is_shown: bool) -> Iterator[Callable[[], None]]:
    """Show a bar of `total` steps; the remaining ones are done at the end."""
    try:
        from tqdm import tqdm
    except ImportError:
        yield lambda: None
        return
    with tqdm(total=total, disable=not is_shown) as bar:
        yield lambda: bar.update(min(1, total - bar.n))
        bar.update(total - bar.n)
