"""Strata of samples, from an axis of arrays or from labels."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sigarray._backend.callers import Array, warn_caller
from sigarray._backend.codes import list_values, name_label, read_codes
from sigarray._backend.given import list_labels
from sigarray._backend.library import Library
from sigarray._backend.tables import is_sequence
from sigarray._numeric.student import Strata, sort_into_strata

_TOO_FEW = (
    "Expected two scores or more in each stratum of each sample; got one. Leave out "
    "that stratum, or strata."
)


def is_axis(strata: Any) -> bool:
    return isinstance(strata, (int, np.integer)) and not isinstance(strata, bool)


def arrange_strata(
    xp: Library,
    strata: Any,
    given: Sequence[Any],
    samples: Sequence[Array],
    *,
    axis: int,
    paired: bool,
    is_of_sums: bool,
    are_alike: bool = False,
) -> tuple[list[Array], Strata]:
    """Return samples (..., n) or (..., d, n) sorted by stratum, and the strata.

    Strata are the axis of the samples as they were `given`, or labels. `are_alike` if
    strata of all sizes count alike, so that unlike shares are no doubt.
    """
    if is_axis(strata):
        return _merge_axes(xp, given, samples, int(strata), axis, is_of_sums)
    codes, are_same = code_strata(
        xp,
        strata,
        given,
        samples,
        axis=axis,
        paired=paired,
        are_alike=are_alike or is_of_sums,
    )
    if any(isinstance(x, np.ndarray) and np.any(np.bincount(x) == 1) for x in codes):
        raise ValueError(_TOO_FEW)
    placed = place_codes(xp, codes, len(samples))
    ordered, intervals = sort_into_strata(xp, samples, placed, are_same=are_same)
    return ordered, Strata(intervals=intervals, deals=count_sizes(codes))


def count_sizes(codes: Sequence[Array]) -> tuple[tuple[int, int], ...]:
    if len(codes) < 2 or not all(isinstance(x, np.ndarray) for x in codes):
        return ()
    return tuple(zip(*(np.bincount(x).tolist() for x in codes), strict=True))


def code_strata(
    xp: Library,
    strata: Any,
    given: Sequence[Any],
    samples: Sequence[Array],
    *,
    axis: int,
    paired: bool,
    are_alike: bool,
) -> tuple[list[Array], bool]:
    """Return codes of the strata of each sample, or of pairs once, as `read_codes`.

    Also whether A is known to have the strata of B. Raises if it is known not to, and
    warns of unlike shares of scores, unless strata count alike, or have weights.
    """
    codes = read_codes(xp, strata, given, samples, "stratum", axis=axis, paired=paired)
    on_host = [x for x in codes if isinstance(x, np.ndarray)]
    if len(on_host) == 2:
        _check_same(*strata)
        if not are_alike:
            _warn_of_unlike_shares(*on_host)
    return codes, len(codes) == 1 or len(on_host) == len(codes)


def _warn_of_unlike_shares(codes_a: Array, codes_b: Array) -> None:
    """Warn if a stratum has a larger share of the scores of A than of those of B.

    The difference of means of all scores is then one of shares, too. Both have the
    same strata.
    """
    a, b = np.bincount(codes_a), np.bincount(codes_b)
    unlike = np.flatnonzero(a * int(b.sum()) != b * int(a.sum()))
    if len(unlike):
        k = unlike[0]
        warn_caller(
            f"A and B have unlike shares of their scores in a stratum, such as {a[k]} "
            f"of {a.sum()} and {b[k]} of {b.sum()}: strata with high scores that are a "
            "larger part of A put A ahead, even if both are equal in each stratum. To "
            "count strata alike, pass (scores / size, 1 / size), with the size of the "
            "stratum of each score, and statistic=of_sums(corpus.ratio)."
        )


def place_codes(xp: Library, codes: Sequence[Array], n_samples: int) -> list[Array]:
    """Return codes on the device, those of pairs once for each sample."""
    placed = [
        xp.astype(xp.upload(x) if isinstance(x, np.ndarray) else x, xp.index_dtype)
        for x in codes
    ]
    return placed * (n_samples // len(placed))


def _merge_axes(
    xp: Library,
    given: Sequence[Any],
    samples: Sequence[Array],
    strata: int,
    axis: int,
    is_of_sums: bool,
) -> tuple[list[Array], Strata]:
    """Return samples with the scores of all strata, one after another, on an axis."""
    merged = []
    for sample, x in zip(given, samples, strict=True):
        # A tuple of arrays has no axis for the numbers of an item.
        n_axes = x.ndim - (1 if is_of_sums and is_sequence(sample) else 0)
        if not -n_axes <= strata < n_axes:
            msg = (
                f"Expected strata to be an axis from {-n_axes} to {n_axes - 1}, or a "
                f"label for each score; got {strata}."
            )
            raise ValueError(msg)
        of_scores = axis % n_axes
        place = strata % n_axes
        place -= place > of_scores
        if strata % n_axes == of_scores or (is_of_sums and place == x.ndim - 2):
            msg = (
                f"Expected strata to be another axis than those of a sample; got "
                f"{strata}, with axis={axis}."
            )
            raise ValueError(msg)
        moved = xp.move_axis(x, place, -2)
        if moved.shape[-1] < 2:
            raise ValueError(_TOO_FEW)
        *leading, number, n = moved.shape
        merged.append((xp.reshape(moved, (*leading, number * n)), int(number)))
    numbers = [number for _, number in merged]
    _check_numbers(numbers, strata)
    sizes = [int(x.shape[-1]) // numbers[0] for x, _ in merged]
    deals = ((sizes[0], sizes[1]),) * numbers[0] if len(sizes) == 2 else ()
    return [x for x, _ in merged], Strata(number=numbers[0], deals=deals)


def check_strata(strata: Any, given: Sequence[Any], axis: int) -> None:
    """Raise if strata are another axis, whose length differs between arrays."""
    if not is_axis(strata):
        return
    shapes = [tuple(getattr(x, "shape", ())) for x in given]
    if all(-len(x) <= strata < len(x) and (strata - axis) % len(x) for x in shapes):
        _check_numbers([int(x[strata]) for x in shapes], strata)


def _check_numbers(numbers: Sequence[int], strata: int) -> None:
    if len(set(numbers)) > 1:
        found = ", ".join(map(str, numbers))
        first = min(range(len(numbers)), key=numbers.__getitem__)
        msg = (
            f"Expected as many strata of each model; got {found} with strata={strata}: "
            f"sample {first + 1} lacks some. Take the strata that all of them have."
        )
        raise ValueError(msg)


def _check_same(of_a: Any, of_b: Any) -> None:
    known = [{name_label(x): x for x in list_values(of)} for of in (of_a, of_b)]
    got = []
    for name, own, other in zip("AB", known, known[::-1], strict=True):
        alone = [label for x, label in own.items() if x not in other]
        if alone:
            got.append(f"{list_labels(alone)} in {name} alone")
    if got:
        msg = (
            f"Expected the same strata of A and of B; got {' and '.join(got)}. Name "
            "strata alike in both, or leave out scores of those that one lacks."
        )
        raise ValueError(msg)
