"""The documentation: its programs run, its links lead somewhere, its site builds."""

import functools
import importlib
import os
import re
import shlex
import subprocess
import sys
import types
import urllib.parse
import warnings
from pathlib import Path

import numpy as np
import pytest

from tests.backends import find_lack, whole_suite

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = {
    path.relative_to(DOCS).with_suffix("").as_posix(): path.read_text("utf-8")
    for path in sorted(DOCS.rglob("*.md"))
    if "_build" not in path.parts
}


def is_of_tools(page, program):
    """Tell whether test_tools runs a program, in one process with others."""
    imported = re.search(r"^import (lightning|transformers)$", program, re.MULTILINE)
    return page == "tools" or imported is not None


# Each program of a page, and what is shown below it, if anything.
BLOCK = re.compile(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```)?", re.DOTALL)
BLOCKS = [
    pytest.param(page, *found.groups(), id=f"{page}-{k}")
    for page, text in PAGES.items()
    for k, found in enumerate(BLOCK.finditer(text))
]
PROGRAMS = [block for block in BLOCKS if not is_of_tools(*block.values[:2])]
# Programs whose first line asks for another start than that of a script.
ON_RANKS = [block for block in PROGRAMS if block.values[1].startswith("# torchrun\n")]
# Whose programs start pools of workers, ranks and compilers.
LONG = {"scale", "training"}
ALONE = [
    block._replace(marks=[pytest.mark.long] if block.values[0] in LONG else [])
    for block in PROGRAMS
    if block not in ON_RANKS
]
# Programs that import nothing else run here, without the seconds of a new process.
LIGHT = {
    *("copy", "importlib", "math", "numpy", "pandas", "pathlib", "sigarray"),
    *("dask", "equinox", "jax", "optax", "sklearn", "torch"),
}


@whole_suite
@pytest.mark.parametrize(("page", "program", "shown"), ALONE)
def test_programs_run(page, program, shown, tmp_path, monkeypatch, capsys):
    """And print what the page shows, where the libraries they import are here."""
    imported = list_imported(program)
    skip_without(imported)
    if program.startswith("# pytest\n"):
        assert shown is None
        run_as_script_and_tests(program, tmp_path)
        return
    if imported <= LIGHT:
        monkeypatch.chdir(tmp_path)
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            exec(compile(program, page, "exec"), {"__name__": "__main__"})
        printed = capsys.readouterr().out
    else:
        (tmp_path / "program.py").write_text(program, "utf-8")
        printed = run_python(["program.py"], tmp_path)
    assert list_lines(printed, page) == list_lines(shown or "", page)


@pytest.mark.long
@whole_suite
def test_programs_run_on_ranks(tmp_path):
    """By two ranks, which are told what torchrun tells its own."""
    skip_without(set().union(*(list_imported(x.values[1]) for x in ON_RANKS)))
    for block in ON_RANKS:
        (tmp_path / f"{block.id}.py").write_text(block.values[1], "utf-8")
    names = [f"{block.id}.py" for block in ON_RANKS]
    printed = run_python([str(ROOT / "tests" / "ranks.py"), *names], tmp_path)
    _, *parts = re.split(r"^# (.*)\n", printed, flags=re.MULTILINE)
    assert parts[::2] == names
    for block, part in zip(ON_RANKS, parts[1::2], strict=True):
        page, _, shown = block.values
        assert list_lines(part, page) == list_lines(shown, page)


def list_imported(program):
    return set(re.findall(r"^(?:import|from) (\w+)", program, re.MULTILINE))


def skip_without(names):
    for name in sorted(names):
        if lack := find_lack(name):
            pytest.skip(lack)


def run_as_script_and_tests(program, folder):
    """Run a program, which stores what its tests read, and then these by pytest."""
    (folder / "program.py").write_text(program, "utf-8")
    start = (
        "import runpy, sys, pytest\n"
        "runpy.run_path('program.py', run_name='__main__')\n"
        "sys.exit(pytest.main(['-q', 'program.py']))\n"
    )
    run_python(["-c", start], folder)


def run_python(arguments, folder):
    """Run Python in a process of its own; return what it prints."""
    process = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        cwd=folder,
        env=os.environ | ENVIRONMENT,
    )
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


ENVIRONMENT = {
    # Processes that spin for a core of others take seven times as long.
    "OMP_NUM_THREADS": "1",
    "PYTHONPATH": str(ROOT),
    # Plugins of pytest that no program asks for take seconds to import.
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
}


# On these pages models are trained, whose weights depend on the processor in their last
# bits: of what is printed, words are compared, and numbers are those of one machine.
TRAINED = {"training"}


def list_lines(text, page):
    if page in TRAINED:
        text = re.sub(r"[-+ ]*\d[\d.]*", "0", text)
    return [line.rstrip() for line in text.splitlines()]


def test_there_are_programs():
    assert len(PROGRAMS) > 15
    assert len(ON_RANKS) > 1


@pytest.mark.parametrize(("page", "program", "shown"), BLOCKS)
def test_what_is_printed_is_shown(page, program, shown):
    """Also of programs whose libraries are not here, which do not run."""
    assert (shown is not None) == ("print(" in program), program


# Those of the command that pages show.
LINES = [
    line
    for text in PAGES.values()
    for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    for line in block.splitlines()
    if line.startswith("sigarray ")
]


class TestCommands:
    """They are understood; those of files that are here run."""

    FILES = ROOT / "tests" / "read" / "files"

    @pytest.mark.parametrize("line", LINES)
    def test_options_are_known(self, line):
        from sigarray._cli.main import _build_parser

        options = shlex.split(line)[1:]
        _build_parser(options).parse_args(options)

    def test_those_of_tools_run(self, monkeypatch, capsys):
        from sigarray._cli.main import main

        monkeypatch.chdir(self.FILES)
        text = PAGES["files"].partition("<!-- in tests/read/files -->\n\n```sh\n")[2]
        lines = text.partition("```")[0].splitlines()
        assert len(lines) > 8
        for line in lines:
            options = [*shlex.split(line)[1:], "--format", "csv"]
            assert main(options) == 0, line + "\n" + capsys.readouterr().err


# What the tables of each part of a page call.
LIBRARIES = {
    "deep-significance": ("deepsig",),
    "SciPy": ("scipy.stats",),
    "statsmodels": ("statsmodels.stats.multitest",),
    "rliable": ("rliable.metrics", "rliable.library"),
}


def list_calls():
    """Yield (library, its call, ours, what is said of them) of the page on moving."""
    parts = re.split(r"^## From (.*)\n", PAGES["moving"], flags=re.MULTILINE)[1:]
    for library, text in zip(parts[::2], parts[1::2], strict=True):
        for row in re.findall(
            r"^\| `(.+?)` \| `(.+?)` \| (.*) \|$", text, re.MULTILINE
        ):
            yield pytest.param(library, *row, id=f"{library}-{row[1]}")


CALLS = list(list_calls())


class TestMoving:
    """The calls of other libraries and ours give what the page says of them."""

    # It gives the names in the tables.
    PROGRAM = re.search(r"```python\n(.*?)```", PAGES["moving"], re.DOTALL)[1]

    def test_there_are_calls_of_all(self):
        assert {call.values[0] for call in CALLS} == set(LIBRARIES)
        assert len(CALLS) > 20

    @whole_suite
    @pytest.mark.parametrize(("library", "theirs", "ours", "said"), CALLS)
    def test_calls(self, library, theirs, ours, said):
        names = {}
        exec(self.PROGRAM, names)
        found = np.asarray(eval(ours, names), dtype=float)
        for name in LIBRARIES[library]:
            pytest.importorskip(name.partition(".")[0])
            module = importlib.import_module(name)
            names[name.rpartition(".")[2]] = module
            names |= {"multipletests": getattr(module, "multipletests", None)}
        if library == "deep-significance":
            names["deepsig"] = in_short(names["deepsig"])
        expected = np.asarray(eval(theirs, names), dtype=float)
        if said.startswith("the same"):
            np.testing.assert_allclose(found, expected, rtol=1e-9)
        elif said.startswith("but for chance"):
            np.testing.assert_allclose(found, expected, atol=0.06)


def in_short(deepsig):
    """Return deep-significance with few resamples, of which each takes milliseconds."""
    few = {"num_bootstrap_iterations": 20, "show_progress": False}
    slow = ("aso", "multi_aso", "bootstrap_power_analysis")
    fast = {name: functools.partial(getattr(deepsig, name), **few) for name in slow}
    return types.SimpleNamespace(**vars(deepsig) | fast)


DOCUMENTS = [
    *(DOCS / f"{page}.md" for page in PAGES),
    *ROOT.glob("*.md"),
    *(ROOT / "benchmarks").rglob("*.md"),
    *(ROOT / "tests").rglob("*.md"),
]
# Documents that pages of the site include: what they link to has a page, too.
INCLUDED = {
    (DOCS / f"{page}.md").parent.joinpath(included).resolve()
    for page, text in PAGES.items()
    for included in re.findall(r"```\{include\} (\S+)", text)
}


class TestLinks:
    """Of pages and of the other documents: without a network, but never to nowhere."""

    @pytest.mark.parametrize(
        "path", DOCUMENTS, ids=lambda x: x.relative_to(ROOT).as_posix()
    )
    def test_they_lead_somewhere(self, path):
        text = without_code(path.read_text("utf-8"))
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"\w+:", target):
                check_address(target)
                continue
            place, _, anchor = target.partition("#")
            file = (path.parent / place).resolve() if place else path
            assert file.exists(), target
            if path in INCLUDED and file.suffix == ".md":
                assert DOCS in file.parents or file in INCLUDED, target
            if anchor:
                assert anchor in anchors_of(file), target
        for doi in re.findall(r"\{doi\}`(.*?)`", text):
            assert re.fullmatch(r"10\.\d{4,5}/\S+", doi), doi
        for address in re.findall(r"<(https?:.*?)>", text):
            check_address(address)


def without_code(text):
    """Leave out what is shown as it is, but no directives."""
    text = re.sub(r"^```(?!\{)\S*\n.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"(?<!\})`[^`\n]+`", "", text)


def check_address(address):
    parts = urllib.parse.urlsplit(address)
    assert parts.scheme == "https", address
    assert re.fullmatch(r"[\w-]+(\.[\w-]+)+", parts.netloc), address
    assert not parts.query
    assert " " not in address


def anchors_of(path):
    """Return the anchors of the headings, as GitHub and the site make them."""
    text = path.read_text("utf-8")
    for included in re.findall(r"```\{include\} (\S+)", text):
        text += (path.parent / included).read_text("utf-8")
    text = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", x.lower()).replace(" ", "-") for x in headings}
