"""Scores of all processes of a training, in the order of their items."""

from typing import Any

from sigarray._backend.callers import Array
from sigarray._backend.checks import count, describe, optional, show
from sigarray._backend.dispatch import standardize
from sigarray._backend.public import checked
from sigarray._backend.ranks import gather_items, is_process_group


def _process_group(name: str, value: Any) -> Any:
    if not is_process_group(value):
        msg = (
            f"Expected {name} to be a torch.distributed.ProcessGroup, such as "
            f"torch.distributed.group.WORLD; got {show(value)}."
        )
        raise TypeError(msg)
    return value


@checked(n_items=count(), group=optional(_process_group))
def gather_scores(
    scores: Array, /, *, n_items: int, group: Any | None = None, axis: int = -1
) -> Array:
    """Scores of all ranks of a PyTorch process group, in the order of their items.

    `torch.utils.data.DistributedSampler` with ``shuffle=False`` gives rank r of R the
    items r, r + R, r + 2 R, and so on, and repeats some of the first items on the last
    ranks if R does not divide their number. Tests need every item once, and paired ones
    the scores of both models in the same order: this function restores both. With a
    sampler that shuffles, scores have its random order, which cannot be detected: two
    models that are evaluated in different orders are then not paired.

    Parameters
    ----------
    scores : torch.Tensor, shape (..., n), real
        This rank's scores of n = ceil(`n_items` / R) items, in the order of the
        sampler.
    n_items : int
        The number of all items: ``len(dataset)``.
    group : torch.distributed.ProcessGroup, optional
        The group whose ranks have the scores; by default all ranks, or only this
        process if there are no others.
    axis : int, default: -1
        The axis of the items.

    Returns
    -------
    torch.Tensor, shape (..., `n_items`)
        The scores of all items, the same on every rank, on the device of this rank's.
        Floats keep their dtype except float16 and bfloat16, which become float32;
        integers become the widest float of the device. Nothing waits for the device.

    Raises
    ------
    TypeError
        Scores that are not a PyTorch tensor, or not real.
    ValueError
        A number of scores that the sampler does not give each rank; on the processor,
        different shapes or `n_items` on another rank.

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
