"""One mechanism checks kind and range of every option of every public function."""

import inspect

import numpy as np
import pytest

import sigarray
from sigarray import responses
from sigarray._backend.checks import positive, represent, show
from sigarray._backend.public import checked
from sigarray.responses import metrics

A, B = [0.91, 0.93, 0.92, 0.95], [0.90, 0.92, 0.91, 0.89]
ITEMS = np.arange(12.0).reshape(4, 3)
STUDY = responses.Study(np.ones((1, 1, 1, 1)), np.ones((1, 1, 1, 1)))
ARRAYS = {
    "response_test": (ITEMS, ITEMS, ITEMS),
    "response_replicates": (ITEMS, ITEMS, ITEMS),
    "resample": (ITEMS, ITEMS, ITEMS),
    "fit": (ITEMS,),
    "study_records": (STUDY,),
    "bootstrap_power_analysis": (A,),
    "multi_aso": ([A, B],),
    "rank_ci": ([A, B],),
    "compare_models": ({"a": A, "b": B},),
    "count_significant": (A,),
    "required_items": ([0.1, 0.1, 0.1],),
    "ranking": (sigarray.multi_aso([A, B]),),
    **dict.fromkeys(
        (
            "bonferroni",
            "holm",
            "benjamini_hochberg",
            "benjamini_yekutieli",
        ),
        (A,),
    ),
}
NEEDED = {
    f"{name}_replicates": {"start": 0, "count": 2}
    for name in ("aso", "bootstrap", "permutation", "response", "true")
} | {
    "equivalence_test": {"low": -0.1, "high": 0.1},
    "required_items": {"n_seeds": 3, "difference": 0.5},
    "study_records": {
        "metrics": "mae",
        "items": "all",
        "responses": "all",
        "perturbations": 0.1,
    },
}
FUNCTIONS = [
    getattr(package, name)
    for package in (sigarray, responses)
    for name in package.__all__
    if inspect.isfunction(getattr(package, name))
] + [metrics.wins, metrics.histogram_kl, metrics.binary]
OPTIONS = [
    (function, name)
    for function in FUNCTIONS
    for name, parameter in inspect.signature(function).parameters.items()
    if parameter.kind is not inspect.Parameter.POSITIONAL_ONLY
]
WRONG = [object(), "no such word", b"bytes", 1j, {"a": 1}]
# What a flag, a number or a count of that kind would take.
ALMOST = {
    "flag": [None, 0, 1, "yes"],
    "integer": [None, True, 1.0, "1"],
    "count": [None, True, 1.0, "1", 0, -1],
    "fraction": [None, True, "0.9", 0.0, 1.0, -0.1, float("nan")],
    "number": [None, True, "0.9", float("inf"), float("nan")],
}
KINDS = {
    "flag": ("paired", "higher_is_better"),
    "integer": ("axis",),
    "count": (
        *("n_resamples", "n_sets", "n_bins", "n_comparisons", "count"),
        *("m_old", "n_old", "m_new", "n_new"),
    ),
    "fraction": ("confidence_level", "alpha", "power", "threshold"),
    "number": (
        *("lift", "low", "high", "margin", "pseudocount"),
        *("gold_threshold", "system_threshold"),
    ),
}
# These are what a library of arrays takes for a device or a dtype.
OF_LIBRARIES = ("device", "dtype", "xp")


def call(function, name, value):
    if function is sigarray.aso_uncertainty_reduction:
        return function(**{"m_old": 1, "n_old": 1, "m_new": 1, "n_new": 1, name: value})
    if function is metrics.binary:
        return function(**{"score": "f1", name: value})
    own = function.__module__.startswith("sigarray.responses")
    arrays = ARRAYS.get(function.__name__, () if own else (A, B))
    return function(*arrays, **NEEDED.get(function.__name__, {}) | {name: value})


@pytest.mark.parametrize(
    ("function", "name"),
    OPTIONS,
    ids=[f"{function.__name__}-{name}" for function, name in OPTIONS],
)
def test_wrong_options_are_refused_by_name(function, name):
    wrong = list(WRONG)
    for kind, names in KINDS.items():
        if name in names:
            wrong += ALMOST[kind]
    if inspect.signature(function).parameters[name].default is None:
        wrong = [x for x in wrong if x is not None]
    for value in wrong:
        if name in OF_LIBRARIES:
            if name != "device":
                with pytest.raises((TypeError, ValueError, AttributeError)):
                    call(function, name, value)
            continue
        with pytest.raises((TypeError, ValueError)) as error:
            call(function, name, value)
        assert str(error.value).startswith("Expected"), (value, error.value)
        word = name.rpartition("perturbation")[1] or name.removesuffix("s")
        assert word in str(error.value), (value, error.value)


def test_a_kind_is_a_type_error_and_a_range_a_value_error():
    for name, value, error in [
        ("n_resamples", "9", TypeError),
        ("n_resamples", 0, ValueError),
        ("higher_is_better", None, TypeError),
        ("method", 3, TypeError),
        ("method", "best", ValueError),
        ("confidence_level", "0.9", TypeError),
        ("confidence_level", 95, ValueError),
        ("rng", "0", TypeError),
        ("rng", 1.5, TypeError),
        ("rng", True, TypeError),
    ]:
        with pytest.raises(error, match=f"Expected {name} to be"):
            sigarray.aso(A, B, **{name: value})


def test_a_confidence_that_may_be_a_level_is_doubted():
    """Of alpha=0.05 the slip 0.05 gave eps_min = 0, as if A were better."""
    checks = "confidence_level=0.05 is a confidence of 5 %.*confidence_level=0.95"
    with pytest.warns(UserWarning, match=checks):
        sigarray.aso(A, B, confidence_level=0.05)
    with pytest.warns(UserWarning, match=checks):
        sigarray.t_ci(A, confidence_level=0.05)
    with pytest.warns(UserWarning, match=checks):
        sigarray.compare_models({"a": A, "b": B}, confidence_level=0.05)
    sigarray.t_ci(A, confidence_level=0.5)


def test_a_sequence_of_seeds_is_no_seed():
    sequence = np.random.SeedSequence(1)
    with pytest.raises(TypeError, match=r"SeedSequence\. Pass rng=(.*) for") as error:
        sigarray.aso(A, B, rng=sequence)
    advice = str(error.value).split("Pass rng=")[1].split(" for ")[0]
    seed = eval(advice, {"rng": sequence})
    assert sigarray.aso(A, B, rng=seed).eps_min < 1.0


def test_an_option_without_a_rule_fails_where_it_is_defined():
    with pytest.raises(KeyError, match="colour"):

        @checked()
        def function(a, /, *, colour="red"):
            return a, colour


def test_signatures_are_kept():
    parameters = inspect.signature(sigarray.aso).parameters
    assert list(parameters)[:3] == ["a", "b", "axis"]
    shared = ["batch", "workers", "progress"]
    assert list(parameters)[-3:] == shared
    for function in (sigarray.aso, sigarray.bootstrap_ci, sigarray.t_test):
        with pytest.raises(TypeError, match="unexpected keyword argument 'axes'"):
            function(A, B, axes=0)
    with pytest.raises(TypeError, match="positional argument"):
        sigarray.aso(A, B, 0)


def test_tests_are_two_sided_and_unpaired_by_default():
    for function in FUNCTIONS:
        parameters = inspect.signature(function).parameters
        if "alternative" in parameters:
            assert parameters["alternative"].default == "two-sided", function
        if "paired" in parameters:
            assert parameters["paired"].default is False, function


def test_two_sorted_samples_are_no_pairs():
    """Sorted, such samples gave 0.006 in pairs, for 0.179."""
    a, b = np.sort(np.random.default_rng(20).normal([[0.2], [0.0]], 1.0, (2, 15)))
    paired = sigarray.permutation_test(a, b, paired=True, n_resamples=10**5)
    assert paired.pvalue < 0.01
    assert sigarray.permutation_test(a, b, rng=0).pvalue > 0.1


def test_options_by_place_are_refused_by_python():
    """And not as the option that stands in that place."""
    with pytest.raises(TypeError, match="positional argument"):
        sigarray.t_test([1.0, 2.0], [2.0, 4.0], "greater")


def test_positive_numbers_may_be_small():
    assert positive("noise", 1e-3) == 1e-3
    with pytest.raises(ValueError, match=r"noise to be a positive number; got 0\.0"):
        positive("noise", 0.0)


def test_messages_show_short_values_and_kinds_of_others():
    assert [show(x) for x in (None, 0.5, "t")] == ["None", "0.5", "'t'"]
    assert show(np.float32(0.25)) == "0.25"
    for value, shown in (
        (np.float64(0.25), "0.25"),
        (np.float32(0.1), "0.1"),
        (np.int64(3), "3"),
        (np.True_, "True"),
        (np.str_("a"), "'a'"),
    ):
        assert show(value) == represent(value) == shown
        assert represent((value, "b")) == f"({shown}, 'b')"
    with pytest.raises(TypeError, match=r"to be an integer; got 0\.25\."):
        sigarray.aso(A, B, n_resamples=np.float64(0.25))
    assert represent([1.0]) == "[1.0]"
    assert represent((1,)) == "(1,)"
    assert show("x" * 100) == "'" + 56 * "x" + "..."
    assert [show(x) for x in ([1.0] * 100, np.ones(3))] == ["list", "numpy.ndarray"]
