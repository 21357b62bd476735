"""What an experiment gives: rows for a CSV file, a figure, and published cells."""

import csv
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import array_api_compat
import numpy as np

# Of the difference of a published number and one of ours, beyond which it is called
# outside: two-sided 1 % of each cell.
Z_OUTSIDE = 2.576
# Of numbers that differ on purpose, so many are listed.
_WORST = 10
_NOT_COMPARED = "with nothing that was published to compare them with"
PUBLISHED = ("error_rates.csv", "response_p_values.csv")
# Of simulations that see the same resamples. Their number is a compromise: what the
# resamples decide by chance is averaged over blocks.
N_BLOCKS = 5


@dataclass(frozen=True)
class Settings:
    """How much to compute, and with what."""

    is_quick: bool
    backend: str
    reference: Path

    @property
    def has_published(self) -> bool:
        """Whether all files of published numbers are there."""
        return all((self.reference / name).is_file() for name in PUBLISHED)

    def choose(self, quick: int, full: int) -> int:
        """Return one number or the other."""
        return quick if self.is_quick else full

    def put(self, x: np.ndarray) -> Any:
        """Return an array of the backend."""
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
        """Return the namespace of the backend."""
        return array_api_compat.array_namespace(self.put(np.zeros(1)))


@dataclass(frozen=True)
class Cell:
    """A published number beside ours, and how far apart they are in standard errors."""

    name: str
    published: float
    ours: float
    z: float


@dataclass(frozen=True)
class Comparison:
    """Published numbers beside ours, which are to agree, or are shown alone."""

    title: str
    cells: Sequence[Cell]
    is_to_agree: bool = True

    @property
    def outside(self) -> list[Cell]:
        """Cells that do not agree, the worst first."""
        found = [cell for cell in self.cells if abs(cell.z) > Z_OUTSIDE]
        return sorted(found, key=lambda cell: -abs(cell.z))

    @property
    def bound(self) -> int:
        """How many cells are outside by chance, at most.

        Cells that share simulations are far from independent. By Markov's inequality,
        more than ten times the expected number are outside in one of ten reproductions
        at most, however much cells depend on each other.
        """
        return len(self.cells) // 10

    @property
    def agrees(self) -> bool:
        """Whether no more cells are outside than by chance, where they are to agree."""
        return not self.is_to_agree or len(self.outside) <= self.bound


@dataclass(frozen=True)
class Picture:
    """What draws a figure, and its name and size in inches."""

    name: str
    size: tuple[float, float]
    draw: Callable[[Any], None]


@dataclass(frozen=True)
class Experiment:
    """What an experiment found; findings and pages are blocks of Markdown.

    A page is a file of its own, which the documentation includes.
    """

    title: str
    rows: list[dict[str, Any]]
    pictures: Sequence[Picture]
    comparisons: Sequence[Comparison] = ()
    findings: Sequence[str] = ()
    page: Sequence[str] = ()


def binomial_error(rate: float, count: int, other: float, other_count: int) -> float:
    """Two-sample standard error of two rates, from their pooled rate.

    The rate is pooled with half a success and half a failure more, so that it is never
    0 or 1.
    """
    total = count + other_count
    pooled = (rate * count + other * other_count + 0.5) / (total + 1.0)
    return math.sqrt(pooled * (1.0 - pooled) * (1.0 / count + 1.0 / other_count))


def divide(difference: float, error: float) -> float:
    """Return a difference in standard errors; infinite where the error is none."""
    if error > 0.0:
        return difference / error
    return math.copysign(math.inf, difference) if difference else 0.0


def in_blocks(
    compute: Callable[..., dict[str, Any]], seed: int, *samples: Any
) -> dict[str, np.ndarray]:
    """Compute arrays for blocks of samples, each with resamples of its own."""
    parts = []
    for block in range(N_BLOCKS):
        chosen = (x[block::N_BLOCKS] for x in samples)
        parts.append(compute(*chosen, rng=seed * N_BLOCKS + block))
    return {
        name: np.concatenate([np.asarray(part[name]) for part in parts])
        for name in parts[0]
    }


def read_csv(path: Path) -> list[dict[str, str]]:
    """Read rows, or none where the file is not at hand."""
    if not path.is_file():
        return []
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write_csv(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    """Write rows, numbers with six digits."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow(
                {k: f"{v:.6g}" if isinstance(v, float) else v for k, v in row.items()}
            )


def summarize(
    settings: Settings, command: str, experiments: Mapping[str, Experiment]
) -> str:
    """Return the summary, in Markdown: a table of what agrees, and what was found.

    Of what has a page alone, the page is named, by the name of the experiment.
    """
    comparisons = [x for y in experiments.values() for x in y.comparisons if x.cells]
    lines = ["# What was reproduced", "", f"By `{command}`."]
    if comparisons:
        lines += [
            "",
            f"A published number and ours agree within {Z_OUTSIDE} standard errors of "
            "their difference. Of 100 numbers that are the same but for chance, one is "
            "outside. Those of one simulation depend on each other; however much they "
            "do, no more than a tenth are outside in nine of ten reproductions, by "
            "Markov's inequality: so many are allowed.",
            "",
            "| | compared | agree | outside | allowed | the worst: published, here |",
            "|---|---:|---:|---:|---:|---|",
            *(_row(x) for x in comparisons),
        ]
    elif not settings.has_published:
        lines += ["", "The published numbers were not at hand."]
    for name, experiment in experiments.items():
        page = f"The rates of `{name}.md`, {_NOT_COMPARED}."
        blocks = [
            f"## {experiment.title}",
            *(_list_outside(x) for x in experiment.comparisons if x.outside),
            *(experiment.findings or ([page] if experiment.page else [])),
            *(f"![{x.name}]({x.name}.png)" for x in experiment.pictures),
        ]
        lines += [line for block in blocks for line in ("", block)]
    return "\n".join([*lines, ""])


def _row(comparison: Comparison) -> str:
    """Return a row of the table."""
    n, n_outside = len(comparison.cells), len(comparison.outside)
    worst = max(comparison.cells, key=lambda cell: abs(cell.z))
    allowed = f"{comparison.bound}" if comparison.is_to_agree else ""
    return (
        f"| {comparison.title} | {n} | {n - n_outside} | {n_outside} | {allowed} | "
        f"{_say_cell(worst)} |"
    )


def _list_outside(comparison: Comparison) -> str:
    shown = comparison.outside
    if not comparison.is_to_agree:
        shown = shown[:_WORST]  # the others are in the file
    listed = "; ".join(map(_say_cell, shown))
    listed += "; ..." if len(shown) < len(comparison.outside) else "."
    return f"Outside, {comparison.title[0].lower()}{comparison.title[1:]}: {listed}"


def _say_cell(cell: Cell) -> str:
    return f"{cell.name}: {cell.published:.4g}, {cell.ours:.4g} ({cell.z:+.1f})"
