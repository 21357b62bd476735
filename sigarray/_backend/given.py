"""What callers pass, as an array of its library or of NumPy, and labels of tables."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import array_api_compat
import numpy as np

from sigarray._backend.callers import Array, warn_caller
from sigarray._backend.checks import describe, represent

# Names without case, spaces and punctuation; names ending in "_id" etc. are such, too.
_INDEX = re.compile(
    r"(global|train|training|random|rng|cv)?"
    r"(epoch|example|fold|item|iter|iteration|line|question|repeat|replicate|"
    r"repetition|row|run|sample|seed|segment|split|step|subject|trial)s?"
    r"(no|nr|num|number|count)?"
    r"|date|datetime|time|timestamp(ms|s)?|walltime|number|no|nr|randomstate|level\d+"
    r"|(doc|user|item|example|question|sample|q|p|u|g)?(id|uid|uuid|guid)s?"
    r"|unnamed\d+(level\d+)?"
)
# Of training: envstep, totaltimesteps, nframes, Mframes.
_STEP = re.compile(
    r"[km]?(n|no|num|number|of|total|global|train|training|eval|env|environment|agent|actor"
    r"|learner|gradient|grad|optim|optimizer|game|current)*"
    r"(time)?(step|frame|iteration|iter|itr|epoch|update)s?(k|m|thousands?|millions?)?"
)
_LAST_WORDS = frozenset(("id", "ids", "idx", "index", "seed", "seeds", "no", "nr"))
_MIN_ROWS = 3
# Fewer scores may well be whole numbers that all happen to differ.
_MIN_SHUFFLED_ROWS = 10
_DLPACK_CPU = 1
_SHOWN = 3
# Usual names of the axes of seeds and of items, in lower case.
_SEEDS = frozenset(("seed", "seeds", "run", "runs", "run_id", "trial", "trials"))
_ITEMS = frozenset(
    ("item", "items", "item_id", "question", "questions", "example", "examples")
)


def looks_like_index(name: str, values: Sequence[float] | np.ndarray) -> bool:
    """Tell whether a column is hardly a model: by its name, or as it counts rows."""
    words = _list_words(name)
    is_named = words and (_INDEX.fullmatch("".join(words)) or words[-1] in _LAST_WORDS)
    if is_named or names_steps(name):
        return True
    if len(values) < _MIN_ROWS:
        return False
    cells, count = np.asarray(values), np.arange(len(values))
    if cells.max() - cells.min() != len(values) - 1:
        return False
    if len(values) >= _MIN_SHUFFLED_ROWS:
        cells = np.sort(cells)
    return np.array_equal(cells, count) or np.array_equal(cells, count + 1)


def names_steps(name: str) -> bool:
    """Tell by its name, maybe behind a group, whether a column may count steps."""
    return bool(_STEP.fullmatch("".join(_list_words(name.rpartition("/")[2]))))


def _list_words(name: str) -> list[str]:
    # "docId" and "exampleID" are two words, "IDs" is one.
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return re.findall(r"[^\W_]+", spaced.casefold())


def to_array(x: Any) -> Array:
    """Return an array as it is, without derivatives; anything else as one of NumPy."""
    if type(x) is np.ndarray and x.dtype.names is None:
        return x
    check_plain(x)
    if array_api_compat.is_torch_array(x):
        return x.detach()
    if array_api_compat.is_jax_array(x):
        import jax

        return jax.lax.stop_gradient(x)
    if array_api_compat.is_numpy_array(x) or isinstance(x, np.generic):
        return np.asarray(x)
    if hasattr(x, "__array_namespace__") or array_api_compat.is_cupy_array(x):
        return x
    return _read_from_host(x)


def check_plain(x: Any) -> None:
    """Raise for an array that is not dense and of numbers."""
    if isinstance(x, np.ma.MaskedArray):
        msg = (
            "Expected scores without a mask; got a MaskedArray. Pass x.compressed(); "
            "or x.filled(nan), for responses of which some are missing."
        )
        raise TypeError(msg)
    advice = _advise(x)
    if advice:
        msg = f"Expected a plain array of numbers; got {describe(x)}. {advice}"
        raise TypeError(msg)


def _advise(x: Any) -> str | None:
    is_tensor = array_api_compat.is_torch_array(x)
    advice = None
    if getattr(getattr(x, "dtype", None), "names", None):
        advice = (
            f"It is structured: pass one of its fields, such as "
            f"x[{x.dtype.names[0]!r}]."
        )
    elif type(x).__module__.partition(".")[0] in ("dask", "dask_expr"):
        advice = (
            "It would be computed at once. Pass x.compute(); or for comparisons in "
            "chunks, of scores (..., n) and (..., m) with n and m in one chunk: "
            "da.apply_gufunc(lambda x, y: tuple(aso(x, y, rng=0)), "
            '"(n),(m)->(),(),(),(),()", a, b, output_dtypes=[float] * 5).'
        )
    elif is_tensor and type(x).__name__ == "DTensor":
        advice = "Pass x.full_tensor(), or each rank's x.to_local()."
    elif is_tensor and x.is_nested:
        advice = "Pass its parts, x.unbind(), one at a time; multi_aso takes a list."
    elif is_tensor and x.is_quantized:
        advice = "Pass x.dequantize()."
    elif is_tensor and (layout := repr(x.layout)) != "torch.strided":
        kind = "sparse" if "sparse" in layout else f"of the layout {layout}"
        advice = f"It is {kind}: pass x.to_dense()."
    elif hasattr(x, "todense"):  # of scipy.sparse, sparse, jax.experimental.sparse
        advice = "It is sparse: pass x.toarray() or x.todense()."
    return advice


def _read_from_host(x: Any) -> Array:
    if hasattr(x, "_fields") and type(x).__module__.startswith("sigarray."):
        msg = (
            f"Expected an array or a sequence of numbers; got {describe(x)}. Pass one "
            f"of its fields: {', '.join(x._fields)}."
        )
        raise TypeError(msg)
    if isinstance(x, (Sequence, memoryview)) and not isinstance(x, (str, bytes)):
        foreign = next((item for item in _items(x) if _is_library_array(item)), None)
        if foreign is not None:
            msg = (
                f"Expected an array or a sequence of Python numbers; got a "
                f"{type(x).__name__} of {describe(foreign)}. Make it one array first, "
                f"for example with torch.stack(x) or jax.numpy.stack(x)."
            )
            raise TypeError(msg)
    elif hasattr(x, "__dlpack_device__") and x.__dlpack_device__()[0] != _DLPACK_CPU:
        msg = (
            f"Expected scores that NumPy can read; got {describe(x)} on an "
            "accelerator. Pass it on as a CuPy, JAX or torch array (from_dlpack makes "
            "no copy)."
        )
        raise TypeError(msg)
    elif not hasattr(x, "__array__") and hasattr(x, "__dlpack__"):
        return np.from_dlpack(x)
    elif not hasattr(x, "__array__") and not isinstance(x, (int, float)):
        msg = f"Expected an array or a sequence of numbers; got {describe(x)}."
        raise TypeError(msg + _advise_on_collection(x))
    try:
        return np.asarray(x)
    except (TypeError, ValueError) as error:
        msg = (
            f"Expected a sequence of numbers, or of sequences of one length; got "
            f"{describe(x)}, of which NumPy says: {error}"
        )
        raise type(error)(msg) from error


def _advise_on_collection(x: Any) -> str:
    if isinstance(x, Mapping):
        return " Pass one of its values, the scores of one model."
    if isinstance(x, str):
        return " Read a file by sigarray.read.scores."
    return " Pass list(x)." if isinstance(x, Iterable) else ""


def _items(nested: Any) -> Any:
    for item in nested:
        if isinstance(item, (list, tuple)):
            yield from _items(item)
        else:
            yield item


def _is_library_array(x: Any) -> bool:
    is_of_numpy = array_api_compat.is_numpy_array(x) or isinstance(x, np.generic)
    is_array = hasattr(x, "__dlpack__") or hasattr(x, "__array_namespace__")
    return is_array and not is_of_numpy


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
    return tuple(
        _align(first, x, own_axis) if paired and any(x is y for y in rest) else x
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
    labelled = [x for x in tables if has_labels(x) and x.ndim > 1]
    for x in labelled:
        _check_axis_names(x, axes)
    if not labelled:
        return tables
    for x in labelled[1:]:
        _check_items(labelled[0], x, axes[1])
    for axis in axes if paired else axes[1:]:
        tables = tuple(
            _align(labelled[0], x, axis) if has_labels(x) and x.ndim > 1 else x
            for x in tables
        )
    return tables


def _check_items(first: Any, x: Any, axis: int) -> None:
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
    of_labels = getattr(_labels(x, place), "name", None)
    return str((x.dims[place] if hasattr(x, "dims") else of_labels) or "")


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
    return axis % x.ndim if -x.ndim <= axis < x.ndim else 0


def _labels(x: Any, place: int) -> Any:
    if hasattr(x, "dims"):
        return x.indexes.get(x.dims[place])
    if place == 1 and hasattr(x, "columns"):
        return x.columns
    return x.index if place == 0 else None


def _align(
    first: Any, x: Any, axis: int, what: str = "paired samples with the same labels"
) -> Any:
    place = _place(x, axis)
    wanted, labels = _labels(first, _place(first, axis)), _labels(x, place)
    if wanted is None or labels is None or len(wanted) != len(labels):
        return x  # lengths are checked elsewhere
    names = list(wanted.names)
    if wanted.nlevels > 1 and names != list(labels.names):
        labels = _order_levels(labels, names)
        if hasattr(x, "reorder_levels"):
            x = x.reorder_levels(names, **({"axis": 1} if place == 1 else {}))
    if wanted.equals(labels):
        return x
    lacking = wanted.difference(labels, sort=False)
    if len(lacking) or not (wanted.is_unique and labels.is_unique):
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
    if sorted(map(str, names)) != sorted(map(str, labels.names)) or None in names:
        msg = (
            f"Expected labels of the same levels; got {names} and "
            f"{list(labels.names)}. Name them alike, or pass x.to_numpy() where the "
            "places are the pairs."
        )
        raise ValueError(msg)
    return labels.reorder_levels(names)


def _check_leading_labels(first: Any, x: Any, axis: int) -> None:
    if not (hasattr(first, "dims") and hasattr(x, "dims")):
        return
    if first.ndim == x.ndim and tuple(first.dims) != tuple(x.dims):
        msg = (
            f"Expected the same dimensions in the same order; got {first.dims} and "
            f"{x.dims}. Bring them into one with x.transpose(...) or x.rename(...)."
        )
        raise ValueError(msg)
    for place, name in enumerate(x.dims):
        if place == _place(x, axis) or name not in first.dims:
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
    shown = ", ".join(map(represent, labels[:_SHOWN]))
    return f"{shown}, ..." if len(labels) > _SHOWN else shown
