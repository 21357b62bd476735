"""The README's code runs, and what it shows is what the command prints."""

import inspect
import re
from pathlib import Path

import pytest

import sigarray
from tests.backends import require

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)

DOCS = {x.stem: x.read_text(encoding="utf-8") for x in (ROOT / "docs").glob("*.md")}

_WITH_COMMANDS = (
    *("index", "responses", "clusters", "corpus", "seeds_and_items"),
    *("which_test", "aggregates", "how_many_seeds"),
)
OUTPUTS = re.findall(
    r"<!-- (output|first lines of): (.*?) -->\n```text\n(.*?)```",
    README + "".join(DOCS[x] for x in _WITH_COMMANDS),
    re.DOTALL,
)
PRINTED = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("code", BLOCKS, ids=lambda code: code.splitlines()[0])
def test_python_blocks_run(code):
    for library in re.findall(r"^import (torch|jax)$", code, re.MULTILINE):
        require(library)
    exec(compile(code, "README.md", "exec"), {})


@pytest.mark.parametrize(("code", "shown"), PRINTED, ids=["README"])
def test_output_is_what_the_code_prints(capsys, code, shown):
    exec(compile(code, "a page", "exec"), {})
    assert capsys.readouterr().out == shown


@pytest.mark.parametrize(("part", "command", "shown"), OUTPUTS)
def test_output_is_what_the_command_prints(run, monkeypatch, part, command, shown):
    pytest.importorskip("rich")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(ROOT)
    name, *arguments = command.split()
    code, output, _ = run(*arguments)
    assert (name, code) == ("sigarray", 0)
    printed = [line.rstrip() for line in output.splitlines()]
    if part == "first lines of":
        printed = printed[: len(shown.splitlines())]
        assert len(printed) > 10
    assert max(map(len, printed[:10])) <= 80
    assert "\n".join(printed).strip("\n") == shown.strip("\n")


def test_every_function_is_in_the_table():
    text = DOCS["functions"] + DOCS["responses"]
    table = "".join(line for line in text.splitlines() if line.startswith("| `"))
    listed = set(re.findall(r"`(?:responses\.)?(\w+)(?:\(|`)", table))
    assert len(OUTPUTS) == 14
    functions = {
        name
        for package in (sigarray, sigarray.responses)
        for name in package.__all__
        if inspect.isfunction(getattr(package, name))
    }
    assert functions <= listed


def test_it_is_short():
    """Two screens and one picture; the rest is in the documentation."""
    assert len(README.splitlines()) < 160
    (figure,) = re.findall(r"!\[.+?\]\((.+?\.png)\)", README)
    assert (ROOT / figure).is_file()


def test_set_up_is_one_command_each():
    for command in (
        'python -m pip install -e ".[cli]" && python -m sigarray compare',
        'python -m pip install -e ".[test]" && python -m pytest',
    ):
        assert f"\n    {command}\n" in README


def test_eps_min_may_be_large_where_a_is_ahead_at_all_quantiles():
    """As the README says: it is a bound, which asks for a test that both differ."""
    said = " ".join(re.sub(r"[][]|\(docs.*?\)", "", README).split())
    assert (
        "with few runs it stays at 0.5 or above even if A is ahead at all their "
        "quantiles, until a test shows a difference" in said
    )
    a, b = [84.1, 84.5, 84.9, 85.3, 86.2], [83.9, 84.4, 84.8, 85.2, 85.7]
    scores = {"A": a, "B": b, "C": [x + 2 for x in a]}
    result = sigarray.multi_aso(scores, rng=0)
    assert result.violation_ratio[0, 1] == 0.0
    assert min(result.eps_min[0, 1], result.eps_min[1, 0]) >= 0.5
