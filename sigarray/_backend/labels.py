"""Labels of tables on the host, such as pandas and xarray objects.

Arrays pair by place; objects with labels pair by these. Nothing is imported: an object
with `reindex`, and an index or dimensions, has labels.
"""

from collections.abc import Sequence
from typing import Any

from sigarray._backend.callers import warn_caller
from sigarray._backend.checks import describe, represent

_SHOWN = 3
# Usual names of the axes of seeds and of items, in lower case.
_SEEDS = frozenset(("seed", "seeds", "run", "runs", "run_id", "trial", "trials"))
_ITEMS = frozenset(
    ("item", "items", "item_id", "question", "questions", "example", "examples")
)


def align_labels(
    samples: tuple[Any, ...], *, axis: int, n_axes: int, paired: bool
) -> tuple[Any, ...]:
    """Bring paired samples into one order of labels; return others as they are."""
    for x in samples:
        if n_axes == 1 and hasattr(x, "columns"):
            msg = (
                f"Expected an array or one column of numbers; got {describe(x)}, whose "
                "rows or columns may be meant. Pass a column, or x.to_numpy() with the "
                "axis of the scores; multi_aso compares all columns."
            )
            raise TypeError(msg)
    labelled = [x for x in samples if has_labels(x)]
    own_axis = axis if n_axes == 1 else -2
    if paired and 0 < len(labelled) < len(samples):
        _warn_of_places(labelled[0], own_axis)
    if len(labelled) < 2:
        return samples
    first, rest = labelled[0], labelled[1:]
    for x in rest:
        _check_leading_labels(first, x, own_axis)
    if not paired:
        return samples
    return tuple(
        _align(first, x, own_axis) if any(x is other for other in rest) else x
        for x in samples
    )


def align_items(first: Any, labels: Any, axis: int) -> Any:
    """Bring labels of items into the order of a sample, whose items are on an axis."""
    if not has_labels(first):
        _warn_of_places(labels, axis)
        return labels
    _check_leading_labels(first, labels, axis)
    return _align(first, labels, axis, "labels of items with the index of the scores")


def _warn_of_places(x: Any, axis: int) -> None:
    """Warn of an index in another order than its own, beside what has none."""
    index = _labels(x, _place(x, axis))
    if index is not None and not index.is_monotonic_increasing:
        warn_caller(
            f"{describe(x)} has an index that is not in rising order, and what it is "
            "paired with has none: they were paired by place. If that is meant, pass "
            "x.to_numpy(); else pass both with an index, by which they are aligned."
        )


def align_tables(
    tables: tuple[Any, ...], *, axes: tuple[int, int], paired: bool
) -> tuple[Any, ...]:
    """Bring the items of tables into one order of labels, and the seeds of pairs."""
    for x in tables:
        if has_labels(x) and x.ndim > 1:
            _check_axis_names(x, axes)
    first = next((x for x in tables if has_labels(x) and x.ndim > 1), None)
    if first is None:
        return tables
    for x in tables:
        if x is not first and has_labels(x) and x.ndim > 1:
            _check_items(first, x, axes[1])
    for axis in axes if paired else axes[1:]:
        tables = tuple(
            _align(first, x, axis) if has_labels(x) and x.ndim > 1 else x
            for x in tables
        )
    return tables


def _check_items(first: Any, x: Any, axis: int) -> None:
    """Raise if one table lacks items that another has, and name them."""
    one, other = (_labels(y, _place(y, axis)) for y in (first, x))
    if one is None or other is None or len(one) == len(other):
        return
    which, lacking = "second", one.difference(other, sort=False)
    if not len(lacking):
        which, lacking = "first", other.difference(one, sort=False)
    if len(lacking):
        msg = (
            "Expected the same items of both models with axis=(seeds, items); got "
            f"{len(one)} and {len(other)} items: the {which} lacks "
            f"{list_labels(lacking)}. Take those that both have."
        )
        raise ValueError(msg)


def _check_axis_names(x: Any, axes: tuple[int, int]) -> None:
    """Raise if the axis of seeds is named as items are, or that of items as seeds."""
    seeds, items = (_name_axis(x, axis) for axis in axes)
    if seeds.lower() in _ITEMS or items.lower() in _SEEDS:
        msg = (
            f"Expected axis=(seeds, items); got axis={axes}, of which {axes[0]} is "
            f"{seeds or 'without a name'!r} and {axes[1]} is "
            f"{items or 'without a name'!r}. Pass axis={axes[::-1]}, or rename the "
            "axes."
        )
        raise ValueError(msg)


def _name_axis(x: Any, axis: int) -> str:
    if not -x.ndim <= axis < x.ndim:
        return ""
    place = _place(x, axis)
    name = x.dims[place] if hasattr(x, "dims") else None
    labels = None if hasattr(x, "dims") else _labels(x, place)
    return str(name or getattr(labels, "name", None) or "")


def has_labels(x: Any) -> bool:
    """Tell whether scores have labels; an Index of pandas is labels itself."""
    return hasattr(x, "reindex") and (hasattr(x, "index") or hasattr(x, "dims"))


def are_in_one_order(samples: Sequence[Any], axis: int) -> bool:
    """Tell whether all samples with labels on an axis have them in one order."""
    every = [_labels(x, _place(x, axis)) for x in samples if has_labels(x)]
    known = [labels for labels in every if labels is not None]
    for labels in known[1:]:
        names, same = list(known[0].names), labels
        if labels.nlevels > 1 and names != list(labels.names):
            same = _order_levels(labels, names)
        if not known[0].equals(same):
            return False
    return True


def _place(x: Any, axis: int) -> int:
    """Return the place of an axis; a vector has only one."""
    return axis % x.ndim if -x.ndim <= axis < x.ndim else 0


def _labels(x: Any, place: int) -> Any:
    """Return the labels of an axis as a pandas Index, or None."""
    if hasattr(x, "dims"):
        return x.indexes.get(x.dims[place])
    if place == 1 and hasattr(x, "columns"):
        return x.columns
    return x.index if place == 0 else None


def _align(
    first: Any, x: Any, axis: int, what: str = "paired samples with the same labels"
) -> Any:
    """Return x in the order of the labels of the first sample."""
    place = _place(x, axis)
    wanted, labels = _labels(first, _place(first, axis)), _labels(x, place)
    if wanted is None or labels is None or len(wanted) != len(labels):
        return x  # lengths are checked elsewhere
    names = list(wanted.names)
    if wanted.nlevels > 1 and names != list(labels.names):
        labels = _order_levels(labels, names)
        if hasattr(x, "reorder_levels"):
            of_columns = {"axis": 1} if place == 1 else {}
            x = x.reorder_levels(names, **of_columns)
    if wanted.equals(labels):
        return x
    lacking = wanted.difference(labels, sort=False)
    is_unique = wanted.is_unique and labels.is_unique
    if len(lacking) or not is_unique:
        got = (
            f"{len(lacking)} of {len(wanted)} labels of the first sample that the "
            f"other lacks: {list_labels(lacking)}"
            if len(lacking)
            else "the same labels several times, in another order"
        )
        msg = (
            f"Expected {what}, each once; got {got}. Join them by label first, or pass "
            "x.to_numpy() where they are in one order."
        )
        raise ValueError(msg)
    if hasattr(x, "dims"):
        return x.reindex({x.dims[place]: wanted})
    return x.reindex(columns=wanted) if place == 1 else x.reindex(wanted)


def _order_levels(labels: Any, names: list[Any]) -> Any:
    """Bring the levels of a MultiIndex into the order of the names."""
    if sorted(map(str, names)) != sorted(map(str, labels.names)) or None in names:
        msg = (
            f"Expected labels of the same levels; got {names} and "
            f"{list(labels.names)}. Name them alike, or pass x.to_numpy() where the "
            "places are the pairs."
        )
        raise ValueError(msg)
    return labels.reorder_levels(names)


def _check_leading_labels(first: Any, x: Any, axis: int) -> None:
    """Raise if entries of a batch with different labels would be compared."""
    if not (hasattr(first, "dims") and hasattr(x, "dims")):
        return
    if first.ndim == x.ndim and tuple(first.dims) != tuple(x.dims):
        msg = (
            f"Expected the same dimensions in the same order; got {first.dims} and "
            f"{x.dims}. Bring them into one with x.transpose(...) or x.rename(...)."
        )
        raise ValueError(msg)
    paired = _place(x, axis)
    for place, name in enumerate(x.dims):
        if place == paired or name not in first.dims:
            continue
        labels = _labels(x, place), _labels(first, first.dims.index(name))
        if all(x is not None for x in labels) and not labels[0].equals(labels[1]):
            msg = (
                f"Expected the same labels along dimension {name!r}; got "
                f"{list_labels(labels[1])} and {list_labels(labels[0])}. Align them "
                "first, for example with xarray.align."
            )
            raise ValueError(msg)


def list_labels(labels: Any) -> str:
    """List the first of some labels, for messages."""
    shown = ", ".join(map(represent, labels[:_SHOWN]))
    return f"{shown}, ..." if len(labels) > _SHOWN else shown
