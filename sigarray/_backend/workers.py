"""Who computes chunks of replicates: the caller's thread, others, a map, or ranks.

A chunk is a pure function of (seed, replicates), so that anyone may compute it. What is
added up is added up in one order, by the same chunks: the bits of results are those of
one worker. Shards of a mesh of JAX add up their own first.
"""

import collections
import contextlib
import contextvars
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from sigarray._backend.aliases import Array, Workers
from sigarray._backend.library import Library
from sigarray._backend.ranks import check_calls, chunks_of_ranks, is_process_group

Item = TypeVar("Item")
Map = Callable[..., Iterable[Any]]
# (start, size) -> replicates from a place on.
Chunk = Callable[[Any, int], Array]
# Called with the replicates or items that are done, and all of them; once a pass.
Progress = Callable[[int, Any], Any]

# Below so many elements, some 100 ms, sharing costs more than it saves.
_MIN_ELEMENTS = 2**23
# Chunks that a thread computes as one: NumPy hands over the interpreter lock in each of
# its functions, and threads are slower than one of them at the size of a chunk.
_CHUNKS_OF_THREAD = 3
# Chunks of a task of the caller's map, one after the other.
_MAX_CHUNKS_OF_TASK, _MIN_TASKS = 16, 32
_LARGE_BLOCK_BYTES = 2**24


@dataclass(frozen=True)
class Execution:
    """How replicates are computed: how many at a time, by whom, and who is told.

    Of a chunk that is computed elsewhere workers are 1, so that pools do not nest, and
    nobody is told. `is_admitted` where the arrays suit the workers. `room` is for fewer
    numbers than are held at once by default, and `least` how many are worth sharing.
    """

    batch: int | None = None
    workers: Workers = None
    progress: Progress | None = None
    is_admitted: bool = False
    room: int | None = None
    least: int | None = None

    @property
    def elsewhere(self) -> "Execution":
        """That of a chunk."""
        return replace(self, workers=1, progress=None, is_admitted=True)

    def is_long(self, elements: int) -> bool:
        """Tell whether so many elements are worth sharing."""
        return elements >= (_MIN_ELEMENTS if self.least is None else self.least)


_BY_DEFAULT = Execution()
_EXECUTION: contextvars.ContextVar[Execution] = contextvars.ContextVar(
    "execution", default=_BY_DEFAULT
)


def current_execution() -> Execution:
    """Return how what is called now is to be computed."""
    return _EXECUTION.get()


@contextlib.contextmanager
def executed_by(execution: Execution) -> Iterator[None]:
    """Compute so."""
    token = _EXECUTION.set(execution)
    try:
        yield
    finally:
        _EXECUTION.reset(token)


def nest_execution(
    batch: int | None = None, workers: Workers = None, progress: Progress | None = None
) -> Execution:
    """Return that of a call within another one: by whom that is, unless it says so."""
    outer = current_execution()
    return replace(
        outer,
        batch=batch,
        workers=outer.workers if workers is None else workers,
        progress=outer.progress if progress is None else progress,
        is_admitted=outer.is_admitted and workers is None,
    )


def admit_workers(xp: Library, workers: Workers, call: str, arrays: Any) -> Any:
    """Return the arrays of a call that workers may share, or raise where they cannot.

    Once in a call of a public function, by its first kernel. See `check_calls` for
    those of a process group.
    """
    _EXECUTION.set(replace(current_execution(), is_admitted=True))
    kinds = {
        "a process group": (
            is_process_group(workers),
            xp.has_process_groups,
            "Pass torch tensors.",
        ),
        "a function": (
            callable(workers),
            not xp.compiles,
            "JAX compiles loops over replicates: pass the name of a mesh axis inside "
            "jax.shard_map, or shard the scores over a mesh.",
        ),
        "a name": (
            isinstance(workers, str),
            xp.compiles,
            "It is the name of a mesh axis, inside jax.shard_map.",
        ),
    }
    for kind, (is_given, is_possible, advice) in kinds.items():
        if is_given and not is_possible:
            msg = (
                f"Expected workers to be None for arrays of {xp.name}; got {kind}. "
                f"{advice}"
            )
            raise TypeError(msg)
    if isinstance(workers, str):
        return xp.check_axis(workers, arrays)
    return check_calls(workers, call, arrays) if is_process_group(workers) else arrays


def shared_by_axis(elements: int) -> str | None:
    """Return the axis of a mesh that is to share so many elements, if any is."""
    execution = current_execution()
    name = execution.workers
    return name if isinstance(name, str) and execution.is_long(elements) else None


def compute_chunks(
    chunk: Chunk,
    count: int,
    size: int,
    *,
    axis: int | None,
    elements: int,
    xp: Library,
) -> Iterator[Array]:
    """Yield `chunk(start, n)` over [0, count), in order, by whoever is to compute it.

    All n but the last are a multiple of the size; replicates are on the axis of its
    results, or these are sums. Threads are where the library has none of its own.
    """
    execution = current_execution()
    workers, progress = execution.workers, execution.progress
    elsewhere = Elsewhere(chunk, xp, execution.elsewhere)

    def tell(done: int) -> None:
        if progress is not None:
            progress(min(done, count), count)

    is_long = execution.is_long(elements * count)
    if callable(workers) and is_long:
        n_chunks = -(-count // size)
        step = size * max(1, min(_MAX_CHUNKS_OF_TASK, n_chunks // _MIN_TASKS))
        task = _Task(elsewhere, count, size, step)
        for k, arrays in enumerate(_by_map(workers, task, range(0, count, step))):
            tell((k + 1) * step)
            yield from arrays
    elif is_process_group(workers) and is_long and count > size:
        yield from chunks_of_ranks(workers, elsewhere, count, size, axis)
    elif xp.is_host and is_long and count_threads() > 1:
        step = _CHUNKS_OF_THREAD * size

        def several(start: int) -> Array:
            return elsewhere(start, min(step, count - start))

        for k, array in enumerate(_by_threads(several, range(0, count, step))):
            tell((k + 1) * step)
            yield array
    else:
        for start in range(0, count, size):
            with executed_by(replace(execution, progress=None)):
                array = chunk(start, min(size, count - start))
            tell(start + size)
            yield array


def compute_items(
    function: Callable[[Any], Item],
    items: Sequence[Any],
    *,
    elements: int,
    xp: Library,
) -> Iterator[Item]:
    """Yield what a function makes of items, in order, as `compute_chunks`.

    What is sent elsewhere is the function and an item. For a process group, the
    function gives arrays of one shape.
    """
    execution = current_execution()
    workers, progress = execution.workers, execution.progress
    elsewhere = Elsewhere(function, xp, execution.elsewhere)

    def here(item: Any) -> Item:
        with executed_by(replace(execution, progress=None)):
            return function(item)

    is_long = execution.is_long(elements * len(items))
    found: Iterator[Item]
    if callable(workers) and is_long:
        found = _by_map(workers, elsewhere, items)
    elif is_process_group(workers) and is_long:

        def chunk(start: int, _: int) -> Any:
            return elsewhere(items[start])

        found = chunks_of_ranks(workers, chunk, len(items), 1, None)
    elif xp.is_host and is_long and count_threads() > 1:
        found = _by_threads(elsewhere, items)
    else:
        found = map(here, items)
    for k, item in enumerate(found):
        if progress is not None:
            progress(k + 1, len(items))
        yield item


def count_threads() -> int:
    """Count the threads that compute chunks of NumPy arrays."""
    workers = current_execution().workers
    if workers == -1:
        return os.cpu_count() or 1
    return workers if isinstance(workers, int) else 1


@dataclass(frozen=True, eq=False)
class Elsewhere:
    """A function as it is called in another thread, process or rank.

    It is sent there with its execution, which has no pool, and nobody to tell.
    """

    function: Callable[..., Any]
    xp: Library
    execution: Execution

    def __call__(self, *arguments: Any) -> Any:
        if not self.xp.compiles:
            keep_freed_memory()
        with executed_by(self.execution), self.xp.modes_off():
            return self.function(*arguments)


def keep_freed_memory() -> None:
    """Free one large block, never touched, before many small ones are.

    glibc hands freed memory back to the system, page by page, beyond twice the largest
    block that it has seen freed. A loop over chunks is up to 1.8 times faster without,
    and one of torch up to 4 times.
    """
    np.empty(_LARGE_BLOCK_BYTES, dtype=np.uint8)


class _Task:
    """Some chunks, one after the other: a function that can be sent elsewhere."""

    def __init__(self, chunk: Chunk, count: int, size: int, step: int) -> None:
        self._chunk, self._count, self._size, self._step = chunk, count, size, step

    def __call__(self, start: int) -> list[Array]:
        end = min(start + self._step, self._count)
        return [
            self._chunk(first, min(self._size, end - first))
            for first in range(start, end, self._size)
        ]


class _Numbered:
    """A function of items that have their places, which it gives too."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self._function = function

    def __call__(self, numbered: tuple[int, Any]) -> tuple[int, Any]:
        place, item = numbered
        return place, self._function(item)


def _by_map(
    apply: Map, function: Callable[[Any], Any], items: Sequence[Any]
) -> Iterator[Any]:
    early: dict[int, Any] = {}
    place = 0
    results = apply(_Numbered(function), list(enumerate(items)))
    for numbered in results if isinstance(results, Iterable) else [results]:
        if not isinstance(numbered, tuple):
            msg = (
                f"Expected workers to give the results of tasks, as map(function, "
                f"tasks) does; got {type(numbered).__name__}. Where these are "
                "futures, pass the map of an executor: of Dask, "
                "client.get_executor().map."
            )
            raise TypeError(msg)
        found, result = numbered
        early[found] = result
        # A map may give them in any order.
        while place in early:
            yield early.pop(place)
            place += 1
    if place < len(items):
        msg = (
            f"Expected workers to give the results of {len(items)} tasks, as "
            f"map(function, tasks) does; it gave none for task {place}."
        )
        raise RuntimeError(msg)


def _by_threads(
    function: Callable[[Any], Item], items: Sequence[Any]
) -> Iterator[Item]:
    n_threads = count_threads()
    pending: collections.deque[Any] = collections.deque()
    context = contextvars.copy_context()
    with ThreadPoolExecutor(n_threads) as pool:
        for item in items:
            pending.append(pool.submit(context.copy().run, function, item))
            # What waits to be added up is bounded.
            if len(pending) > 2 * n_threads:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
