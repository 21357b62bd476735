"""Numbers of items for every metric, and arrays for all that counts them."""

import numpy as np

from sigarray import corpus

RNG = np.random.default_rng(0)
N, SYSTEMS = 40, 3
GOLD = RNG.integers(0, 3, N)
PREDICTED = np.where(RNG.random((SYSTEMS, N)) < 0.6, GOLD, RNG.integers(0, 3, N))
CONFIDENCE = RNG.integers(1, 32, (SYSTEMS, N)) / 32.0
HIT = (RNG.random((SYSTEMS, N)) < CONFIDENCE).astype(float)
SHAPE = SYSTEMS, N, 4
RATINGS = np.where(RNG.random(SHAPE) < 0.2, np.nan, RNG.integers(0, 3, SHAPE))
X = RNG.integers(-64, 64, N) / 32.0
Y = X + RNG.integers(-64, 64, (SYSTEMS, N)) / 64.0

COUNTING = [
    (corpus.confusions, (GOLD, PREDICTED), {"n_classes": 3}),
    (corpus.bins, (CONFIDENCE, HIT), {"n_bins": 4}),
    (corpus.votes, (RATINGS,), {"n_values": 3}),
    (corpus.residuals, (X, Y), {}),
    (corpus.products, (X, Y), {}),
]
NAMES_OF_COUNTING = [function.__name__ for function, *_ in COUNTING]
COUNTED = {f: f(*arrays, **options) for f, arrays, options in COUNTING}
LENGTHS = RNG.integers(6, 20, (SYSTEMS, 2, N))
TOTALS = LENGTHS[:, :1] - np.arange(4)[:, None]
MATCHES = RNG.binomial(TOTALS, np.array([[0.7], [0.4], [0.2], [0.1]]))
BLEU = np.concatenate([LENGTHS, MATCHES, TOTALS], axis=1).astype(float)
CHRF = np.stack([TOTALS + 3, TOTALS + 1, MATCHES], axis=2).reshape(SYSTEMS, 12, N)
POSITIVE = RNG.poisson(2.0, (SYSTEMS, 4, N)).astype(float)

# Each metric, and numbers of items (..., d, n) for it.
ITEMS = {
    "accuracy": COUNTED[corpus.confusions],
    "bleu": BLEU,
    "calibration_error": COUNTED[corpus.bins],
    "chrf": CHRF.astype(float),
    "f1": POSITIVE[:, :3],
    "krippendorff_alpha": COUNTED[corpus.votes],
    "macro_f1": COUNTED[corpus.confusions],
    "matthews_correlation": POSITIVE,
    "pearson": COUNTED[corpus.products],
    "perplexity": POSITIVE[:, :2] + [[0.5], [1.0]],
    "precision": POSITIVE[:, :3],
    "r2": COUNTED[corpus.residuals],
    "ratio": POSITIVE[:, :2] + 1.0,
    "recall": POSITIVE[:, :3],
    "rmse": COUNTED[corpus.residuals],
    "squared_calibration_error": COUNTED[corpus.bins],
    "word_error_rate": POSITIVE[:, :2] + 1.0,
}


def find(name, items=None):
    """Return a metric, the sums of its items, and their columns first."""
    sums = np.sum(ITEMS[name] if items is None else items, axis=-1)
    return getattr(corpus, name), sums, np.moveaxis(sums, -1, 0)
