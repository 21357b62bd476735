"""What error rates are of: distributions, sizes and differences of two samples."""

import numpy as np

SIZES = (5, 10, 15, 20)
DIFFERENCES = (0.25, 0.5, 0.75, 1.0)
# What a rate is of.
PLACE = ("error", "distribution", "size", "difference", "threshold", "test")


def draw_normal(rng: np.random.Generator, shape: tuple, shift: float) -> np.ndarray:
    """N(shift, 1.5^2)."""
    return rng.normal(shift, 1.5, shape)


def draw_mixture(rng: np.random.Generator, shape: tuple, shift: float) -> np.ndarray:
    """A fixed share of N(1.5 + shift, 1), the rest N(-0.5, 0.25^2)."""
    n_high = int(0.7 * shape[-1])
    high = rng.normal(1.5 + shift, 1.0, (*shape[:-1], n_high))
    low = rng.normal(-0.5, 0.25, (*shape[:-1], shape[-1] - n_high))
    # In random order, for the tests of pairs.
    return rng.permuted(np.concatenate([high, low], axis=-1), axis=-1)


def draw_laplace(rng: np.random.Generator, shape: tuple, shift: float) -> np.ndarray:
    """Laplace(shift, 1.5)."""
    return rng.laplace(shift, 1.5, shape)


def draw_rayleigh(rng: np.random.Generator, shape: tuple, shift: float) -> np.ndarray:
    """Rayleigh(1) + shift."""
    return rng.rayleigh(1.0, shape) + shift


DISTRIBUTIONS = {
    "normal": draw_normal,
    "normal mixture": draw_mixture,
    "laplace": draw_laplace,
    "rayleigh": draw_rayleigh,
}


def list_plans() -> list[tuple[str, str, int, float]]:
    """Give what is simulated: the error, the distribution, scores a side, the shift."""
    plans = [("type1", name, size, 0.0) for name in DISTRIBUTIONS for size in SIZES]
    for name, better in (("normal", 0.5), ("normal mixture", 1.0)):
        plans += [("type2", name, size, better) for size in SIZES]
        plans += [("type2_diff", name, 5, shift) for shift in DIFFERENCES]
    return plans


def find_place(row: dict[str, str]) -> tuple[str, str, int, float, float, str]:
    """Say what the published rate is of, as in our rows."""
    error, number = row["error"], float(row["size_or_difference"])
    is_difference = error == "type2_diff"
    better = 0.5 if row["distribution"] == "normal" else 1.0
    return (
        error,
        row["distribution"],
        5 if is_difference else int(number),
        number if is_difference else better * (error == "type2"),
        float(row["threshold"]),
        row["test"],
    )
