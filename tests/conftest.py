"""Settings of the test run alone, made before any library is imported."""

import importlib.metadata
import importlib.util
import os
import random
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Every program of JAX is compiled once and run once: the tests are faster without the
# optimizations of XLA, which JAX_DISABLE_MOST_OPTIMIZATIONS=0 brings back.
os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")
# Nor with its older emitters, which compile in two thirds of the time. XLA stops where
# it does not know a flag, so only those versions get it that are known to know it.
has_jax = importlib.util.find_spec("jax") is not None
if has_jax and importlib.metadata.version("jax").startswith("0.10."):
    flags = "--xla_cpu_use_fusion_emitters=false"
    flags += " --xla_cpu_parallel_codegen_split_count=1"
    os.environ["XLA_FLAGS"] = f"{flags} {os.environ.get('XLA_FLAGS', '')}"
# One thread for each worker.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Nor need two processes, or two runs, compile the same program.
CACHE = Path(__file__).parents[1] / ".jax_cache"
os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(CACHE))
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES", "-1")

# Nor modules of Python: those of tests, and the library in each process of theirs.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# The same examples in every run; the fixture gives one backend for all of them.
settings.register_profile(
    "sigarray",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
settings.load_profile("sigarray")


_STATES = {}


@pytest.fixture(autouse=True)
def start_generator(request):
    """Start the generator of a module anew, so that no test moves scores of others."""
    generator = getattr(request.module, "RNG", getattr(request.module, "DRAW", None))
    if isinstance(generator, random.Random):
        generator.setstate(_STATES.setdefault(generator, generator.getstate()))
    elif hasattr(generator, "bit_generator"):
        bits = generator.bit_generator
        bits.state = _STATES.setdefault(bits, bits.state)


@pytest.fixture
def write(tmp_path):
    """Write a file, and give its path."""

    def write(content, name="scores.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return write


@pytest.fixture
def run(capsys):
    """Run the command: its exit code, and what it printed to either output."""
    from sigarray._cli.main import main

    def run(*arguments):
        code = main(arguments)
        output = capsys.readouterr()
        return code, output.out, output.err

    return run
