"""Scores of several models as the caller has them, as one array for each size."""

import itertools
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

import numpy as np

from sigarray._backend.aliases import Array
from sigarray._backend.checks import represent
from sigarray._backend.dispatch import is_traced, standardize
from sigarray._backend.given import looks_like_index
from sigarray._backend.library import Library, broadcast_shapes
from sigarray._backend.tables import standardize_tables
from sigarray._order.pairs import Stacks


def stack_models(scores: Any, axis: int) -> tuple[Library, Stacks, tuple[int, ...]]:
    """Return a stack (..., K, n) for each size of sample, and the places of models."""
    given = list_models(scores)
    xp, samples = standardize(*given, axis=axis)
    stacks, order = stack_by_size(xp, samples, is_one=given[0] is scores)
    return xp, stacks, order


def stack_tables(
    scores: Any, axes: tuple[int, int]
) -> tuple[Library, Stacks, tuple[int, ...], int]:
    """Return stacks of tables in rows, (..., K, S * n), places, and the n items."""
    given = list_models(scores)
    if given[0] is scores:
        check_place_of_models(scores, axes, lambda x: f"axis=({x[0]}, {x[1]})")
    xp, samples, n_items = standardize_tables(*given, axes=axes)
    stacks, order = stack_by_size(xp, samples, is_one=given[0] is scores)
    return xp, stacks, order, n_items


def list_models(scores: Any) -> list[Any]:
    """Return the arrays of all models, or the one that holds them.

    Raises
    ------
    ValueError
        Fewer than two arrays, in a list.
    """
    if not isinstance(scores, list):
        return [scores]
    if len(scores) < 2:
        msg = f"Expected scores of two or more models; got {len(scores)}."
        raise ValueError(msg)
    return scores


def stack_by_size(
    xp: Library, samples: list[Array], *, is_one: bool
) -> tuple[Stacks, tuple[int, ...]]:
    """Return stacks of samples (..., n), or of one (..., K, n), and places of models.

    Raises
    ------
    ValueError
        One sample without an axis of two or more models.
    """
    if is_one:
        (stack,) = samples
        if stack.ndim < 2 or stack.shape[-2] < 2:
            msg = (
                f"Expected scores of two or more models, shape (..., K, n); got shape "
                f"{tuple(stack.shape)} with the scores on the last axis."
            )
            raise ValueError(msg)
        return [stack], tuple(range(stack.shape[-2]))
    leading = broadcast_shapes(*(sample.shape[:-1] for sample in samples))
    samples = [xp.broadcast_to(x, (*leading, x.shape[-1])) for x in samples]
    sizes = [sample.shape[-1] for sample in samples]
    # Models are grouped by size, and sizes in the order of their first model.
    models = sorted(range(len(sizes)), key=lambda k: sizes.index(sizes[k]))
    stacks = [
        xp.stack([samples[k] for k in group], axis=-2)
        for _, group in itertools.groupby(models, key=lambda k: sizes[k])
    ]
    return stacks, tuple(models.index(k) for k in range(len(models)))


def check_place_of_models(
    scores: Any, axes: tuple[int, int], write: Callable[[tuple[int, ...]], str]
) -> None:
    """Refuse axes of tables that leave the last axis of one array to the models.

    They are counted as in a mapping or a list, whose arrays have no axis of models: the
    items or the tasks would be ranked. `write` says how axes are passed.

    Raises
    ------
    ValueError
        Such axes.
    """
    shape = tuple(scores.shape if hasattr(scores, "shape") else np.shape(scores))
    n_axes = len(shape)
    places = tuple(axis % n_axes for axis in axes if -n_axes <= axis < n_axes)
    if len(places) < len(axes) or n_axes - 1 in places:
        return
    from_the_end = tuple(place + 1 - n_axes for place in places)
    msg = (
        "Expected the models of one array on an axis before those of their scores; got "
        f"{write(axes)} for shape {shape}, which leaves the last axis, "
        f"{shape[-1]} long, to the models. If the models are in front, pass "
        f"{write(from_the_end)}, as for a mapping or list of arrays; if they are last, "
        "move that axis to the front."
    )
    raise ValueError(msg)


def name_models(scores: Any) -> tuple[list[Hashable] | None, Any]:
    """Return the names of the models, if they have any, and a list or one array."""
    if isinstance(scores, Mapping):
        if any(is_traced(x) for x in scores.values()):
            msg = (
                "Expected a list of scores where they are traced; got a mapping, which "
                "jax.jit may have sorted by its keys. Pass list(scores.values()), made "
                "before the jitted function is called."
            )
            raise TypeError(msg)
        return list(scores), list(scores.values())
    if hasattr(scores, "columns"):
        names = list(scores.columns)
        if len(set(names)) < len(names):
            msg = f"Expected another column name for each model; got {names}."
            raise ValueError(msg)
        columns = [scores[name] for name in names]
        _check_columns(names, columns)
        return names, columns
    if hasattr(scores, "ndim") or hasattr(scores, "__array__"):
        return None, scores
    return None, list(scores) if isinstance(scores, Iterable) else scores


def _check_columns(names: list[Any], columns: list[Any]) -> None:
    """Refuse columns of a data frame that are not models."""
    levels = next((x for x in names if isinstance(x, tuple) and len(x) > 1), None)
    if levels is not None:
        msg = (
            "Expected one column for each model; got columns with several names each, "
            f"such as {represent(levels)}. Choose the scores of one metric or task, "
            "such as frame['acc'], or pass a row for each score to compare_models."
        )
        raise ValueError(msg)
    for name, column in zip(names, columns, strict=True):
        kind = np.asarray(column).dtype
        if kind.kind not in "biuf":
            msg = (
                "Expected a column of numbers for each model; got "
                f"{represent(name)} of dtype {kind}. Leave it out, or make it numbers "
                "with .astype(float), or pass a row for each score to compare_models."
            )
            raise TypeError(msg)
        if looks_like_index(str(name), np.asarray(column).tolist()):
            msg = (
                "Expected a column of scores for each model; got "
                f"{represent(name)}, which looks like an index. Leave it out, or pass "
                "a mapping of the columns that are meant."
            )
            raise ValueError(msg)
