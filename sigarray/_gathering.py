"""Scores of all processes of a training, in the order of their items."""

from typing import Any

from sigarray._backend.aliases import Array
from sigarray._backend.checks import count, describe, optional, process_group
from sigarray._backend.dispatch import standardize
from sigarray._backend.public import checked
from sigarray._backend.ranks import gather_items


@checked(n_items=count(), group=optional(process_group))
def gather_scores(
    scores: Array, /, *, n_items: int, group: Any | None = None, axis: int = -1
) -> Array:
    """Scores of all ranks of a PyTorch process group, in the order of their items.

    `torch.utils.data.DistributedSampler` with ``shuffle=False`` gives rank r of R the
    items r, r + R, r + 2 R, and so on, and the last ranks some of the first items again
    where R does not divide their number. Tests take every item once, and paired ones
    both models' scores of an item in one place: this undoes the one and the other. Of
    a sampler that shuffles, scores come in its random order, which nobody can see: two
    models that are evaluated in other orders are then no pairs.

    Parameters
    ----------
    scores : torch.Tensor, shape (..., n), real
        This rank's scores of n = ceil(`n_items` / R) items, in the order in which the
        sampler gave them.
    n_items : int
        How many items there are in all: ``len(dataset)``.
    group : torch.distributed.ProcessGroup, optional
        Whose ranks have the scores; by default all, or this process alone where there
        are no others.
    axis : int, default: -1
        The axis of the items.

    Returns
    -------
    torch.Tensor, shape (..., `n_items`)
        The scores of all items, the same on every rank, on the device of this rank's.
        Floats keep their dtype but float16 and bfloat16, which become float32; integers
        become the widest float of the device. Nothing waits for the device.

    Raises
    ------
    TypeError
        Scores that are no tensor of PyTorch, or not real.
    ValueError
        Another number of scores than the sampler gives each rank; on the processor,
        other shapes or another `n_items` on another rank.

    See Also
    --------
    aso : its `workers` may be the group, so that ranks share the replicates.

    Examples
    --------
    In each process of a training, with an evaluation that is split among them::

        sampler = DistributedSampler(dataset, shuffle=False)
        batches = DataLoader(dataset, batch_size=32, sampler=sampler)
        scores = torch.cat([evaluate(batch) for batch in batches])
        scores = gather_scores(scores, n_items=len(dataset))
        result = aso(scores, baseline, rng=0, workers=torch.distributed.group.WORLD)
    """
    xp, (x,) = standardize(scores, axis=axis)
    if not xp.has_process_groups:
        msg = f"Expected a torch.Tensor of scores; got {describe(scores)}."
        raise TypeError(msg)
    return xp.move_axis(gather_items(x, n_items, group), -1, axis)
