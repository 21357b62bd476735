"""On what benchmarks are run."""

import contextlib
import os
import platform
import unittest.mock
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from sigarray._backend import of_numpy


def name_processor() -> str:
    """Return the name of the processor, and the number of cores."""
    names = [platform.processor() or platform.machine()]
    with contextlib.suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        names = [x.partition(": ")[2] for x in lines if x.startswith("model name")]
    return f"{names[0]}, {os.cpu_count()} cores"


def without_kernels() -> AbstractContextManager[Any]:
    """Leave out the compiled kernels: array code computes."""
    return unittest.mock.patch.object(of_numpy, "find_kernels", return_value=None)
