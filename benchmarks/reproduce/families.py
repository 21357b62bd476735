"""Families of models: what one call compares, and what their scores are like."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

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


# Their means, by which models of other spreads have equal ones.
MEANS = dict(zip(DRAWS, (0.0, math.exp(2.0), -1.0, 0.0, 0.25), strict=True))


@dataclass(frozen=True)
class Family:
    """Models of so many runs each, and what they are like."""

    sizes: tuple[int, ...]
    scores: str = "normal"
    # By what each model's scores are multiplied, about their mean.
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
        if len(set(self.spreads)) > 2:
            name += f", spreads {', '.join(f'{x:g}' for x in self.spreads)}"
        elif len(set(self.spreads)) > 1:
            count = sum(x < max(self.spreads) for x in self.spreads)
            low, high = min(self.spreads), max(self.spreads)
            ratio = "never varying" if low == 0.0 else f"{high / low:g} times narrower"
            narrow = {
                n for n, x in zip(self.sizes, self.spreads, strict=True) if x == low
            }
            who = "the second" if len(self.sizes) == 2 else f"{count} of them"
            if self.has_baseline and count == 1 and self.spreads[-1] == low:
                who = "the baseline"
            if len(self.sizes) > 2 and len(sizes) == 2 and narrow == {sizes[-1]}:
                who = "those of more runs"
            name += f", {who} {ratio}"
        return name + (", with a baseline" if self.has_baseline else "")

    def draw(self, rng: np.random.Generator, n_sets: int) -> list[np.ndarray]:
        """Return the scores of each model, (sets, runs)."""
        draw = DRAWS[self.scores]
        middle = MEANS[self.scores] if self.spreads else 0.0
        spreads = self.spreads or (1.0,) * len(self.sizes)
        shifts = self.shifts or (0.0,) * len(self.sizes)
        return [
            spread * (draw(rng, (n_sets, n)) - middle) + shift
            for n, spread, shift in zip(self.sizes, spreads, shifts, strict=True)
        ]


def half(n: int, narrow: float) -> tuple[float, ...]:
    """Return the spreads of n models, of which half are narrow."""
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
    *(
        Family(sizes, scores, n_tasks=tasks)
        for sizes, tasks in (
            ((6,) * 2, 20),
            ((10,) * 2, 57),
            ((10,) * 5, 5),
            ((5, 50), 5),
            ((3, 20), 5),
        )
        for scores in DRAWS
        if len(set(sizes)) > 1 or scores not in ("normal", "one run in ten fails")
    ),
    *(Family((5,) * 5, scores, n_tasks=5, has_baseline=True) for scores in DRAWS),
    *(
        Family((5, 5, 5, 5, 20), scores, has_baseline=True)
        for scores in DRAWS
        if scores != "normal"
    ),
    *(
        Family((n,) * k, scores)
        for k, n in ((20, 10), (20, 20))
        for scores in ("lognormal", "one run in ten fails", "ties")
    ),
]
# Equal means and other spreads of normal scores: none is better.
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
    # Few runs of wide models may all lie on one side of narrow ones.
    *(
        Family((n, n), spreads=(1.0, narrow), n_tasks=tasks)
        for n, tasks, narrow in (
            (4, 1, 0.25),
            (4, 1, 0.0),
            (5, 1, 0.0),
            (5, 6, 0.5),
            (5, 6, 0.25),
            (5, 6, 0.01),
            (6, 20, 0.25),
            (8, 20, 0.25),
            (10, 57, 0.25),
            (10, 57, 0.1),
        )
    ),
    *(
        Family((n,) * k, spreads=(1.0,) * (k - count) + (narrow,) * count)
        for k, n, count in ((3, 4, 2), (3, 5, 1), (4, 5, 1))
        for narrow in (0.25, 0.0)
    ),
    *(
        Family((5,) * k, spreads=(1.0,) * (k - 1) + (narrow,), has_baseline=True)
        for k in (5, 10)
        for narrow in (0.5, 0.25, 0.1, 0.0)
    ),
    *(
        Family((5,) * 5, spreads=(narrow,) * 4 + (1.0,), has_baseline=True)
        for narrow in (0.25, 0.0)
    ),
    # Of others that are narrower and wider than the baseline, each has its own error.
    *(
        Family((n,) * (k + 2), spreads=(4.0,) * k + (narrow, 1.0), **by)
        for k, n, narrow, by in (
            (2, 5, 0.0, {"has_baseline": True}),
            (3, 5, 0.0, {"has_baseline": True}),
            (5, 5, 0.0, {"has_baseline": True}),
            (5, 5, 0.1, {"has_baseline": True}),
            (3, 6, 0.0, {"has_baseline": True, "n_tasks": 5}),
            (3, 8, 0.25, {"has_baseline": True, "n_tasks": 10}),
        )
    ),
    *(
        Family((n, m), spreads=(1.0, 0.25), n_tasks=20)
        for n, m in ((3, 19), (4, 19), (3, 50), (5, 19))
    ),
    Family((5,) * 4 + (19,), spreads=(1.0,) * 4 + (0.25,), has_baseline=True),
]
# The same of scores with a long tail, which few runs do not show.
TAILS = [
    Family(sizes, scores, spreads=spreads)
    for sizes, spreads in (
        ((5, 5), (1.0, 0.25)),
        ((20, 20), (1.0, 0.25)),
        ((5, 50), (1.0, 0.25)),
        ((6,) * 4, half(4, 0.25)),
        ((10,) * 10, half(10, 0.25)),
    )
    for scores in ("lognormal", "one run in ten fails", "nine of ten the same")
]
# Tasks of which the false discovery rate is controlled: in some of them, the first
# model is better.
DISCOVERIES = [
    (Family((5,) * k, scores, n_tasks=26, has_baseline=is_of_one), n_better)
    for k, is_of_one in ((2, False), (3, False), (5, False), (5, True))
    for scores in ("normal", "one run in ten fails", "ties")
    for n_better in (0, 13)
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
