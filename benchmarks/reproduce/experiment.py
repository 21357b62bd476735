"""What an experiment gives: rows for a CSV file, a figure, and published cells."""

import csv
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import array_api_compat
import numpy as np

# Of the difference of a published number and one of ours, beyond which it is called
# outside: two-sided 1 % of each cell.
Z_OUTSIDE = 2.576


@dataclass(frozen=True)
class Settings:
    """How much to compute, and with what."""

    is_quick: bool
    backend: str
    reference: Path

    def choose(self, quick: int, full: int) -> int:
        """Give one number or the other."""
        return quick if self.is_quick else full

    def put(self, x: np.ndarray) -> Any:
        """Give an array of the backend."""
        if self.backend == "torch":
            import torch

            return torch.as_tensor(x)
        if self.backend == "jax":
            import jax

            jax.config.update("jax_enable_x64", True)
            return jax.numpy.asarray(x)
        return x

    @property
    def namespace(self) -> Any:
        """Give the namespace of the backend."""
        return array_api_compat.array_namespace(self.put(np.zeros(1)))


@dataclass(frozen=True)
class Cell:
    """A published number beside ours, and the standard error of the difference.

    `reason` says why both differ, where they do so on purpose.
    """

    name: str
    published: float
    ours: float
    error: float
    reason: str = ""

    @property
    def z(self) -> float:
        """Difference in standard errors."""
        difference = self.ours - self.published
        return (
            difference / self.error
            if self.error > 0.0
            else math.copysign(0.0 if difference == 0.0 else math.inf, difference)
        )


@dataclass
class Experiment:
    """What an experiment found."""

    name: str
    title: str
    rows: list[dict[str, Any]]
    cells: list[Cell] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)
    draw: Callable[[Any], None] = lambda _: None
    size: tuple[float, float] = (10.0, 6.0)


def binomial_error(rate: float, count: int, other: float, other_count: int) -> float:
    """Two-sample standard error of two rates, from their pooled rate.

    The rate is pooled with half a success and half a failure more, so that it is never
    0 or 1.
    """
    total = count + other_count
    pooled = (rate * count + other * other_count + 0.5) / (total + 1.0)
    return math.sqrt(pooled * (1.0 - pooled) * (1.0 / count + 1.0 / other_count))


def bound_outside(n_cells: int) -> int:
    """How many of so many cells are outside by chance, at most.

    One in a thousand reproductions has more. Cells that share simulations are not
    independent, so that twice the variance is allowed for.
    """
    spread = math.sqrt(2.0 * n_cells * 0.01 * 0.99)
    return math.ceil(0.01 * n_cells + 3.09 * spread)


def agrees(experiment: Experiment) -> bool:
    """Tell whether no more cells are outside than by chance."""
    plain = [cell for cell in experiment.cells if not cell.reason]
    n_outside = sum(abs(cell.z) > Z_OUTSIDE for cell in plain)
    return n_outside <= bound_outside(len(plain))


def write_csv(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    """Write rows, numbers with six digits."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow(
                {k: f"{v:.6g}" if isinstance(v, float) else v for k, v in row.items()}
            )


def summarize(experiment: Experiment) -> list[str]:
    """Say how many cells agree, which is the worst, and what was found, in Markdown."""
    lines = [f"## {experiment.title}", ""]
    plain = [cell for cell in experiment.cells if not cell.reason]
    if plain:
        outside = [cell for cell in plain if abs(cell.z) > Z_OUTSIDE]
        worst = max(plain, key=lambda cell: abs(cell.z))
        bound = bound_outside(len(plain))
        verdict = "agrees" if agrees(experiment) else "does NOT agree"
        lines += [
            f"**It {verdict}**: {len(plain)} published cells compared, "
            f"{len(plain) - len(outside)} within {Z_OUTSIDE} standard errors, "
            f"{len(outside)} outside (by chance at most {bound}). The worst is "
            f"{worst.name}: {worst.published:.4g} published, {worst.ours:.4g} here, "
            f"{worst.z:+.1f} standard errors.",
            "",
        ]
    lines += [_say_difference(experiment, reason) for reason in _reasons(experiment)]
    lines += [f"- {finding}" for finding in experiment.findings]
    return [*lines, ""]


def _reasons(experiment: Experiment) -> list[str]:
    return list(dict.fromkeys(x.reason for x in experiment.cells if x.reason))


def _say_difference(experiment: Experiment, reason: str) -> str:
    cells = [cell for cell in experiment.cells if cell.reason == reason]
    outside = [cell for cell in cells if abs(cell.z) > Z_OUTSIDE]
    shown = ", ".join(
        f"{cell.name} {cell.published:.4g} there and {cell.ours:.4g} here"
        for cell in sorted(cells, key=lambda cell: -abs(cell.z))[:3]
    )
    return (
        f"- On purpose: {reason} ({len(cells)} cells, {len(outside)} outside; the most "
        f"different: {shown})."
    )
