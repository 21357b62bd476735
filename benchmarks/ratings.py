"""Simulate ratings of 60 items by people and two systems, and write them as CSV.

    python -m benchmarks.ratings > sigarray/data/ratings.csv

Items have two to five ratings by people, and three by each of the systems, from runs
with three seeds.
"""

import csv
import sys

import numpy as np

from sigarray import responses


def main() -> None:
    """Print a row for each rating."""
    gold, a, b = responses.simulate(60, 5, model="likert", perturbation_b=0.4, rng=0)
    n_raters = np.random.default_rng(0).integers(2, 6, len(gold))
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["item", "system", "response"])
    for item, n in enumerate(n_raters):
        for system, ratings in (
            ("gold", gold[item, :n]),
            ("a", a[item, :3]),
            ("b", b[item, :3]),
        ):
            writer.writerows([f"item-{item + 1}", system, f"{x:.1f}"] for x in ratings)


if __name__ == "__main__":
    main()
