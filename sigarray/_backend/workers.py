"""Workers for chunks of replicates: the caller's thread, others, a map, or ranks.

A chunk is a pure function of (seed, replicates), so that any worker may compute it. The
same chunks are added up in the same order: the bits of results are those of one worker.
Shards of a JAX mesh add up their chunks first.
"""

import collections
import contextvars
import functools
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from sigarray._backend.callers import Array, Workers
from sigarray._backend.library import Library
from sigarray._backend.ranks import check_calls, chunks_of_ranks, is_process_group

Item = TypeVar("Item")
Map = Callable[..., Iterable[Any]]
# (start, size) -> replicates from a place on.
Chunk = Callable[[Any, int], Array]
# Called with the number of replicates or items that are done, and of all in a pass.
Progress = Callable[[int, Any], Any]

# With fewer elements, some 100 ms, sharing costs more than it saves.
_MIN_ELEMENTS = 2**23
# The chunks that a thread computes as one: NumPy hands over the interpreter lock in
# each of its functions, and with single chunks several threads are slower than one.
_CHUNKS_OF_THREAD = 3
# The most chunks in a task of the caller's map, and the least number of tasks.
_MAX_CHUNKS_OF_TASK, _MIN_TASKS = 16, 32
_LARGE_BLOCK_BYTES = 2**24


@dataclass(frozen=True)
class Execution:
    """How replicates are computed: how many at a time, by whom, and whom to tell.

    For a chunk that is computed elsewhere, workers are 1, so that pools do not nest,
    and there is no progress. `is_admitted` if the arrays suit the workers. `room` is
    for fewer numbers than are held at once by default, and `least` is how many are
    worth sharing.
    """

    batch: int | None = None
    workers: Workers = None
    progress: Progress | None = None
    is_admitted: bool = False
    room: int | None = None
    least: int | None = None

    @property
    def elsewhere(self) -> "Execution":
        """The execution of a chunk elsewhere."""
        return replace(self, workers=1, progress=None, is_admitted=True)

    @property
    def here(self) -> "Execution":
        """The execution of a chunk in this thread."""
        return self if self.progress is None else replace(self, progress=None)

    def is_long(self, elements: int) -> bool:
        return elements >= (_MIN_ELEMENTS if self.least is None else self.least)


_BY_DEFAULT = Execution()
_EXECUTION: contextvars.ContextVar[Execution] = contextvars.ContextVar(
    "execution", default=_BY_DEFAULT
)


def current_execution() -> Execution:
    return _EXECUTION.get()


class executed_by:  # noqa: N801
    def __init__(self, execution: Execution) -> None:
        self._execution = execution

    def __enter__(self) -> None:
        self._token = _EXECUTION.set(self._execution)

    def __exit__(self, *_: object) -> None:
        _EXECUTION.reset(self._token)


def nest_execution(
    batch: int | None = None, workers: Workers = None, progress: Progress | None = None
) -> Execution:
    """Return the execution of a nested call: that of the outer one, unless given."""
    outer = current_execution()
    if batch is outer.batch and workers is None and progress is None:
        return outer
    return replace(
        outer,
        batch=batch,
        workers=outer.workers if workers is None else workers,
        progress=outer.progress if progress is None else progress,
        is_admitted=outer.is_admitted and workers is None,
    )


def admit_workers(xp: Library, workers: Workers, call: str, arrays: Any) -> Any:
    """Return the arrays of a call that workers may share, or raise if they cannot.

    The first kernel in a call of a public function does this. See `check_calls` for
    process groups.
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
            "It would be that of a mesh axis, inside jax.shard_map of JAX.",
        ),
    }
    for kind, (is_given, is_possible, advice) in kinds.items():
        if is_given and not is_possible:
            msg = (
                f"Expected workers that can compute with arrays of {xp.name}; got "
                f"{kind}. {advice}"
            )
            raise TypeError(msg)
    if isinstance(workers, str):
        return xp.check_axis(workers, arrays)
    return check_calls(workers, call, arrays) if is_process_group(workers) else arrays


def shared_by_axis(elements: int) -> str | None:
    """Return the axis of a mesh that is to share the elements, or None."""
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
    """Yield `chunk(start, n)` over [0, count), in order, computed by the workers.

    All n but the last are a multiple of the size; replicates are on the axis of the
    results, or these are sums. Threads are used if the library has none.
    """
    execution = current_execution()
    workers, progress = execution.workers, execution.progress

    def tell(done: int) -> None:
        if progress is not None:
            progress(min(done, count), count)

    is_long = execution.is_long(elements * count)
    # What is short stays here.
    elsewhere = Elsewhere(chunk, xp, execution.elsewhere) if is_long else chunk
    if callable(workers) and is_long:
        n_chunks = -(-count // size)
        step = size * max(1, min(_MAX_CHUNKS_OF_TASK, n_chunks // _MIN_TASKS))
        task = functools.partial(_compute_some, elsewhere, count, size, step)
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
            with executed_by(execution.here):
                array = chunk(start, min(size, count - start))
            tell(start + size)
            yield array


def compute_items(
    xp: Library,
    function: Callable[[Any], Item],
    items: Sequence[Any],
    *,
    elements: int,
) -> Iterator[Item]:
    """Yield the results of a function of items, in order, as `compute_chunks` does.

    A result takes as long as a chunk of `elements` numbers. The function and an item
    are sent elsewhere. For a process group, the function returns arrays of one shape.
    """
    execution = current_execution()
    workers, progress = execution.workers, execution.progress
    elsewhere = Elsewhere(function, xp, execution.elsewhere)

    def here(item: Any) -> Item:
        with executed_by(execution.here):
            return function(item)

    is_long = execution.is_long(elements * len(items))
    results: Iterator[Item]
    if callable(workers) and is_long:
        results = _by_map(workers, elsewhere, items)
    elif is_process_group(workers) and is_long:

        def chunk(start: int, _: int) -> Any:
            return elsewhere(items[start])

        results = chunks_of_ranks(workers, chunk, len(items), 1, None)
    elif xp.is_host and is_long and count_threads() > 1:
        results = _by_threads(elsewhere, items)
    else:
        results = map(here, items)
    for k, item in enumerate(results):
        if progress is not None:
            progress(k + 1, len(items))
        yield item


def count_threads() -> int:
    workers = current_execution().workers
    if workers == -1:
        return os.cpu_count() or 1
    return workers if isinstance(workers, int) else 1


@dataclass(frozen=True, eq=False)
class Elsewhere:
    """A function that is called in another thread, process or rank.

    It is sent there with its execution, which has no pool and no progress.
    """

    function: Callable[..., Any]
    xp: Library
    execution: Execution

    def __call__(self, *arguments: Any) -> Any:
        if not self.xp.compiles:
            keep_freed_memory()
        with executed_by(self.execution), self.xp.modes_off():
            return self.function(*arguments)


@functools.cache
def keep_freed_memory() -> None:
    """Free one large block once, never touched, before many small ones are freed.

    glibc returns freed memory to the system, page by page, beyond twice the largest
    block that was freed. Without that, a loop over chunks is up to 1.8 times faster,
    and one of torch up to 4 times.
    """
    np.empty(_LARGE_BLOCK_BYTES, dtype=np.uint8)


def _compute_some(
    chunk: Chunk, count: int, size: int, step: int, start: int
) -> list[Array]:
    end = min(start + step, count)
    return [chunk(first, min(size, end - first)) for first in range(start, end, size)]


def _keep_place(
    function: Callable[[Any], Any], numbered: tuple[int, Any]
) -> tuple[int, Any]:
    place, item = numbered
    return place, function(item)


def _by_map(
    apply: Map, function: Callable[[Any], Any], items: Sequence[Any]
) -> Iterator[Any]:
    early: dict[int, Any] = {}
    place = 0
    results = apply(functools.partial(_keep_place, function), list(enumerate(items)))
    for numbered in results if isinstance(results, Iterable) else [results]:
        if not isinstance(numbered, tuple):
            msg = (
                f"Expected workers to give the results of tasks, as map(function, "
                f"tasks) does; got {type(numbered).__name__}. Where these are "
                "futures, pass the map of an executor: of Dask, "
                "client.get_executor().map."
            )
            raise TypeError(msg)
        number, result = numbered
        early[number] = result
        # A map may return them in any order.
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
            # The number of waiting results is bounded.
            if len(pending) > 2 * n_threads:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
