"""Settings of the test run alone, made before any library is imported."""

import os

# Every program of JAX is compiled once and run once: the tests are faster without the
# optimizations of XLA, which JAX_DISABLE_MOST_OPTIMIZATIONS=0 brings back.
os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")
