"""The programs of the documentation run as they stand, each in a process of its own."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import find_lack, whole_suite

DOCS = Path(__file__).parents[1] / "docs"
PROGRAMS = [
    pytest.param(program, id=f"{path.stem}-{k}")
    for path in sorted(DOCS.glob("*.md"))
    for k, program in enumerate(
        re.findall(r"```python\n(.*?)```", path.read_text("utf-8"), re.DOTALL)
    )
]
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
        process = subprocess.run(
            [sys.executable, *options, str(path)],
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
            cwd=tmp_path,
            # Processes that spin for a core of others take seven times as long.
            env=os.environ | {"OMP_NUM_THREADS": "1"},
        )
        assert process.returncode == 0, process.stdout + process.stderr


def test_there_are_programs():
    assert len(PROGRAMS) > 5
