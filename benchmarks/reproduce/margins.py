"""How often tests with a margin find A no worse that is worse by just the margin."""

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.reproduce.experiment import Experiment, Settings, in_blocks
from benchmarks.reproduce.verdict_page import show, write_table
from sigarray import bootstrap_test, permutation_test, proportion_test, t_test

SIZES = (10, 20, 100, 200)
LEVEL = 0.05
# Scores, by name: the margin, and the factors of the deviations of A and B.
SCORES = {
    "normal": (0.5, 1.0, 1.0),
    "lognormal": (0.5, 1.0, 1.0),
    "lognormal, A wide": (0.5, 2.0, 1.0),
    "lognormal, B wide": (0.5, 1.0, 2.0),
    "0 or 1": (0.05, 1.0, 1.0),
}
# Of pairs.
_CORRELATION = 0.5
# Of 0 and 1: how often both are right, A alone, B alone, and none.
_SHARES = (0.675, 0.075, 0.125, 0.125)
_N_RESAMPLES = 1999
TESTS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "t_test": (t_test, {}),
    'bootstrap_test, "mean"': (bootstrap_test, {"statistic": "mean"}),
    'bootstrap_test, "t"': (bootstrap_test, {"statistic": "t"}),
    "permutation_test": (permutation_test, {}),
    "proportion_test": (proportion_test, {}),
}


def draw(
    scores: str, n: int, n_sets: int, rng: np.random.Generator, *, paired: bool
) -> list[np.ndarray]:
    """Return scores (n_sets, n) of A and B, whose mean is higher by the margin."""
    margin, *factors = SCORES[scores]
    if scores == "0 or 1":
        kinds = [rng.choice(4, (n_sets, n), p=_SHARES) for _ in range(2)]
        of_a, of_b = (kinds[0], kinds[0]) if paired else kinds
        return [(of_a <= 1) * 1.0, (of_b % 2 == 0) * 1.0]
    normal = rng.normal(size=(2, n_sets, n))
    if paired:
        other = np.sqrt(1.0 - _CORRELATION**2) * normal[1]
        normal[1] = _CORRELATION * normal[0] + other
    if scores != "normal":
        normal = np.exp(normal) - np.exp(0.5)
    return [factors[0] * normal[0] - margin, factors[1] * normal[1]]


def count(
    scores: str, n: int, n_sets: int, seed: int, *, paired: bool
) -> Iterator[dict[str, Any]]:
    """Yield the share of sets in which each test has p <= 0.05."""
    margin = SCORES[scores][0]
    rng = np.random.default_rng(seed)
    a, b = draw(scores, n, n_sets, rng, paired=paired)
    for name, (function, options) in TESTS.items():
        if function is proportion_test and scores != "0 or 1":
            continue
        test = functools.partial(
            function, paired=paired, alternative="greater", margin=margin, **options
        )
        if function in (bootstrap_test, permutation_test):
            test = functools.partial(test, n_resamples=_N_RESAMPLES)
            found = in_blocks(functools.partial(_find_pvalues, test), seed, a, b)
            pvalues = found["pvalue"]
        else:
            pvalues = test(a, b).pvalue
        yield {
            "test": name,
            "unit": "pairs" if paired else "independent",
            "scores": scores,
            "n": n,
            "n_sets": n_sets,
            "rate": float(np.mean(pvalues <= LEVEL)),
        }


def _find_pvalues(test: Callable[..., Any], *samples: Any, rng: int) -> dict[str, Any]:
    return {"pvalue": test(*samples, rng=rng).pvalue}


def run(settings: Settings) -> Experiment:
    """Measure all of it."""
    n_sets = settings.choose(100, 4000)
    designs = [
        (x, n, paired) for x in SCORES for n in SIZES for paired in (True, False)
    ]
    rows = [
        row
        for seed, (scores, n, paired) in enumerate(designs)
        for row in count(scores, n, n_sets, seed, paired=paired)
    ]
    return Experiment("Tests with a margin", rows, [], page=tabulate(rows))


def choose(
    rows: list[dict[str, Any]], test: str, unit: str, scores: str
) -> list[float]:
    """Return the rates of a test, in percent, for each size."""
    key = (test, unit, scores)
    chosen = [x for x in rows if (x["test"], x["unit"], x["scores"]) == key]
    return [100.0 * float(x["rate"]) for x in chosen]


def tabulate(rows: list[dict[str, Any]]) -> list[str]:
    """Return the results as a table of Markdown."""
    lines = []
    for unit in ("pairs", "independent"):
        for test in TESTS:
            of_each = [choose(rows, test, unit, scores) for scores in SCORES]
            cells = [", ".join(show(x / 100.0) for x in rates) for rates in of_each]
            lines.append(
                [f"`{test}`" if "," not in test else _quote(test), unit, *cells]
            )
    sizes = ", ".join(map(str, SIZES[:-1]))
    return [
        f"Of {rows[0]['n_sets']} sets each of {sizes} and {SIZES[-1]} scores a side, "
        "one-sided p <= 0.05 in so many percent, where A is worse than B by just the "
        "margin. The nominal rate is 5.",
        write_table(["test", "", *SCORES], lines),
    ]


def _quote(test: str) -> str:
    name, _, statistic = test.partition(", ")
    return f"`{name}` of `{statistic}`"


def say_ranges(rows: list[dict[str, Any]]) -> list[str]:
    """Return the ranges of each test in whole percent, over all scores and sizes."""
    said = []
    for unit in ("pairs", "independent"):
        for test in TESTS:
            rates = [x for name in SCORES for x in choose(rows, test, unit, name)]
            ends = (f"{f(rates):.0f}" for f in (min, max))
            name = test.replace(", ", " of ")
            said.append(f"{name}, {unit}: {' to '.join(ends)} %")
    return said
