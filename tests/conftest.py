"""Settings of the test run alone, made before any library is imported."""

import os
from pathlib import Path

# Every program of JAX is compiled once and run once: the tests are faster without the
# optimizations of XLA, which JAX_DISABLE_MOST_OPTIMIZATIONS=0 brings back.
os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")
# Nor need two processes, or two runs, compile the same program.
CACHE = Path(__file__).parents[1] / ".jax_cache"
os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(CACHE))
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES", "-1")
