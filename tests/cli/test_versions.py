"""`sigarray --version --verbose`, for the report of an error."""

import importlib.metadata
import sys

import numpy as np
import pytest

import sigarray
from sigarray._backend import compiled_numpy
from sigarray._backend.compiled_numpy import load_kernels
from tests.backends import needs_engine


@pytest.fixture
def show(run):
    """Return the lines that the command prints."""

    def show():
        code, out, err = run("--version", "--verbose")
        assert (code, err) == (0, "")
        return out.splitlines()

    return show


def test_versions(show):
    lines = show()
    assert lines[0] == f"sigarray {sigarray.__version__}"
    assert f"numpy {np.__version__}" in lines
    found = dict(line.partition(" ")[::2] for line in lines[2:-1])
    for name, version in found.items():
        if version != "is not installed" and name != "cupy":
            assert version == importlib.metadata.version(name)


def test_packages_that_are_not_there(show, monkeypatch):
    def raise_error(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", raise_error)
    assert "jax is not installed" in show()


@needs_engine
@pytest.mark.parametrize(
    ("module", "setting", "said"),
    [
        ("here", "", "engine: compiled kernels"),
        ("here", "array", "engine: array code, for SIGARRAY_ENGINE=array"),
        ("gone", "", "engine: array code, for no kernels are compiled"),
        ("broken", "", "engine: array code, for the compiled kernels are not for"),
    ],
)
def test_engine(show, monkeypatch, module, setting, said):
    monkeypatch.setenv("SIGARRAY_ENGINE", setting)
    if module != "here":
        monkeypatch.setitem(sys.modules, "sigarray._backend._engine", None)
    if module == "gone":
        monkeypatch.setattr(compiled_numpy.importlib.util, "find_spec", lambda _: None)
    elif module == "broken":
        monkeypatch.setattr(compiled_numpy.importlib.util, "find_spec", lambda _: 1)
    monkeypatch.setattr(compiled_numpy, "load_kernels", load_kernels.__wrapped__)
    assert show()[-1].startswith(said)
