"""One row for every public function and path through it, for the contract tests."""

from typing import Any

import array_api_compat

import sigarray
from sigarray import responses
from tests.case import Case, CaseOfPValues
from tests.margin_cases import MARGIN_CASES
from tests.response_cases import RESPONSE_CASES
from tests.stratum_cases import STRATUM_CASES
from tests.sum_cases import SUM_CASES


def _multi_aso_of_sequence(*arrays: Any, **options: Any) -> Any:
    return sigarray.multi_aso(arrays, **options)


# Where `aso` and `multi_aso` have the standard error, which depends on the seed even
# where equality is not rejected, and where `compare` has it.
_ERROR, _ERROR_OF_COMPARE = 2, 15


def _bootstrap(**options: Any) -> dict[str, Any]:
    return {"method": "bootstrap", "n_resamples": 60} | options


def _range(x: Any, axis: int) -> Any:
    xp = array_api_compat.array_namespace(x)
    return xp.max(x, axis=axis) - xp.min(x, axis=axis)


def _sign_test(a: Any, b: Any, axis: int) -> Any:
    """Share of pairs in which A is not ahead: near enough to a p-value."""
    xp = array_api_compat.array_namespace(a)
    return xp.mean(xp.astype(a <= b, a.dtype), axis=axis) / 4.0


CASES = [
    Case("violation_ratio", sigarray.violation_ratio, ((8,), (8,))),
    Case(
        "violation_ratio-ragged",
        sigarray.violation_ratio,
        ((6,), (9,)),
    ),
    Case(
        "violation_ratio-grid",
        sigarray.violation_ratio,
        ((6,), (9,)),
        {"dt": 0.05},
    ),
    Case(
        "aso-bootstrap", sigarray.aso, ((12,), (12,)), _bootstrap(), True, drawn=_ERROR
    ),
    *(
        Case(name, sigarray.aso, shapes, _bootstrap(**options), True, drawn=_ERROR)
        for name, shapes, options in (
            ("aso-bootstrap-ragged", ((12,), (9,)), {}),
            ("aso-bootstrap-grid", ((12,), (9,)), {"dt": 0.05}),
            ("aso-bootstrap-gamma", ((400,), (330,)), {"dt": 0.05}),
            ("aso-lower-is-better", ((7,), (9,)), {"higher_is_better": False}),
            # Whose replicates are kept, for a percentile of theirs.
            ("aso-percentile", ((24,), (21,)), {"confidence_level": 0.5}),
        )
    ),
    Case("aso-exact", sigarray.aso, ((4,), (4,))),
    Case("aso-exact-ragged", sigarray.aso, ((3,), (5,)), {"method": "exact"}),
    Case("aso-exact-grid", sigarray.aso, ((3,), (4,)), {"dt": 0.1}),
    Case("aso-asymptotic", sigarray.aso, ((50,), (50,)), {"method": "asymptotic"}),
    Case(
        "aso-asymptotic-ragged", sigarray.aso, ((30,), (45,)), {"method": "asymptotic"}
    ),
    Case(
        "aso_replicates",
        sigarray.aso_replicates,
        ((7,), (9,)),
        {"start": 5, "count": 30},
        True,
    ),
    *(
        Case(
            name, sigarray.multi_aso, shapes, _bootstrap(**options), True, drawn=_ERROR
        )
        for name, shapes, options in (
            ("multi_aso-3", ((3, 12),), {}),
            ("multi_aso-4", ((4, 12),), {}),
            ("multi_aso-uncorrected", ((3, 12),), {"correction": None}),
            # Of which no other pairs have p-values.
            ("multi_aso-baseline", ((2, 12),), {"baseline": 1}),
            ("multi_aso-percentile", ((2, 20),), {"confidence_level": 0.5}),
        )
    ),
    Case("multi_aso-exact", sigarray.multi_aso, ((3, 4),)),
    Case(
        "multi_aso-asymptotic", sigarray.multi_aso, ((3, 40),), {"method": "asymptotic"}
    ),
    Case(
        "multi_aso-sequence",
        _multi_aso_of_sequence,
        ((8,), (8,), (8,)),
        _bootstrap(),
        True,
        drawn=_ERROR,
        public=sigarray.multi_aso,
    ),
    Case(
        "multi_aso-ragged",
        _multi_aso_of_sequence,
        ((8,), (5,), (11,)),
        _bootstrap(),
        True,
        drawn=_ERROR,
        public=sigarray.multi_aso,
    ),
    Case(
        "multi_aso-ragged-exact",
        _multi_aso_of_sequence,
        ((4,), (5,), (4,)),
        public=sigarray.multi_aso,
    ),
    *(
        Case(
            f"{function.__name__}-{statistic}-{'paired' if paired else 'independent'}",
            function,
            ((9,), (9,)),
            {
                "statistic": statistic,
                "paired": paired,
                "alternative": alternative,
                "n_resamples": 70,
            },
            is_random=True,
        )
        for function in (sigarray.bootstrap_test, sigarray.permutation_test)
        for statistic, paired, alternative in (
            ("mean", True, "two-sided"),
            ("mean", False, "less"),
            ("median", True, "greater"),
            ("iqm", False, "two-sided"),
        )
    ),
    *(
        Case(
            f"{function.__name__}-{name}",
            function,
            shapes,
            {"start": 5, "count": 30, **options},
            is_random=options.get("method") != "exact",
            moved=None if name == "one" else (),
        )
        for function, name, shapes, options in (
            (sigarray.bootstrap_replicates, "one", ((9,),), {}),
            (sigarray.bootstrap_replicates, "paired", ((9,), (9,)), {"paired": True}),
            (sigarray.permutation_replicates, "paired", ((9,), (9,)), {"paired": True}),
            (
                sigarray.permutation_replicates,
                "median",
                ((9,), (7,)),
                {"statistic": "median"},
            ),
            (
                sigarray.permutation_replicates,
                "exact",
                ((4,), (5,)),
                {"method": "exact"},
            ),
            (
                sigarray.permutation_replicates,
                "exact-paired",
                ((7,), (7,)),
                {"method": "exact", "paired": True},
            ),
        )
    ),
    *(
        Case(
            f"{function.__name__}-t-{name}",
            function,
            shapes,
            {"statistic": "t", **options},
            is_random=name != "exact",
            float32_error=1e-5,
        )
        for function, name, shapes, options in (
            (sigarray.permutation_test, "pairs", ((9,), (9,)), {"paired": True}),
            (sigarray.permutation_test, "equal", ((9,), (9,)), {}),
            (sigarray.permutation_test, "unequal", ((7,), (9,)), {}),
            (sigarray.permutation_test, "exact", ((4,), (5,)), {}),
            (sigarray.bootstrap_test, "pairs", ((9,), (9,)), {"paired": True}),
            (sigarray.bootstrap_test, "unequal", ((7,), (9,)), {}),
            (sigarray.bootstrap_replicates, "one", ((9,),), {}),
            (sigarray.bootstrap_replicates, "two", ((9,), (7,)), {}),
            (sigarray.permutation_replicates, "unequal", ((7,), (9,)), {}),
            (sigarray.permutation_replicates, "pairs", ((9,), (9,)), {"paired": True}),
        )
        for options in (
            options
            | (
                {"start": 5, "count": 30}
                if function.__name__.endswith("replicates")
                else {"n_resamples": 500 if name == "exact" else 70}
            ),
        )
    ),
    Case(
        "permutation_test-callable",
        sigarray.permutation_test,
        ((7,), (9,)),
        {"statistic": _range, "paired": False, "n_resamples": 70},
        is_random=True,
    ),
    Case(
        "permutation_test-exact-paired",
        sigarray.permutation_test,
        ((6,), (6,)),
        {"paired": True, "alternative": "less"},
    ),
    Case(
        "permutation_test-exact-independent",
        sigarray.permutation_test,
        ((4,), (5,)),
        {"alternative": "greater"},
    ),
    *(
        Case(
            f"permutation_test-lattice-{alternative}",
            sigarray.permutation_test,
            ((30,), (30,)),
            {"method": "exact", "paired": True, "alternative": alternative},
            values=values,
            float32_error=2e-6,
        )
        for alternative, values in (
            ("two-sided", (0.0, 1.0)),
            ("less", (0.0, 0.25, 0.5, 1.0)),
        )
    ),
    *(
        Case(
            f"{function.__name__}-saddlepoint-{'paired' if paired else 'independent'}",
            function,
            ((30,), (30,)),
            {"method": "saddlepoint", "paired": paired},
            float32_error=5e-5,
        )
        for function, paired in (
            (sigarray.bootstrap_test, True),
            (sigarray.bootstrap_test, False),
            (sigarray.permutation_test, True),
            (sigarray.permutation_test, False),
        )
    ),
    *(
        Case(
            f"bootstrap_ci-{statistic if isinstance(statistic, str) else 'callable'}-"
            f"{method}-{len(shapes)}",
            sigarray.bootstrap_ci,
            shapes,
            {"statistic": statistic, "method": method, "n_resamples": 70, **options},
            is_random=True,
            moved=() if len(shapes) == 2 else (0, 1, 2),
            # A limit lies between two replicates, which may be 0.3 apart, at a place
            # among 70 that has the rounding of a level near 1.
            float32_error=3e-6 if method == "bca" else 1e-6,
        )
        for statistic, method, shapes, options in (
            ("mean", "bca", ((9,), (7,)), {}),
            ("median", "bca", ((8,), (8,)), {"paired": True}),
            (_range, "bca", ((9,),), {}),
            ("mean", "percentile", ((9,),), {}),
            ("median", "basic", ((9,), (7,)), {}),
            ("iqm", "bca", ((9,), (7,)), {}),
            ("mean", "studentized", ((9,),), {}),
            ("mean", "studentized", ((9,), (7,)), {}),
        )
    ),
    *(
        Case(
            f"proportion_ci-{name}",
            sigarray.proportion_ci,
            shapes,
            options,
            values=(0.0, 1.0),
            # The limits of others are NaN.
            moved=None,
        )
        for name, shapes, options in (
            ("one", ((9,),), {}),
            ("two", ((9,), (7,)), {"confidence_level": 0.9}),
            ("paired", ((9,), (9,)), {"paired": True}),
        )
    ),
    Case("mann_whitney_u", sigarray.mann_whitney_u, ((9,), (7,))),
    Case(
        "mann_whitney_u-less",
        sigarray.mann_whitney_u,
        ((8,), (8,)),
        {"alternative": "less"},
    ),
    Case("brunner_munzel", sigarray.brunner_munzel, ((9,), (7,))),
    Case(
        "brunner_munzel-less",
        sigarray.brunner_munzel,
        ((8,), (8,)),
        {"alternative": "less"},
    ),
    Case("wilcoxon_test", sigarray.wilcoxon_test, ((9,), (9,))),
    Case(
        "wilcoxon_test-many",
        sigarray.wilcoxon_test,
        ((60,), (60,)),
        {"alternative": "greater"},
    ),
    Case("t_test", sigarray.t_test, ((9,), (7,))),
    Case(
        "t_test-paired",
        sigarray.t_test,
        ((9,), (9,)),
        {"paired": True, "alternative": "greater"},
    ),
    Case(
        "t_test-folds",
        sigarray.t_test,
        ((9,), (9,)),
        {"paired": True, "test_share": 0.2},
    ),
    *MARGIN_CASES,
    *(
        Case(
            name,
            sigarray.compare,
            shapes,
            options,
            is_random="method" in options,
            drawn=_ERROR_OF_COMPARE,
            # The mean, median, smallest and largest score of A, and of B.
            moved=(0, 2, 3, 4, 5, 7, 8, 9),
        )
        for name, shapes, options in (
            ("compare", ((12,), (9,)), _bootstrap()),
            ("compare-lower", ((4,), (4,)), {"higher_is_better": False}),
        )
    ),
    *(
        Case(
            f"bootstrap_power_analysis-{test if isinstance(test, str) else 'callable'}",
            sigarray.bootstrap_power_analysis,
            ((9,),),
            {"test": test, "n_resamples": 40, "lift": 1.5},
            is_random=True,
            moved=None,
        )
        for test in ("welch", "mann_whitney", "aso", _sign_test)
    ),
    Case(
        "required_sample_size-aso",
        sigarray.required_sample_size,
        ((9,), (6,)),
        {"n_resamples": 30, "sizes": (3, 9)},
        is_random=True,
    ),
    Case(
        "required_sample_size-paired",
        sigarray.required_sample_size,
        ((8,), (8,)),
        {"n_resamples": 40, "sizes": (6,), "test": "paired_t", "power": 0.05},
        is_random=True,
    ),
    *STRATUM_CASES,
    *SUM_CASES,
    *RESPONSE_CASES,
    *(
        CaseOfPValues(
            "-".join((function.__name__, *options.values())), function, ((7,),), options
        )
        for function, options in (
            (sigarray.bonferroni, {}),
            (sigarray.holm, {}),
            (sigarray.benjamini_hochberg, {}),
            (sigarray.benjamini_yekutieli, {}),
            (sigarray.count_significant, {}),
            (sigarray.count_significant, {"method": "fisher"}),
        )
    ),
]

# Functions of a few integers, and those that simulate.
WITHOUT_ARRAYS = {
    sigarray.aso_uncertainty_reduction,
    sigarray.of_sums,
    responses.simulate,
    responses.true_p_value,
    responses.true_replicates,
    responses.study,
    responses.study_records,
    responses.power,
}
