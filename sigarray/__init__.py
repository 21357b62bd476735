"""Is model A really better than model B? Significance tests on the arrays you have."""

import importlib as _importlib
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from sigarray._version import __version__ as __version__

# For tools that read this file; when it runs, `__getattr__` does it on first use, so
# that the command and `import sigarray` start at once.
if _TYPE_CHECKING:
    from sigarray import corpus, plot, read, report, responses
    from sigarray._comparison import compare, ranking
    from sigarray._correction import (
        benjamini_hochberg,
        benjamini_yekutieli,
        bonferroni,
        count_significant,
        holm,
    )
    from sigarray._difference.bootstrap import bootstrap_test, equivalence_test
    from sigarray._difference.components import (
        VarianceComponents,
        required_items,
        variance_components,
    )
    from sigarray._difference.confidence_interval import (
        bootstrap_ci,
        bootstrap_replicates,
    )
    from sigarray._difference.improvement import probability_of_improvement
    from sigarray._difference.location import t_ci, t_test
    from sigarray._difference.permutation import permutation_test
    from sigarray._difference.profile import performance_profile
    from sigarray._difference.proportions import proportion_ci, proportion_test
    from sigarray._difference.ranks import (
        brunner_munzel,
        mann_whitney_u,
        wilcoxon_test,
    )
    from sigarray._difference.replicates import permutation_replicates
    from sigarray._gathering import gather_scores
    from sigarray._numeric.sums import SumStatistic, of_sums
    from sigarray._order.from_chunks import (
        aso_from_chunks,
        order_statistics,
        violation_ratio_from_chunks,
    )
    from sigarray._order.many_models import multi_aso
    from sigarray._order.ratio import violation_ratio
    from sigarray._order.two_models import aso, aso_replicates
    from sigarray._power_analysis import (
        aso_uncertainty_reduction,
        bootstrap_power_analysis,
        required_sample_size,
    )
    from sigarray._rank_intervals.interval import rank_ci
    from sigarray._verdicts.models import compare_models
    from sigarray._verdicts.result import ModelComparison, Verdict
    from sigarray.results import (
        AsoResult,
        BootstrapResult,
        BrunnerMunzelResult,
        ComparisonResult,
        ConfidenceInterval,
        EquivalenceResult,
        MannWhitneyResult,
        PairwiseAsoResult,
        ProportionResult,
        ProportionTestResult,
        Ranking,
        RankResult,
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
    "EquivalenceResult",
    "MannWhitneyResult",
    "ModelComparison",
    "PairwiseAsoResult",
    "ProportionResult",
    "ProportionTestResult",
    "RankResult",
    "Ranking",
    "ResamplingResult",
    "SampleSizeResult",
    "ScoreSummary",
    "SumStatistic",
    "TTestResult",
    "VarianceComponents",
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
    "corpus",
    "count_significant",
    "equivalence_test",
    "gather_scores",
    "holm",
    "mann_whitney_u",
    "multi_aso",
    "of_sums",
    "order_statistics",
    "performance_profile",
    "permutation_replicates",
    "permutation_test",
    "plot",
    "probability_of_improvement",
    "proportion_ci",
    "proportion_test",
    "rank_ci",
    "ranking",
    "read",
    "report",
    "required_items",
    "required_sample_size",
    "responses",
    "t_ci",
    "t_test",
    "variance_components",
    "violation_ratio",
    "violation_ratio_from_chunks",
    "wilcoxon_test",
]

_ROOMS = ("corpus", "plot", "read", "report", "responses")
# The modules of what is public.
_MODULES = {
    "_comparison": "compare ranking",
    "_correction": (
        "benjamini_hochberg benjamini_yekutieli bonferroni count_significant holm"
    ),
    "_difference.bootstrap": "bootstrap_test equivalence_test",
    "_difference.components": "VarianceComponents required_items variance_components",
    "_difference.confidence_interval": "bootstrap_ci bootstrap_replicates",
    "_difference.improvement": "probability_of_improvement",
    "_difference.location": "t_ci t_test",
    "_difference.permutation": "permutation_test",
    "_difference.profile": "performance_profile",
    "_difference.proportions": "proportion_ci proportion_test",
    "_difference.ranks": "brunner_munzel mann_whitney_u wilcoxon_test",
    "_difference.replicates": "permutation_replicates",
    "_gathering": "gather_scores",
    "_numeric.sums": "SumStatistic of_sums",
    "_order.from_chunks": (
        "aso_from_chunks order_statistics violation_ratio_from_chunks"
    ),
    "_order.many_models": "multi_aso",
    "_order.two_models": "aso aso_replicates",
    "_order.ratio": "violation_ratio",
    "_power_analysis": (
        "aso_uncertainty_reduction bootstrap_power_analysis required_sample_size"
    ),
    "_rank_intervals.interval": "rank_ci",
    "_verdicts.models": "compare_models",
    "_verdicts.result": "ModelComparison Verdict",
    "results": (
        "AsoResult BootstrapResult BrunnerMunzelResult ComparisonResult "
        "ConfidenceInterval EquivalenceResult MannWhitneyResult PairwiseAsoResult "
        "ProportionResult ProportionTestResult RankResult Ranking "
        "ResamplingResult SampleSizeResult ScoreSummary TTestResult "
        "WilcoxonResult"
    ),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> _Any:
    """Import what is asked for."""
    if name in _ROOMS:
        return _importlib.import_module(f"{__name__}.{name}")
    if name not in _HOMES:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    module = _importlib.import_module(f"{__name__}.{_HOMES[name]}")
    value = globals()[name] = getattr(module, name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_ROOMS, *_HOMES})
