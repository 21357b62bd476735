"""Who beats whom, of many models."""

from collections.abc import Hashable, Iterable

import numpy as np

from sigarray._backend.checks import describe, half
from sigarray._backend.libraries import to_host
from sigarray._host import check_matrix
from sigarray.results import PairwiseAsoResult, Ranking


def ranking(
    result: PairwiseAsoResult,
    /,
    threshold: float = 0.2,
    *,
    names: Iterable[Hashable] | None = None,
) -> Ranking:
    """Rank the models of `multi_aso`, for tables and pictures.

    Model i beats model j where ``eps_min[i, j]`` is below the threshold. Those that
    beat more come first; of as many, those that fewer beat; then those of a smaller
    mean violation ratio, then as they were given.

    Parameters
    ----------
    result : PairwiseAsoResult
        Of K models, with arrays of shape (K, K) of any library. They are copied to the
        host, which waits for the device.
    threshold : float, default: 0.2
        Above 0 and at most 0.5, where "better" needs no more than half of the order.
    names : iterable of K hashables, optional
        Names of the models, such as the mapping that `multi_aso` was given; by default
        their places, 0 to K - 1.

    Returns
    -------
    Ranking
        `order`, `beats` and `groups`.

    Raises
    ------
    TypeError
        No result of `multi_aso`, or one that is traced.
    ValueError
        A result of several batch entries, or with NaN; another number of names, or one
        of them twice; a threshold outside of (0, 0.5].

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
    >>> found = ranking(multi_aso(scores), names=scores)
    >>> found.order
    ('boosted', 'forest', 'linear')
    >>> found.groups
    (('boosted', 'forest'), ('linear',))
    """
    if not isinstance(result, PairwiseAsoResult):
        msg = f"Expected what multi_aso gives; got {describe(result)}."
        raise TypeError(msg)
    limit = half("threshold", threshold)
    eps_min, ratio = to_host(result.eps_min), to_host(result.violation_ratio)
    check_matrix(eps_min)
    n = eps_min.shape[0]
    if names is not None and not isinstance(names, Iterable):
        msg = f"Expected names to be an iterable of {n}; got {describe(names)}."
        raise TypeError(msg)
    labels = list(range(n)) if names is None else list(names)
    if len(labels) != n or len(set(labels)) < n:
        msg = f"Expected {n} names, each of them once; got {labels}."
        raise ValueError(msg)
    # In the row of a model with a fault there is nothing else but the diagonal.
    faulty = [labels[k] for k in range(n) if np.isnan(np.delete(eps_min[k], k)).all()]
    if faulty or np.isnan(eps_min).any():
        msg = f"Expected bounds of all pairs; got NaN for {faulty}. Leave them out."
        raise ValueError(msg)
    beats = eps_min < limit
    np.fill_diagonal(beats, val=False)
    keys = zip(-beats.sum(1), beats.sum(0), ratio.mean(1), range(n), strict=True)
    order = [k for *_, k in sorted(keys)]
    is_decided = (beats | beats.T)[np.ix_(order, order)]
    return Ranking(
        tuple(labels[k] for k in order),
        tuple(tuple(labels[j] for j in order if beats[i, j]) for i in order),
        tuple(tuple(labels[order[k]] for k in run) for run in _list_runs(is_decided)),
    )


def _list_runs(is_decided: np.ndarray) -> list[range]:
    """List the longest runs of places without a decided pair."""
    n = is_decided.shape[0]
    # Where a run that ends before it starts, for each end.
    nearest = [max(np.flatnonzero(is_decided[k, :k]), default=-1) for k in range(n)]
    starts = np.maximum.accumulate(np.asarray(nearest)) + 1
    ends = [k for k in range(n) if k == n - 1 or starts[k + 1] > starts[k]]
    return [range(starts[k], k + 1) for k in ends]
