"""How many items and responses an evaluation needs."""

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

from sigarray._backend.aliases import (
    Alternative,
    Array,
    Device,
    Namespace,
    RandomSource,
    Seed,
    SharingOptions,
)
from sigarray._backend.checks import MAX_REPLICATES, anything, choice, count, several
from sigarray._backend.dispatch import choose_library
from sigarray._backend.library import Library
from sigarray._backend.public import array_kernel, checked
from sigarray._backend.seeds import seed_words, spare_seed
from sigarray._resampling.replicates import keep
from sigarray.responses._leads import find_p_values
from sigarray.responses._measurement import Metric, Wins
from sigarray.responses._models import Model, ModelName, Response
from sigarray.responses._pools import RESPONSE_SAMPLERS, Responses
from sigarray.responses._sampling import ITEM_SAMPLERS, Items
from sigarray.responses._simulation import (
    check_parameters,
    choose_dtype,
    count_elements,
    draw_sets,
)
from sigarray.responses.metrics import choose_metric


@checked(
    n_items=several(count()),
    n_responses=several(count()),
    metric=anything,
    items=choice(*ITEM_SAMPLERS),
    responses=choice(*RESPONSE_SAMPLERS),
    perturbation_a=anything,
    perturbation_b=anything,
    model=anything,
    n_sets=count(MAX_REPLICATES - 1),
    n_resamples=count(MAX_REPLICATES - 1),
    xp=anything,
    device=anything,
    dtype=anything,
)
def power(
    n_items: int | Sequence[int] = (100, 300, 1000),
    n_responses: int | Sequence[int] = (1, 3, 5),
    *,
    metric: Metric | Wins | Any = "wins_mae",
    items: Items = "bootstrap",
    responses: Responses = "all",
    perturbation_a: float | Array = 0.0,
    perturbation_b: float | Array = 0.1,
    model: Model | ModelName = "normal",
    response: Response | None = None,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
    n_sets: int = 200,
    n_resamples: int = 200,
    xp: Namespace | None = None,
    device: Device = None,
    dtype: Any = None,
    rng: RandomSource = None,
    **_: Unpack[SharingOptions],
) -> Array:
    """Probability that test sets show a difference, by their items and responses.

    Parameters
    ----------
    n_items : int or sequence of int, default: (100, 300, 1000)
        Numbers of items.
    n_responses : int or sequence of int, default: (1, 3, 5)
        Numbers of responses to each item by gold and by each system.
    metric : str, Metric, Wins or callable, default: "wins_mae"
        What to compare: the name of a metric, such as "mae", "wins_mae" or "f1", or one
        of `responses.metrics`. A callable f(gold, system) returns an array (...) for
        responses (..., n_items, k), higher for a better system.
    items : {"all", "bootstrap"}, default: "bootstrap"
        The items of a resample: as many, drawn with replacement ("bootstrap"), if the
        test set might have had others; or "all" of them.
    responses : str, default: "all"
        The responses of a resample to each item: "all" of them; as many, drawn with
        replacement ("bootstrap"); all in random order ("without_replacement"); "one" at
        random; or the "first".
    perturbation_a : float, default: 0.0
        How far A is from gold: the mean of each item is moved by a uniform number in
        [-perturbation, perturbation], and clamped to the range of the model. May be
        traced under `jit`.
    perturbation_b : float, default: 0.1
        How far B is from gold, likewise.
    model : {"normal", "likert"}, default: "normal"
        How items and responses vary: a model by its name, or with parameters, which may
        be traced under `jit`.

        A model that `fit` makes of real ratings tells how many of them are needed.
    response : callable, optional
        Another distribution: f(mean, sd, uniform), in array-API code, returns responses
        for means and standard deviations of items and uniform numbers in (0, 1), which
        broadcast.
    alpha : float, default: 0.05
        The difference is seen where the p-value is at most this.
    alternative : {"two-sided", "greater", "less"}, default: "two-sided"
        The alternative: A differs from B ("two-sided"), is better ("greater") or worse
        ("less").
    n_sets : int, default: 200
        Test sets to simulate for each pair of numbers. The standard error of a power p
        is about (p (1 - p) / n_sets)^1/2.
    n_resamples : int, default: 200
        Resamples of each test set under each hypothesis, the same for all sets: with
        few of them, the standard error is larger.
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
    array, shape (I, K)
        The share of test sets whose p-value is not above the level, for each number of
        items and of responses.

    Raises
    ------
    TypeError
        A metric, a model or an `rng` that cannot be used.
    ValueError
        Options outside their range, or no numbers of items or responses.

    Examples
    --------
    More items or more raters?

    >>> from sigarray import responses
    >>> share = responses.power([50, 200], [1, 5], n_sets=50, n_resamples=50, rng=0)
    >>> share.shape
    (2, 2)
    >>> bool(share[0, 0] < share[1, 1])
    True
    """
    library = choose_library(xp, device)
    chosen = choose_metric(metric)
    parameters = check_parameters(library, model, perturbation_a, perturbation_b)
    dtype = choose_dtype(library, dtype)
    seed = seed_words(library, rng)
    rows = [
        library.stack(
            [
                _find_power(
                    library,
                    seed,
                    *parameters,
                    level=alpha,
                    n_sets=n_sets,
                    metric=chosen,
                    items=items,
                    responses=responses,
                    alternative=alternative,
                    n_resamples=n_resamples,
                    response=response,
                    n_items=n,
                    n_responses=k,
                    dtype=dtype,
                )
                for k in several(count())("n_responses", n_responses)
            ]
        )
        for n in several(count())("n_items", n_items)
    ]
    return library.stack(rows)


@array_kernel
def _find_power(
    xp: Library,
    seed: Seed,
    model: Model,
    perturbations: tuple[Any, ...],
    *,
    level: float,
    n_sets: int,
    metric: Metric | Wins,
    items: Items,
    responses: Responses,
    alternative: Alternative,
    n_resamples: int,
    **options: Any,
) -> Array:
    draw = functools.partial(
        draw_sets,
        xp,
        seed,
        model=model,
        perturbations=perturbations,
        hypothesis="alternative",
        **options,
    )
    test = functools.partial(
        find_p_values,
        xp,
        metric=metric,
        items=items,
        responses=responses,
        alternative=alternative,
        n_resamples=n_resamples,
    )
    seen = _Seen(xp, draw, test, spare_seed(xp, seed), level, count_elements(**options))
    return xp.mean(keep(xp, seen, n_sets))


@dataclass(frozen=True, eq=False)
class _Seen:
    """1 for new test sets that show the difference, and 0 for others."""

    xp: Library
    draw: Callable[[int | Array, int], Array]
    test: Callable[..., tuple[Array, ...]]
    seed: Seed
    level: float
    elements: int

    def __call__(self, start: int | Array, size: int) -> Array:
        xp, sets = self.xp, self.draw(start, size)
        _, pvalue, _, _ = self.test(*(sets[:, i, ...] for i in range(3)), self.seed)
        is_seen = xp.astype(pvalue <= self.level, pvalue.dtype)
        return xp.where(xp.isnan(pvalue), math.nan, is_seen)
