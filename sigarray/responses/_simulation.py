"""Simulate test sets, with several responses to each item."""

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sigarray._backend.callers import Alternative, Array, Seed
from sigarray._backend.chunks import map_replicates
from sigarray._backend.dispatch import check_library
from sigarray._backend.library import Library
from sigarray._backend.public import array_kernel
from sigarray._backend.seeds import normals, random_bits, spare_seed, uniforms
from sigarray._backend.threefry import (
    WORD_BITS,
    random_words,
)
from sigarray._numeric.faults import check_result
from sigarray._resampling.replicates import From, keep
from sigarray.responses._measurement import Metric, Wins, find_lead, find_p_values
from sigarray.responses._measures import compare_leads
from sigarray.responses._models import (
    Model,
    ModelName,
    Response,
    check_parameter,
    choose_model,
)
from sigarray.responses._sampling import Items, Responses

Hypothesis = Literal["alternative", "null"]
# Two for the mean of an item, one each for its deviation and the shifts of A and of B.
_WORDS_OF_ITEM = 5


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
def simulate_sets(
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


@array_kernel
def simulate_leads(
    xp: Library,
    seed: Seed,
    start: int | Array,
    model: Model,
    perturbations: tuple[Any, ...],
    *,
    metric: Metric | Wins,
    takes_one: bool,
    count: int,
    **options: Any,
) -> tuple[Array, Array]:
    """Return leads in new test sets of both hypotheses, (count,), from a place on."""
    values = _measure_sets(
        xp,
        seed,
        start,
        model,
        perturbations,
        metrics=(metric,),
        takes_one=(takes_one,),
        count=count,
        **options,
    )
    return _find_leads(metric, values[:, 0, ...])


@array_kernel
def simulate_p_values(
    xp: Library,
    seed: Seed,
    model: Model,
    perturbations: tuple[Any, ...],
    *,
    metrics: tuple[Metric | Wins, ...],
    takes_one: tuple[bool, ...],
    alternative: Alternative,
    n_sets: int,
    **options: Any,
) -> tuple[Array, Array, Array, Array]:
    """Return mean statistics, p-values and mean metrics, all on the same new test sets.

    Results have the order of the metrics, each of which takes all responses or one.
    """
    values = _measure_sets(
        xp,
        seed,
        0,
        model,
        perturbations,
        metrics=metrics,
        takes_one=takes_one,
        count=n_sets,
        **options,
    )
    means = xp.mean(values[0, ...], axis=-1)
    scale = xp.sum(xp.abs(means), axis=-1)
    statistics, pvalues = [], []
    for i, metric in enumerate(metrics):
        leads, null_leads = _find_leads(metric, values[:, i, ...])
        statistics.append(xp.mean(leads))
        pvalues.append(
            compare_leads(
                xp,
                leads,
                null_leads,
                scale[i, ...],
                alternative,
                # Leads are independent, so that pairs estimate a probability.
                added=1.0 / n_sets,
            )
        )
    return xp.stack(statistics), xp.stack(pvalues), means[:, 0], means[:, 1]


def _measure_sets(
    xp: Library,
    seed: Seed,
    start: int | Array,
    model: Model,
    perturbations: tuple[Any, ...],
    *,
    metrics: tuple[Metric | Wins, ...],
    takes_one: tuple[bool, ...],
    count: int,
    **options: Any,
) -> Array:
    """Return metrics of A and B under both hypotheses, (2, metrics, 2, count)."""
    hypotheses: list[tuple[Seed, Hypothesis]] = [
        (seed, "alternative"),
        (spare_seed(xp, seed), "null"),
    ]
    draws = [
        functools.partial(
            draw_sets,
            xp,
            words,
            model=model,
            perturbations=perturbations,
            hypothesis=hypothesis,
            **options,
        )
        for words, hypothesis in hypotheses
    ]
    measured = _Measured(xp, draws, metrics, takes_one, count_elements(**options))
    return keep(xp, measured, count, start)


@dataclass(frozen=True, eq=False)
class _Measured:
    """Metrics of A and B in new test sets, (hypotheses, metrics, 2, size)."""

    xp: Library
    draws: Sequence[Callable[..., Array]]
    metrics: tuple[Metric | Wins, ...]
    takes_one: tuple[bool, ...]
    elements: int

    def __call__(self, start: int | Array, size: int) -> Array:
        xp, rows = self.xp, []
        for draw in self.draws:
            sets = draw(start, size)
            for metric, is_one in zip(self.metrics, self.takes_one, strict=True):
                taken = sets[..., :1] if is_one else sets
                gold, a, b = (metric.summarize(xp, taken[:, i, ...]) for i in range(3))
                rows.append(xp.stack(metric.compare(xp, gold, a, b)))
        shape = (len(self.draws), len(self.metrics), 2, size)
        return xp.reshape(xp.stack(rows), shape)


def _find_leads(metric: Metric | Wins, values: Array) -> tuple[Array, Array]:
    """Return leads without and under the null hypothesis from metrics (2, 2, count)."""
    leads, null_leads = (
        find_lead(metric, values[k, 0, :], values[k, 1, :]) for k in range(2)
    )
    return leads, null_leads


@array_kernel
def find_power(
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
