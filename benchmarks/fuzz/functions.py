"""The public functions, the options that each takes, and those that it must refuse."""

import math
from typing import Any

import array_api_compat
from hypothesis import strategies as st

from benchmarks.fuzz.options import ALWAYS, Function, Option, choice, number
from benchmarks.fuzz.responses import FUNCTIONS_OF_RESPONSES
from benchmarks.fuzz.shared import (
    ALTERNATIVE,
    COUNT,
    FLAG,
    LEVEL,
    OUTSIDE,
    RANDOM,
    REPLICATES,
    TESTED,
)


def data_range(x: Any, axis: int) -> Any:
    """Largest less smallest: a statistic of the caller."""
    xp = array_api_compat.array_namespace(x)
    return xp.max(x, axis=axis) - xp.min(x, axis=axis)


def complex_mean(x: Any, axis: int) -> Any:
    """A statistic that is no real number."""
    xp = array_api_compat.array_namespace(x)
    return xp.astype(xp.mean(x, axis=axis), xp.complex64)


ASO = RANDOM | {
    "confidence_level": LEVEL,
    "dt": number(None, 0.05, 0.1, 1 / 3, 0.9, wrong=OUTSIDE),
    "method": choice("auto", "bootstrap", "exact", "asymptotic", kinds=(3, None)),
    "higher_is_better": FLAG,
}
RANKED = ("rank", "probability", "confidence_interval.low", "confidence_interval.high")
COMPARED_BY = {
    "paired": FLAG,
    "statistic": choice(
        "mean", "median", "iqm", data_range, kinds=(None, 3, complex_mean)
    ),
}
RESAMPLED = RANDOM | COMPARED_BY
OF_TESTS = {
    "statistic": choice(
        "mean", "median", "iqm", "t", data_range, kinds=(None, 3, complex_mean)
    )
}
OF_NAMES = {"statistic": choice("mean", "median", "iqm", kinds=(None, 3))}
OF_CLUSTERS = OF_NAMES | {"method": choice("bca", "percentile", "basic")}
DRAWN = RANDOM | {"confidence_level": LEVEL}
OF_MEANS = {"statistic": choice("mean", "t", kinds=(None, 3))}
TEST = (
    RESAMPLED
    | OF_TESTS
    | {
        "alternative": ALTERNATIVE,
        "method": choice("resampling", "saddlepoint"),
    }
)
INTERVAL = RESAMPLED | {
    "confidence_level": LEVEL,
    "method": choice("bca", "percentile", "basic", "studentized"),
}
POWER = RANDOM | {
    "alpha": LEVEL,
    "test": choice("welch", "paired_t", "mann_whitney", "aso"),
}
SIZES = Option(st.sampled_from(((3, 5), (2,))), ((2.5,), "3"), ((), (1,), (5, 3)))
CORRECTIONS = ("holm", "fisher", "bonferroni", "benjamini_hochberg")
WRONG_LIMITS = (math.nan, math.inf)
MARGIN = {
    "alternative": Option(st.sampled_from(("greater", "less")), (3, None)),
    "margin": number(0.0, 0.5, 2.0, wrong=(-0.5, *WRONG_LIMITS)),
}
LIMITS = {
    "low": number(-2.0, -0.5, 0.0, wrong=WRONG_LIMITS),
    "high": number(0.5, 2.0, wrong=WRONG_LIMITS),
}

RATIOS = ("violation_ratio", "eps_min", "standard_error")
P_VALUE = {"fixed_by_shift": ("pvalue",), "fixed_by_scale": ("pvalue",)}
RESULT = {"fixed_by_shift": ("result",), "fixed_by_scale": ("result",)}
ORDER = {"fixed_by_shift": RATIOS, "fixed_by_scale": RATIOS}
COMPARED = ("mann_whitney.pvalue", "aso_a_over_b.violation_ratio")
# Of seeds and items.
AXES = Option(st.sampled_from(((-2, -1), (-1, -2))))
TABLES: dict[str, Any] = {"takes": "tables", "always": (*ALWAYS, "axis")}
P_VALUES: dict[str, Any] = {"arity": 1, "takes": "p_values"}

FUNCTIONS = [
    Function(
        "violation_ratio",
        {"dt": ASO["dt"]},
        mirrored={"result": "complement"},
        **RESULT,
    ),
    Function(
        "aso",
        ASO | {"n_comparisons": COUNT},
        mirrored={"violation_ratio": "complement"},
        **ORDER,
    ),
    Function(
        "aso_replicates",
        REPLICATES | {"dt": ASO["dt"], "higher_is_better": FLAG},
        **RESULT,
    ),
    Function(
        "aso",
        ASO | {"method": choice("auto", "bootstrap"), "axis": AXES},
        mirrored={"violation_ratio": "complement"},
        **TABLES,
        **ORDER,
    ),
    Function(
        "multi_aso",
        ASO | {"correction": choice("bonferroni", None)},
        arity=3,
        takes="list",
        **ORDER,
    ),
    Function(
        "bootstrap_replicates",
        REPLICATES | COMPARED_BY | OF_TESTS,
        fixed_by_shift=("result",),
    ),
    Function(
        "permutation_replicates",
        REPLICATES | COMPARED_BY | OF_TESTS,
        fixed_by_shift=("result",),
    ),
    Function("bootstrap_test", TEST, **P_VALUE),
    Function("permutation_test", TEST, **P_VALUE),
    Function(
        "bootstrap_ci",
        INTERVAL,
        fixed_by_shift=("confidence_interval.low", "confidence_interval.high"),
    ),
    Function(
        "permutation_test",
        TESTED | {"paired": Option(st.just(True)), "method": Option(st.just("exact"))},
        # Where scores are no multiples of one unit.
        may_be_nan=("pvalue",),
        **P_VALUE,
    ),
    Function("bootstrap_ci", INTERVAL | {"paired": Option(st.just(False))}, arity=1),
    Function("bootstrap_ci", INTERVAL | OF_CLUSTERS, labels="clusters"),
    Function("bootstrap_test", RESAMPLED | TESTED | OF_NAMES, labels="clusters"),
    *(
        Function(
            "t_ci",
            {"confidence_level": LEVEL, "paired": paired},
            arity=arity,
            # Where no score varies.
            may_be_nan=("confidence_interval.low", "confidence_interval.high"),
        )
        for arity, paired in ((1, Option(st.just(False))), (2, FLAG))
    ),
    Function("probability_of_improvement", DRAWN, labels="strata"),
    Function(
        "probability_of_improvement",
        DRAWN,
        mirrored={"statistic": "complement"},
        fixed_by_shift=("statistic",),
        fixed_by_scale=("statistic",),
    ),
    Function(
        "rank_ci",
        RANDOM
        | {
            "confidence_level": LEVEL,
            "higher_is_better": FLAG,
            "statistic": COMPARED_BY["statistic"],
            "paired": FLAG,
        },
        arity=3,
        takes="list",
        fixed_by_shift=RANKED,
        fixed_by_scale=RANKED,
    ),
    *(
        Function(
            "proportion_ci",
            {"confidence_level": LEVEL, "paired": paired},
            arity=arity,
            # Of scores that are not 0 or 1.
            may_be_nan=(
                "statistic",
                "confidence_interval.low",
                "confidence_interval.high",
            ),
        )
        for arity, paired in ((1, Option(st.just(False))), (2, FLAG))
    ),
    Function(
        "mann_whitney_u",
        TESTED,
        mirrored={"pvalue": "less", "probability_of_improvement": "complement"},
        **P_VALUE,
    ),
    Function(
        "brunner_munzel",
        TESTED,
        mirrored={
            "pvalue": "less",
            "statistic": "negative",
            "df": "same",
            "probability_of_improvement": "complement",
        },
        **P_VALUE,
    ),
    Function(
        "wilcoxon_test",
        TESTED,
        mirrored={"pvalue": "less", "rank_biserial": "negative"},
        **P_VALUE,
    ),
    Function(
        "t_test",
        TESTED | {"paired": FLAG},
        mirrored={"pvalue": "less", "statistic": "negative", "df": "same"},
        # Where no score varies.
        may_be_nan=("pvalue",),
        **P_VALUE,
    ),
    *(
        Function(
            name,
            {**options, **MARGIN, "paired": FLAG},
            fixed_by_shift=("pvalue",),
            # Where no score varies.
            may_be_nan=("pvalue",) if name == "t_test" else (),
        )
        for name, options in (
            ("t_test", {}),
            ("bootstrap_test", RESAMPLED | OF_MEANS),
            ("permutation_test", RANDOM | OF_MEANS),
        )
    ),
    *(
        Function(
            "equivalence_test",
            {**RANDOM, **LIMITS, **options, "paired": FLAG},
            always=(*ALWAYS, *LIMITS, *options),
            fixed_by_shift=("pvalue",),
            # Where no score varies.
            may_be_nan=may_be_nan,
        )
        for options, may_be_nan in (
            ({}, ("pvalue", "low.pvalue", "high.pvalue")),
            ({**OF_MEANS, "method": Option(st.just("bootstrap"))}, ()),
        )
    ),
    Function(
        "proportion_test",
        {**MARGIN, "margin": Option(st.sampled_from((0.0, 0.1))), "paired": FLAG},
        # Of scores that are not 0 or 1.
        may_be_nan=("statistic", "pvalue", "difference"),
    ),
    Function(
        "t_ci",
        {"confidence_level": LEVEL, "paired": FLAG, "axis": AXES},
        # Where no score varies.
        may_be_nan=("confidence_interval.low", "confidence_interval.high"),
        **TABLES,
    ),
    Function(
        "variance_components",
        {"paired": FLAG, "axis": AXES},
        # Where no score varies.
        may_be_nan=("seed_share", "item_share", "both_share"),
        **TABLES,
    ),
    Function(
        "compare",
        ASO | TESTED | {"n_comparisons": COUNT},
        fixed_by_shift=COMPARED,
        fixed_by_scale=COMPARED,
        mirrored={"mann_whitney.pvalue": "less"},
        may_be_nan=("summary_a.std", "summary_b.std"),
    ),
    Function(
        "bootstrap_power_analysis",
        POWER | {"lift": number(1.25, 0.5, 1.0, wrong=(0.0, -1.0, math.inf))},
        arity=1,
        fixed_by_scale=("result",),
    ),
    Function(
        "required_sample_size",
        POWER | {"power": LEVEL, "higher_is_better": FLAG, "sizes": SIZES},
        fixed_by_scale=("sample_size", "power"),
    ),
    *(
        Function(name, {}, **P_VALUES)
        for name in ("bonferroni", "holm", "benjamini_hochberg", "benjamini_yekutieli")
    ),
    Function(
        "count_significant",
        {"alpha": LEVEL, "method": choice(*CORRECTIONS)},
        **P_VALUES,
    ),
    *FUNCTIONS_OF_RESPONSES,
]
