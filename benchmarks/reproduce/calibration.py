"""Whether our own claims hold: coverage of bounds and intervals, level of p-values."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.stats

import sigarray
from benchmarks.reproduce.experiment import Experiment, Picture, Settings
from sigarray import responses
from sigarray.responses.sampling import RESPONSE_SAMPLERS

SIZES = (5, 10, 20, 50, 100, 200, 500)
# Of scores, and of pairs of samples: for the method that needs no resamples.
LARGE_SIZES = {2000: 1000, 10_000: 400}
LEVEL = 0.05
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
    rows = [
        *({"claim": "eps_min", **row, "excess": ""} for row in bounds),
        *({"claim": "bootstrap_ci", **row, "excess": ""} for row in intervals),
        *({"claim": "p-value", **row} for row in levels),
    ]
    return Experiment(
        "calibration",
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


def find_ratio(first: Any, second: Any, n_points: int = 2**20) -> float:
    """Violation ratio of two distributions, by the midpoint rule on their quantiles."""
    t = (np.arange(n_points) + 0.5) / n_points
    difference = first.ppf(t) - second.ppf(t)
    squares = difference**2
    total = squares.sum()
    return float(squares[difference < 0.0].sum() / total) if total > 0.0 else 0.5


def cover_ratios(settings: Settings) -> list[dict[str, Any]]:
    """How often eps_min is at least the violation ratio: 95 % is claimed."""
    plans = []
    for n in SIZES[: settings.choose(-1, len(SIZES))]:
        methods = ("bootstrap", "exact", "asymptotic")
        n_sets = settings.choose(200, 2000)
        plans += [
            (n, method, n_sets) for method in methods if method != "exact" or n == 5
        ]
    if not settings.is_quick:
        plans += [(n, "asymptotic", n_sets) for n, n_sets in LARGE_SIZES.items()]
    rows = []
    for number, (name, pair) in enumerate(PAIRS.items()):
        ratio = find_ratio(*pair)
        for n, method, n_sets in plans:
            rng = np.random.default_rng([1, number, n])
            a, b = (settings.put(x.rvs((n_sets, n), random_state=rng)) for x in pair)
            with warnings.catch_warnings():
                # The asymptotic one warns of few scores, which are the point.
                warnings.simplefilter("ignore", UserWarning)
                bound = sigarray.aso(
                    a, b, method=method, n_resamples=1000, rng=number
                ).eps_min
            rows.append(
                {
                    "distribution": name,
                    "method": method,
                    "n": n,
                    "truth": ratio,
                    "rate": float(np.mean(np.asarray(bound) >= ratio - 1e-12)),
                    "n_sets": n_sets,
                }
            )
    return rows


def cover_means(settings: Settings) -> list[dict[str, Any]]:
    """How often an interval has the mean in it: 95 % is claimed."""
    rows = []
    n_sets = settings.choose(200, 2000)
    for number, (name, distribution) in enumerate(LOCATIONS.items()):
        truth = float(distribution.mean())
        for n in (5, 10, 20, 50, 100):
            rng = np.random.default_rng([2, number, n])
            x = settings.put(distribution.rvs((n_sets, n), random_state=rng))
            for method in ("bca", "percentile", "basic"):
                interval = sigarray.bootstrap_ci(
                    x, method=method, n_resamples=999, rng=number
                )
                low, high = np.asarray(interval.low), np.asarray(interval.high)
                rows.append(
                    {
                        "distribution": name,
                        "method": method,
                        "n": n,
                        "truth": truth,
                        "rate": float(np.mean((low <= truth) & (truth <= high))),
                        "n_sets": n_sets,
                    }
                )
    return rows


def measure_levels(settings: Settings) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """How often p < 0.05 where the null hypothesis holds, and all p-values."""
    rows, drawn = [], {}
    n_sets = settings.choose(400, 4000)
    for n in (5, 20, 100):
        rng = np.random.default_rng([3, n])
        a, b = (settings.put(x) for x in rng.normal(size=(2, n_sets, n)))
        options = {"n_resamples": 999, "rng": 1}
        for name, p in {
            "welch_t_test": sigarray.welch_t_test(a, b),
            "welch_t_test, paired": sigarray.welch_t_test(a, b, paired=True),
            "mann_whitney_u": sigarray.mann_whitney_u(a, b),
            "permutation_test, paired": sigarray.permutation_test(a, b, **options),
            "permutation_test": sigarray.permutation_test(
                a, b, paired=False, **options
            ),
            "bootstrap_test, paired": sigarray.bootstrap_test(
                a, b, paired=True, **options
            ),
            "bootstrap_test": sigarray.bootstrap_test(a, b, **options),
        }.items():
            values = np.asarray(p.pvalue)
            drawn[name, n] = values
            rows.append(_level(name, "normal", n, values))
    n_sets = settings.choose(100, 500)
    sets = responses.simulate(
        100, 5, n_sets=n_sets, perturbation_b=0.0, xp=settings.namespace, rng=3
    )
    for items in ("all", "bootstrap"):
        for answers in RESPONSE_SAMPLERS:
            p = responses.response_test(
                *sets,
                metric="mae",
                items=items,
                responses=answers,
                n_resamples=200,
                rng=1,
            ).pvalue
            name = f"response_test, {items} items, {answers}"
            drawn[name, 100] = np.asarray(p)
            rows.append(_level(name, "normal", 100, np.asarray(p)))
    return rows, drawn


def _level(name: str, distribution: str, n: int, p: np.ndarray) -> dict[str, Any]:
    """Give how often p < 0.05, and the most by which P(p <= t) is above t <= 1/2."""
    excess = np.arange(1, len(p) + 1) / len(p) - np.sort(p)
    return {
        "distribution": distribution,
        "method": name,
        "n": n,
        "truth": LEVEL,
        "rate": float(np.mean(p < LEVEL)),
        "n_sets": len(p),
        "excess": float(np.max(excess[np.sort(p) <= 0.5])),
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
        for method in ("bca", "percentile", "basic")
    }
    return [
        "How often eps_min is at least eps, and how often the mean is in the interval, "
        "for n scores a side: the lowest and the highest of several distributions. "
        "95 % are claimed.",
        _tabulate({kind: _gather(rows, _spell_ends) for kind, rows in kinds.items()}),
        "How often p < 0.05 under the null hypothesis, and by how much P(p <= t) is "
        "above t at most, for t up to 1/2; for n scores a side, or items with five "
        "responses.",
        _tabulate(
            {
                f"`{name}`": _gather(
                    [x for x in levels if x["method"] == name], _spell_level
                )
                for name in dict.fromkeys(x["method"] for x in levels)
            }
        ),
    ]


def _spell_ends(rows: list[dict[str, Any]]) -> str:
    """Give the lowest and the highest rate."""
    rates = [x["rate"] for x in rows]
    return " to ".join(dict.fromkeys(f"{x:.0%}" for x in (min(rates), max(rates))))


def _spell_level(rows: list[dict[str, Any]]) -> str:
    """Give the rate and the excess of a single row."""
    (row,) = rows
    return f"{row['rate']:.1%}, {row['excess']:+.3f}"


def _gather(
    rows: list[dict[str, Any]], spell: Callable[[list[dict[str, Any]]], str]
) -> dict[int, str]:
    """Put rows of one number of scores into words."""
    by_size: dict[int, list[dict[str, Any]]] = {}
    for row in rows:
        by_size.setdefault(row["n"], []).append(row)
    return {n: spell(chosen) for n, chosen in by_size.items()}


def _tabulate(kinds: dict[str, dict[int, str]]) -> str:
    """Give a table with a column for each number of scores."""
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
    for method in ("bootstrap", "asymptotic"):
        _draw_coverage(next(axes), bounds, PAIRS, method, "eps_min")
    for method in ("bca", "percentile", "basic"):
        _draw_coverage(next(axes), intervals, LOCATIONS, method, "bootstrap_ci")
    for n in (5, 20, 100):
        axis = next(axes)
        chosen = {
            name: p
            for (name, size), p in p_values.items()
            if size == n and not name.startswith("response")
        }
        _draw_p_values(axis, chosen, f"p-values under the null, n = {n}")
    chosen = {
        name.removeprefix("response_test, "): p
        for (name, _), p in p_values.items()
        if name.startswith("response")
    }
    _draw_p_values(next(axes), chosen, "response_test, 100 items, 5 responses")


def _draw_coverage(
    axis: Any, rows: list[dict[str, Any]], names: Any, method: str, claim: str
) -> None:
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
    axis.set_xlabel("scores", fontsize=8)
    axis.tick_params(labelsize=7)
    axis.legend(fontsize=6)


def _draw_p_values(axis: Any, p_values: dict[str, np.ndarray], title: str) -> None:
    for name, values in p_values.items():
        ordered = np.sort(values)
        axis.plot(
            ordered, np.arange(1, len(ordered) + 1) / len(ordered), label=name, lw=1
        )
    axis.plot([0, 1], [0, 1], color="grey", linewidth=0.8, linestyle=":")
    axis.set_xlim(0.0, 0.3)
    axis.set_ylim(0.0, 0.4)
    axis.set_title(title, fontsize=9)
    axis.tick_params(labelsize=7)
    axis.legend(fontsize=5)
