"""Train classifiers on scikit-learn's digits and write their accuracies as CSV.

    python -m benchmarks.digits > sigarray/data/digits.csv

One fixed half of the images is for training and the other half for testing; the seed of
a run sets the initial weights, the order of the data, or the random features and
samples of the trees. The last model has fewer runs, as models often do.
"""

import csv
import itertools
import sys

from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier

MODELS = {
    "linear": (lambda seed: SGDClassifier(random_state=seed), 20),
    "forest": (lambda seed: RandomForestClassifier(50, random_state=seed), 20),
    "network": (lambda seed: MLPClassifier((64,), max_iter=60, random_state=seed), 20),
    "wide_network": (
        lambda seed: MLPClassifier((256,), max_iter=60, random_state=seed),
        12,
    ),
}


def main() -> None:
    """Print one column of test accuracies for each model."""
    images, labels = load_digits(return_X_y=True)
    train_x, test_x, train_y, test_y = train_test_split(
        images / 16.0, labels, test_size=0.5, random_state=0, stratify=labels
    )
    columns = [
        [
            f"{make(seed).fit(train_x, train_y).score(test_x, test_y):.6f}"
            for seed in range(n_seeds)
        ]
        for make, n_seeds in MODELS.values()
    ]
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(MODELS)
    writer.writerows(itertools.zip_longest(*columns, fillvalue=""))


if __name__ == "__main__":
    main()
