"""Simulate test sets with several responses to each item."""

import functools
import math
from typing import Any, Literal, Unpack, get_args

from sigarray._backend.aliases import (
    Array,
    Device,
    Namespace,
    RandomSource,
    Seed,
    SharingOptions,
)
from sigarray._backend.checks import anything, choice, count, optional
from sigarray._backend.chunks import map_replicates
from sigarray._backend.dispatch import check_library, choose_library, first_replicate
from sigarray._backend.library import Library
from sigarray._backend.public import array_kernel, checked
from sigarray._backend.seeds import seed_words
from sigarray._backend.threefry import (
    WORD_BITS,
    normals,
    random_bits,
    random_words,
    uniforms,
)
from sigarray._numeric.faults import check_result
from sigarray._resampling.replicates import From
from sigarray._response_results import ResponseSet
from sigarray.responses._models import (
    Model,
    ModelName,
    Response,
    check_parameter,
    choose_model,
)

Hypothesis = Literal["alternative", "null"]

# Two for the mean of an item, one each for its deviation and the shifts of A and of B.
_WORDS_OF_ITEM = 5


@checked(
    n_items=count(),
    n_responses=count(),
    perturbation_a=anything,
    perturbation_b=anything,
    n_sets=optional(count()),
    model=anything,
    hypothesis=choice(*get_args(Hypothesis)),
    start=anything,
    xp=anything,
    device=anything,
    dtype=anything,
)
def simulate(
    n_items: int = 1000,
    n_responses: int = 5,
    *,
    perturbation_a: float | Array = 0.0,
    perturbation_b: float | Array = 0.1,
    n_sets: int | None = None,
    start: int | Array = 0,
    model: Model | ModelName = "normal",
    response: Response | None = None,
    hypothesis: Hypothesis = "alternative",
    xp: Namespace | None = None,
    device: Device = None,
    dtype: Any = None,
    rng: RandomSource = None,
    **_: Unpack[SharingOptions],
) -> ResponseSet:
    """Simulate test sets: gold judgments, and the responses of two systems.

    Parameters
    ----------
    n_items : int, default: 1000
        Items of a test set.
    n_responses : int, default: 5
        Responses to each item, of gold and of each system.
    perturbation_a : float, default: 0.0
        How far A is from gold: the mean of each item is moved by a uniform number in
        [-perturbation, perturbation], and clamped to the range of the model. May be
        traced under `jit`.
    perturbation_b : float, default: 0.1
        How far B is from gold, likewise.
    n_sets : int, optional
        How many test sets; without it there is one, and no axis for sets.
    start : int, default: 0
        The first test set, to draw some now and more later, or on another machine, with
        the same `rng`. It may be traced under `jit`.
    model : {"normal", "likert"}, NormalModel or LikertModel, default: "normal"
        How items and responses vary: a model by its name, or with parameters, which may
        be traced under `jit`.
    response : callable, optional
        Another distribution: f(mean, sd, uniform), in array-API code, returns responses
        for means and standard deviations of items and uniform numbers in (0, 1), which
        broadcast.
    hypothesis : {"alternative", "null"}, default: "alternative"
        Under "null", each response of A and of B comes from A's or B's distribution of
        the item with probability 1/2.
    xp : namespace, optional
        The array library: `numpy`, the default, `torch`, `jax.numpy` or `cupy`.
    device, dtype : optional
        Of the responses, the dtype a real float; by default those of `xp`.
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
        `gold`, `a` and `b`, of shape (n_sets, n_items, n_responses), or (n_items,
        n_responses) without `n_sets`. The same `rng` gives the same sets on every
        backend, and the same items under both hypotheses.

    Raises
    ------
    TypeError
        A model or an `rng` that cannot be used.
    ValueError
        Options outside their range.

    Notes
    -----
    It is Algorithm 3 of [1]_. Responses are made of 24 random bits.

    References
    ----------
    .. [1] S. Wein, C. Homan, L. Aroyo, C. Welty (2023). Follow the leader(board) with
       confidence: estimating p-values from a single test set with item and response
       variance. Findings of ACL. :doi:`10.18653/v1/2023.findings-acl.196`

    Examples
    --------
    >>> from sigarray import responses
    >>> gold, a, b = responses.simulate(200, 3, perturbation_b=0.3, rng=0)
    >>> gold.shape
    (200, 3)
    >>> bool(responses.metrics.mae(gold, a) < responses.metrics.mae(gold, b))
    True

    Raters who say yes or no:

    >>> def vote(mean, sd, uniform):
    ...     return uniform < mean
    >>> votes = responses.simulate(response=vote, rng=0).gold
    >>> float(votes.min()), float(votes.max())
    (0.0, 1.0)
    """
    library = choose_library(xp, device)
    n_simulated = 1 if n_sets is None else n_sets
    sets = _simulate(
        library,
        seed_words(library, rng),
        first_replicate(library, start, n_simulated, name="n_sets"),
        *check_parameters(library, model, perturbation_a, perturbation_b),
        count=n_simulated,
        hypothesis=hypothesis,
        response=response,
        n_items=n_items,
        n_responses=n_responses,
        dtype=choose_dtype(library, dtype),
    )
    if n_sets is None:
        sets = sets[0, ...]
    return ResponseSet(*(sets[..., i, :, :] for i in range(3)))


def check_parameters(
    xp: Library,
    model: Model | ModelName,
    *perturbations: float | Array,
) -> tuple[Model, tuple[Any, ...]]:
    """Return the model, and perturbations as floats or as arrays of shape ()."""
    chosen = choose_model(model)
    checked = tuple(check_parameter("a perturbation", x) for x in perturbations)
    for value in checked:
        if isinstance(value, float) and value < 0.0:
            msg = f"Expected a perturbation to be 0 or more; got {value}."
            raise ValueError(msg)
    check_library(xp, *(x for x in (*chosen, *checked) if not isinstance(x, float)))
    return chosen, checked


def choose_dtype(xp: Library, dtype: Any) -> Any:
    """Return a real float dtype, or the default one of the device."""
    if dtype is None:
        default = xp.zeros(0).dtype
        # A default of 16 bits is meant for the layers of a network.
        return default if xp.finfo(default).bits >= 32 else xp.float32
    known = (xp.float32, xp.widest_float)
    if not any(dtype is x or dtype == x for x in known):
        msg = f"Expected dtype to be float32 or float64; got {dtype}."
        raise TypeError(msg)
    return dtype


def count_elements(*, n_items: int, n_responses: int, **_: Any) -> int:
    return 8 * n_items * n_responses


def draw_sets(
    xp: Library,
    seed: Seed,
    start: int | Array,
    count: int,
    model: Model,
    perturbations: tuple[Any, ...],
    *,
    hypothesis: Hypothesis,
    response: Response | None,
    n_items: int,
    n_responses: int,
    dtype: Any,
) -> Array:
    """Return gold, A and B of test sets, (count, 3, n_items, n_responses)."""
    model = type(model)(*(_cast(xp, x, dtype) for x in model))
    perturbations = tuple(_cast(xp, x, dtype) for x in perturbations)
    shape = (count, 3, n_items, n_responses)
    n_values = math.prod(shape[1:])
    n_item_words = _WORDS_OF_ITEM * n_items
    n_bits = 2 * n_items * n_responses
    # Normals come in pairs.
    n_pairs = -(-n_values // 2)
    width = n_item_words + 2 * n_pairs
    words = random_words(xp, seed, start, count, width + -(-n_bits // WORD_BITS))
    item_words = xp.reshape(words[:, :n_item_words], (count, _WORDS_OF_ITEM, n_items))
    item_words = xp.permute_dims(item_words, (1, 0, 2))
    mean, sd = model.draw_items(xp, item_words, dtype)
    means = [mean]
    for words_of_shift, size in zip((3, 4), perturbations, strict=True):
        uniform = xp.astype(uniforms(xp, item_words[words_of_shift, ...]), dtype)
        means.append(model.clamp_means(xp, mean + (2.0 * uniform - 1.0) * size))
    means = [xp.broadcast_to(x[..., None], (*x.shape, n_responses)) for x in means]
    if hypothesis == "null":
        bits = random_bits(xp, words[:, width:], n_bits)
        is_of_a = xp.reshape(bits == 1, (count, 2, n_items, n_responses))
        means[1:] = (xp.where(is_of_a[:, i, ...], *means[1:]) for i in range(2))
    mean, sd = xp.stack(means, axis=1), sd[:, None, :, None]
    words = words[:, n_item_words:width]
    if response is not None:
        uniform = xp.reshape(uniforms(xp, words[:, :n_values]), shape)
        # Below 1, where a quantile function may be infinite.
        uniform = xp.astype(uniform * (1.0 - 2.0**-24), dtype)
        result = response(mean, sd, uniform)
        call = "response(mean, sd, uniform)"
        check_result(xp, call, result, shape, mean, sd, uniform)
        return xp.astype(result, dtype)
    uniform = uniforms(xp, words)
    normal = normals(xp, uniform[:, :n_pairs], uniform[:, n_pairs:])[:, :n_values]
    normal = xp.astype(xp.reshape(normal, shape), dtype)
    normal = normal * sd
    normal = normal + mean
    return model.respond(xp, normal)


def _cast(xp: Library, x: Any, dtype: Any) -> Any:
    return x if isinstance(x, float) else xp.astype(x, dtype)


@array_kernel
def _simulate(
    xp: Library,
    seed: Seed,
    start: int | Array,
    model: Model,
    perturbations: tuple[Any, ...],
    *,
    count: int,
    **options: Any,
) -> Array:
    draw = functools.partial(
        draw_sets, xp, seed, model=model, perturbations=perturbations, **options
    )
    elements = count_elements(**options)
    return map_replicates(xp, From(draw, start), count, elements=elements, axis=0)
