"""The programs of the documentation run as they stand, each in a process of its own."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import require, whole_suite

DOCS = Path(__file__).parents[1] / "docs"
PROGRAMS = [
    pytest.param(program, id=f"{path.stem}-{k}")
    for path in sorted(DOCS.glob("*.md"))
    for k, program in enumerate(
        re.findall(r"```python\n(.*?)```", path.read_text("utf-8"), re.DOTALL)
    )
]
ENGINES = ("dask", "distributed", "joblib", "loky", "ray")


@whole_suite
@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_run(program, tmp_path):
    for name in re.findall(r"^(?:import|from) (\w+)", program, re.MULTILINE):
        if name in {"torch", "jax"}:
            require(name)
        elif name in ENGINES:
            pytest.importorskip(name)
    path = tmp_path / "program.py"
    path.write_text(program, "utf-8")
    command = [sys.executable, str(path)]
    if program.startswith("# torchrun"):
        by = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
        command[1:1] = by
    process = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=300
    )
    assert process.returncode == 0, process.stdout + process.stderr


def test_there_are_programs():
    assert len(PROGRAMS) > 5
