"""Labels of clusters or strata as integer codes, from texts or numbers."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import array_api_compat
import numpy as np

from sigarray._backend.callers import Array, warn_caller
from sigarray._backend.checks import describe, represent
from sigarray._backend.dispatch import check_library, is_array, to_host
from sigarray._backend.given import align_items, are_in_one_order, has_labels
from sigarray._backend.library import Library

# Kinds of labels, and the option that has them.
_NAMES = {"cluster": "clusters", "stratum": "strata"}
# Integers are counted where they span at most so many times their number.
_MAX_SPAN = 4
# From here on a float may stand for several integers.
_FIRST_INEXACT = 2.0**53
_ADVICE = "Pass labels on the host, such as a list of names, or a NumPy array of them."


class Codes(NamedTuple):
    """A code from 0 on for each item, and how many clusters there are at most.

    Of labels on the host, `on_host` has the codes, too, and every one below `number` is
    there.
    """

    codes: Array
    number: int
    on_host: np.ndarray | None


def code_clusters(
    xp: Library,
    clusters: Any,
    given: Sequence[Any],
    samples: Sequence[Array],
    *,
    axis: int,
    paired: bool,
    n_clusters: Sequence[int] | None = None,
) -> list[Codes]:
    """Return the codes of the clusters of each sample, or of pairs once; none of None.

    Samples are as they were `given`, with the items on `axis`, and as arrays (..., n).
    `n_clusters`, one for all samples or one for each, by default the number of items,
    is for labels on a device. Warns of two samples that are not pairs, with names of
    clusters that both have.
    """
    if clusters is None:
        if n_clusters is not None:
            msg = f"Expected clusters with n_clusters={n_clusters[0]}; got none."
            raise ValueError(msg)
        return []
    read = read_codes(xp, clusters, given, samples, "cluster", axis=axis, paired=paired)
    if len(read) > 1:
        _warn_of_shared_clusters(*map(_list_names, clusters))
    numbers: Sequence[int | None] = n_clusters or [None]
    if len(numbers) == 1:
        numbers = [numbers[0]] * len(read)
    if len(numbers) != len(read):
        msg = (
            f"Expected one n_clusters for each array of labels; got {n_clusters} for "
            f"{len(read)}. Pass the number of clusters, or for a pair of labels a pair."
        )
        raise ValueError(msg)
    return [
        _number_clusters(xp, codes, x.shape[-1], number)
        for codes, x, number in zip(read, samples, numbers, strict=False)
    ]


def _warn_of_shared_clusters(of_a: dict[str, None], of_b: dict[str, None]) -> None:
    """Warn of clusters that two samples share by name, and which make them dependent.

    Numbers are no names: clusters of each sample may be counted from 0 on.
    """
    shared = [x for x in of_a if x in of_b]
    if shared:
        warn_caller(
            f"A and B share {len(shared)} of their clusters, such as "
            f"{represent(shared[0])}: they are not independent, and what these have in "
            "common counts twice as error, so that intervals may be several times too "
            "long. If items are the same, pass paired=True and clusters=labels. Else "
            "take the sum and the number of items of each shared cluster: (sum_a, "
            "size_a), (sum_b, size_b), with paired=True and "
            "statistic=of_sums(corpus.ratio). If other clusters have the same names, "
            "name those of B anew."
        )


def _list_names(labels: Any) -> dict[str, None]:
    """Return the texts among labels on the host, in the order of their first places."""
    if _are_integers(labels):
        return {}
    return dict.fromkeys(x for x in list_values(labels) if isinstance(x, str))


def list_values(labels: Any) -> list[Any]:
    if hasattr(labels, "to_numpy") and not hasattr(labels, "tolist"):  # of xarray
        labels = labels.to_numpy()
    return labels.tolist() if hasattr(labels, "tolist") else list(labels)


def read_codes(
    xp: Library,
    labels: Any,
    given: Sequence[Any],
    samples: Sequence[Array],
    kind: str,
    *,
    axis: int,
    paired: bool,
) -> list[Array]:
    """Return integer codes (n,) of the labels of each sample, or of pairs once.

    Those of labels on the host are NumPy's, from 0 on; others are the labels. The kind
    is "cluster" or "stratum".
    """
    names = _NAMES[kind]
    is_pair = len(given) == 2 and not paired
    if is_pair and not (isinstance(labels, (tuple, list)) and len(labels) == 2):
        msg = (
            f"Expected {names} to be a pair, the labels of A and those of B, for "
            f"samples that are not paired; got {describe(labels)}. Pass "
            f"{names}=(of_a, of_b), or paired=True."
        )
        raise ValueError(msg)
    every = list(labels) if is_pair else [labels]
    if xp.is_host:
        every = [_take_from_processor(x) for x in every]
    aligned = order_labels(every, given, names, axis=axis, paired=paired)
    aligned = [_take_integers(x) for x in aligned]
    # The strata of A and of B are the same, and so are their codes; not their clusters.
    is_shared = is_pair and kind == "stratum" and not all(map(_are_integers, aligned))
    numbers: dict[Any, int] | None = {} if is_shared else None
    return [
        _read(xp, of, x.shape[-1], kind, numbers)
        for of, x in zip(aligned, samples, strict=False)
    ]


def order_labels(
    labels: Sequence[Any], given: Sequence[Any], name: str, *, axis: int, paired: bool
) -> list[Any]:
    """Bring labels with an index into the order of each sample, or of all pairs."""
    ordered = []
    for of, sample in zip(labels, [given] if paired else given, strict=False):
        parts = _list_parts(given if paired else [sample])
        own = of
        if has_labels(of):
            first = next((x for x in parts if has_labels(x)), parts[0])
            own = align_items(first, of, axis)
        elif of is not None and not are_in_one_order(parts, axis):
            msg = (
                f"Expected {name} with an index, for samples whose labels are in two "
                f"orders; got {describe(of)}. Pass a Series of {name} with the index "
                "of the samples, or bring these into one order: b.reindex(a.index)."
            )
            raise ValueError(msg)
        ordered.append(own)
    return ordered


def _read(
    xp: Library,
    labels: Any,
    size: int,
    kind: str,
    numbers: dict[Any, int] | None,
) -> Array:
    is_of_device = is_array(labels) and not _is_on_host(labels)
    if not is_of_device and not hasattr(labels, "__len__"):
        msg = (
            f"Expected {_NAMES[kind]} to be a label for each of {size} items; got "
            f"{describe(labels)}."
        )
        raise TypeError(msg)
    shape = tuple(labels.shape) if is_array(labels) else (len(labels),)
    if shape != (size,):
        got = f"labels of shape {shape}."
        if shape == (2,) and hasattr(labels[0], "__len__"):
            got = (
                "a pair. Pairs, or tables with the same items, have one label for "
                f"each: pass {_NAMES[kind]}=labels."
            )
        msg = f"Expected {_NAMES[kind]} to be a label for each of {size} items; got "
        raise ValueError(msg + got)
    if not is_of_device:
        return _number(labels, kind, numbers)
    check_library(
        xp,
        labels,
        what=f"{_NAMES[kind]} on the host, or",
        advice="Move the labels to the host, such as labels.cpu().numpy().",
    )
    if not xp.isdtype(labels.dtype, "integral"):
        msg = (
            f"Expected {_NAMES[kind]} on a device to be integers from 0 on; got dtype "
            f"{labels.dtype}. {_ADVICE}"
        )
        raise TypeError(msg)
    return labels


def _number_clusters(
    xp: Library, codes: Array, size: int, n_clusters: int | None
) -> Codes:
    if not isinstance(codes, np.ndarray):
        count = size if n_clusters is None else n_clusters
        return Codes(xp.astype(codes, xp.index_dtype), count, None)
    count = int(codes.max()) + 1
    if n_clusters is not None and n_clusters < count:
        msg = f"Expected at most n_clusters={n_clusters} clusters; got {count}."
        raise ValueError(msg)
    if count < 2:
        msg = "Expected two clusters or more; got one. Leave out clusters."
        raise ValueError(msg)
    return Codes(xp.astype(xp.upload(codes), xp.index_dtype), count, codes)


def _is_on_host(labels: Any) -> bool:
    return isinstance(labels, np.ndarray) or hasattr(labels, "to_numpy")


def _take_from_processor(labels: Any) -> Any:
    """Return labels of PyTorch on the processor as those of NumPy: no device waits."""
    is_near = array_api_compat.is_torch_array(labels) and labels.device.type == "cpu"
    return to_host(labels) if is_near else labels


def _list_parts(samples: Sequence[Any]) -> list[Any]:
    return [
        part for x in samples for part in (x if isinstance(x, (tuple, list)) else [x])
    ]


def _are_integers(labels: Any) -> bool:
    if isinstance(labels, np.ndarray):
        return labels.dtype.kind in "iu"
    return is_array(labels) and not _is_on_host(labels)


def _take_integers(labels: Any) -> Any:
    """Return whole numbers on the host as an array of integers; others as they are."""
    if _are_integers(labels) or not hasattr(labels, "__len__"):
        return labels
    if _is_on_host(labels):
        numbers = np.asarray(labels)
        if numbers.dtype.kind in "iuUSb":
            return numbers if _are_integers(numbers) else labels
    values = list_values(labels)
    if not values or any(
        isinstance(x, bool) or not isinstance(x, (int, float, np.number))
        for x in values
    ):
        return labels
    numbers = np.asarray(values)
    if numbers.dtype.kind != "f":
        return numbers if _are_integers(numbers) else labels
    is_exact = np.all(
        (np.abs(numbers) < _FIRST_INEXACT) & (numbers == np.floor(numbers))
    )
    return numbers.astype(np.int64) if is_exact else labels


def name_label(label: Any) -> Any:
    """Return the name of a label: 3, 3.0, "3" and "3 " are the same, as in files.

    Columns of pandas may hold all of these. What is neither text nor number is itself.
    """
    if isinstance(label, (float, np.floating)) and float(label).is_integer():
        return str(int(label))
    if isinstance(label, (str, int, float, np.number)):
        return " ".join(str(label).split())
    return label


def _rank_integers(labels: np.ndarray) -> np.ndarray:
    """Return the places of labels among those that are there, in rising order."""
    low, high = (labels.min(), labels.max()) if labels.size else (0, 0)
    span = int(high) - int(low)
    if span >= _MAX_SPAN * labels.size:
        return np.unique(labels, return_inverse=True)[1].astype(np.int64)
    # Of integers close together, without a sort.
    wide = labels if labels.dtype.kind == "u" else labels.astype(np.int64, copy=False)
    shifted = (wide - low).astype(np.int64, copy=False)
    is_there = np.zeros(span + 1, dtype=bool)
    is_there[shifted] = True
    return np.cumsum(is_there, dtype=np.int64)[shifted] - 1


def _number(
    labels: Any, kind: str, numbers: dict[Any, int] | None = None
) -> np.ndarray:
    """Return a number for each label, in the order in which they are first seen.

    Integers are in their own order, as on a device, so that draws are the same there;
    but not with `numbers` of labels that were seen before, to which others are added.
    Labels of one name are one: see `name_label`.
    """
    if numbers is None and _are_integers(labels):
        return _rank_integers(labels)
    values = list_values(labels)
    numbers = {} if numbers is None else numbers
    codes = np.empty(len(values), dtype=np.int64)
    known: dict[Any, int] = {}
    for place, label in enumerate(values):
        code = known.get(label)
        if code is not None:
            codes[place] = code
            continue
        if is_array(label):  # of PyTorch: none is the same as another one
            msg = (
                f"Expected {_NAMES[kind]} to be names or numbers; got a list with "
                f"{describe(label)} at place {place}. Pass an array of all labels."
            )
            raise TypeError(msg)
        if _is_missing(label):
            msg = (
                f"Expected {_NAMES[kind]} to be a label for each item; got {label!r} "
                f"at place {place}."
            )
            raise ValueError(msg)
        code = numbers.setdefault(name_label(label), len(numbers))
        codes[place] = known[label] = code
    return codes


def _is_missing(label: Any) -> bool:
    """Tell whether a label is none: NaN, NA of pandas, or blank, as cells of files."""
    try:
        is_same = bool(label == label)  # noqa: PLR0124
    except TypeError:  # of NA
        return True
    is_blank = isinstance(label, str) and not label.strip()
    return label is None or not is_same or is_blank
