"""Metrics of a whole test set, each a function of sums over its items.

``of_sums`` makes a statistic of any of them, or of a function of one's own: see
`sigarray.of_sums`. Sums may be arrays of any library and shape, or plain numbers. What
counts the numbers of each item returns an array (..., d, n), in the order in which the
metric takes their sums. `optimality_gap` is a statistic of the scores themselves.
"""

from sigarray.corpus._classification import (
    accuracy,
    confusions,
    f1,
    macro_f1,
    matthews_correlation,
    precision,
    recall,
)
from sigarray.corpus._judgments import (
    bins,
    calibration_error,
    krippendorff_alpha,
    squared_calibration_error,
    votes,
)
from sigarray.corpus._numbers import (
    OptimalityGap,
    optimality_gap,
    pearson,
    perplexity,
    products,
    r2,
    ratio,
    residuals,
    rmse,
    word_error_rate,
)
from sigarray.corpus._sums import bleu, chrf

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
