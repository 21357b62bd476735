"""The public functions, the options that each takes, and those that it must refuse."""

import math
from dataclasses import dataclass, field
from typing import Any

import array_api_compat
from hypothesis import strategies as st

import sigarray
from sigarray.responses import LikertModel, NormalModel

Strategy = st.SearchStrategy[Any]

ALWAYS = (
    *("rng", "n_resamples", "paired", "alternative", "sizes"),
    *("n_items", "n_responses", "n_sets", "start", "count"),
    *("metrics", "responses", "perturbations"),
)


@dataclass(frozen=True)
class Option:
    """Values that an option takes, and those it refuses by TypeError or ValueError."""

    valid: Strategy
    wrong_kinds: tuple[Any, ...] = ()
    wrong_values: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Function:
    """A public function, by its name in `sigarray`, and what may be asked of it."""

    name: str
    options: dict[str, Option]
    # How many arrays, which a function may take as one list or set.
    arity: int = 2
    takes: str = "scores"  # or "tables", "p_values", "responses", "list", "nothing"
    # Options that every call has: those with slow, random or changing defaults.
    always: tuple[str, ...] = ALWAYS
    # Fields that do not move with all scores; with all of them times a power of two.
    fixed_by_shift: tuple[str, ...] = ()
    fixed_by_scale: tuple[str, ...] = ()
    # How a field of the swapped samples follows: "less", "negative", "complement".
    mirrored: dict[str, str] = field(default_factory=dict)
    # Fields that are NaN for some finite input, as documented.
    may_be_nan: tuple[str, ...] = ()

    def __call__(self, *arrays: Any, **options: Any) -> Any:
        """Call it with its arrays as it takes them."""
        function: Any = sigarray
        for name in self.name.split("."):
            function = getattr(function, name)
        if self.takes == "list":
            return function(list(arrays), **options)
        return function(*arrays, **options)


def data_range(x: Any, axis: int) -> Any:
    """Largest less smallest: a statistic of the caller."""
    xp = array_api_compat.array_namespace(x)
    return xp.max(x, axis=axis) - xp.min(x, axis=axis)


def complex_mean(x: Any, axis: int) -> Any:
    """A statistic that is no real number."""
    xp = array_api_compat.array_namespace(x)
    return xp.astype(xp.mean(x, axis=axis), xp.complex64)


def _choice(*names: Any, kinds: tuple[Any, ...] = (3, ["x"])) -> Option:
    return Option(st.sampled_from(names), kinds, ("nonsense",))


def _count(
    largest: int, *, least: int = 1, is_optional: bool = False, several: bool = False
) -> Option:
    numbers = st.integers(least, largest)
    kinds = (True, 2.0, "3", *(() if several else ([3],)))
    if is_optional:
        return Option(st.none() | numbers, kinds, (0, -1))
    return Option(numbers, (*kinds, None), (0, -1))


def _number(*valid: Any, wrong: tuple[Any, ...]) -> Option:
    return Option(st.sampled_from(valid), ("0.5", [0.5], 1j), wrong)


OUTSIDE = (0.0, 1.0, -0.5, 2.0, math.nan, math.inf)
FLAG = Option(st.booleans(), (None, 1, "yes", 0.0))
# Not 1/2, nor next to 1: a p-value may be just there, but for rounding.
LEVEL = _number(0.9, 0.95, 0.3, 0.05, 1e-6, 0.999, wrong=OUTSIDE)
ALTERNATIVE = _choice("greater", "less", "two-sided", kinds=(3, None))
COUNT = _count(99)
RANDOM = {
    "n_resamples": _count(40, least=2),
    "batch": _count(50, is_optional=True),
    "rng": Option(st.integers(0, 2**64 - 1), ("x", 1.5, True), (-1, 2**64)),
}
ASO = RANDOM | {
    "confidence_level": LEVEL,
    "dt": _number(None, 0.05, 0.1, 1 / 3, 0.9, wrong=OUTSIDE),
    "method": _choice("auto", "bootstrap", "exact", "asymptotic", kinds=(3, None)),
    "higher_is_better": FLAG,
}
START = Option(st.integers(0, 9), (True, 1.0, "1", None), (-1, 2**31))
REPLICATES = {
    "start": START,
    "count": _count(30),
    "batch": RANDOM["batch"],
    "rng": RANDOM["rng"],
}
COMPARED_BY = {
    "paired": FLAG,
    "statistic": _choice(
        "mean", "median", "iqm", data_range, kinds=(None, 3, complex_mean)
    ),
}
RESAMPLED = RANDOM | COMPARED_BY
OF_TESTS = {
    "statistic": _choice(
        "mean", "median", "iqm", "t", data_range, kinds=(None, 3, complex_mean)
    )
}
TEST = (
    RESAMPLED
    | OF_TESTS
    | {
        "alternative": ALTERNATIVE,
        "method": _choice("resampling", "saddlepoint"),
    }
)
INTERVAL = RESAMPLED | {
    "confidence_level": LEVEL,
    "method": _choice("bca", "percentile", "basic", "studentized"),
}
POWER = RANDOM | {
    "alpha": LEVEL,
    "test": _choice("welch", "paired_t", "mann_whitney", "aso"),
}
SIZES = Option(st.sampled_from(((3, 5), (2,))), ((2.5,), "3"), ((), (1,), (5, 3)))
CORRECTIONS = ("holm", "fisher", "bonferroni", "benjamini_hochberg")
SAMPLERS = {
    "items": _choice("bootstrap", "all"),
    "responses": _choice("all", "bootstrap", "one", "first", "without_replacement"),
    "n_resamples": RANDOM["n_resamples"],
    "rng": RANDOM["rng"],
}
MODEL = {"model": _choice("normal", "likert")}
TEST_SETS = MODEL | {
    # Several of them are what `power` takes.
    "n_items": _count(6, several=True),
    "n_responses": _count(4, several=True),
    "n_sets": _count(5),
    "rng": RANDOM["rng"],
}
PERTURBED = {"perturbation_a": _number(0.0, 0.3, wrong=(math.nan,))}
TESTED = {"alternative": ALTERNATIVE}
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
METRIC = {"metric": _choice(*PARTIAL, *TOTAL, *WINS, "accuracy")}

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
        "multi_aso",
        ASO | {"correction": _choice("bonferroni", None)},
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
    Function(
        "probability_of_improvement",
        RANDOM | {"confidence_level": LEVEL},
        mirrored={"statistic": "complement"},
        fixed_by_shift=("statistic",),
        fixed_by_scale=("statistic",),
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
        POWER | {"lift": _number(1.25, 0.5, 1.0, wrong=(0.0, -1.0, math.inf))},
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
        {"alpha": LEVEL, "method": _choice(*CORRECTIONS)},
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
        TEST_SETS | PERTURBED | {"n_sets": _count(5, is_optional=True), "start": START},
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
