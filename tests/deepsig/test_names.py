"""Names, modules and arguments are those of deep-significance 1.2.8."""

import importlib
import inspect
import pkgutil

import pytest

from sigarray import deepsig
from tests.backends import whole_suite

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
