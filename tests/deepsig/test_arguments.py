"""What the functions take, give and refuse."""

import numpy as np
import pytest

import sigarray
from sigarray import deepsig
from tests.backends import require, whole_suite
from tests.deepsig.scores import QUIET, A, B

pytestmark = pytest.mark.filterwarnings("ignore:The bound of the papers:UserWarning")


SCALARS = {
    "aso": lambda package: package.aso(A, B, **QUIET),
    "bootstrap_test": lambda package: package.bootstrap_test(A, B, seed=0),
    "permutation_test": lambda package: package.permutation_test(A, B, seed=0),
    "bootstrap_power_analysis": lambda package: package.bootstrap_power_analysis(
        A, num_bootstrap_iterations=50, **QUIET
    ),
    "aso_uncertainty_reduction": lambda package: package.aso_uncertainty_reduction(
        5, 3, 5, 5
    ),
}


@pytest.mark.parametrize("name", SCALARS)
def test_scalars_are_floats_with_item(name):
    result = SCALARS[name](deepsig)
    assert isinstance(result, float)
    assert type(result.item()) is float


@whole_suite
@pytest.mark.parametrize("name", SCALARS)
def test_scalars_have_what_those_of_deep_significance_have(name):
    theirs = SCALARS[name](pytest.importorskip("deepsig"))
    assert isinstance(SCALARS[name](deepsig), type(theirs))


def columns_of(library, values):
    if library == "torch":
        torch = require("torch")
        return torch.tensor(values, dtype=torch.float64, requires_grad=True)
    if library == "jax":
        return require("jax").numpy.asarray(values)
    return {
        "list": list,
        "tuple": tuple,
        "set": set,
        "numpy": np.array,
        "column": lambda x: np.array(x)[:, None],
    }[library](values)


@pytest.mark.parametrize(
    "library", ["list", "tuple", "set", "numpy", "column", "torch", "jax"]
)
def test_any_collection_of_scores(library):
    a, b = columns_of(library, A), columns_of(library, B)
    estimate = sigarray.aso(A, B, dt=0.005, rng=1)
    n = min(len(A), len(B))
    deviation = float(estimate.standard_error) * np.sqrt((n - 1) / n)
    expected = float(estimate.violation_ratio) + 1.6448536 * deviation
    result = deepsig.aso(a, b, **QUIET)
    assert type(result) is np.float64
    assert result == pytest.approx(expected, abs=1e-6)
    table = deepsig.multi_aso({"a": a, "b": b}, **QUIET)
    assert table[0, 1] == pytest.approx(expected, abs=1e-6)
    for test in (deepsig.bootstrap_test, deepsig.permutation_test):
        assert type(test(a, b, seed=0)) is np.float64
    assert type(deepsig.bootstrap_power_analysis(a, **QUIET)) is np.float64
    p_values = deepsig.bonferroni_correction(columns_of(library, [0.5, 0.01]))
    assert type(p_values) is np.ndarray
    assert sorted(p_values) == pytest.approx([0.02, 1.0])


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: deepsig.aso([], A), AssertionError, "scores_a to be non-empty"),
        (lambda: deepsig.aso(A, B, num_comparisons=0), AssertionError, "num_comparis"),
        (
            lambda: deepsig.aso(A, B, num_bootstrap_iterations=0),
            AssertionError,
            "num_bootstrap_iterations to be at least 1; got 0",
        ),
        (lambda: deepsig.aso(A, B, num_jobs=0), AssertionError, "num_jobs to be at"),
        (lambda: deepsig.multi_aso([A, B], num_jobs=-2), AssertionError, "num_jobs to"),
        (lambda: deepsig.multi_aso({"a": A, "b": []}), AssertionError, "non-empty"),
        (lambda: deepsig.aso([A, B], A), TypeError, "one column of numbers; got shape"),
        (lambda: deepsig.aso("0.5", A), TypeError, "collection of numbers; got '0.5'"),
        (lambda: deepsig.aso(3.0, A), TypeError, "collection of numbers; got 3.0"),
        (lambda: deepsig.aso(["x"], A), TypeError, "scores_a to be real numbers"),
        (lambda: deepsig.aso(A, B, dt=2.0), ValueError, "dt to be in"),
        (
            lambda: deepsig.bootstrap_test(A, B[:3]),
            AssertionError,
            "pairs; got 6 and 3",
        ),
        (lambda: deepsig.permutation_test(A, B[:3]), AssertionError, "got 6 and 3"),
        (lambda: deepsig.permutation_test([], []), AssertionError, "non-empty"),
        (lambda: deepsig.bootstrap_test(A, B, 0), AssertionError, "num_samples to be"),
        (lambda: deepsig.bonferroni_correction([]), AssertionError, "non-empty"),
        (lambda: deepsig.bonferroni_correction([1.5]), AssertionError, r"in \[0, 1\]"),
        (
            lambda: deepsig.bonferroni_correction([float("nan")]),
            AssertionError,
            r"in \[0, 1\]; got \[nan\]",
        ),
        (
            lambda: deepsig.bootstrap_power_analysis(A, scalar=1.0),
            AssertionError,
            "scalar to be above 1; got 1.0",
        ),
        (
            lambda: deepsig.aso_uncertainty_reduction(5, 3, 5, 0),
            AssertionError,
            "n_new to be an integer of 1 or more",
        ),
        (
            lambda: deepsig.aso_uncertainty_reduction(5.0, 3, 5, 5),
            AssertionError,
            "m_old to be an integer",
        ),
    ],
)
def test_what_it_refuses(call, error, message):
    with pytest.raises(error, match=message):
        call()
