"""An array library and a device: the array API, and where libraries differ from it.

Here are the methods of the standard; `of_numpy`, `of_torch`, `of_jax` and `of_cupy`
have those of the libraries, and `dispatch` chooses one.
"""

import functools
import importlib
import math
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from types import ModuleType
from typing import Any

import numpy as np

from sigarray._backend.callers import Array, Device, Seed

# Functions that create arrays, on the library's device unless another is named.
_CREATING = frozenset(
    ("arange", "asarray", "empty", "eye", "full", "linspace", "ones", "zeros")
)
# The most elements of a chunk of replicates: as fit in the cache of one core, and as
# limit memory on an unknown accelerator.
_CHUNK_ELEMENTS, _CHUNK_ELEMENTS_UNKNOWN = 2**18, 2**22
# An accelerator pays for every launch: 2^24 if 1/64 of its memory holds these, at 40
# bytes each. They take 8 to 26 bytes (float64, on the processor): 0.44 GB at most.
_MAX_CHUNK_ELEMENTS, _MEMORY_OF_AN_ELEMENT = 2**24, 64 * 40


class Library:
    """A namespace of the array API, with new arrays on one device.

    It has all functions that are not defined here. A device of None leaves the place of
    new arrays to the library.
    """

    # JAX compiles functions, keeps their loops, and may trace their arrays.
    compiles = False
    # Operations on arrays of the host cost no launch and no compilation; on a device
    # each costs a launch.
    is_processor: bool = False
    is_accelerator: bool = False
    # Arrays of the host that nothing traces: their values can be read, and computed by
    # threads of ours.
    is_host = False
    # On torch's device "meta" arrays have only shapes: see `compiling`.
    has_no_numbers: bool = False
    # Ranks of a process group may compute chunks.
    has_process_groups = False

    def __init__(self, namespace: ModuleType, device: Device) -> None:
        self.namespace, self.device = namespace, device

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.namespace, name)
        if name in _CREATING and self.device is not None:
            value = functools.partial(value, device=self.device)
        # From now on it is looked up without this function.
        self.__dict__[name] = value
        return value

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Library)
            and self.namespace is other.namespace
            and self.device == other.device
        )

    def __hash__(self) -> int:
        return hash(self.namespace)  # devices of CuPy have none

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name}, {self.device!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        # A module cannot be pickled.
        return _load, (type(self), self.namespace.__name__, self.device)

    @property
    def name(self) -> str:
        return self.namespace.__name__.removeprefix("array_api_compat.")

    # Dtypes and memory.

    @property
    def widest_float(self) -> Any:
        info = self.namespace.__array_namespace_info__()
        dtypes = info.dtypes(device=self.device, kind="real floating")
        return dtypes.get("float64", self.namespace.float32)

    def float_of_integers(self, x: Array) -> Array:
        return self.astype(x, self.widest_float)

    @property
    def index_dtype(self) -> Any:
        info = self.namespace.__array_namespace_info__()
        return info.default_dtypes(device=self.device)["indexing"]

    @property
    def has_int64(self) -> bool:
        info = self.namespace.__array_namespace_info__()
        return "int64" in info.dtypes(device=self.device, kind="signed integer")

    @property
    def word_dtype(self) -> Any:
        return self.namespace.uint32

    @property
    def chunk_elements(self) -> int:
        return _CHUNK_ELEMENTS

    # Where arrays come from.

    def build_tables(
        self, build: Callable[["Library"], tuple[Array, ...]]
    ) -> tuple[Array, ...]:
        """Build tables that depend only on static sizes, in 64-bit integers.

        They are made on the device, so that nothing is uploaded, or by NumPy if the
        device has no such integers.
        """
        return build(self) if self.has_int64 else self._upload_tables(build)

    def kept_tables(
        self, build: Callable[..., tuple[Array, ...]], *sizes: Any
    ) -> tuple[Array, ...]:
        """Return `build(xp, *sizes)`, of static sizes; the host keeps the last ones."""
        return build(self, *sizes)

    def _upload_tables(
        self, build: Callable[["Library"], tuple[Array, ...]]
    ) -> tuple[Array, ...]:
        return tuple(
            self.asarray(
                table,
                dtype=self.index_dtype
                if np.isdtype(table.dtype, "integral")
                else self.widest_float,
            )
            for table in build(_HOST)
        )

    def upload_numbers(self, numbers: Sequence[float], dtype: Any) -> Array:
        """Return a few numbers as an array, without a copy that would wait."""
        if len(set(numbers)) == 1:
            return self.full((len(numbers),), numbers[0], dtype=dtype)
        return self.concat([self.full((1,), n, dtype=dtype) for n in numbers])

    def upload(self, x: np.ndarray) -> Array:
        return self.asarray(x)

    def read_numbers(self, _x: Array) -> list[int] | None:
        return None

    def as_argument(self, number: int | Array) -> int | Array:
        return number

    def draw_seed(self, _rng: Any) -> Seed | None:
        return None

    def words_of_key(self, _rng: Array) -> Seed | None:
        return None

    def check_axis(self, _name: str, arrays: Any) -> Any:
        """Return arrays that are the same on all shards of an axis of a JAX mesh."""
        return arrays

    def check_place(self, rng: Array) -> None:
        """Raise for an integer of a seed on another device than the scores."""

    def no_kernel(self, *_: Any, **__: Any) -> Any:
        """Return None: there is no kernel of ours, or none for these arguments.

        Those of `compiled_numpy` give the bits of the array code, in one call.
        """

    draw_fused = count_drawn = sum_bytes = sum_exactly = sum_bits_exactly = no_kernel
    resample_sorted = find_ratios = sum_deviations = no_kernel

    # Calls of functions.

    def modes_off(self) -> AbstractContextManager[Any]:
        """Compute as in a program that has set no mode of the library.

        Modes that no context turns off are handled where they matter: torch's lower
        precision of products in `matrix_product`, its default dtype and device by
        naming both wherever an array is made.
        """
        return np.errstate(all="ignore")

    def call(
        self,
        function: Callable[..., Any],
        arrays: tuple[Any, ...],
        static: dict[str, Any],
    ) -> Any:
        """Call `function(xp, *arrays, **static)`, compiled once if the library can."""
        return function(self, *arrays, **static)

    # Functions of arrays.

    def matrix_product(self, a: Array, b: Array) -> Array:
        """Multiply matrices in the precision of their dtype, or better."""
        return self.matmul(a, b)

    def sum_rows(self, x: Array, ranks: Array) -> Array:
        """Sum rows r(k) K + k of x (..., n * K, columns), for ranks r (R, K)."""
        size, n_nodes = ranks.shape
        every = self.arange(x.shape[-2] // n_nodes, dtype=ranks.dtype)
        is_chosen = self.reshape(ranks[:, None, :] == every[:, None], (size, -1))
        return self.matrix_product(self.astype(is_chosen, x.dtype), x)

    def sum_of_products(self, a: Array, b: Array, axis: int) -> Array:
        """Sum a times b, of one shape, along a negative axis."""
        return self.sum(a * b, axis=axis)

    def count_places(self, places: Array, n: int) -> Array:
        """Count how often each of n places is in a row of places (R, m): (R, n)."""
        count = places.shape[0]
        rows = self.arange(count, dtype=places.dtype)[:, None] * n
        ordered = self.sort(self.reshape(rows + places, (-1,)), stable=False)
        edges = self.arange(count * n + 1, dtype=places.dtype)
        ends = self.searchsorted(ordered, edges, side="left")
        return self.reshape(ends[1:] - ends[:-1], (count, n))

    def weigh_places(self, places: Array, n: int, dtype: Any) -> Array:
        """Return `count_places` in a float dtype."""
        return self.astype(self.count_places(places, n), dtype)

    def sum_taken(self, x: Array, places: Array) -> Array:
        """Sum x (..., n) at places (R, k): (..., R)."""
        return self.sum(self.take_last(x, places), axis=-1)

    def mean_taken(self, x: Array, places: Array) -> Array:
        """Return the mean of x (..., n) at places (R, k): (..., R)."""
        return self.mean(self.take_last(x, places), axis=-1)

    def spread_bits(self, words: Array, first: int, count: int, dtype: Any) -> Array:
        """Return some bits of words (R, W), from the first on: (R, W count), floats."""
        size, width = words.shape
        bits = words[..., None] >> self.arange(first, first + count, dtype=words.dtype)
        bits &= 1
        return self.reshape(self.astype(bits, dtype), (size, width * count))

    def ends(self, x: Array) -> tuple[Array, Array]:
        return self.min(x, axis=-1), self.max(x, axis=-1)

    def power_to_reach(self, exponent: int, x: Array) -> Array:
        """Return the power of two by which x > 0 is 2^exponent, or less than twice."""
        if hasattr(self.namespace, "frexp"):
            mantissa, _ = self.frexp(x)
            return 2.0 ** (exponent + 1) * mantissa / x
        return 2.0 ** (exponent - self.floor(self.log2(x)))

    def move_axis(self, x: Array, source: int, target: int) -> Array:
        """Move an axis to another place, and keep the order of the others."""
        if source % x.ndim == target % x.ndim:
            return x
        # torch.func.vmap has no rule for moveaxis (pytorch 2.13).
        order = [k for k in range(x.ndim) if k != source % x.ndim]
        order.insert(target % x.ndim, source % x.ndim)
        return self.permute_dims(x, tuple(order))

    def contiguous(self, x: Array) -> Array:
        """Return an array with a contiguous last axis, if the library has strides."""
        if hasattr(self.namespace, "ascontiguousarray"):
            return self.ascontiguousarray(x)
        return x

    def undo_order(self, x: Array, order: Array) -> Array:
        """Undo an order of the last axis, which some libraries do without a sort."""
        places = self.argsort(order, axis=-1, stable=False)
        return self.take_along_axis(x, places, axis=-1)

    def read_only(self, x: Array) -> Array:
        """Return an array in which nobody can write, if the library has such."""
        return x

    def writable(self, x: Array) -> Array:
        """Return an array in which a function of the caller may write: x or a copy."""
        return x

    def nth_smallest(self, x: Array, n: int) -> Array:
        """Return the n-th smallest of the last axis, which is kept.

        Without a sort that is two to three times faster.
        """
        return self.sort(x, axis=-1, stable=False)[..., n - 1 : n]

    def mark_smallest(self, keys: Array, n: int, dtype: Any) -> Array:
        """Return 1 for the n smallest keys of the last axis, and 0 for the others.

        Where keys are tied at the n-th, more are 1.
        """
        return self.astype(keys <= self.nth_smallest(keys, n), dtype)

    def clip(self, x: Array, low: float | None, high: float | None) -> Array:
        """Return numbers between two bounds; None is no bound, and NaN stays."""
        return self.namespace.clip(x, low, high)

    def positive_part(self, x: Array) -> Array:
        """Return max(x, 0), in place if that saves memory; NaN stays."""
        return self.namespace.clip(x, 0.0, None)

    def rescale(self, x: Array, scale: Array) -> Array:
        """Return x times a scale, in place if that saves memory."""
        return scale * x

    def unscale(self, x: Array, scale: Array) -> Array:
        """Return x over a scale, in place if that saves memory."""
        return x / scale

    def reciprocal(self, x: Array) -> Array:
        """Return 1 / x, in one operation if the library makes two of that."""
        return 1.0 / x

    def relative_moments(
        self, x: Array, level: Array, unit: Array
    ) -> tuple[Array, Array]:
        """Return the mean and the sum of squared deviations of (x - level) / unit.

        They are those of the last axis; some libraries need no memory for that.
        """
        rest = self.unscale(x - level[..., None], unit[..., None])
        mean = self.mean(rest, axis=-1, keepdims=True)
        return mean[..., 0], self.sum(self.squared(rest - mean), axis=-1)

    def squared(self, x: Array) -> Array:
        """Return x times x, in place if that saves memory."""
        return x * x

    def take(self, x: Array, indices: Array, *, axis: int = 0) -> Array:
        """Index an axis by an array of one axis, without negative indices."""
        return self.namespace.take(x, indices, axis=axis)

    def take_last(self, x: Array, indices: Array) -> Array:
        """Index the last axis of x by an array of any shape."""
        flat = self.take(x, self.reshape(indices, (-1,)), axis=-1)
        return self.reshape(flat, (*x.shape[:-1], *indices.shape))

    def take_rows(self, table: Array, rows: Array, n_axes: int = 2) -> Array:
        """Index the second last axis of a table by rows, which have `n_axes` last axes.

        Both have the same batch axes in front, or the rows have none.
        """
        leading, (n_rows, width) = table.shape[:-2], table.shape[-2:]
        n_entries = math.prod(leading)
        if n_entries == 1:
            rows = self.reshape(rows, (*leading, *rows.shape[-n_axes:]))
        else:
            entry = self.arange(n_entries, dtype=rows.dtype)
            rows = rows + self.reshape(entry * n_rows, (*leading, *(1,) * n_axes))
        flat = self.reshape(table, (n_entries * n_rows, width))
        taken = self.take(flat, self.reshape(rows, (-1,)), axis=0)
        return self.reshape(taken, (*rows.shape, width))

    def cumulative_maximum(self, x: Array) -> Array:
        """Return the largest element so far along the last axis, in log2(n) passes."""
        shift = 1
        while shift < x.shape[-1]:
            larger = self.maximum(x[..., shift:], x[..., :-shift])
            x = self.concat([x[..., :shift], larger], axis=-1)
            shift *= 2
        return x


def elements_of_memory(memory: int | None) -> int:
    """Return the elements of a chunk on an accelerator from its bytes, if known."""
    if memory is None:
        return _CHUNK_ELEMENTS_UNKNOWN
    # Powers of two, so that devices of one class have the same chunks.
    elements: int = 2 ** ((memory // _MEMORY_OF_AN_ELEMENT).bit_length() - 1)
    return min(elements, _MAX_CHUNK_ELEMENTS)


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Broadcast shapes as NumPy does, which takes 3 us for any, or raise."""
    known = list(map(tuple, shapes))
    is_one = known.count(known[0]) == len(known)
    return known[0] if is_one else np.broadcast_shapes(*known)


# It makes tables for libraries that cannot.
_HOST = Library(np, None)


def _load(kind: type[Library], name: str, device: Device) -> Library:
    return kind(importlib.import_module(name), device)
