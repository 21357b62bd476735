"""Nothing is taken for granted of the system: consoles, locales, names of files."""

import collections
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path, PureWindowsPath

import pytest

from sigarray.read import _templates
from sigarray.read._files import SourceFile

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "sigarray").rglob("*.py"))
ROWS = "λ-net,größe\n0.91,0.81\n0.92,0.82\n0.93,0.84\n0.95,0.83\n0.94,0.85\n"


@pytest.mark.parametrize("encoding", ["cp1252", "cp437"])
def test_consoles(encoding, write, monkeypatch):
    """What a console of Windows does not have is escaped; rules are of its own."""
    from sigarray._cli.main import main

    data = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(data, encoding))
    assert main(["compare", write(ROWS, "größen.csv"), "--unit", "run"]) == 0
    sys.stdout.flush()
    shown = data.getvalue().decode(encoding)
    assert r"\u03bb-net is better than größe" in shown
    assert r"\u2500" not in shown
    if encoding == "cp1252":
        assert "-----" in shown


def test_the_command_reads_unicode_in_any_locale(tmp_path):
    (tmp_path / "größen.csv").write_text(ROWS, "utf-8")
    command = [sys.executable, "-m", "sigarray", "compare", "größen.csv"]
    done = subprocess.run(
        [*command, "--unit", "run", "--format", "json"],
        cwd=tmp_path,
        env=os.environ
        | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
        | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        check=True,
    )
    assert set(json.loads(done.stdout.decode("ascii"))["models"]) == {"λ-net", "größe"}


def test_files_are_opened_with_an_encoding():
    """Without one, it is that of the locale, which on Windows is often cp1252."""
    opening = re.compile(r"(?<![\w.])open\(|\.(open|read_text|write_text)\(|fdopen\(")
    lines = [
        f"{path.name}: {line.strip()}"
        for path in (ROOT / "sigarray").rglob("*.py")
        for line in path.read_text("utf-8").splitlines()
        if opening.search(line) and ">>>" not in line
    ]
    assert len(lines) > 5
    unsaid = [
        x for x in lines if not re.search(r"[\"'][rwxa]?b[\"']|utf-8|encoding", x)
    ]
    # Archives, whose files are bytes, and devices.
    assert [x for x in unsaid if not re.search(r"os\.open|archive|zip", x)] == []


def test_names_of_files_are_for_every_system():
    """No two differ by case alone, and Windows reserves none."""
    command = ["git", "-C", str(ROOT), "ls-files"]
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    names = done.stdout.splitlines()
    if not names:
        pytest.skip("this is no clone")
    folded = collections.Counter(x.casefold() for x in names)
    assert [x for x, n in folded.items() if n > 1] == []
    reserved = r"(^|/)(con|prn|aux|nul|com\d|lpt\d)(\.|/|$)|[<>:\"|?*\\]|[. ](/|$)"
    assert [x for x in names if re.search(reserved, x, re.IGNORECASE)] == []
    assert max(map(len, names)) < 150


def test_paths_with_a_drive(monkeypatch):
    """Parts of a path are the same in templates, whichever slashes it has."""
    monkeypatch.setattr(_templates, "Path", PureWindowsPath)
    folder = PureWindowsPath(r"C:\results")
    path = folder / "lstm" / "seed0.csv"
    file = SourceFile(str(path), "lstm", "seed0", folder=str(folder))
    assert _templates.place_of(file) == "lstm/seed0.csv"
