"""Draw more where a bound or a p-value is so near a level that the seed decides."""

import functools
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from sigarray._backend.of_numpy import HOST
from sigarray._backend.seeds import name_streams, seed_words
from sigarray._numeric.quantile import even_grid
from sigarray._numeric.special import student_quantile
from sigarray._order.errors import count_beyond, has_percentiles
from sigarray._order.ratio import bootstrap_ratios
from sigarray._order.stacks import plan_error
from sigarray._verdicts.asked import OrderOptions, PairOptions
from sigarray._verdicts.decisions import Decision, PairTest
from sigarray.read._frame import shorten
from sigarray.read._messages import warn
from sigarray.results import PairwiseAsoResult

# The Monte-Carlo errors between a number and the limit that make it clear; the least
# number of resamples, and the numbers up to which they are doubled: for a verdict, and
# for one of many samples whose share is asked for.
_CLEAR, _LEAST, _MOST, _MOST_OF_A_SAMPLE = 4.0, 320, 2**18, 2**13


class Bound(NamedTuple):
    """A bound from replicates, and the limits between which more would leave it."""

    value: float
    standard_error: float
    low: float
    high: float
    n_resamples: int

    def is_clear_of(self, threshold: float) -> bool:
        return self.high < threshold or self.low >= threshold


# Near a level the most draws of a p-value, and the most drawn scores.
_MOST_DRAWS, _MOST_DRAWN = 2**19, 2**27
# The places of two models, what draws replicates of their ratio, and what bounds it.
Drawn = tuple[int, int, Callable[..., np.ndarray], Callable[..., Bound]]


class Plan(NamedTuple):
    """What draws the replicates of a pair; its error is `scale` times their spread."""

    draw: Callable[..., np.ndarray]
    scale: float
    df: float


def draw_pairs(
    names: Sequence[str],
    result: PairwiseAsoResult,
    options: OrderOptions,
    pairs: Iterable[Drawn],
) -> PairwiseAsoResult:
    """Return the result with bounds that are clear of the threshold, or above it.

    Only pairs whose equality is rejected are drawn: other bounds are 0.5 or more. Where
    2^18 resamples do not tell on which side a bound is, no model is called better.
    """
    bounds = np.array(result.eps_min, dtype=float)
    errors = np.array(result.standard_error, dtype=float)
    undecided = []
    for i, j, draw, find_bound_of in pairs:
        drawn = _draw_until_clear(draw, find_bound_of, options)
        if drawn.n_resamples > options.n_resamples:
            bounds[i, j] = drawn.value
            errors[i, j] = errors[j, i] = drawn.standard_error
        if not drawn.is_clear_of(options.threshold):
            undecided.append(f"{names[i]!r} over {names[j]!r}")
            bounds[i, j] = max(drawn.value, options.threshold)
    if undecided:
        warn(
            f"eps_min of {', '.join(undecided)} is {options.threshold:g} up to the "
            f"error of {_MOST:,} resamples: it is a toss-up, and neither is called "
            "better."
        )
    return result._replace(eps_min=bounds, standard_error=errors)


def find_bounds(
    drawn: Iterable[Drawn], options: OrderOptions, pairs: Collection[tuple[int, int]]
) -> dict[tuple[int, int], float]:
    """Return those bounds of some pairs that are of resamples, of up to 2^13.

    They are for the share of many samples in which a bound is below the threshold: one
    that is still near it is taken as it is, for it is as often too small as too large.
    """
    return {
        (i, j): _draw_until_clear(draw, find_bound_of, options, _MOST_OF_A_SAMPLE).value
        for i, j, draw, find_bound_of in drawn
        if (i, j) in pairs
    }


def list_drawn(
    scores: Mapping[str, Any],
    result: PairwiseAsoResult,
    options: OrderOptions,
    *,
    level: float,
    sign: float,
    plan: Callable[..., Plan | None] | None = None,
) -> Iterator[Drawn]:
    names = list(scores)
    n_pairs = math.comb(len(names), 2)
    for i, j in np.argwhere(np.asarray(result.eps_min) < 0.5).tolist():
        pair = [names[i], names[j]]
        samples = [sign * np.asarray(scores[name], dtype=float) for name in pair]
        planned = (plan or _plan_scores)(pair, samples, options, n_pairs)
        if planned is None:
            continue
        sizes = len(samples[0]), len(samples[1])
        find_bound_of = functools.partial(
            find_bound,
            ratio=float(result.violation_ratio[i, j]),
            scale=planned.scale,
            quantile=-student_quantile(level, planned.df),
            level=level,
            has_percentile=has_percentiles(*sizes, n_pairs, options.n_resamples),
        )
        yield i, j, planned.draw, find_bound_of


def _plan_scores(
    pair: Sequence[str],
    samples: Sequence[np.ndarray],
    options: OrderOptions,
    n_pairs: int,
) -> Plan | None:
    sizes = len(samples[0]), len(samples[1])
    plan = plan_error(options.method, *sizes, even_grid(options.dt), n_pairs)
    if plan.method != "bootstrap":
        return None
    draw = functools.partial(
        bootstrap_ratios,
        HOST,
        [x[None, :] for x in samples],
        seed_words(HOST, options.seed),
        streams=tuple((x,) for x in name_streams(pair)),
        grid=plan.grid,
    )
    least = min(sizes)
    return Plan(draw, math.sqrt(least / (least - 1)), least - 1)


def _draw_until_clear(
    draw: Callable[..., np.ndarray],
    find_bound_of: Callable[..., Bound],
    options: OrderOptions,
    most: int = _MOST,
) -> Bound:
    replicates = np.zeros(0)
    count = max(options.n_resamples, _LEAST)
    while True:
        more = draw(len(replicates), count=count - len(replicates))[0]
        replicates = np.concatenate([replicates, more])
        bound = find_bound_of(replicates)
        if bound.is_clear_of(options.threshold) or count >= most:
            return bound
        count *= 2


def find_bound(
    replicates: np.ndarray,
    *,
    ratio: float,
    scale: float,
    quantile: float,
    level: float,
    has_percentile: bool,
) -> Bound:
    """Return the bound and the standard error, as `multi_aso` computes them.

    The error is `scale` times the deviation of replicates, and the bound as many errors
    above the ratio as the `quantile` of Student's t says.

    The limits are `_CLEAR` Monte-Carlo errors away. For Student's bound the error is
    that of the standard deviation, by the fourth moment; for a percentile, that of the
    number of replicates beyond it.
    """
    count = len(replicates)
    squares = (replicates - np.mean(replicates)) ** 2
    variance = float(np.mean(squares))
    error = scale * math.sqrt(variance)
    margin = quantile * error
    doubt = 0.0
    if variance > 0.0:
        doubt = margin * float(np.std(squares)) / (2.0 * variance * math.sqrt(count))
    limits = ratio + margin + _CLEAR * doubt * np.asarray([0.0, -1.0, 1.0])
    if has_percentile:
        n_beyond, share = count_beyond(level, count), level * count
        # With few replicates, n_beyond makes the bound too low: with more of them it
        # may rise to the percentile of a share of the level.
        low, high = (
            n_beyond + _CLEAR * math.sqrt(n_beyond),
            share - _CLEAR * math.sqrt(share),
        )
        places = [n_beyond, math.ceil(low), math.floor(high)]
        ordered = np.append(np.sort(replicates), 1.0)
        at = [min(max(count - place, 0), count) for place in places]
        limits = np.maximum(limits, ordered[at])
    value, low, high = (float(x) for x in np.clip(limits, 0.0, 1.0))
    return Bound(value, error, low, high, count)


# A p-value nearer to a level than this number of its errors is worth a warning.
_DOUBTFUL = 2.0
_SHOWN = 3


def is_near(p: float, level: float, n_drawn: int, n_errors: float = _CLEAR) -> bool:
    """Tell whether other draws could move a two-sided p-value across a level.

    It is twice the p-value of a tail.
    """
    error = math.sqrt(p * max(0.0, 2.0 - p) / n_drawn)
    return abs(p - level) < n_errors * error


# A result, its p-value, and the number of resamples of it.
Resampled = tuple[Any, float, int]


def draw_on(
    found: Resampled,
    draw: Callable[[int], Resampled],
    options: PairOptions,
    n_scores: int,
) -> Resampled:
    """Draw four times as many resamples as before, as long as the seed would decide.

    Each of them is of so many scores.
    """
    _, p, n_drawn = found
    while n_drawn and _is_near_any_level(p, n_drawn, options):
        count = 4 * (n_drawn + 1) - 1
        if count > _MOST_DRAWS or count * n_scores > _MOST_DRAWN:
            break
        found = _, p, n_drawn = draw(count)
    return found


def _is_near_any_level(p: float, n_drawn: int, options: PairOptions) -> bool:
    """Tell whether p is near a level of Holm's correction.

    These are alpha over 1, 2, ... comparisons; only the two around p are examined.
    """
    if not p > 0.0:
        return False
    count = math.floor(options.alpha / p)
    return any(
        is_near(p, options.alpha / min(max(k, 1), options.n_comparisons), n_drawn)
        for k in (count, count + 1)
    )


def doubt_near_alpha(
    tests: Mapping[str, Sequence[PairTest]],
    decisions: Mapping[str, Sequence[Decision]],
    alpha: float,
) -> None:
    near, numbers = [], []
    for task, by in tests.items():
        on = f" on {task!r}" if len(tests) > 1 else ""
        for test, decision in zip(by, decisions[task], strict=True):
            adjusted = decision.record["adjusted_pvalue"]
            pair = f"{decision.a!r} and {decision.b!r}{on}"
            every = [(pair, test.p_value, adjusted, test.n_drawn)] + [
                (f"the margin of {pair}", x.p_value, x.adjusted, x.n_drawn)
                for x in decision.margins
            ]
            for what, p, q, n_drawn in every:
                # The p at which the adjusted p-value would be alpha.
                if (
                    n_drawn
                    and q > 0.0
                    and is_near(p, alpha * p / q, n_drawn, _DOUBTFUL)
                ):
                    near.append(what)
                    numbers.append(n_drawn)
    warn_near(near, alpha, max(numbers, default=0))


def warn_near(near: Sequence[str], level: float, n_drawn: int) -> None:
    if near:
        warn(
            f"The adjusted p of {shorten(near, _SHOWN)} is {level:g} up to the error "
            f"of {n_drawn:,} random resamples, so that another seed may decide "
            "otherwise. Take more with --n-resamples."
        )
