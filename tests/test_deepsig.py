"""The drop-in for deep-significance 1.2.8: signatures, examples, mended faults."""

import importlib
import inspect
import pkgutil
import sys

import numpy as np
import pytest

import sigarray
from sigarray import deepsig
from tests.backends import require, whole_suite

pytestmark = pytest.mark.filterwarnings("ignore:The bound of the papers:UserWarning")

A = [0.9, 0.8, 0.95, 0.85, 0.7, 0.88]
B = [0.5, 0.83, 0.55, 0.7, 0.65, 0.89]
QUIET = {"show_progress": False, "seed": 1}

SIGNATURES = {
    "aso": {
        "confidence_level": 0.95,
        "num_comparisons": 1,
        "num_samples": 1000,
        "num_bootstrap_iterations": 1000,
        "dt": 0.005,
        "num_jobs": 1,
        "show_progress": True,
        "seed": None,
        "_progress_bar": None,
    },
    "multi_aso": {
        "confidence_level": 0.95,
        "use_bonferroni": True,
        "use_symmetry": True,
        "num_samples": 1000,
        "num_bootstrap_iterations": 1000,
        "dt": 0.005,
        "num_jobs": 1,
        "return_df": False,
        "show_progress": True,
        "seed": None,
    },
    "bootstrap_test": {"num_samples": 1000, "num_jobs": 1, "seed": None},
    "permutation_test": {"num_samples": 1000, "num_jobs": 1, "seed": None},
    "bonferroni_correction": {},
    "bootstrap_power_analysis": {
        "scalar": 1.25,
        "num_bootstrap_iterations": 5000,
        "significance_threshold": 0.05,
        "significance_test": None,
        "show_progress": True,
        "seed": None,
    },
    "aso_uncertainty_reduction": {},
}
POSITIONAL = {
    "aso": ["scores_a", "scores_b"],
    "multi_aso": ["scores"],
    "bootstrap_test": ["scores_a", "scores_b"],
    "permutation_test": ["scores_a", "scores_b"],
    "bonferroni_correction": ["p_values"],
    "bootstrap_power_analysis": ["scores"],
    "aso_uncertainty_reduction": ["m_old", "n_old", "m_new", "n_new"],
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_signatures(name):
    parameters = inspect.signature(getattr(deepsig, name)).parameters
    assert list(parameters) == POSITIONAL[name] + list(SIGNATURES[name])
    defaults = {p.name: p.default for p in parameters.values()}
    assert SIGNATURES[name].items() <= defaults.items()


MODULES = {
    "aso": ["aso", "multi_aso"],
    "bootstrap": ["bootstrap_test"],
    "correction": ["bonferroni_correction"],
    "permutation": ["permutation_test"],
    "sample_size": ["aso_uncertainty_reduction", "bootstrap_power_analysis"],
}
# What deep-significance keeps for itself: steps of its functions, conversions.
INSIDE = {
    "calculate_partial_conjunction",
    "compute_violation_ratio",
    "get_bootstrapped_violation_ratios",
    "get_quantile_function",
}
INSIDE_MODULES = {"conversion", "tests", "utils"}


def functions_of(package, module):
    """Return the names of the public functions that a module defines."""
    module = importlib.import_module(f"{package.__name__}.{module}")
    return {
        name
        for name, value in vars(module).items()
        if inspect.isfunction(value)
        and value.__module__ == module.__name__
        and not name.startswith("_")
    }


@pytest.mark.parametrize("module", MODULES)
def test_functions_can_be_imported_from_their_modules(module):
    assert functions_of(deepsig, module) == set(MODULES[module])
    for name in MODULES[module]:
        imported = importlib.import_module(f"sigarray.deepsig.{module}")
        assert getattr(deepsig, name) is getattr(imported, name)


@whole_suite
def test_modules_and_names_are_those_of_deep_significance():
    original = pytest.importorskip("deepsig")
    modules = {module.name for module in pkgutil.iter_modules(original.__path__)}
    assert modules - INSIDE_MODULES == set(MODULES)
    for module in MODULES:
        theirs = functions_of(original, module) - INSIDE
        assert functions_of(deepsig, module) == theirs
    functions = {
        name for name in vars(original) if inspect.isfunction(getattr(original, name))
    }
    assert functions == set(deepsig.__all__)


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


def test_scenario_1_of_the_readme_of_deep_significance():
    legacy = np.random.RandomState(1234)
    a, b = legacy.normal(0.9, 0.8, 5), legacy.normal(0.0, 1.0, 5)
    # Its sigma is that of 1000 resamples: a relative error of 2.2 %, five of them here.
    expected = 0.225
    tolerance = 5.0 * expected / np.sqrt(2000.0)
    assert deepsig.aso(a, b, **QUIET) == pytest.approx(expected, abs=tolerance)


def test_says_what_the_published_bound_is_worth():
    for call in (deepsig.aso, lambda *x, **y: deepsig.multi_aso(x, **y)):
        with pytest.warns(UserWarning, match="17 % of cases with 3 runs each, 11 %"):
            call(A, B, **QUIET)


def test_the_published_bound_needs_no_test_of_equality():
    a, b = [0.9, 0.8, 0.7], [0.6, 0.65, 0.5]
    assert deepsig.aso(a, b, **QUIET) == 0.0
    assert sigarray.aso(a, b, n_comparisons=2).eps_min >= 0.5


class TestMended:
    def test_the_level_is_divided_by_the_number_of_comparisons(self):
        bounds = [
            deepsig.aso(A, B, num_comparisons=count, **QUIET) for count in (1, 3, 100)
        ]
        assert bounds[0] < bounds[1] < bounds[2]
        options = QUIET | {"confidence_level": 1.0 - 0.05 / 3}
        assert bounds[1] == pytest.approx(deepsig.aso(A, B, **options))

    def test_two_models_need_no_correction(self):
        table = deepsig.multi_aso([A, B], **QUIET)
        assert table[0, 1] == pytest.approx(deepsig.aso(A, B, **QUIET))
        assert table[1, 0] == pytest.approx(deepsig.aso(B, A, **QUIET))

    def test_bonferroni(self):
        corrected = deepsig.bonferroni_correction([0.03, 0.01, 0.02, 0.5])
        assert corrected == pytest.approx([0.12, 0.04, 0.08, 1.0])

    def test_the_bootstrap_test_is_paired_and_never_zero(self):
        rng = np.random.default_rng(0)
        b = rng.normal(0.0, 10.0, 30)
        a = b + rng.normal(0.5, 0.1, 30)  # plain in the pairs alone
        assert deepsig.bootstrap_test(a, b, seed=0) == pytest.approx(1 / 1001)

    def test_power_is_that_of_welchs_test(self):
        x = np.random.default_rng(0).normal(1.0, 0.3, 8)
        power = deepsig.bootstrap_power_analysis(x, **QUIET)
        assert power == float(sigarray.bootstrap_power_analysis(x, rng=1))
        assert power > float(
            sigarray.bootstrap_power_analysis(x, test="paired_t", rng=1)
        )

    def test_few_pairs_are_exact(self):
        assert deepsig.permutation_test([1.0, 2.0, 3.0], [0.0, 0.0, 0.0]) == 1 / 8


class TestMultiAso:
    @pytest.mark.parametrize("scores", [[A, B], (A, B), np.array([A, B])])
    def test_without_names_there_is_no_frame(self, scores):
        table = deepsig.multi_aso(scores, return_df=True, **QUIET)
        assert isinstance(table, np.ndarray)
        np.testing.assert_array_equal(np.diag(table), 1.0)

    def test_frame(self):
        pandas = pytest.importorskip("pandas")
        frame = deepsig.multi_aso({"x": A, "y": B[:4]}, return_df=True, **QUIET)
        assert isinstance(frame, pandas.DataFrame)
        assert list(frame.index) == list(frame.columns) == ["x", "y"]
        assert frame.loc["x", "y"] == deepsig.aso(A, B[:4], **QUIET)

    def test_correction_can_be_left_out(self):
        scores = [A[:5], B[:5], [0.6, 0.7, 0.8, 0.9]]  # few enough to be exact
        free = deepsig.multi_aso(scores, use_bonferroni=False, **QUIET)
        assert (free <= deepsig.multi_aso(scores, **QUIET)).all()
        assert free[0, 1] == deepsig.aso(A[:5], B[:5], **QUIET)


def test_own_significance_test_is_called_once_for_each_pair():
    calls = []

    def compare(lifted, scores):
        calls.append((lifted, scores))
        return 0.01 if len(calls) % 4 else 0.5

    power = deepsig.bootstrap_power_analysis(
        [-1.0, 2.0, 3.0],
        scalar=1.5,
        num_bootstrap_iterations=100,
        significance_test=compare,
        **QUIET,
    )
    assert power == 0.75
    assert len(calls) == 100
    assert {x.shape for pair in calls for x in pair} == {(3,)}
    # Lifted by a half of their mean, and moved away from it by (3 / 2)^1/2.
    mean = np.mean([-1.0, 2.0, 3.0])
    widened = mean + np.sqrt(1.5) * (np.asarray([-1.0, 2.0, 3.0]) - mean)
    found = sorted({float(score) for _, scores in calls for score in scores})
    assert found == pytest.approx(sorted(widened))
    found = sorted({float(score) for lifted, _ in calls for score in lifted})
    lifted = np.asarray([-0.5, 3.0, 4.5])
    widened = lifted.mean() + np.sqrt(1.5) * (lifted - lifted.mean())
    assert found == pytest.approx(sorted(widened))


@pytest.mark.parametrize("has_tqdm", [True, False])
def test_progress_is_shown_where_tqdm_is_there(has_tqdm, monkeypatch, capsys):
    if has_tqdm:
        pytest.importorskip("tqdm")
    else:
        monkeypatch.setitem(sys.modules, "tqdm", None)
    deepsig.bootstrap_power_analysis(A, significance_test=lambda a, b: 0.0, seed=0)
    assert ("5000/5000" in capsys.readouterr().err) == has_tqdm
    deepsig.multi_aso([A, B], **QUIET)
    assert capsys.readouterr().err == ""


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
            "n_new to be an integer of at least 1",
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


@whole_suite
def test_it_agrees_with_deep_significance_where_that_is_right():
    """Sampling error aside: within 0.05 in eps_min, from 1000 resamples each."""
    original = pytest.importorskip("deepsig")
    rng = np.random.default_rng(3)
    a, b = rng.normal(0.3, 1.0, 40), rng.normal(0.0, 1.0, 40)
    ours = deepsig.aso(a, b, **QUIET)
    assert ours == pytest.approx(original.aso(a, b, **QUIET), abs=0.05)
    assert deepsig.permutation_test(a, b, seed=0) == pytest.approx(
        original.permutation_test(a, b, seed=0), abs=0.08
    )
