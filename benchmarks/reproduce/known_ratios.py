"""Normal models of a known violation ratio: how many, of how many runs and spreads."""

import numpy as np

# Below, a bound calls a model better.
THRESHOLD = 0.2
# Runs, and spreads of B where A's is 1, of bounds of a known ratio.
RATIOS, RATIO_SIZES = (0.05, 0.2, 0.5, 0.8), (3, 5, 10, 20, 50)
RATIO_SPREADS = (2.0, 0.5, 4.0, 0.25)
# Runs of models, of which the first has that ratio to each of the others, and the
# spreads of these.
AT_THRESHOLD = [
    *(
        (sizes, spread)
        for sizes in (
            *((n, n) for n in RATIO_SIZES),
            *((5, 20), (20, 5), (5, 50), (50, 5), (20, 50), (50, 20)),
            *((12, 50), (50, 12), (15, 50), (50, 15)),
        )
        for spread in (*RATIO_SPREADS, 10.0, 0.1)
    ),
    *(((n, n), spread) for n in (15, 19) for spread in (*RATIO_SPREADS, 10.0, 0.1)),
    *(
        ((n,) * k, spread)
        for k in (3, 4, 10)
        for n in (*RATIO_SIZES, 4)
        for spread in RATIO_SPREADS
    ),
    *(((n,) * 3, spread) for n in (15, 19, 25) for spread in RATIO_SPREADS),
    *(
        ((n, *(m,) * k), spread)
        for k in (2, 3)
        for n, m in (
            *((50, 12), (50, 15), (50, 19), (15, 50), (50, 20), (20, 50)),
            *((20, 5), (5, 20)),
        )
        for spread in RATIO_SPREADS
    ),
    *(
        (sizes, spread)
        for sizes in (
            *((50, 50, 50, 19), (50, *(19,) * 4), (50, *(19,) * 9)),
            *((50, *(15,) * 4), (50, *(15,) * 9)),
        )
        for spread in RATIO_SPREADS
    ),
]
# Runs of models that each have that ratio to a baseline, the last one, or to each of
# which this has it; and the spreads of the baseline where theirs are 1.
AT_THRESHOLD_OF_BASELINE = [
    ((*(n,) * k, m), spread)
    for k in (2, 4, 9)
    for n, m in (
        *((n, n) for n in (4, 5, 10, 15, 19, 20, 50)),
        *((50, 12), (50, 15), (50, 19), (15, 50), (20, 5), (5, 20)),
    )
    for spread in RATIO_SPREADS
]


def find_ratio(shift: float, spread: float) -> float:
    """Violation ratio of N(shift, 1) over N(0, spread^2), by their quantiles."""
    p = (np.arange(200_000) + 0.5) / 200_000
    z = _normal_quantiles(p)
    difference = spread * z - (shift + z)
    above = np.clip(difference, 0.0, None)
    return float(np.sum(above**2) / np.sum(difference**2))


def _normal_quantiles(p: np.ndarray) -> np.ndarray:
    from scipy.special import ndtri

    return np.asarray(ndtri(p))


def find_shift(ratio: float, spread: float) -> float:
    """Return the shift of A with which its violation ratio is this one."""
    low, high = -10.0, 10.0
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (
            (middle, high) if find_ratio(middle, spread) > ratio else (low, middle)
        )
    return 0.5 * (low + high)
