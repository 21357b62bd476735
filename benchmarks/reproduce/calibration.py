"""Whether our own claims hold: coverage of bounds and intervals, level of p-values."""

import functools
import itertools
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.stats

import sigarray
from benchmarks.reproduce.experiment import (
    Experiment,
    Picture,
    Settings,
    in_blocks,
)
from sigarray import responses
from sigarray.responses._sampling import ITEM_SAMPLERS, RESPONSE_SAMPLERS

SIZES = (5, 10, 20, 50, 100, 200, 500)
# Of scores, and of pairs of samples: for the method that needs no resamples.
LARGE_SIZES = {2000: 1000, 10_000: 400}
LEVEL = 0.05
N_RESAMPLES = 1000
INTERVALS = ("bca", "percentile", "basic")
# Pairs of distributions of A and B. Where A is not ahead at all quantiles, eps > 0.
SAME = "the same normal"
PAIRS = {
    "normal, eps 0": (scipy.stats.norm(0.5, 1.0), scipy.stats.norm(0.0, 1.0)),
    "normal": (scipy.stats.norm(0.5, 1.0), scipy.stats.norm(0.0, 1.5)),
    "exponential": (scipy.stats.expon(0.0, 1.0), scipy.stats.expon(-0.4, 1.2)),
    "uniform": (scipy.stats.uniform(0.2, 0.9), scipy.stats.uniform(0.0, 1.2)),
    SAME: (scipy.stats.norm(), scipy.stats.norm()),
}
LOCATIONS = {
    "normal": scipy.stats.norm(),
    "exponential": scipy.stats.expon(),
    "lognormal": scipy.stats.lognorm(1.0),
}


def run(settings: Settings) -> Experiment:
    """Measure all of it."""
    bounds = cover_ratios(settings)
    intervals = cover_means(settings)
    levels, p_values = measure_levels(settings)
    blank = {"highest": "", "lowest": ""}
    rows = [
        *({"claim": "eps_min", **row, **blank} for row in bounds),
        *({"claim": "bootstrap_ci", **row, **blank} for row in intervals),
        *({"claim": "p-value", **row} for row in levels),
    ]
    return Experiment(
        "Calibration of our own claims",
        rows,
        [
            Picture(
                "calibration",
                (12.0, 9.0),
                lambda x: draw_figure(x, bounds, intervals, p_values),
            )
        ],
        findings=describe(bounds, intervals, levels),
    )


@functools.cache
def find_ratio(first: Any, second: Any, n_points: int = 2**20) -> float:
    """Violation ratio of two distributions, by the midpoint rule on their quantiles."""
    t = (np.arange(n_points) + 0.5) / n_points
    difference = first.ppf(t) - second.ppf(t)
    squares = difference**2
    total = squares.sum()
    return float(squares[difference < 0.0].sum() / total) if total > 0.0 else 0.5


def cover_ratios(settings: Settings) -> list[dict[str, Any]]:
    """How often eps_min is at least the violation ratio: 95 % is claimed."""
    n_sets = settings.choose(200, 2000)
    sizes = SIZES[:-1] if settings.is_quick else SIZES
    plans = [
        (n, method, n_sets) for n in sizes for method in ("bootstrap", "asymptotic")
    ]
    plans.append((SIZES[0], "exact", n_sets))
    if not settings.is_quick:
        plans += [(n, "asymptotic", number) for n, number in LARGE_SIZES.items()]
    return [
        cover_ratio(settings, number, name, *plan)
        for number, name in enumerate(PAIRS)
        for plan in plans
    ]


def cover_ratio(
    settings: Settings, number: int, name: str, n: int, method: Any, n_sets: int
) -> dict[str, Any]:
    """How often eps_min is at least the violation ratio, by one method."""
    ratio = find_ratio(*PAIRS[name])
    rng = np.random.default_rng([1, number, n])
    samples = [x.rvs((n_sets, n), random_state=rng) for x in PAIRS[name]]

    def compute(a: np.ndarray, b: np.ndarray, rng: int) -> dict[str, Any]:
        x, y = settings.put(a), settings.put(b)
        result = sigarray.aso(x, y, method=method, n_resamples=N_RESAMPLES, rng=rng)
        return {"bound": result.eps_min}

    with warnings.catch_warnings():
        # The asymptotic one warns of few scores, which are the point.
        warnings.simplefilter("ignore", UserWarning)
        bound = in_blocks(compute, number, *samples)["bound"]
    return {
        "distribution": name,
        "method": method,
        "n": n,
        "truth": ratio,
        "rate": float(np.mean(bound >= ratio - 1e-12)),
        "n_sets": n_sets,
    }


def cover_means(settings: Settings) -> list[dict[str, Any]]:
    """How often an interval has the mean in it: 95 % is claimed."""
    rows = []
    n_sets = settings.choose(200, 2000)
    plans = itertools.product(enumerate(LOCATIONS), (5, 10, 20, 50, 100), INTERVALS)
    for (number, name), n, method in plans:
        truth = float(LOCATIONS[name].mean())
        rng = np.random.default_rng([2, number, n])

        def compute(x: np.ndarray, rng: int, method: Any = method) -> dict[str, Any]:
            interval = sigarray.bootstrap_ci(
                settings.put(x), method=method, n_resamples=N_RESAMPLES - 1, rng=rng
            )
            return interval.confidence_interval._asdict()

        x = LOCATIONS[name].rvs((n_sets, n), random_state=rng)
        found = in_blocks(compute, number, x)
        is_inside = (found["low"] <= truth) & (truth <= found["high"])
        rows.append(
            {
                "distribution": name,
                "method": method,
                "n": n,
                "truth": truth,
                "rate": float(np.mean(is_inside)),
                "n_sets": n_sets,
            }
        )
    return rows


def measure_levels(settings: Settings) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """How often p < 0.05 where the null hypothesis holds, and all p-values."""
    drawn = {}
    for n in (5, 20, 100):
        samples = np.random.default_rng([3, n]).normal(
            size=(2, settings.choose(400, 4000), n)
        )
        p_values = in_blocks(functools.partial(compare_means, settings), 1, *samples)
        drawn |= {(name, n): p for name, p in p_values.items()}
    n_items = 100
    sets = responses.simulate(
        n_items,
        5,
        n_sets=settings.choose(100, 500),
        perturbation_b=0.0,
        xp=settings.namespace,
        rng=3,
    )
    for items, answers in itertools.product(ITEM_SAMPLERS, RESPONSE_SAMPLERS):
        p = responses.response_test(
            *sets,
            metric="mae",
            items=items,
            responses=answers,
            alternative="greater",
            n_resamples=200,
            rng=1,
        ).pvalue
        drawn[f"response_test, {items} items, {answers}", n_items] = np.asarray(p)
    return [measure_level(name, n, p) for (name, n), p in drawn.items()], drawn


def compare_means(
    settings: Settings, a: np.ndarray, b: np.ndarray, rng: int
) -> dict[str, Any]:
    """Return the p-value of each test of two samples."""
    x, y = settings.put(a), settings.put(b)
    drawn = {"n_resamples": N_RESAMPLES - 1, "rng": rng}
    results = {}
    for test, paired in itertools.product(
        ("t_test", "mann_whitney_u", "permutation_test", "bootstrap_test"),
        (False, True),
    ):
        options: dict[str, Any] = {"alternative": "greater"}
        if test == "mann_whitney_u":
            if paired:
                continue
        else:
            options["paired"] = paired
        if test in ("permutation_test", "bootstrap_test"):
            options |= drawn
        name = f"{test}, paired" if paired else test
        results[name] = getattr(sigarray, test)(x, y, **options)
    return {name: result.pvalue for name, result in results.items()}


def measure_level(name: str, n: int, p: np.ndarray) -> dict[str, Any]:
    """Return how often p < 0.05, and the range of P(p <= t) - t for t up to 1/2."""
    ordered = np.sort(p)
    share = np.arange(1, len(p) + 1) / len(p)
    is_low = ordered <= 0.5
    below = np.append(share[is_low] - 1.0 / len(p), np.mean(is_low))
    return {
        "distribution": "normal",
        "method": name,
        "n": n,
        "truth": LEVEL,
        "rate": float(np.mean(p < LEVEL)),
        "n_sets": len(p),
        "highest": float(np.max((share - ordered)[is_low], initial=0.0)),
        "lowest": float(np.min(below - np.append(ordered[is_low], 0.5), initial=0.0)),
    }


def describe(
    bounds: list[dict[str, Any]],
    intervals: list[dict[str, Any]],
    levels: list[dict[str, Any]],
) -> list[str]:
    """Say where claims hold, and where they do not."""
    by_kind = {
        "the distributions differ": [
            x for x in bounds if x["distribution"] != SAME and x["truth"] > 0.0
        ],
        "they are the same": [x for x in bounds if x["distribution"] == SAME],
    }
    kinds = {
        f"`aso`, {method!r}, {kind}": [x for x in chosen if x["method"] == method]
        for kind, chosen in by_kind.items()
        for method in ("bootstrap", "exact", "asymptotic")
    }
    kinds |= {
        f"`bootstrap_ci`, {method!r}": [x for x in intervals if x["method"] == method]
        for method in INTERVALS
    }
    truths = {x["truth"] for x in by_kind["the distributions differ"]}
    shown = ", ".join(f"{x:.2f}" for x in sorted(truths))
    return [
        "How often eps_min is at least eps, which is 1/2 where both distributions are "
        "the same, and how often the mean is in the interval, for n scores a side: the "
        "lowest and the highest of several distributions. 95 % are claimed. Pairs that "
        f"differ have eps of {shown}; bounds of other ratios, which hold less often, "
        "are among the verdicts.",
        tabulate({kind: gather(rows, spell_ends) for kind, rows in kinds.items()}),
        "How often one-sided p < 0.05 under the null hypothesis, for n scores a side, "
        "or items with five responses; and the range of P(p <= t) - t for t up to 1/2. "
        "Above 0 p-values are too small, below 0 the test is conservative. Those of "
        f"exact tests stay within {chance(levels, 't_test'):.3f} either way in nine of "
        f"ten cases (Kolmogorov), and within {chance(levels, 'response_test'):.3f} for "
        "responses, of which fewer are simulated.",
        tabulate(
            {
                f"`{name}`": gather(
                    [x for x in levels if x["method"] == name], spell_level
                )
                for name in dict.fromkeys(x["method"] for x in levels)
            }
        ),
    ]


def chance(levels: list[dict[str, Any]], name: str) -> float:
    """Return what the largest distance exceeds in one of ten cases, of so many sets."""
    n_sets = next(x["n_sets"] for x in levels if x["method"].startswith(name))
    return float(scipy.stats.kstwobign.isf(0.1)) / math.sqrt(n_sets)


def spell_ends(rows: list[dict[str, Any]]) -> str:
    """Return the lowest and the highest rate."""
    rates = [x["rate"] for x in rows]
    return " to ".join(dict.fromkeys(f"{x:.0%}" for x in (min(rates), max(rates))))


def spell_level(rows: list[dict[str, Any]]) -> str:
    """Return the rate and the range of a single row."""
    (row,) = rows
    return f"{row['rate']:.1%} ({row['lowest']:+.3f} to {row['highest']:+.3f})"


def gather(
    rows: list[dict[str, Any]], spell: Callable[[list[dict[str, Any]]], str]
) -> dict[int, str]:
    """Put rows of one number of scores into words."""
    by_size: dict[int, list[dict[str, Any]]] = {}
    for row in rows:
        by_size.setdefault(row["n"], []).append(row)
    return {n: spell(chosen) for n, chosen in by_size.items()}


def tabulate(kinds: dict[str, dict[int, str]]) -> str:
    """Return a table with a column for each number of scores."""
    sizes = sorted({n for cells in kinds.values() for n in cells})
    lines = [
        f"| n = | {' | '.join(map(str, sizes))} |",
        "|---|" + "---:|" * len(sizes),
    ]
    for kind, cells in kinds.items():
        lines.append(f"| {kind} | {' | '.join(cells.get(n, '') for n in sizes)} |")
    return "\n".join(lines)


def draw_figure(
    figure: Any,
    bounds: list[dict[str, Any]],
    intervals: list[dict[str, Any]],
    p_values: dict[tuple[str, int], np.ndarray],
) -> None:
    """Draw coverage against the number of scores, and distributions of p-values."""
    axes = figure.subplots(3, 3).flat
    axis = next(axes)
    draw_coverage(axis, bounds, PAIRS, "bootstrap", "eps_min")
    for number, name in enumerate(PAIRS):
        rates = [
            x["rate"]
            for x in bounds
            if (x["distribution"], x["method"]) == (name, "exact")
        ]
        label = "exact, n = 5" if name == SAME else None
        axis.plot(4.2, rates, "x", color=f"C{number}", label=label)
    axis.legend(fontsize=6)
    draw_coverage(next(axes), bounds, PAIRS, "asymptotic", "eps_min")
    for method in INTERVALS:
        draw_coverage(next(axes), intervals, LOCATIONS, method, "bootstrap_ci")
    for n in (5, 20, 100):
        chosen = {
            name: p
            for (name, size), p in p_values.items()
            if size == n and not name.startswith("response")
        }
        title = f"p-values under the null, n = {n}"
        draw_p_values(next(axes), chosen, title, 0.3)
    chosen = {
        name.removeprefix("response_test, "): p
        for (name, _), p in p_values.items()
        if name.startswith("response")
    }
    draw_p_values(next(axes), chosen, "response_test, 100 items, 5 responses", 1.0)


def draw_coverage(
    axis: Any, rows: list[dict[str, Any]], names: Any, method: str, claim: str
) -> None:
    """Draw how often a claim holds against the number of scores."""
    for name in names:
        chosen = [x for x in rows if (x["distribution"], x["method"]) == (name, method)]
        axis.plot(
            [x["n"] for x in chosen],
            [x["rate"] for x in chosen],
            marker="o",
            markersize=3,
            label=name,
        )
    axis.axhline(0.95, color="grey", linewidth=0.8, linestyle=":")
    axis.set_xscale("log")
    axis.set_ylim(0.5, 1.01)
    axis.set_title(f"coverage of {claim}, {method}", fontsize=9)
    axis.set_xlabel("scores a side", fontsize=8)
    axis.tick_params(labelsize=7)
    axis.legend(fontsize=6)


def draw_p_values(
    axis: Any, p_values: dict[str, np.ndarray], title: str, limit: float
) -> None:
    """Draw the distribution of p-values up to a limit."""
    for name, values in p_values.items():
        ordered = np.sort(values)
        share = np.arange(1, len(ordered) + 1) / len(ordered)
        line = "--" if "bootstrap items" in name else "-"
        axis.plot(ordered, share, line, label=name, linewidth=1)
    axis.plot([0, 1], [0, 1], color="grey", linewidth=0.8, linestyle=":")
    axis.set_xlim(0.0, limit)
    axis.set_ylim(0.0, min(1.0, limit + 0.1))
    axis.set_title(title, fontsize=9)
    axis.set_xlabel("t", fontsize=8)
    axis.set_ylabel("P(p <= t)", fontsize=8)
    axis.tick_params(labelsize=7)
    axis.legend(fontsize=6, loc="upper left")
