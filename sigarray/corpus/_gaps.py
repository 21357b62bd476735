"""How far scores are below a level: a statistic of scores, not of sums."""

from dataclasses import dataclass

from sigarray._backend.aliases import Array
from sigarray._backend.checks import number
from sigarray._backend.dispatch import standardize
from sigarray._backend.kernels import array_kernel
from sigarray._backend.library import Library
from sigarray._backend.public import as_scalars, checked, traceable


@dataclass(frozen=True)
class OptimalityGap:
    """The mean of max(gamma - score, 0), called as ``gap(scores, axis=-1)``.

    Equal where `gamma` is, so that JAX compiles it once. See `optimality_gap`.
    """

    gamma: float

    # What it gives depends on its parts alone: no annotation, or else it were one.
    has_parts = True

    def __call__(self, scores: Array, /, axis: int = -1) -> Array:
        """Return the gap along an axis, NaN where a score is."""
        return _find_gap(scores, axis, self.gamma)


@checked(gamma=number)
def optimality_gap(*, gamma: float = 1.0) -> OptimalityGap:
    """Make a statistic of how far scores are below a level that is good enough.

    It is the mean over all runs and tasks of max(gamma - score, 0): scores above the
    level do not make up for others, and lower is better.

    Parameters
    ----------
    gamma : float, default: 1.0
        The level, such as 1 for scores that are divided by those of people.

    Returns
    -------
    OptimalityGap
        What `bootstrap_ci`, `bootstrap_test`, `permutation_test`, their replicates and
        `rank_ci` take as `statistic`. Called with scores and an axis it returns the gap
        of these.

    Raises
    ------
    TypeError, ValueError
        Anything but a finite number.

    Notes
    -----
    The measure is that of [1]_. It is the mean of other scores, for which closed forms
    and labels of `strata` will do: ``t_ci(np.maximum(1.0 - x, 0.0))``.

    References
    ----------
    .. [1] R. Agarwal, M. Schwarzer, P. S. Castro, A. Courville, M. G. Bellemare (2021).
       Deep reinforcement learning at the edge of the statistical precipice. NeurIPS.
       https://arxiv.org/abs/2108.13264

    Examples
    --------
    >>> import numpy as np
    >>> from sigarray import bootstrap_ci, corpus
    >>> scores = np.random.default_rng(0).uniform(size=(5, 26)) * 2  # runs, tasks
    >>> gap = corpus.optimality_gap()
    >>> result = bootstrap_ci(scores, statistic=gap, axis=0, strata=1, rng=0)
    >>> round(float(result.statistic), 3)
    0.237
    """
    return OptimalityGap(gamma)


@traceable
def _find_gap(scores: Array, axis: int, gamma: float) -> Array:
    xp, (x,) = standardize(scores, axis=axis)
    return as_scalars(_mean_of_gaps(xp, x, gamma=gamma))


@array_kernel
def _mean_of_gaps(xp: Library, x: Array, *, gamma: float) -> Array:
    return xp.mean(xp.positive_part(gamma - x), axis=-1)
