"""Draw test sets: the items, and the responses to each, from a pool or dealt out."""

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np

from sigarray._backend.callers import Array, Seed
from sigarray._backend.checks import MAX_REPLICATES, anything, choice, count
from sigarray._backend.chunks import MAX_HELD, within_room
from sigarray._backend.library import Library, broadcast_shapes
from sigarray._backend.public import array_kernel
from sigarray._backend.threefry import ordered_keys, overlapping_words, uniform_indices
from sigarray._numeric.subsets import binomial_rows
from sigarray._resampling.replicates import Remade, keep
from sigarray.responses._measures import gather_present

Responses = Literal["all", "bootstrap", "one", "first", "without_replacement"]
# The responses of new test sets.
NewResponses = Literal["all", "one", "first"]
# Returns what is compared of responses (..., k).
Summarize = Callable[[Array], Array]
RESPONSE_SAMPLERS = get_args(Responses)
# The most ways to deal out a pool in a table; with more, responses are shuffled.
MAX_DEALS = 2**12


class Sampler(NamedTuple):
    """Draws one or two sets of responses from the same pool.

    `draw(words, items)` takes words (R, n, width) and items (R, n), and returns the
    summaries of each set, of shape (..., R, n, d). It holds `n_values` numbers for each
    item.
    """

    width: int
    n_values: int
    draw: Callable[[Array, Array], list[Array]]


class Pool(NamedTuple):
    """Responses to share out: first the present ones, then NaN in one place or more."""

    values: Array
    count: Array
    shares: list[Array]
    sizes: list[int]


def count_dealt(n: int, size_a: int, size_b: int) -> int:
    """Count the responses that are held at once to share out those of n items."""
    if _deals_in_advance(n, size_a, size_b):
        return n * (size_a + size_b) * math.comb(size_a + size_b, size_a)
    return n * (size_a + size_b)


def _deals_in_advance(n: int, size_a: int, size_b: int) -> bool:
    """Tell whether responses are shared out in all ways before any draw."""
    n_deals = math.comb(size_a + size_b, size_a)
    n_held = n_deals * n * (size_a + size_b)
    return n_deals <= MAX_DEALS and n_held <= within_room(MAX_HELD)


def _make_pool(xp: Library, group: tuple[Array, ...]) -> Pool:
    """Put the responses of a group together, the present ones first."""
    leading = broadcast_shapes(*(x.shape[:-1] for x in group))
    parts = [xp.broadcast_to(x, (*leading, x.shape[-1])) for x in group]
    # A missing response is not equal to itself.
    shares = [xp.sum(xp.astype(xp.equal(x, x), xp.int32), axis=-1) for x in parts]
    values = xp.concat(parts, axis=-1)
    edge = xp.full_like(values[..., :1], math.nan)
    values = xp.concat([gather_present(xp, values), edge], axis=-1)
    return Pool(
        values, sum(shares[1:], shares[0]), shares, [x.shape[-1] for x in group]
    )


def plan_sampler(
    xp: Library, group: tuple[Array, ...], responses: Responses, summarize: Summarize
) -> Sampler:
    """Return the sampler of responses from a group, which summarizes some at a time.

    A group is one array of responses (..., n, k) to draw from, or two arrays that form
    a pool, from which both are drawn or which is shared out between them.
    """
    pool = _make_pool(xp, group)
    is_whole = len(pool.sizes) == 1
    if is_whole and responses in ("all", "first"):
        n_taken = 1 if responses == "first" else pool.sizes[0]
        table = summarize(pool.values[..., :n_taken])
        return Sampler(
            0, table.shape[-1], lambda _, items: [xp.take_rows(table, items)]
        )
    if responses == "all" and math.comb(sum(pool.sizes), pool.sizes[0]) <= MAX_DEALS:
        return _plan_deals(xp, pool, summarize)
    width, find_places = {
        "first": (2, _find_first),
        "one": (len(pool.sizes), _find_one),
        "bootstrap": (sum(pool.sizes), _find_with_replacement),
        "all": (sum(pool.sizes), _shuffle_places),
        "without_replacement": (sum(pool.sizes), _shuffle_places),
    }[responses]

    def draw(words: Array, items: Array) -> list[Array]:
        counts = [xp.take_rows(x[..., None], items) for x in (pool.count, *pool.shares)]
        places = find_places(xp, words, pool.sizes, *counts)
        return [summarize(_take_places(xp, pool, items, x)) for x in places]

    return Sampler(width, 2 * width, draw)


def _plan_deals(xp: Library, pool: Pool, summarize: Summarize) -> Sampler:
    """Share the pool out at random, by tables of all ways to do so.

    This is two to eight times faster than shuffling places, with the same distribution
    (3 to 6 responses to 100 to 1000 items, on NumPy and torch).

    With few items, responses are shared out and summarized in all ways once, and draws
    look them up in this table.
    """
    n, (size_a, size_b) = pool.values.shape[-2], pool.sizes
    n_deals = math.comb(size_a + size_b, size_a)
    build = functools.partial(_build_deals, size_a=size_a, size_b=size_b)
    table, starts, numbers = xp.build_tables(build)
    n_ways = xp.take(
        numbers, xp.reshape(pool.shares[0] * (size_b + 1) + pool.shares[1], (-1,))
    )
    n_ways = xp.reshape(n_ways, pool.count.shape)
    start = xp.reshape(
        xp.take(starts, xp.reshape(pool.shares[0], (-1,))), pool.count.shape
    )

    def deal(items: Array, way: Array) -> list[Array]:
        row = xp.take_rows(start[..., None], items)[..., 0] + way
        row = xp.clip(row, None, table.shape[0] - 1)
        places = xp.take(table, xp.reshape(row, (-1,)), axis=0)
        places = xp.reshape(places, (*row.shape, size_a + size_b))
        dealt = _take_places(xp, pool, items, places)
        return [summarize(x) for x in (dealt[..., :size_a], dealt[..., size_a:])]

    def draw_way(words: Array, items: Array) -> Array:
        ways = xp.take_rows(n_ways[..., None], items)[..., 0]
        return uniform_indices(xp, words[..., 0], ways)

    if not _deals_in_advance(n, size_a, size_b):
        return Sampler(
            1,
            2 * (size_a + size_b),
            lambda words, items: deal(items, draw_way(words, items)),
        )
    items = xp.broadcast_to(xp.arange(n)[:, None], (n, n_deals))
    parts = deal(items, xp.broadcast_to(xp.arange(n_deals), (n, n_deals)))
    width_a = parts[0].shape[-1]
    dealt = xp.concat(parts, axis=-1)
    dealt = xp.reshape(dealt, (*dealt.shape[:-3], n * n_deals, dealt.shape[-1]))

    def draw(words: Array, items: Array) -> list[Array]:
        row = xp.take_rows(dealt, items * n_deals + draw_way(words, items))
        return [row[..., :width_a], row[..., width_a:]]

    return Sampler(1, dealt.shape[-1], draw)


def _build_deals(xp: Library, *, size_a: int, size_b: int) -> tuple[Array, ...]:
    """Table the ways to share out a pool, where A takes c responses, for each c.

    Returns the places of those of A and of B; the start of the ways for c; and their
    number for c and d responses of A and B, at c (size_b + 1) + d. Subsets of size c
    have the order in which those of the first c + d places come first for any d. Unused
    places of A hold the last place.
    """
    rows = binomial_rows(xp, size=size_a, count=size_b + 3)
    # C(c + size_b, c - 1) subsets are smaller than c.
    last = size_b + 2
    starts = [row[last : last + 1] for row in rows[:size_a]]
    starts = xp.concat([rows[0][:1], *starts])
    place = xp.arange(math.comb(size_a + size_b + 1, size_a), dtype=xp.int64)
    size = xp.searchsorted(starts, place, side="right") - 1
    rest, blank = place - xp.take(starts, size), size_a + size_b
    of_a: list[Array] = []
    # Like `subset_at`, for subsets of all sizes at once.
    for i in range(size_a, 0, -1):
        numbers = rows[i][: size_b + 1]
        index = xp.searchsorted(numbers, rest, side="right") - 1
        is_taken = xp.astype(size >= i, xp.int64)
        of_a.insert(0, blank + is_taken * (index + (i - 1 - blank)))
        rest = rest - is_taken * xp.take(numbers, index)
    table = xp.stack(of_a, axis=-1)
    slots = xp.arange(blank, dtype=xp.int64)
    is_of_a = xp.any(table[..., None] == slots, axis=-2)
    keys = slots + blank * xp.astype(is_of_a, xp.int64)
    of_b = xp.argsort(keys, axis=-1, stable=False)[:, :size_b]
    table = xp.concat([table, xp.astype(of_b, xp.int64)], axis=-1)
    ways = xp.concat([row[1 : size_b + 2] for row in rows[: size_a + 1]])
    return table, starts, ways


def _find_first(
    xp: Library, words: Array, _sizes: list[int], count: Array, *_: Array
) -> list[Array]:
    """Return two different places: the first ones when the pool is shared out."""
    first = uniform_indices(xp, words[..., :1], count)
    second = uniform_indices(xp, words[..., 1:], count - 1)
    return [first, xp.where(second >= first, second + 1, second)]


def _find_one(
    xp: Library, words: Array, sizes: list[int], count: Array, *_: Array
) -> list[Array]:
    return [
        uniform_indices(xp, words[..., i : i + 1], count) for i in range(len(sizes))
    ]


def _find_with_replacement(
    xp: Library, words: Array, sizes: list[int], count: Array, *shares: Array
) -> list[Array]:
    """Return as many places as each set has responses, with replacement."""
    places = uniform_indices(xp, words, count)
    return _cut_off(xp, split_last(places, sizes), shares, sum(sizes))


def _shuffle_places(
    xp: Library, words: Array, sizes: list[int], count: Array, *shares: Array
) -> list[Array]:
    """Return all places in random order, the first for A and the others for B."""
    slots = xp.arange(sum(sizes))
    # One bit less, so that missing responses come last, even among ties.
    keys = xp.where(slots < count, ordered_keys(xp, words) >> 1, 2**31 - 1)
    order = xp.argsort(keys, axis=-1, stable=True)
    places_of_sets = [order[..., : sizes[0]]]
    if len(sizes) > 1:
        places = xp.clip(shares[0] + slots[: sizes[1]], None, sum(sizes) - 1)
        shape = broadcast_shapes(order.shape[:-1], places.shape[:-1])
        order = xp.broadcast_to(order, (*shape, sum(sizes)))
        places = xp.broadcast_to(places, (*shape, sizes[1]))
        places_of_sets.append(
            xp.take_along_axis(order, xp.astype(places, order.dtype), axis=-1)
        )
    return _cut_off(xp, places_of_sets, shares, sum(sizes))


def _cut_off(
    xp: Library, places: Sequence[Array], shares: Sequence[Array], blank: int
) -> list[Array]:
    return [
        xp.where(xp.arange(x.shape[-1]) < share, x, blank)
        for x, share in zip(places, shares, strict=True)
    ]


def _take_places(xp: Library, pool: Pool, items: Array, places: Array) -> Array:
    """Return the responses in places (..., Q, q, d) of items (Q, q)."""
    values = pool.values
    n_places = values.shape[-1]
    flat = xp.reshape(values, (*values.shape[:-2], values.shape[-2] * n_places, 1))
    rows = items[..., None] * n_places + places
    return xp.take_rows(flat, rows, n_axes=3)[..., 0]


def split_last(x: Array, sizes: list[int]) -> list[Array]:
    ends = np.cumsum(sizes).tolist()
    return [x[..., end - size : end] for end, size in zip(ends, sizes, strict=True)]


Items = Literal["all", "bootstrap"]
ITEM_SAMPLERS = get_args(Items)
# Of the options of public functions.
RULES = (
    dict.fromkeys(
        ("metric", "model", "perturbation_a", "perturbation_b", "start"), anything
    )
    | dict.fromkeys(("xp", "device", "dtype"), anything)
    | {
        "items": choice(*ITEM_SAMPLERS),
        "responses": choice(*RESPONSE_SAMPLERS),
        "n_items": count(),
        "n_responses": count(),
        "n_sets": count(MAX_REPLICATES - 1),
        "n_resamples": count(MAX_REPLICATES - 1),
    }
)


class Draws(NamedTuple):
    """Draws test sets, and holds `elements` numbers for each of them.

    `draw(start, count)` returns the summaries of each array of each group, of shape
    (..., count, n, d), for the same items.
    """

    n_elements: int
    draw: Callable[[int | Array, int], list[list[Array]]]


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
def draw_resamples(
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
