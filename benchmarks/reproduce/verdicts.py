"""What our verdicts are worth: how often equal models are told apart, others found.

A family is what one call compares: all pairs of some models, or all tasks. It errs
where any of its claims is false. Of equal models that is any claim at all.
"""

import warnings
from typing import Any

import numpy as np

import sigarray
from benchmarks.reproduce.experiment import Experiment, Settings
from benchmarks.reproduce.families import (
    DISCOVERIES,
    EQUAL,
    POWER,
    SPREADS,
    TAILS,
    Family,
)
from benchmarks.reproduce.known_ratios import (
    AT_THRESHOLD,
    AT_THRESHOLD_OF_BASELINE,
    RATIO_SIZES,
    RATIO_SPREADS,
    RATIOS,
    THRESHOLD,
    find_shift,
)
from benchmarks.reproduce.verdict_page import judge, tabulate

LEVEL = 0.05
QUICK, FULL = 100, 4000
N_RESAMPLES = 1000


def run(settings: Settings) -> Experiment:
    """Simulate all of it."""
    n_sets = settings.choose(QUICK, FULL)
    rows = [
        {"kind": kind, **describe_errors(settings, family, n_sets, seed)}
        for kind, families in (("equal", EQUAL), ("equal means", SPREADS))
        for seed, family in enumerate(families)
    ]
    rows += [
        {
            "kind": "equal means, long tails",
            **describe_errors(settings, family, n_sets, 100 + seed),
        }
        for seed, family in enumerate(TAILS)
    ]
    rows += [
        {"kind": "discovery", **describe_discoveries(settings, *family, n_sets, seed)}
        for seed, family in enumerate(DISCOVERIES)
    ]
    rows += [
        {"kind": "power", **describe_power(settings, family, n_sets, seed), "least": x}
        for seed, (family, x) in enumerate(POWER)
    ]
    rows += [
        {"kind": "bound", **row}
        for ratio in RATIOS
        for n in RATIO_SIZES
        for row in describe_bounds(settings, ratio, n, n_sets)
    ]
    rows += [
        {"kind": "threshold", **describe_threshold(settings, sizes, spread, n_sets)}
        for sizes, spread in AT_THRESHOLD
    ]
    rows += [
        {
            "kind": "threshold, with a baseline",
            **describe_baseline(settings, sizes, spread, n_sets, is_ahead=is_ahead),
        }
        for is_ahead in (False, True)
        for sizes, spread in AT_THRESHOLD_OF_BASELINE
    ]
    names = (
        *("kind", "family", "scores", "n_sets", "rate", "least", "ratio", "covered"),
        "any",
    )
    rows = [{name: row.get(name, "") for name in names} for row in rows]
    said = judge(rows)
    return Experiment(
        "What verdicts are worth",
        rows,
        [],
        findings=[said],
        page=[said, *tabulate(rows)],
    )


def find_claims(settings: Settings, family: Family, samples: Any, seed: int) -> Any:
    """Return who is better than whom, (sets, K, K): `multi_aso` at its defaults.

    The bounds, which take long, are of sets alone in which any pair is told apart.
    """
    options: dict[str, Any] = {
        "n_comparisons": family.n_tasks,
        "baseline": len(family.sizes) - 1 if family.has_baseline else None,
        "rng": seed,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        first = sigarray.multi_aso(
            [settings.put(x) for x in samples],
            method="bootstrap",  # of two resamples, for p-values alone
            n_resamples=2,
            **options,
        )
        told = np.asarray(first.pvalue) <= LEVEL
        sets = np.flatnonzero(np.any(told, axis=(-2, -1)))
        claims = np.zeros(told.shape, dtype=bool)
        if len(sets):
            bounds = sigarray.multi_aso(
                [settings.put(x[sets]) for x in samples],
                n_resamples=N_RESAMPLES,
                **options,
            )
            claims[sets] = np.asarray(bounds.eps_min) < THRESHOLD
    return claims


def describe_errors(
    settings: Settings, family: Family, n_sets: int, seed: int
) -> dict[str, Any]:
    """Return the share of sets in which anything is claimed."""
    rng = np.random.default_rng((1, seed))
    n_drawn = n_sets * family.n_tasks
    claims = find_claims(settings, family, family.draw(rng, n_drawn), seed)
    is_wrong = np.any(claims, axis=(-2, -1)).reshape(n_sets, family.n_tasks)
    rate = float(np.mean(np.any(is_wrong, axis=-1)))
    return {
        "family": family.name,
        "scores": family.scores,
        "n_sets": n_sets,
        "rate": rate,
    }


def describe_discoveries(
    settings: Settings, family: Family, n_better: int, n_sets: int, seed: int
) -> dict[str, Any]:
    """Return the mean share of false claims among those of equality that is rejected.

    By Benjamini and Hochberg over the pairs of all tasks, as `sigarray compare` does
    where no level of a task could leave anything. The bounds only take claims away.
    """
    rng = np.random.default_rng((4, seed))
    n_models, n_tasks = len(family.sizes), family.n_tasks
    baseline = n_models - 1 if family.has_baseline else None
    shares = []
    for start in range(0, n_sets, 500):
        n_drawn = min(500, n_sets - start)
        samples = family.draw(rng, n_drawn * n_tasks)
        is_first = np.tile(np.arange(n_tasks) < n_better, n_drawn)
        samples[0] = samples[0] + 3.0 * is_first[:, None]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            found = sigarray.multi_aso(
                [settings.put(x) for x in samples],
                correction=None,
                baseline=baseline,
                method="bootstrap",  # of two resamples, for p-values alone
                n_resamples=2,
                rng=seed,
            )
        i, j = np.triu_indices(n_models, 1)
        kept = slice(None) if baseline is None else j == baseline
        i, j = i[kept], j[kept]
        p = np.asarray(found.pvalue)[:, i, j].reshape(n_drawn, -1)
        is_told = np.asarray(sigarray.benjamini_hochberg(p)) <= LEVEL + 1e-9
        is_true = (is_first[:, None] & (i == 0)).reshape(n_drawn, -1)
        n_false = np.sum(is_told & ~is_true, axis=-1)
        shares += (n_false / np.maximum(1, np.sum(is_told, axis=-1))).tolist()
    which = f"the first better on {n_better}" if n_better else "all equal"
    return {
        "family": f"{family.name}, {which}",
        "scores": family.scores,
        "n_sets": n_sets,
        "rate": float(np.mean(shares)),
    }


def describe_threshold(
    settings: Settings, sizes: tuple[int, ...], spread: float, n_sets: int
) -> dict[str, Any]:
    """Return how often the first model is called better, by `multi_aso`.

    Than a given one of the others, to each of which it has the ratio, and than any.
    """
    k = len(sizes)
    rng = np.random.default_rng((5, *sizes[:2], k, int(100 * spread)))
    shift = find_shift(THRESHOLD, spread)
    family = Family(
        sizes,
        spreads=(1.0,) + (spread,) * (k - 1),
        shifts=(shift,) + (0.0,) * (k - 1),
    )
    claims = find_claims(settings, family, family.draw(rng, n_sets), sizes[0])
    return {
        "family": f"{Family(sizes).name}, spreads 1 and {spread:g}",
        **_count_claims(claims[:, 0, 1:]),
    }


def describe_baseline(
    settings: Settings,
    sizes: tuple[int, ...],
    spread: float,
    n_sets: int,
    *,
    is_ahead: bool,
) -> dict[str, Any]:
    """Return how often others are called better than the baseline, or it than they.

    A given one, and any. Who is called so has the ratio to the other.
    """
    k = len(sizes)
    words = (5, *sizes[:2], k, int(100 * spread), sizes[-1])
    rng = np.random.default_rng((*words, 1) if is_ahead else words)
    # Of the ratio that a model of spread 1 has to one of the other spread.
    shift = find_shift(THRESHOLD, spread)
    if is_ahead:
        shift = spread * find_shift(THRESHOLD, 1.0 / spread)
    shifts = (0.0,) * (k - 1) + (shift,) if is_ahead else (shift,) * (k - 1) + (0.0,)
    family = Family(
        sizes,
        spreads=(1.0,) * (k - 1) + (spread,),
        shifts=shifts,
        has_baseline=True,
    )
    claims = find_claims(settings, family, family.draw(rng, n_sets), sizes[0])
    claims = claims[:, -1, :-1] if is_ahead else claims[:, :-1, -1]
    ahead = ", the baseline ahead" if is_ahead else ""
    name = f"{k - 1} x {sizes[0]} v {sizes[-1]}"
    return {
        "family": f"{name}, spreads 1 and {spread:g}{ahead}",
        **_count_claims(claims),
    }


def _count_claims(claims: np.ndarray) -> dict[str, Any]:
    """Return the share of claims (sets, pairs), and of sets with any."""
    return {
        "scores": "normal",
        "n_sets": len(claims),
        "rate": float(np.mean(claims)),
        "ratio": THRESHOLD,
        "any": float(np.mean(np.any(claims, axis=-1))),
    }


def describe_power(
    settings: Settings, family: Family, n_sets: int, seed: int
) -> dict[str, Any]:
    """Return the mean share of truly different pairs that are found."""
    rng = np.random.default_rng((2, seed))
    claims = find_claims(settings, family, family.draw(rng, n_sets), seed)
    shifts = np.asarray(family.shifts)
    is_better = shifts[:, None] > shifts
    if family.has_baseline:
        is_better[:, :-1] = False
    count = int(np.sum(shifts > 0.0))
    amount = "" if not count else f"{count} better by {shifts.max():g}"
    return {
        "family": f"{family.name}, {amount}",
        "scores": family.scores,
        "n_sets": n_sets,
        "rate": float(np.mean(claims[:, is_better])),
    }


def describe_bounds(
    settings: Settings, ratio: float, n: int, n_sets: int
) -> list[dict[str, Any]]:
    """Return how often the bound holds, and how often A is called better."""
    rows = []
    for spread in RATIO_SPREADS:
        shift = find_shift(ratio, spread)
        rng = np.random.default_rng((3, n, int(100 * ratio), int(10 * spread)))
        a = shift + rng.normal(size=(n_sets, n))
        b = spread * rng.normal(size=(n_sets, n))
        result = sigarray.aso(settings.put(a), settings.put(b), rng=n)
        bounds = np.asarray(result.eps_min)
        rows.append(
            {
                "family": f"2 x {n}, spreads 1 and {spread:g}",
                "scores": "normal",
                "n_sets": n_sets,
                "rate": float(np.mean(bounds < THRESHOLD)),
                "ratio": ratio,
                "covered": float(np.mean(bounds >= ratio - 1e-9)),
            }
        )
    return rows
