"""Is model A really better than model B? Significance tests on the arrays you have."""

from sigarray.correction import (
    benjamini_hochberg,
    benjamini_yekutieli,
    bonferroni,
    count_significant,
    holm,
    partial_conjunction,
)
from sigarray.pairwise_order import multi_aso
from sigarray.resampling import bootstrap_test, permutation_test
from sigarray.results import AsoResult, PairwiseAsoResult, ResamplingResult
from sigarray.stochastic_order import aso, aso_replicates, violation_ratio

__all__ = [
    "AsoResult",
    "PairwiseAsoResult",
    "ResamplingResult",
    "aso",
    "aso_replicates",
    "benjamini_hochberg",
    "benjamini_yekutieli",
    "bonferroni",
    "bootstrap_test",
    "count_significant",
    "holm",
    "multi_aso",
    "partial_conjunction",
    "permutation_test",
    "violation_ratio",
]

__version__ = "0.1.0"
