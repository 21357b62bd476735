"""Results about items with several responses: NamedTuples, as in `results`."""

from typing import NamedTuple

from sigarray._backend.callers import Array
from sigarray._host import draw_result


class ResponseSet(NamedTuple):
    """Responses to the items of test sets.

    Attributes
    ----------
    gold, a, b : array, shape (..., n_items, k)
        Gold judgments, and the responses of systems A and B; k may differ.
    """

    gold: Array
    a: Array
    b: Array


class ResponseReplicates(NamedTuple):
    """How far A is ahead of B in test sets, one after another.

    Attributes
    ----------
    statistic : array, shape (..., count)
        The leads of A: positive where A is better.
    null_statistic : array, shape (..., count)
        Those under the null hypothesis.
    """

    statistic: Array
    null_statistic: Array


class ResponseTestResult(NamedTuple):
    """A test of two systems by their responses.

    Attributes
    ----------
    statistic : array, shape (...)
        How far A is ahead of B: positive where A is better.
    pvalue : array, shape (...)
        The p-value.
    metric_a, metric_b : array, shape (...)
        The metric of either system.
    """

    statistic: Array
    pvalue: Array
    metric_a: Array
    metric_b: Array

    def _repr_html_(self) -> str | None:
        return draw_result(self)


class Study(NamedTuple):
    """P-values estimated from one test set, beside the true ones.

    The axes are those of `study`: perturbations, metrics, items, responses.

    Attributes
    ----------
    estimated_pvalue : array, shape (P, M, I, R)
        P-values of `response_test` on one simulated test set for each perturbation.
    true_pvalue : array, shape (P, M, I, R)
        P-values of `true_p_value`, of all responses beside "all", "bootstrap" and
        "without_replacement", and of one response beside "one" and "first".
    """

    estimated_pvalue: Array
    true_pvalue: Array

    def _repr_html_(self) -> str | None:
        return draw_result(self)
