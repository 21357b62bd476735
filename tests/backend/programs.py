"""Programs in processes of their own, for what cannot be undone in one."""

import os
import subprocess
import sys
import textwrap


def run(code, **environment):
    """Run a program of its own, and give what it printed."""
    process = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | environment,
    )
    return process.returncode, process.stdout + process.stderr
