"""The rooms of the library, and what docstrings say of parameters."""

import importlib
import inspect
import pkgutil
import re
from pathlib import Path
from types import ModuleType

import pytest

import sigarray
from sigarray import plot, responses
from tests.backends import CHOSEN, make_backend

ROOT = Path(__file__).parents[1]
PACKAGES = [sigarray, plot, responses]
FUNCTIONS = {
    f"{package.__name__}.{name}": getattr(package, name)
    for package in PACKAGES
    for name in package.__all__
    if inspect.isfunction(getattr(package, name))
}


@pytest.mark.parametrize("name", CHOSEN)
def test_backend_is_here(name):
    assert make_backend(name).name == name


@pytest.mark.parametrize("package", PACKAGES, ids=lambda x: x.__name__)
def test_what_has_no_underscore_is_public(package):
    public = {name for name in dir(package) if not name.startswith("_")}
    modules = {x.name for x in pkgutil.iter_modules(package.__path__)}
    assert {name for name in modules if not name.startswith("_")} <= {
        "deepsig",
        "metrics",
        "plot",
        "read",
        "report",
        "responses",
        "results",
    }
    assert public - modules == set(package.__all__) - modules
    assert package.__all__ == sorted(package.__all__)


@pytest.mark.parametrize("package", PACKAGES, ids=lambda x: x.__name__)
def test_no_module_has_the_name_of_a_function(package):
    """Or else `import package.name as x` gives the function."""
    for module in pkgutil.iter_modules(package.__path__):
        if module.name == "__main__":
            continue
        imported = importlib.import_module(f"{package.__name__}.{module.name}")
        assert isinstance(imported, ModuleType)
        assert vars(package)[module.name] is imported


def list_modules(*folders):
    """Yield the names of modules and folders, but for what is private of them."""
    for module in pkgutil.iter_modules([str(ROOT.joinpath(*folders))]):
        yield module.name.removeprefix("_"), module.ispkg


def test_tests_mirror_the_rooms():
    rooms = {name for name, is_room in list_modules("sigarray") if is_room}
    assert {name for name, is_room in list_modules("tests") if is_room} == rooms
    # Of modules as many as there are to read, tests have the names.
    modules = {name for name, _ in list_modules("sigarray", "read")}
    tests = {name for name, _ in list_modules("tests", "read")}
    tests = {x.removeprefix("test_") for x in tests if x.startswith("test_")}
    assert tests <= modules


def read_parameters(function):
    """Yield (names, what is said of them in one line) of the docstring, in order."""
    section = inspect.getdoc(function).split("Parameters\n----------\n")[1]
    section = re.split(r"\n\n\S[^\n]*\n-+\n", section)[0]
    for line in section.splitlines():
        if line and not line.startswith(" "):
            names, _, kind = line.partition(" : ")
            yield names.split(", "), kind


@pytest.mark.parametrize("name", FUNCTIONS)
def test_docstrings_describe_the_parameters(name):
    function = FUNCTIONS[name]
    described = list(read_parameters(function))
    parameters = inspect.signature(function).parameters
    assert sorted(x for names, _ in described for x in names) == sorted(parameters)
    for names, kind in described:
        for parameter in (parameters[x] for x in names):
            default = re.search(r"default: (.*)", kind)
            if default and parameter.name not in WORDS:
                shown = repr(parameter.default).replace("'", '"')
                assert default[1] == shown, parameter
            elif kind and not default:
                is_optional = kind.endswith("optional")
                given = parameter.default is not inspect.Parameter.empty
                assert is_optional == given, parameter
                assert not given or parameter.default is None


# Whose defaults are described in words.
WORDS = {"metrics", "sizes"}


def test_parameters_of_one_name_are_described_in_one_way():
    # Its options are None where the test that is chosen has a default.
    of_models = sigarray.compare_models
    kinds = {}
    for function in FUNCTIONS.values():
        parameters = inspect.signature(function).parameters
        for names, kind in read_parameters(function):
            for x in names:
                is_by_test = parameters[x].default is None and function is of_models
                if is_by_test and x not in {"workers", "progress"}:
                    continue
                if kind and parameters[x].kind is inspect.Parameter.KEYWORD_ONLY:
                    what = kind.partition(", default: ")[0]
                    kinds.setdefault(x, set()).add(what)
    ways = {x: found for x, found in kinds.items() if len(found) > 1}
    assert set(ways) <= OF_EACH_FUNCTION, ways


# Which of them there are depends on the function.
OF_EACH_FUNCTION = {
    "ax",
    "dt",
    "items",
    "labels",
    "method",
    "model",
    "n_sets",
    "names",
    "responses",
    "rng",
    "statistic",
    "test",
}
