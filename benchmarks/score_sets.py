"""Train classifiers with many seeds, and write their test accuracies as CSV.

    python -m benchmarks.score_sets > benchmarks/data/score_sets.csv

Three of scikit-learn's datasets, several models and hyper-parameters, 25 seeds each.
One fixed half of the items is for training and the other half for testing; a seed sets
the initial weights, the order of the data, or the random features and samples of trees.
"""

import csv
import itertools
import sys
import warnings
from collections.abc import Callable
from typing import Any

from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

N_SEEDS = 25
DATASETS = {
    "digits": load_digits,
    "wine": load_wine,
    "cancer": load_breast_cancer,
}


def network(width: int, rate: float) -> Callable[[int], Any]:
    """Return what makes a network of one hidden layer for a seed."""
    return lambda seed: MLPClassifier(
        (width,), learning_rate_init=rate, max_iter=40, random_state=seed
    )


MODELS: dict[str, Callable[[int], Any]] = {
    "network 16": network(16, 1e-3),
    "network 64": network(64, 1e-3),
    "network 64 fast": network(64, 1e-2),
    "network 256": network(256, 1e-3),
    "linear": lambda seed: SGDClassifier(random_state=seed),
    "linear log": lambda seed: SGDClassifier(loss="log_loss", random_state=seed),
    "linear l1": lambda seed: SGDClassifier(penalty="l1", random_state=seed),
    "forest 5": lambda seed: RandomForestClassifier(5, random_state=seed),
    "forest 20": lambda seed: RandomForestClassifier(20, random_state=seed),
    "trees 20": lambda seed: ExtraTreesClassifier(20, random_state=seed),
}


def main() -> None:
    """Print one column of test accuracies for each dataset and model."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    columns = {}
    for dataset, load in DATASETS.items():
        items, labels = load(return_X_y=True)
        train_x, test_x, train_y, test_y = train_test_split(
            items, labels, test_size=0.5, random_state=0, stratify=labels
        )
        for name, make in MODELS.items():
            columns[f"{dataset}: {name}"] = [
                make_pipeline(StandardScaler(), make(seed))
                .fit(train_x, train_y)
                .score(test_x, test_y)
                for seed in range(N_SEEDS)
            ]
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    for row in itertools.zip_longest(*columns.values()):
        writer.writerow([f"{score:.6f}" for score in row])


if __name__ == "__main__":
    main()
