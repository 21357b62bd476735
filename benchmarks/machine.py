"""On what benchmarks are run."""

import contextlib
import os
import platform
from pathlib import Path


def name_processor() -> str:
    """Return the name of the processor, and the number of cores."""
    names = [platform.processor() or platform.machine()]
    with contextlib.suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        names = [x.partition(": ")[2] for x in lines if x.startswith("model name")]
    return f"{names[0]}, {os.cpu_count()} cores"
