"""What our verdicts are worth: how often equal models are told apart, others found.

A family is what one call compares: all pairs of some models, or all tasks. It errs
where any of its claims is false. Of equal models that is any claim at all.
"""

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import sigarray
from benchmarks.reproduce.experiment import Experiment, Settings

LEVEL, THRESHOLD = 0.05, 0.2
# More than this, and two standard errors of a simulation, is too often.
LARGEST = 0.06
QUICK, FULL = 100, 4000
N_RESAMPLES = 1000

Draw = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]


def draw_normal(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Draw runs of a usual kind."""
    return rng.normal(size=shape)


def draw_lognormal(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Draw runs with a long tail, log-deviation 2."""
    return rng.lognormal(0.0, 2.0, shape)


def draw_failing(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Draw runs of which one in ten fails."""
    return rng.normal(size=shape) - 10.0 * (rng.random(shape) < 0.1)


def draw_ties(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Draw runs on a lattice of half a deviation."""
    return np.round(2.0 * rng.normal(size=shape)) / 2.0


def draw_five_values(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Draw runs of five values, nine of ten of them the same."""
    return np.where(rng.random(shape) < 0.9, 0, rng.integers(1, 5, shape)).astype(float)


DRAWS: dict[str, Draw] = {
    "normal": draw_normal,
    "lognormal": draw_lognormal,
    "one run in ten fails": draw_failing,
    "ties": draw_ties,
    "nine of ten the same": draw_five_values,
}


@dataclass(frozen=True)
class Family:
    """Models of so many runs each, and what they are like."""

    sizes: tuple[int, ...]
    scores: str = "normal"
    # By what each model's scores are multiplied, about their middle.
    spreads: tuple[float, ...] = ()
    # What is added to each model's scores.
    shifts: tuple[float, ...] = ()
    n_tasks: int = 1
    has_baseline: bool = False

    @property
    def name(self) -> str:
        """Say what it is."""
        sizes = sorted(set(self.sizes))
        if len(sizes) == 1:
            name = f"{len(self.sizes)} x {sizes[0]}"
        elif len(self.sizes) == 2:
            name = f"{self.sizes[0]} v {self.sizes[1]}"
        else:
            name = " + ".join(f"{self.sizes.count(n)} x {n}" for n in sizes)
        name += f" on {self.n_tasks} tasks" if self.n_tasks > 1 else ""
        if len(set(self.spreads)) > 1:
            count = sum(x < max(self.spreads) for x in self.spreads)
            low, high = min(self.spreads), max(self.spreads)
            ratio = "never varying" if low == 0.0 else f"{high / low:g} times narrower"
            narrow = {
                n for n, x in zip(self.sizes, self.spreads, strict=True) if x == low
            }
            who = "the second" if len(self.sizes) == 2 else f"{count} of them"
            if len(self.sizes) > 2 and len(sizes) == 2 and narrow == {sizes[-1]}:
                who = "those of more runs"
            name += f", {who} {ratio}"
        return name + (", with a baseline" if self.has_baseline else "")

    def draw(self, rng: np.random.Generator, n_sets: int) -> list[np.ndarray]:
        """Give the scores of each model, (sets, runs)."""
        draw = DRAWS[self.scores]
        spreads = self.spreads or (1.0,) * len(self.sizes)
        shifts = self.shifts or (0.0,) * len(self.sizes)
        return [
            spread * draw(rng, (n_sets, n)) + shift
            for n, spread, shift in zip(self.sizes, spreads, shifts, strict=True)
        ]


def half(n: int, narrow: float) -> tuple[float, ...]:
    """Give the spreads of n models, of which half are narrow."""
    return (1.0,) * (n - n // 2) + (narrow,) * (n // 2)


EQUAL = [
    *(
        Family((n,) * k, scores)
        for k, n in (
            (2, 3),
            (2, 5),
            (2, 20),
            (4, 5),
            (5, 5),
            (10, 5),
            (10, 10),
            (10, 20),
        )
        for scores in DRAWS
    ),
    *(Family((n,) * k) for k, n in ((20, 10), (50, 10), (20, 20))),
    *(
        Family(sizes, scores)
        for sizes in ((3, 20), (5, 50), (5,) * 4 + (50,), (3, 5, 10, 20, 20))
        for scores in DRAWS
    ),
    *(
        Family((n,) * k, scores, n_tasks=tasks)
        for k, n, tasks in ((2, 6, 20), (2, 10, 57), (5, 10, 5))
        for scores in ("normal", "one run in ten fails")
    ),
    *(
        Family((n,) * k, scores, has_baseline=True)
        for k, n in ((5, 5), (10, 5), (10, 20))
        for scores in DRAWS
    ),
    Family((5, 5, 5, 5, 20), has_baseline=True),
    Family((20, 5, 5, 5, 5), has_baseline=True),
]
# Equal means and other spreads: none is better.
SPREADS = [
    *(Family((n, m), spreads=(1.0, 0.25)) for n, m in ((5, 5), (20, 20), (5, 20))),
    Family((20, 5), spreads=(1.0, 0.25)),
    *(
        Family((n,) * k, spreads=half(k, narrow))
        for k, n in ((5, 5), (10, 5), (10, 10), (20, 10))
        for narrow in (0.25, 0.001, 0.0)
    ),
    *(Family((n, m), spreads=(1.0, 0.25)) for n, m in ((3, 20), (5, 50), (10, 200))),
    Family((5,) * 4 + (50,), spreads=(1.0,) * 4 + (0.25,)),
    Family((5,) * 2 + (20,) * 2, spreads=half(4, 0.25)),
    Family((5,) * 5 + (20,) * 5, spreads=half(10, 0.25)),
    *(
        Family((n,) * k + (m,), spreads=(1.0,) * k + (0.25,), has_baseline=True)
        for k, n, m in ((4, 5, 20), (9, 5, 50), (4, 3, 20))
    ),
]
# Some better than the others by so many deviations, and the least share to be found.
POWER = [
    (Family((5,) * 5, shifts=(3.0,) * 2 + (0.0,) * 3), 0.78),
    (Family((5,) * 10, shifts=(3.0,) * 5 + (0.0,) * 5), 0.20),
    (Family((10,) * 10, shifts=(2.0,) + (0.0,) * 9), 0.79),
    (Family((5,) * 5, shifts=(2.0,) + (0.0,) * 4, has_baseline=True), 0.34),
    (Family((5,) * 10, shifts=(3.0,) * 5 + (0.0,) * 5, has_baseline=True), 0.58),
    (Family((5,) * 3, shifts=(2.0, 0.0, 0.0)), 0.0),
    (Family((5,) * 2, shifts=(2.0, 0.0)), 0.0),
    (Family((20,) * 2, shifts=(1.0, 0.0)), 0.0),
]
# Spreads of B where A's is 1, and runs, of bounds of a known ratio.
RATIOS, RATIO_SIZES = (0.05, 0.2, 0.5, 0.8), (3, 5, 10, 20, 50)


def run(settings: Settings) -> Experiment:
    """Simulate all of it."""
    n_sets = settings.choose(QUICK, FULL)
    rows = [
        {"kind": kind, **describe_errors(settings, family, n_sets, seed)}
        for kind, families in (("equal", EQUAL), ("equal means", SPREADS))
        for seed, family in enumerate(families)
    ]
    rows += [
        {"kind": "power", **describe_power(settings, family, n_sets, seed), "least": x}
        for seed, (family, x) in enumerate(POWER)
    ]
    rows += [
        {"kind": "bound", **row}
        for ratio in RATIOS
        for n in RATIO_SIZES
        for row in describe_bounds(
            settings, ratio, n, settings.choose(QUICK, FULL // 2)
        )
    ]
    names = ("kind", "family", "scores", "n_sets", "rate", "least", "ratio", "covered")
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
    """Give who is better than whom, (sets, K, K): `multi_aso` at its defaults.

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
    """Give the share of sets in which anything is claimed."""
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


def describe_power(
    settings: Settings, family: Family, n_sets: int, seed: int
) -> dict[str, Any]:
    """Give the mean share of truly different pairs that are found."""
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
    """Give how often the bound holds, and how often A is called better."""
    rows = []
    for spread in (2.0, 0.5):
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


def find_ratio(shift: float, spread: float) -> float:
    """Violation ratio of N(shift, 1) over N(0, spread^2), by their quantiles."""
    p = (np.arange(200_000) + 0.5) / 200_000
    z = _normal_quantiles(p)
    difference = spread * z - (shift + z)
    above = np.clip(difference, 0.0, None)
    return float(np.sum(above**2) / np.sum(difference**2))


def _normal_quantiles(p: np.ndarray) -> np.ndarray:
    from scipy.special import ndtri

    return np.asarray(ndtri(p))


def find_shift(ratio: float, spread: float) -> float:
    """Give the shift of A with which its violation ratio is this one."""
    low, high = -10.0, 10.0
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (
            (middle, high) if find_ratio(middle, spread) > ratio else (low, middle)
        )
    return 0.5 * (low + high)


def tabulate(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Give the findings as tables of Markdown."""
    tables = []
    names = list(DRAWS)
    chosen = [x for x in rows if x["kind"] == "equal"]
    found: dict[str, dict[str, float]] = {}
    for row in chosen:
        found.setdefault(row["family"], {})[row["scores"]] = row["rate"]
    body = [
        [family, *(show(rates.get(name)) for name in names)]
        for family, rates in found.items()
    ]
    tables.append(
        f"Families of equal models, models x runs, in which any is called better by "
        f"`multi_aso`, in percent of {chosen[0]['n_sets']} each:\n\n"
        + write_table(["", *names], body)
    )
    chosen = [x for x in rows if x["kind"] == "equal means"]
    tables.append(
        "The same of models with equal means and other spreads:\n\n"
        + write_table(["", "percent"], [[x["family"], show(x["rate"])] for x in chosen])
    )
    chosen = [x for x in rows if x["kind"] == "power"]
    tables.append(
        "Of the pairs in which one is better, by so many standard deviations, so many "
        "are found:\n\n"
        + write_table(["", "percent"], [[x["family"], show(x["rate"])] for x in chosen])
    )
    chosen = [x for x in rows if x["kind"] == "bound"]
    body = [
        [f"{x['ratio']:g}", x["family"], show(x["covered"]), show(x["rate"])]
        for x in chosen
    ]
    tables.append(
        f"`aso` of two normal samples of a known ratio eps: in how many percent of "
        f"{chosen[0]['n_sets']} eps is at most eps_min, and in how many eps_min is "
        f"below {THRESHOLD:g}:\n\n"
        + write_table(["eps", "", "eps <= eps_min", "A is better"], body)
    )
    return tables


def judge(rows: Sequence[dict[str, Any]]) -> str:
    """Say which families err too often, and which power is too small."""
    errors = [x for x in rows if x["kind"] in ("equal", "equal means")]
    too_often = [
        f"{x['family']}, {x['scores']}: {show(x['rate'])} %"
        for x in errors
        if x["rate"] > LARGEST + 2.0 * math.sqrt(LARGEST * (1 - LARGEST) / x["n_sets"])
    ]
    worst = max(errors, key=lambda x: x["rate"])
    said = (
        f"The worst of {len(errors)} families: {worst['family']}, {worst['scores']}, "
        f"{show(worst['rate'])} %. "
    )
    said += (
        f"Above 6 % by more than two standard errors: {'; '.join(too_often)}."
        if too_often
        else "None is above 6 % by more than two standard errors."
    )
    weak = [
        x["family"] for x in rows if x["kind"] == "power" and x["rate"] < x["least"]
    ]
    return said + (f" Less power than wanted: {'; '.join(weak)}." if weak else "")


def show(rate: float | None) -> str:
    """Show a rate in percent."""
    return "" if rate is None else f"{100 * rate:.1f}"


def write_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a table of Markdown."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
