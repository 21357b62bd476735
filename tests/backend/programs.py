"""Programs in processes of their own, for what cannot be undone in one."""

import os
import signal
import subprocess
import sys
import textwrap

# A program that hangs is ended, with all processes that it started.
SECONDS = 300


def run(code, **environment):
    """Run a program of its own, and give what it printed."""
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | environment,
        start_new_session=True,
    )
    try:
        output, errors = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, errors = process.communicate()
        errors += f"\nnot done after {SECONDS} seconds"
    return process.returncode, output + errors
