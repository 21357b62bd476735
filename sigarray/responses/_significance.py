"""P-values of the difference of two systems, from one test set or many."""

import math
from typing import Any, Literal

import numpy as np

from sigarray._backend.aliases import Array, Device, Namespace, RandomSource, Seed
from sigarray._backend.checks import (
    MAX_REPLICATES,
    anything,
    checked,
    choice,
    count,
    function,
    optional,
)
from sigarray._backend.chunks import MAX_HELD, map_entries, map_replicates
from sigarray._backend.dispatch import namespace_of
from sigarray._backend.libraries import array_kernel, device_of
from sigarray._backend.seeds import seed_words, spare_seed
from sigarray._numeric.statistic import TIE_UNITS, Alternative, find_p_value
from sigarray.responses._items import standardize_responses
from sigarray.responses._models import Model, Response
from sigarray.responses._sampling import (
    ITEM_SAMPLERS,
    RESPONSE_SAMPLERS,
    Items,
    Responses,
    count_dealt,
    plan_draws,
)
from sigarray.responses._simulation import (
    Hypothesis,
    check_parameters,
    choose_dtype,
    count_elements,
    draw_sets,
)
from sigarray.responses.metrics import Metric, Wins, choose_metric
from sigarray.results import ResponseTestResult


@checked(
    metric=anything,
    items=choice(*ITEM_SAMPLERS),
    responses=choice(*RESPONSE_SAMPLERS),
    n_resamples=count(MAX_REPLICATES - 1),
)
def response_test(
    gold: Array,
    a: Array,
    b: Array,
    /,
    *,
    metric: Metric | Wins | Any = "wins_mae",
    items: Items = "bootstrap",
    responses: Responses = "all",
    alternative: Alternative = "two-sided",
    n_resamples: int = 1000,
    batch: int | None = None,
    rng: RandomSource = None,
) -> ResponseTestResult:
    """Test whether system A is nearer to gold than system B, by their responses.

    The null hypothesis is that the responses of A and of B to an item come from one
    distribution; a small p-value with "greater" says that A is better, whether higher
    or lower values of the metric are.

    Parameters
    ----------
    gold, a, b : array, shape (..., n_items, k), real
        Gold judgments and responses of the systems to the same items. k may differ, and
        NaN is a missing response. A vector is one response to each item. Leading axes
        are batches, and broadcast; every batch entry sees the same resamples.
    metric : str, Metric, Wins or callable, default: "wins_mae"
        What to compare. A is better where it is higher: "wins_mae", "wins_mae_all" and
        "wins_emd" (share of items won), "spearman", "accuracy", "precision", "recall",
        "f1", "roc_auc"; where it is lower: "mae", "mse", "rmse", "max_error", "cosine",
        "emd", "emd_all", "mean_of_emds", "kl_divergence". See `responses.metrics`. A
        callable f(gold, system) gives an array of shape (...) for responses of shape
        (..., n_items, k), higher for a better system.
    items : {"bootstrap", "all"}, default: "bootstrap"
        Whether other items might have been in the test set.
    responses : str, default: "all"
        How responses vary, "all", "bootstrap", "one", "first" or "without_replacement":
        see `resample`, and Notes.
    alternative : {"two-sided", "greater", "less"}, default: "two-sided"
        Whether A is better than, worse than or different from B.
    n_resamples : int, default: 1000
        Test sets to draw under each hypothesis, M.
    batch : int, optional
        Test sets to compute at a time; by default what suits the device. Memory grows
        with `batch` times the responses of a test set, about 60 bytes each in float64.
        The result does not depend on it.
    rng : int, generator or key, optional
        Source of the random numbers, as for `sigarray.aso`.

    Returns
    -------
    ResponseTestResult
        `statistic`, how far A is ahead in the test set itself (positive where A is
        better), `pvalue`, `metric_a` and `metric_b`, arrays of shape (...), on the
        device and of the float dtype of the responses, as for `aso`. NaN for a batch
        entry with an infinite response, with an item without any, or whose metric is
        not defined for the test set or a resample.

    Raises
    ------
    TypeError
        Responses that are not real numbers, or of two libraries or devices; a metric or
        an `rng` that cannot be used.
    ValueError
        Numbers of items that differ, leading axes that do not broadcast, or options
        outside their range.

    See Also
    --------
    true_p_value : the same for test sets drawn anew, from a simulator.
    sigarray.permutation_test : for one score of each model and item.

    Notes
    -----
    These are Algorithms 1 and 2 of [1]_. M test sets are drawn as in `resample`, and M
    under the null hypothesis, in which the responses of A and B to an item are one
    pool: with "bootstrap" and "one", responses of both are drawn from it; with "all",
    "first" and "without_replacement" it is shared out at random between them. With the
    M^2 pairs of a difference d0 under the null hypothesis and one d1 without,

        p = (count of pairs with d0 >= d1, + 1) / (M^2 + 1)

    for "greater", d0 <= d1 for "less", and twice the smaller of both, at most 1, for
    "two-sided". Ties count, up to rounding. So p is the expected p-value of another
    test set: where A is truly better it is small, and where both are the same it is
    near 1/2 rather than uniform.

    Of 1000 pairs of systems that are the same (200 items, 5 responses, M = 300; "mae"
    and "wins_mae"), p < 0.05 in 4 to 5 % with all items and "all", "first" or
    "without_replacement"; in about 1 % with bootstrapped items and these; in at most
    0.2 % with "bootstrap" or "one". The test is exact or conservative, the more so the
    more is drawn with replacement, which adds the variance of the test set once more.

    All options are static under `jit`, and the responses and `rng` may be traced.

    References
    ----------
    .. [1] S. Wein, C. Homan, L. Aroyo, C. Welty (2023). Follow the leader(board) with
       confidence: estimating p-values from a single test set with item and response
       variance. Findings of ACL. :doi:`10.18653/v1/2023.findings-acl.196`

    Examples
    --------
    >>> from sigarray import responses
    >>> gold, a, b = responses.simulate(300, 5, perturbation_b=0.2, rng=0)
    >>> result = responses.response_test(gold, a, b, metric="mae", rng=0)
    >>> bool(result.metric_a < result.metric_b), bool(result.pvalue < 0.05)
    (True, True)
    """
    metric = choose_metric(metric)
    xp, samples = standardize_responses(gold, a, b)
    result = test_sets(
        xp,
        *samples,
        seed_words(xp, device_of(xp, samples[0]), rng),
        metric=metric,
        items=items,
        responses=responses,
        alternative=alternative,
        n_resamples=n_resamples,
        batch=batch,
    )
    return ResponseTestResult(*result)


@checked(
    metric=anything,
    responses=choice("all", "one", "first"),
    perturbation_a=anything,
    perturbation_b=anything,
    model=anything,
    response=optional(function),
    n_items=count(),
    n_responses=count(),
    n_sets=count(MAX_REPLICATES - 1),
    xp=anything,
    device=anything,
    dtype=anything,
)
def true_p_value(
    *,
    metric: Metric | Wins | Any = "wins_mae",
    responses: Literal["all", "one", "first"] = "all",
    perturbation_a: float | Array = 0.0,
    perturbation_b: float | Array = 0.1,
    model: Model | Literal["normal", "likert"] = "normal",
    response: Response | None = None,
    n_items: int = 1000,
    n_responses: int = 5,
    n_sets: int = 1000,
    alternative: Alternative = "two-sided",
    batch: int | None = None,
    xp: Namespace | None = None,
    device: Device = None,
    dtype: Any = None,
    rng: RandomSource = None,
) -> ResponseTestResult:
    """P-value of `response_test` where every test set is a new one.

    Parameters
    ----------
    metric, alternative
        As for `response_test`.
    responses : {"all", "one", "first"}, default: "all"
        Take all responses to each item, or one of them; which one makes no difference,
        since they are drawn independently.
    perturbation_a, perturbation_b, model, response, n_items, n_responses
        The test sets, as for `simulate`.
    n_sets : int, default: 1000
        Test sets under each hypothesis.
    batch : int, optional
        Test sets to simulate at a time; by default what suits the device.
    xp, device, dtype, rng
        As for `simulate`.

    Returns
    -------
    ResponseTestResult
        `pvalue`, and the means over the test sets of `statistic`, `metric_a` and
        `metric_b`; arrays of shape ().

    Raises
    ------
    TypeError, ValueError
        As for `simulate` and `response_test`.

    Notes
    -----
    Of the same p-value from other sets of M = `n_sets` test sets, the standard
    deviation is about (v / M)^1/2 with the variance v of P(d0 >= d1) over d1 and that
    of P(d1 <= d0) over d0 added up.

    Examples
    --------
    >>> from sigarray import responses
    >>> small = {"n_items": 100, "n_sets": 200, "rng": 0}
    >>> same = responses.true_p_value(perturbation_b=0.0, **small)
    >>> other = responses.true_p_value(perturbation_b=0.3, **small)
    >>> bool(other.pvalue < 0.01 < same.pvalue)
    True
    """
    xp = namespace_of(xp)
    result = simulate_tests(
        xp,
        seed_words(xp, device, rng),
        *check_parameters(xp, model, perturbation_a, perturbation_b),
        metrics=(choose_metric(metric),),
        takes_one=(responses != "all",),
        alternative=alternative,
        n_sets=n_sets,
        batch=batch,
        response=response,
        n_items=n_items,
        n_responses=n_responses,
        dtype=choose_dtype(xp, dtype, device),
    )
    return ResponseTestResult(*(x[0, ...] for x in result))


@array_kernel
def test_sets(
    xp: Namespace,
    gold: Array,
    a: Array,
    b: Array,
    seed: Seed,
    *,
    metric: Metric | Wins,
    alternative: Alternative,
    n_resamples: int,
    batch: int | None,
    **samplers: Any,
) -> tuple[Array, Array, Array, Array]:
    """Statistic, p-value and metrics; a few batch entries at a time."""
    leading = np.broadcast_shapes(*(x.shape[:-2] for x in (gold, a, b)))
    n_entries = math.prod(leading)
    flat = [
        xp.reshape(
            xp.broadcast_to(x, (*leading, *x.shape[-2:])), (n_entries, *x.shape[-2:])
        )
        for x in (gold, a, b)
    ]
    device = device_of(xp, gold)

    def test(*sets: Array) -> Array:
        """Give the four results of some batch entries, as rows."""
        sets = tuple(metric.center(xp, *sets))

        def summarize(x: Array) -> Array:
            return metric.summarize(xp, x)

        values = metric.compare(xp, *(summarize(x) for x in sets))
        observed = _find_lead(metric, *values)
        groups = [(x,) for x in sets]
        draws = plan_draws(xp, seed, groups, summarize=summarize, **samplers)
        null_draws = plan_draws(
            xp,
            spare_seed(xp, seed),
            [groups[0], sets[1:]],
            summarize=summarize,
            **samplers,
        )

        def find_leads(start: int | Array, count: int) -> Array:
            (drawn_gold,), (drawn_a,), (drawn_b,) = draws.draw(start, count)
            lead = _find_lead(metric, *metric.compare(xp, drawn_gold, drawn_a, drawn_b))
            (drawn_gold,), drawn = null_draws.draw(start, count)
            null_lead = _find_lead(metric, *metric.compare(xp, drawn_gold, *drawn))
            return xp.stack([lead, null_lead], axis=-2)

        n_drawn = max(draws.n_elements, null_draws.n_elements) * sets[0].shape[0]
        leads = map_replicates(
            xp, device, find_leads, n_resamples, elements=n_drawn, batch=batch
        )
        scale = xp.abs(values[0]) + xp.abs(values[1])
        pvalue = compare_leads(
            xp, leads[..., 0, :], leads[..., 1, :], scale, alternative
        )
        fault = observed - observed
        return xp.stack([observed, pvalue + fault, *values])

    n_held = count_dealt(gold.shape[-2], a.shape[-1], b.shape[-1])
    results = map_entries(xp, test, flat, elements=4 * n_held, budget=MAX_HELD)
    statistic, pvalue, metric_a, metric_b = (
        xp.reshape(results[i, ...], leading) for i in range(4)
    )
    return statistic, pvalue, metric_a, metric_b


@array_kernel
def simulate_tests(
    xp: Namespace,
    seed: Seed,
    model: Model,
    perturbations: tuple[Any, ...],
    *,
    metrics: tuple[Metric | Wins, ...],
    takes_one: tuple[bool, ...],
    alternative: Alternative,
    n_sets: int,
    batch: int | None,
    **options: Any,
) -> tuple[Array, Array, Array, Array]:
    """Give mean statistics, p-values and mean metrics, all on the same new test sets.

    Each metric has a place in the results, and takes all responses or one.
    """
    device = device_of(xp, seed[0])
    null_seed = spare_seed(xp, seed)

    def measure(start: int | Array, count: int) -> Array:
        """Give the metrics of A and B under both hypotheses, (2, metrics, 2, count)."""
        rows = []
        hypotheses: list[tuple[Seed, Hypothesis]] = [
            (seed, "alternative"),
            (null_seed, "null"),
        ]
        for words, hypothesis in hypotheses:
            sets = draw_sets(
                xp,
                words,
                start,
                count,
                model,
                perturbations,
                hypothesis=hypothesis,
                **options,
            )
            for metric, is_one in zip(metrics, takes_one, strict=True):
                taken = sets[..., :1] if is_one else sets
                gold, a, b = (metric.summarize(xp, taken[:, i, ...]) for i in range(3))
                rows.append(xp.stack(metric.compare(xp, gold, a, b)))
        return xp.reshape(xp.stack(rows), (2, len(metrics), 2, count))

    elements = count_elements(**options)
    values = map_replicates(xp, device, measure, n_sets, elements=elements, batch=batch)
    means = xp.mean(values[0, ...], axis=-1)
    scale = xp.sum(xp.abs(means), axis=-1)
    statistics, pvalues = [], []
    for i, metric in enumerate(metrics):
        leads, null_leads = (
            _find_lead(metric, values[k, i, 0, :], values[k, i, 1, :]) for k in range(2)
        )
        statistics.append(xp.mean(leads))
        pvalues.append(compare_leads(xp, leads, null_leads, scale[i, ...], alternative))
    return xp.stack(statistics), xp.stack(pvalues), means[:, 0], means[:, 1]


def compare_leads(
    xp: Namespace,
    leads: Array,
    null_leads: Array,
    scale: Array,
    alternative: Alternative,
) -> Array:
    """P that a lead under the null hypothesis is as extreme as one without, or more.

    Leads have shape (..., M). Pairs of them are ties where they are closer than the
    rounding of the largest, or of the metrics, whose `scale` has shape (...).
    """

    def find_tail(side: str) -> Array:
        if side == "greater":
            return _count_pairs(xp, leads, null_leads, scale)
        return _count_pairs(xp, -leads, -null_leads, scale)

    return find_p_value(xp, alternative, find_tail)


def _count_pairs(xp: Namespace, leads: Array, null_leads: Array, scale: Array) -> Array:
    """Give the share of pairs in which the lead is not the larger one."""
    n = leads.shape[-1]
    largest = xp.max(xp.abs(xp.concat([leads, null_leads], axis=-1)), axis=-1)
    scale = xp.where(largest > scale, largest, scale)
    tolerance = TIE_UNITS * xp.finfo(leads.dtype).eps * scale[..., None]
    both = xp.concat([leads - tolerance, null_leads], axis=-1)
    # Of ties, the lead comes first, and the one under the null hypothesis counts.
    order = xp.argsort(both, axis=-1, stable=True)
    is_null = order >= n
    n_below = xp.cumulative_sum(xp.astype(is_null, leads.dtype), axis=-1)
    share = xp.mean(xp.where(is_null, 0.0, n - n_below), axis=-1) * 2.0
    fault = xp.sum(both - both, axis=-1)
    # The mean is over both kinds; `share` is the mean count for a lead.
    pvalue = (share / n + 1.0 / n**2) / (1.0 + 1.0 / n**2)
    return xp.clip(pvalue, None, 1.0) + fault


def _find_lead(metric: Metric | Wins, value_a: Array, value_b: Array) -> Array:
    """How far A is ahead of B."""
    return value_a - value_b if metric.higher_is_better else value_b - value_a
