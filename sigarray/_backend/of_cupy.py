"""CuPy's differences from the array API, and the kernel of `draw_fused` in CUDA C."""

import functools
from types import ModuleType
from typing import Any

import numpy as np

from sigarray._backend.callers import Array, Seed
from sigarray._backend.library import Library, elements_of_memory

_HALF_BITS = 16
_THREADS_OF_A_BLOCK = 256
# The types of words, uniforms and places, for CuPy and in C.
_TYPES = (("uint32", "word"), ("float32", "float"), ("int64", "index"))

SOURCE = """
typedef unsigned int word;
typedef long long index;

__device__ inline void threefry2x32(word low, word high, word& x, word& y) {
    const word key[3] = {low, high, low ^ high ^ 0x1BD11BDAu};
    const int rotations[8] = {13, 15, 26, 6, 17, 29, 16, 24};
    x += low;
    y += high;
#pragma unroll
    for (int i = 0; i < 20; ++i) {
        const int rotation = rotations[i % 8];
        x += y;
        y = ((y << rotation) | (y >> (32 - rotation))) ^ x;
        if (i % 4 == 3) {
            const int group = i / 4 + 1;
            x += key[group % 3];
            y += key[(group + 1) % 3] + group;
        }
    }
}

struct Out {
    RESULT* values;
    index width, places;

    __device__ inline void store(word value, index row, index column) const {
        if (column >= width) return;
        const index at = row * width + column;
#if KIND == 0
        values[at] = value;
#elif KIND == 1
        values[at] = ((value >> 16) + 0.5f) * 1.52587890625e-05f;
#else
        values[at] = (index)(value * (unsigned long long)places >> 32);
#endif
    }
};

extern "C" __global__ void draw(
    const word* low, const word* high, RESULT* values, index key_step, index start,
    index rows, index streams, index width, index blocks, index places, index first
) {
    const Out out = {values, width, places};
    const index step = (index)gridDim.x * blockDim.x;
    index block = (index)blockIdx.x * blockDim.x + threadIdx.x;
    for (; block < rows * blocks; block += step) {
        const index row = block / blocks, column = block % blocks;
        const index key = row % streams * key_step;
        const word k0 = low[key], k1 = high[key];
        const word replicate = (word)(row / streams + start);
        word x = replicate, y = (word)(column + first);
        threefry2x32(k0, k1, x, y);
#if HALVES
        // Halves of the words of a replicate, each above that of the next replicate,
        // of which uniforms have nothing.
        const index n = (width + 1) / 2;
        word u = replicate + 1, v = (word)(column + first);
        if (KIND != 1) threefry2x32(k0, k1, u, v);
        out.store((x & 0xFFFF0000u) | (u >> 16), row, column);
        out.store((x << 16) | (u & 0xFFFFu), row, column + n);
        if (column + blocks < n) {
            out.store((y & 0xFFFF0000u) | (v >> 16), row, column + blocks);
            out.store((y << 16) | (v & 0xFFFFu), row, column + blocks + n);
        }
#else
        out.store(x, row, column);
        out.store(y, row, column + blocks);
#endif
    }
}
"""


class CupyLibrary(Library):
    is_accelerator = True

    @property
    def chunk_elements(self) -> int:
        return elements_of_memory(_memory_of(self.device.id))

    def draw_seed(self, rng: Any) -> Seed | None:
        kind = type(rng)
        if (kind.__module__.partition(".")[0], kind.__name__) != ("cupy", "Generator"):
            return None
        # By halves: before 14.2 the whole range was read from uninitialized memory
        # (cupy/cupy#9745).
        halves = rng.integers(0, 2**_HALF_BITS, size=4, dtype=self.uint32)
        words = halves[:2] << _HALF_BITS | halves[2:]
        return words[:1], words[1:]

    def draw_fused(self, seed: Seed, kind: int, numbers: list[int]) -> Array | None:
        import cupy

        if not hasattr(cupy, "RawKernel"):  # in a stand-in
            return None
        return draw(*seed, kind, numbers)

    def nth_smallest(self, x: Array, n: int) -> Array:
        return self.partition(x, n - 1, axis=-1)[..., n - 1 : n]

    def clip(self, x: Array, low: float | None, high: float | None) -> Array:
        # array-api-compat writes through a mask, which is counted on the host.
        x = x if low is None else self.maximum(x, low)
        return x if high is None else self.minimum(x, high)

    def positive_part(self, x: Array) -> Array:
        return self.maximum(x, 0.0, out=x)


@functools.cache
def cupy_library(namespace: ModuleType, number: int) -> CupyLibrary:
    import cupy

    return CupyLibrary(namespace, cupy.cuda.Device(number))


@functools.cache
def _memory_of(number: int) -> int:
    import cupy

    properties = cupy.cuda.runtime.getDeviceProperties(number)
    return int(properties["totalGlobalMem"])


def draw(low: Array, high: Array, kind: int, numbers: list[int]) -> Array:
    """Return the numbers of `draw_fused` as a flat array, on the device of the seed."""
    import cupy

    start, count, width, halves, *places = numbers
    streams = low.size
    blocks, rows = -(-width // (4 if halves else 2)), count * streams
    dtype, name = _TYPES[kind]
    out = cupy.empty(rows * width, dtype=dtype)
    grid = min(-(-rows * blocks // _THREADS_OF_A_BLOCK), 2**31 - 1)
    key_step = low.strides[0] // low.itemsize
    sizes = (key_step, start, rows, streams, width, blocks, *places)
    kernel = _compile(kind, halves, name)
    kernel((grid,), (_THREADS_OF_A_BLOCK,), (low, high, out, *map(np.int64, sizes)))
    return out


@functools.cache
def _compile(kind: int, halves: int, result: str) -> Any:
    import cupy

    options = (f"-DKIND={kind}", f"-DHALVES={halves}", f"-DRESULT={result}")
    return cupy.RawKernel(SOURCE, "draw", options=options)
