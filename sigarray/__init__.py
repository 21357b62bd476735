"""Is model A really better than model B? Significance tests on the arrays you have."""

from sigarray.pairwise_order import multi_aso
from sigarray.results import AsoResult, PairwiseAsoResult
from sigarray.stochastic_order import aso, aso_replicates, violation_ratio

__all__ = [
    "AsoResult",
    "PairwiseAsoResult",
    "aso",
    "aso_replicates",
    "multi_aso",
    "violation_ratio",
]

__version__ = "0.1.0"
