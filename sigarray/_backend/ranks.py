"""Process groups of torch, whose ranks compute shares of the replicates.

Every rank makes the same call, and gets the bits that it would compute alone: ranks
exchange the results of chunks, which are added up in one order.
"""

import hashlib
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

from sigarray._backend.callers import Array

# The most numbers that are received at once: 32 MiB in float64.
_MAX_RECEIVED = 2**22
# Multiplies the fingerprint of arrays, one after the other.
_MULTIPLIER = 6364136223846793005


def is_process_group(x: Any) -> bool:
    """Tell whether x is a process group, without importing torch."""
    distributed = sys.modules.get("torch.distributed")
    kind = getattr(distributed, "ProcessGroup", None)
    return kind is not None and isinstance(x, kind)


def chunks_of_ranks(
    group: Any,
    chunk: Callable[[int, int], Array],
    count: int,
    size: int,
    axis: int | None,
) -> Iterator[Array]:
    """Yield `chunk(start, n)` over [0, count), in order, each computed by one rank.

    Replicates are on `axis` of the results; if it is None, results have one shape.
    """
    import torch

    rank, ranks = group.rank(), group.size()
    n_chunks = -(-count // size)
    computed: list[Array] = []
    place = 0
    for first in range(0, n_chunks, ranks):
        # If none is left, repeat the last: all ranks send the same shape.
        start = min(first + rank, n_chunks - 1) * size
        computed.append(_fill_up(chunk(start, min(size, count - start)), size, axis))
        at_once = max(1, _MAX_RECEIVED // max(1, ranks * computed[0].numel()))
        if len(computed) < at_once and first + ranks < n_chunks:
            continue
        received = _gather(torch.stack(computed), group)
        for k in range(len(computed)):
            for parts in received[: n_chunks - place]:
                n = min(size, count - place * size)
                yield parts[k] if axis is None else parts[k].narrow(axis, 0, n)
                place += 1
        computed = []


def check_calls(group: Any, call: str, arrays: Any) -> Any:
    """Return the arrays of a call, after a check that all ranks have the same.

    On the processor a different call or different numbers raise. Elsewhere, where that
    would wait for the device, scores become NaN.
    """
    from torch.utils import _pytree as pytree

    tensors = [x for x in pytree.tree_leaves(arrays) if hasattr(x, "device")]
    if tensors[0].device.type == "meta":  # only shapes are needed
        return arrays
    fingerprint = _fingerprint(call, tensors)
    is_same = [(x == fingerprint).all() for x in _gather(fingerprint, group)]
    if _can_wait(fingerprint):
        others = [rank for rank, same in enumerate(is_same) if not same]
        if others:
            msg = (
                f"Expected the same call on all ranks of the process group; got other "
                f"scores, seeds or options on rank {others[0]} than on rank "
                f"{group.rank()}. Gather the scores first, for example with "
                f"sigarray.gather_scores, and pass one seed."
            )
            raise ValueError(msg)
        return arrays
    every = is_same[0]
    for same in is_same[1:]:
        every = every & same

    def spoil(x: Any) -> Any:
        is_float = hasattr(x, "device") and x.dtype.is_floating_point
        return x.where(every, float("nan")) if is_float else x

    return pytree.tree_map(spoil, arrays)


def gather_items(x: Array, n_items: int, group: Any | None) -> Array:
    """Return the items of all ranks in order; each rank has every `size`-th item.

    Without a group, these are the ranks of the default group, or this process alone.
    """
    import torch
    import torch.distributed

    if group is None and torch.distributed.is_initialized():
        group = torch.distributed.group.WORLD
    n_ranks = 1 if group is None else group.size()
    n = -(-n_items // n_ranks)
    if x.shape[-1] != n:
        msg = (
            f"Expected {n} scores on each of {n_ranks} ranks, for {n_items} items; got "
            f"{x.shape[-1]}. With drop_last=True, n_items is the number of items that "
            "were kept, of all ranks together."
        )
        raise ValueError(msg)
    items = x.contiguous()
    if group is not None and _can_wait(x):
        call = _fingerprint(f"{n_items} {tuple(x.shape)} {x.dtype}", [x[:0]])
        if any(not other.equal(call) for other in _gather(call, group)):
            msg = (
                "Expected the same n_items, shape and dtype of scores on all ranks of "
                f"the process group; this one has n_items={n_items}, shape "
                f"{tuple(x.shape)}, {x.dtype}, and another one has others."
            )
            raise ValueError(msg)
    parts = [items] if group is None else _gather(items, group)
    return torch.stack(parts, -1).flatten(-2)[..., :n_items]


def _can_wait(x: Array) -> bool:
    return bool(x.device.type == "cpu")


def _fingerprint(call: str, tensors: list[Array]) -> Array:
    """Return two integers of a call and of the bits of its tensors, in their order."""
    import torch

    text = f"{call} {[(tuple(x.shape), x.dtype) for x in tensors]}"
    text = re.sub(r"\b0x[0-9a-f]+", "", text)  # places of objects in memory
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    total = torch.full(
        (2,),
        int.from_bytes(digest, "little", signed=True),
        dtype=torch.int64,
        device=tensors[0].device,
    )
    for x in tensors:
        bits = x.reshape(-1)
        if x.dtype.is_floating_point:
            kind = torch.int64 if x.dtype == torch.float64 else torch.int32
            bits = bits.contiguous().view(kind)
        # Mixed, because a change of all signs would be lost in a sum.
        bits = bits.to(torch.int64) * _MULTIPLIER
        bits = (bits ^ (bits >> 29)) * _MULTIPLIER
        places = torch.arange(1, bits.numel() + 1, device=x.device)
        sums = torch.stack([bits.sum(), (bits * places).sum()])
        total = total * _MULTIPLIER + sums
    return total


def _fill_up(part: Array, size: int, axis: int | None) -> Array:
    if axis is None or part.shape[axis] == size:
        return part.contiguous()
    import torch

    shape = list(part.shape)
    shape[axis] = size - part.shape[axis]
    return torch.cat([part, part.new_zeros(shape)], dim=axis)


def _gather(x: Array, group: Any) -> list[Array]:
    import torch
    import torch.distributed

    parts = [torch.empty_like(x) for _ in range(group.size())]
    torch.distributed.all_gather(parts, x, group=group)
    return parts
