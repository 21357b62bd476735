"""Resample test sets: the items, and the responses to each item."""

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Unpack, get_args

from sigarray._backend.aliases import Array, RandomSource, Seed, SharingOptions
from sigarray._backend.checks import anything, choice
from sigarray._backend.dispatch import first_replicate
from sigarray._backend.library import Library, broadcast_shapes
from sigarray._backend.public import array_kernel, checked
from sigarray._backend.seeds import seed_words
from sigarray._backend.threefry import overlapping_words, uniform_indices
from sigarray._resampling.replicates import Remade, keep
from sigarray._response_results import ResponseSet
from sigarray.responses._measures import standardize_responses
from sigarray.responses._pools import (
    MAX_DEALS,
    RESPONSE_SAMPLERS,
    Responses,
    Sampler,
    plan_sampler,
    split_last,
)

Items = Literal["all", "bootstrap"]
ITEM_SAMPLERS = get_args(Items)


class Draws(NamedTuple):
    """Draws test sets, and holds `elements` numbers for each of them.

    `draw(start, count)` returns the summaries of each array of each group, of shape
    (..., count, n, d), for the same items.
    """

    n_elements: int
    draw: Callable[[int | Array, int], list[list[Array]]]


@checked(
    items=choice(*ITEM_SAMPLERS),
    responses=choice(*RESPONSE_SAMPLERS),
    start=anything,
)
def resample(
    gold: Array,
    a: Array,
    b: Array,
    /,
    *,
    items: Items = "bootstrap",
    responses: Responses = "all",
    n_resamples: int = 1000,
    start: int | Array = 0,
    rng: RandomSource = None,
    **_: Unpack[SharingOptions],
) -> ResponseSet:
    """Resample a test set: its items, and the responses to each of them.

    Parameters
    ----------
    gold, a, b : array, shape (..., n_items, k), real
        Gold judgments, and the responses of systems A and B to the same items, k to
        each; k may differ, and NaN is a missing one. A vector is one response to each
        item. Leading axes are batches, which broadcast and see the same resamples.
    items : {"all", "bootstrap"}, default: "bootstrap"
        The items of a resample: as many, drawn with replacement ("bootstrap"), if the
        test set might have had others; or "all" of them.
    responses : str, default: "all"
        The responses of a resample to each item: "all" of them; as many, drawn with
        replacement ("bootstrap"); all in random order ("without_replacement"); "one" at
        random; or the "first".
    n_resamples : int, default: 1000
        Test sets to draw. They are held in memory together; `response_test` holds a few
        at a time.
    start : int, default: 0
        The first test set, to draw some now and more later, or on another machine, with
        the same `rng`. It may be traced under `jit`.
    rng : int, generator or key, optional
        A seed, an int in [0, 2^64), which gives the same random numbers with every
        array library and device; a generator of that library or of NumPy; or for JAX,
        which takes no generator, a key. By default each call draws others.
    workers : int, callable, ProcessGroup or str, optional
        Who computes: a number of threads for NumPy arrays (-1: all cores); a function
        ``map(function, tasks)``, as an executor's; a process group of PyTorch; or a
        mesh axis in `jax.shard_map`. By default this thread. The result is the same.
    progress : callable or tqdm, optional
        Called as ``progress(done, total)`` after every batch, but not by JAX; or a bar,
        ``progress=tqdm()``.

    Returns
    -------
    ResponseSet
        `gold`, `a` and `b`, of shape (..., n_resamples, n_items, k), with k = 1 for
        "one" and "first", on the device and of the float dtype of the responses. An
        item keeps its number of responses, but they come first, and then NaN. Those of
        gold, A or B with an infinite response, or an item without any, are NaN.

    Raises
    ------
    TypeError
        Responses that are not real, or of two libraries or devices; an unsuitable
        `rng`.
    ValueError
        Numbers of items that differ, leading axes that do not broadcast, or options
        outside their range.

    Notes
    -----
    These are the strategies of section 4.1 of [1]_.

    References
    ----------
    .. [1] S. Wein, C. Homan, L. Aroyo, C. Welty (2023). Follow the leader(board) with
       confidence: estimating p-values from a single test set with item and response
       variance. Findings of ACL. :doi:`10.18653/v1/2023.findings-acl.196`

    Examples
    --------
    >>> from sigarray import responses
    >>> test_set = responses.simulate(100, 5, rng=0)
    >>> drawn = responses.resample(*test_set, responses="one", n_resamples=20, rng=0)
    >>> drawn.gold.shape
    (20, 100, 1)
    """
    xp, samples = standardize_responses(gold, a, b)
    drawn = _resample(
        xp,
        *samples,
        seed_words(xp, rng),
        first_replicate(xp, start, n_resamples, name="n_resamples"),
        items=items,
        responses=responses,
        count=n_resamples,
    )
    return ResponseSet(*drawn)


def plan_draws(
    xp: Library, seed: Seed, samplers: list[Sampler], n: int, *, items: Items
) -> Draws:
    n_item_words = n if items == "bootstrap" else 0
    width = n_item_words + n * sum(sampler.width for sampler in samplers)
    n_choices = max(n, MAX_DEALS)

    def draw(start: int | Array, count: int) -> list[list[Array]]:
        words = overlapping_words(xp, seed, start, count, width, n_choices)
        if items == "bootstrap":
            chosen = uniform_indices(xp, words[:, :n], n)
        else:
            chosen = xp.broadcast_to(xp.arange(n), (count, n))
        drawn, first = [], n_item_words
        for sampler in samplers:
            last = first + n * sampler.width
            shape = (count, sampler.width, n)
            part = xp.permute_dims(xp.reshape(words[:, first:last], shape), (0, 2, 1))
            drawn.append(sampler.draw(part, chosen))
            first = last
        return drawn

    n_values = sum(sampler.n_values for sampler in samplers)
    return Draws(width + n * n_values, draw)


@array_kernel
def _resample(
    xp: Library,
    gold: Array,
    a: Array,
    b: Array,
    seed: Seed,
    start: int | Array,
    *,
    items: Items,
    responses: Responses,
    count: int,
) -> list[Array]:
    sets = gold, a, b
    axis = len(broadcast_shapes(*(x.shape[:-2] for x in sets)))
    make = functools.partial(_plan_sets, xp, seed, sets, items, responses)
    drawn = keep(xp, Remade.of(make), count, start, axis=axis)
    is_one = responses in ("one", "first")
    return split_last(drawn, [1 if is_one else x.shape[-1] for x in sets])


def _plan_sets(
    xp: Library,
    seed: Seed,
    sets: Sequence[Array],
    items: Items,
    responses: Responses,
) -> "_Sets":
    leading = broadcast_shapes(*(x.shape[:-2] for x in sets))
    samplers = [
        plan_sampler(
            xp,
            (xp.broadcast_to(x, (*leading, *x.shape[-2:])),),
            responses,
            summarize=lambda x: x,
        )
        for x in sets
    ]
    draws = plan_draws(xp, seed, samplers, sets[0].shape[-2], items=items)
    return _Sets(xp, draws, draws.n_elements * math.prod(leading))


@dataclass(frozen=True, eq=False)
class _Sets:
    """Test sets with their responses side by side: (..., size, n_items, k)."""

    xp: Library
    draws: Draws
    elements: int

    def __call__(self, start: int | Array, size: int) -> Array:
        drawn = self.draws.draw(start, size)
        return self.xp.concat([x for (x,) in drawn], axis=-1)
