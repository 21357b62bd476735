"""The documentation: its programs run, its links lead somewhere, its site builds."""

import functools
import importlib.util
import inspect
import os
import re
import shlex
import subprocess
import sys
import types
import urllib.parse
import zlib
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


PROGRAMS = [
    pytest.param(program, id=f"{page}-{k}")
    for page, text in PAGES.items()
    for k, program in enumerate(re.findall(r"```python\n(.*?)```", text, re.DOTALL))
    if not is_of_tools(page, program)
]
# DistributedDataParallel keeps gloo's threads, and so a process may abort as it ends.
ABORT = "terminate called without an active exception"
# How to start a program, by its first line, where it is no script.
RANKS = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
STARTS = {"# torchrun": [RANKS], "# pytest": [[], ["-m", "pytest", "-q"]]}


@whole_suite
@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_run(program, tmp_path):
    for name in re.findall(r"^(?:import|from) (\w+)", program, re.MULTILINE):
        if lack := find_lack(name):
            pytest.skip(lack)
    path = tmp_path / "program.py"
    path.write_text(program, "utf-8")
    for options in STARTS.get(program.partition("\n")[0], [[]]):
        command = [sys.executable, *options, str(path)]
        process = run_program(command, tmp_path)
        if options == RANKS and ABORT in process.stderr:
            process = run_program(command, tmp_path)
        assert process.returncode == 0, process.stdout + process.stderr


def run_program(command, folder):
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        cwd=folder,
        # Processes that spin for a core of others take seven times as long.
        env=os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)},
    )


def test_there_are_programs():
    assert len(PROGRAMS) > 15


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


@whole_suite
def test_the_site_builds_without_a_warning(tmp_path):
    """And with a place for every public name, nothing to fetch, no raw markup."""
    for name in ("myst_parser", "numpydoc", "pydata_sphinx_theme", "sphinx"):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"{name} is not installed")
    options = ["-q", "-W", "-n", "--keep-going", "-d", str(tmp_path / "trees")]
    command = [sys.executable, "-m", "sphinx", *options]
    process = subprocess.run(
        [*command, str(DOCS), str(tmp_path / "site")],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert process.returncode == 0, process.stdout + process.stderr

    packed = (tmp_path / "site" / "objects.inv").read_bytes().split(b"\n", 4)[4]
    lines = zlib.decompress(packed).decode().splitlines()
    assert set(list_public()) <= {line.split(" ")[0] for line in lines}

    pages = list((tmp_path / "site").rglob("*.html"))
    assert len(pages) > len(PAGES) - 4
    for page in pages:
        text = page.read_text("utf-8")
        for tag in re.findall(r"<(?:script|img|iframe|link)\b[^>]*>", text):
            is_loaded = "<link" not in tag or 'rel="stylesheet"' in tag
            assert not is_loaded or not re.search(r"(src|href)=\"(\w+:)?//", tag), tag
        text = text.partition("<article")[2].partition("</article>")[0]
        text = re.sub(r"<(pre|code|math)\b.*?</\1>", "", text, flags=re.DOTALL)
        text = re.sub(r"<[^>]*>", "", text)
        for markup in (":doi:", "{doi}", "{math}", "{py:", "``", "\n.. ", "]("):
            assert markup not in text, (page.name, markup)


def list_public():
    """Yield the names of all that is public."""
    rooms = ("deepsig", "plot", "read", "report", "responses", "responses.metrics")
    for name in ("sigarray", *(f"sigarray.{room}" for room in rooms)):
        module = importlib.import_module(name)
        for member in module.__all__:
            value = getattr(module, member)
            if inspect.isfunction(value) or inspect.isclass(value):
                yield f"{module.__name__}.{member}"
