"""Our CUDA kernels on the host, and what they have to give."""

import ctypes
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from sigarray._backend.of_numpy import HOST
from sigarray._backend.seeds import number_streams, seed_words, stream_seeds
from sigarray._backend.threefry import (
    overlapping_words,
    random_places,
    random_uniforms,
    random_words,
)
from tests.backends import without_engine

# What a compiler for the host does not know. A grid of one thread does all of it.
_PRELUDE = """
#define __device__
#define __global__
static const struct { int x; } gridDim = {1}, blockDim = {1}, blockIdx = {0},
    threadIdx = {0};
"""
# Numbers of `draw_fused`: start, count, width, if words overlap, size, first block.
REQUESTS = [
    (0, [0, 3, 8, 0, 1, 0], 1),
    (0, [7, 5, 9, 0, 1, 0], 1),
    (0, [2**31 - 3, 2, 1, 0, 1, 0], 1),
    (0, [4, 3, 5, 0, 1, 0], 4),
    (0, [4, 3, 5, 0, 1, 2**30], 4),
    (1, [0, 4, 7, 1, 1, 0], 1),
    (1, [9, 2, 6, 1, 1, 0], 3),
    *((0, [5, 4, width, 1, 1, 0], 1) for width in range(1, 10)),
    *((1, [5, 4, width, 1, 1, 0], 2) for width in range(1, 10)),
    (2, [3, 6, 10, 1, 10, 0], 1),
    (2, [3, 6, 11, 1, 7, 2**30], 1),
    (2, [0, 2, 9001, 0, 5000, 0], 1),
    (2, [0, 2, 4001, 0, 5000, 2**30], 1),
    (2, [0, 40, 60, 0, 2**31 - 1, 0], 1),
]


def seed_of(streams):
    seed = seed_words(HOST, 2**40 + 17)
    if streams == 1:
        return seed
    return stream_seeds(HOST, seed, number_streams(streams))


def expect(kind, numbers, streams):
    """Return the flat numbers of the array code."""
    with without_engine():
        return _compute(kind, numbers, streams)


def _compute(kind, numbers, streams):
    start, count, width, halves, size, first = numbers
    where = (HOST, seed_of(streams), start, count)
    if kind == 2:
        assert halves == (size <= 2**12)
        sizes, draws = [9, size], [4, width]
        which = slice(1, 2) if first == 0 else slice(2)
        (*_, found) = random_places(*where, sizes[which], draws[which], False)
        return found.ravel()
    if kind == 1:
        assert halves
        return random_uniforms(*where, width).ravel()
    if halves:
        return overlapping_words(*where, width, 1).ravel()
    return random_words(*where, width, first_block=first).ravel()


class RawKernel:
    """As CuPy's, by the compiler of the host; arrays have their memory in `_host`."""

    def __init__(self, code, name, options=()):
        folder = Path(tempfile.mkdtemp())
        source, library = folder / "kernel.cpp", folder / "kernel.so"
        source.write_text(_PRELUDE + code)
        compiler = shutil.which("g++")
        flags = ["-O1", "-shared", "-fPIC", "-Wno-unknown-pragmas", *options]
        subprocess.run([compiler, *flags, "-o", library, source], check=True)
        self._function = getattr(ctypes.CDLL(str(library)), name)
        shutil.rmtree(folder)

    def __call__(self, grid, block, arguments):
        assert len(grid) == len(block) == 1
        assert grid[0] > 0 < block[0] <= 1024
        self._function(*map(_as_argument, arguments))


def _as_argument(value):
    if isinstance(value, np.int64):  # of 64 bits, as in the kernel
        return ctypes.c_longlong(int(value))
    return ctypes.c_void_p(value._host.ctypes.data)
