"""Who computes chunks of replicates: the caller's thread, others, or a map of theirs.

A chunk is a pure function of (seed, replicates), so that anyone may compute it. What is
added up is added up in one order, by the same chunks: the bits of results are those of
one worker.
"""

import collections
import contextlib
import contextvars
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from sigarray._backend.aliases import Array, Workers

Map = Callable[..., Iterable[Any]]
# (start, size) -> replicates from a place on.
Chunk = Callable[[Any, int], Array]
# One inside of a chunk, so that pools do not nest.
_WORKERS: contextvars.ContextVar[int | Map] = contextvars.ContextVar(
    "workers", default=1
)

# Below so many elements, some 100 ms, threads cost more than they save.
_MIN_ELEMENTS = 2**23
# Chunks that a thread computes as one: NumPy hands over the interpreter lock in each of
# its functions, and threads are slower than one of them at the size of a chunk.
_CHUNKS_OF_THREAD = 3
# Chunks of a task of the caller's map, one after the other.
_MAX_CHUNKS_OF_TASK, _MIN_TASKS = 16, 32


@contextlib.contextmanager
def shared_among(workers: Workers) -> Iterator[None]:
    """Let chunks be computed by these, or where it is None by those who would."""
    token = None if workers is None else _WORKERS.set(workers)
    try:
        yield
    finally:
        if token is not None:
            _WORKERS.reset(token)


def compute_chunks(
    chunk: Chunk,
    count: int,
    size: int,
    *,
    elements: int,
    threads: bool,
    modes: Callable[[], contextlib.AbstractContextManager[Any]],
) -> Iterator[Array]:
    """Give `chunk(start, n)` over [0, count), in order, by whoever is to compute it.

    All n but the last are a multiple of the size. Threads are where the library has
    none of its own; `modes` are set where a chunk is computed elsewhere.
    """

    def elsewhere(start: int, n: int) -> Array:
        with shared_among(1), modes():
            return chunk(start, n)

    workers = _WORKERS.get()
    if callable(workers):
        yield from _by_map(workers, elsewhere, count, size)
        return
    n_threads = 1
    if threads and elements * count >= _MIN_ELEMENTS:
        n_threads = (os.cpu_count() or 1) if workers == -1 else workers
    if n_threads == 1:
        for start in range(0, count, size):
            yield chunk(start, min(size, count - start))
        return
    step = _CHUNKS_OF_THREAD * size
    pending: collections.deque[Any] = collections.deque()
    context = contextvars.copy_context()
    with ThreadPoolExecutor(n_threads) as pool:
        for start in range(0, count, step):
            n = min(step, count - start)
            pending.append(pool.submit(context.copy().run, elsewhere, start, n))
            # What waits to be added up is bounded.
            if len(pending) > 2 * n_threads:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()


class Remade:
    """A chunk that is sent elsewhere as what makes it, which is smaller."""

    def __init__(self, make: Callable[[], Chunk], made: Chunk | None = None) -> None:
        self._make, self._made = make, made

    def __call__(self, start: int | Array, size: int) -> Array:
        if self._made is None:
            self._made = self._make()
        return self._made(start, size)

    def __reduce__(self) -> tuple[Any, ...]:
        return Remade, (self._make,)


class _Task:
    """Some chunks, one after the other: a function that can be sent elsewhere."""

    def __init__(self, chunk: Chunk, count: int, size: int, step: int) -> None:
        self._chunk, self._count, self._size, self._step = chunk, count, size, step

    def __call__(self, start: int) -> tuple[int, list[Array]]:
        end = min(start + self._step, self._count)
        return start, [
            self._chunk(first, min(self._size, end - first))
            for first in range(start, end, self._size)
        ]


def _by_map(apply: Map, chunk: Chunk, count: int, size: int) -> Iterator[Array]:
    n_chunks = -(-count // size)
    step = size * max(1, min(_MAX_CHUNKS_OF_TASK, n_chunks // _MIN_TASKS))
    starts = list(range(0, count, step))
    early: dict[int, list[Array]] = {}
    following = iter(starts)
    start = next(following)
    for place, arrays in apply(_Task(chunk, count, size, step), starts):
        early[place] = arrays
        # A map may give them in any order.
        while start in early:
            yield from early.pop(start)
            start = next(following, -1)
    if start >= 0:
        msg = (
            f"Expected workers to give the results of {len(starts)} tasks, as "
            f"map(function, tasks) does; it gave none for task {start}."
        )
        raise RuntimeError(msg)
