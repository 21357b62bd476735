"""Metrics of a whole test set, each a function of sums over its items.

``of_sums`` makes a statistic of any of them, or of a function of one's own: see
`sigarray.of_sums`. Sums may be arrays of any library and shape, or plain numbers. What
counts the numbers of each item returns an array (..., d, n), in the order in which the
metric takes their sums. `optimality_gap` is a statistic of the scores themselves.
"""

from sigarray.corpus._agreement import krippendorff_alpha, votes
from sigarray.corpus._calibration import (
    bins,
    calibration_error,
    squared_calibration_error,
)
from sigarray.corpus._classification import (
    accuracy,
    f1,
    macro_f1,
    matthews_correlation,
    precision,
    recall,
)
from sigarray.corpus._confusions import confusions
from sigarray.corpus._gaps import OptimalityGap, optimality_gap
from sigarray.corpus._ratios import perplexity, ratio, word_error_rate
from sigarray.corpus._regression import pearson, products, r2, residuals, rmse
from sigarray.corpus._translation import bleu, chrf

__all__ = [
    "OptimalityGap",
    "accuracy",
    "bins",
    "bleu",
    "calibration_error",
    "chrf",
    "confusions",
    "f1",
    "krippendorff_alpha",
    "macro_f1",
    "matthews_correlation",
    "optimality_gap",
    "pearson",
    "perplexity",
    "precision",
    "products",
    "r2",
    "ratio",
    "recall",
    "residuals",
    "rmse",
    "squared_calibration_error",
    "votes",
    "word_error_rate",
]
