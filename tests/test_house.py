"""The rooms of the library."""

import importlib
import pkgutil
from pathlib import Path
from types import ModuleType

import pytest

import sigarray
from sigarray import corpus, plot, responses
from tests.backends import CHOSEN, make_backend

ROOT = Path(__file__).parents[1]
PACKAGES = [sigarray, corpus, plot, responses]


@pytest.mark.parametrize("name", CHOSEN)
def test_backend_is_here(name):
    assert make_backend(name).name == name


@pytest.mark.parametrize("package", PACKAGES, ids=lambda x: x.__name__)
def test_what_has_no_underscore_is_public(package):
    public = {name for name in dir(package) if not name.startswith("_")}
    modules = {x.name for x in pkgutil.iter_modules(package.__path__)}
    assert {name for name in modules if not name.startswith("_")} <= {
        "corpus",
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
    folders = {name for name, is_room in list_modules("tests") if is_room}
    assert folders - {"release"} == rooms
    # Of modules as many as there are to read, tests have the names, or longer ones.
    modules = {name for name, _ in list_modules("sigarray", "read")}
    tests = {name for name, _ in list_modules("tests", "read")}
    tests = {x.removeprefix("test_") for x in tests if x.startswith("test_")}
    assert {x for x in tests if not x.startswith((*modules,))} == set()


def test_files_are_short():
    lengths = {
        path.relative_to(ROOT).as_posix(): len(path.read_text("utf-8").splitlines())
        for folder in ("sigarray", "benchmarks")
        for path in (ROOT / folder).rglob("*.py")
    }
    assert {path: n for path, n in lengths.items() if n > 400} == {}
