"""Is model A really better than model B? Significance tests on the arrays you have."""

import importlib as _importlib
from typing import Any as _Any

from sigarray._comparison import compare
from sigarray._correction import (
    benjamini_hochberg,
    benjamini_yekutieli,
    bonferroni,
    count_significant,
    holm,
)
from sigarray._difference.bootstrap import bootstrap_replicates, bootstrap_test
from sigarray._difference.confidence_interval import bootstrap_ci
from sigarray._difference.location import mann_whitney_u, t_test
from sigarray._difference.permutation import (
    permutation_replicates,
    permutation_test,
)
from sigarray._difference.placements import brunner_munzel
from sigarray._difference.proportions import proportion_ci
from sigarray._difference.signed_ranks import wilcoxon_test
from sigarray._gathering import gather_scores
from sigarray._order.from_chunks import (
    aso_from_chunks,
    order_statistics,
    violation_ratio_from_chunks,
)
from sigarray._order.many_models import multi_aso
from sigarray._order.two_models import aso
from sigarray._order.two_samples import aso_replicates, violation_ratio
from sigarray._power_analysis import (
    aso_uncertainty_reduction,
    bootstrap_power_analysis,
    required_sample_size,
)
from sigarray._ranking import ranking
from sigarray.results import (
    AsoResult,
    BootstrapResult,
    BrunnerMunzelResult,
    ComparisonResult,
    ConfidenceInterval,
    MannWhitneyResult,
    PairwiseAsoResult,
    ProportionResult,
    Ranking,
    ResamplingResult,
    SampleSizeResult,
    ScoreSummary,
    TTestResult,
    WilcoxonResult,
)

__all__ = [
    "AsoResult",
    "BootstrapResult",
    "BrunnerMunzelResult",
    "ComparisonResult",
    "ConfidenceInterval",
    "MannWhitneyResult",
    "ModelComparison",
    "PairwiseAsoResult",
    "ProportionResult",
    "Ranking",
    "ResamplingResult",
    "SampleSizeResult",
    "ScoreSummary",
    "TTestResult",
    "Verdict",
    "WilcoxonResult",
    "aso",
    "aso_from_chunks",
    "aso_replicates",
    "aso_uncertainty_reduction",
    "benjamini_hochberg",
    "benjamini_yekutieli",
    "bonferroni",
    "bootstrap_ci",
    "bootstrap_power_analysis",
    "bootstrap_replicates",
    "bootstrap_test",
    "brunner_munzel",
    "compare",
    "compare_models",
    "count_significant",
    "gather_scores",
    "holm",
    "mann_whitney_u",
    "multi_aso",
    "order_statistics",
    "permutation_replicates",
    "permutation_test",
    "plot",
    "proportion_ci",
    "ranking",
    "read",
    "report",
    "required_sample_size",
    "responses",
    "t_test",
    "violation_ratio",
    "violation_ratio_from_chunks",
    "wilcoxon_test",
]

__version__ = "0.1.0"

# Imported on first use, so that a command starts at once.
_ROOMS = ("plot", "read", "report", "responses")
_LATER = {
    "ModelComparison": "sigarray._verdicts.result",
    "Verdict": "sigarray._verdicts.result",
    "compare_models": "sigarray._verdicts.models",
}


def __getattr__(name: str) -> _Any:
    if name in _ROOMS:
        return _importlib.import_module(f"{__name__}.{name}")
    if name in _LATER:
        return getattr(_importlib.import_module(_LATER[name]), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return sorted({*globals(), *_ROOMS, *_LATER})
