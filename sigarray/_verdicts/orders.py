"""Almost stochastic order of every two models of a table of scores, on the host."""

import itertools
import math
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np

from sigarray._correction import benjamini_hochberg
from sigarray._host import copy_bounds
from sigarray._numeric.quantile import even_grid
from sigarray._order.families import (
    MIN_SIZE,
    Family,
    can_decide,
    family_of,
    needed_size,
)
from sigarray._order.in_parts import multi_aso_of_samples
from sigarray._order.many_models import multi_aso
from sigarray._order.stacks import Plan, level_of, plan_error, say_too_few
from sigarray._plain_text import show_range
from sigarray._verdicts.asked import OrderOptions
from sigarray._verdicts.comparison import pairs_of
from sigarray._verdicts.floors import list_floors
from sigarray._verdicts.lacking import advise_single
from sigarray._verdicts.near_levels import draw_pairs, list_drawn
from sigarray.read._frame import shorten
from sigarray.read._messages import (
    RepeatedWarning,
    SingleTaskWarning,
    announce,
    track,
    warn,
)
from sigarray.read._wide_files import StoredScores
from sigarray.results import PairwiseAsoResult

OrderCorrection = Literal["closed", "benjamini_hochberg", "bonferroni"]
CLOSED: OrderCorrection = "closed"

# Arrays, or scores that are stored on the disk.
Samples = Mapping[str, Any]

_BY_MEANS = "--test t, of the means of normal scores, can decide with these."
_TOO_FEW = ".* (is|are) too few for any verdict"
_MOST_RUNS = 1000
_SHOWN = 3
# For a guess at the time: of each score of each resample of a pair.
_SECONDS_PER_SCORE = 3e-8


def run_orders(
    tasks: Mapping[str, Samples],
    options: OrderOptions,
    *,
    is_corrected: bool,
    higher_is_better: bool,
) -> dict[str, PairwiseAsoResult]:
    n_tasks = len(tasks) if is_corrected else 1
    share = partial(
        _run_task,
        options=options,
        is_corrected=is_corrected,
        higher_is_better=higher_is_better,
        category=RepeatedWarning if len(tasks) == 1 else UserWarning,
    )
    named = track(list(tasks.items()), "Task")
    if is_corrected and choose_order_correction(tasks, options) != CLOSED:
        return _run_by_discovery_rate(tasks, named, options, share)
    with warnings.catch_warnings():
        if is_corrected and len(tasks) > 1 and not _can_decide(tasks, options):
            _doubt_runs(tasks, options)
            # This warning asks for the runs that one task alone would need.
            warnings.filterwarnings("ignore", _TOO_FEW)
        return {task: share(scores, n_comparisons=n_tasks) for task, scores in named}


def _can_decide(tasks: Mapping[str, Samples], options: OrderOptions) -> bool:
    if choose_order_correction(tasks, options) != CLOSED:
        return True
    return _can_any(tasks, options, 1.0 / len(tasks), is_corrected=True)


def _can_any(
    tasks: Mapping[str, Samples],
    options: OrderOptions,
    share: float,
    *,
    is_corrected: bool,
) -> bool:
    return any(
        can_decide(
            [len(x) for x in scores.values()],
            family_of_task(scores, options, share, is_corrected=is_corrected),
        )
        for scores in tasks.values()
    )


def _doubt_runs(tasks: Mapping[str, Samples], options: OrderOptions) -> None:
    every = [(name, len(x)) for by in tasks.values() for name, x in by.items()]
    needed = next(
        (
            n
            for n in range(MIN_SIZE, _MOST_RUNS)
            if _can_decide(
                {x: dict.fromkeys(scores, range(n)) for x, scores in tasks.items()},
                options,
            )
        ),
        None,
    )
    few = [x for x in every if needed is not None and x[1] < needed]
    names = [repr(x) for x in dict.fromkeys(name for name, _ in few)]
    # Where other models have enough, those that have not are named.
    are_some = 0 < len(names) < len({name for name, _ in every})
    sizes = [n for _, n in (few if are_some else every)]
    high = max(sizes)
    whose = shorten(names, _SHOWN) if are_some else "each model"
    scores_of = "score of" if high == 1 else "scores of"
    are = "is" if high == 1 else "are"
    more = f"{whose} {needed} times or more" if needed else "them again"
    warn(
        f"{show_range(sizes)} {scores_of} {whose} {are} too few for any verdict on any "
        f"of {len(tasks)} tasks: eps_min is 0.5 or more whatever they are. Run {more}."
    )


def _run_by_discovery_rate(
    tasks: Mapping[str, Samples],
    named: Iterable[tuple[str, Samples]],
    options: OrderOptions,
    share: Callable[..., PairwiseAsoResult],
) -> dict[str, PairwiseAsoResult]:
    """Tell apart as many pairs of all tasks as the false discovery rate allows.

    From m p-values of tests of equality, Benjamini and Hochberg (1995) tell r pairs
    apart at the level r alpha / m; the bounds of pairs are then at that level.
    """
    first = {
        task: share(scores, n_comparisons=1, is_corrected=False, is_quick=True)
        for task, scores in tasks.items()
    }
    p_values = _list_p_values(first, tasks, options)
    level = 1.0 - options.confidence_level
    n_told, count = _count_told(p_values, level)
    with warnings.catch_warnings():
        # Sizes are judged for all tasks at once.
        warnings.filterwarnings("ignore", _TOO_FEW)
        results = {
            task: share(scores, n_comparisons=count, is_corrected=False)
            for task, scores in named
        }
    floors = list_floors(
        tasks, "mann-whitney", is_paired=False, baseline=options.baseline
    )
    floor = min(floors)
    needed = math.ceil(floor * len(p_values) / level - 1e-9)
    if not n_told and needed > 1:
        warn(
            f"With so few scores, no test of equality can give a p-value below "
            f"{floor:.2g}. Of {len(p_values)} comparisons on single tasks, none is "
            f"decided: at least {needed} would need a p-value that small.",
            SingleTaskWarning,
        )
    return results


def _list_p_values(
    results: Mapping[str, PairwiseAsoResult],
    tasks: Mapping[str, Samples],
    options: OrderOptions,
) -> list[float]:
    p_values = []
    for task, scores in tasks.items():
        names, matrix = list(scores), np.asarray(results[task].pvalue)
        p_values += [
            float(matrix[names.index(a), names.index(b)])
            for a, b in pairs_of(names, options.baseline)
        ]
    return p_values


def _count_told(p_values: Sequence[float], level: float) -> tuple[int, int]:
    """Return how many are told apart, and the number by which the level is divided."""
    adjusted = np.asarray(benjamini_hochberg(np.asarray(p_values)))
    n_told = int(np.sum(adjusted <= level + 1e-9))
    return n_told, math.ceil(len(p_values) / max(1, n_told))


def leave_out_uncompared(result: PairwiseAsoResult) -> PairwiseAsoResult:
    return result._replace(eps_min=copy_bounds(result)[0])


def find_level_of_equality(
    results: Mapping[str, PairwiseAsoResult],
    tasks: Mapping[str, Samples],
    options: OrderOptions,
    *,
    is_corrected: bool,
) -> float:
    level = 1.0 - options.confidence_level
    if not is_corrected:
        return level
    if choose_order_correction(tasks, options) == CLOSED:
        return level / len(tasks)
    return level / _count_told(_list_p_values(results, tasks, options), level)[1]


def choose_order_correction(
    tasks: Mapping[str, Samples], options: OrderOptions
) -> OrderCorrection:
    if len(tasks) == 1 or _can_any(tasks, options, 1.0 / len(tasks), is_corrected=True):
        return CLOSED
    is_of_use = _can_any(tasks, options, 1.0, is_corrected=False)
    return "benjamini_hochberg" if is_of_use else CLOSED


def family_of_task(
    scores: Samples, options: OrderOptions, share: float, *, is_corrected: bool
) -> Family:
    name, names = options.baseline, list(scores)
    return family_of(
        len(names),
        level_of(options.confidence_level, 1) * share,
        None if name is None else names.index(name),
        is_corrected=is_corrected,
    )


def _run_task(
    scores: Samples,
    options: OrderOptions,
    *,
    n_comparisons: int,
    is_corrected: bool,
    higher_is_better: bool,
    category: type[UserWarning],
    is_quick: bool = False,
) -> PairwiseAsoResult:
    """Compare every two models, or each with the baseline; p alone if `is_quick`."""
    shared: dict[str, Any] = {
        "confidence_level": options.confidence_level,
        "n_comparisons": n_comparisons,
        "n_resamples": 2 if is_quick else options.n_resamples,
        "dt": options.dt,
        "rng": options.seed,
        "baseline": options.baseline,
    }
    stored = [x.sample for x in scores.values() if isinstance(x, StoredScores)]
    if stored:
        return multi_aso_of_samples(
            stored, list(scores), is_corrected=is_corrected, **shared
        )
    if not is_quick:
        _announce(scores, options)
    family = family_of_task(
        scores, options, 1.0 / n_comparisons, is_corrected=is_corrected
    )
    said = "" if is_quick else say_lack(scores, family)
    if said:
        warn(said, category)
    with warnings.catch_warnings():
        if is_quick:
            warnings.simplefilter("ignore", UserWarning)
        if said:
            warnings.filterwarnings("ignore", _TOO_FEW)
        result = multi_aso(
            scores,
            correction="bonferroni" if is_corrected else None,
            method=options.method,
            higher_is_better=higher_is_better,
            **shared,
        )
    if is_quick or not any(
        x.method == "bootstrap" for x in plan_errors(scores, options)
    ):
        return result
    level = level_of_bounds(
        scores, options, is_corrected=is_corrected, n_tasks=n_comparisons
    )
    sign = 1.0 if higher_is_better else -1.0
    drawn = list_drawn(scores, result, options, level=level, sign=sign)
    return draw_pairs(list(scores), result, options, drawn)


def say_lack(scores: Samples, family: Family) -> str:
    sizes = [len(x) for x in scores.values()]
    if can_decide(sizes, family):
        return ""
    needed = needed_size(family) or _MOST_RUNS
    few = {name: n for name, n in zip(scores, sizes, strict=True) if n < needed}
    if len(few) == len(sizes):
        said = say_too_few(sizes, family)
        enough = min(sizes) >= MIN_SIZE
        return f"{said} {_BY_MEANS}" if enough else said
    counts = [
        f"{n} score{'' if n == 1 else 's'} of {name!r}" for name, n in few.items()
    ]
    are = "is" if [*few.values()] == [1] else "are"
    said = (
        f"{shorten(counts, _SHOWN)} {are} too few for any verdict at level "
        f"{family.level:.3g}: eps_min is 0.5 or more whatever the scores are. {needed} "
        "are needed."
    )
    return f"{said} {advise_single(min(few), len(sizes))}" if are == "is" else said


def level_of_bounds(
    scores: Samples, options: OrderOptions, *, is_corrected: bool, n_tasks: int
) -> float:
    family = family_of_task(scores, options, 1.0 / n_tasks, is_corrected=is_corrected)
    return family.level_of_bound


def plan_errors(scores: Samples, options: OrderOptions) -> list[Plan]:
    sizes = sorted(len(column) for column in scores.values())
    pairs = list(itertools.combinations(sizes, 2))
    plans = (
        plan_error(options.method, n, m, even_grid(options.dt), len(pairs))
        for n, m in dict.fromkeys(pairs)
    )
    return list(dict.fromkeys(plans))


def _announce(scores: Samples, options: OrderOptions) -> None:
    n_scores = (len(scores) - 1) * sum(map(len, scores.values()))
    plans = plan_errors(scores, options)
    is_drawn = any(plan.method == "bootstrap" for plan in plans)
    n_resamples = options.n_resamples if is_drawn else 1
    if all(plan.grid is not None for plan in plans):
        n_scores = sum(plan.grid.size for plan in plans if plan.grid) * len(scores) ** 2
    announce(
        f"almost stochastic order of {len(scores)} models",
        _SECONDS_PER_SCORE * n_scores * n_resamples,
        "Faster: --test t, --method asymptotic, fewer --n-resamples, fewer models "
        "with --columns.",
    )
