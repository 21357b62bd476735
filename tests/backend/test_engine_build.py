"""The engine is compiled where a compiler is there, and left out without a word."""

import importlib.util
import platform
import shlex
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest

from sigarray._backend import compiled_numpy
from sigarray._backend.compiled_numpy import Kernels, load_kernels
from tests.backends import needs_engine, whole_suite

ROOT = Path(__file__).parents[2]


@pytest.fixture
def hook(monkeypatch):
    """The module of the build hooks, with stand-ins for base classes of hatchling."""
    for name in (
        "hatchling.builders.hooks.plugin.interface",
        "hatchling.metadata.plugin.interface",
    ):
        parts = name.split(".")
        for k in range(1, len(parts) + 1):
            module = types.ModuleType(".".join(parts[:k]))
            module.BuildHookInterface = module.MetadataHookInterface = object
            monkeypatch.setitem(sys.modules, module.__name__, module)
    spec = importlib.util.spec_from_file_location("hook", ROOT / "hatch_build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def build(hook, monkeypatch, tmp_path):
    """Build a package in a folder, by a compiler that writes an empty file."""
    compiler = tmp_path / "cc"
    compiler.write_text('#!/bin/sh\nfor last; do :; done\ntouch "$last"\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", str(compiler))
    monkeypatch.delenv("SIGARRAY_ENGINE", raising=False)
    home = tmp_path / "sigarray" / "_backend"
    home.mkdir(parents=True)

    def build(version, target="wheel"):
        of_package = hook.EngineHook()
        of_package.root, of_package.target_name = str(tmp_path), target
        data = {"pure_python": True, "force_include": {}}
        of_package.initialize(version, data)
        found = [Path(x).exists() for x in data["force_include"]]
        of_package.finalize(version, data, "")
        left = [x.name for x in home.iterdir()]
        assert not any(Path(x).exists() for x in data["force_include"])
        return data, found, left

    return build


def test_description_of_a_release_needs_no_clone(hook, monkeypatch):
    made = hook.DescriptionHook()
    made.root = str(ROOT)
    metadata = {"version": "0.1.0"}
    made.update(metadata)
    text = metadata["readme"]["text"]
    assert (
        '    python -m pip install "sigarray[cli]" && python -m sigarray compare'
        in text
    )
    assert '    python -m pip install -e ".[test]" && python -m pytest' in text
    assert "](" not in text
    assert "CITATION.cff; the papers behind" in text
    assert "gallery" not in text
    assert text.count("(") == text.count(")")
    assert "(all of them). Items" in text
    metadata["urls"] = {"Repository": "https://forge.org/sigarray"}
    made.update(metadata)
    text = metadata["readme"]["text"]
    blob = "https://forge.org/sigarray/blob/v0.1.0/"
    assert f"[CITATION.cff]({blob}CITATION.cff)" in text
    assert "](https://forge.org/sigarray/raw/v0.1.0/docs/gallery/compare.png)" in text
    assert "](docs" not in text
    linked = "[a](https://b.org) and [c](#d)"
    assert hook.describe(linked, None, "0.1.0") == linked


def test_wheel_has_a_tag_for_all_pythons_of_a_platform(build, hook):
    data, found, left = build("standard")
    assert data["tag"] == f"cp311-abi3-{hook.name_platform()}"
    assert not data["pure_python"]
    assert list(data["force_include"].values()) == ["sigarray/_backend/_engine.abi3.so"]
    assert found == [True]
    assert left == []


def test_editable_module_is_in_the_source_tree(build, monkeypatch):
    assert build("editable")[2] == ["_engine.abi3.so"]
    # One that does not compile again is of other sources.
    monkeypatch.setenv("CC", "false")
    assert build("editable")[2] == []


def test_source_distribution_has_none(build):
    assert build("standard", "sdist") == (
        {"pure_python": True, "force_include": {}},
        [],
        [],
    )


@pytest.mark.parametrize("name", ["CC", "SIGARRAY_ENGINE", "byteorder", "PyPy"])
def test_without_it_the_wheel_is_pure(build, hook, monkeypatch, name, capfd):
    if name == "byteorder":
        monkeypatch.setattr(hook.sys, "byteorder", "big")
    elif name == "PyPy":
        monkeypatch.setattr(hook.sys.implementation, "name", "pypy")
    else:
        monkeypatch.setenv(name, {"CC": "false"}.get(name, "array"))
    data, _, left = build("standard")
    assert data == {"pure_python": True, "force_include": {}}
    assert left == []
    assert capfd.readouterr() == ("", "")


def test_a_compiler_that_is_not_there(hook, monkeypatch, tmp_path):
    monkeypatch.setenv("CC", "no-such-compiler")
    assert hook.compile_engine(tmp_path) is None
    assert not hook.run_at_once([["no-such-compiler"]])


@pytest.mark.long
@whole_suite
@pytest.mark.skipif(platform.machine() != "x86_64", reason="it is about x86")
def test_a_processor_without_avx2(hook, monkeypatch, tmp_path):
    """Its module is not imported, so that array code computes."""
    compiler = hook.find_compiler()
    if compiler is None:
        pytest.skip("there is no C compiler")
    lacks = "-D__builtin_cpu_supports(x)=0"
    monkeypatch.setenv("CC", shlex.join([*compiler, lacks]))
    module = hook.compile_engine(tmp_path)
    spec = importlib.util.spec_from_file_location("_engine", module)
    with pytest.raises(ImportError, match="no AVX2"):
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


@pytest.mark.long
@whole_suite
def test_kernels_stay_within_their_arrays(hook, tmp_path):
    """By the compiler's sanitizers of addresses and of undefined behaviour."""
    compiler = hook.find_compiler()
    if compiler is None:
        pytest.skip("there is no C compiler")
    program, check = tmp_path / "check", Path(__file__).with_name("engine_check.c")
    sanitize = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    command = [*compiler, "-std=gnu11", "-O1", *sanitize, "-DKERNELS=kernels_base"]
    places = [f"-I{hook.SOURCES}", "kernels.c", str(check), "-lm", "-o", str(program)]
    if not hook.run_at_once([[*command, *places]]):
        pytest.skip("the compiler has no sanitizers here")
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@needs_engine
def test_engine_is_used():
    """Were it broken, array code would take its place, and no test would run it."""
    kernels = load_kernels()
    assert kernels is not None
    # On other processors einsum adds up in another order, and ratios are array code's.
    assert kernels.adds_products or platform.machine() != "x86_64"


@needs_engine
def test_engine_is_of_these_sources(hook):
    is_same = hook.digest_sources() == load_kernels().module.DIGEST
    assert is_same, "engine/ has changed: python -m pip install -e . compiles it anew"


@needs_engine
@whole_suite
class TestBuilds:
    def load(self, monkeypatch, module):
        monkeypatch.setitem(sys.modules, "sigarray._backend._engine", module)
        return load_kernels.__wrapped__()

    def test_missing_one(self, monkeypatch):
        assert self.load(monkeypatch, None) is None

    def test_one_of_another_version(self, monkeypatch):
        real = load_kernels().module
        stranger = types.SimpleNamespace(VERSION=compiled_numpy._VERSION + 1)
        stranger.sum_taken_f64 = real.sum_taken_f64
        assert self.load(monkeypatch, stranger) is None
        assert self.load(monkeypatch, types.SimpleNamespace()) is None

    def test_one_that_adds_up_in_another_order(self, monkeypatch):
        assert isinstance(self.load(monkeypatch, load_kernels().module), Kernels)
        other = types.SimpleNamespace(**vars(load_kernels().module))

        def add_one_by_one(x, entries, n, places, rows, drawn, out):
            out[...] = np.cumsum(x[places], axis=-1)[..., -1]

        other.sum_taken_f64 = add_one_by_one
        assert self.load(monkeypatch, other) is None

    def test_one_that_is_left_out(self, monkeypatch):
        monkeypatch.setenv("SIGARRAY_ENGINE", "array")
        assert load_kernels.__wrapped__() is None

    def test_a_word_that_leaves_out_nothing(self, monkeypatch):
        monkeypatch.setenv("SIGARRAY_ENGINE", "arrays")
        with pytest.warns(UserWarning, match="to be 'array' or not set; got 'arrays'"):
            assert load_kernels.__wrapped__() is not None

    def test_arguments_are_counted(self):
        module = load_kernels().module
        with pytest.raises(TypeError, match="arguments"):
            module.draw(1)
        with pytest.raises(TypeError, match="arguments"):
            module.count_places_f64(*[np.zeros(1)] + [1] * 3 + [np.zeros(1)] * 2)
        with pytest.raises(ValueError, match="level"):
            module.use_level(7)
