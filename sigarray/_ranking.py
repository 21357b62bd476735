"""Who beats whom, of many models."""

import itertools
from collections.abc import Hashable, Iterable

import numpy as np

from sigarray._backend.checks import describe, half
from sigarray._backend.dispatch import to_host
from sigarray._host import check_matrix, choose_names
from sigarray.results import PairwiseAsoResult, Ranking

# If there are more groups than this, not all are listed.
_MAX_GROUPS = 1000


def ranking(
    result: PairwiseAsoResult,
    /,
    threshold: float = 0.2,
    *,
    names: Iterable[Hashable] | None = None,
) -> Ranking:
    """Rank the models of `multi_aso`, for tables and pictures.

    Model i beats model j where ``eps_min[i, j]`` is below the threshold. Models that
    beat more others come first; ties go to those that fewer beat, then to a smaller
    mean violation ratio, then to the given order. A group is a largest set of models
    of which none beats another: two models that are not told apart share one, and those
    that share none are told apart.

    Parameters
    ----------
    result : PairwiseAsoResult
        The result of `multi_aso` for K models, with arrays of shape (K, K) of any
        library. They are copied to the host, which waits for the device.
    threshold : float, default: 0.2
        One model is better than another where its bound eps_min is below this; above 0
        and at most 0.5.

        At 0.5, "better" needs only half of the order.
    names : iterable of K hashables, optional
        Names of the models, such as the mapping that was passed to `multi_aso`; by
        default their places, 0 to K - 1.

    Returns
    -------
    Ranking
        `order`, `beats` and `groups`. If there are more than 1000 groups, only so many
        that any two models that are not told apart share one.

    Raises
    ------
    TypeError
        Anything but a result of `multi_aso`, or a traced one.
    ValueError
        A result of several batch entries, or with NaN; a different number of names, or
        a name twice; a threshold outside (0, 0.5].

    See Also
    --------
    multi_aso : the bounds.

    Examples
    --------
    >>> from sigarray import multi_aso, ranking
    >>> scores = {
    ...     "linear": [0.81, 0.80, 0.83, 0.82, 0.81],
    ...     "forest": [0.88, 0.91, 0.89, 0.90, 0.89],
    ...     "boosted": [0.89, 0.90, 0.88, 0.91, 0.90],
    ... }
    >>> ranked = ranking(multi_aso(scores), names=scores)
    >>> ranked.order
    ('boosted', 'forest', 'linear')
    >>> ranked.groups
    (('boosted', 'forest'), ('linear',))
    """
    labels, beats, ratio = read_pairs(result, threshold, names)
    order = order_models(beats, ratio)
    is_decided = (beats | beats.T)[np.ix_(order, order)]
    return Ranking(
        tuple(labels[k] for k in order),
        tuple(tuple(labels[j] for j in order if beats[i, j]) for i in order),
        tuple(tuple(labels[order[k]] for k in x) for x in list_groups(is_decided)),
    )


def read_pairs(
    result: PairwiseAsoResult, threshold: float, names: Iterable[Hashable] | None
) -> tuple[list[Hashable], np.ndarray, np.ndarray]:
    """Return names, who beats whom (K, K), and violation ratios, on the host."""
    if not isinstance(result, PairwiseAsoResult):
        msg = f"Expected the result of multi_aso; got {describe(result)}."
        raise TypeError(msg)
    limit = half("threshold", threshold)
    eps_min, ratio = to_host(result.eps_min), to_host(result.violation_ratio)
    check_matrix(eps_min)
    n = eps_min.shape[0]
    labels = choose_names(names, n)
    # The row of a model with a fault has only its diagonal.
    faulty = [labels[k] for k in range(n) if np.isnan(np.delete(eps_min[k], k)).all()]
    if faulty or np.isnan(eps_min).any():
        msg = f"Expected bounds of all pairs; got NaN for {faulty}. Leave them out."
        raise ValueError(msg)
    beats = eps_min < limit
    np.fill_diagonal(beats, val=False)
    return labels, beats, ratio


def order_models(beats: np.ndarray, ratio: np.ndarray) -> list[int]:
    """Return the places of models (K, K), the best first; those with faults at last.

    `beats` says which model beats which, and `ratio` is the violation ratio.
    """
    n = len(beats)
    # The row of a model with a fault has only its diagonal.
    is_faulty = (np.isnan(ratio).sum(1) >= n - 1) & (n > 1)
    means = np.nanmean(np.where(np.isnan(ratio).all(1)[:, None], 0.5, ratio), axis=1)
    keys = zip(is_faulty, -beats.sum(1), beats.sum(0), means, range(n), strict=True)
    return [k for *_, k in sorted(keys)]


def list_groups(is_decided: np.ndarray) -> list[list[int]]:
    """List all largest sets of places without a decided pair, in order.

    It is Bron and Kerbosch's algorithm with pivots [1]_. There may be exponentially
    many sets: of more than `_MAX_GROUPS`, only the first set with each undecided pair,
    by places, is listed.

    References
    ----------
    .. [1] C. Bron, J. Kerbosch (1973). Algorithm 457: finding all cliques of an
       undirected graph. Communications of the ACM 16, 575-577.
       :doi:`10.1145/362342.362367`
    """
    n = is_decided.shape[0]
    near = [
        set(np.flatnonzero(~row).tolist()) - {k} for k, row in enumerate(is_decided)
    ]
    groups: list[list[int]] = []
    todo = [(list[int](), set(range(n)), set[int]())]
    while todo and len(groups) <= _MAX_GROUPS:
        group, candidates, done = todo.pop()
        if not candidates and not done:
            groups.append(sorted(group))
            continue
        pivot = max(candidates | done, key=lambda k: len(near[k] & candidates))
        for k in sorted(candidates - near[pivot]):
            todo.append(([*group, k], candidates & near[k], done & near[k]))
            candidates, done = candidates - {k}, done | {k}
    return sorted(groups) if len(groups) <= _MAX_GROUPS else _cover_pairs(near)


def _cover_pairs(near: list[set[int]]) -> list[list[int]]:
    covered: set[tuple[int, int]] = set()
    groups = []
    for i, others in enumerate(near):
        for j in sorted(others) or [i]:
            if i > j or (i, j) in covered:
                continue
            group, candidates = {i, j}, others & near[j] if i != j else set[int]()
            while candidates:
                k = min(candidates)
                group.add(k)
                candidates = candidates & near[k]
            groups.append(sorted(group))
            covered.update(itertools.combinations(sorted(group), 2))
    return sorted(groups)
