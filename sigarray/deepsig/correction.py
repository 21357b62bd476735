"""Correction of p-values for several comparisons."""

import numpy as np

import sigarray
from sigarray.deepsig._arguments import Scores, read_scores, require


def bonferroni_correction(p_values: Scores) -> np.ndarray:
    """Multiply p-values by their number, up to 1: see `sigarray.bonferroni`.

    Parameters
    ----------
    p_values : array or collection of numbers, shape (n,) or (n, 1)
        P-values in [0, 1].

    Returns
    -------
    numpy.ndarray, shape (n,)
        Corrected p-values, in the order given.

    Raises
    ------
    AssertionError
        No p-values, or one outside [0, 1].
    TypeError
        P-values that are not one column of numbers.

    Examples
    --------
    >>> from sigarray.deepsig import bonferroni_correction
    >>> bonferroni_correction([0.01, 0.02, 0.5])
    array([0.03, 0.06, 1.  ])
    """
    values = read_scores("p_values", p_values)
    are_valid = bool(np.all((values >= 0.0) & (values <= 1.0)))
    require(are_valid, "p_values to be in [0, 1]", values.tolist())
    return np.asarray(sigarray.bonferroni(values))
