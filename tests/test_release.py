"""What a release promises is said once, and tested: `noxfile.py` has the long tests."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

from tests.release import contents, extras, licences

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
SESSIONS = ast.parse((ROOT / "noxfile.py").read_text("utf-8")).body
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_every_python_that_is_promised_is_tested():
    prefix = "Programming Language :: Python :: 3."
    promised = {
        x.rpartition(" ")[2] for x in PROJECT["classifiers"] if x.startswith(prefix)
    }
    (named,) = (
        ast.literal_eval(x.value)
        for x in SESSIONS
        if isinstance(x, ast.Assign) and ast.unparse(x.targets[0]) == "PYTHONS"
    )
    assert promised == set(named)
    assert PROJECT["requires-python"] == f">={named[0]}"
    on_each = {
        x.name
        for x in SESSIONS
        if isinstance(x, ast.FunctionDef)
        and x.decorator_list
        and ast.unparse(x.decorator_list[0]) == "nox.session(python=PYTHONS)"
    }
    assert on_each == {"core", "newest"}
    for path in WORKFLOWS:
        if path.stem == "tests":
            text = path.read_text("utf-8")
            (listed,) = re.findall(r"^ +python: (\[.*\])$", text, re.MULTILINE)
            assert ast.literal_eval(listed) == named
            assert set(re.findall(r'nox -s "(\w+)-\$\{MATRIX', text)) == on_each


def test_every_session_is_described():
    described = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    described = described.partition("\n## Releases\n")[2].partition("\n## ")[0]
    sessions = {
        x.name
        for x in SESSIONS
        if isinstance(x, ast.FunctionDef) and "nox.session" in ast.unparse(x)
    }
    rows = [x for x in described.splitlines() if x.startswith("| `")]
    first = (x.split("|")[1] for x in rows)
    assert set(re.findall(r"`(\w+)`", " ".join(first))) == sessions - {"build"}


def test_every_extra_of_a_user_has_a_job():
    of_users = set(PROJECT["optional-dependencies"])
    of_users -= {"bench", "docs", "gpu-compilers", "test", "test-all", "versus"}
    assert set(extras.JOBS) == of_users
    assert of_users <= contents.EXTRAS


@pytest.mark.skipif(not WORKFLOWS, reason="an sdist has no workflows")
@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda x: x.stem)
def test_workflows_may_do_little(path):
    """No action moves under its name, and no job may write but those that publish."""
    text = path.read_text("utf-8")
    used = [x for x in re.findall(r"uses: (\S+)", text) if not x.startswith("$/")]
    assert used
    assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", x) for x in used)
    assert "\npermissions: {}\n" in text
    writes = set(re.findall(r"(\S+): write", text))
    allowed = {"docs": {"pages", "id-token"}, "release": {"id-token"}}
    assert writes == allowed.get(path.stem, set())


def test_licences_that_are_not_permissive_are_named():
    found = {"a": "BSD-3-Clause", "b": "GPL-3.0-only", "c": "not said"}
    assert list(licences.list_faults(found)) == ["b: GPL-3.0-only", "c: not said"]
    listed = licences.PATH.read_text("utf-8")
    rows = dict(re.findall(r"^\| (\S+) \| (.+) \|$", listed, re.MULTILINE))
    rows.pop("package")
    assert {"numpy", "array-api-compat", "jax", "matplotlib"} <= set(rows)
    assert list(licences.list_faults(rows)) == []


def test_pages_know_whether_there_is_a_release():
    is_released = "- unreleased" not in (ROOT / "CHANGELOG.md").read_text("utf-8")
    for page, said in (
        ("docs/install.md", "There is no release on PyPI yet"),
        ("README.md", "installs it from a clone"),
    ):
        assert (said in (ROOT / page).read_text("utf-8")) != is_released
