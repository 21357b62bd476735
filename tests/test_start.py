"""The library and the command start at once: `benchmarks.start` has the seconds."""

import json
import subprocess
import sys

from benchmarks import start

PROGRAM = """\
import contextlib, io, json, sys, time
start = time.process_time()
import sigarray
of_import = time.process_time() - start
is_light = not {"numpy", "torch", "jax", "pandas", "matplotlib"} & set(sys.modules)
from sigarray.__main__ import main
with contextlib.redirect_stdout(io.StringIO()) as shown:
    try:
        sys.argv[1:] = ["--help"]
        main()
    except SystemExit:
        pass
is_light &= "numpy" not in sys.modules and "which of several models" in shown.getvalue()
print(json.dumps([is_light, of_import, time.process_time()]))
"""


def test_it_starts_at_once():
    """By seconds of the processor, which do not count other work on the machine."""
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    is_light, of_import, of_help = json.loads(done.stdout)
    assert is_light
    assert of_import < start.MOST_BESIDE_NUMPY
    assert of_help < start.MOST_OF_HELP


def test_the_benchmark_tells_what_is_too_long():
    best = dict.fromkeys(start.COMMANDS, 0.1)
    assert start.list_faults(best) == []
    best |= {"import sigarray": 0.3, "sigarray --help": 0.31}
    assert start.list_faults(best) == [
        "import sigarray: 0.200 s more than NumPy",
        "sigarray --help: 0.310 s",
    ]
