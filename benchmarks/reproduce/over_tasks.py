"""How often models are called better over several tasks: equal ones, and better ones.

A set of scores is the mean of each model on each task. What is counted is whether any
two equal models are told apart, by the test of `sigarray compare`; and in what share of
the pairs of which one is better this is seen, by that test and by Wilcoxon's with
Holm's correction.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.reproduce.experiment import Experiment, Settings
from benchmarks.reproduce.verdict_page import show, write_table
from sigarray import holm
from sigarray._verdicts.over_tasks import adjust_over_tasks

LEVEL = 0.05
Draw = Callable[[np.random.Generator, int, int], np.ndarray]


def _draw_runs(rng: np.random.Generator, n_tasks: int, k: int) -> np.ndarray:
    """Draw means of 3 runs of half of the models, and of 20 of the others.

    One run in ten fails, and is 10 standard deviations lower.
    """
    means = []
    for model in range(k):
        n = 3 if model < k // 2 else 20
        fails = rng.random((n_tasks, n)) < 0.1
        runs = rng.normal(size=(n_tasks, n)) - 10.0 * fails
        means.append(runs.mean(axis=1))
    return np.stack(means, axis=1)


def _spread(rng: np.random.Generator, n_tasks: int, k: int) -> np.ndarray:
    spreads = np.where(np.arange(k) < k // 2, 4.0, 1.0)
    return np.asarray(spreads * rng.normal(size=(n_tasks, k)))


SCORES: dict[str, Draw] = {
    "normal": lambda rng, t, k: rng.normal(size=(t, k)),
    "spreads 4 : 1": _spread,
    "tasks of other scales": lambda rng, t, k: (
        rng.normal(size=(t, k)) * np.exp(1.5 * rng.normal(size=(t, 1)))
    ),
    "ties": lambda rng, t, k: np.round(2.0 * rng.normal(size=(t, k))) / 2.0,
    "failing runs, 3 v 20": _draw_runs,
}
# Equal means are not what the test is of: their medians differ.
BEYOND = ("failing runs, 3 v 20",)


@dataclass(frozen=True)
class Design:
    """Models on tasks; the first `n_better` are so by `lead` standard deviations."""

    n_models: int
    n_tasks: int
    has_baseline: bool = False
    n_better: int = 0
    lead: float = 0.0

    def __str__(self) -> str:
        name = f"{self.n_models} models, {self.n_tasks} tasks"
        return f"{name}, with a baseline" if self.has_baseline else name

    @property
    def pairs(self) -> np.ndarray:
        """The pairs that are compared; the baseline is the last model."""
        pairs = itertools.combinations(range(self.n_models), 2)
        last = self.n_models - 1
        return np.asarray([x for x in pairs if not self.has_baseline or last in x])

    def count(self, scores: str, n_sets: int, seed: int) -> dict[str, Any]:
        """Return the share of sets with any error, and that of true leads seen."""
        rng = np.random.default_rng(seed)
        pairs = self.pairs
        is_better = np.arange(self.n_models) < self.n_better
        differs = is_better[pairs[:, 0]] != is_better[pairs[:, 1]]
        errors, seen, seen_by_holm = 0, 0.0, 0.0
        for _ in range(n_sets):
            means = SCORES[scores](rng, self.n_tasks, self.n_models)
            means = means + self.lead * is_better
            alone, adjusted = adjust_over_tasks(
                means, pairs, has_baseline=self.has_baseline
            )
            is_told = adjusted <= LEVEL
            errors += bool(np.any(is_told[~differs]))
            if np.any(differs):
                seen += float(np.mean(is_told[differs]))
                by_holm = np.asarray(holm(alone.pvalue)) <= LEVEL
                seen_by_holm += float(np.mean(by_holm[differs]))
        return {
            "design": str(self),
            "scores": scores,
            "n_better": self.n_better,
            "lead": self.lead,
            "n_sets": n_sets,
            "any_error": errors / n_sets,
            "seen": seen / n_sets,
            "seen_by_holm": seen_by_holm / n_sets,
        }


EQUAL = [
    *(Design(2, t) for t in (8, 26)),
    *(Design(3, t) for t in (8, 26)),
    *(Design(5, t) for t in (8, 12, 57)),
    *(Design(10, t) for t in (12, 26, 57)),
    Design(5, 12, has_baseline=True),
    Design(10, 26, has_baseline=True),
    Design(3, 6, has_baseline=True),
    Design(5, 7, has_baseline=True),
    Design(8, 8, has_baseline=True),
]
# Half of the models are so much better that all pairs between both halves are told
# apart: then the errors of both halves add up.
APART = [Design(k, t, n_better=k // 2, lead=20.0) for k, t in ((4, 12), (10, 26))]
POWER = [
    Design(k, t, n_better=n, lead=x)
    for k, t in ((3, 8), (5, 8), (5, 12), (5, 26), (10, 12), (10, 26))
    for n, x in ((1, 1.5), (k // 2, 1.0))
]


def run(settings: Settings) -> Experiment:
    """Count errors of equal models, and what is seen of better ones."""
    n_sets = settings.choose(100, 2000)
    rows = [
        {"kind": kind} | design.count(scores, n_sets, seed)
        for kind, designs, every in (
            ("equal", EQUAL, list(SCORES)),
            ("apart", APART, ["normal", "ties"]),
            ("power", POWER, ["normal", "tasks of other scales"]),
        )
        for seed, (design, scores) in enumerate(itertools.product(designs, every))
    ]
    return Experiment("Verdicts over tasks", rows, [], page=tabulate(rows))


def tabulate(rows: list[dict[str, Any]]) -> list[str]:
    """Return the results as tables of Markdown."""
    equal = [x for x in rows if x["kind"] == "equal"]
    scores = list(dict.fromkeys(x["scores"] for x in equal))
    by_design: dict[str, list[str]] = {}
    for x in equal:
        by_design.setdefault(x["design"], [x["design"]]).append(show(x["any_error"]))
    apart = [x for x in rows if x["kind"] == "apart"]
    power = [x for x in rows if x["kind"] == "power"]
    return [
        f"Equal models, of which any is called better over all tasks, in percent of "
        f"{equal[0]['n_sets']} families each. Where runs fail, half of the models have "
        "3 runs on each task, and half of them 20: their means are equal, and their "
        "medians are not.\n\n" + write_table(["", *scores], list(by_design.values())),
        "The same within two halves of the models, of which one is far better:\n\n"
        + write_table(
            ["", "scores", "percent"],
            [[x["design"], x["scores"], show(x["any_error"])] for x in apart],
        ),
        "Of the pairs in which one is better, by so many standard deviations, so many "
        "percent are told apart; and by Wilcoxon's test with Holm's correction:\n\n"
        + write_table(
            ["", "better ones", "scores", "percent", "by Holm"],
            [
                [
                    x["design"],
                    f"{x['n_better']} by {x['lead']:g}",
                    *(x["scores"], show(x["seen"]), show(x["seen_by_holm"])),
                ]
                for x in power
            ],
        ),
    ]
