"""The public functions, the options that each takes, and those that it must refuse."""

import math
from typing import Any

import array_api_compat
from hypothesis import strategies as st

from benchmarks.fuzz.options import ALWAYS, Function, Option, choice, count, number
from sigarray.responses import LikertModel, NormalModel


def data_range(x: Any, axis: int) -> Any:
    """Largest less smallest: a statistic of the caller."""
    xp = array_api_compat.array_namespace(x)
    return xp.max(x, axis=axis) - xp.min(x, axis=axis)


def complex_mean(x: Any, axis: int) -> Any:
    """A statistic that is no real number."""
    xp = array_api_compat.array_namespace(x)
    return xp.astype(xp.mean(x, axis=axis), xp.complex64)


OUTSIDE = (0.0, 1.0, -0.5, 2.0, math.nan, math.inf)
FLAG = Option(st.booleans(), (None, 1, "yes", 0.0))
# Not 1/2, nor next to 1: a p-value may be just there, but for rounding.
LEVEL = number(0.9, 0.95, 0.3, 0.05, 1e-6, 0.999, wrong=OUTSIDE)
ALTERNATIVE = choice("greater", "less", "two-sided", kinds=(3, None))
COUNT = count(99)
RANDOM = {
    "n_resamples": count(40, least=2),
    "batch": count(50, is_optional=True),
    "rng": Option(st.integers(0, 2**64 - 1), ("x", 1.5, True), (-1, 2**64)),
}
ASO = RANDOM | {
    "confidence_level": LEVEL,
    "dt": number(None, 0.05, 0.1, 1 / 3, 0.9, wrong=OUTSIDE),
    "method": choice("auto", "bootstrap", "exact", "asymptotic", kinds=(3, None)),
    "higher_is_better": FLAG,
}
START = Option(st.integers(0, 9), (True, 1.0, "1", None), (-1, 2**31))
REPLICATES = {
    "start": START,
    "count": count(30),
    "batch": RANDOM["batch"],
    "rng": RANDOM["rng"],
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
SAMPLERS = {
    "items": choice("bootstrap", "all"),
    "responses": choice("all", "bootstrap", "one", "first", "without_replacement"),
    "n_resamples": RANDOM["n_resamples"],
    "rng": RANDOM["rng"],
}
MODEL = {"model": choice("normal", "likert")}
TEST_SETS = MODEL | {
    # Several of them are what `power` takes.
    "n_items": count(6, several=True),
    "n_responses": count(4, several=True),
    "n_sets": count(5),
    "rng": RANDOM["rng"],
}
PERTURBED = {"perturbation_a": number(0.0, 0.3, wrong=(math.nan,))}
TESTED = {"alternative": ALTERNATIVE}
WRONG_LIMITS = (math.nan, math.inf)
MARGIN = {
    "alternative": Option(st.sampled_from(("greater", "less")), (3, None)),
    "margin": number(0.0, 0.5, 2.0, wrong=(-0.5, *WRONG_LIMITS)),
}
LIMITS = {
    "low": number(-2.0, -0.5, 0.0, wrong=WRONG_LIMITS),
    "high": number(0.5, 2.0, wrong=WRONG_LIMITS),
}
STUDY = (
    TEST_SETS
    | TESTED
    | {
        "n_resamples": RANDOM["n_resamples"],
        "metrics": Option(st.just(("mae", "spearman")), (3, None), ((), ("bleu",))),
        "responses": Option(st.sampled_from((("all",), ("one",)))),
        "perturbations": Option(st.just((0.1,)), (None,), ((math.nan,),)),
    }
)
# Those that are NaN for some finite responses, such as constant ones, and the others.
PARTIAL = ("cosine", "spearman", "mean_of_emds", "precision", "recall", "f1", "roc_auc")
TOTAL = ("mae", "mse", "rmse", "max_error", "emd", "emd_all", "kl_divergence")
WINS = ("wins_mae", "wins_mae_all", "wins_emd")
METRIC = {"metric": choice(*PARTIAL, *TOTAL, *WINS, "accuracy")}

RATIOS = ("violation_ratio", "eps_min", "standard_error")
P_VALUE = {"fixed_by_shift": ("pvalue",), "fixed_by_scale": ("pvalue",)}
RESULT = {"fixed_by_shift": ("result",), "fixed_by_scale": ("result",)}
ORDER = {"fixed_by_shift": RATIOS, "fixed_by_scale": RATIOS}
COMPARED = ("mann_whitney.pvalue", "aso_a_over_b.violation_ratio")
SIMULATED: dict[str, Any] = {"arity": 0, "takes": "nothing"}
# Of seeds and items.
AXES = Option(st.sampled_from(((-2, -1), (-1, -2))))
TABLES: dict[str, Any] = {"takes": "tables", "always": (*ALWAYS, "axis")}
P_VALUES: dict[str, Any] = {"arity": 1, "takes": "p_values"}
RESPONSES: dict[str, Any] = {"arity": 3, "takes": "responses"}

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
    Function(
        "responses.response_test",
        SAMPLERS | METRIC | TESTED | {"batch": RANDOM["batch"]},
        # For some metrics.
        may_be_nan=("statistic", "pvalue", "metric_a", "metric_b"),
        **RESPONSES,
    ),
    Function(
        "responses.response_replicates",
        REPLICATES | METRIC | {name: SAMPLERS[name] for name in ("items", "responses")},
        # For some metrics.
        may_be_nan=("statistic", "null_statistic"),
        **RESPONSES,
    ),
    Function(
        "responses.resample",
        SAMPLERS | {"start": START},
        arity=3,
        takes="responses",
    ),
    Function(
        "responses.fit",
        MODEL,
        arity=1,
        takes="responses",
        # Where no item has two responses, or one is beyond the scale.
        may_be_nan=(*NormalModel._fields, *LikertModel._fields),
    ),
    *(
        Function(f"responses.metrics.{name}", {}, 2, "responses", may_be_nan=nan)
        for names, nan in ((PARTIAL, ("result",)), ((*TOTAL, "accuracy"), ()))
        for name in names
    ),
    *(Function(f"responses.metrics.{name}", {}, **RESPONSES) for name in WINS),
    Function(
        "responses.simulate",
        TEST_SETS | PERTURBED | {"n_sets": count(5, is_optional=True), "start": START},
        **SIMULATED,
    ),
    Function("responses.true_p_value", TEST_SETS | PERTURBED | TESTED, **SIMULATED),
    Function(
        "responses.true_replicates",
        {name: x for name, x in TEST_SETS.items() if name != "n_sets"}
        | PERTURBED
        | REPLICATES,
        **SIMULATED,
    ),
    Function(
        "responses.study",
        STUDY,
        # For the correlation of one item.
        may_be_nan=("estimated_pvalue", "true_pvalue"),
        **SIMULATED,
    ),
    Function(
        "responses.power",
        TEST_SETS
        | PERTURBED
        | TESTED
        | {"n_resamples": RANDOM["n_resamples"], "alpha": LEVEL},
        **SIMULATED,
    ),
]
