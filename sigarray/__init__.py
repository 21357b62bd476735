"""Is model A really better than model B? Significance tests on the arrays you have."""

from sigarray import responses
from sigarray.comparison import compare
from sigarray.confidence_interval import bootstrap_ci
from sigarray.correction import (
    benjamini_hochberg,
    benjamini_yekutieli,
    bonferroni,
    count_significant,
    holm,
    partial_conjunction,
)
from sigarray.location import mann_whitney_u, welch_t_test
from sigarray.pairwise_order import multi_aso
from sigarray.power import (
    aso_uncertainty_reduction,
    bootstrap_power_analysis,
    required_sample_size,
)
from sigarray.resampling import bootstrap_test, permutation_test
from sigarray.results import (
    AsoResult,
    ComparisonResult,
    ConfidenceInterval,
    MannWhitneyResult,
    PairwiseAsoResult,
    ResamplingResult,
    SampleSizeResult,
    ScoreSummary,
    TTestResult,
)
from sigarray.stochastic_order import aso, aso_replicates, violation_ratio

__all__ = [
    "AsoResult",
    "ComparisonResult",
    "ConfidenceInterval",
    "MannWhitneyResult",
    "PairwiseAsoResult",
    "ResamplingResult",
    "SampleSizeResult",
    "ScoreSummary",
    "TTestResult",
    "aso",
    "aso_replicates",
    "aso_uncertainty_reduction",
    "benjamini_hochberg",
    "benjamini_yekutieli",
    "bonferroni",
    "bootstrap_ci",
    "bootstrap_power_analysis",
    "bootstrap_test",
    "compare",
    "count_significant",
    "holm",
    "mann_whitney_u",
    "multi_aso",
    "partial_conjunction",
    "permutation_test",
    "required_sample_size",
    "responses",
    "violation_ratio",
    "welch_t_test",
]

__version__ = "0.1.0"
